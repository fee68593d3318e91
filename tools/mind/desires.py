"""Desires: their strength, and whether a commitment still serves them (S3 sections 4.4 and 6)."""

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

from mabos.configs.errors import InvalidArgument, unknown
from mabos.mind.desires import (
    adoptable,
    dependency_score,
    ended_with,
    is_fulfilled,
    rank_desires,
    rate_desire,
    released_goals,
    satisfaction,
    target_of,
)
from mabos.mind.intentions import OVER, apply_reconsideration, reconsider
from mabos.mind.maintenance import Thresholds
from mabos.mind.model import Desire, DesireCategory, DesireType, Goal, Intention, Item
from mabos.mind.rivalry import Resolution, apply_resolutions, resolve_conflicts
from mabos.mind.spelling import number_text
from mabos.tools.catalogue.declaration import Fraction, OwnId, Text, Tool
from mabos.tools.catalogue.naming import check_condition
from mabos.tools.knowledge.terms import target_misspelling, with_warning
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso, parse_time

MODULE, ROW = "BDI core", "Desires"
_AN_ID = re.compile(r"[A-Z]{1,4}-\S+")
"""Text that can only be an id; any other text is a condition on beliefs."""
Trigger = Literal["belief_change", "progress_stall", "resource_constraint", "better_option", "external_event"]


def desire_create(
    agent: Agent,
    *,
    name: Text,
    type_: DesireType,
    category: DesireCategory,
    base: Fraction,
    importance: Fraction,
    urgency: Fraction,
    alignment: Fraction,
    description: str = "",
    desire_id: OwnId = "",
    deps: Fraction | list[str] | None = None,
    serves: str = "",
    deadline: str = "",
    target: str = "",
    resource: str = "",
) -> dict[str, Any]:
    """Take up a desire with the priority that its dimensions give it, unless beliefs or other desires forbid it.

    Args:
        name: What is wanted, as in "Maintain cash runway > 6 months".
        type: achieve, maintain, avoid or optimize.
        category: terminal (wanted for itself) or instrumental (serves another desire).
        base: Intrinsic value, 0 to 1.
        importance: Business impact, 0 to 1.
        urgency: Time pressure, 0 to 1; a deadline takes its place.
        alignment: How well it fits the strategy, 0 to 1.
        description: More about it.
        desire_id: Its id.
        deps: What it depends on: ids of desires or goals, or conditions; or how far that is met, 0 to 1.
        serves: The desire that an instrumental one serves.
        deadline: By when, ISO 8601.
        target: The condition that should hold; read from the name if it spells one out.
        resource: What it needs and others may need too, as in budget.
    """
    known = agent.mind.desires
    needed = tuple(deps or ()) if isinstance(deps, list) or deps is None else (number_text(deps),)
    _check(agent, deadline, serves, needed)
    check_condition(target, "target")
    if desire_id and any(one.id == desire_id for one in known):
        return _again(agent, desire_id, name)
    wanted = Desire(
        id=desire_id or agent.ids.new("D", {one.id for one in known}),
        name=name,
        description=description,
        type=type_,
        category=category,
        base=base,
        importance=importance,
        urgency=urgency,
        alignment=alignment,
        deps=needed,
        serves=serves,
        target=target or target_of(name, type_),
        deadline=deadline,
        created=iso(agent.clock()),
        resource=resource,
    )
    return _taken_up(agent, wanted, is_named=bool(desire_id)) | with_warning(target_misspelling(agent, wanted.target))


def desire_evaluate(agent: Agent, *, recalculate: bool = True) -> dict[str, Any]:
    """Return the desires by priority, with what each dimension adds, what holds already, and the conflicts.

    Args:
        recalculate: Score them anew against clock and beliefs, and write what changed.
    """
    mind, now = agent.mind, agent.clock()
    known = mind.desires
    ranked = (
        rank_desires(known, now, mind.goals, mind.index)
        if recalculate
        else tuple(sorted(known, key=lambda one: -one.priority))
    )
    if recalculate:
        mind.save(*ranked, why="desire_evaluate", cycle=agent.cycle)
    met = satisfaction(ranked, mind.goals)
    resolutions = resolve_conflicts(ranked, mind.index)
    return {
        "desires": [_serialize_desire(desire, dependency_score(desire, met, mind.index), mind) for desire in ranked],
        "count": len(ranked),
        "conflicts": [_conflict(one) for one in resolutions],
        "text": "\n".join(f"{one.priority:.4f} {one.name} ({one.type}, {one.status})" for one in ranked),
    }


def desire_drop(agent: Agent, *, desire_id: Text, reason: str = "") -> dict[str, Any]:
    """Drop a desire, the desires that only served it, and the goals and commitments that nothing else wants.

    Args:
        desire_id: The desire.
        reason: Why it is given up.
    """
    mind, now = agent.mind, iso(agent.clock())
    desire = mind.desire(desire_id)
    if desire.status == "dropped":
        return {"desire_id": desire_id, "status": "dropped", "reason": desire.reason, "dropped": [], "goals": []}
    dropped = replace(desire, status="dropped", reason=reason or "dropped on request")
    orphans = ended_with(dropped, mind.desires)
    goals = released_goals((dropped, *orphans), mind.desires, mind.goals, now)
    abandoned = {goal.id for goal in goals if goal.status == "abandoned"}
    ended = [
        _abandon_intention(one, now) for one in mind.intentions if one.goal_id in abandoned and one.status not in OVER
    ]
    plans = [
        replace(plan, status="abandoned", updated=now)
        for plan in mind.plans
        if plan.goal_id in abandoned and plan.status in ("draft", "active")
    ]
    mind.save(dropped, *orphans, *goals, *plans, archive=ended, cycle=agent.cycle)
    return {
        "desire_id": desire_id,
        "status": "dropped",
        "reason": dropped.reason,
        "dropped": [one.id for one in orphans],
        "goals": [{"goal_id": goal.id, "status": goal.status, "desire_id": goal.desire_id} for goal in goals],
        "intentions": [one.id for one in ended],
    }


def intention_reconsider(
    agent: Agent,
    *,
    intention_id: Text,
    trigger: Trigger,
    details: dict[str, Any] | str | None = None,
    severity: Fraction | None = None,
) -> dict[str, Any]:
    """Think an intention over because something happened: continue, modify, suspend or abandon it (S3 4.4).

    Args:
        intention_id: The intention.
        trigger: What happened.
        details: Measures: progress_delta, available (0 to 1), expected_value and current_value; or a sentence.
        severity: How grave it is, 0 to 1; stands for the measure where the details have none.
    """
    mind, now = agent.mind, agent.clock()
    intention = mind.intention(intention_id)
    if intention.status in OVER:
        raise InvalidArgument(f"intention {intention_id!r} is already {intention.status}", argument="intention_id")
    measures = details if isinstance(details, dict) else {}
    limits = Thresholds.of(agent.services.settings).limits
    found = reconsider(intention, trigger, severity, measures, limits)
    said = f"{found.reason}: {details}" if isinstance(details, str) and details else found.reason
    decided = apply_reconsideration(intention, replace(found, reason=said), iso(now))
    changed: list[Item] = []
    if found.outcome == "abandon" and found.fired:
        goal = _reopen_goal(mind.goals, intention, iso(now))
        changed = [goal] if goal else []
        mind.save(*changed, archive=[decided], why=said, cycle=agent.cycle)
    elif decided != intention:
        mind.save(decided, why=said, cycle=agent.cycle)
    return {
        "intention_id": intention_id,
        "trigger": trigger,
        "triggered": found.fired,
        "outcome": found.outcome,
        "status": decided.status,
        "reason": said,
        "measure": found.measure,
    }


def _check(agent: Agent, deadline: str, serves: str, deps: Sequence[str]) -> None:
    """Raise for an invalid deadline, and for a served or required desire that does not exist, by id or name."""
    if deadline:
        parse_time(deadline, argument="deadline")
    known = agent.mind.desires
    if serves not in {"", *(one.id for one in known), *(one.name for one in known)}:
        raise unknown("desire", serves, (one.id for one in known), argument="serves")
    met = satisfaction(known, agent.mind.goals)
    for dep in deps:
        if dep not in met and _AN_ID.fullmatch(dep):
            raise unknown("desire, goal or condition", dep, met, argument="deps")


def _taken_up(agent: Agent, desire: Desire, *, is_named: bool) -> dict[str, Any]:
    """Save the desire with its priority, and those that now wait, unless it may not be adopted (S3 6.2)."""
    mind = agent.mind
    scored = rate_desire(desire, agent.clock(), satisfaction(mind.desires, mind.goals), mind.index)
    verdict = adoptable(scored, mind.desires, mind.beliefs, mind.index)
    if not verdict.adopted:
        return _report_creation(scored, adopted=False, reason=verdict.reason)
    wanted = (*mind.desires, scored)
    waiting = apply_resolutions(wanted, resolve_conflicts(wanted, mind.index))
    standing = next((one for one in waiting if one.id == scored.id), scored)
    others = [one for one in waiting if one.id != scored.id]
    standing = mind.add(standing, *others, is_named=is_named, why="desire_create", cycle=agent.cycle)
    return _report_creation(standing, adopted=True, reason=standing.reason)


def _again(agent: Agent, desire_id: str, name: str) -> dict[str, Any]:
    """Return the desire that a repeated call has made already; another one under its id is refused."""
    standing = agent.mind.desire(desire_id)
    if standing.name != name:
        raise InvalidArgument(f"a desire {desire_id!r} already exists; choose another id", argument="desire_id")
    return _report_creation(standing, adopted=True, reason=standing.reason)


def _report_creation(desire: Desire, *, adopted: bool, reason: str) -> dict[str, Any]:
    return {
        "desire_id": desire.id,
        "adopted": adopted,
        "priority": desire.priority,
        "urgency": desire.urgency,
        "status": desire.status if adopted else "rejected",
        "target": desire.target,
        "reason": reason,
        "desire": asdict(desire),
    }


def _serialize_desire(desire: Desire, deps: float, mind: Any) -> dict[str, Any]:
    return {
        "desire_id": desire.id,
        "name": desire.name,
        "type": desire.type,
        "category": desire.category,
        "status": desire.status,
        "priority": desire.priority,
        "base": desire.base,
        "importance": desire.importance,
        "urgency": desire.urgency,
        "alignment": desire.alignment,
        "deps": deps,
        "target": desire.target,
        "fulfilled": is_fulfilled(desire, mind.index),
    }


def _conflict(one: Resolution) -> dict[str, Any]:
    return {
        "strategy": one.strategy,
        "over": one.over,
        "why": one.why,
        "winner": one.winner,
        "suspended": list(one.suspended),
        "shares": dict(one.shares),
        "order": list(one.order),
    }


def _abandon_intention(intention: Intention, now: str) -> Intention:
    return replace(intention, status="abandoned", reason="the desire behind its goal was dropped", updated=now)


def _reopen_goal(goals: tuple[Goal, ...], intention: Intention, now: str) -> Goal | None:
    goal = next((one for one in goals if one.id == intention.goal_id and one.status == "blocked"), None)
    return replace(goal, status="active", updated=now) if goal else None


TOOLS = [
    Tool.of(desire_create, module=MODULE, catalogue=ROW, writes=True, category="goals"),
    Tool.of(desire_evaluate, module=MODULE, catalogue=ROW, writes=True, category="goals"),
    Tool.of(desire_drop, module=MODULE, catalogue=ROW, writes=True, category="goals"),
    Tool.of(intention_reconsider, module=MODULE, catalogue=ROW, writes=True, category="goals"),
]
