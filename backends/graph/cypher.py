"""The graph in Neo4j: which labels, properties and statements stand for its nodes and edges.

Every node that MABOS keeps has the label `Mabos` and is found by (business_id, uid). One that is really there also has
its type as a label, so that `MATCH (g:goal) WHERE g.progress < 50` reads as it should, the label of its business, and
the labels of those who may see it, to which the statements of agents are held: `mabos:acme`, `mabos:acme:everyone`.
A node that edges name but nobody gives has none of these, and no type. Names in a statement's text are checked and
quoted; everything else is a parameter.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

from mabos.backends.graph.model import Direction, GraphView, Node, type_name

_OURS = re.compile(r"mabos:[a-z0-9_-]+(:[a-z0-9]+)?")

SCHEMA = (
    "CREATE CONSTRAINT mabos_uid IF NOT EXISTS FOR (n:Mabos) REQUIRE (n.business_id, n.uid) IS UNIQUE",
    "CREATE CONSTRAINT mabos_graph IF NOT EXISTS FOR (g:MabosGraph) REQUIRE g.business_id IS UNIQUE",
    "CREATE CONSTRAINT mabos_gone IF NOT EXISTS FOR (g:MabosGone) REQUIRE (g.business_id, g.kind, g.uid) IS UNIQUE",
    "CREATE INDEX mabos_type IF NOT EXISTS FOR (n:Mabos) ON (n.business_id, n.type)",
    "CREATE FULLTEXT INDEX mabos_text IF NOT EXISTS FOR (n:Mabos) ON EACH [n.name, n.text] "
    "OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}",
)
"""What every database with a graph needs, whatever the ontologies; running it twice is running it once."""

LOCK = (
    "MERGE (g:MabosGraph {business_id: $business}) SET g.writes = coalesce(g.writes, 0) + 1, "
    "g.edge_types = coalesce(g.edge_types, []) + [type IN $types WHERE NOT type IN coalesce(g.edge_types, [])] "
    "RETURN g.edge_types AS types"
)
"""One writer at a time a business: what is read after this stays true until the transaction ends."""

ABOUT = "OPTIONAL MATCH (g:MabosGraph {business_id: $business}) RETURN g.schema AS schema, g.edge_types AS types"
MARK = "MERGE (g:MabosGraph {business_id: $business}) SET g.schema = $schema"
_ONE = "(n:Mabos {business_id: $business, uid: row.uid})"
HELD_NODES = (
    "UNWIND $uids AS uid MATCH (n:Mabos {business_id: $business, uid: uid}) "
    "RETURN uid, n.type AS type, n.revision AS revision, labels(n) AS labels"
)
EMPTY_NODES = (
    "UNWIND $uids AS uid MATCH (n:Mabos {business_id: $business, uid: uid}) SET n = {business_id: $business, uid: uid}"
)
GONE = (
    "UNWIND $uids AS uid MATCH (g:MabosGone {business_id: $business, kind: $kind, uid: uid}) "
    "RETURN uid, g.revision AS revision"
)
NOTE_GONE = (
    "UNWIND $rows AS row MERGE (g:MabosGone {business_id: $business, kind: $kind, uid: row.uid}) "
    "SET g.revision = row.revision"
)
STUBS = "UNWIND $uids AS uid MERGE (:Mabos {business_id: $business, uid: uid})"
DROP_LOOSE = (
    "UNWIND $uids AS uid MATCH (n:Mabos {business_id: $business, uid: uid}) "
    "WHERE n.type IS NULL AND NOT EXISTS { (n)--() } DELETE n"
)
NODE_UIDS = (
    "MATCH (n:Mabos {business_id: $business}) WHERE n.type IS NOT NULL AND n.uid > $after "
    "RETURN n.uid AS uid, n.revision AS revision ORDER BY uid LIMIT $limit"
)
EDGE_UIDS = (
    "MATCH (n:Mabos {business_id: $business})-[r]->(:Mabos) WHERE n.uid IS NOT NULL AND r.uid > $after "
    "RETURN r.uid AS uid, r.revision AS revision ORDER BY uid LIMIT $limit"
)
DIGEST = (
    "CALL { MATCH (n:Mabos {business_id: $business}) WHERE n.type IS NOT NULL "
    "RETURN count(n) AS nodes, sum(n.hash_high) AS high, sum(n.hash_low) AS low } "
    "CALL { MATCH (n:Mabos {business_id: $business})-[r]->(:Mabos) WHERE n.uid IS NOT NULL "
    "RETURN count(r) AS edges, sum(r.hash_high) AS edge_high, sum(r.hash_low) AS edge_low } "
    "RETURN nodes, edges, high + edge_high AS high, low + edge_low AS low"
)
NODE = "n{.uid, .type, .name, .text, .props_json, .audience, .valid_from, .valid_to, .revision}"
_EDGE = (
    "r{.uid, type: type(r), start: startNode(r).uid, end: endNode(r).uid, .props_json, .weight, .valid_from, "
    ".valid_to, .revision}"
)


class CypherStatement(Protocol):
    """A Cypher statement with its parameters; running it twice is running it once."""

    @property
    def text(self) -> str:
        """What is run."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What it is run with."""


@dataclass(frozen=True, slots=True)
class Kept:
    """Something a copy keeps, as little as a comparison needs."""

    uid: str
    revision: int


def quoted(name: str) -> str:
    """Return the type of a node or edge in back quotes, to stand in a statement; raises `InvalidArgument`."""
    return f"`{type_name(name)}`"


def shown(node: str, view: GraphView) -> str:
    """Return the condition that a node is there, visible and valid; see `seen` for its parameters."""
    clauses = [f"{node}.type IS NOT NULL"]
    if view.principals is not None:
        clauses.append(f"(size({node}.audience) = 0 OR any(one IN {node}.audience WHERE one IN $principals))")
    return " AND ".join([*clauses, *_holds(node, view)])


def seen(view: GraphView) -> dict[str, Any]:
    """Return the parameters of `shown`."""
    return {"principals": sorted(view.principals or ()), "at": view.at}


def _holds(part: str, view: GraphView) -> list[str]:
    if not view.at:
        return []
    return [f"{part}.valid_from <= $at AND ({part}.valid_to = '' OR $at < {part}.valid_to)"]


def fetch(view: GraphView) -> str:
    """Return the statement for nodes by id."""
    return (
        f"UNWIND $uids AS uid MATCH (n:Mabos {{business_id: $business, uid: uid}}) WHERE {shown('n', view)} "
        f"RETURN {NODE} AS n"
    )


def find(view: GraphView, types: Sequence[str], clauses: Iterable[str]) -> str:
    """Return the statement for a page of nodes by uid, each meeting every one of `clauses`."""
    asked = ["n.type IN $types"] if types else []
    where = " AND ".join([*asked, shown("n", view), "n.uid > $after", *clauses])
    return f"MATCH (n:Mabos {{business_id: $business}}) WHERE {where} RETURN {NODE} AS n ORDER BY n.uid LIMIT $limit"


def expand(view: GraphView, types: Sequence[str], direction: Direction) -> str:
    """Return the statement for the edges at nodes, with the other ends."""
    arrow = {"out": "-[r{}]->", "in": "<-[r{}]-", "both": "-[r{}]-"}[direction].format(kinds(types))
    where = " AND ".join([shown("o", view), shown("n", view), *_holds("r", view)])
    return (
        f"UNWIND $uids AS origin MATCH (o:Mabos {{business_id: $business, uid: origin}}){arrow}(n:Mabos) "
        f"WHERE {where} RETURN origin, {_EDGE} AS r, {NODE} AS n"
    )


def search(view: GraphView, types: Sequence[str]) -> str:
    """Return the statement for nodes by words, best first."""
    asked = " AND n.type IN $types" if types else ""
    return (
        "CALL db.index.fulltext.queryNodes('mabos_text', $words) YIELD node AS n, score "
        f"WHERE n.business_id = $business AND {shown('n', view)}{asked} "
        f"RETURN {NODE} AS n, score ORDER BY score DESC, n.uid LIMIT $limit"
    )


def aggregate(types: Sequence[str]) -> str:
    """Return the statement that counts edges of each kind."""
    return (
        f"MATCH (a:Mabos {{business_id: $business}})-[r{kinds(types)}]->(b:Mabos) WHERE a.uid IS NOT NULL "
        "RETURN coalesce(a.type, '') AS start_type, type(r) AS type, coalesce(b.type, '') AS end_type, "
        "count(r) AS count, avg(r.weight) AS mean_weight ORDER BY start_type, type, end_type"
    )


def kinds(types: Sequence[str]) -> str:
    """Return the types of edges as they stand in a pattern; none of them is any."""
    return f":{'|'.join(map(quoted, types))}" if types else ""


def edge_index(type_: str) -> str:
    """Return the statement for the index by which edges of a type are found."""
    named = f"mabos_edge_{type_name(type_)}"
    return f"CREATE INDEX `{named}` IF NOT EXISTS FOR ()-[r:{quoted(type_)}]-() ON (r.business_id, r.uid)"


def held_edges(types: Sequence[str]) -> str:
    """Return the statement for what edges with some uids are now, whatever their type."""
    one = (
        "UNWIND $uids AS uid MATCH (a)-[r:{} {{business_id: $business, uid: uid}}]->(b) "
        "RETURN uid, type(r) AS type, a.uid AS start, b.uid AS end, r.revision AS revision"
    )
    return " UNION ALL ".join(one.format(quoted(type_)) for type_ in types)


def put_nodes(labels: Iterable[str]) -> str:
    """Return the statement that writes nodes with these labels."""
    return f"UNWIND $rows AS row MERGE {_ONE} SET n = row.values, n{_labelled(labels)}"


def unlabel(labels: Iterable[str]) -> str:
    """Return the statement that takes labels off nodes."""
    return f"UNWIND $uids AS uid MATCH (n:Mabos {{business_id: $business, uid: uid}}) REMOVE n{_labelled(labels)}"


def labels_of(node: Node, business: str) -> tuple[str, ...]:
    """Return the labels of a node that is there: its type, its business, and who may see it."""
    seen_by = [_seen_by(business, one) for one in node.audience] or [f"{business_label(business)}:everyone"]
    return (node.type, business_label(business), *sorted(set(seen_by)))


def stale_labels(found: Mapping[str, Any], wanted: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the labels that we gave to a node of `HELD_NODES` and that it shall not have."""
    ours = {one for one in found["labels"] if _OURS.fullmatch(one)} | ({found["type"]} - {None})
    return tuple(sorted(ours.difference(wanted)))


def business_label(business: str) -> str:
    """Return the label of everything that belongs to a business."""
    return f"mabos:{business}"


def visible(business: str, view: GraphView) -> str:
    """Return the label expression that exactly the nodes have which may be seen in `view`, at whatever time."""
    if view.principals is None:
        return f"`{business_label(business)}`"
    labels = [f"{business_label(business)}:everyone", *(_seen_by(business, one) for one in sorted(view.principals))]
    return f"({'|'.join(f'`{one}`' for one in labels)})"


def _seen_by(business: str, principal: str) -> str:
    return f"{business_label(business)}:{blake2b(principal.encode(), digest_size=10).hexdigest()}"


def _labelled(labels: Iterable[str]) -> str:
    return "".join(f":`{one}`" if _OURS.fullmatch(one) else f":{quoted(one)}" for one in labels)


def add_edges(type_: str) -> str:
    """Return the statement that writes edges of one type which are not there."""
    return (
        "UNWIND $rows AS row MATCH (a:Mabos {business_id: $business, uid: row.start}) "
        "MATCH (b:Mabos {business_id: $business, uid: row.end}) "
        f"CREATE (a)-[r:{quoted(type_)}]->(b) SET r = row.values"
    )


def change_edges(type_: str) -> str:
    """Return the statement that writes edges of one type which are there, between the same nodes."""
    return (
        f"UNWIND $rows AS row MATCH ()-[r:{quoted(type_)} {{business_id: $business, uid: row.uid}}]->() "
        "SET r = row.values"
    )


def drop_edges(type_: str) -> str:
    """Return the statement that removes edges of one type."""
    return f"UNWIND $uids AS uid MATCH ()-[r:{quoted(type_)} {{business_id: $business, uid: uid}}]->() DELETE r"
