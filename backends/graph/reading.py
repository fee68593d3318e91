"""The file of an embedded graph, and the questions it answers; `embedded` writes it."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any, Literal

from mabos.backends.graph.conditions import meets
from mabos.backends.graph.content import digest_of
from mabos.backends.graph.model import EVERYTHING, Condition, Digest, Direction, Group, Node, Scored, Step, View
from mabos.backends.graph.sinks import Sinks
from mabos.backends.graph.tables import (
    EDGE_WIDTH,
    NODE_WIDTH,
    SCHEMA,
    VERSION,
    Where,
    edge_columns,
    edge_of,
    listed,
    node_columns,
    node_of,
)
from mabos.configs.errors import Unavailable
from mabos.workspace.index_file import opened
from mabos.workspace.text import query_terms

_CACHE = 65_536  # KiB at most; with the 2,000 of SQLite a first filling of a large graph takes a third longer
_INDEXED = frozenset({"uid", "type", "name"})


class GraphFile:
    """A graph's file, opened: what can be asked of it. Threads share one object, processes each open their own."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._guard = RLock()
        with self._answering():
            self._connection = opened(path, SCHEMA + Sinks.SCHEMA, VERSION)
            self._connection.execute(f"PRAGMA cache_size = -{_CACHE}")

    def fetch(self, uids: Sequence[str], view: View = EVERYTHING) -> list[Node]:
        """Return the nodes with these ids that may be seen, each once, in the order asked."""
        where = Where()
        where.add("n.uid IN (SELECT value FROM json_each(?))", listed(uids))
        where.shows("n", view)
        found = {node.uid: node for node in self._nodes(where)}
        return [found[uid] for uid in dict.fromkeys(uids) if uid in found]

    def find(
        self,
        types: Sequence[str] = (),
        where: Sequence[Condition] = (),
        view: View = EVERYTHING,
        *,
        limit: int = 1000,
    ) -> list[Node]:
        """Return the nodes of any of `types` that meet every condition, by uid."""
        narrowed = Where()
        narrowed.among("n.type", types)
        narrowed.shows("n", view)
        for one in where:
            if one.property in _INDEXED and one.operator == "=" and isinstance(one.value, str):
                narrowed.add(f"n.{one.property} = ?", one.value)
        found = list[Node]()
        with self._answering():
            for row in self._connection.execute(_nodes_sql(narrowed, "ORDER BY n.uid"), narrowed.values):
                if len(found) >= limit:
                    break
                if meets(node := node_of(row), where):
                    found.append(node)
        return found

    def expand(
        self,
        uids: Sequence[str],
        direction: Direction = "both",
        types: Sequence[str] = (),
        view: View = EVERYTHING,
    ) -> list[Step]:
        """Return every edge between these nodes and others where both may be seen.

        By origin, edge type, uid of the other end and of the edge; an edge from a node to itself is one step.
        """
        steps = list[Step]()
        if direction != "in":
            steps += self._steps("start", uids, types, view)
        if direction != "out":
            back = self._steps("end", uids, types, view)
            steps += [step for step in back if direction == "in" or step.edge.start != step.edge.end]
        return sorted(steps, key=lambda step: (step.origin, step.edge.type, step.node.uid, step.edge.uid))

    def links(
        self, uids: Sequence[str], direction: Literal["out", "in"], types: Sequence[str] = (), view: View = EVERYTHING
    ) -> list[tuple[str, str, str]]:
        """Return origin, type and other end of what `expand` returns, for those who count and need no bodies."""
        near = "start" if direction == "out" else "end"
        return self._walked(near, "near.uid, e.type, far.uid", uids, types, view)

    def search(self, text: str, types: Sequence[str] = (), view: View = EVERYTHING, *, limit: int = 20) -> list[Scored]:
        """Return the nodes whose name or text holds any word of `text`, best first; stop words only if all are."""
        words = " OR ".join(f'"{word}"' for word in query_terms(text))
        if not words or limit < 1:
            return []
        where = Where()
        where.add("words MATCH ?", words)
        where.among("n.type", types)
        where.shows("n", view)
        sql = (
            f"SELECT {node_columns('n')}, -bm25(words) FROM words JOIN nodes n ON n.id = words.rowid "  # noqa: S608  # constants
            f"WHERE {where} ORDER BY {NODE_WIDTH + 1} DESC, n.uid LIMIT ?"
        )
        with self._answering():
            found = self._connection.execute(sql, [*where.values, limit]).fetchall()
        return [Scored(node_of(row[:NODE_WIDTH]), row[NODE_WIDTH]) for row in found]

    def aggregate(self, types: Sequence[str] = ()) -> list[Group]:
        """Return how many edges there are of every kind, by type of start, edge and end; an end not there has none."""
        where = Where()
        where.among("type", types)
        sql = (
            "SELECT start_type, type, end_type, count(*), avg(weight) FROM edges INDEXED BY edges_by_kind "  # noqa: S608  # constants
            f"WHERE {where} GROUP BY start_type, type, end_type"
        )
        with self._answering():
            return [Group(*row) for row in self._connection.execute(sql, where.values)]

    def kinds(self) -> dict[str, int]:
        """Return how many nodes there are of each type, by name of the type."""
        sql = "SELECT type, count(*) FROM nodes WHERE type != '' GROUP BY type ORDER BY type"
        with self._answering():
            return {str(kind): int(number) for kind, number in self._connection.execute(sql)}

    def digest(self) -> Digest:
        """Return what tells whether two tiers hold the same; it is kept, so asking costs nothing."""
        with self._answering():
            return digest_of(*self._connection.execute("SELECT nodes, edges, high, low FROM totals").fetchone())

    def close(self) -> None:
        """Close the file; closing twice is allowed."""
        with self._guard:
            self._connection.close()

    def _nodes(self, where: Where) -> list[Node]:
        with self._answering():
            return [node_of(row) for row in self._connection.execute(_nodes_sql(where), where.values)]

    def _steps(self, near: str, uids: Sequence[str], types: Sequence[str], view: View) -> list[Step]:
        start, end = ("near", "far") if near == "start" else ("far", "near")
        columns = f"near.uid, {edge_columns('e', start, end)}, {node_columns('far')}"
        found = self._walked(near, columns, uids, types, view)
        nodes = {row[EDGE_WIDTH + 1]: row for row in found}  # many edges lead to the same node, which is decoded once
        ends = {uid: node_of(row[EDGE_WIDTH + 1 :]) for uid, row in nodes.items()}
        return [Step(row[0], edge_of(row[1 : EDGE_WIDTH + 1]), ends[row[EDGE_WIDTH + 1]]) for row in found]

    def _walked(self, near: str, columns: str, uids: Sequence[str], types: Sequence[str], view: View) -> list[Any]:
        far = "end" if near == "start" else "start"
        where = Where()
        where.shows("near", view)
        where.shows("far", view)
        where.holds("e", view)
        where.among("e.type", types)
        sql = (
            f"SELECT {columns} FROM json_each(?) "  # noqa: S608  # constants
            f"CROSS JOIN nodes near ON near.uid = value CROSS JOIN edges e ON e.{near} = near.id "
            f"CROSS JOIN nodes far ON far.id = e.{far} WHERE {where}"
        )
        with self._answering():
            return self._connection.execute(sql, [listed(set(uids)), *where.values]).fetchall()

    @contextmanager
    def _answering(self) -> Iterator[None]:
        with self._guard:
            try:
                yield
            except sqlite3.Error as error:
                message = (
                    f"the graph in {self._path} does not answer ({error}); close what holds it, or delete the file"
                )
                raise Unavailable(message) from error


def _nodes_sql(where: Where, order: str = "") -> str:
    return f"SELECT {node_columns('n')} FROM nodes n WHERE {where} {order}"  # noqa: S608  # constants
