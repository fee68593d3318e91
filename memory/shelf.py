"""One agent's items beside its open document: typed, indexed by content and words, with recalls still to write."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

from memory.findable import of_item
from memory.mirror import Mirror
from memory.model import MEMORY_TYPES, STORES, MemoryItem, StoreName, as_record, from_record
from memory.passages import Passages, bare, ids_in
from memory.words import Words
from workspace.indexer import Row
from workspace.store import Op, Put, Store

KIND = "memory"
"""The kind under which items stand in the text index."""
_INDEXED = ("type", "importance", "source", "created_at", "derived_from")
_KNOWN = frozenset(
    (*as_record(MemoryItem("", "")), "derived_from", "evidence", "consolidated_into", "supersedes", "superseded_by")
) | {"tier", "timestamp"}


@dataclass(frozen=True, slots=True)
class Access:
    """How often an item was recalled since the last write, and when last."""

    count: int
    at: str


class Shelf(Mirror[MemoryItem]):
    """The items of one store. Recalls only count here until something is written: a recall costs no write."""

    def __init__(self) -> None:
        super().__init__()
        self.records = {name: {} for name in STORES}
        self.where: dict[str, StoreName] = {}
        self.accesses: dict[str, Access] = {}
        self.materialised = -1
        self._by_content: dict[tuple[str, str], str] = {}
        self.passages: Passages | None = None
        self.index_answered = False
        self._words: Words | None = None

    def convert(self, collection: str, key: str, value: Any) -> MemoryItem:  # noqa: ARG002  # the same in every store
        """Return the item in a record."""
        return from_record(key, value)

    def changed(self, collection: str, old: MemoryItem | None, new: MemoryItem | None) -> None:
        """Keep the indexes in step; an item that moves may come to one store before it leaves the other."""
        name = next((store for store in STORES if store == collection), None)
        if name is None:
            return
        if old is not None and new is None and self.where.get(old.id) == name:
            self._forget(old)
        if new is not None:
            self.where[new.id] = name
            if new.superseded_by:
                self._unlist(new)
                return
            self._by_content[(new.type, new.content)] = new.id
            if self._words is not None:
                self._words.add(of_item(new))

    def _forget(self, item: MemoryItem) -> None:
        del self.where[item.id]
        self.accesses.pop(item.id, None)
        self._unlist(item)

    def _unlist(self, item: MemoryItem) -> None:
        """Have an item found no more, neither by its words nor as known content."""
        if self._by_content.get((item.type, item.content)) == item.id:
            del self._by_content[(item.type, item.content)]
        if self._words is not None:
            self._words.drop(item.id)

    @property
    def has_words(self) -> bool:
        """Whether the words have been gathered already."""
        return self._words is not None

    @property
    def words(self) -> Words:
        """The words of all items, gathered when first asked for."""
        if self._words is None:
            items = (item for name in STORES for item in self.records[name].values())
            self._words = Words(of_item(item) for item in items if not item.superseded_by)
        return self._words

    def is_copy(self, line: str) -> bool:
        """Return whether a line of a file only repeats an item that is in a store."""
        if any(item_id in self.where for item_id in ids_in(line)):
            return True
        said = bare(line)
        return bool(said) and any((kind, said) in self._by_content for kind in MEMORY_TYPES)

    def item(self, item_id: str) -> MemoryItem | None:
        """Return an item with the recalls not yet written, or None."""
        return self.counted(self.plain(item_id)) if item_id in self.where else None

    def plain(self, item_id: str) -> MemoryItem:
        """Return an item that is there, as it was last written."""
        return self.records[self.where[item_id]][item_id]

    def counted(self, item: MemoryItem) -> MemoryItem:
        """Return `item` with the recalls not yet written."""
        access = self.accesses.get(item.id)
        if access is None:
            return item
        return replace(item, access_count=item.access_count + access.count, accessed_at=access.at)

    def same(self, kind: str, content: str) -> str | None:
        """Return the id of the item with this type and content, or None."""
        return self._by_content.get((kind, content))

    def record(self, item: MemoryItem) -> dict[str, Any]:
        """Return what to write for `item`: its own fields, and what a person added to its record."""
        name = self.where.get(item.id)
        before = self.raw[name][item.id] if name is not None else {}
        return {**as_record(item), **{key: value for key, value in before.items() if key not in _KNOWN}}

    def recalled(self, item_id: str, at: str) -> None:
        """Count a recall."""
        access = self.accesses.get(item_id)
        self.accesses[item_id] = Access(1 if access is None else access.count + 1, at)

    def ops(self) -> list[Op]:
        """Return the recalls not yet written, as changes."""
        items = [self.item(item_id) for item_id in self.accesses]
        return [Put(self.where[item.id], item.id, self.record(item)) for item in items if item is not None]


_shelves: WeakKeyDictionary[Store, Shelf] = WeakKeyDictionary()


def shelf_of(store: Store) -> Shelf:
    """Return the one shelf beside `store`; it goes when the store does."""
    return _shelves.setdefault(store, Shelf())


def settle(store: Store) -> None:
    """Write the recalls that have only been counted: for the host, before it closes `store`."""
    shelf = shelf_of(store)
    with shelf.lock:
        if shelf.accesses:
            shelf.commit(store, shelf.ops)
            shelf.accesses.clear()


def rows(agent_id: str) -> Callable[[str, str, Any], Row | None]:
    """Return what an agent's items give to the text index."""

    def row(collection: str, key: str, record: Any) -> Row | None:
        if collection not in STORES:
            return None
        item = from_record(key, record)
        if item.superseded_by:
            return None
        fields = {"store": collection, **{name: value for name, value in as_record(item).items() if name in _INDEXED}}
        return Row(KIND, item.id, agent_id, item.content, item.tags, fields)

    return row
