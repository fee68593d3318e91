"""Linear patterns over any graph keeper: typed nodes joined by typed edges, returned as rows.

    match(tier, GraphPattern(
        spots=(PatternSpot("belief", ("Belief",)), PatternSpot("goal", ("Goal",)), PatternSpot("plan", ("Plan",))),
        hops=(Hop(("SUPPORTS",)), Hop(("REQUIRES",))),
        returns=("goal.name", "plan.name"),
    ))    # [{"goal.name": "Nine months of runway", "plan.name": "Cut the contract"}, ...]

As in Cypher, a node may occur twice in a match, an edge only once.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import orjson

from mabos.backends.graph.conditions import meets, value_of
from mabos.backends.graph.model import EVERYTHING, OPPOSITE, Direction, GraphStep, GraphView, Node, NodeCondition
from mabos.backends.graph.tier import Readable
from mabos.configs.errors import InvalidArgument

COUNT = "count"
_MOST_WAYS = 100_000


@dataclass(frozen=True, slots=True)
class PatternSpot:
    """A node of a pattern: its name in the pattern, its allowed types, and its conditions."""

    name: str
    types: tuple[str, ...] = ()
    where: tuple[NodeCondition, ...] = ()

    def suits(self, node: Node) -> bool:
        """Return whether the node fits this spot."""
        return (not self.types or node.type in self.types) and meets(node, self.where)


@dataclass(frozen=True, slots=True)
class Hop:
    """An edge of a pattern, from the spot before it to the one after it."""

    types: tuple[str, ...] = ()
    direction: Direction = "out"


@dataclass(frozen=True, slots=True)
class GraphPattern:
    """The pattern to find, and its output columns.

    `returns` names columns as `spot.property`, where `uid`, `type` and `name` are properties too. With `is_counted`
    equal rows are one, with their number in `count`. `order` names columns, with `-` for descending ones.
    """

    spots: tuple[PatternSpot, ...]
    hops: tuple[Hop, ...]
    returns: tuple[str, ...]
    is_counted: bool = False
    order: tuple[str, ...] = ()
    limit: int = 100


@dataclass(frozen=True, slots=True)
class _PatternMatch:
    nodes: tuple[Node, ...]
    edges: tuple[str, ...] = ()


def match(tier: Readable, pattern: GraphPattern, view: GraphView = EVERYTHING) -> list[dict[str, Any]]:
    """Return a row for every match of the pattern; unordered rows are sorted by the uids along the way.

    Raises `InvalidArgument` for an inconsistent pattern, or one with too many matches.
    """
    _check(pattern)
    names = [spot.name for spot in pattern.spots]
    columns = [(column, *column.split(".", 1)) for column in pattern.returns]
    ways = sorted(_ways(tier, pattern, view), key=lambda way: ([node.uid for node in way.nodes], way.edges))
    rows = [{column: value_of(way.nodes[names.index(spot)], one) for column, spot, one in columns} for way in ways]
    if pattern.is_counted:
        rows = _count_rows(rows)
    for order in reversed(pattern.order):
        rows.sort(key=_ranked_by(order.removeprefix("-")), reverse=order.startswith("-"))
    return rows[: pattern.limit]


def _ways(tier: Readable, pattern: GraphPattern, view: GraphView) -> list[_PatternMatch]:
    """Walk from the end with more conditions on its node; matches are listed from the first spot on."""
    spots, hops = pattern.spots, pattern.hops
    is_backward = len(spots[-1].where) > len(spots[0].where)
    if is_backward:
        spots, hops = spots[::-1], tuple(Hop(hop.types, OPPOSITE[hop.direction]) for hop in reversed(hops))
    starts = tier.find(spots[0].types, spots[0].where, view, limit=_MOST_WAYS + 1)
    ways = _limit_matches(_PatternMatch((node,)) for node in starts)
    for hop, spot in zip(hops, spots[1:], strict=True):
        steps = _by_origin(tier.expand(sorted({way.nodes[-1].uid for way in ways}), hop.direction, hop.types, view))
        ways = _limit_matches(
            _PatternMatch((*way.nodes, step.node), (*way.edges, step.edge.uid))
            for way in ways
            for step in steps.get(way.nodes[-1].uid, ())
            if step.edge.uid not in way.edges and spot.suits(step.node)
        )
    return [_PatternMatch(way.nodes[::-1], way.edges[::-1]) for way in ways] if is_backward else ways


def _limit_matches(ways: Iterator[_PatternMatch]) -> list[_PatternMatch]:
    found = list(islice(ways, _MOST_WAYS + 1))
    if len(found) > _MOST_WAYS:
        raise InvalidArgument(f"the pattern has more than {_MOST_WAYS:,} matches; add types or conditions")
    return found


def _by_origin(steps: Sequence[GraphStep]) -> Mapping[str, Sequence[GraphStep]]:
    found = dict[str, list[GraphStep]]()
    for step in steps:
        found.setdefault(step.origin, []).append(step)
    return found


def _count_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    texts = [orjson.dumps(row) for row in rows]
    return [{**orjson.loads(text), COUNT: number} for text, number in Counter(texts).items()]


def _ranked_by(column: str) -> Callable[[Mapping[str, Any]], tuple[int, Any]]:
    return lambda row: _rank(row[column])


def _rank(value: Any) -> tuple[int, Any]:
    """Return a sort key for values of any kind: truth values, numbers, text, all else as JSON, and None last."""
    if isinstance(value, bool | int | float):
        return (0 if isinstance(value, bool) else 1, value)
    if value is None:
        return (4, 0)
    return (2, value) if isinstance(value, str) else (3, orjson.dumps(value))


def _check(pattern: GraphPattern) -> None:
    names = [spot.name for spot in pattern.spots]
    if not names or len(pattern.hops) != len(names) - 1 or len(set(names)) < len(names):
        raise InvalidArgument(f"{len(names)} spots need unique names and a hop between each two", argument="spots")
    for column in pattern.returns:
        if column.partition(".")[0] not in names or not column.partition(".")[2]:
            raise InvalidArgument(f"no column {column!r}; name a spot and a property, as '{names[0]}.name'")
    told = {*pattern.returns, *([COUNT] if pattern.is_counted else [])}
    for column in pattern.order:
        if column.removeprefix("-") not in told:
            raise InvalidArgument(f"cannot order by {column!r}; found {', '.join(sorted(told))}", argument="order")
