"""Which goal an agent turns to: pure decisions of deliberation."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter

from mind.model import Goal, Intention, Plan
from mind.times import moment

REST = timedelta(days=10)
"""How long a goal rests after a plan for it ended: what was done needs time to show before it is done again."""

BLOCKED = timedelta(days=6)
"""How long a goal for which no plan fitted is left alone."""

LIVE = ("active", "awaiting_approval", "suspended")


@dataclass(frozen=True, slots=True)
class Focus:
    """The goal to pursue now; with an intention where one is under way, without where a plan must be made."""

    goal_id: str
    intention_id: str = ""
    plan_id: str = ""


def focus(
    goals: Iterable[Goal],
    intentions: Iterable[Intention],
    plans: Iterable[Plan],
    now: datetime,
    *,
    most: int,
    first: Collection[str] = (),
    prefer: Callable[[Sequence[Goal]], Goal] = itemgetter(0),
) -> Focus | None:
    """Return what to pursue: first what the agent is committed to, then a goal without a plan.

    Of several such goals `prefer` chooses; they come by importance, and the most important one is the usual choice.

    Intentions in `first` go before all others: a person has just answered them. At most `most` goals have a commitment
    at a time; goals whose last plan has just ended rest. None: nothing to do.
    """
    by_id = {goal.id: goal for goal in goals}
    live = [intention for intention in intentions if intention.status in LIVE]
    ready = [one for one in live if one.status == "active" and one.goal_id in by_id]
    if ready:
        chosen = min(ready, key=lambda one: (one.id not in first, -by_id[one.goal_id].priority, one.started, one.id))
        return Focus(chosen.goal_id, chosen.id, chosen.plan_id)
    if len(live) >= most:
        return None
    taken = {intention.goal_id for intention in live}
    ended = last_ends(plans)
    open_goals = [
        goal
        for goal in by_id.values()
        if _is_open(goal, now) and goal.id not in taken and not is_resting(ended.get(goal.id), now)
    ]
    if not open_goals:
        return None
    return Focus(prefer(sorted(open_goals, key=lambda goal: (-goal.priority, goal.created, goal.id))).id)


def _is_open(goal: Goal, now: datetime) -> bool:
    """Return whether a goal may be pursued; one that no plan fitted is looked at again after a while."""
    if goal.status == "blocked":
        return not is_resting(goal.updated, now, BLOCKED)
    return goal.status in ("pending", "active")


def last_ends(plans: Iterable[Plan]) -> dict[str, str]:
    """Return when the last plan of each goal ended, by goal id."""
    ended: dict[str, str] = {}
    for plan in plans:
        if plan.status in ("completed", "failed", "abandoned"):
            ended[plan.goal_id] = max(ended.get(plan.goal_id, ""), plan.updated)
    return ended


def is_resting(ended: str | None, now: datetime, rest: timedelta = REST) -> bool:
    """Return whether a plan that ended then is too recent for the next one."""
    at = moment(ended or "")
    return at is not None and at + rest > now


def failures(plans: Iterable[Plan], goal_id: str) -> Mapping[str, int]:
    """Return how often each template has failed for a goal."""
    counted: dict[str, int] = {}
    for plan in plans:
        if plan.goal_id == goal_id and plan.status == "failed" and plan.template:
            counted[plan.template] = counted.get(plan.template, 0) + 1
    return counted


def lately(plans: Iterable[Plan], now: datetime) -> frozenset[str]:
    """Return the templates that are under way, or were carried through a short while ago: not to be started again."""
    return frozenset(
        plan.template
        for plan in plans
        if plan.template and (plan.status == "active" or (plan.status == "completed" and is_resting(plan.updated, now)))
    )
