"""The rules of the three stores: capacity, expiry and moves between stores (S0 section 5)."""

from bisect import insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import compress, filterfalse
from operator import attrgetter, is_not

from mabos.configs.errors import unknown
from mabos.configs.settings import MemorySettings
from mabos.memory.consolidation import MERGED, Promotion, copy_of, promote, qualifies
from mabos.memory.experience import NewItem
from mabos.memory.model import MemoryItem, StoreName
from mabos.memory.shelf import Shelf
from mabos.workspace.clock import iso
from mabos.workspace.copies import replace
from mabos.workspace.store import Drop, Op, Put

_IMPORTANCE = attrgetter("importance", "created_at")
_RANK: dict[StoreName, int] = {"short_term": 0, "working": 1, "long_term": 2}


class StoresDraft:
    """The three stores during one transaction; nothing is written before `ops`.

    Unwritten recalls are part of it, so that decisions see them and they are written along.
    """

    def __init__(self, shelf: Shelf, settings: MemorySettings, now: datetime, new_id: Callable[[], str]) -> None:
        self._shelf = shelf
        self._settings = settings
        self._now = now
        self._new_id = new_id
        self._added: dict[str, MemoryItem] = {}
        self._fresh: dict[tuple[str, str], str] = {}
        self.working = self._load_items("working")
        self.short_term = self._load_items("short_term")
        self._before = (dict(self.working), dict(self.short_term))
        self._ranked: list[MemoryItem] | None = None
        self.logged: list[tuple[MemoryItem, StoreName]] = []
        self.expired = self._expire()

    def remember(self, wanted: NewItem) -> MemoryItem:
        """Return the item for `wanted`: an existing one, or a new one, moving others to make room.

        A known item is raised to the greater importance and the more permanent store, and gains tags; it never loses
        any.
        """
        known_id = self._fresh.get((wanted.type, wanted.content)) or self._shelf.same(wanted.type, wanted.content)
        known = self._find(known_id) if known_id is not None else None
        if known is not None:
            return self._superseding(self._strengthen(known, wanted), wanted.supersedes)
        item = MemoryItem(
            id=self._new_id(),
            content=wanted.content,
            type=wanted.type,
            importance=wanted.importance,
            source=wanted.source,
            tags=wanted.tags,
            created_at=wanted.created_at,
            accessed_at=wanted.created_at,
            evidence=wanted.evidence,
        )
        self._place(item, wanted.store)
        self._fresh[(item.type, item.content)] = item.id
        self.logged.append((item, wanted.store))
        return self._superseding(item, wanted.supersedes)

    @property
    def new(self) -> int:
        """The number of stored items that were new."""
        return len(self._fresh)

    def _superseding(self, item: MemoryItem, older: Sequence[str]) -> MemoryItem:
        """Return `item` as the correction of the `older` items, which keep their place and name it."""
        new = [one for one in older if one not in item.supersedes]
        if not new:
            return item
        for item_id in new:
            found = self._find(item_id)
            if found is None or item_id == item.id:
                raise unknown("other memory item", item_id, self._shelf.where, argument="supersedes")
            for version in self._versions(found):
                self._put(replace(version, superseded_by=item.id))
        item = replace(item, supersedes=(*item.supersedes, *new))
        self._put(item)
        return item

    def _versions(self, item: MemoryItem) -> list[MemoryItem]:
        """Return an item and its copy in another store: an item promoted from working is in both."""
        others = [*self.working.values(), self._find(item.consolidated_into)]
        same = (item.type, item.content)
        return [item, *(one for one in others if one and one.id != item.id and (one.type, one.content) == same)]

    def _put(self, item: MemoryItem) -> None:
        """Replace an item with its new form in the same store."""
        places = {"working": self.working, "short_term": self.short_term, "long_term": self._added}
        places[self._store_of(item.id)][item.id] = item
        self._ranked = None

    def _load_items(self, name: StoreName) -> dict[str, MemoryItem]:
        items = self._shelf.items(name)
        if not self._shelf.accesses:
            return dict(items)
        return {key: self._shelf.counted(item) for key, item in items.items()}

    def _expire(self) -> list[MemoryItem]:
        due = select_expired(self.short_term.values(), self._now, self._settings.short_term_ttl_hours)
        if not due:
            return due
        kept = [item for item in due if self._qualifies(item)]
        for item in due:
            del self.short_term[item.id]
        threshold = self._settings.grouping_jaccard
        self.promote(promote(kept, threshold=threshold, summarize=True, new_id=self._new_id, now=iso(self._now)))
        return due

    def still_has(self, sources: Iterable[MemoryItem]) -> bool:
        """Return whether all `sources` are still in their store, and not yet promoted."""
        for source in sources:
            item = self.short_term.get(source.id) or self.working.get(source.id)
            if item is None and source.source == MERGED:
                item = self._find(source.id)
            if item is None or item.consolidated_into or item.superseded_by:
                return False
        return True

    def promote(self, promotions: Iterable[Promotion]) -> list[MemoryItem]:
        """Put promoted items into long-term; their sources leave short-term, or stay in working memory with a mark.

        A source that was in long-term is superseded there.
        """
        promoted = []
        for promotion in promotions:
            item = promotion.item
            if not promotion.merged and item.id in self.working:
                item = copy_of(item, self._new_id())
            older = [source.id for source in promotion.sources if self._shelf.where.get(source.id) == "long_term"]
            for source in promotion.sources:
                self.short_term.pop(source.id, None)
                if source.id in self.working:
                    self.working[source.id] = replace(self.working[source.id], consolidated_into=item.id)
            self._added[item.id] = item
            item = self._superseding(item, older)
            if promotion.merged:
                self.logged.append((item, "long_term"))
            promoted.append(item)
        return promoted

    def ops(self) -> list[Op]:
        """Return the changes to write; recalls alone do not cause a write."""
        if not self._added and (self.working, self.short_term) == self._before:
            return []
        return [*self._ops("working", self.working), *self._ops("short_term", self.short_term), *self._long_term_ops()]

    def _qualifies(self, item: MemoryItem) -> bool:
        chosen = qualifies(item, self._settings.consolidate_min_importance, self._settings.consolidate_min_access)
        return chosen and not (item.consolidated_into or item.superseded_by)

    def _find(self, item_id: str) -> MemoryItem | None:
        for items in (self.working, self.short_term, self._added):
            if item_id in items:
                return items[item_id]
        return self._shelf.item(item_id) if self._shelf.where.get(item_id) == "long_term" else None

    def _store_of(self, item_id: str) -> StoreName:
        if item_id in self.working:
            return "working"
        return "short_term" if item_id in self.short_term else "long_term"

    def _strengthen(self, known: MemoryItem, wanted: NewItem) -> MemoryItem:
        there = self._store_of(known.id)
        importance = max(known.importance, wanted.importance)
        tags = tuple(dict.fromkeys((*known.tags, *wanted.tags)))
        evidence = tuple(dict.fromkeys((*known.evidence, *wanted.evidence)))
        item = replace(known, importance=importance, tags=tags, evidence=evidence)
        target = wanted.store if _RANK[wanted.store] > _RANK[there] else there
        if item == known and target == there:
            return known
        self.working.pop(item.id, None)
        self.short_term.pop(item.id, None)
        self._place(item, target)
        return item

    def _place(self, item: MemoryItem, store: StoreName) -> None:
        if store == "long_term":
            self._added[item.id] = item
        elif store == "short_term":
            self._shelve(item)
        else:
            self.working[item.id] = item
            while len(self.working) > self._settings.working_capacity:
                others = (one for one in self.working.values() if one.id != item.id)
                demoted = min(others, key=attrgetter("accessed_at", "created_at"))
                del self.working[demoted.id]
                self._shelve(demoted)

    def _shelve(self, item: MemoryItem) -> None:
        """Put an item into short-term, from which the least important leaves where it is full."""
        while len(self.short_term) >= self._settings.short_term_capacity:
            if self._ranked is None:  # once for all that a draft makes room for
                self._ranked = sorted(self.short_term.values(), key=_IMPORTANCE)
            least = self._ranked.pop(0)
            if self.short_term.get(least.id) is least:
                del self.short_term[least.id]
        self.short_term[item.id] = item
        if self._ranked is not None:
            insort(self._ranked, item, key=_IMPORTANCE)

    def _ops(self, name: StoreName, items: dict[str, MemoryItem]) -> Iterator[Op]:
        written = self._shelf.items(name)
        yield from (Drop(name, key) for key in filterfalse(items.__contains__, written))
        is_new = map(is_not, items.values(), map(written.get, items))
        yield from (Put(name, key, self._shelf.record(items[key])) for key in compress(items, is_new))

    def _long_term_ops(self) -> Iterator[Op]:
        shelf, here = self._shelf, self._shelf.raw["long_term"]
        recalled = {key: shelf.counted(shelf.plain(key)) for key in shelf.accesses if key in here}
        yield from (Put("long_term", key, shelf.record(item)) for key, item in {**recalled, **self._added}.items())


def select_expired(short_term: Iterable[MemoryItem], now: datetime, ttl_hours: float) -> list[MemoryItem]:
    """Return the items created at least `ttl_hours` ago."""
    latest = iso(now - timedelta(hours=ttl_hours))
    return [item for item in short_term if item.created_at and item.created_at <= latest]
