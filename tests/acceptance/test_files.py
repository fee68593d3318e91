"""S3 section 19, phase 1: nine agents with their files, and every JSON store written, read and changed by tools."""

import re
from typing import Any

import pytest

from tests.acceptance.company import ROLES, Company

COGNITIVE = (
    "Persona.md", "Capabilities.md", "Beliefs.md", "Desires.md", "Goals.md", "Intentions.md", "Plans.md",
    "Commitments.md", "Playbooks.md", "Knowledge.md", "Learnings.md", "Memory.md",
)  # fmt: skip
SUPERIORS = {"cfo": "ceo", "coo": "ceo", "cmo": "ceo", "cto": "ceo"}


def test_nine_agent_directories_are_there_with_the_twelve_files_and_a_manifest(founded: Company) -> None:
    assert sorted(path.name for path in founded.file("agents").iterdir()) == sorted(ROLES)
    for role in ROLES:
        there = {path.name for path in founded.file(f"agents/{role}").iterdir()}
        assert there >= {*COGNITIVE, "agent.json"}, role


def test_the_folders_of_a_workspace_are_those_the_documents_lay_out(founded: Company) -> None:
    folders = {path.name for path in founded.root.iterdir() if path.is_dir()}
    assert folders >= {"agents", "businesses", "ontologies", "contract-net"}
    assert founded.file("stakeholder.json").is_file()
    business = {path.name for path in founded.file("businesses/acme").iterdir()}
    assert business >= {"business.json", "decision-queue.json", "work-packages.json", "handoff-log.json"}


def test_the_business_lists_its_nine_agents(founded: Company) -> None:
    manifest = founded.read("businesses/acme/business.json")
    assert manifest["id"] == "acme"
    assert manifest["name"] == "Acme"
    assert manifest["agents"] == {role: role for role in ROLES}


@pytest.mark.parametrize("role", ROLES)
def test_an_agent_starts_with_content_that_befits_its_role(founded: Company, role: str) -> None:
    mind = founded.data("mind", role)
    persona = mind["persona"]
    assert persona["agent_id"] == role
    assert persona["title"]
    assert persona["department"]
    assert persona["responsibilities"]
    assert mind["desires"]
    assert mind["beliefs"]
    assert founded.read(f"agents/{role}/agent.json")["role"] == role
    if role in SUPERIORS:
        assert persona["reports_to"] == SUPERIORS[role]


def test_the_nine_are_no_copies_of_one_another(founded: Company) -> None:
    for name in ("Persona.md", "Beliefs.md", "Desires.md", "Playbooks.md", "Knowledge.md", "Capabilities.md"):
        assert len({founded.text(f"agents/{role}/{name}") for role in ROLES}) == len(ROLES), name


def test_starter_desires_carry_the_priority_of_the_formula(founded: Company) -> None:
    for role in ROLES:
        for desire in founded.done("desire_evaluate", agent=role, recalculate=False)["desires"]:
            assert 0 <= desire["priority"] <= 1


def test_a_fact_is_made_read_changed_and_removed_in_facts_json(acme: Company) -> None:
    path = "agents/cfo/facts.json"
    told: dict[str, Any] = {"subject": "acme", "predicate": "runway_months", "object": "9", "source": "ledger"}
    fact = acme.done("fact_assert", **told, confidence=0.8)["fact_id"]
    (stored,) = acme.read(path)["facts"]
    assert re.fullmatch(r"F-\d{13}-\w{4}", fact)
    assert (stored["id"], stored["confidence"], stored["source"]) == (fact, 0.8, "ledger")
    version = acme.read(path)["version"]
    assert acme.done("fact_assert", **told, confidence=0.9)["fact_id"] == fact
    assert acme.read(path)["facts"][0]["confidence"] == 0.9
    assert acme.read(path)["version"] > version
    assert acme.done("fact_query", subject="acme")["facts"][0]["id"] == fact
    acme.done("fact_retract", fact_id=fact)
    assert acme.read(path)["facts"] == []


def test_a_rule_is_made_listed_and_switched_in_rules_json(acme: Company) -> None:
    rule = acme.done(
        "rule_create",
        name="thin runway",
        description="Under six months is dangerous",
        type="constraint",
        conditions=[{"predicate": "runway_months", "subject": "?b", "object": "?m"}],
        rule_id="R-thin",
        violation_message="runway is thin",
    )["rule_id"]
    assert rule == "R-thin"
    assert [one["id"] for one in acme.read("agents/cfo/rules.json")["rules"]] == ["R-thin"]
    acme.done("rule_toggle", rule_id=rule, enabled=False)
    assert acme.read("agents/cfo/rules.json")["rules"][0]["enabled"] is False
    assert "R-thin" in [one["id"] for one in acme.done("rule_list", type="constraint")["rules"]]


def test_a_case_is_kept_and_found_in_cases_json(acme: Company) -> None:
    situation: dict[str, Any] = {"beliefs": ["B-1", "B-2"], "desires": ["D-1"]}
    acme.done("cbr_store", situation=situation, solution={"plan_id": "P-1"}, outcome="success", case_id="C-001")
    assert "C-001" in acme.text("agents/cfo/cases.json")
    assert acme.done("cbr_retrieve", beliefs=["B-1", "B-2"], desires=["D-1"])["cases"][0]["case_id"] == "C-001"


def test_a_message_lies_in_inbox_json(acme: Company) -> None:
    sent = acme.done("agent_message", agent="ceo", to="cfo", performative="REQUEST", content="Forecast, please")
    (message,) = acme.read("agents/cfo/inbox.json")
    assert message["id"] == sent["message_id"]
    assert message["id"].startswith("MSG-")
    assert (message["from"], message["to"], message["performative"]) == ("ceo", "cfo", "REQUEST")
    assert (message["content"], message["priority"], message["read"]) == ("Forecast, please", "normal", False)


def test_memories_lie_in_the_three_stores_of_memory_store_json(acme: Company) -> None:
    for store in ("working", "short_term", "long_term"):
        acme.done("memory_store_item", content=f"A note for {store}", type="fact", importance=0.5, store=store)
    stored = acme.read("agents/cfo/memory-store.json")
    for store in ("working", "short_term", "long_term"):
        assert [item["content"] for item in stored[store]] == [f"A note for {store}"]
    assert stored["version"] >= 1


def test_a_call_for_proposals_has_a_file_of_its_own(acme: Company) -> None:
    task = acme.done("contract_net_initiate", agent="ceo", task_description="Build the page", task_id="CFP-1")
    assert task["task_id"] == "CFP-1"
    assert acme.read("contract-net/CFP-1.json")["task_description"] == "Build the page"


def test_a_contractor_stands_in_the_pool_of_the_workspace(acme: Company) -> None:
    acme.done("contractor_add", agent="hr", name="Ada", skills=["python"], hourly_rate_usd=90)
    assert "Ada" in acme.text("contractor-pool.json")


def test_a_decision_stands_in_the_queue_of_the_business_and_in_that_of_the_workspace(acme: Company) -> None:
    asked = acme.done(
        "decision_request",
        subject="Sponsor a conference",
        description="A stand in May",
        options=[{"id": "A", "label": "Go"}, {"id": "B", "label": "Stay"}],
        recommendation="A",
    )["decision_id"]
    for path in ("businesses/acme/decision-queue.json", "decision-queue.json"):
        (decision,) = acme.read(path)
        assert (decision["id"], decision["from_agent"], decision["status"]) == (asked, "cfo", "pending")


def test_a_second_business_has_agents_of_its_own(acme: Company) -> None:
    acme.data("business", "create", "beta", "--name", "Beta", "--template", "consulting")
    assert acme.read("businesses/beta/business.json")["agents"]["cfo"] == "beta-cfo"
    assert len(list(acme.file("agents").iterdir())) == 2 * len(ROLES)
    assert set(COGNITIVE) <= {path.name for path in acme.file("agents/beta-cfo").iterdir()}
