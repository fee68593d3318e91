"""Re-evaluate an agent's desires and goals: priorities, dropped ones and their dependents, and turns (S3 6)."""

from collections.abc import Collection, Mapping, Sequence

from mabos.mind.desires import (
    STANDING,
    ended_with,
    find_outlived,
    is_fulfilled,
    rank_desires,
    released_goals,
    revive_desires,
)
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Desire, Goal
from mabos.mind.rivalry import Resolution, apply_resolutions, resolve_conflicts
from mabos.nodes.cycle import Cycle
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace

NOTICEABLE = 0.01
"""A priority that moves by less is not written down again: deadlines creep, and an idle cycle must stay idle."""


def weigh(cycle: Cycle, belief_ids: Collection[str]) -> None:
    """Score the desires against clock and beliefs, drop finished ones, resolve conflicts, and save the changes.

    `belief_ids` are the beliefs that are new in this cycle. The ledger records each resolution and its reason. The
    reason why a desire waits or is dropped is also kept with the desire.
    """
    mind = cycle.agent.mind
    before = {desire.id: desire for desire in mind.desires}
    revived = {name: _revive_desire(desire, mind.index) for name, desire in before.items()}
    revived |= _by_id(revive_desires(revived.values()))
    ranked = rank_desires(list(revived.values()), cycle.agent.clock(), mind.goals, mind.index)
    ranked = _without_outlived(cycle.agent, ranked, belief_ids)
    resolutions = resolve_conflicts(ranked, mind.index)
    now = _by_id(ranked) | _by_id(apply_resolutions(ranked, resolutions))
    gone = _without_purpose(now, mind.goals)
    orphans = [lost for desire in gone for lost in ended_with(desire, now.values())]
    now |= _by_id(orphans)
    dropped = [one for one in (*gone, *orphans) if one.status == "dropped"]
    released = released_goals(dropped, list(now.values()), mind.goals, cycle.now())
    changed = [desire for desire in now.values() if _differs(desire, before[desire.id])]
    if changed or released:
        mind.save(*changed, *released, why="deliberated", cycle=cycle.id)
        ended = {one.id: one.reason for one in changed if one.status == "dropped" != before[one.id].status}
        cycle.note(desires=len(changed), dropped=ended, conflicts=[_describe_resolution(one) for one in resolutions])


def _without_outlived(agent: Agent, ranked: Sequence[Desire], belief_ids: Collection[str]) -> tuple[Desire, ...]:
    """Return the desires, with those dropped that another took over or that a new belief says cannot be had."""
    mind, wanted = agent.mind, set(belief_ids)
    news = [one for one in mind.beliefs if one.id in wanted] if wanted else []
    ended = _by_id(find_outlived(ranked, mind.goals, news))
    return tuple(ended.get(one.id, one) for one in ranked)


def _without_purpose(now: Mapping[str, Desire], goals: Collection[Goal]) -> list[Desire]:
    """Return the desires that are over and that something still serves: a goal, or another desire."""
    pursued = {goal.desire_id for goal in goals if goal.status not in ("achieved", "abandoned")}
    served = {one.serves for one in now.values() if one.serves and one.status in STANDING}
    return [
        one
        for one in now.values()
        if (one.status == "dropped" and one.id in pursued)
        or (one.status in ("dropped", "fulfilled") and served & {one.id, one.name})
    ]


def _revive_desire(desire: Desire, lookup: BeliefIndex) -> Desire:
    """Return a fulfilled desire as active again if its target has ceased to hold."""
    if desire.status == "fulfilled" and is_fulfilled(desire, lookup) is False:
        return replace(desire, status="active", reason=f"its target no longer holds: {desire.target}")
    return desire


def _differs(now: Desire, before: Desire) -> bool:
    """Return whether a desire has changed so that it must be written; a priority that crept has not."""
    if now is before:
        return False
    if abs(now.priority - before.priority) >= NOTICEABLE:
        return True
    return replace(now, priority=before.priority, urgency=before.urgency) != before


def _describe_resolution(one: Resolution) -> str:
    shares = ", ".join(f"{desire_id} {share:.0%}" for desire_id, share in one.shares.items())
    return f"{one.strategy} over {one.over}: {shares or one.winner}, since {one.why}"


def _by_id(desires: Collection[Desire]) -> dict[str, Desire]:
    return {desire.id: desire for desire in desires}
