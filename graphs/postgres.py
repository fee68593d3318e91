"""Graph checkpoints in Postgres, one schema per workspace, pruned like the file.

    saver = open_database(services.layout, services.settings.checkpoints)

Needs the extra `postgres`. The password comes from PGPASSWORD or ~/.pgpass, as with every Postgres client. A server
that refuses, or does not answer within `PATIENCE_S`, raises `Unavailable`; the next query reconnects.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection, Connection, Cursor, sql
from psycopg.abc import RV, PQGen
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from mabos.configs.errors import Unavailable
from mabos.configs.settings import CheckpointSettings, environment, load_settings
from mabos.graphs.checkpoints import KEEP, Cuts, PrunedSaver, strict
from mabos.workspace.atomic import write_atomic
from mabos.workspace.locks import file_lock
from mabos.workspace.names import Layout

PATIENCE_S = 5
"""Seconds after which a server that accepted a question and does not answer it is away."""

SCHEMA = "checkpoints.schema"
"""Among the internal files of a workspace: the name of its schema."""

_TERMS: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}

_CUT = (
    "DELETE FROM checkpoints WHERE thread_id = %(thread)s AND checkpoint_id <= (SELECT checkpoint_id FROM checkpoints"
    " WHERE thread_id = %(thread)s AND checkpoint_ns = '' ORDER BY checkpoint_id DESC LIMIT 1 OFFSET %(keep)s)",
    "DELETE FROM checkpoint_writes AS w WHERE thread_id = %(thread)s AND NOT EXISTS (SELECT 1 FROM checkpoints AS c"
    " WHERE c.thread_id = w.thread_id AND c.checkpoint_ns = w.checkpoint_ns AND c.checkpoint_id = w.checkpoint_id)",
    "DELETE FROM checkpoint_blobs AS b WHERE thread_id = %(thread)s AND NOT EXISTS (SELECT 1 FROM checkpoints AS c"
    " WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = b.checkpoint_ns"
    " AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version)",
)
"""The statements that shorten a thread: its oldest checkpoints, then writes and values without a checkpoint."""


def open_database(layout: Layout, settings: CheckpointSettings) -> "PostgresCheckpoints":
    """Return the checkpoints of a workspace in the configured database, in its own schema.

    The schema gets a permanent name at first use: paths do not distinguish workspaces, since two machines may use the
    same one. Raises `Unavailable` if the database is unreachable.
    """
    path = layout.internal / SCHEMA
    with file_lock(path.with_name(path.name + ".lock")):  # tables are not made by two at once
        if not path.exists():
            write_atomic(path, f"mabos_{secrets.token_hex(8)}\n")
        return PostgresCheckpoints(settings.database, path.read_text("utf-8").strip(), keep=settings.keep)


class PostgresCheckpoints(PrunedSaver, PostgresSaver):
    """LangGraph's Postgres saver with the last `keep` checkpoints per thread, and JSON primitives only.

    Every Postgres error raises `Unavailable` and closes the connection.
    """

    conn: Connection[DictRow]

    def __init__(self, address: str, schema: str, *, keep: int = KEEP) -> None:
        self.schema = schema
        with _plainly():
            connection = _Patient.connect(address, connect_timeout=PATIENCE_S, **_TERMS)
            for statement in (_build_create_schema(schema), _build_search_path(schema)):
                connection.execute(statement)
            super().__init__(connection, serde=strict())
            self.setup()
        self.keep = keep
        self.cuts = Cuts()

    def prune_thread(self, thread: str) -> None:
        """Delete all but the newest checkpoints of a thread, and the orphaned data."""
        with self._cursor() as cursor, cursor.connection.transaction():
            for statement in _CUT:
                cursor.execute(statement, {"thread": thread, "keep": self.keep})

    def probe(self) -> None:
        """Send the server an empty query; raises `Unavailable` if it does not answer."""
        with self._cursor() as cursor:
            cursor.execute("SELECT 1")

    @property
    def is_closed(self) -> bool:
        """Return whether the connection is closed and must be replaced."""
        return self.conn.closed

    def close(self) -> None:
        """Close the connection."""
        self.conn.close()

    @contextmanager
    def _cursor(self, *, pipeline: bool = False) -> Iterator[Cursor[DictRow]]:
        with _plainly():
            try:
                with super()._cursor(pipeline=pipeline) as cursor:
                    yield cursor
            except psycopg.Error:
                self.close()
                raise


class _ServedCheckpoints(AsyncPostgresSaver):
    """The same for LangGraph's server, which is asynchronous and asks many things at a time."""

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection[DictRow]], keep: int) -> None:
        super().__init__(pool, serde=strict())
        self._keep = keep
        self._cuts = Cuts()

    async def aput(self, config: RunnableConfig, *given: Any, **named: Any) -> RunnableConfig:
        """Store a checkpoint, and cut its thread now and then."""
        stored = await super().aput(config, *given, **named)
        if self._cuts.is_due(thread := str(config["configurable"]["thread_id"])):
            async with self._cursor() as cursor, cursor.connection.transaction():
                for statement in _CUT:
                    await cursor.execute(statement, {"thread": thread, "keep": self._keep})
        return stored


@asynccontextmanager
async def served() -> AsyncIterator[AsyncPostgresSaver]:
    """Yield the saver of a LangGraph server: `checkpointer` in its configuration.

    Raises `Unavailable` if no database is configured.
    """
    settings, schema = await asyncio.to_thread(_prepare_schema)

    async def enter_schema(connection: AsyncConnection[DictRow]) -> None:
        await connection.execute(_build_search_path(schema))

    pool = AsyncConnectionPool(
        settings.database,
        kwargs=_TERMS | {"connect_timeout": PATIENCE_S},
        connection_class=AsyncConnection[DictRow],
        configure=enter_schema,
        check=AsyncConnectionPool.check_connection,  # a server that was away is met again
        min_size=1,
        open=False,
    )
    async with pool:
        yield _ServedCheckpoints(pool, settings.keep)


def _prepare_schema() -> tuple[CheckpointSettings, str]:
    """Return the settings of the workspace that the environment names, and its schema with its tables."""
    surroundings = environment()
    settings = load_settings(surroundings.workspace, surroundings).checkpoints
    if not settings.database:
        message = f"checkpoints.database is not set in {surroundings.workspace / 'mabos.yaml'}"
        raise Unavailable(message, argument="checkpoints.database")
    saver = open_database(Layout(surroundings.workspace.resolve()), settings)
    saver.close()
    return settings, saver.schema


class _Patient(Connection[DictRow]):
    """A connection that does not wait forever for a server that keeps silent."""

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        try:
            return super().wait(gen, interval, PATIENCE_S if timeout is None else timeout)
        except psycopg.OperationalError:
            self.pgconn.finish()  # whoever tidies up after this would wait as long again
            raise


@contextmanager
def _plainly() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        said = " ".join(str(error).split())
        raise Unavailable(f"Postgres cannot store checkpoints: {said}", argument="checkpoints.database") from error


def _build_create_schema(schema: str) -> sql.Composed:
    # Whoever may not make schemas is given one: `IF NOT EXISTS` would ask for the right all the same.
    made = (
        "DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = {}) THEN CREATE SCHEMA {}; END IF; END $$"
    )
    return sql.SQL(made).format(sql.Literal(schema), sql.Identifier(schema))


def _build_search_path(schema: str) -> sql.Composed:
    return sql.SQL("SET search_path TO {}").format(sql.Identifier(schema))
