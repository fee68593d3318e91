"""A chat model behind one small protocol: absent, scripted, forbidden, or any OpenAI-compatible endpoint."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol, TypedDict, Unpack

from mabos.configs.errors import MabosError, Unavailable

LOG = logging.getLogger(__name__)
MAX_TOKENS: Final = 800


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool that a model may use; `parameters` is the JSON Schema of its arguments, an object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call requested by a model.

    `invalid` is empty, or says why the arguments cannot be read and quotes them; `arguments` is then empty. The caller
    answers with a tool turn that holds the reason, and runs nothing.
    """

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    invalid: str = ""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A turn of a conversation with a model.

    An assistant turn may ask for `tool_uses`; one turn of role "tool" per use follows it, with the result as `content`
    and the id of the use as `tool_use_id`. `native` is JSON that the provider expects back with its own turn, for
    example signatures of its thoughts; only the provider reads it.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_uses: tuple[ToolUse, ...] = ()
    tool_use_id: str = ""
    native: Mapping[str, Any] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Return the size of the turn in characters, with the arguments of its tool uses."""
        return len(self.content) + sum(len(use.name) + len(json.dumps(dict(use.arguments))) for use in self.tool_uses)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and dollars of one call; `usd` is 0 if prices are unknown.

    Of the input, `cached_tokens` were read from the provider's cache and `cache_write_tokens` were written to it.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    cached_tokens: int = 0
    cache_write_tokens: int = 0

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer: `text` always, `data` if a schema was given and the text is a JSON object.

    `tool_uses` are the requested tool calls; several may run in parallel. `seconds` is the duration of the call, if a
    better source than the wall clock knows it.
    """

    text: str
    data: Mapping[str, Any] | None = None
    usage: Usage = field(default_factory=Usage)
    cut_short: bool = False
    seconds: float | None = None
    tool_uses: tuple[ToolUse, ...] = ()
    native: Mapping[str, Any] = field(default_factory=dict)

    @property
    def turn(self) -> ChatMessage:
        """Return the answer as the assistant turn that continues the conversation."""
        return ChatMessage("assistant", self.text, self.tool_uses, native=self.native)


OnText = Callable[[str], None]
"""Called with each piece of an answer's text as it arrives."""


class CallOptions(TypedDict, total=False):
    """The options of `ChatModel.complete`, for models that pass them on."""

    schema: Mapping[str, Any] | None
    max_tokens: int
    tag: str
    tools: Sequence[ToolSpec]
    on_text: OnText | None


class ChatModel(Protocol):
    """A model that answers a conversation."""

    @property
    def name(self) -> str:
        """The display name of the model; "" without a model."""

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = MAX_TOKENS,
        tag: str = "",
        tools: Sequence[ToolSpec] = (),
        on_text: OnText | None = None,
    ) -> Completion:
        """Return an answer of at most `max_tokens`, as JSON of `schema` if one is given.

        With `tools` it may ask for tool uses instead. `on_text` receives pieces of the text as they arrive, even from
        an incomplete answer. `tag` names the purpose of the call. Raises `Unavailable` when the model cannot be reached
        or is absent.
        """


class NotAsked(Unavailable):
    """A call that was skipped because the endpoint had just failed: it used nothing."""

    code = "not_asked"


class NoModel:
    """The absence of a model: agents run on formulas, rules, cases and plans, and log it once."""

    name = ""
    advice = (
        "no chat model is configured; agents run on formulas, rules, cases and plans. "
        "Set OPENAI_API_KEY or OPENAI_BASE_URL, or models.active in mabos.yaml"
    )

    def __init__(self) -> None:
        self._said = False

    def complete(self, messages: Sequence[ChatMessage], **_: Unpack[CallOptions]) -> Completion:  # noqa: ARG002 - as above
        """Raise `Unavailable`; the first time, log it as a notice."""
        if not self._said:
            self._said = True
            LOG.warning(self.advice)
        raise Unavailable(self.advice)


class ForbiddenModelCall(MabosError):
    """A model was called where no call is allowed: a defect of the caller, so nothing degrades around it."""

    code = "model_forbidden"


class ForbiddenModel:
    """A model that makes any call an error, for runs and tests that must not depend on one."""

    name = "forbidden"

    def complete(self, messages: Sequence[ChatMessage], **options: Unpack[CallOptions]) -> Completion:
        """Raise `ForbiddenModelCall`, quoting the call."""
        last = messages[-1].content[:80] if messages else ""
        raise ForbiddenModelCall(
            f"model calls are forbidden (MABOS_FORBID_MODEL), yet {options.get('tag') or 'a call'} asked: {last!r}"
        )


NOT_ASKED = frozenset({NoModel.name, ForbiddenModel.name})
"""The names of models that are not there to be asked: what can do without one does."""

Reply = str | Mapping[str, Any] | Completion | ToolUse | Sequence[ToolUse] | Exception


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A call that a `ScriptedModel` received."""

    messages: tuple[ChatMessage, ...]
    schema: Mapping[str, Any] | None
    max_tokens: int
    tag: str
    tools: tuple[ToolSpec, ...] = ()


class ScriptedModel:
    """A model that answers from a script and records the calls.

    `replies` is a list, used in order, or a function of the call. A mapping is returned as JSON, tool uses without
    text, and an exception is raised. Text is streamed line by line.

        model = ScriptedModel(["Hello", {"sure": 0.9}])
        model.complete([ChatMessage("user", "Hi")]).text    # "Hello"
    """

    def __init__(self, replies: Iterable[Reply] | Callable[[ScriptedCall], Reply], *, name: str = "scripted") -> None:
        self.name = name
        self.calls: list[ScriptedCall] = []
        self._answer = replies if callable(replies) else _in_order(list(replies))

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 800,
        tag: str = "",
        tools: Sequence[ToolSpec] = (),
        on_text: OnText | None = None,
    ) -> Completion:
        """Return the next reply of the script; raises `Unavailable` when it has ended."""
        call = ScriptedCall(tuple(messages), schema, max_tokens, tag, tuple(tools))
        self.calls.append(call)
        reply = self._answer(call)
        if isinstance(reply, Exception):
            raise reply
        answer = reply if isinstance(reply, Completion) else _build_completion(reply, call)
        if on_text is not None:
            for piece in answer.text.splitlines(keepends=True):
                on_text(piece)
        return answer


def _build_completion(reply: str | Mapping[str, Any] | ToolUse | Sequence[ToolUse], call: ScriptedCall) -> Completion:
    if isinstance(reply, str):
        text, uses = reply, tuple[ToolUse, ...]()
    elif isinstance(reply, Mapping):
        text, uses = json.dumps(reply, ensure_ascii=False), ()
    else:
        text, uses = "", (reply,) if isinstance(reply, ToolUse) else tuple(reply)
    answer = ChatMessage("assistant", text, uses)
    usage = Usage(estimated_request(call.messages, call.tools), estimate_tokens(answer.size))
    return Completion(text, json_object(text) if call.schema else None, usage, tool_uses=uses)


def _in_order(replies: list[Reply]) -> Callable[[ScriptedCall], Reply]:
    left = iter(replies)

    def answer(call: ScriptedCall) -> Reply:
        ended = Unavailable(f"the script of {len(replies)} replies has ended at call {call.tag!r}")
        return next(left, ended)

    return answer


def json_object(text: str) -> Mapping[str, Any] | None:
    """Return the JSON object in `text`, also inside a Markdown fence, or None; NaN and infinity are not JSON."""
    bare = text.strip()
    if bare.startswith("```"):
        bare = bare.partition("\n")[2].rpartition("```")[0]
    try:
        found = json.loads(bare, parse_constant=_refuse)
    except (ValueError, RecursionError):  # a model that has lost its way opens brackets for as long as it may
        return None
    return found if isinstance(found, dict) else None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON number")


def estimate_tokens(characters: int) -> int:
    """Estimate the tokens of this many characters; an exact count would need the model's own table."""
    return -(-characters // 4)


def estimated_request(messages: Sequence[ChatMessage], tools: Sequence[ToolSpec] = ()) -> int:
    """Estimate the tokens of a conversation and of the tools shown with it."""
    shown = (len(tool.name) + len(tool.description) + len(json.dumps(tool.parameters)) for tool in tools)
    return estimate_tokens(sum(message.size for message in messages) + sum(shown))
