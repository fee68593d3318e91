"""The recorded numbers of a business as formulas ask for them: newest values, a month before, flows of a month.

A month is the newest point back to the last one at least four weeks before it; flows, as new customers or spend, are
summed over it. What is not recorded raises `MissingInput`, which names it.
"""

from collections.abc import Callable
from datetime import timedelta

from mabos.society.metrics import MetricPoint, Metrics, monthly
from mabos.workspace.clock import iso, parse_time

MONTH = timedelta(days=28)
"""The least between two points that are a month apart: every calendar month has it, and four weeks do."""

MONTH_MOST, YEAR_LEAST, YEAR_MOST = timedelta(days=45), timedelta(days=350), timedelta(days=400)
NEW, EXPANSION, CONTRACTION, CHURNED = MOVES = ("new_mrr", "expansion_mrr", "contraction_mrr", "churned_mrr")


class MissingInput(Exception):
    """What a figure needs and is not recorded."""


class Meaningless(Exception):
    """Why a figure has no value though everything for it is recorded."""


class MetricInputs:
    """The recorded numbers as formulas ask for them; `used` are those that were found, by name."""

    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics
        self.used: dict[str, float] = {}

    def latest(self, name: str) -> float:
        """Return the newest value."""
        return self._note(name, self._point(name).value)

    def rate(self, name: str) -> float:
        """Return a share as a number from 0 to 1, whether it was recorded so or in percent."""
        point = self._point(name)
        is_percent = point.unit.startswith("%") or abs(point.value) > 1
        return self._note(name, point.value / 100 if is_percent else point.value)

    def before(self, name: str, least: timedelta = MONTH, most: timedelta = MONTH_MOST, ago: str = "a month") -> float:
        """Return the last value at least a month, or another time, older than the newest."""
        said = f"{name} {ago} before"
        at = parse_time(self._point(name, said).at)
        found = self._metrics.series(name, since=iso(at - most), until=iso(at - least))
        if not found:
            raise MissingInput(said)
        return self._note(said, found[-1].value)

    def flow(self, name: str) -> float:
        """Return the sum of a flow over its newest month."""
        return self._note(name, self._sum(name, self._point(name).at))

    def moved(self, name: str) -> float:
        """Return how much MRR moved in its newest month: 0 where moves are recorded, and none of this kind in it."""
        ends = [point.at for one in ("mrr", *MOVES) if (point := self._metrics.latest(one)) is not None]
        if not any(self._metrics.latest(one) for one in MOVES):
            raise MissingInput("one of " + ", ".join(MOVES))
        return self._note(name, self._sum(name, max(ends)))

    def a_month(self, name: str) -> float:
        """Return the newest amount of a period as that of a month."""
        return self._note(f"{name} a month", monthly(self._point(name)))

    def either(self, *ways: Callable[["MetricInputs"], float]) -> float:
        """Return the value of the first way that finds its inputs; raises `MissingInput` that names what each lacks."""
        before, lacked = dict(self.used), list[str]()
        for way in ways:
            try:
                return way(self)
            except MissingInput as missing:
                lacked.append(str(missing))
                self.used = dict(before)
        raise MissingInput(" or ".join(dict.fromkeys(lacked)))

    def every(self, *ways: Callable[["MetricInputs"], float]) -> tuple[float, ...]:
        """Return what all ways give; raises `MissingInput` that names all they lack."""
        found, lacked = list[float](), list[str]()
        for way in ways:
            try:
                found.append(way(self))
            except MissingInput as missing:
                lacked.append(str(missing))
        if lacked:
            raise MissingInput(" and ".join(dict.fromkeys(lacked)))
        return tuple(found)

    def _point(self, name: str, said: str = "") -> MetricPoint:
        point = self._metrics.latest(name)
        if point is None:
            raise MissingInput(said or name)
        return point

    def _sum(self, name: str, until: str) -> float:
        begins = iso(parse_time(until) - MONTH)
        return sum(point.value for point in self._metrics.series(name) if begins < point.at <= until)

    def _note(self, name: str, value: float) -> float:
        self.used[name] = round(value, 4)
        return value
