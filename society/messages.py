"""The messages that agents exchange: ACL messages (S3 section 9.2)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, get_args

from mabos.workspace.clock import iso
from mabos.workspace.documents import JsonCodec
from mabos.workspace.field_types import stored_as
from mabos.workspace.operations import Collections
from mabos.workspace.records import Document, declaration, record

Performative = Literal[
    "REQUEST", "INFORM", "QUERY", "PROPOSE", "ACCEPT", "REJECT", "CONFIRM", "CANCEL",
    "CFP", "REFUSE", "AGREE", "FAILURE", "NOT_UNDERSTOOD", "SUBSCRIBE", "QUERY_REF",
]  # fmt: skip
Priority = Literal["low", "normal", "high", "urgent"]
PERFORMATIVES: tuple[str, ...] = get_args(Performative)

_SECTION, _MARKS = "messages", "marks"
_NOTED = ("read", "flag")


class InboxCodec(JsonCodec):
    """`inbox.json` as two collections: the messages, and by id whether they were read and why they were set aside.

    People find both in one record, as S3 section 9.2 prints it, and may edit either.
    """

    def home(self, collection: str) -> str:
        """Return the one file."""
        return self.files[0] if collection == _MARKS else super().home(collection)

    def empty(self, name: str) -> Collections:
        """Return both collections, without records."""
        return {**super().empty(name), _MARKS: {}}

    def decode(self, name: str, text: str) -> Collections:
        """Return the messages separated from their marks."""
        found = super().decode(name, text)
        noted = {
            key: {name: record[name] for name in _NOTED if record.get(name)} for key, record in found[_SECTION].items()
        }
        found[_SECTION] = {
            key: {name: value for name, value in record.items() if name not in _NOTED}
            for key, record in found[_SECTION].items()
        }
        found[_MARKS] = {key: mark for key, mark in noted.items() if mark}
        return found

    def encode(self, name: str, collections: Collections, version: int) -> str:
        """Return the indented text, with the marks in the messages."""
        marks = collections.get(_MARKS, {})
        records = collections.get(_SECTION, {}).items()
        shown = {key: {"read": False, **record, **marks.get(key, {})} for key, record in records}
        return super().encode(name, {_SECTION: shown}, version)

    def admit(self, collection: str, key: str, value: Any) -> Any:
        """Return a record with its key; the marks of a message are accepted unchanged."""
        return value if collection == _MARKS else super().admit(collection, key, value)


@record(
    Document("inbox.json", (_SECTION,), root="array", codec=lambda: InboxCodec("inbox.json", [_SECTION], root="array")),
    _SECTION,
    noun="message",
    optional=("reply_to", "conversation_id", "protocol", "reply_by", "metadata", "flag"),
    tolerates=(
        "performative",
        "content",
        "timestamp",
        "priority",
        "metadata",
        "reply_to",
        "conversation_id",
        "reply_by",
    ),
)
@dataclass(frozen=True, slots=True)
class Message:
    """One speech act from one agent to another; `timestamp` and `reply_by` are ISO 8601.

    `conversation_id` connects the messages of one exchange, `protocol` is its protocol (contract-net, ...). `read` and
    `flag` (why the message was not acted upon) are the recipient's.
    """

    id: str
    sender: Annotated[str, stored_as("from")]
    to: str
    performative: str = "INFORM"
    content: str = ""
    timestamp: str = ""
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
        """The id of the conversation: its own if it starts one."""
        return self.conversation_id or self.id

    def as_json(self) -> dict[str, Any]:
        """Return the message as stored in `inbox.json`; empty optional fields are left out."""
        return MESSAGES.write(self)

    def reply(self, message_id: str, performative: Performative, content: str, *, at: str, **more: Any) -> "Message":
        """Return an answer to this message in the same conversation."""
        return Message(
            id=message_id, sender=self.to, to=self.sender, performative=performative, content=content, timestamp=at,
            reply_to=self.id, conversation_id=self.thread, protocol=self.protocol, **more,
        )  # fmt: skip


MESSAGES = declaration(Message)


def message(
    sender: str, to: str, performative: Performative, content: str, *, ids: Any, clock: Callable[[], Any], **more: Any
) -> Message:
    """Return a new message with an id and the time of `clock`."""
    return Message(ids.new("MSG"), sender, to, performative, content, iso(clock()), **more)
