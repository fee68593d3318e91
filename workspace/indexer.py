"""Full-text search over the stores: a SQLite index that follows them, can be deleted, and never writes to truth.

The cursor of a store is committed together with the rows that its transactions gave, so a process may die anywhere.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from threading import RLock
from typing import Any

import orjson

from mabos.workspace.follower import Cursor, Place, news
from mabos.workspace.index_file import open_index, transaction
from mabos.workspace.store import Store
from mabos.workspace.text import query_terms


@dataclass(frozen=True, slots=True)
class TextRow:
    """A record's entry in the search index."""

    kind: str
    id: str
    agent: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextHit:
    """A row that matches; a higher score is better."""

    kind: str
    id: str
    score: float
    agent: str = ""


Rows = Callable[[str, str, Any], TextRow | None]
"""(collection, key, record) -> its row, or None if it is not to be found."""


@dataclass(frozen=True, slots=True)
class _Followed:
    store: Store
    rows: Rows


class TextIndex:
    """The index of one workspace; threads share one object, processes each open their own."""

    def __init__(self, path: Path) -> None:
        self._guard = RLock()
        self._followed: dict[str, _Followed] = {}
        self._connection = open_index(path)

    def follow(self, source: str, store: Store, rows: Rows) -> None:
        """Index the records of `store` from now on, under the permanent name `source`."""
        with self._guard:
            self._followed[source] = _Followed(store, rows)

    def update(self) -> int:
        """Index new commits of the followed stores; return how many rows changed. Cheap if nothing did."""
        with self._guard:
            followed = list(self._followed.items())
        return sum(self._caught_up(source, each) for source, each in followed)

    def search(
        self, query: str, *, agent: str | None = None, kinds: Sequence[str] = (), limit: int = 20
    ) -> list[TextHit]:
        """Return the rows that hold any of the query's words, best first; stop words count only if there are no others.

        `agent` and `kinds` restrict the answer. Equal scores are ordered by kind and id.
        """
        self.update()
        words = " OR ".join(f'"{word}"' for word in query_terms(query))
        if not words or limit < 1:
            return []
        where, values = "words MATCH ?", [words]
        if agent is not None:
            where, values = f"{where} AND agent = ?", [*values, agent]
        if kinds:
            where, values = f"{where} AND kind IN ({','.join('?' * len(kinds))})", [*values, *kinds]
        sql = (
            "SELECT kind, id, -bm25(words), agent FROM words JOIN rows ON number = words.rowid "  # noqa: S608  # marks
            f"WHERE {where} ORDER BY 3 DESC, kind, id, agent LIMIT ?"
        )
        with self._guard:
            return [TextHit(*found) for found in self._connection.execute(sql, [*values, limit])]

    def count(self) -> int:
        """Return how many rows there are."""
        with self._guard:
            return int(self._connection.execute("SELECT count(*) FROM rows").fetchone()[0])

    def rebuild(self) -> int:
        """Clear the index and read the followed stores again; return the number of rows."""
        with self._transaction():
            self._connection.execute("DELETE FROM rows")
            self._connection.execute("DELETE FROM cursors")
        self.update()
        return self.count()

    def close(self) -> None:
        """Close the file."""
        with self._guard:
            self._connection.close()

    def _caught_up(self, source: str, followed: _Followed) -> int:
        # The store is asked outside the index's own lock: neither ever waits for the other while holding its own.
        while True:
            with self._guard:
                seen = self._cursor(source)
            found = news(followed.store, seen)
            if found is None:
                return 0
            wanted = {
                place: None if record is None else followed.rows(*place, record)
                for place, record in found.records.items()
            }
            with self._transaction():
                if self._cursor(source) != seen:
                    continue  # another process was here
                now = found.cursor
                changed = self._write(source, wanted, is_whole=found.is_whole)
                self._connection.execute("REPLACE INTO cursors VALUES (?, ?, ?)", (source, now.generation, now.seq))
                return changed

    def _cursor(self, source: str) -> Cursor:
        found = self._connection.execute("SELECT generation, seq FROM cursors WHERE source = ?", (source,)).fetchone()
        return Cursor(*found) if found else Cursor()

    def _write(self, source: str, wanted: "_Wanted", *, is_whole: bool) -> int:
        there = self._digests(source, None if is_whole else wanted)
        gone = {place: None for place in there if place not in wanted}
        changed = 0
        for place, row in (wanted | gone).items():
            content = None if row is None else _content(row)
            digest = None if content is None else blake2b(orjson.dumps(content), digest_size=16).digest()
            if there.get(place) == digest:
                continue
            changed += 1
            self._connection.execute("DELETE FROM rows WHERE source=? AND collection=? AND key=?", (source, *place))
            if content is not None:
                self._connection.execute(
                    "INSERT INTO rows (source, collection, key, kind, id, agent, text, tags, digest) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (source, *place, *content, digest),
                )
        return changed

    def _digests(self, source: str, places: "_Wanted | None") -> dict[Place, bytes]:
        sql = "SELECT collection, key, digest FROM rows WHERE source = ?"
        if places is None:
            found = self._connection.execute(sql, (source,)).fetchall()
        else:
            one = f"{sql} AND collection = ? AND key = ?"
            found = [row for place in places for row in self._connection.execute(one, (source, *place))]
        return {(collection, key): digest for collection, key, digest in found}

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._guard, transaction(self._connection):
            yield


_Wanted = dict[Place, TextRow | None]


def _content(row: TextRow) -> tuple[str, ...]:
    return (row.kind, row.id, row.agent, row.text, " ".join(row.tags))
