"""What one process knows of a store's files, and how it keeps up with them, merges hand edits and rewrites them.

Not for threads, and not for locks: `Store` holds both. Methods that write need the store's lock.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from configs.errors import Damaged
from workspace.journal import Change, Entry, Header, Journal, Mark, decoded, encoded, parsed
from workspace.lineage import Step, origin, steps
from workspace.merge import Conflict, merge
from workspace.operations import Arrange, Codec, Collections, Drop, Op, Put, Records, apply, changes_anything
from workspace.places import Place, after, possible, texts
from workspace.snapshots import ABSENT, Snapshot, Snapshots, sha_of
from workspace.sync import Sync

_REMEMBERED = 2048  # transactions kept in memory for followers
_RETAINED = 4  # retired journals kept to recognise what an open editor brings back
_KEPT = 16  # copies of a file kept for the same reason
_RETAINED_SIZE = 1 << 20  # bytes above which a retired journal is not
_TRIES = 8  # how often a rewrite starts anew because a person was faster


class Truth:
    """The records of a store in memory, and what is known of the files they came from."""

    def __init__(
        self, codec: Codec, journal: Journal, snapshots: Snapshots, sync: Sync, *, keep_history: bool = False
    ) -> None:
        self.collections: Collections = {}
        self.seq = 0
        self.generation = 0
        self.recent: deque[Change] = deque(maxlen=_REMEMBERED)
        self.must_rewrite = False
        self.is_loaded = False
        self._codec = codec
        self._journal = journal
        self._snapshots = snapshots
        self._sync = sync
        self._keep_history = keep_history
        self._ours: dict[str, list[str]] = {}  # checksums each file may have by a program's doing, oldest first
        self._disk: dict[str, str] = {}  # checksum of each file as it was last accepted
        self._kept: dict[str, deque[str]] = defaultdict(lambda: deque(maxlen=_KEPT))  # texts whose copies stay
        self._touched: dict[str, set[str]] = defaultdict(set)  # keys changed since the files were last written
        self._stale: set[str] = set()  # files whose text may differ from the records for another reason

    @property
    def is_outdated(self) -> bool:
        """Whether the snapshots may lack something that the journal holds."""
        return bool(self._touched or self._stale)

    def catch_up(self, *, locked: bool) -> bool:
        """Take in what others wrote; returns False if that needs the lock and it is not held."""
        try:
            if not self.is_loaded:
                return self._load(locked=locked)
            if not self._journal.is_unchanged():
                entries = self._journal.news()
                if entries is None or any(isinstance(entry, Header) for entry in entries):
                    return self._load(locked=locked)
                self._follow(entries)
            edited = [name for name in self._codec.files if not self._is_known(name)]
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
        """Write one transaction and apply it, unless it changes nothing."""
        if not ops:
            return
        line = encoded(Change(self.seq + 1, tuple(ops), note, seen))
        change = decoded(line[:-1])
        if not isinstance(change, Change) or not changes_anything(self.collections, change.ops):
            return
        if not self.generation:
            self._begin()
            change = replace(change, seq=self.seq + 1)
            line = encoded(change)
        self._journal.append(line)
        self._apply(change)

    def rewrite(self, *, retire: bool) -> None:
        """Bring the snapshots up to date, newest hand edits merged, and with `retire` start the next journal."""
        for _ in range(_TRIES):
            if self._rewritten(retire=retire):
                return
            self.catch_up(locked=True)

    def _load(self, *, locked: bool) -> bool:
        reloaded, self.is_loaded = self.is_loaded, False
        entries = self._journal.load()
        found = {name: self._snapshots.read(name) for name in self._codec.files}
        self._touched.clear()
        self._stale.clear()
        self.recent.clear()
        if not entries:
            self._load_without_journal(found, self.seq + 1 if reloaded else 0)
            return True
        self._ours = {name: texts(possible(name, entries)) for name in found}
        edited = [name for name, snapshot in found.items() if snapshot.sha not in (ABSENT, *self._ours[name])]
        if edited and not locked:
            return False
        self._replay(entries, found)
        # A rewrite that a crash cut short is finished at once, while it is certain what the files are.
        self._stale.update(name for name, known in self._ours.items() if len(known) > 1)
        self.must_rewrite = bool(self._stale)
        self._disk = {}
        for name, snapshot in found.items():
            if name not in edited:
                self._accept(name, snapshot)
        self.is_loaded = locked or not self.must_rewrite
        return self._take_in(edited, locked=locked) and self.is_loaded

    def _load_without_journal(self, found: Mapping[str, Snapshot], least: int) -> None:
        self.collections = self._collected(self._decoded(name, snapshot) for name, snapshot in found.items())
        versions = (self._codec.version(name, snapshot.text) for name, snapshot in found.items() if snapshot.text)
        self.seq = max([least, *versions])
        self.generation = 0
        self.must_rewrite = False
        for name, snapshot in found.items():
            self._ours[name] = [snapshot.sha]
            self._accept(name, snapshot)
        self.is_loaded = True

    def _replay(self, entries: Sequence[Entry], found: Mapping[str, Snapshot]) -> None:
        # Each file starts from the newest state that is known to be in its text, so that what the file already holds is
        # not applied twice: that could change the order of its records.
        states = {name: self._start(name, snapshot, entries) for name, snapshot in found.items()}
        self.collections = self._collected(state for state, _ in states.values())
        header = entries[0]
        if not isinstance(header, Header):
            raise Damaged(f"{self._journal.path}:1: not the first line of a journal; restore it from a backup")
        self.seq, self.generation = header.seq, header.generation
        self._keep(first.files for path in self._retained() if (first := _first(path)) is not None)
        self._keep(entry.seen if isinstance(entry, Change) else header.files for entry in entries)
        for at, entry in enumerate(entries):
            if isinstance(entry, Change):
                self._count(entry)
                self._change(op for op in entry.ops if at > states[self._codec.home(op.collection)][1])

    def _start(self, name: str, snapshot: Snapshot, entries: Sequence[Entry]) -> tuple[Collections, int]:
        whole = [place for place in reversed(possible(name, entries)) if place.holds]
        for place in whole:
            if place.sha == snapshot.sha:
                return self._decoded(name, snapshot), place.at
        self._stale.add(name)
        for place in whole:
            state = self._state(name, place.sha)
            if state is not None:
                return state, place.at
        if snapshot.sha == ABSENT:
            path = self._snapshots.directory / name
            raise Damaged(f"{path}:1: the file is gone; restore it, or remove {self._journal.path} to begin without it")
        return self._decoded(name, snapshot), 0

    def _follow(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if isinstance(entry, Change):
                self._apply(entry)
            for name, known in self._ours.items():
                self._ours[name] = texts(after([Place(0, sha, holds=True) for sha in known], name, 0, entry))

    def _apply(self, change: Change) -> None:
        self._count(change)
        self._change(change.ops)

    def _change(self, ops: Iterable[Op]) -> None:
        for op in ops:
            apply(self.collections, (op,))
            keys = self._touched[op.collection]
            if not isinstance(op, Arrange):
                keys.add(op.key)

    def _count(self, change: Change) -> None:
        if change.seq != self.seq + 1:
            message = f"{self._journal.path}: transaction {self.seq + 1} is missing; restore the file from a backup"
            raise Damaged(message)
        self.seq = change.seq
        self.recent.append(change)

    def _is_known(self, name: str) -> bool:
        if self._snapshots.is_unchanged(name):
            return True
        snapshot = self._snapshots.read(name)
        if snapshot.sha == self._disk.get(name) or (self.generation and snapshot.sha in (ABSENT, *self._ours[name])):
            self._accept(name, snapshot)
            return True
        return False

    def _accept(self, name: str, snapshot: Snapshot) -> None:
        self._snapshots.accept(name, snapshot)
        self._disk[name] = snapshot.sha
        if snapshot.sha in self._ours[name]:
            self._ours[name] = self._ours[name][self._ours[name].index(snapshot.sha) :]

    def _take_in(self, edited: Sequence[str], *, locked: bool) -> bool:
        if not edited or not locked:
            return not edited
        ops: list[Op] = []
        taken: dict[str, Snapshot] = {}
        for name in edited:
            snapshot = self._snapshots.read_settled(name)
            taken[name] = snapshot
            if snapshot.sha not in (ABSENT, *self._ours[name]):
                ops += self._merged(name, snapshot)
        for name, snapshot in taken.items():
            self._snapshots.keep_base(name, snapshot)
        seen = {name: snapshot.sha for name, snapshot in taken.items()}
        self.append(ops, {"by": "hand"}, seen=seen)
        self._keep([seen])
        for name, snapshot in taken.items():
            self._accept(name, snapshot)
            self._ours[name] = [snapshot.sha]
            self._stale.add(name)
            self.must_rewrite = True
        return True

    def _merged(self, name: str, snapshot: Snapshot) -> tuple[Op, ...]:
        disk = self._decoded(name, snapshot)
        ours = {collection: records for collection, records in self.collections.items() if self._lies(collection, name)}
        known = [self._disk[name]] if name in self._disk else self._ours[name]
        bases = [state for sha in known if (state := self._state(name, sha)) is not None]
        origins = [origin(state, disk, self._steps(name)) for state in bases[-1:]]
        base = origins[0].base if origins else None
        merged = merge(base, disk, ours, touched=self._touched, hand_stands=self._codec.hand_stands)
        lost = list(merged.conflicts)
        if origins and origins[0].is_return and self._codec.hand_stands:
            lost += [
                Conflict(op.collection, op.key, ours[op.collection].get(op.key))
                for op in merged.ops
                if isinstance(op, Put | Drop)
            ]
        for each in lost:
            self._snapshots.add_conflict(name, self._codec.conflict(name, each.collection, each.key, each.value))
        return merged.ops

    def _steps(self, name: str) -> list[Step]:
        journals = [*self._retained(), self._journal.path]
        entries = [entry for path in journals for entry, _ in parsed(path, path.read_bytes())]
        return steps(name, entries, lambda sha: self._state(name, sha), self._codec.home)

    def _retained(self) -> list[Path]:
        path = self._journal.path
        return sorted(self._retired(0).parent.glob(f"{path.stem}.[0-9]*.jsonl"))[-_RETAINED:]

    def _retired(self, generation: int) -> Path:
        path = self._journal.path
        folder = path.parent if self._keep_history else self._snapshots.base_folder
        return folder / f"{path.stem}.{generation:06d}.jsonl"

    def _begin(self) -> None:
        for name, sha in self._disk.items():
            snapshot = self._snapshots.read(name)
            if snapshot.sha == sha:
                self._snapshots.keep_base(name, snapshot)
        puts = [Put(name, key, value) for name, records in self.collections.items() for key, value in records.items()]
        changes = [Change(self.seq + 1, tuple(puts), {"by": "hand"})] if puts and self._keep_history else []
        self._journal.start(Header(1, self.seq, self._stated()), changes)
        self.generation = 1
        self._keep([self._stated()])
        for change in changes:
            self._count(change)

    def _rewritten(self, *, retire: bool) -> bool:
        self.append(self._codec.settle(self.collections, self._touched), {"by": "numbering"})
        fresh = self._outdated()
        if fresh:
            self._journal.append(encoded(Mark(self.seq, {name: snapshot.sha for name, snapshot in fresh.items()})))
            self._sync.flush()
        for name, snapshot in fresh.items():
            self._ours[name].append(snapshot.sha)
            self._snapshots.keep_base(name, snapshot)
        for name, snapshot in fresh.items():
            if not self._put(name, snapshot):
                return False
        self._touched.clear()
        self._stale.clear()
        self.must_rewrite = False
        if retire:
            self._start_next()
        elif fresh:
            self._journal.append(encoded(Mark(self.seq, {})))  # says that the mark before was carried out
        return True

    def _put(self, name: str, snapshot: Snapshot) -> bool:
        before, slipped_in = self._disk[name], None
        if snapshot.sha != before:
            replaced = self._snapshots.replace(name, snapshot.text, durable=self._sync.durable)
            if not replaced.is_done:
                return False
            slipped_in = replaced.slipped_in
        if slipped_in is not None and slipped_in.sha not in (ABSENT, before):
            self.append(self._merged(name, slipped_in), {"by": "hand"})
        self._forget(name, before, snapshot.sha)
        self._disk[name] = snapshot.sha
        self._ours[name] = [snapshot.sha]
        return slipped_in is None

    def _start_next(self) -> None:
        if self._sync.durable:
            self._snapshots.make_durable()
        keep = self._retired(self.generation)
        is_kept = self._keep_history or self._journal.size < _RETAINED_SIZE
        self._journal.start(Header(self.generation + 1, self.seq, self._stated()), keep=keep if is_kept else None)
        self.generation += 1
        if not self._keep_history:
            self._retired(self.generation - 1 - _RETAINED).unlink(missing_ok=True)
        self._keep([self._stated()])
        for name, sha in self._disk.items():
            self._forget(name, sha)
            self._ours[name] = [sha]

    def _forget(self, name: str, *but: str) -> None:
        is_small = self._snapshots.size < _RETAINED_SIZE
        self._snapshots.forget_bases(name, but={*but, *(self._kept[name] if is_small else ())})

    def _keep(self, stated: Iterable[Mapping[str, str]]) -> None:
        for files in stated:
            for name, sha in files.items():
                if sha not in self._kept[name]:
                    self._kept[name].append(sha)

    def _outdated(self) -> dict[str, Snapshot]:
        names = {self._codec.home(collection) for collection in self._touched}
        names |= self._stale | {name for name, sha in self._disk.items() if sha == ABSENT}
        fresh = {}
        for name in sorted(names):
            text = self._codec.encode(name, self.collections, self.seq)
            snapshot = Snapshot(text, sha_of(text))
            is_due = snapshot.sha != self._disk[name] or name in self._stale
            if is_due and (text or self._disk[name] != ABSENT):
                fresh[name] = snapshot
        return fresh

    def _stated(self) -> dict[str, str]:
        return {name: sha for name, sha in self._disk.items() if sha != ABSENT}

    def _state(self, name: str, sha: str) -> Collections | None:
        if sha == ABSENT:
            return self._codec.empty(name)
        text = self._snapshots.base(name, sha)
        return None if text is None else self._codec.decode(name, text)

    def _decoded(self, name: str, snapshot: Snapshot) -> Collections:
        if snapshot.sha == ABSENT:
            return self._codec.empty(name)
        try:
            return self._codec.decode(name, snapshot.text)
        except Damaged as error:
            raise Damaged(f"{self._snapshots.directory / error.message}") from error

    def _collected(self, parts: Iterable[Collections]) -> Collections:
        return {collection: Records(records) for part in parts for collection, records in part.items()}

    def _lies(self, collection: str, name: str) -> bool:
        return self._codec.home(collection) == name


def _first(path: Path) -> Header | None:
    with path.open("rb") as file:
        entry = decoded(file.readline().removesuffix(b"\n"))
    return entry if isinstance(entry, Header) else None
