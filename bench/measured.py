"""The measurements of a benchmark: lines of one table, each with its limit and its comparison."""

import os
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

_TIMES = ("ms", "s")


@dataclass(frozen=True, slots=True)
class Spent:
    """A cost: the median and the minimum, in milliseconds or as a ratio of both.

    `worked` is the median CPU time, which depends less on other processes; 0 if unknown.
    """

    median: float
    least: float
    worked: float = 0.0

    def over(self, other: "Spent") -> "Spent":
        """Return the ratio to `other`."""
        return Spent(self.median / other.median, self.least / other.least)

    def per(self, number: int) -> "Spent":
        """Return the share of one of `number` items that cost this together."""
        return Spent(self.median / number, self.least / number, self.worked / number)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table.

    `most` and `least` are its limit, if any; `beside` names the basis of a ratio. `spent` is None if nothing could be
    measured, as without an installed peer: `note` gives the reason. For a limit known to be missed, `known` is the
    expected value: it is reported as missed, and only a worse value fails the run. `pace` is that of the machine
    (`bench.pace`), 0 if unknown: a limit in milliseconds that is missed only because the machine is slow is also
    reported as missed, but fails no run.
    """

    name: str
    spent: Spent | None
    most: float | None = None
    least: float | None = None
    unit: str = "ms"
    beside: str = ""
    note: str = ""
    known: float | None = None
    pace: float = 0.0

    @property
    def limit(self) -> str:
        """The limit in words; empty without one."""
        if self.most is not None:
            return f"at most {written(self.most, self.unit)}"
        return "" if self.least is None else f"at least {written(self.least, self.unit)}"

    @property
    def measured(self) -> str:
        """The measurement in words; empty without one."""
        return "" if self.spent is None else written(self.spent.median, self.unit)

    @property
    def is_missed(self) -> bool:
        """Whether it was measured and misses its limit."""
        return self.spent is not None and not self._keeps(self.spent.median)

    @property
    def is_news(self) -> bool:
        """Whether it is missed, unless known or due to the machine alone."""
        return self.is_missed and not self._is_slow and not self._is_known

    @property
    def verdict(self) -> str:
        """Whether the limit was kept, in a word; empty without one."""
        if not self.limit:
            return "" if self.spent else "not measured"
        if self.spent is None:
            return "not measured"
        if not self.is_missed:
            return "holds"
        if self._is_slow:
            return "MISSED, slow machine"
        if self._is_known:
            return "MISSED, as known"
        return "MISSED, the least holds" if self._keeps(self.spent.least) else "MISSED"

    @property
    def notes(self) -> str:
        """Further remarks: the minimum, the CPU time, the benchmark's own note."""
        said = [self.note] if self.note else []
        if self.spent is not None and self.spent.least != self.spent.median:
            said.append(f"least {written(self.spent.least, self.unit)}")
        if self.spent is not None and self.spent.worked:
            said.append(f"processor {written(self.spent.worked, self.unit)}")
        if self.spent is not None and self._is_slow:
            said.append(f"{written(self._at_pace, self.unit)} at the pace of the limits")
        return "; ".join(said)

    def told(self) -> str:
        """Return the line as printed."""
        beside = f"  beside {self.beside}" if self.beside else ""
        notes = f"  ({self.notes})" if self.notes else ""
        return f"{self.name:<62}{self.measured:>14}  {self.limit:<20}{self.verdict:<14}{beside}{notes}".rstrip()

    def as_json(self) -> dict[str, Any]:
        """Return the line in a child process's format."""
        return asdict(self)

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Line":
        """Return the line from a child process's format."""
        return cls(**{**told, "spent": None if told["spent"] is None else Spent(**told["spent"])})

    def _keeps(self, value: float) -> bool:
        return (self.most is None or value <= self.most) and (self.least is None or value >= self.least)

    @property
    def _at_pace(self) -> float:
        """What would have been measured on the machine of the limits."""
        here = self.spent.median if self.spent else 0.0
        return here / self.pace if self.pace and self.unit in _TIMES else here

    @property
    def _is_slow(self) -> bool:
        return self.is_missed and self._keeps(self._at_pace)

    @property
    def _is_known(self) -> bool:
        if self.known is None:
            return False
        return self._at_pace <= self.known if self.most is not None else self._at_pace >= self.known


def written(value: float, unit: str) -> str:
    """Return a figure with its significant digits and unit; ratios have none."""
    size = abs(value)
    if size >= 100 or value == int(value):
        digits = f"{value:,.0f}"
    else:
        digits = f"{value:.1f}" if size >= 10 else f"{value:.2f}" if size >= 0.1 else f"{value:.2g}"
    return f"{digits} {unit}" if unit else digits


def exactly(value: float) -> Spent:
    """Return a figure measured or counted once."""
    return Spent(value, value)


def middle(values: Iterable[float]) -> Spent:
    """Return the median and minimum of some figures."""
    found = sorted(values)
    return Spent(statistics.median(found), found[0])


def missing(name: str, peer: str, *, beside: str = "") -> Line:
    """Return the line of something unmeasured because a peer is missing."""
    return Line(name, None, unit="", beside=beside or peer, note=f"{peer} is not installed")


def resident() -> float:
    """Return the resident memory of this process in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def timed(action: Callable[[int], object], times: int) -> Spent:
    """Return the cost of `action`."""
    spent, worked = [], []
    for number in range(times):
        start, busy = perf_counter(), process_time()
        action(number)
        worked.append((process_time() - busy) * 1000)
        spent.append((perf_counter() - start) * 1000)
    return Spent(statistics.median(spent), min(spent), statistics.median(worked))


def together(spent: Sequence[Spent]) -> Spent:
    """Return the combination of many measurements."""
    return Spent(statistics.median(one.median for one in spent), min(one.least for one in spent))
