"""Exact linear programs in fractions: the simplex method with Bland's rule, which never cycles.

Dantzig 1951; Bland 1977. For small programs; the result is as exact as the input.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Literal

from mabos.knowledge.reasoning.budget import Budget, at_most

LARGEST = 40_000
"""Cells of a tableau."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The optimum and where it is attained."""

    value: Fraction
    at: tuple[Fraction, ...]


def maximise(
    objective: Sequence[Fraction],
    at_most_rows: Sequence[tuple[Sequence[Fraction], Fraction]],
    equal_rows: Sequence[tuple[Sequence[Fraction], Fraction]],
    budget: Budget,
) -> Solution | Literal["infeasible", "unbounded"]:
    """Return the largest objective over x >= 0 with rows . x <= bound and rows . x = bound.

    Raises `InvalidArgument` for too large a program, and `OutOfTime`.
    """
    rows = [
        *(((*row,), bound, True) for row, bound in at_most_rows),
        *(((*row,), bound, False) for row, bound in equal_rows),
    ]
    width = len(objective)
    at_most(max(1, len(rows)) * (width + 2 * len(rows)), LARGEST, "cells of a linear program")
    tableau = _Tableau(width, rows)
    if not tableau.feasible(budget):
        return "infeasible"
    if not tableau.optimise(objective, budget, tableau.real):
        return "unbounded"
    point = tableau.point(width)
    return Solution(sum((c * x for c, x in zip(objective, point, strict=True)), Fraction(0)), point)


class _Tableau:
    """Rows of equations over the variables, their slacks and, where a slack cannot start, artificial variables.

    All is in integers over one positive denominator (Edmonds 1967; Bareiss 1968), several times faster than fractions.
    """

    def __init__(self, width: int, rows: Sequence[tuple[tuple[Fraction, ...], Fraction, bool]]) -> None:
        slacks = sum(is_slack for _, _, is_slack in rows)
        self.real = width + slacks
        self.width = self.real + sum(not is_slack or bound < 0 for _, bound, is_slack in rows)
        self.basis: list[int] = []
        self.rows: list[list[int]] = []
        self.scale = 1
        slack, artificial = width, self.real
        for row, bound, is_slack in rows:
            line = [*_whole([*row, bound]), *([0] * (self.width - width))]
            line.insert(self.width, line.pop(width))
            if is_slack:
                line[slack] = 1
                slack += 1
            if bound < 0:
                line = [-cell for cell in line]
            if bound < 0 or not is_slack:
                line[artificial] = 1
                self.basis.append(artificial)
                artificial += 1
            else:
                self.basis.append(slack - 1)
            self.rows.append(line)

    def point(self, width: int) -> tuple[Fraction, ...]:
        """Return the values of the first variables."""
        values = {column: Fraction(line[-1], self.scale) for column, line in zip(self.basis, self.rows, strict=True)}
        return tuple(values.get(column, Fraction(0)) for column in range(width))

    def feasible(self, budget: Budget) -> bool:
        """Find a first point: drive the artificial variables to zero."""
        self.optimise([*([Fraction(0)] * self.real), *([Fraction(-1)] * (self.width - self.real))], budget, self.width)
        if any(column >= self.real and line[-1] for column, line in zip(self.basis, self.rows, strict=True)):
            return False
        for row, column in enumerate(self.basis):
            if column >= self.real:
                swap = next((c for c in range(self.real) if self.rows[row][c]), None)
                if swap is not None:
                    self._pivot(row, swap)
        return True

    def optimise(self, objective: Sequence[Fraction], budget: Budget, columns: int) -> bool:
        """Pivot until nothing improves, over the first `columns`; returns False if that never ends."""
        cost = [*_whole(objective), *([0] * (self.width + 1 - len(objective)))]
        gains = [cell * self.scale for cell in cost]
        for column, line in zip(self.basis, self.rows, strict=True):
            if cost[column]:
                gains = [a - cost[column] * b for a, b in zip(gains, line, strict=True)]
        self.rows.append(gains)
        try:
            return self._climb(budget, columns)
        finally:
            self.rows.pop()

    def _climb(self, budget: Budget, columns: int) -> bool:
        """Pivot until no gain in the last row is positive."""
        while True:
            budget.check()
            gains = self.rows[-1]
            entering = next((column for column in range(columns) if gains[column] > 0), None)
            if entering is None:
                return True
            ratios = [
                (Fraction(line[-1], line[entering]), column, number)
                for number, (column, line) in enumerate(zip(self.basis, self.rows, strict=False))
                if line[entering] > 0
            ]
            if not ratios:
                return False
            self._pivot(min(ratios)[2], entering)

    def _pivot(self, row: int, column: int) -> None:
        if self.rows[row][column] < 0:  # only where the row's value is zero
            self.rows[row] = [-cell for cell in self.rows[row]]
        line, scale = self.rows[row], self.scale
        pivot = line[column]
        for number, other in enumerate(self.rows):
            if number != row:
                factor = other[column]
                self.rows[number] = (
                    [(pivot * a - factor * b) // scale for a, b in zip(other, line, strict=True)]
                    if factor
                    else [pivot * a // scale for a in other]
                )
        self.scale = pivot
        self.basis[row] = column


def _whole(numbers: Sequence[Fraction]) -> list[int]:
    """Return the smallest integers in the same proportion."""
    scale = lcm(*(Fraction(one).denominator for one in numbers))
    return [int(one * scale) for one in numbers]
