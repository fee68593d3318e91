"""The heartbeat of a mind, as a pure function: prune, re-evaluate, re-prioritise, clean, find conflicts (S3 18, S0 10).

`maintain` reads a state and returns the changes; the caller writes them, and the reports.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from mabos.configs.settings import Settings
from mabos.mind import conflicts as belief_conflicts
from mabos.mind.beliefs import CHUNK_SIZE, SUPERSEDE_MARGIN, CleanedBeliefs, clean
from mabos.mind.conditions import Lookup
from mabos.mind.conflicts import BeliefConflict
from mabos.mind.desires import rank_desires
from mabos.mind.goals import Evaluation, apply_evaluation, evaluate
from mabos.mind.intentions import OVER, IntentionLimits, prune
from mabos.mind.lookup import BeliefIndex
from mabos.mind.mind import Mind
from mabos.mind.model import Belief, Desire, Goal, Intention, Plan
from mabos.workspace.clock import iso

PRIORITY_DELTA = 0.001
"""A priority that moved by less is not written again, so that an idle heartbeat writes nothing."""


@dataclass(frozen=True, slots=True)
class MindState:
    """The input of maintenance."""

    agent_id: str
    beliefs: tuple[Belief, ...] = ()
    desires: tuple[Desire, ...] = ()
    goals: tuple[Goal, ...] = ()
    intentions: tuple[Intention, ...] = ()
    plans: tuple[Plan, ...] = ()

    @classmethod
    def of(cls, mind: Mind) -> "MindState":
        """Return the current state of a mind."""
        return cls(mind.agent_id, mind.beliefs, mind.desires, mind.goals, mind.intentions, mind.plans)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The parameters of maintenance; the defaults are those of the documents."""

    conflict: float = belief_conflicts.THRESHOLD
    margin: float = SUPERSEDE_MARGIN
    chunk_size: int = CHUNK_SIZE
    limits: IntentionLimits = field(default_factory=IntentionLimits)

    @classmethod
    def of(cls, settings: Settings) -> "Thresholds":
        """Return the thresholds that a workspace has set."""
        commitment, beliefs = settings.commitment, settings.beliefs
        limits = IntentionLimits(
            stall_days={
                "single-minded": None,
                "open-minded": commitment.open_minded_stall_days,
                "cautious": commitment.cautious_stall_days,
            },
            stall_delta=commitment.stall_delta,
            belief_change=commitment.belief_change_severity,
            resource_share=commitment.resource_share,
            better_option=commitment.better_option_ratio,
        )
        return cls(beliefs.conflict_threshold, beliefs.supersede_margin, beliefs.chunk_size, limits)


@dataclass(frozen=True, slots=True)
class CycleResult:
    """The result of one maintenance cycle, with all fields that the documents list."""

    agent_id: str
    stale_intentions_pruned: int
    desires_prioritized: int
    conflicts_detected: int
    chunks_processed: int
    beliefs_pruned: int
    goals_reevaluated: int
    belief_count: int
    desire_count: int
    timestamp: str

    def as_json(self) -> dict[str, Any]:
        """Return the fields under their published names."""
        return {
            "agentId": self.agent_id,
            "staleIntentionsPruned": self.stale_intentions_pruned,
            "intentionsPruned": self.stale_intentions_pruned,
            "desiresPrioritized": self.desires_prioritized,
            "desireCount": self.desire_count,
            "beliefCount": self.belief_count,
            "beliefsPruned": self.beliefs_pruned,
            "goalsReevaluated": self.goals_reevaluated,
            "conflictsDetected": self.conflicts_detected,
            "chunksProcessed": self.chunks_processed,
            "timestamp": self.timestamp,
        }


@dataclass(frozen=True, slots=True)
class Maintenance:
    """The changes to write: changed records, removed records, and the report."""

    beliefs: tuple[Belief, ...]
    dropped: tuple[Belief, ...]
    desires: tuple[Desire, ...]
    goals: tuple[Goal, ...]
    plans: tuple[Plan, ...]
    archived: tuple[Intention, ...]
    evaluations: tuple[tuple[Goal, Evaluation], ...]
    conflicts: tuple[BeliefConflict, ...]
    conflict_report: str
    result: CycleResult

    @property
    def is_empty(self) -> bool:
        """Return whether nothing has to be written to the mind."""
        return not (self.beliefs or self.dropped or self.desires or self.goals or self.plans or self.archived)


def maintain(state: MindState, now: datetime, thresholds: Thresholds | None = None) -> Maintenance:
    """Return the changes of one heartbeat to `state`; a pure function, and idempotent."""
    thresholds = thresholds or Thresholds()
    cleaned = clean(state.beliefs, now, chunk_size=thresholds.chunk_size)
    beliefs = _after(state.beliefs, cleaned)
    lookup = BeliefIndex(beliefs)
    asked_for = {goal.id for goal in state.goals if goal.request_id}  # late work for a person stays open
    carrying = [one for one in state.intentions if one.goal_id in asked_for]
    pruning = prune((one for one in state.intentions if one.goal_id not in asked_for), now, thresholds.limits)
    kept = (*pruning.kept, *carrying)
    over = tuple(one for one in kept if one.status in OVER)
    evaluations = _evaluations(state, pruning.pruned, kept, lookup, now)
    goals = tuple(apply_evaluation(goal, found, now) for goal, found in evaluations)
    known = {goal.id: goal for goal in goals}
    desires = _rescore_desires(state.desires, now, [known.get(goal.id, goal) for goal in state.goals], lookup)
    found = belief_conflicts.conflicts(beliefs, threshold=thresholds.conflict, margin=thresholds.margin)
    changed = {belief.id: belief for belief in (*cleaned.changed, *belief_conflicts.flag_losers(found))}
    dropped = (*cleaned.expired, *cleaned.duplicates)
    return Maintenance(
        beliefs=tuple(changed.values()),
        dropped=dropped,
        desires=desires,
        goals=tuple(goal for goal, (before, _) in zip(goals, evaluations, strict=True) if goal != before),
        plans=given_up(state.plans, pruning.pruned, now),
        archived=(*pruning.pruned, *over),
        evaluations=evaluations,
        conflicts=found,
        conflict_report=belief_conflicts.report(found, now),
        result=CycleResult(
            agent_id=state.agent_id,
            stale_intentions_pruned=len(pruning.pruned),
            desires_prioritized=len(state.desires),
            conflicts_detected=len(found),
            chunks_processed=cleaned.chunks_processed,
            beliefs_pruned=len(dropped),
            goals_reevaluated=len(evaluations),
            belief_count=len(beliefs),
            desire_count=len(state.desires),
            timestamp=iso(now),
        ),
    )


def apply(mind: Mind, found: Maintenance, *, cycle: str = "") -> int:
    """Write the changes of maintenance to the mind in one transaction; return its sequence.

    Desires.md is sorted by priority, even if a person ordered it differently (S0 section 10).
    """
    desires = {desire.id: desire for desire in (*mind.desires, *found.desires)}
    return mind.save(
        *found.beliefs, *desires.values(), *found.goals, *found.plans, archive=found.archived, drop=found.dropped,
        cycle=cycle,
    )  # fmt: skip


def report(found: Maintenance) -> str:
    """Return the maintenance report of one agent as Markdown."""
    result = found.result
    lines = [
        f"# Maintenance Report — {result.agent_id} — {result.timestamp[:16].replace('T', ' ')} UTC",
        "",
        f"- **Intentions pruned:** {result.stale_intentions_pruned}",
        f"- **Goals re-evaluated:** {result.goals_reevaluated}",
        f"- **Desires prioritised:** {result.desires_prioritized}",
        f"- **Beliefs:** {result.belief_count}, {result.beliefs_pruned} removed, {result.chunks_processed} chunk(s)",
        f"- **Conflicts:** {result.conflicts_detected}",
    ]
    if found.archived:
        lines += ["", "## Intentions", ""]
        lines += [f"- {one.id} ({one.goal_id}): {one.status}. {one.reason}" for one in found.archived]
    if found.evaluations:
        lines += ["", "## Goals", ""]
        for goal, one in found.evaluations:
            lines.append(
                f"- {goal.id} {goal.description}: {one.progress_assessment}. Recommendation: {one.recommendation}"
            )
    if found.dropped:
        lines += ["", "## Beliefs removed", "", *(f"- {one.id}: {one.statement}" for one in found.dropped)]
    return "\n".join(lines) + "\n"


def _after(beliefs: Sequence[Belief], cleaned: CleanedBeliefs) -> tuple[Belief, ...]:
    gone = {belief.id for belief in (*cleaned.expired, *cleaned.duplicates)}
    changed = {belief.id: belief for belief in cleaned.changed}
    return tuple(changed.get(belief.id, belief) for belief in beliefs if belief.id not in gone)


def _evaluations(
    state: MindState, pruned: Sequence[Intention], kept: Sequence[Intention], lookup: Lookup, now: datetime
) -> tuple[tuple[Goal, Evaluation], ...]:
    """Evaluate the goal of each intention that was pruned, without that intention: is it still worth pursuing?"""
    wanted = {intention.goal_id for intention in pruned}
    return tuple(
        (goal, evaluate(goal, lookup=lookup, intentions=kept, plans=state.plans, goals=state.goals, now=now))
        for goal in state.goals
        if goal.id in wanted
    )


def _rescore_desires(
    desires: Sequence[Desire], now: datetime, goals: Sequence[Goal], lookup: Lookup
) -> tuple[Desire, ...]:
    """Return the desires whose priority moved, highest first."""
    before = {desire.id: desire for desire in desires}
    scored = rank_desires(desires, now, goals, lookup)
    return tuple(one for one in scored if abs(one.priority - before[one.id].priority) >= PRIORITY_DELTA)


def given_up(plans: Iterable[Plan], ended: Iterable[Intention], now: datetime) -> tuple[Plan, ...]:
    """Return the open plans of ended intentions, abandoned."""
    lapsed = {intention.plan_id for intention in ended}
    return tuple(
        replace(plan, status="abandoned", updated=iso(now))
        for plan in plans
        if plan.id in lapsed and plan.status in ("draft", "active")
    )
