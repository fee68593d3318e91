"""The problems of the methods of experience."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.problem import Finite, Name, Part, Probability, Problem, each_once
from mabos.workspace.expressions import Expression

Situation = tuple[Name, ...] | Mapping[Name, str | float | None]
"""Names of beliefs or desires, or names with values."""


class Episode(Part):
    """A past case: what was believed and wanted, what was done, and how well it went, 0 to 1."""

    id: Name
    beliefs: Situation = ()
    desires: Situation = ()
    solution: Mapping[Name, str | Finite] = {}
    outcome: Probability


class CaseQuery(Problem):
    """The present, past cases, and how a number of the best case's solution is adapted.

    `adapt` gives for a field of the solution an expression over `solution_<field>`, and over the numbers of the
    present's and the case's beliefs as `now_<name>` and `then_<name>`.
    """

    kind: Literal["cases"] = "cases"
    beliefs: Situation = ()
    desires: Situation = ()
    cases: Annotated[tuple[Episode, ...], Field(min_length=1, max_length=20_000)]
    nearest: Annotated[int, Field(ge=1, le=100)] = 3
    adapt: Mapping[Name, str] = {}

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "cases",
        "beliefs": {"churn": "8%", "segment": "small"},
        "desires": ["retain customers"],
        "cases": [
            {
                "id": "C-1",
                "beliefs": {"churn": "9%", "segment": "small"},
                "desires": ["retain customers"],
                "solution": {"action": "discount", "percent": 10},
                "outcome": 1,
            }
        ],
    }

    @field_validator("cases")
    @classmethod
    def _once_each(cls, cases: tuple[Episode, ...]) -> tuple[Episode, ...]:
        """A case that is there twice would count twice."""
        each_once(tuple(one.id for one in cases))
        return cases


class Series(Problem):
    """A figure over time, oldest first. `period` is the length of a season, where one is known."""

    kind: Literal["series"] = "series"
    values: Annotated[tuple[Finite, ...], Field(min_length=4, max_length=100_000)]
    period: Annotated[int, Field(ge=2)] | None = None
    name: Name = "the figure"

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "series",
        "name": "monthly churn",
        "values": [2.1, 2.2, 2.1, 2.3, 2.4, 2.4, 2.6, 2.7, 9.0, 2.9],
    }


class Transactions(Problem):
    """Sets of things that occurred together, and how often a pattern must occur and hold to be told."""

    kind: Literal["transactions"] = "transactions"
    transactions: Annotated[tuple[Annotated[frozenset[Name], Field(max_length=100)], ...], Field(min_length=1)]
    support: Annotated[float, Field(gt=0, le=1)] = 0.1
    confidence: Probability = 0.5

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "transactions",
        "transactions": [["bread", "milk"], ["bread", "nappies", "beer"], ["milk", "nappies", "beer"]],
        "support": 0.5,
    }


class Stream(Problem):
    """Options that come one by one and are gone when passed over: when to stop.

    `count` is how many will come; `values` are those seen, in order. What is known beforehand: nothing but ranks, or
    that values are spread evenly from `low` to `high`.
    """

    kind: Literal["stream"] = "stream"
    count: Annotated[int, Field(ge=1, le=100_000)]
    values: tuple[Finite, ...] = ()
    known: Literal["ranks", "uniform"] = "ranks"
    low: Finite = 0.0
    high: Finite = 1.0

    example: ClassVar[Mapping[str, Any]] = {"kind": "stream", "count": 10, "values": [3, 9, 4, 7, 11]}

    @model_validator(mode="after")
    def _is_a_stream(self) -> Self:
        if len(self.values) > self.count:
            msg = f"{len(self.values)} values of {self.count} cannot have been seen"
            raise ValueError(msg)
        if self.low >= self.high:
            raise ValueError("low is below high")
        return self


class Prototype(Part):
    """A kind of situation: its cues, what is to be expected in it, and what one does, most usual first."""

    name: Name
    cues: Mapping[Name, str | float]
    expectancies: Mapping[Name, str | float] = {}
    actions: Annotated[tuple[Name, ...], Field(min_length=1)]


class Action(Part):
    """What an action does to the figures: an expression over them for each it changes."""

    effects: Mapping[Name, str] = {}


class Familiar(Problem):
    """Cues of the present, prototypes to recognise it by, and what actions do, imagined before one is taken.

    An action will do if every expression of `acceptable` holds over the `figures` as it leaves them.
    """

    kind: Literal["situation"] = "situation"
    cues: Annotated[Mapping[Name, str | float], Field(min_length=1)]
    observed: Mapping[Name, str | float] = {}
    prototypes: Annotated[tuple[Prototype, ...], Field(min_length=1)]
    figures: Mapping[Name, Finite] = {}
    actions: Mapping[Name, Action] = {}
    acceptable: tuple[str, ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "situation",
        "cues": {"floor": "hot", "sound": "muffled"},
        "prototypes": [
            {"name": "kitchen fire", "cues": {"floor": "cool", "sound": "loud"}, "actions": ["spray water"]},
            {"name": "basement fire", "cues": {"floor": "hot", "sound": "muffled"}, "actions": ["withdraw"]},
        ],
        "figures": {"crew at risk": 4},
        "actions": {"withdraw": {"effects": {}}},
    }

    @model_validator(mode="after")
    def _expressions_read(self) -> Self:
        known = frozenset(identifier(name) for name in self.figures)
        try:
            for text in (
                *self.acceptable,
                *(one for action in self.actions.values() for one in action.effects.values()),
            ):
                Expression.of(text, known=known)
        except InvalidArgument as error:
            raise ValueError(error.message) from error
        strange = sorted({name for action in self.actions.values() for name in action.effects} - set(self.figures))
        if strange:
            msg = f"an action changes {strange[0]!r}, which is no figure"
            raise ValueError(msg)
        return self


def identifier(name: str) -> str:
    """Return how an expression writes the name of a figure: blanks and hyphens as underscores."""
    return name.replace(" ", "_").replace("-", "_")


PROBLEMS: Mapping[str, type[Problem]] = {
    "cases": CaseQuery,
    "series": Series,
    "transactions": Transactions,
    "stream": Stream,
    "situation": Familiar,
}
