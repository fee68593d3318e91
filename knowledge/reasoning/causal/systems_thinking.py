"""Systems thinking: loops of cause and effect, and how stocks and flows behave over time (Sterman 2000)."""

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.causal.loops import Feedback, looped
from mabos.knowledge.reasoning.causal.stock_flows import Course, run
from mabos.knowledge.reasoning.causal.systems import Loops, StockFlow
from mabos.knowledge.reasoning.result import Result


def estimate(problem: Loops | StockFlow) -> float:
    """Return the milliseconds this takes about; how many loops there are shows only when they are followed."""
    if isinstance(problem, Loops):
        return 0.1 + 0.03 * len(problem.links)
    runs = 1 + 2 * len(problem.constants)
    stages = 1 if problem.scheme == "euler" else 4
    terms = len(problem.flows) + len(problem.auxiliaries) + len(problem.stocks)
    return 1.0 + (problem.stop - problem.start) / problem.step * runs * stages * (0.005 + 0.004 * terms)


def solve(problem: Loops | StockFlow, budget: Budget) -> Result[Feedback] | Result[Course]:
    """Return the loops of a diagram, or the course of stocks over time."""
    return looped(problem, budget) if isinstance(problem, Loops) else run(problem, budget)
