"""Prose turned into a problem, and a result into prose, by a chat model, which never answers the problem itself.

The model chooses a kind and fills in its form, which is validated like any input. Its summary is shown with the result,
never instead of it.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from mabos.backends.chat import ChatMessage, ChatModel
from mabos.backends.structured import complete_structured
from mabos.configs.prompts import prompt
from mabos.knowledge.reasoning.engine import Formalise
from mabos.knowledge.reasoning.problem import ReasoningProblem
from mabos.knowledge.reasoning.result import MethodResult

LONGEST = 8_000
"""Characters of prose, and of a result, that are handed to a model."""


def formaliser(model: ChatModel) -> Formalise | None:
    """Return a function that turns prose into a problem with this model, or None without a model."""
    if not model.name:
        return None

    def formalise(prose: str, schemas: Sequence[type[ReasoningProblem]]) -> Mapping[str, Any] | None:
        chosen = schemas[0] if len(schemas) == 1 else _classify_prose(model, prose, schemas)
        if chosen is None:
            return None
        asked = [
            ChatMessage("system", f"{prompt('reasoning_form')} " + json.dumps(chosen.example)[:LONGEST]),
            ChatMessage("user", prose[:LONGEST]),
        ]
        problem = complete_structured(model, asked, chosen, max_tokens=2_000, tag="reasoning: form")
        return None if problem is None else problem.model_dump(mode="json", by_alias=True)

    return formalise


def _classify_prose(
    model: ChatModel, prose: str, schemas: Sequence[type[ReasoningProblem]]
) -> type[ReasoningProblem] | None:
    """Return the kind of problem that the model takes the prose for."""
    by_kind = {str(one.model_fields["kind"].default): one for one in schemas}
    kinds: Any = Literal.__getitem__(tuple(by_kind))
    form: type[BaseModel] = create_model("Kind", kind=(kinds, ...))
    listed = "\n".join(f"- {kind}: {(one.__doc__ or '').strip().splitlines()[0]}" for kind, one in by_kind.items())
    asked = [
        ChatMessage("system", f"Which kind of problem is this? Name the kind, and nothing else.\n{listed}"),
        ChatMessage("user", prose[:LONGEST]),
    ]
    answer = complete_structured(model, asked, form, max_tokens=50, tag="reasoning: kind")
    return None if answer is None else by_kind[answer.model_dump()["kind"]]


class _Narration(BaseModel):
    told: str = Field(max_length=1200)


def narrate_result(model: ChatModel, question: str, result: MethodResult[Any]) -> str:
    """Return a result in words, or an empty text if no model can describe it."""
    if not model.name:
        return ""
    shown = {name: value for name, value in result.as_json().items() if name not in ("trace", "witness", "cost_ms")}
    asked = [
        ChatMessage("system", "Tell this result in at most five sentences. Add nothing that it does not say."),
        ChatMessage("user", f"Asked: {question[:LONGEST]}\nResult: {json.dumps(shown)[:LONGEST]}"),
    ]
    answer = complete_structured(model, asked, _Narration, max_tokens=400, tag="reasoning: told")
    return "" if answer is None else answer.told
