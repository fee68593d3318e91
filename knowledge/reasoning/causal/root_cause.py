"""Root cause: what a failure comes from, by a fault tree or by what depends on what (Vesely 1981; Reiter 1987)."""

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.causal.failures import FaultTree, Incident
from mabos.knowledge.reasoning.causal.fault_trees import Causes, diagnosed
from mabos.knowledge.reasoning.causal.incidents import Fault, traced
from mabos.knowledge.reasoning.result import Result


def estimate(problem: FaultTree | Incident) -> float:
    """Return the milliseconds this takes about."""
    if isinstance(problem, FaultTree):
        return 0.1 + 0.04 * len(problem.events) * len(problem.gates)
    readings = sum(len(held.baseline) for one in problem.components.values() for held in one.metrics.values())
    each = 0.7 if problem.metric is None else 0.05
    return 0.3 + each * len(problem.components) + 0.0005 * readings


def solve(problem: FaultTree | Incident, budget: Budget) -> Result[Causes] | Result[Fault]:
    """Return the causes of a failure, most probable first."""
    return diagnosed(problem, budget) if isinstance(problem, FaultTree) else traced(problem, budget)
