"""`mabos chat`: one message for scripts, a conversation line by line, and what is on record after it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mabos.interfaces.cli import front
from tests.interfaces.command_line import NOW, answer, company, mabos

ORDER = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."
DEAR = "Start a search campaign named 'Big' for everybody: 900 dollars a week for 8 weeks."


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    return company(tmp_path / "workspace")


def talk(workspace: Path, *lines: str, agent: str = "") -> str:
    """Return what a conversation prints, whose lines the person types."""
    words = ["--workspace", str(workspace), "chat", *([agent] if agent else [])]
    typed = "".join(f"{line}\n" for line in lines)
    result = CliRunner().invoke(front, words, input=typed, env={"MABOS_NOW": NOW}, prog_name="mabos")
    assert result.exit_code == 0, result.output
    return result.stdout


def decisions(workspace: Path) -> list[Any]:
    return list(answer("decisions", "list", "--all", workspace=workspace)["decisions"])


def campaigns(workspace: Path) -> list[Any]:
    path = workspace / "businesses" / "acme" / "campaigns.json"
    return list(json.loads(path.read_text("utf-8"))["campaigns"]) if path.exists() else []


def test_one_message_is_answered_as_json_with_the_exit_code_of_the_contract(acme: Path) -> None:
    reply = answer("chat", "cmo", "--say", ORDER, workspace=acme)
    (made,) = campaigns(acme)
    assert (reply["ok"], reply["agent_id"], reply["asks"]) == (True, "cmo", False)
    assert made["id"] in reply["text"]
    assert made["id"] in {one["ref"] for one in reply["did"]}
    refused = answer("chat", "legal", "--say", "undo everything you have ever done", workspace=acme)
    assert refused["text"], "a question back is an answer"
    wrong = answer("chat", "cmoo", "--say", ORDER, workspace=acme, code=1)
    assert wrong["error"]["code"] == "unknown_id"
    assert mabos("--json", "chat", "cmo", workspace=acme, code=2).stdout.count("invalid_argument") == 1


def test_the_company_says_who_answers_and_why(acme: Path) -> None:
    reply = answer("chat", "--say", ORDER, workspace=acme)
    assert (reply["agent_id"], "ad_campaign_create" in reply["chosen_because"]) == ("cmo", True)
    shown = talk(acme, "What exactly is booked now?", "/quit")
    assert "answers: " in shown


def test_an_approval_is_answered_where_it_is_asked(acme: Path) -> None:
    shown = talk(acme, DEAR, "y", agent="cmo")
    (decision,) = decisions(acme)
    assert decision["status"] == "approved"
    (made,) = campaigns(acme)
    assert (made["name"], made["weekly_budget_usd"]) == ("Big", 900)
    assert shown.index("weekly_budget_usd: 900") < shown.index("approve?") < shown.index(made["id"])


def test_a_rejection_has_its_reason_and_a_later_answer_leaves_it_waiting(acme: Path) -> None:
    talk(acme, DEAR, "maybe", "l", agent="cmo")
    assert [one["status"] for one in decisions(acme)] == ["pending"]
    talk(acme, "/waiting", "n", "too dear", agent="cmo")
    (decision,) = decisions(acme)
    assert (decision["status"], decision["feedback"]) == ("rejected", "too dear")
    assert campaigns(acme) == []


def test_a_question_with_options_takes_one_and_words_beside_the_point_are_said_not_lost(acme: Path) -> None:
    options = [{"id": "A", "label": "Stop"}, {"id": "B", "label": "Go on"}]
    asked = {"subject": "Shall we?", "description": "Shall we?", "options": options}
    mabos("call", "decision_request", json.dumps(asked), "--agent", "cfo", workspace=acme)
    shown = talk(acme, "/waiting", "y", "What is our cash?", agent="cfo")
    assert "cfo: " in shown.partition("What is our cash?")[2]
    assert [one["status"] for one in decisions(acme)] == ["pending"], "there is no advice to say yes to"
    talk(acme, "/waiting", "b", agent="cfo")
    assert [(one["status"], one["chosen_option"]) for one in decisions(acme)] == [("approved", "B")]


def test_undo_withdraws_an_open_order_and_leaves_a_done_one(acme: Path) -> None:
    talk(acme, ORDER, DEAR, "l", "/undo", "/undo", agent="cmo")
    (decision,) = decisions(acme)
    assert decision["status"] == "withdrawn"
    assert [(one["name"], one["status"]) for one in campaigns(acme)] == [("Spring", "recorded")]


def test_undo_after_a_rejection_says_that_nothing_was_carried_out(acme: Path) -> None:
    shown = talk(acme, DEAR, "n", "too dear", "/undo", agent="cmo")
    assert [one["status"] for one in decisions(acme)] == ["rejected"]
    assert "was not carried out" in shown.rpartition("/undo")[2]


def test_all_questions_of_a_kind_are_approved_at_once(acme: Path) -> None:
    talk(acme, DEAR, "l", DEAR.replace("Big", "Bigger"), "a", agent="cmo")
    assert [one["status"] for one in decisions(acme)] == ["approved", "approved"]
    assert len(campaigns(acme)) == 2


def test_a_letter_is_shown_whole_before_it_goes(acme: Path) -> None:
    for name in ("ada", "bo"):
        given = {"email": f"{name}@example.com", "name": name.title(), "tags": ["wholesale"]}
        mabos("call", "crm_create_contact", json.dumps(given), workspace=acme)
    text = "From the first of May we deliver on Tuesdays, before noon."
    shown = talk(acme, f'Write to everybody tagged wholesale: "{text}" I\'d like to read it first.', "l", agent="cmo")
    listed = mabos("decisions", workspace=acme).stdout
    for page in (shown.partition("approve?")[0], listed):
        assert all(one in page for one in ("To (2): ada@example.com, bo@example.com", "Subject: ", f"  {text}"))


def test_what_was_said_is_shown_and_searched(acme: Path) -> None:
    talk(acme, ORDER, "What is our runway?", agent="cmo")
    lines = answer("chat", "cmo", "--history", workspace=acme)["messages"]
    assert [one["sender"] for one in lines] == ["stakeholder", "cmo", "stakeholder", "cmo"]
    found = answer("chat", "--history", "--search", "spring search", workspace=acme)["messages"]
    assert [one["id"] for one in found] == [lines[0]["id"], lines[1]["id"]]
    again = talk(acme, "/history runway", agent="cmo")
    greeting, _, found_now = again.partition("you> /history")
    assert ORDER in greeting, "a conversation goes on where it ended"
    assert ("runway" in found_now, ORDER in found_now) == (True, False)


def test_why_shows_the_records_behind_the_last_reply(acme: Path) -> None:
    shown = talk(acme, ORDER, "/why", agent="cmo")
    (made,) = campaigns(acme)
    assert f"campaigns/{made['id']}" in shown.partition("you> /why")[2]


def test_an_unknown_command_and_an_error_do_not_end_the_conversation(acme: Path) -> None:
    shown = talk(acme, "/nothing", "/why X-unknown", "/undo", "/mind", "/help", "Good morning", agent="cmo")
    assert "there is no /nothing" in shown
    assert shown.count("mabos: ") == 2
    assert shown.partition("you> Good morning")[2].strip()
