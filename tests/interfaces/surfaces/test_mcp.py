"""The catalogue over MCP, asked by the official client: over standard input, over HTTP, and in this process."""

import asyncio
import json
import shutil
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import jsonschema
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference

from mabos.configs.errors import Refused, UnknownId
from mabos.interfaces.facade import Workspace
from mabos.interfaces.surfaces.brief import Brief
from mabos.interfaces.surfaces.door import Door
from mabos.interfaces.surfaces.mcp import describe_tool, mcp_server
from mabos.mind.forms import MIND_FILES
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.runtime.services import Services
from tests import warm
from tests.interfaces.command_line import mabos
from tests.interfaces.surfaces.offices import copied
from tests.interfaces.surfaces.servers import serving, surroundings
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
    assert {one.name: one.title for one in tools}["ldg_task_get"] == "Ledger task get"
    assert all(name.replace("_", "").replace("-", "").isalnum() and len(name) <= 64 for name in names)


def test_hints_follow_from_the_declaration() -> None:
    def hints(tool: Tool) -> tuple[Any, ...]:
        told = describe_tool(tool).annotations
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
    (lines,) = answer.content
    item, *_ = answer.structured_content["result"]["items"]
    assert "depth: 0) — Runway is nine months" in lines.text
    assert item["id"] in lines.text
    assert item["content"] == "Runway is nine months"


def test_an_answer_is_small_and_counts_what_it_leaves_out(services: Services) -> None:
    cfo = Workspace(services).agent("cfo")
    for week in range(12):
        cfo.memory.store(f"The bank asked for a runway plan in week {week}", type="fact", importance=0.8, tags=["bank"])
    given = {"query": "runway", "limit": 10, "agent_id": "cfo"}

    def size(server: Any) -> int:
        answer = asked(server, lambda client: client.call_tool("memory_recall", given))
        return len(answer.model_dump_json(by_alias=True, exclude_none=True))

    assert size(own(services)) < 6_000
    cut = asked(mcp_server(Door(services), Brief(limit=1_000)), lambda client: client.call_tool("memory_recall", given))
    result = cut.structured_content["result"]
    assert len(json.dumps(result)) < 1_100
    assert result["left_out"]["items"] == 10 - len(result["items"]) > 0
    assert "more characters" in cut.content[0].text
    whole = asked(mcp_server(Door(services), Brief(details=True)), lambda client: client.call_tool("belief_get", given))
    assert whole.structured_content["error"]["argument"] == "query"


def test_a_server_offers_the_groups_that_are_asked_for_and_nothing_else(services: Services) -> None:
    door = Door.of(services, groups=["memory", "knowledge", "fact_*"])

    async def question(client: Any) -> Any:
        names = {one.name for one in (await client.list_tools()).tools}
        return names, await client.call_tool("memory_recall", {"query": "runway", "agent_id": "cfo"})

    names, answer = asked(mcp_server(door), question)
    assert {"memory_recall", "knowledge", "knowledge_infer", "fact_query"} <= names
    assert not names & {"ask_agent", "email_send", "belief_get"}
    assert answer.structured_content["ok"] is True
    with pytest.raises(MCPError, match="'belief_get' is not offered here, only memory, knowledge"):
        asked(mcp_server(door), lambda client: client.call_tool("belief_get", {"agent_id": "cfo"}))
    refused = asked(mcp_server(door), lambda client: client.call_tool("ask_agent", {"message": "Pay the rent"}))
    assert refused.structured_content["error"]["code"] == "refused"
    assert services.inbox("cfo").messages() == ()
    with pytest.raises(UnknownId, match="no tool or group of tools 'knowlege'; did you mean 'knowledge'"):
        Door.of(services, groups=["knowlege"])
    with pytest.raises(UnknownId, match="no tool or group of tools 'xyzzy'; the groups are agent-bus, bdi-core"):
        Door.of(services, groups=["memory", "xyzzy"])
    with pytest.raises(Refused, match="ask_agent is for a person"):
        Door.of(services, "cfo", groups=["ask_agent", "memory"])
    with pytest.raises(Refused, match="'cfo' may not use a tool called 'ldg_task_save'"):
        Door.of(services, "cfo", groups=["ldg_task_save"])


def test_prompts_are_offered_with_their_tools_and_filled_with_records(services: Services) -> None:
    async def question(client: Any) -> Any:
        listed = [one.name for one in (await client.list_prompts()).prompts]
        given = {"agent_id": "cfo", "topic": "our runway"}
        text = (await client.get_prompt("recall", given)).messages[0].content.text
        ref = PromptReference(name="recall")
        completed = (await client.complete(ref, {"name": "agent_id", "value": "c"})).completion.values
        return listed, text, completed

    listed, text, completed = asked(own(services), question)
    assert listed == ["standing", "decide", "ask", "recall"]
    assert "our runway" in text
    assert "memory_recall of cfo" in text
    assert {"cfo", "cmo", "ceo"} <= set(completed)
    (only,) = asked(own(services, "cfo"), lambda client: client.list_prompts()).prompts
    assert only.name == "recall"
    with pytest.raises(MCPError, match="no agent 'cof'"):
        asked(own(services), lambda client: client.get_prompt("recall", {"agent_id": "cof", "topic": "x"}))
    with pytest.raises(MCPError, match="needs 'topic'"):
        asked(own(services), lambda client: client.get_prompt("recall", {"agent_id": "cfo"}))


def test_a_cancelled_request_ends_the_work_at_its_next_phase_and_loses_nothing(services: Services) -> None:
    begun = list[str]()

    async def ask() -> None:
        async with Client(own(services)) as client:
            with anyio.CancelScope() as scope:

                async def progress(progress: float, total: float | None, message: str | None) -> None:
                    begun.append(message or "")
                    scope.cancel()

                given = {"agent_id": "cfo", "message": "What is our cash?"}
                await client.call_tool("ask_agent", given, progress_callback=progress)
            assert scope.cancelled_caught

    asyncio.run(ask())
    assert begun[0] == "cfo: perceive"
    assert services.inbox("stakeholder").messages() == ()
    (message,) = [one for one in services.inbox("cfo").messages() if one.sender == "stakeholder"]
    assert Workspace(services).agent("cfo").run().reply
    assert [one.reply_to for one in services.inbox("stakeholder").messages()] == [message.id]


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
        ("mabos://knowledge/a/b/c", "unknown knowledge resource"),
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
    words = ["--workspace", str(root), "mcp", "--agent", "cfo", "--tools", "memory,belief_get"]
    server = StdioServerParameters(command=warm.mabos()[0], args=words, env=surroundings())

    async def question(client: Any) -> tuple[Any, Any]:
        assert len((await client.list_tools()).tools) == 8
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
    command = ("--", *warm.mabos(), "--workspace", str(root), "mcp", "--agent", "cfo")
    words = ("--method", "tools/call", "--tool-name", "memory_recall", "--tool-arg", "query=runway")
    answer = inspected(*server, *words, *command, cwd=inspector)
    assert json.loads(answer.stdout)["structuredContent"]["ok"] is True, answer.stderr
