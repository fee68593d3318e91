"""Equilibria of games, in fractions: pure ones of any game, all extreme ones of two players.

The extreme equilibria of a bimatrix game are the completely labelled pairs of vertices of its best-response polytopes;
all others are mixtures of them (von Stengel 2002). So degenerate games are answered too.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import TypeAlias

from knowledge.reasoning.budget import Budget, at_most

Profile: TypeAlias = tuple[int, ...]
Payoffs: TypeAlias = Mapping[Profile, tuple[Fraction, ...]]
Mixed: TypeAlias = tuple[Fraction, ...]
Matrix: TypeAlias = Sequence[Sequence[Fraction]]
MOST_BASES = 60_000
"""Sets of tight constraints that are looked at for one player."""


def pure(payoffs: Payoffs, sizes: Sequence[int]) -> list[Profile]:
    """Return the profiles from which nobody gains by changing alone."""
    return [profile for profile in payoffs if _is_best(payoffs, profile, sizes)]


def _is_best(payoffs: Payoffs, profile: Profile, sizes: Sequence[int]) -> bool:
    return all(
        payoffs[(*profile[:player], other, *profile[player + 1 :])][player] <= payoffs[profile][player]
        for player, size in enumerate(sizes)
        for other in range(size)
    )


def surviving(payoffs: Payoffs, sizes: Sequence[int]) -> list[list[int]]:
    """Return the strategies of each player that are left when strictly dominated ones are taken out again and again."""
    left = [list(range(size)) for size in sizes]
    changed = True
    while changed:
        changed = False
        for player, strategies in enumerate(left):
            for one in list(strategies):
                if any(_dominates(payoffs, left, player, other, one) for other in strategies if other != one):
                    strategies.remove(one)
                    changed = True
    return left


def _dominates(payoffs: Payoffs, left: list[list[int]], player: int, better: int, worse: int) -> bool:
    """Return whether a strategy is strictly better against all that the others have left."""
    return all(
        payoffs[(*profile[:player], better, *profile[player + 1 :])][player] > payoffs[profile][player]
        for profile in payoffs
        if profile[player] == worse
        and all(profile[other] in held for other, held in enumerate(left) if other != player)
    )


def extreme(first: Matrix, second: Matrix, budget: Budget) -> list[tuple[Mixed, Mixed]]:
    """Return the extreme equilibria of a two-player game, `first` and `second` being what each gets by rows.

    Raises `InvalidArgument` for a game with too many bases, and `OutOfTime`.
    """
    rows, columns = len(first), len(first[0])
    at_most(comb(rows + columns, rows), MOST_BASES, "bases of a two-player game", argument="payoffs")
    lift_first = 1 - min(min(row) for row in first)
    lift_second = 1 - min(min(row) for row in second)
    by_column = [[second[i][j] + lift_second for i in range(rows)] for j in range(columns)]
    by_row = [[first[i][j] + lift_first for j in range(columns)] for i in range(rows)]
    mine = [(x, frozenset(labels)) for x, labels in _vertices(by_column, rows, budget)]
    # Labels: strategy i of the first player is i, strategy j of the second is rows + j.
    theirs = [
        (y, frozenset((label + rows) % (rows + columns) for label in held))
        for y, held in _vertices(by_row, columns, budget)
    ]
    everything = frozenset(range(rows + columns))
    found = []
    for x, held in mine:
        budget.check()
        found += [(_scaled(x), _scaled(y)) for y, other in theirs if held | other == everything and any(x) and any(y)]
    return sorted(found, reverse=True)


def _vertices(constraints: Matrix, size: int, budget: Budget) -> Iterator[tuple[Mixed, list[int]]]:
    """Yield the vertices of {x >= 0, constraints . x <= 1} once each, with the labels of all that is tight there."""
    unit = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    normals = [*unit, *constraints]
    bounds = [Fraction(0)] * size + [Fraction(1)] * len(constraints)
    seen = set()
    for chosen in combinations(range(len(normals)), size):
        budget.check()
        x = _solved([normals[one] for one in chosen], [bounds[one] for one in chosen])
        if x is None or x in seen or min(x) < 0:
            continue
        heights = [sum(a * b for a, b in zip(row, x, strict=True)) for row in constraints]
        if max(heights) > 1:
            continue
        seen.add(x)
        yield x, [i for i in range(size) if x[i] == 0] + [size + j for j, height in enumerate(heights) if height == 1]


def _solved(rows: list[list[Fraction]] | list[Sequence[Fraction]], bounds: list[Fraction]) -> Mixed | None:
    """Return the one solution of as many equations as unknowns, or None."""
    table = [[*row, bound] for row, bound in zip(rows, bounds, strict=True)]
    size = len(table)
    for column in range(size):
        pivot = next((row for row in range(column, size) if table[row][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        lead = table[column][column]
        table[column] = [cell / lead for cell in table[column]]
        for row in range(size):
            factor = table[row][column]
            if row != column and factor:
                table[row] = [a - factor * b for a, b in zip(table[row], table[column], strict=True)]
    return tuple(row[-1] for row in table)


def _scaled(x: Mixed) -> Mixed:
    total = sum(x)
    return tuple(one / total for one in x)
