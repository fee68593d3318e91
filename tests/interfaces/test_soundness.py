"""What `mabos verify files` and the doctor find in a company that a person, a disk or an editor has damaged."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from mabos.interfaces.soundness import damaged_files
from mabos.tools.runtime.opening import open_services
from tests.interfaces.command_line import answer, company, mabos

GIVEN: list[tuple[str, dict[str, Any]]] = [
    ("fact_assert", {"subject": "acme", "predicate": "runway", "object": "9", "confidence": 0.9, "source": "x"}),
    ("rule_create", {"name": "r", "description": "x", "type": "inference",
                     "conditions": [{"subject": "?a", "predicate": "p"}],
                     "conclusion": {"subject": "?a", "predicate": "q", "object": "1"}}),
    ("memory_store_item", {"content": "Runway is nine months", "importance": 0.8}),
    ("cbr_store", {"situation": {"context": "x"}, "solution": {"plan": "P-1"}, "outcome": {"status": "success"}}),
    ("agent_message", {"to": "cfo", "performative": "INFORM", "content": "hello"}),
    ("contractor_add", {"name": "Ada", "skills": ["law"], "hourly_rate_usd": 50}),
    ("contract_net_initiate", {"task_description": "Audit", "task_id": "CFP-1"}),
    ("ad_campaign_create",
     {"name": "S", "channel": "search", "segment": "smb", "weekly_budget_usd": 10, "weeks": 2}),
    ("stripe_create_product", {"name": "Pro"}),
    ("content_generate", {"type": "case_study", "title": "x"}),
    ("work_package_create", {"title": "x", "description": "x", "required_skills": ["law"], "budget_usd": 10}),
    ("metrics_record", {"name": "cash", "value": 5}),
    ("ldg:task:save", {"task": {"id": "TASK-1", "systemPrompt": "Analyse sales",
                                "messages": [{"role": "assistant", "content": "Q1 sales were $1.2M."}]}}),
    ("mem:archive", {"taskId": "TASK-1"}),
    ("knowledge", {"action": "create_entity", "type": "Insight", "name": "a"}),
    ("decision_request", {"subject": "x", "description": "x", "options": ["yes"]}),
]  # fmt: skip
DOCUMENTS = (
    "agents/cfo/agent.json", "agents/cfo/facts.json", "agents/cfo/rules.json", "agents/cfo/memory-store.json",
    "agents/cfo/cases.json", "agents/cfo/inbox.json", "businesses/acme/business.json",
    "businesses/acme/stakeholder.json", "businesses/acme/decision-queue.json", "businesses/acme/work-packages.json",
    "businesses/acme/handoff-log.json", "businesses/acme/campaigns.json", "businesses/acme/content.json",
    "businesses/acme/pricing.json", "businesses/acme/metrics/metrics.json", "contract-net/CFP-1.json",
    "contractor-pool.json", "decision-queue.json", "stakeholder.json", "businesses/acme/archive.json",
)  # fmt: skip


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = company(tmp_path_factory.mktemp("filled"))
    for tool, arguments in GIVEN:
        agent_id = "ceo" if tool in ("agent_message", "contract_net_initiate") else "cfo"
        answer("call", tool, json.dumps({**arguments, "agent_id": agent_id}), workspace=place)
    return place


@pytest.fixture
def place(filled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(filled, tmp_path / "company"))


def found(place: Path) -> list[tuple[str, int]]:
    return [(one["path"], one["line"]) for one in answer("verify", "files", workspace=place, code=1)["problems"]]


def test_a_line_of_the_entity_memory_that_cannot_be_read_is_named(place: Path) -> None:
    log = place / "businesses" / "acme" / "graph.jsonl"
    log.write_text("not a line\n" + log.read_text())
    assert found(place) == [("businesses/acme/graph.jsonl", 1)]


DIAGRAM = "businesses/acme/workflows/wait.bpmn"
CONFLICT = "<<<<<<< HEAD\none\n=======\nother\n>>>>>>> theirs\n"


@pytest.mark.parametrize(
    ("document", "content", "line"),
    [
        (DIAGRAM, b"", 1),
        (DIAGRAM, b"<?xml version='1.0'?>\n<bpmn:definitions>\n", 3),
        ("agents/cfo/rules/cash.rules", f"# Money\n{CONFLICT}".encode(), 2),
        ("agents/cfo/rules/cash.rules", b"# Money\n# \xff\n", 2),
        ("agents/cfo/memory/2026-01-05.md", f"# Daily log 2026-01-05\n\n{CONFLICT}".encode(), 3),
        ("agents/cfo/memory/2026-01-05.md", b"# Daily log\0", 1),
        ("agents/cfo/memory/2026-01-05.md", b"# Daily log\n\xff", 2),
        ("agents/cfo/memory/2026-01-05.md", b"", 1),
    ],
)
def test_a_text_that_shows_damage_is_named_whoever_reads_it(
    place: Path, document: str, content: bytes, line: int
) -> None:
    answer("call", "workflow_create", json.dumps({"name": "Wait", "workflow_id": "wait"}), workspace=place)
    (place / document).parent.mkdir(exist_ok=True)
    (place / document).write_bytes(content)
    assert found(place) == [(document, line)]


def test_what_an_agent_remembers_is_no_damage_of_its_log(place: Path) -> None:
    said = "\x1b[31mred\x1b[0m\n<<<<<<< HEAD"
    given = {"agent_id": "cfo", "content": said, "importance": 0.5}
    answer("call", "memory_store_item", json.dumps(given), workspace=place)
    assert answer("verify", "files", workspace=place)["valid"] is True


def test_users_and_teams_that_cannot_be_meant_are_found(place: Path) -> None:
    manifest = place / "businesses" / "acme" / "business.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"teams": {"finance": "cfo"}}))
    assert found(place) == [("businesses/acme/business.json", 1)]  # written on one line


def test_a_company_that_nobody_damaged_is_sound(filled: Path) -> None:
    assert answer("verify", workspace=filled)["valid"] is True
    assert all((filled / document).is_file() for document in DOCUMENTS)
    known = {one["subject"]: one["state"] for one in answer("doctor", workspace=filled)["checks"]}
    assert (known["files"], known["ledger"]) == ("ok", "ok")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_that_is_cut_off_is_named_with_its_line_and_by_the_doctor_too(place: Path, document: str) -> None:
    text = (place / document).read_text("utf-8")
    cut = text[: len(text) // 2]
    (place / document).write_text(cut, "utf-8")
    ((path, line),) = found(place)
    assert path == document
    assert 1 <= line <= cut.count("\n") + 1
    (files,) = (one for one in answer("doctor", workspace=place, code=1)["checks"] if one["subject"] == "files")
    assert files["state"] == "wrong"
    assert document in files["says"]


@pytest.mark.parametrize("document", ["agents/cfo/facts.json", "agents/cfo/cases.json", "agents/cfo/memory-store.json"])
@pytest.mark.parametrize("stray", [None, 5, "text"])
def test_what_is_no_record_is_noticed_among_records(place: Path, document: str, stray: Any) -> None:
    content = json.loads((place / document).read_text("utf-8"))
    parts = [content] if isinstance(content, list) else content.values()
    next(part for part in parts if isinstance(part, list)).append(stray)
    (place / document).write_text(json.dumps(content, indent=2), "utf-8")
    ((path, line),) = found(place)
    assert path == document
    assert line >= 1


def test_what_recall_keeps_beside_an_empty_memory_is_no_sign_of_a_lost_one(place: Path) -> None:
    answer("rebuild", workspace=place)
    assert answer("verify", "files", workspace=place)["valid"] is True


@pytest.mark.parametrize("content", ["", "5", "null", '"text"', "\x00"])
def test_what_is_no_document_at_all_is_named(place: Path, content: str) -> None:
    documents = DOCUMENTS[1:4] + DOCUMENTS[6:8]
    for document in documents:
        (place / document).write_text(content, "utf-8")
    services = open_services(place)
    assert {one.path for one in damaged_files(services)} == set(documents)


@pytest.mark.parametrize(
    ("document", "old", "new"),
    [
        ("agents/cfo/facts.json", '"confidence": 0.9', '"confidence": "very"'),
        ("agents/cfo/inbox.json", '"content": "hello"', '"content": [1]'),
        ("agents/cfo/inbox.json", '"content": "hello"', '"content": "hello", "metadata": 5'),
        ("businesses/acme/campaigns.json", '"weeks": 2', '"weeks": "two"'),
        ("businesses/acme/decision-queue.json", '"urgency": "normal"', '"urgency": "normal", "cost": []'),
        ("businesses/acme/stakeholder.json", '"strategic-only"', '"hands-of"'),
        ("businesses/acme/business.json", '"saas",', "[7],"),
        ("contractor-pool.json", '"law"', "[7]"),
    ],
)
def test_a_field_of_the_wrong_kind_is_named_with_the_line_of_its_record(
    place: Path, document: str, old: str, new: str
) -> None:
    text = (place / document).read_text("utf-8")
    if document.endswith("decision-queue.json"):
        text, old, new = (
            text.replace('"status": "pending"', '"cost": 1, "status": "pending"'),
            '"cost": 1',
            '"cost": []',
        )
    assert old in text
    (place / document).write_text(text.replace(old, new, 1), "utf-8")
    problems = answer("verify", "files", workspace=place, code=1)["problems"]
    assert [one["path"] for one in problems] == [document]
    assert problems[0]["line"] > 0
    assert "by hand" in problems[0]["message"]


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ("businesses/acme/business.json", "restore it from a backup, or create the business again"),
        ("businesses/acme", "'ceo' works there"),
        ("agents/hr", "'hr' is the hr of 'acme'"),
        ("agents/hr/agent.json", "'hr' is the hr of 'acme'"),
        ("agents/cfo/facts.journal.jsonl", "is missing; restore it from a backup"),
        ("agents/cfo/mind.journal.000001.jsonl", "is missing; restore it from a backup"),
    ],
)
def test_what_was_deleted_is_named_with_what_to_do(place: Path, gone: str, said: str) -> None:
    path = place / gone
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    problems = answer("verify", "files", workspace=place, code=1)["problems"]
    assert any(one["path"].startswith(gone) and said in one["message"] for one in problems), problems


@pytest.mark.parametrize("status", ["draft", "published"])
def test_a_piece_of_content_that_is_gone_is_named(place: Path, status: str) -> None:
    shelf = place / "businesses" / "acme" / "content.json"
    told = json.loads(shelf.read_text("utf-8"))
    told["content"][0]["status"] = status  # an editor publishes a draft by hand
    shelf.write_text(json.dumps(told), "utf-8")
    assert answer("verify", "files", workspace=place)["valid"] is True
    piece = shelf.parent / told["content"][0]["path"]
    piece.unlink()
    assert found(place) == [(str(piece.relative_to(place)), 0)]


def test_a_journal_whose_middle_was_damaged_is_named_with_its_line(place: Path) -> None:
    retired = place / "agents" / "cfo" / "mind.journal.000001.jsonl"
    first, second, *rest = retired.read_bytes().splitlines(keepends=True)
    retired.write_bytes(b"".join([first, second.replace(b"seq", b"sep", 1), *rest, first]))
    assert found(place) == [("agents/cfo/mind.journal.000001.jsonl", 2)]


def test_what_is_damaged_is_named_once_though_closing_finds_it_again(place: Path) -> None:
    (place / "agents" / "cfo" / "facts.json").write_text("{", "utf-8")
    told = mabos("verify", "files", workspace=place, code=1)
    assert (told.stdout.count("facts.json"), told.stderr) == (1, "")


def test_settings_that_cannot_be_read_are_no_sound_workspace(place: Path) -> None:
    (place / "mabos.yaml").write_text("models: [", "utf-8")
    assert answer("verify", workspace=place, code=1)["error"]["code"] == "damaged"


def test_a_link_in_an_inbox_is_named_since_it_is_not_read(place: Path) -> None:
    (place / "businesses" / "acme" / "inbox" / "metrics.csv").symlink_to(place / "mabos.yaml")
    assert found(place) == [("businesses/acme/inbox/metrics.csv", 0)]


def test_an_agent_learns_no_failure_from_a_damaged_file_and_goes_on_when_it_is_mended(place: Path) -> None:
    step = {"description": "Advertise", "tool": "ad_campaign_create", "arguments": dict(GIVEN[7][1])}
    goal = {"level": "operational", "description": "Be known", "goal_id": "G-1", "priority": 1}
    for tool, given in (
        ("goal_create", goal),
        ("plan_generate", {"goal_id": "G-1", "plan_id": "P-1", "steps": [step]}),
        ("intention_commit", {"goal_id": "G-1", "plan_id": "P-1", "intention_id": "I-1"}),
    ):
        answer("call", tool, json.dumps({**given, "agent_id": "cmo"}), workspace=place)
    campaigns = place / "businesses" / "acme" / "campaigns.json"
    whole = campaigns.read_text("utf-8")
    campaigns.write_text(whole[:50], "utf-8")
    error = answer("run", "cmo", workspace=place, code=1)["error"]
    assert (error["code"], "campaigns.json:4: not JSON" in error["message"]) == ("damaged", True)
    assert not (place / "agents" / "cmo" / "cases.json").exists()
    campaigns.write_text(whole, "utf-8")
    for _ in range(8):  # its other goals have their turns too
        if answer("run", "cmo", workspace=place)["intention_id"] == "I-1":
            break
    text = campaigns.read_text("utf-8")
    assert text.count('"name": "S"') == 2
