from pathlib import Path
from typing import Any

import orjson
import pytest

from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.services import Caller, Services
from tests.tools.workspaces import SOCIETY, Bench, opened

CFO = Caller("agent", "cfo")
Given = dict[str, Any]


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return opened(tmp_path, Bench(), modules=SOCIETY)


def owner(services: Services, tool: str, **arguments: Any) -> Outcome:
    return call(services, tool, arguments)


def waiting(services: Services, amount: float = 6000) -> str:
    found = call(services, "money_spend", {"amount": amount}, caller=CFO)
    assert found.awaiting
    return found.decision_id


# --- profile


def test_the_profile_is_what_the_settings_say_until_it_is_changed(services: Services) -> None:
    assert owner(services, "stakeholder_profile").result["approval_threshold_usd"] == 5000
    changed = owner(services, "stakeholder_profile", approval_threshold_usd=100, decision_style="hands-on", name="Jane")
    assert changed.result["decision_style"] == "hands-on"
    again = owner(services, "stakeholder_profile").result
    assert (again["approval_threshold_usd"], again["name"], again["business_id"]) == (100, "Jane", "acme")
    written = orjson.loads((services.layout.business("acme") / "stakeholder.json").read_bytes())
    assert written["approval_threshold_usd"] == 100


def test_a_changed_threshold_counts_at_once(services: Services) -> None:
    assert call(services, "money_spend", {"amount": 600}, caller=CFO).ok
    owner(services, "stakeholder_profile", approval_threshold_usd=500)
    assert call(services, "money_spend", {"amount": 600, "to": "x"}, caller=CFO).awaiting


def test_an_agent_reads_the_profile_and_never_changes_it(services: Services) -> None:
    assert call(services, "stakeholder_profile", {}, caller=CFO).ok
    found = call(services, "stakeholder_profile", {"approval_threshold_usd": 1e9}, caller=CFO)
    assert found.code == "refused"
    assert owner(services, "stakeholder_profile").result["approval_threshold_usd"] == 5000


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"decision_style": "lax"}, "decision_style"),
        ({"approval_threshold_usd": -1}, "approval_threshold_usd"),
        ({"escalation_contacts": [{"email": "x"}]}, "escalation_contacts"),
        ({"business_id": "other"}, "business_id"),
    ],
)
def test_a_bad_profile_is_not_written(services: Services, given: Given, argument: str) -> None:
    assert owner(services, "stakeholder_profile", **given).argument == argument
    assert not (services.layout.business("acme") / "stakeholder.json").exists()


# --- review and answers


def test_what_waits_is_listed_the_most_pressing_first(services: Services) -> None:
    first = waiting(services)
    given = {"subject": "Now?", "description": "x", "options": ["Yes"], "urgency": "urgent", "deadline": "2026-02-01"}
    call(services, "decision_request", given, agent_id="cto")
    found = owner(services, "decision_review").result
    assert [one["from_agent"] for one in found["decisions"]] == ["cto", "cfo"]
    assert [one["overdue"] for one in found["decisions"]] == [True, False]
    assert (found["count"], found["pending"]) == (2, 2)
    assert first in found["text"]
    mine = call(services, "decision_review", {"mine": True}, caller=CFO).result
    assert [one["decision_id"] for one in mine["decisions"]] == [first]


def test_an_approval_is_recorded_and_the_agent_is_told_urgently(services: Services) -> None:
    woken: list[tuple[str, bool]] = []
    services.mail.on_wake(lambda agent_id, urgent: woken.append((agent_id, urgent)))
    decision_id = waiting(services)
    found = owner(services, "decision_resolve", decision_id=decision_id, resolution="approve", feedback="Go").result
    assert (found["status"], found["chosen_option"], found["will_be_performed"]) == ("approved", "A", True)
    assert woken == [("cfo", True)]
    (told,) = services.inbox("cfo").unread()
    assert (told.sender, told.priority, told.metadata["decision_id"]) == ("stakeholder", "urgent", decision_id)
    assert "Go" in told.content
    assert call(services, "money_spend", {"amount": 6000}, caller=CFO).ok


def test_a_second_answer_and_an_answer_to_an_old_version_are_refused(services: Services) -> None:
    decision_id = waiting(services)
    later = {"decision_id": decision_id, "resolution": "defer", "until": "2026-03-01"}
    assert owner(services, "decision_resolve", **later).result["status"] == "deferred"
    stale = owner(services, "decision_resolve", decision_id=decision_id, resolution="approve", version=1)
    assert (stale.code, stale.argument) == ("refused", "version")
    assert owner(services, "decision_resolve", decision_id=decision_id, resolution="approve", version=2).ok
    second = owner(services, "decision_resolve", decision_id=decision_id, resolution="reject")
    assert second.code == "refused"


def test_a_modification_is_checked_by_the_tool_it_is_for(services: Services) -> None:
    decision_id = waiting(services, 9000)
    base: Given = {"decision_id": decision_id, "resolution": "modify"}
    for wrong in ({"amount": "less"}, {"amuont": 1}, {"amount": -1}):
        found = owner(services, "decision_resolve", **base, modifications=wrong)
        assert (found.ok, found.argument) == (False, "modifications")
    found = owner(services, "decision_resolve", **base, modifications={"amount": 7000, "purpose": "ads"})
    assert found.result["action"]["arguments"] == {"amount": 7000.0}
    assert call(services, "money_spend", {"amount": 7000}, caller=CFO).ok


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        ({"decision_id": "DEC-404", "resolution": "approve"}, "decision_id"),
        ({"resolution": "perhaps"}, "resolution"),
        ({"resolution": "defer"}, "until"),
        ({"resolution": "modify"}, "modifications"),
        ({"resolution": "approve", "chosen_option": "Z"}, "chosen_option"),
        ({"resolution": "approve", "business_id": "other"}, "business_id"),
    ],
)
def test_a_bad_answer_changes_nothing(services: Services, given: Given, argument: str) -> None:
    decision_id = waiting(services)
    assert owner(services, "decision_resolve", **({"decision_id": decision_id} | given)).argument == argument
    assert services.decisions("acme").one(decision_id).version == 1


def test_an_agent_cannot_answer_a_decision(services: Services) -> None:
    decision_id = waiting(services)
    found = call(services, "decision_resolve", {"decision_id": decision_id, "resolution": "approve"}, caller=CFO)
    assert found.code == "refused"
    assert services.decisions("acme").one(decision_id).open


def test_without_a_business_the_queue_at_the_root_is_used(tmp_path: Path) -> None:
    folder = tmp_path / "agents" / "solo"
    folder.mkdir(parents=True)
    (folder / "Persona.md").write_text("# Persona\n\n- **Autonomy:** full\n")
    services = opened(tmp_path, Bench(), modules=SOCIETY)
    found = call(services, "money_spend", {"amount": 6000}, caller=Caller("agent", "solo"))
    assert found.awaiting
    assert owner(services, "decision_review").result["count"] == 1
    assert owner(services, "decision_resolve", decision_id=found.decision_id, resolution="approve").ok
    assert call(services, "money_spend", {"amount": 6000}, caller=Caller("agent", "solo")).ok


# --- governance check


def check(services: Services, **more: Any) -> Given:
    given: Given = {"action": "Book a fair", "category": "events", "estimated_cost": 100}
    return dict(call(services, "governance_check", given | more, caller=CFO).result)


def test_a_check_answers_with_a_boolean_and_its_reasons(services: Services) -> None:
    assert check(services)["requires_approval"] is False
    found = check(services, estimated_cost=12000)
    assert found["requires_approval"] is True
    assert found["rule"] == "threshold"
    assert "$12,000 is above" in found["reasons"][0]


@pytest.mark.parametrize("category", ["pricing", "hiring", "contract", "Strategic goal"])
def test_price_hiring_contracts_and_strategic_goals_are_strategic(services: Services, category: str) -> None:
    assert check(services, category=category)["rule"] == "style"
    assert check(services, category=category, strategic=False)["requires_approval"] is False


def test_a_check_sees_what_was_spent_before(services: Services) -> None:
    call(services, "money_spend", {"amount": 4500}, caller=CFO)
    found = check(services, category="marketing_spend", estimated_cost=600, counterparty="someone")
    assert found["requires_approval"] is True
    assert check(services, category="marketing_spend", estimated_cost=600)["requires_approval"] is False


def test_a_check_asks_nobody_and_spends_nothing(services: Services) -> None:
    check(services, estimated_cost=12000)
    assert services.decisions("acme").pending() == ()
    assert not list(services.ledger.entries("cfo"))
