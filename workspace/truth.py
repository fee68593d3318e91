"""A store's files in one process: reading others' writes, merging manual edits, rewriting snapshots.

Neither thread-safe nor locked: `Store` handles both. Methods that write need the store's lock.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.workspace.damage import RESTORE, sign_of_damage
from mabos.workspace.files import Files
from mabos.workspace.journal import (
    Entry,
    Header,
    Journal,
    JournalChange,
    JournalMark,
    decode_entry,
    encode_entry,
    parse_entries,
)
from mabos.workspace.lineage import LineageStep, origin, steps
from mabos.workspace.merge import MergeConflict, alike, merge
from mabos.workspace.operations import (
    MISSING,
    Arrange,
    Codec,
    Collections,
    Drop,
    LiveCollection,
    Op,
    Put,
    apply,
    changes_anything,
)
from mabos.workspace.regular import content, reader
from mabos.workspace.snapshots import ABSENT, Snapshot, Snapshots, keep_conflict, sha_of
from mabos.workspace.sync import Sync

_REMEMBERED = 2048  # transactions kept in memory for followers
_RETAINED = 4  # retired journals kept to recognise what an open editor brings back
_RETAINED_SIZE = 1 << 20  # bytes above which a retired journal is not
_TRIES = 8  # how often a rewrite starts anew because a person was faster


class Truth:
    """The records of a store in memory, and the state of their files."""

    def __init__(
        self, codec: Codec, journal: Journal, snapshots: Snapshots, sync: Sync, *, keep_history: bool = False
    ) -> None:
        self.collections: Collections = {}
        self.seq = 0
        self.generation = 0
        self.recent: deque[JournalChange] = deque(maxlen=_REMEMBERED)
        self.changed_at: dict[str, int] = {}  # the last transaction that concerned a collection, since it was loaded
        self.must_rewrite = False
        self.is_loaded = False
        self._was_loaded = False
        self._codec = codec
        self._journal = journal
        self._files = Files(codec, snapshots)
        self._snapshots = snapshots
        self._sync = sync
        self._keep_history = keep_history
        self._touched: dict[str, set[str]] = defaultdict(set)  # keys changed since the files were last written

    @property
    def is_outdated(self) -> bool:
        """Return whether the snapshots may lack changes that the journal holds."""
        return bool(self._touched or self._files.stale)

    def catch_up(self, *, locked: bool, files: Sequence[str] = ()) -> bool:
        """Read others' writes, and manual edits only in `files` if given; return False if that needs the lock."""
        try:
            if not self.is_loaded:
                return self._load(locked=locked)
            if not self._journal.is_unchanged() and not self._follow_journal():
                return self._load(locked=locked)
            edited = self._files.find_edits(files)
            if edited and not self.generation:
                return self._load(locked=locked)
            return self._take_in(edited, locked=locked)
        except Damaged:
            if locked:
                raise
            return False  # perhaps only seen in the middle of another process's work

    def append(
        self, ops: Sequence[Op], note: Mapping[str, Any], *, seen: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        """Write one transaction and apply it, unless it changes nothing and merges no edit."""
        if not ops and not seen:
            return
        line = encode_entry(JournalChange(self.seq + 1, tuple(ops), note, seen))
        change = decode_entry(line[:-1])
        if not isinstance(change, JournalChange):
            raise InvalidArgument(f"a collection or a key is not a text in {ops!r:.200}", argument="key")
        if not (seen or changes_anything(self.collections, change.ops)):
            return
        if not self.generation:
            self._begin()
            change = replace(change, seq=self.seq + 1)
            line = encode_entry(change)
        self._journal.append(line)
        self._apply(change)

    def rewrite(self, *, retire: bool) -> None:
        """Bring the snapshots up to date with the newest manual edits; with `retire`, start the next journal."""
        for _ in range(_TRIES):
            if self._rewrite_files(retire=retire):
                return
            self.catch_up(locked=True)

    def _load(self, *, locked: bool) -> bool:
        self.is_loaded = False
        entries = self._journal.load()
        found = {name: self._snapshots.read(name) for name in self._codec.files}
        self._touched.clear()
        self.recent.clear()
        self.changed_at.clear()
        self._files.expect(entries)
        if not entries:
            self._load_without_journal(found)
            return True
        edited = [name for name, snapshot in found.items() if self._files.is_edit(name, snapshot)]
        if edited and not locked:
            return False
        self._replay(entries, found)
        for name, snapshot in found.items():
            if name not in edited:
                self._files.accept(name, snapshot)
        self.must_rewrite = bool(self._files.stale)
        self.is_loaded = locked or not self.must_rewrite
        self._was_loaded |= self.is_loaded
        return self._take_in(edited, locked=locked) and self.is_loaded

    def _load_without_journal(self, found: Mapping[str, Snapshot]) -> None:
        self.collections = _collect_records(
            self._files.decode_snapshot(name, snapshot) for name, snapshot in found.items()
        )
        versions = (self._codec.version(name, snapshot.text) for name, snapshot in found.items() if snapshot.text)
        self.seq = max([self.seq + 1 if self._was_loaded else 0, *versions])
        self.generation = 0
        self.must_rewrite = False
        for name, snapshot in found.items():
            self._files.accept(name, snapshot)
        self.is_loaded = self._was_loaded = True

    def _replay(self, entries: Sequence[Entry], found: Mapping[str, Snapshot]) -> None:
        # Each file starts from the newest state that is known to be in its text, so that what the file already holds is
        # not applied twice: that could change the order of its records.
        states = {name: self._files.start(name, snapshot, entries) for name, snapshot in found.items()}
        self.collections = _collect_records(state for state, _ in states.values())
        header = entries[0]
        if not isinstance(header, Header):
            raise Damaged(f"{self._journal.path}:1: not the first line of a journal; restore it from a backup")
        self.seq, self.generation = header.seq, header.generation
        self._files.keep(first.files for path in self._retained_journals() if (first := _first(path)) is not None)
        for at, entry in enumerate(entries):
            if isinstance(entry, JournalChange):
                self._must_follow(entry)
                self._change((op for op in entry.ops if at > states[self._codec.home(op.collection)][1]), entry.seq)
                self._count(entry)

    def _follow_journal(self) -> bool:
        """Read new journal entries; return False if the journal was replaced and must be loaded."""
        try:
            entries = self._journal.news()
            if entries is None or any(isinstance(entry, Header) for entry in entries):
                return False
            for entry in entries:
                if isinstance(entry, JournalChange):
                    self._apply(entry)
                self._files.follow(entry)
        except Damaged:
            self.is_loaded = False  # the journal has been read up to the damage, and not taken in up to there
            raise
        return True

    def _apply(self, change: JournalChange) -> None:
        # Applied, then counted: another thread that asks for the number and then reads may find more than it says, and
        # looks once more, but never less.
        self._must_follow(change)
        self._change(change.ops, change.seq)
        self._count(change)

    def _change(self, ops: Iterable[Op], seq: int) -> None:
        for op in ops:
            apply(self.collections, (op,))
            self.changed_at[op.collection] = seq
            keys = self._touched[op.collection]
            if not isinstance(op, Arrange):
                keys.add(op.key)

    def _must_follow(self, change: JournalChange) -> None:
        """Raise `Damaged` where a transaction between the last one and this one is missing."""
        if change.seq != self.seq + 1:
            message = f"{self._journal.path}: transaction {self.seq + 1} is missing; restore the file from a backup"
            raise Damaged(message)

    def _count(self, change: JournalChange) -> None:
        self.seq = change.seq
        self.recent.append(change)

    def _take_in(self, edited: Sequence[str], *, locked: bool) -> bool:
        if not edited or not locked:
            return not edited
        ops: list[Op] = []
        taken: dict[str, Snapshot] = {}
        for name in edited:
            snapshot = self._snapshots.read_settled(name)
            if self._files.is_edit(name, snapshot):
                ops += self._merge_edits(name, snapshot)
                self._snapshots.keep_base(name, snapshot)
                taken[name] = snapshot
            else:
                self._files.accept(name, snapshot)
        seen = {name: snapshot.sha for name, snapshot in taken.items()}
        self._files.keep([seen])
        self.append(ops, {"by": "hand"}, seen=seen)
        for name, snapshot in taken.items():
            self._files.accept(name, snapshot)
            self._files.stale.add(name)
            self.must_rewrite = True
        return True

    def _merge_edits(self, name: str, snapshot: Snapshot) -> tuple[Op, ...]:
        disk, newest = self._files.decode_snapshot(name, snapshot), self._files.newest(name)
        ours = {key: records for key, records in self.collections.items() if self._codec.home(key) == name}
        self._must_be_meant(name, snapshot.text)
        started = None if newest is None else origin(newest, disk, self._steps(name))
        merged = merge(
            started.base if started else None, disk, ours, touched=self._touched, hand_stands=self._codec.hand_stands
        )
        lost = list(merged.conflicts)
        if started and started.is_return and self._codec.hand_stands:
            undone = [op for op in merged.ops if isinstance(op, Put | Drop)]
            lost += [
                MergeConflict(op.collection, op.key, before)
                for op in undone
                if not alike(before := ours[op.collection].get(op.key), op.value if isinstance(op, Put) else MISSING)
            ]
        for each in lost:
            lines = self._codec.conflict(name, each.collection, each.key, each.value)
            keep_conflict(self._snapshots.conflict(name), lines)
        return merged.ops

    def _must_be_meant(self, name: str, text: str) -> None:
        """Raise `Damaged` for a file that no editor writes, unless the agent's own text shows the same sign."""
        ours = self._codec.encode(name, self.collections, self.seq)
        path = self._snapshots.directory / name
        if (found := sign_of_damage(text, ours)) is not None:
            line, said = found
            raise Damaged(f"{path}:{line}: {said}")
        if ours.strip() and not text.strip():
            raise Damaged(f"{path}:1: empty, as a crash leaves it; {RESTORE}")

    def _steps(self, name: str) -> list[LineageStep]:
        entries: list[Entry] = []
        for path in self._retained_journals():
            if path != self._retired_path(self.generation):  # which a crash left of the journal that still goes on
                with suppress(Damaged):  # what only helps to merge keeps nothing from being merged
                    entries += _entries(path)
        entries += _entries(self._journal.path)
        return steps(name, entries, lambda sha: self._files.held(name, sha), self._codec.home)

    def _retained_journals(self) -> list[Path]:
        path = self._journal.path
        return sorted(self._retired_path(0).parent.glob(f"{path.stem}.[0-9]*.jsonl"))[-_RETAINED:]

    def _retired_path(self, generation: int) -> Path:
        path = self._journal.path
        folder = path.parent if self._keep_history else self._snapshots.base_folder
        return folder / f"{path.stem}.{generation:06d}.jsonl"

    def _begin(self) -> None:
        for name, sha in self._files.disk.items():
            snapshot = self._snapshots.read(name)
            if snapshot.sha == sha:
                self._snapshots.keep_base(name, snapshot)
        puts = [Put(name, key, value) for name, records in self.collections.items() for key, value in records.items()]
        changes = [JournalChange(self.seq + 1, tuple(puts), {"by": "hand"})] if puts and self._keep_history else []
        self._journal.start(Header(1, self.seq, self._files.stated()), changes)
        self.generation = 1
        self._files.settle()
        for change in changes:
            self._count(change)

    def _rewrite_files(self, *, retire: bool) -> bool:
        self.append(self._codec.settle(self.collections, self._touched), {"by": "numbering"})
        fresh = self._outdated_files()
        if fresh:
            self._journal.append(
                encode_entry(JournalMark(self.seq, {name: snapshot.sha for name, snapshot in fresh.items()}))
            )
            self._sync.flush()
        for name, snapshot in fresh.items():
            self._files.announce(name, snapshot)
        for name, snapshot in fresh.items():
            if not self._put(name, snapshot):
                return False
        self._touched.clear()
        self._files.stale.clear()
        self.must_rewrite = False
        if retire:
            self._start_next()
        elif fresh:
            self._journal.append(encode_entry(JournalMark(self.seq, {})))  # says that the mark before was carried out
        return True

    def _put(self, name: str, snapshot: Snapshot) -> bool:
        before, slipped_in = self._files.disk[name], None
        if snapshot.sha != before or not self._snapshots.is_there(name):
            replaced = self._snapshots.replace(name, snapshot.text, durable=self._sync.durable)
            if not replaced.is_done:
                return False
            slipped_in = replaced.slipped_in
        if slipped_in is not None and slipped_in.sha not in (ABSENT, before):
            self.append(self._merge_edits(name, slipped_in), {"by": "hand"})
        self._files.wrote(name, snapshot.sha)
        return slipped_in is None

    def _start_next(self) -> None:
        if self._sync.durable:
            self._snapshots.make_durable()
        keep = self._retired_path(self.generation)
        is_kept = self._keep_history or self._journal.size < _RETAINED_SIZE
        self._journal.start(Header(self.generation + 1, self.seq, self._files.stated()), keep=keep if is_kept else None)
        self.generation += 1
        if not self._keep_history:
            self._retired_path(self.generation - 1 - _RETAINED).unlink(missing_ok=True)
        self._files.settle()

    def _outdated_files(self) -> dict[str, Snapshot]:
        names = {self._codec.home(collection) for collection in self._touched}
        names |= self._files.stale
        fresh = {}
        for name in sorted(names):
            text = self._codec.encode(name, self.collections, self.seq)
            snapshot = Snapshot(text, sha_of(text))
            is_due = snapshot.sha != self._files.disk[name] or name in self._files.stale
            if is_due and (text or self._files.disk[name] != ABSENT):
                fresh[name] = snapshot
        return fresh


def _collect_records(parts: Iterable[Collections]) -> Collections:
    return {collection: LiveCollection(records) for part in parts for collection, records in part.items()}


def _entries(path: Path) -> list[Entry]:
    return [entry for entry, _ in parse_entries(path, content(path))]


def _first(path: Path) -> Header | None:
    with reader(path) as file:
        entry = decode_entry(file.readline().removesuffix(b"\n"))
    return entry if isinstance(entry, Header) else None
