"""Deduction: what follows from rules, from formulas of first-order logic, or from the constraints of a puzzle."""

from typing import Any

from knowledge.reasoning.budget import Budget
from knowledge.reasoning.formal import first_order, horn
from knowledge.reasoning.formal.clauses import Horn
from knowledge.reasoning.formal.formulas import FirstOrder
from knowledge.reasoning.result import Result

Deducible = Horn | FirstOrder


def estimate(problem: Deducible) -> float:
    """Return the milliseconds this takes about."""
    return horn.estimate(problem) if isinstance(problem, Horn) else first_order.estimate(problem)


def solve(problem: Deducible, budget: Budget) -> Result[Any]:
    """Return what follows."""
    return horn.solve(problem, budget) if isinstance(problem, Horn) else first_order.solve(problem, budget)
