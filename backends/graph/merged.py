"""Two copies of one graph read as one: for shared entries the newer revision wins (the read-merge of S0 12).

Useful if others write into the copy too, for example MABOS on another machine. An entry deleted in one and present in
the other is shown, since it looks like one the first has never had. An edge is found if one of them holds it with both
ends.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from mabos.backends.graph.conditions import meets
from mabos.backends.graph.model import EVERYTHING, Direction, Edge, GraphStep, GraphView, Node, NodeCondition
from mabos.backends.graph.tier import Readable

Thing = TypeVar("Thing", Node, Edge)


class MergedGraph:
    """A reader of both graphs; raises `Unavailable` if either is unreachable."""

    def __init__(self, one: Readable, other: Readable) -> None:
        self._both = (one, other)

    def fetch(self, uids: Sequence[str], view: GraphView = EVERYTHING) -> list[Node]:
        """Return the visible nodes with these ids, without duplicates, in the order given."""
        newest = self._nodes(uids)
        return [newest[uid] for uid in dict.fromkeys(uids) if uid in newest and view.shows(newest[uid])]

    def find(
        self,
        types: Sequence[str] = (),
        where: Sequence[NodeCondition] = (),
        view: GraphView = EVERYTHING,
        *,
        limit: int = 1000,
    ) -> list[Node]:
        """Return the nodes of any of `types` that meet every condition, by uid."""
        found = {node.uid for keeper in self._both for node in keeper.find(types, where, view, limit=limit)}
        shown = self.fetch(sorted(found), view)
        return [node for node in shown if (not types or node.type in types) and meets(node, where)][:limit]

    def expand(
        self,
        uids: Sequence[str],
        direction: Direction = "both",
        types: Sequence[str] = (),
        view: GraphView = EVERYTHING,
    ) -> list[GraphStep]:
        """Return every valid edge between these nodes and others if both are visible."""
        steps = [step for keeper in self._both for step in keeper.expand(uids, direction, types)]
        edges = _newest(step.edge for step in steps)
        nodes = self._nodes([uid for step in steps for uid in (step.origin, step.node.uid)])
        found = {
            (step.origin, step.edge.uid): replace(step, node=nodes[step.node.uid])
            for step in steps
            if step.edge.revision == edges[step.edge.uid].revision
            and view.holds(step.edge)
            # A node may have gone since its edge was found: others write meanwhile.
            and all(uid in nodes and view.shows(nodes[uid]) for uid in (step.origin, step.node.uid))
        }
        return sorted(found.values(), key=lambda step: (step.origin, step.edge.type, step.node.uid, step.edge.uid))

    def _nodes(self, uids: Sequence[str]) -> dict[str, Node]:
        return _newest(node for keeper in self._both for node in keeper.fetch(uids))


def _newest(versions: Iterable[Thing]) -> dict[str, Thing]:
    """Return of each node or edge the newest version, of equals the first."""
    found = dict[str, Thing]()
    for one in versions:
        if one.uid not in found or one.revision > found[one.uid].revision:
            found[one.uid] = one
    return found
