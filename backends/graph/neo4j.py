"""A business's graph in Neo4j: a replica of the embedded one, for Cypher questions and other programs.

    graph = Neo4jGraph("acme", Bolt("bolt://127.0.0.1:7687", "neo4j", password))
    graph.ensure_schema(schema.statements)
    graph.apply(Batch(nodes, edges))

If the server supports several databases, the business has its own; otherwise, as in the Community edition, businesses
share one. Either way every node carries its business and every statement names it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from typing import Any, Literal

import orjson

from mabos.backends.embed import Embedder
from mabos.backends.graph import cypher, neo4j_rows
from mabos.backends.graph.bolt import READ_S, WRITE_S, Bolt, BoltAnswer, Rows
from mabos.backends.graph.conditions import meets
from mabos.backends.graph.content import digest_of
from mabos.backends.graph.cypher import CypherStatement, Kept
from mabos.backends.graph.guard import check_statement
from mabos.backends.graph.model import (
    EVERYTHING,
    Digest,
    Direction,
    EdgeGroup,
    GraphBatch,
    GraphStep,
    GraphView,
    Node,
    NodeCondition,
    Scored,
)
from mabos.backends.graph.neo4j_changes import Neo4jChanges
from mabos.backends.graph.tier import Status
from mabos.backends.one_address import public
from mabos.configs.errors import InvalidArgument, Refused, Unavailable
from mabos.workspace.names import name as checked_name
from mabos.workspace.text import query_terms

QUERY_S = 2.0
"""Seconds that the server works on a statement of an agent."""

_PAGE = 1000
_LONGEST_NAME = 63  # of a database


class Neo4jGraph:
    """The graph of one business on a server; threads share one object. It connects at the first call."""

    name = "neo4j"

    def __init__(self, business_id: str, bolt: Bolt) -> None:
        self.bolt = bolt
        self.business_id = checked_name(business_id, kind="business id", argument="business_id")
        self._chosen = ""

    @property
    def database(self) -> str:
        """The database of this business; the server is asked once."""
        if not self._chosen:
            self._chosen = chosen_database(self.bolt, self.business_id)
        return self._chosen

    def status(self) -> Status:
        """Return whether the server answers, its version, and its address; never raises."""
        uri = public(self.bolt.uri)
        facts: dict[str, Any] = {"uri": uri, "business_id": self.business_id}
        try:
            rows = self.bolt.read(_COMPONENTS, database="system")
            facts |= {"version": rows[0]["version"], "edition": rows[0]["edition"], "database": self.database}
        except (Unavailable, InvalidArgument) as error:
            breaker = self.bolt.breaker
            facts |= {"breaker": breaker.state, "tried_again_in_s": round(breaker.pause, 1)}
            mend = "start it with `make neo4j`, or check NEO4J_URI, NEO4J_USER and NEO4J_PASSWORD"
            return Status(self.name, is_available=False, detail=error.message, mend=mend, facts=facts)
        detail = f"Neo4j {facts['version']} {facts['edition']} at {uri}, database {facts['database']}"
        return Status(self.name, is_available=True, detail=detail, facts=facts | {"breaker": self.bolt.breaker.state})

    # The schema.

    def ensure_schema(self, statements: Sequence[CypherStatement] = ()) -> bool:
        """Set up the server for this graph and the ontologies' statements; return whether anything changed."""
        wanted = schema_hash(statements)
        if self.schema() == wanted:
            return False
        self.bolt.run(cypher.DROP_UNREADABLE, {"business": self.business_id}, database=self.database)
        self.bolt.indexed.clear()  # it may be another server by now
        for text in cypher.SCHEMA:
            self.bolt.run(text, database=self.database)
        for one in statements:
            self.bolt.run(one.text, one.parameters, database=self.database)
        self.bolt.run("CALL db.awaitIndex('mabos_text', 30)", database=self.database)
        made = cypher.made_by([*cypher.SCHEMA, *(one.text for one in statements)])
        marked = {"business": self.business_id, "schema": wanted, "indexes": made}
        self.bolt.run(cypher.MARK, marked, database=self.database)
        return True

    def schema(self) -> str:
        """Return the `schema_hash` of the statements last applied to the server; "" if any is missing."""
        [about] = self._read(cypher.ABOUT)
        there = self._read(cypher.INDEXES)[0]["names"]
        return str(about["schema"] or "") if set(about["indexes"] or ()).issubset(there) else ""

    # Writing.

    def apply(self, batch: GraphBatch) -> int:
        """Apply the newer changes and return their number; all or nothing."""
        if not (batch.nodes or batch.edges or batch.gone):
            return 0
        for type_ in sorted({edge.type for edge in batch.edges}):
            if (self.database, type_) not in self.bolt.indexed:
                self.bolt.run(cypher.edge_index(type_), database=self.database)
                self.bolt.indexed.add((self.database, type_))
        return self.bolt.write(
            lambda within: Neo4jChanges(within, self.business_id).apply(batch), database=self.database
        )

    def vectors(self) -> "VectorState":
        """Return the embedder of the nodes' vectors, their length in the index, and the number of nodes without one."""
        index = self._read(cypher.VECTOR_INDEX)
        return VectorState(**self._read(cypher.VECTORS)[0], dimensions=index[0]["dimensions"] if index else 0)

    def prepare_vectors(self, embedder: Embedder) -> None:
        """Make the index fit an embedder, and remove vectors of another one.

        Raises `Refused` if another business in the database has vectors of another length, since they share the index.
        """
        found, wanted = self.vectors(), embedder.dimensions
        if not wanted or (found.embedder, found.dimensions) == (embedder.fingerprint, wanted):
            return
        if found.dimensions not in (0, wanted):
            for other in self._read(cypher.OTHER_LENGTHS, {"dimensions": wanted}, seconds=WRITE_S):
                raise Refused(
                    f"the business {other['business']!r} in the database {self.database!r} has vectors of "
                    f"{other['dimensions']} numbers, this embedder makes {wanted}, and the index `mabos_vector` "
                    "takes one length; give both the same embedder, or this one another Neo4j"
                )
            self.bolt.run(cypher.DROP_VECTOR_INDEX, database=self.database)
        if found.embedder != embedder.fingerprint:
            marked = {"business": self.business_id, "embedder": embedder.fingerprint}
            self.bolt.run(cypher.RENEW_VECTORS, marked, database=self.database)
        self.bolt.run(cypher.vector_index(wanted), database=self.database)
        self.bolt.run("CALL db.awaitIndex('mabos_vector', 30)", database=self.database)

    def embed(self, embedder: Embedder, *, limit: int = 32) -> int:
        """Add missing vectors to at most `limit` nodes, and return how many nodes were handled."""
        rows = self._read(cypher.UNEMBEDDED, {"limit": limit}, seconds=WRITE_S)
        vectors = embedder.embed([row.pop("text") for row in rows]) if rows else None
        if not vectors:
            return 0
        given = [row | {"vector": vector} for row, vector in zip(rows, vectors, strict=True)]
        values = {"business": self.business_id, "embedder": embedder.fingerprint, "rows": given}
        self.bolt.run(cypher.EMBED, values, database=self.database)
        return len(given)

    def kept(self, kind: Literal["node", "edge"]) -> Iterator[list[Kept]]:
        """Yield the nodes or edges on the server, by uid, in pages."""
        text, after = cypher.NODE_UIDS if kind == "node" else cypher.EDGE_UIDS, ""
        while rows := self._read(text, {"after": after, "limit": _PAGE}, seconds=WRITE_S):
            yield [Kept(row["uid"], row["revision"]) for row in rows]
            after = rows[-1]["uid"]

    # Reading.

    def fetch(self, uids: Sequence[str], view: GraphView = EVERYTHING) -> list[Node]:
        """Return the visible nodes with these ids, without duplicates, in the order given."""
        rows = self._read(cypher.fetch(view), {"uids": list(dict.fromkeys(uids)), **cypher.build_view_parameters(view)})
        found = {row["n"]["uid"]: neo4j_rows.node_of(row["n"]) for row in rows}
        return [found[uid] for uid in dict.fromkeys(uids) if uid in found]

    def find(
        self,
        types: Sequence[str] = (),
        where: Sequence[NodeCondition] = (),
        view: GraphView = EVERYTHING,
        *,
        limit: int = 1000,
    ) -> list[Node]:
        """Return the nodes of any of `types` that meet every condition, by uid."""
        clauses, values = narrow_conditions(where)
        text = cypher.find(view, types, clauses)
        parameters = {"types": list(types), "after": "", "limit": _PAGE, **values, **cypher.build_view_parameters(view)}
        return list(islice((node for node in self._pages(text, parameters) if meets(node, where)), max(limit, 0)))

    def expand(
        self,
        uids: Sequence[str],
        direction: Direction = "both",
        types: Sequence[str] = (),
        view: GraphView = EVERYTHING,
    ) -> list[GraphStep]:
        """Return every edge between these nodes and others if both are visible.

        By origin, edge type, uid of the other end and of the edge; an edge from a node to itself is one step.
        """
        text = cypher.expand(view, types, direction)
        rows = self._read(text, {"uids": list(dict.fromkeys(uids)), **cypher.build_view_parameters(view)})
        steps = [GraphStep(row["origin"], neo4j_rows.edge_of(row["r"]), neo4j_rows.node_of(row["n"])) for row in rows]
        steps = [step for step in steps if not types or step.edge.type in types]  # two may have one name there
        return sorted(steps, key=lambda step: (step.origin, step.edge.type, step.node.uid, step.edge.uid))

    def search(
        self, text: str, types: Sequence[str] = (), view: GraphView = EVERYTHING, *, limit: int = 20
    ) -> list[Scored]:
        """Return the nodes with a word of `text` in name or text, best first; stop words count only if all are."""
        words = " OR ".join(f'"{word}"' for word in query_terms(text))
        if not words or limit < 1:
            return []
        parameters = {"words": words, "types": list(types), "limit": limit, **cypher.build_view_parameters(view)}
        rows = self._read(cypher.search(view, types), parameters)
        return [Scored(neo4j_rows.node_of(row["n"]), row["score"]) for row in rows]

    def aggregate(self, types: Sequence[str] = ()) -> list[EdgeGroup]:
        """Return the number of edges of each kind, by type of start, edge and end."""
        groups = [EdgeGroup(**row) for row in self._read(cypher.aggregate(types), seconds=WRITE_S)]
        return [group for group in groups if not types or group.type in types]

    def digest(self) -> Digest:
        """Return a digest to compare two tiers; the server sums two numbers per row."""
        return digest_of(**self._read(cypher.DIGEST, seconds=WRITE_S)[0])

    def query(
        self,
        statement: str,
        parameters: Mapping[str, Any] | None = None,
        view: GraphView = EVERYTHING,
        *,
        limit: int = 1000,
        seconds: float = QUERY_S,
    ) -> BoltAnswer:
        """Return the results of an agent's own read-only Cypher on the nodes it may see, at all times.

        Raises `InvalidArgument` if the statement is not provably read-only, or times out.
        """
        asked = check_statement(statement, cypher.visible(self.business_id, view))
        given = {**(parameters or {}), **asked.parameters}
        return self.bolt.ask(asked.text, given, database=self.database, limit=limit, seconds=seconds)

    def close(self) -> None:
        """Close the connections; closing twice is allowed."""
        self.bolt.close()

    def _read(self, text: str, parameters: Mapping[str, Any] | None = None, *, seconds: float = READ_S) -> Rows:
        given = {"business": self.business_id, **(parameters or {})}
        return self.bolt.read(text, given, database=self.database, seconds=seconds)

    def _pages(self, text: str, parameters: dict[str, Any]) -> Iterator[Node]:
        while rows := self._read(text, parameters):
            yield from (neo4j_rows.node_of(row["n"]) for row in rows)
            if len(rows) < _PAGE:
                return
            parameters["after"] = rows[-1]["n"]["uid"]


@dataclass(frozen=True, slots=True)
class VectorState:
    """The embedder behind a copy's vectors, their length in the index, and the number of nodes without one."""

    embedder: str
    missing: int
    dimensions: int


_COMPONENTS = "CALL dbms.components() YIELD versions, edition RETURN versions[0] AS version, edition"


def database_name(business_id: str) -> str:
    """Return the name of a business's own database as Neo4j requires it: no `_`, at most 63 letters.

    Two businesses may get the same name; they are still kept apart in it, as in every database.
    """
    plain = f"mabos-{business_id.replace('_', '-')}".rstrip("-")
    if len(plain) <= _LONGEST_NAME:
        return plain
    mark = blake2b(business_id.encode(), digest_size=4).hexdigest()
    return f"{plain[: _LONGEST_NAME - len(mark) - 1]}-{mark}"


def chosen_database(bolt: Bolt, business_id: str) -> str:
    """Return the database for a business: its own, created if missing, or the server's only one."""
    edition = bolt.read(_COMPONENTS, database="system")[0]["edition"]
    databases = bolt.read("SHOW DATABASES YIELD name, home, type WHERE type <> 'system'", database="system")
    own = database_name(business_id)
    if own in {row["name"] for row in databases}:
        return own
    if edition == "enterprise":
        bolt.run("CREATE DATABASE $name IF NOT EXISTS WAIT", {"name": own}, database="system")
        return own
    return next((row["name"] for row in databases if row["home"]), "neo4j")


def schema_hash(statements: Iterable[CypherStatement]) -> str:
    """Return a text that changes with our schema or the ontologies' additions."""
    content = [*cypher.SCHEMA, *([one.text, dict(one.parameters)] for one in statements)]
    return blake2b(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()


def narrow_conditions(where: Sequence[NodeCondition]) -> tuple[list[str], dict[str, Any]]:
    """Return necessary clauses for the conditions, which narrow the search, and their parameters.

    Only conditions that Neo4j certainly evaluates as we do are used; `meets` makes the final decision.
    """
    clauses, values = list[str](), dict[str, Any]()
    for number, one in enumerate(where):
        found = neo4j_rows.property_of("n", one.property, f"$p{number}")
        if not found or not _is_read_alike(one):
            continue
        clauses.append(f"{found} {one.operator.upper()} $v{number}")
        wanted = list(one.value) if isinstance(one.value, tuple) else one.value
        if found != f"n.{one.property}":
            wanted = list(map(neo4j_rows.native, wanted)) if isinstance(wanted, list) else neo4j_rows.native(wanted)
        values |= {f"p{number}": one.property, f"v{number}": wanted}
    return clauses, values


def _is_read_alike(one: NodeCondition) -> bool:
    if one.operator == "in":
        return isinstance(one.value, tuple) and all(map(neo4j_rows.is_scalar, one.value))
    if one.operator == "=":
        return neo4j_rows.is_scalar(one.value)
    return one.operator in _ORDERED and not isinstance(one.value, str) and neo4j_rows.is_scalar(one.value)


_ORDERED = frozenset({"<", "<=", ">", ">="})  # of numbers; text is ordered otherwise beyond the 16 bits
