"""Deduction: what follows from rules, from formulas of first-order logic, or from the constraints of a puzzle."""

from knowledge.reasoning.budget import Budget
from knowledge.reasoning.formal import horn
from knowledge.reasoning.formal.clauses import Horn
from knowledge.reasoning.result import Result


def estimate(problem: Horn) -> float:
    """Return the milliseconds this takes about."""
    return horn.estimate(problem)


def solve(problem: Horn, budget: Budget) -> Result[horn.Entailment]:
    """Return what follows."""
    return horn.solve(problem, budget)
