"""Reply to questions with known facts, send news to subscribers, and report messages that were not understood."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mabos.mind.model import Belief
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.hearing import find_cancelled_message
from mabos.nodes.perception.subscriptions import find_answers, running_subscription, serialize_beliefs
from mabos.society.messages import Message, Performative
from mabos.society.roles import STAKEHOLDER
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import fold


@dataclass(frozen=True, slots=True)
class MessageReply:
    """An answer to a message, under a key that ensures it is sent once."""

    performative: Performative
    content: str
    key: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


def reply_to(cycle: Cycle, message_ids: list[str]) -> list[str]:
    """Return the ids of the messages just answered; unreachable senders are skipped."""
    return [
        message.id
        for message in from_colleagues(cycle.agent, message_ids)
        if [reply for reply in _replies(cycle.agent, message) if send(cycle, message, reply)]
    ]


def _replies(agent: Agent, message: Message) -> Iterator[MessageReply]:
    if message.flag:
        yield MessageReply("NOT_UNDERSTOOD", f"I set {message.id} aside: {message.flag}", f"unclear:{message.id}")
    elif message.performative == "SUBSCRIBE":
        yield from _news(agent, message)
    elif message.performative == "CANCEL":
        yield _answer_cancel(agent, message)
    else:
        found = find_answers(agent, message)
        yield MessageReply(
            "INFORM", wording(message, found), f"reply:{message.id}", {"beliefs": serialize_beliefs(found)}
        )


def _news(agent: Agent, message: Message) -> Iterator[MessageReply]:
    """Yield the agreement to a subscription, and the current news."""
    found = running_subscription(agent, message)
    if found is not None and found.is_new:
        yield MessageReply("AGREE", "I tell you whenever this changes, until you cancel.", f"agree:{message.id}")
    if found is not None and found.is_news:
        said = wording(message, found.beliefs)
        yield MessageReply(
            "INFORM", said, f"news:{message.id}:{found.told}", {"beliefs": serialize_beliefs(found.beliefs)}
        )


def _answer_cancel(agent: Agent, cancel: Message) -> MessageReply:
    """Return the answer to a CANCEL: done, or that there was nothing left of its sender's to take back."""
    key, taken_back = f"cancelled:{cancel.id}", find_cancelled_message(agent, cancel)
    if taken_back is None:
        return MessageReply("FAILURE", "There is nothing of yours that I could take back.", key)
    goal = next((one for one in agent.mind.goals if one.desire_id == f"D-{taken_back.id}"), None)
    if goal is not None and goal.status == "achieved":
        return MessageReply("FAILURE", f"{goal.description!r} ({goal.id}) is done already.", key)
    return MessageReply("INFORM", f"{taken_back.id} is taken back.", key, status(taken_back, "cancelled"))


def status(request: Message, said: str) -> dict[str, Any]:
    """Return the metadata of an INFORM about a message's result, which its sender believes."""
    statement = f"{request.to} answered {request.id}: {said}"
    told = {"subject": request.id, "predicate": "answer", "value": said, "category": "agent", "certainty": 1.0}
    return {**told, "statement": statement}


def from_colleagues(agent: Agent, message_ids: Collection[str]) -> list[Message]:
    """Return the messages whose senders can be answered, oldest first."""
    found = [one for one in map(agent.inbox.find, dict.fromkeys(message_ids)) if one is not None]
    colleagues = {*agent.services.agents(), STAKEHOLDER} if found else set()
    return [one for one in found if one.sender in colleagues]


def send(cycle: Cycle, answered: Message, reply: MessageReply) -> bool:
    """Return whether an answer was sent under its key."""
    arguments = {
        "to": answered.sender,
        "performative": reply.performative,
        "content": reply.content,
        "reply_to": answered.id,
        "metadata": dict(reply.metadata),
    }
    outcome = call(
        cycle.services,
        "agent_message",
        arguments,
        caller=cycle.agent.caller,
        key=reply.key,
        cycle=cycle.id,
        because={"message": answered.id},
    )
    if not outcome.ok:
        cycle.note(unanswered=f"{answered.id}: {outcome.message}")
    return outcome.ok


def wording(question: Message, found: tuple[Belief, ...]) -> str:
    """Return the answer in words: the beliefs, their certainty, and their source."""
    if not found:
        return f"I hold no belief about this: {question.content}"
    lines = [
        f"{_describe_belief(belief)} (certainty {belief.certainty:g}{f', {belief.source}' if belief.source else ''})"
        for belief in found
    ]
    return "; ".join(lines)


def _describe_belief(belief: Belief) -> str:
    """Return a belief in its own words, with its value if the words lack it.

    An assumption of a role is not a measured figure: it is reported as an assumption.
    """
    if belief.source == "role":
        return f"I assume, and nobody has measured: {belief.statement}"
    if not belief.value or f" {fold(belief.value)} " in f" {fold(belief.statement)} ":
        return belief.statement
    name = " ".join(filter(None, (belief.subject, belief.predicate)))
    return f"{belief.statement}: {name} is {belief.value}" if name else f"{belief.statement}: {belief.value}"
