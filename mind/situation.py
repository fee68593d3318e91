"""An intention and its plan as a case: beliefs, desires and actions, and the outcome (S0 23)."""

from collections.abc import Iterable, Iterator
from typing import Any

from mabos.knowledge.case_records import Case
from mabos.knowledge.values import number
from mabos.mind.conditions import Lookup, holds, is_comparison, subjects
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Desire, Goal, Intention, Plan, Step
from mabos.mind.times import days, moment
from mabos.workspace.currencies import money

REACHED, NEARER, MISSED, UNMEASURED = "reached", "nearer", "missed", "open"
"""The outcome of the goal of a completed plan: `open` until it is measured."""
UNMEASURED_SINCE = "not measured since"
"""Words of a lesson whose plan has no measured result yet."""
STEPS_TOLD = 3
ALWAYS = ("cash", "runway_months", "churn_rate", "quality")
"""The features that distinguish most situations of a company, whatever the goal."""


def read_beliefs(goal: Goal, lookup: Lookup, more: Iterable[str] = ()) -> dict[str, str]:
    """Return the beliefs about the subjects of the goal's target and criteria, by name."""
    names = list(ALWAYS)
    for condition in (goal.target, *goal.success_criteria, *more):
        names += subjects(condition)
    found = {name: lookup(name) for name in dict.fromkeys(names)}
    return {name: value for name, value in found.items() if value is not None}


def list_desires(goal: Goal) -> list[str]:
    """Return the desires that the goal serves."""
    return [goal.desire_id or goal.description]


def value_at(belief: Belief, at: str) -> str:
    """Return the value held at the end of a period, as far back as the revisions go."""
    return next((entry.before for entry in belief.revisions if entry.at > at), belief.value or belief.statement)


def as_of(index: BeliefIndex, at: str, plan_id: str = "") -> Lookup:
    """Return a lookup of beliefs at a time, without those that the plan `plan_id` itself caused."""

    def lookup(name: str) -> str | None:
        belief = index.about(name)
        if belief is None or (plan_id in belief.evidence and not any(entry.at > at for entry in belief.revisions)):
            return None
        return value_at(belief, at)

    return lookup


def episode(
    goal: Goal, index: BeliefIndex, desires: Iterable[Desire] = (), *, since: str = "", plan_id: str = ""
) -> dict[str, Any]:
    """Return the situation of a case: the beliefs when the plan was chosen at `since`, and the desires."""
    priority = next((one.priority for one in desires if one.id == goal.desire_id), goal.priority)
    return {
        "beliefs": read_beliefs(goal, as_of(index, since, plan_id) if since else index),
        "desires": dict.fromkeys(list_desires(goal), round(priority, 4)),
        "context": goal.description,
    }


def solution(plan: Plan) -> dict[str, Any]:
    """Return the solution of a case: the plan as executed."""
    return {
        "plan": plan.id,
        "name": plan.name,
        "template": plan.template,
        "source": plan.source,
        "steps": [_carried_out(step) for step in plan.steps],
    }


def _carried_out(step: Step) -> dict[str, Any]:
    """Return a step with the parts reusable in another plan: conditions, effects and ways, if it has any."""
    more: dict[str, Any] = {
        "description": step.description,
        "preconditions": list(step.preconditions),
        "effects": list(step.effects),
        "ordering": "" if step.ordering == "sequence" else step.ordering,
        "branches": [list(one) for one in step.branches],
        "cost": step.cost,
    }
    known = {"id": step.id, "tool": step.tool, "arguments": dict(step.arguments), "status": step.status}
    return known | {name: value for name, value in more.items() if value}


def outcome(
    intention: Intention, plan: Plan, goal: Goal | None = None, index: BeliefIndex | None = None, *, cause: str = ""
) -> dict[str, Any]:
    """Return the outcome of a case: a success if its goal is reached, open while that is unknown.

    A plan that made progress before it failed is a partial failure.

    It includes the goal's measures before and after, the duration, and the failed step with its `cause`.
    """
    done = sum(step.status == "done" for step in plan.steps)
    failed = "partial_failure" if done else "failure"
    is_through = intention.status == "completed"
    is_reached = (
        is_through
        and goal is not None
        and (goal.status == "achieved" or (index is not None and came_of(goal, index) == REACHED))
    )
    ended = "success" if is_reached else "open" if is_through else failed
    told: dict[str, Any] = {
        "status": ended,
        "steps_done": done,
        "steps": len(plan.steps),
        "reason": intention.reason,
        "cost": round(sum(step.cost for step in plan.steps if step.status == "done"), 2),
    }
    more = {
        "failed_step": "" if is_through else stopped_at(plan),
        "cause": cause,
        "expected": goal.target if goal else "",
        "goal": (REACHED if is_reached else came_of(goal, index)) if goal and index and is_through else "",
    }
    measured = dict(_compare_figures(goal, index, intention.started, plan.id)) if goal and index else {}
    return told | {name: value for name, value in more.items() if value} | _measure_duration(intention) | measured


def came_of(goal: Goal, index: BeliefIndex) -> str:
    """Return `reached`, or `open` if the goal's measures do not show it; empty without measures."""
    criteria = [one for one in dict.fromkeys((goal.target, *goal.success_criteria)) if is_comparison(one)]
    if not criteria:
        return ""
    return REACHED if all(holds(one, index) is True for one in criteria) else UNMEASURED


def is_success(case: Case) -> bool:
    """Return whether a case supports its plan: the goal was reached, or came measurably nearer."""
    return case.success or (case.outcome == "open" and case.results.get("goal") == NEARER)


def stopped_at(plan: Plan) -> str:
    """Return the id of the step where a plan stopped: the failed one, else the first open one, or nothing."""
    by_status = [
        [step.id for step in plan.steps if step.status in ones]
        for ones in (("failed",), ("waiting", "begun", "pending"))
    ]
    return next((ids[0] for ids in by_status if ids), "")


def _measure_duration(intention: Intention) -> dict[str, Any]:
    began, ended = moment(intention.started), moment(intention.updated)
    return {"duration_days": round(days(ended - began), 2)} if began and ended and ended >= began else {}


def _compare_figures(goal: Goal, index: BeliefIndex, since: str, plan_id: str) -> Iterator[tuple[str, str]]:
    """Yield the figures that the goal is measured by, before and after, and others where they have moved meanwhile."""
    then, aims = as_of(index, since, plan_id), {*subjects(goal.target)}
    for name, after in read_beliefs(goal, index).items():
        before = then(name)
        is_figure = number(after) is not None or name in aims
        if is_figure and (name in aims or (before is not None and before != after)):
            if before is not None:
                yield f"{name}_before", before
            yield f"{name}_after", after


def insight(plan: Plan, goal: Goal | None, index: BeliefIndex, since: str) -> str:
    """Return the actions of `plan` and how its goal's figures have changed since the time `since`.

    >>> from mabos.mind.model import Belief, Step
    >>> fix = Step("fix", "Commission the repair", tool="work_package_create", status="done")
    >>> quality = Belief("B-1", "quality is 0.54", 0.9, subject="quality", value="0.54", updated="2026-01-04")
    >>> goal = Goal("G-1", "Keep quality high", target="quality >= 0.7")
    >>> insight(Plan("P-1", "G-1", "repairs", steps=(fix,)), goal, BeliefIndex([quality]), "2026-01-05")
    'Repairs: commission the repair. At the end quality was 0.54, not measured since; wanted: quality >= 0.7.'
    """
    figures = ", ".join(_moves(goal, index, since)) if goal else ""
    told = f"{plan.name[:1].upper()}{plan.name[1:]}: {_deeds(plan) or 'done without an operation'}."
    if not figures or goal is None:
        return told
    return f"{told} At the end {figures}; wanted: {goal.target}."


def _deeds(plan: Plan) -> str:
    """Return the done steps in their own words, and their cost."""
    done = [step for step in plan.steps if step.status == "done" and step.tool and step.description]
    words = [step.description[:1].lower() + step.description[1:].rstrip(".") for step in done]
    more = [f"and {len(words) - STEPS_TOLD} more"] if len(words) > STEPS_TOLD else []
    cost = sum(step.cost for step in done)
    return "; ".join([*words[:STEPS_TOLD], *more]) + (f" ({money(round(cost))})" if cost else "")


def _moves(goal: Goal, index: BeliefIndex, since: str) -> Iterator[str]:
    """Yield how numbers have moved; a word like `done` was written by the plan itself, and teaches nothing."""
    for name in subjects(goal.target):
        belief = index.about(name)
        if belief is not None and number(belief.value) is not None:
            before = value_at(belief, since)
            same = "as before" if belief.updated > since else UNMEASURED_SINCE
            moved = f"{before} before" if before != belief.value else same
            yield f"{name.replace('_', ' ')} was {belief.value}, {moved}"
