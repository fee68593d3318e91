"""An agent's memory: the handle for storing and recalling."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from heapq import nlargest
from pathlib import Path
from typing import Any

from mabos.configs.errors import Unavailable, unknown
from mabos.configs.settings import MemorySettings
from mabos.memory import checkpoints, daily, materialise
from mabos.memory.checkpoints import Checkpoint
from mabos.memory.consolidation import Consolidation, Summarise, candidates, promote
from mabos.memory.experience import experience
from mabos.memory.meaning import MeaningIndex
from mabos.memory.model import STORES, MemoryItem, Recollection
from mabos.memory.recall import RecallQuery, Sources, recollect
from mabos.memory.shelf import Shelf, settle
from mabos.memory.stores import StoresDraft, select_expired
from mabos.memory.weights import Preset, RankingWeights, ranking_weights
from mabos.memory.words import Words
from mabos.workspace.clock import Clock, iso
from mabos.workspace.documents import json_document
from mabos.workspace.ids import Ids
from mabos.workspace.store import Op, Store
from mabos.workspace.sync import Sync

_EMBEDDED_TOGETHER = 64
_MOST_ANSWERS = 1_000_000
"""More than any memory has; beyond it a number is too large for what searches."""


def open_memory(directory: Path, *, sync: Sync) -> Store:
    """Return the document `memory-store.json` in an agent's folder."""
    return json_document(directory / "memory-store.json", STORES, sync=sync)


class Memory:
    """The memory of one agent, in three stores. Cheap to create: all state belongs to the open `store`."""

    def __init__(
        self,
        agent_id: str,
        store: Store,
        directory: Path,
        clock: Clock,
        ids: Ids,
        *,
        settings: MemorySettings,
        sync: Sync | None = None,
        meaning: MeaningIndex | None = None,
        preset: Preset = "fusion",
        weights: RankingWeights | None = None,
        clean: Callable[[str], str] = str,
    ) -> None:
        self.agent_id = agent_id
        self.directory = directory
        self._store = store
        self._clock = clock
        self._ids = ids
        self._settings = settings
        self._sync = sync
        self._meaning = meaning
        self._preset = preset
        self._weights = weights or ranking_weights()
        self._clean = clean

    def store(
        self,
        content: str,
        *,
        type: str = "observation",  # noqa: A002  # the field's name in S0
        importance: float = 0.5,
        source: str = "manual",
        tags: Sequence[str] = (),
        store: str = "short_term",
        evidence: Sequence[str] = (),
        created_at: str = "",
        supersedes: Sequence[str] = (),
    ) -> MemoryItem:
        """Store a memory and return its item; an existing item of the same content and type is returned instead.

        Storing known content with greater importance or for a more permanent store upgrades it. A correction
        `supersedes` the items it names: they are kept, but never recalled.
        """
        fields = {"type": type, "importance": importance, "source": source, "tags": tags, "store": store}
        more = {"evidence": evidence, "created_at": created_at, "supersedes": supersedes}
        return self.store_many([{"content": content, **more, **fields}])[0]

    def store_many(self, items: Iterable[Mapping[str, Any]]) -> list[MemoryItem]:
        """Store several memories in one write and return their items; each is a mapping of the fields of `store`."""
        stored, _ = self._remember_items(items)
        return stored

    def remember(self, items: Iterable[Mapping[str, Any]]) -> int:
        """Store several memories as `store_many` does and return how many were new."""
        _, new = self._remember_items(items)
        return new

    def __contains__(self, item_id: str) -> bool:
        """Return whether an item with this id is remembered, superseded or not."""
        with self._current() as shelf:
            return item_id in shelf.where

    def item(self, item_id: str) -> MemoryItem:
        """Return an item of the stores; raises `UnknownId`."""
        with self._current() as shelf:
            found = shelf.item(item_id)
            if found is None:
                raise unknown("memory item", item_id, shelf.where, argument="item_id")
            return found

    def recall(
        self,
        query: str = "",
        *,
        limit: int | None = None,
        type: str = "",  # noqa: A002  # the field's name in S0
        store: str = "all",
        min_importance: float = 0.0,
        recursive_depth: int = 0,
    ) -> Recollection:
        """Return the hits for `query`, best first; without a query, important and recent items.

        Hits are items, and also passages of files unless a filter allows only items. `limit` is the maximum, by default
        from the settings. `recursive_depth` (at most 3) adds texts linked to the first answers, pass by pass. A recall
        counts as an access to every item it returns.
        """
        now = self._clock()
        self._expire_due(now)
        depth = max(0, min(recursive_depth, self._settings.recall_max_depth))
        most = self._settings.recall_limit if limit is None else min(limit, _MOST_ANSWERS)
        asked = RecallQuery(query, most, depth, type, store, min_importance, now)
        sources = Sources(self._store, self.directory, self._meaning, self._preset, self._weights)
        with self._current() as shelf:
            return recollect(shelf, asked, sources)

    def embed(self, limit: int | None = None) -> int:
        """Embed at most `limit` texts without a vector; return how many, 0 without an embedder.

        Concurrent stores and recalls do not wait for it. Raises `Unavailable` if the embedder or the file of words is
        out of reach.
        """
        meaning, done = self._meaning, 0
        while meaning is not None and (limit is None or done < limit):
            with self._open_words() as words:
                meaning.take(words)
                texts = meaning.due(_EMBEDDED_TOGETHER if limit is None else min(limit - done, _EMBEDDED_TOGETHER))
            if not texts:
                break
            vectors = meaning.embedded(texts)
            with self._store.companion(Shelf).lock:
                meaning.keep(vectors)
            done += len(texts)
        return done

    def rebuild(self) -> int:
        """Rebuild the word index and all vectors; return how many texts were embedded.

        Raises `Unavailable` if another process holds the vectors, or there is no embedder.
        """
        with self._current() as shelf:
            with suppress(sqlite3.Error):  # a file that cannot even be opened is removed all the same
                shelf.words(self.directory)
            shelf.forget_words()
        with self._open_words() as words:
            if self._meaning is not None:
                self._meaning.clear(words)
        return self.embed()

    @contextmanager
    def _open_words(self) -> Iterator[Words]:
        """Yield the current words of everything that can be found, locked against changes."""
        with self._current() as shelf:
            try:
                yield shelf.words(self.directory)
            except sqlite3.Error as error:
                raise Unavailable(f"the words of {self.agent_id} are unreachable: {error}") from error

    def consolidate(
        self,
        min_importance: float | None = None,
        min_access_count: int | None = None,
        dry_run: bool = False,
        summarize: bool = True,
        *,
        summarise: Summarise | None = None,
    ) -> Consolidation:
        """Promote important or often recalled items to long-term memory, related items as one (R1, S0 section 6).

        Related items from earlier consolidations take part: the new item supersedes them and keeps their lineage. A
        `dry_run` writes nothing. `summarise` may turn a group into a narrative; it is called before anything is locked.
        """
        now = self._clock()
        settings = self._settings
        self._expire_due(now)
        with self._current() as shelf:
            chosen = candidates(
                map(shelf.counted, shelf.items("short_term").values()),
                map(shelf.counted, shelf.items("working").values()),
                settings.consolidate_min_importance if min_importance is None else min_importance,
                settings.consolidate_min_access if min_access_count is None else min_access_count,
            )
            merged = shelf.merged() if summarize else ()
        promotions = promote(
            chosen,
            threshold=settings.grouping_jaccard,
            summarize=summarize,
            new_id=self._new_id,
            now=iso(now),
            summarise=summarise,
            merged=merged,
        )
        if dry_run or not promotions:
            return Consolidation(tuple(promotions), (), dry_run)
        promoted: list[MemoryItem] = []

        def apply(draft: StoresDraft) -> None:
            promoted[:] = draft.promote([one for one in promotions if draft.still_has(one.sources)])

        self._write(apply, now)
        return Consolidation(tuple(promotions), tuple(promoted), dry_run)

    def expire(self, now: datetime | None = None) -> list[MemoryItem]:
        """Remove expired short-term items, promoting those that qualify to long-term; return all that expired."""
        due: list[MemoryItem] = []
        self._write(lambda draft: due.extend(draft.expired), now or self._clock())
        return due

    def settle(self) -> None:
        """Write the recalls counted so far; the host does this when a cycle or a command ends."""
        settle(self._store)

    def materialise(self) -> None:
        """Update `MEMORY.md`, `memory/mabos-memory-items.md` and, if recall is in use, the word index.

        Called at the end of a command, a heartbeat or an open workspace: changes do not wait for pages, and the next
        process finishes the work of a killed one.
        """
        self._write_pages()
        with self._current() as shelf, suppress(sqlite3.Error):  # whoever recalls takes them up himself
            if shelf.has_words():
                shelf.words(self.directory)

    def _write_pages(self) -> None:
        self.settle()
        with self._current() as shelf:
            seq, mark = shelf.seq, self._store.derived / "pages"
            if shelf.materialised == seq or (seq == 0 and not shelf.where):
                return
            if shelf.materialised < 0 and materialise.are_of(self.directory, mark, self._store.generation, seq):
                shelf.materialised = seq
                return
            stores = {name: list(shelf.items(name).values()) for name in STORES}
            state = f"{self._store.generation} {seq}"
        items = materialise.items_file(self.directory)
        items.parent.mkdir(parents=True, exist_ok=True)
        materialise.write(items, materialise.items_page(self.agent_id, stores))
        page = materialise.long_term_file(self.directory)
        long_term = materialise.long_term_page(self.agent_id, stores["long_term"], materialise.read(page))
        materialise.write(page, long_term)
        materialise.write(mark, state)
        shelf.materialised = seq

    def checkpoint(self, checkpoint: Checkpoint) -> Path:
        """Write a session checkpoint (R3) and return its file."""
        path = checkpoints.write(self.directory, checkpoint, self._clock())
        self._write_pages()
        return path

    def latest_checkpoint(self) -> Path | None:
        """Return the file of the latest session checkpoint, or None."""
        return checkpoints.latest(self.directory)

    def trace(self, item_id: str) -> str:
        """Return the content of an item of any age, from the stores or from the daily logs; raises `UnknownId`."""
        with self._current() as shelf:
            found = shelf.item(item_id)
        if found is not None:
            return found.content
        folder = self.directory / "memory"
        for day in reversed(daily.days(folder)):
            for entry in daily.entries(folder, day):
                if entry.id == item_id:
                    return entry.content
        with self._current() as shelf:  # others may write meanwhile, and what is named must stand still
            raise unknown("memory item", item_id, shelf.where, argument="item_id")

    def status(self) -> dict[str, Any]:
        """Return each store's item count, the number of changes, and the latest checkpoint's file or ""."""
        self._expire_due(self._clock())
        with self._current() as shelf:
            counts: dict[str, Any] = {name: len(shelf.raw[name]) for name in STORES}
            latest = self.latest_checkpoint()
            return {
                **counts,
                "total": sum(counts.values()),
                "version": shelf.seq,
                "latest_checkpoint": "" if latest is None else latest.relative_to(self.directory).as_posix(),
            }

    def recent(self, limit: int = 5) -> list[MemoryItem]:
        """Return the newest items of all stores; this does not count as a recall."""
        with self._current() as shelf:
            items = [shelf.counted(item) for name in STORES for item in shelf.items(name).values()]
        return nlargest(limit, items, key=lambda item: (item.created_at, item.id))

    def store_of(self, item_id: str) -> str:
        """Return the store that holds an item; raises `UnknownId`."""
        with self._current() as shelf:
            found = shelf.where.get(item_id)
            if found is None:
                raise unknown("memory item", item_id, shelf.where, argument="item_id")
            return found

    @contextmanager
    def _current(self) -> Iterator[Shelf]:
        shelf = self._store.companion(Shelf)
        with shelf.lock:
            shelf.follow()
            yield shelf

    def _expire_due(self, now: datetime) -> None:
        with self._current() as shelf:
            due = select_expired(shelf.items("short_term").values(), now, self._settings.short_term_ttl_hours)
        if due:
            self.expire(now)

    def _write(self, change: Callable[[StoresDraft], object], now: datetime) -> None:
        shelf = self._store.companion(Shelf)
        written: list[Op] = []

        def decide() -> list[Op]:
            draft = StoresDraft(shelf, self._settings, now, self._new_id)
            change(draft)
            written[:] = draft.ops()
            # The log first: a crash between the two leaves a line too many, never an item that the log forgot.
            daily.append(self.directory / "memory", draft.logged, self._sync.wrote if self._sync else _leave)
            return written

        with shelf.lock:
            shelf.commit(decide)
            if written:
                shelf.accesses.clear()
                if self._meaning is not None:
                    self._meaning.expect(len(written))

    def _remember_items(self, items: Iterable[Mapping[str, Any]]) -> tuple[list[MemoryItem], int]:
        """Return the items of several things that are remembered in one write, and how many are new."""
        now = self._clock()
        at = iso(now)
        wanted = [experience(fields, at, self._clean) for fields in items]
        stored: list[MemoryItem] = []
        new = 0

        def remember(draft: StoresDraft) -> None:
            nonlocal new
            stored[:] = [draft.remember(one) for one in wanted]
            new = draft.new

        self._write(remember, now)
        return stored, new

    def _new_id(self) -> str:
        return self._ids.new("M", self._store.companion(Shelf).where)


def _leave(_: int) -> None:
    """Leave it to the operating system when a log line reaches the disk."""
