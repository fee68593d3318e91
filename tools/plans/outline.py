"""A goal's breakdown for people and programs: the tree of tasks, its calls, and impossible parts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mabos.mind.conditions import Lookup
from mabos.mind.model import Goal, Step
from mabos.mind.tasks import PlanTask, steps_of, way_of
from mabos.mind.ways import Hindrance, Ways, find_hindered, ways
from mabos.tools.plans.grounds import absence, build_lookup, hindrance
from mabos.tools.plans.sources import tasks_of_goal
from mabos.tools.runtime.services import Agent


def decompose_goal(agent: Agent, goal_description: str, parts: Sequence[str]) -> dict[str, Any]:
    """Return the tree of a goal, its calls in order, whether a part is open, and why there is no plan if so.

    Work that the agent itself cannot do is shown with the possible methods, each call with its obstacle. Parts that a
    single template serves together are one task in many words, not several.
    """
    goal = Goal("", goal_description)
    outline = _Outline(build_lookup(agent), hindrance(agent))
    tasks = tasks_of_goal(agent, goal, parts)
    closed = [task for task in tasks if task.ways]
    found = ways(closed, outline.lookup, outline.hindrance) if closed else Ways()
    chosen = found.chosen or (ways(closed, outline.lookup, absence(agent)).chosen if closed else {})
    if len(parts) > 1 and len({chosen.get(task.step.id) for task in closed}) < 2:
        return decompose_goal(agent, goal_description, (goal_description,))
    nodes = [outline.node(task, chosen) for task in tasks]
    root = nodes[0] if len(nodes) == 1 else _parent(goal_description, nodes)
    steps = steps_of(closed, chosen)
    leaves = [outline.leaf(step) for step in steps]
    open_parts = [task.step.description for task in tasks if not task.ways]
    return {
        "task": root,
        "tasks": leaves,
        "count": len(leaves),
        "open": bool(open_parts),
        "can_run": bool(leaves) and not found.why and not open_parts,
        "why_not": "; ".join([*(f"no template is for {part!r}" for part in open_parts), *filter(None, [found.why])]),
        "not_executable": [leaf["tool"] for leaf in leaves if leaf["hindrance"]],
        "text": "\n".join(_lines(root)),
    }


def _parent(name: str, nodes: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "task_id": "t", "name": name, "type": "compound", "ordering": "sequence", "method": "", "alternatives": [],
        "not_taken": {}, "open": any(node["open"] for node in nodes), "subtasks": nodes,
    }  # fmt: skip


class _Outline:
    """Tasks as JSON values, each leaf with why its tool cannot be used and each compound one with why not otherwise."""

    def __init__(self, lookup: Lookup, why_not: Hindrance) -> None:
        self.lookup = lookup
        self.hindrance = why_not

    def node(self, task: PlanTask, chosen: Mapping[str, str]) -> dict[str, Any]:
        """Return a task and all below it."""
        if (not task.ways and task.step.tool) or (task.step.branches and not task.ways):
            return self.leaf(task.step)
        node: dict[str, Any] = {
            "task_id": task.step.id,
            "name": task.step.description,
            "type": "compound",
            "ordering": task.step.ordering,
            "method": "",
            "alternatives": [],
            "not_taken": {},
            "open": not task.ways,
            "subtasks": [],
        }
        if not task.ways:
            return node
        way = way_of(task, chosen)
        return node | {
            "method": way.name,
            "alternatives": [one.name for one in task.ways if one.name != way.name],
            "not_taken": find_hindered(task, self.lookup, self.hindrance),
            "subtasks": [self.node(one, chosen) for one in way.tasks],
        }

    def leaf(self, step: Step) -> dict[str, Any]:
        """Return a call."""
        return {
            "task_id": step.id,
            "name": step.description,
            "type": "primitive",
            "ordering": step.ordering,
            "tool": step.tool,
            "input": dict(step.arguments),
            "preconditions": list(step.preconditions),
            "effects": list(step.effects),
            "branches": [{"when": when, "go": go} for when, go in step.branches],
            "cost": step.cost,
            "open": False,
            "hindrance": self.hindrance(step.tool) if step.tool else "",
        }


def _lines(node: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    mark = node.get("tool") or ("open" if node["open"] else node.get("method") or node["type"])
    lacking = f" ({node['hindrance']})" if node.get("hindrance") else ""
    yield f"{'  ' * depth}- {node['name']} [{mark}]{lacking}"
    for method, why in node.get("not_taken", {}).items():
        yield f"{'  ' * depth}  not {method}: {why}"
    for part in node.get("subtasks", ()):
        yield from _lines(part, depth + 1)
