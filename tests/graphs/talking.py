"""A model that talks at length and can be told what to answer when it is asked for a checkpoint."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import Field

Reply = AIMessage | Exception
Script = Callable[[Sequence[BaseMessage], int], Reply]
"""Answers a prompt; the number counts the prompts of its kind from 0."""


def asks_for_checkpoint(prompt: Sequence[BaseMessage]) -> bool:
    """Return whether a prompt is the one before a cut."""
    return len(prompt) == 1 and "<conversation>" in str(prompt[0].content)


def chatter(prompt: Sequence[BaseMessage], number: int) -> AIMessage:
    """Answer with about 500 tokens that name their number."""
    return AIMessage(f"answer {number} " + "lorem ipsum " * 166)


def checkpoint(prompt: Sequence[BaseMessage], number: int) -> AIMessage:
    """Call both tools, as a model does that follows the prompt."""
    return AIMessage(
        "",
        tool_calls=[
            {
                "name": "memory_store_item",
                "args": {"content": f"The audit found {number} gaps", "importance": 0.7, "type": "fact"},
                "id": f"s{number}",
            },
            {
                "name": "memory_checkpoint",
                "args": {"context": f"Working on part {number}", "decisions": [f"Decided thing {number}"]},
                "id": f"c{number}",
            },
        ],
    )


class Talker(BaseChatModel):
    """A scripted model. `prompts` are those it answered in conversation, `flushes` those asking for a checkpoint."""

    talk: Script = chatter
    keep: Script = checkpoint
    prompts: list[list[BaseMessage]] = Field(default_factory=list)
    flushes: list[list[BaseMessage]] = Field(default_factory=list)
    files: Path | None = None
    written: list[int] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "talker"

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=[tool if isinstance(tool, dict) else tool.name for tool in tools])

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        script, seen = (self.keep, self.flushes) if asks_for_checkpoint(messages) else (self.talk, self.prompts)
        seen.append(messages)
        if self.files is not None and seen is self.prompts:
            self.written.append(len(list(self.files.glob("*.md"))))
        reply = script(messages, len(seen) - 1)
        if isinstance(reply, Exception):
            raise reply
        return ChatResult(generations=[ChatGeneration(message=reply)])
