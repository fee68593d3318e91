"""What was ordered for a goal and is still under way: no other plan for it orders the same again (S3 7.4)."""

import re
from collections.abc import Iterator

from mind.model import Goal, Plan, Step
from tools.agent import Agent
from tools.company import Business

_AGAIN = re.compile(r"-\d+$")
"""What a revision of a plan adds to the ids of its steps."""


def ordered_already(agent: Agent, goal: Goal, plan: Plan) -> str:
    """Return what a plan for `goal` would order although an earlier one has and it is still open; else nothing."""
    under_way = _under_way(agent, goal)
    marks = {mark for step in plan.steps if step.status != "skipped" for mark in _marks(plan, step)}
    return next((told for mark, told in under_way.items() if mark in marks), "")


def _under_way(agent: Agent, goal: Goal) -> dict[tuple[str, str], str]:
    """Return what is under way for a goal, or for another of its desire, by what it is known by in a plan."""
    if not agent.business_id:
        return {}
    akin = {goal.id} | {one.id for one in agent.mind.goals if goal.desire_id and one.desire_id == goal.desire_id}
    ordered = [
        (plan, step)
        for plan in agent.mind.plans
        if plan.goal_id in akin and plan.status != "active"
        for step in plan.steps
        if step.status == "done" and step.result
    ]
    standing = dict(_open_orders(agent.business)) if ordered else {}
    return {
        mark: f"{standing[step.result]} ({step.result})"
        for plan, step in ordered
        if step.result in standing
        for mark in _marks(plan, step)
    }


def _open_orders(business: Business) -> Iterator[tuple[str, str]]:
    """Yield the work and the campaigns that are not over, by id, each with how it stands."""
    for package in business.workforce.packages.all():
        if not package.is_over:
            late = f", due {package.deadline[:10]}" if package.deadline else ""
            yield package.id, f"{package.title!r} is ordered already and {package.status.replace('_', ' ')}{late}"
    for campaign in business.campaigns.running():
        yield campaign.id, f"the campaign {campaign.name!r} is running already"


def _marks(plan: Plan, step: Step) -> Iterator[tuple[str, str]]:
    """Yield what the order of a step is known by: its place in the template, and what it is called."""
    if plan.template:
        yield plan.template, _AGAIN.sub("", step.id)
    for name in ("title", "name"):
        if called := str(step.arguments.get(name) or ""):
            yield step.tool, called.casefold()
