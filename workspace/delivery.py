"""Delivery with retries: the start is recorded before each attempt, the outcome after it, and pauses grow.

    begun = replace(known, status="begun", attempts=known.attempts + 1)
    ended = deliver(begun, hand_over, failed, save=notices.save, flush=sync.flush)

A record with status `begun` and no outcome may have been delivered: its finder decides from the channel.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TypeVar
from zlib import crc32

from mabos.configs.errors import MabosError, file_refused

_DOUBLINGS = 64  # a service that is away for days would be beyond every float


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The number of attempts and the pauses between them: each is twice the one before, up to `longest` seconds.

    `attempts` of 0 is unlimited. `spread` shortens a pause by up to that share, differently for each key, so that
    clients of a lost server do not all return at once.
    """

    first: float
    longest: float = inf
    attempts: int = 0
    spread: float = 0.0

    def pause(self, failures: int, key: str = "") -> float:
        """Return how many seconds to wait after this many consecutive failures.

        >>> [RetryPolicy(5, longest=60.0).pause(failures) for failures in (1, 2, 3, 9)]
        [5.0, 10.0, 20.0, 60.0]
        """
        pause = min(float(self.longest), self.first * 2.0 ** min(max(failures, 1) - 1, _DOUBLINGS))
        return pause * (1 - self.spread * crc32(f"{key}:{failures}".encode()) / 2**32) if self.spread else pause

    def is_over(self, attempts: int) -> bool:
        """Return whether no attempts are left after this many."""
        return 0 < self.attempts <= attempts


Record = TypeVar("Record")


def deliver(
    begun: Record,
    hand_over: Callable[[Record], Record],
    failed: Callable[[Record, MabosError], Record],
    *,
    save: Callable[[Record], object],
    flush: Callable[[], object] | None,
) -> Record:
    """Make one attempt and return its record: the start is on disk before `hand_over`, the outcome is saved after.

    `hand_over` returns the record of the delivery. If it raises, `failed` gives the record of the failure; it may raise
    in turn, once it has saved the lasting record. Without `flush` nothing is saved before: that is for a channel that
    takes the same thing only once.
    """
    if flush is not None:
        save(begun)
        flush()
    try:
        ended = hand_over(begun)
    except MabosError as error:
        ended = failed(begun, error)
    except OSError as error:
        ended = failed(begun, file_refused(error))
    save(ended)
    return ended
