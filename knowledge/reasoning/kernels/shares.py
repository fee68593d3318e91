"""Observed shares: an interval for the true share, and the remaining uncertainty."""

from collections.abc import Iterable
from math import log2, sqrt

NORMAL_95 = 1.959963984540054


def wilson(hits: int, count: int, z: float = NORMAL_95) -> tuple[float, float]:
    """Return the interval of a share with `hits` of `count` observed (Wilson 1927).

    >>> [round(end, 4) for end in wilson(5, 10)]
    [0.2366, 0.7634]
    """
    share, spread = hits / count, z * z / count
    centre, half = share + spread / 2, z * sqrt(share * (1 - share) / count + spread / (4 * count))
    return max(0.0, (centre - half) / (1 + spread)), min(1.0, (centre + half) / (1 + spread))


def entropy(weights: Iterable[float]) -> float:
    """Return the entropy in bits of weights that need not sum to one.

    >>> entropy([1, 1, 1, 1])
    2.0
    """
    held = [weight for weight in weights if weight > 0]
    total = sum(held)
    return max(0.0, log2(total) - sum(weight * log2(weight) for weight in held) / total) if held else 0.0
