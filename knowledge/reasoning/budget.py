"""The budget of a method: time until a deadline, size limits, and its own random numbers."""

import time
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import TypeVar

from mabos.configs.errors import InvalidArgument, MabosError

Thing = TypeVar("Thing")


class OutOfTime(MabosError):  # the name of what happened
    """The deadline has passed. A method with a partial result returns it as a `timeout`."""

    code = "timeout"


class Budget:
    """Time, size and seed of one run.

    `seconds` None means no deadline; `spent` seconds are already used. `monotonic` is the clock, passed in for tests.
    """

    def __init__(
        self,
        seconds: float | None = None,
        *,
        seed: int = 0,
        spent: float = 0.0,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.seed = seed
        self._monotonic = monotonic
        self._started = monotonic() - spent
        self._seconds = seconds

    @property
    def spent_ms(self) -> float:
        """Milliseconds since the run began."""
        return (self._monotonic() - self._started) * 1000

    @property
    def left(self) -> float | None:
        """Seconds until the deadline, at least 0; None without one."""
        return None if self._seconds is None else max(0.0, self._started + self._seconds - self._monotonic())

    def part(self, share: float) -> "Budget":
        """Return a budget with a share of the remaining time, on the same clock and seed."""
        return Budget(None if self.left is None else self.left * share, seed=self.seed, monotonic=self._monotonic)

    @property
    def is_spent(self) -> bool:
        """Return whether the deadline has passed."""
        return self.left == 0.0

    def check(self) -> None:
        """Raise `OutOfTime` if the deadline has passed; call this in every loop that may be long."""
        if self.is_spent:
            raise OutOfTime(f"no result within {self._seconds:g} s; allow more time, or give a smaller problem")

    def each(self, things: Iterable[Thing], *, every: int = 1) -> Iterator[Thing]:
        """Yield each of `things`, checking the clock once per `every` items. Raises `OutOfTime`."""
        for number, one in enumerate(things, 1):
            if number % every == 0:
                self.check()
            yield one

    def random(self, stream: str) -> Random:
        """Return a random generator that depends only on the seed and the name of its use."""
        return Random(f"{self.seed}:{stream}")


def at_most(count: int, limit: int, what: str, *, argument: str | None = None) -> None:
    """Raise `InvalidArgument` if a problem is too large for a method, before anything is computed."""
    if count > limit:
        msg = f"{count:,} {what} are more than the {limit:,} this method takes; make the problem smaller"
        raise InvalidArgument(msg, argument=argument)
