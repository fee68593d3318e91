"""LangGraph's development server for a workspace: an assistant and a thread per agent, a thread per open decision."""

import json
import logging
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING
from urllib.error import URLError
from urllib.request import urlopen

import mabos
from mabos.configs.errors import Unavailable
from mabos.configs.settings import environment, load_settings

if TYPE_CHECKING:
    from langgraph_sdk.client import SyncLangGraphClient

    from mabos.society.decisions import Decision

LOG = logging.getLogger(__name__)
MACHINES = {
    "bdi": "One agent, one cycle: perceive, deliberate, plan, act, learn.",
    "company": "One week of a company: agents think in parallel, act in seat order, learn in parallel.",
    "maintenance": "The heartbeat of all agents, or of the one named: prune, re-rank, find conflicts, clean up.",
    "governance": "One decision that waits for a person: the question, the gate, and the answer on record.",
    "contract_net": "One call for proposals: asked, bid for, awarded to the best, and done.",
    "archive": "Finished tasks become knowledge of their business: concepts, facts, procedures, questions and answers.",
    "reason": "One request to reason: rank the methods that fit the problem, run them, fuse what they say.",
}
_LOOKS_EVERY_S = 3.0


def serve(root: Path, *, port: int, browser: bool) -> None:
    """Run the server until it is stopped, by Ctrl-C or SIGTERM; raises `Unavailable` if it ends by itself."""
    folder = server_folder(root)
    command = [
        sys.executable,
        "-m",
        "langgraph_cli",
        "dev",
        "--config",
        str(_configuration(folder, root)),
        "--no-reload",
    ]
    command += ["--host", "127.0.0.1", "--port", str(port), "--n-jobs-per-worker", "10"]
    command += [] if browser else ["--no-browser"]
    variables = {**environment().variables, "MABOS_WORKSPACE": str(root)}
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # else the server would outlive this process
    server = subprocess.Popen(command, env=variables, cwd=folder)  # noqa: S603 - our own interpreter
    try:
        Thread(target=_register, args=(root, port, server), daemon=True).start()
        code = server.wait()
    except KeyboardInterrupt:
        return
    finally:
        server.terminate()
        server.wait()
    if code:
        raise Unavailable(f"the development server ended with code {code}; see its output above")


def server_folder(root: Path) -> Path:
    """Return the private folder of a workspace's server, created for this user alone.

    It is outside the workspace, since the server loads pickles from it, which can run any code: a workspace from
    another person could contain malicious ones.
    """
    folder = Path.home() / ".cache" / "mabos" / "studio" / sha256(str(root.resolve()).encode()).hexdigest()[:16]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _configuration(folder: Path, root: Path) -> Path:
    """Return the server's configuration, written into its folder."""
    graphs = {name: {"path": f"mabos.graphs.server:{name}", "description": text} for name, text in MACHINES.items()}
    source = str(Path(mabos.__file__).parent.parent)  # also where it is found by the current folder alone
    routes = {"app": "mabos.interfaces.surfaces.mounted:app"}
    configuration = {"dependencies": [source], "graphs": graphs, "http": routes}
    place = "postgres" if _has_database(root) else "checkpoint_places"
    configuration["checkpointer"] = {"path": f"mabos.graphs.{place}.served"}
    path = folder / "langgraph.json"
    path.write_text(json.dumps(configuration, indent=2), encoding="utf-8")
    return path


def _has_database(root: Path) -> bool:
    """Return whether the workspace keeps its checkpoints in a database that answers; an absent one is logged."""
    from mabos.graphs.checkpoint_places import database_of
    from mabos.workspace.names import Layout

    settings = load_settings(root, environment()).checkpoints
    if not settings.database:
        return False
    try:
        database_of(Layout(root), settings).close()
    except Unavailable as away:
        LOG.warning("%s; the server keeps the checkpoints of its threads in the workspace", away.message)
        return False
    return True


def _register(root: Path, port: int, server: "subprocess.Popen[bytes]") -> None:
    """Give every agent its assistant and thread, so that Studio lists them before any run; then post open decisions."""
    address = f"http://127.0.0.1:{port}"
    if not _answers(f"{address}/ok", server):
        return
    from langgraph_sdk import get_sync_client

    from mabos.graphs.checkpoints import thread_id

    client = get_sync_client(url=address)
    for folder in sorted(path for path in (root / "agents").glob("*") if path.is_dir()):
        metadata = {"graph_id": "bdi", "agent_id": folder.name}
        thread = thread_id(root, "agent", folder.name)
        client.threads.create(thread_id=thread, metadata=metadata, graph_id="bdi", if_exists="do_nothing")
        assist(root, client, folder.name)
    _keep_asking(root, client, server)


def assist(root: Path, client: "SyncLangGraphClient", agent_id: str) -> None:
    """Create an agent's assistant: the cycle machine with the agent filled in."""
    from mabos.graphs.checkpoints import thread_id
    from mabos.society.business import read_agent
    from mabos.workspace.names import Layout

    agent = read_agent(Layout(root), agent_id)
    client.assistants.create(
        "bdi",
        assistant_id=thread_id(root, "assistant", agent.id),
        name=f"{agent.title} ({agent.id})",
        description=f"One cycle of the {agent.title} of {agent.business_id}.",
        context={"workspace": str(root), "agent_id": agent.id},
        metadata={"agent_id": agent.id},
        if_exists="do_nothing",
    )


def _keep_asking(root: Path, client: "SyncLangGraphClient", server: "subprocess.Popen[bytes]") -> None:
    """Keep a thread waiting at the gate for every open decision, and none for those answered elsewhere."""
    from mabos.graphs.wiring import hold_services
    from mabos.tools.people.stakeholder import all_decisions

    waiting = client.threads.search(metadata={"graph_id": "governance"}, status="interrupted", limit=1000)
    shown = {str((thread["metadata"] or {}).get("decision_id")): 0 for thread in waiting}
    with hold_services(root) as services:
        while server.poll() is None:
            for decision in all_decisions(services):
                if shown.get(decision.id, 0) != decision.version and (decision.open or decision.id in shown):
                    try:
                        ask(root, client, decision)
                    except Exception as error:  # noqa: BLE001 - the server may be busy or ending; asked again soon
                        LOG.info("%s is not shown yet: %s", decision.id, error)
                    else:
                        shown[decision.id] = decision.version
            time.sleep(_LOOKS_EVERY_S)


def ask(root: Path, client: "SyncLangGraphClient", decision: "Decision") -> str:
    """Run a decision's thread to its interrupt, unless it is there at the current version; return the thread."""
    from mabos.graphs.checkpoints import thread_id

    thread = thread_id(root, "decision", decision.id)
    metadata = {"graph_id": "governance", "agent_id": decision.from_agent, "decision_id": decision.id}
    client.threads.create(thread_id=thread, metadata=metadata, graph_id="governance", if_exists="do_nothing")
    values = client.threads.get_state(thread)["values"]
    question = values.get("question") if isinstance(values, dict) else None
    if (question or {}).get("version") != decision.version:
        context = {"workspace": str(root)}
        client.runs.wait(thread, "governance", input={"decision_id": decision.id}, context=context)
    return thread


def _answers(address: str, server: "subprocess.Popen[bytes]") -> bool:
    """Return whether the server answers before it ends, however long it takes: on a busy machine minutes."""
    while server.poll() is None:
        try:
            with urlopen(address, timeout=2) as answer:  # noqa: S310 - an address on this machine
                return bool(answer.status == 200)
        except (URLError, OSError):
            time.sleep(0.3)
    return False
