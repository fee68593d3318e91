"""Choose an agent's next goal: pure decisions of deliberation."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter

from mabos.mind.goals import is_decidable
from mabos.mind.library import Library, load_library
from mabos.mind.model import Goal, Intention, Plan
from mabos.mind.plans import is_run
from mabos.mind.times import is_past, moment
from mabos.mind.turns import Contender, whose_turn
from mabos.tools.gate.initiative import UNFOUNDED

REST = timedelta(days=10)
"""How long a goal rests after a plan for it ended, and until it shows what that came to, where no template says so."""

BLOCKED = timedelta(days=6)
"""The time for which a goal without a fitting plan is left alone."""

LIVE = ("active", "awaiting_approval", "suspended")


@dataclass(frozen=True, slots=True)
class Focus:
    """The goal to pursue now, with its running intention, or without one if it needs a plan.

    `turns` counts the intention's turns including this one; 0 if nothing else was ready, since that is not counted.
    """

    goal_id: str
    intention_id: str = ""
    plan_id: str = ""
    turns: int = 0


def focus(
    goals: Iterable[Goal],
    intentions: Iterable[Intention],
    plans: Iterable[Plan],
    now: datetime,
    *,
    most: int,
    first: Collection[str] = (),
    prefer: Callable[[Sequence[Goal]], Goal] = itemgetter(0),
    library: Library | None = None,
) -> Focus | None:
    """Return the next focus: a running intention, or a goal without a plan, in turns by priority.

    Of several new goals, by importance, `prefer` chooses; the default is the first.

    Intentions in `first` precede all others, since a person has just answered them. At most `most` goals have a
    commitment at a time, not counting those that wait for a figure. Goals whose last plan has just ended rest. Returns
    None if there is nothing to do.
    """
    every = tuple(goals)
    requested = {goal.id for goal in every if goal.request_id}  # act attends to them by itself
    by_id = {goal.id: goal for goal in every if not goal.request_id}
    live = [one for one in intentions if one.status in LIVE and one.goal_id not in requested]
    ready = [one for one in live if one.status == "active" and one.goal_id in by_id]
    held_back = sum(one.status == "suspended" and one.reason.startswith(UNFOUNDED) for one in live)
    fresh = _rank_plannable_goals(by_id.values(), live, plans, now, library) if len(live) - held_back < most else []
    contenders = [Contender(by_id[one.goal_id].priority, one.turns, one.started, one.id) for one in ready]
    if fresh:
        contenders.append(Contender(fresh[0].priority))
    if not contenders:
        return None
    urgent = [one for one in contenders if one.id in first]
    chosen = whose_turn(contenders, among=urgent or contenders)
    if not chosen.id:
        return Focus(prefer(fresh).id)
    intention = next(one for one in ready if one.id == chosen.id)
    return Focus(intention.goal_id, intention.id, intention.plan_id, chosen.turns if len(contenders) > 1 else 0)


def _rank_plannable_goals(
    goals: Iterable[Goal], live: Iterable[Intention], plans: Iterable[Plan], now: datetime, library: Library | None
) -> list[Goal]:
    """Return the goals for which a plan may be made now, the most important first.

    A goal whose plan is through and whose result nothing can decide waits for its owner; it is not planned again.
    """
    taken = {intention.goal_id for intention in live}
    open_goals = [goal for goal in goals if goal.id not in taken and _is_open(goal, now)]
    if not open_goals:
        return []
    through = {plan.goal_id for plan in plans if plan.status == "completed"}
    open_goals = [goal for goal in open_goals if goal.id not in through or is_decidable(goal)]
    overdue = {goal.id for goal in open_goals if is_past(goal.deadline, now)}
    tired = resting(plans, now, library, overdue=overdue)
    rested = [goal for goal in open_goals if goal.id not in tired]
    return sorted(rested, key=lambda goal: (-goal.priority, goal.created, goal.id))


def _is_open(goal: Goal, now: datetime) -> bool:
    """Return whether a plan may be made for a goal; one that no plan fitted is looked at again after a while.

    That of a request has its plan from the request.
    """
    if goal.request_id:
        return False
    if goal.status == "blocked":
        return not is_resting(goal.updated, now, BLOCKED)
    return goal.status in ("pending", "active")


def resting(
    plans: Iterable[Plan], now: datetime, library: Library | None, *, overdue: Collection[str] = ()
) -> frozenset[str]:
    """Return the ids of the goals that rest because a plan for them has just ended.

    A plan given up half-way has no result. So its goal may be replanned at once, unless a person rejected it or the
    goal itself is `overdue`.
    """
    found: set[str] = set()
    for plan in plans:
        asked = any(step.status == "waiting" and not is_run(step.decision_id) for step in plan.steps)
        refused = plan.status == "abandoned" and asked
        gone = plan.status == "abandoned" and (refused or plan.goal_id in overdue)
        if (gone or plan.status in ("completed", "failed")) and is_resting(
            plan.updated, now, rest_after(plan, library)
        ):
            found.add(plan.goal_id)
    return frozenset(found)


def rest_after(plan: Plan, library: Library | None) -> timedelta:
    """Return how long a goal rests after this plan, as its template says, if it has one."""
    return timedelta(days=(library or load_library()).rest_days(plan.template, otherwise=REST.days))


def shows_after(plan: Plan, library: Library | None = None) -> timedelta:
    """Return the time until a plan's results show, as its template says, if it has one."""
    return timedelta(days=(library or load_library()).shows_after_days(plan.template, otherwise=REST.days))


def is_resting(ended: str | None, now: datetime, rest: timedelta = REST) -> bool:
    """Return whether a plan ended too recently for the next one."""
    at = moment(ended or "")
    return at is not None and at + rest > now


def failures(plans: Iterable[Plan], goal_id: str) -> Mapping[str, int]:
    """Return how often each template has failed for a goal."""
    counted: dict[str, int] = {}
    for plan in plans:
        if plan.goal_id == goal_id and plan.status == "failed" and plan.template:
            counted[plan.template] = counted.get(plan.template, 0) + 1
    return counted


def lately(plans: Iterable[Plan], now: datetime, library: Library | None = None) -> frozenset[str]:
    """Return the templates in progress or recently completed, which must not start again."""
    return frozenset(
        plan.template or "_".join(plan.name.casefold().split())  # a playbook may do what a template of its name does
        for plan in plans
        if plan.status == "active"
        or (plan.status == "completed" and is_resting(plan.updated, now, rest_after(plan, library)))
    )
