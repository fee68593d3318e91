"""A batch of changes to Neo4j in one transaction: newer ones are written, older ones ignored."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from mabos.backends.graph import cypher, neo4j_rows
from mabos.backends.graph.changes import chunks
from mabos.backends.graph.model import Edge, Gone, GraphBatch, Node

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

_CHUNK = 1000
Item = TypeVar("Item")
Key = TypeVar("Key", bound=str | tuple[str, ...])
Row = dict[str, Any]


@dataclass(slots=True)
class Neo4jChanges:
    """A writer under the lock of a business: data it reads stays current until everything is written."""

    within: "ManagedTransaction"
    business: str

    def apply(self, batch: GraphBatch) -> int:
        """Write the newer changes, nodes first, and return how many there were."""
        types = sorted({edge.type for edge in batch.edges})
        known = self.within.run(cypher.LOCK, business=self.business, types=types).single(strict=True)["types"]
        changed = self._nodes(_last(batch.nodes), [one for one in batch.gone if one.kind == "node"])
        changed += self._edges(_last(batch.edges), [one for one in batch.gone if one.kind == "edge"], known)
        return changed

    def _nodes(self, nodes: Mapping[str, Node], gone: Sequence[Gone]) -> int:
        uids = [*nodes, *(one.uid for one in gone)]
        held = {row["uid"]: row for row in self._run(cypher.HELD_NODES, uids=uids)}
        last = self._read_removals("node", uids) | _revisions(held)
        newer = [node for node in nodes.values() if node.revision > last.get(node.uid, -1)]
        labels = {node.uid: cypher.labels_of(node, self.business) for node in newer}
        self._unlabel(held[node.uid] | {"wanted": labels[node.uid]} for node in newer if node.uid in held)
        for wanted, some in _group_items(newer, lambda node: labels[node.uid]):
            self._run(cypher.put_nodes(wanted), rows=[neo4j_rows.node_row(node, self.business) for node in some])
        leaving = [one for one in gone if one.revision > last.get(one.uid, -1)]
        self._note("node", leaving)
        there = [one.uid for one in leaving if one.uid in held]
        self._run(cypher.DROP_NODES, uids=there)
        return len(newer) + len(there)

    def _unlabel(self, rows: Iterable[Row]) -> None:
        for stale, some in _group_items(rows, lambda row: cypher.stale_labels(row, row["wanted"])):
            if stale:
                self._run(cypher.unlabel(stale), uids=[row["uid"] for row in some])

    def _edges(self, edges: Mapping[str, Edge], gone: Sequence[Gone], types: Sequence[str]) -> int:
        uids = [*edges, *(one.uid for one in gone)]
        held = {row["uid"]: row for row in self._run(cypher.held_edges(types), uids=uids)} if types else {}
        last = self._read_removals("edge", uids) | _revisions(held)
        newer = [edge for edge in edges.values() if edge.revision > last.get(edge.uid, -1)]
        ends = {end for edge in newer for end in (edge.start, edge.end)}
        there = {row["uid"] for row in self._run(cypher.THERE, uids=sorted(ends))}
        leaving = [one for one in gone if one.revision > last.get(one.uid, -1)]
        self._note("edge", leaving)
        ended = [held[one.uid] for one in leaving if one.uid in held]
        same = [edge for edge in newer if _is_there(edge, held.get(edge.uid))]
        others = [edge for edge in newer if not _is_there(edge, held.get(edge.uid))]
        moved = [edge for edge in others if edge.uid in held]
        self._drop([*ended, *(held[edge.uid] for edge in moved)])
        self._put(cypher.change_edges, same)
        added = [edge for edge in others if {edge.start, edge.end} <= there]
        early = [edge for edge in others if not {edge.start, edge.end} <= there]  # told again when its end arrives
        self._note("edge", [Gone(edge.uid, "edge", edge.revision - 1) for edge in early])
        self._put(cypher.add_edges, added)
        return len({edge.uid for edge in (*added, *moved, *same)}) + len(ended)

    def _put(self, statement: Callable[[str], str], edges: Sequence[Edge]) -> None:
        for type_, some in _group_items(edges, lambda edge: edge.type):
            self._run(statement(type_), rows=[neo4j_rows.edge_row(edge, self.business) for edge in some])

    def _drop(self, held: Sequence[Row]) -> None:
        for type_, some in _group_items(held, lambda row: str(row["type"])):
            self._run(cypher.drop_edges(type_), uids=[row["uid"] for row in some])

    def _read_removals(self, kind: Literal["node", "edge"], uids: Sequence[str]) -> dict[str, int]:
        return {row["uid"]: row["revision"] for row in self._run(cypher.GONE, kind=kind, uids=uids)}

    def _note(self, kind: Literal["node", "edge"], gone: Sequence[Gone]) -> None:
        rows = [{"uid": one.uid, "revision": one.revision} for one in gone]
        self._run(cypher.NOTE_GONE, kind=kind, rows=rows)

    def _run(self, text: str, **many: Any) -> list[Row]:
        """Run a statement for the one list among `many`, in chunks; not at all where it is empty."""
        which = "rows" if "rows" in many else "uids"
        found = list[Row]()
        for some in chunks(many[which], _CHUNK):
            found += self.within.run(text, many | {which: some, "business": self.business}).data()
        return found


def _last(parts: Iterable[Any]) -> dict[str, Any]:
    return {part.uid: part for part in parts}


def _revisions(held: Mapping[str, Row]) -> dict[str, int]:
    return {uid: row["revision"] for uid, row in held.items() if row["revision"] is not None}


def _is_there(edge: Edge, held: Row | None) -> bool:
    return held is not None and (held["type"], held["start"], held["end"]) == (edge.type, edge.start, edge.end)


def _group_items(items: Iterable[Item], key: Callable[[Item], Key]) -> list[tuple[Key, list[Item]]]:
    groups: dict[Key, list[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return sorted(groups.items())
