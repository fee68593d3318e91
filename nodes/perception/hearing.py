"""Interpret a cycle's messages: those that break their protocol are set aside, the others get a meaning."""

from collections.abc import Sequence
from dataclasses import replace

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.language.request import Request
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.messages import ANSWERS, PERSON, Heard, parse_message, trust_in, vouches, wish
from mabos.nodes.perception.prose import with_percepts
from mabos.nodes.perception.understanding import is_plain, understand
from mabos.society.messages import PERFORMATIVES, Message
from mabos.society.protocols import Exchange, Protocol, protocol_named, replay_exchange, strays
from mabos.tools.requests.improving import target_of
from mabos.tools.requests.readback import ACT
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import parse_time


def hear(cycle: Cycle, messages: Sequence[Message]) -> list[Heard]:
    """Return the meaning of each message for the agent.

    A message that breaks its protocol, or whose answer is overdue, is kept, flagged and ignored. A sender that broke a
    rule is notified.
    """
    broken = {one.id: why for one in messages if (why := _find_broken_rule(cycle.agent, one))}
    late = {one.id: why for one in messages if one.id not in broken and (why := _late(cycle.agent, one))}
    if broken or late:
        cycle.agent.inbox.flag(broken | late)
        cycle.note(set_aside=broken | late)
    told = []
    for message in messages:
        if message.id in broken:
            told.append(Heard(asks=message.performative != "NOT_UNDERSTOOD"))
        else:
            told.append(Heard() if message.id in late else _interpret_message(cycle, message))
    return _without_vouching(cycle.agent, with_percepts(cycle, messages, told))


def _find_broken_rule(agent: Agent, message: Message) -> str:
    """Return the rule that a message breaks, in words, or an empty text."""
    if message.performative not in PERFORMATIVES:
        return f"there is no performative {message.performative!r}"
    if not (message.protocol or message.conversation_id):
        return ""
    own, other = agent.id, message.sender
    received = [one for one in agent.inbox.thread(message.thread) if one.sender == other]
    sent = [one for one in agent.services.mail.heard(other, message.thread) if one.sender == own]
    return strays(received, sent).get(message.id, "")


def _late(agent: Agent, message: Message) -> str:
    """Return when the answer to an opening message was due, where that is over and its protocol allows none now."""
    protocol = protocol_named(message.protocol) if message.reply_by else None
    if protocol is None or message.performative not in protocol.openings:
        return ""
    if parse_time(message.reply_by) >= agent.clock():
        return ""
    return f"expired: its answer was due by {message.reply_by}"


def _interpret_message(cycle: Cycle, message: Message) -> Heard:
    """Return a message's meaning; one in plain words becomes requests, which act attends to."""
    requests = understand(cycle, message) if is_plain(cycle.agent, message) else ()
    return meaning(cycle, message, requests)


def meaning(cycle: Cycle, message: Message, requests: Sequence[Request]) -> Heard:
    """Return a message's meaning without the requests read from it."""
    wishes = tuple(wish(message, cycle.now(), target=target) for target in _targets(cycle.agent, requests))
    return Heard(desires=wishes[:1]) if requests else _interpret_performative(cycle.agent, message)


def _targets(agent: Agent, requests: Sequence[Request]) -> list[str]:
    """Return the targets of requests that a figure should move: they are wishes, which sensing fulfils."""
    wanted = [target_of(agent, one) for one in requests if one.operation == "improve" and one.confidence >= ACT]
    return [target for target in wanted if target]


def _interpret_performative(agent: Agent, message: Message) -> Heard:
    mind = agent.mind
    trust = trust_in(message.sender, mind.index, lambda sender: _is_stranger(agent, sender))
    found = parse_message(message, agent.now(), superior=mind.persona.reports_to, trust=trust)
    if message.performative == "CANCEL":
        request = find_cancelled_message(agent, message)
        return replace(found, withdrawn=(f"D-{request.id}",) if request else ())
    if message.performative in ANSWERS and not _is_own_question(agent, message):
        return Heard()
    return found


def _without_vouching(agent: Agent, told: Sequence[Heard]) -> list[Heard]:
    """Return the messages' meaning without any statement about an agent's or person's trust."""

    def drop_vouching(found: Heard) -> Heard:
        beliefs = tuple(one for one in found.beliefs if not vouches(one, lambda: [*agent.services.agents(), PERSON]))
        return replace(found, beliefs=beliefs) if beliefs != found.beliefs else found

    return [drop_vouching(one) for one in told]


def find_cancelled_message(agent: Agent, cancel: Message) -> Message | None:
    """Return the message that a CANCEL withdraws: one from the same sender, else None."""
    named = agent.inbox.find(cancel.reply_to)
    thread = [named] if named else [one for one in agent.inbox.thread(cancel.thread) if one.id != cancel.id]
    return next((one for one in thread if one.sender == cancel.sender and one.performative != "CANCEL"), None)


def takes_back(message: Message, opening: Message) -> bool:
    """Return whether a message is a CANCEL of its sender's opening message, by name or by default."""
    is_own = message.performative == "CANCEL" and message.sender == opening.sender
    return is_own and message.reply_to in {"", opening.id}


def exchange_over(
    agent: Agent, opening: Message, cancels: Sequence[Message], protocol: Protocol
) -> tuple[Exchange, list[Message]]:
    """Return the state of a message and its CANCELs, ignoring the rest of the conversation, and the agent's answers."""
    own, asked = agent.id, {opening.id, *(one.id for one in cancels)}
    there = agent.services.mail.heard(opening.sender, opening.thread)
    answers = [one for one in there if one.sender == own and one.reply_to in asked]
    exchange, _ = replay_exchange(protocol, [opening, *cancels], answers)
    return exchange or Exchange(protocol, opening.sender, own), answers


def _is_own_question(agent: Agent, answer: Message) -> bool:
    """Return whether the agent sent the message that this one answers."""
    return any(one.id == answer.reply_to and one.sender == agent.id for one in _find_answered_message(agent, answer))


def _find_answered_message(agent: Agent, answer: Message) -> Sequence[Message]:
    try:
        found = agent.services.inbox(answer.sender).find(answer.reply_to)
    except (UnknownId, InvalidArgument):
        return ()
    return () if found is None else (found,)


def _is_stranger(agent: Agent, sender: str) -> bool:
    """Return whether an agent works for another business; who is no agent here speaks through a person or a sensor."""
    if sender == PERSON or (agent.business_id and sender in agent.business.manifest.agents.values()):
        return False  # known without opening anything of the sender's
    try:
        home = agent.services.directory.stores_of(sender).business_id
    except (UnknownId, InvalidArgument):
        return False
    return home not in {"", agent.business_id}
