"""An intention and its plan as cases remember them: what was believed, wanted and done, and how it ended (S0 23)."""

from collections.abc import Iterable
from typing import Any

from mind.conditions import Lookup, subjects
from mind.model import Goal, Intention, Plan

ALWAYS = ("cash", "runway_months", "churn_rate", "quality")
"""What tells most situations of a company apart, whatever the goal."""


def believed(goal: Goal, lookup: Lookup, more: Iterable[str] = ()) -> dict[str, str]:
    """Return what is believed about the subjects of the goal's target and criteria, by name."""
    names = list(ALWAYS)
    for condition in (goal.target, *goal.success_criteria, *more):
        names += subjects(condition)
    found = {name: lookup(name) for name in dict.fromkeys(names)}
    return {name: value for name, value in found.items() if value is not None}


def wanted(goal: Goal) -> list[str]:
    """Return the desires that the goal serves."""
    return [goal.desire_id or goal.description]


def episode(goal: Goal, lookup: Lookup) -> dict[str, Any]:
    """Return the situation of a case."""
    return {"beliefs": believed(goal, lookup), "desires": wanted(goal), "context": goal.description}


def solution(plan: Plan) -> dict[str, Any]:
    """Return the solution of a case: the plan as it was carried out."""
    return {
        "plan": plan.id,
        "name": plan.name,
        "template": plan.template,
        "steps": [
            {"id": step.id, "tool": step.tool, "arguments": dict(step.arguments), "status": step.status}
            for step in plan.steps
        ],
    }


def outcome(intention: Intention, plan: Plan) -> dict[str, Any]:
    """Return the outcome of a case: a plan that got somewhere before it failed is a partial failure."""
    done = sum(step.status == "done" for step in plan.steps)
    failed = "partial_failure" if done else "failure"
    return {
        "status": "success" if intention.status == "completed" else failed,
        "steps_done": done,
        "steps": len(plan.steps),
        "reason": intention.reason,
        "cost": round(sum(step.cost for step in plan.steps if step.status == "done"), 2),
    }
