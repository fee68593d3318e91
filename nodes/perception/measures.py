"""An agent's beliefs about numbers: the newest point of every watched series is the evidence."""

import fnmatch
from collections.abc import Iterable, Mapping, Sequence

from mabos.mind.model import Belief
from mabos.society.figure_words import amount, period
from mabos.society.metrics import MetricPoint

TREND, WINDOW = "trend_", 6
"""The prefix of the name of a series' course, and the number of its points."""
MEASURED = 0.95
"""Certainty of a measured number: instruments err seldom, and a person's correction must still be able to win."""


def build_metric_beliefs(points: Iterable[MetricPoint], held: Mapping[str, Belief], now: str) -> tuple[Belief, ...]:
    """Return the beliefs from these points, without points that are already the source of a `held` belief.

    `held` maps the name of a series to the belief about it.
    """
    return tuple(
        belief_of(point, now) for point in points if point.name not in held or point.id not in held[point.name].evidence
    )


def series(watches: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the names of the series that a role watches: named ones, and matches of `subscribers_*`."""
    there = tuple(names)
    found = (fnmatch.filter(there, one) if "*" in one else [one] for one in watches)
    return list(dict.fromkeys(name for some in found for name in some))


def trending(watches: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the names of the series whose trend a role watches, as `trend_subscribers_*` requests."""
    return series([one.removeprefix(TREND) for one in watches if one.startswith(TREND)], names)


def trends(found: Mapping[str, Sequence[MetricPoint]]) -> list[MetricPoint]:
    """Return the change of each sufficiently long series over the last weeks, as a share of its earlier value."""
    return [_trend(name, points[-WINDOW - 1], points[-1]) for name, points in found.items() if len(points) > WINDOW]


def _trend(name: str, before: MetricPoint, now: MetricPoint) -> MetricPoint:
    gained = (now.value - before.value) / abs(before.value) if before.value else 0.0
    return MetricPoint(f"{TREND}{name}", round(100 * gained, 2), now.at, unit=f"% in {WINDOW} weeks", source=now.source)


def belief_of(point: MetricPoint, now: str) -> Belief:
    """Return the belief that a series has this point's value."""
    value = format_number(point.value) + ("%" if point.unit.startswith("%") else "")
    return Belief(
        id=f"B-{point.name}",
        statement=f"{point.name} is {amount(point.value, point.unit)}{period(point.unit)}",
        certainty=MEASURED,
        category="environment",
        source=point.source or "metrics",
        subject=point.name,
        value=value,
        updated=now,
        evidence=(point.id,),
    )


def format_number(value: float) -> str:
    """Return a number as people write it: no exponent, no trailing zeros, four significant digits."""
    places = 0 if abs(value) >= 1000 else 2 if abs(value) >= 1 else 4
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
