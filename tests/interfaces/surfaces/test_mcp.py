"""The catalogue over MCP, asked by the official client: over standard input, over HTTP, and in this process."""

import asyncio
import json
import shutil
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError

from mabos.interfaces.surfaces.door import Door
from mabos.interfaces.surfaces.mcp import mcp_server, offered
from mabos.mind.forms import MIND_FILES
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.runtime.services import Services
from tests.interfaces.command_line import mabos
from tests.interfaces.surfaces.offices import copied
from tests.interfaces.surfaces.servers import COMMAND, serving, surroundings
from tests.tools.workspaces import Bench

INSPECTOR = ["npx", "--yes", "-p", "node@22", "-p", "@modelcontextprotocol/inspector@2.12.0", "--", "mcp-inspector"]


@pytest.fixture
def services(company: Path, tmp_path: Path) -> Iterator[Services]:
    with copied(company, tmp_path / "workspace") as opened:
        yield opened


def asked(server: Any, question: Callable[[Any], Awaitable[Any]], **more: Any) -> Any:
    """Return what a client of `server` is answered; raises the `MCPError` that it is told."""

    async def ask() -> Any:
        async with Client(server, **more) as client:
            try:
                return await question(client)
            except MCPError as error:  # raised inside, it would come out within groups
                return error

    answer = asyncio.run(ask())
    if isinstance(answer, MCPError):
        raise answer
    return answer


def own(services: Services, agent_id: str = "") -> Any:
    return mcp_server(Door.of(services, agent_id))


def read(services: Services, uri: str, agent_id: str = "") -> str:
    contents = asked(own(services, agent_id), lambda client: client.read_resource(uri)).contents
    return str(contents[0].text)


def test_every_tool_is_listed_with_its_schema_and_hints(services: Services) -> None:
    conversation, *tools = asked(own(services), lambda client: client.list_tools()).tools
    assert conversation.name == "ask_agent"
    assert len(tools) == len(services.tools.all())
    for told, tool in zip(tools, services.tools.all(), strict=True):
        assert told.input_schema == tool.schema
        jsonschema.Draft202012Validator.check_schema(told.input_schema)
        assert told.annotations is not None
        assert told.annotations.read_only_hint is not tool.writes
    names = [tool.name for tool in tools]
    assert len(set(names)) == len(names)
    assert "ldg_task_get" in names
    assert all(name.replace("_", "").replace("-", "").isalnum() and len(name) <= 64 for name in names)


def test_hints_follow_from_the_declaration() -> None:
    def hints(tool: Tool) -> tuple[Any, ...]:
        told = offered(tool).annotations
        assert told is not None
        return told.read_only_hint, told.destructive_hint, told.idempotent_hint, told.open_world_hint

    found = {tool.name: hints(tool) for tool in Bench().tools()}
    assert found["note_read"] == (True, False, True, False)
    assert found["note_write"] == (False, False, False, False)
    final = Tool.of(lambda _: {}, module="Email", writes=True, reversible=False, external=True)
    assert hints(final) == (False, True, False, True)


def test_an_answer_is_structured_and_can_be_read_by_a_model(services: Services) -> None:
    given = {"query": "runway", "recursive_depth": 1, "agent_id": "cfo"}
    answer = asked(own(services), lambda client: client.call_tool("memory_recall", given))
    assert answer.structured_content["ok"] is True
    lines, result = answer.content
    assert "depth: 0) — Runway is nine months" in lines.text
    assert json.loads(result.text) == answer.structured_content["result"]


def test_what_cannot_be_done_is_an_answer_that_says_so_and_an_unknown_tool_an_error(services: Services) -> None:
    wrong = asked(own(services), lambda client: client.call_tool("memory_recall", {"limit": "many"}))
    assert wrong.is_error
    assert wrong.content[0].text.startswith("invalid_argument: memory_recall: 'limit' must be")
    with pytest.raises(MCPError, match="no tool 'memory_recal'; did you mean 'memory_recall'"):
        asked(own(services), lambda client: client.call_tool("memory_recal", {}))


def test_the_agent_of_a_server_sees_what_it_may_use_and_reads_its_own_mind(services: Services) -> None:
    names = {tool.name for tool in asked(own(services, "cfo"), lambda client: client.list_tools()).tools}
    assert "memory_recall" in names
    assert "ldg_task_save" not in names
    listed = asked(own(services, "cfo"), lambda client: client.list_resources()).resources
    minds = [one.uri for one in listed if one.uri.endswith(".md")]
    assert minds == [f"mabos://agents/cfo/{file}" for file in MIND_FILES]
    assert "# Beliefs" in read(services, "mabos://agents/cfo/Beliefs.md", "cfo")
    with pytest.raises(MCPError, match="'cfo' may read only its own mind, not that of 'ceo'"):
        read(services, "mabos://agents/ceo/Beliefs.md", "cfo")


def test_the_knowledge_of_the_business_is_read_by_address(services: Services) -> None:
    listed = json.loads(read(services, "mabos://knowledge/entities"))
    (entity,) = listed["entities"]
    assert (listed["count"], entity["name"]) == (1, "pricing")
    assert json.loads(read(services, "mabos://knowledge/entities/Pattern"))["count"] == 1
    assert json.loads(read(services, "mabos://knowledge/entities/Insight"))["count"] == 0
    found = json.loads(read(services, "mabos://knowledge/search?q=price%20by%20value"))
    assert found["results"][0]["entity"]["name"] == "pricing"
    for address in (entity["id"], "pattern:pricing"):
        assert json.loads(read(services, f"mabos://knowledge/{address}"))["entity"]["label"] == "Price by value"
    assert json.loads(read(services, "mabos://knowledge/recent"))["results"]
    assert json.loads(read(services, "mabos://knowledge/stats"))["entity_counts"]["Pattern"] == 1


def test_every_address_that_is_listed_can_be_read_or_says_that_it_is_empty(services: Services) -> None:
    async def question(client: Any) -> list[str]:
        found = []
        for one in (await client.list_resources()).resources:
            try:
                found.append((await client.read_resource(one.uri)).contents[0].text)
            except MCPError as error:
                found.append(error.message)
        return found

    told = asked(own(services), question)
    assert len(told) == 4 + 9 * len(MIND_FILES)
    assert all(text.startswith(("#", "{")) or text.endswith(" yet") for text in told)


@pytest.mark.parametrize(
    ("uri", "said"),
    [
        ("mabos://knowledge/pattern:nothing", "pattern:nothing"),
        ("mabos://knowledge/entities/Banana", "Banana"),
        ("mabos://knowledge/search", "query"),
        ("mabos://knowledge/a/b/c", "no such resource"),
        ("mabos://agents/cof/Beliefs.md", "no agent 'cof'"),
        ("mabos://agents/cfo/agent.json", "no file of a mind"),
        ("mabos://agents/cfo/..%2F..%2Fmabos.yaml", "no file of a mind"),
        ("mabos://agents/..%2Fceo/Beliefs.md", "agent"),
        ("file:///etc/passwd", "no resource"),
    ],
)
def test_an_address_of_nothing_says_what_was_meant(uri: str, said: str, services: Services) -> None:
    with pytest.raises(MCPError) as raised:
        read(services, uri)
    assert said in raised.value.message
    assert raised.value.code == -32602


def test_a_mind_is_read_as_it_is_at_this_moment(services: Services) -> None:
    services.agent("cfo").mind.note_memory("Cash was counted")
    assert "Cash was counted" in read(services, "mabos://agents/cfo/Memory.md")


def test_a_client_over_standard_input_acts_as_the_agent_that_the_server_is_for(company: Path, tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    shutil.copytree(company, root)
    words = [*COMMAND[1:], "--workspace", str(root), "mcp", "--agent", "cfo"]
    server = StdioServerParameters(command=COMMAND[0], args=words, env=surroundings())

    async def question(client: Any) -> tuple[Any, Any]:
        stored = await client.call_tool("memory_store_item", {"content": "The bank called", "importance": 0.7})
        return stored, await client.call_tool("belief_get", {"agent_id": "ceo"})

    stored, other = asked(server, question)
    assert stored.structured_content["ok"] is True
    assert other.structured_content["error"]["code"] == "refused"
    assert "The bank called" in (root / "agents" / "cfo" / "memory-store.json").read_text("utf-8")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_over_http_is_answered_and_what_it_writes_is_in_the_files_at_once(
    mode: str, company: Path, tmp_path: Path
) -> None:
    root = tmp_path / "workspace"
    shutil.copytree(company, root)

    async def question(client: Any) -> Any:
        await client.list_tools()
        given = {"content": "The bank called", "importance": 0.7, "agent_id": "cfo"}
        return await client.call_tool("memory_store_item", given)

    with serving(root, "mcp", "--http", "127.0.0.1:0") as url:
        assert asked(url, question, mode=mode).structured_content["ok"] is True
        assert "The bank called" in (root / "agents" / "cfo" / "memory-store.json").read_text("utf-8")
        assert httpx.post(url, json={}, headers={"Host": "example.com"}).status_code == 403
        assert httpx.post(url, json={}, headers={"Origin": "https://example.com"}).status_code == 403


def test_an_agent_that_does_not_exist_is_said_before_anything_is_served(company: Path, tmp_path: Path) -> None:
    shutil.copytree(company, tmp_path / "workspace")
    result = mabos("mcp", "--agent", "cof", workspace=tmp_path / "workspace", code=1)
    assert "no agent 'cof'" in result.stderr


def inspected(*words: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    environment = surroundings(MCP_CATALOG_PATH=str(cwd / "catalog.json"))
    return subprocess.run(
        [*INSPECTOR, "--cli", *words],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the inspector of MCP runs, fetched by npx where it is not there."""
    folder = tmp_path_factory.mktemp("inspector")
    if shutil.which("npx") is None:
        pytest.skip("there is no npx")
    try:
        there = inspected("--version", cwd=folder)
    except subprocess.TimeoutExpired:
        pytest.skip("npx did not fetch the inspector in time")
    if there.returncode:
        pytest.skip(f"npx has no inspector: {there.stderr[-300:]}")
    return folder


@pytest.mark.slow
def test_the_inspector_finds_nothing_over_http_and_standard_input(
    inspector: Path, company: Path, tmp_path: Path
) -> None:
    root = tmp_path / "workspace"
    shutil.copytree(company, root)
    with serving(root, "mcp", "--http", "127.0.0.1:0") as url:
        there = (url, "--transport", "http")
        listed = inspected(*there, "--strict", "--method", "tools/list", cwd=inspector)
        assert listed.returncode == 0, listed.stderr
        assert "warning" not in listed.stderr.lower(), listed.stderr
        assert len(json.loads(listed.stdout)["tools"]) > 90
        resources = inspected(*there, "--method", "resources/templates/list", cwd=inspector)
        assert len(json.loads(resources.stdout)["resourceTemplates"]) == 4
    server = ("--transport", "stdio", "-e", f"PYTHONPATH={surroundings()['PYTHONPATH']}")
    command = ("--", *COMMAND, "--workspace", str(root), "mcp", "--agent", "cfo")
    words = ("--method", "tools/call", "--tool-name", "memory_recall", "--tool-arg", "query=runway")
    answer = inspected(*server, *words, *command, cwd=inspector)
    assert json.loads(answer.stdout)["structuredContent"]["ok"] is True, answer.stderr
