"""Studio's server on a workspace whose checkpoints are in Postgres: it shows cycles it did not run, and is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from graphs import wiring
from graphs.checkpoints import thread_id
from scripts.postgres import free_port
from tests.cluster.test_postgres import company, wanting
from tools.call import call

pytestmark = [pytest.mark.studio, pytest.mark.slow]

ORDER = {"title": "Audit", "description": "x", "required_skills": ["law"], "budget_usd": 10_000}


@contextmanager
def studio(workspace: Path, root: Path) -> "Iterator[tuple[SyncLangGraphClient, subprocess.Popen[bytes]]]":
    """Yield a client of `mabos studio` and its process group, which is killed at the end."""
    port, said = free_port(), workspace.parent / "studio.log"
    command = [sys.executable, "-m", "mabos", "studio", "--no-browser", "--port", str(port), "-w", str(workspace)]
    variables = {**os.environ, "PYTHONPATH": str(root), "HOME": str(workspace.parent)}
    with said.open("wb") as log:
        server = subprocess.Popen(command, env=variables, cwd=root, stdout=log, stderr=log, start_new_session=True)
    try:
        while not _answers(port):
            assert server.poll() is None, said.read_text("utf-8", "replace")[-4_000:]
            time.sleep(0.2)
        yield get_sync_client(url=f"http://127.0.0.1:{port}"), server
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


def _answers(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/ok", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


def test_studio_shows_cycles_of_the_command_line_and_a_gate_waits_through_its_death(
    tmp_path: Path, postgres: str, root: Path
) -> None:
    workspace = wanting(tmp_path / "workspace", postgres)
    with company(workspace) as services:
        for _ in range(2):
            wiring.run_cycle(services, "legal")
        decision = call(services, "work_package_create", ORDER, agent_id="cto").decision_id
    agent, gate = thread_id(workspace, "agent", "legal"), thread_id(workspace, "decision", decision)
    with studio(workspace, root) as (client, _):
        client.threads.create(thread_id=agent, graph_id="bdi", if_exists="do_nothing")
        assert len(client.threads.get_history(agent, limit=10)) == 2
        client.threads.create(thread_id=gate, graph_id="governance", if_exists="do_nothing")
        client.runs.wait(gate, "governance", input={"decision_id": decision}, context={"workspace": str(workspace)})
        assert client.threads.get(gate)["status"] == "interrupted"
    with studio(workspace, root) as (client, _):
        client.threads.create(thread_id=gate, graph_id="governance", if_exists="do_nothing")
        waiting: Any = client.threads.get_state(gate)
        assert waiting["next"] == ["gate"]
        reply = {"resolution": "reject", "feedback": "Too dear"}
        said: Any = client.runs.wait(
            gate, "governance", command={"resume": reply}, context={"workspace": str(workspace)}
        )
        assert said["status"] == "rejected"
