"""Events of a conversation: phases, calls of operations, text of a model, requests for approval, and the reply."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from mabos.interfaces.actions import letter_of
from mabos.society.decisions import Decision
from mabos.tools.mail.preview import LetterPreview
from mabos.tools.runtime.services import Services

UNDONE: Final = ("REFUSE", "FAILURE", "NOT_UNDERSTOOD")
"""The wording of a reply that something was not done."""


@dataclass(frozen=True, slots=True)
class PhaseEvent:
    """The end of a phase of a cycle; `noted` is the phase's own report."""

    kind: Literal["phase"] = field(default="phase", init=False)
    agent_id: str
    phase: str
    noted: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the event as JSON."""
        return {**asdict(self), "noted": dict(self.noted)}


@dataclass(frozen=True, slots=True)
class ToolEvent:
    """A call of an operation: done, failed, or waiting for an approval.

    `did` describes its action, `ref` names the record it created, `message` says why it failed. `reads` is true if it
    changes nothing. `is_own` is true if it was not requested but serves the agent's own goal.
    """

    kind: Literal["tool"] = field(default="tool", init=False)
    agent_id: str
    tool: str
    status: Literal["done", "failed", "waiting"]
    did: str
    ref: str = ""
    message: str = ""
    reads: bool = False
    is_own: bool = False
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the event as JSON."""
        return {**asdict(self), "arguments": dict(self.arguments)}


@dataclass(frozen=True, slots=True)
class TextEvent:
    """A piece of text as a chat model writes it. It is a draft: only the reply has passed the claim check."""

    kind: Literal["text"] = field(default="text", init=False)
    agent_id: str
    text: str

    def as_json(self) -> dict[str, Any]:
        """Return the event as JSON."""
        return {**asdict(self), "draft": True}


@dataclass(frozen=True, slots=True)
class ApprovalEvent:
    """An action that waits for the owner, with all arguments and the letter that it would send.

    `version` is that of the question: an answer that names it is refused if the question has changed since. `is_own` is
    true if the action was not requested: the agent proposes it.
    """

    kind: Literal["approval"] = field(default="approval", init=False)
    agent_id: str
    decision_id: str
    version: int
    subject: str
    cost_usd: float = 0.0
    reasons: tuple[str, ...] = ()
    options: tuple[Mapping[str, Any], ...] = ()
    recommendation: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    letter: LetterPreview | None = None
    is_own: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the event as JSON."""
        letter = {"letter": self.letter.as_json()} if self.letter is not None else {"letter": None}
        options = [dict(one) for one in self.options]
        return {**asdict(self), "reasons": list(self.reasons), "options": options, **letter}


@dataclass(frozen=True, slots=True)
class ChatReply:
    """An agent's reply: its text, the claims that support it, the calls made, and open approvals.

    `asks` is true if the agent asks back. `news` is further unsolicited text. `message_id` names the message it
    answers, `cycles` the cycles it took; `mabos why` explains each id. `text` is empty if no answer came: `failures`
    says why, and the message stays in the agent's inbox until it is answered.
    """

    kind: Literal["reply"] = field(default="reply", init=False)
    agent_id: str
    text: str
    claims: tuple[Mapping[str, Any], ...] = ()
    performative: str = ""
    news: tuple[str, ...] = ()
    did: tuple[ToolEvent, ...] = ()
    waits: tuple[ApprovalEvent, ...] = ()
    message_id: str = ""
    reply_ids: tuple[str, ...] = ()
    cycles: tuple[str, ...] = ()
    outcome: str = ""
    failures: tuple[str, ...] = ()
    chosen_because: str = ""

    @property
    def ok(self) -> bool:
        """Return whether there is an answer other than a refusal."""
        return bool(self.text or self.news) and self.performative not in UNDONE

    @property
    def asks(self) -> bool:
        """Return whether the agent asks something back."""
        return self.performative == "QUERY"

    def as_json(self) -> dict[str, Any]:
        """Return the reply as JSON."""
        lists = ("news", "reply_ids", "cycles", "failures")
        plain = {name: list(getattr(self, name)) for name in lists} | {"claims": [dict(one) for one in self.claims]}
        made = {name: [one.as_json() for one in getattr(self, name)] for name in ("did", "waits")}
        one_line = {name: getattr(self, name) for name in ("kind", "agent_id", "text", "performative", "message_id")}
        return {
            **one_line,
            **plain,
            **made,
            "outcome": self.outcome,
            "chosen_because": self.chosen_because,
            "asks": self.asks,
            "ok": self.ok,
        }


ChatEvent = PhaseEvent | ToolEvent | TextEvent | ApprovalEvent | ChatReply
"""The events of a conversation; the reply is the last."""


def approval_of(services: Services, decision: Decision, *, is_own: bool = False) -> ApprovalEvent:
    """Return a pending decision with its complete action."""
    action = decision.action or {"tool": "", "arguments": {}}
    return ApprovalEvent(
        agent_id=decision.from_agent,
        decision_id=decision.id,
        version=decision.version,
        subject=decision.subject,
        cost_usd=decision.cost,
        reasons=decision.reasons,
        options=decision.options,
        recommendation=decision.recommendation,
        tool=action["tool"],
        arguments=action["arguments"],
        letter=letter_of(services, decision),
        is_own=is_own,
    )
