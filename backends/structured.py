"""Structured output: a model's answer as a validated object, after at most one repair, or None."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from mabos.backends.chat import ChatMessage, ChatModel, Completion, json_object
from mabos.backends.shown import RULE, fence_text
from mabos.configs.errors import Unavailable

LOG = logging.getLogger(__name__)
Answer = TypeVar("Answer", bound=BaseModel)

STRING_LIMIT = 400
LIST_LIMIT = 12


def complete_structured(
    model: ChatModel, messages: Sequence[ChatMessage], schema: type[Answer], *, max_tokens: int = 800, tag: str = ""
) -> Answer | None:
    """Return the model's answer as `schema`, or None if there is no usable one; the caller then continues without.

    The schema sent along bounds every string and list, because grammar-bound small models run on otherwise. Numbers are
    checked here: endpoints do not enforce ranges. An unusable answer is sent back once with its errors. User and tool
    content in `messages` is data, and fenced as data.
    """
    wanted = bound_schema(schema.model_json_schema())
    turns = [_apart(one) for one in messages]
    for attempt in ("first", "repair"):
        try:
            completion = model.complete(turns, schema=wanted, max_tokens=max_tokens, tag=tag)
        except Unavailable as error:
            LOG.info("%s: no answer (%s)", tag or schema.__name__, error)
            return None
        answer, problem = _read(completion, schema)
        if answer is not None:
            return answer
        LOG.info("%s: %s answer not usable: %s", tag or schema.__name__, attempt, problem)
        turns += [ChatMessage("assistant", completion.text or "(nothing)"), ChatMessage("user", _ask_again(problem))]
    return None


def _apart(one: ChatMessage) -> ChatMessage:
    if one.role in ("user", "tool"):
        return replace(one, content=fence_text(one.content))
    return replace(one, content=f"{one.content}\n{RULE}") if one.role == "system" else one


def _read(completion: Completion, schema: type[Answer]) -> tuple[Answer | None, str]:
    if completion.cut_short:
        return None, "the answer was cut off before it ended; make it shorter"
    data = completion.data if completion.data is not None else json_object(completion.text)
    if data is None:
        return None, "the answer was not a JSON object"
    try:
        return schema.model_validate(data), ""
    except ValidationError as error:
        problems = error.errors(include_url=False)[:4]
        return None, "; ".join(f"{'.'.join(map(str, one['loc'])) or 'answer'}: {one['msg']}" for one in problems)


def _ask_again(problem: str) -> str:
    return f"That could not be used: {problem}. Answer again with one JSON object of the schema and nothing else."


def bound_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return `schema` with a limit on every string and list that has none."""
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if isinstance(value, Mapping):
            result[key] = bound_schema(value)
        elif isinstance(value, list):
            result[key] = [bound_schema(one) if isinstance(one, Mapping) else one for one in value]
        else:
            result[key] = value
    if result.get("type") == "string" and not {"enum", "const", "format"} & result.keys():
        result.setdefault("maxLength", STRING_LIMIT)
    if result.get("type") == "array":
        result.setdefault("maxItems", LIST_LIMIT)
    return result
