"""Calls of operations as spans: their names, redacted arguments and outcomes, for OpenTelemetry and LangChain."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from mabos import Workspace, open_workspace
from mabos.interfaces.surfaces.graph_node import agent_node
from tests.conftest import ROOT

EXPORTER = InMemorySpanExporter()


@pytest.fixture(scope="module", autouse=True)
def provider() -> None:
    """Set OpenTelemetry up, which a process can do once."""
    made = TracerProvider()
    made.add_span_processor(SimpleSpanProcessor(EXPORTER))
    trace.set_tracer_provider(made)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with open_workspace(tmp_path) as opened:
        opened.create_business("acme", name="Acme", template="saas")
        EXPORTER.clear()
        yield opened


def spans(name: str) -> list[tuple[dict[str, Any], bool]]:
    """Return attributes of the spans of an operation, and whether each is an error."""
    found = [one for one in EXPORTER.get_finished_spans() if one.name == f"execute_tool {name}"]
    assert "kim@acme.io" not in str([one.to_json() for one in found])
    return [(dict(one.attributes or {}), not one.status.is_ok and not one.status.is_unset) for one in found]


def test_a_call_is_a_span_with_redacted_arguments_and_its_outcome(workspace: Workspace) -> None:
    cfo = workspace.agent("cfo")
    cfo.call("memory_store_item", content="Kim is kim@acme.io", importance=0.5)
    cfo.call("memory_recall", query="x", limit="kim@acme.io")
    waiting = cfo.call("work_package_create", title="Audit", description="Find gaps", required_skills=["audit"],
                       deliverables=["A report"], budget_usd=20_000)  # fmt: skip
    ((stored, is_error),) = spans("memory_store_item")
    assert stored["gen_ai.operation.name"] == "execute_tool"
    assert stored["mabos.agent"] == "cfo"
    assert stored["mabos.outcome"] == "done"
    assert "[email]" in stored["gen_ai.tool.call.arguments"]
    assert not is_error
    ((wrong, is_error),) = spans("memory_recall")
    assert (wrong["mabos.outcome"], wrong["error.type"], is_error) == ("invalid_argument", "invalid_argument", True)
    ((asked, is_error),) = spans("work_package_create")
    assert (asked["mabos.outcome"], asked["mabos.decision"], is_error) == (
        "awaiting_approval", waiting.decision_id, False,
    )  # fmt: skip


class Runs(BaseCallbackHandler):
    """Notes the tool runs that LangChain's callbacks hear of, as LangSmith's tracer does."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str]] = []

    def on_tool_start(self, serialized: Any, input_str: str, **_: Any) -> None:
        self.heard.append((serialized["name"], input_str))

    def on_tool_end(self, output: Any, **_: Any) -> None:
        self.heard.append(("end", str(output)))


def test_calls_of_a_cycle_are_tool_runs_of_the_callbacks_of_the_graph_around_it(workspace: Workspace) -> None:
    graph = StateGraph(MessagesState)
    graph.add_node("cmo", agent_node(workspace.agent("cmo")))
    graph.add_edge(START, "cmo")
    order = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."
    runs = Runs()
    graph.compile().invoke({"messages": [HumanMessage(order)]}, {"callbacks": [runs]})
    began = next(place for place, (name, _) in enumerate(runs.heard) if name == "ad_campaign_create")
    assert "Spring" in runs.heard[began][1]
    assert runs.heard[began + 1] == ("end", "done")
    assert workspace.business().campaigns.all()[0].name == "Spring"


@pytest.mark.slow
@pytest.mark.parametrize("hides", [False, True])
def test_langsmith_gets_tool_runs_and_no_content_where_its_settings_hide_it(tmp_path: Path, *, hides: bool) -> None:
    got = bytearray()

    class LangSmith(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            limits: dict[str, int] = {"use_multipart_endpoint": True, "size_limit": 100, "size_limit_bytes": 2**24}
            limits |= {"scale_up_nthreads_limit": 4, "scale_up_qsize_trigger": 1000, "scale_down_nempty_trigger": 4}
            self.reply(json.dumps({"version": "0.0.1", "batch_ingest_config": limits}).encode())

        def do_POST(self) -> None:
            length = self.headers.get("content-length")
            while size := int(length or self.rfile.readline(), 16 - 6 * bool(length)):
                got.extend(self.rfile.read(size))
                if length:
                    break
                self.rfile.readline()
            self.reply(b"{}")

        def do_PATCH(self) -> None:
            self.do_POST()

        def reply(self, body: bytes) -> None:
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with open_workspace(tmp_path) as opened:
        opened.create_business("acme", name="Acme", template="saas")
    with ThreadingHTTPServer(("127.0.0.1", 0), LangSmith) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        settings = {"TRACING": "true", "API_KEY": "x", "ENDPOINT": f"http://127.0.0.1:{server.server_port}"}
        settings |= {"DISABLE_RUN_COMPRESSION": "true"} | dict.fromkeys(
            ("HIDE_INPUTS", "HIDE_OUTPUTS"), str(hides).lower()
        )
        variables = os.environ | {f"LANGSMITH_{name}": value for name, value in settings.items()}
        order = "Start a search campaign named 'Spring' for kim@acme.io: 90 dollars a week for 3 weeks."
        command = [sys.executable, "-m", "mabos", "-w", str(tmp_path), "run", "cmo", "--message", order]
        subprocess.run(command, cwd=ROOT, env=variables, check=True, capture_output=True)
        server.shutdown()
    assert b"ad_campaign_create" in got
    assert b'"run_type":"tool"' in got
    assert (b"kim@acme.io" in got) is not hides
