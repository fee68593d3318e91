"""An adapter for any LangChain chat model: its tools, structured output, usage, streaming, errors and limits."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from mabos.backends.chat import ChatMessage, Completion, OnText, ToolSpec, ToolUse
from mabos.backends.endpoint import ModelPlace, Reach, TooLong, errors, fault_of, pause_before_retry
from mabos.backends.turns import completion_of, in_words, invalid_arguments, langchain_messages, langchain_tool, text_of
from mabos.configs.errors import MabosError
from mabos.configs.models import ModelProfile

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage
    from langchain_core.runnables import Runnable

_OPENAI_KINDS = ("openai-chat", "azure-openai-chat")
_NO_STREAM = "No generation chunks were returned"
"""LangChain's message if a streamed answer has no events."""
_KNOWN_KINDS = (*_OPENAI_KINDS, "anthropic-chat", "chat-google-generative-ai", "chat-ollama", "openrouter-chat")
"""Models that say why each answer ends."""
_LIMITS = ("num_predict", "max_output_tokens", "max_tokens", "max_completion_tokens", "max_new_tokens")
"""The packages' names for the limit of an answer, the most specific first."""
_WITHOUT_SCHEMAS = ("response_format", "response_schema", "json_schema", "grammar", "output_config", "tool_choice")
"""Words by which an endpoint says that it cannot hold an answer to a schema."""


class LangChainModel:
    """A LangChain chat model as a `ChatModel`; `build` is called at the first request.

    A model without schema support gets the schema in words from then on; the answer is still validated. A failed call
    is retried as its endpoint allows, unless text has already arrived. `limit_in_body` sends the answer's limit as
    `max_tokens` in the body, as most servers with OpenAI's protocol expect. If one refuses that name, the client's own
    is used instead.
    """

    def __init__(
        self,
        build: "Callable[[], BaseChatModel]",
        profile: ModelProfile,
        place: ModelPlace,
        *,
        limit_in_body: bool = False,
    ) -> None:
        self.profile = profile
        self._build = build
        self._place = place
        self._reach = Reach(place)
        self._limit_in_body = limit_in_body
        self._has_turned = False
        self._takes_schemas = True
        self._streams = True

    @property
    def name(self) -> str:
        """The provider's name for the model."""
        return self._place.model

    @cached_property
    def _client(self) -> "BaseChatModel":
        return self._build()

    @cached_property
    def _kind(self) -> str:
        """LangChain's name for this kind of model, if it is known here."""
        kind = self._client._llm_type
        return kind if kind in _KNOWN_KINDS else ""

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
        """Return the model's answer; raises `Unavailable` with model, place, reason, and remedy."""
        self._reach.check()
        question = _Question(tuple(messages), schema, max_tokens, tag, tuple(tools), _Heard(on_text))
        for tries in range(1, self._place.max_retries + 2):
            try:
                return self._complete_question(question)
            except MabosError:
                raise
            except Exception as error:  # each provider's package has errors of its own, and none ends a cycle
                pause = None if question.heard.anything else pause_before_retry(error, self._place, tries)
                if pause is None:
                    raise self._reach.failed(error) from error
                time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _complete_question(self, question: "_Question") -> Completion:
        turns = langchain_messages(question.messages, self._kind)
        try:
            answer, data = self._answer(turns, question)
        except ValidationError as error:
            if not (uses := _unreadable(error, question.tools)):
                raise
            return Completion("", tool_uses=uses)
        except Exception as error:  # of OpenAI's package, which is not imported to name it
            if type(error).__name__ != "LengthFinishReasonError":  # of OpenAI's client: the answer met its limit
                raise
            answer, data = _cut_off(error), None
        wants_data = question.schema is not None
        return completion_of(
            answer, question.messages, question.tools, kind=self._kind, wants_data=wants_data, data=data
        )

    def _answer(
        self, turns: "list[BaseMessage]", question: "_Question"
    ) -> "tuple[AIMessage, Mapping[str, Any] | None]":
        """Return the answer, and its data where the model has means of its own for a schema."""
        schema, tools, in_body = question.schema, question.tools, self._limit_in_body
        try:
            if schema is not None and not tools and self._takes_schemas:
                formed = self._answer_natively(turns, schema, question)
                if formed is not None:
                    return formed
            asked = turns if schema is None else in_words(turns, schema)
            client, options = self._limit_tokens(question.max_tokens)
            if tools:
                bound = client.bind_tools([langchain_tool(tool) for tool in tools], **options)
            else:
                bound = client.bind(**options) if options else client
            return self._invoke_client(bound, asked, question.heard), None
        except Exception as error:  # a refusal has another class in each package
            if not self._turns_the_limit(error, in_body=in_body):
                raise
        return self._answer(turns, question)

    def _answer_natively(
        self, turns: "list[BaseMessage]", schema: Mapping[str, Any], question: "_Question"
    ) -> "tuple[AIMessage, Mapping[str, Any] | None] | None":
        """Return an answer of the model's own structured output; None where it has none, from then on."""
        name = "".join(letter if letter.isalnum() else "_" for letter in question.tag or "answer")[:60]
        client, options = self._limit_tokens(question.max_tokens)
        try:
            if self._kind in _OPENAI_KINDS:
                wanted = {"type": "json_schema", "json_schema": {"name": name, "schema": dict(schema)}}
                return self._invoke_client(client.bind(**options, response_format=wanted), turns, question.heard), None
            titled = {"description": f"The {name}.", **schema, "title": name}
            # Claude's package would use a tool by default, which its newer models do not let themselves be forced to.
            means = {"method": "json_schema"} if self._kind == "anthropic-chat" else {}
            found: Any = client.with_structured_output(titled, include_raw=True, **means).invoke(turns)
        except NotImplementedError:
            self._takes_schemas = False
            return None
        except Exception as error:  # a refusal has another class in each package
            if fault_of(error) != "refused" or not any(word in str(error).lower() for word in _WITHOUT_SCHEMAS):
                raise
            self._takes_schemas = False
            return None
        answer = found["raw"]
        data = answer.tool_calls[0]["args"] if answer.tool_calls else None
        return answer, data

    def _invoke_client(self, client: "Runnable[Any, Any]", turns: "list[BaseMessage]", heard: "_Heard") -> "AIMessage":
        if not self._streams or (not self.profile.stream and heard.on_text is None):
            answer: AIMessage = client.invoke(turns)
            heard(text_of(answer))
            return answer
        deadline = time.monotonic() + self._place.timeout_s

        def pieces() -> Iterator[Any]:
            for piece in client.stream(turns):
                heard(text_of(piece))
                yield piece
                if time.monotonic() > deadline:
                    raise TooLong

        try:
            streamed: AIMessage = reduce(add, pieces())
        except ValueError as error:
            if _NO_STREAM not in str(error) or heard.anything:
                raise
            self._streams = False  # the endpoint answers in one piece, whatever it is asked for
            return self._invoke_client(client, turns, heard)
        return streamed

    def _limit_tokens(self, max_tokens: int) -> "tuple[BaseChatModel, dict[str, Any]]":
        """Return the client that ends an answer after so many tokens, and extra request options."""
        most, client = max_tokens + self.profile.thinking, self._client
        if self._limit_in_body:
            return client, {"extra_body": {**(getattr(client, "extra_body", None) or {}), "max_tokens": most}}
        known = type(client).model_fields
        named = next((name for name in _LIMITS if name in known), None)
        if named is None:
            return client, {}
        own = getattr(client, named)
        smaller = most if not isinstance(own, int) or own <= 0 or self.profile.thinking else min(own, most)
        return client.model_copy(update={named: smaller}), {}

    def _turns_the_limit(self, error: Exception, *, in_body: bool) -> bool:
        """Return whether to ask again with the other name of the limit, of which an endpoint refused one.

        `in_body` says which name was sent: another thread may have turned to the other one meanwhile.
        """
        said = str(error).lower()
        if self._kind not in _OPENAI_KINDS or fault_of(error) != "refused":
            return False
        if "max_tokens" not in said and "max_completion_tokens" not in said:
            return False
        if not self._has_turned:
            self._has_turned, self._limit_in_body = True, not in_body
        return self._limit_in_body != in_body

    def offered(self) -> list[str]:
        """Return the names of the models that the endpoint offers; empty if it does not list them."""
        try:
            listed: Any = getattr(self._client, "root_client", None)
            return sorted(one.id for one in listed.models.list()) if listed is not None else []
        except errors():
            return []


@dataclass(frozen=True, slots=True)
class _Question:
    """A call, and the listener for its answer."""

    messages: tuple[ChatMessage, ...]
    schema: Mapping[str, Any] | None
    max_tokens: int
    tag: str
    tools: tuple[ToolSpec, ...]
    heard: "_Heard"


class _Heard:
    """Passes text on to who listens, and knows whether any has been."""

    def __init__(self, on_text: OnText | None) -> None:
        self.on_text = on_text
        self.anything = False

    def __call__(self, piece: str) -> None:
        if piece and self.on_text is not None:
            self.anything = True
            self.on_text(piece)


def _unreadable(error: ValidationError, tools: Sequence[ToolSpec]) -> tuple[ToolUse, ...]:
    """Return the tool uses whose arguments are no object: LangChain's messages cannot hold them, and lose the name."""
    wrong = [one["input"] for one in error.errors(include_url=False) if one["loc"][:1] == ("tool_calls",)]
    name = tools[0].name if len(tools) == 1 else "unreadable"
    return tuple(
        ToolUse(f"call-unreadable-{number}", name, {}, invalid_arguments(repr(given)))
        for number, given in enumerate(wrong, 1)
    )


def _cut_off(error: Any) -> "AIMessage":
    from langchain_core.messages import AIMessage

    (choice, *_), counted = error.completion.choices, error.completion.usage
    usage: Any = counted and {
        "input_tokens": counted.prompt_tokens,
        "output_tokens": counted.completion_tokens,
        "total_tokens": counted.prompt_tokens + counted.completion_tokens,
    }
    text = choice.message.content or ""
    return AIMessage(text, usage_metadata=usage or None, response_metadata={"finish_reason": "length"})
