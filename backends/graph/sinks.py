"""The backlog of each copy of an embedded graph: nodes and edges to deliver, without their contents.

Contents are read at delivery, so a copy gets only the newest version, however often it changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from mabos.backends.graph.file import GraphFile
from mabos.backends.graph.model import Edge, Gone, GraphBatch, Node
from mabos.backends.graph.tables import KINDS, Kind, edge_columns, edge_of, encode_list, node_columns, node_of
from mabos.workspace.clock import Clock
from mabos.workspace.delivery import RetryPolicy

_LEASE = 30.0  # seconds
_BOTH_ENDS = "start_type != '' AND end_type != ''"
_RETRY = RetryPolicy(2.0, longest=300.0, attempts=8, spread=0.5)
"""Its attempts are those that the sink rejects; a sink that is out of reach is tried forever."""

Mark = tuple[Kind, str, int]
"""Kind, uid and revision of something that changed."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A node or edge that a sink lacks, in its current form; `tries` counts failed deliveries."""

    body: Node | Edge | Gone
    revision: int
    tries: int = 0
    rejections: int = 0
    error: str = ""
    number: int = 0

    @property
    def kind(self) -> Kind:
        """The kind: a node or an edge, also of a removed one."""
        if isinstance(self.body, Gone):
            return self.body.kind
        return "node" if isinstance(self.body, Node) else "edge"


@dataclass(frozen=True, slots=True)
class Leased:
    """Rows that one worker reserved for delivery; parts may be reported separately."""

    sink: str
    rows: tuple[Waiting, ...]

    @property
    def batch(self) -> GraphBatch:
        """The changes in the form that a tier accepts."""
        bodies = [row.body for row in self.rows]
        return GraphBatch(
            nodes=[body for body in bodies if isinstance(body, Node)],
            edges=[body for body in bodies if isinstance(body, Edge)],
            gone=[body for body in bodies if isinstance(body, Gone)],
        )


class Sinks:
    """The backlog of every sink, in the tables of a graph."""

    SCHEMA: ClassVar[str] = """
CREATE TABLE sinks (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE dirty (
  number INTEGER PRIMARY KEY AUTOINCREMENT, sink TEXT NOT NULL, kind TEXT NOT NULL, uid TEXT NOT NULL,
  revision INTEGER NOT NULL, tries INTEGER NOT NULL DEFAULT 0, rejections INTEGER NOT NULL DEFAULT 0,
  error TEXT NOT NULL DEFAULT '', is_dead INTEGER NOT NULL DEFAULT 0, due REAL NOT NULL DEFAULT 0,
  UNIQUE (sink, kind, uid));
CREATE INDEX dirty_by_due ON dirty (sink, is_dead, kind, due);
"""
    _COLUMNS = "uid, revision, tries, rejections, error, number"
    _MARK = "REPLACE INTO dirty (sink, kind, uid, revision) VALUES (?, ?, ?, ?)"

    def __init__(self, file: GraphFile, clock: Clock) -> None:
        self._file = file
        self._clock = clock

    def names(self) -> tuple[str, ...]:
        """Return the names of the sinks, sorted."""
        with self._file.reading() as connection:
            return tuple(name for (name,) in connection.execute("SELECT name FROM sinks ORDER BY name"))

    def add(self, name: str) -> None:
        """Register `name` as a copy of the graph; a new one lacks everything."""
        with self._file.writing() as connection:
            if connection.execute("INSERT OR IGNORE INTO sinks VALUES (?)", (name,)).rowcount:
                self.mark_rows(name)

    def mark_all(self, name: str) -> None:
        """Queue everything again because a copy turned out to differ."""
        with self._file.writing():
            self.mark_rows(name)

    def mark_rows(self, name: str) -> None:
        """Queue every row for a sink; queued rows start over. The caller holds the transaction."""
        for kind, there in (("node", "type != ''"), ("edge", _BOTH_ENDS)):
            sql = (
                f"{self._MARK.partition('VALUES')[0]} SELECT ?, ?, uid, revision FROM {kind}s WHERE {there} ORDER BY id"  # noqa: S608  # constants
            )
            self._file.connection.execute(sql, (name, kind))

    def remove(self, name: str) -> None:
        """Remove a sink and its backlog."""
        with self._file.writing() as connection:
            connection.execute("DELETE FROM dirty WHERE sink = ?", (name,))
            connection.execute("DELETE FROM sinks WHERE name = ?", (name,))

    def mark(self, marks: Sequence[Mark]) -> None:
        """Queue changes for every sink; failures of older versions are forgotten.

        The caller holds the transaction.
        """
        for sink in self.names():
            self._file.connection.executemany(self._MARK, ((sink, *mark) for mark in marks))

    def lease(self, sink: str, limit: int = 500, *, seconds: float = _LEASE) -> Leased:
        """Return rows that a sink lacks, nodes before edges, in current form, and reserve them for some seconds."""
        now, rows = self._now(), list[Waiting]()
        with self._file.writing() as connection:
            for kind in KINDS:
                if kind == "edge" and self._lacks_nodes(sink, len(rows)):
                    break  # an edge that comes before its ends is lost
                found = connection.execute(
                    f"SELECT {self._COLUMNS} FROM dirty WHERE sink = ? AND is_dead = 0 AND kind = ? AND due <= ? "  # noqa: S608  # constants
                    "ORDER BY due, number LIMIT ?",
                    (sink, kind, now, limit - len(rows)),
                ).fetchall()
                numbers = ((now + seconds, number) for *_, number in found)
                connection.executemany("UPDATE dirty SET due = ? WHERE number = ?", numbers)
                rows += [self._waiting(kind, *row) for row in found]
        return Leased(sink, tuple(rows))

    def done(self, leased: Leased) -> None:
        """Remove delivered rows; rows changed meanwhile, or overwritten by a slower worker, are queued again."""
        with self._file.writing() as connection:
            for row in leased.rows:
                place = (leased.sink, row.kind, row.body.uid)
                connection.execute("DELETE FROM dirty WHERE number = ?", (row.number,))
                now = self._body(row.kind, row.body.uid)
                is_gone = isinstance(row.body, Gone)
                if now is None and not is_gone:
                    self._mark_again(place, int(connection.execute("SELECT revision FROM totals").fetchone()[0]))
                elif now is not None and (is_gone or now.revision != row.revision):
                    self._mark_again(place, now.revision)
            self._mark_edges(
                leased.sink, [row.body.uid for row in leased.rows if row.kind == "node" and row.rejections]
            )

    def failed(self, leased: Leased, error: str, *, is_rejected: bool) -> None:
        """Queue the rows again after a growing pause.

        A row rejected eight times (`is_rejected`) is dead until `revive`; an unreachable sink never makes a row dead.
        """
        now = self._now()
        with self._file.writing() as connection:
            for row in leased.rows:
                tries, rejections = row.tries + 1, row.rejections + is_rejected
                due = now + _RETRY.pause(tries, row.body.uid)
                values = (tries, rejections, error, due, _RETRY.is_over(rejections))
                connection.execute(
                    "UPDATE dirty SET tries = ?, rejections = ?, error = ?, due = ?, is_dead = ? "
                    "WHERE sink = ? AND kind = ? AND uid = ? AND revision = ?",
                    (*values, leased.sink, row.kind, row.body.uid, row.revision),
                )

    def dead(self, sink: str) -> tuple[Waiting, ...]:
        """Return the dead rows with their last errors."""
        sql = f"SELECT {self._COLUMNS} FROM dirty WHERE sink = ? AND is_dead = 1 AND kind = ? ORDER BY number"  # noqa: S608  # constants
        with self._file.reading() as connection:
            found = [(kind, row) for kind in KINDS for row in connection.execute(sql, (sink, kind)).fetchall()]
            return tuple(self._waiting(kind, *row) for kind, row in found)

    def revive(self, sink: str) -> int:
        """Queue everything for an immediate retry, dead rows too; return how many were dead."""
        changes = "tries = 0, rejections = 0, error = '', is_dead = 0, due = 0"
        with self._file.writing() as connection:
            sql = "SELECT count(*) FROM dirty WHERE sink = ? AND is_dead = 1"
            dead = int(connection.execute(sql, (sink,)).fetchone()[0])
            refused = "SELECT uid FROM dirty WHERE sink = ? AND kind = 'node' AND rejections > 0"
            self._mark_edges(sink, [uid for (uid,) in connection.execute(refused, (sink,)).fetchall()])
            connection.execute(f"UPDATE dirty SET {changes} WHERE sink = ? AND tries > 0", (sink,))  # noqa: S608  # a constant
        return dead

    def waiting(self, sink: str) -> tuple[int, int]:
        """Return the number of rows pending for a sink, and how many of them are dead."""
        sql = "SELECT count(*), coalesce(sum(is_dead), 0) FROM dirty WHERE sink = ?"
        with self._file.reading() as connection:
            every, dead = connection.execute(sql, (sink,)).fetchone()
        return int(every), int(dead)

    def _lacks_nodes(self, sink: str, leased: int) -> bool:
        sql = "SELECT count(*) FROM dirty WHERE sink = ? AND is_dead = 0 AND rejections = 0 AND kind = 'node'"
        return bool(self._file.connection.execute(sql, (sink,)).fetchone()[0] > leased)

    def _mark_edges(self, sink: str, nodes: Sequence[str]) -> None:
        """Let the edges of nodes wait again: a copy drops an edge of a node that it refused."""
        ids = "(SELECT id FROM nodes WHERE uid IN (SELECT value FROM json_each(?)))"
        sql = f"{self._MARK.partition('VALUES')[0]} SELECT ?, 'edge', uid, revision FROM edges "  # noqa: S608  # constants
        sql += f"WHERE {_BOTH_ENDS} AND (start IN {ids} OR end IN {ids})"
        if nodes:
            self._file.connection.execute(sql, (sink, encode_list(nodes), encode_list(nodes)))

    def _mark_again(self, place: tuple[str, Kind, str], revision: int) -> None:
        sql = f"INSERT OR IGNORE{self._MARK.removeprefix('REPLACE')}"
        self._file.connection.execute(sql, (*place, revision))

    def _waiting(self, kind: Kind, uid: str, revision: int, *failures: Any) -> Waiting:
        return Waiting(self._body(kind, uid) or Gone(uid, kind, revision), revision, *failures)

    def _body(self, kind: Kind, uid: str) -> Node | Edge | None:
        if kind == "node":
            sql = f"SELECT {node_columns('n')} FROM nodes n WHERE n.uid = ? AND n.type != ''"  # noqa: S608  # constants
            row = self._file.connection.execute(sql, (uid,)).fetchone()
            return node_of(row) if row else None
        sql = (
            f"SELECT {edge_columns('e', 's', 't')} FROM edges e JOIN nodes s ON s.id = e.start "  # noqa: S608  # constants
            "JOIN nodes t ON t.id = e.end WHERE e.uid = ?"
        )
        row = self._file.connection.execute(sql, (uid,)).fetchone()
        return edge_of(row) if row else None

    def _now(self) -> float:
        return self._clock().timestamp()
