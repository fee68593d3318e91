"""`mabos studio` on a company: the server answers, knows the machines, and lists a thread for every agent."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mabos.command_line import company

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.studio]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    workspace = company(tmp_path_factory.mktemp("studio"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mabos", "studio", "--no-browser", "--port", str(port), "-w", str(workspace)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (workspace / "studio.log").open("wb") as log:
        server = subprocess.Popen(
            command, env=environment, cwd=workspace, stdout=log, stderr=log, start_new_session=True
        )
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(timeout=30)


def posted(address: str, path: str) -> list[dict[str, Any]]:
    """Return what a search answers, asked again until the server is up and has something."""
    body = json.dumps({"limit": 50}).encode()
    for _ in range(240):
        request = urllib.request.Request(f"{address}{path}", body, {"content-type": "application/json"})  # noqa: S310 - this machine
        try:
            with urllib.request.urlopen(request, timeout=5) as answer:  # noqa: S310 - this machine
                found: list[dict[str, Any]] = json.load(answer)
        except (urllib.error.URLError, OSError):
            found = []
        if found:
            return found
        time.sleep(0.5)
    raise AssertionError(f"{path} answered nothing within two minutes")


def test_studio_serves_the_machines_and_lists_every_agent(address: str) -> None:
    machines = {one["graph_id"] for one in posted(address, "/assistants/search")}
    assert machines == {"bdi", "company", "maintenance", "reason"}
    for _ in range(60):
        agents = {thread["metadata"]["agent_id"] for thread in posted(address, "/threads/search")}
        if len(agents) == 9:
            break
        time.sleep(0.5)
    assert {"ceo", "cfo", "knowledge"} < agents
    assert len(agents) == 9
