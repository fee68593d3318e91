"""Detection of an outdated page: files of truth that have changed since it was rendered, by any writer."""

from collections.abc import AsyncIterator, Callable

from anyio import sleep
from anyio.to_thread import run_sync

from mabos.graphs.live.presence import presence
from mabos.interfaces.reasons.files import scan_files
from mabos.workspace.names import Layout

LONGEST = 300
"""Seconds that a stream lasts; the browser asks for another one by itself."""


def stamp(layout: Layout) -> int:
    """Return a number that changes with any file of agents, businesses or ledgers, and with the live run."""
    folders = (layout.agents, layout.businesses, layout.ledgers)
    return hash((presence(layout), scan_files(layout.root, deep=False), *map(scan_files, folders)))


async def stream_changes(layout: Layout, known: str, stopped: Callable[[], bool]) -> AsyncIterator[str]:
    """Yield a server-sent event after every change since the stamp `known`; checks once a second."""
    yield "retry: 2000\n\n"
    for _ in range(LONGEST):
        if stopped():
            return
        now = str(await run_sync(stamp, layout))
        if now != known:
            known = now
            yield f"id: {now}\nevent: changed\ndata: .\n\n"
        await sleep(1)
