"""Where LangGraph keeps what Studio shows of past cycles: one SQLite file, pruned, with strict serialisation.

Graph checkpoints are for inspection only. Truth is in the workspace's files: deleting this database loses nothing.
"""

import sqlite3
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from mabos.workspace.locks import file_lock

KEEP = 50
"""Checkpoints kept for each thread; with one an idle or a working cycle, that many cycles of history."""

_SLACK = 10
"""A thread may outgrow `KEEP` by this many before it is cut, so that most cycles pay nothing for pruning."""

_NAMESPACE = UUID("6d61626f-7300-5000-8000-000000000000")


def thread_id(workspace: Path, kind: str, name: str) -> str:
    """Return the thread of `kind` and `name` in a workspace, a uuid5: LangGraph's server accepts nothing else."""
    return str(uuid5(_NAMESPACE, f"{workspace.resolve()}\x1f{kind}\x1f{name}"))


def strict() -> JsonPlusSerializer:
    """Return what writes and reads checkpoints wherever they are kept: JSON primitives only."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)


class Cuts:
    """Says after which checkpoint a thread is to be cut: the first, and then one in so many."""

    def __init__(self) -> None:
        self._since: dict[str, int] = {}

    def is_due(self, thread: str) -> bool:
        """Return whether the checkpoint that a thread has just got is the one after which it is cut."""
        puts = self._since.get(thread, _SLACK) + 1
        self._since[thread] = 0 if puts > _SLACK else puts
        return puts > _SLACK


class PrunedSaver(BaseCheckpointSaver[str]):
    """Keeps the last `keep` checkpoints of every thread: put before a saver of LangGraph among the bases of a class."""

    keep: int
    cuts: Cuts

    def put(self, config: RunnableConfig, *given: Any, **named: Any) -> RunnableConfig:
        """Store a checkpoint, and prune its thread now and then."""
        stored = super().put(config, *given, **named)
        thread = str(config["configurable"]["thread_id"])
        if self.cuts.is_due(thread):
            self.prune_thread(thread)
        return stored

    def prune_thread(self, thread: str) -> None:
        """Delete all but the newest checkpoints of a thread, and the writes that belonged to them."""
        raise NotImplementedError


class Checkpoints(PrunedSaver, SqliteSaver):
    """LangGraph's SQLite saver with the last `keep` checkpoints of every thread, and JSON primitives only."""

    def __init__(self, path: Path, *, keep: int = KEEP) -> None:
        connection = _opened(path)
        # Losing the last checkpoints in a power cut costs an inspector a few rows; waiting for the disk costs a cycle.
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA busy_timeout=30000")
        super().__init__(connection, serde=strict())
        self.keep = keep
        self.cuts = Cuts()

    def prune_thread(self, thread: str) -> None:
        """Delete all but the newest checkpoints of a thread, and the writes that belonged to them."""
        newest = (
            "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''"
            " ORDER BY checkpoint_id DESC LIMIT 1 OFFSET ?"
        )
        with self.cursor() as cursor:
            row = cursor.execute(newest, (thread, self.keep)).fetchone()
            if row is None:
                return
            for table in ("checkpoints", "writes"):
                cursor.execute(f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_id <= ?", (thread, row[0]))  # noqa: S608 - two literal names

    def size(self) -> int:
        """Return the bytes the checkpoints take, without the pages that pruning has freed."""
        with self.cursor(transaction=False) as cursor:
            pages, free, page = (
                int(cursor.execute(f"PRAGMA {name}").fetchone()[0])
                for name in ("page_count", "freelist_count", "page_size")
            )
        return (pages - free) * page

    def close(self) -> None:
        """Close the database."""
        self.conn.close()


def _opened(path: Path) -> sqlite3.Connection:
    """Return a connection to the checkpoints; a damaged file is put aside, since deleting it loses nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with file_lock(path.with_name(path.name + ".lock")):  # SQLite refuses the second of two who make a file at once
        connection = sqlite3.connect(path, check_same_thread=False, timeout=30)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            if connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",):
                return connection
        except sqlite3.OperationalError:  # locked, or no disk: not damage
            connection.close()
            raise
        except sqlite3.DatabaseError:
            pass
        connection.close()
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        path.replace(path.with_name(path.name + ".damaged"))
        connection = sqlite3.connect(path, check_same_thread=False, timeout=30)
        connection.execute("PRAGMA journal_mode = WAL")
        return connection
