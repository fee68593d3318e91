"""The contracts of the command line: exit codes, JSON alone on standard output, and errors that name what was wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.yaml_file import read_yaml
from tests.acceptance.company import Company, ended, process


def test_a_real_process_answers_with_json_alone_and_exit_code_0(acme: Company) -> None:
    out, err = ended(process("--workspace", str(acme.root), "run", "cfo", "--json"))
    assert json.loads(out)["agent_id"] == "cfo"
    assert "perceive" in err


def test_a_real_process_ends_with_1_when_refused_and_2_when_used_wrongly(founded: Company) -> None:
    there = {"MABOS_WORKSPACE": str(founded.root)}
    refused = process("call", "goal_evaluate", '{"goal_id": "G-9"}', "--agent", "cfo", env=there)
    misused = process("call", "belief_get", "{", env=there)
    unheard = process("heartbeet", env=there)
    out, _ = ended(refused, code=1)
    assert json.loads(out)["error"]["argument"] == "goal_id"
    out, _ = ended(misused, code=2)
    assert json.loads(out)["ok"] is False
    out, err = ended(unheard, code=2)
    assert out == ""
    assert "did you mean 'heartbeat'" in err


def test_the_workspace_is_that_of_the_option_then_of_the_environment_then_of_the_folder(
    founded: Company, tmp_path: Path
) -> None:
    asked = ("business", "list", "--json")
    by_option = process(*asked, "--workspace", str(founded.root), env={"MABOS_WORKSPACE": str(tmp_path / "no")})
    by_environment = process(*asked, env={"MABOS_WORKSPACE": str(founded.root)})
    by_folder = process(*asked, cwd=founded.root.parent)
    for started in (by_option, by_environment, by_folder):
        out, _ = ended(started)
        assert "acme" in out


def test_a_command_in_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    _, err = ended(process("run", "cfo", cwd=tmp_path), code=1)
    assert err.startswith("mabos: ")
    assert "mabos init" in err
    assert list(tmp_path.iterdir()) == []


COMMANDS: list[tuple[str, ...]] = [
    ("business", "list"),
    ("business", "status", "acme"),
    ("mind", "cfo"),
    ("memory", "status"),
    ("memory", "recall", "runway", "--agent", "cfo"),
    ("memory", "consolidate", "--dry-run"),
    ("decisions",),
    ("tools",),
    ("heartbeat", "--once"),
    ("verify",),
    ("verify", "ledger"),
    ("rebuild",),
    ("doctor",),
    ("why", "B-cfo-001"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_speaks_json_before_or_after_its_name(acme: Company, command: tuple[str, ...]) -> None:
    json.loads(acme.command("--json", *command).stdout)
    json.loads(acme.command(*command, "--json").stdout)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_speaks_to_people_too(acme: Company, command: tuple[str, ...]) -> None:
    said = acme.command(*command).stdout
    assert said.strip()
    assert "Traceback" not in said
    assert not said.lstrip().startswith("{")


@pytest.mark.parametrize(
    "command",
    [
        ("mind", "cfoo"),
        ("run", "cfoo"),
        ("why", "B-none"),
        ("decisions", "approve", "DEC-none"),
        ("business", "status", "acne"),
        ("memory", "recall", "x", "--agent", "cfoo"),
        ("heartbeat", "--once", "--agent", "cfoo"),
        ("call", "belief_get", "{}", "--agent", "cfoo"),
        ("call", "belief_gets", "{}", "--agent", "cfo"),
        ("simulate", "sass"),
    ],
    ids=" ".join,
)
def test_what_is_not_there_is_refused_as_json_with_code_message_and_argument(
    founded: Company, command: tuple[str, ...]
) -> None:
    answer = founded.data(*command, code=1)
    assert answer["ok"] is False
    assert set(answer["error"]) == {"code", "message", "argument"}
    assert answer["error"]["code"] == "unknown_id"


@pytest.mark.parametrize(
    "command",
    [("mind",), ("run",), ("why",), ("call",), ("heartbeat", "--sometimes"), ("business", "create", "beta"), ("tool",)],
    ids=" ".join,
)
def test_wrong_usage_ends_with_2(founded: Company, command: tuple[str, ...]) -> None:
    assert founded.command(*command, code=2).stdout == ""


UNKNOWN: list[tuple[str, dict[str, Any]]] = read_yaml(Path(__file__).with_name("unknown_ids.yaml"))["calls"]


@pytest.mark.parametrize(("tool", "arguments"), UNKNOWN, ids=[f"{tool} {sorted(given)}" for tool, given in UNKNOWN])
def test_an_unknown_id_is_never_answered_with_success(founded: Company, tool: str, arguments: dict[str, Any]) -> None:
    error = founded.refused(tool, agent="ceo", **arguments)
    assert error["argument"] in arguments
    named = arguments[error["argument"]]
    assert (named[0] if isinstance(named, list) else named) in error["message"]


def test_the_nearest_name_is_offered(founded: Company) -> None:
    assert "'belief_update'" in founded.refused("belief_updat")["message"]
    assert "'strategy'" in founded.refused("belief_get", agent="stratgy")["message"]
    assert "'acme'" in founded.refused("business_status", business_id="acne")["message"]
    assert "'INFORM'" in founded.refused("agent_message", to="ceo", performative="INFROM", content="x")["message"]
    assert "'certainty'" in str(founded.refused("belief_update", description="x", certainity=1, source="y"))


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"description": "x", "source": "y"}, "certainty"),
        ({"description": "x", "certainty": "very", "source": "y"}, "certainty"),
        ({"description": "x", "certainty": None, "source": "y"}, "certainty"),
        ({"description": "x", "certainty": True, "source": "y"}, "certainty"),
        ({"description": "", "certainty": 0.5, "source": "y"}, "description"),
        ({"description": 7, "certainty": 0.5, "source": "y"}, "description"),
        ({"description": "x", "certainty": 0.5, "source": "y", "colour": "red"}, "colour"),
    ],
)
def test_bad_input_names_its_argument_and_writes_nothing(
    acme: Company, arguments: dict[str, Any], argument: str
) -> None:
    before = acme.text("agents/cfo/Beliefs.md")
    assert acme.refused("belief_update", **arguments)["argument"] == argument
    assert acme.text("agents/cfo/Beliefs.md") == before


def test_lists_and_objects_are_given_as_json_values(acme: Company) -> None:
    acme.done("memory_store_item", content="x", type="fact", importance=0.9, tags=["a", "b"], store="long_term")
    assert acme.read("agents/cfo/memory-store.json")["long_term"][0]["tags"] == ["a", "b"]
    situation: dict[str, Any] = {"beliefs": {"cac": "190"}, "desires": ["D-1"]}
    acme.done("cbr_store", situation=situation, solution={"actions": ["a"]}, outcome={"status": "success", "mrr": 1})
    assert acme.read("agents/cfo/cases.json")[0]["outcome"]["mrr"] == 1
    refused = acme.refused("memory_store_item", content="x", type="fact", importance=0.9, tags="a")
    assert refused["argument"] == "tags"


def test_the_catalogue_lists_name_module_summary_writes_and_schema(founded: Company) -> None:
    tools = founded.data("tools")
    assert len({tool["name"] for tool in tools}) == len(tools)
    for tool in tools:
        assert {"name", "module", "summary", "writes", "schema"} <= set(tool)
        assert tool["summary"]
        assert isinstance(tool["writes"], bool)
        schema = tool["schema"]
        assert "agent_id" in schema["properties"]
        assert set(schema["required"]) <= set(schema["properties"])
        assert all(part.get("description") for part in schema["properties"].values()), tool["name"]


def test_a_person_names_an_agent_in_the_json_or_beside_it(acme: Company) -> None:
    inside = acme.data("call", "memory_status", '{"agent_id": "cto"}')
    beside = acme.data("call", "memory_status", "{}", "--agent", "cto")
    assert inside == beside
    assert acme.data("call", "memory_status", '{"agent_id": "cto"}', "--agent", "cto")["ok"] is True


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("plan_adapt", {"source_case_id": "C-9", "target_goal_id": "G-9"}),
        ("goal_create", {"level": "tactical", "description": "x", "parent_goal_id": "G-9"}),
        ("agent_message", {"to": "ceo", "performative": "INFORM", "content": "x", "reply_to": "MSG-9"}),
    ],
    ids=["plan_adapt", "goal_create", "agent_message"],
)
def test_an_unknown_id_is_named_by_the_argument_it_stood_in(
    founded: Company, tool: str, arguments: dict[str, Any]
) -> None:
    assert founded.refused(tool, **arguments)["argument"] in arguments


FORBIDDEN: list[dict[str, Any]] = [
    {"tool": "belief_get", "arguments": {"agent_id": "ceo"}},
    {"tool": "agent_message", "arguments": {"to": "coo", "performative": "REQUEST", "content": "x", "from": "ceo"}},
    {"tool": "decision_resolve", "arguments": {"decision_id": "DEC-1", "resolution": "approve"}},
    {"tool": "stakeholder_profile", "arguments": {"approval_threshold_usd": 1000000}},
    {"tool": "contract_net_initiate", "arguments": {"task_description": "x", "initiator": "ceo"}},
]


@pytest.mark.parametrize("step", FORBIDDEN, ids=[str(step["tool"]) for step in FORBIDDEN])
def test_an_agent_acts_as_itself_and_not_as_its_stakeholder(acme: Company, step: dict[str, Any]) -> None:
    acme.done("decision_request", subject="s", description="d", options=["Go", "Stay"], decision_id="DEC-1")
    acme.commit(step)
    report = acme.run("cfo")
    assert report["outcome"] == "waiting"  # for the owner, who is asked what is to be done instead
    assert {result["status"] for result in report["results"] if result["tool"] == step["tool"]} == {"failed"}
    assert acme.read("businesses/acme/decision-queue.json")[0]["status"] == "pending"
    assert acme.read("businesses/acme/stakeholder.json")["approval_threshold_usd"] == 5000
    assert not acme.file("agents/coo/inbox.json").exists()
    assert list(acme.file("contract-net").iterdir()) == []


NAMES = ["../cfo", "a/b", "", ".", "CON\x00", "-rf", "c:fo", "x" * 300]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_that_is_no_name_never_becomes_a_path(acme: Company, name: str) -> None:
    before = sorted(path for path in acme.root.parent.rglob("*") if ".mabos" not in path.parts)
    asked: dict[str, Any] = {"business_id": name, "name": "x", "template": "saas"}
    assert acme.refused("business_create", agent="ceo", **asked)["argument"] == "business_id"
    said = json.dumps({"agent_id": name})
    if name:
        assert acme.data("call", "belief_get", said, code=1)["ok"] is False
    assert sorted(path for path in acme.root.parent.rglob("*") if ".mabos" not in path.parts) == before


def test_a_hand_written_facts_json_opens(acme: Company) -> None:
    fact = {
        "id": "F-1708800000000-a3f2", "subject": "acme-consulting", "predicate": "hasRevenue", "object": "$50000",
        "confidence": 0.9, "source": "cfo-report", "created_at": "2026-02-24T09:00:00Z",
        "updated_at": "2026-02-24T09:00:00Z",
    }  # fmt: skip
    acme.write("agents/cfo/facts.json", {"facts": [fact], "version": 3})
    assert acme.done("fact_query", subject="acme*")["facts"][0]["id"] == fact["id"]
    acme.done("fact_assert", subject="a", predicate="b", object="c", confidence=1, source="d")
    stored = acme.read("agents/cfo/facts.json")
    assert [one["object"] for one in stored["facts"]] == ["$50000", "c"]
    assert stored["version"] > 3


def test_a_hand_written_inbox_json_opens_and_is_heard(acme: Company) -> None:
    message = {
        "id": "MSG-1708800000000-a3f2", "from": "ceo", "to": "cfo", "performative": "INFORM",
        "content": "cac is 250", "priority": "normal", "timestamp": "2026-02-24T09:00:00Z", "read": False,
    }  # fmt: skip
    acme.write("agents/cfo/inbox.json", [message])
    acme.run("cfo")
    assert any(one["value"] == "250" for one in acme.done("belief_get", subject="cac")["beliefs"])
    assert acme.read("agents/cfo/inbox.json")[0]["read"] is True


def test_a_hand_written_memory_store_json_with_other_field_names_opens(acme: Company) -> None:
    item = {
        "id": "mem-a1b2c3", "content": "Customers ask for invoices by mail", "importance": 0.8, "tags": ["billing"],
        "timestamp": "2026-02-20T09:00:00Z", "tier": "long_term",
    }  # fmt: skip
    acme.write("agents/cfo/memory-store.json", {"working": [], "short_term": [], "long_term": [item], "version": 1})
    (hit,) = acme.done("memory_recall", query="invoices")["items"]
    assert (hit["id"], hit["store"], hit["type"]) == ("mem-a1b2c3", "long_term", "observation")
    assert hit["created_at"].startswith("2026-02-20T09:00:00")
    acme.done("memory_store_item", content="Another", importance=0.5, tier="long_term")
    assert len(acme.read("agents/cfo/memory-store.json")["long_term"]) == 2


def test_a_hand_written_rules_and_cases_json_open(acme: Company) -> None:
    rule = {
        "id": "R-1", "name": "thin runway", "description": "Under six months", "type": "constraint",
        "conditions": [{"predicate": "runway_months", "subject": "?b", "object": "?m"}],
        "violation_message": "thin", "enabled": True, "created_at": "2026-02-24T09:00:00Z",
    }  # fmt: skip
    acme.write("agents/cfo/rules.json", {"rules": [rule], "version": 1})
    case = {
        "id": "C-001", "situation": {"beliefs": ["B-1"], "desires": ["D-1"]}, "solution": {"plan_id": "P-1"},
        "outcome": {"success": True}, "stored_at": "2026-02-24T09:00:00Z",
    }  # fmt: skip
    acme.write("agents/cfo/cases.json", [case])
    assert "R-1" in [one["id"] for one in acme.done("rule_list")["rules"]]
    found = acme.done("cbr_retrieve", beliefs=["B-1"], desires=["D-1"])["cases"]
    assert found[0]["case_id"] == "C-001"


def test_a_broken_store_is_refused_with_file_and_line_and_left_alone(acme: Company) -> None:
    acme.write("agents/cfo/facts.json", '{"facts": [\n  {"id": "F-1",,}\n]}\n')
    error = acme.refused("fact_query", subject="*")
    assert error["code"] == "damaged"
    assert "facts.json:2" in error["message"]
    assert acme.text("agents/cfo/facts.json") == '{"facts": [\n  {"id": "F-1",,}\n]}\n'


def test_the_clock_of_a_command_can_be_frozen(acme: Company) -> None:
    now = "2031-07-01T10:00:00Z"
    made = acme.done("fact_assert", subject="a", predicate="b", object="c", confidence=1, source="d", now=now)
    assert made["fact"]["created_at"].startswith("2031-07-01T10:00:00")
    assert acme.command("business", "list", now="tomorrow", code=1).stderr.startswith("mabos: ")


def test_a_copied_folder_is_a_workspace(acme: Company, tmp_path: Path) -> None:
    acme.done("fact_assert", subject="a", predicate="b", object="c", confidence=1, source="d")
    moved = Company(acme.root.rename(tmp_path / "elsewhere"))
    assert moved.done("fact_query", subject="a")["facts"][0]["object"] == "c"
    assert moved.data("verify")["valid"] is True
