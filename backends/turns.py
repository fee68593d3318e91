"""Turns of a conversation as LangChain messages, and LangChain's answers as completions.

A tool use is passed on only if its arguments are a complete JSON object.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mabos.backends.chat import (
    ChatMessage,
    Completion,
    ToolSpec,
    ToolUse,
    Usage,
    estimate_tokens,
    estimated_request,
    json_object,
)

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage, BaseMessage

_SHOWN = 400  # characters of arguments that cannot be read
_CUT_OFF = "the answer was cut off before this call was complete; repeat it, or make it shorter"
_PLAIN = frozenset({"text", "tool_use", "tool_call", "tool_call_chunk", "function_call", "input_json_delta"})
"""Kinds of content that a turn holds as text and tool uses; any other kind goes back as it came."""
_SIGNATURES = "__gemini_function_call_thought_signatures__"
_WHOLE = frozenset({"stop", "end_turn", "stop_sequence", "tool_calls", "tool_use", "function_call", "eos"})
_CUT = frozenset({"length", "max_tokens", "model_length", "model_context_window_exceeded"})
_CACHE_WRITES = ("cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
_REASONS = ("finish_reason", "stop_reason", "done_reason")


def langchain_messages(turns: Iterable[ChatMessage], kind: str = "") -> "list[BaseMessage]":
    """Return a conversation as LangChain messages for a model of a `kind`, with a single system message at the start.

    Most providers refuse a second or later one.
    """
    from langchain_core.messages import SystemMessage

    given = list(turns)
    system = "\n\n".join(turn.content for turn in given if turn.role == "system" and turn.content)
    messages = [_message(turn, kind) for turn in given if turn.role != "system"]
    return [SystemMessage(system), *messages] if system else messages


def _message(turn: ChatMessage, kind: str) -> "BaseMessage":
    from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

    if turn.role == "tool":
        return ToolMessage(turn.content, tool_call_id=turn.tool_use_id)
    if turn.role == "user":
        return HumanMessage(turn.content)
    calls: Any = [{"id": use.id, "name": use.name, "args": dict(use.arguments)} for use in turn.tool_uses]
    if turn.native.get("kind") != kind:
        return AIMessage(turn.content, tool_calls=calls)
    text = json.dumps(turn.native)
    for use, was in zip(turn.tool_uses, turn.native.get("ids", ()), strict=False):
        text = text.replace(json.dumps(was), json.dumps(use.id))
    native = json.loads(text)
    said: Any = [*native["content"], {"type": "text", "text": turn.content}] if turn.content else native["content"]
    return AIMessage(said or turn.content, tool_calls=calls, additional_kwargs=native["extra"])


def native_of(answer: "AIMessage", kind: str) -> dict[str, Any]:
    """Return the data that the provider expects back with an answer, like signed thoughts, as JSON; empty if none."""
    blocks = answer.content if isinstance(answer.content, list) else []
    kept = [one for one in blocks if isinstance(one, dict) and one.get("type") not in _PLAIN]
    extra = {name: value for name, value in answer.additional_kwargs.items() if name == _SIGNATURES}
    if not kept and not extra:
        return {}
    native = {"kind": kind, "content": kept, "extra": extra, "ids": [call["id"] for call in answer.tool_calls]}
    try:
        return dict(json.loads(json.dumps(native)))
    except (TypeError, ValueError):  # bytes of a picture, which no turn of ours asks for
        return {}


def langchain_tool(tool: ToolSpec) -> dict[str, Any]:
    """Return a tool in the form that every `bind_tools` accepts."""
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}


def in_words(turns: "Sequence[BaseMessage]", schema: Mapping[str, Any]) -> "list[BaseMessage]":
    """Return a conversation whose last turn asks for JSON of a schema; consecutive user turns are joined."""
    from langchain_core.messages import HumanMessage

    asked = f"Answer with one JSON object of this schema and nothing else: {json.dumps(schema)}"
    if turns and isinstance(turns[-1], HumanMessage):
        return [*turns[:-1], HumanMessage(f"{turns[-1].content}\n\n{asked}")]
    return [*turns, HumanMessage(asked)]


def text_of(message: "BaseMessage") -> str:
    """Return the text of a message or a part of one, without other content."""
    text: Any = message.text
    return text if isinstance(text, str) else text()  # a method in older versions


def completion_of(
    answer: "AIMessage",
    turns: Sequence[ChatMessage],
    tools: Sequence[ToolSpec],
    *,
    kind: str,
    wants_data: bool,
    data: Mapping[str, Any] | None = None,
) -> Completion:
    """Return an answer as a completion; `data`, if given, is the answer, and no tool is used."""
    cut_short = _is_cut(answer, is_known=bool(kind))
    text, uses = text_of(answer), uses_of(answer, cut_short=cut_short)
    if data is not None:
        text, uses = text or json.dumps(data, ensure_ascii=False), ()
    said = ChatMessage("assistant", text, uses).size
    if wants_data and data is None and not uses:
        data = json_object(text)
    usage = usage_of(answer, turns, tools, said)
    native = {} if any(use.invalid for use in uses) else native_of(answer, kind)
    return Completion(text, data, usage, cut_short=cut_short, tool_uses=uses, native=native)


def _is_cut(answer: "AIMessage", *, is_known: bool) -> bool:
    """Return whether an answer is incomplete: without a reason for its end, the server was lost.

    An unknown kind of model may never give a reason, so only an explicit reason counts there.
    """
    reasons = [answer.response_metadata.get(name) for name in _REASONS]
    reason = next((str(one).lower() for one in reasons if one), "")
    # Several pieces of one stream may each give the reason, and are joined as text.
    if is_known:
        return not any(reason and not reason.replace(one, "") for one in _WHOLE)
    return reason in _CUT


def uses_of(answer: "AIMessage", *, cut_short: bool = False) -> tuple[ToolUse, ...]:
    """Return the tool uses of an answer in their order; an incomplete one is marked as invalid."""
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
        return ToolUse(identity, name, {}, invalid_arguments(raw))
    return ToolUse(identity, name, arguments)


def invalid_arguments(raw: str) -> str:
    """Return the error for incomplete arguments."""
    return f"the arguments are not one whole JSON object: {raw[:_SHOWN]}"


def usage_of(answer: "AIMessage", turns: Sequence[ChatMessage], tools: Sequence[ToolSpec], said: int) -> Usage:
    """Return the tokens of a call, estimated if the endpoint does not count, so that budgets still apply."""
    counted: Any = answer.usage_metadata
    if not counted:
        return Usage(estimated_request(turns, tools), estimate_tokens(said))
    parts = counted.get("input_token_details") or {}
    cached, written = parts.get("cache_read") or 0, sum(parts.get(name) or 0 for name in _CACHE_WRITES)
    asked = counted["input_tokens"] or estimated_request(turns, tools)  # some count it only where they do not stream
    return Usage(asked, counted["output_tokens"], cached_tokens=cached, cache_write_tokens=written)
