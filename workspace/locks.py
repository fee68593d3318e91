"""Locks between processes and threads, on files that serve no other purpose.

A lock file is empty, and we never rename or remove it. The operating system frees a lock when its holder dies.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from mabos.configs.errors import Unavailable


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold the exclusive lock `path`, waiting for it indefinitely.

    Excludes other processes and threads. Not re-entrant: the holder must not ask again.
    """
    fd = _acquire_lock(path, blocking=True)
    if fd is None:  # a blocking lock is always granted
        raise Unavailable(f"{path}: the lock was not granted; try again")
    try:
        yield
    finally:
        _free(fd)


@contextmanager
def try_lock(path: Path) -> Iterator[bool]:
    """Hold the exclusive lock `path` if it is free; yields whether it was."""
    fd = _acquire_lock(path, blocking=False)
    try:
        yield fd is not None
    finally:
        if fd is not None:
            _free(fd)


class AgentLock:
    """The right to run one agent, held by at most one process at a time."""

    def __init__(self, path: Path, agent_id: str) -> None:
        self._path = path
        self._agent_id = agent_id
        self._fd: int | None = None

    def acquire(self) -> None:
        """Acquire the right to run the agent; acquiring it again has no effect.

        Raises `Unavailable` at once if another process, or another object of this one, holds it.
        """
        if self._fd is not None:
            return
        self._fd = _acquire_lock(self._path, blocking=False)
        if self._fd is None:
            message = f"agent {self._agent_id!r} is being run by another process; wait for it, or stop it first"
            raise Unavailable(message, argument="agent_id")

    def release(self) -> None:
        """Release the right; harmless if it is not held."""
        fd, self._fd = self._fd, None
        if fd is not None:
            _free(fd)

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()


def _acquire_lock(path: Path, *, blocking: bool) -> int | None:
    # Each call opens the file anew, so that threads exclude each other too: flock belongs to the open file.
    how = fcntl.LOCK_EX if blocking else fcntl.LOCK_EX | fcntl.LOCK_NB
    while True:
        fd = _open_lock(path)
        try:
            fcntl.flock(fd, how)
            if _is_still(path, fd):
                return fd
        except BlockingIOError:
            os.close(fd)
            return None
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)


def _free(fd: int) -> None:
    # Closing alone does not unlock: a process that was forked meanwhile holds a copy of the descriptor.
    try:
        fcntl.flock(fd, fcntl.LOCK_UN)
    finally:
        os.close(fd)


def _open_lock(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    try:
        return os.open(path, flags, 0o644)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, flags, 0o644)


def _is_still(path: Path, fd: int) -> bool:
    # Someone may have removed the lock file while we waited (`rm -r .mabos`): the next caller would lock another one.
    try:
        there = os.stat(path)  # noqa: PTH116  # one lookup, on the path of every write
    except FileNotFoundError:
        return False
    held = os.fstat(fd)
    return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)
