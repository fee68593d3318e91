"""One transaction of writing to an embedded graph: rows, sums, and what every sink must hear of."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

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
SELECT ?, ?, s.id, t.id, s.type, t.type, ?, ?, ?, ?, ?, ?, ?, ? FROM nodes s, nodes t WHERE s.uid = ? AND t.uid = ?
ON CONFLICT (uid) DO UPDATE SET type = excluded.type, start = excluded.start, end = excluded.end,
  start_type = excluded.start_type, end_type = excluded.end_type, properties = excluded.properties,
  weight = excluded.weight, valid_from = excluded.valid_from, valid_to = excluded.valid_to,
  revision = excluded.revision, owner = excluded.owner, high = excluded.high, low = excluded.low
"""
_PUT: dict[Kind, str] = {"node": _PUT_NODE, "edge": _PUT_EDGE}
_EMPTY_NODE = """
UPDATE nodes SET type = '', name = '', text = '', properties = '{}', audience = '[]', valid_from = '', valid_to = '',
  revision = 0, owner = 0, high = 0, low = 0 WHERE uid = ?
"""
_DROP_UNNAMED = """
DELETE FROM nodes WHERE uid IN (SELECT value FROM json_each(?)) AND type = ''
  AND NOT EXISTS (SELECT 1 FROM edges WHERE start = nodes.id) AND NOT EXISTS (SELECT 1 FROM edges WHERE end = nodes.id)
"""


@dataclass(frozen=True, slots=True)
class Held:
    """What a row is now: enough to tell whether it must be written."""

    id: int
    type: str
    high: int
    low: int
    owner: int
    revision: int


@dataclass(frozen=True, slots=True)
class Given:
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
        """The values as they are written."""
        return (*self.body, self.revision, self.owner, *self.content, *self.ends)

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
        if kind == "edge":
            self._loosen(one.uid for one in given if one.uid in held)
            ends = dict.fromkeys(end for one in given for end in one.ends)
            self.connection.executemany("INSERT OR IGNORE INTO nodes (uid) VALUES (?)", ((uid,) for uid in ends))
        self.connection.executemany(_PUT[kind], (one.row for one in given))
        for one in given:
            was = held.get(one.uid)
            high, low = (was.high, was.low) if was else (0, 0)
            self._count(kind, 0 if was and was.type else 1, one.content[0] - high, one.content[1] - low)
            self.marks.append((kind, one.uid, one.revision))
        if kind == "node":
            self._retype((was.id, one.type, was.type) for one in given if (was := held.get(one.uid)))

    def remove(self, kind: Kind, held: Mapping[str, Held], revision: int) -> None:
        """Remove rows; a node that edges still name keeps a row without a type."""
        for uid, was in held.items():
            self._count(kind, -1, -was.high, -was.low)
            self.marks.append((kind, uid, revision))
        if kind == "edge":
            self._loosen(held)
            self.connection.executemany("DELETE FROM edges WHERE uid = ?", ((uid,) for uid in held))
        else:
            self._loose.update(held)
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
    body: tuple[Any, ...]
    if isinstance(one, Node):
        ends: tuple[str, ...] = ()
        body = (one.name, one.text, written(one.properties), orjson.dumps(one.audience).decode())
    else:
        body, ends = (written(one.properties), one.weight), (one.start, one.end)
    body = (one.uid, one.type, *body, one.valid_from, one.valid_to)
    return Given(one.uid, one.type, body, ends, owner, revision, fingerprint(one))


def _chunks(values: Iterable[Any]) -> Iterator[list[Any]]:
    rest = iter(values)
    while some := list(islice(rest, _CHUNK)):
        yield some
