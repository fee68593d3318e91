"""What an agent believes about numbers: the newest point of every series its role watches is the evidence."""

import fnmatch
import re
from collections.abc import Iterable, Mapping, Sequence

from mabos.knowledge.values import number
from mabos.mind.model import Belief
from mabos.society.metrics import MetricPoint

_TWICE = re.compile(r"(\$[\d,.]+) dollars")


def amount(value: float, unit: str = "") -> str:
    """Return a number rounded to what matters, with its sign of currency or percent; other units are left to words."""
    size = abs(value)
    if unit.startswith("USD"):
        places = 0 if size >= 100 or size == int(size) else 2
        return f"{'-' if value < 0 else ''}${size:,.{places}f}"
    text = f"{value:,.{0 if size >= 100 else 1 if size >= 1 else 2}f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text}%" if unit.startswith("%") else text


def period(unit: str) -> str:
    """Return what a unit says beside the sign, as words with a space before: ` a month`, ` tickets`, or nothing."""
    what, _, per = unit.partition("/")
    words = f"a {per}" if per else unit
    return f" {rest}" if (rest := words.removeprefix("USD").removeprefix("%").strip()) and what else ""


def readable(text: str, unit: str = "") -> str:
    """Return what a belief holds as a sentence can say it: a number rounded, anything else as it is."""
    bare = text.rstrip("%")
    held = number(bare)
    if held is None or not re.fullmatch(r"-?[\d.,]+", bare):
        return text
    return amount(held, "%" if text.endswith("%") else unit)


def without_repetition(text: str) -> str:
    """Return a sentence whose template says dollars after an amount that says so itself."""
    return _TWICE.sub(r"\1", text)


TREND, WINDOW = "trend_", 6
"""How the name of a series' course begins, and over how many points it is told."""
MEASURED = 0.95
"""Certainty of a measured number: instruments err seldom, and a person's correction must still be able to win."""


def measured(points: Iterable[MetricPoint], held: Mapping[str, Belief], now: str) -> tuple[Belief, ...]:
    """Return the beliefs that these points give rise to; a point that `held` already rests on brings nothing.

    `held` maps the name of a series to the belief about it.
    """
    return tuple(
        belief_of(point, now) for point in points if point.name not in held or point.id not in held[point.name].evidence
    )


def series(watches: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the names of the series that a role watches: those it names, and those that `subscribers_*` matches."""
    there = tuple(names)
    found = (fnmatch.filter(there, one) if "*" in one else [one] for one in watches)
    return list(dict.fromkeys(name for some in found for name in some))


def trending(watches: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return the names of the series whose course a role watches, as `trend_subscribers_*` asks for."""
    return series([one.removeprefix(TREND) for one in watches if one.startswith(TREND)], names)


def trends(found: Mapping[str, Sequence[MetricPoint]]) -> list[MetricPoint]:
    """Return for each series that is old enough what it has gained in the last weeks, as a share of what it was."""
    return [_trend(name, points[-WINDOW - 1], points[-1]) for name, points in found.items() if len(points) > WINDOW]


def _trend(name: str, before: MetricPoint, now: MetricPoint) -> MetricPoint:
    gained = (now.value - before.value) / abs(before.value) if before.value else 0.0
    return MetricPoint(f"{TREND}{name}", round(100 * gained, 2), now.at, unit=f"% in {WINDOW} weeks", source=now.source)


def belief_of(point: MetricPoint, now: str) -> Belief:
    """Return the belief that a series has the value of this point."""
    value = written(point.value) + ("%" if point.unit.startswith("%") else "")
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


def written(value: float) -> str:
    """Return a number as people write it: no exponent, no trailing zeros, four digits that count."""
    places = 0 if abs(value) >= 1000 else 2 if abs(value) >= 1 else 4
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
