"""The agenda of open tasks, as linked immutable cells: going back to an earlier agenda costs nothing.

A cell is `(task, arguments, rest, signature)`; equal agendas have equal signatures. For unordered tasks a cell of
`FORK` starts several lines of work, and each ends in a cell of `JOINED`.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from mabos.mind.htn.matching import Environment, Getter
from mabos.mind.htn.model import TaskRow

Cell: TypeAlias = tuple[Any, Any, Any, int]
Enter: TypeAlias = Callable[[Environment, Cell], Cell]


class _NamedTask(Protocol):
    name: str


Parts: TypeAlias = Sequence[tuple[_NamedTask, Getter]]
"""Tasks made ready, each with what gives its arguments."""


class AgendaMark:
    """A marker in a cell, in place of a task."""

    def __init__(self, name: str) -> None:
        self.name = name


FORK, JOINED, END = AgendaMark("fork"), AgendaMark("joined"), AgendaMark("end")
NOTHING: Cell = (END, (), None, 0)


class Join:
    """Partially ordered tasks: those done, the order between them, and the agenda that follows them all."""

    __slots__ = ("cells", "done", "rest", "row")

    def __init__(self, row: TaskRow, rest: Cell) -> None:
        self.row, self.rest, self.done = row, rest, 0
        self.cells: tuple[Cell, ...] = ()

    def start(self) -> tuple[Cell, ...]:
        """Return the tasks without predecessors."""
        return tuple(cell for cell, waits in zip(self.cells, self.row.waits, strict=True) if not waits)

    def after(self, place: int) -> tuple[Cell, ...]:
        """Return the cells that may start after `place` was done last: tasks, or the rest after all of them."""
        if self.done == (1 << len(self.cells)) - 1:
            return (self.rest,)
        return tuple(
            cell
            for cell, waits in zip(self.cells, self.row.waits, strict=True)
            if waits >> place & 1 and not waits & ~self.done
        )


def is_within(cell: Cell, above: Cell) -> bool:
    """Return whether a task came from refining `above`; then tasks after that one also follow this one."""
    after = cell[2]
    while after is not None:
        if after is above[2]:
            return True
        after = after[1][0].rest if after[0] is JOINED else after[2]
    return False


def chain(parts: Parts) -> Enter:
    """Return a function that puts tasks in sequence before the rest of an agenda."""
    backwards = [(task, task.name, arguments_of) for task, arguments_of in reversed(parts)]

    def enter(environment: Environment, rest: Cell) -> Cell:
        for task, name, arguments_of in backwards:
            arguments = arguments_of(environment)
            rest = (task, arguments, rest, hash((name, arguments, rest[3])))
        return rest

    return enter


def fork(parts: Parts, row: TaskRow) -> Enter:
    """Return a function that puts partially ordered tasks before the rest of an agenda."""

    own = hash(row)

    def enter(environment: Environment, rest: Cell) -> Cell:
        join = Join(row, rest)
        signature = hash((own, environment, rest[3]))
        cells = []
        for place, (task, arguments_of) in enumerate(parts):
            end = (JOINED, (join, place), None, hash((signature, place)))
            arguments = arguments_of(environment)
            cells.append((task, arguments, end, hash((task.name, arguments, end[3]))))
        join.cells = tuple(cells)
        return FORK, join, rest, signature

    return enter
