"""`mabos studio --offline`: what Studio shows, in the terminal and without a server."""

import json
import sys
from pathlib import Path

import pytest

from mabos.interfaces.studio import MACHINES
from mabos.interfaces.threads import drawing
from tests.interfaces.command_line import answer, company, mabos

ORDER = {"title": "Audit", "description": "x", "required_skills": ["law"], "budget_usd": 10_000}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = company(tmp_path_factory.mktemp("offline"))
    ask = {"subject": "Terms", "description": "Which terms?", "options": ["short", "long"]}
    steps = [{"description": "Ask for the terms", "tool": "decision_request", "arguments": ask}]
    for tool, arguments in (
        ("goal_create", {"level": "operational", "description": "Settle the terms", "goal_id": "G-terms"}),
        ("plan_generate", {"goal_id": "G-terms", "plan_id": "P-terms", "steps": steps}),
        ("intention_commit", {"goal_id": "G-terms", "plan_id": "P-terms", "intention_id": "I-terms"}),
    ):
        answer("call", tool, json.dumps(arguments), "--agent", "legal", workspace=root)
    answer("run", "legal", workspace=root)
    answer("run", "legal", workspace=root)
    answer("call", "work_package_create", json.dumps(ORDER), "--agent", "cto", workspace=root, code=1)
    return root


def test_every_thread_is_listed(workspace: Path) -> None:
    known = answer("studio", "--offline", workspace=workspace)["threads"]
    assert {"ceo", "legal", "acme", "heartbeat"} < set(known)
    assert any(name.startswith("DEC-") for name in known)
    shown = mabos("studio", "--offline", workspace=workspace).stdout
    assert "waits for a person: Order 'Audit'" in shown
    assert shown.endswith("look into one with: mabos studio --offline THREAD\n")


def test_the_states_of_an_agents_thread_are_shown_newest_first_with_what_waits(workspace: Path) -> None:
    found = answer("studio", "--offline", "legal", workspace=workspace)
    assert found["machine"] == "bdi"
    assert len(found["past"]) == 2
    assert found["past"][0]["at"] >= found["past"][1]["at"]
    assert found["past"][1]["values"]["outcome"] == "waiting"
    assert found["past"][0]["values"]["agent_id"] == "legal"
    (gate,) = found["gates"]
    assert gate["question"]["from_agent"] == "legal"
    assert gate["form"]["properties"]["resolution"]["enum"][0] == "approve"


def test_a_decision_is_shown_with_its_options_and_the_command_that_answers_it(workspace: Path) -> None:
    (decision,) = [
        one["id"] for one in answer("decisions", workspace=workspace)["decisions"] if one["from_agent"] == "cto"
    ]
    shown = mabos("studio", "--offline", decision, workspace=workspace).stdout
    assert "cto: Order 'Audit'" in shown
    assert f"mabos decisions approve|reject|defer|modify {decision}" in shown
    assert "gate" in shown
    answer("decisions", "reject", decision, workspace=workspace)
    gone = answer("studio", "--offline", decision, workspace=workspace, code=1)["error"]
    assert gone["code"] == "unknown_id"


def test_an_unknown_thread_is_answered_with_the_nearest(workspace: Path) -> None:
    error = answer("studio", "--offline", "cfoo", workspace=workspace, code=1)["error"]
    assert "cfo" in error["message"]
    assert error["argument"] == "thread"


def test_a_thread_that_never_ran_has_a_drawing_and_no_states(workspace: Path) -> None:
    shown = mabos("studio", "--offline", "acme", workspace=workspace).stdout
    assert "One agent perceives, deliberates and plans." in shown
    assert "none is kept" in shown


def test_a_thread_without_offline_is_wrong_usage(workspace: Path) -> None:
    assert "--offline" in mabos("studio", "cfo", workspace=workspace, code=2).stderr


def test_nothing_of_langgraphs_server_is_needed(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langgraph_api", None)
    assert answer("studio", "--offline", "legal", workspace=workspace)["past"]


@pytest.mark.parametrize("machine", MACHINES)
def test_a_drawing_begins_at_the_start_and_leads_to_the_end(machine: str) -> None:
    steps = {step.name: step for step in drawing(machine)}
    assert next(iter(steps)) == "start"
    assert all(set(step.leads_to) <= {*steps, "end"} for step in steps.values())
    assert any("end" in step.leads_to for step in steps.values())
    assert all(step.does for name, step in steps.items() if name != "start")
