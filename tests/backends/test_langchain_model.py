"""Any LangChain chat model is a model of ours: also one that somebody wrote, and what is wrong with it is told."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, Field, SecretStr

from mabos.backends.chat import ChatMessage, ChatModel, Completion, ScriptedModel, ToolSpec
from mabos.backends.choice import as_chat_model
from mabos.backends.recording import RecordedModel, Replayed
from mabos.backends.structured import complete_structured
from mabos.configs.errors import InvalidArgument, Unavailable
from mabos.configs.settings import environment
from tests.backends.dialects import OPENAI, Said, speaking

ASK = [ChatMessage("system", "You are the CFO."), ChatMessage("user", "How long will the money last?")]
LOOK_UP = ToolSpec("look_up", "Look it up.", {"type": "object", "properties": {"what": {"type": "string"}}})


class Parrot(BaseChatModel):
    """A model that somebody wrote: it answers in order, by nothing but what LangChain asks for."""

    answers: list[Any] = Field(default_factory=list)
    seen: list[list[BaseMessage]] = Field(default_factory=list)
    tools: list[str] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "parrot"

    def bind_tools(self, tools: Sequence[Any], **more: Any) -> Any:
        self.tools.extend(one["function"]["name"] for one in tools)
        return self.bind(tools=tools)

    def _generate(self, messages: list[BaseMessage], *_: Any, **more: Any) -> ChatResult:
        self.seen.append(messages)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return ChatResult(generations=[ChatGeneration(message=answer)])


class Babbler(Parrot):
    """One that streams, and may break off."""

    breaks: bool = False

    def _stream(self, messages: list[BaseMessage], *_: Any, **more: Any) -> Iterator[ChatGenerationChunk]:
        for word in ("Nine ", "months."):
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))
            if self.breaks:
                raise ConnectionResetError("hung up")


class Silent(Parrot):
    """One that has no means for tools, and so none for a form."""

    def bind_tools(self, tools: Sequence[Any], **more: Any) -> Any:
        raise NotImplementedError


class Runway(BaseModel):
    months: int


def ours(model: BaseChatModel) -> ChatModel:
    return as_chat_model(model, environment({}))


def test_a_model_that_somebody_wrote_answers_uses_tools_and_hears_their_results() -> None:
    call: Any = {"id": "c-1", "name": "look_up", "args": {"what": "cash"}}
    parrot = Parrot(answers=[AIMessage("", tool_calls=[call]), AIMessage("Nine months.")])
    model = ours(parrot)
    first = model.complete(ASK, tools=[LOOK_UP])
    result = ChatMessage("tool", "90,000 dollars", tool_use_id=first.tool_uses[0].id)
    second = model.complete([*ASK, first.turn, result], tools=[LOOK_UP])
    assert (first.tool_uses[0].arguments, second.text, second.cut_short) == ({"what": "cash"}, "Nine months.", False)
    assert parrot.tools == ["look_up"] * 2
    assert [one.type for one in parrot.seen[1]] == ["system", "human", "ai", "tool"]


def test_one_without_means_for_a_form_is_told_it_in_words() -> None:
    silent = Silent(answers=[AIMessage('{"months": 9}'), AIMessage('{"months": 8}')])
    model = ours(silent)
    assert complete_structured(model, ASK, Runway, tag="runway") == Runway(months=9)
    assert complete_structured(model, ASK, Runway, tag="runway") == Runway(months=8)
    assert all("months" in str(one[-1].content) for one in silent.seen)


def test_a_stream_is_heard_and_one_that_breaks_off_is_no_answer() -> None:
    heard: list[str] = []
    assert ours(Babbler()).complete(ASK, on_text=heard.append).text == "Nine months."
    with pytest.raises(Unavailable, match="'Babbler' of parrot did not answer"):
        ours(Babbler(breaks=True)).complete(ASK, on_text=heard.append)
    assert heard == ["Nine ", "months.", "Nine "]


@pytest.mark.parametrize("error", [RuntimeError("no idea"), ValueError("odd"), ConnectionError("gone"), KeyError("x")])
def test_whatever_it_raises_is_told_and_ends_no_cycle(error: Exception) -> None:
    with pytest.raises(Unavailable, match="did not answer"):
        ours(Parrot(answers=[error])).complete(ASK)


def test_what_it_does_not_count_is_estimated() -> None:
    usage = ours(Parrot(answers=[AIMessage("Nine months.")])).complete(ASK).usage
    assert usage.input_tokens > 0
    assert usage.output_tokens == 3


def test_arguments_that_are_no_object_reach_the_caller_as_such() -> None:
    raw = [("c-1", "look_up", {"what": "cash"})]

    def listed(said: Said) -> dict[str, Any]:
        answer = OPENAI.whole(said)
        answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] = '["cash"]'
        return answer

    wrong = type(OPENAI)(**{**vars(OPENAI), "whole": listed})
    with speaking(wrong, Said("", tuple(raw))) as heard:
        client = ChatOpenAI(model="m", base_url=f"{heard.url}/v1", api_key=SecretStr("k"), max_retries=0)
        answer = ours(client).complete(ASK, tools=[LOOK_UP])
    (use,) = answer.tool_uses
    assert (use.name, use.arguments) == ("look_up", {})
    assert "cash" in use.invalid


def test_a_client_of_langchain_keeps_its_own_settings_and_sends_one_limit() -> None:
    with speaking(OPENAI, Said("Nine months.")) as heard:
        client = ChatOpenAI(
            model="m", base_url=f"{heard.url}/v1", api_key=SecretStr("k"), temperature=0.3, max_completion_tokens=50
        )
        ours(client).complete(ASK, max_tokens=400)
        plain = ChatOpenAI(model="m", base_url=f"{heard.url}/v1", api_key=SecretStr("k"))
        ours(plain).complete(ASK, max_tokens=400)
    assert heard.bodies[0]["temperature"] == 0.3
    assert [OPENAI.limit(body) for body in heard.bodies] == [(None, 50), (400, None)]


def test_it_is_recorded_and_replayed_with_its_tools(tmp_path: Path) -> None:
    call: Any = {"id": "c-1", "name": "look_up", "args": {"what": "cash"}}

    def asked(model: ChatModel) -> list[Completion]:
        first = model.complete(ASK, tools=[LOOK_UP])
        turns = [*ASK, first.turn, ChatMessage("tool", "90,000", tool_use_id="c-1")]
        return [first, model.complete(turns, tools=[LOOK_UP])]

    parrot = Parrot(answers=[AIMessage("", tool_calls=[call]), AIMessage("Nine months.")])
    said = asked(RecordedModel(ours(parrot), tmp_path / "calls"))
    assert asked(Replayed(tmp_path / "calls")) == said


def test_a_model_may_be_ours_already_and_what_is_none_is_refused() -> None:
    scripted = ScriptedModel(["yes"])
    assert as_chat_model(scripted, environment({})) is scripted
    for wrong in ("claude", "", 7, {"model": "x"}):
        with pytest.raises(InvalidArgument) as raised:
            as_chat_model(wrong, environment({}))  # type: ignore[arg-type]
        assert raised.value.argument == "model"
