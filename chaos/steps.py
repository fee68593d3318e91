"""The steps in which this process changes files, counted, so that one of them can be fatal or find the disk full.

    with Steps("killed", at=7):
        call(services, "fact_assert", {...})      # dies by SIGKILL when it is about to take its seventh step

A step is opening a file for writing, writing, truncating, renaming, linking, removing, creating a folder, or setting a
file's time, which happens to a whole file just before it is put in place. SQLite's own file access is not seen. Only
for disposable processes: the wrappers stay when the block ends.
"""

import errno
import os
import signal
import sys
from types import TracebackType
from typing import Any, Literal, Self

How = Literal["counted", "killed", "torn", "full"]

_EVENTS = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.truncate", "os.utime"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FREEING = {"os.remove", "os.rmdir", "os.truncate", "os.rename", "os.utime"}
_STANDARD = 2  # descriptors up to this one are no files of the workspace


class Steps:
    """A counter of steps while it is entered; `how` defines what happens at step `at`.

    `killed` ends the process before the step, `torn` in the middle of it where it is a write that makes a file longer
    (what is written over a few bytes of one sector is there or not), and with `full` this step and every later one that
    needs room is refused as by a full disk, which takes the first half of what is written.
    """

    def __init__(self, how: How = "counted", at: int = 0) -> None:
        self.taken = 0
        self._how = how
        self._at = at
        self._is_on = False
        self._write, self._pwrite = os.write, os.pwrite

    def __enter__(self) -> Self:
        sys.addaudithook(self._heard)
        os.write, os.pwrite = self._written, self._placed  # type: ignore[assignment]
        self._is_on = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._is_on = False

    def _heard(self, event: str, given: tuple[Any, ...]) -> None:
        if not self._is_on or not _changes(event, given):
            return
        if self._step():
            self._die(True)
            if event not in _FREEING:
                raise OSError(errno.ENOSPC, "no space is left (on purpose)", str(given[0]))

    def _written(self, fd: int, content: bytes) -> int:
        if self._is_on and fd > _STANDARD and self._step():
            return self._broken(content, lambda part: self._write(fd, part))
        return self._write(fd, content)

    def _placed(self, fd: int, content: bytes, offset: int) -> int:
        if self._is_on and self._step():
            if offset + len(content) > os.fstat(fd).st_size:
                return self._broken(content, lambda part: self._pwrite(fd, part, offset))
            self._die(True)
        return self._pwrite(fd, content, offset)

    def _step(self) -> bool:
        self.taken += 1
        return self.taken == self._at or (self._how == "full" and 0 < self._at <= self.taken)

    def _broken(self, content: bytes, write: Any) -> int:
        self._die(self._how != "torn")
        if self.taken > self._at or len(content) < 2:
            raise OSError(errno.ENOSPC, "no space is left (on purpose)")
        done: int = write(content[: len(content) // 2])
        self._die(True)
        return done

    def _die(self, now: bool) -> None:
        if self._how == "killed" or (self._how == "torn" and now):
            os.kill(os.getpid(), signal.SIGKILL)


def _changes(event: str, given: tuple[Any, ...]) -> bool:
    if event == "open":
        path, flags = given[0], given[2]
        return isinstance(path, str | os.PathLike) and isinstance(flags, int) and bool(flags & _WRITING)
    return event in _EVENTS
