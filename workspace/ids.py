"""Ids and randomness: time-ordered, collision-free, and reproducible with a seed."""

import re
from collections.abc import Container
from hashlib import blake2b
from random import Random
from secrets import token_hex
from threading import Lock

from mabos.workspace.clock import Clock

_ID = re.compile(r"(?<![0-9a-f])\d{13}-[0-9a-f]{4}(?![0-9a-f])")


def without_ids(text: str) -> str:
    """Return a text without the times and digits of its ids, which differ in every run.

    >>> without_ids("Understand MSG-1795527364986-b6a6")
    'Understand MSG-'
    """
    return _ID.sub("", text)


def random_stream(seed: str, *names: str | int) -> Random:
    """Return the random generator for `names` under `seed`.

    Streams are keyed by name and not by order of use, so that drawing more from one never changes another.
    """
    key = "\x1f".join([seed, *map(str, names)])
    return Random(int.from_bytes(blake2b(key.encode(), digest_size=16).digest(), "big"))


class Ids:
    """A generator of ids of the form `M-{milliseconds}-{four hex digits}` (S0 section 4).

    Within one instance they never repeat and sort by age. With a `seed` they depend only on the seed, the clock
    and the order of calls; without one the digits are random.
    """

    def __init__(self, clock: Clock, seed: str | None = None) -> None:
        self._clock = clock
        self._seed = seed
        self._lock = Lock()
        self._last_ms = 0
        self._count = 0

    def new(self, prefix: str, taken: Container[str] = ()) -> str:
        """Return an id with `prefix` that is not in `taken`."""
        while True:
            candidate = self._next(prefix)
            if candidate not in taken:
                return candidate

    def _next(self, prefix: str) -> str:
        with self._lock:
            self._last_ms = max(self._last_ms + 1, int(self._clock().timestamp() * 1000))
            self._count += 1
            if self._seed is None:
                suffix = token_hex(2)
            else:
                suffix = blake2b(f"{self._seed}\x1f{self._count}".encode(), digest_size=2).hexdigest()
            return f"{prefix}-{self._last_ms}-{suffix}"
