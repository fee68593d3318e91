"""SQLite files of derived data: the tables of the index, and a way to open them in any state."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mabos.workspace.locks import file_lock

_VERSION = 2
_NO_PLACE = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
_KIND = 0xFF  # of an error's number the part that says its kind
_SCHEMA = Path(__file__).with_suffix(".sql").read_text("utf-8")


def open_index(
    path: Path, schema: str = _SCHEMA, version: int = _VERSION, *, patience_s: float = 30
) -> sqlite3.Connection:
    """Return a connection to a file with these tables; a file that is damaged or of another version is recreated.

    Waits up to `patience_s` seconds for other writers. If the file is not writable or the disk is full, the tables are
    rebuilt in memory: derived data must never block access to its source.
    """
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(path.parent, os.W_OK):
        return _open_database(":memory:", path, schema, version, patience_s)
    # SQLite refuses, without waiting, the second of two who turn a new file to write-ahead mode; and of two who find
    # a damaged file, the second must not remove what the first made anew.
    try:
        with file_lock(path.with_name(path.name + ".lock")):
            return _open_database(path, path, schema, version, patience_s)
    except (OSError, sqlite3.OperationalError) as error:
        if isinstance(error, sqlite3.OperationalError) and error.sqlite_errorcode & _KIND not in _NO_PLACE:
            raise
        return _open_database(":memory:", path, schema, version, patience_s)


def _open_database(place: Path | str, path: Path, schema: str, version: int, patience_s: float) -> sqlite3.Connection:
    for _ in range(2):
        connection = sqlite3.connect(place, timeout=patience_s, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("BEGIN IMMEDIATE")
            found = connection.execute("PRAGMA user_version").fetchone()[0]
            if found == version:
                connection.execute("COMMIT")
                return connection
            if found == 0:
                for statement in _statements(schema):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {version}")
                connection.execute("COMMIT")
                return connection
        except sqlite3.OperationalError:
            connection.close()
            raise
        except sqlite3.DatabaseError:
            pass
        connection.close()
        for suffix in ("", "-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
    raise sqlite3.DatabaseError(f"{path}: cannot be rebuilt; remove it")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the block as one transaction; an error rolls it back."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite takes some back by itself, as on a full disk, and leaves others open
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    lines: list[str] = []
    for line in script.splitlines():
        lines.append(line)
        if sqlite3.complete_statement("\n".join(lines)):
            yield "\n".join(lines)
            lines = []
