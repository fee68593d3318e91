"""The one mechanism for every file of truth: records, a journal, readable snapshots, and merged manual edits.

A write is one journal line and costs the same for any store size. People read the snapshots; they are rewritten when
the journal has outgrown them, when asked, and on close. Both together are the truth.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Any, Self, TypeVar

from mabos.configs.errors import Damaged, Unavailable
from mabos.workspace.journal import Journal, JournalChange, decode_entry
from mabos.workspace.locks import file_lock
from mabos.workspace.merge import Merge, merge
from mabos.workspace.names import INTERNAL
from mabos.workspace.operations import Arrange, Codec, Collections, Drop, Op, Put
from mabos.workspace.regular import content
from mabos.workspace.snapshots import Snapshots, keep_conflict
from mabos.workspace.sync import Sync
from mabos.workspace.truth import Truth

__all__ = ["Arrange", "Codec", "Collections", "Drop", "JournalChange", "Op", "Put", "Store"]

_SMALL_JOURNAL = 256 * 1024  # bytes below which rewriting the snapshots is not worth it
_NOTHING: dict[str, Any] = {}
Companion = TypeVar("Companion")


class Store:
    """Keyed records in collections, on disk.

    Threads share one object; other processes open their own on the same files and see each other's commits at the next
    `read`. Reading alone creates no file. `journal` is relative to `directory`. The lock and copies of the snapshots
    are in `base`, by default the workspace's `.mabos`, or a hidden folder if there is none. With `keep_history` no
    journal is deleted: retired ones stay next to it, numbered by generation.
    """

    def __init__(
        self,
        directory: Path,
        codec: Codec,
        *,
        journal: str,
        sync: Sync,
        keep_history: bool = False,
        base: Path | None = None,
    ) -> None:
        path = directory / journal
        base = base or _internal(path)
        self._codec = codec
        self._lock = base / "lock"
        self._journal = Journal(path, sync, base / "end")
        self._snapshots = Snapshots(directory, base)
        self._truth = Truth(codec, self._journal, self._snapshots, sync, keep_history=keep_history)
        self._sync = sync
        self._look: object | None = None
        self._guard = RLock()
        self._is_locked = False
        self._steady = 0
        self._companions: dict[object, Any] = {}

    @property
    def lock(self) -> RLock:
        """The lock of this store: a thread that holds it keeps others from changing the records it reads."""
        return self._guard

    def companion(self, make: Callable[["Store"], Companion]) -> Companion:
        """Return the object that `make` builds from this store, like a view; built once and cached with the store."""
        found = self._companions.get(make)
        if found is None:
            found = self._companions.setdefault(make, make(self))
        made: Companion = found
        return made

    @property
    def derived(self) -> Path:
        """The folder next to the lock for derived data; deleting it loses no truth."""
        return self._snapshots.base_folder

    @property
    def seq(self) -> int:
        """The sequence of the last transaction seen, which is the store's version."""
        if not self._truth.is_loaded:
            self.refresh()
        return self._truth.seq

    @property
    def generation(self) -> int:
        """The number of this journal; 0 before the first commit."""
        if not self._truth.is_loaded:
            self.refresh()
        return self._truth.generation

    def read(self) -> Collections:
        """Return the current records, with other processes' commits and manual edits; do not change them."""
        self.refresh()
        return self._truth.collections

    def moment(self) -> tuple[int, Collections]:
        """Return the last transaction seen, and the records as `read` does.

        The number is read first. A reader who keeps the result under that number rereads any write of another thread
        between the two, and never misses it.
        """
        self.refresh()
        seq = self._truth.seq
        return seq, self._truth.collections

    def standing(self, collection: str) -> tuple[dict[str, Any], int]:
        """Return the records of one collection, as `read` does, and the last transaction seen that concerned it.

        It is 0 if there was none since loading. Manual edits are checked in its file only; others wait for the next
        read.
        """
        truth = self._truth
        if not (self._steady and truth.is_loaded):
            self.refresh(self._codec.home(collection))
        return truth.collections.get(collection, _NOTHING), truth.changed_at.get(collection, 0)

    def refresh(self, *files: str) -> bool:
        """Read others' writes since the last check; return whether there were any. Costs one stat per file.

        With `files`, only those are checked for manual edits. Inside `Sync.looking_once` a second check costs nothing.
        """
        look = None
        if self._truth.is_loaded:  # asked many times a phase, so before anything is locked
            if self._steady:
                return False
            look = self._sync.look
            if look is not None and look is self._look:
                return False
        with self._guard:
            if self._is_locked:
                return False
            collections, seq = self._truth.collections, self._truth.seq
            if not self._truth.catch_up(locked=False, files=files):
                with self._exclusive():
                    pass
            if not files:
                self._look = look
            return self._truth.seq != seq or self._truth.collections is not collections

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Check once for others' writes, then not again inside the block; `commit` still does, under its lock."""
        self._look = None
        self.refresh()
        with self._guard:
            self._steady += 1
        try:
            yield
        finally:
            with self._guard:
                self._steady -= 1

    def commit(
        self, change: Sequence[Op] | Callable[[Collections], Sequence[Op]], *, note: Mapping[str, Any] | None = None
    ) -> int:
        """Write one transaction and return its sequence; a change without effect is not written.

        A callable decides on the refreshed records under the lock, so compare-and-set is a callable that raises: then
        nothing is written. Returns once the line is as durable as the sync promises.
        """
        with self._guard, self._exclusive():
            ops = change(self._truth.collections) if callable(change) else change
            self._truth.append([self._admit_op(op) for op in ops], note or {})
            if self._journal.size > max(_SMALL_JOURNAL, 2 * self._snapshots.size):
                with suppress(OSError, Unavailable, Damaged):  # the line is safe, and the next commit tries again
                    self._truth.rewrite(retire=True)
            return self._truth.seq

    def text(self, name: str) -> str:
        """Return a file's next version, including changes that its snapshot lacks."""
        return self._codec.encode(name, self.read(), self.seq)

    def take_edit(
        self,
        name: str,
        base: str,
        text: str,
        *,
        note: Mapping[str, Any],
        check: Callable[[Sequence[Op]], None] = lambda _: None,
    ) -> Merge:
        """Merge a person's edit of one file like an edit on disk, and return its changes.

        `base` is the text that the person began with. The replaced version of a record goes into `<file>.conflict`.
        Raises `Damaged` if the text is unreadable; `check` may refuse the changes.
        """
        before, after, found = self._codec.decode(name, base), self._codec.decode(name, text), Merge((), ())

        def change(collections: Collections) -> Sequence[Op]:
            nonlocal found
            ours = {one: dict(collections.get(one, {})) for one in {**before, **after}}
            found = merge(before, after, ours, touched={}, hand_stands=self._codec.hand_stands)
            check(found.ops)
            for each in found.conflicts:
                lines = self._codec.conflict(name, each.collection, each.key, each.value)
                keep_conflict(self._snapshots.conflict(name), lines)
            return found.ops

        self.commit(change, note=note)
        self.checkpoint()
        return found

    def checkpoint(self) -> None:
        """Bring the snapshots up to date; writes only files whose text has changed."""
        with self._guard:
            self.refresh()
            if self._truth.is_outdated:
                with self._exclusive():
                    self._truth.rewrite(retire=False)

    def since(self, seq: int) -> tuple[JournalChange, ...] | None:
        """Return the transactions after `seq`, oldest first; None if they are no longer available."""
        if seq == self.seq:
            return ()
        with self._guard:
            later = takewhile(lambda change: change.seq > seq, reversed(self._truth.recent))
            found = tuple(later)[::-1]
            return found if found and found[0].seq == seq + 1 else None

    def history(self) -> Iterator[JournalChange]:
        """Yield the transactions still on disk, oldest first; with `keep_history` all there have ever been.

        Otherwise only those of the last few journals.
        """
        path = self._journal.path
        newest = content(path) if path.exists() else b""
        header = newest[: newest.find(b"\n") + 1]
        older_journals = (
            *self.derived.glob(f"{path.stem}.[0-9]*.jsonl"),
            *path.parent.glob(f"{path.stem}.[0-9]*.jsonl"),
        )
        for retired in sorted(older_journals, key=lambda one: one.name):
            older = content(retired)
            if header and older.startswith(header):  # it was retired after it was read above
                break
            yield from _changes(older)
        yield from _changes(newest)

    def conflicts(self) -> tuple[Path, ...]:
        """Return the files with versions that were replaced in conflicts."""
        paths = (self._snapshots.conflict(name) for name in self._codec.files)
        return tuple(path for path in paths if path.exists())

    def close(self) -> None:
        """Update the snapshots and leave a journal without entries; the store stays usable.

        A read-only store is left as it is: the journal holds the changes that the snapshots lack.
        """
        with self._guard:
            self.refresh()
            if self._journal.is_pending and os.access(self._journal.path, os.W_OK):
                with self._exclusive():
                    self._truth.rewrite(retire=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        if self._is_locked:
            yield
            return
        with file_lock(self._lock):
            self._is_locked = True
            try:
                self._truth.catch_up(locked=True)
                self._look = self._sync.look
                if self._truth.must_rewrite:
                    with suppress(OSError, Unavailable):  # a full disk keeps nobody from reading
                        self._truth.rewrite(retire=False)
                yield
            finally:
                self._is_locked = False

    def _admit_op(self, op: Op) -> Op:
        if isinstance(op, Put):
            return Put(op.collection, op.key, self._codec.admit(op.collection, op.key, op.value))
        self._codec.home(op.collection)
        return op


def _changes(journal: bytes) -> Iterator[JournalChange]:
    return (entry for line in journal.splitlines() if isinstance(entry := decode_entry(line), JournalChange))


def _internal(journal: Path) -> Path:
    """Return the folder for internal files: the lock of a journal, and copies that help to merge."""
    name = journal.name.removesuffix(".jsonl")
    for folder in journal.parents:
        if os.path.isdir(f"{folder}/{INTERNAL}"):  # noqa: PTH112  # asked of many folders for each store that opens
            return folder / INTERNAL / "stores" / journal.relative_to(folder).parent / name
    return journal.parent / f".{name}"
