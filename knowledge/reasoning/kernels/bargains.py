"""Efficient agreements on several issues; an agreement's utility to a party is a sum over the issues.

Arithmetic is in integers, with utilities over a common denominator. An efficient agreement is efficient in every part,
so the front is built issue by issue and dominated parts are dropped at once. No efficient agreement is lost, and spaces
too large to list often have small fronts.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm, prod
from typing import TypeAlias

from mabos.knowledge.reasoning.budget import Budget, at_most

Utilities: TypeAlias = tuple[int, ...]
MOST_POINTS = 500_000
"""Agreements on some of the issues that are compared at a time."""


@dataclass(frozen=True, slots=True)
class Point:
    """An agreement by the positions of its options, and its utility to each party."""

    utilities: Utilities
    options: tuple[int, ...] = ()


def front(worths: Sequence[Sequence[Utilities]], budget: Budget) -> list[Point]:
    """Return the Pareto-efficient agreements, best for the first party first.

    `worths` has for each issue the utility of each option to each party. Of agreements with equal utilities to all, the
    first represents all. Raises `InvalidArgument` and `OutOfTime`.
    """
    points = [Point((0,) * len(worths[0][0]))]
    for options in worths:
        at_most(len(points) * len(options), MOST_POINTS, "efficient agreements in part", argument="issues")
        sums: dict[Utilities, Point] = {}
        for point in points:
            budget.check()
            for place, worth in enumerate(options):
                total = tuple(map(int.__add__, point.utilities, worth))
                if total not in sums:
                    sums[total] = Point(total, (*point.options, place))
        points = _efficient(list(sums.values()), budget)
    return points


def _efficient(points: list[Point], budget: Budget) -> list[Point]:
    """Return the points that no other dominates; no two of them are equal."""
    points.sort(key=lambda point: point.utilities, reverse=True)
    kept: list[Point] = []
    highest: int | None = None  # of two parties, what the second has at most by now
    for number, point in enumerate(points):
        if number % 256 == 0:
            budget.check()
        if len(point.utilities) == 2:
            if highest is None or point.utilities[1] > highest:
                highest = point.utilities[1]
                kept.append(point)
        elif not any(all(map(int.__ge__, other.utilities, point.utilities)) for other in kept):
            kept.append(point)
    return kept


def nash(points: Sequence[Point], floors: Utilities) -> Point:
    """Return the point with the largest product of gains over `floors` (Nash 1950), the most even among equals."""

    def key(point: Point) -> tuple[int, list[int]]:
        gains = _gains(point, floors)
        return prod(gains), sorted(gains)

    return max(points, key=key)


def kalai_smorodinsky(points: Sequence[Point], floors: Utilities) -> Point:
    """Return the point that maximises the least share of each party's best gain (Kalai and Smorodinsky 1975)."""
    most = [max(column) for column in zip(*(point.utilities for point in points), strict=True)]
    hopes = [max(one - floor, 1) for one, floor in zip(most, floors, strict=True)]
    common = lcm(*hopes)

    def key(point: Point) -> list[int]:
        return sorted(gain * (common // hope) for gain, hope in zip(_gains(point, floors), hopes, strict=True))

    return max(points, key=key)


def egalitarian(points: Sequence[Point], floors: Utilities) -> Point:
    """Return the point with the largest minimum gain, then the largest second, and so on."""
    return max(points, key=lambda point: sorted(_gains(point, floors)))


def utilitarian(points: Sequence[Point], floors: Utilities) -> Point:
    """Return the point with the largest sum, the most even among equals."""
    return max(points, key=lambda point: (sum(point.utilities), sorted(_gains(point, floors))))


def _gains(point: Point, floors: Utilities) -> list[int]:
    return [one - floor for one, floor in zip(point.utilities, floors, strict=True)]


def concessions(
    points: Sequence[Point], floors: Utilities, me: int, pace: float, rounds: int
) -> list[tuple[Fraction, Point]]:
    """Return a party's aspiration and offer, round by round (Faratin, Sierra and Jennings 1998).

    The aspiration falls from the best of `points` to the party's floor, as the share of elapsed time to the power of 1
    / `pace`. Of all points at least that good for itself, the party offers the best for the others.
    """

    def for_others(point: Point) -> list[int]:
        return sorted(gain for other, gain in enumerate(_gains(point, floors)) if other != me)

    def kinder(held: Point, other: Point) -> Point:
        return max(held, other, key=for_others)

    mine = sorted(points, key=lambda point: -point.utilities[me])
    kindest = list(accumulate(mine, kinder))
    losses = [Fraction(-point.utilities[me]) for point in mine]
    best, floor = mine[0].utilities[me], floors[me]
    plan = []
    for turn in range(rounds):
        given = Fraction((turn / (rounds - 1)) ** (1 / pace)) if rounds > 1 else Fraction(0)
        aspiration = floor + (1 - given) * (best - floor)
        plan.append((aspiration, kindest[bisect_right(losses, -aspiration) - 1]))
    return plan


def alternating(
    points: Sequence[Point], floors: Utilities, discounts: Sequence[Fraction], rounds: int
) -> tuple[int, Point] | None:
    """Return the round and the agreement if two parties alternate offers and look ahead to the last round.

    By backward induction (Stahl 1972): an offer is accepted if it is worth at least as much as waiting; None if no
    round has one.
    """
    waiting: list[Fraction] = [Fraction(floor) for floor in floors]
    agreed: tuple[int, Point] | None = None
    for turn in reversed(range(rounds)):
        mover = turn % 2
        later = [w * d if turn < rounds - 1 else w for w, d in zip(waiting, discounts, strict=True)]
        open_to = [
            point
            for point in points
            if point.utilities[mover] >= later[mover] and point.utilities[1 - mover] >= later[1 - mover]
        ]
        if open_to:
            best = max(open_to, key=lambda point: (point.utilities[mover], point.utilities[1 - mover]))
            agreed, waiting = (turn + 1, best), [Fraction(one) for one in best.utilities]
        else:
            waiting = later
    return agreed


def rubinstein(first: Fraction, second: Fraction) -> tuple[Fraction, Fraction]:
    """Return the shares of a pie if two impatient parties alternate offers without end (Rubinstein 1982)."""
    if first == second == 1:
        return Fraction(1, 2), Fraction(1, 2)
    share = (1 - second) / (1 - first * second)
    return share, 1 - share
