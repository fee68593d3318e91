"""Other graph stores with the same queries as ours: plain loops, SQLite, networkx, rustworkx, kglite.

The last three are optional. Each returns ids, as comparable sets or numbers.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.graph_loads import HOPS, KEPT, WALKED, Answer, Load
from mabos.backends.graph.model import DEEPEST

INSTALLED = ("networkx", "rustworkx", "kglite")


def near(hops: int | None) -> int | None:
    """Return the length of a path, or None if it exceeds our maximum."""
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
    """The plain approach with SQLite: text keys, a recursive query, and joins."""

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
    """A SQLite table of texts, scanned with LIKE."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE TABLE t (uid TEXT, text TEXT)")
        self.db.executemany("INSERT INTO t VALUES (?, ?)", texts.items())

    def search(self, words: str) -> Answer:
        clauses = " OR ".join(["text LIKE ?"] * len(words.split()))
        marks = [f"%{word}%" for word in words.split()]
        return {uid for (uid,) in self.db.execute(f"SELECT uid FROM t WHERE {clauses}", marks)}  # noqa: S608  # marks


def there(load: Load, folder: Path) -> dict[str, Any]:
    """Return the available peers, the oracle first."""
    makers: dict[str, Callable[[], Any]] = dict(
        zip(INSTALLED, (lambda: Networkx(load), lambda: Rustworkx(load), lambda: Kglite(load)), strict=True)
    )
    found = {name: make() for name, make in makers.items() if find_spec(name) is not None}
    return {"plain loops": Plain(load), "SQLite, recursive": RecursiveSql(load, folder / "peer.sqlite"), **found}
