"""Reconstruction of a conversation from two agents' inboxes: each holds the other's messages, in order."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from mabos.configs.errors import Refused
from mabos.society.messages import Message
from mabos.society.protocols.monitor import Conversation, Exchange, ProtocolViolation
from mabos.society.protocols.tables import Protocol, protocol_named


def replay_exchange(
    protocol: Protocol, one: Sequence[Message], other: Sequence[Message]
) -> tuple[Exchange | None, dict[str, ProtocolViolation]]:
    """Return the state of a conversation, and the messages in it that break a rule, by id.

    `one` and `other` are the messages of each side, oldest first. Of two possible next messages the earlier comes
    first. Messages that crossed or have the same time are put in an order that the protocol allows, if any.
    """
    everything = [*one, *other]
    if not everything:
        return None, {}
    openings = [each for each in everything if each.performative in protocol.openings]
    first = openings[0] if len(openings) == 1 else min(openings or everything, key=_at)
    exchange = Exchange(protocol, first.sender, first.to)
    ordered = _order_messages(exchange, one, other) if one and other else everything
    taken = ((each.id, exchange.take(each)) for each in ordered)
    return exchange, {message_id: broken for message_id, broken in taken if broken is not None}


def _order_messages(exchange: Exchange, one: Sequence[Message], other: Sequence[Message]) -> Iterator[Message]:
    """Yield the messages of both sides, in an order that the exchange allows as it moves on, if there is one."""
    queues = [deque(one), deque(other)]
    while queues := [queue for queue in queues if queue]:
        queues.sort(key=_turn)
        chosen = next((queue for queue in queues if exchange.fault(queue[0]) is None), queues[0])
        yield chosen.popleft()


def standing(protocol: Protocol, messages: Sequence[Message]) -> Conversation:
    """Return the state of a conversation of any size, from the messages in several inboxes, for each side."""
    first = min((one for one in messages if one.performative in protocol.openings), key=_at, default=messages[0])
    others = dict.fromkeys(one.to if one.sender == first.sender else one.sender for one in messages)
    sides, violations = dict[str, Exchange](), list[ProtocolViolation]()
    for name in others:
        own = [one for one in messages if name in (one.sender, one.to)]
        asked = [one for one in own if one.sender == first.sender]
        exchange, broken = replay_exchange(protocol, asked, [one for one in own if one.sender != first.sender])
        violations += broken.values()
        if exchange is not None:
            sides[name] = exchange
    return Conversation(protocol, first.sender, sides, tuple(violations))


def thread(*said: Iterable[Message]) -> tuple[Message, ...]:
    """Return messages as one thread: by time, but no answer before its question."""
    waiting = sorted({one.id: one for part in said for one in part}.values(), key=_at)
    ids = {one.id for one in waiting}
    told: dict[str, Message] = {}
    while waiting:
        ready = next((one for one in waiting if one.reply_to not in ids or one.reply_to in told), waiting[0])
        waiting.remove(ready)
        told[ready.id] = ready
    return tuple(told.values())


def _at(message: Message) -> str:
    return message.timestamp


def _turn(queue: deque[Message]) -> tuple[str, bool]:
    """Return when the first of a queue comes; of the same moment, one that could come at any time comes last."""
    return queue[0].timestamp, queue[0].performative in {"CANCEL", "NOT_UNDERSTOOD"}


def find_protocol(messages: Iterable[Message]) -> Protocol | None:
    """Return the protocol of a conversation: the first one stated; None if it is not monitored."""
    for one in messages:
        if one.protocol:
            return protocol_named(one.protocol)
    return None


def admit(message: Message, said: Sequence[Message], heard: Sequence[Message]) -> None:
    """Raise `Refused`, with the rule and the expected acts, if a message may not follow in its conversation.

    `said` are the messages that its recipient has received in it, `heard` those of its sender; both may contain others'
    messages.
    """
    broken = fault(message, _from(message.sender, said), _from(message.to, heard))
    if broken is not None:
        raise Refused(f"{broken}. Nothing was sent", argument="performative")


def fault(message: Message, said: Sequence[Message], heard: Sequence[Message]) -> ProtocolViolation | None:
    """Return why a message may not follow its sender's messages in a two-party conversation, or None."""
    protocol = find_protocol((*heard, *said, message))  # what the recipient has stated itself counts first
    if protocol is None:
        return None
    exchange = replay_exchange(protocol, said, heard)[0] if said or heard else None
    return (exchange or Exchange(protocol, message.sender, message.to)).fault(message)


def strays(received: Sequence[Message], sent: Sequence[Message]) -> dict[str, str]:
    """Return the received messages of a two-party conversation that break a protocol rule, by id, with the rule."""
    protocol = find_protocol((*sent, *received))  # nobody turns one's own conversation into another
    if protocol is None:
        return {}
    _, broken = replay_exchange(protocol, received, sent)
    own = {one.id for one in received}
    return {message_id: str(one) for message_id, one in broken.items() if message_id in own}


def _from(name: str, messages: Iterable[Message]) -> list[Message]:
    return [one for one in messages if one.sender == name]
