"""A chat model behind one small protocol: absent, scripted, forbidden, or any OpenAI-compatible endpoint."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from mabos.configs.errors import MabosError, Unavailable

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One turn of a conversation with a model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Usage:
    """What one call took; `usd` is 0 where prices are not known."""

    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer: `text` always, `data` where a schema was asked for and the text is a JSON object.

    `seconds` is how long it took, where that is known better than by waiting for it.
    """

    text: str
    data: Mapping[str, Any] | None = None
    usage: Usage = field(default_factory=Usage)
    cut_short: bool = False
    seconds: float | None = None


class ChatModel(Protocol):
    """Anything that answers a conversation."""

    @property
    def name(self) -> str:
        """What people call the model; "" where there is none."""

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 800,
        tag: str = "",
    ) -> Completion:
        """Return an answer of at most `max_tokens`, as JSON of `schema` if one is given.

        `tag` says what the call is for. Raises `Unavailable` when the model cannot be reached or is absent.
        """


class NotAsked(Unavailable):
    """A call that was not made, since it could not be a moment ago: nothing was used up."""

    code = "not_asked"


class NoModel:
    """No model: agents run on formulas, rules, cases and plans, and are told once what is missing."""

    name = ""
    advice = (
        "no chat model is configured; agents run on formulas, rules, cases and plans. "
        "Set OPENAI_API_KEY or OPENAI_BASE_URL, or models.active in mabos.yaml"
    )

    def __init__(self) -> None:
        self._said = False

    def complete(
        self,
        messages: Sequence[ChatMessage],  # noqa: ARG002 - the protocol's
        *,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - the protocol's
        max_tokens: int = 800,  # noqa: ARG002 - the protocol's
        tag: str = "",  # noqa: ARG002 - the protocol's
    ) -> Completion:
        """Raise `Unavailable`; the first time it is also logged, as a notice."""
        if not self._said:
            self._said = True
            LOG.warning(self.advice)
        raise Unavailable(self.advice)


class ForbiddenModelCall(MabosError):
    """A model was called where no call is allowed: a defect of the caller, so nothing degrades around it."""

    code = "model_forbidden"


class ForbiddenModel:
    """A model that makes any call an error: for runs and tests that must not depend on one."""

    name = "forbidden"

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,  # noqa: ARG002 - the protocol's
        max_tokens: int = 800,  # noqa: ARG002 - the protocol's
        tag: str = "",
    ) -> Completion:
        """Raise `ForbiddenModelCall` that quotes the call."""
        last = messages[-1].content[:80] if messages else ""
        raise ForbiddenModelCall(
            f"model calls are forbidden (MABOS_FORBID_MODEL), yet {tag or 'a call'} asked: {last!r}"
        )


NOT_ASKED = frozenset({NoModel.name, ForbiddenModel.name})
"""The names of models that are not there to be asked: what can do without one does."""

Reply = str | Mapping[str, Any] | Completion | Exception


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """One call that a `ScriptedModel` received."""

    messages: tuple[ChatMessage, ...]
    schema: Mapping[str, Any] | None
    max_tokens: int
    tag: str


class ScriptedModel:
    """A model that answers from a script and remembers what it was asked.

    `replies` is a list, used up in order, or a function of the call. A mapping is answered as its JSON, an exception
    is raised.

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
    ) -> Completion:
        """Return the next reply of the script; raises `Unavailable` when it has ended."""
        call = ScriptedCall(tuple(messages), schema, max_tokens, tag)
        self.calls.append(call)
        reply = self._answer(call)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, Completion):
            return reply
        text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
        asked = sum(len(message.content) for message in messages)
        return Completion(text, json_object(text) if schema else None, Usage(estimated(asked), estimated(len(text))))


def _in_order(replies: list[Reply]) -> Callable[[ScriptedCall], Reply]:
    left = iter(replies)

    def answer(call: ScriptedCall) -> Reply:
        ended = Unavailable(f"the script of {len(replies)} replies has ended at call {call.tag!r}")
        return next(left, ended)

    return answer


def json_object(text: str) -> Mapping[str, Any] | None:
    """Return the JSON object that `text` is, also inside a Markdown fence, or None; NaN and infinity are not JSON."""
    bare = text.strip()
    if bare.startswith("```"):
        bare = bare.partition("\n")[2].rpartition("```")[0]
    try:
        found = json.loads(bare, parse_constant=_refuse)
    except (ValueError, RecursionError):  # a model that has lost its way opens brackets for as long as it may
        return None
    return found if isinstance(found, dict) else None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")


def estimated(characters: int) -> int:
    """Return about how many tokens so many characters are; a real count would need the model's own table."""
    return -(-characters // 4)
