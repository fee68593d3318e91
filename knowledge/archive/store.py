"""`archive.json` of a business: every piece of knowledge once, with all the tasks that taught it (S4)."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mabos.backends.graph.model import Edge, GraphPart, Node
from mabos.configs.errors import Damaged
from mabos.knowledge.archive.model import (
    EDGE_TYPES,
    Bond,
    Extraction,
    Extractor,
    KnowledgeEdge,
    KnowledgeNode,
    Piece,
    TaskSource,
    edge_id,
)
from mabos.workspace.documents import json_document
from mabos.workspace.store import Collections, Drop, Op, Put, Store
from mabos.workspace.sync import Sync

FILE = "archive.json"
_NODES, _EDGES, _TASKS = "nodes", "edges", "tasks"
_NAME = 80  # characters of a content that stand as the name of a node
_NODE = TypeAdapter(KnowledgeNode)
_EDGE = TypeAdapter(KnowledgeEdge)


@dataclass(frozen=True, slots=True)
class Taken:
    """What archiving a task added; `dropped` edges named an end or a type that does not exist."""

    nodes: int
    edges: int
    dropped: int
    by: str


def open_archive(directory: Path, *, sync: Sync) -> Store:
    """Return the document of the archive in a business's folder."""
    return json_document(directory / FILE, (_NODES, _EDGES, _TASKS), sync=sync)


class Archive:
    """The knowledge that the tasks of one business left; cheap to make."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def nodes(self) -> tuple[KnowledgeNode, ...]:
        """Return every node, oldest first; one that cannot be read is left out."""
        return tuple(_readable(_node, self.store.read()[_NODES]))

    def edges(self) -> tuple[KnowledgeEdge, ...]:
        """Return every edge, oldest first."""
        return tuple(_readable(_edge, self.store.read()[_EDGES]))

    def check(self) -> None:
        """Raise `Damaged` for the first record that cannot be read."""
        now = self.store.read()
        for key, record in now[_NODES].items():
            _node(key, record)
        for key, record in now[_EDGES].items():
            _edge(key, record)

    def tasks(self) -> Mapping[str, Mapping[str, Any]]:
        """Return what is on record of every archived task, by id."""
        return self.store.read()[_TASKS]

    def take(self, task_id: str, found: Extraction, *, at: str) -> Taken:
        """Archive what was found in a task; what only an earlier reading of the same task had found is let go.

        Archiving the same twice changes nothing. `at` is when the task was last touched.
        """
        taken: list[Taken] = []

        def change(now: Collections) -> list[Op]:
            nodes = {piece.id: _learned(now, piece, found.by, TaskSource(task_id, at)) for piece in found.pieces}
            edges, dropped = _tied(now, found, nodes, task_id)
            before = now[_TASKS].get(task_id, {})
            taken[:] = [Taken(len(nodes.keys() - now[_NODES]), len(edges.keys() - now[_EDGES]), dropped, found.by)]
            record = {"id": task_id, "at": at, "by": found.by, "nodes": [*nodes], "edges": [*edges], "dropped": dropped}
            return [
                *_forgotten(now, task_id, before, nodes, edges),
                *(Put(_NODES, one.id, asdict(one)) for one in nodes.values()),
                *(Put(_EDGES, one.id, asdict(one)) for one in edges.values()),
                Put(_TASKS, task_id, record),
            ]

        self.store.commit(change)
        return taken[0]


def part_of(collection: str, key: str, record: Any) -> GraphPart | None:
    """Return what a record of the archive gives to the graph; one that cannot be read gives nothing."""
    with suppress(Damaged):
        if collection == _NODES:
            return GraphPart(nodes=[_as_node(_node(key, record))])
        if collection == _EDGES:
            return GraphPart(edges=[_as_edge(_edge(key, record))])
    return None


def _as_node(node: KnowledgeNode) -> Node:
    tasks = [one.task for one in node.sources]
    told = {"confidence": node.confidence, "extracted_by": node.by, "tasks": tasks}
    return Node(node.id, node.type, node.content[:_NAME], node.content, told)


def _as_edge(edge: KnowledgeEdge) -> Edge:
    told = {"created_by": edge.by, "reason": edge.reason, "tasks": list(edge.tasks)}
    return Edge(edge.id, edge.type, edge.start, edge.end, told, weight=edge.weight)


def _learned(now: Collections, piece: Piece, by: Extractor, source: TaskSource) -> KnowledgeNode:
    """Return the node of a piece with one more source; it is as sure as the surest of them."""
    record = now[_NODES].get(piece.id)
    if record is None:
        return _NODE.validate_python(
            {**asdict(piece), "id": piece.id, "by": by, "sources": [asdict(source)]},
        )
    node = _node(piece.id, record)
    sources = {one.task: one for one in node.sources} | {source.task: source}
    surer = piece.confidence > node.confidence
    return replace(
        node,
        sources=tuple(sources.values()),
        confidence=max(node.confidence, piece.confidence),
        by=by if surer else node.by,
    )


def _tied(
    now: Collections, found: Extraction, nodes: Mapping[str, KnowledgeNode], task_id: str
) -> tuple[dict[str, KnowledgeEdge], int]:
    """Return the edges between known pieces, and how many had to be dropped."""
    named = {piece.content: piece.id for piece in found.pieces} | {one: one for one in nodes}
    edges: dict[str, KnowledgeEdge] = {}
    dropped = 0
    for bond in found.bonds:
        start, end = named.get(bond.start, ""), named.get(bond.end, "")
        if not start or not end or start == end or bond.type not in EDGE_TYPES:
            dropped += 1
            continue
        edge = _edge_of(bond, start, end, found.by)
        edges[edge.id] = replace(edge, tasks=_with(now[_EDGES].get(edge.id), task_id))
    return edges, dropped


def _edge_of(bond: Bond, start: str, end: str, by: Extractor) -> KnowledgeEdge:
    told = {"id": edge_id(bond.type, start, end), "type": bond.type, "start": start, "end": end, "by": by, "tasks": ()}
    edge: KnowledgeEdge = _EDGE.validate_python(
        told | {"weight": min(1.0, max(0.0, bond.weight)), "reason": bond.reason}
    )
    return edge


def _with(record: Any, task_id: str) -> tuple[str, ...]:
    """Return the tasks that showed an edge, this one included."""
    before = tuple(record.get("tasks", ())) if record is not None else ()
    return before if task_id in before else (*before, task_id)


def _forgotten(
    now: Collections, task_id: str, before: Mapping[str, Any], nodes: Iterable[str], edges: Iterable[str]
) -> list[Put | Drop]:
    """Return what becomes of what only an earlier reading of a task had found."""
    ops: list[Put | Drop] = []
    for key in set(before.get("nodes", ())) - set(nodes):
        if key in now[_NODES]:
            node = _node(key, now[_NODES][key])
            sources = tuple(one for one in node.sources if one.task != task_id)
            ops.append(Put(_NODES, key, asdict(replace(node, sources=sources))) if sources else Drop(_NODES, key))
    for key in set(before.get("edges", ())) - set(edges):
        if key in now[_EDGES]:
            edge = _edge(key, now[_EDGES][key])
            tasks = tuple(one for one in edge.tasks if one != task_id)
            ops.append(Put(_EDGES, key, asdict(replace(edge, tasks=tasks))) if tasks else Drop(_EDGES, key))
    return sorted(ops, key=lambda op: (op.collection, op.key))


def _node(key: str, record: Any) -> KnowledgeNode:
    node: KnowledgeNode = _checked(_NODE, key, record)
    return node


def _edge(key: str, record: Any) -> KnowledgeEdge:
    edge: KnowledgeEdge = _checked(_EDGE, key, record)
    return edge


def _checked(kind: TypeAdapter[Any], key: str, record: Any) -> Any:
    try:
        return kind.validate_python(record)
    except ValidationError as error:
        what = error.errors(include_url=False)[0]
        raise Damaged(f"{FILE}: {key!r} cannot be read ({what['msg']}); correct it by hand") from error


def _readable(read: Any, records: Mapping[str, Any]) -> Iterable[Any]:
    for key, record in records.items():
        with suppress(Damaged):
            yield read(key, record)
