"""Events with bounds on the time between them: consistency, and the time of each event.

A network of bounds is consistent if and only if its distance graph has no negative cycle (Dechter et al. 1991).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, prod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.problem import Finite, Name, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep


class Bound(ProblemPart):
    """A bound: `after` comes at least and at most so long after `before`; a missing bound is unlimited."""

    before: Name
    after: Name
    at_least: Finite | None = None
    at_most: Finite | None = None
    id: str = ""

    @model_validator(mode="after")
    def _bounds_something(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("a bound needs at_least, at_most or both")
        return self


class EventTimeline(ReasoningProblem):
    """Events with bounds on the time between them (Dechter, Meiri and Pearl 1991), in any one unit.

    Exactly one of the bounds of each list in `either` holds. Times are from `start`, which comes first.
    """

    kind: Literal["timeline"] = "timeline"
    start: Name = "start"
    bounds: tuple[Bound, ...] = ()
    either: tuple[Annotated[tuple[Bound, ...], Field(min_length=1)], ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "timeline",
        "bounds": [
            {"before": "start", "after": "design done", "at_least": 5, "at_most": 8},
            {"before": "design done", "after": "shipped", "at_least": 10},
            {"before": "start", "after": "shipped", "at_most": 20},
        ],
    }

    @model_validator(mode="after")
    def _has_bounds(self) -> Self:
        if not self.bounds and not self.either:
            raise ValueError("a timeline needs at least one bound")
        return self

    @property
    def events(self) -> tuple[str, ...]:
        """The events, with the start first."""
        every = [*self.bounds, *(one for choice in self.either for one in choice)]
        return tuple(dict.fromkeys((self.start, *(name for one in every for name in (one.before, one.after)))))


@dataclass(frozen=True, slots=True)
class TimeEdge:
    """An edge: `to` comes at most `weight` after `source`; `label` names the original bound."""

    source: int
    to: int
    weight: float
    label: int


def negative_cycle(count: int, edges: list[TimeEdge], budget: Budget) -> list[TimeEdge] | None:
    """Return the edges of a negative cycle, or None (Bellman and Ford, from all nodes at once)."""
    distance = [0.0] * count
    by: list[TimeEdge | None] = [None] * count
    last: TimeEdge | None = None
    for _ in range(count):
        last = None
        for one in budget.each(edges, every=256):
            if distance[one.source] + one.weight < distance[one.to] - 1e-9:
                distance[one.to] = distance[one.source] + one.weight
                by[one.to] = last = one
        if last is None:
            return None
    at = last.to if last else 0
    for _ in range(count):
        before = by[at]
        at = before.source if before else at
    cycle: list[TimeEdge] = []
    here = at
    while not cycle or here != at:
        before = by[here]
        if before is None:
            return None
        cycle.append(before)
        here = before.source
    return cycle[::-1]


def shortest(count: int, edges: Iterable[TimeEdge], budget: Budget) -> list[list[float]]:
    """Return the largest difference between any two points of a consistent network (Floyd and Warshall)."""
    table = [[0.0 if i == j else inf for j in range(count)] for i in range(count)]
    for one in edges:
        table[one.source][one.to] = min(table[one.source][one.to], one.weight)
    for middle in range(count):
        through = table[middle]
        for row in budget.each(table):
            first = row[middle]
            if first < inf:
                for to, second in enumerate(through):
                    row[to] = min(row[to], first + second)
    return table


MOST_EVENTS = 400
MOST_CHOICES = 12
"""Lists of bounds of which one holds; each may double the work."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The earliest and latest time of each event after the start (None: without end), and a schedule, the earliest.

    For an inconsistent timeline, `conflict` has the contradictory bounds: remove one.
    """

    consistent: bool
    window: dict[str, tuple[float, float | None]]
    conflict: tuple[str, ...]
    chosen: tuple[str, ...]


def estimate(problem: EventTimeline) -> float:
    """Return about how many milliseconds this takes."""
    ways = prod(map(len, problem.either))
    return 0.1 + 0.0003 * len(problem.events) ** 3 + 0.05 * min(ways, 4096)


def solve(problem: EventTimeline, budget: Budget) -> MethodResult[Schedule]:
    """Return whether the bounds are consistent and a schedule, else the conflicting bounds."""
    events = problem.events
    at_most(len(events), MOST_EVENTS, "events", argument="bounds")
    at_most(len(problem.either), MOST_CHOICES, "choices between bounds", argument="either")
    conflict: list[Bound] = []
    for chosen in _ways(problem.either):
        bounds = [*problem.bounds, *chosen]
        edges = list(_edges(problem, bounds))
        cycle = negative_cycle(len(events), edges, budget)
        if cycle is None:
            return _report_schedule(problem, bounds, chosen, shortest(len(events), edges, budget))
        conflict = conflict or [bounds[one.label] for one in cycle if one.label >= 0]
    told = tuple(dict.fromkeys(_describe_bound(one) for one in conflict))
    return MethodResult(
        "inconsistent",
        Schedule(False, {}, told, ()),
        "cannot all be: " + "; ".join(told),
        claims=(AnswerClaim("times", "consistent", False),),
        confidence=1.0,
        confidence_kind="proof",
        evidence=tuple(dict.fromkeys(one.id for one in conflict if one.id)),
        trace=tuple(TraceStep(_describe_bound(one), "bound", (one.id,) if one.id else ()) for one in conflict),
        witness=told,
    )


def _ways(either: Sequence[Sequence[Bound]]) -> Iterator[list[Bound]]:
    """Yield one bound of each list, in all ways."""
    if not either:
        yield []
        return
    for rest in _ways(either[1:]):
        for one in either[0]:
            yield [one, *rest]


def _edges(problem: EventTimeline, bounds: Sequence[Bound]) -> Iterator[TimeEdge]:
    """Yield the bounds as edges of the distance graph; every event comes no earlier than the start."""
    place = {name: number for number, name in enumerate(problem.events)}
    for name, number in place.items():
        if name != problem.start:
            yield TimeEdge(number, place[problem.start], 0.0, -1)
    for label, one in enumerate(bounds):
        i, j = place[one.before], place[one.after]
        if one.at_most is not None:
            yield TimeEdge(i, j, one.at_most, label)
        if one.at_least is not None:
            yield TimeEdge(j, i, -one.at_least, label)


def _report_schedule(
    problem: EventTimeline, bounds: Sequence[Bound], chosen: Sequence[Bound], table: list[list[float]]
) -> MethodResult[Schedule]:
    latest, earliest = table[0], [0.0 - row[0] for row in table]
    window = {
        name: (earliest[number] + 0.0, None if latest[number] == inf else latest[number])
        for number, name in enumerate(problem.events)
    }
    last = max(window, key=lambda name: window[name][0])
    return MethodResult(
        "computed",
        Schedule(True, window, (), tuple(_describe_bound(one) for one in chosen)),
        f"consistent; {last} at the earliest after {window[last][0]:g}",
        claims=(AnswerClaim("times", "consistent", True),),
        confidence=1.0,
        confidence_kind="proof",
        evidence=tuple(dict.fromkeys(one.id for one in bounds if one.id)),
        trace=tuple(
            TraceStep(f"{name}: {low:g} to {'any time' if high is None else f'{high:g}'}", "minimal network")
            for name, (low, high) in window.items()
        ),
        witness={name: low for name, (low, _) in window.items()},
    )


def _describe_bound(one: Bound) -> str:
    least = f"at least {one.at_least:g}" if one.at_least is not None else ""
    most = f"at most {one.at_most:g}" if one.at_most is not None else ""
    return f"{one.after} {' and '.join(filter(None, (least, most)))} after {one.before}"
