"""Choice problems: acts and states, decision trees, lotteries, and multi-criteria options."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.knowledge.reasoning.problem import (
    SCALE,
    Finite,
    Name,
    Probability,
    ProblemPart,
    ReasoningProblem,
    Weight,
    summing_to_one,
)


class Utility(ProblemPart):
    """A utility function of the decision maker. `parameter` is the risk aversion of crra and cara.

    `points` are amounts with their utility, piecewise linear and increasing.
    """

    form: Literal["linear", "crra", "cara", "piecewise"] = "linear"
    parameter: Finite = 1.0
    wealth: Finite = 0.0
    points: tuple[tuple[Finite, Finite], ...] = ()

    @model_validator(mode="after")
    def _is_well_formed(self) -> Self:
        if self.form == "piecewise":
            rising = all(a < c and b <= d for (a, b), (c, d) in zip(self.points, self.points[1:], strict=False))
            if len(self.points) < 2 or not rising:
                raise ValueError("a piecewise utility needs at least two points that rise in both amount and worth")
        if self.form == "cara" and self.parameter == 0:
            raise ValueError("cara with parameter 0 is linear; use linear")
        return self


class DecisionTable(ReasoningProblem):
    """The payoff of each act in each state of the world. Without `probabilities` it is a decision under ignorance.

    `signals` are the probabilities of observations in each state, for the value of observing first. `aspiration` is a
    sufficient payoff. `optimism` is Hurwicz's, 0 to 1.
    """

    kind: Literal["decision"] = "decision"
    payoffs: Annotated[Mapping[Name, Annotated[Mapping[Name, Finite], Field(min_length=1)]], Field(min_length=1)]
    probabilities: Mapping[Name, Probability] = {}
    signals: Mapping[Name, Mapping[Name, Probability]] = {}
    utility: Utility = Utility()
    aspiration: Finite | None = None
    optimism: Probability = 0.5

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "decision",
        "payoffs": {
            "build large": {"demand high": 200, "demand low": -180},
            "build small": {"demand high": 100, "demand low": -20},
            "do nothing": {"demand high": 0, "demand low": 0},
        },
        "probabilities": {"demand high": 0.5, "demand low": 0.5},
    }

    @field_validator("probabilities")
    @classmethod
    def _sum_to_one(cls, shares: Mapping[str, float]) -> Mapping[str, float]:
        return summing_to_one(shares, "the probabilities") if shares else shares

    @model_validator(mode="after")
    def _same_states_everywhere(self) -> Self:
        states = set(self.states)
        tables = [*self.payoffs.items(), *([("probabilities", self.probabilities)] if self.probabilities else [])]
        for name, row in (*tables, *self.signals.items()):
            if set(row) != states:
                odd = sorted(set(row) ^ states)[0]
                msg = f"{name!r} and {next(iter(self.payoffs))!r} differ in the state {odd!r}; every row names them all"
                raise ValueError(msg)
        for state in self.states if self.signals else ():
            total = sum(row[state] for row in self.signals.values())
            if abs(total - 1) > SCALE:
                raise ValueError(f"the signals in state {state!r} sum to {total:g}, not to 1")
        return self

    @property
    def states(self) -> tuple[str, ...]:
        """The states of the world, in the order of the first act."""
        return tuple(next(iter(self.payoffs.values())))


class ChanceBranch(ProblemPart):
    """One outcome of chance and what follows."""

    p: Probability
    then: "DecisionNode"
    name: str = ""


class DecisionNode(ProblemPart):
    """A node: a `payoff`, a `decide` between named acts, or a `chance` of outcomes."""

    payoff: Finite | None = None
    decide: Mapping[Name, "DecisionNode"] = {}
    chance: tuple[ChanceBranch, ...] = ()

    @model_validator(mode="after")
    def _is_one_of_three(self) -> Self:
        if (self.payoff is not None) + bool(self.decide) + bool(self.chance) != 1:
            raise ValueError("a node of a tree must be a payoff, a choice of acts, or outcomes of chance")
        if self.chance and abs(sum(one.p for one in self.chance) - 1) > SCALE:
            raise ValueError(f"the outcomes of chance sum to {sum(one.p for one in self.chance):g}, not to 1")
        if len(self.inner()) != len(self.decide) + len(self.chance):
            raise ValueError("two outcomes of chance have the same name")
        return self

    def inner(self) -> dict[str, "DecisionNode"]:
        """Return the child nodes, by the act or outcome that leads to them."""
        outcomes = {one.name or f"outcome {number}": one.then for number, one in enumerate(self.chance, 1)}
        return {**self.decide, **outcomes}


class DecisionTree(ReasoningProblem):
    """Decisions and chance events in order."""

    kind: Literal["decision_tree"] = "decision_tree"
    tree: DecisionNode
    utility: Utility = Utility()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "decision_tree",
        "tree": {
            "decide": {
                "launch": {"chance": [{"p": 0.6, "then": {"payoff": 100}}, {"p": 0.4, "then": {"payoff": -50}}]},
                "wait": {"payoff": 20},
            }
        },
    }


class Prize(ProblemPart):
    """An amount and its probability."""

    p: Probability
    value: Finite


class Lotteries(ReasoningProblem):
    """Lotteries to choose between. `stated` are pairs whose first was preferred: does any utility agree?"""

    kind: Literal["lotteries"] = "lotteries"
    lotteries: Annotated[Mapping[Name, Annotated[tuple[Prize, ...], Field(min_length=1)]], Field(min_length=1)]
    utility: Utility = Utility()
    stated: tuple[tuple[Name, Name], ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "lotteries",
        "lotteries": {
            "1A": [{"p": 1, "value": 1000000}],
            "1B": [{"p": 0.89, "value": 1000000}, {"p": 0.01, "value": 0}, {"p": 0.1, "value": 5000000}],
        },
        "utility": {"form": "crra", "parameter": 0.5},
    }

    @model_validator(mode="after")
    def _are_lotteries(self) -> Self:
        for name, prizes in self.lotteries.items():
            total = sum(one.p for one in prizes)
            if abs(total - 1) > SCALE:
                raise ValueError(f"the chances of {name!r} sum to {total:g}, not to 1")
        if strange := sorted({name for pair in self.stated for name in pair} - set(self.lotteries)):
            raise ValueError(f"{strange[0]!r} is preferred but is not a lottery")
        return self


class Criterion(ProblemPart):
    """A criterion for judging options: its weight, whether more is better, and a sufficient value.

    `validity` is how often it points the right way (for heuristics), by default the weight.
    """

    weight: Weight = 1.0
    more_is_better: bool = True
    aspiration: Finite | None = None
    validity: Probability | None = None


class CriteriaChoice(ReasoningProblem):
    """Options judged by several criteria; missing values are unknown."""

    kind: Literal["choice"] = "choice"
    options: Annotated[Mapping[Name, Mapping[Name, Finite]], Field(min_length=1)]
    criteria: Annotated[Mapping[Name, Criterion], Field(min_length=1)]
    recognised: tuple[Name, ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "choice",
        "options": {"vendor a": {"price": 100, "quality": 0.9}, "vendor b": {"price": 80, "quality": 0.7}},
        "criteria": {"price": {"weight": 0.4, "more_is_better": False}, "quality": {"weight": 0.6, "aspiration": 0.8}},
    }

    @model_validator(mode="after")
    def _judged_by_known_criteria(self) -> Self:
        for name, values in self.options.items():
            strange = sorted(set(values) - set(self.criteria))
            if strange:
                raise ValueError(f"{name!r} has a value for {strange[0]!r}, which is not a criterion")
        strange = sorted(set(self.recognised) - set(self.options))
        if strange:
            raise ValueError(f"{strange[0]!r} is recognised but is not an option")
        return self
