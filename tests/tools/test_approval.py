"""What a person is asked, and what nobody is asked because it could only fail."""

from typing import Any

import pytest

from mabos.mind.model import Goal, Plan, Step
from mabos.society.campaigns import Campaign
from mabos.society.decisions import Decision, DecisionAnswer
from mabos.society.governance import write_profile
from mabos.society.pricing import Price, Product
from mabos.tools.catalogue.registry import registry
from mabos.tools.gate.call import call
from tests.tools.offices import office
from tests.world import World

AT = "2026-01-02T00:00:00.000Z"
WHY = {"goal": "G-1", "intention": "I-1", "plan": "P-1", "step": "S-2"}


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A company whose owner sees everything that costs, leaves it or cannot be undone; nothing is ever done in it."""
    world = office(tmp_path_factory.mktemp("company"), threshold=1000, style="hands-on")
    business = world.services.business("acme")
    write_profile(business.directory, {"auto_approve_categories": []}, business.profile)
    business.pricing.products.save(Product("prod_1", "Pro plan"))
    business.pricing.prices.save(Price("price_1", "prod_1", 3900, segment="smb", created_at=AT))
    business.campaigns.save(Campaign("CMP-1", "Spring fair", "events", "mid", 500, 6))
    business.campaigns.save(Campaign("CMP-2", "Old news", "social", "mid", 500, 6, status="stopped"))
    capabilities = world.services.layout.agent("ceo") / "Capabilities.md"
    capabilities.write_text("# Capabilities\n")  # which lists none, and so allows all
    return world


def asked(world: World, agent_id: str, tool: str, **arguments: Any) -> Decision:
    outcome = world.agent(agent_id).ask(tool, **arguments)
    assert outcome.awaiting, outcome
    return world.services.decisions("acme").one(outcome.decision_id)


@pytest.mark.parametrize(
    ("tool", "arguments", "subject"),
    [
        (
            "stripe_create_price",
            {"product": "prod_1", "amount_usd": 49, "segment": "SMB"},
            "Set the price of Pro plan for smb customers to $49 a month, now $39 a month",
        ),
        (
            "stripe_create_price",
            {"product": "pro plan", "amount_usd": 499.5, "interval": "year"},
            "Set the price of Pro plan for all customers to $499.50 a year",
        ),
        (
            "ad_campaign_create",
            {"name": "Autumn", "channel": "search", "segment": "smb", "weekly_budget_usd": 200, "weeks": 4},
            "Record the campaign 'Autumn' on search for smb: $200 a week for 4 weeks ($800)",
        ),
        ("ad_campaign_manage", {"campaign_id": "CMP-1", "action": "pause"}, "Pause the campaign 'Spring fair'"),
        (
            "ad_campaign_manage",
            {"campaign_id": "CMP-1", "action": "set_budget", "weekly_budget_usd": 50},
            "Change the weekly budget of the campaign 'Spring fair' from $500 to $50 ($300)",
        ),
        (
            "work_package_create",
            {
                "title": "Audit", "description": "x", "required_skills": ["law", "tax"], "budget_usd": 5000,
                "deadline": "2026-02-01",
            },
            "Order 'Audit', which needs law, tax, due 2026-02-01 ($5,000)",
        ),
        (
            "business_create",
            {"business_id": "beta", "name": "Beta", "template": "agency"},
            "Found the agency business 'Beta' with nine agents of its own",
        ),
    ],
)  # fmt: skip
def test_a_person_is_asked_in_words_with_titles_and_amounts(
    company: World, tool: str, arguments: dict[str, Any], subject: str
) -> None:
    decision = asked(company, "ceo", tool, **arguments)
    assert decision.subject == subject
    assert decision.description.startswith(f"ceo asks: {subject}. ")
    assert decision.description.endswith(f"It would perform {tool}.")


def test_a_strategic_goal_is_put_before_its_owner_by_what_it_says(company: World) -> None:
    business = company.services.business("acme")
    write_profile(business.directory, {"decision_style": "strategic-only"}, business.profile)
    given = {"level": "strategic", "description": "Enter Japan", "target": "mrr >= 5000", "deadline": "2026-12-31"}
    decision = asked(company, "ceo", "goal_create", **given)
    write_profile(business.directory, {"decision_style": "hands-on"}, business.profile)
    assert decision.subject == "Set the strategic goal 'Enter Japan' (mrr >= 5000) by 2026-12-31"


def test_the_question_says_what_it_is_for(company: World) -> None:
    steps = (Step("S-1", "Look at rivals"), Step("S-2", "Raise the price", tool="stripe_create_price"))
    goal, plan = (
        Goal("G-1", "Reach $100K MRR", "strategic", target="mrr >= 100000"),
        Plan("P-1", "G-1", "Value pricing"),
    )
    company.agent("ceo").mind.save(goal, Plan(plan.id, plan.goal_id, plan.name, steps=steps))
    given = {"product": "prod_1", "amount_usd": 49}
    outcome = call(company.services, "stripe_create_price", given, agent_id="ceo", because=WHY)
    said = company.services.decisions("acme").one(outcome.decision_id).description
    assert "Goal: Reach $100K MRR (mrr >= 100000). Plan: Value pricing: Raise the price. " in said
    assert "The owner decides what leaves the company. " in said


IMPOSSIBLE = [
    ("stripe_create_price", {"product": "Pro plam", "amount_usd": 49}, "product"),
    ("stripe_create_price", {"product": "prod_1", "amount_usd": 0.001}, "amount_usd"),
    ("ad_campaign_manage", {"campaign_id": "CMP-9", "action": "stop"}, "campaign_id"),
    ("ad_campaign_manage", {"campaign_id": "CMP-2", "action": "pause"}, "action"),
    ("ad_campaign_manage", {"campaign_id": "CMP-1", "action": "set_budget"}, "weekly_budget_usd"),
    ("content_generate", {"type": "case_study", "title": "x", "business_id": "beta"}, "business_id"),
    (
        "work_package_create",
        {"title": "x", "description": "x", "required_skills": [], "budget_usd": 9000, "deadline": "soon"},
        "deadline",
    ),
    ("business_create", {"business_id": "acme", "name": "Acme", "template": "saas"}, "business_id"),
    ("business_create", {"business_id": "beta", "name": "Be\nta", "template": "saas"}, "name"),
    ("goal_create", {"level": "strategic", "description": "x", "desire_id": "D-none"}, "desire_id"),
    ("goal_create", {"level": "strategic", "description": "x", "parent_goal_id": "G-none"}, "parent_goal_id"),
    ("goal_create", {"level": "strategic", "description": "x", "deadline": "soon"}, "deadline"),
    ("goal_create", {"level": "strategic", "description": "x", "target": "cash >= (((("}, "target"),
    ("goal_create", {"level": "strategic", "description": "x", "success_criteria": ["cash >="]}, "success_criteria"),
]


@pytest.mark.parametrize(("tool", "arguments", "argument"), IMPOSSIBLE)
def test_what_must_fail_is_refused_before_a_person_is_asked(
    company: World, tool: str, arguments: dict[str, Any], argument: str
) -> None:
    before = company.services.decisions("acme").all(), list(company.services.ledger.entries("ceo"))
    outcome = company.agent("ceo").ask(tool, **arguments, effect="P-1/1/S-1")
    assert (outcome.ok, outcome.awaiting, outcome.argument) == (False, False, argument), outcome
    assert (company.services.decisions("acme").all(), list(company.services.ledger.entries("ceo"))) == before
    assert company.services.directory.effects("ceo").find("P-1/1/S-1") is None


def test_every_tool_that_a_person_may_be_asked_about_says_what_it_does_in_words() -> None:
    governed = [
        tool for tool in registry().all() if tool.external or tool.cost or tool.strategic or not tool.reversible
    ]
    assert len(governed) > 5
    assert [tool.name for tool in governed if tool.about is None] == []


def test_an_approval_is_not_used_up_by_a_call_that_has_become_impossible(company: World) -> None:
    decisions, campaigns = company.services.decisions("acme"), company.services.business("acme").campaigns
    campaigns.save(Campaign("CMP-3", "Sale", "social", "mid", 500, 6))
    given = {"campaign_id": "CMP-3", "action": "pause"}
    decision = asked(company, "cmo", "ad_campaign_manage", **given)
    decisions.resolve(decision.id, DecisionAnswer("approve", AT))
    campaigns.report("CMP-3", spent_usd=3000, leads=4, weeks_run=6)
    assert company.agent("cmo").ask("ad_campaign_manage", **given).argument == "action"
    assert decisions.one(decision.id).granted


def test_an_answer_that_changes_the_action_into_an_impossible_one_is_refused(company: World) -> None:
    decision = asked(company, "ceo", "stripe_create_price", product="prod_1", amount_usd=49)
    answer = {"decision_id": decision.id, "resolution": "modify"}
    for changes in ({"product": "prod_9"}, {"amount_usd": 0}, {"amount_usd": -1}):
        outcome = call(company.services, "decision_resolve", {**answer, "modifications": changes})
        assert (outcome.code, outcome.argument) == ("invalid_argument", "modifications")
    assert company.services.decisions("acme").one(decision.id).open
    assert call(company.services, "decision_resolve", {**answer, "modifications": {"amount_usd": 45}}).ok
