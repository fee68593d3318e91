"""The cost of graph queries, compared with other graph stores in the same run: `python -m bench.graph`.

CPU milliseconds of this process, medians over several starts. Ours returns whole nodes, edges and the path to each hit,
from disk; the peers return ids, and networkx, rustworkx and kglite work in memory. Missing peers are skipped. Each of
our answers is compared with a plain search in `graph_peers`.
"""

import gc
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, cast

from bench.graph_loads import HOPS, KEPT, WALKED, WORDS, Answer, Load, company
from bench.graph_peers import INSTALLED, RecursiveSql, Scan, there
from bench.measured import Line, Spent, exactly, middle, missing
from bench.printed import printed
from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.model import Edge, GraphPart, Node
from mabos.backends.graph.search import shortest_path, traverse

SIZES = (100_000, 500_000, 10_000)
"""Nodes, edges, and texts to look for words in."""


def written(load: Load, path: Path) -> EmbeddedGraph:
    """Return our graph of a load, as from a source of truth: each entity with its observation and edges."""
    random, graph, cursor = Random(2), EmbeddedGraph(path), ""
    outgoing = defaultdict[str, list[Edge]](list)
    for number, (start, kind, end, weight) in enumerate(load.edges):
        outgoing[start].append(Edge(f"edge:{number}", kind, start, end, weight=weight))
    rest = iter(load.types.items())
    while some := list(islice(rest, 10_000)):
        nodes = {uid: Node(uid, kind, f"{kind} {uid[7:]}", properties={"rank": random.random()}) for uid, kind in some}
        parts = {uid: GraphPart([node], outgoing[uid]) for uid, node in nodes.items()}
        graph.replace("bench", parts, cursor=some[-1][0], seen=cursor)
        cursor = some[-1][0]
    return graph


def ours_three_hops(graph: EmbeddedGraph, start: str) -> Answer:
    found = traverse(graph, [start], edge_types=WALKED, node_types=KEPT, depth=HOPS, limit=10**6)
    return {hit.node.uid for hit in found.hits}


def ours_around(graph: EmbeddedGraph, uids: Sequence[str]) -> Answer:
    return {(step.edge.start, step.edge.type, step.edge.end) for step in graph.expand(uids, "both")}


def ours_path(graph: EmbeddedGraph, pair: tuple[str, str]) -> Answer:
    path = shortest_path(graph, *pair)
    return None if path is None else len(path.edges)


def ours_groups(graph: EmbeddedGraph, _: object) -> Answer:
    return {(one.start_type, one.type, one.end_type): one.count for one in graph.aggregate()}


def spent(ask: Callable[[Any], Answer], questions: Sequence[Any]) -> tuple[Spent, list[Answer]]:
    """Return the CPU milliseconds of a query, and the answers."""
    times, answers = [], []
    for question in questions:
        started = process_time()
        answers.append(ask(question))
        times.append((process_time() - started) * 1000)
    return middle(times), answers


def compared(
    name: str, most: float | None, ask: Callable[[Any], Answer], questions: Sequence[Any], peers: dict[str, Answer]
) -> Iterator[Line]:
    """Yield the cost of a query, whether all answers equal the oracle's, and the ratio of ours to each peer's.

    A peer with different answers is noted next to its ratio.
    """
    ask(questions[0])
    ours, answers = spent(ask, questions)
    yield Line(name, ours, most=most)
    oracle: list[Answer] = []
    for peer, answer in peers.items():
        theirs, found = spent(answer, questions)
        if not oracle:
            oracle = found
            equal = exactly(_equal(answers, oracle))
            yield Line(f"{name}: answers as plain ones", equal, least=len(questions), unit="", beside=peer)
        right = _equal(found, oracle)
        wrong = f"; only {right} of {len(questions)} right there" if right < len(questions) else ""
        note = f"{theirs.median:.2f} ms there{wrong}"
        yield Line(f"{name}: time to a peer's", ours.over(theirs), unit="x", beside=peer, note=note)


def _equal(some: list[Answer], right: list[Answer]) -> int:
    return sum(one == other for one, other in zip(some, right, strict=True))


def of(peers: dict[str, Any], method: str) -> dict[str, Answer]:
    """Return how each capable peer answers a query."""
    return {name: getattr(peer, method) for name, peer in peers.items() if hasattr(peer, method)}


def reopening(path: Path, peer: RecursiveSql, start: str) -> Iterator[Line]:
    """Yield the cost of opening an existing file, up to the first answer."""
    plain = "SELECT count(*) FROM e WHERE s = ?"

    def ours(uid: str) -> Answer:
        graph = EmbeddedGraph(path)
        answer = len(graph.expand([uid], "out"))
        graph.close()
        return answer

    def theirs(uid: str) -> Answer:
        return sqlite3.connect(peer.file).execute(plain, (uid,)).fetchone()[0]

    yield from compared("reopened, first question", 200, ours, [start] * 5, {"SQLite, bare": theirs})


def words(count: int, folder: Path) -> Iterator[Line]:
    """Yield the cost of full-text search in observations."""
    random, graph = Random(4), EmbeddedGraph(folder / "words.sqlite")
    texts = {f"observation:{number}": " ".join([*random.choices(WORDS, k=3), f"w{number}"]) for number in range(count)}
    parts = {uid: GraphPart([Node(uid, "Observation", text=text)]) for uid, text in texts.items()}
    graph.replace("bench", parts, cursor="1", seen="")
    questions = [" ".join(random.sample(WORDS, 2)) for _ in range(20)]
    scan = Scan(texts)
    best, _ = spent(graph.search, questions)
    yield Line(f"the best 20 of about {len(scan.search(questions[0])):,} texts with a word", best)
    every = {"SQLite, LIKE": scan.search}
    yield from compared(
        f"a full-text question with every hit, {count:,} texts",
        50,
        lambda text: {one.node.uid for one in graph.search(text, limit=count)},
        questions,
        every,
    )


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of each query on a graph on disk, compared with every installed peer."""
    nodes, edges, texts = (size // scale for size in SIZES)
    with TemporaryDirectory() as name:
        folder = Path(name)
        load = company(nodes, edges)
        started = process_time()
        graph = written(load, folder / "ours.sqlite")
        size = sum(file.stat().st_size for file in folder.iterdir()) / 2**20
        took = exactly(process_time() - started)
        yield Line(f"{nodes:,} nodes and {edges:,} edges written", took, unit="s", note=f"{size:.0f} MB")
        yield from (missing("the same questions", name) for name in INSTALLED if find_spec(name) is None)
        peers = there(load, folder)
        gc.collect()
        gc.freeze()  # so that nobody pays for collecting the graphs that the others keep in memory
        yield from questions(graph, load, peers)
        yield from reopening(
            folder / "ours.sqlite", cast("RecursiveSql", peers["SQLite, recursive"]), load.starts(1)[0]
        )
        yield from words(texts, folder)


def questions(graph: EmbeddedGraph, load: Load, peers: dict[str, Any]) -> Iterator[Line]:
    """Yield the cost of walks, neighbourhoods, paths and counts."""
    starts = load.starts(100)
    pairs = list(zip(starts[:20], starts[20:40], strict=True))
    hubs = sorted(load.types)[:20]
    asked: tuple[tuple[str, float | None, Any, Sequence[Any], str], ...] = (
        ("three hops over three relations, filtered", 5, ours_three_hops, starts, "three_hops"),
        ("the same from hubs", None, ours_three_hops, hubs, "three_hops"),
        ("neighbourhoods of 100 nodes", 50, ours_around, [starts] * 5, "around"),
        ("the shortest path", None, ours_path, pairs, "path"),
        ("all edges counted by kind", 200, ours_groups, [None] * 3, "count"),
    )
    for name, most, ask, given, method in asked:
        yield from compared(name, most, lambda one, ask=ask: ask(graph, one), given, of(peers, method))  # type: ignore[misc]


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
