"""Traversal and shortest paths over any keeper of a graph: all tiers answer alike, for they are only asked to expand.

A node is reached over the shortest path there is; among equally long ones the previous node has the smallest uid, and
among edges from there the smallest. What may not be seen, or is not valid at the time looked at,
is never walked through.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from backends.graph.model import DEEPEST, EVERYTHING, OPPOSITE, Direction, Edge, Node, Step, Strategy, View
from backends.graph.tier import GraphTier
from configs.errors import InvalidArgument


@dataclass(frozen=True, slots=True)
class Reached:
    """A node that was found, how many hops away, and the edges that lead to it."""

    node: Node
    depth: int
    path: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class Traversed:
    """What a traversal found.

    `edges` are all that were walked between starts, hits and what lies on the way to them, by uid; `is_cut` says that
    more would have been found without the limit.
    """

    hits: tuple[Reached, ...]
    edges: tuple[Edge, ...]
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Path:
    """A way from one node to another: one node more than edges."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def traverse(
    tier: GraphTier,
    starts: Sequence[str],
    *,
    strategy: Strategy = "bfs",
    direction: Direction = "out",
    edge_types: Sequence[str] = (),
    node_types: Sequence[str] = (),
    depth: int = 3,
    view: View = EVERYTHING,
    limit: int = 1000,
) -> Traversed:
    """Return what is reached from `starts` in at most `depth` hops, the starts left out.

    `node_types` restricts what is returned, not what is walked through. `bfs` lists by hops, then uid; `dfs` lists the
    same hits each after the node before it on its path. Raises `InvalidArgument` for a depth that is not possible.
    """
    _check_depth(depth)
    roots = sorted(node.uid for node in tier.fetch(starts, view))
    tree, walked, hits = _Tree(roots), dict[str, Edge](), list[str]()
    frontier = roots
    for _ in range(depth):
        steps = tier.expand(frontier, direction, edge_types, view) if frontier else []
        walked.update((step.edge.uid, step.edge) for step in steps)
        frontier = tree.grown(steps)
        hits += [uid for uid in frontier if not node_types or tree.steps[uid].node.type in node_types]
        if len(hits) > limit:
            break
    kept = hits[:limit]
    found = [tree.reached(uid) for uid in (tree.preorder(kept) if strategy == "dfs" else kept)]
    on_the_way = tree.with_ways(kept) | set(roots)
    edges = [edge for _, edge in sorted(walked.items()) if edge.start in on_the_way and edge.end in on_the_way]
    return Traversed(tuple(found), tuple(edges), len(hits) > limit)


def shortest_path(
    tier: GraphTier,
    start: str,
    end: str,
    *,
    direction: Direction = "out",
    edge_types: Sequence[str] = (),
    depth: int = DEEPEST,
    view: View = EVERYTHING,
) -> Path | None:
    """Return a shortest path of at most `depth` hops, always the same one; None if there is none.

    Searched from both ends, each time from the one with fewer nodes to expand.
    """
    _check_depth(depth)
    nodes = {node.uid: node for node in tier.fetch([start, end], view)}
    if len(nodes) < len({start, end}):
        return None
    there, back = _Tree([start]), _Tree([end])
    fronts: list[list[str]] = [[start], [end]]
    ways: list[Direction] = [direction, OPPOSITE[direction]]
    meeting = {start} & {end}  # where both searches have been
    for _ in range(depth):
        if meeting or not all(fronts):
            break
        side = 0 if len(fronts[0]) <= len(fronts[1]) else 1
        fronts[side] = (there, back)[side].grown(tier.expand(fronts[side], ways[side], edge_types, view))
        meeting = set(fronts[side]) & (back, there)[side].uids
    if not meeting:
        return None
    first, last = there.way(min(meeting)), back.way(min(meeting))[::-1]
    found = [nodes[start], *(step.node for step in first), *(back.node(step.origin) or nodes[end] for step in last)]
    return Path(tuple(found), tuple(step.edge for step in (*first, *last)))


def _check_depth(depth: int) -> None:
    if not 1 <= depth <= DEEPEST:
        raise InvalidArgument(f"depth {depth} is not possible; use 1 to {DEEPEST}", argument="depth")


@dataclass(slots=True)
class _Tree:
    """The steps over which nodes were reached first, from several roots."""

    roots: Sequence[str]
    steps: dict[str, Step] = field(default_factory=dict)

    @property
    def uids(self) -> set[str]:
        return self.steps.keys() | set(self.roots)

    def grown(self, steps: Iterable[Step]) -> list[str]:
        """Take in the next level and return the uids that are new, sorted."""
        new = dict[str, Step]()
        for step in sorted(steps, key=lambda step: (step.origin, step.edge.uid)):
            if step.node.uid not in self.steps and step.node.uid not in self.roots:
                new.setdefault(step.node.uid, step)
        self.steps |= new
        return sorted(new)

    def node(self, uid: str) -> Node | None:
        return self.steps[uid].node if uid in self.steps else None

    def way(self, uid: str) -> list[Step]:
        """Return the steps from a root to a node."""
        steps = list[Step]()
        while uid in self.steps:
            steps.append(self.steps[uid])
            uid = self.steps[uid].origin
        return steps[::-1]

    def reached(self, uid: str) -> Reached:
        way = self.way(uid)
        return Reached(way[-1].node, len(way), tuple(step.edge for step in way))

    def with_ways(self, uids: Iterable[str]) -> set[str]:
        """Return these nodes and all on the way to them."""
        return {node for uid in uids for node in (uid, *(step.node.uid for step in self.way(uid)))}

    def preorder(self, uids: Sequence[str]) -> list[str]:
        """Return these nodes, each after those on the way to it and before what lies beside it."""
        ways = {uid: self.way(uid) for uid in uids}
        return sorted(uids, key=lambda uid: [ways[uid][0].origin, *(step.node.uid for step in ways[uid])])
