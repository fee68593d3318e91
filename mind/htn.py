"""Compound tasks broken down until every leaf is a tool call (S3 7.1).

A goal is a compound task; its parts are what its description lists (`launch the tier, tell customers and ...`). The
methods of a compound task are the templates of the plan library: the best one that can start is taken, and its steps
are the primitive tasks.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from mind.conditions import Lookup
from mind.library import FITS, Library, Template, applicable, bound_steps, parameters
from mind.model import Ordering, Step
from mind.plans import END

_PARTS = re.compile(r"\s*(?:;|\n|,\s+(?:and|then)\s+|\s+and\s+then\s+|\s+then\s+|,\s+|\s+and\s+)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Task:
    """A node of the decomposition; `method` is the template that was chosen, `open` says that nothing fits yet."""

    task_id: str
    name: str
    type: Literal["compound", "primitive"]
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    preconditions: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    ordering: Ordering = "sequence"
    branches: tuple[tuple[str, str], ...] = ()
    cost: float = 0.0
    method: str = ""
    alternatives: tuple[str, ...] = ()
    subtasks: tuple["Task", ...] = ()
    open: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the node and all below it as JSON values."""
        node = {"task_id": self.task_id, "name": self.name, "type": self.type, "ordering": self.ordering}
        if self.type == "primitive":
            return node | {
                "tool": self.tool,
                "input": dict(self.arguments),
                "preconditions": list(self.preconditions),
                "effects": list(self.effects),
                "branches": [{"when": when, "go": go} for when, go in self.branches],
                "cost": self.cost,
            }
        return node | {
            "method": self.method,
            "alternatives": list(self.alternatives),
            "open": self.open,
            "subtasks": [task.as_json() for task in self.subtasks],
        }


def decompose(goal_text: str, library: Library, role: str, lookup: Lookup) -> Task:
    """Return the task tree for a goal; a part for which no template fits is an open compound task."""
    whole = _compound("t", goal_text, library, role, lookup)
    parts = [part for part in _PARTS.split(goal_text.strip(" .")) if len(part.split()) > 1]
    if len(parts) < 2:
        return whole
    subtasks = [_compound(f"t{number}", part, library, role, lookup) for number, part in enumerate(parts, 1)]
    methods = {task.method for task in subtasks if task.method}
    # Parts that only one method serves are one task with many words, not several.
    if len(methods) < 2 and whole.method:
        return whole
    return replace(whole, method="", alternatives=(), subtasks=tuple(subtasks), open=any(one.open for one in subtasks))


def primitives(task: Task) -> Iterator[Task]:
    """Yield the leaves of the tree in the order in which they are done."""
    if task.type == "primitive":
        yield task
    for part in task.subtasks:
        yield from primitives(part)


def steps_of(task: Task) -> tuple[Step, ...]:
    """Return the leaves of `task` as the steps of a plan."""
    return tuple(
        Step(
            id=leaf.task_id,
            description=leaf.name,
            tool=leaf.tool,
            arguments=leaf.arguments,
            preconditions=leaf.preconditions,
            effects=leaf.effects,
            ordering=leaf.ordering,
            branches=leaf.branches,
            cost=leaf.cost,
        )
        for leaf in primitives(task)
    )


def _compound(task_id: str, name: str, library: Library, role: str, lookup: Lookup) -> Task:
    found = [match for match in library.search(name, role) if match.score >= FITS]
    fitting = [match for match in found if applicable(match.template, lookup)]
    if not fitting:
        return Task(task_id, name, "compound", open=True)
    template = fitting[0].template
    return Task(
        task_id,
        name,
        "compound",
        method=template.name,
        alternatives=tuple(match.template.name for match in fitting[1:]),
        subtasks=_leaves(task_id, template, lookup),
    )


def _leaves(task_id: str, template: Template, lookup: Lookup) -> tuple[Task, ...]:
    return tuple(
        Task(
            f"{task_id}-{step.id}",
            step.description,
            "primitive",
            tool=step.tool,
            arguments=step.arguments,
            preconditions=step.preconditions,
            effects=step.effects,
            ordering=step.ordering,
            branches=tuple((when, go if go == END else f"{task_id}-{go}") for when, go in step.branches),
            cost=step.cost,
        )
        for step in bound_steps(template, parameters(template, lookup))
    )
