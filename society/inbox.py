"""An agent's inbox: received messages, written once, and the reader's marks on them (S3 section 9.2)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from threading import RLock
from typing import Any

from mabos.society.messages import MESSAGES, Message
from mabos.workspace.copies import replace
from mabos.workspace.operations import Collections, Op, Put
from mabos.workspace.store import JournalChange, Store
from mabos.workspace.sync import Sync

_MESSAGES, _MARKS = "messages", "marks"
Admit = Callable[[Message, Sequence[Message], Sequence[Message]], None]
"""Raises where a message must not follow what was said to its recipient and heard by its sender in its conversation."""


class Inbox:
    """The messages of one agent, oldest first; threads and processes may deliver concurrently.

    A message is written only once: its reader's marks are stored separately. A read without news costs only a check of
    the files.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = RLock()
        self._at = -1
        self._by_id: dict[str, Message] = {}
        self._noted: dict[str, Mapping[str, Any]] = {}  # marks that stand in no message of `_by_id` yet
        self._sent: dict[str, Message] = {}  # what was delivered from here and not seen in the log yet
        self._unread: dict[str, None] = {}
        self._threads: dict[str, dict[str, None]] = {}
        self._subscriptions: dict[str, None] = {}
        self._dated: dict[str, None] = {}
        self._all: tuple[Message, ...] | None = None

    def deliver(self, message: Message, *, heard: Sequence[Message] = (), admit: Admit | None = None) -> Message | None:
        """Put `message` in the inbox and return it as stored, or None if it is already there.

        Ids are assigned here, under the write lock: if another message already has the id, here or among those the
        sender has `heard` in the conversation, this one gets a suffix. `admit` is called under the lock, and may raise.
        """
        record, taken = message.as_json(), {one.id for one in heard}
        del record["read"]
        placed: list[Message] = []
        known, at = self._read_conversation(message) if admit and message.conversation_id else ((), -1)

        def put(collections: Collections) -> list[Op]:
            records, key, number = collections.get(_MESSAGES, {}), message.id, 1
            while key in taken or ((found := records.get(key)) is not None and not _same(found, record)):
                number += 1
                key = f"{message.id}-{number}"
            if found is not None:
                return []
            lies = message if key == message.id else replace(message, id=key)
            if admit:
                changes = self.store.since(at) if at >= 0 else ()  # nobody speaks in what is only begun here
                later = () if changes == () else _later(changes, records, lies.thread)
                admit(lies, (*known, *later), heard)
            placed[:] = [lies]
            record["id"] = key
            return [Put(_MESSAGES, key, record)]

        self.store.commit(put)
        if placed and not message.metadata:  # which JSON may change
            self._sent[placed[0].id] = placed[0]
        return placed[0] if placed else None

    def messages(self) -> tuple[Message, ...]:
        """Return every message, oldest first."""
        with self._lock:
            self._look()
            if self._all is None:
                self._all = self._resolve_messages(self._by_id)
            return self._all

    def unread(self) -> tuple[Message, ...]:
        """Return the messages not yet read, in order of arrival."""
        with self._lock:
            self._look()
            return self._resolve_messages(self._unread)

    def find(self, message_id: str) -> Message | None:
        """Return the message with an id, or None."""
        with self._lock:
            self._look()
            return self._resolve_messages([message_id])[0] if message_id in self._by_id else None

    def thread(self, conversation_id: str) -> tuple[Message, ...]:
        """Return the received messages of a conversation, oldest first."""
        with self._lock:
            self._look()
            return self._resolve_messages(self._threads.get(conversation_id, ()))

    def subscriptions(self) -> tuple[Message, ...]:
        """Return the subscription messages, oldest first."""
        with self._lock:
            self._look()
            return self._resolve_messages(self._subscriptions)

    def dated(self) -> tuple[Message, ...]:
        """Return the messages that request an answer by a time, oldest first."""
        with self._lock:
            self._look()
            return self._resolve_messages(self._dated)

    def mark_read(self, ids: Iterable[str]) -> None:
        """Mark messages as read; unknown ids are ignored."""
        self._mark({key: {"read": True} for key in ids})

    def flag(self, reasons: Mapping[str, str]) -> None:
        """Record why messages, by id, are not acted upon."""
        self._mark({key: {"flag": reason} for key, reason in reasons.items()})

    def _mark(self, news: Mapping[str, Mapping[str, Any]]) -> None:
        def put(collections: Collections) -> list[Op]:
            records, marks = collections.get(_MESSAGES, {}), collections.get(_MARKS, {})
            merged = {key: {**marks.get(key, {}), **mark} for key, mark in news.items() if key in records}
            return [Put(_MARKS, key, mark) for key, mark in merged.items() if mark != marks.get(key)]

        if news:
            self.store.commit(put)

    def _read_conversation(self, message: Message) -> tuple[Sequence[Message], int]:
        """Return the stored conversation of a message, and the log position at that time."""
        with self._lock:
            return self.thread(message.thread), self._at

    def _look(self) -> None:
        """Take in the changes since the last look."""
        seq, records = self.store.moment()
        if seq == self._at:
            return
        changes = self.store.since(self._at) if self._at >= 0 else None
        if changes is None or not all(self._take(op) for change in changes for op in change.ops):
            self._read_anew(records)
        elif changes:
            seq = changes[-1].seq
        self._at, self._all = seq, None

    def _resolve_messages(self, keys: Iterable[str]) -> tuple[Message, ...]:
        """Return messages by their keys, with their marks."""
        for key in keys:
            if key in self._noted:
                mark = self._noted.pop(key)
                is_read, flag = bool(mark.get("read")), str(mark.get("flag", ""))
                self._by_id[key] = replace(self._by_id[key], read=is_read, flag=flag)
        return tuple(map(self._by_id.__getitem__, keys))

    def _read_anew(self, collections: Collections) -> None:
        for index in (
            self._by_id,
            self._noted,
            self._sent,
            self._unread,
            self._threads,
            self._subscriptions,
            self._dated,
        ):
            index.clear()
        for section in (_MESSAGES, _MARKS):
            for key, record in collections.get(section, {}).items():
                self._take(Put(section, key, record))

    def _take(self, op: Op) -> bool:
        """Apply a written operation; return whether that is possible: a removal or move requires a full reload."""
        if not isinstance(op, Put):
            return False
        if op.collection == _MESSAGES:
            sent = self._sent.pop(op.key, None)
            is_read = self._place(
                op.key, MESSAGES.read(op.key, op.value) if sent is None or op.key in self._by_id else sent
            )
        elif op.key in self._by_id:
            self._noted[op.key] = op.value
            is_read = bool(op.value.get("read"))
        else:
            return True
        if is_read:
            self._unread.pop(op.key, None)
            if not self._unread:
                self._unread.clear()  # a dict that only lost its keys is walked through as if it had them
        else:
            self._unread[op.key] = None
        return True

    def _place(self, key: str, message: Message) -> bool:
        """Put a message where it is found, in place of an earlier version; return whether it was read."""
        if key in self._by_id:
            (known,) = self._resolve_messages([key])
            self._threads[known.thread].pop(key, None)
            self._subscriptions.pop(key, None)
            self._dated.pop(key, None)
            message = replace(message, read=message.read or known.read, flag=known.flag)
        self._by_id[key] = message
        self._threads.setdefault(message.thread, {})[key] = None
        if message.performative == "SUBSCRIBE":
            self._subscriptions[key] = None
        if message.reply_by:
            self._dated[key] = None
        return message.read


def _later(changes: Iterable[JournalChange] | None, records: Mapping[str, Any], thread: str) -> list[Message]:
    """Return the messages of later transactions in a conversation; all of it if the later ones are unknown."""
    if changes is None:
        found = [MESSAGES.read(*item) for item in records.items()]
    else:
        puts = (op for change in changes for op in change.ops)
        found = [MESSAGES.read(op.key, op.value) for op in puts if isinstance(op, Put) and op.collection == _MESSAGES]
    return [one for one in found if one.thread == thread]


def _same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(name) == other.get(name) for name in ("from", "performative", "content"))


def open_inbox(directory: Path, sync: Sync) -> Inbox:
    """Return the inbox of the agent in `directory`; nothing is created until the first message."""
    return Inbox(MESSAGES.open(directory, sync))
