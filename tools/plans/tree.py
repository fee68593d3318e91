"""Steps as nodes of a task network, in the form of S3 7.1 and `htn_decompose`, down to their calls."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.mind.tasks import parts_of
from mabos.tools.plans.outline import decompose_goal
from mabos.tools.runtime.services import Agent

_NAMES = {"task_id": "id", "name": "description", "input": "arguments"}
_FINDINGS = ("open", "hindrance", "method", "alternatives", "not_taken")
"""The fields of a node of `htn_decompose` that no step has."""


def leaves(agent: Agent, steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the steps in order, each compound task as its primitive subtasks.

    A compound task without `subtasks` is decomposed by the plan library. Raises `InvalidArgument` for an unknown type
    of task, and for a compound task that cannot be decomposed.
    """
    found = [leaf for number, step in enumerate(steps, 1) for leaf in _leaves(agent, step, f"s{number}")]
    ids = [str(leaf.get("id") or leaf.get("task_id") or "") for leaf in found]
    return [_with_targets(leaf, ids) if leaf.get("branches") else leaf for leaf in found]


def _with_targets(leaf: Mapping[str, Any], ids: Sequence[str]) -> dict[str, Any]:
    """Return a step whose branches to a task that was broken down lead to the first call of that task."""
    ways = []
    for way in leaf["branches"]:
        go = str(way.get("go", "")) if isinstance(way, Mapping) else ""
        first = next((one for one in ids if one.startswith(f"{go}.")), "") if go and go not in ids else ""
        ways.append({**way, "go": first} if first else way)
    return {**leaf, "branches": ways}


def _leaves(agent: Agent, step: Mapping[str, Any], default_id: str) -> Iterator[dict[str, Any]]:
    if "type" not in step:
        yield dict(step)
        return
    content = {_NAMES.get(key, key): value for key, value in step.items() if key not in _FINDINGS}
    kind, subtasks = content.pop("type"), content.pop("subtasks", None)
    if kind not in ("primitive", "compound"):
        raise InvalidArgument(f"{default_id}: type is {kind!r}; expected 'primitive' or 'compound'", argument="steps")
    if kind == "primitive" or content.get("tool"):
        yield content
        return
    name, own_id = str(content.get("description", default_id)), str(content.get("id", default_id))
    below = [dict(one) for one in subtasks] if subtasks else _from_library(agent, name, own_id)
    needed = list(content.get("preconditions") or ())
    for number, subtask in enumerate(below, 1):
        for leaf in _leaves(agent, {"type": "primitive", **subtask}, f"{own_id}.{number}"):
            yield {"id": f"{own_id}.{number}", **leaf, "preconditions": [*needed, *(leaf.get("preconditions") or ())]}
            needed = []  # the first call of a task needs what the task needs


def _from_library(agent: Agent, name: str, own_id: str) -> list[dict[str, Any]]:
    """Return the calls that the plan library breaks a task down to."""
    found = decompose_goal(agent, name, parts_of(name))
    if found["open"] or not found["tasks"]:
        message = f"{name!r} is a compound task and no template breaks it down; give its subtasks"
        raise InvalidArgument(message, argument="steps")
    return [
        {
            **leaf,
            "task_id": f"{own_id}.{leaf['task_id']}",
            "branches": [{**way, "go": f"{own_id}.{way['go']}"} for way in leaf["branches"]],
        }
        for leaf in found["tasks"]
    ]
