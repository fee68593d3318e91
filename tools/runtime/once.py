"""A lazily opened value, opened once for all threads."""

from collections.abc import Callable
from threading import RLock
from typing import Generic, TypeVar

Opened = TypeVar("Opened")


class Once(Generic[Opened]):
    """A call of `opener` at first use, cached for all later ones; `found` is None before.

    Values of one workspace share its lock, since opening one may open another.
    """

    def __init__(self, opener: Callable[[], Opened], lock: RLock) -> None:
        self.found: Opened | None = None
        self._opener = opener
        self._lock = lock

    def __call__(self) -> Opened:
        """Return the opened value."""
        if self.found is None:
            with self._lock:
                if self.found is None:
                    self.found = self._opener()
        return self.found
