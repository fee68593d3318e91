"""Somebody's own place in one chain of the ledger: what was read once is not read again."""

import os
from collections.abc import Iterator
from pathlib import Path

from mabos.configs.errors import Damaged
from mabos.workspace.ledger import Entry, entry_of
from mabos.workspace.regular import opened

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
            fd = opened(self._path)
        except FileNotFoundError:
            return
        try:
            place = self._end if self._is_known(fd) else self._beginning(fd)
            unread = os.pread(fd, os.fstat(fd).st_size - place, place)
        finally:
            os.close(fd)
        for line in unread.splitlines(keepends=True):
            if not line.endswith(b"\n"):  # a line without end was never acknowledged
                return
            entry = entry_of(line)
            if entry is None:
                message = f"{self._path}: what stands {place} bytes from its start is not a ledger entry"
                raise Damaged(f"{message}; restore the file from a backup")
            place += len(line)
            self._end, self._last = place, line
            yield entry

    def _is_known(self, fd: int) -> bool:
        """Return whether the file still has the line that was read last where it was."""
        if not self._last:
            return False
        return os.pread(fd, len(self._last), self._end - len(self._last)) == self._last

    def _beginning(self, fd: int) -> int:
        """Return where to begin: a block is passed over if an entry behind it is not later than `after`."""
        place = os.fstat(fd).st_size if self._after else 0
        while place > 0:
            place = max(0, place - _BLOCK)
            # What is cut in two at the beginning of the block, and at its end, is looked at with the block before.
            lines = os.pread(fd, 2 * _BLOCK, place).splitlines(keepends=True)
            begun = lines.pop(0) if place else b""
            entry = entry_of(lines[0]) if lines else None
            if entry is not None and entry.at <= self._after:
                return place + len(begun)
        return 0
