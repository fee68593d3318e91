"""What a plan promised is held against what is measured later, in cycles run for real."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mabos.graphs import wiring
from mabos.knowledge.model import Case
from mabos.mind.expectations import NEUTRAL, trust
from mabos.mind.model import Belief, Goal, Intention, Plan, Step
from mabos.mind.situation import worked
from mabos.nodes.cycle import begin
from mabos.nodes.open_workspaces import OPEN
from mabos.nodes.planning.experience import Experience, experience
from mabos.nodes.state import Context
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso

AGENT = "coo"


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(datetime(2026, 2, 2, 9, tzinfo=UTC))


@pytest.fixture
def services(tmp_path: Path, clock: SteppedClock) -> Iterator[Services]:
    with wiring.opened(tmp_path / "workspace", clock=clock) as opened:
        made = call(opened, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        assert made.ok, made.message
        yield opened


def measured(services: Services, value: float) -> None:
    """Record the share of customers lost, and let the agent see it."""
    done = call(services, "metrics_record", {"name": "churn_rate", "value": value, "unit": "%", "source": "billing"})
    assert done.ok, done.message
    wiring.run_cycle(services, AGENT, max_steps=0)


def carried_out(services: Services, number: int = 1) -> Plan:
    """Leave a plan for less churn that is through."""
    now = iso(services.clock())
    goal = Goal(f"G-{number}", "Lose fewer customers", target="churn_rate < 5%", created=now)
    step = Step("s1", "Call those at risk", "agent_message", status="done")
    plan = Plan(
        f"P-{number}", goal.id, "keep customers", steps=(step,), status="completed", template="keep", created=now,
        updated=now,
    )  # fmt: skip
    services.agent(AGENT).mind.save(goal, plan)
    return plan


def known(services: Services) -> Experience:
    """Return what planning for the same goal would know now."""
    cycle = begin(OPEN.find(services.layout.root), AGENT, Context(agent_id=AGENT))
    try:
        return experience(cycle, Goal("G-2", "Lose fewer customers", target="churn_rate < 5%"))
    finally:
        cycle.end()


def test_a_goal_that_went_the_other_way_costs_the_plan_trust_and_leaves_a_lesson(
    services: Services, clock: SteppedClock
) -> None:
    measured(services, 8)
    plan = carried_out(services)
    clock.advance(timedelta(days=14))
    measured(services, 9)
    mind = services.agent(AGENT).mind
    assert trust(mind.beliefs) == {"keep": 0.25}
    (lesson,) = [one for one in mind.learnings if one.id == f"LRN-{plan.id}"]
    assert lesson.insight == ("Keep customers contradicted: expected churn_rate < 5%; churn_rate was 8% and is 9%")
    (entry,) = [
        one for one in services.ledger_index().entries(agents=[AGENT], kinds=["learn"]) if "effects" in one.body
    ]
    assert entry.body["effects"][plan.id].startswith("contradicted: expected churn_rate < 5%")
    assert known(services).held == {"keep": 0.25 / NEUTRAL}


def test_what_came_as_expected_makes_the_plan_more_trusted_and_is_judged_once(
    services: Services, clock: SteppedClock
) -> None:
    measured(services, 8)
    carried_out(services)
    clock.advance(timedelta(days=7))
    measured(services, 4)
    once = trust(services.agent(AGENT).mind.beliefs)
    assert once == {"keep": 0.625}
    clock.advance(timedelta(days=7))
    measured(services, 9)
    assert trust(services.agent(AGENT).mind.beliefs) == once


def test_the_judgement_outlives_a_restart(tmp_path: Path, clock: SteppedClock) -> None:
    with wiring.opened(tmp_path / "workspace", clock=clock) as services:
        call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        measured(services, 8)
        carried_out(services)
    clock.advance(timedelta(days=14))
    for value in (8, 3):
        with wiring.opened(tmp_path / "workspace", clock=clock) as services:
            clock.advance(timedelta(days=1))
            measured(services, value)
            assert trust(services.agent(AGENT).mind.beliefs) == {"keep": 0.375}


def test_nothing_is_known_of_a_plan_that_nothing_was_observed_of(services: Services) -> None:
    services.agent(AGENT).mind.save(Belief("B-1", "keep effects are good", subject="keep", predicate="effects"))
    assert known(services) == Experience()


def test_what_a_call_answers_revises_a_belief_and_is_held_against_what_was_expected(services: Services) -> None:
    now, agent = iso(services.clock()), services.agent(AGENT)
    goal = Goal("G-1", "Know the figure", priority=0.9, created=now)
    told = {"name": "latency_seconds", "value": 2.3, "unit": "s", "source": "probe"}
    effects = ("probe unit ms", "probe unit {result.unit}", "probe latency {result.value}", "probe cost {result.usd}")
    step = Step("s1", "Measure", "metrics_record", told, effects=effects)
    plan = Plan("P-1", goal.id, "measure", steps=(step,), status="active", template="probe", created=now, updated=now)
    agent.mind.save(goal, plan, Intention("I-1", goal.id, plan.id, started=now, updated=now))
    wiring.run_cycle(services, AGENT)
    mind = services.agent(AGENT).mind
    assert mind.value("probe", "latency") == "2.3"
    assert mind.value("probe", "cost") is None
    (entry,) = [
        one for one in services.ledger_index().entries(agents=[AGENT], kinds=["learn"]) if "effects" in one.body
    ]
    assert entry.body["effects"] == {"P-1": "contradicted: expected probe unit ms; probe unit s (step s1 of measure)"}
    assert trust(mind.beliefs) == {"probe": 0.25}


def ended(services: Services) -> Case:
    """Let the agent learn from a plan for less churn of which every step was done, and return its case."""
    plan, now = carried_out(services), iso(services.clock())
    over = Intention("I-1", plan.goal_id, plan.id, status="completed", started=now, updated=now, reason="all is done")
    services.agent(AGENT).mind.save(over)
    wiring.run_cycle(services, AGENT, max_steps=0)
    return services.agent(AGENT).cases.case("CASE-I-1")


@pytest.mark.parametrize(("later", "goal", "rate"), [(8.5, "missed", 0.0), (6, "nearer", 1.0), (3, "reached", 1.0)])
def test_a_plan_worked_only_where_what_it_was_for_came_nearer_as_it_was_measured(
    services: Services, clock: SteppedClock, later: float, goal: str, rate: float
) -> None:
    measured(services, 8)
    assert ended(services).results["goal"] == "open"
    assert known(services).rates == {}
    assert known(services).summary in ("", "Based on past work, consider: keep customers (pattern:keep)")
    clock.advance(timedelta(days=14))
    measured(services, later)
    case = services.agent(AGENT).cases.case("CASE-I-1")
    assert (case.results["goal"], worked(case)) == (goal, rate == 1.0)
    assert known(services).rates["keep"] == (rate, 1)
