"""What agents begin by themselves: proposed to the owner, or done for a measured figure within the owner's limits."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.mind.model import Desire, Goal
from mabos.society.messages import Message
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.services import PERSON, Caller
from tests.world import World

CAMPAIGN: dict[str, Any] = {
    "name": "Spring",
    "channel": "search",
    "segment": "smb",
    "weekly_budget_usd": 300,
    "weeks": 2,
}


@pytest.fixture
def company(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as world:
        yield world


def wants(company: World, agent_id: str, desire_id: str, target: str = "leads >= 40") -> str:
    """Give an agent a goal of a desire, and return its id."""
    goal = Goal(f"G-{agent_id}", "More leads", desire_id=desire_id, target=target, created=company.now)
    company.agent(agent_id).mind.save(Desire(desire_id, "More leads", target=target), goal)
    return goal.id


def booked(company: World, agent_id: str, goal_id: str, **more: Any) -> Outcome:
    """Return what came of a campaign that an agent books for a goal."""
    because = {"goal": goal_id, "plan": "P-1", "step": "s1"}
    caller = Caller("agent", agent_id)
    return call(company.services, "ad_campaign_create", CAMPAIGN | more, caller=caller, cycle="C-1", because=because)


def acts(company: World, **figures: float) -> None:
    company.do("stakeholder_profile", business_id="acme", initiative="act", approval_threshold_usd=1000)
    for name, value in figures.items():
        company.do("metrics_record", name=name, value=value, business_id="acme")


def test_what_nobody_asked_for_is_proposed_with_its_reason_and_not_done(company: World) -> None:
    company.do("metrics_record", name="leads", value=10, business_id="acme")
    outcome = booked(company, "cmo", wants(company, "cmo", "D-cmo-001"))
    assert outcome.awaiting
    decision = company.services.decisions("acme").one(outcome.decision_id)
    assert "leads is 10" in decision.reasons[0]
    assert not company.business.campaigns.all()


def test_without_a_measured_figure_nothing_that_nobody_asked_for_is_even_proposed(company: World) -> None:
    assert booked(company, "cmo", wants(company, "cmo", "D-cmo-001")).code == "unfounded"
    assert company.questions() == []


def test_with_leave_to_act_a_measured_figure_that_misses_its_target_is_the_reason_on_the_ledger(company: World) -> None:
    acts(company, leads=10)
    assert booked(company, "cmo", wants(company, "cmo", "D-cmo-001")).ok
    told = [one.body["figure"] for one in company.services.ledger.entries("cmo") if one.kind == "call"]
    assert told == [f"leads is 10 as of {company.now[:10]}; wanted: leads >= 40"]


def test_nobody_spends_by_itself_against_a_freeze_that_the_cfo_announced_until_it_is_over(company: World) -> None:
    acts(company, leads=10)
    tell = {"to": "coo", "performative": "INFORM"}
    company.agent("cfo").do("agent_message", **tell, content="A spending freeze holds from today.")
    outcome = booked(company, "cmo", wants(company, "cmo", "D-cmo-001"))
    assert outcome.awaiting
    assert "cfo announced a freeze" in company.services.decisions("acme").one(outcome.decision_id).reasons[0]
    company.answer("reject")
    company.agent("cfo").do("agent_message", **tell, content="The freeze is over.")
    assert booked(company, "cmo", "G-cmo", name="Summer").ok


@pytest.mark.parametrize("figures", [{}, {"leads": 50}])
def test_with_leave_to_act_nothing_is_done_without_a_measured_figure_that_misses_its_target(
    company: World, figures: dict[str, float]
) -> None:
    acts(company, **figures)
    assert booked(company, "cmo", wants(company, "cmo", "D-cmo-001")).awaiting


def test_sums_count_for_all_agents_and_channels_together(company: World) -> None:
    acts(company, leads=10)
    company.services.layout.agent("ceo").joinpath("Capabilities.md").write_text("# Capabilities\n")
    assert booked(company, "cmo", wants(company, "cmo", "D-cmo-001")).ok
    second = booked(company, "ceo", wants(company, "ceo", "D-ceo-001"), channel="social")
    assert second.awaiting
    assert "$1,200 with what all agents spent in a day" in second.message


@pytest.mark.parametrize(("sender", "done"), [("stakeholder", True), ("ceo", False)])
def test_what_a_person_asked_for_is_done_and_what_a_colleague_began_is_proposed(
    company: World, sender: str, *, done: bool
) -> None:
    company.services.mail.deliver(Message("MSG-1", sender, "cmo", "REQUEST", "Win more leads", company.now))
    assert booked(company, "cmo", wants(company, "cmo", "D-MSG-1")).ok == done


OWN_GOAL: dict[str, Any] = {"level": "operational", "description": "Win more leads"}


def created(company: World, caller: Caller, key: str | None = None, **because: str) -> str:
    """Return the id of a goal that an agent creates, or a person for the cmo."""
    agent_id = caller.agent_id or "cmo"
    outcome = call(
        company.services, "goal_create", OWN_GOAL, caller=caller, agent_id=agent_id, cycle="C-1", key=key,
        because=because,
    )  # fmt: skip
    return str(outcome.result["goal_id"])


def test_a_goal_that_a_person_created_counts_as_asked_for(company: World) -> None:
    assert booked(company, "cmo", created(company, PERSON)).ok


@pytest.mark.parametrize("key", [None, "G-1"])
def test_a_goal_that_the_agent_created_by_itself_does_not_count_as_a_persons(company: World, key: str | None) -> None:
    goal_id = created(company, Caller("agent", "cmo"), key)
    assert booked(company, "cmo", goal_id).code == "unfounded"
    assert not company.business.campaigns.all()


def test_a_goal_that_the_agent_created_for_a_goal_of_a_person_counts_as_asked_for(company: World) -> None:
    asked = created(company, PERSON)
    assert booked(company, "cmo", created(company, Caller("agent", "cmo"), goal=asked)).ok


def test_nothing_is_drafted_for_a_goal_that_the_agent_created_by_itself(company: World) -> None:
    because = {"goal": created(company, Caller("agent", "hr")), "plan": "P-1", "step": "s1"}
    piece = {"type": "announcement", "title": "Contractors wanted"}
    outcome = call(company.services, "content_generate", piece, caller=Caller("agent", "hr"), because=because)
    assert outcome.code == "unfounded"
    assert not company.business.content.all()
