"""Temporal: whether times can be as they are said to be, and then when (Allen 1983; Dechter, Meiri and Pearl 1991)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.formal.times import Bound, Intervals, Timeline
from mabos.knowledge.reasoning.kernels import allen
from mabos.knowledge.reasoning.kernels.stn import Edge, negative_cycle, shortest
from mabos.knowledge.reasoning.result import Claim, Result, Step

MOST_INTERVALS = 60
MOST_EVENTS = 400
MOST_CHOICES = 12
"""Lists of bounds of which one holds; each may double the work."""


@dataclass(frozen=True, slots=True)
class Related:
    """A scenario with one relation for each pair, and all that may hold between the pair asked about."""

    consistent: bool
    scenario: tuple[tuple[str, str, str], ...]
    query: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Schedule:
    """The earliest and latest time of each event after the start (None: without end), and a schedule, the earliest.

    Of an inconsistent timeline `conflict` are the bounds that contradict each other: take one away.
    """

    consistent: bool
    window: dict[str, tuple[float, float | None]]
    conflict: tuple[str, ...]
    chosen: tuple[str, ...]


def estimate(problem: Intervals | Timeline) -> float:
    """Return the milliseconds this takes about."""
    if isinstance(problem, Intervals):
        return 10.0 + 0.01 * len(problem.names) ** 3
    ways = 1
    for choice in problem.either:
        ways *= len(choice)
    return 0.1 + 0.0003 * len(problem.events) ** 3 + 0.05 * min(ways, 4096)


def solve(problem: Intervals | Timeline, budget: Budget) -> Result[Related] | Result[Schedule]:
    """Return whether the times are consistent, a scenario or schedule, and else what contradicts what."""
    return _intervals(problem, budget) if isinstance(problem, Intervals) else _timeline(problem, budget)


def _intervals(problem: Intervals, budget: Budget) -> Result[Related]:
    names = problem.names
    at_most(len(names), MOST_INTERVALS, "intervals", argument="relations")
    place = {name: number for number, name in enumerate(names)}
    network = [[allen.ALL] * len(names) for _ in names]
    for number in range(len(names)):
        network[number][number] = allen.bit("equals")
    for one in problem.relations:
        i, j = place[one.first], place[one.second]
        network[i][j] &= sum(allen.bit(name) for name in set(one.relations))
        network[j][i] = allen.inverse(network[i][j])
    found = None if any(not row[i] for i, row in enumerate(network)) else allen.scenario(network, budget)
    if found is None:
        nothing = Related(False, (), None)
        return Result(
            "temporal", "inconsistent", nothing, "no intervals stand in these relations", claims=(_claim(False),)
        )
    possible = None
    if problem.query:
        possible = allen.names(_possible(network, place[problem.query[0]], place[problem.query[1]], budget))
    told = "these relations are consistent"
    if problem.query and possible is not None:
        told = f"{problem.query[0]} is {' or '.join(possible)} {problem.query[1]}"
    pairs = tuple(
        (a, allen.names(found[i][j])[0], b) for i, a in enumerate(names) for j, b in enumerate(names) if i < j
    )
    return Result(
        "temporal",
        "proved" if possible is not None and len(possible) == 1 else "computed",
        Related(True, pairs, possible),
        told,
        claims=(_claim(True),),
        confidence=1.0,
        confidence_kind="proof",
        trace=tuple(Step(f"{a} {relation} {b}", "scenario") for a, relation, b in pairs[:50]),
        witness=pairs,
    )


def _possible(network: allen.Network, i: int, j: int, budget: Budget) -> int:
    """Return every relation between two intervals that some consistent scenario has."""
    if i == j:
        return allen.bit("equals")
    possible = 0
    for name in allen.names(network[i][j]):
        tried = [list(row) for row in network]
        tried[i][j] = allen.bit(name)
        tried[j][i] = allen.inverse(tried[i][j])
        if allen.scenario(tried, budget) is not None:
            possible |= allen.bit(name)
    return possible


def _claim(consistent: bool) -> Claim:
    return Claim("times", "consistent", consistent)


def _timeline(problem: Timeline, budget: Budget) -> Result[Schedule]:
    events = problem.events
    at_most(len(events), MOST_EVENTS, "events", argument="bounds")
    at_most(len(problem.either), MOST_CHOICES, "choices between bounds", argument="either")
    conflict: list[Bound] = []
    for chosen in _ways(problem.either):
        bounds = [*problem.bounds, *chosen]
        edges = list(_edges(problem, bounds))
        cycle = negative_cycle(len(events), edges, budget)
        if cycle is None:
            return _scheduled(problem, bounds, chosen, shortest(len(events), edges, budget))
        conflict = conflict or [bounds[one.label] for one in cycle if one.label >= 0]
    told = tuple(dict.fromkeys(_said(one) for one in conflict))
    return Result(
        "temporal",
        "inconsistent",
        Schedule(False, {}, told, ()),
        "cannot all be: " + "; ".join(told),
        claims=(_claim(False),),
        confidence=1.0,
        confidence_kind="proof",
        evidence=tuple(dict.fromkeys(one.id for one in conflict if one.id)),
        trace=tuple(Step(_said(one), "bound", (one.id,) if one.id else ()) for one in conflict),
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


def _edges(problem: Timeline, bounds: Sequence[Bound]) -> Iterator[Edge]:
    """Yield the bounds as edges of the distance graph; every event comes no earlier than the start."""
    place = {name: number for number, name in enumerate(problem.events)}
    for name, number in place.items():
        if name != problem.start:
            yield Edge(number, place[problem.start], 0.0, -1)
    for label, one in enumerate(bounds):
        i, j = place[one.before], place[one.after]
        if one.at_most is not None:
            yield Edge(i, j, one.at_most, label)
        if one.at_least is not None:
            yield Edge(j, i, -one.at_least, label)


def _scheduled(
    problem: Timeline, bounds: Sequence[Bound], chosen: Sequence[Bound], table: list[list[float]]
) -> Result[Schedule]:
    latest, earliest = table[0], [0.0 - row[0] for row in table]
    window = {
        name: (earliest[number] + 0.0, None if latest[number] == inf else latest[number])
        for number, name in enumerate(problem.events)
    }
    last = max(window, key=lambda name: window[name][0])
    return Result(
        "temporal",
        "computed",
        Schedule(True, window, (), tuple(_said(one) for one in chosen)),
        f"consistent; {last} at the earliest after {window[last][0]:g}",
        claims=(_claim(True),),
        confidence=1.0,
        confidence_kind="proof",
        evidence=tuple(dict.fromkeys(one.id for one in bounds if one.id)),
        trace=tuple(
            Step(f"{name}: {low:g} to {'any time' if high is None else f'{high:g}'}", "minimal network")
            for name, (low, high) in window.items()
        ),
        witness={name: low for name, (low, _) in window.items()},
    )


def _said(one: Bound) -> str:
    least = f"at least {one.at_least:g}" if one.at_least is not None else ""
    most = f"at most {one.at_most:g}" if one.at_most is not None else ""
    return f"{one.after} {' and '.join(filter(None, (least, most)))} after {one.before}"
