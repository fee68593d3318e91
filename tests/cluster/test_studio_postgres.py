"""Studio's server on a workspace whose checkpoints are in Postgres: it shows cycles it did not run, and is killed."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from mabos.graphs import wiring
from mabos.graphs.checkpoints import thread_id
from mabos.tools.gate.call import call
from tests.cluster.test_postgres import company, wanting
from tests.studio.server import studio

pytestmark = [pytest.mark.studio, pytest.mark.slow]

SETTLES_S = 60
ORDER = {"title": "Audit", "description": "x", "required_skills": ["law"], "budget_usd": 10_000}


@contextmanager
def asked(workspace: Path) -> Iterator[SyncLangGraphClient]:
    """Yield a client of Studio's server, which is killed at the end."""
    with studio(workspace, ending=signal.SIGKILL) as address:
        yield get_sync_client(url=address)


def _status(client: SyncLangGraphClient, thread: str) -> str:
    """Return the status of a thread once the server has put its run away, which it does after answering."""
    ends = time.monotonic() + SETTLES_S
    while (status := str(client.threads.get(thread)["status"])) == "busy" and time.monotonic() < ends:
        time.sleep(0.1)
    return status


def test_studio_shows_cycles_of_the_command_line_and_a_gate_waits_through_its_death(
    tmp_path: Path, postgres: str
) -> None:
    workspace = wanting(tmp_path / "workspace", postgres)
    with company(workspace) as services:
        for _ in range(2):
            wiring.run_cycle(services, "legal")
        decision = call(services, "work_package_create", ORDER, agent_id="cto").decision_id
    agent, gate = thread_id(workspace, "agent", "legal"), thread_id(workspace, "decision", decision)
    with asked(workspace) as client:
        client.threads.create(thread_id=agent, graph_id="bdi", if_exists="do_nothing")
        assert len(client.threads.get_history(agent, limit=10)) == 2
        client.threads.create(thread_id=gate, graph_id="governance", if_exists="do_nothing")
        client.runs.wait(gate, "governance", input={"decision_id": decision}, context={"workspace": str(workspace)})
        assert _status(client, gate) == "interrupted"
    with asked(workspace) as client:
        client.threads.create(thread_id=gate, graph_id="governance", if_exists="do_nothing")
        waiting: Any = client.threads.get_state(gate)
        assert waiting["next"] == ["gate"]
        reply = {"resolution": "reject", "feedback": "Too dear"}
        said: Any = client.runs.wait(
            gate, "governance", command={"resume": reply}, context={"workspace": str(workspace)}
        )
        assert said["status"] == "rejected"
