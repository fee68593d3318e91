"""The results of a reader: the form of one method with a way to phrase its result, or the missing fields.

A reader is a function from a `Phrasing` and the agent's data to a `FilledForm`, a `MissingFields`, or None if the
question has another shape. It marks exactly the words that it uses.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from mabos.knowledge.reasoning.questions.wording import Phrasing
from mabos.knowledge.reasoning.result import MethodResult


@dataclass(frozen=True, slots=True)
class HeldSeries:
    """An agent's figure over time, oldest first, and its source for citations.

    `step` is its frequency: day, week, month, quarter or year, or "" if irregular. `last` is the day of the last value;
    without it a forecast starts from today.
    """

    name: str
    values: tuple[float, ...]
    source: str = ""
    step: str = "month"
    last: date | None = None


@dataclass(frozen=True, slots=True)
class HeldFact:
    """A fact or belief of the agent, with its id."""

    id: str
    subject: str
    predicate: str
    object: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Holdings:
    """An agent's records that may fill a form: figures by name, and facts; and its current day, for "next"."""

    series: Mapping[str, HeldSeries] = field(default_factory=dict)
    facts: tuple[HeldFact, ...] = ()
    today: date | None = None


NOTHING_HELD = Holdings()


@dataclass(frozen=True, slots=True)
class Upshot:
    """The answer to the question: a sentence, the choice or number, and its confidence.

    `changes` is what would change it, if the reader knows; else the figures are varied to find out. An empty sentence
    means that the result does not decide the question; `changes` then names the missing part.
    """

    sentence: str
    headline: str | float = ""
    confidence: float | None = None
    changes: str = ""


@dataclass(frozen=True, slots=True)
class FilledForm:
    """A method's completed form: the problem, the understanding of the question, and how to phrase the result."""

    method: str
    problem: Mapping[str, Any]
    echo: str
    conclude: Callable[[MethodResult[Any]], Upshot]
    cites: tuple[str, ...] = ()
    assumes: str = ""


@dataclass(frozen=True, slots=True)
class MissingFields:
    """The fields that a method needs and the question lacks. With `settles` no other reading is tried."""

    method: str
    fields: tuple[str, ...]
    understood: str = ""
    settles: bool = False


Reading = FilledForm | MissingFields | None
Reader = Callable[[Phrasing, Holdings], Reading]
