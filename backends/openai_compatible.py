"""Any endpoint that speaks OpenAI's chat completions: OpenAI, Ollama, vLLM, LM Studio, llama.cpp."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from backends.chat import ChatMessage, Completion, Usage, estimated, json_object
from configs.errors import Unavailable
from configs.models import ModelProfile

if TYPE_CHECKING:
    from langchain_openai import ChatOpenAI

# Endpoints on one's own machine want a key to be sent, but any will do.
_NO_KEY = "not-needed"
_OPENAI = "api.openai.com"


class OpenAICompatible:
    """The chat model of a profile; the client is imported and opened with the first call."""

    def __init__(self, profile: ModelProfile, api_key: str = "", *, stream_usage: bool = True) -> None:
        self.profile = profile
        self._api_key = api_key or _NO_KEY
        self._stream_usage = stream_usage

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
            timeout=self.profile.timeout_s,
            max_retries=self.profile.max_retries,
            stream_usage=self._stream_usage,
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
        """Return the endpoint's answer; raises `Unavailable` that names endpoint and model."""
        import openai

        # The client sends `max_completion_tokens`, which several endpoints other than OpenAI's pass over.
        options: dict[str, Any] = {"max_tokens": max_tokens}
        if _OPENAI not in self.profile.base_url:
            options["extra_body"] = {"max_tokens": max_tokens}
        if schema is not None:
            name = "".join(letter if letter.isalnum() else "_" for letter in tag or "answer")[:60]
            options["response_format"] = {"type": "json_schema", "json_schema": {"name": name, "schema": dict(schema)}}
        turns = [(message.role, message.content) for message in messages]
        try:
            answer = self._client.invoke(turns, **options)
        except openai.LengthFinishReasonError as error:
            # Raised by the client's own parser, whatever it was asked to do with errors.
            return self._cut_short(error, turns)
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, KeyError) as error:
            # The latter four are what the client makes of an answer that is no chat completion.
            raise Unavailable(self._why(error)) from error
        return _completion(answer, wants_data=schema is not None)

    def _cut_short(self, error: Any, turns: Sequence[tuple[str, str]]) -> Completion:
        said = error.completion.choices[0].message.content or ""
        counted = error.completion.usage
        asked = estimated(sum(len(content) for _, content in turns))
        usage = (
            Usage(counted.prompt_tokens, counted.completion_tokens) if counted else Usage(asked, estimated(len(said)))
        )
        return Completion(said, None, usage, cut_short=True)

    def _why(self, error: Exception) -> str:
        said = str(error).partition("\n")[0][:200] or type(error).__name__
        return f"model {self.profile.model!r} at {self.profile.base_url} did not answer: {said}"


def _completion(answer: Any, *, wants_data: bool) -> Completion:
    text = answer.text if isinstance(answer.text, str) else answer.text()
    counted = answer.usage_metadata or {}
    usage = Usage(counted.get("input_tokens", 0), counted.get("output_tokens", 0))
    cut_short = answer.response_metadata.get("finish_reason") == "length"
    data = json_object(text) if wants_data else None
    return Completion(text, data, usage, cut_short=cut_short)
