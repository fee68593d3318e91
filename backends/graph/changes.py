"""One transaction of writing to an embedded graph: rows, sums, and what every sink must hear of."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import orjson

from backends.graph.content import fingerprint, written
from backends.graph.model import Edge, Node, Part
from backends.graph.sinks import Mark
from backends.graph.tables import Kind, listed

_CHUNK = 5000

_PUT_NODE = """
INSERT INTO nodes (uid, type, name, text, properties, audience, valid_from, valid_to, revision, owner, high, low)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (uid) DO UPDATE SET type = excluded.type, name = excluded.name,
  text = excluded.text, properties = excluded.properties, audience = excluded.audience,
  valid_from = excluded.valid_from, valid_to = excluded.valid_to, revision = excluded.revision,
  owner = excluded.owner, high = excluded.high, low = excluded.low
"""
_PUT_EDGE = """
INSERT INTO edges (uid, type, start, end, start_type, end_type, properties, weight, valid_from, valid_to, revision,
  owner, high, low)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (uid) DO UPDATE SET type = excluded.type, start = excluded.start, end = excluded.end,
  start_type = excluded.start_type, end_type = excluded.end_type, properties = excluded.properties,
  weight = excluded.weight, valid_from = excluded.valid_from, valid_to = excluded.valid_to,
  revision = excluded.revision, owner = excluded.owner, high = excluded.high, low = excluded.low
"""
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
  revision = 0, owner = 0, high = 0, low = 0 WHERE uid = ?
"""
_DROP_UNNAMED = """
DELETE FROM nodes WHERE uid IN (SELECT value FROM json_each(?)) AND type = ''
  AND NOT EXISTS (SELECT 1 FROM edges WHERE start = nodes.id) AND NOT EXISTS (SELECT 1 FROM edges WHERE end = nodes.id)
"""


class Held(NamedTuple):
    """What a row is now: enough to tell whether it must be written."""

    id: int
    type: str
    high: int
    low: int
    owner: int
    revision: int


class Given(NamedTuple):
    """A node or edge to be written: its columns, the place that gives it, and the numbers of its content."""

    uid: str
    type: str
    body: tuple[Any, ...]
    ends: tuple[str, ...]
    owner: int
    revision: int
    content: tuple[int, int]

    @property
    def row(self) -> tuple[Any, ...]:
        """The values as they are written, after the uid, the type and what an edge says of its ends."""
        return (*self.body, self.revision, self.owner, *self.content)

    def is_content_of(self, held: Held | None) -> bool:
        """Return whether the row is there and says the same."""
        return held is not None and bool(held.type) and (held.high, held.low) == self.content


@dataclass(slots=True)
class Changes:
    """The rows that one transaction writes; `finish` writes what follows from them."""

    connection: sqlite3.Connection
    marks: list[Mark] = field(default_factory=list)
    _rows: dict[Kind, int] = field(default_factory=lambda: {"node": 0, "edge": 0})
    _content: tuple[int, int] = (0, 0)
    _loose: set[str] = field(default_factory=set)

    def held(self, kind: Kind, uids: Iterable[str]) -> dict[str, Held]:
        """Return the rows with these uids, by uid."""
        sql = (
            f"SELECT uid, id, type, high, low, owner, revision FROM {kind}s "  # noqa: S608  # one of two
            "WHERE uid IN (SELECT value FROM json_each(?))"
        )
        found = (row for some in _chunks(uids) for row in self.connection.execute(sql, (listed(some),)))
        return {uid: Held(*row) for uid, *row in found}

    def owned(self, kind: Kind, places: Collection[int]) -> set[str]:
        """Return the uids of the rows that these places gave."""
        sql = f"SELECT uid FROM {kind}s WHERE owner IN (SELECT value FROM json_each(?))"  # noqa: S608  # one of two
        return {uid for some in _chunks(places) for (uid,) in self.connection.execute(sql, (listed(some),))}

    def removed(self, kind: Kind, uids: Iterable[str]) -> dict[str, int]:
        """Return the revisions at which `apply` took things away."""
        sql = "SELECT uid, revision FROM removed WHERE kind = ? AND uid IN (SELECT value FROM json_each(?))"
        return dict(row for some in _chunks(uids) for row in self.connection.execute(sql, (kind, listed(some))))

    def note_removed(self, kind: Kind, uid: str, revision: int) -> None:
        """Keep in mind that nothing older than this may come back."""
        self.connection.execute("REPLACE INTO removed VALUES (?, ?, ?)", (kind, uid, revision))

    def put(self, kind: Kind, given: Sequence[Given], held: Mapping[str, Held]) -> None:
        """Write rows; edges learn the type of a node, and ends that nobody gives get a row without a type."""
        if kind == "node":
            self._put_nodes(given, held)
        else:
            self._put_edges(given, held)
        known = [was for one in given if (was := held.get(one.uid))]
        high = sum(one.content[0] for one in given) - sum(was.high for was in known)
        low = sum(one.content[1] for one in given) - sum(was.low for was in known)
        self._count(kind, len(given) - sum(bool(was.type) for was in known), high, low)
        self.marks += [(kind, one.uid, one.revision) for one in given]

    def remove(self, kind: Kind, held: Mapping[str, Held], revision: int) -> None:
        """Remove rows; a node that edges still name keeps a row without a type."""
        self._count(kind, -len(held), -sum(was.high for was in held.values()), -sum(was.low for was in held.values()))
        self.marks += [(kind, uid, revision) for uid in held]
        if kind == "edge":
            self._loosen(held)
            self.connection.executemany("DELETE FROM edges WHERE uid = ?", ((uid,) for uid in held))
        else:
            self._loose.update(held)
            self._words(_WORDS_OUT, [was.id for was in held.values()])
            self.connection.executemany(_EMPTY_NODE, ((uid,) for uid in held))
            self._retype((was.id, "", was.type) for was in held.values())

    def move(self, kind: Kind, given: Iterable[Given]) -> None:
        """Let another place own rows whose content stays."""
        sql = f"UPDATE {kind}s SET owner = ? WHERE uid = ?"  # noqa: S608  # one of two
        self.connection.executemany(sql, ((one.owner, one.uid) for one in given))

    def finish(self) -> None:
        """Write the sums, and take away rows without a type that no edge names any more."""
        self.connection.execute(
            "UPDATE totals SET nodes = nodes + ?, edges = edges + ?, high = high + ?, low = low + ?, "
            "revision = max(revision, ?)",
            (*self._rows.values(), *self._content, max((revision for _, _, revision in self.marks), default=0)),
        )
        for some in _chunks(self._loose):
            self.connection.execute(_DROP_UNNAMED, (listed(some),))

    def _put_nodes(self, given: Sequence[Given], held: Mapping[str, Held]) -> None:
        last = self.connection.execute("SELECT coalesce(max(id), 0) FROM nodes").fetchone()[0]
        reworded = self._reworded({held[one.uid].id: one.body[:2] for one in given if one.uid in held})
        self._words(_WORDS_OUT, reworded)
        self.connection.executemany(_PUT_NODE, ((one.uid, one.type, *one.row) for one in given))
        self._words(_WORDS_IN, reworded)
        self.connection.execute(f"{_WORDS_IN}id > ?", (last,))
        self._retype((was.id, one.type, was.type) for one in given if (was := held.get(one.uid)))

    def _put_edges(self, given: Sequence[Given], held: Mapping[str, Held]) -> None:
        self._loosen(one.uid for one in given if one.uid in held)
        uids = dict.fromkeys(end for one in given for end in one.ends)
        ends = self.held("node", uids)
        missing = [uid for uid in uids if uid not in ends]
        self.connection.executemany("INSERT INTO nodes (uid) VALUES (?)", ((uid,) for uid in missing))
        ends |= self.held("node", missing)
        both = ((one, ends[one.ends[0]], ends[one.ends[1]]) for one in given)
        rows = ((one.uid, one.type, s.id, t.id, s.type, t.type, *one.row) for one, s, t in both)
        self.connection.executemany(_PUT_EDGE, rows)

    def _reworded(self, words: Mapping[int, tuple[str, str]]) -> list[int]:
        sql = f"SELECT id, name, text FROM nodes WHERE {_THESE}"  # noqa: S608  # a constant
        found = (row for some in _chunks(words) for row in self.connection.execute(sql, (listed(some),)))
        return [id_ for id_, *before in found if words[id_] != tuple(before)]

    def _words(self, sql: str, nodes: Iterable[int]) -> None:
        for some in _chunks(nodes):
            self.connection.execute(sql + _THESE, (listed(some),))

    def _count(self, kind: Kind, rows: int, high: int, low: int) -> None:
        self._rows[kind] += rows
        self._content = self._content[0] + high, self._content[1] + low

    def _retype(self, nodes: Iterable[tuple[int, str, str]]) -> None:
        changed = [(type_, id_) for id_, type_, before in nodes if type_ != before]
        for end in ("start", "end"):
            sql = f"UPDATE edges SET {end}_type = ? WHERE {end} = ?"  # noqa: S608  # one of two
            self.connection.executemany(sql, changed)

    def _loosen(self, edges: Iterable[str]) -> None:
        sql = (
            "SELECT n.uid FROM edges e JOIN nodes n ON n.id IN (e.start, e.end) "
            "WHERE e.uid IN (SELECT value FROM json_each(?)) AND n.type = ''"
        )
        for some in _chunks(edges):
            self._loose.update(uid for (uid,) in self.connection.execute(sql, (listed(some),)))


def wanted(parts: Iterable[tuple[int, Part]], revision: int | None = None) -> dict[Kind, dict[str, Given]]:
    """Return what places give, by kind and uid; of two that give the same uid, the last counts."""
    found: dict[Kind, dict[str, Given]] = {"node": {}, "edge": {}}
    for owner, part in parts:
        things: tuple[Node | Edge, ...] = (*part.nodes, *part.edges)
        for one in things:
            given = _given(one, owner, one.revision if revision is None else revision)
            found["node" if isinstance(one, Node) else "edge"][one.uid] = given
    return found


def _given(one: Node | Edge, owner: int, revision: int) -> Given:
    properties = written(one.properties)
    content = fingerprint(one, properties)
    validity = (one.valid_from, one.valid_to)
    if isinstance(one, Node):
        body = (one.name, one.text, properties, orjson.dumps(one.audience).decode(), *validity)
        return Given(one.uid, one.type, body, (), owner, revision, content)
    ends = (one.start, one.end)
    return Given(one.uid, one.type, (properties, one.weight, *validity), ends, owner, revision, content)


def _chunks(values: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(values)
    while some := list(islice(rest, _CHUNK)):
        yield some
