"""The growth of a live company over idle days with only heartbeats, on a simulated clock.

    python -m bench.days                 # seven days, a heartbeat each half hour

After each day the company's resources are measured: memory, threads, open files, and disk by kind of file. Growth is
the median of the days after the first, when every file is opened and the first desires are handled: unbounded growth
shows on every day. Ledgers hold every cycle and grow by nature. A write-ahead log of SQLite restarts at 1,000 pages, so
each stays below about 4 MB.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

from bench.live import Used, lived, used
from bench.measured import Line, Spent, exactly, middle
from bench.printed import printed

DAYS, BEATS = 7, 48
KINDS = ("ledgers", "checkpoints", "memory stores", "journals of minds", "daily logs and reports", "indexes", "other")
WALS = "write-ahead logs"
LARGEST_WAL_MB = 4.5
MB = 2**20


def kind_of(path: Path) -> str:
    """Return the kind of file at a path of a workspace."""
    if path.name.endswith("-wal"):
        return WALS
    if path.parts[0] == ".mabos":
        return "checkpoints" if path.name.startswith("checkpoints.") else "indexes"
    if path.parts[0] == "ledger":
        return "ledgers"
    if path.name.startswith("memory-store."):
        return "memory stores"
    if path.name.startswith("mind.journal."):
        return "journals of minds"
    return "daily logs and reports" if path.parent.name == "memory" else "other"


def disk(root: Path) -> Mapping[str, float]:
    """Return the MB of each kind of file, and of the largest write-ahead log as `WALS`."""
    found = defaultdict[str, float](float)
    for path in root.rglob("*"):
        if path.is_file():
            kind, size = kind_of(path.relative_to(root)), path.stat().st_size / MB
            found[kind] = max(found[kind], size) if kind == WALS else found[kind] + size
    return found


def grown(days: int, beats: int) -> Iterator[tuple[Used, Mapping[str, float]]]:
    """Yield a company's resources after each day with that many heartbeats."""
    for number, root in enumerate(lived(days * beats, timedelta(days=1) / beats), start=1):
        if number % beats == 0:
            yield used(root), disk(root)


def lines(scale: int) -> Iterator[Line]:
    """Measure some days, and yield the growth of each."""
    found = list(grown(max(3, DAYS // scale), max(2, BEATS // scale)))
    takes, kinds = [one for one, _ in found], [one for _, one in found]
    for name, unit, most in (("memory", "MB", 5.0), ("threads", "", 1.0), ("files", "", 1.0)):
        values = [float(getattr(one, name)) for one in takes]
        end = f"{values[-1]:,.0f} {unit}".strip()
        yield Line(
            f"{name} that a day adds", _a_day(values), most=most, unit=unit, note=f"{end} after {len(found)} days"
        )
    for kind in KINDS:
        values = [one.get(kind, 0.0) for one in kinds]
        limit = None if kind == "ledgers" else 1.0
        yield Line(
            f"{kind} that a day adds", _a_day(values), most=limit, unit="MB", note=f"{values[-1]:.1f} MB at the end"
        )
    yield Line(f"largest of the {WALS}", exactly(max(one[WALS] for one in kinds)), most=LARGEST_WAL_MB, unit="MB")


def _a_day(values: list[float]) -> Spent:
    """Return what a day adds, in the median of those after the first."""
    return middle(after - before for before, after in pairwise(values))


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
