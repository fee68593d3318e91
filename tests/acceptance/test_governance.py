"""S3 section 10: what needs a person, and what happens before and after the person's answer."""

from typing import Any

import pytest

from tests.acceptance.company import Company, ended, process

QUEUE = "businesses/acme/decision-queue.json"
CAMPAIGN: dict[str, Any] = {"name": "Big", "channel": "search", "segment": "smb", "weekly_budget_usd": 2500, "weeks": 4}


def campaigns(acme: Company, name: str = "Big") -> list[dict[str, Any]]:
    """Return what was booked under a name: the effect that must happen once."""
    path = "businesses/acme/campaigns.json"
    booked = acme.read(path)["campaigns"] if acme.file(path).exists() else []
    return [campaign for campaign in booked if campaign["name"].startswith(name)]


def intention(acme: Company, agent: str = "cmo") -> dict[str, Any]:
    """Return the intention I-x."""
    return next(one for one in acme.data("mind", agent)["intentions"] if one["id"] == "I-x")


def paused(acme: Company) -> str:
    """Let the CMO come to an action of $10,000 and return the decision it waits for."""
    acme.commit({"tool": "ad_campaign_create", "arguments": CAMPAIGN}, agent="cmo")
    report = acme.run("cmo")
    assert report["outcome"] == "waiting"
    (decision,) = acme.read(QUEUE)
    return str(decision["id"])


def test_an_action_above_the_threshold_waits_in_the_queue_and_the_agent_goes_on(acme: Company) -> None:
    decision_id = paused(acme)
    (decision,) = acme.read(QUEUE)
    assert (decision["status"], decision["from_agent"], decision["cost"]) == ("pending", "cmo", 10000)
    assert {"subject", "description", "options", "recommendation", "deadline", "created_at"} <= set(decision)
    assert decision["action"]["arguments"]["name"] == "Big"
    assert acme.read("decision-queue.json") == acme.read(QUEUE)
    waiting = intention(acme)
    assert (waiting["status"], waiting["decision_id"]) == ("awaiting_approval", decision_id)
    assert campaigns(acme) == []
    again = acme.run("cmo")
    assert again["intention_id"] != "I-x"
    assert [one["id"] for one in acme.read(QUEUE) if one["action"]["arguments"].get("name") == "Big"] == [decision_id]


def test_what_was_approved_is_performed_exactly_once_in_the_next_cycle(acme: Company) -> None:
    decision_id = paused(acme)
    acme.command("decisions", "approve", decision_id)
    assert campaigns(acme) == []
    report = acme.run("cmo")
    assert (report["intention_id"], report["outcome"]) == ("I-x", "completed")
    for _ in range(3):
        acme.run("cmo")
    assert [(one["weekly_budget_usd"], one["weeks"]) for one in campaigns(acme)] == [(2500, 4)]
    assert acme.data("why", decision_id)["kind"] == "decision"


def test_an_answer_survives_the_end_of_every_process(acme: Company) -> None:
    decision_id = paused(acme)
    where = ("--workspace", str(acme.root))
    ended(process(*where, "decisions", "approve", decision_id))
    ended(process(*where, "run", "cmo"))
    ended(process(*where, "run", "cmo"))
    assert len(campaigns(acme)) == 1


def test_what_was_rejected_is_abandoned_and_learned_from(acme: Company) -> None:
    decision_id = paused(acme)
    acme.command("decisions", "reject", decision_id, "--feedback", "not before the audit")
    acme.run("cmo")
    assert campaigns(acme) == []
    assert [one for one in acme.data("mind", "cmo")["intentions"] if one["id"] == "I-x"] == []
    assert "not before the audit" in acme.text("agents/cmo/Learnings.md")
    assert "I-x" in acme.text("agents/cmo/Intentions.md").partition("## Archive")[2]


def test_a_modified_action_is_performed_as_modified(acme: Company) -> None:
    decision_id = paused(acme)
    acme.command("decisions", "modify", decision_id, "--set", "weekly_budget_usd=1000")
    acme.run("cmo")
    acme.run("cmo")
    assert [one["weekly_budget_usd"] for one in campaigns(acme)] == [1000]
    assert "modified 2026-02-24T14:30, to weekly_budget_usd 1000" in acme.data("why", decision_id)["text"]


def test_a_deferred_decision_stays_open_and_can_be_answered_later(acme: Company) -> None:
    decision_id = paused(acme)
    acme.command("decisions", "defer", decision_id, "--until", "2026-03-02")
    assert acme.read(QUEUE)[0]["status"] == "deferred"
    assert intention(acme)["status"] == "awaiting_approval"
    assert campaigns(acme) == []
    acme.command("decisions", "approve", decision_id)
    acme.run("cmo")
    assert len(campaigns(acme)) == 1


def test_an_approval_is_performed_once_though_the_agent_has_begun_something_else(acme: Company) -> None:
    decision_id = paused(acme)
    acme.run("cmo")
    assert any(one["id"] != "P-x" and one["status"] != "draft" for one in acme.data("mind", "cmo")["plans"])
    acme.command("decisions", "approve", decision_id)
    acme.run("cmo")
    assert len(campaigns(acme)) == 1
    acme.run("cmo")
    asked = [one for one in acme.read(QUEUE) if one.get("action", {}).get("arguments", {}).get("name") == "Big"]
    assert [one["id"] for one in asked] == [decision_id]


@pytest.mark.parametrize(("first", "second"), [("approve", "reject"), ("reject", "approve"), ("approve", "approve")])
def test_a_second_answer_is_refused(acme: Company, first: str, second: str) -> None:
    decision_id = paused(acme)
    acme.command("decisions", first, decision_id)
    error = acme.data("decisions", second, decision_id, code=1)["error"]
    assert error["code"] == "refused"
    assert decision_id in error["message"]


def test_an_answer_to_a_version_that_has_changed_is_refused(acme: Company) -> None:
    decision_id = paused(acme)
    seen = acme.read(QUEUE)[0]["version"]
    acme.command("decisions", "defer", decision_id, "--until", "2026-03-02")
    stale = acme.refused("decision_resolve", agent="ceo", decision_id=decision_id, resolution="approve", version=seen)
    assert stale["argument"] in {"version", "decision_id"}


def test_a_call_from_outside_a_plan_meets_the_same_gate(acme: Company) -> None:
    error = acme.refused("ad_campaign_create", agent="cmo", **CAMPAIGN)
    assert error["code"] == "awaiting_approval"
    assert campaigns(acme) == []
    (decision,) = acme.read(QUEUE)
    acme.command("decisions", "approve", decision["id"])
    acme.run("cmo")
    acme.run("cmo")
    assert len(campaigns(acme)) == 1


def test_splitting_an_amount_within_a_day_changes_nothing(acme: Company) -> None:
    part: dict[str, Any] = {**CAMPAIGN, "weekly_budget_usd": 1000}
    acme.done("ad_campaign_create", agent="cmo", **{**part, "name": "Part 1"})
    error = acme.refused("ad_campaign_create", agent="cmo", **{**part, "name": "Part 2"})
    assert error["code"] == "awaiting_approval"
    assert [one["name"] for one in campaigns(acme, "Part")] == ["Part 1"]
    checked = acme.done(
        "governance_check", agent="cmo", action="Part 2", category="marketing_spend", estimated_cost=4000,
        counterparty="search",
    )  # fmt: skip
    assert checked["requires_approval"] is True
    tomorrow = "2026-02-25T15:00:00Z"
    acme.done("ad_campaign_create", agent="cmo", now=tomorrow, **{**part, "name": "Part 3"})


def check(acme: Company, cost: float, *, category: str = "marketing_spend", agent: str = "cfo", **more: Any) -> bool:
    """Return whether a person must decide."""
    asked: dict[str, Any] = {"action": "x", "category": category, "estimated_cost": cost, **more}
    return bool(acme.done("governance_check", agent=agent, **asked)["requires_approval"])


def test_a_category_is_approved_below_its_cap_and_not_at_it(acme: Company) -> None:
    acme.done("stakeholder_profile", auto_approve_categories=["marketing_spend_under_500"])
    assert check(acme, 499) is False
    assert check(acme, 500) is True
    assert check(acme, 499, category="marketing_spend_under_500") is False
    assert check(acme, 499, category="travel", agent="legal") is check(acme, 500, category="travel", agent="legal")


def test_no_cap_lifts_the_threshold(acme: Company) -> None:
    acme.done("stakeholder_profile", auto_approve_categories=["marketing_spend_under_50000"])
    assert check(acme, 4999) is False
    assert check(acme, 5000) is False
    assert check(acme, 5001) is True
    acme.done("stakeholder_profile", approval_threshold_usd=20000)
    assert check(acme, 5001) is False


def test_a_hands_on_owner_is_asked_about_everything_that_costs_and_free_reading_is_never_asked(acme: Company) -> None:
    acme.done("stakeholder_profile", decision_style="hands-on", auto_approve_categories=[])
    assert check(acme, 1, category="budget") is True
    assert acme.done("belief_get")["count"] > 0


def test_a_conservative_owner_is_asked_when_the_agent_is_unsure(acme: Company) -> None:
    assert check(acme, 10, category="budget", confidence=0.7) is False
    acme.done("stakeholder_profile", risk_tolerance="conservative")
    assert check(acme, 10, category="budget", confidence=0.7) is True
    assert check(acme, 10, category="budget", confidence=0.9) is False


def test_the_profile_is_a_file_a_person_may_write(acme: Company) -> None:
    profile = acme.read("businesses/acme/stakeholder.json")
    acme.write("businesses/acme/stakeholder.json", {**profile, "approval_threshold_usd": 100})
    assert check(acme, 101, category="budget") is True
    assert acme.done("stakeholder_profile")["approval_threshold_usd"] == 100


def test_a_bad_profile_is_refused_and_nothing_is_written(acme: Company) -> None:
    before = acme.text("businesses/acme/stakeholder.json")
    assert acme.refused("stakeholder_profile", approval_threshold_usd=-1)["argument"] == "approval_threshold_usd"
    assert acme.refused("stakeholder_profile", decision_style="lazy")["argument"] == "decision_style"
    assert acme.text("businesses/acme/stakeholder.json") == before
