"""A process's knowledge of a store's snapshot files: the text of each, and the texts we may have written to it."""

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mabos.configs.errors import Damaged
from mabos.workspace.journal import Entry, Header, JournalChange
from mabos.workspace.operations import Codec, Collections
from mabos.workspace.snapshots import ABSENT, Snapshot, Snapshots

_KEPT = 16  # copies of a file kept to recognise what an open editor brings back
_SMALL = 1 << 20  # bytes of snapshots above which only the copies that merging needs are kept


@dataclass(frozen=True, slots=True)
class _WrittenText:
    """A text that a file may have by our doing; `holds` says that it is everything before entry `at`."""

    at: int
    sha: str
    holds: bool


class Files:
    """The texts of one store's files by checksum: on disk, possible after a crash, and kept as copies."""

    def __init__(self, codec: Codec, snapshots: Snapshots) -> None:
        self.snapshots = snapshots
        self.disk: dict[str, str] = {}  # the last text of each file that was accepted
        self.stale: set[str] = set()  # files that must be written again, whatever changed in the records
        self._codec = codec
        self._ours: dict[str, list[str]] = {}
        self._kept: dict[str, deque[str]] = defaultdict(lambda: deque(maxlen=_KEPT))

    def expect(self, entries: Sequence[Entry]) -> None:
        """Load the texts that the files may have from a whole journal; nothing is accepted yet."""
        self.disk, self.stale = {}, set()
        self._ours = {name: _texts(_possible(name, entries)) for name in self._codec.files}
        self.keep(entry.files for entry in entries if isinstance(entry, Header))
        self.keep(entry.seen for entry in entries if isinstance(entry, JournalChange))
        # A rewrite that a crash cut short is finished at once, while it is certain what the files are.
        self.stale.update(name for name, known in self._ours.items() if len(known) > 1)

    def follow(self, entry: Entry) -> None:
        """Add the texts that one more entry allows."""
        for name, known in self._ours.items():
            self._ours[name] = _texts(_after([_WrittenText(0, sha, holds=True) for sha in known], name, 0, entry))

    def is_edit(self, name: str, snapshot: Snapshot) -> bool:
        """Return whether only a person can have written this text; a missing file is not an edit."""
        return snapshot.sha not in (ABSENT, self.disk.get(name), *self._ours.get(name, ()))

    def find_edits(self, names: Sequence[str] = ()) -> list[str]:
        """Return the files with new content, of `names` if given; costs one stat per untouched file."""
        found = []
        for name in self.snapshots.changed(names or self._codec.files):
            snapshot = self.snapshots.read(name)
            if self.is_edit(name, snapshot):
                found.append(name)
            else:
                self.accept(name, snapshot)
        return found

    def accept(self, name: str, snapshot: Snapshot) -> None:
        """Accept this state of the file; a missing file is written again later."""
        self.snapshots.accept(name, snapshot)
        known = self._ours.get(name, [])
        if snapshot.sha == ABSENT and known and known[-1] != ABSENT:
            self.stale.add(name)
            self.disk.setdefault(name, known[-1])
            return
        self.disk[name] = snapshot.sha
        self._ours[name] = known[known.index(snapshot.sha) :] if snapshot.sha in known else [snapshot.sha]

    def announce(self, name: str, snapshot: Snapshot) -> None:
        """Record that this text is about to be written, and keep a copy of it."""
        self._ours[name].append(snapshot.sha)
        self.snapshots.keep_base(name, snapshot)

    def wrote(self, name: str, sha: str) -> None:
        """Record that this text has been written."""
        self._forget(name, self.disk[name], sha)
        self.disk[name] = sha
        self._ours[name] = [sha]

    def settle(self) -> None:
        """Note that a new journal begins: the files' current texts become the only possible ones."""
        self.keep([self.stated()])
        for name, sha in self.disk.items():
            self._forget(name, sha)
            self._ours[name] = [sha]

    def keep(self, stated: Iterable[Mapping[str, str]]) -> None:
        """Keep copies of these texts until there are too many newer ones."""
        for files in stated:
            for name, sha in files.items():
                if sha not in self._kept[name]:
                    self._kept[name].append(sha)

    def stated(self) -> dict[str, str]:
        """Return the checksums of the files that exist."""
        return {name: sha for name, sha in self.disk.items() if sha != ABSENT}

    def newest(self, name: str) -> Collections | None:
        """Return the file's content before a person edited it; None if all copies are lost."""
        known = [self.disk[name]] if name in self.disk else self._ours[name]
        states = [state for sha in known if (state := self.held(name, sha)) is not None]
        return states[-1] if states else None

    def held(self, name: str, sha: str) -> Collections | None:
        """Return the content of the text with this checksum; None if its copy is lost."""
        if sha == ABSENT:
            return self._codec.empty(name)
        text = self.snapshots.base(name, sha)
        return None if text is None else self._codec.decode(name, text)

    def decode_snapshot(self, name: str, snapshot: Snapshot) -> Collections:
        """Return a file's content; raises `Damaged` with its whole path."""
        if snapshot.sha == ABSENT:
            return self._codec.empty(name)
        try:
            return self._codec.decode(name, snapshot.text)
        except Damaged as error:
            raise Damaged(f"{self.snapshots.directory / error.message}") from error

    def start(self, name: str, snapshot: Snapshot, entries: Sequence[Entry]) -> tuple[Collections, int]:
        """Return the newest recoverable state of the file, and the journal entry after which it was current."""
        whole = [place for place in reversed(_possible(name, entries)) if place.holds]
        for place in whole:
            if place.sha == snapshot.sha:
                return self.decode_snapshot(name, snapshot), place.at
        self.stale.add(name)
        for place in whole:
            state = self.held(name, place.sha)
            if state is not None:
                return state, place.at
        if snapshot.sha == ABSENT:
            path = self.snapshots.directory / name
            raise Damaged(f"{path}:1: the file is gone; restore it, or remove the journal too to start over")
        return self.decode_snapshot(name, snapshot), 0

    def _forget(self, name: str, *but: str) -> None:
        kept = self._kept[name] if self.snapshots.size < _SMALL else ()
        self.snapshots.forget_bases(name, but={*but, *kept})


def _texts(places: Sequence[_WrittenText]) -> list[str]:
    """Return the checksums that the file may have now, oldest first: none from before a text by hand was seen in it."""
    seen = [number for number, place in enumerate(places) if not place.holds]
    return [place.sha for place in places[seen[-1] if seen else 0 :]]


def _possible(name: str, entries: Sequence[Entry]) -> list[_WrittenText]:
    """Return the texts that the file `name` may have by our doing after these entries of a journal, oldest first."""
    places: list[_WrittenText] = []
    for at, entry in enumerate(entries):
        places = _after(places, name, at, entry)
    return places


def _after(places: list[_WrittenText], name: str, at: int, entry: Entry) -> list[_WrittenText]:
    """Return `places` updated by one more entry, which is number `at`."""
    # Between a mark and the word that it was carried out, a crash may have left the file as it was. Any other text is a
    # person's, be it one that we once wrote.
    if isinstance(entry, Header):
        return [_WrittenText(at, entry.files.get(name, ABSENT), holds=True)]
    if isinstance(entry, JournalChange):
        return [*places, _WrittenText(at, entry.seen[name], holds=False)] if name in entry.seen else places
    if not entry.files:
        whole = [number for number, place in enumerate(places) if place.holds]
        return places[whole[-1] :] if whole else places
    return [*places, _WrittenText(at, entry.files[name], holds=True)] if name in entry.files else places
