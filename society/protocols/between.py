"""A conversation of two agents out of their two inboxes: each holds what the other has said, in order."""

from collections.abc import Iterable, Sequence

from society.messages import Message
from society.protocols.monitor import Exchange, Violation
from society.protocols.tables import Protocol


def exchanged(
    protocol: Protocol, one: Sequence[Message], other: Sequence[Message]
) -> tuple[Exchange | None, dict[str, Violation]]:
    """Return how a conversation stands, and the messages in it that break a rule, by id.

    `one` and `other` are what each side has said, oldest first. Of two that may come next the earlier goes first; but
    what crossed on its way, or was said at the same moment, is put into the order that the protocol allows, if any.
    """
    openings = [one_ for one_ in (*one, *other) if one_.performative in protocol.openings]
    first = min(openings or [*one, *other], key=_at, default=None)
    if first is None:
        return None, {}
    exchange, violations = Exchange(protocol, first.sender, first.to), dict[str, Violation]()
    queues = [list(reversed(one)), list(reversed(other))]
    while any(queues):
        heads = sorted((queue for queue in queues if queue), key=lambda queue: _turn(queue[-1]))
        chosen = next((queue for queue in heads if exchange.fault(queue[-1]) is None), heads[0])
        message = chosen.pop()
        broken = exchange.take(message)
        if broken is not None:
            violations[message.id] = broken
    return exchange, violations


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


def _turn(message: Message) -> tuple[str, bool]:
    """Return when a message comes; of the same moment, one that could come at any time comes last."""
    return message.timestamp, message.performative in {"CANCEL", "NOT_UNDERSTOOD"}
