"""Deliberate: score desires, settle their conflicts, adopt goals, and choose what to pursue (S3 4.1, phase 2)."""

from dataclasses import replace
from functools import partial

from mind.desires import ended_with, fulfilled, prioritised, released_goals
from mind.goals import adopt
from mind.lookup import BeliefIndex
from mind.model import Desire, Goal, Item
from mind.rivalry import Resolution, resolve_conflicts, settled
from nodes.choices import Focus, focus
from nodes.cycle import Cycle
from nodes.deliberation.answers import heed
from nodes.deliberation.prospects import most_promising
from nodes.deliberation.reconsideration import reconsidered
from nodes.perception.messages import requested_in
from nodes.phase import phase
from nodes.state import BdiState, Update

NOTICEABLE = 0.01
"""A priority that moves by less is not written down again: deadlines creep, and an idle cycle must stay idle."""

RECALLED = 3
"""How many memories are recalled before a plan is made."""


@phase("deliberate")
def deliberate(cycle: Cycle, state: BdiState) -> Update:
    """Return the goal to pursue, the intention if one is under way, and where that leads."""
    heard = heed(cycle)
    thought = reconsidered(cycle, state["belief_ids"], state["message_ids"])
    _desire(cycle)
    adopted = _adopt(cycle)
    mind = cycle.agent.mind
    most, now = cycle.limits.max_active_goals, cycle.agent.clock()
    prefer = partial(most_promising, cycle)
    chosen = focus(mind.goals, mind.intentions, mind.plans, now, most=most, first=heard.resumed, prefer=prefer)
    owed = heard.approved or heard.due or state["reply_to"] or state["served"] or cycle.errands
    something = chosen is not None or owed
    memories = _remembered(cycle, chosen)
    cycle.note(
        memories=memories,
        goal=chosen.goal_id if chosen else "",
        intention=chosen.intention_id if chosen else "",
        adopted=adopted,
        resumed=list(heard.resumed),
        approved=list(heard.approved),
        due=list(heard.due),
        ended=[*heard.ended, *thought.ended],
    )
    return {
        "memory_ids": memories,
        "goal_id": chosen.goal_id if chosen else "",
        "intention_id": chosen.intention_id if chosen else "",
        "plan_id": chosen.plan_id if chosen else "",
        "decision_ids": [*heard.approved, *heard.due],
        "modified": list(thought.modified),
        "finished_ids": [*heard.ended, *thought.ended],
        "next": "plan" if something else "learn",
    }


def _remembered(cycle: Cycle, chosen: Focus | None) -> list[str]:
    """Return a few memories about the goal in focus, where a plan for it is still to be made."""
    if chosen is None or chosen.intention_id:
        return []
    about = cycle.agent.mind.goal(chosen.goal_id).description
    # Only items have ids to hand on; asking for some importance leaves passages of files out.
    hits = cycle.agent.memory.recall(about, limit=RECALLED, min_importance=0.01)
    return [hit.item.id for hit in hits if hit.item is not None]


def _desire(cycle: Cycle) -> None:
    """Score the desires against the clock and the beliefs, settle their conflicts, and write what has changed."""
    mind = cycle.agent.mind
    lookup = mind.index
    before = {desire.id: desire for desire in mind.desires}
    revived = [_revived(desire, lookup) for desire in before.values()]
    ranked = prioritised(revived, cycle.agent.clock(), mind.goals, lookup)
    resolutions = resolve_conflicts(ranked, lookup)
    waiting = {desire.id: desire for desire in settled(ranked, resolutions, lookup)}
    now = {desire.id: waiting.get(desire.id, desire) for desire in ranked}
    gone = [desire for desire in now.values() if desire.status == "dropped" and _has_goal(desire, mind.goals)]
    orphans = [lost for desire in gone for lost in ended_with(desire, now.values())]
    now |= {desire.id: desire for desire in orphans}
    released = released_goals([*gone, *orphans], list(now.values()), mind.goals, cycle.now())
    changed = [desire for desire in now.values() if _differs(desire, before[desire.id])]
    if changed or released:
        mind.save(*changed, *released, why="deliberated", cycle=cycle.id)
        cycle.note(
            desires=len(changed),
            conflicts=[_told(one) for one in resolutions],
        )


def _told(one: Resolution) -> str:
    shares = ", ".join(f"{desire_id} {share:.0%}" for desire_id, share in one.shares.items())
    return f"{one.strategy} over {one.over}: {shares or one.winner}"


def _adopt(cycle: Cycle) -> list[str]:
    """Adopt the goals that the desires ask for, and settle goals and desires that are reached; return the new goals."""
    mind = cycle.agent.mind
    adopted = adopt(
        mind.desires,
        mind.goals,
        lookup=mind.index,
        now=cycle.agent.clock(),
        ids=cycle.agent.ids,
        limit=cycle.limits.max_goals_adopted,
    )
    taken_up = [_traced(goal) for goal in adopted.goals]
    fresh: list[Item] = [*taken_up, *adopted.achieved, *adopted.desires]
    ranks = {desire.id: desire.priority for desire in mind.desires}
    written = {goal.id for goal in (*adopted.goals, *adopted.achieved)}
    fresh += [goal for one in mind.goals if one.id not in written and (goal := _ranked(one, ranks))]
    if fresh:
        mind.save(*fresh, why="deliberated", cycle=cycle.id)
    cycle.note(achieved=[goal.id for goal in adopted.achieved], fulfilled=[desire.id for desire in adopted.desires])
    return [goal.id for goal in adopted.goals]


def _traced(goal: Goal) -> Goal:
    """Return a new goal with the request it follows from as its evidence."""
    message_id = requested_in(goal.desire_id)
    return replace(goal, evidence=(message_id,)) if message_id else goal


def _ranked(goal: Goal, ranks: dict[str, float]) -> Goal | None:
    """Return an open goal with the priority of its desire, or None where that has not changed."""
    priority = ranks.get(goal.desire_id, goal.priority)
    is_open = goal.status in ("pending", "active")
    return replace(goal, priority=priority) if is_open and abs(priority - goal.priority) >= NOTICEABLE else None


def _revived(desire: Desire, lookup: BeliefIndex) -> Desire:
    """Return a fulfilled desire as active again if its target has ceased to hold."""
    if desire.status == "fulfilled" and fulfilled(desire, lookup) is False:
        return replace(desire, status="active", reason=f"its target no longer holds: {desire.target}")
    return desire


def _has_goal(desire: Desire, goals: tuple[Goal, ...]) -> bool:
    return any(goal.desire_id == desire.id and goal.status not in ("achieved", "abandoned") for goal in goals)


def _differs(now: Desire, before: Desire) -> bool:
    if abs(now.priority - before.priority) >= NOTICEABLE:
        return True
    return replace(now, priority=before.priority, urgency=before.urgency) != before
