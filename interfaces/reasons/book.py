"""An agent's ledger as reasons: its entries, and its cycles with their actions, followed as it grows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import Damaged
from mabos.interfaces.reasons.making import Tells
from mabos.interfaces.reasons.record import Record, texts
from mabos.workspace.ledger import entry_of
from mabos.workspace.ledger_reader import LedgerLine, LedgerReader
from mabos.workspace.text import one_line

if TYPE_CHECKING:
    from mabos.workspace.ledger import LedgerEntry

_LONGEST = 160
"""Characters of a value that a chain of reasons tells."""


@dataclass(slots=True)
class _Cycle:
    """A cycle: the time of its first entry, and its calls and questions."""

    at: str
    done: list[str] = field(default_factory=list)


class Book:
    """The ledger of one agent. An entry is read on demand; only its position is cached."""

    def __init__(self, agent_id: str, path: Path) -> None:
        self.agent_id = agent_id
        self._path = path
        self._times = 0
        self._reader = LedgerReader(path)
        self._seen = (0, 0)
        self._places: dict[str, tuple[int, int]] = {}
        self._cycles: dict[str, _Cycle] = {}
        self._tells = Tells()

    @property
    def tells(self) -> Tells:
        """Its information on other records."""
        return self._tells

    @property
    def edition(self) -> tuple[int, int]:
        """A version number that changes when its information about other records does."""
        return self._times, self._tells.edition

    def follow(self) -> None:
        """Read appended entries; costs one stat if there are none, and a full read if the file was replaced.

        Raises `Damaged` if an entry is unreadable.
        """
        try:
            stat = self._path.stat()
        except FileNotFoundError:
            self._forget()
            return
        seen = stat.st_size, stat.st_mtime_ns
        if seen == self._seen:
            return
        if stat.st_size <= self._seen[0]:  # not written on, so perhaps changed before its last line
            self._forget()
        for line in self._reader.lines(restarted=self._restart):
            self._take(line)
        self._seen = seen

    def of(self, record_id: str) -> Sequence[Record]:
        """Return the entry or the cycle with an id, if it is in this ledger."""
        if record_id in self._places:
            return (_entry(self._entry(record_id)),)
        if record_id in self._cycles:
            cycle = self._cycles[record_id]
            words, done = f"{len(cycle.done)} actions", tuple(cycle.done)
            return (Record(record_id, "cycle", self.agent_id, words, cycle.at, done),)
        return ()

    def ids(self) -> Iterator[str]:
        """Yield the ids of its entries and cycles."""
        yield from self._places
        yield from self._cycles

    def _forget(self) -> None:
        """Begin again, as with a ledger that was never read."""
        self._reader, self._seen = LedgerReader(self._path), (0, 0)
        self._restart()

    def _restart(self) -> None:
        self._times += bool(self._places)
        self._places, self._cycles, self._tells = {}, {}, Tells()

    def _take(self, line: LedgerLine) -> None:
        entry = line.entry
        self._places[entry.id] = (line.start, line.size)
        if entry.cycle:
            cycle = self._cycles.setdefault(entry.cycle, _Cycle(entry.at))
            cycle.done += [entry.id] if entry.kind in ("call", "awaiting") else []
        self._tells.take(entry)

    def _entry(self, entry_id: str) -> "LedgerEntry":
        start, size = self._places[entry_id]
        with self._path.open("rb") as file:
            file.seek(start)
            entry = entry_of(file.read(size))
        if entry is None or entry.id != entry_id:
            raise Damaged(f"{self._path}: changed while {entry_id} was looked up; try again")
        return entry


def _entry(entry: "LedgerEntry") -> Record:
    kind = "action" if entry.kind == "call" else f"entry '{entry.kind}'"
    named = {name: value for name, value in entry.body.items() if name not in ("arguments", "result")}
    return Record(entry.id, kind, entry.agent, _words(entry.body), entry.at, tuple(texts(named)))


def _words(body: Mapping[str, Any]) -> str:
    if "arguments" in body:
        return f"{body['tool']}({_render_pairs(body['arguments'] or {}, '=')})"
    return _render_pairs(body, ": ")


def _render_pairs(told: Mapping[str, Any], between: str) -> str:
    """Return names with their values, each as far as a reader needs it to know which."""
    return ", ".join(f"{name}{between}{_cut(value)}" for name, value in told.items())


def _cut(value: Any) -> str:
    line = one_line(_render_value(value))
    return line if len(line) <= _LONGEST else line[:_LONGEST] + "…"


def _render_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {_render_value(inner)}" for name, inner in value.items())
    return ", ".join(map(_render_value, value)) if isinstance(value, list) else str(value)
