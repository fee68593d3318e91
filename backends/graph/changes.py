"""A write transaction of an embedded graph: its rows, checksums, and marks for every sink."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import orjson

from mabos.backends.graph.content import encode_properties, fingerprint
from mabos.backends.graph.model import Edge, GraphPart, Node
from mabos.backends.graph.sinks import Mark
from mabos.backends.graph.tables import Kind, encode_list

Item = TypeVar("Item")
_CHUNK = 5000
_MANY = 1000
"""The number of new rows, at least as many as exist, from which the indexes are dropped and rebuilt afterwards."""

_BETWEEN = "\x1f"  # source and place
_COLUMNS: Mapping[Kind, str] = {
    "node": "type name text properties audience valid_from valid_to revision owner high low",
    "edge": "type properties weight valid_from valid_to revision owner high low start end start_type end_type",
}
_CHANGE = {
    kind: f"UPDATE {kind}s SET {' = ?, '.join(columns.split())} = ? WHERE id = ?"  # noqa: S608  # constants
    for kind, columns in _COLUMNS.items()
}
_ADD = {
    kind: f"INSERT INTO {kind}s (id, uid, {', '.join(columns.split())}) "  # noqa: S608  # constants
    f"VALUES (?, ?, {', '.join('?' * len(columns.split()))})"
    for kind, columns in _COLUMNS.items()
}
# Words are written for many nodes by one statement: for each statement SQLite writes a piece of the index of its own.
_WORDS_IN = (
    "INSERT INTO words (rowid, name, text) SELECT id, name, text FROM nodes WHERE (name != '' OR text != '') AND "
)
_WORDS_OUT = (
    "INSERT INTO words (words, rowid, name, text) SELECT 'delete', id, name, text FROM nodes "
    "WHERE (name != '' OR text != '') AND "
)
_THESE = "id IN (SELECT value FROM json_each(?))"
_EMPTY_NODE = """
UPDATE nodes SET type = '', name = '', text = '', properties = '{}', audience = '[]', valid_from = '', valid_to = '',
  revision = 0, owner = '', high = 0, low = 0 WHERE id = ?
"""
_DROP_UNNAMED = """
DELETE FROM nodes WHERE uid IN (SELECT value FROM json_each(?)) AND type = ''
  AND NOT EXISTS (SELECT 1 FROM edges WHERE start = nodes.id) AND NOT EXISTS (SELECT 1 FROM edges WHERE end = nodes.id)
"""


class StoredRow(NamedTuple):
    """A stored row: enough to decide whether it must be written."""

    id: int
    type: str
    high: int
    low: int
    owner: str
    revision: int


class GivenRow(NamedTuple):
    """A node or edge to write: `row` has its columns without the uid, and without the ends of an edge."""

    uid: str
    type: str
    ends: tuple[str, ...]
    owner: str
    revision: int
    content: tuple[int, int]
    row: tuple[Any, ...]

    def is_content_of(self, held: StoredRow | None) -> bool:
        """Return whether the row exists with the same content."""
        return held is not None and bool(held.type) and (held.high, held.low) == self.content


@dataclass(slots=True)
class GraphChanges:
    """The rows that one transaction writes; `finish` writes the sums and removes unused rows."""

    connection: sqlite3.Connection
    marks: list[Mark] = field(default_factory=list)
    _arrived: list[Mark] = field(default_factory=list)  # edges that waited for an end
    _unended: set[str] = field(default_factory=set)  # new edges that lack one
    _rows: dict[Kind, int] = field(default_factory=lambda: {"node": 0, "edge": 0})
    _content: tuple[int, int] = (0, 0)
    _loose: set[str] = field(default_factory=set)
    _nodes: dict[str, tuple[int, str]] = field(default_factory=dict)  # ids and types of nodes written here

    def news(self) -> Iterator[Mark]:
        """Yield the changes that every sink needs; an edge counts only once both its ends exist."""
        yield from self._arrived
        yield from ((kind, uid, at) for kind, uid, at in self.marks if kind == "node" or uid not in self._unended)

    def held(self, kind: Kind, uids: Iterable[str]) -> dict[str, StoredRow]:
        """Return the rows with these uids, by uid."""
        if self.connection.execute(f"SELECT 1 FROM {kind}s LIMIT 1").fetchone() is None:  # noqa: S608  # one of two
            return {}
        sql = (
            f"SELECT uid, id, type, high, low, owner, revision FROM {kind}s "  # noqa: S608  # one of two
            "WHERE uid IN (SELECT value FROM json_each(?))"
        )
        found = (row for some in chunks(uids) for row in self.connection.execute(sql, (encode_list(some),)))
        return {uid: StoredRow(*row) for uid, *row in found}

    def list_owned_uids(self, kind: Kind, source: str, places: Iterable[str] | None) -> set[str]:
        """Return the uids of the rows from these places of a source, or from all of them."""
        sql = f"SELECT uid FROM {kind}s WHERE owner "  # noqa: S608  # one of two
        if places is None:
            ends = (owner_of(source), f"{source}{chr(ord(_BETWEEN) + 1)}")
            return {uid for (uid,) in self.connection.execute(f"{sql}>= ? AND owner < ?", ends)}
        sql += "IN (SELECT value FROM json_each(?))"
        owners = (owner_of(source, place) for place in places)
        return {uid for some in chunks(owners) for (uid,) in self.connection.execute(sql, (encode_list(some),))}

    def removed(self, kind: Kind, uids: Iterable[str]) -> dict[str, int]:
        """Return the revisions at which `apply` removed things."""
        sql = "SELECT uid, revision FROM removed WHERE kind = ? AND uid IN (SELECT value FROM json_each(?))"
        return dict(row for some in chunks(uids) for row in self.connection.execute(sql, (kind, encode_list(some))))

    def note_removed(self, kind: Kind, uid: str, revision: int) -> None:
        """Record removals, so that nothing older comes back."""
        self.connection.execute("REPLACE INTO removed VALUES (?, ?, ?)", (kind, uid, revision))

    def put(self, kind: Kind, given: Sequence[GivenRow], held: Mapping[str, StoredRow]) -> None:
        """Write rows; edges learn the types of their nodes, and missing ends get a row without a type.

        `held` are all the existing rows with these uids.
        """
        fresh = [one for one in given if one.uid not in held] if held else given
        known = [(one, held[one.uid]) for one in given if one.uid in held] if held else []
        if kind == "node":
            self._put_nodes(fresh, known)
        else:
            self._put_edges(fresh, known)
        high = sum(one.content[0] for one in given) - sum(was.high for _, was in known)
        low = sum(one.content[1] for one in given) - sum(was.low for _, was in known)
        self._count(kind, len(given) - sum(bool(was.type) for _, was in known), high, low)
        self.marks += [(kind, one.uid, one.revision) for one in given]

    def remove(self, kind: Kind, held: Mapping[str, StoredRow], revision: int) -> None:
        """Remove rows; a node that edges still refer to keeps a row without a type."""
        self._count(kind, -len(held), -sum(was.high for was in held.values()), -sum(was.low for was in held.values()))
        self.marks += [(kind, uid, revision) for uid in held]
        ids = [was.id for was in held.values()]
        if kind == "edge":
            self._loosen(held)
            self.connection.executemany("DELETE FROM edges WHERE id = ?", ((id_,) for id_ in ids))
        else:
            self._loose.update(held)
            self._words(_WORDS_OUT, ids)
            self.connection.executemany(_EMPTY_NODE, ((id_,) for id_ in ids))
            self._retype((was.id, "", was.type) for was in held.values())

    def move(self, kind: Kind, given: Iterable[GivenRow]) -> None:
        """Transfer unchanged rows to another place."""
        sql = f"UPDATE {kind}s SET owner = ? WHERE uid = ?"  # noqa: S608  # one of two
        self.connection.executemany(sql, ((one.owner, one.uid) for one in given))

    def finish(self) -> None:
        """Write the sums, and remove rows without a type that no edge refers to."""
        self.connection.execute(
            "UPDATE totals SET nodes = nodes + ?, edges = edges + ?, high = high + ?, low = low + ?, "
            "revision = max(revision, ?)",
            (*self._rows.values(), *self._content, max((revision for _, _, revision in self.marks), default=0)),
        )
        for some in chunks(self._loose):
            self.connection.execute(_DROP_UNNAMED, (encode_list(some),))

    def _put_nodes(self, fresh: Sequence[GivenRow], known: Sequence[tuple[GivenRow, StoredRow]]) -> None:
        last = self.connection.execute("SELECT coalesce(max(id), 0) FROM nodes").fetchone()[0]
        reworded = self._find_reworded({was.id: one.row[1:3] for one, was in known})
        self._words(_WORDS_OUT, reworded)
        self.connection.executemany(_CHANGE["node"], ((*one.row, was.id) for one, was in known))
        with self._filling("node", len(fresh)):
            self.connection.executemany(
                _ADD["node"], ((id_, one.uid, *one.row) for id_, one in enumerate(fresh, last + 1))
            )
        self._words(_WORDS_IN, reworded)
        self.connection.execute(f"{_WORDS_IN}id > ?", (last,))
        self._retype((was.id, one.type, was.type) for one, was in known)
        self._nodes |= {one.uid: (was.id, one.type) for one, was in known}
        self._nodes |= {one.uid: (id_, one.type) for id_, one in enumerate(fresh, last + 1)}

    def _put_edges(self, fresh: Sequence[GivenRow], known: Sequence[tuple[GivenRow, StoredRow]]) -> None:
        self._loosen(one.uid for one, _ in known)
        nodes = self._ends(dict.fromkeys(end for one in (*fresh, *(one for one, _ in known)) for end in one.ends))

        def ends(one: GivenRow) -> tuple[int, int, str, str]:
            (start, start_type), (end, end_type) = nodes[one.ends[0]], nodes[one.ends[1]]
            return start, end, start_type, end_type

        self._unended.update(one.uid for one in fresh if "" in ends(one))
        self.connection.executemany(_CHANGE["edge"], ((*one.row, *ends(one), was.id) for one, was in known))
        with self._filling("edge", len(fresh)):
            self.connection.executemany(_ADD["edge"], ((None, one.uid, *one.row, *ends(one)) for one in fresh))

    def _ends(self, uids: Collection[str]) -> Mapping[str, tuple[int, str]]:
        """Return ids and types of nodes, those written here among them; nodes not there get a row without a type."""
        others = [uid for uid in uids if uid not in self._nodes]
        there = self.held("node", others)
        missing = [uid for uid in others if uid not in there]
        self.connection.executemany("INSERT INTO nodes (uid) VALUES (?)", ((uid,) for uid in missing))
        there |= self.held("node", missing)
        return self._nodes | {uid: (was.id, was.type) for uid, was in there.items()}

    @contextmanager
    def _filling(self, kind: Kind, rows: int) -> Iterator[None]:
        """Let so many rows be added, at half the cost where most are new: indexes are then made once."""
        query = self.connection.execute
        if rows < _MANY or rows < query(f"SELECT count(*) FROM {kind}s").fetchone()[0]:  # noqa: S608  # one of two
            yield
            return
        sql = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
        indexes = query(sql, (f"{kind}s",)).fetchall()
        for name, _ in indexes:
            query(f"DROP INDEX {name}")
        yield
        for _, statement in indexes:
            query(statement)

    def _find_reworded(self, words: Mapping[int, tuple[str, str]]) -> list[int]:
        sql = f"SELECT id, name, text FROM nodes WHERE {_THESE}"  # noqa: S608  # a constant
        found = (row for some in chunks(words) for row in self.connection.execute(sql, (encode_list(some),)))
        return [id_ for id_, *before in found if words[id_] != tuple(before)]

    def _words(self, sql: str, nodes: Iterable[int]) -> None:
        for some in chunks(nodes):
            self.connection.execute(sql + _THESE, (encode_list(some),))

    def _count(self, kind: Kind, rows: int, high: int, low: int) -> None:
        self._rows[kind] += rows
        self._content = self._content[0] + high, self._content[1] + low

    def _retype(self, nodes: Iterable[tuple[int, str, str]]) -> None:
        """Let edges know the types of their ends; those that waited for one are news to every sink."""
        given = list(nodes)
        changed = [(type_, id_) for id_, type_, before in given if type_ != before]
        came = encode_list(id_ for id_, type_, before in given if type_ and not before)
        ends = "(SELECT value FROM json_each(?))"
        waited = f"SELECT uid, revision FROM edges WHERE start IN {ends} OR end IN {ends}"  # noqa: S608  # a constant
        self._arrived += [("edge", *row) for row in self.connection.execute(waited, (came, came))]
        for end in ("start", "end"):
            sql = f"UPDATE edges SET {end}_type = ? WHERE {end} = ?"  # noqa: S608  # one of two
            self.connection.executemany(sql, changed)

    def _loosen(self, edges: Iterable[str]) -> None:
        sql = (
            "SELECT n.uid FROM edges e JOIN nodes n ON n.id IN (e.start, e.end) "
            "WHERE e.uid IN (SELECT value FROM json_each(?)) AND n.type = ''"
        )
        for some in chunks(edges):
            self._loose.update(uid for (uid,) in self.connection.execute(sql, (encode_list(some),)))


def owner_of(source: str, place: str = "") -> str:
    """Return the name of a source's place in the rows that it gave."""
    return f"{source}{_BETWEEN}{place}"


def merge_parts(parts: Iterable[tuple[str, GraphPart]], revision: int | None = None) -> dict[Kind, dict[str, GivenRow]]:
    """Return the rows of owners, by kind and uid; if two give the same uid, the last one counts.

    Without a `revision` each thing has its own.
    """
    nodes: dict[str, GivenRow] = {}
    edges: dict[str, GivenRow] = {}
    for owner, part in parts:
        for node in part.nodes:
            nodes[node.uid] = _build_row(node, owner, node.revision if revision is None else revision)
        for edge in part.edges:
            edges[edge.uid] = _build_row(edge, owner, edge.revision if revision is None else revision)
    return {"node": nodes, "edge": edges}


def _build_row(one: Node | Edge, owner: str, revision: int) -> GivenRow:
    properties = encode_properties(one.properties)
    content = fingerprint(one, properties)
    last = (one.valid_from, one.valid_to, revision, owner, *content)
    if isinstance(one, Node):
        row = (one.type, one.name, one.text, properties, orjson.dumps(one.audience).decode(), *last)
        return GivenRow(one.uid, one.type, (), owner, revision, content, row)
    return GivenRow(
        one.uid, one.type, (one.start, one.end), owner, revision, content, (one.type, properties, one.weight, *last)
    )


def chunks(values: Iterable[Item], size: int = _CHUNK) -> Iterator[list[Item]]:
    """Yield values in lists of at most the given length."""
    rest = iter(values)
    while some := list(islice(rest, size)):
        yield some
