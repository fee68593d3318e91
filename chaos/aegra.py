"""A test drive of `langgraph.json` on Aegra with Postgres and Redis: `python -m chaos.aegra --python P`.

P is a Python 3.12 in which MABOS and the server are installed (`pip install . aegra-api==0.11.0`); a `redis-server` and
a Postgres must be on this machine. Nothing is left running. The server is killed while a thread waits for an answer,
and must accept the answer with all stored data after its restart.

Run by hand, since Aegra needs a newer Python than MABOS does, and 120 packages.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import httpx
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from mabos.graphs import wiring
from mabos.graphs.checkpoints import thread_id
from mabos.interfaces.studio import MACHINES
from mabos.tools.gate.call import call
from scripts.postgres import free_port
from tests import acme
from tests.cluster.postgres_server import served
from tests.studio.server import await_answer

ROOT = Path(__file__).resolve().parents[1]
ORDER = {"title": "Audit", "description": "x", "required_skills": ["law"], "budget_usd": 10_000}


@contextmanager
def begun(command: list[str], log: Path, **terms: Any) -> "Iterator[subprocess.Popen[bytes]]":
    """Yield a process that writes to `log`, and end it with the block."""
    with log.open("ab") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said, **terms)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


@contextmanager
def server(python: str, workspace: Path, database: str, redis: int, log: Path) -> "Iterator[tuple[Any, Any]]":
    """Yield Aegra as a process and a client of it, once it answers."""
    port = free_port()
    variables = {"MABOS_WORKSPACE": str(workspace), "MABOS_FORBID_MODEL": "1", "AUTH_TYPE": "noop"}
    variables |= {"AEGRA_CONFIG": str(ROOT / "langgraph.json"), "HOST": "127.0.0.1", "PORT": str(port)}
    variables |= {"DATABASE_URL": database, "REDIS_URL": f"redis://127.0.0.1:{redis}/0", "REDIS_BROKER_ENABLED": "true"}
    command = [python, "-m", "uvicorn", "aegra_api.main:app", "--host", "127.0.0.1", "--port", str(port)]
    with begun(command, log, cwd=ROOT, env={**os.environ, **variables}) as process:
        await_answer(process, f"http://127.0.0.1:{port}/health", log)
        yield process, get_sync_client(url=f"http://127.0.0.1:{port}")


def cycles(client: SyncLangGraphClient, workspace: Path) -> None:
    """Run two cycles of an agent, one of them streamed, and read them back."""
    known = {str(row["graph_id"]): str(row["assistant_id"]) for row in client.assistants.search(limit=100)}
    assert set(known) == set(MACHINES), known
    thread = thread_id(workspace, "agent", "legal")
    client.threads.create(thread_id=thread, if_exists="do_nothing")
    given, context = {"agent_id": "legal"}, {"agent_id": "legal"}
    parts = list(
        client.runs.stream(thread, known["bdi"], input=given, context=context, stream_mode=["custom", "values"])
    )
    phases = [part.data["phase"] for part in parts if part.event == "custom" and part.data["status"] == "done"]
    assert phases[:2] == ["perceive", "deliberate"], parts
    assert phases[-1] == "learn", phases
    again: Any = client.runs.wait(thread, known["bdi"], input=given, context=context)
    assert again["agent_id"] == "legal", again
    print(f"a cycle streamed {len(parts)} parts: {', '.join(phases)}; the next waited for")


def asked(client: SyncLangGraphClient, workspace: Path) -> str:
    """Return the thread of a decision that is pending at its gate."""
    with wiring.hold_services(workspace) as services:
        decision = call(services, "work_package_create", ORDER, agent_id="cto").decision_id
    thread = thread_id(workspace, "decision", decision)
    client.threads.create(thread_id=thread, if_exists="do_nothing")
    client.runs.wait(thread, "governance", input={"decision_id": decision})
    waiting: Any = client.threads.get(thread)
    assert waiting["status"] == "interrupted", waiting
    print(f"{decision} waits at its gate")
    return thread


def answered(client: SyncLangGraphClient, thread: str) -> None:
    """Answer a decision that was pending when the server died."""
    before: Any = client.threads.get_state(thread)
    assert before["next"] == ["gate"], before
    said: Any = client.runs.wait(
        thread, "governance", command={"resume": {"resolution": "reject", "feedback": "Too dear"}}
    )
    assert said["status"] == "rejected", said
    print(f"after the server was killed: {said['text']}")


def drive(python: str, redis_server: str, folder: Path) -> None:
    """Start everything, drive it, kill the server, and drive it again."""
    workspace, log, redis = folder / "workspace", folder / "aegra.log", free_port()
    acme.founded(workspace)
    keeps = [redis_server, "--port", str(redis), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    with served() as database, begun(keeps, folder / "redis.log"):
        with server(python, workspace, database, redis, log) as (process, client):
            cycles(client, workspace)
            thread = asked(client, workspace)
            process.send_signal(signal.SIGKILL)
            process.wait()
        with server(python, workspace, database, redis, log) as (_, client):
            history = client.threads.get_history(thread_id(workspace, "agent", "legal"), limit=50)
            assert len(history) > 10, history
            print(f"after the server was killed: {len(history)} states of the agent's thread")
            answered(client, thread)
            tools = httpx.get(f"{str(client.http.client.base_url).rstrip('/')}/mabos/tools", timeout=30)
            print(f"/mabos/tools answers {tools.status_code}")
            assert tools.status_code == 200, tools.text


def main() -> int:
    """Test the server with the named programs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", required=True, help="a Python in which MABOS and aegra-api are installed")
    parser.add_argument("--redis", default=shutil.which("redis-server"), help="the program redis-server")
    asked_for = parser.parse_args()
    if not asked_for.redis:
        parser.error("no redis-server found; on Debian: apt-get install redis-server")
    with TemporaryDirectory() as folder:
        drive(asked_for.python, asked_for.redis, Path(folder))
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
