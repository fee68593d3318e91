"""The results of a reader: the form of one method with a way to phrase its result, or the missing fields.

A reader is a function from a `Phrasing` and the agent's data to a `FilledForm`, a `MissingFields`, or None where the
question is not of its shape. It marks the words that it uses, and nothing else.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from mabos.knowledge.reasoning.questions.wording import Phrasing
from mabos.knowledge.reasoning.result import MethodResult


@dataclass(frozen=True, slots=True)
class HeldSeries:
    """A figure that the agent holds over time, oldest first, and the source that a result cites.

    `step` is how often it comes: day, week, month, quarter or year, or "" where that is irregular. `last` is the day of
    the last value; None leaves it open, and a forecast then starts from today.
    """

    name: str
    values: tuple[float, ...]
    source: str = ""
    step: str = "month"
    last: date | None = None


@dataclass(frozen=True, slots=True)
class HeldFact:
    """A fact or belief that the agent holds, with its id."""

    id: str
    subject: str
    predicate: str
    object: str
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Holdings:
    """An agent's records that may fill a form: figures by name, and facts; and its day, from which "next" counts."""

    series: Mapping[str, HeldSeries] = field(default_factory=dict)
    facts: tuple[HeldFact, ...] = ()
    today: date | None = None


NOTHING_HELD = Holdings()


@dataclass(frozen=True, slots=True)
class Upshot:
    """The answer to the question: a sentence, the choice or number, and its confidence.

    `changes` is what would change it, where the reader knows; else the figures are varied to find out. An empty
    sentence means that the result does not decide the question; `changes` then says what is lacking.
    """

    sentence: str
    headline: str | float = ""
    confidence: float | None = None
    changes: str = ""


@dataclass(frozen=True, slots=True)
class FilledForm:
    """A method's form, filled: the problem, how the question was understood, and what to say of the result."""

    method: str
    problem: Mapping[str, Any]
    echo: str
    conclude: Callable[[MethodResult[Any]], Upshot]
    cites: tuple[str, ...] = ()
    assumes: str = ""


@dataclass(frozen=True, slots=True)
class MissingFields:
    """The fields that one method needs and the question lacks. With `settles` no other reading is tried."""

    method: str
    fields: tuple[str, ...]
    understood: str = ""
    settles: bool = False


Reading = FilledForm | MissingFields | None
Reader = Callable[[Phrasing, Holdings], Reading]
