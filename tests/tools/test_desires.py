"""Desires and reconsideration through the call path."""

from pathlib import Path
from typing import Any

import pytest

from mabos.mind.desires import priority
from tests.tools.offices import office
from tests.world import World

BREEZE: dict[str, Any] = {
    "name": "Offer a self-service portal", "type": "achieve", "category": "terminal", "base": 0.9, "importance": 0.8,
    "urgency": 0.7, "alignment": 0.6,
}  # fmt: skip


@pytest.fixture
def company(tmp_path: Path) -> World:
    return office(tmp_path)


def committed(company: World, agent: str = "cfo") -> str:
    goal = company.agent(agent).do("goal_create", level="operational", description="Tidy up")["goal_id"]
    plan = company.agent(agent).do("plan_generate", goal_id=goal, steps=[{"description": "Start"}])["plan_id"]
    return str(company.agent(agent).do("intention_commit", goal_id=goal, plan_id=plan)["intention_id"])


def test_a_desire_has_the_priority_of_the_formula(company: World) -> None:
    made = company.agent("cfo").do("desire_create", **BREEZE)
    assert made["adopted"]
    assert made["priority"] == priority(0.9, 0.8, 0.7, 0.6, 1.0)
    assert company.agent("cfo").mind.desire(made["desire_id"]).name == BREEZE["name"]


def test_open_dependencies_lower_the_priority(company: World) -> None:
    made = company.agent("cfo").do("desire_create", **BREEZE, deps=["nothing yet"])
    assert made["priority"] == priority(0.9, 0.8, 0.7, 0.6, 0.0)


def test_a_name_that_spells_out_a_condition_becomes_the_target(company: World) -> None:
    made = company.agent("hr").do("desire_create", **BREEZE | {"name": "Avoid attrition > 5%", "type": "avoid"})
    assert made["target"] == "attrition <= 5%"


def test_what_another_desire_covers_is_not_adopted(company: World) -> None:
    company.agent("cfo").do("desire_create", **BREEZE)
    again = company.agent("cfo").do("desire_create", **BREEZE | {"base": 0.1})
    assert (again["adopted"], again["status"]) == (False, "rejected")
    assert len([one for one in company.agent("cfo").mind.desires if one.name == BREEZE["name"]]) == 1


def test_a_certain_belief_can_forbid_a_desire(company: World) -> None:
    company.agent("cfo").do("belief_update", description="A portal is infeasible", certainty=0.9, source="cto",
        subject=BREEZE["name"], value="infeasible",
    )  # fmt: skip
    assert not company.agent("cfo").do("desire_create", **BREEZE)["adopted"]


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"base": 1.1}, "base"),
        ({"type": "wish"}, "type"),
        ({"serves": "D-none"}, "serves"),
        ({"deps": ["cash > 5", "D-none"]}, "deps"),
        ({"deadline": "x"}, "deadline"),
    ],
)
def test_a_bad_desire_is_refused(company: World, change: dict[str, Any], argument: str) -> None:
    assert company.agent("cfo").ask("desire_create", **BREEZE | change).argument == argument


def test_desires_are_evaluated_and_stand_in_order(company: World) -> None:
    found = company.agent("cfo").do("desire_evaluate")
    ranks = [desire["priority"] for desire in found["desires"]]
    assert ranks == sorted(ranks, reverse=True)
    assert [desire.id for desire in company.agent("cfo").mind.desires] == [one["desire_id"] for one in found["desires"]]


def test_dropping_a_desire_abandons_its_goals_and_commitments_and_drops_its_servants(company: World) -> None:
    top = company.agent("cfo").do("desire_create", **BREEZE)["desire_id"]
    below = company.agent("cfo").do(
        "desire_create", **BREEZE | {"name": "Write the help", "category": "instrumental"}, serves=top
    )["desire_id"]
    goal = company.agent("cfo").do("goal_create", level="operational", description="Portal", desire_id=top)["goal_id"]
    plan = company.agent("cfo").do("plan_generate", goal_id=goal, steps=[{"description": "Start"}])["plan_id"]
    intention = company.agent("cfo").do("intention_commit", goal_id=goal, plan_id=plan)["intention_id"]
    gone = company.agent("cfo").do("desire_drop", desire_id=top, reason="superseded")
    assert (gone["dropped"], gone["intentions"]) == ([below], [intention])
    assert gone["goals"] == [{"goal_id": goal, "status": "abandoned", "desire_id": top}]
    mind = company.agent("cfo").mind
    assert (mind.desire(below).status, mind.goal(goal).status, mind.plan(plan).status) == (
        "dropped", "abandoned", "abandoned",
    )  # fmt: skip
    assert intention not in [one.id for one in mind.intentions]
    assert intention in mind.file("Intentions.md")
    assert company.agent("cfo").do("desire_drop", desire_id=top)["reason"] == "superseded"


@pytest.mark.parametrize(
    ("given", "triggered", "outcome", "status"),
    [
        ({"trigger": "belief_change", "severity": 0.3}, False, "continue", "active"),
        ({"trigger": "belief_change", "severity": 0.5}, True, "modify", "active"),
        ({"trigger": "resource_constraint", "details": {"available": 0.2}}, True, "suspend", "suspended"),
        ({"trigger": "external_event", "severity": 0.1, "details": "a rival"}, True, "continue", "active"),
    ],
)
def test_an_intention_is_thought_over(
    company: World, given: dict[str, Any], triggered: bool, outcome: str, status: str
) -> None:
    intention = committed(company, "coo")
    found = company.agent("coo").do("intention_reconsider", intention_id=intention, **given)
    assert (found["triggered"], found["outcome"], found["status"]) == (triggered, outcome, status)
    assert company.agent("coo").mind.intention(intention).status == status


def test_an_abandoned_intention_is_archived(company: World) -> None:
    intention = committed(company, "coo")
    found = company.agent("coo").do(
        "intention_reconsider", intention_id=intention, trigger="belief_change", severity=0.9
    )
    assert found["outcome"] == "abandon"
    assert company.agent("coo").mind.intentions == ()
    assert f"**{intention}** abandoned" in company.agent("coo").mind.file("Intentions.md")


def test_an_unknown_trigger_names_the_known_ones(company: World) -> None:
    outcome = company.agent("coo").ask(
        "intention_reconsider", intention_id=committed(company, "coo"), trigger="boredom"
    )
    assert (outcome.code, outcome.argument) == ("invalid_argument", "trigger")
    assert "belief_change" in outcome.message
