"""Narratives of a consolidated group or a period, by a chat model, if one is configured.

The model receives the memories' content and adds nothing to the record: the lineage is the same without it. If the
model does not answer, the extracted text is kept.
"""

from collections.abc import Callable, Iterable

from pydantic import BaseModel, Field

from mabos.backends.chat import NOT_ASKED, ChatMessage, ChatModel
from mabos.backends.structured import complete_structured
from mabos.configs.prompts import prompt
from mabos.memory.consolidation import Summarise
from mabos.memory.summary import Summary

Narrate = Callable[[Summary], str]
"""Returns in a few sentences what a period came to, or an empty string where it has nothing to tell."""

LONGEST = 12_000
"""Characters of memories that are handed to a model."""


class _Narrative(BaseModel):
    """The narrative of the memories."""

    narrative: str = Field(min_length=1, max_length=1_200)


def of_group(model: ChatModel) -> Summarise | None:
    """Return a function that narrates a group of related items with this model, or None without a model."""
    if model.name in NOT_ASKED:
        return None
    return lambda members: _narrate_lines(
        model, (f"{one.created_at[:10]} {one.content}" for one in members), 4, "consolidation"
    )


def of_period(model: ChatModel) -> Narrate | None:
    """Return a function that narrates a week, month or quarter with this model, or None without a model."""
    if model.name in NOT_ASKED:
        return None
    return lambda summary: _narrate_lines(model, _lines(summary), 6, "hierarchy")


def _lines(summary: Summary) -> Iterable[str]:
    yield summary.title
    for section in summary.sections:
        yield from (section.heading, *(line.text for line in section.lines))


def _narrate_lines(model: ChatModel, lines: Iterable[str], sentences: int, what: str) -> str:
    asked = [
        ChatMessage("system", prompt("memory").format(sentences=sentences)),
        ChatMessage("user", "\n".join(lines)[:LONGEST]),
    ]
    answer = complete_structured(model, asked, _Narrative, max_tokens=500, tag=f"memory: {what}")
    return "" if answer is None else " ".join(answer.narrative.split()).lstrip("#>-* ")
