"""`mabos studio` on a company: the server answers, knows the machines, and lists a thread for every agent."""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import get_sync_client

from mabos.interfaces.studio import MACHINES
from tests.interfaces.command_line import answer, company
from tests.studio.server import studio

pytestmark = [pytest.mark.slow, pytest.mark.studio]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return company(tmp_path_factory.mktemp("studio") / "workspace")


@pytest.fixture(scope="module")
def address(workspace: Path) -> Iterator[str]:
    with studio(workspace) as found:
        yield found


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


def eventually(found: Callable[[], Any]) -> Any:
    """Return what is found, looked for again until there is something."""
    for _ in range(120):
        if something := found():
            return something
        time.sleep(0.5)
    raise AssertionError(f"{found} found nothing within a minute")


def asked(workspace: Path, title: str) -> str:
    """Let the CTO ask for an order above the threshold and return the decision it waits for."""
    order = {"title": title, "description": "x", "required_skills": ["law"], "budget_usd": 10_000}
    done = answer("call", "work_package_create", json.dumps(order), "--agent", "cto", workspace=workspace, code=1)
    return str(done["error"]["decision_id"])


def queue(workspace: Path) -> dict[str, str]:
    listed = answer("decisions", "list", "--all", workspace=workspace)["decisions"]
    return {one["id"]: one["status"] for one in listed}


def test_a_decision_is_answered_from_studio_or_from_the_command_line_and_once(address: str, workspace: Path) -> None:
    posted(address, "/assistants/search")
    client = get_sync_client(url=address)

    def waiting(decision_id: str) -> Any:
        found = client.threads.search(metadata={"decision_id": decision_id}, status="interrupted")
        return found[0] if found else None

    first, second, third = (asked(workspace, title) for title in ("Audit", "Survey", "Study"))
    threads = {one: eventually(partial(waiting, one)) for one in (first, second, third)}
    (interrupts,) = threads[first]["interrupts"].values()
    assert interrupts[0]["value"]["cost"] == 10_000
    assert interrupts[0]["response_schema"]["properties"]["resolution"]["enum"][0] == "approve"

    def reply(decision_id: str, **said: str) -> Any:
        return client.runs.wait(threads[decision_id]["thread_id"], "governance", command={"resume": said})

    assert reply(first, resolution="approve")["status"] == "approved"
    assert answer("decisions", "approve", first, workspace=workspace, code=1)["error"]["code"] == "refused"
    answer("decisions", "reject", second, workspace=workspace)
    eventually(lambda: waiting(second) is None)
    assert reply(third, resolution="defer", until="2099-03-02")["status"] == "deferred"
    assert eventually(lambda: waiting(third))
    assert [queue(workspace)[one] for one in (first, second, third)] == ["approved", "rejected", "deferred"]
    answer("run", "cto", workspace=workspace)
    answer("run", "cto", workspace=workspace)
    packages = json.loads((workspace / "businesses" / "acme" / "work-packages.json").read_text("utf-8"))
    assert "Audit" in str(packages)
    assert "Survey" not in str(packages)


def test_studio_serves_the_machines_and_lists_every_agent(address: str) -> None:
    machines = {one["graph_id"] for one in posted(address, "/assistants/search")}
    assert machines == set(MACHINES)
    for _ in range(60):
        agents = {thread["metadata"]["agent_id"] for thread in posted(address, "/threads/search")}
        if len(agents) == 9:
            break
        time.sleep(0.5)
    assert {"ceo", "cfo", "knowledge"} < agents
    assert len(agents) == 9


def test_every_agent_has_an_assistant_that_runs_its_cycle(address: str) -> None:
    posted(address, "/assistants/search")
    client = get_sync_client(url=address)

    def agents() -> Any:
        found: Any = client.assistants.search(graph_id="bdi", limit=50)
        own = {one["context"]["agent_id"]: one for one in found if (one.get("context") or {}).get("agent_id")}
        return own if len(own) == 9 else None

    own = eventually(agents)
    assert own["cfo"]["name"] == "Chief Financial Officer (cfo)"
    assert own["cfo"]["description"] == "One cycle of the Chief Financial Officer of acme."
    answered: Any = client.runs.wait(None, own["cfo"]["assistant_id"], input={})
    assert answered["agent_id"] == "cfo"
    assert answered["outcome"] not in ("", "failed")
