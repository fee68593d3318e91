"""A turn of a conversation: an agent receives a message and works until its reply is ready.

    reply = take_turn(services, "cfo", "What is our runway?", print)

A turn is cycles of the agent, as `mabos run` makes them: the first reads the message, others follow until there is a
reply, at most `CYCLES`. The reply is read from the messages to the owner, so it is the same with and without a model.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final

from mabos.configs.errors import InvalidArgument, Unavailable
from mabos.graphs.wiring import run_cycle
from mabos.interfaces.chat.events import (
    ApprovalEvent,
    ChatEvent,
    ChatReply,
    PhaseEvent,
    TextEvent,
    ToolEvent,
    approval_of,
)
from mabos.nodes.state import CycleReport
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.gate.initiative import is_from_person
from mabos.tools.runtime.services import Services

if TYPE_CHECKING:
    from langgraph.runtime import RunControl

Tell = Callable[[ChatEvent], object]
CYCLES: Final = 3
"""The most cycles of a turn."""
PATIENCE_S: Final = 30.0
"""The seconds that a turn waits for an agent in another process."""
_LOOKS_EVERY_S: Final = 0.1


def take_turn(
    services: Services, agent_id: str, text: str, tell: Tell, *, control: "RunControl | None" = None
) -> ChatReply:
    """Send an agent a message and return its reply; `tell` receives every event, the reply last.

    Raises `InvalidArgument` for an empty text, `UnknownId` for an unknown agent, and `Unavailable` if another process
    runs the agent for longer than `PATIENCE_S`. Through `control` the turn can be ended at the next phase, with
    LangGraph's `GraphDrained`: the message then waits in the agent's inbox.
    """
    if not text.strip():
        raise InvalidArgument("the message is empty; give a text", argument="text")
    return _Turn(services, services.agent(agent_id).id, tell, control).run(text)


def go_on(
    services: Services, agent_id: str, tell: Tell, *, message_id: str = "", control: "RunControl | None" = None
) -> ChatReply:
    """Run an agent after an answer to its question, or for a message in its inbox, and return its report."""
    return _Turn(services, services.agent(agent_id).id, tell, control).run("", message_id)


@dataclass(slots=True)
class _Turn:
    """A running turn: the calls and reports so far."""

    services: Services
    agent_id: str
    tell: Tell
    control: "RunControl | None"
    did: list[ToolEvent] = field(default_factory=list)
    reports: list[CycleReport] = field(default_factory=list)

    def run(self, text: str, message_id: str = "") -> ChatReply:
        """Run cycles until the reply is ready, and return it; `message_id` is one already in the inbox."""
        known = {one.id for one in self._open_decisions()}
        inbox = self.services.inbox(STAKEHOLDER)
        before = len(inbox.messages())
        heard: list[Message] = []
        for number in range(CYCLES):
            said = text if not number else ""
            report = self._cycle(said)
            self.reports.append(report)
            message_id = message_id or (f"MSG-{report.cycle}" if text else "")
            heard = [one for one in inbox.messages()[before:] if one.sender == self.agent_id]
            is_answered = any(one.reply_to == message_id for one in heard) if message_id else bool(heard)
            if is_answered or report.outcome in ("idle", "failed"):
                break
        own = {one.ref for one in self.did if one.is_own}
        new = [one for one in self._open_decisions() if one.id not in known]
        waits = [approval_of(self.services, one, is_own=one.id in own) for one in new]
        for one in waits:
            self.tell(one)
        reply = self._reply(message_id, heard, tuple(waits))
        self.tell(reply)
        return reply

    def _cycle(self, said: str) -> CycleReport:
        """Run one cycle; an agent that another process runs just now, as a live company, is waited for a while."""
        ends = monotonic() + PATIENCE_S
        while True:
            try:
                return run_cycle(self.services, self.agent_id, said, self._hear, control=self.control)
            except Unavailable as busy:  # raised before anything was heard
                is_over = self.control is not None and self.control.drain_requested
                if busy.argument != "agent_id" or is_over or monotonic() > ends:
                    raise
                sleep(_LOOKS_EVERY_S)

    def _reply(self, message_id: str, heard: list[Message], waits: tuple[ApprovalEvent, ...]) -> ChatReply:
        mine = {one.id for one in self.services.inbox(self.agent_id).messages() if one.sender == STAKEHOLDER}
        answers = [one for one in heard if one.reply_to in mine]
        others = [one for one in heard if one.reply_to not in mine]
        direct = [one for one in answers if one.reply_to == message_id] or answers
        claims = tuple(claim for one in answers or others for claim in one.metadata.get("claims", ()))
        failures = tuple(failure for one in self.reports for failure in one.failures)
        return ChatReply(
            agent_id=self.agent_id,
            text="\n".join(one.content for one in answers),
            claims=claims,
            performative=direct[-1].performative if direct else "",
            news=tuple(one.content for one in others),
            did=tuple(self.did),
            waits=waits,
            message_id=message_id,
            reply_ids=tuple(one.id for one in (*answers, *others)),
            cycles=tuple(one.cycle for one in self.reports),
            outcome=self.reports[-1].outcome,
            failures=failures,
        )

    def _is_own(self, because: Mapping[str, str]) -> bool:
        """Return whether a call serves a goal of the agent's own or a colleague, and nothing that the owner said."""
        agent, message_id = self.services.agent(self.agent_id), because.get("message", "")
        message = agent.inbox.find(message_id)
        if because.keys().isdisjoint(("message", "goal")) or (message and message.sender == STAKEHOLDER):
            return False
        served = {one.request_id for one in agent.mind.goals if one.id == because.get("goal")}
        asked = [one for one in agent.requests.all() if one.id in served or one.message_id == message_id != ""]
        return not any(is_from_person(agent, one) for one in asked)

    def _open_decisions(self) -> list[Any]:
        business = self.services.agent(self.agent_id).business_id
        return [one for one in self.services.decisions(business).pending() if one.from_agent == self.agent_id]

    def _hear(self, event: Mapping[str, Any]) -> None:
        """Pass on a cycle's events as events of the conversation."""
        status, agent_id = event["status"], self.agent_id
        if status == "done":
            self.tell(PhaseEvent(agent_id, event["phase"], event.get("noted") or {}))
        elif status == "text":
            self.tell(TextEvent(agent_id, event["text"]))
        elif status == "call" and not (
            event["tool"] == "agent_message" and event["arguments"].get("to") == STAKEHOLDER  # the reply says it
        ):
            made = ToolEvent(
                agent_id=agent_id,
                tool=event["tool"],
                status=event["came"],
                did=event["did"],
                ref=event.get("ref") or event.get("decision_id", ""),
                message=event.get("message", ""),
                reads=event["reads"],
                is_own=self._is_own(event["because"]),
                arguments=event["arguments"],
            )
            self.did.append(made)
            self.tell(made)
