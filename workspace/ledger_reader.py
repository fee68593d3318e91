"""Somebody's own place in one chain of the ledger: what was read once is not read again."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from configs.errors import Damaged
from workspace.ledger import Entry, entry_of

_BLOCK = 1 << 16


class LedgerReader:
    """Reads an agent's chain from where it was left; a chain that was replaced is read anew.

    With `after`, an ISO 8601 time, the first look begins near the first entry that is later, however many come before.
    """

    def __init__(self, path: Path, *, after: str = "") -> None:
        self._path = path
        self._after = after
        self._end = 0
        self._last = b""

    def news(self) -> Iterator[Entry]:
        """Yield the entries since the last look, oldest first; raises `Damaged` where one is unreadable."""
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        with file:
            place = self._end if self._is_known(file) else self._beginning(file)
            file.seek(place)
            for line in file:
                if not line.endswith(b"\n"):  # a line without end was never acknowledged
                    return
                entry = entry_of(line)
                if entry is None:
                    message = f"{self._path}: what stands {place} bytes from its start is not a ledger entry"
                    raise Damaged(f"{message}; restore the file from a backup")
                place += len(line)
                self._end, self._last = place, line
                yield entry

    def _is_known(self, file: BinaryIO) -> bool:
        """Return whether the file still has the line that was read last where it was."""
        if not self._last:
            return False
        return os.pread(file.fileno(), len(self._last), self._end - len(self._last)) == self._last

    def _beginning(self, file: BinaryIO) -> int:
        """Return where to begin: a block is passed over if an entry behind it is not later than `after`."""
        place = os.fstat(file.fileno()).st_size if self._after else 0
        while place > 0:
            place = max(0, place - _BLOCK)
            file.seek(place)
            skipped = len(file.readline()) if place else 0
            entry = entry_of(file.readline())
            if entry is not None and entry.at <= self._after:
                return place + skipped
        return 0
