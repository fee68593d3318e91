"""Traversal and shortest paths over any graph tier, built on `expand` alone, so that all tiers answer alike.

Each node is reached by a shortest path; ties are broken by the smallest uid of the previous node, then of the edge.
Hidden nodes, and those invalid at the view's time, are never walked through.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mabos.backends.graph.model import (
    DEEPEST,
    EVERYTHING,
    OPPOSITE,
    Direction,
    Edge,
    GraphStep,
    GraphView,
    Node,
    Strategy,
)
from mabos.backends.graph.tier import Readable
from mabos.configs.errors import InvalidArgument

_TOGETHER = 50  # nodes expanded at once in search of a path: the other end is often met before a level is whole


@dataclass(frozen=True, slots=True)
class Reached:
    """A node that was found, its distance in hops, and the edges that lead to it."""

    node: Node
    depth: int
    path: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Traversed:
    """The result of a traversal.

    `edges` are all edges walked between starts, hits and the nodes in between, by uid; `is_cut` means that the limit
    left out further hits.
    """

    hits: tuple[Reached, ...]
    edges: tuple[Edge, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Path:
    """A path from one node to another, with one node more than edges."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def traverse(
    tier: Readable,
    starts: Sequence[str],
    *,
    strategy: Strategy = "bfs",
    direction: Direction = "out",
    edge_types: Sequence[str] = (),
    node_types: Sequence[str] = (),
    depth: int = 3,
    view: GraphView = EVERYTHING,
    limit: int = 1000,
) -> Traversed:
    """Return the nodes within `depth` hops of `starts`, without the starts.

    `node_types` restricts the results, not the nodes on the way. `bfs` lists by hops, then uid; `dfs` lists the same
    hits each after the node before it on its path. Raises `InvalidArgument` for an impossible depth.
    """
    _check_depth(depth)
    roots = sorted(node.uid for node in tier.fetch(starts, view))
    tree, walked, hits = _PathTree(roots), dict[str, Edge](), list[str]()
    frontier = roots
    for _ in range(depth):
        steps = tier.expand(frontier, direction, edge_types, view) if frontier else []
        walked.update((step.edge.uid, step.edge) for step in steps)
        frontier = tree.grown(steps)
        hits += [uid for uid in frontier if not node_types or tree.ways[uid][-1].node.type in node_types]
        if len(hits) > limit:
            break
    kept = hits[:limit]
    found = [tree.trace_path(uid) for uid in (tree.preorder(kept) if strategy == "dfs" else kept)]
    on_the_way = {step.node.uid for uid in kept for step in tree.ways[uid]} | set(roots)
    edges = [edge for _, edge in sorted(walked.items()) if edge.start in on_the_way and edge.end in on_the_way]
    return Traversed(tuple(found), tuple(edges), len(hits) > limit)


def shortest_path(
    tier: Readable,
    start: str,
    end: str,
    *,
    direction: Direction = "out",
    edge_types: Sequence[str] = (),
    depth: int = DEEPEST,
    view: GraphView = EVERYTHING,
) -> Path | None:
    """Return a shortest path of at most `depth` hops, chosen deterministically, or None.

    It searches from both ends, each time from the one with fewer nodes to expand, until the searches meet.
    """
    _check_depth(depth)
    nodes = {node.uid: node for node in tier.fetch([start, end], view)}
    if len(nodes) < len({start, end}):
        return None
    there, back = _PathTree([start]), _PathTree([end])
    sides = [(there, direction, back), (back, OPPOSITE[direction], there)]
    fronts = [[start], [end]]
    meeting = {start} & {end}  # where both searches have been
    for _ in range(depth):
        if meeting or not all(fronts):
            break
        side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
        (tree, way, other), front = sides[side], fronts[side]
        fronts[side] = []
        for first in range(0, len(front), _TOGETHER):
            new = tree.grown(tier.expand(front[first : first + _TOGETHER], way, edge_types, view))
            fronts[side] += new
            if meeting := {uid for uid in new if uid in other.ways}:
                break
    if not meeting:
        return None
    out, home = there.ways[min(meeting)], back.ways[min(meeting)][::-1]
    origins = [back.ways[step.origin] for step in home]
    found = [nodes[start], *(step.node for step in out), *(way[-1].node if way else nodes[end] for way in origins)]
    return Path(tuple(found), tuple(step.edge for step in (*out, *home)))


def _check_depth(depth: int) -> None:
    if not 1 <= depth <= DEEPEST:
        raise InvalidArgument(f"depth {depth} is not possible; use 1 to {DEEPEST}", argument="depth")


class _PathTree:
    """The ways over which nodes were reached first, from several roots."""

    def __init__(self, roots: Iterable[str]) -> None:
        self.ways: dict[str, tuple[GraphStep, ...]] = dict.fromkeys(roots, ())

    def grown(self, steps: Iterable[GraphStep]) -> list[str]:
        """Take in the next level and return the uids that are new, sorted."""
        new = dict[str, GraphStep]()
        for step in steps:
            uid = step.node.uid
            if uid not in self.ways and (uid not in new or _rank(step) < _rank(new[uid])):
                new[uid] = step
        self.ways |= {uid: (*self.ways[step.origin], step) for uid, step in new.items()}
        return sorted(new)

    def trace_path(self, uid: str) -> Reached:
        """Return a node with the way to it."""
        way = self.ways[uid]
        return Reached(way[-1].node, len(way), tuple([step.edge for step in way]))

    def preorder(self, uids: Iterable[str]) -> list[str]:
        """Return these nodes, each after those on the way to it and before its siblings."""
        return sorted(uids, key=lambda uid: [self.ways[uid][0].origin, *(step.node.uid for step in self.ways[uid])])


def _rank(step: GraphStep) -> tuple[str, str]:
    return step.origin, step.edge.uid
