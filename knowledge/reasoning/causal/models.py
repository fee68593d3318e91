"""Problems of cause and effect: a graph alone, a model with tables or observed counts, and structural equations."""

from collections.abc import Mapping
from functools import cached_property
from math import prod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.experience.problems import identifier
from mabos.knowledge.reasoning.kernels.graphs import Graph, graph
from mabos.knowledge.reasoning.probabilistic.networks import Node, Table
from mabos.knowledge.reasoning.problem import Finite, Name, Names, Part, Probability, Problem, summing_to_one
from mabos.workspace.expressions import Expression

Arrow = tuple[Name, Name]


class Separation(Part):
    """Whether two variables are independent given others."""

    one: Name
    other: Name
    given: tuple[Name, ...] = ()


class CausalGraph(Problem):
    """Arrows from causes to effects, and what is asked: whether an effect can be read off observations, and how.

    `latent` variables are never observed; `confounded` pairs have an unobserved common cause. `adjust` are sets whose
    use is to be judged, `independent` are independences to be decided.
    """

    kind: Literal["causal_graph"] = "causal_graph"
    arrows: Annotated[tuple[Arrow, ...], Field(max_length=2_000)]
    variables: tuple[Name, ...] = ()
    latent: Names = ()
    confounded: tuple[Arrow, ...] = ()
    treatment: Name | None = None
    outcome: Name | None = None
    adjust: tuple[tuple[Name, ...], ...] = ()
    independent: tuple[Separation, ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "causal_graph",
        "arrows": [["genotype", "smoking"], ["genotype", "cancer"], ["smoking", "tar"], ["tar", "cancer"]],
        "latent": ["genotype"],
        "treatment": "smoking",
        "outcome": "cancer",
    }

    @model_validator(mode="after")
    def _is_a_graph(self) -> Self:
        if (self.treatment is None) != (self.outcome is None):
            raise ValueError("give treatment and outcome together")
        if self.treatment is None and not self.independent:
            raise ValueError("ask for a treatment and its outcome, or for independences")
        known = set(self.graph().nodes)
        asked = [name for one in self.independent for name in (one.one, one.other, *one.given)]
        asked += [name for name in (self.treatment, self.outcome) if name]
        asked += [name for pair in self.confounded for name in pair]
        _known([*asked, *self.latent, *(name for one in self.adjust for name in one)], known)
        _apart(self.treatment, self.outcome, self.latent)
        return self

    def graph(self) -> Graph:
        """Return all of the graph, latent variables included. Raises `ValueError` for a cycle."""
        return graph(self.variables, self.arrows, self.confounded)


class Variable(Node):
    """A variable: its states, its parents and, where it is known, its table as in a Bayesian network."""

    table: tuple[tuple[Probability, ...], ...] = ()


class CausalModel(Problem):
    """Variables with their causes, and what is known of them: every table, or the counts of observed cases.

    `counts` are over the variables that were observed; all others are then latent, and `confounded` pairs have an
    unobserved common cause beside. `trial` has the shares of the outcome's states by the treatment's, where treatment
    was set at random. The contrast is between two states of the treatment (left out: its first two), the `event` a
    state of the outcome (left out: its first). `hold` sets other variables from outside; `within` are the cases meant.
    """

    kind: Literal["causal_model"] = "causal_model"
    variables: Annotated[Mapping[Name, Variable], Field(min_length=2)]
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
            _known(one.parents, self.variables)
            rows = prod(len(self.variables[parent].states) for parent in one.parents)
            if one.table and len(one.table) != rows:
                msg = f"{name!r} needs {rows} rows, one for each combination of its parents' states; it has "
                raise ValueError(msg + str(len(one.table)))
        _known([name for pair in self.confounded for name in pair], self.variables)
        self.graph()
        self._check_question()
        self._check_knowledge()
        return self

    def _check_question(self) -> None:
        _known([self.treatment, self.outcome, *self.hold, *self.within], self.variables)
        _apart(self.treatment, self.outcome, ())
        if self.treatment in self.hold or {self.outcome} & {*self.hold, *self.within}:
            raise ValueError("treatment and outcome are neither held nor among the cases meant")
        asked = [*self.hold.items(), *self.within.items(), *((self.treatment, one) for one in self.levels)]
        for name, state in [*asked, (self.outcome, self.happening)]:
            if state not in self.variables[name].states:
                msg = f"{name!r} has no state {state!r}; it has {', '.join(self.variables[name].states)}"
                raise ValueError(msg)
        after = sorted(self.graph().descendants([self.treatment]) & {*self.within})
        if after:
            msg = f"{after[0]!r} comes after the treatment; for what would have been in such cases give equations"
            raise ValueError(msg)
        if len(set(self.levels)) < 2:
            raise ValueError("the contrast is between two different states of the treatment")

    def _check_knowledge(self) -> None:
        if self.counts is None:
            bare = sorted(name for name, one in self.variables.items() if not one.table)
            if bare and not (self.trial and len(bare) == len(self.variables)):
                msg = f"{bare[0]!r} has no table; give every table, or the counts of observed cases"
                raise ValueError(msg)
            if self.confounded and not bare:
                raise ValueError("with tables, an unobserved common cause is a variable with a table of its own")
        else:
            _known([*self.counts.over], self.variables)
            hidden = {self.treatment, self.outcome, *self.hold, *self.within} - set(self.counts.over)
            if hidden:
                msg = f"{sorted(hidden)[0]!r} is asked about but not among what was observed"
                raise ValueError(msg)
            cells = prod(len(self.variables[name].states) for name in self.counts.over)
            if len(self.counts.values) != cells or not sum(self.counts.values):
                msg = f"counts have {len(self.counts.values)} values for {cells} cells, and some are above 0"
                raise ValueError(msg)
        for shares in self.trial.values():
            summing_to_one(shares, "the shares of a trial")
        for name, states in ((self.treatment, self.trial), *((self.outcome, one) for one in self.trial.values())):
            _known(list(states), self.variables[name].states)

    @property
    def levels(self) -> tuple[str, str]:
        """The two states of the treatment that are compared: with it and without it."""
        return self.contrast or (
            self.variables[self.treatment].states[0],
            self.variables[self.treatment].states[1],
        )

    @property
    def happening(self) -> str:
        """The state of the outcome whose probability is compared."""
        return self.event or self.variables[self.outcome].states[0]

    def graph(self) -> Graph:
        """Return the graph of all variables. Raises `ValueError` for a cycle."""
        arrows = [(parent, name) for name, one in self.variables.items() for parent in one.parents]
        return graph(self.variables, arrows, self.confounded)

    def seen(self, budget: Budget) -> Graph:
        """Return the graph of the variables that were observed, or have tables."""
        return self.graph() if self.counts is None else self.graph().observing(self.unseen, budget)

    @property
    def unseen(self) -> tuple[str, ...]:
        """The variables that were not observed."""
        seen = set(self.variables if self.counts is None else self.counts.over)
        return tuple(one for one in self.variables if one not in seen)


class Noise(Part):
    """The values something outside the model may take, and how probable each is."""

    values: Annotated[tuple[Finite, ...], Field(min_length=1)]
    shares: tuple[Probability, ...]

    @model_validator(mode="after")
    def _is_a_distribution(self) -> Self:
        if len(self.values) != len(self.shares) or len(set(self.values)) < len(self.values):
            raise ValueError("every value of a noise is there once and has a share")
        summing_to_one({str(value): share for value, share in zip(self.values, self.shares, strict=True)}, "shares")
        return self


class StructuralModel(Problem):
    """Equations that say how each thing comes about, from what is outside (`noise`) and from each other.

    A noise given as one number is 1 with that probability, else 0. An equation is arithmetic on names (blanks and
    hyphens as underscores); `min`, `max` and `1 - x` are and, or and not. `evidence` is what really happened; `do` is
    what is supposed instead. With a `treatment` the probabilities of necessity and sufficiency are told.
    """

    kind: Literal["structural_model"] = "structural_model"
    noise: Annotated[Mapping[Name, Noise], Field(min_length=1)]
    equations: Annotated[Mapping[Name, str], Field(min_length=1, max_length=1_000)]
    evidence: Mapping[Name, Finite] = {}
    do: Mapping[Name, Finite] = {}
    outcome: Name
    treatment: Name | None = None
    contrast: tuple[Finite, Finite] = (1.0, 0.0)
    event: Finite = 1.0

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "structural_model",
        "noise": {"order": 0.7, "nerves": 0.1},
        "equations": {
            "captain": "order",
            "rifleman a": "max(captain, nerves)",
            "rifleman b": "captain",
            "death": "max(rifleman_a, rifleman_b)",
        },
        "evidence": {"death": 1},
        "do": {"rifleman a": 0},
        "outcome": "death",
    }

    @field_validator("noise", mode="before")
    @classmethod
    def _numbers_are_shares_of_one(cls, noise: Any) -> Any:
        if not isinstance(noise, dict):
            return noise
        return {
            name: {"values": [1, 0], "shares": [one, 1 - one]} if isinstance(one, int | float) else one
            for name, one in noise.items()
        }

    @model_validator(mode="after")
    def _is_a_model(self) -> Self:
        names = [identifier(name) for name in (*self.noise, *self.equations)]
        if len(set(names)) < len(names):
            raise ValueError("two names read the same in an equation; every name is there once")
        known = [*self.noise, *self.equations]
        _known([*self.evidence, *self.do, self.outcome, *([self.treatment] if self.treatment else [])], known)
        if self.outcome in self.do or self.outcome == self.treatment or self.treatment in self.do:
            raise ValueError("what is asked about is not itself set")
        try:
            self.graph()
        except InvalidArgument as error:
            raise ValueError(error.message) from error
        return self

    @cached_property
    def parsed(self) -> dict[str, Expression]:
        """The equations by the names they define, as expressions over identifiers."""
        known = frozenset(identifier(name) for name in (*self.noise, *self.equations))
        return {name: Expression.of(text, known=known) for name, text in self.equations.items()}

    def graph(self) -> Graph:
        """Return which thing depends on which. Raises `ValueError` for a cycle."""
        named = {identifier(name): name for name in (*self.noise, *self.equations)}
        arrows = [(named[one], name) for name, equation in self.parsed.items() for one in sorted(equation.names)]
        return graph((*self.noise, *self.equations), arrows)


def _known(names: list[str] | tuple[str, ...], known: Any) -> None:
    """Raise `ValueError` for the first name that is none."""
    for name in names:
        if name not in known:
            msg = f"{name!r} is not known; there are {', '.join(sorted(known)[:9])}"
            raise ValueError(msg)


def _apart(treatment: str | None, outcome: str | None, latent: tuple[str, ...]) -> None:
    if treatment is not None and treatment == outcome:
        raise ValueError("treatment and outcome are two different variables")
    for name in (treatment, outcome):
        if name in latent:
            msg = f"{name!r} is latent; an effect is asked of what can be observed"
            raise ValueError(msg)
