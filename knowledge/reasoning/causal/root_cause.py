"""Root cause: what a failure comes from, by a fault tree or by what depends on what (Vesely 1981; Reiter 1987)."""

from knowledge.reasoning.budget import Budget
from knowledge.reasoning.causal.failures import FaultTree, Incident
from knowledge.reasoning.causal.fault_trees import Causes, diagnosed
from knowledge.reasoning.causal.incidents import Fault, traced
from knowledge.reasoning.result import Result


def estimate(problem: FaultTree | Incident) -> float:
    """Return the milliseconds this takes about."""
    if isinstance(problem, FaultTree):
        return 0.5 + 0.05 * len(problem.events) * len(problem.gates)
    readings = sum(len(held.baseline) for one in problem.components.values() for held in one.metrics.values())
    return (2.0 if problem.metric is None else 0.5) + 0.6 * len(problem.components) + 0.002 * readings


def solve(problem: FaultTree | Incident, budget: Budget) -> Result[Causes] | Result[Fault]:
    """Return the causes of a failure, most probable first."""
    return diagnosed(problem, budget) if isinstance(problem, FaultTree) else traced(problem, budget)
