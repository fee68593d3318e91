"""What an agent believes about numbers: the newest point of every series its role watches is the evidence."""

from collections.abc import Iterable, Mapping

from mind.model import Belief
from nodes.perception.amounts import amount, period
from society.metrics import Point

MEASURED = 0.95
"""Certainty of a measured number: instruments err seldom, and a person's correction must still be able to win."""


def measured(points: Iterable[Point], held: Mapping[str, Belief], now: str) -> tuple[Belief, ...]:
    """Return the beliefs that these points give rise to; a point that `held` already rests on brings nothing.

    `held` maps the name of a series to the belief about it.
    """
    return tuple(
        belief_of(point, now) for point in points if point.name not in held or point.id not in held[point.name].evidence
    )


def belief_of(point: Point, now: str) -> Belief:
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
