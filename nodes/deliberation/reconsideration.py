"""Whether intentions still make sense: beliefs against their plans, and conditions that have come back (S3 4.4)."""

from collections.abc import Iterable
from dataclasses import replace

from mind.conditions import holds
from mind.intentions import Limits, belief_severity, reconsider
from mind.intentions import reconsidered as after
from mind.lookup import BeliefIndex
from mind.maintenance import Thresholds
from mind.model import Belief, Intention, Item, Plan
from mind.plans import next_step
from nodes.cycle import Cycle


def reconsidered(cycle: Cycle, belief_ids: Iterable[str]) -> list[str]:
    """Return the intentions that changed beliefs have ended; others may be suspended, or go on again."""
    mind = cycle.agent.mind
    standing = [one for one in mind.intentions if one.status in ("active", "suspended")]
    if not standing:
        return []
    lookup = mind.index
    changed = [belief for belief in mind.beliefs if belief.id in set(belief_ids)]
    limits = Thresholds.of(cycle.services.settings).limits
    ended, saved = [], list[Item]()
    for intention in standing:
        plan = next((one for one in mind.plans if one.id == intention.plan_id), None)
        if plan is None:
            continue
        decided = _resumed(intention, plan, lookup, cycle.now()) or _shaken(
            intention, plan, changed, lookup, limits=limits, now=cycle.now()
        )
        if decided is None:
            continue
        saved.append(decided)
        if decided.status == "abandoned":
            saved.append(replace(plan, status="abandoned", updated=cycle.now()))
            ended.append(decided.id)
    if saved:
        mind.save(*saved, why="reconsidered", cycle=cycle.id)
        cycle.note(reconsidered=[item.id for item in saved if isinstance(item, Intention)])
    return ended


def _resumed(intention: Intention, plan: Plan, lookup: BeliefIndex, now: str) -> Intention | None:
    """Return a suspended intention as active again if its next step can be done now."""
    if intention.status != "suspended" or next_step(plan, lookup).readiness != "ready":
        return None
    return replace(intention, status="active", reason="what it waited for has come true", updated=now)


def _shaken(
    intention: Intention, plan: Plan, changed: Iterable[Belief], lookup: BeliefIndex, *, limits: Limits, now: str
) -> Intention | None:
    """Return an active intention as changed beliefs leave it; only beliefs that undo a precondition count."""
    if intention.status != "active":
        return None
    against = [belief for belief in changed if _undoes(belief, plan, lookup)]
    if not against:
        return None
    severity = max(belief_severity(_before(belief), belief, plan) for belief in against)
    found = reconsider(intention, "belief_change", round(severity, 4), None, limits)
    decided = after(intention, found, now)
    return decided if decided.status != intention.status else None


def _undoes(belief: Belief, plan: Plan, lookup: BeliefIndex) -> bool:
    open_steps = (step for step in plan.steps if step.status not in ("done", "skipped"))
    conditions = [condition for step in open_steps for condition in step.preconditions]
    names = [name for name in (belief.subject, belief.predicate) if name]
    return any(
        holds(condition, lookup) is False and any(name in condition for name in names) for condition in conditions
    )


def _before(belief: Belief) -> Belief | None:
    """Return the belief as it was before its last revision, or None if it is new."""
    if not belief.revisions:
        return None
    last = belief.revisions[-1]
    return replace(belief, value=last.before, certainty=last.certainty_before, statement=last.before)
