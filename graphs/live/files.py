"""What other processes and people write into the files of agents, seen by size and time."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

Trace = tuple[str, int, int]
"""A file with its size and time: whether somebody has written into it."""

_MAIL = "inbox."


def traces(*folders: Path) -> frozenset[Trace]:
    """Return the files of some folders as they are now; one that is not there has none."""
    return frozenset(trace for folder in folders for trace in _files(folder))


def is_more_than_mail(before: frozenset[Trace], after: frozenset[Trace]) -> bool:
    """Return whether anything but mail has come: a person may have mended what made the agent fail."""
    return any(not os.path.basename(path).startswith(_MAIL) for path, _, _ in before ^ after)  # noqa: PTH119 - of many


def _files(folder: Path) -> Iterator[Trace]:
    # What goes at this moment hides no other; and a folder that cannot be looked into just now is looked into again.
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.is_file():
                    found = entry.stat()
                    yield entry.path, found.st_size, found.st_mtime_ns
