"""A conversation of two agents out of their two inboxes: each holds what the other has said, in order."""

from collections.abc import Iterable, Sequence

from society.messages import Message
from society.protocols.monitor import Conversation, Exchange, Violation
from society.protocols.tables import Protocol


def exchanged(
    protocol: Protocol, one: Sequence[Message], other: Sequence[Message]
) -> tuple[Exchange | None, dict[str, Violation]]:
    """Return how a conversation stands, and the messages in it that break a rule, by id.

    `one` and `other` are what each side has said, oldest first. Of two that may come next the earlier goes first; but
    what crossed on its way, or was said at the same moment, is put into the order that the protocol allows, if any.
    """
    openings = [each for each in (*one, *other) if each.performative in protocol.openings]
    first = min(openings or [*one, *other], key=_at, default=None)
    if first is None:
        return None, {}
    exchange, violations = Exchange(protocol, first.sender, first.to), dict[str, Violation]()
    queues = [list(reversed(one)), list(reversed(other))]
    while queues := [queue for queue in queues if queue]:
        queues.sort(key=_turn)
        for queue in queues:
            if exchange.fault(queue[-1]) is None:
                exchange.move(queue.pop())
                break
        else:
            message = queues[0].pop()
            found = exchange.take(message)
            if found is not None:
                violations[message.id] = found
    return exchange, violations


def standing(protocol: Protocol, messages: Sequence[Message]) -> Conversation:
    """Return how a conversation of any number stands, from what lies in several inboxes: each side for itself."""
    first = min((one for one in messages if one.performative in protocol.openings), key=_at, default=messages[0])
    others = dict.fromkeys(one.to if one.sender == first.sender else one.sender for one in messages)
    sides, violations = dict[str, Exchange](), list[Violation]()
    for name in others:
        own = [one for one in messages if name in (one.sender, one.to)]
        asked = [one for one in own if one.sender == first.sender]
        exchange, broken = exchanged(protocol, asked, [one for one in own if one.sender != first.sender])
        violations += broken.values()
        if exchange is not None:
            sides[name] = exchange
    return Conversation(protocol, first.sender, sides, tuple(violations))


def thread(*said: Iterable[Message]) -> tuple[Message, ...]:
    """Return messages as one thread: by time, and an answer never before what it answers."""
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


def _turn(queue: Sequence[Message]) -> tuple[str, bool]:
    """Return when the last of a queue comes; of the same moment, one that could come at any time comes last."""
    return queue[-1].timestamp, queue[-1].performative in {"CANCEL", "NOT_UNDERSTOOD"}
