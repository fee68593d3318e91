"""The file of an embedded graph: one lock for a process's threads, and one exception for all SQLite errors."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from mabos.backends.graph.tables import VERSION
from mabos.configs.errors import Unavailable
from mabos.workspace.index_file import open_index, transaction

_CACHE = 65_536  # KiB at most; with the 2,000 of SQLite a first filling of a large graph takes a third longer


class GraphFile:
    """A connection shared by threads; processes each open their own."""

    def __init__(self, path: Path, schema: str) -> None:
        self.path = path
        self._guard = RLock()
        with self._translate_errors():
            self.connection = open_index(path, schema, VERSION)
            self.connection.execute(f"PRAGMA cache_size = -{_CACHE}")

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give one thread the connection; raises `Unavailable` if the file does not answer."""
        with self._guard, self._translate_errors():
            yield self.connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Run the block as one transaction; raises as `reading` does."""
        with self.reading() as connection, transaction(connection):
            yield connection

    def close(self) -> None:
        """Close the file; closing twice is allowed."""
        with self._guard:
            self.connection.close()

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            message = f"the graph in {self.path} does not answer ({error}); close what holds it, or delete the file"
            raise Unavailable(message) from error
