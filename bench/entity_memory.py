"""The cost of an entity memory with 10,000 entities, 30,000 observations and 50,000 relations.

`python -m bench.entity_memory`: CPU milliseconds of this process, which exclude other processes. One entity of a
hundred is a hub. Public operations, with the gate, the ledger and all durable writes, are in wall time instead,
relative to as many appends with fdatasync; the workspace also has as many archive nodes.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from unittest.mock import patch

import orjson

from bench.graph_loads import WORDS
from bench.measured import Line as Row
from bench.measured import Spent, exactly, middle
from bench.printed import printed
from bench.store import bare, timed
from mabos.knowledge.entities.lines import EntityLine, Line, ObservationLine, RelationLine, stamp_line
from mabos.knowledge.entities.memory import EntityMemory
from mabos.knowledge.entities.model import RELATION_TYPES, EntityType
from mabos.workspace import sync
from mabos.workspace.clock import iso
from tests.knowledge.entities.memories import START, Business
from tests.world import WORDS_ALONE, World

ENTITIES = 10_000
REBUILD, REBUILD_KNOWN = 3_000, 5_000
"""Milliseconds that making the graph again may take, and what it may come to until that is kept."""
RELATIONS = tuple(one for one in RELATION_TYPES if one not in ("EXTRACTED_FROM", "APPLIED_IN"))
"""The relations between entities."""
TYPES: tuple[EntityType, ...] = ("Concept", "Insight", "Pattern")


def said(entities: int, observations: int, relations: int) -> Iterator[Line]:
    """Yield a memory's operations, deterministically."""
    random, at = Random(5), iso(START)
    names = [f"entity-{number:05}" for number in range(entities)]
    hubs = names[: max(1, entities // 100)]
    for name in names:
        type_ = random.choice(TYPES)
        label = " ".join(random.choices(WORDS, k=3))
        session = f"s{random.randrange(500)}"
        yield EntityLine(id=name, name=name, entity_type=type_, label=label, source_session=session, at=at)
    for number in range(observations):
        text = " ".join((*random.choices(WORDS, k=4), f"w{number}"))
        yield ObservationLine(id=f"o{number}", entity_id=random.choice(names), content=text, at=at)
    for number in range(relations):
        start = random.choice(hubs if random.random() < 0.1 else names)
        type_of, end = random.choice(RELATIONS), random.choice(names)
        yield RelationLine(id=f"r{number}", relation_type=type_of, from_id=start, to_id=end, at=at)


def write(path: Path, lines: Iterator[Line]) -> None:
    """Write a log of these operations."""
    path.parent.mkdir(parents=True)
    last = ""
    with path.open("wb") as file:
        for line in lines:
            file.write(stamp_line(line, last, int(START.timestamp() * 1000)))
            last = line.op


def spent(call: Callable[[int], object], rounds: int) -> Spent:
    """Return the cost of each of a number of calls, after one warm-up call."""
    call(rounds)
    times = []
    for number in range(rounds):
        began = process_time()
        call(number)
        times.append((process_time() - began) * 1000)
    return middle(times)


def once(call: Callable[[], object]) -> Spent:
    """Return the cost of a single call."""
    began = process_time()
    call()
    return exactly((process_time() - began) * 1000)


def first_answer(root: Path) -> Callable[[int], object]:
    """Return the cost of reopening a memory with one query."""

    def ask(_: int) -> None:
        business = Business(root)
        business.as_().entity("entity-00000")
        business.graph.close()

    return ask


def asked(memory: EntityMemory, entities: int) -> Iterator[Row]:
    """Yield the cost of queries on an open memory."""
    random = Random(6)
    words = [" ".join(random.sample(WORDS, 2)) for _ in range(11)]
    anyone = [f"entity-{random.randrange(entities // 100, entities):05}" for _ in range(21)]
    hubs = [f"entity-{number:05}" for number in range(11)]
    yield Row("a question in words, the best 10", spent(lambda one: memory.query_semantic(words[one]), 10), most=50)
    few = ["BUILDS_ON", "DEPENDS_ON", "RELATES_TO"]
    walk = spent(lambda one: memory.traverse(anyone[one], relation_types=few, direction="out"), 20)
    yield Row("3 hops over three relations", walk, most=2)
    yield Row("3 hops over all, both ways, 100 hits", spent(lambda one: memory.traverse(anyone[one]), 20))
    yield Row("the same from hubs", spent(lambda one: memory.traverse(hubs[one]), 10))
    yield Row("stats", spent(lambda _: memory.stats(), 3))


def write_archive(path: Path, nodes: int) -> None:
    """Write an archive with that many nodes, five per task."""
    random, at = Random(7), iso(START)
    node = {"type": "fact", "confidence": 0.7, "by": "rule"}
    told = [
        {"id": f"KN-{one}", "content": " ".join((*random.choices(WORDS, k=6), f"w{one}")), **node,
         "sources": [{"task": f"T-{one // 5}", "at": at}]}
        for one in range(nodes)
    ]  # fmt: skip
    path.write_bytes(orjson.dumps({"nodes": told, "edges": [], "tasks": []}))


def operations(entities: int) -> Iterator[Row]:
    """Yield the time of public operations, relative to as many bare appends as they make durable."""
    with TemporaryDirectory() as name, ExitStack() as stack:
        root = Path(name, "workspace")
        World.small(root).close()
        with (root / "businesses/acme/graph.jsonl").open("wb") as file:
            for line in said(entities, 3 * entities, 5 * entities):
                file.write(stamp_line(line, "", int(START.timestamp() * 1000)))
        write_archive(root / "businesses/acme/archive.json", entities)
        world = stack.enter_context(World.small(root, settings={"durability": "each", **WORDS_ALONE}))
        append = stack.enter_context(bare(Path(name)))
        cto, random = world.agent("cto"), Random(8)
        words = [" ".join(random.sample(WORDS, 3)) for _ in range(40)]
        talk = [
            {"role": "user", "content": "How is growth read?"},
            {"role": "assistant", "content": "Divide by the base."},
        ]

        def archive(one: int) -> None:
            task = {"id": f"TASK-{one}", "systemPrompt": words[one], "completionStatus": "success", "messages": talk}
            world.do("ldg:task:save", "cto", task=task)
            world.do("mem:archive", "cto", taskId=f"TASK-{one}")

        calls: dict[str, Callable[[int], object]] = {
            "create_entity": lambda one: cto.do(
                "knowledge", action="create_entity", type="Concept", name=f"made-{one}"
            ),
            "add_observation": lambda one: cto.do(
                "knowledge", action="add_observation", entity=f"made-{one}", content=words[one]
            ),
            "query_semantic": lambda one: cto.do("knowledge", action="query_semantic", query=words[one]),
            "traverse": lambda one: cto.do(
                "knowledge", action="traverse", start_entity=f"entity-{(one + 200) % entities:05}"
            ),
            "ldg:task:save and mem:archive": archive,
            "mem:retrieve": lambda one: world.do("mem:retrieve", "cto", query=words[one]),
        }
        syncs = stack.enter_context(patch.object(sync, "_force", wraps=os.fdatasync))
        for operation, call in calls.items():
            call(39)
            before = syncs.call_count
            took = [timed(partial(lambda call, one, _: call(one), call, one), 1) for one in range(20)]
            made = (syncs.call_count - before) / 20
            alone = timed(append, 50)
            spent, note = Spent(median(took), min(took)), f"{made:.1f} syncs a call"
            yield Row(f"{operation}, wall", spent, note=note)
            if made:
                over = Spent(spent.median / (made * alone), spent.least / (made * alone))
                yield Row(
                    f"{operation}, over its syncs", over, unit="x", beside="as many append+fdatasync alone", note=note
                )


def lines(scale: int) -> Iterator[Row]:
    """Yield the cost of all operations on a memory of this size."""
    entities = max(200, ENTITIES // scale)
    yield from operations(entities)
    with TemporaryDirectory() as name:
        business = Business(Path(name))
        write(business.path, said(entities, 3 * entities, 5 * entities))
        yield Row("rebuild of the graph from the log", once(business.store.update), most=REBUILD, known=REBUILD_KNOWN)
        business.graph.close()
        yield Row("opened again, first answer", spent(first_answer(Path(name)), 5), most=200)
        again = Business(Path(name))
        memory = again.as_("cto")
        yield from asked(memory, entities)
        yield Row("first write of a process", once(lambda: memory.create_entity("Concept", "first")))
        yield Row("an entity created", spent(lambda one: memory.create_entity("Concept", f"new-{one}"), 100), most=10)
        again.graph.close()


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
