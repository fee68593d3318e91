"""`mabos doctor` says what is reachable, what works in a reduced way, what it costs, and what mends each."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
from click.testing import CliRunner

from mabos.backends.chat import Completion, ScriptedModel, Usage
from mabos.graphs import wiring
from mabos.interfaces import reach
from mabos.interfaces.cli import front
from mabos.interfaces.costs import size
from mabos.tools.gate.call import call
from tests.backends.test_openai_compatible import server
from tests.conftest import ROOT
from tests.interfaces.command_line import answer, company, mabos
from tests.test_startup import HEAVY, imported

AWAY = "http://127.0.0.1:9/v1"


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MABOS_FORBID_MODEL")


def checks(place: Path, *, code: int = 0) -> dict[str, dict[str, str]]:
    return {one["subject"]: one for one in answer("doctor", workspace=place, code=code)["checks"]}


def answer_of_any_code(place: Path) -> dict[str, dict[str, str]]:
    told = CliRunner().invoke(front, ["--json", "--workspace", str(place), "doctor"]).stdout
    return {one["subject"]: one for one in json.loads(told)["checks"]}


def written(place: Path, **settings: Any) -> Path:
    (place / "mabos.yaml").write_text(json.dumps(settings))  # JSON is YAML
    return place


def absent(*names: str) -> Callable[[str], Any]:
    return lambda name: None if name in names else importlib.util.find_spec(name)


PROFILE = {"base_url": AWAY, "model": "tiny"}


@dataclass(frozen=True)
class Case:
    """Settings, variables and missing packages, and what the doctor says of one thing then."""

    subject: str
    state: str
    says: str = ""
    mend: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    lacking: tuple[str, ...] = ()


PHASES = {"models": {"active": "openai", "phases": {"thinking": "mine", "plan": "mine"}, "profiles": {"mine": PROFILE}}}
EMBEDDING = {"memory": {"embeddings": "openai"}, "models": {"embedding": PROFILE | {"dimensions": 4}}}
CASES = [
    Case("chat model", "absent", "formulas, rules", "export OPENAI_API_KEY"),
    Case("chat model", "absent", "none:", "unset MABOS_FORBID_MODEL", variables={"MABOS_FORBID_MODEL": "1"}),
    Case("chat model", "degraded", "nothing answers", "mabos models try openai", variables={"OPENAI_BASE_URL": AWAY}),
    Case("chat model", "degraded", "is not set", "export OPENAI_API_KEY", {"models": {"active": "openai"}}),
    Case("chat model", "wrong", "no recording at", "take models.replay out", {"models": {"replay": "no"}}),
    Case("chat model of thinking and plan", "degraded", "nothing answers", "mabos models try mine", PHASES),
    Case("embeddings", "degraded", "nothing answers", "mabos models try embedding", EMBEDDING),
    Case("recall", "ok", "words and meaning: tiny", "", EMBEDDING),
    Case("recall", "absent", "memory.embeddings is none", "", {"memory": {"embeddings": "none"}}),
    Case("chroma", "degraded", "exactly", "unset CHROMA", variables={"CHROMA_ENDPOINT": "http://127.0.0.1:9"}),
    Case("neo4j", "degraded", "changes wait", "make neo4j", variables={"NEO4J_URI": "bolt://127.0.0.1:9"}),
    Case("graph copy", "degraded", "changes wait", variables={"NEO4J_URI": "bolt://127.0.0.1:9"}),
    Case("graph copy", "absent", "the embedded graph answers", "make neo4j"),
    Case("mail", "degraded", "letters wait", "heartbeat", {"notify": {"smtp_host": "127.0.0.1", "smtp_port": 9}}),
    Case("slack", "degraded", "notices wait", variables={"MABOS_SLACK_WEBHOOK": "http://127.0.0.1:9/se/cret"}),
    Case("recall", "wrong", "no onnx", "mabos[local]", {"memory": {"embeddings": "local"}}, lacking=("onnxruntime",)),
    Case("recall", "absent", "no onnx", "mabos[local]", lacking=("onnxruntime",)),
    Case("recall", "wrong", "no onnx", "mabos[local]", {"memory": {"embeddings": "chroma"}}, lacking=("onnxruntime",)),
    Case("vectors", "wrong", "files", "mabos[chroma]", {"memory": {"vectors": "chroma"}}, lacking=("chromadb",)),
    Case("studio", "absent", "not installed", "mabos[studio]", lacking=("langgraph_api",)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.subject} {case.state} {case.says}")
def test_what_is_absent_or_away_is_said_with_what_goes_on_and_what_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    company(tmp_path)  # with everything there
    for module in ("mabos.interfaces.health", "mabos.backends.minilm"):
        monkeypatch.setattr(f"{module}.find_spec", absent(*case.lacking))
    for name, value in case.variables.items():
        monkeypatch.setenv(name, value)
    every = answer_of_any_code(written(tmp_path, **case.settings))
    found = every[case.subject]
    assert found["state"] == case.state
    assert case.says in found["says"]
    assert case.mend in found["mend"]
    assert "cret" not in found["says"], "the path of a webhook is its secret"


def test_what_is_only_absent_or_reduced_is_healthy_and_what_is_wrong_is_not(tmp_path: Path) -> None:
    reduced = written(company(tmp_path), models={"active": "openai"})
    assert answer("doctor", workspace=reduced)["healthy"] is True
    wrong = written(tmp_path, models={"replay": "nowhere"})
    assert answer("doctor", workspace=wrong, code=1)["healthy"] is False


def test_chromas_model_that_was_never_fetched_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    found = checks(written(company(tmp_path), memory={"embeddings": "chroma"}), code=1)["recall"]
    assert "which Chroma fetches" in found["says"]


def test_no_workspace_and_settings_that_cannot_be_read_are_wrong_and_the_rest_is_still_told(tmp_path: Path) -> None:
    nowhere = checks(tmp_path / "nowhere", code=1)
    assert nowhere["workspace"]["mend"] == f"mabos init {tmp_path / 'nowhere'}"
    assert nowhere["chat model"]["state"] == "absent"
    unread = checks(written(company(tmp_path), nonsense=1), code=1)
    assert unread["settings"]["state"] == "wrong"
    assert unread["settings"]["mend"] == f"${{EDITOR:-vi}} {tmp_path / 'mabos.yaml'}"
    assert "studio" in unread


def test_a_ledger_or_a_file_that_is_damaged_is_said_with_the_command_that_shows_more(tmp_path: Path) -> None:
    company(tmp_path)
    chain = next((tmp_path / "ledger").rglob("*.jsonl"), None) or next(tmp_path.rglob("ledger*/*.jsonl"))
    chain.write_bytes(chain.read_bytes().replace(b"Acme", b"Acne", 1))
    assert checks(tmp_path, code=1)["ledger"]["mend"] == "mabos verify ledger"


def standing(
    place: Path, monkeypatch: pytest.MonkeyPatch, respond: Callable[[dict[str, Any]], tuple[int, Any]]
) -> tuple[dict[str, dict[str, str]], list[str]]:
    """Return the checks where model and Chroma are a server that answers so, and which of its pages were asked for."""
    monkeypatch.setattr(reach, "PATIENCE_S", 60)
    with server(respond) as seen:
        monkeypatch.setenv("OPENAI_BASE_URL", seen.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
        monkeypatch.setenv("CHROMA_ENDPOINT", seen.base_url.removesuffix("/v1"))
        return checks(place), sorted(one["path"] for one in seen)


def test_what_answers_is_reachable_and_asked_nothing_that_costs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, asked = standing(company(tmp_path), monkeypatch, lambda _: (200, {"data": []}))
    assert (found["chat model"]["state"], found["chroma"]["state"]) == ("ok", "ok")
    assert asked == ["/api/v2/heartbeat", "/v1/models"]


def test_a_key_that_is_refused_is_said_with_the_variable_that_holds_it_and_never_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = standing(company(tmp_path), monkeypatch, lambda _: (401, {"error": {"message": "bad sk-wrong"}}))[0]
    assert found["chat model"]["state"] == "degraded"
    assert "refuses the key in OPENAI_API_KEY; until then formulas" in found["chat model"]["says"]
    assert found["chat model"]["mend"] == "export OPENAI_API_KEY=..."
    assert "sk-wrong" not in json.dumps(found)


def test_a_key_does_not_follow_where_an_endpoint_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with server(lambda _: (200, {"data": []})) as elsewhere:

        class Leads(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(302)
                self.send_header("Location", f"{elsewhere.base_url}/models")
                self.end_headers()

            def log_message(self, *_: Any) -> None: ...

        leading = HTTPServer(("127.0.0.1", 0), Leads)
        Thread(target=leading.serve_forever, daemon=True).start()
        monkeypatch.setattr(reach, "PATIENCE_S", 60)
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{leading.server_port}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
        found = checks(company(tmp_path))
        leading.shutdown()
        leading.server_close()
        assert found["chat model"]["state"] == "ok"
        assert [*elsewhere] == []


def test_what_listens_and_hangs_is_not_taken_for_reachable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        port = listening.getsockname()[1]
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
        monkeypatch.setenv("CHROMA_ENDPOINT", f"http://127.0.0.1:{port}")
        found = checks(company(tmp_path))
    for one, mend in {"chat model": "mabos models try openai", "chroma": "unset CHROMA_ENDPOINT"}.items():
        assert found[one]["state"] == "degraded"
        assert "listens and does not answer" in found[one]["says"]
        assert found[one]["mend"] == mend


def test_a_workspace_that_may_only_be_read_is_said_with_what_makes_it_writable(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mabos", "--json", "-w", str(company(tmp_path)), "doctor"]
    if os.geteuid() == 0:  # who may write everywhere gives that up
        if shutil.which("setpriv") is None:
            pytest.skip("needs setpriv, of util-linux")
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    folders = [one for one in (tmp_path, *tmp_path.rglob("*")) if one.is_dir()]
    for one in folders:
        one.chmod(0o555)
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    finally:
        for one in folders:
            one.chmod(0o755)
    assert done.returncode == 1, done.stderr
    found = {one["subject"]: one for one in json.loads(done.stdout)["checks"]}
    assert (found["writing"]["state"], found["writing"]["mend"]) == ("wrong", f"chmod -R u+w {tmp_path}")
    assert "minds can be looked at" in found["writing"]["says"]
    assert found["files"]["state"] == "ok", "what is inside is looked at all the same"


def test_a_name_that_nobody_resolves_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[reach.Address] = []

    def forever(address: reach.Address) -> bool:
        asked.append(address)
        while True:  # as a resolver without a network
            Event().wait(60)

    monkeypatch.setattr(reach, "_connects", forever)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://nobody.invalid/v1")
    assert checks(company(tmp_path))["chat model"]["state"] == "degraded"
    assert asked == [("nobody.invalid", 80)]


@pytest.mark.parametrize(("endpoint", "port"), [("http://nobody.invalid", 8000), ("https://nobody.invalid", 443)])
def test_chroma_is_looked_for_at_the_port_where_it_would_be_asked(
    endpoint: str, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[reach.Address] = []

    def connects(address: reach.Address) -> bool:
        asked.append(address)
        return True

    monkeypatch.setattr(reach, "_connects", connects)
    monkeypatch.setenv("CHROMA_ENDPOINT", endpoint)
    checks(company(tmp_path))
    assert asked == [("nobody.invalid", port)]


def test_with_everything_absent_nothing_heavy_is_loaded_so_that_it_answers_at_once(tmp_path: Path) -> None:
    company(tmp_path / "workspace")
    assert not imported("doctor", folder=tmp_path) & HEAVY


def test_what_it_costs_is_told_in_bytes_and_in_dollars_of_today(tmp_path: Path) -> None:
    company(tmp_path)
    spends = ScriptedModel([Completion("yes", usage=Usage(1_000, 500, 0.25))])
    with wiring.hold_services(tmp_path, model=spends) as services:
        call(services, "model:llm", {"messages": [{"role": "user", "content": "Yes?"}]}, agent_id="cfo")
    found = {one["subject"]: one["says"] for one in answer("doctor", workspace=tmp_path, now="")["checks"]}
    assert "$0.2500 for 1 model calls (1500 tokens) today" in found["costs: money"]
    assert "no budget for a day" in found["costs: money"]
    assert size(tmp_path) > size(tmp_path / ".mabos") > 0
    assert "derived and safe to delete" in found["costs: disk"]
    assert found["costs: memory"].split()[1] in ("MB", "GB")


def test_each_line_has_a_mark_and_what_mends_it_stands_below(tmp_path: Path) -> None:
    shown = mabos("doctor", workspace=tmp_path / "nowhere", code=1).stdout.splitlines()
    assert shown[1].startswith("✗  workspace")
    assert shown[2].strip() == f"→ mabos init {tmp_path / 'nowhere'}"


def test_a_call_that_failed_has_cost_nothing_and_one_that_was_run_again_is_counted_once(tmp_path: Path) -> None:
    company(tmp_path)
    with wiring.hold_services(tmp_path) as services:
        cfo = services.agent("cfo")
        failed = services.note(cfo, "call", {"tool": "t", "cost": 5.0})
        services.note(cfo, "outcome", {"call": failed.id, "ok": False})
        for _ in range(2):
            services.note(cfo, "call", {"tool": "t", "cost": 7.0, "key": "k", "ok": True})
        services.note(services.agent("cmo"), "call", {"tool": "t", "cost": 2.0, "key": "k", "ok": True})
    found = {one["subject"]: one["says"] for one in answer("doctor", workspace=tmp_path, now="")["checks"]}
    assert found["costs: money"].startswith("$9.00 by actions")
