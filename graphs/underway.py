"""Progress of a batch, read from each run's folder, whichever process or machine plays it.

with followed({("saas", "bdi", "1"): Path("batch/saas/bdi/1")}, lambda run, weeks: print(run, weeks)):
    ...                              # while they run
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import time

from mabos.configs.errors import Damaged
from mabos.nodes.company.run import find_run, run_file

EVERY = 1.0
"""Seconds between looks."""

Name = tuple[str, str, str]
"""A run of a batch: its scenario, who plays, and the seed."""


@contextmanager
def follow_runs(
    runs: Mapping[Name, Path], heard: Callable[[Name, int], None], *, every: float = EVERY
) -> Iterator[None]:
    """Report the number of finished weeks of these runs, on a separate thread, whenever it changes.

    A run whose folder is not written to from now on is not reported.
    """
    ended, began, told = Event(), time(), dict[Name, int]()

    def look() -> None:
        while not ended.wait(every):
            for run, folder in runs.items():
                weeks = _over(folder / "workspace", began)
                if weeks is not None and told.get(run) != weeks:
                    told[run] = weeks
                    heard(run, weeks)

    looking = Thread(target=look, daemon=True)
    looking.start()
    try:
        yield
    finally:
        ended.set()
        looking.join()


def _over(workspace: Path, began: float) -> int | None:
    """Return how many weeks of a run are over; None where nothing has been written since, or it cannot be read."""
    try:
        if run_file(workspace).stat().st_mtime < began:
            return None
        run = find_run(workspace)
    except (OSError, Damaged):
        return None
    return run.begun if run is not None and run.begun > 0 else None
