"""LangGraph's development server serves our graphs, and everything Studio asks of it is answered."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from mabos.graphs import wiring
from mabos.graphs.checkpoints import thread_id
from mabos.graphs.live import LiveCompany
from mabos.interfaces.studio import MACHINES
from mabos.mind.model import Goal, Intention, Plan, Step
from mabos.tools.gate.call import call
from mabos.workspace.clock import iso
from scripts.postgres import free_port
from tests import acme
from tests.studio.server import PATIENCE_S, ROOT, await_answer

pytestmark = pytest.mark.studio

QUIET = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "1", "LANGSMITH_TRACING": "false"}


TELLING = """
import json, os, sys, threading, time

def tell():
    while not os.path.exists("tell"):
        time.sleep(0.2)
    found = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file:
            found.setdefault(os.path.realpath(file), []).append(name)
    with open("modules.part", "w") as out:
        json.dump(found, out)
    os.replace("modules.part", "modules.json")

threading.Thread(target=tell, daemon=True).start()
"""
"""Has a process write down its modules by file, once there is a file `tell`."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return acme.founded(tmp_path_factory.mktemp("studio") / "workspace")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "server.log"


@pytest.fixture(scope="module")
def server(workspace: Path, log: Path) -> Iterator[tuple["subprocess.Popen[bytes]", str]]:
    """Yield the process of a server, and its address."""
    port = free_port()
    command = [
        *(str(Path(sys.executable).with_name("langgraph")), "dev", "--no-browser", "--no-reload"),
        *("--port", str(port), "--n-jobs-per-worker", "10", "--config", str(_configuration(workspace.parent))),
    ]
    hook = workspace.parent / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(TELLING, "utf-8")
    environment = {**os.environ, **QUIET, "MABOS_WORKSPACE": str(workspace), "MABOS_FORBID_MODEL": "1"}
    environment["PYTHONPATH"] = str(hook)
    with log.open("wb") as output:
        server = subprocess.Popen(command, cwd=workspace.parent, env=environment, stdout=output, stderr=output)
    try:
        await_answer(server, f"http://127.0.0.1:{port}/ok", log)
        yield server, f"http://127.0.0.1:{port}"
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(timeout=30)
        except subprocess.TimeoutExpired:
            server.kill()


@pytest.fixture(scope="module")
def client(server: tuple["subprocess.Popen[bytes]", str]) -> SyncLangGraphClient:
    return get_sync_client(url=server[1])


def _configuration(folder: Path) -> Path:
    """Return the repository's langgraph.json in another folder, so that the server writes its own files there."""
    configuration = json.loads((ROOT / "langgraph.json").read_text("utf-8"))
    configuration["dependencies"] = [str(ROOT)]
    path = folder / "langgraph.json"
    path.write_text(json.dumps(configuration), "utf-8")
    return path


def _assistant(client: SyncLangGraphClient, graph: str) -> str:
    return str(client.assistants.search(graph_id=graph)[0]["assistant_id"])


def _thread(client: SyncLangGraphClient, workspace: Path, kind: str, name: str) -> str:
    thread = thread_id(workspace, kind, name)
    client.threads.create(thread_id=thread, if_exists="do_nothing")
    return thread


def _ordered(workspace: Path, title: str, budget_usd: int) -> str:
    """Return the decision that waits for an answer since the CTO has ordered something above the threshold."""
    with wiring.hold_services(workspace) as services:
        order = {"title": title, "description": "x", "required_skills": ["law"], "budget_usd": budget_usd}
        return call(services, "work_package_create", order, agent_id="cto").decision_id


def _steps(parts: Iterable[Any]) -> list[str]:
    """Return the steps of which a stream of updates tells."""
    return [name for part in parts if part.event == "updates" for name in part.data]


def test_the_server_knows_the_machines_by_the_words_of_mabos_studio(client: SyncLangGraphClient) -> None:
    assert {row["graph_id"] for row in client.assistants.search()} == set(MACHINES)
    configured = json.loads((ROOT / "langgraph.json").read_text("utf-8"))["graphs"]
    assert {name: graph["description"] for name, graph in configured.items()} == MACHINES


@pytest.mark.parametrize("graph", MACHINES)
def test_a_machine_shows_a_form_a_described_context_and_types_of_state_and_answer(
    client: SyncLangGraphClient, graph: str
) -> None:
    schemas: Any = client.assistants.get_schemas(_assistant(client, graph))
    inputs: dict[str, Any] = schemas["input_schema"]["properties"]
    context: dict[str, Any] = schemas["context_schema"]["properties"]
    assert all("description" in field for field in inputs.values())
    assert set(schemas["output_schema"]["properties"])
    assert set(inputs) <= set(schemas["state_schema"]["properties"])
    assert "workspace" in context
    assert all(field["description"] for field in context.values())


@pytest.mark.parametrize("graph", MACHINES)
def test_every_step_of_a_drawing_says_what_it_does(client: SyncLangGraphClient, graph: str) -> None:
    drawing: Any = client.assistants.get_graph(_assistant(client, graph))
    steps = [node for node in drawing["nodes"] if node["id"] not in ("__start__", "__end__")]
    assert steps
    assert [node["id"] for node in steps if not (node.get("metadata") or {}).get("description")] == []


def test_the_drawing_shows_the_five_phases_with_what_they_do(client: SyncLangGraphClient) -> None:
    drawing: Any = client.assistants.get_graph(_assistant(client, "bdi"))
    nodes = {node["id"]: node for node in drawing["nodes"]}
    assert {"perceive", "deliberate", "plan", "act", "learn"} <= set(nodes)
    assert "inbox" in str(nodes["perceive"]["metadata"]["description"])
    edges = {(edge["source"], edge["target"]) for edge in drawing["edges"]}
    assert {("deliberate", "learn"), ("act", "plan"), ("act", "learn")} <= edges


def test_a_cycle_of_the_cfo_streams_its_phases_and_leaves_a_history(
    client: SyncLangGraphClient, workspace: Path
) -> None:
    thread = _thread(client, workspace, "agent", "cfo")
    given = {"agent_id": "cfo", "message": "Review our runway"}
    parts = list(
        client.runs.stream(
            thread,
            _assistant(client, "bdi"),
            input=given,
            context={"agent_id": "cfo"},
            stream_mode=["custom", "values"],
        )
    )
    phases = [part.data["phase"] for part in parts if part.event == "custom" and part.data["status"] == "done"]
    assert phases[:2] == ["perceive", "deliberate"]
    assert phases[-1] == "learn"
    values: Any = client.threads.get_state(thread)["values"]
    assert values["agent_id"] == "cfo"
    assert values["outcome"] not in ("", "failed")
    assert client.threads.get_history(thread, limit=50)


def test_a_chat_page_talks_with_an_agent_in_its_thread(client: SyncLangGraphClient, workspace: Path) -> None:
    thread = _thread(client, workspace, "agent", "coo")
    schema = client.assistants.get_schemas(_assistant(client, "bdi"))["input_schema"] or {}
    assert {"$ref": "#/$defs/HumanMessage"} in schema["properties"]["messages"]["items"]["oneOf"]
    for said in ("What is our runway?", "Thanks!"):
        given: Any = {"messages": [{"role": "user", "content": said}]}
        values: Any = client.runs.wait(thread, _assistant(client, "bdi"), input=given, context={"agent_id": "coo"})
    assert [one["type"] for one in values["messages"]] == ["human", "ai", "human", "ai"]
    assert values["reply"]


def _planned(workspace: Path, agent: str) -> None:
    """Commit an agent to a plan of two notes."""
    with wiring.hold_services(workspace) as services:
        mind, now = services.agent(agent).mind, iso(services.clock())
        notes = tuple(
            Step(name, f"Note {name}", "memory_store_item", {"content": f"The {name} are old", "importance": 0.5})
            for name in ("terms", "prices")
        )
        plan = Plan("P-note", "G-note", "note", steps=notes, status="active", created=now, updated=now)
        goal = Goal("G-note", "Note what is old", priority=0.99, created=now, updated=now)
        mind.save(goal, plan, Intention("I-note", goal.id, plan.id, started=now, updated=now))


def test_each_step_of_a_plan_is_a_step_and_every_state_says_what_is_on_the_mind(
    client: SyncLangGraphClient, workspace: Path
) -> None:
    thread = _thread(client, workspace, "agent", "hr")
    _planned(workspace, "hr")
    client.runs.wait(thread, _assistant(client, "bdi"), input={"agent_id": "hr"})
    history: Any = client.threads.get_history(thread, limit=50)
    states = [state["values"]["mind"] for state in history if state["values"].get("mind")]
    assert len([state for state in history if state["next"] == ["act"]]) == 2
    done = [sum(": done" in step for step in mind.get("steps", ())) for mind in reversed(states)]
    assert sorted(set(done)) == [0, 1, 2]
    assert done == sorted(done)
    values: Any = client.threads.get_state(thread)["values"]
    final = values["mind"]
    assert final["goal"].startswith("Note what is old")
    assert final["desires"]
    assert all(len(json.dumps(mind)) < 8_000 for mind in states)


def test_a_cycle_that_is_over_is_not_run_again_but_the_way_to_do_so_is_named(
    client: SyncLangGraphClient, workspace: Path
) -> None:
    thread, assistant = _thread(client, workspace, "agent", "legal"), _assistant(client, "bdi")
    _planned(workspace, "legal")
    first: Any = client.runs.wait(thread, assistant, input={"agent_id": "legal"})
    deeds = _deeds(workspace, "legal")
    assert deeds
    history: Any = client.threads.get_history(thread, limit=50)
    for phase in ("deliberate", "learn"):
        before = next(state for state in history if state["next"] == [phase])
        with pytest.raises(Exception, match=f"mabos branch again --before {first['cycle']}"):
            client.runs.wait(thread, assistant, input=None, checkpoint_id=before["checkpoint"]["checkpoint_id"])
    assert _deeds(workspace, "legal") == deeds
    again: Any = client.runs.wait(thread, assistant, input={"agent_id": "legal"})
    assert again["cycle"] != first["cycle"]


@pytest.mark.parametrize(
    ("graph", "given", "said"),
    [
        ("bdi", {}, "no agent given"),
        ("bdi", {"agent_id": "cfoo"}, "did you mean 'cfo'"),
        ("governance", {"decision_id": "DEC-0"}, "no decision 'DEC-0'"),
        ("company", {"business_id": "acm"}, "did you mean 'acme'"),
        ("reason", {"problem": {"kind": "decision"}, "methods": ["tarot"]}, "tarot"),
    ],
)
def test_an_error_that_a_person_caused_says_what_is_wrong(
    client: SyncLangGraphClient, graph: str, given: dict[str, Any], said: str
) -> None:
    thread = str(client.threads.create()["thread_id"])
    with pytest.raises(Exception, match=re.escape(said)):
        client.runs.wait(thread, _assistant(client, graph), input=given)
    told = [part.data for part in client.runs.stream(thread, _assistant(client, graph), input=given)]
    assert said in str(told[-1])


def test_the_command_line_the_live_company_and_the_server_keep_one_history(
    client: SyncLangGraphClient, workspace: Path
) -> None:
    thread = _thread(client, workspace, "agent", "strategy")
    with wiring.hold_services(workspace) as services:
        by_command = wiring.run_cycle(services, "strategy", "What is our runway?").cycle
        call(services, "agent_message", {"to": "strategy", "performative": "INFORM", "content": "Sales rise"})
        company = LiveCompany(services)
        company.run(once=True)
    live = [entry for entry in _cycles(workspace, "strategy") if entry != by_command]
    assert live
    client.runs.wait(thread, _assistant(client, "bdi"), input={"agent_id": "strategy"})
    history: Any = client.threads.get_history(thread, limit=50)
    assert {by_command, *live} <= {state["values"].get("cycle") for state in history}


def _cycles(workspace: Path, agent: str) -> list[str]:
    lines = (workspace / "ledger" / f"{agent}.jsonl").read_text("utf-8").splitlines()
    return list(dict.fromkeys(entry["cycle"] for entry in map(json.loads, lines) if entry.get("cycle")))


def _deeds(workspace: Path, agent: str) -> list[str]:
    """Return the ids of what an agent has done, from its ledger."""
    lines = (workspace / "ledger" / f"{agent}.jsonl").read_text("utf-8").splitlines()
    return [entry["id"] for entry in map(json.loads, lines) if entry["kind"] == "call"]


def test_a_decision_waits_at_its_gate_with_a_form_and_is_answered_there(
    client: SyncLangGraphClient, workspace: Path
) -> None:
    decision = _ordered(workspace, "Audit", 10_000)
    thread, assistant = _thread(client, workspace, "decision", decision), _assistant(client, "governance")
    client.runs.wait(thread, assistant, input={"decision_id": decision})
    waiting: Any = client.threads.get(thread)
    assert waiting["status"] == "interrupted"
    ((interrupt,),) = waiting["interrupts"].values()
    assert interrupt["value"]["cost"] == 10_000
    assert interrupt["response_schema"]["properties"]["resolution"]["enum"][0] == "approve"
    for wrong in ({"resolution": "maybe"}, "yes"):
        client.runs.wait(thread, assistant, command={"resume": wrong})
        assert client.threads.get(thread)["status"] == "interrupted", "it is asked again"
        ((interrupt,),) = client.threads.get(thread)["interrupts"].values()
        assert interrupt["value"]["problem"]
    answered: Any = client.runs.wait(
        thread, assistant, command={"resume": {"resolution": "reject", "feedback": "Too dear"}}
    )
    assert answered["status"] == "rejected"
    assert client.threads.get(thread)["status"] == "idle"


def test_a_call_for_proposals_waits_for_bids_and_goes_on_when_it_is_resumed(
    client: SyncLangGraphClient, workspace: Path
) -> None:
    thread, assistant = _thread(client, workspace, "contract_net", "CFP-9"), _assistant(client, "contract_net")
    given: dict[str, Any] = {
        "task_id": "CFP-9",
        "task_description": "Forecast the cash",
        "initiator": "ceo",
        "candidates": ["cfo"],
    }
    parts = client.runs.stream(thread, assistant, input=given, stream_mode="updates")
    assert "__interrupt__" in _steps(parts)
    ((interrupt,),) = client.threads.get(thread)["interrupts"].values()
    assert interrupt["value"]["awaited"] == ["cfo"]
    bid: dict[str, Any] = {"task_id": "CFP-9", "approach": "By hand", "confidence": 0.9}
    bid |= {"estimated_cost": 0, "estimated_duration": "1d"}
    with wiring.hold_services(workspace) as services:
        made = call(services, "contract_net_propose", bid, agent_id="cfo")
        assert made.ok, made.message
    client.runs.wait(thread, assistant, command={"resume": "look again"})
    values: Any = client.threads.get_state(thread)["values"]
    assert values["awarded_to"] == "cfo"
    history: Any = client.threads.get_history(thread, limit=50)
    before = next(state for state in history if state["next"] == ["award"])
    client.runs.wait(thread, assistant, input=None, checkpoint_id=before["checkpoint"]["checkpoint_id"])
    forked: Any = client.threads.get_state(thread)["values"]
    assert forked["awarded_to"] == "cfo", "it is awarded once, whatever is run again"


PAYOFFS = {"large": {"high": 200, "low": -180}, "small": {"high": 100, "low": -20}}
REASONED: dict[str, Any] = {
    "problem": {"kind": "decision", "payoffs": PAYOFFS, "probabilities": {"high": 0.5, "low": 0.5}},
    "methods": ["decision-theory", "expected-utility"],
}
LAST_STEPS: dict[str, tuple[dict[str, Any], str, str]] = {
    "archive": ({"business_id": "acme"}, "conclude", "tasks"),
    "maintenance": ({}, "summarise", "results"),
    "company": ({"business_id": "acme"}, "settle", "turns"),
    "reason": (REASONED, "conclude", "fusion"),
}
"""Of the machines that nobody is asked in: an input, the last step, and what the answer has."""


@pytest.mark.parametrize("graph", LAST_STEPS)
def test_a_machine_streams_its_steps_and_is_forked_before_the_last_to_the_same_answer(
    client: SyncLangGraphClient, graph: str
) -> None:
    given, last, answer = LAST_STEPS[graph]
    thread = str(client.threads.create()["thread_id"])
    parts = client.runs.stream(
        thread, _assistant(client, graph), input=given, context={"agent_id": "cfo"}, stream_mode="updates"
    )
    steps = _steps(parts)
    drawn: Any = client.assistants.get_graph(_assistant(client, graph))
    assert set(steps) <= {node["id"] for node in drawn["nodes"]}
    assert steps[-1] == last
    values: Any = client.threads.get_state(thread)["values"]
    history: Any = client.threads.get_history(thread, limit=50)
    (before,) = [state for state in history if state["next"] == [last]]
    again: Any = client.runs.wait(
        thread, _assistant(client, graph), input=None, checkpoint_id=before["checkpoint"]["checkpoint_id"]
    )
    assert again[answer] == values[answer]
    assert len(client.threads.get_history(thread, limit=50)) > len(history)


def test_a_decision_that_was_answered_is_not_asked_again_by_a_fork_before_its_gate(
    client: SyncLangGraphClient, workspace: Path
) -> None:
    decision = _ordered(workspace, "Second audit", 12_000)
    thread, assistant = _thread(client, workspace, "decision", decision), _assistant(client, "governance")
    parts = client.runs.stream(thread, assistant, input={"decision_id": decision}, stream_mode="updates")
    assert "__interrupt__" in _steps(parts)
    client.runs.wait(thread, assistant, command={"resume": {"resolution": "approve"}})
    history: Any = client.threads.get_history(thread, limit=50)
    before = next(state for state in history if state["next"] == ["gate"])
    client.runs.wait(thread, assistant, input=None, checkpoint_id=before["checkpoint"]["checkpoint_id"])
    client.runs.wait(thread, assistant, command={"resume": {"resolution": "reject"}})
    with wiring.hold_services(workspace) as services:
        assert services.decisions("acme").one(decision).status == "approved", "the first answer counts"


def test_two_agents_run_at_once(client: SyncLangGraphClient, workspace: Path) -> None:
    threads = {agent: _thread(client, workspace, "agent", agent) for agent in ("cto", "coo")}
    assistant = _assistant(client, "bdi")
    runs = {
        agent: client.runs.create(thread, assistant, input={"agent_id": agent}) for agent, thread in threads.items()
    }
    for agent, thread in threads.items():
        client.runs.join(thread, runs[agent]["run_id"])
        values: Any = client.threads.get_state(thread)["values"]
        assert values["agent_id"] == agent
        assert values["outcome"] not in ("", "failed")


def test_the_heartbeat_answers_for_every_agent(client: SyncLangGraphClient) -> None:
    answer: Any = client.runs.wait(None, _assistant(client, "maintenance"), input={})
    rows = answer["results"]
    assert len(rows) == 9
    wanted = {"agentId", "staleIntentionsPruned", "desiresPrioritized", "conflictsDetected", "chunksProcessed"}
    assert all(wanted <= set(row) for row in rows)


def test_the_company_runs_a_week(client: SyncLangGraphClient, workspace: Path) -> None:
    thread = _thread(client, workspace, "company", "acme")
    answer: Any = client.runs.wait(thread, _assistant(client, "company"), input={"business_id": "acme"})
    assert len(answer["turns"]) == 9


def test_a_problem_is_reasoned_about_by_several_methods(client: SyncLangGraphClient) -> None:
    answer: Any = client.runs.wait(None, _assistant(client, "reason"), input=REASONED, context={"agent_id": "cfo"})
    assert answer["fusion"]["conclusion"]["value"] == "small"
    assert set(answer["results"]) == {"decision-theory", "expected-utility"}


def test_the_tools_are_served_beside_the_machines(client: SyncLangGraphClient) -> None:
    here = str(client.http.client.base_url).rstrip("/")
    names = [tool["name"] for tool in httpx.get(f"{here}/mabos/tools").json()["result"]["tools"]]
    assert "belief_get" in names
    believed = httpx.post(f"{here}/mabos/tools/belief_get", json={"agent_id": "cfo", "limit": 1}).json()
    assert believed["ok"] is True
    assert httpx.post(f"{here}/mabos/tools/belief_get", json={"agent_id": "nobody"}).status_code == 404
    described = httpx.get(f"{here}/mabos/openapi.json").json()
    assert described["servers"] == [{"url": "/mabos"}]
    assert "/tools/belief_get" in described["paths"]
    foreign = httpx.post(f"{here}/mabos/tools/belief_get", json={}, headers={"Origin": "https://example.com"})
    assert foreign.status_code == 403
    shown = httpx.get(f"{here}/mabos/dashboard", follow_redirects=True)
    assert (shown.status_code, shown.url.path) == (200, "/mabos/dashboard/overview")
    assert 'href="/mabos/dashboard/minds"' in shown.text
    assert httpx.get(f"{here}/ok").json()["ok"] is True


def test_no_page_but_studios_reaches_what_could_answer_a_decision(client: SyncLangGraphClient) -> None:
    address = str(client.http.client.base_url).rstrip("/")
    plain = {"Content-Type": "text/plain"}  # what a page may send across sites without a preflight

    def told(headers: dict[str, str], method: str = "POST") -> httpx.Response:
        return httpx.request(method, f"{address}/threads", headers=headers, content="{}", timeout=30)

    for headers in ({"Origin": "https://evil.example"}, {"Host": "rebound.evil.example:2024"}):
        for method in ("POST", "OPTIONS"):
            refused = told({**plain, **headers, "Access-Control-Request-Method": "POST"}, method)
            assert refused.status_code == 403, refused.text
            assert "access-control-allow-origin" not in refused.headers
    studio = told({"Origin": "https://smith.langchain.com", "Content-Type": "application/json"})
    assert studio.status_code == 200, studio.text
    assert studio.headers["access-control-allow-origin"] in {"*", "https://smith.langchain.com"}


def test_nothing_of_all_this_blocked_the_servers_loop(log: Path, client: SyncLangGraphClient) -> None:
    assert client.http.client is not None  # the server of the other tests, which is told to detect blocking calls
    assert "BlockingError" not in log.read_text("utf-8", "replace")


def test_no_module_is_loaded_under_two_names(
    server: tuple["subprocess.Popen[bytes]", str], client: SyncLangGraphClient, workspace: Path
) -> None:
    for graph in MACHINES:
        client.assistants.get_schemas(_assistant(client, graph))
    told = workspace.parent / "modules.json"
    (workspace.parent / "tell").touch()
    ends = time.monotonic() + PATIENCE_S
    while not told.exists():
        assert server[0].poll() is None, "the server has ended"
        assert time.monotonic() < ends, "the server does not tell its modules"
        time.sleep(0.1)
    ours = {file: names for file, names in json.loads(told.read_text()).items() if Path(file).is_relative_to(ROOT)}
    ours = {file: names for file, names in ours.items() if ".venv" not in Path(file).relative_to(ROOT).parts}
    assert len(ours) > 100
    assert {f"mabos.graphs.{graph}" for graph in MACHINES} <= {name for names in ours.values() for name in names}
    assert [names for names in ours.values() if len(names) > 1 or not names[0].startswith("mabos")] == []
