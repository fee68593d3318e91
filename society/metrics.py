"""A business's numbers over time, and the formulas that every SaaS report uses.

The definitions are the common ones of the trade (David Skok, "SaaS Metrics 2.0"; Stripe's and ChartMogul's published
definitions agree with them): a month is a twelfth of a year, rates are percent of the start of the period.
"""

import math
import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mabos.configs.errors import InvalidArgument
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.currencies import CODES
from mabos.workspace.operations import Collections
from mabos.workspace.records import declaration, record
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

WEEKS_A_MONTH = 52 / 12
LONGEST_RUNWAY_MONTHS = 60.0
"""A company that burns nothing, or hardly anything, is written down as having five years."""

FROM_CASH_AND_BURN = "cash and burn"
"""The source of a runway that nobody measured."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")


@record(
    "metrics/metrics.json",
    "points",
    noun="point",
    pack=lambda point: {"id": point.id, "name": point.name, "value": point.value, "at": point.at, "unit": point.unit,
                        "source": point.source},
)  # fmt: skip
@dataclass(frozen=True, slots=True)
class MetricPoint:
    """One measured value: name, value, time, unit, and who measured it."""

    name: str
    value: float
    at: str
    unit: str = ""
    source: str = ""

    @property
    def id(self) -> str:
        """The key: one value for each name and time."""
        return f"{self.name}@{self.at}"


def build_point(name: str, value: float, at: str, unit: str = "", source: str = "") -> MetricPoint:
    """Return a validated point; raises `InvalidArgument` for an invalid name, value or time."""
    if _NAME.fullmatch(name) is None:
        message = f"{name!r} is not a metric name; use a-z, 0-9 and '_', starting with a letter, as runway_months"
        raise InvalidArgument(message, argument="name")
    if not math.isfinite(value):
        raise InvalidArgument(f"{name} cannot be {value}; expected a finite number", argument="value")
    return MetricPoint(name, float(value), iso(parse_time(at, argument="at")), unit, source)


class Metrics(View[MetricPoint]):
    """The time series of one business, in one journalled document (`metrics/metrics.json`).

    Nothing is read twice, so a new point costs the same after a year as in the first week.
    """

    def __init__(self, store: Store) -> None:
        super().__init__(store, MetricPoint)
        self._named: dict[str, list[MetricPoint]] = {}

    def changed(self, collection: str, old: MetricPoint | None, new: MetricPoint | None) -> None:  # noqa: ARG002  # there is one
        """Index the points of each name, oldest first."""
        if old is not None:
            self._named[old.name].remove(old)
            if not self._named[old.name]:
                del self._named[old.name]
        if new is not None:
            insort(self._named.setdefault(new.name, []), new, key=_at)

    def record(self, name: str, value: float, at: str, unit: str = "", source: str = "") -> MetricPoint:
        """Return the point as written; the same name and time again is a correction, never a second point."""
        point = build_point(name, value, at, unit, source)
        self.record_all([point])
        return point

    def record_all(self, points: Iterable[MetricPoint]) -> None:
        """Write many points in one transaction; those already written cost nothing.

        If cash and burn are known and the runway is not measured, it is computed and written with them.
        """
        given = tuple(points)

        self.store.commit(lambda now: self.puts(now, [*given, *self._runway(given, now)]))

    def names(self) -> tuple[str, ...]:
        """Return the names of all series, sorted."""
        with self.lock:
            self.follow()
            return tuple(sorted(self._named))

    def series(self, name: str, *, since: str = "", until: str = "") -> tuple[MetricPoint, ...]:
        """Return the points of one series, oldest first; empty for an unknown name."""
        with self.lock:
            self.follow()
            points = self._named.get(name, ())
            first = bisect_left(points, since, key=_at)
            return tuple(points[first : bisect_right(points, until, key=_at) if until else None])

    def latest(self, name: str) -> MetricPoint | None:
        """Return the newest point of a series, or `None`."""
        with self.lock:
            self.follow()
            points = self._named.get(name)
            return points[-1] if points else None

    def _runway(self, given: Sequence[MetricPoint], now: Collections) -> tuple[MetricPoint, ...]:
        """Return the runway at each moment of a new cash or burn, unless it is measured."""
        moments = sorted({point.at for point in given if point.name in ("cash", "burn")})
        if not moments:
            return ()
        asked = ("cash", "burn", "runway_months")
        written = now.get(self.collection, {}).items()
        before = (self.typed(key, record) for key, record in written if record.get("name") in asked)
        known = {point.id: point for point in (*before, *given)}.values()
        if any(point.name == "runway_months" and point.source != FROM_CASH_AND_BURN for point in known):
            return ()
        cash, burnt = (sorted((one for one in known if one.name == name), key=_at) for name in ("cash", "burn"))
        found = []
        for at in moments:
            left = next((one for one in reversed(cash) if one.at <= at), None)
            spent = next((one for one in reversed(burnt) if one.at <= at), None)
            if left is not None and spent is not None and len({left.unit[:3], spent.unit[:3]} & set(CODES)) < 2:
                months = round(runway_months(left.value, monthly(spent)), 2)
                found.append(MetricPoint("runway_months", months, at, "months", FROM_CASH_AND_BURN))
        return tuple(found)


def open_metrics(directory: Path, sync: Sync) -> Metrics:
    """Return the metrics of the business in `directory`; nothing is written until the first point."""
    return Metrics(declaration(MetricPoint).open(directory, sync))


def _at(point: MetricPoint) -> str:
    return point.at


def monthly(point: MetricPoint) -> float:
    """Return a period's amount per month; weekly amounts are multiplied."""
    return point.value * (WEEKS_A_MONTH if "week" in point.unit else 1)


def mrr(book: Iterable[tuple[float, float]]) -> float:
    """Return monthly recurring revenue: subscribers × monthly price, summed over (subscribers, price) pairs.

    A yearly plan counts with a twelfth of its price; one-off revenue does not count.

    >>> mrr([(100, 29.0), (10, 99.0)])
    3890.0
    """
    return sum(count * price for count, price in book)


def arr(monthly: float) -> float:
    """Return annual recurring revenue: twelve times MRR."""
    return 12 * monthly


def churn_rate(lost: float, at_start: float) -> float:
    """Return customer churn in percent of the customers at the start of a period; 0 if there were none."""
    return 100 * lost / at_start if at_start > 0 else 0.0


def monthly_churn(weekly_percent: float) -> float:
    """Return the monthly percentage that a weekly churn compounds to: 1 - (1 - w)^(52/12).

    >>> round(monthly_churn(1.0), 2)
    4.26
    """
    kept = max(0.0, 1 - weekly_percent / 100)
    return 100 * (1 - math.pow(kept, WEEKS_A_MONTH))


def conversion_rate(won: float, leads: float) -> float:
    """Return the percent of leads that became customers; 0 without leads."""
    return 100 * won / leads if leads > 0 else 0.0


def cac(spend: float, new_customers: float) -> float | None:
    """Return the cost of acquiring a customer: sales and marketing spend / new customers; `None` without any."""
    return spend / new_customers if new_customers > 0 else None


def ltv(revenue_per_account: float, gross_margin: float, churn_percent: float) -> float | None:
    """Return lifetime value: monthly revenue per account × gross margin / monthly churn; `None` without churn.

    >>> ltv(100.0, 0.8, 4.0)
    2000.0
    """
    return revenue_per_account * gross_margin / (churn_percent / 100) if churn_percent > 0 else None


def burn(costs: float, revenue: float) -> float:
    """Return net burn of a period: costs minus revenue; negative if revenue is higher."""
    return costs - revenue


def runway_months(cash: float, monthly_burn: float) -> float:
    """Return how many months the cash lasts at this net burn, from 0 to `LONGEST_RUNWAY_MONTHS`."""
    if cash <= 0:
        return 0.0
    if monthly_burn <= cash / LONGEST_RUNWAY_MONTHS:
        return LONGEST_RUNWAY_MONTHS
    return cash / monthly_burn
