"""What all surfaces share: nobody waits for another's call, capabilities are read anew, and what is missing is said."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from mcp import Client

from mabos.graphs import wiring
from mabos.interfaces.surfaces import door as doors
from mabos.interfaces.surfaces import mounted
from mabos.interfaces.surfaces.door import Door
from mabos.interfaces.surfaces.guard import Guard
from mabos.interfaces.surfaces.http import http_app
from mabos.interfaces.surfaces.mcp import mcp_server
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.runtime.services import Agent, Services
from tests.interfaces.command_line import answer, mabos
from tests.interfaces.surfaces.offices import HERE, copied, requested, with_acme

STARTED, MAY_END = Event(), Event()


def patience(agent: Agent) -> dict[str, Any]:
    """Wait until somebody else was served."""
    STARTED.set()
    return {"served": MAY_END.wait(30)}


@pytest.fixture
def slow(tmp_path: Path) -> Iterator[Services]:
    catalogue = Registry(extra=[Tool.of(patience, module="Memory", writes=False)])
    with wiring.hold_services(tmp_path / "workspace", registry=catalogue) as services:
        with_acme(services)
        STARTED.clear()
        MAY_END.clear()
        yield services


def test_over_http_a_call_that_takes_its_time_holds_up_nobody(slow: Services) -> None:
    door = Door(slow)

    async def ask() -> tuple[httpx.Response, httpx.Response]:
        transport = httpx.ASGITransport(Guard(http_app(lambda: door)))
        async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
            waiting = asyncio.create_task(client.post("/tools/patience", json={}))
            await asyncio.to_thread(STARTED.wait, 30)
            other = await client.post("/tools/belief_get", json={"agent_id": "cfo"})
            MAY_END.set()
            return await waiting, other

    waited, other = asyncio.run(ask())
    assert other.status_code == 200
    assert waited.json()["result"] == {"served": True}


def test_over_mcp_a_call_that_takes_its_time_holds_up_nobody(slow: Services) -> None:
    async def ask() -> tuple[Any, Any]:
        async with Client(mcp_server(Door(slow))) as client:
            waiting = asyncio.create_task(client.call_tool("patience", {}))
            await asyncio.to_thread(STARTED.wait, 30)
            other = await client.call_tool("belief_get", {"agent_id": "cfo"})
            MAY_END.set()
            return await waiting, other

    waited, other = asyncio.run(ask())
    assert other.structured_content["ok"] is True
    assert waited.structured_content["result"] == {"served": True}


def test_many_write_at_once_and_nothing_is_lost(company: Path, tmp_path: Path) -> None:
    with copied(company, tmp_path / "workspace") as services:
        door = Door.of(services, publishes=True)

        async def store(client: httpx.AsyncClient, number: int) -> int:
            given = {"content": f"Figure {number} of the quarter", "importance": 0.5, "agent_id": "cfo"}
            return (await client.post("/tools/memory_store_item", json=given)).status_code

        async def ask() -> list[int]:
            transport = httpx.ASGITransport(Guard(http_app(lambda: door)))
            async with httpx.AsyncClient(transport=transport, base_url=HERE) as client:
                return await asyncio.gather(*(store(client, number) for number in range(60)))

        assert asyncio.run(ask()) == [200] * 60
    kept = (tmp_path / "workspace" / "agents" / "cfo" / "memory-store.json").read_text("utf-8")
    assert all(f"Figure {number} of" in kept for number in range(60))


def test_what_an_agent_is_offered_follows_its_capabilities_while_the_door_is_open(
    company: Path, tmp_path: Path
) -> None:
    with copied(company, tmp_path / "workspace") as services:
        door = Door.of(services, "cfo")
        assert "memory_recall" in {tool.name for tool in door.tools}
        page = tmp_path / "workspace" / "agents" / "cfo" / "Capabilities.md"
        page.write_text("# Capabilities\n\n- **Tools:** belief_get\n", "utf-8")
        services.agent("cfo").mind.refresh()
        assert {tool.name for tool in door.tools} == {"belief_get"}
        assert door.call("memory_recall", {}).code == "refused"


@pytest.mark.parametrize(("command", "extra"), [("mcp", "mcp"), ("serve", "http")])
def test_a_surface_that_is_not_installed_says_what_to_install(
    command: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doors, "find_spec", lambda _: None)
    result = mabos(command, workspace=tmp_path / "workspace", code=1)
    assert f"pip install 'mabos[{extra}]'" in result.stderr


def test_below_langgraphs_server_it_is_said_where_the_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "find_spec", lambda _: None)
    response = requested(mounted.surface.__wrapped__(), "GET", "/mabos/tools")
    assert response.status_code == 503
    assert "pip install 'mabos[http]'" in response.json()["error"]["message"]


def test_arguments_are_read_from_a_file_with_lists_and_objects_in_them(company: Path, tmp_path: Path) -> None:
    with copied(company, tmp_path / "workspace"):
        pass
    root, page = tmp_path / "workspace", tmp_path / "arguments.json"
    task = {"systemPrompt": "Find a price", "messages": [{"role": "user", "content": "Find it"}]}
    page.write_text(json.dumps({"task": task}), "utf-8")
    saved = answer("call", "ldg:task:save", f"@{page}", workspace=root)["result"]["taskId"]
    said = answer("call", "ldg:msg:list", json.dumps({"taskId": saved}), workspace=root)["result"]["messages"]
    assert [one["content"] for one in said if one["role"] == "user"][-1] == "Find it"


@pytest.mark.parametrize("place", ["missing.json", "."])
def test_a_file_that_cannot_be_read_is_wrong_usage(place: str, tmp_path: Path) -> None:
    error = answer("call", "belief_get", f"@{tmp_path / place}", workspace=tmp_path / "workspace", code=2)["error"]
    assert error["argument"] == "arguments"
    assert str(tmp_path / place) in error["message"]
    assert not (tmp_path / "workspace").exists()
