"""A planted company, and each surface as one function from a call to the envelope that it answers with."""

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from mabos.configs.errors import MabosError
from mabos.graphs import wiring
from mabos.interfaces.facade import Workspace
from mabos.interfaces.surfaces.brief import Brief
from mabos.interfaces.surfaces.bus import AgentBus
from mabos.interfaces.surfaces.door import Door, plain_name
from mabos.interfaces.surfaces.guard import Guard
from mabos.interfaces.surfaces.http import http_app
from mabos.interfaces.surfaces.langchain import langchain_tools
from mabos.interfaces.surfaces.mcp import mcp_server
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import frozen_clock
from tests.interfaces.command_line import mabos

NOW = datetime(2026, 2, 24, 14, 30, tzinfo=UTC)
HERE = "http://127.0.0.1"

Envelope = dict[str, Any]
Surface = Callable[[Services, str, Mapping[str, Any], str], Envelope]
"""Calls a tool with arguments, as an agent or ("") as a person."""


@pytest.fixture(scope="session")
def company(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a closed workspace with one business and something to find in it."""
    root = tmp_path_factory.mktemp("planted") / "workspace"
    with opened(root) as services:
        with_acme(services)
    return root


def with_acme(services: Services) -> None:
    """Found a company whose CFO remembers and believes something."""
    workspace = Workspace(services)
    workspace.create_business("acme", name="Acme", template="saas")
    cfo = workspace.agent("cfo")
    cfo.memory.store("Runway is nine months", type="fact", importance=0.8, tags=["runway"], store="long_term")
    assert cfo.call("knowledge", action="create_entity", type="Pattern", name="pricing", label="Price by value").ok


@contextmanager
def opened(root: Path) -> Iterator[Services]:
    """Open a workspace whose ids and times are the same each time."""
    with wiring.hold_services(root, clock=frozen_clock(NOW), seed="surfaces") as services:
        yield services


@contextmanager
def copied(company: Path, place: Path) -> Iterator[Services]:
    """Open a copy of a company."""
    shutil.copytree(company, place)
    with opened(place) as services:
        yield services


def by_cli(services: Services, tool: str, arguments: Mapping[str, Any], agent: str) -> Envelope:
    """Ask on the command line."""
    words = ["call", tool, json.dumps(arguments), *(["--as", agent] if agent else [])]
    for code in (0, 1):
        try:
            answer: Envelope = json.loads(mabos(*words, workspace=services.layout.root, code=code).stdout)
        except AssertionError:
            continue
        return answer
    raise AssertionError(words)


def by_http(services: Services, tool: str, arguments: Mapping[str, Any], agent: str) -> Envelope:
    """Ask over HTTP."""
    answer: Envelope = posted(services, tool, arguments, agent).json()
    return answer


def posted(services: Services, tool: str, arguments: Any, agent: str = "", **more: Any) -> httpx.Response:
    """Return the response to a call over HTTP."""
    more["headers"] = {"content-type": "application/json"} | more.get("headers", {})
    door = Door.of(services, agent)
    return requested(Guard(http_app(lambda: door)), "POST", f"/tools/{tool}", content=json.dumps(arguments), **more)


def requested(app: Any, method: str, path: str, **more: Any) -> httpx.Response:
    """Return the response of an application to one request from this machine."""

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HERE) as client:
            return await client.request(method, path, **more)

    return asyncio.run(ask())


def by_mcp(services: Services, tool: str, arguments: Mapping[str, Any], agent: str) -> Envelope:
    """Ask over MCP."""

    async def ask() -> Envelope:
        async with Client(mcp_server(Door.of(services, agent), Brief(details=True))) as client:
            answer = await client.call_tool(plain_name(services.tools.tool(tool)), dict(arguments))
            assert answer.is_error is not answer.structured_content["ok"]
            found: Envelope = answer.structured_content
            return found

    return asyncio.run(ask())


def by_langchain(services: Services, tool: str, arguments: Mapping[str, Any], agent: str) -> Envelope:
    """Ask as an agent of LangChain does."""
    workspace = Workspace(services)
    (found,) = langchain_tools(workspace.agent(agent) if agent else workspace, names=[tool])
    message = found.invoke({"type": "tool_call", "id": "call-1", "name": found.name, "args": dict(arguments)})
    assert message.status == ("success" if message.artifact["ok"] else "error")
    answer: Envelope = message.artifact
    return answer


def by_bus(services: Services, tool: str, arguments: Mapping[str, Any], agent: str) -> Envelope:
    """Ask on the agent bus."""
    try:
        return {"ok": True, "result": json.loads(AgentBus(services, agent).invoke(tool)(json.dumps(arguments)))}
    except MabosError as error:
        return {"ok": False, "error": {"code": error.code, "message": error.message, "argument": error.argument}}


SURFACES: dict[str, Surface] = {"cli": by_cli, "http": by_http, "mcp": by_mcp, "langchain": by_langchain, "bus": by_bus}
