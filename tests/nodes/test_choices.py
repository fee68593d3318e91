"""Which goal an agent turns to."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mabos.mind.library import library_in
from mabos.mind.model import Goal, Intention, Plan, Step
from mabos.nodes.choices import Focus, failures, focus, lately, shows_after
from mabos.workspace.clock import iso

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
LONG_AGO, YESTERDAY = "2026-01-05T09:00:00.000Z", "2026-03-01T09:00:00.000Z"


def goal(name: str, priority: float, **more: object) -> Goal:
    return Goal(name, name, priority=priority, status=more.pop("status", "active"), **more)  # type: ignore[arg-type]


def intention(goal_id: str, status: str = "active", turns: int = 0) -> Intention:
    return Intention(f"I-{goal_id}", goal_id, f"P-{goal_id}", status=status, started=LONG_AGO, turns=turns)  # type: ignore[arg-type]


def plan(goal_id: str, status: str, updated: str, template: str = "t") -> Plan:
    return Plan(f"P-{goal_id}", goal_id, status=status, updated=updated, template=template)  # type: ignore[arg-type]


def test_the_most_important_goal_is_pursued() -> None:
    found = focus([goal("low", 0.2), goal("high", 0.8)], [], [], NOW, most=3)
    assert found is not None
    assert (found.goal_id, found.intention_id) == ("high", "")


def test_what_the_agent_is_committed_to_goes_before_a_more_important_goal() -> None:
    found = focus([goal("low", 0.2), goal("high", 0.8)], [intention("low")], [], NOW, most=3)
    assert found == Focus("low", "I-low", "P-low", turns=1)


@pytest.mark.parametrize("committed", ["low", "high"])
def test_a_goal_without_a_plan_has_the_next_turn_beside_what_the_agent_is_committed_to(committed: str) -> None:
    goals = [goal("low", 0.2), goal("high", 0.8)]
    other = "high" if committed == "low" else "low"
    assert focus(goals, [intention(committed, turns=1)], [], NOW, most=2) == Focus(other)
    full = focus(goals, [intention(committed, turns=1)], [], NOW, most=1)
    assert full == Focus(committed, f"I-{committed}", f"P-{committed}")


def test_what_a_person_has_just_answered_goes_first_and_its_turn_counts() -> None:
    goals = [goal("low", 0.2), goal("high", 0.8)]
    found = focus(goals, [intention("low"), intention("high")], [], NOW, most=3, first=["I-low"])
    assert found == Focus("low", "I-low", "P-low", turns=1)


def test_an_intention_that_is_ready_alone_has_nothing_reckoned() -> None:
    found = focus([goal("a", 0.5)], [intention("a", turns=4)], [], NOW, most=3)
    assert found == Focus("a", "I-a", "P-a", turns=0)


def test_what_waits_for_a_person_does_not_hold_the_agent_up() -> None:
    found = focus([goal("waits", 0.9), goal("next", 0.5)], [intention("waits", "awaiting_approval")], [], NOW, most=3)
    assert found is not None
    assert found.goal_id == "next"


def test_nobody_takes_on_more_than_the_limit() -> None:
    goals = [goal("a", 0.9), goal("b", 0.5)]
    assert focus(goals, [intention("a", "awaiting_approval")], [], NOW, most=1) is None


def test_a_goal_rests_after_its_plan_has_ended() -> None:
    goals = [goal("a", 0.9, target="cash > 5")]
    assert focus(goals, [], [plan("a", "completed", YESTERDAY)], NOW, most=3) is None
    assert focus(goals, [], [plan("a", "completed", LONG_AGO)], NOW, most=3) is not None


def test_a_goal_that_nothing_can_decide_is_not_planned_again_and_that_of_a_request_never() -> None:
    through = plan("a", "completed", LONG_AGO)
    assert focus([goal("a", 0.9, success_criteria=("glad",))], [], [through], NOW, most=3) is None
    assert focus([goal("b", 0.9, request_id="REQ-1")], [], [], NOW, most=3) is None


def test_a_blocked_goal_is_looked_at_again_after_a_while() -> None:
    assert focus([goal("a", 0.9, status="blocked", updated=YESTERDAY)], [], [], NOW, most=3) is None
    assert focus([goal("a", 0.9, status="blocked", updated=LONG_AGO)], [], [], NOW, most=3) is not None


def test_a_template_just_carried_through_is_not_started_again() -> None:
    plans = [plan("a", "completed", YESTERDAY, "new"), plan("b", "completed", LONG_AGO, "old"),
             plan("c", "active", LONG_AGO, "running")]  # fmt: skip
    assert lately(plans, NOW) == {"new", "running"}


def test_failures_are_counted_by_template() -> None:
    plans = [plan("a", "failed", LONG_AGO, "x"), plan("a", "failed", LONG_AGO, "x"), plan("b", "failed", LONG_AGO, "y")]
    assert failures(plans, "a") == {"x": 2}


@pytest.mark.parametrize(("waits_for", "pursued"), [("WR-1", True), ("DEC-1", False)])
def test_a_goal_rests_where_a_person_said_no_and_not_where_a_plan_was_left_that_waited_for_a_workflow(
    waits_for: str, *, pursued: bool
) -> None:
    step = Step("s", status="waiting", decision_id=waits_for)
    left = replace(plan("high", "abandoned", YESTERDAY), steps=(step,))
    found = focus([goal("high", 0.8)], [], [left], NOW, most=3)
    assert (found is not None) == pursued


def test_a_goal_rests_as_long_as_a_plan_of_the_workspace_says(tmp_path: Path) -> None:
    steps = "steps: [{id: a, description: d}]\nrest_days: 3\nshows_after_days: 40\n"
    (tmp_path / "sweep.yaml").write_text(f"name: sweep\ncategory: c\nsummary: s\ngoals: [g]\n{steps}")
    swept = plan("a", "completed", iso(NOW - timedelta(days=5)), "sweep")
    own = library_in(tmp_path)
    assert focus([goal("a", 0.9, target="cash > 5")], [], [swept], NOW, most=3, library=own) is not None
    assert focus([goal("a", 0.9, target="cash > 5")], [], [swept], NOW, most=3) is None
    assert shows_after(swept, own) == timedelta(days=40)


def test_a_goal_rests_as_long_as_the_template_of_its_plan_says() -> None:
    a_week_ago = iso(NOW - timedelta(days=7))
    orders, reviews = plan("a", "completed", a_week_ago, "stock_order"), plan("a", "completed", a_week_ago, "SEO_audit")
    measured = goal("a", 0.9, target="cash > 5")
    assert focus([measured], [], [orders], NOW, most=3) is not None
    assert focus([measured], [], [reviews], NOW, most=3) is None
    assert shows_after(orders) > shows_after(reviews)
