"""Beliefs, goals and commitments through the call path."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Caller
from tests.tools.offices import office
from tests.world import World


@pytest.fixture
def company(tmp_path: Path) -> World:
    return office(tmp_path)


def churn(
    company: World, value: str = "3.2%", certainty: float = 0.92, source: str = "analytics_api"
) -> Mapping[str, Any]:
    said = {"description": f"churn_rate is {value}", "subject": "churn_rate", "value": value}
    return company.agent("cfo").do("belief_update", certainty=certainty, source=source, **said)


def test_a_belief_is_held_and_found_again_by_its_category(company: World) -> None:
    made = company.agent("cfo").do(
        "belief_update", description="The team is tired", certainty=0.7, source="coo", category="agent"
    )
    assert (made["change"], made["created"], made["status"]) == ("new", True, "held")
    found = company.agent("cfo").do("belief_get", category="agent")
    assert made["belief_id"] in [belief["belief_id"] for belief in found["beliefs"]]
    assert all(belief["category"] == "agent" for belief in found["beliefs"])


def test_a_revision_says_what_changed_and_is_logged(company: World) -> None:
    first = churn(company)
    again = churn(company, "4.1%", 0.8)
    assert again["belief_id"] == first["belief_id"]
    assert (again["change"], again["previous_certainty"], again["certainty_delta"]) == ("revised", 0.92, -0.12)
    (entry,) = company.agent("cfo").mind.belief(first["belief_id"]).revisions
    assert (entry.before, entry.after, entry.source) == ("3.2%", "4.1%", "analytics_api")


def test_a_contradiction_by_a_less_trusted_source_is_kept_and_flagged(company: World) -> None:
    churn(company)
    other = churn(company, "5.8%", 0.85, "crm_export")
    assert (other["change"], other["status"]) == ("rejected", "flagged")
    assert company.agent("cfo").mind.value("churn_rate") == "3.2%"


def test_a_belief_that_wins_supersedes_an_older_one_and_flags_one_of_a_better_source(company: World) -> None:
    first = churn(company, "3.2%", 0.6)
    second = churn(company, "5.8%", 0.8, "ledger")
    assert (second["superseded"], second["flagged"]) == ([first["belief_id"]], [])
    third = churn(company, "4.4%", 0.95, "crm_export")
    assert (third["superseded"], third["flagged"]) == ([], [second["belief_id"]])


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"description": "x", "certainty": 1.2, "source": "y"}, "certainty"),
        ({"description": "x", "source": "y"}, "certainty"),
        ({"description": "x", "certainty": 0.5, "source": "y", "category": "weather"}, "category"),
        ({"description": "x", "certainty": 0.5, "source": "y", "expires": "soon"}, "expires"),
    ],
)
def test_a_bad_belief_is_refused_by_name_and_nothing_is_written(
    company: World, arguments: dict[str, Any], argument: str
) -> None:
    before = company.agent("cfo").mind.seq
    outcome = company.agent("cfo").ask("belief_update", **arguments)
    assert (outcome.ok, outcome.argument) == (False, argument)
    assert company.agent("cfo").mind.seq == before


def test_goals_form_three_tiers(company: World) -> None:
    top = company.do("goal_create", "ceo", level="strategic", description="Reach $100K MRR", target="mrr >= 100000")
    below = {"parent_goal_id": top["goal_id"], "deadline": "2026-06-01", "priority": 0.7}
    low = company.agent("ceo").do("goal_create", level="tactical", description="Reduce churn", **below)
    assert (low["level"], low["status"], low["priority"]) == ("tactical", "active", 0.7)
    assert company.agent("ceo").mind.goal(top["goal_id"]).success_criteria == ("mrr >= 100000",)
    wrong = company.agent("ceo").ask("goal_create", level="tactical", description="x", parent_goal_id=low["goal_id"])
    assert (wrong.code, wrong.argument) == ("invalid_argument", "parent_goal_id")


def test_a_goal_may_have_a_budget_which_stands_in_its_file(company: World) -> None:
    given: dict[str, Any] = {"level": "operational", "description": "Be known", "goal_id": "G-known"}
    made = company.agent("cfo").do("goal_create", **given, budget={"usd": 500, "calls": 20})
    assert made["goal"]["budget"] == {"usd": 500.0, "calls": 20.0}
    company.agent("cfo").mind.checkpoint()
    text = (company.services.layout.agent("cfo") / "Goals.md").read_text("utf-8")
    assert "- **Budget:** usd: 500; calls: 20" in text
    assert dict(company.agent("cfo").mind.goal("G-known").budget) == {"usd": 500.0, "calls": 20.0}


@pytest.mark.parametrize("budget", [{"euros": 5}, {"usd": -1}, {"usd": "much"}])
def test_a_budget_that_nobody_could_keep_is_refused(company: World, budget: dict[str, Any]) -> None:
    given: dict[str, Any] = {"level": "operational", "description": "Be known", "goal_id": "G-known", "budget": budget}
    answer = company.agent("cfo").ask("goal_create", **given)
    assert not answer.ok
    assert "budget" in (answer.argument or "")
    assert not any(goal.id == "G-known" for goal in company.agent("cfo").mind.goals)


def test_a_goal_inherits_the_priority_of_its_desire(company: World) -> None:
    desire = company.agent("cfo").mind.desires[0]
    made = company.agent("cfo").do("goal_create", level="operational", description="x", desire_id=desire.id)
    assert made["priority"] == pytest.approx(desire.priority, abs=0.05)


def test_the_same_goal_again_is_the_same_goal_and_another_under_its_id_is_refused(company: World) -> None:
    given = {"level": "operational", "description": "x", "goal_id": "G-1"}
    company.agent("cfo").do("goal_create", **given)
    assert company.agent("cfo").do("goal_create", **given)["goal_id"] == "G-1"
    assert company.agent("cfo").ask("goal_create", **given | {"description": "y"}).argument == "goal_id"


def test_an_agent_asks_before_it_sets_itself_a_strategic_goal_and_a_person_need_not(company: World) -> None:
    given = {"level": "strategic", "description": "Enter Japan"}
    asked = company.agent("ceo").call("goal_create", given)
    assert asked.awaiting
    assert not [goal for goal in company.agent("ceo").mind.goals if goal.description == "Enter Japan"]
    company.do("decision_resolve", "ceo", decision_id=asked.decision_id, resolution="approve")
    again = call(
        company.services, "goal_create", given, caller=Caller("agent", "ceo"), key="decision:" + asked.decision_id
    )
    assert again.ok
    assert call(company.services, "goal_create", given | {"agent_id": "cfo"}).ok


@pytest.mark.parametrize(
    ("tool", "arguments", "argument"),
    [
        ("goal_evaluate", {"goal_id": "G-none"}, "goal_id"),
        ("goal_create", {"level": "tactical", "description": "x", "desire_id": "D-none"}, "desire_id"),
        ("intention_commit", {"goal_id": "G-none", "plan_id": "P-none"}, "goal_id"),
        ("desire_drop", {"desire_id": "D-none"}, "desire_id"),
        ("intention_reconsider", {"intention_id": "I-none", "trigger": "external_event"}, "intention_id"),
        ("plan_generate", {"goal_id": "G-none"}, "goal_id"),
        ("plan_execute_step", {"plan_id": "P-none"}, "plan_id"),
        ("plan_adapt", {"source_case_id": "C-none", "target_goal_id": "G-none"}, "source_case_id"),
        ("htn_decompose", {"goal_description": "x", "goal_id": "G-none"}, "goal_id"),
    ],
)
def test_an_unknown_id_is_never_answered_with_success(
    company: World, tool: str, arguments: dict[str, Any], argument: str
) -> None:
    outcome = company.agent("cfo").ask(tool, **arguments)
    assert (outcome.code, outcome.argument) == ("unknown_id", argument)


def test_a_goal_is_evaluated_with_its_four_outputs(company: World) -> None:
    churn(company, "4%")
    made = company.agent("cfo").do("goal_create", level="tactical", description="Less churn", target="churn_rate < 3%")
    found = company.agent("cfo").do("goal_evaluate", goal_id=made["goal_id"])
    assert (found["achievable"], found["blockers"], found["recommendation"]) == (True, [], "continue")
    assert found["progress_assessment"].startswith("75% complete")
    churn(company, "2%")
    assert company.agent("cfo").do("goal_evaluate", goal_id=made["goal_id"])["status"] == "achieved"


def test_a_commitment_links_goal_and_plan_and_there_is_one_for_a_goal(company: World) -> None:
    goal = company.agent("cfo").do(
        "goal_create", level="operational", description="File the tax return", deadline="2026-03-01"
    )
    plan = company.agent("cfo").do("plan_generate", goal_id=goal["goal_id"], steps=[{"description": "Ask the adviser"}])
    given = {"goal_id": goal["goal_id"], "plan_id": plan["plan_id"]}
    made = company.agent("cfo").do("intention_commit", **given)
    assert (made["strategy"], made["status"], made["deadline"]) == ("single-minded", "active", "2026-03-01")
    assert company.agent("cfo").do("intention_commit", **given)["intention_id"] == made["intention_id"]
    other = company.agent("cfo").do("plan_generate", goal_id=goal["goal_id"], steps=[{"description": "Do it alone"}])
    assert (
        company.agent("cfo").ask("intention_commit", goal_id=goal["goal_id"], plan_id=other["plan_id"]).argument
        == "goal_id"
    )


def test_a_plan_for_another_goal_cannot_be_committed_to(company: World) -> None:
    ids = [
        company.agent("cfo").do("goal_create", level="operational", description=name)["goal_id"] for name in ("a", "b")
    ]
    plan = company.agent("cfo").do("plan_generate", goal_id=ids[0], steps=[{"description": "x"}])
    outcome = company.agent("cfo").ask("intention_commit", goal_id=ids[1], plan_id=plan["plan_id"])
    assert (outcome.code, outcome.argument) == ("invalid_argument", "plan_id")


def test_without_machines_a_cycle_says_so(company: World) -> None:
    assert company.agent("cfo").ask("bdi_cycle").code == "unavailable"
