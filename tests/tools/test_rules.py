"""The rule tools, called as a person calls them."""

from pathlib import Path
from typing import Any

import pytest

from tests.world import Member, World

RUNWAY = {
    "name": "Runway",
    "description": "Cash must last",
    "type": "constraint",
    "conditions": [{"subject": "cash_runway", "predicate": "months", "object": 3, "operator": "lt"}],
    "violation_message": "Critical: cash runway below 3 months",
    "severity": "critical",
}
CHURN = {
    "name": "Churn",
    "description": "Act on churn",
    "type": "policy",
    "conditions": [{"subject": "?product", "predicate": "churn_rate", "object": "5%", "operator": "gt"}],
    "action": "Start a campaign against the churn of ?product",
    "escalate": True,
}


def holds(cfo: Member, subject: str, predicate: str, value: Any) -> None:
    cfo.do("fact_assert", subject=subject, predicate=predicate, object=value, confidence=0.9, source="test")


def test_a_constraint_is_violated_while_the_bad_state_is_there(cfo: Member) -> None:
    rule_id = cfo.do("rule_create", **RUNWAY)["rule_id"]
    assert rule_id == "R-001"
    assert cfo.do("constraint_check") | {"text": ""} == {"valid": True, "violations": [], "checked": 1, "text": ""}
    holds(cfo, "cash_runway", "months", 2.5)
    checked = cfo.do("constraint_check")
    (violation,) = checked["violations"]
    assert (checked["valid"], violation["rule_id"], violation["severity"]) == (False, rule_id, "critical")
    assert violation["message"] == "Critical: cash runway below 3 months"


def test_ten_months_are_not_less_than_three(cfo: Member) -> None:
    cfo.do("rule_create", **RUNWAY)
    holds(cfo, "cash_runway", "months", "10")
    assert cfo.do("constraint_check")["valid"]


def test_a_disabled_rule_is_not_evaluated(cfo: Member) -> None:
    rule_id = cfo.do("rule_create", **RUNWAY)["rule_id"]
    holds(cfo, "cash_runway", "months", 1)
    assert cfo.do("rule_toggle", rule_id=rule_id, enabled=False)["enabled"] is False
    assert cfo.do("constraint_check")["valid"]
    assert cfo.do("rule_toggle", rule_id=rule_id, enabled=True)["enabled"] is True
    assert not cfo.do("constraint_check")["valid"]


def test_a_policy_returns_its_actions_for_every_product(cfo: Member) -> None:
    cfo.do("rule_create", **CHURN)
    holds(cfo, "starter", "churn_rate", "6.2%")
    holds(cfo, "pro", "churn_rate", "1%")
    done = cfo.do("policy_eval")
    (action,) = done["actions"]
    assert done["triggered"] is True
    assert action["action"] == "Start a campaign against the churn of starter"
    assert (action["escalate"], action["bindings"]) == (True, {"?product": "starter"})


@pytest.mark.parametrize(
    "context", [{"churn_rate": 0.06}, {"starter.churn_rate": "6%"}, {"starter": {"churn_rate": "6%"}}]
)
def test_a_policy_is_evaluated_in_a_context_that_is_not_kept(cfo: Member, context: dict[str, object]) -> None:
    cfo.do("rule_create", **CHURN)
    holds(cfo, "starter", "churn_rate", "1%")
    assert cfo.do("policy_eval", context=context)["triggered"] is True
    assert cfo.do("policy_eval")["triggered"] is False


def test_rules_are_listed_by_type(cfo: Member) -> None:
    cfo.do("rule_create", **RUNWAY)
    cfo.do("rule_create", **CHURN)
    assert cfo.do("rule_list")["count"] == 2
    assert [rule["id"] for rule in cfo.do("rule_list", type="policy")["rules"]] == ["R-002"]


def test_the_same_rule_is_made_once(cfo: Member) -> None:
    assert cfo.do("rule_create", **RUNWAY)["rule_id"] == cfo.do("rule_create", **RUNWAY)["rule_id"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "argument"),
    [
        ("rule_toggle", {"rule_id": "R-9", "enabled": True}, "unknown_id", "rule_id"),
        ("constraint_check", {"rule_id": "R-9"}, "unknown_id", "rule_id"),
        ("rule_create", RUNWAY | {"conditions": []}, "invalid_argument", "conditions"),
        ("rule_create", RUNWAY | {"conditions": [{"subject": "x"}]}, "invalid_argument", "conditions"),
        (
            "rule_create",
            RUNWAY | {"conditions": [{"predicate": "x", "operator": "near"}]},
            "invalid_argument",
            "conditions",
        ),
        (
            "rule_create",
            RUNWAY | {"conditions": [{"predicate": "x", "operator": "gt", "object": "?y"}]},
            "invalid_argument",
            "conditions",
        ),
        ("rule_create", RUNWAY | {"type": "inference"}, "invalid_argument", "conclusion"),
        ("rule_create", RUNWAY | {"confidence_factor": 0.0}, "invalid_argument", "confidence_factor"),
        ("rule_create", CHURN | {"action": "", "escalate": False}, "invalid_argument", "action"),
        ("policy_eval", {"context": {"churn_rate": [1]}}, "invalid_argument", "context"),
    ],
)
def test_a_wrong_argument_is_named_and_no_rule_is_made(
    cfo: Member, tool: str, arguments: dict[str, object], code: str, argument: str
) -> None:
    assert cfo.refused(tool, **arguments) == (code, argument)
    assert cfo.do("rule_list")["count"] == 0


def test_the_rules_of_the_ontologies_hold_for_every_agent_of_a_new_company(tmp_path: Path) -> None:
    with World(tmp_path, template="clinic") as world:
        for agent_id in world.services.agents():
            listed = {one["id"]: one for one in world.do("rule_list", agent_id)["rules"]}
            assert listed["BudgetIsKept"]["enabled"]
            assert not listed["ShortRunwayNeedsCashPlan"]["enabled"], "a policy acts only when it is switched on"
            assert "HighChurnIsEscalated" not in listed, "a clinic has no rules of software companies"
        cfo = world.agent("cfo")
        holds(cfo, "training", "spending_limit", "2000")
        holds(cfo, "training", "amount_spent", "2300")
        (broken,) = cfo.do("constraint_check")["violations"]
        assert broken["rule_id"] == "BudgetIsKept"
        cfo.do("rule_toggle", rule_id="BudgetIsKept", enabled=False)
        assert cfo.do("constraint_check")["valid"]


def test_a_name_that_is_almost_a_term_is_taken_with_a_warning(cfo: Member) -> None:
    assert "'customer_count'" in cfo.do("metrics_record", name="custmer_count", value=41)["warning"]
    assert "warning" not in cfo.do("metrics_record", name="custmer_count", value=42), "it is in use now"
    assert "warning" not in cfo.do("metrics_record", name="wheels_in_cellar", value=1480)
    wish = {
        "type": "maintain",
        "category": "terminal",
        "base": 0.5,
        "importance": 0.5,
        "urgency": 0.5,
        "alignment": 0.5,
    }
    assert "'revenue'" in cfo.do("desire_create", name="Earn", target="revnue > 5000", **wish)["warning"]
    assert (
        "'gross_margin'"
        in cfo.do("goal_create", level="tactical", description="Earn", target="gross_margn > 40")["warning"]
    )
