"""The heartbeat of a mind: what it prunes, re-scores, cleans and reports."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from mabos.configs.settings import load_settings
from mabos.mind.maintenance import Maintenance, MindState, Thresholds, apply, maintain, report
from mabos.mind.model import Belief, Desire, Goal, Intention, Plan
from mabos.workspace.clock import iso
from tests.mind.examples import GOLDEN, NOW, S0_DEMAND, a_mind, believe, read_beliefs

DAYS_AGO = {days: iso(NOW - timedelta(days=days)) for days in (1, 4, 8)}
STATE = MindState(
    "cfo",
    beliefs=(*read_beliefs(S0_DEMAND), believe("A promotion runs", expires="2026-02-01")),
    desires=(
        Desire("D-1", "Calm", priority=0.9, base=0.1, importance=0.1, urgency=0.1, alignment=0.1),
        Desire("D-2", "Pressing", created="2026-02-20T12:00:00Z", deadline="2026-02-25T12:00:00Z", priority=0.1),
    ),
    goals=(Goal("G-1", "Reduce churn", deadline="2026-06-01"), Goal("G-2", "Old", deadline="2026-02-01")),
    intentions=(
        Intention("I-1", "G-1", "P-1", "open-minded", updated=DAYS_AGO[8]),
        Intention("I-2", "G-2", "P-2", "single-minded", updated=DAYS_AGO[8], deadline="2026-02-01"),
        Intention("I-3", "G-3", "P-3", "cautious", updated=DAYS_AGO[1]),
        Intention("I-4", "G-3", "P-4", status="completed", updated=DAYS_AGO[8], reason="every step is done"),
    ),
    plans=(Plan("P-1", "G-1", "a", status="active"), Plan("P-3", "G-3", "b", status="active")),
)


def once(state: MindState = STATE) -> Maintenance:
    return maintain(state, NOW)


def test_stalled_and_expired_intentions_leave_with_their_reason_and_their_plans_are_given_up() -> None:
    found = once()
    assert {one.id: one.status for one in found.archived} == {"I-1": "stalled", "I-2": "expired", "I-4": "completed"}
    assert [plan.id for plan in found.plans] == ["P-1"]
    assert found.result.stale_intentions_pruned == 2


def test_the_goal_of_a_pruned_intention_is_evaluated_anew() -> None:
    found = once()
    assert {goal.id: one.recommendation for goal, one in found.evaluations} == {"G-1": "continue", "G-2": "abandon"}
    assert {goal.id: goal.status for goal in found.goals} == {"G-1": "active", "G-2": "abandoned"}


def test_desires_are_scored_with_the_urgency_of_their_deadline() -> None:
    pressing, calm = once().desires
    assert (pressing.id, pressing.urgency) == ("D-2", 0.8)
    assert pressing.priority == pytest.approx(0.5 * 0.3 + 0.5 * 0.25 + 0.8 * 0.25 + 0.5 * 0.15 + 0.05)
    assert calm.priority == pytest.approx(0.1 * 0.95 + 0.05)


def test_expired_beliefs_go_and_the_loser_of_a_conflict_is_flagged() -> None:
    found = once()
    assert [belief.statement for belief in found.dropped] == ["A promotion runs"]
    assert [(belief.statement, belief.status) for belief in found.beliefs] == [
        ("Market demand is declining", "flagged")
    ]
    assert found.conflict_report.startswith("# BDI Conflict Report — 2026-02-24\n\n> 1 conflict(s) detected")


def test_the_result_has_the_fields_that_the_documents_print() -> None:
    assert once().result.as_json() == {
        "agentId": "cfo",
        "staleIntentionsPruned": 2,
        "intentionsPruned": 2,
        "desiresPrioritized": 2,
        "desireCount": 2,
        "beliefCount": 2,
        "beliefsPruned": 1,
        "goalsReevaluated": 2,
        "conflictsDetected": 1,
        "chunksProcessed": 1,
        "timestamp": "2026-02-24T12:00:00.000Z",
    }


def test_an_empty_mind_needs_nothing() -> None:
    found = maintain(MindState("cfo"), NOW)
    assert found.is_empty
    assert (found.conflict_report, found.result.chunks_processed, found.result.conflicts_detected) == ("", 1, 0)


@pytest.mark.parametrize(("count", "chunks"), [(30, 1), (75, 2), (120, 3)])
def test_beliefs_are_cleaned_in_chunks_of_fifty(count: int, chunks: int) -> None:
    beliefs = tuple(Belief(f"B-{n}", f"thing {n} exists") for n in range(count))
    assert maintain(MindState("cfo", beliefs=beliefs), NOW).result.chunks_processed == chunks


def test_a_second_heartbeat_finds_the_conflict_again_and_writes_nothing(tmp_path: Path) -> None:
    mind, _ = a_mind(tmp_path)
    mind.save(*STATE.beliefs, *STATE.desires, *STATE.goals, *STATE.intentions, *STATE.plans)
    apply(mind, maintain(MindState.of(mind), NOW))
    assert [one.id for one in mind.intentions] == ["I-3"]
    assert [desire.id for desire in mind.desires] == ["D-2", "D-1"]
    assert "I-1** stalled" in mind.file("Intentions.md")
    seq = mind.seq
    again = maintain(MindState.of(mind), NOW)
    assert apply(mind, again) == seq
    assert (again.is_empty, again.result.conflicts_detected) == (True, 1)


def test_the_thresholds_are_those_of_the_workspace() -> None:
    settings = load_settings()
    assert Thresholds.of(settings) == (printed := Thresholds())
    assert (printed.conflict, printed.chunk_size, settings.heartbeat.minutes) == (0.6, 50, 30)
    assert settings.knowledge.case_limit == 10_000
    strict = replace(Thresholds(), conflict=0.8)
    assert maintain(STATE, NOW, strict).result.conflicts_detected == 0


def test_the_report_tells_what_was_done() -> None:
    assert report(once()) == (GOLDEN / "maintenance-report.md").read_text("utf-8")
