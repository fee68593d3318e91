"""The responses of a handler to a request: a reply, a question, a refusal, or steps with their checks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mabos.language.request import Check, Claim, Request, RequestStatus, Slot
from mabos.mind.model import Step
from mabos.tools.runtime.services import Agent


@dataclass(frozen=True, slots=True)
class Say:
    """A reply that settles the request; every figure and name in `text` is one of the `claims`."""

    text: str
    claims: tuple[Claim, ...] = ()
    status: RequestStatus = "answered"
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to the sender that names the missing data; the request waits for the answer."""

    question: str
    missing: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class Decline:
    """A refusal with its reason, and the nearest possible alternative."""

    reason: str
    nearest: str = ""
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class Do:
    """Steps that pass the gate, for a goal with these acceptance checks.

    `goal` describes the goal in the words of the request; `told` is a note for the immediate reply (an assumption that
    was made). A step without a tool is done by a person, who reports it; one may wait for a condition. With `replaces`,
    the earlier records of the request are ended after its steps.
    """

    goal: str
    steps: tuple[Step, ...]
    checks: tuple[Check, ...]
    deadline: str = ""
    target: str = ""
    told: str = ""
    claims: tuple[Claim, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    replaces: bool = True


@dataclass(frozen=True, slots=True)
class Amend:
    """A change of an earlier request: its slots are replaced, and it is taken up again before the steps in `after`.

    Its open questions are withdrawn before: none about the old values remains. `after` ends the records with the old
    values, once the new record is there.
    """

    request_id: str
    slots: tuple[Slot, ...]
    told: str
    after: tuple[Step, ...] = ()
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Withdraw:
    """A withdrawal of an earlier request: its open questions are withdrawn, and it is not carried out."""

    request_id: str
    told: str


@dataclass(frozen=True, slots=True)
class AbandonGoal:
    """The end of a goal that no request carries: the person no longer wants it."""

    goal_id: str
    told: str


@dataclass(frozen=True, slots=True)
class StepReport:
    """Steps reported as done by a person, by the id of their request; `statements` is the rest, to be believed."""

    done: Mapping[str, tuple[str, ...]]
    told: str = ""
    statements: tuple[str, ...] = ()


Response = Say | Ask | Decline | Do | Amend | Withdraw | AbandonGoal | StepReport
Handler = Callable[[Agent, Request], Response]
"""A handler's response to a request; it reads records and writes none."""
