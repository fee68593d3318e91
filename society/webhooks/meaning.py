"""What an event means for a company, as values: whoever takes it in writes them down."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mabos.society.metrics import MetricPoint


@dataclass(frozen=True, slots=True)
class AgentNotice:
    """Something that an agent is told; `beliefs` are what it may hold true by it, and its prose never is."""

    role: str
    text: str
    priority: str = "normal"
    beliefs: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReportedFact:
    """A fact for an agent to hold: a subject, a predicate and an object."""

    role: str
    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody the company knows now; what is empty is not known."""

    email: str
    name: str = ""
    company: str = ""
    title: str = ""
    phone: str = ""
    source: str = ""
    tags: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sale:
    """Something that may be sold, as another system knows it; what is None is not known."""

    external_id: str
    title: str = ""
    value_usd: float | None = None
    stage: str = ""


@dataclass(frozen=True, slots=True)
class EventMeaning:
    """All that follows from one event; `records` are what the register must remember of it, by section and id.

    `why_kept` says why nothing follows: then the event is only kept.
    """

    facts: tuple[ReportedFact, ...] = ()
    points: tuple[MetricPoint, ...] = ()
    people: tuple[Person, ...] = ()
    sales: tuple[Sale, ...] = ()
    told: tuple[AgentNotice, ...] = ()
    records: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    why_kept: str = ""
