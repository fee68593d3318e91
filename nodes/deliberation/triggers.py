"""Triggers that may shake a commitment, where data exists: beliefs, stalls, events, money, a better option."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mabos.knowledge.values import number
from mabos.mind.conditions import holds, subjects
from mabos.mind.intentions import (
    IntentionLimits,
    Reconsideration,
    belief_severity,
    budget_left,
    expected_value,
    reconsider,
    stall_clock,
)
from mabos.mind.lookup import BeliefIndex, asks_about
from mabos.mind.maintenance import Thresholds
from mabos.mind.model import Belief, Goal, Intention, Plan
from mabos.mind.plans import remaining_cost
from mabos.mind.times import days, moment
from mabos.nodes.cycle import Cycle
from mabos.nodes.planning.proposals import find_safe_plan
from mabos.society.messages import Message
from mabos.tools.runtime.services import Agent

GRAVE = 0.7
"""Severity of an urgent message about the very thing that a plan is for."""

NO_OTHER_WAY = "no other plan was found"
"""The prefix of the reason of an intention without an alternative plan."""

_ANSWERS = "decision"  # the protocol of answers to this agent's own questions, which shake nothing
_UNMOVED = Reconsideration("continue", False, "", 0.0)


@dataclass(frozen=True, slots=True)
class Fired:
    """A trigger, its cause, its measure, and the resulting reconsideration."""

    trigger: str
    about: str
    severity: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    found: Reconsideration = _UNMOVED


@dataclass(frozen=True, slots=True)
class Scene:
    """The percepts of a cycle that may shake commitments."""

    lookup: BeliefIndex
    changed: tuple[Belief, ...]
    urgent: tuple[Message, ...]
    goals: Mapping[str, Goal]
    limits: IntentionLimits

    @classmethod
    def of(cls, cycle: Cycle, belief_ids: Iterable[str], message_ids: Iterable[str]) -> Scene:
        """Return the scene of a running cycle."""
        mind, news, heard = cycle.agent.mind, set(belief_ids), set(message_ids)
        urgent = [
            one
            for one in (cycle.agent.inbox.messages() if heard else ())
            if one.id in heard and one.priority == "urgent" and one.protocol != _ANSWERS and not one.flag
        ]
        return cls(
            lookup=mind.index,
            changed=tuple(belief for belief in mind.beliefs if belief.id in news) if news else (),
            urgent=tuple(urgent),
            goals={goal.id: goal for goal in mind.goals},
            limits=Thresholds.of(cycle.services.settings).limits,
        )


def strongest(cycle: Cycle, intention: Intention, plan: Plan, scene: Scene) -> Fired | None:
    """Return the first trigger that would change something, most serious first, else one that merely fired."""
    merely: Fired | None = None
    for fired in _triggers(cycle, intention, plan, scene):
        found = reconsider(intention, fired.trigger, fired.severity, fired.details, scene.limits)
        judged = replace(fired, found=found)
        if found.fired and found.outcome != "continue":
            return judged
        merely = merely or (judged if found.fired else None)
    return merely


def _triggers(cycle: Cycle, intention: Intention, plan: Plan, scene: Scene) -> Iterator[Fired]:
    if intention.status == "suspended":
        yield from _progress_stall(cycle.agent, intention, scene)
        return
    yield from _belief_change(plan, scene)
    yield from _resource_constraint(cycle.agent, intention, plan, scene)
    yield from _external_event(intention, plan, scene)
    yield from _better_option(cycle, intention, plan, scene)


def _belief_change(plan: Plan, scene: Scene) -> Iterator[Fired]:
    """Only beliefs that undo a precondition count."""
    against = [belief for belief in scene.changed if _undoes(belief, plan, scene.lookup)]
    if against:
        graded = [(belief_severity(_before(belief), belief, plan), belief.statement) for belief in against]
        severity, statement = max(graded)
        yield Fired("belief_change", statement, round(severity, 4))


def _resource_constraint(agent: Agent, intention: Intention, plan: Plan, scene: Scene) -> Iterator[Fired]:
    """Fire if the cash or the goal's budget does not cover the remaining work; name the scarcest resource."""
    needed, cash = remaining_cost(plan), number(scene.lookup("cash") or "")
    found = dict[str, float]()
    if needed > 0 and cash is not None:
        found[f"cash {cash:,.0f} for {needed:,.0f}"] = cash / needed
    goal = scene.goals.get(intention.goal_id)
    if goal is not None and goal.budget:
        days_used = days(agent.clock() - since) if (since := moment(intention.started)) else 0.0
        spent = {**agent.services.allowances.used(agent.id, intention.id), "days": days_used}
        found |= budget_left(goal.budget, spent, plan)
    if found:
        about, available = min(found.items(), key=lambda one: one[1])
        if available < 1:
            yield Fired("resource_constraint", about, None, {"available": max(0.0, available)})


def _external_event(intention: Intention, plan: Plan, scene: Scene) -> Iterator[Fired]:
    goal = scene.goals.get(intention.goal_id)
    conditions = [condition for step in plan.steps for condition in step.preconditions]
    concerned = {name for one in (*conditions, goal.target if goal else "") for name in subjects(one)}
    concerned |= {intention.id, intention.goal_id, intention.plan_id, goal.desire_id if goal else ""}
    for message in scene.urgent:
        if str(message.metadata.get("subject", "")) in concerned - {""}:
            yield Fired("external_event", f"{message.id} of {message.sender}", GRAVE)


def _progress_stall(agent: Agent, intention: Intention, scene: Scene) -> Iterator[Fired]:
    """Fire once when half the time to lapse has passed, to look for another way.

    Only stuck intentions count: an active one that has not moved has just not had its turn. A cautious one would be
    given up for it, and keeps the time of its strategy.
    """
    clock = stall_clock(intention, agent.clock(), scene.limits)
    if clock.window is None or clock.left is None or intention.strategy == "cautious":
        return
    if 0 <= clock.left < clock.window / 2 and not intention.reason.startswith(NO_OTHER_WAY):
        still = clock.window - clock.left
        yield Fired("progress_stall", f"stuck for {still:.0f} days", None, {"progress_delta": 0.0})


def _better_option(cycle: Cycle, intention: Intention, plan: Plan, scene: Scene) -> Iterator[Fired]:
    """Look for a better plan only if there is news about the goal's measures and nothing is done yet."""
    goal = scene.goals.get(intention.goal_id)
    if goal is None or plan.cursor or not plan.template or not scene.changed:
        return
    if not any(asks_about(goal.target, belief) for belief in scene.changed):
        return
    other = find_safe_plan(cycle, goal, without=(plan.template,))
    if other is None:
        return
    budget = number(scene.lookup("cash") or "") or 0.0
    worth = {
        "expected_value": expected_value(other.confidence, goal.priority, remaining_cost(other), budget),
        "current_value": expected_value(plan.confidence, goal.priority, remaining_cost(plan), budget),
    }
    yield Fired("better_option", other.name, None, worth)


def _undoes(belief: Belief, plan: Plan, lookup: BeliefIndex) -> bool:
    open_steps = (step for step in plan.steps if step.status not in ("done", "skipped"))
    conditions = [condition for step in open_steps for condition in step.preconditions]
    return any(asks_about(condition, belief) and holds(condition, lookup) is False for condition in conditions)


def _before(belief: Belief) -> Belief | None:
    """Return the belief as it was before its last revision, or None if it is new."""
    if not belief.revisions:
        return None
    last = belief.revisions[-1]
    return replace(belief, value=last.before, certainty=last.certainty_before, statement=last.before)
