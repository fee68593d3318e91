"""What memory costs as it grows: writing, opening, recalling, consolidating. `python -m tests.bench.memory`.

Times depend on the machine; the ratios and the limits beside them must hold on a quiet one. Vectors are drawn at
random, so no model is needed: what is measured is everything beyond embedding the question.
"""

import argparse
import json
import random
import shutil
import statistics
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from time import perf_counter

import numpy as np

from backends.vectors import FlatVectors
from configs.settings import load_settings
from memory import hierarchy
from memory.checkpoints import Checkpoint
from memory.meaning import Meaning
from memory.memory import Memory, open_memory
from workspace.clock import SteppedClock, iso
from workspace.ids import Ids
from workspace.store import Store
from workspace.sync import Durability, Sync

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
WORDS = 28
LIMITS = {"recall, words": {10_000: 5, 100_000: 25}, "recall, words and meaning": {10_000: 5, 100_000: 25}}
LIMITS["open"] = {100_000: 1500}


class Drawn:
    """An embedder whose vectors are drawn from the text: no meaning, the usual size."""

    fingerprint = "drawn-384"
    dimensions = 384

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector of length 1 for each text."""
        rows = []
        for text in texts:
            row = np.random.default_rng(list(blake2b(text.encode(), digest_size=8).digest())).standard_normal(384)
            rows.append([float(value) for value in row / np.linalg.norm(row)])
        return rows


def vocabulary() -> tuple[list[str], list[float]]:
    """Return words whose frequencies fall as in a language (Zipf's law)."""
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefghijklmnoprstuvw", k=chance.randint(4, 10))) for _ in range(30_000)]
    return words, [1 / (rank + 10) for rank in range(len(words))]


def texts(count: int) -> list[str]:
    """Return so many texts of about 28 words."""
    words, weights = vocabulary()
    chance = random.Random(11)
    drawn = chance.choices(words, weights, k=count * WORDS)
    return [" ".join(drawn[at * WORDS : (at + 1) * WORDS]) for at in range(count)]


def handle(folder: Path, store: Store, meaning: Meaning | None = None) -> Memory:
    """Return a memory on a clock that stands still."""
    clock = SteppedClock(START + timedelta(days=400))
    settings = load_settings().memory
    return Memory("bench", store, folder, clock, Ids(clock, "bench"), settings=settings, meaning=meaning)


def opened(folder: Path, durability: Durability = "off") -> Store:
    """Return the memory document of the folder."""
    return open_memory(folder, sync=Sync(durability))


def fill(folder: Path, contents: Sequence[str]) -> None:
    """Store texts, one every five minutes of working days."""
    store = opened(folder)
    memory = handle(folder, store)
    for start in range(0, len(contents), 5000):
        chunk = contents[start : start + 5000]
        memory.store_many(
            {
                "content": text,
                "store": "long_term",
                "created_at": iso(START + timedelta(minutes=5 * (start + number))),
            }
            for number, text in enumerate(chunk)
        )
    store.close()


def timed(action: Callable[[int], object], times: int) -> float:
    """Return the median milliseconds of `action`."""
    spent = []
    for number in range(times):
        start = perf_counter()
        action(number)
        spent.append((perf_counter() - start) * 1000)
    return statistics.median(spent)


def questions(contents: Sequence[str], count: int) -> list[str]:
    """Return questions of six words out of texts, common and rare ones as they come."""
    chance = random.Random(3)
    return [" ".join(chance.sample(chance.choice(contents).split(), 6)) for _ in range(count)]


def measure(size: int) -> dict[str, float]:
    """Return median milliseconds by operation with so many items."""
    contents = texts(size + 300)
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(folder, contents[:size])

        def open_once(_: int) -> None:
            handle(folder, opened(folder)).status()

        found["open"] = timed(open_once, 3)
        store = opened(folder, "each")
        memory = handle(folder, store)
        memory.status()
        new = contents[size:]
        found["store, durable"] = timed(lambda n: memory.store(new[n], store="long_term"), 100)
        found["documents: load, append, rewrite"] = timed(lambda n: rewrite(folder, n), 3)
        asked = questions(contents, 120)
        found["first recall (words gathered)"] = timed(lambda n: memory.recall(asked[n]), 1)
        found["recall, words"] = timed(lambda n: memory.recall(asked[n], limit=10), 100)
        found["recall after a store"] = timed(lambda n: (memory.store(new[100 + n]), memory.recall(new[100 + n])), 50)
        found["recall, depth 3"] = timed(lambda n: memory.recall(asked[n], limit=10, recursive_depth=3), 30)
        found |= with_meaning(folder, store, asked)
        store.close()
    return found


def with_meaning(folder: Path, store: Store, asked: Sequence[str]) -> dict[str, float]:
    """Return what recall costs by words and meaning, the questions being embedded before."""
    embedder = Drawn()
    memory = handle(folder, store, Meaning(embedder, FlatVectors(folder / "vectors", embedder.fingerprint, 384)))
    memory.embed()
    for question in asked[:60]:
        memory.recall(question, limit=10)
    return {"recall, words and meaning": timed(lambda n: memory.recall(asked[n], limit=10), 60)}


def rewrite(folder: Path, number: int) -> None:
    """Do what the documents do for one item: load the whole store, append, write it all."""
    path = folder / "memory-store.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    content["long_term"].append({"id": f"M-{number}", "content": "one more"})
    (folder / "rewritten.json").write_text(json.dumps(content, indent=2), encoding="utf-8")


def smaller() -> dict[str, float]:
    """Return what the other operations of S0 section 18 cost."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        memory = handle(folder, opened(folder))
        contents = texts(2000)
        tags = [f"tag{number % 40}" for number in range(len(contents))]
        now = memory.store("the present").created_at
        memory.store_many(
            {"content": text, "importance": 0.7, "tags": [tags[number]], "created_at": now}
            for number, text in enumerate(contents[:199])
        )
        found["consolidate 200, dry run"] = timed(lambda _: memory.consolidate(dry_run=True), 20)
        found["consolidate 200"] = timed(lambda _: memory.consolidate(), 1)
        found["checkpoint"] = timed(lambda n: memory.checkpoint(Checkpoint(f"task {n}", ["a decision"])), 20)
        memory.store_many(
            {"content": text, "store": "long_term", "created_at": iso(START + timedelta(hours=n))}
            for n, text in enumerate(contents[200:920])
        )
        found |= of_days(folder)
    return found


def of_days(folder: Path) -> dict[str, float]:
    """Return what the summaries of 30 days with 24 entries each cost: all, one changed day, none changed."""
    levels = ("weekly", "monthly", "quarterly")

    def all_of_them(_: int) -> None:
        for level in levels:
            shutil.rmtree(folder / "memory" / level, ignore_errors=True)
        hierarchy.build(folder)

    def one_day(number: int) -> None:
        with (folder / "memory" / f"{START + timedelta(days=15):%Y-%m-%d}.md").open("a") as log:
            log.write(f"- a late note {number}\n")
        hierarchy.build(folder)

    found = {"hierarchy of 30 days": timed(all_of_them, 5), "hierarchy, one day changed": timed(one_day, 10)}
    found["hierarchy, nothing changed"] = timed(lambda _: hierarchy.build(folder), 10)
    found["hierarchy search, daily"] = timed(lambda _: hierarchy.search(folder, "late note", "daily"), 10)
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    sizes = parser.parse_args().sizes
    columns = {size: measure(size) for size in sizes}
    print(f"{'median ms':<36}" + "".join(f"{size:>12,}" for size in sizes) + f"{'last/first':>12}  limits")
    for operation in columns[sizes[0]]:
        values = [columns[size][operation] for size in sizes]
        limits = ", ".join(f"{most} at {size:,}" for size, most in LIMITS.get(operation, {}).items())
        told = "".join(f"{value:>12.2f}" for value in values)
        print(f"{operation:<36}{told}{values[-1] / values[0]:>12.2f}  {limits}")
    for operation, value in smaller().items():
        print(f"{operation:<36}{value:>12.2f}")


if __name__ == "__main__":
    main()
