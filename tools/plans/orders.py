"""Orders for a goal that are still open, which no other plan for it repeats (S3 7.4)."""

import re
from collections.abc import Iterator

from mabos.mind.conditions import subjects
from mabos.mind.model import Goal, Plan, Step
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import terms

_AGAIN = re.compile(r"-\d+$")
"""The suffix that a revision of a plan adds to the ids of its steps."""


def ordered_already(agent: Agent, goal: Goal, plan: Plan) -> str:
    """Return an open order that a plan for `goal` would repeat; else ""."""
    under_way = _under_way(agent, goal)
    marks = {mark for step in plan.steps if step.status != "skipped" for mark in _marks(plan, step)}
    return next((told for mark, told in under_way.items() if mark in marks), "")


def _under_way(agent: Agent, goal: Goal) -> dict[tuple[str, str], str]:
    """Return the orders under way by their marks in a plan.

    For related goals the marks include the place in a template; work of the same name is the same for any goal.
    """
    if not agent.business_id:
        return {}
    akin = {one.id for one in agent.mind.goals if _is_akin(one, goal)} | {goal.id}
    ordered = [
        (plan, step)
        for plan in agent.mind.plans
        if plan.status != "active"
        for step in plan.steps
        if step.status == "done" and step.result
    ]
    standing = dict(_open_orders(agent.business)) if ordered else {}
    return {
        mark: f"{standing[step.result]} ({step.result})"
        for plan, step in ordered
        if step.result in standing
        for mark in (_marks(plan, step) if plan.goal_id in akin else _names(step))
    }


def _is_akin(one: Goal, other: Goal) -> bool:
    """Return whether two goals are for the same: of one desire, or measured by the same."""
    same_desire = bool(one.desire_id) and one.desire_id == other.desire_id
    return same_desire or bool(set(subjects(one.target)) & set(subjects(other.target)))


def _open_orders(business: Business) -> Iterator[tuple[str, str]]:
    """Yield the unfinished work and campaigns, by id, each with its status.

    Delivered work is there, reviewed or not: an agent that needs more of it may order more.
    """
    for package in business.workforce.packages.all():
        if package.is_under_way:
            late = f", due {package.deadline[:10]}" if package.deadline else ""
            yield package.id, f"{package.title!r} is ordered already and {package.status.replace('_', ' ')}{late}"
    for campaign in business.campaigns.list_booked():
        yield campaign.id, f"the campaign {campaign.name!r} is {campaign.status} already"


def _marks(plan: Plan, step: Step) -> Iterator[tuple[str, str]]:
    """Yield the marks of a step's order: its place in the template, and its names."""
    if plan.template:
        yield plan.template, _AGAIN.sub("", step.id)
    yield from _names(step)


def _names(step: Step) -> Iterator[tuple[str, str]]:
    """Yield the names of an order, without its numbers and dates."""
    for name in ("title", "name"):
        called = [word for word in terms(str(step.arguments.get(name) or "")) if not any(map(str.isdigit, word))]
        if called:
            yield step.tool, " ".join(called)
