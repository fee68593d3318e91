"""Typed records of a document, kept in step with it by converting only what changed.

A handle that an agent gets is made anew for every call; what is dear to make, the typed records and the indexes over
them, lives here, once beside each open store.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from threading import RLock
from typing import Any, Generic, TypeVar

from mabos.workspace.documents import EXTRA
from mabos.workspace.store import Drop, Op, Put, Store

Record = TypeVar("Record")


class Mirror(ABC, Generic[Record]):
    """The records of one store as `records[collection][key]`; subclasses index them in `changed`.

    Callers hold `lock` while they read.
    """

    def __init__(self) -> None:
        self.lock = RLock()
        self.records: dict[str, dict[str, Record]] = {}
        self.raw: dict[str, dict[str, Any]] = {}
        self.seq = -1

    @abstractmethod
    def convert(self, collection: str, key: str, value: Any) -> Record:
        """Return the typed form of one record of the document."""

    def changed(self, collection: str, old: Record | None, new: Record | None) -> None:
        """Take note that a record came, went or became another one."""

    def follow(self, store: Store) -> None:
        """Take over what has been written to `store` since the last time, by anyone."""
        with self.lock:
            store.refresh()
            changes = store.since(self.seq) if self.seq >= 0 else None
            if changes is None:
                # The sequence first: what is written between the two lines is then taken over once more, not missed.
                seq = store.seq
                self._compare(store.read())
                self.seq = seq
                return
            for change in changes:
                for op in change.ops:
                    if isinstance(op, Put):
                        self._set(op.collection, op.key, op.value)
                    elif isinstance(op, Drop):
                        self._set(op.collection, op.key, None)
                self.seq = change.seq

    def commit(self, store: Store, change: Callable[[], Sequence[Op]], *, note: Mapping[str, Any] | None = None) -> int:
        """Write what `change` decides on the records as they are while no one else can write; return the sequence."""

        def decide(_: object) -> Sequence[Op]:
            self.follow(store)
            return change()

        with self.lock:
            seq = store.commit(decide, note=note)
            self.follow(store)
            return seq

    def _compare(self, collections: Mapping[str, Mapping[str, Any]]) -> None:
        for name in {**self.raw, **collections}:
            current, known = collections.get(name, {}), self.raw.get(name, {})
            for key in [key for key in known if key not in current]:
                self._set(name, key, None)
            for key, value in current.items():
                if known.get(key) is not value:
                    self._set(name, key, value)

    def _set(self, collection: str, key: str, value: Any) -> None:
        if collection == EXTRA:  # what else a person keeps in the file is no record
            return
        raw = self.raw.get(collection)
        if raw is None:
            raw = self.raw[collection] = {}
            self.records.setdefault(collection, {})
        records = self.records[collection]
        if value is None:
            raw.pop(key, None)
            old, new = records.pop(key, None), None
        else:
            old, new = records.get(key), self.convert(collection, key, value)
            raw[key], records[key] = value, new
        if old is not None or new is not None:
            self.changed(collection, old, new)
