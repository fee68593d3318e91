"""Any endpoint that speaks OpenAI's chat completions: OpenAI, Ollama, vLLM, LM Studio, llama.cpp."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property, reduce
from operator import add
from typing import TYPE_CHECKING, Any

from mabos.backends.chat import ChatMessage, Completion, Usage, estimated, json_object
from mabos.backends.endpoint import NO_KEY, Reach, errors, http_client, timeout
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
    ) -> Completion:
        """Return the endpoint's answer; raises `Unavailable` that names endpoint, model, why, and what to do."""
        import openai

        self._reach.check()
        turns = [(message.role, message.content) for message in messages]
        try:
            answer = self._answer(turns, schema, max_tokens, tag)
        except openai.LengthFinishReasonError as error:
            # Raised by the client's own parser, whatever it was asked to do with errors.
            return self._cut_short(error, turns)
        except errors() as error:
            raise self._reach.failed(error) from error
        return _completion(answer, turns, wants_data=schema is not None)

    def offered(self) -> list[str]:
        """Return the names of the models that the endpoint has, for who named another; none where it does not say."""
        try:
            return sorted(one.id for one in self._client.root_client.models.list())
        except errors():
            return []

    def _answer(
        self, turns: Sequence[tuple[str, str]], schema: Mapping[str, Any] | None, max_tokens: int, tag: str
    ) -> Any:
        import openai

        if schema is None or not self._takes_schemas:
            return self._asked([*turns, *_in_words(schema)], _limited(self.profile, max_tokens))
        name = "".join(letter if letter.isalnum() else "_" for letter in tag or "answer")[:60]
        wanted = {"type": "json_schema", "json_schema": {"name": name, "schema": dict(schema)}}
        try:
            return self._asked(turns, _limited(self.profile, max_tokens) | {"response_format": wanted})
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            if not any(word in str(error).lower() for word in _WITHOUT_SCHEMAS):
                raise
            self._takes_schemas = False
            return self._answer(turns, schema, max_tokens, tag)

    def _asked(self, turns: Sequence[tuple[str, str]], options: dict[str, Any]) -> Any:
        if self.profile.stream:
            return reduce(add, self._client.stream(list(turns), **options))
        return self._client.invoke(list(turns), **options)

    def _cut_short(self, error: Any, turns: Sequence[tuple[str, str]]) -> Completion:
        said = error.completion.choices[0].message.content or ""
        counted = error.completion.usage
        usage = Usage(counted.prompt_tokens, counted.completion_tokens) if counted else _guessed(turns, said)
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


def _guessed(turns: Sequence[tuple[str, str]], said: str) -> Usage:
    """Return about what a call took that the endpoint did not count: a budget that counts nothing holds nothing."""
    return Usage(estimated(sum(len(content) for _, content in turns)), estimated(len(said)))


def _completion(answer: Any, turns: Sequence[tuple[str, str]], *, wants_data: bool) -> Completion:
    text = answer.text if isinstance(answer.text, str) else answer.text()
    counted = answer.usage_metadata
    usage = Usage(counted["input_tokens"], counted["output_tokens"]) if counted else _guessed(turns, text)
    # A stream that just ends has lost its server: what came is no more whole than what met the limit.
    cut_short = answer.response_metadata.get("finish_reason") in ("length", None)
    data = json_object(text) if wants_data else None
    return Completion(text, data, usage, cut_short=cut_short)
