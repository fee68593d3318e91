"""Forcing of files to disk while their writer continues: in batches, each in the given order.

Forcing early never harms: after a power cut, unforced writes may or may not survive anyway. Only waiting keeps a
promise. So either a background thread or the waiting writer forces a batch, whichever comes first. No file of a batch
is forced before those of earlier batches, so a note of completion is never on disk without the completed work.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Self

THREADS = 2
"""Threads that force beside their writers; a writer who must wait does not wait for them to be free."""


class ForcedFiles:
    """Open descriptors to force to disk in order, after those of an earlier batch, and then to close."""

    def __init__(self, fds: Iterable[int], force: Callable[[int], None], *, after: Self | None = None) -> None:
        self._fds = tuple(fds)
        self._force = force
        self._after = after
        self._turn = Lock()
        self._error: BaseException | None = None

    def settle(self) -> None:
        """Return once everything is on disk; raises any error from forcing it, in whichever thread."""
        with self._turn:
            if self._error is not None:
                raise self._error
            (fds, self._fds), (after, self._after) = (self._fds, ()), (self._after, None)
            try:
                if after is not None:
                    after.settle()
                for fd in fds:
                    self._force(fd)
            except BaseException as error:
                self._error = error
                raise
            finally:
                for fd in fds:
                    os.close(fd)


class _Hands:
    """The threads, started with the first batch; a forked process starts its own."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[ForcedFiles] = SimpleQueue()
        self._lock = Lock()
        self._are_there = False

    def take(self, batch: ForcedFiles) -> None:
        """Let a batch be forced by a thread that is free."""
        if not self._are_there:
            with self._lock:
                for _ in range(0 if self._are_there else THREADS):
                    Thread(target=self._work, args=(self._waiting,), name="forcing", daemon=True).start()
                self._are_there = True
        self._waiting.put(batch)

    @staticmethod
    def _work(waiting: "SimpleQueue[ForcedFiles]") -> None:
        while True:
            batch = waiting.get()
            with suppress(BaseException):  # whoever waits for the batch is told
                batch.settle()


_HANDS = _Hands()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_HANDS.__init__)  # type: ignore[misc]  # its threads stayed behind


def begin_batch(batch: ForcedFiles) -> ForcedFiles:
    """Return the batch, after starting a thread that forces it."""
    _HANDS.take(batch)
    return batch
