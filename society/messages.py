"""What agents say to each other: ACL messages (S3 section 9.2)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from operator import attrgetter
from typing import Any, Literal, get_args

from mabos.configs.errors import Damaged
from mabos.workspace.clock import iso

Performative = Literal[
    "REQUEST", "INFORM", "QUERY", "PROPOSE", "ACCEPT", "REJECT", "CONFIRM", "CANCEL",
    "CFP", "REFUSE", "AGREE", "FAILURE", "NOT_UNDERSTOOD", "SUBSCRIBE", "QUERY_REF",
]  # fmt: skip
Priority = Literal["low", "normal", "high", "urgent"]
PERFORMATIVES: tuple[str, ...] = get_args(Performative)

# Written `from` in JSON, which Python keeps for itself.
_FROM = {"sender": "from"}


@dataclass(frozen=True, slots=True)
class Message:
    """One speech act from one agent to another; `timestamp` and `reply_by` are ISO 8601.

    `conversation_id` ties the messages of one exchange together, `protocol` says which (contract-net, ...). `read` and
    `flag`, why the message was not acted upon, are its recipient's.
    """

    id: str
    sender: str
    to: str
    performative: str
    content: str
    timestamp: str
    priority: str = "normal"
    reply_to: str = ""
    conversation_id: str = ""
    protocol: str = ""
    reply_by: str = ""
    read: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)
    flag: str = ""

    @property
    def thread(self) -> str:
        """The id of the conversation: its own where it begins one."""
        return self.conversation_id or self.id

    def as_json(self) -> dict[str, Any]:
        """Return the message as it stands in `inbox.json`; empty optional fields are left out."""
        told = zip(_names(), _values()(self), strict=True)
        return {key: value for key, value in told if value or key in _REQUIRED}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Message":
        """Return the message a record holds; unknown fields are passed over, missing optional ones get defaults."""
        names = _names()
        given = {names[key]: value for key, value in record.items() if key in names and value is not None}
        is_plain = _PLAIN.issuperset(map(type, given.values())) and type(given.get("content", "")) is str
        if not is_plain:  # a line by hand may hold a number
            given |= {name: str(given[name]) for name in _TEXTS if name in given}
            if not isinstance(given.get("metadata", {}), Mapping):
                del given["metadata"]
        try:
            return cls(**(_DEFAULTS | given))
        except TypeError:
            message = f"a message needs id, from and to; this one has {', '.join(record) or 'nothing'}"
            raise Damaged(message) from None

    def reply(self, message_id: str, performative: Performative, content: str, *, at: str, **more: Any) -> "Message":
        """Return an answer to this message in the same conversation."""
        return Message(
            id=message_id,
            sender=self.to,
            to=self.sender,
            performative=performative,
            content=content,
            timestamp=at,
            reply_to=self.id,
            conversation_id=self.thread,
            protocol=self.protocol,
            **more,
        )


@cache
def _names() -> dict[str, str]:
    """Return the attributes of a message by the names of their fields in `inbox.json`."""
    return {_FROM.get(one.name, one.name): one.name for one in fields(Message)}


@cache
def _values() -> Callable[[Message], tuple[Any, ...]]:
    """Return what gives all attributes of a message, in the order of their names."""
    return attrgetter(*_names().values())


_REQUIRED = frozenset({"id", "from", "to", "performative", "content", "timestamp", "priority", "read"})


_DEFAULTS = {"timestamp": "", "content": "", "performative": "INFORM"}
_PLAIN = frozenset({str, bool, dict})
_TEXTS = (
    "id", "sender", "to", "performative", "content", "timestamp", "priority", "reply_to", "conversation_id",
    "protocol", "reply_by", "flag",
)  # fmt: skip


def message(
    sender: str,
    to: str,
    performative: Performative,
    content: str,
    *,
    ids: Any,
    clock: Callable[[], Any],
    **more: Any,
) -> Message:
    """Return a new message with an id and the time of `clock`."""
    return Message(ids.new("MSG"), sender, to, performative, content, iso(clock()), **more)
