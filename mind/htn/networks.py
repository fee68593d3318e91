"""Networks without nesting: the tasks in one row, and for each those it waits for."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from mabos.configs.errors import InvalidArgument
from mabos.mind.htn.model import Choice, Fact, Network, Ordering, Part


@dataclass(frozen=True, slots=True)
class TaskRow:
    """The tasks of a network, each after all it waits for; `waits` holds the places of those, one bit each."""

    calls: tuple[Fact, ...] = ()
    waits: tuple[int, ...] = ()

    @property
    def ordering(self) -> Ordering:
        """How the tasks follow each other; one task alone is a sequence."""
        if all(waits == (1 << place) - 1 for place, waits in enumerate(self.waits)):
            return "sequence"
        return "partial" if any(self.waits) else "parallel"


def row(part: Part, chosen: Callable[[Choice], Fact]) -> TaskRow:
    """Return `part` without nesting; `chosen` gives the task that stands for a choice.

    Raises `InvalidArgument` where a task would wait for itself.
    """
    if isinstance(part, tuple):
        return TaskRow((part,), (0,))
    if isinstance(part, Choice):
        return TaskRow((chosen(part),), (0,))
    rows = [row(one, chosen) for one in part.parts]
    calls: list[Fact] = []
    waits: list[int] = []
    begun: dict[int, int] = {}  # of each part so far the places of its tasks, or of what it waits for, being empty
    for place, earlier in _in_order(part):
        outer = 0
        for one in earlier:
            outer |= begun[one]
        start = len(calls)
        calls += rows[place].calls
        waits += [inner << start | outer for inner in rows[place].waits]
        begun[place] = outer | ((1 << len(rows[place].calls)) - 1) << start
    return TaskRow(tuple(calls), tuple(waits))


def _in_order(network: Network) -> Iterator[tuple[int, Collection[int]]]:
    """Yield the parts as they are written, but each after those it waits for, with those."""
    earlier: dict[int, set[int]] = {place: set() for place in range(len(network.parts))}
    for first, second in network.before:
        if first not in earlier or second not in earlier:
            raise InvalidArgument(f"the order ({first}, {second}) names a task that is not there", argument="before")
        earlier[second].add(first)
    todo, done = list(earlier), set[int]()
    while todo:
        place = next((one for one in todo if earlier[one] <= done), None)
        if place is None:
            raise InvalidArgument("the order goes round in a circle; a task would wait for itself", argument="before")
        todo.remove(place)
        done.add(place)
        yield place, earlier[place]
