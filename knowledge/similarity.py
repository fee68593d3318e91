"""How alike a past case and the present are: S(B, D) of S0 section 23."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mabos.knowledge.values import parse_quantity

Situation = Mapping[str, Any]
"""Names of beliefs or desires; each with its value, or None where only the name is known."""
Aggregate = Callable[[float, float], float]


def situation(given: Iterable[str] | Mapping[str, Any] | None) -> dict[str, Any]:
    """Return names, or names with values, in the one form that `overlap` compares."""
    if given is None:
        return {}
    return dict(given) if isinstance(given, Mapping) else dict.fromkeys(map(str, given))


def overlap(past: Situation, present: Situation) -> float:
    """Return the share of the past's names that the present has too; a name with two values counts by their likeness.

    >>> overlap({"churn": None, "mrr": None}, {"churn": None})
    0.5
    """
    if not past:
        return 0.0
    return sum([likeness(past[name], present[name]) for name in past if name in present]) / len(past)


def likeness(a: Any, b: Any) -> float:
    """Return 0 to 1: quantities by their relative difference, other values by being equal; one unknown value fits.

    >>> likeness("40%", 0.5)
    0.8
    """
    if a is None or b is None:
        return 1.0
    first, second = parse_quantity(str(a)), parse_quantity(str(b))
    if first is None or second is None or "date" in (first.unit, second.unit) or not first.comparable(second):
        return 1.0 if str(a).strip().casefold() == str(b).strip().casefold() else 0.0
    largest = max(abs(first.amount), abs(second.amount))
    if not largest:
        return 1.0
    return max(0.0, float(1 - abs(first.amount - second.amount) / largest))


def linear(belief_weight: float = 0.6, desire_weight: float = 0.4) -> Aggregate:
    """Return the aggregation of S0: 60 % beliefs, 40 % desires."""
    return lambda beliefs, desires: belief_weight * beliefs + desire_weight * desires


def harmonic(belief_weight: float = 0.6, desire_weight: float = 0.4) -> Aggregate:
    """Return the weighted harmonic mean of S3 7.3, which is 0 as soon as one side has nothing in common."""

    def mean(beliefs: float, desires: float) -> float:
        if not beliefs or not desires:
            return 0.0
        return (belief_weight + desire_weight) / (belief_weight / beliefs + desire_weight / desires)

    return mean
