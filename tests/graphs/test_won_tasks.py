"""Tasks in ordinary words: who bids on them and with what, and how a task that was won ends on records."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mabos.society.contract_net import Bid, CallForProposals
from mabos.society.messages import Message
from tests.world import World

SEATS = ("cfo", "cmo", "coo", "cto", "hr", "legal", "strategy", "knowledge")
BIDDERS = {
    "Review the terms of service before the relaunch": "legal",
    "Have the product's security reviewed from outside": "cto",
    "Score our leads": "cmo",
    "Start a search campaign named 'Spring' with 100 dollars a week for 2 weeks for everybody": "cmo",
    "Prepare the figures for our investors": "cfo",
}


@pytest.fixture
def company(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as world:
        for name, value in {"cash": 200_000, "runway_months": 12, "mrr": 20_000}.items():  # plans rest on these
            world.do("metrics_record", "cfo", name=name, value=value)
        yield world


def tendered(company: World, task: str, *asked: str, task_id: str = "CFP-1") -> CallForProposals:
    """Call for proposals in the CEO's name, let all who are asked answer, and return the call."""
    company.do("contract_net_initiate", "ceo", task_id=task_id, task_description=task, candidates=list(asked or SEATS))
    for agent in asked or SEATS:
        company.cycle(agent)
    return company.services.contract_net.task(task_id)


def awarded(company: World, task: str, winner: str, cycles: int = 4) -> list[Message]:
    """Have a task awarded to the only one who is asked, who goes on with it; return the words about how it ended."""
    assert [one.agent_id for one in tendered(company, task, winner).proposals] == [winner]
    company.cycle("ceo")
    for _ in range(cycles):
        company.cycle(winner)
        for one in company.questions():
            company.answer(decision_id=one.id)
    return word(company)


def word(company: World) -> list[Message]:
    heard = company.services.mail.heard("ceo", "CFP-1")
    return [one for one in heard if one.performative in ("INFORM", "FAILURE")]


def bid_of(company: World, task: str, agent: str) -> Bid:
    return next(one for one in tendered(company, task, agent).proposals if one.agent_id == agent)


def test_ordinary_tasks_are_bid_on_by_those_who_have_an_operation_or_a_plan_for_them(company: World) -> None:
    for number, (task, agent) in enumerate(BIDDERS.items()):
        found = tendered(company, task, task_id=f"CFP-{number}")
        assert agent in [one.agent_id for one in found.proposals], task
        assert len(found.proposals) < len(SEATS), task


@pytest.mark.parametrize("task", ["Paint the ceiling of the office", "Start a search campaign named 'Spring'"])
def test_what_nobody_can_do_or_what_does_not_say_enough_gets_no_bid(company: World, task: str) -> None:
    found = tendered(company, task)
    assert found.proposals == ()
    said = company.services.mail.heard("ceo", found.id)
    assert {one.performative for one in said} == {"REFUSE"}


def test_a_bid_costs_what_its_operation_or_plan_costs(company: World) -> None:
    campaign = next(one for one in BIDDERS if "campaign" in one)
    assert bid_of(company, campaign, "cmo").estimated_cost == 200


def test_an_order_that_was_won_is_done_when_its_record_is_there_and_the_word_about_it_is_said_once(
    company: World,
) -> None:
    (done,) = awarded(company, next(one for one in BIDDERS if "campaign" in one), "cmo")
    (campaign,) = company.business.campaigns.all()
    assert (campaign.name, campaign.weekly_budget_usd, campaign.weeks) == ("Spring", 100, 2)
    assert (done.performative, campaign.id in done.content) == ("INFORM", True)
    assert company.agent("cmo").mind.commitment("COM-CFP-1").status == "met"
    company.cycle("cmo")
    assert len(word(company)) == 1
    company.cycle("ceo")
    assert company.agent("ceo").mind.value("CFP-1", "status") == "done"


def test_commissioned_work_is_done_when_it_is_delivered_and_not_before(company: World) -> None:
    assert awarded(company, "Have the product's security reviewed from outside", "cto") == []
    (package,) = [one for one in company.business.workforce.packages.all() if one.title == "Security review"]
    company.do("work_package_update", "cto", package_id=package.id, status="delivered")
    company.cycle("cto")
    (done,) = word(company)
    assert (done.performative, package.id in done.content) == ("INFORM", True)


def test_what_the_owner_rejects_is_given_up_with_the_reason(company: World) -> None:
    task = next(one for one in BIDDERS if "campaign" in one)
    tendered(company, task, "cmo")
    for agent in ("ceo", "cmo"):
        company.cycle(agent)
    company.answer("reject", feedback="not this spring")
    for _ in range(2):
        company.cycle("cmo")
    (failed,) = word(company)
    assert (failed.performative, "not this spring" in failed.content) == ("FAILURE", True)
    assert company.agent("cmo").mind.commitment("COM-CFP-1").status == "breached"
    assert company.business.campaigns.all() == ()


def test_a_plan_that_nothing_can_check_is_told_as_carried_out(company: World) -> None:
    (said,) = awarded(company, "Prepare the figures for our investors", "cfo", cycles=6)
    assert (said.performative, said.metadata["value"]) == ("INFORM", "carried out")
