"""The catalogue as an MCP server: tools with hints, structured answers, resources to read, and prompts.

It uses the official SDK's low-level `Server`, since the tools have their own schemas. Calls run in threads. An answer
is text for the model, and the envelope of `mabos call` as structured content, which omits the text's content and is
limited to a size that a model can read (`brief.py`).
"""

import re
from collections.abc import Callable, Mapping
from contextlib import aclosing
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypeVar

import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.types import ASGIApp

from mabos.configs.errors import MabosError
from mabos.interfaces.chat.events import ChatReply, PhaseEvent, ToolEvent
from mabos.interfaces.surfaces import prompts, resources
from mabos.interfaces.surfaces.brief import Brief
from mabos.interfaces.surfaces.conversation import addressee, turn
from mabos.interfaces.surfaces.door import CONVERSATION, Door, build_failure, plain_name
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.gate.call import Outcome

_T = TypeVar("_T")
_Context = ServerRequestContext[Any]
_SPELLED = {
    **{word: word.upper() for word in ("bdi", "bpmn", "crm", "htn", "seo")},
    "ldg": "ledger",
    "mem": "memory",
    "msg": "message",
}
_INSTRUCTIONS = {
    "person": "MABOS runs a company of agents with beliefs, goals and plans. You act for its owner: name in `agent_id` "
    "the agent whose mind or memory a tool works on. What needs approval waits, and says which decision must be taken.",
    "agent": "MABOS runs a company of agents with beliefs, goals and plans. You act as the agent {agent!r} and may "
    "name only yourself. What needs approval waits for a person, and says which decision must be taken.",
}


def mcp_server(door: Door, brief: Brief | None = None) -> "Server[Any]":
    """Return the server for the tools behind `door`, with answers shortened by `brief`."""
    shorten = brief or Brief()

    async def list_tools(_: _Context, __: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        tools = await run_sync(lambda: [describe_tool(tool) for tool in door.tools])
        return types.ListToolsResult(tools=[*([ASK_AGENT] if door.talks else []), *tools])

    async def call_tool(context: _Context, asked: types.CallToolRequestParams) -> types.CallToolResult:
        if asked.name == CONVERSATION:
            return _result(await _ask_agent(door, context, asked.arguments or {}), shorten)

        def work() -> Outcome:
            return door.call(door.tool(asked.name).name, asked.arguments or {})

        return _result(await _run_work(work), shorten)  # only an unknown tool is an error of the protocol

    async def list_resources(_: _Context, __: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        found = await _run_work(lambda: resources.collect_resources(door))
        return types.ListResourcesResult(resources=[types.Resource(**one.as_fields("uri")) for one in found])

    async def list_templates(_: _Context, __: types.PaginatedRequestParams | None) -> types.ListResourceTemplatesResult:
        found = [types.ResourceTemplate(**one.as_fields("uri_template")) for one in resources.TEMPLATES]
        return types.ListResourceTemplatesResult(resource_templates=found)

    async def read_resource(_: _Context, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        kind, text = await _run_work(lambda: resources.read(door, str(asked.uri)))
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=asked.uri, mime_type=kind, text=text)])

    async def list_prompts(_: _Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_prompt(one) for one in await run_sync(prompts.select_prompts, door)])

    async def get_prompt(_: _Context, asked: types.GetPromptRequestParams) -> types.GetPromptResult:
        prompt, text = await _run_work(lambda: prompts.fill_prompt(door, asked.name, asked.arguments or {}))
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=prompt.description, messages=[message])

    async def complete(_: _Context, asked: types.CompleteRequestParams) -> types.CompleteResult:
        words = await run_sync(prompts.completions, door, asked.argument.name, asked.argument.value)
        return types.CompleteResult(completion=types.Completion(values=words[:100], total=len(words)))

    return Server(
        "mabos",
        version=_version(),
        title="MABOS",
        instructions=_INSTRUCTIONS[door.caller.kind].format(agent=door.caller.agent_id),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
    )


_ANSWER_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}, "result": {"type": "object"}, "error": {"type": "object"}},
    "required": ["ok"],
}
"""The schema of every tool's answer; it is sent with each tool, so it is short."""
ASK_AGENT = types.Tool(
    name=CONVERSATION,
    title="Ask an agent",
    description="Say something to an agent in plain words, an order, a question, a correction, and get its reply with "
    "its sources. The agent works until the reply is there; what needs the owner's approval is listed in `waits`. "
    "Progress tells each phase and call. A cancelled request ends the work at its next phase.",
    input_schema={
        "type": "object",
        "properties": {
            "message": {"type": "string", "minLength": 1, "description": "What to say, as a person would."},
            "agent_id": {"type": "string", "description": "Who is asked, as cfo. Left out: the agent it concerns."},
            "business_id": {"type": "string", "description": "The company, where there are several."},
        },
        "required": ["message"],
        "additionalProperties": False,
    },
    output_schema=dict(_ANSWER_SCHEMA),
    annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=True, open_world_hint=True),
)
"""A conversation with an agent; it is not an operation of the catalogue, since it runs cycles."""


async def _ask_agent(door: Door, context: _Context, arguments: Mapping[str, Any]) -> Outcome:
    """Return the reply of an agent; the client receives every phase and call before it."""
    try:
        to = await run_sync(lambda: addressee(door, arguments))
        reply: ChatReply | None = None
        async with aclosing(turn(door, to)) as events:  # type: ignore[type-var]  # a generator
            number = 0
            async for event in events:
                if isinstance(event, ChatReply):
                    reply = event
                elif isinstance(event, PhaseEvent | ToolEvent):
                    number += 1
                    said = event.phase if isinstance(event, PhaseEvent) else f"{event.tool} {event.status}"
                    await context.session.report_progress(number, message=f"{event.agent_id}: {said}")
    except MabosError as error:
        return build_failure(error)
    assert reply is not None  # noqa: S101 - a stream that raises nothing ends with it
    waits = "".join(f"\n{one.decision_id} waits for the owner: {one.subject}" for one in reply.waits)
    text = "\n".join([*reply.news, *filter(None, [reply.text])]) or "There is no answer yet."
    return Outcome({**reply.as_json(), "answer": reply.text, "text": f"{text}{waits}"})


def describe_tool(tool: Tool) -> types.Tool:
    """Return a tool in MCP's format.

    Only declared properties become hints: a final tool is destructive, one with effects outside the company is
    open-world. A tool that writes is never called idempotent, since two requests are two actions here; repetition after
    a crash is handled by effect keys.
    """
    hints = types.ToolAnnotations(
        read_only_hint=not tool.writes,
        destructive_hint=tool.writes and not tool.reversible,
        idempotent_hint=not tool.writes,
        open_world_hint=tool.external,
    )
    return types.Tool(
        name=plain_name(tool),
        title=title_of(tool),
        description=tool.summary,
        input_schema=dict(tool.schema),
        output_schema=dict(_ANSWER_SCHEMA),
        annotations=hints,
    )


def title_of(tool: Tool) -> str:
    """Return a tool's name for people.

    >>> from mabos.tools.catalogue.registry import registry
    >>> [title_of(registry().tool(name)) for name in ("memory_recall", "bpmn_add_lane", "ldg:task:get")]
    ['Memory recall', 'BPMN add lane', 'Ledger task get']
    """
    words = [_SPELLED.get(word, word) for word in re.split(r"[_:]", tool.name)]
    return words[0][:1].upper() + " ".join(words)[1:]


async def over_stdio(server: "Server[Any]") -> None:
    """Serve one client over standard input and output until it disconnects."""
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


def over_http(server: "Server[Any]") -> ASGIApp:
    """Return the application that serves streamable HTTP at /mcp; its guard controls access."""
    return server.streamable_http_app(
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False)
    )


def _result(outcome: Outcome, brief: Brief) -> types.CallToolResult:
    """Return an answer: text to read, and its structure."""
    text, answer = brief.answer(outcome)
    content: list[Any] = [types.TextContent(type="text", text=text)]
    return types.CallToolResult(content=content, structured_content=answer, is_error=not outcome.ok)


def _prompt(prompt: prompts.Prompt) -> types.Prompt:
    arguments = [types.PromptArgument(name=name, description=note) for name, note in prompt.arguments.items()]
    return types.Prompt(name=prompt.name, title=prompt.title, description=prompt.description, arguments=arguments)


async def _run_work(work: Callable[[], _T]) -> _T:
    """Return the result of `work`, done in a thread; an error of MABOS becomes an error of the protocol."""
    try:
        return await run_sync(work)
    except MabosError as error:
        told = {"code": error.code, "argument": error.argument}
        raise MCPError(types.INVALID_PARAMS, error.message, told) from error


def _version() -> str:
    try:
        return version("mabos")
    except PackageNotFoundError:
        return ""
