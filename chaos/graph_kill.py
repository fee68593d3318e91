"""Kill the process that writes a graph and feeds its copy in Neo4j, and count losses: `python -m chaos.graph_kill`.

One process at a time commits records to a store, brings the graph up to date and feeds the copy through a proxy. It is
killed at random moments; in between the proxy cuts connections, even within batches, refuses them, and falls silent. In
the end every acknowledged commit must be in the store, the graph and the copy, which must be equal.
"""

import argparse
import multiprocessing
import os
import random
import signal
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from chaos.tally import Row
from mabos.backends.graph.drain import Drainer
from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.follow import Feed
from mabos.backends.graph.model import Edge, GraphPart, Node
from mabos.backends.graph.tier import GraphTier
from mabos.workspace.documents import json_document
from mabos.workspace.operations import Put
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync
from tests.contracts.neo4j_server import Server, business, lent
from tests.contracts.proxy import Proxy

KEYS = 300
LONGEST_RECOVERY = 600.0
"""Seconds in which the copy must have caught up once everything is well again; a cold Neo4j on a busy machine takes
minutes for its first rows."""

_ACK = 16  # bytes


@dataclass(slots=True)
class Result:
    """The findings of a campaign; `lost` must stay empty."""

    operations: int = 0
    kills: int = 0
    disturbances: dict[str, int] = field(default_factory=dict)
    nodes: int = 0
    waiting: int = 0
    lost: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Place:
    """The opened files of a campaign; `graph` follows `store`."""

    root: Path
    store: Store = field(init=False)
    graph: EmbeddedGraph = field(init=False)
    feed: Feed = field(init=False)

    def __post_init__(self) -> None:
        self.store = json_document(self.root / "records.json", ["records"], sync=Sync("off"))
        self.graph = EmbeddedGraph(self.root / "graph.sqlite")
        self.feed = Feed(self.graph)
        self.feed.follow("records", self.store, part_of)


def part_of(_: str, key: str, record: dict[str, Any]) -> GraphPart | None:
    """Return the graph part of a record: a goal with an edge to another, or nothing."""
    if record["is_gone"]:
        return None
    node = Node(key, record["type"], f"goal {key}", properties={"number": record["number"]})
    return GraphPart([node], [Edge(f"{key}>", "supports", key, record["supports"], weight=0.5)])


def write(root: Path, server: Server, port: int, business_id: str, life: int) -> None:
    """Commit records until killed, acknowledging each, while the copy is fed in parallel."""
    place, chance = Place(root), random.Random(f"{business_id} {life}")
    drainer = Drainer(place.graph, server.graph(business_id, port=port), rows=200)
    drainer.start()
    said = os.open(root / "acknowledged", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in range(life * 100_000, (life + 1) * 100_000):
        key = f"k{chance.randrange(KEYS):03}"
        record = {
            "number": number,
            "is_gone": chance.random() < 0.2,
            "type": chance.choice(["goal", "task"]),
            "supports": f"k{chance.randrange(KEYS):03}",
        }
        place.store.commit([Put("records", key, record)])
        os.write(said, f"{number:010} {key}\n".encode())
        place.feed.update()


def disturb(proxy: Proxy, chance: random.Random) -> str:
    """Disturb the connections in some way, and return how."""
    deed = chance.choice(["cut", "cut in a batch", "refused", "silent", "delayed"])
    if deed == "cut":
        proxy.cut()
    elif deed == "cut in a batch":
        proxy.cut_after(chance.randrange(100, 30_000))
    elif deed == "delayed":
        proxy.delay_s = chance.choice([0.0, 0.005])
    else:
        proxy.turn("refuse" if deed == "refused" else "silent")
        sleep(chance.uniform(0.01, 0.3))
        proxy.turn("pass")
    return deed


def acknowledged(root: Path) -> dict[str, int]:
    """Return the number of the last acknowledged commit of each record."""
    lines = (root / "acknowledged").read_text().splitlines()
    return {key: int(number) for number, key in map(str.split, lines)}


def life(process: BaseProcess, root: Path, until: int, proxy: Proxy, chance: random.Random) -> Iterator[str]:
    """Let a process write until a number of commits are acknowledged, then kill it; yields the disturbances."""
    file, disturbed = root / "acknowledged", monotonic()
    while not file.exists() or file.stat().st_size < until * _ACK:
        if not process.is_alive():
            raise RuntimeError("the writer ended by itself; its error is above")
        if monotonic() > disturbed:
            yield disturb(proxy, chance)
            disturbed = monotonic() + chance.uniform(0.2, 1.5)
        sleep(0.002)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()


def lost(place: Place, copy: GraphTier) -> Iterator[str]:
    """Yield acknowledged writes that are missing, and differences in the graph or its copy."""
    records = place.store.read()["records"]
    for key, number in acknowledged(place.root).items():
        if records.get(key, {"number": -1})["number"] < number:
            yield f"commit {number} of {key} is not in the store"
    parts = [part for key, record in sorted(records.items()) if (part := part_of("", key, record)) is not None]
    for name, tier in (("graph", place.graph), ("copy", copy)):
        found = [(node.uid, node.type, node.properties) for node in tier.find(limit=KEYS)]
        expected = [(node.uid, node.type, node.properties) for part in parts for node in part.nodes]
        yield from (f"{name} lacks {one}" for one in expected if one not in found)
        yield from (f"{name} still has {one}" for one in found if one not in expected)
    if copy.digest() != place.graph.digest():
        yield f"digests differ: {place.graph.digest()} and {copy.digest()}"
    there = {node.uid for part in parts for node in part.nodes}
    expected_edges = sum(edge.end in there for part in parts for edge in part.edges)
    if place.graph.digest().edges != expected_edges:
        yield f"the graph has {place.graph.digest().edges} of {expected_edges} edges with both ends"


def campaign(server: Server, operations: int, kills: int, *, seed: int = 0) -> Result:
    """Return the result of a number of commits with a number of kills."""
    chance, result, of = random.Random(seed), Result(), business()
    processes = multiprocessing.get_context("forkserver")  # from a process without threads, everything imported
    processes.set_forkserver_preload(["neo4j", "tests.contracts.neo4j_server", "mabos.backends.graph.follow"])
    ends = [*sorted(chance.sample(range(1, operations), kills - 1)), operations]
    with tempfile.TemporaryDirectory() as name, server.proxy() as proxy:
        root = Path(name)
        for number, until in enumerate(ends):
            process = processes.Process(target=write, args=(root, server, proxy.port, of, number), daemon=True)
            process.start()
            for deed in life(process, root, until, proxy, chance):
                result.disturbances[deed] = result.disturbances.get(deed, 0) + 1
            result.kills += 1
        proxy.delay_s = 0.0
        proxy.cut_after(None)
        place, copy = Place(root), server.graph(of, port=proxy.port)
        place.feed.update()
        result.waiting = place.graph.sinks.waiting(copy.name)[0]
        drainer = Drainer(place.graph, copy)
        if not drainer.flush(LONGEST_RECOVERY):
            told = f"{place.graph.sinks.waiting(copy.name)[0]} rows wait ({drainer.error or 'nothing failed'})"
            result.lost.append(f"the copy did not catch up: {told}")
        result.lost += lost(place, copy)
        result.operations = (root / "acknowledged").stat().st_size // _ACK
        result.nodes = copy.digest().nodes
        copy.close()
    return result


def main() -> None:
    """Run a campaign and print its findings; the exit code is 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with ExitStack() as held:
        try:
            server = held.enter_context(lent())
        except pytest.skip.Exception as error:
            print(f"not run: {error}")
            return
        result = campaign(server, given.operations, given.kills, seed=given.seed)
    done = ", ".join(f"{count} {deed}" for deed, count in sorted(result.disturbances.items()))
    print(
        f"operations {result.operations:,}, kills {result.kills}, connections {done}; nodes in the end {result.nodes}"
    )
    told = f"a graph and its copy in Neo4j, writer killed, connections cut ({result.operations:,} writes)"
    struck = result.kills + sum(result.disturbances.values())
    raise SystemExit(Row(told, struck, struck, result.lost).told())


if __name__ == "__main__":
    main()
