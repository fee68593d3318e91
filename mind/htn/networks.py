"""Networks without nesting: the tasks in one row, and every pair of which one waits for the other."""

from collections.abc import Callable
from dataclasses import dataclass

from configs.errors import InvalidArgument
from mind.htn.model import Choice, Fact, Network, Ordering, Part

Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Row:
    """The tasks of a network; `before` holds every pair of positions of which the first is done before the second."""

    calls: tuple[Fact, ...] = ()
    before: Pairs = frozenset()

    @property
    def ordering(self) -> Ordering:
        """How the tasks follow each other; one task alone is a sequence."""
        pairs = len(self.calls) * (len(self.calls) - 1) // 2
        if len(self.before) == pairs:
            return "sequence"
        return "partial" if self.before else "parallel"

    def sorted(self) -> "Row":
        """Return the same with each task after all it waits for, otherwise as written."""
        waits = [sum(1 for _, after in self.before if after == place) for place in range(len(self.calls))]
        order = sorted(range(len(self.calls)), key=waits.__getitem__)
        rank = {place: number for number, place in enumerate(order)}
        return Row(tuple(self.calls[place] for place in order), frozenset((rank[a], rank[b]) for a, b in self.before))


def row(part: Part, chosen: Callable[[Choice], Fact]) -> Row:
    """Return `part` without nesting; `chosen` gives the task that stands for a choice."""
    if isinstance(part, tuple):
        return Row((part,))
    if isinstance(part, Choice):
        return Row((chosen(part),))
    rows = [row(one, chosen) for one in part.parts]
    starts = [sum(len(one.calls) for one in rows[:place]) for place in range(len(rows))]
    spans = [range(start, start + len(one.calls)) for start, one in zip(starts, rows, strict=True)]
    inner = {(a + start, b + start) for start, one in zip(starts, rows, strict=True) for a, b in one.before}
    order = closed(frozenset(part.before), part)
    outer = {(a, b) for first, second in order for a in spans[first] for b in spans[second]}
    return Row(tuple(call for one in rows for call in one.calls), frozenset(inner | outer))


def closed(before: Pairs, network: Network) -> Pairs:
    """Return every pair that follows from `before`; raises `InvalidArgument` where a task would wait for itself."""
    after: dict[int, set[int]] = {place: set() for place in range(len(network.parts))}
    for first, second in before:
        if first not in after or second not in after:
            raise InvalidArgument(f"the order ({first}, {second}) names a task that is not there", argument="before")
        after[first].add(second)
    for middle, beyond in after.items():
        for reached in after.values():
            if middle in reached:
                reached.update(beyond)
    if any(place in reached for place, reached in after.items()):
        raise InvalidArgument("the order goes round in a circle; a task would wait for itself", argument="before")
    return frozenset((first, second) for first, reached in after.items() for second in reached)
