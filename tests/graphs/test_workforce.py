"""People and agents at work on one thing: offers, answers, words given and broken, over cycles and heartbeats."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.mind.model import Goal, Intention, Plan, Step
from tests.graphs.offices import Office

DUE = "2026-03-06T09:00:00Z"
PACKAGE = {
    "package_id": "WP-1", "title": "Onboarding wizard", "description": "Several steps, with SSO.",
    "required_skills": ["React"], "budget_usd": 900.0, "deadline": DUE, "goal_id": "G-ent",
}  # fmt: skip


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with Office(tmp_path / "workspace") as made:
        made.do("contractor_add", contractor_id="CONT-1", name="Alex", skills=["React"], hourly_rate_usd=90.0)
        made.services.agent("cto").mind.save(Goal("G-ent", "Enterprise launch", progress=10.0, status="blocked"))
        yield made


def ordered(office: Office, by: str = "cto", **more: Any) -> None:
    office.do("work_package_create", by, **PACKAGE | more)
    office.do("work_package_assign", "hr", package_id="WP-1", contractor_id="CONT-1")


def handed(office: Office, sender: str, recipient: str, kind: str, **more: Any) -> str:
    told = office.do("handoff", from_=sender, to=recipient, package_id="WP-1", handoff_type=kind, **more)
    return str(told["handoff_id"])


def package(office: Office) -> Any:
    return office.business.workforce.packages.one("WP-1")


def word(office: Office, agent: str) -> Any:
    return office.agent(agent).mind.commitment("COM-WP-1")


def trust(office: Office) -> float:
    return office.services.directory.contractors().one("CONT-1").trust_score


def test_an_agent_learns_that_a_contractor_took_its_work_over(office: Office) -> None:
    ordered(office)
    handed(office, "cto", "CONT-1", "agent_to_human", instructions="Start with SSO.")
    handed(office, "cto", "CONT-1", "agent_to_human", answer="accept")
    office.cycle("cto")
    assert office.agent("cto").mind.value("WP-1", "status") == "in_progress"
    assert office.agent("cto").mind.value("WP-1", "assigned_to") == "CONT-1"
    assert (word(office, "cto").counterparty, word(office, "cto").status) == ("CONT-1", "open")


def test_an_agent_takes_work_back_in_its_cycle_goes_on_with_it_and_says_when_it_is_delivered(office: Office) -> None:
    ordered(office, by="cto")
    folder = office.business.directory / "specs"
    folder.mkdir()
    (folder / "sso.md").write_text("# SSO\n")
    handoff_id = handed(
        office, "CONT-1", "cto", "human_to_agent",
        artifacts=[{"type": "spec", "path": "specs/sso.md"}], instructions="Only the last page is missing.",
    )  # fmt: skip
    office.cycle("cto")
    assert (package(office).assigned_to, package(office).status) == ("cto", "in_progress")
    assert office.services.directory.contractors().one("CONT-1").active_packages == 0
    assert (word(office, "cto").counterparty, word(office, "cto").owed_by) == ("CONT-1", "")
    office.cycle("cto")
    wish = office.agent("cto").mind.desire(f"D-MSG-{handoff_id}-work")
    assert "Only the last page is missing. Due 2026-03-06. Files: specs/sso.md." in wish.description
    assert office.agent("cto").mind.value("WP-1", "assigned_to") == "cto"
    goal = next(one for one in office.agent("cto").mind.goals if one.desire_id == wish.id)
    now = office.now
    steps = (Step("s1", tool="memory_store_item", arguments={"content": "The last page stands", "importance": 0.5}),)
    plan = Plan("P-last", goal.id, "last page", steps=steps, status="active", created=now, updated=now)
    first = Intention("I-last", goal.id, plan.id, started=now, updated=now)
    office.agent("cto").mind.save(plan, first)
    for _ in range(6):
        office.cycle("cto")
    assert package(office).status == "delivered"
    office.do("work_package_update", "cto", package_id="WP-1", status="complete")
    assert word(office, "cto").status == "met"
    assert office.agent("cto").mind.goal("G-ent").progress == 100


def test_work_is_not_delivered_while_a_file_that_it_promises_is_missing(office: Office) -> None:
    ordered(office, by="cto", deliverables=["specs/sso.md", "A wizard that customers like"])
    handoff_id = handed(office, "CONT-1", "cto", "human_to_agent")
    for _ in range(2):
        office.cycle("cto")
    cto, now = office.agent("cto"), office.now
    goal = next(one for one in cto.mind.goals if one.desire_id == f"D-MSG-{handoff_id}-work")
    cto.mind.save(Plan("P-last", goal.id, "last page", status="completed", created=now, updated=now))
    office.cycle("cto")
    assert package(office).status == "in_progress"
    folder = office.business.directory / "specs"
    folder.mkdir()
    (folder / "sso.md").write_text("# SSO\n")
    office.cycle("cto")
    assert package(office).status == "delivered"


@pytest.mark.parametrize(
    ("recipient", "artifacts", "reason"),
    [
        ("coo", [], "not competent in React"),
        ("cto", [{"type": "spec", "path": "specs/none.md"}], "not there: specs/none.md"),
        ("knowledge", [], "may not use work_package_update"),
    ],
)
def test_an_agent_refuses_what_it_cannot_do_and_says_why(
    office: Office, recipient: str, artifacts: list[dict[str, str]], reason: str
) -> None:
    ordered(office)
    handed(office, "CONT-1", recipient, "human_to_agent", artifacts=artifacts)
    office.cycle(recipient)
    (offer,) = office.business.workforce.handoffs.all()
    assert offer.status == "refused"
    assert reason in offer.answer
    assert package(office).assigned_to == "CONT-1"
    told = office.services.inbox("stakeholder").messages()[-1]
    assert (told.performative, told.conversation_id) == ("REJECT", offer.id)


def test_proficiency_opens_what_is_offered(office: Office) -> None:
    ordered(office)
    capabilities = office.services.layout.agent("coo") / "Capabilities.md"
    text = capabilities.read_text("utf-8")
    capabilities.write_text(text.replace("process design: expert", "process design: expert; React: competent"))
    office.restart()
    handed(office, "CONT-1", "coo", "human_to_agent")
    office.cycle("coo")
    assert package(office).assigned_to == "coo"
    assert word(office, "coo").status == "open"


def test_a_contractors_word_that_is_broken_is_noticed_once_with_all_that_follows(office: Office) -> None:
    ordered(office)
    before = trust(office)
    assert office.beat(days=3) == []
    assert (word(office, "cto").status, trust(office)) == ("open", before)
    (letter,) = [one for one in office.beat(days=2) if one.id.startswith("breach")]
    assert (letter.channel, letter.to) == ("file", "CONT-1")
    for _ in range(3):
        office.beat(hours=1)
    assert word(office, "cto").status == "breached"
    assert trust(office) == pytest.approx(before - 0.02)
    (breach,) = [one for one in office.entries("breach") if one["commitment"] == "COM-WP-1"]
    assert (breach["owed_by"], breach["told"]) == ("CONT-1", "CONT-1")
    assert [one["package"] for one in office.entries("overdue")] == ["WP-1"]
    office.cycle("cto")
    assert office.agent("cto").mind.value("WP-1", "overdue_since") is not None


def test_an_agents_word_that_is_broken_costs_it_trust_with_whom_it_was_given(office: Office) -> None:
    office.do("work_package_create", "coo", **PACKAGE | {"required_skills": ["engineering"], "goal_id": ""})
    handed(office, "coo", "cto", "agent_to_agent")
    office.cycle("cto")
    assert (word(office, "cto").counterparty, word(office, "cto").owed_by) == ("coo", "")
    office.beat(days=5)
    assert word(office, "cto").status == "breached"
    assert office.agent("coo").mind.value("cto", "trust") == "0.98"
    office.cycle("coo")
    assert office.agent("coo").mind.value("WP-1", "commitment") == "breached"
    office.beat(days=1)
    office.cycle("coo")
    held = office.agent("coo").belief("cto", "trust")
    assert held is not None
    assert (held.value, held.evidence) == ("0.98", ("COM-WP-1",))


def test_a_word_that_the_agent_believes_kept_is_not_broken(office: Office) -> None:
    ordered(office)
    office.do(
        "belief_update", "cto", description="Alex has delivered", certainty=0.9, source="Alex",
        subject="WP-1", predicate="status", value="delivered",
    )  # fmt: skip
    before = trust(office)
    office.beat(days=5)
    assert (word(office, "cto").status, trust(office)) == ("met", before)


def test_what_an_agent_is_no_longer_good_at_it_may_no_longer_do(office: Office) -> None:
    capabilities = office.services.layout.agent("cmo") / "Capabilities.md"
    text = capabilities.read_text("utf-8")
    assert "marketing analytics: competent" in text
    capabilities.write_text(text.replace("marketing analytics: competent", "marketing analytics: novice"))
    office.restart()
    mind, now = office.agent("cmo").mind, office.now
    arguments = {"name": "Spring", "channel": "search", "segment": "smb", "weekly_budget_usd": 10.0, "weeks": 1}
    step = Step("s1", "Advertise", "ad_campaign_create", arguments)
    plan = Plan("P-1", "G-1", "ads", steps=(step,), status="active", confidence=0.9, created=now, updated=now)
    goal = Goal("G-1", "Spring", priority=0.99, created=now, updated=now)
    mind.save(goal, plan, Intention("I-1", "G-1", "P-1", started=now, updated=now))
    report = office.agent("cmo").cycle()
    assert {one["status"] for one in report.results if one["step"] == "s1"} == {"failed"}
    assert any("it asks for marketing (competent)" in one for one in report.failures)
    assert office.business.campaigns.all() == ()
