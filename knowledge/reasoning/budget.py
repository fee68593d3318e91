"""The budget of a method: time until a deadline, size limits, and its own random numbers."""

import time
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import TypeVar

from mabos.configs.errors import InvalidArgument, MabosError

Thing = TypeVar("Thing")


class OutOfTime(MabosError):  # the name of what happened
    """The deadline has passed. A method that has something to show by then returns it as a `timeout`."""

    code = "timeout"


class Budget:
    """Time, room and seed of one run.

    `seconds` None is no deadline; so many of them are `spent` already. `monotonic` is the clock, passed in for tests.
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
        """Seconds until the deadline, not below 0; None without one."""
        return None if self._seconds is None else max(0.0, self._started + self._seconds - self._monotonic())

    def part(self, share: float) -> "Budget":
        """Return a budget of a share of the time that is left, on the same clock and seed."""
        return Budget(None if self.left is None else self.left * share, seed=self.seed, monotonic=self._monotonic)

    @property
    def is_spent(self) -> bool:
        """Return whether the deadline has passed."""
        return self.left == 0.0

    def check(self) -> None:
        """Raise `OutOfTime` if the deadline has passed: once in every loop that may be long."""
        if self.is_spent:
            raise OutOfTime(f"no result within {self._seconds:g} s; allow more time, or give a smaller problem")

    def each(self, things: Iterable[Thing], *, every: int = 1) -> Iterator[Thing]:
        """Yield each of `things`, the clock looked at before `every` so many. Raises `OutOfTime`."""
        for number, one in enumerate(things, 1):
            if number % every == 0:
                self.check()
            yield one

    def random(self, stream: str) -> Random:
        """Return a source of randomness that depends on the seed and on the name of its use alone."""
        return Random(f"{self.seed}:{stream}")


def at_most(count: int, limit: int, what: str, *, argument: str | None = None) -> None:
    """Raise `InvalidArgument` where a problem is larger than a method can hold, before anything is computed."""
    if count > limit:
        msg = f"{count:,} {what} are more than the {limit:,} this method takes; make the problem smaller"
        raise InvalidArgument(msg, argument=argument)
