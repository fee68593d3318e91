"""The protocol monitor: it runs a conversation through its protocol's table, and reports every violation.

A message that breaks a rule changes nothing: the conversation continues as if it had not been sent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from mabos.configs.errors import InvalidArgument
from mabos.society.messages import Message
from mabos.society.protocols.tables import ASKED, LATE, NEW, Act, Protocol, Role, protocol_named
from mabos.workspace.clock import parse_time

CANCELLED, UNCLEAR = "cancelled", "not understood"
_CANCEL, _NOT_UNDERSTOOD = "CANCEL", "NOT_UNDERSTOOD"
_RESULTS = ("INFORM", "FAILURE")
_ANYWHERE = frozenset({_CANCEL, _NOT_UNDERSTOOD})


@dataclass(frozen=True, slots=True)
class ProtocolViolation:
    """A message that violates its protocol: the broken rule, and the expected acts."""

    message_id: str
    rule: str
    said: str
    expected: str

    def __str__(self) -> str:
        return f"{self.said} ({self.rule}); expected {self.expected}"


@dataclass(slots=True)
class Exchange:
    """The state of a conversation between its initiator and one participant; `take` advances it by one message."""

    protocol: Protocol
    initiator: str
    participant: str
    state: str = NEW
    due: datetime | None = None
    cancels: bool = False
    said: dict[str, str] = field(default_factory=dict)
    acts: set[Act] = field(default_factory=set)
    strays: set[str] = field(default_factory=set)

    @property
    def is_over(self) -> bool:
        """Return whether only a "not understood" may follow the last message."""
        return self.state not in self.protocol.steps

    def is_expired(self, now: datetime) -> bool:
        """Return whether the opening message should have been answered before `now` and was not."""
        return self.state == ASKED and not self.cancels and self.due is not None and now > self.due

    def take(self, message: Message) -> ProtocolViolation | None:
        """Advance by a message; one that breaks a rule changes nothing and is returned with the rule."""
        found = self.fault(message)
        if found is None:
            self.move(message)
            return None
        self.strays.add(message.id)
        if found.rule == "deadline" and self.state == ASKED and LATE in self.protocol.steps:
            self.state = LATE if message.performative == "PROPOSE" else self.state
        return found

    def fault(self, message: Message) -> ProtocolViolation | None:
        """Return why a message is not allowed now, or None; changes nothing."""
        broken = self._find_violation(message)
        if broken is None:
            return None
        rule, why = broken
        said = f"{message.performative} {message.id} from {message.sender} to {message.to}: {why}"
        return ProtocolViolation(message.id, rule, said, self.expected())

    def expected(self) -> str:
        """Return in words which acts are allowed now, and from whom."""
        if self.cancels:
            return f"INFORM or FAILURE from {self.participant}, in answer to the CANCEL"
        acts = self.protocol.steps.get(self.state)
        if acts is None:
            return f"nothing more: the conversation is {self.state}"
        due = {name: [one for role, one in acts if self._role(name) == role] for name in self._parties()}
        told = [f"{' or '.join(said)} from {name}" for name, said in due.items() if said]
        by = f" by {self.due:%Y-%m-%dT%H:%M:%SZ}" if self.due and self.state == ASKED else ""
        return " or ".join(told) + by

    def _find_violation(self, message: Message) -> tuple[str, str] | None:
        """Return the rule a message breaks and why, or None."""
        found = self._foreign(message) or self._stray(message)
        if found is not None:
            return found
        if message.performative == _NOT_UNDERSTOOD:
            return self._unclear(message)
        if self.state == NEW:
            return self._opening(message)
        if self.is_over:
            return "ended", f"the conversation is {self.state}"
        return self._cancel(message) if self.cancels or message.performative == _CANCEL else self._step(message)

    def _foreign(self, message: Message) -> tuple[str, str] | None:
        """Return why a message belongs elsewhere."""
        if message.sender == message.to:
            return "self", "nobody talks to itself"
        pair = (message.sender, message.to)
        if pair != self._parties() and pair != self._parties()[::-1]:
            return "party", f"this is between {self.initiator} and {self.participant}"
        stated = message.protocol
        if stated and stated != self.protocol.name and protocol_named(stated) is not self.protocol:
            return "protocol", f"the conversation is a {self.protocol.name}, not a {message.protocol}"
        return None

    def _stray(self, message: Message) -> tuple[str, str] | None:
        """Return why a message fits nowhere in this conversation."""
        if message.id in self.said:
            return "id", "a message has this id already"
        told = not message.reply_to or message.reply_to in self.said or message.reply_to in self.strays
        if not told and self.state != NEW:
            return "reply", f"{message.reply_to} is not a message of this conversation"
        performative = message.performative
        known = performative in self.protocol.performatives or performative in _ANYWHERE
        if not known and not (self.cancels and performative in _RESULTS):
            return "act", f"there is no {performative} in a {self.protocol.name}"
        return None

    def _cancel(self, message: Message) -> tuple[str, str] | None:
        if self.cancels:
            answers = message.sender == self.participant and message.performative in _RESULTS
            return None if answers else ("cancel", "a CANCEL waits for its answer")
        if _CANCEL in self.protocol.openings:
            return "once", f"{message.sender} has said CANCEL already"
        return None if message.sender == self.initiator else ("turn", f"only {self.initiator}, who began, may cancel")

    def _unclear(self, message: Message) -> tuple[str, str] | None:
        if message.reply_to in self.strays:
            return None
        heard = {name for name in self.said.values() if name != message.sender}
        if not heard or self.said.get(message.reply_to) == message.sender:
            return "answer", "it has received nothing here that it could not understand"
        return ("ended", f"the conversation is {self.state}") if self.state == UNCLEAR else None

    def _opening(self, message: Message) -> tuple[str, str] | None:
        if self._act(message) not in self.protocol.steps[NEW]:
            return "opening", f"a {self.protocol.name} begins otherwise"
        try:
            early = message.reply_by and parse_time(message.reply_by) < parse_time(message.timestamp)
        except InvalidArgument:
            return "time", "its timestamp or reply_by is not a time"
        return ("deadline", "its answer was due before it was sent") if early else None

    def _step(self, message: Message) -> tuple[str, str] | None:
        role, performative = act = self._act(message)
        if act in self.protocol.steps[self.state]:
            return self._late(message)
        if act not in self.protocol.acts:
            return "turn", f"a {role} performs no {performative}"
        if act in self.acts:
            return "once", f"{message.sender} has said {performative} already"
        return "order", f"{performative} does not follow here"

    def _late(self, message: Message) -> tuple[str, str] | None:
        if self.state != ASKED or self.due is None:
            return None
        try:
            is_late = parse_time(message.timestamp) > self.due
        except InvalidArgument:
            return "time", "its timestamp is not a time"
        return ("deadline", f"answers were due by {self.due:%Y-%m-%dT%H:%M:%SZ}") if is_late else None

    def move(self, message: Message) -> None:
        """Advance by an allowed message."""
        about_stray = message.reply_to in self.strays
        self.said[message.id] = message.sender
        act = self._act(message)
        self.acts.add(act)
        if message.performative == _NOT_UNDERSTOOD:
            self.state = self.state if about_stray else UNCLEAR
        elif self.state == NEW:
            self.state = self.protocol.steps[NEW][act]
            self.due = parse_time(message.reply_by) if message.reply_by else None
        elif self.cancels:
            self.cancels = False  # after a FAILURE to cancel all goes on as before
            self.state = CANCELLED if message.performative == "INFORM" else self.state
        elif message.performative == _CANCEL:
            self.cancels = True
        else:
            self.state = self.protocol.steps[self.state][act]

    def _parties(self) -> tuple[str, str]:
        return self.initiator, self.participant

    def _role(self, name: str) -> Role:
        return "initiator" if name == self.initiator else "participant"

    def _act(self, message: Message) -> Act:
        return self._role(message.sender), message.performative


@dataclass(frozen=True, slots=True)
class Conversation:
    """A monitor's view of a conversation: its state with each participant, and every broken rule."""

    protocol: Protocol
    initiator: str
    sides: Mapping[str, Exchange]
    violations: tuple[ProtocolViolation, ...] = ()

    def state(self, participant: str) -> str:
        """Return the state of the conversation with a participant; `new` for one who was never addressed."""
        return self.sides[participant].state if participant in self.sides else NEW


def judge(messages: Sequence[Message], *, protocol: str = "") -> Conversation:
    """Return the state of a conversation after `messages`, in the order in which they were sent.

    The protocol is the first one stated; the sender of the first opening message is the initiator. Raises
    `InvalidArgument` if the protocol is not a monitored one.
    """
    stated = protocol or next((one.protocol for one in messages if one.protocol), "")
    watched = protocol_named(stated)
    if watched is None:
        raise InvalidArgument(f"no protocol {stated!r} is monitored; name one that is", argument="protocol")
    initiator = _initiator(messages, watched)
    sides: dict[str, Exchange] = {}
    violations: list[ProtocolViolation] = []
    first = messages[0].thread if messages else ""
    for message in messages:
        other = message.to if message.sender == initiator else message.sender
        side = sides.get(other) or Exchange(watched, initiator, other)
        if message.thread != first:
            said = f"{message.performative} {message.id} from {message.sender}: it belongs to {message.thread}"
            violations.append(ProtocolViolation(message.id, "conversation", said, f"messages of {first}"))
            continue
        broken = side.take(message)
        if broken is None or broken.rule != "party":
            sides[other] = side
        violations += [broken] if broken else []
    return Conversation(watched, initiator, sides, tuple(violations))


def _initiator(messages: Sequence[Message], protocol: Protocol) -> str:
    opening = (one.sender for one in messages if one.performative in protocol.openings)
    return next(opening, messages[0].sender if messages else "")
