"""Deduction: what follows from rules, from formulas of first-order logic, or from the constraints of a puzzle."""

from typing import Any

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.formal import assignment, first_order, horn
from mabos.knowledge.reasoning.formal.assignments import Assignment
from mabos.knowledge.reasoning.formal.clauses import Horn
from mabos.knowledge.reasoning.formal.formulas import FirstOrder
from mabos.knowledge.reasoning.result import Result

Deducible = Horn | FirstOrder | Assignment


def estimate(problem: Deducible) -> float:
    """Return the milliseconds this takes about."""
    match problem:
        case Horn():
            return horn.estimate(problem)
        case FirstOrder():
            return first_order.estimate(problem)
    return assignment.estimate(problem)


def solve(problem: Deducible, budget: Budget) -> Result[Any]:
    """Return what follows."""
    match problem:
        case Horn():
            return horn.solve(problem, budget)
        case FirstOrder():
            return first_order.solve(problem, budget)
    return assignment.solve(problem, budget)
