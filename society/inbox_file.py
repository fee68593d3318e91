"""How an inbox stands on disk: messages that are never written twice, and beside them what their reader notes."""

from pathlib import Path
from typing import Any

from mabos.workspace.documents import JsonCodec
from mabos.workspace.operations import Collections
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync

MESSAGES, MARKS = "messages", "marks"
_NOTED = ("read", "flag")


class InboxCodec(JsonCodec):
    """`inbox.json` as two collections: the messages, and by id whether they were read and why they were set aside.

    People find both in one record, as S3 section 9.2 prints it, and may edit either.
    """

    def home(self, collection: str) -> str:
        """Return the one file."""
        return self.files[0] if collection == MARKS else super().home(collection)

    def empty(self, name: str) -> Collections:
        """Return both collections, without records."""
        return {**super().empty(name), MARKS: {}}

    def decode(self, name: str, text: str) -> Collections:
        """Return the messages apart from what is noted of them."""
        found = super().decode(name, text)
        noted = {key: _mark(record) for key, record in found[MESSAGES].items()}
        found[MESSAGES] = {
            key: {name: value for name, value in record.items() if name not in _NOTED}
            for key, record in found[MESSAGES].items()
        }
        found[MARKS] = {key: mark for key, mark in noted.items() if mark}
        return found

    def encode(self, name: str, collections: Collections, version: int) -> str:
        """Return the indented text, with what is noted in the messages."""
        marks = collections.get(MARKS, {})
        records = collections.get(MESSAGES, {}).items()
        shown = {key: {"read": False, **record, **marks.get(key, {})} for key, record in records}
        return super().encode(name, {MESSAGES: shown}, version)

    def admit(self, collection: str, key: str, value: Any) -> Any:
        """Return a record with its key; what is noted of a message is taken as it is."""
        return value if collection == MARKS else super().admit(collection, key, value)


def _mark(record: dict[str, Any]) -> dict[str, Any]:
    return {name: record[name] for name in _NOTED if record.get(name)}


def inbox_file(directory: Path, sync: Sync) -> Store:
    """Return the store of `inbox.json` in an agent's folder, with its journal beside it."""
    codec = InboxCodec("inbox.json", [MESSAGES], root="array")
    return Store(directory, codec, journal="inbox.journal.jsonl", sync=sync)
