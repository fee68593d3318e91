"""Commitments to plans: how they are chosen, when they lapse, and when they are reconsidered (S3 4.3, 4.4 and 18.2)."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.wording import words
from mabos.mind.lookup import asks_about
from mabos.mind.model import Belief, Goal, Intention, IntentionStatus, Plan, Strategy
from mabos.mind.plans import remaining_cost
from mabos.mind.times import days, is_past, latest
from mabos.workspace.copies import replace

Trigger = Literal["belief_change", "progress_stall", "resource_constraint", "better_option", "external_event"]
Outcome = Literal["continue", "modify", "suspend", "abandon"]
OVER = ("completed", "failed", "expired", "stalled", "abandoned")
_HARD = words("compliance regulatory regulation legal law tax audit contract contractual filing license gdpr statutory")
_EXPERIMENTAL = words("experiment experimental pilot trial test explore exploration prototype try hypothesis probe")


@dataclass(frozen=True, slots=True)
class IntentionLimits:
    """Stall limits of an intention (days without change, None for never) and trigger thresholds."""

    stall_days: Mapping[str, float | None] = field(
        default_factory=lambda: {"single-minded": None, "open-minded": 7.0, "cautious": 3.0}
    )
    stall_delta: float = 0.01
    belief_change: float = 0.3
    resource_share: float = 0.5
    better_option: float = 1.2


@dataclass(frozen=True, slots=True)
class StallClock:
    """The time since an intention last progressed, and the days left until it counts as stalled.

    `window` is the number of days in its strategy. None means that it never stalls, or not while it waits for a person.
    """

    since: datetime | None
    window: float | None
    left: float | None


@dataclass(frozen=True, slots=True)
class Pruning:
    """The intentions that remain, and those that lapsed with their status and reason."""

    kept: tuple[Intention, ...]
    pruned: tuple[Intention, ...]


@dataclass(frozen=True, slots=True)
class Reconsideration:
    """The outcome of reconsidering an intention; `fired` is True if the trigger reached its threshold."""

    outcome: Outcome
    fired: bool
    reason: str
    measure: float


def choose_strategy(goal: Goal, *, default: Strategy = "open-minded") -> Strategy:
    """Return how firmly to commit, by the words of the goal, else `default` (S3 4.3).

    Hard obligations are single-minded, experiments cautious.
    """
    said = set(re.split(r"[\W_]+", f"{goal.description} {goal.target}".casefold()))
    if said & _HARD:
        return "single-minded"
    return "cautious" if said & _EXPERIMENTAL else default


def record_progress(
    intention: Intention, progress: float, now: str, *, status: IntentionStatus | None = None, note: str = "",
    limits: IntentionLimits = IntentionLimits(),
) -> Intention:  # fmt: skip
    """Return `intention` with new progress, status or note.

    A change smaller than the stall delta is not recorded, so that many small ones still add up to progress.
    """
    moved = abs(progress - intention.progress) >= limits.stall_delta or progress >= 1.0 > intention.progress
    changes_status = status is not None and status != intention.status
    if not (moved or changes_status or note):
        return intention
    return replace(
        intention,
        progress=progress if moved else intention.progress,
        status=status if status is not None else intention.status,
        reason=note or intention.reason,
        updated=now,
    )


def prune(intentions: Iterable[Intention], now: datetime, limits: IntentionLimits | None = None) -> Pruning:
    """Return which intentions lapse: past their deadline, or stalled for their strategy's window.

    An intention that waits for a person has not stalled. One without a start or change time is left alone.
    """
    limits = limits or IntentionLimits()
    kept: list[Intention] = []
    pruned: list[Intention] = []
    for intention in intentions:
        lapsed = None if intention.status in OVER else _check_lapse(intention, now, limits)
        if lapsed is None:
            kept.append(intention)
        else:
            pruned.append(lapsed)
    return Pruning(tuple(kept), tuple(pruned))


def stall_clock(intention: Intention, now: datetime, limits: IntentionLimits | None = None) -> StallClock:
    """Return how long an intention has until it counts as stalled (S3 4.3)."""
    since = latest(intention.updated, intention.started)
    window = (limits or IntentionLimits()).stall_days.get(intention.strategy)
    if window is None or since is None or intention.status in ("awaiting_approval", *OVER):
        return StallClock(since, None, None)
    return StallClock(since, window, window - days(now - since))


def reconsider(
    intention: Intention,
    trigger: str,
    severity: float | None = None,
    details: Mapping[str, Any] | None = None,
    limits: IntentionLimits | None = None,
) -> Reconsideration:
    """Return the decision on an intention when `trigger` fires (S3 4.4).

    `details` may hold `progress_delta`, `available` (a share), `expected_value` and `current_value`; without them
    `severity` replaces the measure of the trigger. Raises `InvalidArgument` for an unknown trigger.
    """
    limits, details = limits or IntentionLimits(), details or {}
    if trigger not in get_args(Trigger):
        known = ", ".join(get_args(Trigger))
        raise InvalidArgument(f"no trigger {trigger!r}; use one of {known}", argument="trigger")
    if intention.status in OVER:
        return Reconsideration("continue", False, f"it is over: {intention.status}", 0.0)
    decide = {
        "belief_change": _on_belief_change,
        "progress_stall": _on_stall,
        "resource_constraint": _on_constraint,
        "better_option": _on_better_option,
        "external_event": _on_event,
    }[trigger]
    return decide(intention.strategy, severity, details, limits)


def apply_reconsideration(intention: Intention, found: Reconsideration, now: str) -> Intention:
    """Return `intention` with the decision applied; modifying the plan is left to the planner."""
    if not found.fired or found.outcome == "continue":
        return intention
    status: IntentionStatus = intention.status
    if found.outcome == "suspend":
        status = "suspended"
    elif found.outcome == "abandon":
        status = "abandoned"
    return replace(intention, status=status, reason=found.reason, updated=now)


def belief_severity(before: Belief | None, after: Belief, plan: Plan) -> float:
    """Return how much a changed belief matters to a plan: change of certainty × share of affected preconditions.

    A changed value counts as a change by its full certainty.
    """
    conditions = [
        condition for step in plan.steps if step.status not in ("done", "skipped") for condition in step.preconditions
    ]
    if not conditions:
        return 0.0
    touched = sum(asks_about(condition, after) for condition in conditions)
    changed = before is None or before.value != after.value or (not after.value and before.statement != after.statement)
    delta = after.certainty if before is None or changed else abs(after.certainty - before.certainty)
    return delta * touched / len(conditions)


def expected_value(probability: float, priority: float, cost: float = 0.0, budget: float = 0.0) -> float:
    """Return probability of success × priority, less the cost as a share of the budget."""
    share = min(1.0, cost / budget) if budget > 0 else 0.0
    return probability * priority - share


def budget_left(budget: Mapping[str, float], used: Mapping[str, float], plan: Plan) -> dict[str, float]:
    """Return the rest of a goal's budget as a share of its plan's open needs, and in words.

    The need for dollars is the steps' cost, for calls their number; for tokens and days it is unknown, so any remainder
    suffices.
    """
    calls = sum(bool(step.tool) and step.status not in ("done", "skipped") for step in plan.steps)
    needed = {"usd": remaining_cost(plan), "calls": float(calls)}
    found = {}
    for name, most in budget.items():
        left = most - used.get(name, 0.0)
        if name in needed and needed[name] > 0:
            found[f"{left:,.0f} of {most:,.0f} {name} left, {needed[name]:,.0f} needed"] = left / needed[name]
        elif name not in needed and left <= 0:
            found[f"all {most:,.0f} {name} are used up"] = 0.0
    return found


def _check_lapse(intention: Intention, now: datetime, limits: IntentionLimits) -> Intention | None:
    if is_past(intention.deadline, now):
        return replace(intention, status="expired", reason=f"its deadline {intention.deadline[:10]} has passed")
    clock = stall_clock(intention, now, limits)
    if clock.left is None or clock.left >= 0:
        return None
    reason = f"no progress, note or change of status for more than {clock.window:g} days ({intention.strategy})"
    return replace(intention, status="stalled", reason=reason)


def _on_belief_change(
    strategy: Strategy, severity: float | None, _details: Mapping[str, Any], limits: IntentionLimits
) -> Reconsideration:
    measure = severity or 0.0
    if measure <= limits.belief_change:
        return Reconsideration(
            "continue", False, f"severity {measure:g} is not above {limits.belief_change:g}", measure
        )
    grave = measure > 0.8 and strategy != "single-minded"
    outcome: Outcome = "abandon" if grave else "modify"
    return Reconsideration(outcome, True, f"a belief changed with severity {measure:g}", measure)


def _on_stall(
    strategy: Strategy, severity: float | None, details: Mapping[str, Any], limits: IntentionLimits
) -> Reconsideration:
    measure = _number(details, "progress_delta", 0.0 if severity is None else 1 - severity)
    if measure >= limits.stall_delta:
        return Reconsideration("continue", False, f"progress moved by {measure:g}", measure)
    outcome: dict[Strategy, Outcome] = {"single-minded": "continue", "open-minded": "modify", "cautious": "abandon"}
    return Reconsideration(outcome[strategy], True, f"progress moved by {measure:g} only", measure)


def _on_constraint(
    strategy: Strategy, severity: float | None, details: Mapping[str, Any], limits: IntentionLimits
) -> Reconsideration:
    measure = _number(details, "available", 1.0 if severity is None else 1 - severity)
    if measure >= limits.resource_share:
        return Reconsideration("continue", False, f"{measure:.0%} of what it needs is there", measure)
    outcome: Outcome = "abandon" if strategy == "cautious" and measure < 0.1 else "suspend"
    return Reconsideration(outcome, True, f"only {measure:.0%} of what it needs is there", measure)


def _on_better_option(
    strategy: Strategy, severity: float | None, details: Mapping[str, Any], limits: IntentionLimits
) -> Reconsideration:
    other, current = _number(details, "expected_value", 0.0), _number(details, "current_value", 0.0)
    if "expected_value" in details:
        fired, measure = other > limits.better_option * current, other / current if current > 0 else other
    else:
        measure = 1 + (severity or 0.0)
        fired = measure > limits.better_option
    if not fired:
        return Reconsideration("continue", False, "no other plan is worth enough more", measure)
    outcome: Outcome = "continue" if strategy == "single-minded" else "modify"
    return Reconsideration(outcome, True, f"another plan is worth {measure:.2f} times as much", measure)


def _on_event(
    strategy: Strategy, severity: float | None, _details: Mapping[str, Any], _limits: IntentionLimits
) -> Reconsideration:
    measure = 0.5 if severity is None else severity
    outcome: Outcome = "continue" if measure < 0.3 else "modify"
    if measure >= 0.7 and strategy != "single-minded":
        outcome = "abandon" if strategy == "cautious" else "suspend"
    return Reconsideration(outcome, True, f"something happened outside, severity {measure:g}", measure)


def _number(details: Mapping[str, Any], name: str, otherwise: float) -> float:
    try:
        return float(details.get(name, otherwise))
    except (TypeError, ValueError):
        raise InvalidArgument(f"{name} is {details[name]!r}; expected a number", argument="details") from None


def at_work(intentions: Sequence[Intention], goal_id: str) -> Intention | None:
    """Return the active intention for a goal, or None."""
    return next((one for one in intentions if one.goal_id == goal_id and one.status not in OVER), None)
