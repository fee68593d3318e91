"""A workspace's graph checkpoints, in its own file or on a configured server.

    saver = checkpoints_of(services.layout, services.settings.checkpoints)

Checkpoints are for inspection only, so an unreachable server blocks no run: checkpoints go to the file meanwhile.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple
from langgraph.checkpoint.sqlite import SqliteSaver

from mabos.backends.graph.breaker import Breaker
from mabos.configs.errors import Unavailable
from mabos.configs.settings import CheckpointSettings, environment, load_settings
from mabos.graphs.checkpoints import Checkpoints, strict
from mabos.workspace.names import Layout

if TYPE_CHECKING:
    from mabos.graphs.postgres import PostgresCheckpoints

LOG = logging.getLogger(__name__)
Saver = BaseCheckpointSaver[str]
Answer = TypeVar("Answer")


def checkpoints_of(layout: Layout, settings: CheckpointSettings) -> "Checkpoints | ServerOrFile":
    """Return the checkpoint saver that a workspace's settings choose; the caller closes it."""
    return ServerOrFile(layout, settings) if settings.database else _file(layout, settings)


def database_of(layout: Layout, settings: CheckpointSettings) -> "PostgresCheckpoints":
    """Return the saver for the configured database; raises `Unavailable` if it does not answer."""
    try:
        from mabos.graphs.postgres import open_database
    except ModuleNotFoundError:
        message = "checkpoints.database needs the extra: pip install 'mabos[postgres]'"
        raise Unavailable(message, argument="checkpoints.database") from None
    return open_database(layout, settings)


class ServerOrFile(Saver):
    """Checkpoints on a server, or in the workspace's file while the server is down; logged once."""

    get_next_version = SqliteSaver.get_next_version  # that of both, and asks nothing of its object

    def __init__(self, layout: Layout, settings: CheckpointSettings) -> None:
        super().__init__(serde=strict())
        self._layout, self._settings = layout, settings
        self._server: PostgresCheckpoints | None = None
        self._meanwhile: Checkpoints | None = None
        self._guard = Lock()
        self._breaker = Breaker(lambda: self._open_server().probe())
        self._was_told = False

    def get_tuple(self, *given: Any, **named: Any) -> CheckpointTuple | None:
        """Return the newest checkpoint of a thread, or the named one."""
        return self._call_saver(lambda saver: saver.get_tuple(*given, **named))

    def list(self, *given: Any, **named: Any) -> Iterator[CheckpointTuple]:
        """Yield the checkpoints of a thread, newest first."""
        yield from self._call_saver(lambda saver: [*saver.list(*given, **named)])

    def put(self, *given: Any, **named: Any) -> RunnableConfig:
        """Store a checkpoint."""
        return self._call_saver(lambda saver: saver.put(*given, **named))

    def put_writes(  # LangGraph looks whether it takes a `task_path`
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Store the writes of a step on top of a checkpoint."""
        self._call_saver(lambda saver: saver.put_writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        """Delete all data of a thread."""
        self._call_saver(lambda saver: saver.delete_thread(thread_id))

    def close(self) -> None:
        """Close every open saver."""
        for one in (self._server, self._meanwhile):
            if one is not None:
                one.close()

    def _call_saver(self, ask: Callable[[Saver], Answer]) -> Answer:
        try:
            answer = self._breaker.call(lambda: ask(self._open_server()))
        except Unavailable as away:
            if not self._was_told:
                LOG.warning("%s; graph checkpoints are kept in %s meanwhile", away.message, file_of(self._layout))
            self._was_told = True
            return ask(self._instead())
        self._was_told = False
        return answer

    def _open_server(self) -> "PostgresCheckpoints":
        with self._guard:
            if self._server is None or self._server.is_closed:
                self._server = database_of(self._layout, self._settings)
            return self._server

    def _instead(self) -> Checkpoints:
        with self._guard:
            if self._meanwhile is None:
                self._meanwhile = _file(self._layout, self._settings)
            return self._meanwhile


@asynccontextmanager
async def served() -> AsyncIterator[Checkpoints]:
    """Yield the checkpoint file of a LangGraph server, which it shares with the command line."""
    surroundings = environment()
    settings = await asyncio.to_thread(lambda: load_settings(surroundings.workspace, surroundings).checkpoints)
    path = file_of(Layout(surroundings.workspace.resolve()))
    saver = await asyncio.to_thread(lambda: Checkpoints(path, keep=settings.keep))
    try:
        yield saver
    finally:
        await asyncio.to_thread(saver.close)


def _file(layout: Layout, settings: CheckpointSettings) -> Checkpoints:
    return Checkpoints(file_of(layout), keep=settings.keep)


def file_of(layout: Layout) -> Path:
    """Return a workspace's checkpoint file, which also holds checkpoints that no server accepted."""
    return layout.internal / "checkpoints.sqlite"
