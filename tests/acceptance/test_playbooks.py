"""Playbooks at work: written by hand, started by what happens, carried out in cycles, explained afterwards (S3 4.2)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.company import Company

PLAYBOOKS = Path(__file__).with_name("playbooks.md").read_text("utf-8")


def believe(acme: Company, belief_id: str, claim: str, **given: Any) -> None:
    """Let the CFO believe `subject predicate value`."""
    subject, predicate, value = claim.split(" ", 2)
    acme.done(
        "belief_update", belief_id=belief_id, description=claim, certainty=0.9, source="crm",
        subject=subject, predicate=predicate, value=value, **given,
    )  # fmt: skip


def plan_of(acme: Company, name: str) -> str:
    """Return the section of a plan in Plans.md."""
    return next((part for part in acme.text("agents/cfo/Plans.md").split("\n## ") if part.startswith(name)), "")


@pytest.fixture
def written(acme: Company) -> Company:
    """The company, its CFO with the playbooks above and nothing else to do."""
    for name in ("Desires.md", "Goals.md"):
        acme.write(f"agents/cfo/{name}", f"# {name.removesuffix('.md')}\n")
    acme.write("agents/cfo/Playbooks.md", PLAYBOOKS)
    return acme


def test_a_playbook_written_by_hand_fails_over_to_another_finishes_and_is_explained(written: Company) -> None:
    believe(written, "B-days", "invoice_days is 45")
    believe(written, "B-account", "Initech account coo")
    believe(written, "B-invoice", "Initech invoice_status overdue")
    report = written.run("cfo")
    assert report["outcome"] == "completed"
    assert [(one["step"], one["status"]) for one in report["results"]] == [
        ("s1", "failed"), ("s1-2.1", "done"), ("s2-2", "done"),
    ]  # fmt: skip
    plan = plan_of(written, "Remind ourselves")
    assert '+invoice_status("Initech", overdue)' in plan
    assert "by Remind through collections; by Remind ourselves" in plan
    assert "- **Source:** playbook" in plan
    case = written.read("agents/cfo/cases.json")[0]
    assert case["outcome"]["status"] == "open"
    assert "invoice_answer = promised cannot be told from what is believed" in case["outcome"]["reason"]
    (message,) = [one for one in written.read("agents/coo/inbox.json") if one["content"] == "Call Initech"]
    why = written.command("why", message["id"]).stdout
    assert "plan" in why
    assert "Remind ourselves (playbook" in why
    assert "belief B-invoice of cfo: Initech invoice_status overdue" in why


def test_what_a_playbook_made_believed_is_believed_and_the_same_event_starts_nothing_twice(written: Company) -> None:
    believe(written, "B-account", "Initech account coo")
    believe(written, "B-invoice", "Initech invoice_status overdue")
    assert written.run("cfo")["outcome"] == "completed"
    assert any(
        (one["subject"], one["predicate"], one["value"]) == ("Initech", "reminder", "sent")
        for one in written.done("belief_get")["beliefs"]
    )
    assert written.run("cfo")["outcome"] == "idle"
    believe(written, "B-days", "invoice_days is 45")
    assert written.run("cfo")["outcome"] == "idle"


def test_a_goal_is_opened_by_the_playbook_whose_context_holds_when_it_is_reached(written: Company) -> None:
    believe(written, "B-account", "Initech account coo")
    believe(written, "B-leave", "on_leave is coo")
    believe(written, "B-invoice", "Initech invoice_status overdue")
    assert written.run("cfo")["outcome"] == "completed"
    assert "by Inform the office" in plan_of(written, "Remind ourselves")
    assert [one["content"] for one in written.read("agents/ceo/inbox.json")] == ["Initech is overdue"]


def test_where_a_goal_fails_another_playbook_for_it_is_taken_before_the_whole_is_given_up(written: Company) -> None:
    believe(written, "B-account", "Initech account nobody")
    believe(written, "B-invoice", "Initech invoice_status overdue")
    report = written.run("cfo")
    assert report["outcome"] == "completed"
    plan = plan_of(written, "Remind ourselves")
    assert "by Inform by message; by Inform the office" in plan
    assert [one["step"] for one in report["results"]] == ["s1.1", "s1.1-2", "s2"]


def test_a_condition_starts_a_playbook_each_time_it_comes_to_hold_and_not_while_it_goes_on(acme: Company) -> None:
    for name in ("Desires.md", "Goals.md"):
        acme.write(f"agents/cfo/{name}", f"# {name.removesuffix('.md')}\n")
    acme.write(
        "agents/cfo/Playbooks.md",
        "# Playbooks\n\n## Low cash\n\n- **Trigger:** cash_weeks below 8\n\n"
        '1. Warn: agent_message {"to": "ceo", "performative": "INFORM", "content": "cash is low"}\n',
    )
    for number, (weeks, expected) in enumerate([(12, 0), (7, 1), (6, 1), (9, 1), (5, 2)]):
        at = f"2026-03-{number + 1:02}T08:00:00Z"
        acme.done(
            "belief_update", belief_id="B-cash", description=f"cash for {weeks} weeks", certainty=0.9, source="bank",
            subject="cash_weeks", value=str(weeks), now=at,
        )  # fmt: skip
        acme.run("cfo", now=at)
        inbox = acme.file("agents/ceo/inbox.json")
        assert (weeks, len(json.loads(inbox.read_text("utf-8"))) if inbox.exists() else 0) == (weeks, expected)


def test_a_message_and_a_goal_start_playbooks_too(acme: Company) -> None:
    for name in ("Desires.md", "Goals.md"):
        acme.write(f"agents/cfo/{name}", f"# {name.removesuffix('.md')}\n")
    acme.write(
        "agents/cfo/Playbooks.md",
        "# Playbooks\n\n## Thank\n\n- **Trigger:** +message(Sender, inform, Text)\n\n"
        '1. agent_message {"to": "{Sender}", "performative": "INFORM", "content": "thanks for: {Text}"}\n\n'
        "## Close\n\n- **Trigger:** +!close_the_books\n\n1. + books status closed\n",
    )
    acme.done(
        "agent_message", agent="coo", **{"from": "coo"}, to="cfo", performative="INFORM", content="all shipped"
    )  # fmt: skip
    acme.run("cfo")
    assert [one["content"] for one in acme.read("agents/coo/inbox.json")] == ["thanks for: all shipped"]
    acme.done("goal_create", level="operational", description="Close the books", goal_id="G-close")
    acme.run("cfo")
    assert "- **Goal:** G-close" in plan_of(acme, "Close")
    assert written_status(acme, "G-close") == "achieved"


def written_status(acme: Company, goal_id: str) -> str:
    """Return the status of a goal as Goals.md has it."""
    section = next(part for part in acme.text("agents/cfo/Goals.md").split("\n## ") if f"**Id:** {goal_id}\n" in part)
    return section.split("- **Status:** ")[1].split("\n")[0]


def test_a_playbook_with_a_fault_is_told_with_file_and_line_and_not_started(written: Company) -> None:
    broken = '\n## Broken\n\n- **Trigger:** +invoice_status(X, paid)\n\n1. Thank: agent_message {"to": "{Y}"}\n'
    written.write("agents/cfo/Playbooks.md", PLAYBOOKS + broken)
    line = (PLAYBOOKS + broken).splitlines().index('1. Thank: agent_message {"to": "{Y}"}') + 1
    (problem,) = written.data("verify", code=1)["problems"]
    assert (problem["path"], problem["line"]) == ("agents/cfo/Playbooks.md", line)
    assert "Y is unbound" in problem["message"]
    believe(written, "B-invoice", "Initech invoice_status paid")
    assert written.run("cfo")["outcome"] == "idle"


def test_a_step_that_a_person_must_decide_waits_and_happens_once_and_a_condition_is_waited_for(acme: Company) -> None:
    for name in ("Desires.md", "Goals.md"):
        acme.write(f"agents/cmo/{name}", f"# {name.removesuffix('.md')}\n")
    campaign = json.dumps(
        {"name": "{Season}", "channel": "search", "segment": "smb", "weekly_budget_usd": 2500, "weeks": 4}
    )
    acme.write(
        "agents/cmo/Playbooks.md",
        "# Playbooks\n\n## Push\n\n- **Trigger:** +season(Season)\n\n"
        f"1. Start the campaign: ad_campaign_create {campaign}\n2. ? stock > 10\n3. + campaign status announced\n",
    )
    told: dict[str, Any] = {"certainty": 0.9, "source": "shop", "agent": "cmo"}
    acme.done("belief_update", belief_id="B-stock", description="stock", subject="stock", value="3", **told)
    acme.done("belief_update", belief_id="B-season", description="season", subject="season", value="spring", **told)
    report = acme.run("cmo")
    assert report["outcome"] == "waiting"
    (decision_id,) = report["decision_ids"]
    acme.command("decisions", "approve", decision_id)
    assert acme.run("cmo")["outcome"] == "waiting"
    acme.done("belief_update", belief_id="B-stock", description="stock", subject="stock", value="30", **told)
    assert acme.run("cmo")["outcome"] == "completed"
    assert [one["name"] for one in acme.read("businesses/acme/campaigns.json")["campaigns"]] == ["spring"]


def test_the_alarm_that_a_role_brings_along_starts_when_its_condition_comes_to_hold(acme: Company) -> None:
    for name in ("Desires.md", "Goals.md"):
        acme.write(f"agents/ceo/{name}", f"# {name.removesuffix('.md')}\n")
    acme.run("ceo")
    acme.done(
        "belief_update", agent="ceo", belief_id="B-run", description="runway", certainty=0.99, source="bank",
        subject="runway_months", value="5.2",
    )  # fmt: skip
    assert acme.run("ceo")["outcome"] == "completed"
    assert "Please bring it back to six" in acme.text("agents/cfo/inbox.json")


ENDLESS = """# Playbooks

## Calm the customer

- **Trigger:** +invoice_status(Customer, overdue)
- **Success:** mood of customers above last year

1. + {Customer} reminder sent
"""


def test_a_success_that_nothing_can_tell_is_said_when_it_is_read_and_the_goal_stays_open(written: Company) -> None:
    written.write("agents/cfo/Playbooks.md", ENDLESS)
    believe(written, "B-invoice", "Initech invoice_status overdue")
    said = written.command("run", "cfo").stdout
    assert "agents/cfo/Playbooks.md:6: 'Calm the customer': success 'mood of customers above last year'" in said
    assert "nothing that is believed can tell it; its goal stays open until a person settles it" in said
    assert "cfo: completed" in said
    goals = written.text("agents/cfo/Goals.md")
    assert "Calm the customer" in goals
    assert "achieved" not in goals
