"""What colleagues are told of their requests: why something is refused, what is done, and what is only assumed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mabos.society.messages import Message
from tests.world import World

STOP = "The owner decided to stop advertising. Please stop the campaigns."
CAMPAIGN = {"channel": "search", "segment": "smb", "weekly_budget_usd": 100, "weeks": 4}


@pytest.fixture
def company(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path) as world:
        yield world


def asks(company: World, content: str, to: str, target: str = "") -> str:
    """Let the CFO ask a colleague for something, and return the message's id."""
    metadata = {"target": target} if target else {}
    said = company.agent("cfo").do("agent_message", to=to, performative="REQUEST", content=content, metadata=metadata)
    return str(said["message_id"])


def answers(company: World, asked: str, by: str) -> list[Message]:
    return [one for one in company.agent("cfo").messages(by) if one.reply_to == asked]


def test_a_refusal_names_what_stands_in_the_way_of_each_plan_that_was_looked_at(company: World) -> None:
    for name, value in (("ad_spend", 0), ("cac", 300)):
        company.do("metrics_record", name=name, value=value, business_id="acme")
    asked = asks(company, "Please tune paid campaigns.", "cmo", target="cac < 100")
    for _ in range(3):
        company.cycle("cmo")
    (said,) = [one for one in answers(company, asked, "cmo") if one.performative == "REFUSE"]
    assert "ad_spend >= 150" in said.content


def test_what_is_blocked_already_is_refused_again_and_not_called_served(company: World) -> None:
    first = asks(company, "Please hold new work packages.", "coo", target="contractor_spend < 1")
    company.cycle("coo")
    company.cycle("coo")
    again = asks(company, "Please hold new work packages.", "coo", target="contractor_spend < 1")
    company.cycle("coo")
    assert [one.performative for one in answers(company, first, "coo")] == ["REFUSE"]
    assert [one.performative for one in answers(company, again, "coo")] == ["REFUSE"]


def test_campaigns_stop_when_finance_asks_for_it_and_done_is_said_when_the_figure_shows_it(company: World) -> None:
    for name in ("Spring", "Autumn"):
        company.do("ad_campaign_create", "cmo", name=name, **CAMPAIGN)
    company.do("metrics_record", name="ad_spend", value=800, business_id="acme")
    asked = asks(company, STOP, "cmo", target="ad_spend < 1")
    for _ in range(4):
        company.cycle("cmo")
        for one in company.questions():  # a colleague asked, not the owner: it is proposed
            company.answer(decision_id=one.id)
    assert {one.status for one in company.business.campaigns.all()} == {"stopped"}
    assert "INFORM" not in [one.performative for one in answers(company, asked, "cmo")]
    company.later(days=7)
    company.do("metrics_record", name="ad_spend", value=0, business_id="acme")
    company.cycle("cmo")
    (done,) = [one for one in answers(company, asked, "cmo") if one.performative == "INFORM"]
    assert company.agent("cmo").mind.goal(next(iter(goals_of(company, asked)))).status == "achieved"
    assert "ad_spend < 1" in done.content


def test_words_that_mean_some_campaigns_stop_none_of_them(company: World) -> None:
    company.do("ad_campaign_create", "cmo", name="Spring", **CAMPAIGN)
    asked = asks(company, "Stop the campaigns whose payback is above twelve months.", "cmo")
    for _ in range(4):
        company.cycle("cmo")
    assert [one.performative for one in answers(company, asked, "cmo")] == ["REFUSE"]
    assert {one.status for one in company.business.campaigns.all()} == {"recorded"}
    assert not [one for one in company.questions() if "campaign" in one.subject]


def goals_of(company: World, asked: str) -> list[str]:
    return [one.id for one in company.agent("cmo").mind.goals if one.desire_id == f"D-{asked}"]


def test_a_plan_that_asks_for_figures_waits_until_they_are_there_and_goes_on_then(company: World) -> None:
    company.agent("ceo").do("agent_message", to="cfo", performative="REQUEST", content="Please review the budget.")
    for _ in range(3):
        company.cycle("cfo")
    (plan,) = [one for one in company.agent("cfo").mind.plans if one.template == "figures_request"]
    assert [step.status for step in plan.steps] == ["done", "pending"]
    company.later(days=1)
    company.do("metrics_record", name="cash", value=300_000, business_id="acme")
    for _ in range(3):
        company.cycle("cfo")
    assert company.agent("cfo").mind.plan(plan.id).status == "completed"


def test_an_assumption_of_a_role_is_told_as_one(company: World) -> None:
    held = next(one for one in company.agent("ceo").mind.beliefs if one.subject == "failure_cause")
    query = {"performative": "QUERY", "content": "What is it?", "metadata": {"subject": held.subject}}
    company.agent("cfo").do("agent_message", to="ceo", **query)
    company.cycle("ceo")
    (told,) = company.agent("cfo").messages("ceo")
    assert held.source == "role"
    assert "assume" in told.content


def test_a_structured_question_is_answered_with_the_value(company: World) -> None:
    belief = {"subject": "mrr", "predicate": "aim", "value": "90000", "certainty": 0.9, "source": "plan"}
    company.agent("ceo").do("belief_update", description="What we aim at", **belief)
    query = {"performative": "QUERY", "content": "What is it?", "metadata": {"subject": "mrr", "predicate": "aim"}}
    company.agent("cfo").do("agent_message", to="ceo", **query)
    company.cycle("ceo")
    (told,) = company.agent("cfo").messages("ceo")
    assert "90000" in told.content
