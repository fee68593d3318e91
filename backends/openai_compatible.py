"""Any endpoint that speaks OpenAI's chat completions: OpenAI, Ollama, vLLM, LM Studio, llama.cpp."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any

from mabos.backends.chat import (
    ChatMessage,
    Completion,
    OnText,
    ToolSpec,
    Usage,
    estimated,
    estimated_request,
    json_object,
)
from mabos.backends.endpoint import NO_KEY, Reach, errors, http_client, timeout
from mabos.backends.turns import langchain_messages, langchain_tool, text_of, usage_of, uses_of
from mabos.configs.models import ModelProfile

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

_OPENAI = "api.openai.com"
_WITHOUT_SCHEMAS = ("response_format", "json_schema", "grammar")
"""Words by which an endpoint says that it cannot hold an answer to a schema."""


class OpenAICompatible:
    """The chat model of a profile; the client is imported and opened with the first call.

    An endpoint that takes no schema is told it in words from then on; the answer is validated all the same.
    """

    def __init__(self, profile: ModelProfile, api_key: str = "") -> None:
        self.profile = profile
        self._api_key = api_key or NO_KEY
        self._reach = Reach(profile, api_key)
        self._takes_schemas = True

    @property
    def name(self) -> str:
        """The model's name at its endpoint."""
        return self.profile.model

    @cached_property
    def _client(self) -> "ChatOpenAI":
        from langchain_openai import ChatOpenAI
        from pydantic import SecretStr

        # The Responses API is chosen by model name, whatever the endpoint; only OpenAI's own has it.
        return ChatOpenAI(
            model=self.profile.model,
            base_url=self.profile.base_url,
            api_key=SecretStr(self._api_key),
            timeout=timeout(self.profile),
            max_retries=self.profile.max_retries,
            http_client=http_client(self.profile),
            stream_usage=True,
            use_responses_api=False,
        )

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
        """Return the endpoint's answer; raises `Unavailable` that names endpoint, model, why, and what to do."""
        import openai

        self._reach.check()
        options = _limited(self.profile, max_tokens)
        if tools:
            options["tools"] = [langchain_tool(tool) for tool in tools]
        try:
            answer = self._answer(langchain_messages(messages), schema, options, tag, on_text)
        except openai.LengthFinishReasonError as error:
            # Raised by the client's own parser, whatever it was asked to do with errors.
            return self._cut_short(error, messages, tools)
        except errors() as error:
            raise self._reach.failed(error) from error
        return _completion(answer, messages, tools, wants_data=schema is not None)

    def offered(self) -> list[str]:
        """Return the names of the models that the endpoint has, for who named another; none where it does not say."""
        try:
            return sorted(one.id for one in self._client.root_client.models.list())
        except errors():
            return []

    def _answer(
        self,
        turns: Sequence[Any],
        schema: Mapping[str, Any] | None,
        options: Mapping[str, Any],
        tag: str,
        on_text: OnText | None,
    ) -> Any:
        import openai

        if schema is None or not self._takes_schemas:
            return self._asked([*turns, *_in_words(schema)], options, on_text)
        name = "".join(letter if letter.isalnum() else "_" for letter in tag or "answer")[:60]
        wanted = {"type": "json_schema", "json_schema": {"name": name, "schema": dict(schema)}}
        try:
            return self._asked(turns, {**options, "response_format": wanted}, on_text)
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if not any(word in str(error).lower() for word in _WITHOUT_SCHEMAS):
                raise
            self._takes_schemas = False
            return self._answer(turns, schema, options, tag, on_text)

    def _asked(self, turns: Sequence[Any], options: Mapping[str, Any], on_text: OnText | None) -> Any:
        if not self.profile.stream and on_text is None:
            return self._client.invoke(list(turns), **options)

        def pieces() -> Iterator[Any]:
            for piece in self._client.stream(list(turns), **options):
                if on_text and (text := text_of(piece)):
                    on_text(text)
                yield piece

        return reduce(add, pieces())

    def _cut_short(self, error: Any, turns: Sequence[ChatMessage], tools: Sequence[ToolSpec]) -> Completion:
        said = error.completion.choices[0].message.content or ""
        counted = error.completion.usage
        guessed = Usage(estimated_request(turns, tools), estimated(len(said)))
        usage = Usage(counted.prompt_tokens, counted.completion_tokens) if counted else guessed
        return Completion(said, None, usage, cut_short=True)


def _limited(profile: ModelProfile, max_tokens: int) -> dict[str, Any]:
    """Return the limit of an answer; the client's own name for it several endpoints other than OpenAI's pass over."""
    if _OPENAI in profile.base_url:
        return {"max_tokens": max_tokens}
    return {"max_tokens": max_tokens, "extra_body": {"max_tokens": max_tokens}}


def _in_words(schema: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    if schema is None:
        return []
    return [("system", f"Answer with one JSON object of this schema and nothing else: {json.dumps(schema)}")]


def _completion(
    answer: Any, turns: Sequence[ChatMessage], tools: Sequence[ToolSpec], *, wants_data: bool
) -> Completion:
    text = text_of(answer)
    # A stream that just ends has lost its server: what came is no more whole than what met the limit.
    cut_short = answer.response_metadata.get("finish_reason") in ("length", None)
    uses = uses_of(answer, cut_short=cut_short)
    data = json_object(text) if wants_data and not uses else None
    said = ChatMessage("assistant", text, uses).size
    return Completion(text, data, usage_of(answer, turns, tools, said), cut_short=cut_short, tool_uses=uses)
