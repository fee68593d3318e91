"""Objectives: the step from desires to goals, and the evaluation of goals (S3 5, S3 6.5).

A desire whose target does not hold, or is not known to hold, gets a goal unless it has an open one. A goal's tier
follows from the distance of its deadline.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from mabos.knowledge.values import number
from mabos.mind.conditions import Lookup, closeness, direction, holds, is_comparison, negation, subjects
from mabos.mind.desires import is_fulfilled, says_hopeless
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Desire, Goal, Intention, Level, Plan
from mabos.mind.plans import current_step, is_run
from mabos.mind.plans import progress as plan_progress
from mabos.mind.times import days, due, is_past, moment
from mabos.workspace.clock import iso
from mabos.workspace.ids import Ids

Recommendation = Literal["continue", "revise", "escalate", "abandon"]
PURSUED = 0.5
"""The priority from which an `optimize` desire without a decidable target keeps a goal open."""
BETTER_BY = 0.1
REST_DAYS = 28
"""The rest of a desire without a decidable target, after a goal of its own was achieved."""
_TACTICAL_DAYS, _STRATEGIC_DAYS = 30, 180
_HORIZON_DAYS = ((0.8, 21), (0.4, 90), (0.0, 270))
_REPORT = "waits until somebody reports that it is done"
OPEN = ("pending", "active", "blocked")
"""The statuses of a goal that is still to be reached."""
_UNDONE = ("pending", "begun", "waiting", "failed")
_AT_WORK = ("active", "awaiting_approval", "suspended")


@dataclass(frozen=True, slots=True)
class Adopted:
    """The result of deliberation: new goals, settled goals, and fulfilled desires.

    `measurable` are open goals whose target became a condition once its metric was known.
    """

    goals: tuple[Goal, ...]
    achieved: tuple[Goal, ...]
    desires: tuple[Desire, ...]
    measurable: tuple[Goal, ...] = ()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The state of a goal (S3 5.3): whether it is achievable, its progress, its blockers, and a recommendation."""

    achievable: bool
    progress_assessment: str
    blockers: tuple[str, ...]
    recommendation: Recommendation
    progress: float
    achieved: bool = False


def level_for(deadline: str, now: datetime, urgency: float = 0.5) -> Level:
    """Return the tier of a goal: operational up to a month, tactical up to six, strategic beyond (S3 5.1)."""
    at = due(deadline)
    horizon = days(at - now) if at else _horizon(urgency)
    if horizon <= _TACTICAL_DAYS:
        return "operational"
    return "tactical" if horizon <= _STRATEGIC_DAYS else "strategic"


def adopt(
    desires: Sequence[Desire],
    goals: Sequence[Goal],
    *,
    lookup: Lookup,
    now: datetime,
    ids: Ids,
    limit: int | None = None,
) -> Adopted:
    """Return at most `limit` goals for the active desires, by priority; among equals those with a reason come first.

    An `achieve` desire whose target holds is fulfilled; other types are simply satisfied. Open goals whose target now
    holds are achieved.
    """
    stamp = iso(now)
    done = {goal.id: after for goal in goals if (after := _moved_by_itself(goal, lookup, now)) is not goal}
    standing = [done.get(goal.id, goal) for goal in goals]
    serving: dict[str, list[Goal]] = {}
    for goal in standing:
        serving.setdefault(goal.desire_id, []).append(goal)
    fresh: list[Goal] = []
    ended: list[Desire] = []
    for desire in sorted(desires, key=lambda one: (-one.priority, not one.reason, one.name, one.id)):
        if desire.status != "active":
            continue
        own = serving.get(desire.id, [])
        if _is_ended(desire, own, lookup):
            ended.append(
                replace(desire, status="fulfilled", reason=f"fulfilled {stamp[:10]}: {desire.target or desire.name}")
            )
        elif _wants_goal(desire, own, lookup, now) and (limit is None or len(fresh) < limit):
            fresh.append(goal_for(desire, [*standing, *fresh], desires, lookup=lookup, now=now, ids=ids))
    achieved = tuple(goal for goal in done.values() if goal.status == "achieved")
    return Adopted(tuple(fresh), achieved, tuple(ended), tuple(goal for goal in done.values() if goal not in achieved))


def drop_repeated(goals: Sequence[Goal], intentions: Iterable[Intention], now: str) -> tuple[Goal, ...]:
    """Return the changed goals where two open ones of a desire want the same, as two clones of a workspace adopted it.

    The one that is further stays; the others are abandoned, and their subgoals serve it.
    """
    begun = {one.goal_id for one in intentions if one.status in _AT_WORK}
    first: dict[tuple[str, str, str], Goal] = {}
    heirs: dict[str, str] = {}
    for goal in sorted(goals, key=lambda one: (one.id not in begun, -one.progress, one.created, one.id)):
        if goal.desire_id and goal.status in OPEN:
            kept = first.setdefault((goal.desire_id, goal.description, goal.target), goal)
            heirs |= {goal.id: kept.id} if kept is not goal else {}
    changed = (
        replace(one, status="abandoned", updated=now)
        if one.id in heirs
        else replace(one, parent_goal_id=heirs.get(one.parent_goal_id, one.parent_goal_id))
        for one in goals
    )
    return tuple(one for one, before in zip(changed, goals, strict=True) if one != before) if heirs else ()


def goal_for(
    desire: Desire, goals: Iterable[Goal], desires: Iterable[Desire], *, lookup: Lookup, now: datetime, ids: Ids
) -> Goal:
    """Return the goal of `desire`, with a deadline and verifiable criteria."""
    target = _measurable(desire.target, lookup)
    deadline = desire.deadline
    if not deadline or is_past(deadline, now):
        deadline = iso(now + timedelta(days=_horizon(desire.urgency)))
    level = level_for(deadline, now, desire.urgency)
    return Goal(
        id=ids.new("G"),
        description=desire.name,
        level=level,
        desire_id=desire.id,
        parent_goal_id=_parent(desire, level, goals, desires),
        priority=desire.priority,
        target=target,
        progress=round(100 * (closeness(target, lookup) or 0.0), 1) if target else 0.0,
        deadline=deadline,
        success_criteria=_criteria(target or desire.target, desire.name),
        created=iso(now),
        updated=iso(now),
    )


def _criteria(target: str, name: str) -> tuple[str, ...]:
    """Return the criteria of a goal: its target, else its name, unless that reads like a condition by accident."""
    if target:
        return (target,)
    return () if is_comparison(name) else (name,)


def mark_achieved(goal: Goal, now: datetime) -> Goal:
    """Return `goal` as achieved."""
    return replace(goal, status="achieved", progress=100.0, updated=iso(now), last_evaluated=iso(now))


def conclude_goal(goal: Goal, lookup: Lookup, now: datetime) -> Goal:
    """Return `goal` as achieved if its criteria hold; finishing its plan is not enough."""
    return mark_achieved(goal, now) if goal.status in OPEN and _is_reached(goal, lookup) else goal


def is_decidable(goal: Goal) -> bool:
    """Return whether a belief can ever decide whether `goal` is reached."""
    return any(is_comparison(one) for one in (goal.target, *goal.success_criteria))


def settle_goal(goal: Goal, index: BeliefIndex, now: datetime) -> tuple[Goal, str] | None:
    """Return `goal` in its final state, and why: its criteria hold, or a belief calls it impossible.

    Returns None while it is open; a goal that has already ended is returned unchanged.
    """
    if goal.status not in OPEN:
        return goal, f"the goal {goal.id} is {goal.status}"
    if not goal.request_id and _is_reached(goal, index):
        criteria = " and ".join(dict.fromkeys(filter(is_comparison, (goal.target, *goal.success_criteria))))
        return mark_achieved(goal, now), f"the goal {goal.id} is achieved: {criteria}"
    if denied := impossible(goal, index):
        ended = replace(goal, status="abandoned", updated=iso(now), last_evaluated=iso(now))
        return ended, f"the goal {goal.id} is impossible: {denied}"
    return None


def ended_with(
    intention: Intention, plan: Plan | None, end: tuple[Goal, str], now: str
) -> tuple[Goal | Intention | Plan, ...]:
    """Return `intention` and its plan as they end with their goal: completed if it is achieved, else abandoned.

    Open steps are skipped.
    """
    goal, why = end
    status: Literal["completed", "abandoned"] = "completed" if goal.status == "achieved" else "abandoned"
    over = replace(intention, status=status, reason=why, updated=now)
    if plan is None:
        return goal, over
    steps = tuple(replace(step, status="skipped") if step.status in _UNDONE else step for step in plan.steps)
    return goal, over, replace(plan, steps=steps, status=status, cursor=len(steps), updated=now)


def impossible(goal: Goal, index: BeliefIndex) -> str:
    """Return the belief, with its id, that makes `goal` impossible; an empty text if there is none."""
    names = (goal.id, goal.description, goal.target, *subjects(goal.target))
    asked = (name for one in dict.fromkeys(filter(None, names)) for name in (one, f"{one} feasible"))
    found = (belief for name in asked if (belief := index.about(name)) and says_hopeless(belief))
    return next((f"{one.statement} ({one.id}, certainty {one.certainty:g})" for one in found), "")


def evaluate(
    goal: Goal,
    *,
    lookup: Lookup,
    intentions: Iterable[Intention] = (),
    plans: Iterable[Plan] = (),
    goals: Iterable[Goal] = (),
    shares: Sequence[float] = (),
    now: datetime,
) -> Evaluation:
    """Return the state of `goal` by five checks: beliefs, intentions, blockers, progress, plan (S3 5.3).

    `shares` is the progress of its workflows, each in [0, 1].
    """
    working = [one for one in intentions if one.goal_id == goal.id and one.status in _AT_WORK]
    own_plans = {plan.id: plan for plan in plans if plan.goal_id == goal.id}
    plan = next((own_plans[one.plan_id] for one in working if one.plan_id in own_plans), None)
    if (_is_reached(goal, lookup) and not goal.request_id) or goal.status == "achieved":
        return Evaluation(True, "achieved: every criterion holds", (), "continue", 100.0, achieved=True)
    progress = _progress(goal, plan, goals, lookup, shares)
    blockers = (*_blocked_by(goal, working, lookup), *_plan_blockers(plan, lookup))
    achievable = (
        not is_past(goal.deadline, now)
        and goal.status != "abandoned"
        and not any(one.startswith("infeasible") for one in blockers)
    )
    return Evaluation(
        achievable,
        _assessment(goal, progress, now) + _commitment(working, plan),
        blockers,
        _recommend_course(replace(goal, progress=progress), blockers, plan, now),
        progress,
    )


def apply_evaluation(goal: Goal, evaluation: Evaluation, now: datetime, *, gives_up: bool = True) -> Goal:
    """Return `goal` with the evaluation applied; it is abandoned on that recommendation only if it `gives_up`."""
    if evaluation.achieved:
        return mark_achieved(goal, now)
    moved = replace(goal, progress=evaluation.progress, last_evaluated=iso(now))
    if gives_up and evaluation.recommendation == "abandon":
        return replace(moved, status="abandoned", updated=iso(now))
    return moved


def _moved_by_itself(goal: Goal, lookup: Lookup, now: datetime) -> Goal:
    """Return an open goal as achieved, or with a target that can be measured since its metric is known."""
    if goal.status not in OPEN or goal.request_id:
        return goal
    if goal.target and not is_comparison(goal.target):
        target = _measurable(goal.target, lookup)
        criteria = tuple(target if one == goal.target else one for one in goal.success_criteria)
        return goal if target == goal.target else replace(goal, target=target, success_criteria=criteria)
    return mark_achieved(goal, now) if _is_reached(goal, lookup) else goal


def _is_ended(desire: Desire, own: Sequence[Goal], lookup: Lookup) -> bool:
    if desire.type != "achieve":
        return False
    if is_comparison(desire.target):
        return is_fulfilled(desire, lookup) is True
    return any(goal.status == "achieved" for goal in own)


def _wants_goal(desire: Desire, own: Sequence[Goal], lookup: Lookup, now: datetime) -> bool:
    if any(goal.status in OPEN for goal in own):
        return False
    if is_comparison(desire.target):
        return is_fulfilled(desire, lookup) is not True
    if desire.type == "optimize" and desire.priority < PURSUED:
        return False
    if direction(desire.target):
        return True  # there is always more of it to be had, and each goal says by how much
    finished = [at for goal in own if goal.status == "achieved" and (at := moment(goal.updated))]
    return not finished or now - max(finished) >= timedelta(days=REST_DAYS)


def _measurable(target: str, lookup: Lookup) -> str:
    """Return `target` as a condition; `cac lower` becomes ten percent below the current value, if known.

    Ten percent of zero is zero: a figure at zero only has to move.
    """
    wanted = None if is_comparison(target) else direction(target)
    if wanted is None:
        return target
    metric, way = wanted
    value = number(lookup(metric) or "")
    if value is None:
        return target
    if not value:
        return f"{metric} {'<' if way == 'lower' else '>'} 0"
    bound = value * (1 - BETTER_BY if (way == "lower") == (value >= 0) else 1 + BETTER_BY)
    return f"{metric} {'<=' if way == 'lower' else '>='} {bound:.4g}"


def _horizon(urgency: float) -> int:
    return next(span for least, span in _HORIZON_DAYS if urgency >= least)


def _parent(desire: Desire, level: Level, goals: Iterable[Goal], desires: Iterable[Desire]) -> str:
    """Return the open goal of the desire that this one serves, if it is of a higher tier."""
    tiers = ("strategic", "tactical", "operational")
    served = next((one.id for one in desires if desire.serves and desire.serves in (one.id, one.name)), "")
    for goal in goals:
        if served and goal.desire_id == served and goal.status in OPEN and tiers.index(goal.level) < tiers.index(level):
            return goal.id
    return ""


def _is_reached(goal: Goal, lookup: Lookup) -> bool:
    criteria = [one for one in dict.fromkeys((goal.target, *goal.success_criteria)) if is_comparison(one)]
    return bool(criteria) and all(holds(criterion, lookup) is True for criterion in criteria)


def _progress(goal: Goal, plan: Plan | None, goals: Iterable[Goal], lookup: Lookup, shares: Sequence[float]) -> float:
    """Return the progress in percent: by the target if it can be measured, else by plan, workflows or sub-goals."""
    measured = closeness(goal.target, lookup) if is_comparison(goal.target) else None
    if measured is not None:
        return round(100 * measured, 1)
    children = [one.progress for one in goals if one.parent_goal_id == goal.id]
    worked = [100 * plan_progress(plan)] if plan else []
    worked += [100 * sum(shares) / len(shares)] if shares else []
    return round(max([*worked, *([sum(children) / len(children)] if children else []), goal.progress]), 1)


def _blocked_by(goal: Goal, working: Sequence[Intention], lookup: Lookup) -> tuple[str, ...]:
    waits = [one.decision_id for one in working if one.status == "awaiting_approval"]
    found = [f"waits for {'workflow' if is_run(one) else 'decision'} {one}" if one else _REPORT for one in waits]
    found += [f"intention {one.id} is suspended: {one.reason}" for one in working if one.status == "suspended"]
    if goal.status == "blocked" and not working:
        found.append("no plan was found")
    if blocker := lookup(f"{goal.id} blocked_by"):
        found.append(f"blocked by {blocker}")
    if (lookup(f"{goal.id} feasible") or "").casefold() in ("no", "false", "impossible"):
        found.append("infeasible: a belief says so")
    return tuple(found)


def _plan_blockers(plan: Plan | None, lookup: Lookup) -> tuple[str, ...]:
    step = current_step(plan) if plan else None
    if step is None:
        return ()
    return tuple(
        f"step {step.id} needs {condition}, but {negation(condition)}"
        for condition in step.preconditions
        if holds(condition, lookup) is False
    )


def _assessment(goal: Goal, progress: float, now: datetime) -> str:
    parts = [f"{progress:g}% complete"]
    if goal.last_evaluated:
        parts.append(f"{progress - goal.progress:+.1f} points since {goal.last_evaluated[:10]}")
    at = due(goal.deadline)
    if is_past(goal.deadline, now):
        parts.append(f"the deadline {goal.deadline[:10]} has passed")
    elif at is not None:
        parts.append(f"{max(0, round(days(at - now)))} days left")
    return "; ".join(parts)


def _commitment(working: Sequence[Intention], plan: Plan | None) -> str:
    if not working:
        return "; no intention is committed"
    if plan is None:
        return "; the intention has no plan"
    return "; its plan failed" if plan.status == "failed" else ""


def _recommend_course(goal: Goal, blockers: Sequence[str], plan: Plan | None, now: datetime) -> Recommendation:
    if goal.status == "abandoned" or any(one.startswith("infeasible") for one in blockers):
        return "abandon"
    if is_past(goal.deadline, now):
        # What is strategic, or more than half done, is not dropped without a word.
        return "escalate" if goal.level == "strategic" or goal.progress >= 50 else "abandon"
    if plan is not None and (plan.status == "failed" or any(one.startswith("step ") for one in blockers)):
        return "revise"
    if any(one.startswith(("waits for decision", _REPORT, "blocked by")) for one in blockers):
        return "escalate"
    return "continue"
