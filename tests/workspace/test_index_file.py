import sqlite3
from pathlib import Path

import pytest

from mabos.workspace.index_file import open_index, transaction

SCHEMA = """
CREATE TABLE goals (id TEXT PRIMARY KEY);
CREATE TABLE plans (goal TEXT REFERENCES goals (id) DEFERRABLE INITIALLY DEFERRED);
"""


@pytest.fixture
def connection(tmp_path: Path) -> sqlite3.Connection:
    connection = open_index(tmp_path / "some.sqlite", SCHEMA, 1)
    connection.execute("PRAGMA foreign_keys = ON")
    return connection


def test_a_transaction_that_cannot_be_completed_is_taken_back_and_the_next_one_works(
    connection: sqlite3.Connection,
) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), transaction(connection):
        connection.execute("INSERT INTO plans VALUES ('of no goal')")
    with transaction(connection):
        connection.execute("INSERT INTO goals VALUES ('G-1')")
    assert connection.execute("SELECT count(*) FROM plans").fetchone() == (0,)
    connection.close()


def test_what_sqlite_takes_back_by_itself_is_told_as_what_it_was(connection: sqlite3.Connection) -> None:
    with transaction(connection):
        connection.execute("INSERT INTO goals VALUES ('G-1')")
    with pytest.raises(sqlite3.IntegrityError, match="UNIQUE"), transaction(connection):
        connection.execute("INSERT OR ROLLBACK INTO goals VALUES ('G-1')")
    connection.close()
