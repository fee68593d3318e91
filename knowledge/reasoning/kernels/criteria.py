"""Weights from comparisons and rankings by several criteria (Saaty 1980; Hwang and Yoon 1981)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot

from mabos.knowledge.reasoning.budget import Budget

RANDOM_INDEX = (0.0, 0.0, 0.0, 0.58, 0.90, 1.12, 1.24, 1.32, 1.41, 1.45, 1.49, 1.51, 1.48, 1.56, 1.57, 1.59)
"""Saaty's consistency of random comparisons, by how many things are compared."""
CONSISTENT = 0.1
"""The ratio from which comparisons contradict each other too much to be used (Saaty)."""
_ROUNDS = 1_000


@dataclass(frozen=True, slots=True)
class Priorities:
    """Weights that sum to one, the largest eigenvalue, the consistency ratio, and the comparison furthest from what the
    weights say: the two places, what was said, and what would fit."""

    weights: tuple[float, ...]
    eigenvalue: float
    ratio: float
    worst: tuple[int, int, float, float] | None


def priorities(times: Sequence[Sequence[float]]) -> Priorities:
    """Return the weights behind a reciprocal matrix of how many times the row outweighs the column."""
    size = len(times)
    weights = [1 / size] * size
    eigenvalue = float(size)
    for _ in range(_ROUNDS):
        raised = [sum(a * w for a, w in zip(row, weights, strict=True)) for row in times]
        eigenvalue = sum(raised)
        moved = [one / eigenvalue for one in raised]
        if max(abs(a - b) for a, b in zip(moved, weights, strict=True)) < 1e-15:
            break
        weights = moved
    index = max(0.0, eigenvalue - size) / (size - 1) if size > 1 else 0.0
    worst = max(
        ((i, j, times[i][j], weights[i] / weights[j]) for i in range(size) for j in range(i + 1, size)),
        key=lambda one: max(one[2] / one[3], one[3] / one[2]),
        default=None,
    )
    return Priorities(tuple(weights), eigenvalue, index / RANDOM_INDEX[size] if size > 2 else 0.0, worst)


def closeness(
    options: Mapping[str, Sequence[float]], weights: Sequence[float], more_is_better: Sequence[bool]
) -> dict[str, float]:
    """Return for each option its closeness to the ideal rather than the worst values, 0 to 1: TOPSIS."""
    lengths = [hypot(*column) for column in zip(*options.values(), strict=True)]
    total = sum(weights) or 1.0
    scaled = {
        name: [w / total * v / length if length else 0.0 for v, w, length in zip(row, weights, lengths, strict=True)]
        for name, row in options.items()
    }
    columns = list(zip(*scaled.values(), strict=True))
    best = [max(column) if more else min(column) for column, more in zip(columns, more_is_better, strict=True)]
    worst = [min(column) if more else max(column) for column, more in zip(columns, more_is_better, strict=True)]
    found = {}
    for name, row in scaled.items():
        above = hypot(*(a - b for a, b in zip(row, best, strict=True)))
        below = hypot(*(a - b for a, b in zip(row, worst, strict=True)))
        found[name] = below / (above + below) if above + below else 0.5
    return found


def reversals(
    options: Mapping[str, Sequence[float]], weights: Sequence[float], more_is_better: Sequence[bool], budget: Budget
) -> tuple[tuple[str, str], ...]:
    """Return the options whose removal changes the first by closeness, with the new first."""
    scores = closeness(options, weights, more_is_better)
    first = min(scores, key=lambda name: (-round(scores[name], 12), name))
    found = []
    for left_out in options:
        budget.check()
        rest = {name: row for name, row in options.items() if name != left_out}
        if left_out == first or len(rest) < 2:
            continue
        then = closeness(rest, weights, more_is_better)
        ahead = min(then, key=lambda name: (-round(then[name], 12), name != first, name))
        if ahead != first:
            found.append((left_out, ahead))
    return tuple(found)
