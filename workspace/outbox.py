"""What must still be sent elsewhere: one entry a sink and row, the newest version only, until it is acknowledged."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import orjson

from mabos.workspace.clock import Clock

_LEASE = 60.0  # seconds a taken entry stays with its taker
_ATTEMPTS = 8

_Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Delivery:
    """One thing a sink must do: write or remove a row. Newer revisions of a row replace older ones."""

    number: int
    sink: str
    action: Literal["put", "drop"]
    source: str
    collection: str
    key: str
    kind: str
    id: str
    agent: str
    text: str
    tags: str
    fields: dict[str, Any]
    revision: int
    attempts: int
    error: str


class Outbox:
    """The outboxes of all sinks, in the tables of an index; callers hold the transaction."""

    SCHEMA: ClassVar[str] = """
CREATE TABLE sinks (name TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE outbox (
  number INTEGER PRIMARY KEY AUTOINCREMENT, sink TEXT NOT NULL, action TEXT NOT NULL, source TEXT NOT NULL,
  collection TEXT NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, agent TEXT NOT NULL,
  text TEXT NOT NULL, tags TEXT NOT NULL, fields TEXT NOT NULL, revision INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0, error TEXT NOT NULL DEFAULT '', due REAL NOT NULL DEFAULT 0,
  dead INTEGER NOT NULL DEFAULT 0, UNIQUE (sink, source, collection, key));
CREATE INDEX outbox_by_due ON outbox (sink, dead, due);
"""
    _COLUMNS = (
        "number, sink, action, source, collection, key, kind, id, agent, text, tags, fields, revision, attempts, error"
    )

    def __init__(self, connection: sqlite3.Connection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock

    def sinks(self) -> tuple[str, ...]:
        """Return the names of the sinks, sorted."""
        return tuple(name for (name,) in self._connection.execute("SELECT name FROM sinks ORDER BY name"))

    def add_sink(self, name: str) -> None:
        """Register a sink; a new one gets every row there is."""
        if self._connection.execute("INSERT OR IGNORE INTO sinks VALUES (?)", (name,)).rowcount:
            self._connection.execute(
                "INSERT INTO outbox (sink, action, source, collection, key, kind, id, agent, text, tags, fields, "
                "revision) SELECT ?, 'put', source, collection, key, kind, id, agent, text, tags, fields, revision "
                "FROM rows ORDER BY number",
                (name,),
            )

    def remove_sink(self, name: str) -> None:
        """Remove a sink and what waits for it."""
        self._connection.execute("DELETE FROM outbox WHERE sink = ?", (name,))
        self._connection.execute("DELETE FROM sinks WHERE name = ?", (name,))

    def clear(self) -> None:
        """Remove everything that waits: all of it is about to be added again."""
        self._connection.execute("DELETE FROM outbox")

    def add(self, source: str, place: _Place, *, there: bool, content: Sequence[str] | None, revision: int) -> None:
        """Note for every sink that a row is new, changed, or (without `content`) gone; must come before the change."""
        if content is None:
            if not there:
                return
            sql = "SELECT kind, id, agent, '', '', '{}' FROM rows WHERE source = ? AND collection = ? AND key = ?"
            content = self._connection.execute(sql, (source, *place)).fetchone()
            action = "drop"
        else:
            action = "put"
        for sink in self.sinks():
            # Deleted and added, so that it gets a new number: an acknowledgement of the older version finds nothing.
            self._connection.execute(
                "REPLACE INTO outbox (sink, action, source, collection, key, kind, id, agent, text, tags, fields, "
                "revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (sink, action, source, *place, *(content or ()), revision),
            )

    def lease(self, sink: str, limit: int) -> list[Delivery]:
        """Return the entries that are due, oldest first, and keep others from taking them for a while."""
        now = self._now()
        sql = f"SELECT {self._COLUMNS} FROM outbox WHERE sink = ? AND dead = 0 AND due <= ? ORDER BY number LIMIT ?"  # noqa: S608  # a constant
        found = [_delivery(row) for row in self._connection.execute(sql, (sink, now, limit))]
        leased = [(now + _LEASE, each.number) for each in found]
        self._connection.executemany("UPDATE outbox SET due = ? WHERE number = ?", leased)
        return found

    def ack(self, deliveries: Iterable[Delivery]) -> None:
        """Remove entries that are done."""
        self._connection.executemany("DELETE FROM outbox WHERE number = ?", [(each.number,) for each in deliveries])

    def fail(self, deliveries: Iterable[Delivery], error: str) -> None:
        """Let entries come again later, or declare them dead."""
        for each in deliveries:
            attempts = each.attempts + 1
            due = self._now() + 2.0**attempts
            self._connection.execute(
                "UPDATE outbox SET attempts = ?, error = ?, due = ?, dead = ? WHERE number = ?",
                (attempts, error, due, attempts >= _ATTEMPTS, each.number),
            )

    def dead(self) -> list[Delivery]:
        """Return the entries that were given up."""
        sql = f"SELECT {self._COLUMNS} FROM outbox WHERE dead = 1 ORDER BY number"  # noqa: S608  # a constant
        return [_delivery(row) for row in self._connection.execute(sql)]

    def revive(self) -> int:
        """Make the dead due again; returns how many there were."""
        return self._connection.execute("UPDATE outbox SET dead = 0, attempts = 0, due = 0 WHERE dead = 1").rowcount

    def _now(self) -> float:
        return self._clock().timestamp()


def _delivery(row: Sequence[Any]) -> Delivery:
    values = list(row)
    values[11] = orjson.loads(values[11])
    return Delivery(*values)
