"""The same call gives the same answer on every surface, and nowhere may an agent speak for another."""

from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import Refused
from mabos.interfaces.facade import Workspace
from mabos.interfaces.surfaces.langchain import langchain_tools
from tests.interfaces.surfaces.offices import SURFACES, Envelope, copied

COSTLY = {
    "title": "Compliance gaps closed",
    "description": "Close what the audit found",
    "required_skills": ["compliance"],
    "deliverables": ["A report"],
    "budget_usd": 20_000,
    "agent_id": "coo",
}
CASES: dict[str, tuple[str, dict[str, Any], str]] = {
    "a reader": ("memory_recall", {"query": "runway", "recursive_depth": 1, "agent_id": "cfo"}, ""),
    "a writer": (
        "memory_store_item",
        {"content": "The bank wants a plan", "importance": 0.7, "tags": ["bank", "plan"], "agent_id": "cfo"},
        "",
    ),
    "an ability of the bus": (
        "ldg:task:save",
        {
            "task": {
                "id": "TASK-1",
                "systemPrompt": "Find a price",
                "messages": [{"role": "user", "content": "Find it"}],
            }
        },
        "",
    ),
    "a bad argument": ("memory_recall", {"query": "runway", "limit": "many", "agent_id": "cfo"}, ""),
    "an unknown argument": ("memory_recall", {"querry": "runway"}, "cfo"),
    "an unknown id": ("ldg:task:get", {"taskId": "TASK-9"}, "cfo"),
    "an unknown agent": ("belief_get", {"agent_id": "cof"}, ""),
    "one that waits for a person": ("work_package_create", COSTLY, ""),
    "an agent that names another": ("belief_get", {"agent_id": "ceo"}, "cfo"),
    "an agent that speaks for another": (
        "agent_message",
        {"from": "ceo", "to": "cmo", "performative": "INFORM", "content": "Stop"},
        "cfo",
    ),
    "text that no file could hold": ("memory_store_item", {"content": "\ud800", "importance": 0.5}, "cfo"),
}
SAID = {
    "a bad argument": "invalid_argument",
    "an unknown argument": "invalid_argument",
    "an unknown id": "unknown_id",
    "an unknown agent": "unknown_id",
    "one that waits for a person": "awaiting_approval",
    "an agent that names another": "refused",
    "an agent that speaks for another": "refused",
    "text that no file could hold": "invalid_argument",
}


@pytest.fixture(scope="module")
def answers(company: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Envelope]]:
    """Ask everything on every surface, each on a company of its own."""
    folder = tmp_path_factory.mktemp("answers")
    found: dict[str, dict[str, Envelope]] = {}
    for name, ask in SURFACES.items():
        with copied(company, folder / name) as services:
            found[name] = {case: ask(services, tool, given, agent) for case, (tool, given, agent) in CASES.items()}
    return found


@pytest.mark.parametrize("case", CASES)
def test_the_same_call_has_the_same_answer_on_every_surface(case: str, answers: dict[str, dict[str, Envelope]]) -> None:
    expected = answers["cli"][case]
    for surface, found in answers.items():
        assert _comparable(found[case]) == _comparable(expected), surface


@pytest.mark.parametrize("case", CASES)
def test_the_answer_is_the_right_one(case: str, answers: dict[str, dict[str, Envelope]]) -> None:
    answer = answers["cli"][case]
    assert answer["ok"] is (case not in SAID)
    assert answer.get("error", {}).get("code") == SAID.get(case)


def test_what_waits_names_its_decision_everywhere(answers: dict[str, dict[str, Envelope]]) -> None:
    named = {answers[surface]["one that waits for a person"]["error"].get("decision_id") for surface in answers}
    assert len(named - {None}) == 1
    (decision,) = named - {None}
    assert all(decision in answers[name]["one that waits for a person"]["error"]["message"] for name in answers)


def test_lines_of_recall_with_their_depth_are_rendered_everywhere(answers: dict[str, dict[str, Envelope]]) -> None:
    for found in answers.values():
        assert "depth: 0) — Runway is nine months" in found["a reader"]["result"]["text"]


@pytest.mark.parametrize("surface", [name for name in SURFACES if name != "langchain"])
def test_a_tool_that_an_agent_is_not_capable_of_is_refused(surface: str, company: Path, tmp_path: Path) -> None:
    with copied(company, tmp_path / "workspace") as services:
        answer = SURFACES[surface](services, "ldg:task:save", {"task": {"systemPrompt": "Find a price"}}, "cfo")
        assert answer["error"]["code"] == "refused"
        with pytest.raises(Refused, match="may not use a tool called 'ldg:task:save'"):
            langchain_tools(Workspace(services).agent("cfo"), ["ldg:task:save"])


@pytest.mark.parametrize("surface", SURFACES)
def test_what_was_written_lies_in_the_files_and_nothing_of_what_was_refused(
    surface: str, company: Path, tmp_path: Path
) -> None:
    with copied(company, tmp_path / "workspace") as services:
        for case in ("a writer", "an agent that speaks for another", "one that waits for a person"):
            tool, given, agent = CASES[case]
            SURFACES[surface](services, tool, given, agent)
    root = tmp_path / "workspace"
    assert "The bank wants a plan" in (root / "agents" / "cfo" / "memory-store.json").read_text("utf-8")
    inbox = root / "agents" / "cmo" / "inbox.json"
    assert not inbox.exists() or "Stop" not in inbox.read_text("utf-8")
    packages = root / "businesses" / "acme" / "work-packages.json"
    assert not packages.exists() or "Compliance gaps closed" not in packages.read_text("utf-8")


def _comparable(answer: Envelope) -> Envelope:
    """Return an answer without the decision's id, which the bus tells in its message alone."""
    if answer["ok"]:
        return answer
    return {"ok": False, "error": {name: answer["error"][name] for name in ("code", "message", "argument")}}
