"""An intention that is over, as a case to plan with, a memory to recall, and a lesson to read."""

from collections.abc import Mapping
from typing import Any

from mind.model import Goal, Intention, Learning, Plan
from nodes.planning.situation import believed, wanted
from tools.agent import Agent
from workspace.clock import iso


def keep_case(agent: Agent, intention: Intention) -> str:
    """Return the id of the case of an intention, which is kept once."""
    cases = agent.cases
    case_id = f"CASE-{intention.id}"
    if any(case.id == case_id for case in cases.all()):
        return case_id
    goal, plan = _of(agent, intention)
    lookup = agent.mind.index
    situation = {
        "beliefs": believed(goal, lookup) if goal else {},
        "desires": wanted(goal) if goal else [],
        "context": goal.description if goal else intention.description,
    }
    return cases.store(situation, _solution(plan), _outcome(intention, plan), case_id=case_id).id


def _solution(plan: Plan | None) -> Mapping[str, Any]:
    if plan is None:
        return {}
    return {
        "plan": plan.id,
        "name": plan.name,
        "template": plan.template,
        "steps": [
            {"id": step.id, "tool": step.tool, "arguments": dict(step.arguments), "status": step.status}
            for step in plan.steps
        ],
    }


def _outcome(intention: Intention, plan: Plan | None) -> Mapping[str, Any]:
    done = sum(step.status == "done" for step in plan.steps) if plan else 0
    ended = "partial_failure" if done else "failure"
    status = "success" if intention.status == "completed" else ended
    return {
        "status": status,
        "steps_done": done,
        "steps": len(plan.steps) if plan else 0,
        "reason": intention.reason,
        "cost": round(sum(step.cost for step in plan.steps if step.status == "done"), 2) if plan else 0.0,
    }


def told(agent: Agent, intention: Intention) -> Mapping[str, Any]:
    """Return the memory of an intention that is over."""
    goal, plan = _of(agent, intention)
    name = plan.name if plan else intention.description
    aim = f" for {goal.description!r}" if goal else ""
    good = intention.status == "completed"
    return {
        "content": f"Plan {name}{aim} is {intention.status}: {intention.reason}",
        "type": "observation",
        "importance": 0.6 if good else 0.75,
        "source": f"intention {intention.id}",
        "tags": ["plan", intention.status, *([plan.template] if plan and plan.template else [])],
    }


def lesson(agent: Agent, intention: Intention) -> Learning | None:
    """Return what there is to learn: every failure, and the first time something works."""
    goal, plan = _of(agent, intention)
    if plan is None:
        return None
    aim = goal.description if goal else intention.description
    if intention.status == "completed":
        if any(one.context.startswith(f"{plan.name}:") for one in agent.mind.learnings):
            return None
        insight = f"{plan.name} can be carried through: {len(plan.steps)} steps, nothing in the way."
    else:
        stuck = next((step for step in plan.steps if step.status in ("failed", "waiting", "pending")), None)
        where = f" at step {stuck.id}" if stuck else ""
        insight = f"{plan.name} was {intention.status}{where}: {intention.reason}"
    return Learning(
        id=f"LRN-{intention.id}",
        insight=insight,
        context=f"{plan.name}: {aim}",
        applies_when=f"the goal is: {aim}",
        at=iso(agent.clock()),
    )


def _of(agent: Agent, intention: Intention) -> tuple[Goal | None, Plan | None]:
    mind = agent.mind
    goal = next((one for one in mind.goals if one.id == intention.goal_id), None)
    return goal, next((one for one in mind.plans if one.id == intention.plan_id), None)
