"""Durability: when bytes are forced to disk (at once, after a group, or never) and how often files are checked.

Only waiting keeps a promise, and few places wait: `flush` and the end of a group return when every byte that the thread
wrote in it is on the disk. So every outside effect comes after one of them: an effect after its key, an answer to a
sender, a person or a listener after the data it reports. `ahead` begins to force and does not wait. Files are forced in
the order in which they were first written since the last `flush` or `ahead`. A file first written after an `ahead`
comes after all those written before it: call it between a piece of work and the note that it is done.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import local
from typing import Literal

from mabos.workspace.forcing import ForcedFiles, begin_batch

Durability = Literal["each", "phase", "off"]

_force = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync


class _Group(local):
    """The files that one thread has written inside its group: an open descriptor for each inode still to be forced.

    `begun` are those already being forced. `after` holds callbacks for when all are forced, by name. `look` identifies
    the block in which files are checked once.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.waiting: dict[tuple[int, int], int] = {}
        self.begun: ForcedFiles | None = None
        self.after: dict[str, Callable[[], None]] = {}
        self.look: object | None = None


class Sync:
    """The durability policy; one object is shared by all writers.

    `each` forces every write before it is acknowledged. `phase` does too, except inside `group()`, where the writes of
    a thread are forced together when its outermost group ends: they are acknowledged there. `off` leaves it to the
    operating system: a killed process still loses nothing, a power cut may.
    """

    def __init__(self, durability: Durability = "each") -> None:
        self.durability = durability
        self._group = _Group()

    @property
    def durable(self) -> bool:
        """Return whether writes are ever forced."""
        return self.durability != "off"

    def wrote(self, fd: int) -> None:
        """Make bytes written to `fd` durable, now or at the end of this thread's group; `fd` may be closed after."""
        if self.durability == "off":
            return
        if self.durability == "each" or not self._group.depth:
            _force(fd)
            return
        found = os.fstat(fd)
        inode = (found.st_dev, found.st_ino)
        if inode not in self._group.waiting:
            self._group.waiting[inode] = os.dup(fd)

    def afterwards(self, name: str, act: Callable[[], None]) -> None:
        """Call `act` once all writes so far are durable: now, or at the end of this thread's group.

        Within a group, it replaces an earlier callback of the same `name`.
        """
        if self._group.depth:
            self._group.after[name] = act
        else:
            act()

    @contextmanager
    def group(self) -> Iterator[None]:
        """Collect this thread's writes and force them once at the end of the outermost group, even after an error."""
        self._group.depth += 1
        try:
            yield
        finally:
            self._group.depth -= 1
            if not self._group.depth:
                self.flush()

    @property
    def look(self) -> object | None:
        """The identity of this thread's block in which a store's files are checked once; None outside."""
        return self._group.look

    @contextmanager
    def looking_once(self) -> Iterator[None]:
        """Check each store for others' writes at the first request inside the block, then not again.

        This applies to this thread; a commit still checks, under its lock.
        """
        before, self._group.look = self._group.look, object()
        try:
            yield
        finally:
            self._group.look = before

    def ahead(self) -> None:
        """Begin to force the writes of this thread's group without waiting; later writes are forced after them."""
        if self._group.waiting:
            self._group.begun = begin_batch(self._gather_waiting())

    def flush(self) -> None:
        """Force the writes of this thread's group now."""
        batch, self._group.begun = self._gather_waiting(), None
        after, self._group.after = self._group.after, {}
        batch.settle()
        for act in after.values():
            act()

    def _gather_waiting(self) -> ForcedFiles:
        """Return the waiting files, queued behind those already being forced; nothing waits afterwards."""
        waiting, self._group.waiting = self._group.waiting, {}
        return ForcedFiles(waiting.values(), _force, after=self._group.begun)
