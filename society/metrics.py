"""A business's numbers over time, and the formulas that every SaaS report uses.

The definitions are the common ones of the trade (David Skok, "SaaS Metrics 2.0"; Stripe's and ChartMogul's published
definitions agree with them): a month is a twelfth of a year, rates are percent of the start of the period.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.documents import json_document
from mabos.workspace.follower import Cursor, Place, news
from mabos.workspace.store import Collections, Put, Store
from mabos.workspace.sync import Sync

WEEKS_A_MONTH = 52 / 12
LONGEST_RUNWAY_MONTHS = 60.0
"""A company that burns nothing, or hardly anything, is written down as having five years."""

FROM_CASH_AND_BURN = "cash and burn"
"""The source of a runway that nobody measured."""

_SECTION = "points"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class MetricPoint:
    """One measured value: what, how much, when, in which unit, and who measured it."""

    name: str
    value: float
    at: str
    unit: str = ""
    source: str = ""

    @property
    def id(self) -> str:
        """The key: one value for each name and moment."""
        return f"{self.name}@{self.at}"


def measured(name: str, value: float, at: str, unit: str = "", source: str = "") -> MetricPoint:
    """Return a checked point; raises `InvalidArgument` for a bad name, a value that is no number, or a bad time."""
    if _NAME.fullmatch(name) is None:
        message = f"{name!r} is not a metric name; use a-z, 0-9 and '_', starting with a letter, as runway_months"
        raise InvalidArgument(message, argument="name")
    if not math.isfinite(value):
        raise InvalidArgument(f"{name} cannot be {value}; expected a finite number", argument="value")
    return MetricPoint(name, float(value), iso(parse_time(at, argument="at")), unit, source)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The series as they were at a transaction; `is_regular` says that every point lies under its own key."""

    cursor: Cursor = field(default_factory=Cursor)
    series: Mapping[str, tuple[MetricPoint, ...]] = field(default_factory=dict)
    is_regular: bool = False


class Metrics:
    """The time series of one business, in one journalled document (`metrics/metrics.json`).

    What is read once is not read again: a new point costs the same after a year as in the first week.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._seen = _Seen()

    @property
    def store(self) -> Store:
        """The document the points live in."""
        return self._store

    def record(self, name: str, value: float, at: str, unit: str = "", source: str = "") -> MetricPoint:
        """Return the point as written; the same name and moment again is a correction, never a second point."""
        point = measured(name, value, at, unit, source)
        self.record_all([point])
        return point

    def record_all(self, points: Iterable[MetricPoint]) -> None:
        """Write many points in one transaction; those already written cost nothing.

        Where cash and burn are known and nobody measures the runway, it is worked out and written with them.
        """
        given = tuple(points)

        def decide(now: Collections) -> list[Put]:
            written = now.get(_SECTION, {})
            wanted = {point.id: asdict(point) for point in (*given, *_runway(given, written.values()))}
            return [
                Put(_SECTION, key, {"id": key, **value})
                for key, value in wanted.items()
                if written.get(key) != {"id": key, **value}
            ]

        self._store.commit(decide)

    def names(self) -> tuple[str, ...]:
        """Return the names of all series, in alphabetical order."""
        return tuple(sorted(self._series()))

    def series(self, name: str, *, since: str = "", until: str = "") -> tuple[MetricPoint, ...]:
        """Return the points of one series, oldest first; empty for a name never recorded."""
        points = self._series().get(name, ())
        return tuple(point for point in points if since <= point.at and (not until or point.at <= until))

    def latest(self, name: str) -> MetricPoint | None:
        """Return the newest point of a series, or `None`."""
        points = self._series().get(name)
        return points[-1] if points else None

    def _series(self) -> Mapping[str, tuple[MetricPoint, ...]]:
        seen = self._seen  # threads share this object, so it is replaced whole
        found = news(self._store, seen.cursor)
        if found is not None:
            added = None if found.is_whole or not seen.is_regular else _points(found.records)
            if added is None:
                points = {key: _point(record) for key, record in self._store.read().get(_SECTION, {}).items()}
                is_regular = all(key == point.id for key, point in points.items())
                seen = _Seen(found.cursor, _with({}, points.values()), is_regular)
            else:
                seen = _Seen(found.cursor, _with(seen.series, added), is_regular=True)
            self._seen = seen
        return seen.series


def open_metrics(directory: Path, sync: Sync) -> Metrics:
    """Return the metrics of the business in `directory`; nothing is written until the first point."""
    return Metrics(json_document(directory / "metrics" / "metrics.json", [_SECTION], sync=sync))


def _points(records: Mapping[Place, Any]) -> list[MetricPoint] | None:
    """Return the points of a change; None where one is gone, or lies under another key than its own."""
    found = []
    for (section, key), record in records.items():
        if section != _SECTION:
            continue
        if record is None or (point := _point(record)).id != key:
            return None
        found.append(point)
    return found


def _with(
    series: Mapping[str, tuple[MetricPoint, ...]], added: Iterable[MetricPoint]
) -> dict[str, tuple[MetricPoint, ...]]:
    """Return the series with more points, which take the place of those of the same moment, oldest first."""
    named: dict[str, list[MetricPoint]] = {}
    for point in added:
        named.setdefault(point.name, []).append(point)
    after = dict(series)
    for name, points in named.items():
        moments = {point.at for point in points}
        kept = (point for point in series.get(name, ()) if point.at not in moments)
        after[name] = tuple(sorted((*kept, *points), key=lambda point: point.at))
    return after


def _point(record: Mapping[str, Any]) -> MetricPoint:
    try:
        name, value, at = str(record["name"]), float(record["value"]), str(record["at"])
        if not math.isfinite(value):
            raise ValueError(f"{value} is no number")
    except (KeyError, OverflowError, TypeError, ValueError) as wrong:
        message = (
            f"metrics.json: a point needs name, value and at; {record!r:.80} has not ({wrong}); correct it by hand"
        )
        raise Damaged(message) from None
    return MetricPoint(name, value, at, str(record.get("unit", "")), str(record.get("source", "")))


def _runway(given: Sequence[MetricPoint], written: Iterable[Mapping[str, Any]]) -> tuple[MetricPoint, ...]:
    """Return the runway at each moment of a new cash or burn, unless somebody measures it."""
    moments = sorted({point.at for point in given if point.name in ("cash", "burn")})
    if not moments:
        return ()
    asked = ("cash", "burn", "runway_months")
    before = (_point(record) for record in written if record.get("name") in asked)
    known = {point.id: point for point in (*before, *given)}.values()
    if any(point.name == "runway_months" and point.source != FROM_CASH_AND_BURN for point in known):
        return ()
    cash, burnt = (
        sorted((one for one in known if one.name == name), key=lambda one: one.at) for name in ("cash", "burn")
    )
    found = []
    for at in moments:
        left = next((one for one in reversed(cash) if one.at <= at), None)
        spent = next((one for one in reversed(burnt) if one.at <= at), None)
        if left is not None and spent is not None:
            months = round(runway_months(left.value, monthly(spent)), 2)
            found.append(MetricPoint("runway_months", months, at, "months", FROM_CASH_AND_BURN))
    return tuple(found)


def monthly(point: MetricPoint) -> float:
    """Return an amount of a period as that of a month: what is counted by the week is multiplied."""
    return point.value * (WEEKS_A_MONTH if "week" in point.unit else 1)


def mrr(book: Iterable[tuple[float, float]]) -> float:
    """Return monthly recurring revenue: subscribers x monthly price, summed over (subscribers, price) pairs.

    A yearly plan counts with a twelfth of its price; one-off revenue does not count.

    >>> mrr([(100, 29.0), (10, 99.0)])
    3890.0
    """
    return sum(count * price for count, price in book)


def arr(monthly: float) -> float:
    """Return annual recurring revenue: twelve times MRR."""
    return 12 * monthly


def churn_rate(lost: float, at_start: float) -> float:
    """Return customer churn in percent: customers lost in a period, of those at its start; 0 if there were none."""
    return 100 * lost / at_start if at_start > 0 else 0.0


def monthly_churn(weekly_percent: float) -> float:
    """Return the percent a month that a weekly churn compounds to: 1 - (1 - w)^(52/12).

    >>> round(monthly_churn(1.0), 2)
    4.26
    """
    kept = max(0.0, 1 - weekly_percent / 100)
    return 100 * (1 - math.pow(kept, WEEKS_A_MONTH))


def conversion_rate(won: float, leads: float) -> float:
    """Return the percent of leads that became customers; 0 without leads."""
    return 100 * won / leads if leads > 0 else 0.0


def cac(spend: float, new_customers: float) -> float | None:
    """Return the cost of acquiring one customer: sales and marketing spend / new customers; `None` if none came."""
    return spend / new_customers if new_customers > 0 else None


def ltv(revenue_per_account: float, gross_margin: float, churn_percent: float) -> float | None:
    """Return lifetime value: monthly revenue per account x gross margin / monthly churn; `None` while none leave.

    >>> ltv(100.0, 0.8, 4.0)
    2000.0
    """
    return revenue_per_account * gross_margin / (churn_percent / 100) if churn_percent > 0 else None


def burn(costs: float, revenue: float) -> float:
    """Return net burn of a period: what was spent beyond what came in; negative where more came in."""
    return costs - revenue


def runway_months(cash: float, monthly_burn: float) -> float:
    """Return how many months the cash lasts at this net burn, from 0 to `LONGEST_RUNWAY_MONTHS`."""
    if cash <= 0:
        return 0.0
    if monthly_burn <= cash / LONGEST_RUNWAY_MONTHS:
        return LONGEST_RUNWAY_MONTHS
    return cash / monthly_burn
