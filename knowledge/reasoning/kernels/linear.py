"""Linear programs solved exactly, in fractions: the simplex method with Bland's rule, which never cycles.

Dantzig 1951; Bland 1977. For small programs; the result is exact where the input is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from knowledge.reasoning.budget import Budget, at_most

LARGEST = 40_000
"""Cells of a tableau."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The best value and where it is attained."""

    value: Fraction
    at: tuple[Fraction, ...]


def maximise(
    objective: Sequence[Fraction],
    at_most_rows: Sequence[tuple[Sequence[Fraction], Fraction]],
    equal_rows: Sequence[tuple[Sequence[Fraction], Fraction]],
    budget: Budget,
) -> Solution | Literal["infeasible", "unbounded"]:
    """Return the largest objective over x >= 0 with rows . x <= bound and rows . x = bound.

    Raises `InvalidArgument` for programs too large, and `OutOfTime`.
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
    if not tableau.optimise([*objective, *([Fraction(0)] * (tableau.width - width))], budget, tableau.real):
        return "unbounded"
    values = [Fraction(0)] * tableau.width
    for row, column in enumerate(tableau.basis):
        values[column] = tableau.rows[row][-1]
    point = tuple(values[:width])
    return Solution(sum((c * x for c, x in zip(objective, point, strict=True)), Fraction(0)), point)


class _Tableau:
    """Rows of equations over the variables, their slacks and, for the start, artificial variables."""

    def __init__(self, width: int, rows: Sequence[tuple[tuple[Fraction, ...], Fraction, bool]]) -> None:
        slacks = sum(is_slack for _, _, is_slack in rows)
        self.real = width + slacks
        self.width = self.real + len(rows)
        self.basis = list(range(self.real, self.width))
        self.rows: list[list[Fraction]] = []
        slack = width
        for number, (row, bound, is_slack) in enumerate(rows):
            line = [*map(Fraction, row), *([Fraction(0)] * (self.width - width)), Fraction(bound)]
            if is_slack:
                line[slack] = Fraction(1)
                slack += 1
            if line[-1] < 0:
                line = [-cell for cell in line]
            line[self.real + number] = Fraction(1)
            self.rows.append(line)

    def feasible(self, budget: Budget) -> bool:
        """Find a first point: drive the artificial variables to zero."""
        cost = [Fraction(0)] * self.real + [Fraction(-1)] * (self.width - self.real)
        self.optimise(cost, budget, self.width)
        if any(column >= self.real and self.rows[row][-1] != 0 for row, column in enumerate(self.basis)):
            return False
        for row, column in enumerate(self.basis):
            if column >= self.real:
                swap = next((c for c in range(self.real) if self.rows[row][c] != 0), None)
                if swap is not None:
                    self._pivot(row, swap)
        return True

    def optimise(self, cost: Sequence[Fraction], budget: Budget, columns: int) -> bool:
        """Pivot until nothing improves `cost`, over the first `columns`; returns False if it grows without bound."""
        while True:
            budget.check()
            prices = [cost[column] for column in self.basis]
            entering = next(
                (
                    column
                    for column in range(columns)
                    if column not in self.basis
                    and cost[column] > sum(p * row[column] for p, row in zip(prices, self.rows, strict=True) if p)
                ),
                None,
            )
            if entering is None:
                return True
            ratios = [
                (row[-1] / row[entering], self.basis[number], number)
                for number, row in enumerate(self.rows)
                if row[entering] > 0
            ]
            if not ratios:
                return False
            self._pivot(min(ratios)[2], entering)

    def _pivot(self, row: int, column: int) -> None:
        pivot = self.rows[row][column]
        self.rows[row] = [cell / pivot for cell in self.rows[row]]
        for number, other in enumerate(self.rows):
            if number != row and other[column] != 0:
                factor = other[column]
                self.rows[number] = [a - factor * b if b else a for a, b in zip(other, self.rows[row], strict=True)]
        self.basis[row] = column
