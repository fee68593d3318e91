"""`archive.json` of a business: every piece of knowledge once, with all the tasks that taught it (S4)."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mabos.backends.graph.model import Edge, GraphPart, Node
from mabos.configs.errors import Damaged
from mabos.knowledge.archive import model
from mabos.workspace.numbers import clamp
from mabos.workspace.store import Collections, Drop, Op, Put, Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

_NODES, _EDGES, _TASKS = model.ARCHIVE.sections
_NAME = 80  # characters of a content that stand as the name of a node


@dataclass(frozen=True, slots=True)
class Taken:
    """The additions from archiving a task; `dropped` counts edges with a missing end or an unknown type."""

    nodes: int
    edges: int
    dropped: int
    by: str


def open_archive(directory: Path, *, sync: Sync) -> Store:
    """Return the document of the archive in a business's folder."""
    return model.ARCHIVE.open(directory, sync)


class Archive:
    """The knowledge from the tasks of one business; cheap to create."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._nodes = View(store, model.KnowledgeNode, skips=True)
        self._edges = View(store, model.KnowledgeEdge, skips=True)

    def nodes(self) -> tuple[model.KnowledgeNode, ...]:
        """Return every node, oldest first; unreadable ones are left out."""
        return self._nodes.all()

    def edges(self) -> tuple[model.KnowledgeEdge, ...]:
        """Return every edge, oldest first."""
        return self._edges.all()

    def tasks(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the records of the archived tasks, by id."""
        return self.store.read()[_TASKS]

    def take(self, task_id: str, found: model.Extraction, *, at: str) -> Taken:
        """Archive the knowledge found in a task; drop knowledge that only an earlier reading of the same task found.

        Archiving the same twice changes nothing. `at` is the time of the task's last change.
        """
        taken: list[Taken] = []

        def change(now: Collections) -> list[Op]:
            nodes = {
                piece.id: _merge_node(now, piece, found.by, model.TaskSource(task_id, at, piece.line))
                for piece in found.pieces
            }
            edges, dropped = _tied(now, found, nodes, task_id)
            before = now[_TASKS].get(task_id, {})
            taken[:] = [Taken(len(nodes.keys() - now[_NODES]), len(edges.keys() - now[_EDGES]), dropped, found.by)]
            record = {"id": task_id, "at": at, "by": found.by, "nodes": [*nodes], "edges": [*edges], "dropped": dropped}
            return [
                *_drop_stale(now, task_id, before, nodes, edges),
                *(Put(_NODES, one.id, model.NODES.write(one)) for one in nodes.values()),
                *(Put(_EDGES, one.id, model.EDGES.write(one)) for one in edges.values()),
                Put(_TASKS, task_id, record),
            ]

        self.store.commit(change)
        return taken[0]


def part_of(collection: str, key: str, record: Any) -> GraphPart | None:
    """Return the graph part of an archive record; empty for an unreadable record."""
    with suppress(Damaged):
        if collection == _NODES:
            return GraphPart(nodes=[_as_node(model.NODES.read(key, record))])
        if collection == _EDGES:
            return GraphPart(edges=[_as_edge(model.EDGES.read(key, record))])
    return None


def _as_node(node: model.KnowledgeNode) -> Node:
    tasks = [one.task for one in node.sources]
    told = {"confidence": node.confidence, "extracted_by": node.by, "tasks": tasks}
    return Node(node.id, node.type, node.content[:_NAME], node.content, told)


def _as_edge(edge: model.KnowledgeEdge) -> Edge:
    told = {"created_by": edge.by, "reason": edge.reason, "tasks": list(edge.tasks)}
    return Edge(edge.id, edge.type, edge.start, edge.end, told, weight=edge.weight)


def _merge_node(
    now: Collections, piece: model.Piece, by: model.Extractor, source: model.TaskSource
) -> model.KnowledgeNode:
    """Return the node of a piece with one more source; it is as sure as the surest of them."""
    record = now[_NODES].get(piece.id)
    if record is None:
        return model.KnowledgeNode(piece.id, piece.type, piece.content, piece.confidence, by, (source,))
    node = model.NODES.read(piece.id, record)
    sources = {one.task: one for one in node.sources} | {source.task: source}
    surer = piece.confidence > node.confidence
    return replace(
        node,
        sources=tuple(sources.values()),
        confidence=max(node.confidence, piece.confidence),
        by=by if surer else node.by,
    )


def _tied(
    now: Collections, found: model.Extraction, nodes: Mapping[str, model.KnowledgeNode], task_id: str
) -> tuple[dict[str, model.KnowledgeEdge], int]:
    """Return the edges between known pieces, and how many had to be dropped."""
    named = {piece.content: piece.id for piece in found.pieces} | {one: one for one in nodes}
    edges: dict[str, model.KnowledgeEdge] = {}
    dropped = 0
    for bond in found.bonds:
        start, end = named.get(bond.start, ""), named.get(bond.end, "")
        if not start or not end or start == end or bond.type not in model.EDGE_TYPES:
            dropped += 1
            continue
        edge = _edge_of(bond, start, end, found.by)
        edges[edge.id] = replace(edge, tasks=_with(now[_EDGES].get(edge.id), task_id))
    return edges, dropped


def _edge_of(bond: model.Bond, start: str, end: str, by: model.Extractor) -> model.KnowledgeEdge:
    id_ = model.edge_id(bond.type, start, end)
    about = {"type": bond.type, "start": start, "end": end, "weight": clamp(bond.weight), "by": by}
    return model.EDGES.read(id_, {"id": id_, **about, "reason": bond.reason, "tasks": ()})


def _with(record: Any, task_id: str) -> tuple[str, ...]:
    """Return the tasks that showed an edge, this one included."""
    before = tuple(record.get("tasks", ())) if record is not None else ()
    return before if task_id in before else (*before, task_id)


def _drop_stale(
    now: Collections, task_id: str, before: Mapping[str, Any], nodes: Iterable[str], edges: Iterable[str]
) -> list[Put | Drop]:
    """Return the operations that remove knowledge found only by an earlier reading."""
    ops: list[Put | Drop] = []
    for key in set(before.get("nodes", ())) - set(nodes):
        if key in now[_NODES]:
            node = model.NODES.read(key, now[_NODES][key])
            sources = tuple(one for one in node.sources if one.task != task_id)
            ops.append(
                Put(_NODES, key, model.NODES.write(replace(node, sources=sources))) if sources else Drop(_NODES, key)
            )
    for key in set(before.get("edges", ())) - set(edges):
        if key in now[_EDGES]:
            edge = model.EDGES.read(key, now[_EDGES][key])
            tasks = tuple(one for one in edge.tasks if one != task_id)
            ops.append(Put(_EDGES, key, model.EDGES.write(replace(edge, tasks=tasks))) if tasks else Drop(_EDGES, key))
    return sorted(ops, key=lambda op: (op.collection, op.key))
