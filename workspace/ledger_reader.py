"""Follow one chain of the ledger: nothing is read twice, and a replaced chain is read from the start."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

from mabos.configs.errors import Damaged
from mabos.workspace.ledger import LedgerEntry, entry_of
from mabos.workspace.regular import reader

_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class ChainPosition:
    """A position in a chain: the start and end of its last line, and a digest to recognise it."""

    start: int = 0
    end: int = 0
    digest: bytes = b""

    def is_in(self, file: BinaryIO) -> bool:
        """Return whether the file still has that line there."""
        file.seek(self.start)
        return self.end > 0 and _digest(file.read(self.end - self.start)) == self.digest


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """An entry and its position in the file."""

    entry: LedgerEntry
    start: int
    size: int


class LedgerReader:
    """A reader that continues an agent's chain at `position`, the end of the last line returned.

    With `after`, an ISO 8601 time, reading starts near the first later entry, without reading those before.
    """

    def __init__(self, path: Path, position: ChainPosition = ChainPosition(), *, after: str = "") -> None:
        self.position = position
        self._path = path
        self._after = after

    def news(self) -> Iterator[LedgerEntry]:
        """Yield the entries since the last read, oldest first; raises `Damaged` if one is unreadable."""
        for line in self.lines():
            yield line.entry

    def lines(self, *, restarted: Callable[[], object] = bool, skips: bool = False) -> Iterator[LedgerLine]:
        """Yield the entries since the last read, with positions; raises `Damaged` if one is unreadable.

        `restarted` is called first if the chain has been replaced. With `skips`, damaged entries are left out.
        """
        try:
            file = reader(self._path)
        except FileNotFoundError:
            return
        with file:
            end = self.position.end
            if not self.position.is_in(file):
                if end:
                    self.position = ChainPosition()
                    restarted()
                end = self._beginning(file)
            file.seek(end)
            for line in file:
                if not line.endswith(b"\n"):  # it was never acknowledged
                    return
                entry = entry_of(line)
                if entry is None and not skips:
                    message = f"{self._path}: the line {end} bytes from its start is not a ledger entry"
                    raise Damaged(f"{message}; restore the file from a backup")
                start, end = end, end + len(line)
                self.position = ChainPosition(start, end, _digest(line))
                if entry is not None:
                    yield LedgerLine(entry, start, len(line))

    def _beginning(self, file: BinaryIO) -> int:
        """Return where to begin: a block is passed over if an entry behind it is not later than `after`."""
        place = file.seek(0, 2) if self._after else 0
        while place > 0:
            place = max(0, place - _BLOCK)
            file.seek(place)
            # What is cut in two at the beginning of the block, and at its end, is looked at with the block before.
            lines = file.read(2 * _BLOCK).splitlines(keepends=True)
            begun = lines.pop(0) if place else b""
            entry = entry_of(lines[0]) if lines else None
            if entry is not None and entry.at <= self._after:
                return place + len(begun)
        return 0


def _digest(line: bytes) -> bytes:
    return blake2b(line, digest_size=16).digest()
