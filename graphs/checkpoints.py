"""LangGraph's store of past cycles for Studio: one SQLite file, pruned, with strict serialisation.

Graph checkpoints are for inspection only. The workspace's files are the truth: deleting this database loses nothing.
"""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from mabos.configs.errors import InvalidArgument
from mabos.workspace.locks import file_lock

KEEP = 50
"""Checkpoints kept for each thread; with one an idle or a working cycle, that many cycles of history."""

_SLACK = 10
"""A thread may outgrow `KEEP` by this many before it is cut, so that most cycles pay nothing for pruning."""

_COLUMNS = {
    "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
    "writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value",
}
_NAMESPACE = UUID("6d61626f-7300-5000-8000-000000000000")


def thread_id(workspace: Path, kind: str, name: str) -> str:
    """Return the thread of `kind` and `name` in a workspace, a uuid5: LangGraph's server accepts nothing else."""
    return str(uuid5(_NAMESPACE, f"{workspace.resolve()}\x1f{kind}\x1f{name}"))


def strict() -> JsonPlusSerializer:
    """Return the serializer of all checkpoint stores, which accepts JSON primitives only."""
    return JsonPlusSerializer(allowed_msgpack_modules=None)


class Cuts:
    """The schedule for pruning a thread: after its first checkpoint, then at a fixed interval."""

    def __init__(self) -> None:
        self._since: dict[str, int] = {}

    def is_due(self, thread: str) -> bool:
        """Return whether a thread is due for pruning after its latest checkpoint."""
        puts = self._since.get(thread, _SLACK) + 1
        self._since[thread] = 0 if puts > _SLACK else puts
        return puts > _SLACK


class PrunedSaver(BaseCheckpointSaver[str]):
    """A mixin that keeps the last `keep` checkpoints of every thread; put it before a LangGraph saver in the bases."""

    keep: int
    cuts: Cuts

    def put(self, config: RunnableConfig, *given: Any, **named: Any) -> RunnableConfig:
        """Store a checkpoint, and prune its thread periodically."""
        stored = super().put(config, *given, **named)
        thread = str(config["configurable"]["thread_id"])
        if self.cuts.is_due(thread):
            self.prune_thread(thread)
        return stored

    def prune_thread(self, thread: str) -> None:
        """Delete all but the newest checkpoints of a thread, with their writes."""
        raise NotImplementedError


class Checkpoints(PrunedSaver, SqliteSaver):
    """LangGraph's SQLite saver with the last `keep` checkpoints per thread, JSON only, for async callers too."""

    def __init__(self, path: Path, *, keep: int = KEEP) -> None:
        connection = _open_connection(path)
        # Losing the last checkpoints in a power cut costs an inspector a few rows; waiting for the disk costs a cycle.
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA busy_timeout=30000")
        super().__init__(connection, serde=strict())
        self.keep = keep
        self.cuts = Cuts()

    def prune_thread(self, thread: str) -> None:
        """Delete all but the newest checkpoints of a thread, with their writes."""
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

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of some runs, with their writes."""
        made = "SELECT rowid FROM checkpoints WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = ?"
        of_them = (
            "DELETE FROM writes WHERE (thread_id, checkpoint_ns, checkpoint_id) IN"
            " (SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints"
            " WHERE json_extract(CAST(metadata AS TEXT), '$.run_id') = ?)"
        )
        with self.cursor() as cursor:
            for run_id in run_ids:
                cursor.execute(of_them, (run_id,))
                cursor.execute(f"DELETE FROM checkpoints WHERE rowid IN ({made})", (run_id,))  # noqa: S608 - fixed text

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes of a thread to another thread."""
        with self.cursor() as cursor:
            for table, columns in _COLUMNS.items():
                copied = f"INSERT OR REPLACE INTO {table} (thread_id, {columns}) SELECT ?, {columns} FROM {table}"  # noqa: S608 - fixed names
                cursor.execute(f"{copied} WHERE thread_id = ?", (target_thread_id, source_thread_id))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the newest checkpoint of each namespace of some threads, or none with the strategy `delete`."""
        if strategy not in ("keep_latest", "delete"):
            raise InvalidArgument(f"strategy {strategy!r} is not known; use keep_latest or delete", argument="strategy")
        for thread in thread_ids:
            if strategy == "delete":
                self.delete_thread(thread)
                continue
            newest = (
                "SELECT MAX(checkpoint_id) FROM checkpoints n"
                " WHERE n.thread_id = t.thread_id AND n.checkpoint_ns = t.checkpoint_ns"
            )
            with self.cursor() as cursor:
                for table in ("writes", "checkpoints"):
                    cursor.execute(
                        f"DELETE FROM {table} AS t WHERE thread_id = ? AND checkpoint_id < ({newest})",  # noqa: S608 - fixed names
                        (thread,),
                    )

    async def aget_tuple(self, *given: Any, **named: Any) -> CheckpointTuple | None:
        """Return the newest checkpoint of a thread, or the named one."""
        return await asyncio.to_thread(self.get_tuple, *given, **named)

    async def alist(self, *given: Any, **named: Any) -> AsyncIterator[CheckpointTuple]:
        """Yield the checkpoints of a thread, newest first."""
        for one in await asyncio.to_thread(lambda: [*self.list(*given, **named)]):
            yield one

    async def aput(self, *given: Any, **named: Any) -> RunnableConfig:
        """Store a checkpoint."""
        return await asyncio.to_thread(self.put, *given, **named)

    async def aput_writes(  # LangGraph looks whether it takes a `task_path`
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store the writes of a step on top of a checkpoint."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete all data of a thread."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of some runs, with their writes."""
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes of a thread to another thread."""
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Keep the newest checkpoint of each namespace of some threads, or none with the strategy `delete`."""
        await asyncio.to_thread(lambda: self.prune(thread_ids, strategy=strategy))

    def size(self) -> int:
        """Return the size of the checkpoints in bytes, without free pages."""
        with self.cursor(transaction=False) as cursor:
            pages, free, page = (
                int(cursor.execute(f"PRAGMA {name}").fetchone()[0])
                for name in ("page_count", "freelist_count", "page_size")
            )
        return (pages - free) * page

    def close(self) -> None:
        """Close the database."""
        self.conn.close()


def _open_connection(path: Path) -> sqlite3.Connection:
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
