"""One agent's ledger as reasons: its entries, and its cycles with what was done in them, followed as it grows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from mabos.configs.errors import Damaged
from mabos.interfaces.reasons.making import Tells
from mabos.interfaces.reasons.record import Record, texts
from mabos.workspace.ledger import entry_of

if TYPE_CHECKING:
    from mabos.workspace.ledger import Entry

_LONGEST = 160
"""Characters of a value that a chain of reasons tells."""


@dataclass(slots=True)
class _Cycle:
    """One cycle: when its first entry was written, and its calls and questions."""

    at: str
    done: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Text:
    """What was read of the file: its size and time then, where each entry stands, and what all of them tell."""

    seen: tuple[int, int] = (0, 0)
    end: int = 0
    last: bytes = b""
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    cycles: dict[str, _Cycle] = field(default_factory=dict)
    tells: Tells = field(default_factory=Tells)


class Book:
    """The ledger of one agent. An entry is read when it is asked for; kept is where it stands."""

    def __init__(self, agent_id: str, path: Path) -> None:
        self.agent_id = agent_id
        self._path = path
        self._text = _Text()
        self._times = 0

    @property
    def tells(self) -> Tells:
        """What its entries tell beside themselves."""
        return self._text.tells

    @property
    def edition(self) -> tuple[int, int]:
        """Another one when what it tells with other records has changed."""
        return self._times, self.tells.edition

    def follow(self) -> None:
        """Take in what was appended; costs a stat if nothing was, and everything if the file is another one.

        Raises `Damaged` where an entry is unreadable.
        """
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            self._forget()
            return
        seen = stat.st_size, stat.st_mtime_ns
        if seen == self._text.seen:
            return
        with self._path.open("rb") as file:
            if not self._goes_on(file, stat.st_size):
                self._forget()
            self._take(file)
        self._text.seen = seen

    def of(self, record_id: str) -> Sequence[Record]:
        """Return the entry or the cycle with an id, if it is told here."""
        if record_id in self._text.places:
            return (_entry(self._entry(record_id)),)
        if record_id in self._text.cycles:
            cycle = self._text.cycles[record_id]
            words, done = f"{len(cycle.done)} actions", tuple(cycle.done)
            return (Record(record_id, "cycle", self.agent_id, words, cycle.at, done),)
        return ()

    def ids(self) -> Iterator[str]:
        """Yield the ids of its entries and cycles."""
        yield from self._text.places
        yield from self._text.cycles

    def _goes_on(self, file: BinaryIO, size: int) -> bool:
        """Return whether the file was only written on since it was read."""
        text = self._text
        file.seek(text.end - len(text.last))
        return size > text.seen[0] and file.read(len(text.last)) == text.last

    def _forget(self) -> None:
        if self._text.places:
            self._times += 1
        self._text = _Text()

    def _take(self, file: BinaryIO) -> None:
        text = self._text
        file.seek(text.end)
        for line in file:
            if not line.endswith(b"\n"):
                break  # never acknowledged
            entry = entry_of(line)
            if entry is None:
                self._forget()
                number = f"the line at byte {text.end}"
                raise Damaged(f"{self._path}: {number} is no ledger entry; restore the file from a backup")
            text.places[entry.id] = (text.end, len(line))
            if entry.cycle:
                cycle = text.cycles.setdefault(entry.cycle, _Cycle(entry.at))
                cycle.done += [entry.id] if entry.kind in ("call", "awaiting") else []
            text.tells.take(entry)
            text.end, text.last = text.end + len(line), line

    def _entry(self, entry_id: str) -> "Entry":
        start, size = self._text.places[entry_id]
        with self._path.open("rb") as file:
            file.seek(start)
            entry = entry_of(file.read(size))
        if entry is None or entry.id != entry_id:
            raise Damaged(f"{self._path}: it was changed while {entry_id} was looked up; ask again")
        return entry


def _entry(entry: "Entry") -> Record:
    kind = "action" if entry.kind == "call" else f"entry '{entry.kind}'"
    named = {name: value for name, value in entry.body.items() if name not in ("arguments", "result")}
    return Record(entry.id, kind, entry.agent, _words(entry.body), entry.at, tuple(texts(named)))


def _words(body: Mapping[str, Any]) -> str:
    if "arguments" in body:
        return f"{body['tool']}({_listed(body['arguments'] or {}, '=')})"
    return _listed(body, ": ")


def _listed(told: Mapping[str, Any], between: str) -> str:
    """Return names with their values, each as far as a reader needs it to know which."""
    return ", ".join(f"{name}{between}{_cut(value)}" for name, value in told.items())


def _cut(value: Any) -> str:
    line = " ".join(_said(value).split())
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"


def _said(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_said(inner)}" for name, inner in value.items())
    return ", ".join(map(_said, value)) if isinstance(value, list) else str(value)
