"""The cost of a store as it grows: a table of commit, idle read, open and checkpoint: `python -m bench.store`.

Times depend on the machine; the ratios must hold everywhere.
"""

import os
import statistics
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from bench.measured import Line, exactly
from bench.printed import printed
from mabos.workspace.documents import json_document
from mabos.workspace.ledger import Ledger
from mabos.workspace.markdown import MarkdownCodec
from mabos.workspace.names import Layout
from mabos.workspace.store import Op, Put, Store
from mabos.workspace.sync import Durability, Sync

WORDS = "runway months churn rises while leads fall and the price of the plan for small teams stays as it was " * 2
SIZES = (1_000, 10_000, 100_000)
BARE = "append+fdatasync alone"
DURABLE = f"commit, durable, over {BARE}"
FLAT = (DURABLE, "commit, durability off", "read, nothing new")
GROWTH = 1.5
"""The allowed factor with a hundred times the records, for operations that must not depend on their number."""
MIND = [f"File{number}.md" for number in range(12)]


def record(number: int) -> Put:
    """Return a record of about 28 words."""
    return Put("items", f"M-{number}", {"id": f"M-{number}", "content": WORDS, "importance": 0.5, "tags": ["a", "b"]})


def timed(action: Callable[[int], object], times: int) -> float:
    """Return the median milliseconds of `action`."""
    spent = []
    for number in range(times):
        start = perf_counter()
        action(number)
        spent.append((perf_counter() - start) * 1000)
    return statistics.median(spent)


def filled(folder: Path, size: int, durability: Durability) -> Store:
    """Return a store with `size` records and its snapshot."""
    store = json_document(folder / "memory-store.json", ["items"], sync=Sync(durability))
    store.commit([record(number) for number in range(size)])
    store.close()
    return store


@contextmanager
def bare(folder: Path) -> Iterator[Callable[[int], None]]:
    """Yield a function that writes a durable line by itself: append and fdatasync."""
    line = b"x" * 400 + b"\n"
    fd = os.open(folder / "bare", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def append(_: int) -> None:
        os.write(fd, line)
        os.fdatasync(fd)

    try:
        yield append
    finally:
        os.close(fd)


def floor(folder: Path) -> float:
    """Return the median milliseconds of a bare durable line."""
    with bare(folder) as append:
        return timed(append, 300)


def in_turn(one: Callable[[int], object], other: Callable[[int], object], times: int) -> tuple[float, float]:
    """Return the median milliseconds of two alternating actions, so that disk activity affects both."""
    pairs = [(timed(lambda _, n=n: one(n), 1), timed(lambda _, n=n: other(n), 1)) for n in range(times)]  # type: ignore[misc]
    first, second = zip(*pairs, strict=True)
    return statistics.median(first), statistics.median(second)


def measure(size: int) -> dict[str, float]:
    """Return the median milliseconds by operation at a size, and the ratio of a durable commit to a bare one."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = filled(folder, size, "each")
        with bare(folder) as append:
            alone, ours = in_turn(append, lambda number: store.commit([record(size + number)]), 200)
        found = {BARE: alone, "commit, durable": ours, DURABLE: ours / alone}

        def rewrite(number: int) -> None:
            store.commit([record(-number)])
            store.checkpoint()

        found["commit and checkpoint"] = timed(rewrite, 5)
        off = json_document(folder / "memory-store.json", ["items"], sync=Sync("off"))
        off.read()

        def compare_and_set(number: int) -> list[Op]:
            return [record(2 * size + number)]

        found["commit, durability off"] = timed(lambda number: off.commit(lambda _: compare_and_set(number)), 500)
        off.close()
        found["read, nothing new"] = timed(lambda _: off.read(), 2000)

        def open_anew(_: int) -> None:
            json_document(folder / "memory-store.json", ["items"], sync=Sync("off")).read()

        found["open"] = timed(open_anew, 3)
        return found


def mind() -> dict[str, float]:
    """Return the cost of an agent's mind of twelve files per cycle."""
    with tempfile.TemporaryDirectory() as name:
        store = Store(
            Path(name), MarkdownCodec(MIND), journal="mind/journal.jsonl", sync=Sync("each"), keep_history=True
        )
        for file in MIND:
            store.commit([Put(file, f"s-{number}", f"## S {number}\n- **Id:** s-{number}\n") for number in range(30)])
        store.checkpoint()
        found = {"mind: read, nothing new": timed(lambda _: store.read(), 1000)}
        found["mind: checkpoint, nothing pending"] = timed(lambda _: store.checkpoint(), 1000)

        def cycle(number: int) -> None:
            for file in MIND[:3]:
                store.commit([Put(file, "s-1", f"## S 1\n- **Id:** s-1\n- **N:** {number}\n")])
            store.checkpoint()

        found["mind: 3 commits and a checkpoint"] = timed(cycle, 50)
        ledger = Ledger(Layout(Path(name)), Sync("each"))
        found["ledger: append, durable"] = timed(lambda n: ledger.append("cfo", "act", {"n": n}, at="2026"), 200)
        return found


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of each operation at the largest size compared with the smallest, and of a mind's files."""
    sizes = [size // scale for size in SIZES]
    columns = [measure(size) for size in sizes]
    for operation in columns[0]:
        values = [column[operation] for column in columns]
        told = ", ".join(f"{value:.3f}" for value in values)
        yield Line(
            f"{operation}, {sizes[-1]:,} records",
            exactly(values[-1] / values[0]),
            most=GROWTH if operation in FLAT else None,
            unit="x",
            beside=f"{sizes[0]:,} records",
            note=f"{told} {'times' if operation == DURABLE else 'ms'}",
        )
    for operation, value in mind().items():
        yield Line(operation, exactly(value))


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
