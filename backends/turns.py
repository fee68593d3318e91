"""Turns of a conversation as LangChain's messages, and its answers as completions.

A tool use is only passed on where its whole arguments are a JSON object: half of an order is no order.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mabos.backends.chat import ChatMessage, ToolSpec, ToolUse, Usage, estimated, estimated_request, json_object

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

_SHOWN = 400  # characters of arguments that cannot be read
_CUT_OFF = "the answer was cut off before this call was complete; repeat it, or make it shorter"


def langchain_messages(turns: Iterable[ChatMessage]) -> "list[BaseMessage]":
    """Return a conversation as LangChain's messages."""
    return [_message(turn) for turn in turns]


def _message(turn: ChatMessage) -> "BaseMessage":
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

    if turn.role == "system":
        return SystemMessage(turn.content)
    if turn.role == "tool":
        return ToolMessage(turn.content, tool_call_id=turn.tool_use_id)
    if turn.role == "user":
        return HumanMessage(turn.content)
    calls = [{"id": use.id, "name": use.name, "args": dict(use.arguments)} for use in turn.tool_uses]
    return AIMessage(turn.content, tool_calls=calls)


def langchain_tool(tool: ToolSpec) -> dict[str, Any]:
    """Return a tool in the form that every `bind_tools` reads."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def text_of(message: "BaseMessage") -> str:
    """Return the text of a message, or of a piece of one, without what is no text."""
    text: Any = message.text
    return text if isinstance(text, str) else text()  # a method in older versions


def uses_of(answer: "AIMessage", *, cut_short: bool = False) -> tuple[ToolUse, ...]:
    """Return the tool uses of an answer in their order; what cannot be read whole is marked as invalid."""
    pieces = getattr(answer, "tool_call_chunks", None)
    if pieces:  # what LangChain makes of them completes a broken object by guess
        uses = [_use(piece, _raw(piece)) for piece in pieces]
    else:
        uses = [_use(call, json.dumps(call["args"])) for call in answer.tool_calls]
        uses += [_use(call, _raw(call) or "nothing") for call in answer.invalid_tool_calls]
    if cut_short and uses and not uses[-1].invalid:
        uses[-1] = ToolUse(uses[-1].id, uses[-1].name, {}, _CUT_OFF)
    return tuple(uses)


def _raw(call: Mapping[str, Any]) -> str:
    return str(call.get("args") or "")


def _use(call: Mapping[str, Any], raw: str) -> ToolUse:
    identity, name = call.get("id") or f"call-{call.get('index') or 0}-{call.get('name')}", call.get("name") or ""
    arguments = {} if raw in ("", "null") else json_object(raw)
    if arguments is None:
        return ToolUse(identity, name, {}, f"the arguments are not one whole JSON object: {raw[:_SHOWN]}")
    return ToolUse(identity, name, arguments)


def usage_of(answer: "AIMessage", turns: Sequence[ChatMessage], tools: Sequence[ToolSpec], said: int) -> Usage:
    """Return the tokens of a call; estimated where the endpoint does not count, so that a budget still holds."""
    counted = answer.usage_metadata
    if not counted:
        return Usage(estimated_request(turns, tools), estimated(said))
    return Usage(counted["input_tokens"], counted["output_tokens"])
