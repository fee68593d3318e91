"""A request in a message: its kind, its operation, slots that remember their words, and checks over records.

DESIGN: a message becomes requests, an order becomes a goal with an acceptance check, and a reply is built from claims.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from mabos.workspace.records import Document, record

SpeechAct = Literal[
    "order", "question", "standing", "correction", "withdrawal", "report", "answer", "small_talk", "unclear"
]
"""The act of a sentence: `standing` is a rule or a duty from now on, `answer` answers the agent's question."""

Meaning = Literal["", "exactly", "at most", "at least", "about"]

RequestStatus = Literal["open", "asking", "underway", "done", "refused", "failed", "withdrawn", "answered", "standing"]
"""`open` is to be taken up, `asking` waits for its sender, `underway` has a goal, `standing` is a rule in force."""

OPEN: tuple[RequestStatus, ...] = ("open", "asking", "underway", "standing")


@dataclass(frozen=True, slots=True)
class Slot:
    """A value that a request gives, with its words: an argument of the operation, or a general one as `deadline`.

    `value` is JSON: a number in the unit of the argument, an ISO date, a name, or a selector over records such as
    `{"records": "contacts", "where": {"tags": "customer"}, "order": "-revenue_usd", "limit": 10}`.
    """

    name: str
    value: Any
    words: str = ""
    meaning: Meaning = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """The request in one sentence of a message; `missing` names the slots that it still needs.

    `refers_to` is the id of an earlier request that is corrected, withdrawn or answered. `confidence` is the
    probability, 0 to 1, that act, operation and slots are all right.
    """

    act: SpeechAct
    sentence: str
    operation: str = ""
    slots: tuple[Slot, ...] = ()
    missing: tuple[str, ...] = ()
    refers_to: str = ""
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Check:
    """An acceptance check: a number of records of a section have these values.

    `where` maps a field to a value, or to an object with `min`, `max`, `in`, `all` (of a list), `contains` (part of a
    text, whatever its case) or `not`. Its key `made_by`, with the id of a plan, keeps the records that the plan's calls
    made. `minimum` and `maximum` bound the number of matching records.
    """

    section: str
    where: Mapping[str, Any] = field(default_factory=dict)
    minimum: int = 1
    maximum: int | None = None
    note: str = ""


@record(
    Document("requests.json", ("requests",)),
    "requests",
    noun="request",
    optional=(
        "operation", "slots", "missing", "refers_to", "checks", "goal_id", "question", "reason", "replied",
        "wanted_by", "data",
    ),
)  # fmt: skip
@dataclass(frozen=True, slots=True)
class Request:
    """A request of somebody to an agent, and its outcome (`agents/<id>/requests.json`).

    `sentence` has the words, `message_id` says where they stand. `question` is what the agent asked back, `missing`
    the slots it asked for. `checks` decide whether an order is done; `goal_id` is the goal that carries it. `data` is
    what the handler of the operation keeps, as the day of the next report.
    """

    id: str
    message_id: str
    sender: str
    act: SpeechAct
    sentence: str = ""
    operation: str = ""
    slots: tuple[Slot, ...] = ()
    missing: tuple[str, ...] = ()
    refers_to: str = ""
    confidence: float = 1.0
    status: RequestStatus = "open"
    checks: tuple[Check, ...] = ()
    goal_id: str = ""
    question: str = ""
    reason: str = ""
    replied: str = ""
    wanted_by: str = ""
    created_at: str = ""
    updated_at: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Return whether it is still open."""
        return self.status in OPEN

    def slot(self, name: str, default: Any = None) -> Any:
        """Return the value of a slot, or `default`."""
        return next((one.value for one in self.slots if one.name == name), default)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement in a reply: a field of a record, its value, and the time it was read (ISO 8601)."""

    record: str
    field: str
    value: Any
    as_of: str = ""

    def __hash__(self) -> int:
        return hash((self.record, self.field, self.as_of, repr(self.value)))  # a value may be a mapping
