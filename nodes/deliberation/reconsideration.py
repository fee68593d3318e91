"""Reconsider intentions: find lapsed ones, doubtful ones, and those that can resume (S3 4.4)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mabos.mind.goals import apply_evaluation, ended_with, evaluate, settle_goal
from mabos.mind.intentions import OVER, prune
from mabos.mind.intentions import apply_reconsideration as after
from mabos.mind.maintenance import Thresholds, given_up
from mabos.mind.model import Goal, Intention, Item, Plan
from mabos.mind.plans import next_step
from mabos.nodes.cycle import Cycle
from mabos.nodes.deliberation.triggers import Fired, Scene, strongest
from mabos.tools.gate.initiative import UNFOUNDED, missed_figure
from mabos.tools.runtime.services import Agent


@dataclass(frozen=True, slots=True)
class Thought:
    """The intentions that ended, and those whose plan must be modified before they continue."""

    ended: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()


def prune_intentions(cycle: Cycle) -> tuple[str, ...]:
    """Return the intentions that ended since the last check: past their deadline, stalled, or with an ended goal.

    It is the rule of the heartbeat, so that no intention acts after its deadline for want of a heartbeat. Their goals
    are evaluated: one that is still worthwhile may get a new commitment (S3 18.2).
    """
    mind, now = cycle.agent.mind, cycle.agent.clock()
    goals = {goal.id: goal for goal in mind.goals}
    asked_for = {goal.id for goal in goals.values() if goal.request_id}  # late work for a person stays open
    own = [one for one in mind.intentions if one.goal_id not in asked_for]
    carrying = [one for one in mind.intentions if one.goal_id in asked_for]
    pruning = prune(own, now, Thresholds.of(cycle.services.settings).limits)
    plans = {plan.id: plan for plan in mind.plans}
    settled_items, aimless = list[Item](), list[Intention]()
    for one in (*pruning.kept, *carrying):
        end = (
            settle_goal(goals[one.goal_id], mind.index, now)
            if one.status not in OVER and one.goal_id in goals
            else None
        )
        if end is not None:
            items = ended_with(one, plans.get(one.plan_id), end, cycle.now())
            settled_items += items
            aimless += [item for item in items if isinstance(item, Intention)]
    ended = (*pruning.pruned, *aimless)
    if not ended:
        return ()
    behind = [goals[one.goal_id] for one in pruning.pruned if one.goal_id in goals]
    given = given_up(mind.plans, pruning.pruned, now)
    mind.save(
        *pruning.pruned, *given, *_weighed_again(cycle.agent, behind), *settled_items, why="lapsed", cycle=cycle.id
    )
    cycle.note(lapsed={one.id: f"{one.status}: {one.reason}" for one in ended})
    return tuple(one.id for one in ended)


def _weighed_again(agent: Agent, goals: Iterable[Goal]) -> list[Goal]:
    mind, now = agent.mind, agent.clock()
    return [
        apply_evaluation(goal, evaluate(goal, lookup=mind.index, goals=mind.goals, now=now), now)
        for goal in goals
        if goal.status not in ("achieved", "abandoned")
    ]


def reconsider_intentions(cycle: Cycle, belief_ids: Iterable[str], message_ids: Iterable[str]) -> Thought:
    """Reconsider the current intentions and return the result; others may be suspended, or resume.

    A suspended intention resumes once its next step is possible and nothing prevents it. The ledger records every
    change with its trigger and reason.
    """
    mind = cycle.agent.mind
    standing = [one for one in mind.intentions if one.status in ("active", "suspended")]
    if not standing:
        return Thought()
    scene = Scene.of(cycle, belief_ids, message_ids)
    plans = {plan.id: plan for plan in mind.plans}
    saved, notes, ended, modified = list[Item](), list[dict[str, str]](), list[str](), list[str]()
    for intention in standing:
        plan = plans.get(intention.plan_id)
        decided = _thought_over(cycle, intention, plan, scene) if plan is not None else None
        if plan is None or decided is None:
            continue
        thought, fired = decided
        if thought != intention:
            saved.append(thought)
        if thought.status == "abandoned":
            saved.append(replace(plan, status="abandoned", updated=cycle.now()))
            ended.append(intention.id)
        elif fired is not None and fired.found.outcome == "modify":
            modified.append(intention.id)
        notes.append(_describe_reconsideration(thought, fired))
    if saved:
        mind.save(*saved, why="reconsidered", cycle=cycle.id)
    cycle.note(reconsidered=notes)
    return Thought(tuple(ended), tuple(modified))


def _thought_over(
    cycle: Cycle, intention: Intention, plan: Plan, scene: Scene
) -> tuple[Intention, Fired | None] | None:
    """Return the updated intention and its trigger, or None if nothing changes."""
    resumed = (
        None if _lacks_a_figure(cycle.agent, intention) else _resume_suspended(intention, plan, scene, cycle.now())
    )
    blind = "reconsideration" in cycle.services.without
    fired = None if blind else strongest(cycle, resumed or intention, plan, scene)
    outcome = fired.found.outcome if fired else "continue"
    if fired is None or outcome == "continue":
        is_told = fired is not None and fired.trigger == "external_event"
        return (resumed or intention, fired if is_told else None) if resumed or is_told else None
    if outcome == "suspend" and intention.status == "suspended":
        return None
    if outcome == "modify":
        # Time of change stays: only another plan counts as one, and the heartbeat must see how long nothing moved.
        return replace(resumed or intention, status="active"), fired
    return after(resumed or intention, fired.found, cycle.now()), fired


def _lacks_a_figure(agent: Agent, intention: Intention) -> bool:
    """Return whether an intention is still held back because no request and no figure calls for it."""
    if intention.status != "suspended" or not intention.reason.startswith(UNFOUNDED):
        return False
    goal = next((one for one in agent.mind.goals if one.id == intention.goal_id), None)
    return not missed_figure(agent, goal)


def _resume_suspended(intention: Intention, plan: Plan, scene: Scene, now: str) -> Intention | None:
    """Return a suspended intention as active again if its next step can be done now."""
    if intention.status != "suspended" or next_step(plan, scene.lookup).readiness != "ready":
        return None
    return replace(intention, status="active", reason="what it waited for has come true", updated=now)


def _describe_reconsideration(intention: Intention, fired: Fired | None) -> dict[str, str]:
    if fired is None:
        return {"intention": intention.id, "outcome": "resumed", "why": intention.reason}
    return {
        "intention": intention.id,
        "trigger": fired.trigger,
        "outcome": fired.found.outcome,
        "why": f"{fired.about}: {fired.found.reason}",
    }
