"""Equilibria of games, in fractions: pure ones of any game, and all extreme ones of two-player games.

The extreme equilibria of a bimatrix game are the completely labelled pairs of vertices of its best-response polytopes;
all others are mixtures of them (von Stengel 2002). So degenerate games are answered too.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, gcd, lcm
from operator import mul
from typing import TypeAlias

from mabos.knowledge.reasoning.budget import Budget, at_most

Profile: TypeAlias = tuple[int, ...]
Payoffs: TypeAlias = Mapping[Profile, tuple[Fraction, ...]]
Mixed: TypeAlias = tuple[Fraction, ...]
Matrix: TypeAlias = Sequence[Sequence[Fraction]]
MOST_BASES = 60_000
"""Sets of tight constraints that are looked at for one player."""


def pure(payoffs: Payoffs, sizes: Sequence[int], budget: Budget) -> list[Profile]:
    """Return the profiles where no player gains by changing alone. Raises `OutOfTime`."""
    found = []
    for number, profile in enumerate(payoffs):
        if number % 1_000 == 0:
            budget.check()
        if _is_best(payoffs, profile, sizes):
            found.append(profile)
    return found


def _is_best(payoffs: Payoffs, profile: Profile, sizes: Sequence[int]) -> bool:
    return all(
        payoffs[(*profile[:player], other, *profile[player + 1 :])][player] <= payoffs[profile][player]
        for player, size in enumerate(sizes)
        for other in range(size)
    )


def surviving(payoffs: Payoffs, sizes: Sequence[int], budget: Budget) -> list[list[int]]:
    """Return the strategies of each player that survive iterated elimination of strictly dominated ones.

    Only domination by a pure strategy counts. No equilibrium plays an eliminated one. Raises `OutOfTime`.
    """
    left = [list(range(size)) for size in sizes]
    changed = True
    while changed:
        changed = False
        for player, strategies in enumerate(left):
            for one in list(strategies):
                budget.check()
                if any(_dominates(payoffs, left, player, other, one) for other in strategies if other != one):
                    strategies.remove(one)
                    changed = True
    return left


def _dominates(payoffs: Payoffs, left: list[list[int]], player: int, better: int, worse: int) -> bool:
    """Return whether a strategy is strictly better against all that the others have left."""
    others = product(*left[:player], [worse], *left[player + 1 :])
    return all(
        payoffs[(*profile[:player], better, *profile[player + 1 :])][player] > payoffs[profile][player]
        for profile in others
    )


def extreme(first: Matrix, second: Matrix, budget: Budget) -> list[tuple[Mixed, Mixed]]:
    """Return the extreme equilibria of a two-player game; `first` and `second` are their payoffs by rows.

    Raises `InvalidArgument` for a game with too many bases, and `OutOfTime`.
    """
    rows, columns = len(first), len(first[0])
    at_most(comb(rows + columns, rows), MOST_BASES, "bases of a two-player game", argument="payoffs")
    columns_of_second = _positive([[second[i][j] for i in range(rows)] for j in range(columns)])
    mine = list(_vertices(columns_of_second, rows, budget))
    # Labels: strategy i of the first player is i, strategy j of the second is rows + j.
    theirs = [
        (y, frozenset((label + rows) % (rows + columns) for label in held))
        for y, held in _vertices(_positive(first), columns, budget)
    ]
    everything = frozenset(range(rows + columns))
    found = []
    for x, held in mine:
        budget.check()
        missing = everything - held
        found += [
            (_normalize_strategy(x), _normalize_strategy(y))
            for y, other in theirs
            if missing <= other and any(x) and any(y)
        ]
    return sorted(found, reverse=True)


def _positive(payoffs: Matrix) -> list[list[int]]:
    """Return payoffs as positive integers, shifted and scaled, which changes no equilibrium."""
    scale = lcm(*(cell.denominator for row in payoffs for cell in row))
    lowest = min(min(row) for row in payoffs)
    return [[1 + int((cell - lowest) * scale) for cell in row] for row in payoffs]


def _vertices(
    constraints: Sequence[Sequence[int]], size: int, budget: Budget
) -> Iterator[tuple[tuple[int, ...], frozenset[int]]]:
    """Yield the directions of the vertices of {x >= 0, constraints . x <= 1}, with the labels of all that is tight."""
    unit = [[int(i == j) for j in range(size)] for i in range(size)]
    normals = [*unit, *constraints]
    bounds = [0] * size + [1] * len(constraints)
    seen = set()
    for chosen in combinations(range(len(normals)), size):
        budget.check()
        point = solve_equations([normals[one] for one in chosen], [bounds[one] for one in chosen])
        if point is None or min(point[0]) < 0:
            continue
        x, scale = point
        heights = [sum(map(mul, row, x)) for row in constraints]
        if max(heights) <= scale and point not in seen:
            seen.add(point)
            tight = [size + j for j, height in enumerate(heights) if height == scale]
            yield x, frozenset([*(i for i in range(size) if x[i] == 0), *tight])


def solve_equations(rows: Sequence[Sequence[int]], bounds: Sequence[int]) -> tuple[tuple[int, ...], int] | None:
    """Return the unique solution of a square system over its least positive denominator, or None.

    In integers without fractions (Bareiss 1968).
    """
    table = [[*row, bound] for row, bound in zip(rows, bounds, strict=True)]
    size, scale = len(table), 1
    for column in range(size):
        pivot = next((row for row in range(column, size) if table[row][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        line = table[column]
        lead = line[column]
        for row in range(size):
            if row != column:
                factor = table[row][column]
                table[row] = [(lead * a - factor * b) // scale for a, b in zip(table[row], line, strict=True)]
        scale = lead
    values = [row[-1] for row in table]
    shared = gcd(scale, *values) * (1 if scale > 0 else -1)
    return tuple(value // shared for value in values), scale // shared


def _normalize_strategy(x: Sequence[int]) -> Mixed:
    total = sum(x)
    return tuple(Fraction(one, total) for one in x)
