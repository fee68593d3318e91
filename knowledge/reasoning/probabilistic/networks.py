"""Belief problems: hypotheses with likelihoods, Bayesian networks, and tables over discrete variables."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.knowledge.reasoning.kernels.graphs import parents_first
from mabos.knowledge.reasoning.problem import (
    SCALE,
    Name,
    Names,
    Prior,
    Probability,
    ProblemPart,
    ReasoningProblem,
    Weight,
)
from mabos.knowledge.reasoning.result import AnswerClaim

LARGEST_TABLE = 2**20
"""Cells of one table that is handed in."""


class Hypotheses(ReasoningProblem):
    """Mutually exclusive hypotheses, their prior probabilities, and the likelihood of the observations.

    `likelihood` is for one observation; `evidence` lists several, independent given the hypothesis.
    """

    kind: Literal["hypotheses"] = "hypotheses"
    prior: Prior
    likelihood: Mapping[Name, Probability] = {}
    evidence: tuple[Mapping[Name, Probability], ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "hypotheses",
        "prior": {"ill": 0.01, "well": 0.99},
        "likelihood": {"ill": 0.8, "well": 0.096},
    }

    @model_validator(mode="after")
    def _every_hypothesis_has_a_likelihood(self) -> Self:
        if not self.observations:
            raise ValueError("give a likelihood, or evidence with several")
        for one in self.observations:
            if set(one) != set(self.prior):
                odd = sorted(set(one) ^ set(self.prior))[0]
                raise ValueError(f"prior and likelihood need the same hypotheses; {odd!r} is in only one")
        return self

    @property
    def observations(self) -> tuple[Mapping[str, float], ...]:
        """The likelihoods of every observation."""
        return (*([self.likelihood] if self.likelihood else []), *self.evidence)


class NetworkNode(ProblemPart):
    """A variable, its parents, and for each of their combinations the shares of its own states.

    The rows of `table` enumerate the parents' states, last parent fastest. With the two default states a row may be one
    number, the share of true.
    """

    states: Annotated[Names, Field(min_length=2)] = ("true", "false")
    parents: Names = ()
    table: Annotated[tuple[tuple[Probability, ...], ...], Field(min_length=1)]

    @field_validator("table", mode="before")
    @classmethod
    def _numbers_are_shares_of_true(cls, rows: Any) -> Any:
        rows = rows if isinstance(rows, list) else [rows]
        return [[row, 1 - row] if isinstance(row, int | float) else row for row in rows]

    @model_validator(mode="after")
    def _rows_are_distributions(self) -> Self:
        for number, row in enumerate(self.table):
            if len(row) != len(self.states):
                raise ValueError(f"row {number} has {len(row)} numbers for {len(self.states)} states")
            if abs(sum(row) - 1) > SCALE:
                raise ValueError(f"row {number} sums to {sum(row):g}, not to 1")
        return self


class BayesianNetwork(ReasoningProblem):
    """A Bayesian network, the observations, and the queried variables (default: all others)."""

    kind: Literal["network"] = "network"
    nodes: Annotated[Mapping[Name, NetworkNode], Field(min_length=1)]
    evidence: Mapping[Name, Name] = {}
    query: tuple[Name, ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "network",
        "nodes": {
            "burglary": {"table": [0.001]},
            "earthquake": {"table": [0.002]},
            "alarm": {"parents": ["burglary", "earthquake"], "table": [0.95, 0.94, 0.29, 0.001]},
            "john calls": {"parents": ["alarm"], "table": [0.9, 0.05]},
            "mary calls": {"parents": ["alarm"], "table": [0.7, 0.01]},
        },
        "evidence": {"john calls": "true", "mary calls": "true"},
        "query": ["burglary"],
    }

    @model_validator(mode="after")
    def _is_a_network(self) -> Self:
        for name, node in self.nodes.items():
            if strange := [one for one in node.parents if one not in self.nodes]:
                raise ValueError(f"{name!r} has the parent {strange[0]!r}, which is not a node")
            rows = prod(len(self.nodes[one].states) for one in node.parents)
            if len(node.table) != rows:
                msg = f"{name!r} needs {rows} rows, one for each combination of its parents' states; it has "
                raise ValueError(msg + str(len(node.table)))
        self.order()
        _known_states({name: node.states for name, node in self.nodes.items()}, self.evidence, self.query)
        return self

    def order(self) -> tuple[str, ...]:
        """Return the nodes, parents first. Raises `ValueError` with a node on a cycle."""
        place = {name: number for number, name in enumerate(self.nodes)}
        return tuple(parents_first({name: node.parents for name, node in self.nodes.items()}, place.__getitem__))

    @property
    def asked(self) -> tuple[str, ...]:
        """The queried variables."""
        return self.query or tuple(name for name in self.nodes if name not in self.evidence)


class Table(ProblemPart):
    """A table of weights over some variables; `values` enumerate their states, last variable fastest."""

    over: Annotated[Names, Field(min_length=1)]
    values: Annotated[tuple[Weight, ...], Field(max_length=LARGEST_TABLE)]


class FactorGraph(ReasoningProblem):
    """Variables with their states, weight tables over them, the observations, and the queried variables."""

    kind: Literal["factors"] = "factors"
    variables: Annotated[Mapping[Name, Annotated[Names, Field(min_length=1)]], Field(min_length=1)]
    tables: tuple[Table, ...]
    evidence: Mapping[Name, Name] = {}
    query: tuple[Name, ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "factors",
        "variables": {"a": ["0", "1"], "b": ["0", "1"]},
        "tables": [{"over": ["a", "b"], "values": [3, 1, 1, 3]}, {"over": ["a"], "values": [1, 2]}],
        "query": ["b"],
    }

    @model_validator(mode="after")
    def _tables_fit(self) -> Self:
        for number, table in enumerate(self.tables):
            if strange := [one for one in table.over if one not in self.variables]:
                raise ValueError(f"table {number} is over {strange[0]!r}, which is not a variable")
            cells = prod(len(self.variables[one]) for one in table.over)
            if len(table.values) != cells:
                raise ValueError(f"table {number} has {len(table.values)} values for {cells} cells")
        _known_states(self.variables, self.evidence, self.query)
        return self

    @property
    def asked(self) -> tuple[str, ...]:
        """The queried variables."""
        return self.query or tuple(name for name in self.variables if name not in self.evidence)


def _known_states(states: Mapping[str, tuple[str, ...]], evidence: Mapping[str, str], query: tuple[str, ...]) -> None:
    """Raise `ValueError` if the evidence or the query has unknown names or states."""
    for name in (*evidence, *query):
        if name not in states:
            raise ValueError(f"{name!r} is not a variable; there are {', '.join(sorted(states)[:9])}")
    for name, state in evidence.items():
        if state not in states[name]:
            raise ValueError(f"{name!r} has no state {state!r}; it has {', '.join(states[name])}")
    if twice := sorted(set(evidence) & set(query)):
        raise ValueError(f"{twice[0]!r} is both observed and in the question")


def marginal_claims(marginals: Mapping[str, Mapping[str, float]]) -> tuple[AnswerClaim, ...]:
    """Return the claim that each variable is in its most probable state."""
    return tuple(
        AnswerClaim(name, "is", max(shares, key=lambda state: shares[state]), tuple(shares.items()))
        for name, shares in marginals.items()
    )


def first_marginals(claims: Sequence[AnswerClaim], digits: str) -> str:
    """Return the first claims in words, each with its state's probability."""
    return "; ".join(f"{one.subject} {one.value}: {max(p for _, p in one.distribution):{digits}}" for one in claims[:4])
