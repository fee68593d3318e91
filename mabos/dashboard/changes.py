"""When a page is out of date: the files of truth have changed since it was made, whoever wrote them."""

from collections.abc import AsyncIterator, Callable, Iterator
from os import DirEntry, scandir
from pathlib import Path

from anyio import sleep
from anyio.to_thread import run_sync

from workspace.names import Layout

LONGEST = 300
"""Seconds that a stream lasts; the browser asks for another one by itself."""


def stamp(layout: Layout) -> int:
    """Return a number that is another one when any file of agents, businesses or ledgers has changed."""
    return hash(tuple(sorted(_seen(layout))))


async def told(layout: Layout, stopped: Callable[[], bool]) -> AsyncIterator[str]:
    """Yield an event of a stream whenever something has changed; looks once a second."""
    known = await run_sync(stamp, layout)
    yield "retry: 2000\n\n"
    for _ in range(LONGEST):
        if stopped():
            return
        await sleep(1)
        now = await run_sync(stamp, layout)
        if now != known:
            known = now
            yield "event: changed\ndata: .\n\n"


def _seen(layout: Layout) -> Iterator[tuple[str, int, int]]:
    yield from _files(layout.root)
    yield from _files(layout.ledgers)
    for folder in (layout.agents, layout.businesses):
        for one in _entries(folder):
            if one.is_dir(follow_symlinks=False):
                yield from _files(Path(one.path))
                for inner in ("metrics", "workflows"):
                    yield from _files(Path(one.path) / inner)


def _files(folder: Path) -> Iterator[tuple[str, int, int]]:
    for one in _entries(folder):
        # The picture of a workflow follows from its run, and whoever asks how that stands draws it anew.
        if one.is_file(follow_symlinks=False) and not one.name.endswith(".svg"):
            found = one.stat(follow_symlinks=False)
            yield one.path, found.st_size, found.st_mtime_ns


def _entries(folder: Path) -> list[DirEntry[str]]:
    try:
        with scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
