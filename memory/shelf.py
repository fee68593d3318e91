"""The items of one agent's open document: typed, indexed by content and words, with recalls still to be written."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mabos.memory.consolidation import MERGED
from mabos.memory.findable import of_item
from mabos.memory.model import ITEMS, MEMORY_TYPES, STORES, MemoryItem, StoreName
from mabos.memory.passages import bare, ids_in, refresh
from mabos.memory.texts import Texts
from mabos.memory.words import Words
from mabos.workspace.copies import replace
from mabos.workspace.indexer import TextRow
from mabos.workspace.store import Drop, Op, Put, Store
from mabos.workspace.view import StoreFollower

KIND = "memory"
"""The kind under which items stand in the text index."""
_FILE = "words.sqlite"
_AT = "items"
_STORES: dict[str, StoreName] = {name: name for name in STORES}


@dataclass(frozen=True, slots=True)
class Access:
    """An item's recalls since the last write: their number and the latest time."""

    count: int
    at: str


class Shelf(StoreFollower):
    """The items of one store. Recalls are only counted here until the next write, so a recall costs no write.

    A record is parsed when first read; the words of all items are in a file next to the store.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store, STORES)
        self.where: dict[str, StoreName] = {}
        self.accesses: dict[str, Access] = {}
        self.materialised = -1
        self._items: dict[str, tuple[Any, MemoryItem]] = {}
        self._listed: dict[StoreName, dict[str, MemoryItem]] = {name: {} for name in STORES}
        self._unlisted: dict[StoreName, dict[str, None]] = {name: {} for name in STORES}
        self._by_content: dict[tuple[str, str], str] = {}
        self._alike: dict[tuple[str, str], dict[str, None]] = {}  # the others that say the same, as a promoted copy
        self._merged: set[str] = set()
        self._words: Words | None = None

    def apply_change(self, collection: str, key: str, old: Any, new: Any) -> None:
        """Keep the indexes in step; a moved item may enter one store before it leaves the other."""
        name = _STORES[collection]
        if old is not None:
            if new is None:
                self._listed[name].pop(key, None)
                self._unlisted[name].pop(key, None)
            if self.where.get(key) == name:
                self._forget(key, old)
                if new is None:
                    del self.where[key]
                    self.accesses.pop(key, None)
                    self._items.pop(key, None)
        if new is not None:
            self._unlisted[name][key] = None
            self.where[key] = name
            if not new.get("superseded_by"):
                said = _content_key(new)
                before, self._by_content[said] = self._by_content.get(said, key), key
                if before != key:
                    self._alike.setdefault(said, {})[before] = None
                if new.get("source") == MERGED and name == "long_term":
                    self._merged.add(key)

    def _forget(self, key: str, record: Any) -> None:
        said = _content_key(record)
        others = self._alike.get(said, {})
        others.pop(key, None)
        if self._by_content.get(said) == key:
            del self._by_content[said]
            if others:
                self._by_content[said], _ = others.popitem()
        if not others:
            self._alike.pop(said, None)
        self._merged.discard(key)

    def words(self, directory: Path) -> Words:
        """Return the current words of all items and of the agent's files.

        Everything written since the last call, by any process, is read first; if the file was lost, all of it. Raises
        `sqlite3.Error` if the file is out of reach.
        """
        if self._words is None:
            self._words = Words(path=self.store.derived / _FILE)
        texts = self._words.texts
        texts.refresh()
        at = f"{self.store.generation} {self.seq}"
        if (before := texts.marks.get(_AT, "0 -1")) != at:
            due = self._due(texts, before)
            here = {key: None for key in due if key in self.where and not self.plain(key).superseded_by}
            texts.take((of_item(self.plain(key)) for key in here), [key for key in due if key not in here], {_AT: at})
        refresh(directory, texts)
        return self._words

    def has_words(self) -> bool:
        """Return whether the word index was ever used, in this process or before."""
        return self._words is not None or (self.store.derived / _FILE).exists()

    def forget_words(self) -> None:
        """Discard a damaged file; it is rebuilt at next use."""
        if self._words is not None:
            self._words.texts.catalogue.remove()
            self._words = None

    def _due(self, texts: Texts, mark: str) -> list[str]:
        """Return the keys that may have been added, changed or removed since a mark was written."""
        generation, seq = map(int, mark.split())
        is_before = generation <= self.store.generation and 0 <= seq <= self.seq
        changes = self.store.since(seq) if is_before else None
        if changes is None:
            return list(dict.fromkeys([*self.where, *texts.catalogue.item_ids()]))
        return list({op.key: None for change in changes for op in change.ops if isinstance(op, Put | Drop)})

    def is_copy(self, line: str) -> bool:
        """Return whether a line of a file only repeats a stored item."""
        if any(item_id in self.where for item_id in ids_in(line)):
            return True
        said = bare(line)
        return bool(said) and any((kind, said) in self._by_content for kind in MEMORY_TYPES)

    def item(self, item_id: str) -> MemoryItem | None:
        """Return an item with its unwritten recalls, or None."""
        return self.counted(self.plain(item_id)) if item_id in self.where else None

    def plain(self, item_id: str) -> MemoryItem:
        """Return an existing item in its last written form."""
        return self._item(item_id, self.raw[self.where[item_id]][item_id])

    def items(self, name: StoreName) -> Mapping[str, MemoryItem]:
        """Return the items of one store in order, in their last written form; do not change them."""
        listed, due = self._listed[name], self._unlisted[name]
        if due:
            records = self.raw[name]
            listed.update([(key, self._item(key, records[key])) for key in due])
            due.clear()
        return listed

    def _item(self, key: str, record: Any) -> MemoryItem:
        known = self._items.get(key)
        if known is None or known[0] is not record:
            known = self._items[key] = (record, ITEMS.read(key, record))
        return known[1]

    def counted(self, item: MemoryItem) -> MemoryItem:
        """Return `item` with its unwritten recalls."""
        access = self.accesses.get(item.id)
        if access is None:
            return item
        return replace(item, access_count=item.access_count + access.count, accessed_at=access.at)

    def merged(self) -> list[MemoryItem]:
        """Return the consolidated long-term items that are not superseded, by id."""
        return [self.counted(self.plain(key)) for key in sorted(self._merged)]

    def same(self, kind: str, content: str) -> str | None:
        """Return the id of the item with this type and content, or None."""
        return self._by_content.get((kind, content))

    def record(self, item: MemoryItem) -> dict[str, Any]:
        """Return the record to write for `item`: its own fields, and a person's additions to its record."""
        name = self.where.get(item.id)
        return ITEMS.write(item, None if name is None else self.raw[name][item.id])

    def record_recall(self, item_id: str, at: str) -> None:
        """Count a recall."""
        access = self.accesses.get(item_id)
        self.accesses[item_id] = Access(1 if access is None else access.count + 1, at)

    def ops(self) -> list[Op]:
        """Return the unwritten recalls as changes."""
        items = [self.item(item_id) for item_id in self.accesses]
        return [Put(self.where[item.id], item.id, self.record(item)) for item in items if item is not None]


def _content_key(record: Any) -> tuple[str, str]:
    """Return type and content of a record, by which an item is known again."""
    return str(record.get("type") or "observation"), str(record.get("content", ""))


def settle(store: Store) -> None:
    """Write the counted recalls; the host calls this before it closes `store`."""
    shelf = store.companion(Shelf)
    with shelf.lock:
        if shelf.accesses:
            shelf.commit(shelf.ops)
            shelf.accesses.clear()


def rows(agent_id: str) -> Callable[[str, str, Any], TextRow | None]:
    """Return the mapper from an agent's items to text index rows."""

    def row(collection: str, key: str, record: Any) -> TextRow | None:
        if collection not in STORES:
            return None
        item = ITEMS.read(key, record)
        if item.superseded_by:
            return None
        return TextRow(KIND, item.id, agent_id, item.content, item.tags)

    return row
