"""What planning knows of earlier work: rates and warnings for goals like this, and nothing where nothing was done."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from mabos.graphs import wiring
from mabos.mind.model import Belief, Goal, Intention, Plan, Step
from mabos.nodes.cycle import Cycle
from mabos.nodes.learning.episodes import share
from mabos.nodes.open_workspaces import OPEN, begin
from mabos.nodes.planning.experience import Experience, experience
from mabos.nodes.state import Context
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import iso

GOAL = Goal("G-now", "Lose fewer customers", target="churn_rate < 5%")


@pytest.fixture
def cycle(services: Services) -> Iterator[Cycle]:
    found = begin(OPEN.find(services.layout.root), "coo", Context(agent_id="coo"))
    yield found
    found.end()


def measured(churn: str) -> Belief:
    """Return what is believed of the share of customers that leave."""
    return Belief("B-churn", f"churn is {churn}", 0.95, subject="churn_rate", value=churn)


def applied(services: Services, agent_id: str, number: int, status: Any, more: Mapping[str, Any] = {}) -> Intention:
    """Let an agent have applied a template for a goal, and tell it."""
    agent, now = services.agent(agent_id, caller=Caller("agent", agent_id)), iso(services.clock())
    goal = replace(GOAL, id=f"G-{number}", **more)
    step = Step("s1", "Call those at risk", "agent_message", status="done" if status == "completed" else "failed")
    plan = Plan(f"P-{number}", goal.id, "keep customers", steps=(step,), status=status, template="keep_customers")
    intention = Intention(f"I-{number}", goal.id, plan.id, status=status, started=now, updated=now, reason="too late")
    agent.mind.save(goal, plan, intention, measured("3%" if status == "completed" else "9%"))
    assert share(agent, [intention]) == ""
    return intention


def test_nothing_is_known_where_nothing_was_done_and_nothing_is_opened_for_it(cycle: Cycle, services: Services) -> None:
    assert experience(cycle.agent, GOAL) == Experience()
    assert not (services.layout.internal / "graph" / "acme.sqlite").exists()


def test_a_rate_counts_what_every_agent_tried_for_goals_like_this(cycle: Cycle, services: Services) -> None:
    applied(services, "coo", 1, "completed")
    applied(services, "cmo", 2, "failed")
    applied(services, "cmo", 3, "completed", {"description": "Win back customers"})
    applied(services, "cto", 4, "failed", {"description": "Lose fewer customers of ours", "target": "quality > 0.9"})
    found = experience(cycle.agent, GOAL)
    assert found.rates == {"keep_customers": (2 / 3, 3)}
    assert found.patterns == ("pattern:keep_customers",)
    told = "keep customers (pattern:keep_customers, it did what it was for in 2 of 4 cases)"
    assert found.summary == f"Based on past work, consider: {told}"


def test_what_failed_for_a_colleague_warns_with_the_task_and_the_reason(cycle: Cycle, services: Services) -> None:
    applied(services, "cmo", 2, "failed")
    assert experience(cycle.agent, GOAL).warnings == {"keep_customers": ("I-2: it ended as failure for cmo: too late",)}


def test_a_goal_without_a_measured_target_is_like_another_in_the_same_words(cycle: Cycle, services: Services) -> None:
    goal = {"target": "", "description": "Write to those customers who may leave"}
    applied(services, "cmo", 1, "completed", {**goal, "status": "achieved"})
    like = Goal("G-2", "Write to customers who may leave")
    assert experience(cycle.agent, like).rates == {"keep_customers": (1.0, 1)}
    assert experience(cycle.agent, Goal("G-2", "Hire a second accountant")).rates == {}


def test_what_failed_for_the_agent_itself_is_told_with_what_it_learnt(cycle: Cycle, services: Services) -> None:
    applied(services, "coo", 1, "failed")
    wiring.run_cycle(services, "coo", max_steps=0)
    agent = services.agent("coo")
    again = begin(OPEN.find(services.layout.root), "coo", Context(agent_id="coo"))
    (said,) = experience(again.agent, GOAL).warnings["keep_customers"]
    again.end()
    assert said.startswith("CASE-I-1: it ended as failure in a situation like this (")
    lesson = next(one for one in agent.mind.learnings if one.id == "LRN-I-1")
    assert said.endswith(f"; LRN-I-1: {lesson.insight}")


def test_what_a_colleague_may_not_see_it_does_not_plan_with(cycle: Cycle, services: Services) -> None:
    applied(services, "cmo", 1, "completed")
    hidden = {"action": "set_visibility", "entity": "pattern:keep_customers", "visibility": "agent-private"}
    assert call(services, "knowledge", hidden, caller=Caller("agent", "cmo")).ok
    assert experience(cycle.agent, GOAL) == Experience()


def test_earlier_decisions_and_insights_about_the_same_apply_too(cycle: Cycle, services: Services) -> None:
    for type_, label in (
        ("Decision", "Lose fewer customers by calling them"),
        ("Insight", "Fewer customers are lost when answers are quick"),
    ):
        made = call(services, "knowledge", {"action": "create_entity", "type": type_, "label": label})
        assert made.ok, made.message
    for label in ("Paint dries in a day", "Customers like blue chairs, and chairs sell best in spring"):
        call(services, "knowledge", {"action": "create_entity", "type": "Insight", "label": label})
    found = experience(cycle.agent, GOAL)
    assert set(found.patterns) >= {
        "decision:lose-fewer-customers-by-calling-them",
        "insight:fewer-customers-are-lost-when-answers-are-quick",
    }
    assert not {"Paint", "blue"} & set(found.summary.split())
