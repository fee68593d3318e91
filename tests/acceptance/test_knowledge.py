"""S3 section 19, phase 3: from seed facts and rules to derived facts, flagged violations, proofs and adapted plans."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.acceptance.company import Company

RULES = """
RULE strategic: Strategic accounts
IF ?customer has_status "enterprise"
AND ?customer subscription_value_usd > 10000
THEN ?customer is_strategic_account = true [confidence: 0.9]

RULE visit: Strategic accounts are visited
IF ?customer is_strategic_account true
THEN ?customer is_visited_by ceo [confidence: 0.8]

RULE runway: Cash must last
IF cash_runway months < 3
THEN ALERT "Critical: Cash runway below 3 months" [severity: critical]

RULE churn: Act on churn
IF churn_rate percent > 5
THEN REQUEST cmo "Initiate churn reduction campaign"
"""
BRIEF = """# Acme

Date: 2026-02-20

## Key figures

- Cash: 90,000 USD
"""


@pytest.fixture
def knowing(acme: Company) -> Company:
    """A company whose CFO knows the rules that S3 prints, and a few facts."""
    acme.write("agents/cfo/rules/printed.rules", RULES)
    for subject, predicate, value, sure in (
        ("northwind", "has_status", "enterprise", 0.95),
        ("northwind", "subscription_value_usd", "$12,000", 0.8),
        ("contoso", "has_status", "enterprise", 0.99),
        ("contoso", "subscription_value_usd", "9000", 0.99),
        ("cash_runway", "months", "2.5", 0.9),
        ("churn_rate", "percent", "6", 0.9),
    ):
        acme.done("fact_assert", subject=subject, predicate=predicate, object=value, confidence=sure, source="crm")
    return acme


def texts(reason: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield (id, text) of a reason and of everything below it."""
    yield reason["id"], reason.get("text", "")
    for below in reason.get("because", ()):
        yield from texts(below)


def test_the_engine_derives_new_facts_and_explains_them(knowing: Company) -> None:
    derived = knowing.done("infer_forward", persist=True)["derived"]
    sure = {(one["subject"], one["predicate"]): round(one["confidence"], 4) for one in derived}
    assert sure == {("northwind", "is_strategic_account"): 0.72, ("northwind", "is_visited_by"): 0.576}
    visited = next(one for one in derived if one["predicate"] == "is_visited_by")
    explained = knowing.done("fact_explain", fact_id=visited["id"])
    assert (explained["rule_id"], explained["supports"][0]["rule_id"]) == ("visit", "strategic")
    assert "min(0.95, 0.8) x 0.9" in explained["text"]


def test_the_rule_engine_flags_violations_and_fires_policies(knowing: Company) -> None:
    (violation,) = knowing.done("constraint_check")["violations"]
    assert (violation["severity"], violation["message"]) == ("critical", "Critical: Cash runway below 3 months")
    (action,) = knowing.done("policy_eval")["actions"]
    assert action["deeds"][0]["performed"] is True
    assert "Initiate churn reduction campaign" in knowing.text("agents/cmo/inbox.json")
    knowing.done("fact_retract", subject="cash_runway")
    assert knowing.done("constraint_check")["valid"] is True


def test_goals_are_proved_or_their_gaps_named_and_observations_explained(knowing: Company) -> None:
    assert knowing.done("infer_backward", goal_predicate="is_visited_by", goal_subject="northwind")["proven"]
    open_ = knowing.done("infer_backward", goal_predicate="is_visited_by", goal_subject="fabrikam")
    assert open_["status"] == "POTENTIALLY_DERIVABLE"
    assert {"has_status", "subscription_value_usd"} <= {gap["predicate"] for gap in open_["knowledge_gaps"]}
    best = knowing.done("infer_abductive", observation="contoso is_strategic_account true")["hypotheses"][0]
    assert (best["rule_id"], best["score"]) == ("strategic", 0.45)


def test_a_case_is_adapted_by_substitution_insertion_deletion_and_bounds(knowing: Company) -> None:
    steps = [
        {"id": "S1", "tool": "fact_assert", "arguments": {"subject": "Stripe", "predicate": "invoices", "object": "x",
         "confidence": 1.0, "source": "ops"}},
        {"id": "S2", "tool": "memory_status", "arguments": {}},
        {"id": "S3", "tool": "fact_query", "arguments": {"limit": 10}},
    ]  # fmt: skip
    case = knowing.done(
        "cbr_store", situation={"beliefs": {"churn_rate": 6}, "desires": ["keep"]}, solution={"steps": steps},
        outcome="success",
    )  # fmt: skip
    (found,) = knowing.done("cbr_retrieve", beliefs={"churn_rate": 6}, desires=["keep"])["cases"]
    assert (found["case_id"], found["score"]) == (case["case_id"], 1.0)
    knowing.done("goal_create", level="tactical", description="Keep customers", goal_id="G-keep")
    adapted = knowing.done(
        "plan_adapt", source_case_id=case["case_id"], target_goal_id="G-keep",
        differences={
            "substitute": {"Stripe": "Paddle"}, "delete": ["S2"], "tighten": {"limit": 5},
            "insert": [{"after": "S1", "tool": "rule_list", "arguments": {}}],
        },
    )  # fmt: skip
    assert [step["tool"] for step in adapted["steps"]] == ["fact_assert", "rule_list", "fact_query"]
    assert (adapted["steps"][0]["arguments"]["subject"], adapted["steps"][2]["arguments"]["limit"]) == ("Paddle", 5)
    assert len(adapted["changes"]) == 4


def test_why_leads_from_a_derived_fact_over_its_rules_to_the_line_of_a_document(acme: Company) -> None:
    acme.write("businesses/acme/inbox/brief.md", BRIEF)
    acme.run("cfo")
    acme.write(
        "agents/cfo/rules/cash.rules",
        "RULE short: Cash is short\nIF ?who cash < 100000\nTHEN ?who is short_of_cash\n"
        "RULE careful: Be careful\nIF ?who is short_of_cash\nTHEN ?who spends carefully\n",
    )
    derived = acme.done("infer_forward", persist=True)["derived"]
    last = next(one for one in derived if one["predicate"] == "spends")
    told = dict(texts(acme.data("why", last["id"])))
    assert {"careful", "short"} <= set(told)
    assert told["businesses/acme/inbox/brief.md:7"] == "- Cash: 90,000 USD"


def test_what_rests_on_something_that_expires_goes_with_the_next_heartbeat(knowing: Company) -> None:
    knowing.done(
        "fact_assert", subject="northwind", predicate="has_status", object="enterprise", confidence=0.95, source="crm",
        valid_until="2026-02-24",
    )  # fmt: skip
    assert knowing.done("infer_forward", persist=True)["count"] == 2
    before, after = "2026-02-24T23:59:59Z", "2026-02-25T00:00:00Z"
    assert "derivedFactsRevised" not in knowing.heartbeat("cfo", now=before)["cfo"]
    assert knowing.done("fact_query", predicate="is_*", now=before)["count"] == 2
    assert knowing.heartbeat("cfo", now=after)["cfo"]["derivedFactsRevised"] == 2
    assert knowing.done("fact_query", predicate="is_*", now=after)["count"] == 0
    assert json.dumps("is_strategic_account") not in json.dumps(knowing.read("agents/cfo/facts.json")["facts"])


@pytest.mark.parametrize(
    ("line", "said"),
    [("IF churn_rate percent", "is not a pattern"), ("THEN ?customer is good", "leaves"), ("RULE runway", "two rules")],
)
def test_a_mistake_in_a_file_of_rules_is_told_with_its_line_by_every_door(
    knowing: Company, line: str, said: str
) -> None:
    head = "RULE new: New\n" if not line.startswith("RULE") else ""
    body = "IF a b c\n" if not line.startswith("IF") else ""
    text = f"{RULES}\n{head}{body}{line}\n" if head else f"{RULES}\n{line}\nIF a b c\nTHEN a b d\n"
    knowing.write("agents/cfo/rules/printed.rules", text)
    number = text.splitlines().index(line) + 1
    error = knowing.refused("infer_forward")
    assert f"agents/cfo/rules/printed.rules:{number}:" in error["message"]
    assert said in error["message"]
    assert f"printed.rules:{number}" in knowing.command("verify", "files", code=1).stdout
