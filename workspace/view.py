"""A typed view of a store: frozen dataclasses, converted only when a record changes.

    facts = View(store, Fact)                   # damage is refused: reading raises `Damaged`
    facts = View(store, Fact, skips=True)       # damage is left out, and `problems` reports it

A subclass that keeps an index overrides `changed`; `store.companion(FactIndex)` gives the one that belongs to a store.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from mabos.configs.errors import Damaged, unknown
from mabos.workspace.operations import Arrange, Collections, Drop, Op, Put
from mabos.workspace.records import Damage, Declaration, declaration
from mabos.workspace.store import Store

R = TypeVar("R")
V = TypeVar("V")


class StoreFollower:
    """A follower of all writes to some collections of a store, record by record.

    Threads share a follower. To iterate over its data, hold `lock`, which is the store's own.
    """

    def __init__(self, store: Store, collections: Iterable[str]) -> None:
        self.store = store
        self.lock = store.lock
        self.raw: dict[str, dict[str, Any]] = {name: {} for name in collections}
        self.seq = -1

    def apply_change(self, collection: str, key: str, old: Any, new: Any) -> None:
        """Handle the change of a record, None for a missing one; for subclasses."""

    def follow(self) -> None:
        """Read all writes since the last call."""
        with self.lock:
            self.store.refresh()
            changes = self.store.since(self.seq) if self.seq >= 0 else None
            if changes is None or any(isinstance(op, Arrange) for change in changes for op in change.ops):
                # The sequence first: what is written between the two lines is then taken over once more, not missed.
                seq = self.store.seq
                self._compare(self.store.read())
                self.seq = seq
                return
            for change in changes:
                for op in change.ops:
                    if isinstance(op, Put | Drop):
                        self._set(op.collection, op.key, op.value if isinstance(op, Put) else None)
                self.seq = change.seq

    def commit(self, change: Callable[[], Sequence[Op]], *, note: Mapping[str, Any] | None = None) -> int:
        """Write the operations that `change` returns for the current records, under the lock; return the sequence."""

        def decide(_: Collections) -> Sequence[Op]:
            self.follow()
            return change()

        with self.lock:
            seq = self.store.commit(decide, note=note)
            self.follow()
            return seq

    def _compare(self, now: Collections) -> None:
        for name, known in self.raw.items():
            current = now.get(name, {})
            for key in [key for key in known if key not in current]:
                self._set(name, key, None)
            for key, value in current.items():
                if known.get(key) is not value:
                    self._set(name, key, value)
            if list(known) != list(current):  # brought into another order by hand
                ordered = {key: known[key] for key in current}
                known.clear()
                known.update(ordered)

    def _set(self, collection: str, key: str, value: Any) -> None:
        raw = self.raw.get(collection)
        if raw is None:  # another kind's, or what else a person keeps in the file
            return
        old = raw.get(key)
        if value is None:
            raw.pop(key, None)
        else:
            raw[key] = value
        if old is not None or value is not None:
            self.apply_change(collection, key, old, value)


class View(StoreFollower, Generic[R]):
    """The records of one kind in one store, as frozen dataclasses: `records[collection][key]`."""

    def __init__(self, store: Store, kind: type[R], *, skips: bool = False) -> None:
        self.declared: Declaration[R] = declaration(kind)
        super().__init__(store, self.declared.collections)
        self.collection = self.declared.collections[0]
        self.records: dict[str, dict[str, R]] = {name: {} for name in self.declared.collections}
        self._skips = skips
        self._damaged: dict[tuple[str, str], Damaged] = {}
        self._all: tuple[R, ...] | None = None

    # --- reading

    def all(self) -> tuple[R, ...]:
        """Return every record of the first collection, oldest first."""
        with self.lock:
            self.follow()
            if self._all is None:
                records = self.records[self.collection]
                self._all = tuple(records[key] for key in self.raw[self.collection] if key in records)
            return self._all

    def find(self, key: str) -> R | None:
        """Return the record with this id, or None; takes constant time."""
        if self.seq < 0:
            found = self.store.read().get(self.collection, {}).get(key)
            return None if found is None else self.declared.read(key, found)
        with self.lock:
            super().follow()
            if not self._skips and (damaged := self._damaged.get((self.collection, key))):
                raise damaged
            return self.records[self.collection].get(key)

    def one(self, key: str) -> R:
        """Return the record with this id; raises `UnknownId` with the nearest id."""
        found = self.find(key)
        if found is None:
            raise self._unknown(key, self.store.read())
        return found

    def problems(self) -> tuple[Damage, ...]:
        """Return all damage, including damage that readers tolerate."""
        now = self.store.read()
        found = (
            self.declared.problem(key, record)
            for name in self.declared.collections
            for key, record in now.get(name, {}).items()
        )
        return tuple(one for one in found if one is not None)

    # --- writing

    def save(self, *records: R) -> None:
        """Write records in one transaction; an unchanged record costs nothing."""
        self.store.commit(lambda now: self.puts(now, records))

    def change(self, key: str, change: Callable[[R], R]) -> R:
        """Return a record after `change`, read and written in one transaction; raises `UnknownId`."""
        changed: list[R] = []

        def decide(now: Collections) -> list[Put]:
            found = now.get(self.collection, {}).get(key)
            if found is None:
                raise self._unknown(key, now)
            changed[:] = [change(self.typed(key, found))]
            return self.puts(now, changed)

        self.store.commit(decide)
        return changed[0]

    # --- inside a transaction of the store

    def typed(self, key: str, record: Any, collection: str = "") -> R:
        """Return the typed form of a stored record; free if the view already has it."""
        name = collection or self.collection
        if self.raw[name].get(key) is record and (known := self.records[name].get(key)) is not None:
            return known
        return self.declared.read(key, record)

    def parsed(self, now: Collections) -> dict[str, R]:
        """Return every record visible to a transaction, by id."""
        return {key: self.typed(key, record) for key, record in now.get(self.collection, {}).items()}

    def matching(self, now: Collections, field: str, value: str) -> dict[str, R]:
        """Return the records a transaction sees with this text in a field, in any case; only they are converted."""
        section, wanted = now.get(self.collection, {}), value.casefold()
        return {key: self.typed(key, record) for key, record in section.items() if _has(record, field, wanted)}

    def puts(self, now: Collections, records: Iterable[R]) -> list[Put]:
        """Return the operations that write records; unchanged records are left out."""
        section, found = now.get(self.collection, {}), []
        for key, one in {one.id: one for one in records}.items():  # type: ignore[attr-defined]  # what is saved has an id
            wanted = self.declared.write(one, section.get(key))
            if wanted != section.get(key):
                found.append(Put(self.collection, key, wanted))
        return found

    # --- following the store

    def changed(self, collection: str, old: R | None, new: R | None) -> None:
        """Handle an added, removed or replaced record; for subclasses that keep an index."""

    def follow(self) -> None:
        """Read all new writes; raises `Damaged` for a record, unless the view skips damage."""
        super().follow()
        if self._damaged and not self._skips:
            with self.lock:
                for damaged in self._damaged.values():
                    raise damaged

    def apply_change(self, collection: str, key: str, old: Any, new: Any) -> None:  # noqa: ARG002  # old is known typed
        """Convert the changed record."""
        records = self.records[collection]
        self._all = None
        self._damaged.pop((collection, key), None)
        before, after = records.get(key), None
        if new is not None:
            try:
                after = self.declared.read(key, new)
            except Damaged as damaged:
                self._damaged[collection, key] = damaged
        if after is None:
            records.pop(key, None)
        else:
            records[key] = after
        if before is not None or after is not None:
            self.changed(collection, before, after)

    def _compare(self, now: Collections) -> None:
        super()._compare(now)
        for name, records in self.records.items():
            if list(records) != list(self.raw[name]):
                self.records[name] = {key: records[key] for key in self.raw[name] if key in records}
                self._all = None

    def _unknown(self, key: str, now: Collections) -> Exception:
        return unknown(self.declared.noun, key, now.get(self.collection, {}), argument=self.declared.argument)


def _has(record: Any, field: str, folded: str) -> bool:
    return isinstance(record, Mapping) and str(record.get(field, "")).strip().casefold() == folded
