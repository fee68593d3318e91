"""What a graph's questions cost, beside other keepers of graphs in the same run: `python -m tests.bench.graph`.

CPU milliseconds of this process, medians over several starts. Ours answers with whole nodes, edges and the path to each
hit, from disk; the peers answer with ids, and networkx, rustworkx and kglite from memory. Peers that cannot be imported
are left out. Every answer of ours is compared with a search written down plainly in this file.
"""

import argparse
import gc
import sqlite3
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

from backends.graph.embedded import EmbeddedGraph
from backends.graph.model import DEEPEST, Edge, Node, Part
from backends.graph.search import shortest_path, traverse

NODE_TYPES = ("Concept", "Decision", "Person", "Project", "Tool")
EDGE_TYPES = (
    "RELATES_TO",
    "BUILDS_ON",
    "DEPENDS_ON",
    "USES",
    "KNOWS",
    "LEARNED_IN",
    "CONTRADICTS",
    "MERGED_INTO",
    "OWNS",
)
FREQUENCIES = (30, 20, 15, 12, 8, 6, 4, 3, 2)
WALKED, KEPT, HOPS = ("BUILDS_ON", "DEPENDS_ON", "USES"), ("Decision", "Person"), 3
WORDS = (
    "audit",
    "runway",
    "cash",
    "pricing",
    "churn",
    "hiring",
    "vendor",
    "contract",
    "margin",
    "launch",
    "budget",
    "risk",
)

Answer = Any


@dataclass(frozen=True, slots=True)
class Load:
    """A graph with hubs: types by uid, and edges as (start, type, end, weight)."""

    types: dict[str, str]
    edges: list[tuple[str, str, str, float]]

    def starts(self, count: int) -> list[str]:
        """Return some nodes to begin at, always the same."""
        return Random(7).sample(sorted(self.types), count)


def company(nodes: int, edges: int) -> Load:
    """Return a graph in which one node of a hundred is a hub, and some relations are much more frequent."""
    random = Random(1)
    uids = [f"entity:{number:06}" for number in range(nodes)]
    types = {uid: random.choice(NODE_TYPES) for uid in uids}
    kinds = random.choices(EDGE_TYPES, FREQUENCIES, k=edges)
    made = []
    for kind in kinds:
        hub, other = uids[random.randrange(max(1, nodes // 100))], uids[int(random.random() ** 2 * nodes)]
        start = hub if random.random() < 0.1 else random.choice(uids)
        made.append((start, kind, other, round(random.random(), 3)))
    return Load(types, made)


def written(load: Load, path: Path) -> EmbeddedGraph:
    """Return our graph of a load, as a source of truth gives it: an entity with its observation, and its edges."""
    random, graph, cursor = Random(2), EmbeddedGraph(path), ""
    outgoing = defaultdict[str, list[Edge]](list)
    for number, (start, kind, end, weight) in enumerate(load.edges):
        outgoing[start].append(Edge(f"edge:{number}", kind, start, end, weight=weight))
    rest = iter(load.types.items())
    while some := list(islice(rest, 10_000)):
        nodes = {uid: Node(uid, kind, f"{kind} {uid[7:]}", properties={"rank": random.random()}) for uid, kind in some}
        parts = {uid: Part([node], outgoing[uid]) for uid, node in nodes.items()}
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


def near(hops: int | None) -> int | None:
    """Return the length of a path, or None where it is longer than ours may be."""
    return None if hops is None or hops > DEEPEST else hops


class Plain:
    """The oracle: dictionaries and loops."""

    def __init__(self, load: Load) -> None:
        self.types = load.types
        self.out = defaultdict[str, list[tuple[str, str]]](list)
        self.at = defaultdict[str, set[tuple[str, str, str]]](set)
        self.edges = load.edges
        for start, kind, end, _ in load.edges:
            self.out[start].append((kind, end))
            self.at[start].add((start, kind, end))
            self.at[end].add((start, kind, end))

    def three_hops(self, start: str) -> Answer:
        seen = level = {start}
        for _ in range(HOPS):
            level = {end for uid in level for kind, end in self.out[uid] if kind in WALKED} - seen
            seen = seen | level
        return {uid for uid in seen - {start} if self.types[uid] in KEPT}

    def around(self, uids: Sequence[str]) -> Answer:
        return set().union(*(self.at[uid] for uid in uids))

    def path(self, pair: tuple[str, str]) -> Answer:
        seen = level = {pair[0]}
        for depth in range(DEEPEST + 1):
            if pair[1] in level:
                return depth
            level = {end for uid in level for _, end in self.out[uid]} - seen
            seen = seen | level
        return None

    def count(self, _: object) -> Answer:
        found = defaultdict[tuple[str, str, str], int](int)
        for start, kind, end, _ in self.edges:
            found[self.types[start], kind, self.types[end]] += 1
        return dict(found)


class RecursiveSql:
    """The plain way with SQLite: text keys, a recursive query, and joins."""

    def __init__(self, load: Load, path: Path) -> None:
        self.file = path
        self.db = sqlite3.connect(path)
        self.db.executescript(
            "CREATE TABLE n (uid TEXT PRIMARY KEY, type TEXT); CREATE TABLE e (s TEXT, t TEXT, o TEXT, w REAL);"
            "CREATE INDEX e_s ON e (s, t); CREATE INDEX e_o ON e (o, t);"
        )
        with self.db:
            self.db.executemany("INSERT INTO n VALUES (?, ?)", load.types.items())
            self.db.executemany("INSERT INTO e VALUES (?, ?, ?, ?)", load.edges)

    def three_hops(self, start: str) -> Answer:
        sql = (
            "WITH RECURSIVE r (uid, d) AS (VALUES (?, 0) UNION SELECT e.o, d + 1 FROM r JOIN e ON e.s = r.uid "  # noqa: S608  # constants
            f"WHERE d < {HOPS} AND t IN {WALKED}) SELECT DISTINCT n.uid FROM r JOIN n USING (uid) WHERE d > 0 "
            f"AND n.type IN {KEPT} AND n.uid != ?"
        )
        return {uid for (uid,) in self.db.execute(sql, (start, start))}

    def around(self, uids: Sequence[str]) -> Answer:
        marks = ",".join("?" * len(uids))
        sql = f"SELECT s, t, o FROM e WHERE s IN ({marks}) UNION SELECT s, t, o FROM e WHERE o IN ({marks})"  # noqa: S608  # marks
        return set(self.db.execute(sql, (*uids, *uids)))

    def count(self, _: object) -> Answer:
        joined = "e JOIN n a ON a.uid = s JOIN n b ON b.uid = o"
        sql = f"SELECT a.type, t, b.type, count(*), avg(w) FROM {joined} GROUP BY 1, 2, 3"  # noqa: S608  # a constant
        return {tuple(row[:3]): row[3] for row in self.db.execute(sql)}


class Networkx:
    """networkx: dictionaries of dictionaries, in memory."""

    def __init__(self, load: Load) -> None:
        self.library: Any = import_module("networkx")
        self.graph = self.library.MultiDiGraph()
        self.graph.add_nodes_from((uid, {"type": kind}) for uid, kind in load.types.items())
        self.graph.add_edges_from((start, end, {"type": kind}) for start, kind, end, _ in load.edges)

    def three_hops(self, start: str) -> Answer:
        seen = level = {start}
        for _ in range(HOPS):
            level = {end for uid in level for end, many in self.graph.adj[uid].items() if self._is_walked(many)} - seen
            seen = seen | level
        return {uid for uid in seen - {start} if self.graph.nodes[uid]["type"] in KEPT}

    def around(self, uids: Sequence[str]) -> Answer:
        edges = [*self.graph.out_edges(uids, data="type"), *self.graph.in_edges(uids, data="type")]
        return {(start, kind, end) for start, end, kind in edges}

    def path(self, pair: tuple[str, str]) -> Answer:
        try:
            return near(len(self.library.bidirectional_shortest_path(self.graph, *pair)) - 1)
        except self.library.NetworkXNoPath:
            return None

    def count(self, _: object) -> Answer:
        found, types = defaultdict[tuple[str, str, str], int](int), self.graph.nodes(data="type")
        for start, end, kind in self.graph.edges(data="type"):
            found[types[start], kind, types[end]] += 1
        return dict(found)

    @staticmethod
    def _is_walked(many: Any) -> bool:
        return any(one["type"] in WALKED for one in many.values())


class Rustworkx:
    """rustworkx: a graph in Rust, in memory."""

    def __init__(self, load: Load) -> None:
        self.library: Any = import_module("rustworkx")
        self.graph = self.library.PyDiGraph()
        self.types = load.types
        self.uids = list(load.types)
        self.numbers = dict(zip(self.uids, self.graph.add_nodes_from(self.uids), strict=True))
        self.graph.add_edges_from(
            [(self.numbers[start], self.numbers[end], kind) for start, kind, end, _ in load.edges]
        )

    def three_hops(self, start: str) -> Answer:
        seen = level = {self.numbers[start]}
        for _ in range(HOPS):
            level = {end for one in level for _, end, kind in self.graph.out_edges(one) if kind in WALKED} - seen
            seen = seen | level
        return {self.uids[one] for one in seen if self.types[self.uids[one]] in KEPT} - {start}

    def around(self, uids: Sequence[str]) -> Answer:
        numbers = [self.numbers[uid] for uid in uids]
        edges = [edge for one in numbers for edge in (*self.graph.out_edges(one), *self.graph.in_edges(one))]
        return {(self.uids[start], kind, self.uids[end]) for start, end, kind in edges}

    def path(self, pair: tuple[str, str]) -> Answer:
        start, end = (self.numbers[uid] for uid in pair)
        paths = self.library.dijkstra_shortest_paths(self.graph, start, target=end)
        return near(len(paths[end]) - 1) if end in paths else None

    def count(self, _: object) -> Answer:
        found = defaultdict[tuple[str, str, str], int](int)
        for start, end, kind in self.graph.weighted_edge_list():
            found[self.types[self.uids[start]], kind, self.types[self.uids[end]]] += 1
        return dict(found)


class Kglite:
    """kglite: Cypher in memory."""

    def __init__(self, load: Load) -> None:
        self.graph: Any = import_module("kglite").KnowledgeGraph()
        by_type, by_kind = defaultdict[str, list[str]](list), defaultdict[tuple[str, str, str], list[Any]](list)
        for uid, type_ in load.types.items():
            by_type[type_].append(uid)
        for start, kind, end, _ in load.edges:
            by_kind[load.types[start], kind, load.types[end]].append([start, end])
        for type_, uids in by_type.items():
            self._write(f"UNWIND $rows AS row CREATE (:{type_} {{id: row}})", uids)
        for (start, kind, end), ends in by_kind.items():
            text = f"MATCH (a:{start} {{id: row[0]}}), (b:{end} {{id: row[1]}}) CREATE (a)-[:{kind}]->(b)"
            self._write(f"UNWIND $rows AS row {text}", ends)
        self.types = load.types

    def _write(self, text: str, rows: Sequence[Any]) -> None:
        for first in range(0, len(rows), 10_000):
            self.graph.cypher(text, params={"rows": rows[first : first + 10_000]})

    def three_hops(self, start: str) -> Answer:
        text = (
            f"MATCH (a:{self.types[start]} {{id: $start}})-[:{'|'.join(WALKED)}*1..{HOPS}]->(b) "
            f"WHERE b:{' OR b:'.join(KEPT)} RETURN DISTINCT b.id AS id"
        )
        return {row["id"] for row in self.graph.cypher(text, params={"start": start})} - {start}

    def path(self, pair: tuple[str, str]) -> Answer:
        start, end = pair
        return near(
            self.graph.shortest_path_length(self.types[start], start, self.types[end], end, direction="outgoing")
        )

    def count(self, _: object) -> Answer:
        text = "MATCH (a)-[r]->(b) RETURN labels(a)[0] AS s, type(r) AS t, labels(b)[0] AS o, count(*) AS n"
        return {(row["s"], row["t"], row["o"]): row["n"] for row in self.graph.cypher(text)}


class Scan:
    """Texts in a SQLite table, looked through with LIKE."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE TABLE t (uid TEXT, text TEXT)")
        self.db.executemany("INSERT INTO t VALUES (?, ?)", texts.items())

    def search(self, words: str) -> Answer:
        clauses = " OR ".join(["text LIKE ?"] * len(words.split()))
        marks = [f"%{word}%" for word in words.split()]
        return {uid for (uid,) in self.db.execute(f"SELECT uid FROM t WHERE {clauses}", marks)}  # noqa: S608  # marks


def spent(ask: Callable[[Any], Answer], questions: Sequence[Any]) -> tuple[float, list[Answer]]:
    """Return the median CPU milliseconds of a question, and the answers."""
    times, answers = [], []
    for question in questions:
        started = process_time()
        answers.append(ask(question))
        times.append((process_time() - started) * 1000)
    return statistics.median(times), answers


def compare(
    name: str, target: float | None, ask: Callable[[Any], Answer], questions: Sequence[Any], peers: dict[str, Answer]
) -> None:
    """Print a line for ours and each peer, and how many of both answers are those of the first peer, the oracle."""
    ask(questions[0])
    ours, answers = spent(ask, questions)
    oracle: list[Answer] = []
    for peer, answer in peers.items():
        theirs, found = spent(answer, questions)
        oracle = oracle or found
        if not answers:
            answers = found
        print(f"{name:30} {peer:26} {ours:9.2f} {theirs:10.2f} {ours / theirs:8.3f} {target or '':>9}", end=" ")
        equal = [sum(one == right for one, right in zip(some, oracle, strict=True)) for some in (answers, found)]
        holds = "" if target is None else "yes" if ours < target else "no"
        print(f"{holds:>5} {equal[0]:>5} {equal[1]:>5} of {len(questions)}")


def of(peers: dict[str, Any], method: str) -> dict[str, Answer]:
    """Return how each peer that can answers a question."""
    return {name: getattr(peer, method) for name, peer in peers.items() if hasattr(peer, method)}


def installed(load: Load, folder: Path) -> dict[str, Any]:
    """Return the peers there are, the oracle first."""
    makers: dict[str, Callable[[], Any]] = {
        "networkx": lambda: Networkx(load),
        "rustworkx": lambda: Rustworkx(load),
        "kglite": lambda: Kglite(load),
    }
    peers = {"plain loops": Plain(load), "SQLite, recursive": RecursiveSql(load, folder / "peer.sqlite")}
    for name, make in makers.items():
        if find_spec(name) is None:
            print(f"{name} is not installed")
        else:
            peers[name] = make()
    return peers


def reopening(path: Path, peer: RecursiveSql, start: str) -> None:
    """Compare opening a file that is there, up to the first answer."""
    plain = "SELECT count(*) FROM e WHERE s = ?"

    def ours(uid: str) -> Answer:
        graph = EmbeddedGraph(path)
        answer = len(graph.expand([uid], "out"))
        graph.close()
        return answer

    def theirs(uid: str) -> Answer:
        return sqlite3.connect(peer.file).execute(plain, (uid,)).fetchone()[0]

    compare("reopen, first question", 200, ours, [start] * 5, {"SQLite, bare": theirs})


def words(count: int, folder: Path) -> None:
    """Compare finding words in observations."""
    random, graph = Random(4), EmbeddedGraph(folder / "words.sqlite")
    texts = {f"observation:{number}": " ".join([*random.choices(WORDS, k=3), f"w{number}"]) for number in range(count)}
    parts = {uid: Part([Node(uid, "Observation", text=text)]) for uid, text in texts.items()}
    graph.replace("bench", parts, cursor="1", seen="")
    questions = [" ".join(random.sample(WORDS, 2)) for _ in range(20)]
    scan = Scan(texts)
    best, _ = spent(graph.search, questions)
    print(f"the best 20 of about {len(scan.search(questions[0])):,}: {best:.2f} ms")
    every = {"SQLite, LIKE": scan.search}
    compare(
        "words, every hit", 50, lambda text: {one.node.uid for one in graph.search(text, limit=count)}, questions, every
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes")
    tenth = 10 if parser.parse_args().quick else 1
    with TemporaryDirectory() as name:
        folder = Path(name)
        load = company(100_000 // tenth, 500_000 // tenth)
        started = process_time()
        graph = written(load, folder / "ours.sqlite")
        size = sum(file.stat().st_size for file in folder.iterdir()) / 2**20
        print(f"{graph.status().detail} written in {process_time() - started:.1f} s, {size:.0f} MB")
        peers = installed(load, folder)
        gc.collect()
        gc.freeze()  # so that nobody pays for collecting the graphs that the others keep in memory
        starts = load.starts(100)
        pairs = list(zip(starts[:20], starts[20:40], strict=True))
        print(f"{'question':30} {'beside':26} {'ours ms':>9} {'theirs ms':>10} {'ratio':>8} {'target':>9}", end=" ")
        print(f"{'holds':>5} {'right':>5} {'right there':>5}")
        compare(
            "3 hops, 3 relations, 2 types", 5, lambda one: ours_three_hops(graph, one), starts, of(peers, "three_hops")
        )
        hubs = sorted(load.types)[:20]
        compare("the same from hubs", None, lambda one: ours_three_hops(graph, one), hubs, of(peers, "three_hops"))
        compare("100 neighbourhoods", 50, lambda one: ours_around(graph, one), [starts] * 5, of(peers, "around"))
        compare("shortest path", None, lambda one: ours_path(graph, one), pairs, of(peers, "path"))
        compare("edges counted by kind", 200, lambda one: ours_groups(graph, one), [None] * 3, of(peers, "count"))
        reopening(folder / "ours.sqlite", peers["SQLite, recursive"], starts[0])
        words(10_000 // tenth, folder)


if __name__ == "__main__":
    main()
