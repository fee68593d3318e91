"""The meaning of an event for a company, as values for the caller to write."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mabos.society.metrics import MetricPoint


@dataclass(frozen=True, slots=True)
class AgentNotice:
    """A notice to an agent; it may adopt the `beliefs`, but prose is never believed."""

    role: str
    text: str
    priority: str = "normal"
    beliefs: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ReportedFact:
    """A fact for an agent: a subject, a predicate and an object."""

    role: str
    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Person:
    """A person now known to the company; empty fields are unknown."""

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
    """A possible sale from another system; None is unknown."""

    external_id: str
    title: str = ""
    value_usd: float | None = None
    stage: str = ""


@dataclass(frozen=True, slots=True)
class EventMeaning:
    """All results of one event; `records` are new records for the register, by section and id.

    `why_kept` is why nothing follows, so that the event is only stored.
    """

    facts: tuple[ReportedFact, ...] = ()
    points: tuple[MetricPoint, ...] = ()
    people: tuple[Person, ...] = ()
    sales: tuple[Sale, ...] = ()
    told: tuple[AgentNotice, ...] = ()
    records: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    why_kept: str = ""
