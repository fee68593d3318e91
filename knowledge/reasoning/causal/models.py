"""The problem of a causal model: variables with tables, or with counts of observed cases."""

from collections.abc import Mapping
from math import prod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.kernels.graphs import CausalDiagram, graph
from mabos.knowledge.reasoning.probabilistic.networks import NetworkNode, Table
from mabos.knowledge.reasoning.problem import Name, Probability, ReasoningProblem, summing_to_one

Arrow = tuple[Name, Name]


class CausalVariable(NetworkNode):
    """A variable: its states, its parents and, if known, its table as in a Bayesian network."""

    table: tuple[tuple[Probability, ...], ...] = ()


class CausalModel(ReasoningProblem):
    """Variables with their causes, and data: every table, or the counts of observed cases.

    `counts` are over the observed variables; all others are then latent, and `confounded` pairs also have an unobserved
    common cause. `trial` has the shares of the outcome's states by the treatment's from a randomised trial. The
    contrast is between two states of the treatment (left out: its first two), the `event` a state of the outcome (left
    out: its first). `hold` fixes other variables from outside; `within` selects the cases.
    """

    kind: Literal["causal_model"] = "causal_model"
    variables: Annotated[Mapping[Name, CausalVariable], Field(min_length=2)]
    confounded: tuple[Arrow, ...] = ()
    counts: Table | None = None
    trial: Mapping[Name, Mapping[Name, Probability]] = {}
    treatment: Name
    outcome: Name
    contrast: tuple[Name, Name] | None = None
    event: Name | None = None
    hold: Mapping[Name, Name] = {}
    within: Mapping[Name, Name] = {}
    monotonic: bool = False

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "causal_model",
        "variables": {
            "stones": {"states": ["small", "large"]},
            "treatment": {"states": ["open", "closed"], "parents": ["stones"]},
            "cured": {"parents": ["stones", "treatment"]},
        },
        "counts": {"over": ["stones", "treatment", "cured"], "values": [81, 6, 234, 36, 192, 71, 55, 25]},
        "treatment": "treatment",
        "outcome": "cured",
    }

    @model_validator(mode="after")
    def _is_a_model(self) -> Self:
        for name, one in self.variables.items():
            check_known(one.parents, self.variables)
            rows = prod(len(self.variables[parent].states) for parent in one.parents)
            if one.table and len(one.table) != rows:
                msg = f"{name!r} needs {rows} rows, one for each combination of its parents' states; it has "
                raise ValueError(msg + str(len(one.table)))
        check_known([name for pair in self.confounded for name in pair], self.variables)
        self.graph()
        self._check_question()
        self._check_knowledge()
        return self

    def _check_question(self) -> None:
        check_known([self.treatment, self.outcome, *self.hold, *self.within], self.variables)
        check_apart(self.treatment, self.outcome, ())
        if self.treatment in self.hold or {self.outcome} & {*self.hold, *self.within}:
            raise ValueError("treatment and outcome may not be held fixed or select the cases")
        asked = [*self.hold.items(), *self.within.items(), *((self.treatment, one) for one in self.levels)]
        for name, state in [*asked, (self.outcome, self.happening)]:
            if state not in self.variables[name].states:
                raise ValueError(f"{name!r} has no state {state!r}; it has {', '.join(self.variables[name].states)}")
        if after := sorted(self.graph().descendants([self.treatment]) & {*self.within}):
            msg = f"{after[0]!r} comes after the treatment; for what would have been in such cases give equations"
            raise ValueError(msg)
        if len(set(self.levels)) < 2:
            raise ValueError("the contrast must name two different states of the treatment")

    def _check_knowledge(self) -> None:
        if self.counts is None:
            bare = sorted(name for name, one in self.variables.items() if not one.table)
            if bare and not (self.trial and len(bare) == len(self.variables)):
                raise ValueError(f"{bare[0]!r} has no table; give every table, or the counts of observed cases")
            if self.confounded and not bare:
                raise ValueError("with tables, give an unobserved common cause as a variable with its own table")
        else:
            check_known([*self.counts.over], self.variables)
            if hidden := {self.treatment, self.outcome, *self.hold, *self.within} - set(self.counts.over):
                raise ValueError(f"{sorted(hidden)[0]!r} is in the question but was not observed")
            cells = prod(len(self.variables[name].states) for name in self.counts.over)
            if len(self.counts.values) != cells or not sum(self.counts.values):
                msg = f"counts have {len(self.counts.values)} values for {cells} cells, and some are above 0"
                raise ValueError(msg)
        for shares in self.trial.values():
            summing_to_one(shares, "the shares of a trial")
        for name, states in ((self.treatment, self.trial), *((self.outcome, one) for one in self.trial.values())):
            check_known(list(states), self.variables[name].states)

    @property
    def levels(self) -> tuple[str, str]:
        """The two compared states of the treatment: with and without it."""
        return self.contrast or (self.variables[self.treatment].states[0], self.variables[self.treatment].states[1])

    @property
    def happening(self) -> str:
        """The state of the outcome whose probability is compared."""
        return self.event or self.variables[self.outcome].states[0]

    def graph(self) -> CausalDiagram:
        """Return the graph of all variables. Raises `ValueError` for a cycle."""
        arrows = [(parent, name) for name, one in self.variables.items() for parent in one.parents]
        return graph(self.variables, arrows, self.confounded)

    def seen(self, budget: Budget) -> CausalDiagram:
        """Return the graph of the variables that are observed or have tables."""
        return self.graph() if self.counts is None else self.graph().observing(self.unseen, budget)

    @property
    def unseen(self) -> tuple[str, ...]:
        """The unobserved variables."""
        seen = set(self.variables if self.counts is None else self.counts.over)
        return tuple(one for one in self.variables if one not in seen)


def check_known(names: list[str] | tuple[str, ...], known: Any) -> None:
    """Raise `ValueError` for the first unknown name."""
    for name in names:
        if name not in known:
            raise ValueError(f"{name!r} is not known; there are {', '.join(sorted(known)[:9])}")


def check_apart(treatment: str | None, outcome: str | None, latent: tuple[str, ...]) -> None:
    """Raise `ValueError` if treatment and outcome are the same, or unobservable."""
    if treatment is not None and treatment == outcome:
        raise ValueError("treatment and outcome must be different variables")
    for name in (treatment, outcome):
        if name in latent:
            raise ValueError(f"{name!r} is latent; ask about the effect on an observed variable")
