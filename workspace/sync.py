"""When written bytes are forced to the disk, at once, at the end of a group, or never; and how often we look at it.

What is promised is promised by waiting, and there are few places where anybody waits: `flush` and the end of a group
return when every byte that the thread wrote in it is on the disk. So whatever would be lost to something outside stands
behind one of them: an effect behind its key, an answer to a sender, a person or a listener behind what it tells of.
`ahead` begins to force and does not wait. Files are forced in the order in which they were first written since the last
`flush` or `ahead`, and one that is first written behind an `ahead` after all that were written in front of it: put it
between a thing and the word that it is done.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import local
from typing import Literal

from mabos.workspace.forcing import ForcedFiles, begun

Durability = Literal["each", "phase", "off"]

_force = getattr(os, "fdatasync", os.fsync)  # macOS has no fdatasync


class _Group(local):
    """What one thread has written inside its group: an open descriptor for each inode still to be forced.

    `begun` are those which are being forced already. `after` is what is to be done once all are, by name. `look` stands
    for the block in which files are looked at once.
    """

    def __init__(self) -> None:
        self.depth = 0
        self.waiting: dict[tuple[int, int], int] = {}
        self.begun: ForcedFiles | None = None
        self.after: dict[str, Callable[[], None]] = {}
        self.look: object | None = None


class Sync:
    """Decides when a write becomes durable; one object is shared by everything that writes.

    `each` forces every write before it is acknowledged. `phase` does too, except inside `group()`, where the writes of
    a thread are forced together when its outermost group ends: they are acknowledged there. `off` leaves it to the
    operating system: a killed process still loses nothing, a power cut may.
    """

    def __init__(self, durability: Durability = "each") -> None:
        self.durability = durability
        self._group = _Group()

    @property
    def durable(self) -> bool:
        """Whether anything is ever forced."""
        return self.durability != "off"

    def wrote(self, fd: int) -> None:
        """Make what was written to `fd` durable, now or at the end of this thread's group; `fd` may be closed after."""
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
        """Call `act` once what was written so far is durable: now, or at the end of this thread's group.

        Within a group, what was to be done under the same `name` before is not done.
        """
        if self._group.depth:
            self._group.after[name] = act
        else:
            act()

    @contextmanager
    def group(self) -> Iterator[None]:
        """Gather this thread's writes and force them once, when the outermost group ends, also after an error."""
        self._group.depth += 1
        try:
            yield
        finally:
            self._group.depth -= 1
            if not self._group.depth:
                self.flush()

    @property
    def look(self) -> object | None:
        """What stands for the block of this thread in which one look at a store's files is enough; None outside."""
        return self._group.look

    @contextmanager
    def looking_once(self) -> Iterator[None]:
        """Let a store look for what others wrote when it is first asked inside the block, then not again.

        That is for this thread; a commit still looks, under its lock.
        """
        before, self._group.look = self._group.look, object()
        try:
            yield
        finally:
            self._group.look = before

    def ahead(self) -> None:
        """Begin to force what this thread's group has gathered, and go on; what is written from now on comes behind."""
        if self._group.waiting:
            self._group.begun = begun(self._gathered())

    def flush(self) -> None:
        """Force now what this thread's group has gathered."""
        batch, self._group.begun = self._gathered(), None
        after, self._group.after = self._group.after, {}
        batch.settle()
        for act in after.values():
            act()

    def _gathered(self) -> ForcedFiles:
        """Return what waits, behind what is being forced already; nothing waits afterwards."""
        waiting, self._group.waiting = self._group.waiting, {}
        return ForcedFiles(waiting.values(), _force, after=self._group.begun)
