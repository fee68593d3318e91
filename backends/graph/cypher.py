"""The graph in Neo4j: the labels, properties and statements for its nodes and edges.

One convention: labels are `PlanStep`, types of relationships `AGENT_OWNS`, properties `created_at`; names that begin
with `_` are internal to the copy. Every node has the label `Mabos` and is found by (business_id, uid), its type as a
label, so that `MATCH (g:Goal) WHERE g.progress < 50` works, and the label that limits agents' statements: `mabos:acme`
for public nodes, else `mabos:acme:private` and one for each permitted reader. Edges wait in the embedded graph until
both their ends exist. Names in a statement's text are checked and quoted; everything else is a parameter.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Protocol

from mabos.backends.graph.model import Direction, GraphView, Node, type_name

_OURS = re.compile(r"mabos:[a-z0-9_-]+(:[a-z0-9]+)?")
_OF_ENTITIES = {"Agent": "AgentProfile", "Task": "TaskRecord"}
"""Types of the entity memory whose label something else has: the agents themselves, and their work packages."""

SCHEMA = (
    "CREATE CONSTRAINT mabos_uid IF NOT EXISTS FOR (n:Mabos) REQUIRE (n.business_id, n.uid) IS UNIQUE",
    "CREATE CONSTRAINT mabos_graph IF NOT EXISTS FOR (g:MabosGraph) REQUIRE g.business_id IS UNIQUE",
    "CREATE CONSTRAINT mabos_gone IF NOT EXISTS FOR (g:MabosGone) REQUIRE (g.business_id, g.kind, g.uid) IS UNIQUE",
    "CREATE INDEX mabos_type IF NOT EXISTS FOR (n:Mabos) ON (n.business_id, n.type)",
    "CREATE FULLTEXT INDEX mabos_text IF NOT EXISTS FOR (n:Mabos) ON EACH [n.name, n.text] "
    "OPTIONS {indexConfig: {`fulltext.analyzer`: 'english'}}",
)
"""The schema of every graph database, independent of the ontologies; running it again changes nothing."""

LOCK = (
    "MERGE (g:MabosGraph {business_id: $business}) SET g.writes = coalesce(g.writes, 0) + 1, "
    "g.edge_types = coalesce(g.edge_types, []) + [type IN $types WHERE NOT type IN coalesce(g.edge_types, [])] "
    "RETURN g.edge_types AS types"
)
"""One writer at a time a business: what is read after this stays true until the transaction ends."""

ABOUT = "OPTIONAL MATCH (g:MabosGraph {business_id: $business}) RETURN g.schema AS schema, g.indexes AS indexes"
DROP_UNREADABLE = "MATCH (n:Mabos {business_id: $business}) WHERE n._revision IS NULL DETACH DELETE n"
"""Delete nodes of older formats: they have no `_revision`."""
MARK = "MERGE (g:MabosGraph {business_id: $business}) SET g.schema = $schema, g.indexes = $indexes"
INDEXES = "SHOW INDEXES YIELD name RETURN collect(name) AS names"
_MADE = re.compile(r"CREATE [A-Z ]*(?:INDEX|CONSTRAINT) `?(\w+)`? IF NOT EXISTS")
_ONE = "(n:Mabos {business_id: $business, uid: row.uid})"
HELD_NODES = (
    "UNWIND $uids AS uid MATCH (n:Mabos {business_id: $business, uid: uid}) "
    "RETURN uid, n.type AS type, n._revision AS revision, labels(n) AS labels"
)
DROP_NODES = "UNWIND $uids AS uid MATCH (n:Mabos {business_id: $business, uid: uid}) DETACH DELETE n"
THERE = "UNWIND $uids AS uid MATCH (:Mabos {business_id: $business, uid: uid}) RETURN uid"
GONE = (
    "UNWIND $uids AS uid MATCH (g:MabosGone {business_id: $business, kind: $kind, uid: uid}) "
    "RETURN uid, g.revision AS revision"
)
NOTE_GONE = (
    "UNWIND $rows AS row MERGE (g:MabosGone {business_id: $business, kind: $kind, uid: row.uid}) "
    "SET g.revision = row.revision"
)
_UNEMBEDDED = "MATCH (n:Mabos {business_id: $business}) WHERE n.embedding IS NULL AND (n.name <> '' OR n.text <> '') "
UNEMBEDDED = f"{_UNEMBEDDED}RETURN n.uid AS uid, n._revision AS revision, n.name + '. ' + n.text AS text LIMIT $limit"
EMBED = (
    "MATCH (g:MabosGraph {business_id: $business}) SET g.writes = coalesce(g.writes, 0) + 1 "
    "WITH g WHERE g.embedder = $embedder UNWIND $rows AS row "
    "MATCH (n:Mabos {business_id: $business, uid: row.uid}) WHERE n._revision = row.revision "
    "CALL db.create.setNodeVectorProperty(n, 'embedding', row.vector)"
)
"""It looks at the mark under the lock, so that no process writes vectors of an embedder that another has replaced."""
VECTORS = (
    f"CALL {{ {_UNEMBEDDED}RETURN count(n) AS missing }} "
    "OPTIONAL MATCH (g:MabosGraph {business_id: $business}) RETURN coalesce(g.embedder, '') AS embedder, missing"
)
VECTOR_INDEX = (
    "SHOW VECTOR INDEXES YIELD name, options WHERE name = 'mabos_vector' "
    "RETURN options.indexConfig['vector.dimensions'] AS dimensions"
)
OTHER_LENGTHS = (
    "MATCH (n:Mabos) WHERE n.business_id <> $business AND size(n.embedding) <> $dimensions "
    "RETURN n.business_id AS business, size(n.embedding) AS dimensions LIMIT 1"
)
"""Another business whose vectors do not fit: all businesses of a database share the one index over their nodes."""
DROP_VECTOR_INDEX = "DROP INDEX mabos_vector IF EXISTS"
RENEW_VECTORS = (
    "MERGE (g:MabosGraph {business_id: $business}) SET g.embedder = $embedder "
    "WITH g MATCH (n:Mabos {business_id: $business}) WHERE n.embedding IS NOT NULL REMOVE n.embedding"
)
NODE_UIDS = (
    "MATCH (n:Mabos {business_id: $business}) WHERE n.uid > $after "
    "RETURN n.uid AS uid, n._revision AS revision ORDER BY uid LIMIT $limit"
)
EDGE_UIDS = (
    "MATCH (n:Mabos {business_id: $business})-[r]->(:Mabos) WHERE r.uid > $after "
    "RETURN r.uid AS uid, r._revision AS revision ORDER BY uid LIMIT $limit"
)
DIGEST = (
    "CALL { MATCH (n:Mabos {business_id: $business}) "
    "RETURN count(n) AS nodes, sum(n._high) AS high, sum(n._low) AS low } "
    "CALL { MATCH (n:Mabos {business_id: $business})-[r]->(:Mabos) "
    "RETURN count(r) AS edges, sum(r._high) AS edge_high, sum(r._low) AS edge_low } "
    "RETURN nodes, edges, high + edge_high AS high, low + edge_low AS low"
)
NODE = "n{.uid, .type, .name, .text, ._record, ._audience, ._from, ._to, ._revision}"
_EDGE = (
    "r{.uid, type: r._type, start: startNode(r).uid, end: endNode(r).uid, ._record, .weight, ._from, ._to, ._revision}"
)


class CypherStatement(Protocol):
    """A Cypher statement with its parameters; running it twice has the same effect as once."""

    @property
    def text(self) -> str:
        """The Cypher to run."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters of the run."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry of a copy: only the fields that a comparison needs."""

    uid: str
    revision: int


def vector_index(dimensions: int) -> str:
    """Return the statement that creates the vector index of nodes."""
    options = f"{{indexConfig: {{`vector.dimensions`: {dimensions}, `vector.similarity_function`: 'cosine'}}}}"
    return f"CREATE VECTOR INDEX mabos_vector IF NOT EXISTS FOR (n:Mabos) ON (n.embedding) OPTIONS {options}"


def made_by(statements: Iterable[str]) -> list[str]:
    """Return the names of the indexes that schema statements create; a constraint has one of the same name."""
    return [found[1] for text in statements if (found := _MADE.match(text))]


def label(type_: str) -> str:
    """Return the label of nodes of a type; raises `InvalidArgument` if no label is possible."""
    return pascal(_OF_ENTITIES.get(type_, type_))


def pascal(name: str) -> str:
    """Return a name in Pascal case, as labels are written: `PlanStep` for `plan_step`."""
    return "".join(f"{word[:1].upper()}{word[1:]}" for word in type_name(name).split("_"))


def relation(type_: str) -> str:
    """Return the relationship type for edges of a type: `AGENT_OWNS` for `agent_owns`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type_name(type_)).upper()


def quote_type(name: str) -> str:
    """Return a name in backquotes for use in a statement; raises `InvalidArgument` unless it is a plain one."""
    return f"`{type_name(name)}`"


def build_view_condition(node: str, view: GraphView) -> str:
    """Return the condition that a node is visible and valid; see `build_view_parameters` for its parameters."""
    clauses = _holds(node, view)
    if view.principals is not None:
        clauses.append(f"(size({node}._audience) = 0 OR any(one IN {node}._audience WHERE one IN $principals))")
    return " AND ".join(clauses) or "true"


def build_view_parameters(view: GraphView) -> dict[str, Any]:
    """Return the parameters of `build_view_condition`."""
    return {"principals": sorted(view.principals or ()), "at": view.at}


def _holds(part: str, view: GraphView) -> list[str]:
    if not view.at:
        return []
    return [f"{part}._from <= $at AND ({part}._to = '' OR $at < {part}._to)"]


def fetch(view: GraphView) -> str:
    """Return the statement that fetches nodes by id."""
    return (
        f"UNWIND $uids AS uid MATCH (n:Mabos {{business_id: $business, uid: uid}}) WHERE "
        f"{build_view_condition('n', view)} "
        f"RETURN {NODE} AS n"
    )


def find(view: GraphView, types: Sequence[str], clauses: Iterable[str]) -> str:
    """Return the statement for a page of nodes by uid that meet all `clauses`."""
    asked = ["n.type IN $types"] if types else []
    where = " AND ".join([*asked, build_view_condition("n", view), "n.uid > $after", *clauses])
    return f"MATCH (n:Mabos {{business_id: $business}}) WHERE {where} RETURN {NODE} AS n ORDER BY n.uid LIMIT $limit"


def expand(view: GraphView, types: Sequence[str], direction: Direction) -> str:
    """Return the statement for the edges of nodes, with their other ends."""
    arrow = {"out": "-[r{}]->", "in": "<-[r{}]-", "both": "-[r{}]-"}[direction].format(kinds(types))
    where = " AND ".join([build_view_condition("o", view), build_view_condition("n", view), *_holds("r", view)])
    return (
        f"UNWIND $uids AS origin MATCH (o:Mabos {{business_id: $business, uid: origin}}){arrow}(n:Mabos) "
        f"WHERE {where} RETURN origin, {_EDGE} AS r, {NODE} AS n"
    )


def search(view: GraphView, types: Sequence[str]) -> str:
    """Return the statement that searches nodes by words, best first."""
    asked = " AND n.type IN $types" if types else ""
    return (
        "CALL db.index.fulltext.queryNodes('mabos_text', $words) YIELD node AS n, score "
        f"WHERE n.business_id = $business AND {build_view_condition('n', view)}{asked} "
        f"RETURN {NODE} AS n, score ORDER BY score DESC, n.uid LIMIT $limit"
    )


def aggregate(types: Sequence[str]) -> str:
    """Return the statement that counts edges of each kind."""
    return (
        f"MATCH (a:Mabos {{business_id: $business}})-[r{kinds(types)}]->(b:Mabos) "
        "RETURN a.type AS start_type, r._type AS type, b.type AS end_type, "
        "count(r) AS count, avg(r.weight) AS mean_weight ORDER BY start_type, type, end_type"
    )


def kinds(types: Sequence[str]) -> str:
    """Return edge types as part of a pattern; an empty list means any type."""
    return f":{'|'.join(quote_type(relation(one)) for one in types)}" if types else ""


def edge_index(type_: str) -> str:
    """Return the statement that creates the index for edges of a type."""
    named = f"mabos_edge_{relation(type_)}"
    return f"CREATE INDEX `{named}` IF NOT EXISTS FOR ()-[r:{quote_type(relation(type_))}]-() ON (r.business_id, r.uid)"


def held_edges(types: Sequence[str]) -> str:
    """Return the statement for the current state of edges by uid, of any type."""
    one = (
        "UNWIND $uids AS uid MATCH (a)-[r:{} {{business_id: $business, uid: uid}}]->(b) "
        "RETURN uid, r._type AS type, a.uid AS start, b.uid AS end, r._revision AS revision"
    )
    return " UNION ALL ".join(one.format(quote_type(named)) for named in sorted(set(map(relation, types))))


def put_nodes(labels: Iterable[str]) -> str:
    """Return the statement that writes nodes with these labels."""
    return f"UNWIND $rows AS row MERGE {_ONE} SET n = row.values, n{_render_labels(labels)}"


def unlabel(labels: Iterable[str]) -> str:
    """Return the statement that removes labels from nodes."""
    return f"UNWIND $uids AS uid MATCH (n:Mabos {{business_id: $business, uid: uid}}) REMOVE n{_render_labels(labels)}"


def labels_of(node: Node, business: str) -> tuple[str, ...]:
    """Return the labels of a node: its type, and its business or its permitted readers."""
    seen_by = {_seen_by(business, one) for one in node.audience}
    held_to = [f"{business_label(business)}:private", *sorted(seen_by)] if seen_by else [business_label(business)]
    return (label(node.type), *held_to)


def stale_labels(found: Mapping[str, Any], wanted: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the labels we set on a node of `HELD_NODES` that it should no longer have."""
    ours = {one for one in found["labels"] if _OURS.fullmatch(one)} | {label(found["type"])}
    return tuple(sorted(ours.difference(wanted)))


def business_label(business: str) -> str:
    """Return the label of everything public in a business."""
    return f"mabos:{business}"


def visible(business: str, view: GraphView) -> str:
    """Return the label expression of exactly the nodes visible in `view`, at any time."""
    ours = business_label(business)
    principals = view.principals
    some = [f"{ours}:private"] if principals is None else [_seen_by(business, one) for one in sorted(principals)]
    return f"({'|'.join(f'`{one}`' for one in (ours, *some))})"


def _seen_by(business: str, principal: str) -> str:
    return f"{business_label(business)}:{blake2b(principal.encode(), digest_size=10).hexdigest()}"


def _render_labels(labels: Iterable[str]) -> str:
    return "".join(f":`{one}`" if _OURS.fullmatch(one) else f":{quote_type(one)}" for one in labels)


def add_edges(type_: str) -> str:
    """Return the statement that writes new edges of one type."""
    return (
        "UNWIND $rows AS row MATCH (a:Mabos {business_id: $business, uid: row.start}) "
        "MATCH (b:Mabos {business_id: $business, uid: row.end}) "
        f"CREATE (a)-[r:{quote_type(relation(type_))}]->(b) SET r = row.values"
    )


def change_edges(type_: str) -> str:
    """Return the statement that updates existing edges of one type, between the same nodes."""
    return (
        f"UNWIND $rows AS row MATCH ()-[r:{quote_type(relation(type_))} {{business_id: $business, uid: row.uid}}]->() "
        "SET r = row.values"
    )


def drop_edges(type_: str) -> str:
    """Return the statement that removes edges of one type."""
    kind = quote_type(relation(type_))
    return f"UNWIND $uids AS uid MATCH ()-[r:{kind} {{business_id: $business, uid: uid}}]->() DELETE r"
