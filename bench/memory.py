"""The cost of memory as it grows: writing, opening, recalling, consolidating: `python -m bench.memory`.

Limits on times apply to a quiet machine; on a shared one the minimum is more reliable than the median, and CPU time
more than either, except that it omits waiting for the disk. Vectors are random, so no model is needed: everything
except embedding the question is measured.
"""

import json
import random
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path

import numpy as np

from bench.measured import Line, Spent, timed, together
from bench.printed import printed
from mabos.backends.vectors import FlatVectors
from mabos.configs.settings import load_settings
from mabos.memory import hierarchy
from mabos.memory.checkpoints import Checkpoint
from mabos.memory.meaning import MeaningIndex
from mabos.memory.memory import Memory, open_memory
from mabos.mind.maintenance import MindState, apply, maintain
from mabos.mind.mind import Mind, open_mind
from mabos.mind.model import Belief, Goal, Intention
from mabos.workspace.clock import SteppedClock, iso
from mabos.workspace.ids import Ids
from mabos.workspace.store import Store
from mabos.workspace.sync import Durability, Sync

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
WORDS = 28
SIZES = (1_000, 10_000, 100_000)


class Drawn:
    """An embedder with pseudo-random vectors derived from the text, of the usual size."""

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
    """Return that many texts of about 28 words."""
    words, weights = vocabulary()
    chance = random.Random(11)
    drawn = chance.choices(words, weights, k=count * WORDS)
    return [" ".join(drawn[at * WORDS : (at + 1) * WORDS]) for at in range(count)]


def handle(folder: Path, store: Store, meaning: MeaningIndex | None = None) -> Memory:
    """Return a memory with a stopped clock."""
    clock = SteppedClock(START + timedelta(days=400))
    settings = load_settings().memory
    return Memory("bench", store, folder, clock, Ids(clock, "bench"), settings=settings, meaning=meaning)


def opened(folder: Path, durability: Durability = "off") -> Store:
    """Return the memory document of the folder."""
    return open_memory(folder, sync=Sync(durability))


def fill(folder: Path, contents: Sequence[str]) -> None:
    """Store texts, one every five minutes."""
    store = opened(folder)
    memory = handle(folder, store)
    for start in range(0, len(contents), 5000):
        memory.store_many(
            {"content": text, "store": "long_term", "created_at": iso(START + timedelta(minutes=5 * number))}
            for number, text in enumerate(contents[start : start + 5000], start=start)
        )
    store.close()


def questions(contents: Sequence[str], count: int) -> list[str]:
    """Return questions of six words from texts, common and rare."""
    chance = random.Random(3)
    return [" ".join(chance.sample(chance.choice(contents).split(), 6)) for _ in range(count)]


class Filled:
    """A folder with that many items, and further texts to store."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder, self.size = folder, size
        contents = texts(size + 600)
        self.new, self.asked = iter(contents[size:]), questions(contents[:size], 120)
        folder.mkdir()
        fill(folder, contents[:size])
        self.store = opened(folder, "each")
        self.memory = handle(folder, self.store)

    def write(self) -> None:
        """Store one item, durably."""
        self.memory.store(next(self.new), store="long_term")

    def rewrite(self, number: int) -> None:
        """Perform the documents' algorithm for one item: load the whole store, append, write it all."""
        content = json.loads((self.folder / "memory-store.json").read_text(encoding="utf-8"))
        content["long_term"].append({"id": f"M-{number}", "content": "one more"})
        (self.folder / "rewritten.json").write_text(json.dumps(content, indent=2), encoding="utf-8")

    def open(self, _: int) -> Memory:
        """Open the memory as a new process does, and read from it."""
        memory = handle(self.folder, opened(self.folder))
        memory.status()
        return memory

    def recall(self, depth: int = 0, meaning: MeaningIndex | None = None) -> Spent:
        """Return the cost of one recall; the questions are embedded in advance."""
        memory = handle(self.folder, self.store, meaning)
        for question in self.asked[:60]:
            if meaning is not None:
                meaning.similar(question, [])
        return timed(lambda n: memory.recall(self.asked[n], limit=10, recursive_depth=depth), 60)

    def recall_new(self, _: int) -> None:
        """Store something and recall it."""
        new = next(self.new)
        self.memory.store(new, store="long_term")
        assert self.memory.recall(" ".join(new.split()[:6]), limit=10)[0].content == new


def sizes(folder: Path, small: int, middle: int, large: int) -> Iterator[Line]:
    """Yield the measurements that depend on the number of items."""
    few, some, many = (Filled(folder / str(size), size) for size in (small, middle, large))
    for one in (few, many):
        one.memory.status()
    spent: dict[int, list[Spent]] = {small: [], large: []}
    for _ in range(200):  # by turns, so that both meet the same disk
        for one in (few, many):
            spent[one.size].append(timed(lambda _, one=one: one.write(), 1))  # type: ignore[misc]
    write = {size: together(found) for size, found in spent.items()}
    yield Line(f"acknowledged write, {small:,} items", write[small])
    yield Line(f"acknowledged write, {large:,} items", write[large])
    growth = write[large].over(write[small])
    yield Line(f"an acknowledged write at {large:,} items", growth, most=1.5, unit="x", beside=f"one at {small:,}")
    rewritten = timed(many.rewrite, 3)
    yield Line(f"load, append and rewrite as the documents print, {large:,} items", rewritten)
    far = rewritten.over(write[large])
    yield Line("an acknowledged write, times faster", far, least=100, unit="x", beside="load, append, rewrite")
    for one, most in ((some, 5.0), (many, 25.0)):
        yield from recalls(one, most)
    yield Line(f"opening {large:,} items", timed(many.open, 5), most=1500)
    memories = [many.open(0) for _ in range(3)]
    yield Line("  and the first recall", timed(lambda n: memories[n].recall(many.asked[n]), 3))


def recalls(one: Filled, most: float) -> Iterator[Line]:
    """Yield the cost of recall: by words, by meaning, with further passes, and after a store."""
    yield Line(f"words of {one.size:,} items indexed again", timed(lambda _: one.memory.recall("anything at all"), 1))
    yield Line(f"recall by words, {one.size:,} items", one.recall(), most=most)
    embedder = Drawn()
    meaning = MeaningIndex(embedder, FlatVectors(one.folder / "vectors", embedder.fingerprint, embedder.dimensions))
    handle(one.folder, one.store, meaning).embed()
    yield Line(f"recall by words and meaning, {one.size:,} items", one.recall(meaning=meaning), most=most)
    yield Line(f"recall after a store, {one.size:,} items", timed(one.recall_new, 30))
    for depth, limit in ((0, 50.0), (1, 80.0), (3, 150.0)):
        yield Line(f"S0 18: recall to depth {depth}, {one.size:,} items", one.recall(depth), most=limit)


def operations(folder: Path) -> Iterator[Line]:
    """Yield the cost of the other operations of S0 section 18."""
    yield Line("consolidation of 200 items", consolidation(folder / "200", 200), most=5)
    yield Line("S0 18: consolidation of 10 items", consolidation(folder / "10", 10), most=50)
    memory = handle(folder, opened(folder, "each"))
    contents = texts(1000)
    yield Line("S0 18: storing an item", timed(lambda n: memory.store(contents[n]), 100), most=15)
    spent = timed(lambda n: memory.checkpoint(Checkpoint(f"task {n}", ["a decision"])), 20)
    yield Line("S0 18: checkpoint", spent, most=5)
    yield Line("S0 18: maintenance cycle of one agent", maintenance(folder / "mind"), most=30)
    memory.store_many(
        {"content": text, "store": "long_term", "created_at": iso(START + timedelta(hours=n))}
        for n, text in enumerate(contents[200:920])
    )
    yield from of_days(folder)


def consolidation(folder: Path, size: int) -> Spent:
    """Return the cost of consolidating that many items, five per tag, with a fresh memory each time."""
    contents, memories = texts(size), []
    for number in range(15):
        (folder / str(number)).mkdir(parents=True)
        memories.append(handle(folder / str(number), opened(folder / str(number), "each")))
        memories[-1].store_many(
            {"content": text, "importance": 0.7, "tags": [f"tag{n % (size // 5)}"]} for n, text in enumerate(contents)
        )
        memories[-1].status()
    return timed(lambda n: memories[n].consolidate(), len(memories))


def maintenance(folder: Path) -> Spent:
    """Return the cost of a heartbeat for a mind with 120 beliefs, reread from its files each time."""
    clock = SteppedClock(START)
    folder.mkdir()

    def fresh() -> Mind:
        return open_mind(folder, clock=clock, ids=Ids(clock, "bench"), sync=Sync("each"), agent_id="cfo")

    with fresh().store:
        mind = fresh()
        mind.save(*(Belief(f"B-{n}", f"figure {n} is {n}") for n in range(120)))
        mind.save(*(Goal(f"G-{n}", f"Move figure {n}", deadline="2026-06-01") for n in range(12)))
        mind.save(*(Intention(f"I-{n}", f"G-{n}", f"P-{n}", updated=iso(START)) for n in range(12)))
        mind.store.close()

    def cycle(_: int) -> None:
        mind = fresh()
        apply(mind, maintain(MindState.of(mind), START + timedelta(hours=1)))

    return timed(cycle, 15)


def of_days(folder: Path) -> Iterator[Line]:
    """Yield the cost of summaries for 30 days with 24 entries each: all, one changed day, none changed."""
    levels = ("weekly", "monthly", "quarterly")

    def all_of_them(_: int) -> None:
        for level in levels:
            shutil.rmtree(folder / "memory" / level, ignore_errors=True)
        hierarchy.build(folder)

    def one_day(number: int) -> None:
        with (folder / "memory" / f"{START + timedelta(days=15):%Y-%m-%d}.md").open("a") as log:
            log.write(f"- a late note {number}\n")
        hierarchy.build(folder)

    yield Line("S0 18: hierarchy of 30 days", timed(all_of_them, 5), most=300)
    yield Line("  with one day changed", timed(one_day, 10))
    yield Line("  with nothing changed", timed(lambda _: hierarchy.build(folder), 10))
    yield Line("  searched", timed(lambda _: hierarchy.search(folder, "late note", "daily"), 10))


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of every operation, with its dependence on the number of items."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        yield from operations(Path(one))
        yield from sizes(Path(other), *(size // scale for size in SIZES))


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
