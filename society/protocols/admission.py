"""Whether a message may be said now, asked at the moment it is put into an inbox, and again when it is heard."""

from collections.abc import Iterable, Sequence

from mabos.configs.errors import Refused
from mabos.society.messages import Message
from mabos.society.protocols.between import exchanged
from mabos.society.protocols.monitor import Exchange, ProtocolViolation
from mabos.society.protocols.tables import Protocol, protocol_named


def watched(messages: Iterable[Message]) -> Protocol | None:
    """Return the protocol that a conversation keeps to: the one first stated; None where nobody watches."""
    for one in messages:
        if one.protocol:
            return protocol_named(one.protocol)
    return None


def admit(message: Message, said: Sequence[Message], heard: Sequence[Message]) -> None:
    """Raise `Refused`, with the rule and what was expected, where a message may not follow in its conversation.

    `said` is what its recipient has received in it, and `heard` what its sender has; both may hold words of others.
    """
    broken = fault(message, _from(message.sender, said), _from(message.to, heard))
    if broken is not None:
        raise Refused(f"{broken}. Nothing was sent", argument="performative")


def fault(message: Message, said: Sequence[Message], heard: Sequence[Message]) -> ProtocolViolation | None:
    """Return why a message may not follow what its sender has said and heard in a conversation of two, or None."""
    protocol = watched((*heard, *said, message))  # what the recipient has stated itself counts first
    if protocol is None:
        return None
    exchange = exchanged(protocol, said, heard)[0] if said or heard else None
    return (exchange or Exchange(protocol, message.sender, message.to)).fault(message)


def strays(received: Sequence[Message], sent: Sequence[Message]) -> dict[str, str]:
    """Return the received messages of a conversation of two that break a rule of its protocol, by id, with the rule."""
    protocol = watched((*sent, *received))  # nobody turns one's own conversation into another
    if protocol is None:
        return {}
    _, broken = exchanged(protocol, received, sent)
    own = {one.id for one in received}
    return {message_id: str(one) for message_id, one in broken.items() if message_id in own}


def _from(name: str, messages: Iterable[Message]) -> list[Message]:
    return [one for one in messages if one.sender == name]
