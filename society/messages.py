"""What agents say to each other: ACL messages, and the inbox they lie in (S3 section 9.2)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from configs.errors import Damaged
from workspace.clock import iso
from workspace.documents import json_document
from workspace.store import Collections, Op, Put, Store
from workspace.sync import Sync

Performative = Literal[
    "REQUEST", "INFORM", "QUERY", "PROPOSE", "ACCEPT", "REJECT", "CONFIRM", "CANCEL",
    "CFP", "REFUSE", "AGREE", "FAILURE", "NOT_UNDERSTOOD", "SUBSCRIBE", "QUERY_REF",
]  # fmt: skip
Priority = Literal["low", "normal", "high", "urgent"]
PERFORMATIVES: tuple[str, ...] = get_args(Performative)
PRIORITIES: tuple[str, ...] = get_args(Priority)

_SECTION = "messages"
# Written `from` in JSON, which Python keeps for itself.
_FROM = {"sender": "from"}


@dataclass(frozen=True, slots=True)
class Message:
    """One speech act from one agent to another; `timestamp` and `reply_by` are ISO 8601.

    `conversation_id` ties the messages of one exchange together, `protocol` says which (contract-net, ...).
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

    def as_json(self) -> dict[str, Any]:
        """Return the message as it stands in `inbox.json`; empty optional fields are left out."""
        required = ("id", "sender", "to", "performative", "content", "timestamp", "priority", "read")
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {_FROM.get(name, name): value for name, value in values.items() if value or name in required}

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> "Message":
        """Return the message a record holds; unknown fields are passed over, missing optional ones get defaults."""
        names = _names()
        given = {names[key]: value for key, value in record.items() if key in names and value is not None}
        try:
            return cls(**{"timestamp": "", "content": "", "performative": "INFORM", **given})
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
            conversation_id=self.conversation_id or self.id,
            protocol=self.protocol,
            **more,
        )


class Inbox:
    """The messages of one agent, oldest first; several processes may deliver at once."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._read_at = -1
        self._known: dict[str, tuple[Mapping[str, Any], Message]] = {}
        self._messages: tuple[Message, ...] = ()

    def deliver(self, message: Message) -> bool:
        """Put `message` in the inbox unless it is there already; return whether it was new.

        Another message that happens to have the same id gets a suffix: two processes make ids independently.
        """
        record, new = message.as_json(), False

        def put(collections: Collections) -> list[Op]:
            nonlocal new
            records, key, number = collections.get(_SECTION, {}), message.id, 1
            while (found := records.get(key)) is not None and not _same(found, record):
                number += 1
                key = f"{message.id}-{number}"
            new = found is None
            return [Put(_SECTION, key, {**record, "id": key})] if new else []

        self.store.commit(put)
        return new

    def messages(self) -> tuple[Message, ...]:
        """Return every message, oldest first."""
        records, seq = self.store.read().get(_SECTION, {}), self.store.seq
        if seq != self._read_at or len(records) != len(self._messages):
            known = self._known
            # A record that changes becomes another object, so only those are converted again.
            self._known = {
                key: found if (found := known.get(key)) and found[0] is record else (record, Message.of(record))
                for key, record in records.items()
            }
            self._messages = tuple(message for _, message in self._known.values())
            self._read_at = seq
        return self._messages

    def unread(self) -> tuple[Message, ...]:
        """Return the messages not yet read, in order of arrival."""
        return tuple(message for message in self.messages() if not message.read)

    def mark_read(self, ids: Iterable[str]) -> None:
        """Mark messages as read; ids that are not there are passed over."""
        wanted = set(ids)

        def put(collections: Collections) -> list[Op]:
            records = collections.get(_SECTION, {})
            return [
                Put(_SECTION, key, {**records[key], "read": True})
                for key in sorted(wanted.intersection(records))
                if not records[key].get("read")
            ]

        if wanted:
            self.store.commit(put)


@cache
def _names() -> dict[str, str]:
    """Return the attributes of a message by the names of their fields in `inbox.json`."""
    return {_FROM.get(one.name, one.name): one.name for one in fields(Message)}


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(name) == other.get(name) for name in ("from", "performative", "content"))


def open_inbox(directory: Path, sync: Sync) -> Inbox:
    """Return the inbox of the agent in `directory`; nothing is created until the first message."""
    return Inbox(json_document(directory / "inbox.json", [_SECTION], root="array", sync=sync))


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
