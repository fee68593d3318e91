"""What a plan promised is held against what is measured later, in cycles run for real."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mabos.knowledge.case_records import Case
from mabos.mind.expectations import NEUTRAL, trust
from mabos.mind.model import Belief, Goal, Intention, Plan, Step
from mabos.mind.situation import is_success
from mabos.nodes.open_workspaces import OPEN, begin
from mabos.nodes.planning.experience import Experience, experience
from mabos.nodes.state import Context
from tests.world import Member, World


@pytest.fixture
def coo(tmp_path: Path) -> Iterator[Member]:
    with World(tmp_path / "workspace") as world:
        yield world.agent("coo")


def measured(coo: Member, value: float) -> None:
    """Record the share of customers lost, and let the agent see it."""
    coo.world.do("metrics_record", name="churn_rate", value=value, unit="%", source="billing")
    coo.cycle(max_steps=0)


def carried_out(coo: Member, number: int = 1) -> Plan:
    """Leave a plan for less churn that is through."""
    now = coo.world.now
    goal = Goal(f"G-{number}", "Lose fewer customers", target="churn_rate < 5%", created=now)
    step = Step("s1", "Call those at risk", "agent_message", status="done")
    plan = Plan(
        f"P-{number}", goal.id, "keep customers", steps=(step,), status="completed", template="keep", created=now,
        updated=now,
    )  # fmt: skip
    coo.mind.save(goal, plan)
    return plan


def known(coo: Member) -> Experience:
    """Return what planning for the same goal would know now."""
    cycle = begin(OPEN.find(coo.world.root), coo.id, Context(agent_id=coo.id))
    try:
        return experience(cycle.agent, Goal("G-2", "Lose fewer customers", target="churn_rate < 5%"))
    finally:
        cycle.end()


def test_a_goal_that_went_the_other_way_costs_the_plan_trust_and_leaves_a_lesson(coo: Member) -> None:
    measured(coo, 8)
    plan = carried_out(coo)
    coo.world.later(days=14)
    measured(coo, 9)
    mind = coo.mind
    assert trust(mind.beliefs) == {"keep": 0.25}
    (lesson,) = [one for one in mind.learnings if one.id == f"LRN-{plan.id}"]
    assert lesson.insight == ("Keep customers contradicted: expected churn_rate < 5%; churn_rate was 8% and is 9%")
    (entry,) = [one for one in coo.entries("learn") if "effects" in one]
    assert entry["effects"][plan.id].startswith("contradicted: expected churn_rate < 5%")
    assert known(coo).held == {"keep": 0.25 / NEUTRAL}


def test_what_came_as_expected_makes_the_plan_more_trusted_and_is_judged_once(coo: Member) -> None:
    measured(coo, 8)
    carried_out(coo)
    coo.world.later(days=7)
    measured(coo, 4)
    once = trust(coo.mind.beliefs)
    assert once == {"keep": 0.625}
    coo.world.later(days=7)
    measured(coo, 9)
    assert trust(coo.mind.beliefs) == once


def test_the_judgement_outlives_a_restart(coo: Member) -> None:
    measured(coo, 8)
    carried_out(coo)
    coo.world.later(days=14)
    for value in (8, 3):
        coo.world.restart()
        coo.world.later(days=1)
        measured(coo, value)
        assert trust(coo.mind.beliefs) == {"keep": 0.375}


def test_nothing_is_known_of_a_plan_that_nothing_was_observed_of(coo: Member) -> None:
    coo.mind.save(Belief("B-1", "keep effects are good", subject="keep", predicate="effects"))
    assert known(coo) == Experience()


def test_what_a_call_answers_revises_a_belief_and_is_held_against_what_was_expected(coo: Member) -> None:
    now = coo.world.now
    goal = Goal("G-1", "Know the figure", priority=0.9, created=now)
    told = {"name": "latency_seconds", "value": 2.3, "unit": "s", "source": "probe"}
    effects = ("probe unit ms", "probe unit {result.unit}", "probe latency {result.value}", "probe cost {result.usd}")
    step = Step("s1", "Measure", "metrics_record", told, effects=effects)
    plan = Plan("P-1", goal.id, "measure", steps=(step,), status="active", template="probe", created=now, updated=now)
    coo.mind.save(goal, plan, Intention("I-1", goal.id, plan.id, started=now, updated=now))
    coo.cycle()
    mind = coo.mind
    assert mind.value("probe", "latency") == "2.3"
    assert mind.value("probe", "cost") is None
    (entry,) = [one for one in coo.entries("learn") if "effects" in one]
    assert entry["effects"] == {"P-1": "contradicted: expected probe unit ms; probe unit s (step s1 of measure)"}
    assert trust(mind.beliefs) == {"probe": 0.25}


def ended(coo: Member) -> Case:
    """Let the agent learn from a plan for less churn of which every step was done, and return its case."""
    plan, now = carried_out(coo), coo.world.now
    over = Intention("I-1", plan.goal_id, plan.id, status="completed", started=now, updated=now, reason="all is done")
    coo.mind.save(over)
    coo.cycle(max_steps=0)
    return coo.handle.cases.case("CASE-I-1")


@pytest.mark.parametrize(("later", "goal", "rate"), [(8.5, "missed", 0.0), (6, "nearer", 1.0), (3, "reached", 1.0)])
def test_a_plan_worked_only_where_what_it_was_for_came_nearer_as_it_was_measured(
    coo: Member, later: float, goal: str, rate: float
) -> None:
    measured(coo, 8)
    assert ended(coo).results["goal"] == "open"
    assert known(coo).rates == {}
    assert known(coo).summary in ("", "Based on past work, consider: keep customers (pattern:keep)")
    coo.world.later(days=14)
    measured(coo, later)
    case = coo.handle.cases.case("CASE-I-1")
    assert (case.results["goal"], is_success(case)) == (goal, rate == 1.0)
    assert known(coo).rates["keep"] == (rate, 1)
