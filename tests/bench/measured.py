"""What a benchmark measured, as lines of a table with their limits."""

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter, process_time


@dataclass(frozen=True, slots=True)
class Spent:
    """What something cost: the median and the least, in milliseconds or as a ratio of both.

    `worked` is the median of the processor's time, which others on the machine change less; 0 where nobody knows.
    """

    median: float
    least: float
    worked: float = 0.0

    def over(self, other: "Spent") -> "Spent":
        """Return how many times as much as `other` this is."""
        return Spent(self.median / other.median, self.least / other.least)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table; `most` and `least` are its limit, where it has one."""

    name: str
    spent: Spent
    most: float = 0.0
    least: float = 0.0
    unit: str = "ms"

    def told(self) -> str:
        """Return the line as printed."""
        limit = f"<= {self.most:g} {self.unit}" if self.most else f">= {self.least:g} {self.unit}" if self.least else ""
        values = f"{self.spent.median:>10.2f}{self.spent.least:>10.2f}"
        worked = f"  (processor {self.spent.worked:.2f})" if self.spent.worked else ""
        return f"{self.name:<52}{limit:>12}{values} {self.unit:<3} {self._holds():<18}{worked}".rstrip()

    def _holds(self) -> str:
        if not (self.most or self.least):
            return ""
        if self._keeps(self.spent.median):
            return "yes"
        return "no, the least does" if self._keeps(self.spent.least) else "no"

    def _keeps(self, value: float) -> bool:
        return value <= self.most if self.most else value >= self.least


def timed(action: Callable[[int], object], times: int) -> Spent:
    """Return what `action` costs."""
    spent, worked = [], []
    for number in range(times):
        start, busy = perf_counter(), process_time()
        action(number)
        worked.append((process_time() - busy) * 1000)
        spent.append((perf_counter() - start) * 1000)
    return Spent(statistics.median(spent), min(spent), statistics.median(worked))


def together(spent: Sequence[Spent]) -> Spent:
    """Return what many measurements say together."""
    return Spent(statistics.median(one.median for one in spent), min(one.least for one in spent))
