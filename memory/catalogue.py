"""The texts of one memory in SQLite, by number, word and tag. The file is derived, and rebuilt if lost.

FTS5 holds the words as `memory.words` stems them, so the ranker counts them exactly. FTS5's own ranking is not used.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import orjson

from mabos.backends.vectors import key_of
from mabos.memory.findable import Findable
from mabos.memory.timeline import ROOM, first_number
from mabos.workspace.index_file import open_index, transaction

_VERSION = 3
_PATIENCE_S = 1.0
"""Seconds to wait for another process that is writing; a recall does not wait for it to build a whole index."""
_SCHEMA = Path(__file__).with_suffix(".sql").read_text("utf-8")
_COLUMNS = "number, id, key, length, stems, text, tags, at, source, importance, is_passage"
_CACHED_KIB = 32 * 1024
"""SQLite's cache of the file in memory; its default of 2 MiB would make recalls read most of the file again."""


class WordsEntry(NamedTuple):
    """A text as stored in the file: timeline number, vector key, word count and words.

    The words form one line, separated by two spaces; `pad_stem` gives the form to search for. A recall reads some
    hundreds of entries and turns few of them into texts.
    """

    number: int
    id: str
    key: bytes
    length: int
    stems: str
    text: str
    tags: str
    at: str
    source: str
    importance: float
    is_passage: int

    @property
    def one(self) -> Findable:
        """The text as a `Findable`."""
        labels = tuple(orjson.loads(self.tags)) if self.tags != "[]" else ()
        return Findable(self.id, self.text, labels, self.at, self.source, self.importance, bool(self.is_passage))


_entry = cast("Callable[[Iterable[Any]], WordsEntry]", partial(tuple.__new__, WordsEntry))


def pad_stem(word: str) -> str:
    """Return a stem as stored in `WordsEntry.stems`, so that `entry.stems.count(pad_stem("dog"))` counts it."""
    return f" {word} "


class Catalogue:
    """The catalogue file; in memory without a path, or if nothing can be written."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._connection = _connection(path)
        self._version = -1

    def is_news(self) -> bool:
        """Return whether another process has written since the last call; initially True."""
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        before, self._version = self._version, version
        return bool(version != before)

    def is_empty(self) -> bool:
        """Return whether there are no texts."""
        return self._connection.execute("SELECT 1 FROM texts LIMIT 1").fetchone() is None

    def marks(self) -> dict[str, str]:
        """Return the position up to which each followed source has been read, by name."""
        return dict(self._connection.execute("SELECT name, value FROM marks"))

    def mark(self, marks: Mapping[str, str | None]) -> None:
        """Save marks; None removes one."""
        for name, value in marks.items():
            self._connection.execute("DELETE FROM marks WHERE name = ?", (name,))
            if value is not None:
                self._connection.execute("INSERT INTO marks VALUES (?, ?)", (name, value))

    def sources(self) -> dict[str, int]:
        """Return the number of texts from each source."""
        return dict(self._connection.execute("SELECT source, count(*) FROM texts GROUP BY source"))

    def lengths(self) -> Iterator[tuple[int, int]]:
        """Yield the number and word count of each text, in any order."""
        return iter(self._connection.execute("SELECT number, length FROM texts INDEXED BY lengths"))

    def ids(self) -> list[str]:
        """Return the ids of all texts, oldest first."""
        return [one for (one,) in self._connection.execute("SELECT id FROM texts ORDER BY number")]

    def item_ids(self) -> list[str]:
        """Return the ids of all texts that are not passages."""
        return [one for (one,) in self._connection.execute("SELECT id FROM texts WHERE NOT is_passage")]

    def keys(self) -> dict[str, bytes]:
        """Return the key of the vector of each text."""
        return dict(self._connection.execute("SELECT id, key FROM texts INDEXED BY keys"))

    def by_number(self, numbers: Sequence[int]) -> Iterator[WordsEntry]:
        """Yield the texts with these numbers, in any order."""
        return self._entries("WHERE number IN (SELECT value FROM json_each(?))", orjson.dumps(numbers).decode())

    def by_id(self, ids: Sequence[str]) -> Iterator[WordsEntry]:
        """Yield the texts with these ids, in any order."""
        return self._entries("WHERE id IN (SELECT value FROM json_each(?))", orjson.dumps(ids).decode())

    def containing(self, parts: Sequence[str]) -> list[str]:
        """Return the ids of texts that contain half of `parts`, even inside a word or tag. Scans every text."""
        found = self._connection.execute("SELECT id, text || ' ' || tags FROM texts")
        return [one for one, text in found if holds(text, parts)]

    def holders(self, words: Sequence[str]) -> dict[str, int]:
        """Return how many texts contain each of `words`, without words in no text."""
        sql = "SELECT term, doc FROM holders WHERE term IN (SELECT value FROM json_each(?))"
        return dict(self._connection.execute(sql, (orjson.dumps(words).decode(),)))

    def places(self, word: str) -> list[int]:
        """Return the numbers of the texts with `word`, each as often as it occurs, in order."""
        # In one text, which is read twice as fast as a row for each.
        found = self._connection.execute("SELECT json_group_array(doc) FROM places WHERE term = ?", (word,))
        places: list[int] = orjson.loads(found.fetchone()[0])
        return places

    def newest(self, word: str, limit: int) -> list[int]:
        """Return the numbers of the latest texts with `word`, latest first."""
        sql = "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?"
        return [number for (number,) in self._connection.execute(sql, (f'"{word}"', limit))]

    def with_tag(self, tag: str, limit: int) -> tuple[int, list[int]]:
        """Return the number of texts with a tag, and the numbers of the latest ones."""
        (count,) = self._connection.execute("SELECT count(*) FROM tagged WHERE tag = ?", (tag,)).fetchone()
        sql = "SELECT number FROM tagged WHERE tag = ? ORDER BY number DESC LIMIT ?"
        return count, [number for (number,) in self._connection.execute(sql, (tag, limit))]

    def put(self, texts: Iterable[tuple[Findable, Sequence[str]]]) -> list[WordsEntry]:
        """Add new texts with their stems; return them with their numbers."""
        last: dict[int, int] = {}
        entries = []
        for one, stems in texts:
            first = first_number(one)
            number = last[first] = last.get(first, self._last(first)) + 1
            told = (one.text, orjson.dumps(one.tags).decode(), one.at, one.source, one.importance, int(one.is_passage))
            entries.append(
                WordsEntry(number, one.id, key_of(one.embedding_text), len(stems), "".join(map(pad_stem, stems)), *told)
            )
        rows = sorted(entries)
        sql = f"INSERT INTO texts ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608  # constant
        self._connection.executemany(sql, rows)
        # Beside each other, not by triggers, after each of which FTS5 would write to disk what it has gathered.
        words = ((entry.number, entry.stems) for entry in rows)
        self._connection.executemany("INSERT INTO words (rowid, stems) VALUES (?, ?)", words)
        labels = ((tag, entry.number) for entry in entries for tag in set(entry.one.tags))
        self._connection.executemany("INSERT INTO tagged VALUES (?, ?)", sorted(labels))
        return entries

    def weigh(self, number: int, importance: float) -> None:
        """Change the importance of a text."""
        self._connection.execute("UPDATE texts SET importance = ? WHERE number = ?", (importance, number))

    def drop(self, number: int) -> None:
        """Remove a text."""
        one = (number,)
        sql = "INSERT INTO words (words, rowid, stems) SELECT 'delete', number, stems FROM texts WHERE number = ?"
        self._connection.execute(sql, one)
        tags = "SELECT value FROM texts, json_each(tags) WHERE texts.number = ?1"
        self._connection.execute(f"DELETE FROM tagged WHERE tag IN ({tags}) AND number = ?1", one)  # noqa: S608  # constant
        self._connection.execute("DELETE FROM texts WHERE number = ?", one)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read one consistent state inside the block, whatever other processes write."""
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            if self._connection.in_transaction:  # else SQLite has ended it by itself, after an error worth telling
                self._connection.execute("COMMIT")

    def writing(self) -> AbstractContextManager[None]:
        """Run the block as one transaction."""
        return transaction(self._connection)

    def remove(self) -> None:
        """Close and delete the file, so that untrustworthy content is rebuilt."""
        self._connection.close()
        if self._path is not None:
            for suffix in ("", "-wal", "-shm"):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _last(self, first: int) -> int:
        sql = "SELECT max(number) FROM texts WHERE number BETWEEN ? AND ?"
        (last,) = self._connection.execute(sql, (first, first + ROOM - 1)).fetchone()
        return first - 1 if last is None else int(last)

    def _entries(self, where: str, *values: str) -> Iterator[WordsEntry]:
        sql = f"SELECT {_COLUMNS} FROM texts {where}"  # noqa: S608  # constants
        # Of rows that have all columns, which `Entry._make` would count once more: of hundreds a recall.
        return map(_entry, self._connection.execute(sql, values))


def holds(text: str, parts: Sequence[str]) -> bool:
    """Return whether a text contains at least half of `parts`, in lower case."""
    lower = text.lower()
    return bool(parts) and 2 * sum(part in lower for part in parts) >= len(parts)


def _connection(path: Path | None) -> sqlite3.Connection:
    if path is not None:
        try:
            connection = open_index(path, _SCHEMA, _VERSION, patience_s=_PATIENCE_S)
            connection.execute(f"PRAGMA cache_size = -{_CACHED_KIB}")
            return connection
        except (OSError, sqlite3.OperationalError) as error:
            if getattr(error, "sqlite_errorname", "") == "SQLITE_BUSY":
                raise  # it is there, and soon free again
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.executescript(_SCHEMA)
    return connection
