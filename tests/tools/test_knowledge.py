"""Knowledge management as S3 section 19 validates its third phase: what follows, and what is wrong, from a seed."""

from typing import Any

from tests.world import Member

PRINTED = (
    ("enterprise_plan", "status", "active", 0.99, ""),
    ("mrr", "current_value_usd", "42000", 0.95, "2026-03-01"),
    ("churn_rate", "percent", "6.2", 0.90, "2026-03-01"),
    ("competitor_A", "pricing_tier", "enterprise_only", 0.75, "2026-06-01"),
    ("cash_runway", "months", "2.5", 0.9, ""),
    ("acme", "has_status", "enterprise", 0.9, ""),
    ("acme", "subscription_value_usd", "$12,000", 1.0, ""),
)
RULES: tuple[dict[str, Any], ...] = (
    {
        "type": "inference",
        "conditions": [
            {"subject": "?customer", "predicate": "has_status", "object": "enterprise"},
            {"subject": "?customer", "predicate": "subscription_value_usd", "object": 10000, "operator": "gt"},
        ],
        "conclusion": {"subject": "?customer", "predicate": "is_strategic_account", "object": "true"},
    },
    {
        "type": "inference",
        "conditions": [
            {"subject": "?customer", "predicate": "is_strategic_account", "object": "true"},
            {"subject": "churn_rate", "predicate": "percent", "object": 5, "operator": "gt"},
        ],
        "conclusion": {"subject": "?customer", "predicate": "needs", "object": "attention"},
    },
    {
        "type": "constraint",
        "conditions": [{"subject": "cash_runway", "predicate": "months", "object": 3, "operator": "lt"}],
        "violation_message": "Critical: Cash runway below 3 months",
        "severity": "critical",
    },
    {
        "type": "policy",
        "conditions": [{"subject": "churn_rate", "predicate": "percent", "object": 5, "operator": "gt"}],
        "action": 'REQUEST ceo "Initiate churn reduction campaign"',
    },
)


def test_seed_facts_and_rules_give_new_facts_and_the_violations_of_constraints(cfo: Member) -> None:
    ids: dict[str, str] = {}
    for subject, predicate, value, sure, until in PRINTED:
        said = cfo.do(
            "fact_assert", subject=subject, predicate=predicate, object=value, confidence=sure, source="seed",
            valid_until=until,
        )  # fmt: skip
        ids[subject] = said["fact_id"]
    for number, rule in enumerate(RULES):
        cfo.do("rule_create", name=f"Rule {number}", description="", **rule)

    found = cfo.do("infer_forward", persist=True)
    assert [(one["subject"], one["predicate"], round(one["confidence"], 6)) for one in found["derived"]] == [
        ("acme", "is_strategic_account", 0.81),
        ("acme", "needs", 0.729),
    ]
    assert found["derived"][1]["valid_until"] == "2026-03-01"

    (violation,) = cfo.do("constraint_check")["violations"]
    assert (violation["severity"], violation["message"]) == ("critical", "Critical: Cash runway below 3 months")
    (action,) = cfo.do("policy_eval")["actions"]
    assert action["deeds"][0]["performed"]
    assert [one.content for one in cfo.services.inbox("ceo").messages()] == ["Initiate churn reduction campaign"]

    explained = cfo.do("fact_explain", fact_id=found["derived"][1]["id"], depth=5)
    assert [one["fact"]["subject"] for one in explained["supports"]] == ["acme", "churn_rate"]
    assert cfo.do("infer_backward", goal_predicate="needs", goal_subject="acme")["status"] == "PROVEN"
    gaps = cfo.do("infer_backward", goal_predicate="needs", goal_subject="rival")["knowledge_gaps"]
    assert "has_status" in {gap["predicate"] for gap in gaps}
    assert cfo.do("infer_abductive", observation="rival needs attention")["hypotheses"][0]["rule_id"] == "R-002"

    cfo.do("fact_retract", fact_id=ids["churn_rate"])
    assert cfo.do("fact_query", predicate="needs")["total"] == 0
    assert cfo.do("fact_query", predicate="is_strategic_account")["total"] == 1
    assert not cfo.do("policy_eval")["triggered"]

    situation = {"beliefs": {"mrr": 42000, "churn_rate": 6.2}, "desires": {"reduce_churn": 0.85}}
    solution = {"plan_id": "PLAN-007", "plan_summary": "Launched a customer success program"}
    case_id = cfo.do("cbr_store", situation=situation, solution=solution, outcome={"status": "success"})["case_id"]
    (case,) = cfo.do("cbr_retrieve", beliefs={"mrr": 42000, "churn_rate": 6.2}, desires=["reduce_churn"])["cases"]
    assert (case["case_id"], case["score"]) == (case_id, 1.0)
