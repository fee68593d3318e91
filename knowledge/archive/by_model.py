"""Extract knowledge from a conversation with a chat model: it proposes nodes and edges, the types of S4 filter them."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from mabos.backends.chat import NOT_ASKED, ChatMessage, ChatModel
from mabos.backends.structured import complete_structured
from mabos.configs.prompts import prompt
from mabos.knowledge.archive.model import Bond, Extraction, NodeType, Piece, TaskLine
from mabos.knowledge.wording import is_backed
from mabos.workspace.text import one_line

_READ = 12_000  # characters of a conversation that a model is shown

_WORTH_READING = 80
"""Characters of a conversation below which rules find what there is."""


class _ModelNode(BaseModel):
    type: NodeType
    content: Annotated[str, Field(min_length=3, max_length=400)]
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.8


class _ModelEdge(BaseModel):
    type: str
    start: Annotated[str, Field(alias="from")]
    end: Annotated[str, Field(alias="to")]
    weight: Annotated[float, Field(ge=0, le=1)] = 1.0
    reason: str = ""


class _ModelAnswer(BaseModel):
    nodes: list[_ModelNode]
    edges: list[_ModelEdge] = []


def extract_by_model(model: ChatModel, goal: str, lines: Sequence[TaskLine]) -> Extraction | None:
    """Return the model's extraction from a task, or None if the model is unavailable or its answer unusable.

    Anything that no word or number of the conversation supports is left out.
    """
    if model.name in NOT_ASKED or sum(len(one.content) for one in lines) < _WORTH_READING:
        return None
    told = "\n".join(f"{one.role}: {one.content}" for one in lines)[:_READ]
    asked = [ChatMessage("system", prompt("archive")), ChatMessage("user", f"Goal: {goal}\n\nConversation:\n{told}")]
    answer = complete_structured(model, asked, _ModelAnswer, max_tokens=1500, tag="archive")
    if answer is None or not answer.nodes:
        return None
    pieces = tuple(
        Piece(one.type, one_line(one.content), one.confidence)
        for one in answer.nodes
        if is_backed(one.content, f"{goal}\n{told}")
    )
    bonds = tuple(
        Bond(one.type, one_line(one.start), one_line(one.end), one.weight, one.reason) for one in answer.edges
    )
    return Extraction(pieces, bonds, "llm")
