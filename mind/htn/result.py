"""The result of planning: the steps, the tree of tasks and methods, or why there is no plan."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from mabos.mind.htn.agenda import FORK, Cell
from mabos.mind.htn.failures import Failure
from mabos.mind.htn.model import Binding, Fact, Method, Operator, Ordering
from mabos.mind.htn.truth import conjuncts, render_condition
from mabos.mind.htn.unrolled import Entry

Status = Literal["found", "none", "out of budget"]


@dataclass(frozen=True, slots=True)
class TaskNode:
    """A task in the tree; a compound one has its method, the binding, and its children.

    `methods` are all methods of the task in order of preference; `waits` has a bit mask of predecessors for each child,
    `at` is the number of earlier steps in the plan.
    """

    id: str
    name: str
    arguments: tuple[Any, ...]
    at: int
    source: Operator | Method | None = None
    binding: Binding = field(default_factory=dict)
    ordering: Ordering = "sequence"
    waits: tuple[int, ...] = ()
    children: tuple["TaskNode", ...] = ()
    methods: tuple[Method, ...] = ()

    @property
    def task(self) -> Fact:
        """The task as a tuple."""
        return (self.name, *self.arguments)

    @property
    def is_primitive(self) -> bool:
        """Return whether the task is a step."""
        return isinstance(self.source, Operator)

    @property
    def method(self) -> str:
        """The name of the method that refined the task; empty for a step."""
        return self.source.name if isinstance(self.source, Method) else ""

    @property
    def cost(self) -> float:
        """The cost of the step, or of all steps below."""
        return sum(node.source.cost for node in leaves(self) if isinstance(node.source, Operator))

    @property
    def preconditions(self) -> tuple[str, ...]:
        """The preconditions of the step or its method, formatted for people."""
        return (
            tuple(render_condition(one, self.binding) for one in conjuncts(self.source.precondition))
            if self.source
            else ()
        )

    @property
    def effects(self) -> tuple[str, ...]:
        """The effects of the step, formatted for people."""
        effects = self.source.effects if isinstance(self.source, Operator) else ()
        return tuple(render_condition(effect, self.binding) for effect in effects)


@dataclass(frozen=True)
class Result:
    """A plan, or why there is none; `expanded` is the number of tasks examined.

    If the budget ran out, `why` is the furthest failure so far, and a larger budget may find a plan.
    """

    status: Status
    plan: tuple[Fact, ...] = ()
    why: Failure | None = None
    expanded: int = 0
    trace: Sequence[Entry] = field(default=(), repr=False)

    def __bool__(self) -> bool:
        return self.status == "found"

    @cached_property
    def root(self) -> TaskNode:
        """The node above all tasks of the problem."""
        return _tree(self.trace)

    @property
    def tree(self) -> tuple[TaskNode, ...]:
        """The nodes of the problem's tasks, in the order of the problem."""
        return self.root.children

    @cached_property
    def steps(self) -> tuple[TaskNode, ...]:
        """The nodes of the plan's steps, in order of execution."""
        return tuple(sorted((leaf for node in self.tree for leaf in leaves(node)), key=lambda leaf: leaf.at))


def walk(node: TaskNode) -> Iterator[TaskNode]:
    """Yield a node and all below it, a parent before its children."""
    todo = [node]
    while todo:
        one = todo.pop()
        yield one
        todo.extend(reversed(one.children))


def leaves(node: TaskNode) -> Iterator[TaskNode]:
    """Yield the steps below a node, or the node itself if it is a step."""
    return (one for one in walk(node) if one.is_primitive)


def _tree(trace: Sequence[Entry]) -> TaskNode:
    """Return the node of the first task: every other was put on the agenda by one before it."""
    if not trace:
        return TaskNode("", "", (), 0)
    made: dict[int, TaskNode] = {}
    at = sum(1 for entry in trace if entry[1] is None)
    for number in range(len(trace) - 1, -1, -1):
        cell, way, environment, after = trace[number]
        task, arguments = cell[0], cell[1]
        name = f"t{number}"
        if way is None:
            at -= 1
            binding = dict(zip((one for one, _ in task.operator.parameters), arguments, strict=True))
            made[id(cell)] = TaskNode(name, task.name, arguments, at, task.operator, binding)
            continue
        row = way.row
        children = tuple(made[id(one)] for one in _children(after, len(row.calls)))
        ordering: Ordering = "choice" if task.is_choice else row.ordering
        binding = way.binding(environment)
        made[id(cell)] = TaskNode(
            name, task.name, arguments, at, way.method, binding, ordering, row.waits, children, task.methods
        )
    return made[id(trace[0][0])]


def _children(after: Cell | None, count: int) -> Iterator[Cell]:
    if after is not None and after[0] is FORK:
        yield from after[1].cells
        return
    for _ in range(count):
        if after is not None:
            yield after
            after = after[2]
