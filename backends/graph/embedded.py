"""A business's graph in one SQLite file: it follows the files of truth, needs no server, and can be deleted.

`replace` takes the parts from a source of truth and their cursor in one transaction. A process may die at any point,
and if two read the same news one writes. Copies elsewhere register as sinks, each with its backlog.

    graph = EmbeddedGraph(path)
    graph.replace("facts/cfo", {"facts/F-1": GraphPart(nodes, edges)}, cursor="1:8", seen="")
    graph.expand(["company:acme"], "out", ["owns"])
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from mabos.backends.graph.changes import GivenRow, GraphChanges, merge_parts, owner_of
from mabos.backends.graph.conditions import meets
from mabos.backends.graph.content import digest_of
from mabos.backends.graph.file import GraphFile
from mabos.backends.graph.model import (
    EVERYTHING,
    Digest,
    Direction,
    EdgeGroup,
    Gone,
    GraphBatch,
    GraphPart,
    GraphStep,
    GraphView,
    Node,
    NodeCondition,
    Scored,
)
from mabos.backends.graph.sinks import Leased, Sinks, Waiting
from mabos.backends.graph.tables import (
    EDGE_WIDTH,
    NODE_WIDTH,
    SCHEMA,
    Kind,
    Where,
    edge_columns,
    edge_of,
    encode_list,
    node_columns,
    node_of,
)
from mabos.backends.graph.tier import Status
from mabos.configs.errors import Unavailable
from mabos.workspace.clock import Clock, system_clock
from mabos.workspace.text import query_terms

__all__ = ["EmbeddedGraph", "Leased", "Waiting"]

_INDEXED = frozenset({"uid", "type", "name"})
_DIGEST = """
SELECT t.nodes, t.edges - w.edges, t.high - w.high, t.low - w.low FROM totals t, (
  SELECT count(*) AS edges, coalesce(sum(high), 0) AS high, coalesce(sum(low), 0) AS low FROM edges
  WHERE start_type = '' OR end_type = '') w
"""


class EmbeddedGraph:
    """The graph of one business; threads share one object, processes each open their own. `sinks` replicate it."""

    name = "embedded"

    def __init__(self, path: Path, *, clock: Clock = system_clock) -> None:
        self._file = GraphFile(path, SCHEMA + Sinks.SCHEMA)
        self._clock = clock
        self.sinks = Sinks(self._file, clock)

    def status(self) -> Status:
        """Return whether the file is readable, and its size."""
        try:
            digest = self.digest()
            waiting = {name: self.sinks.waiting(name) for name in self.sinks.names()}
        except Unavailable as error:
            return Status(self.name, is_available=False, detail=error.message, mend="delete the file")
        facts = {"path": str(self._file.path), "nodes": digest.nodes, "edges": digest.edges}
        detail = f"{digest.nodes:,} nodes, {digest.edges:,} edges"
        return Status(self.name, is_available=True, detail=detail, facts=facts | {"waiting": waiting})

    def close(self) -> None:
        """Close the file; closing twice is allowed."""
        self._file.close()

    # Questions.

    def fetch(self, uids: Sequence[str], view: GraphView = EVERYTHING) -> list[Node]:
        """Return the visible nodes with these ids, without duplicates, in the order given."""
        where = Where()
        where.add("n.uid IN (SELECT value FROM json_each(?))", encode_list(uids))
        where.shows("n", view)
        found = {node.uid: node for node in self._nodes(where)}
        return [found[uid] for uid in dict.fromkeys(uids) if uid in found]

    def find(
        self,
        types: Sequence[str] = (),
        where: Sequence[NodeCondition] = (),
        view: GraphView = EVERYTHING,
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
        with self._file.reading() as connection:
            for row in connection.execute(_nodes_sql(narrowed, "ORDER BY n.uid"), narrowed.values):
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
        view: GraphView = EVERYTHING,
    ) -> list[GraphStep]:
        """Return every edge between these nodes and others if both are visible.

        By origin, edge type, uid of the other end and of the edge; an edge from a node to itself is one step.
        """
        steps = list[GraphStep]()
        if direction != "in":
            steps += self._steps("start", uids, types, view)
        if direction != "out":
            back = self._steps("end", uids, types, view)
            steps += [step for step in back if direction == "in" or step.edge.start != step.edge.end]
        return sorted(steps, key=lambda step: (step.origin, step.edge.type, step.node.uid, step.edge.uid))

    def links(
        self,
        uids: Sequence[str],
        direction: Literal["out", "in"],
        types: Sequence[str] = (),
        view: GraphView = EVERYTHING,
    ) -> list[tuple[str, str, str]]:
        """Return origin, type and other end of the results of `expand`, for callers who need no bodies."""
        near = "start" if direction == "out" else "end"
        return self._walk_edges(near, "near.uid, e.type, far.uid", uids, types, view)

    def search(
        self, text: str, types: Sequence[str] = (), view: GraphView = EVERYTHING, *, limit: int = 20
    ) -> list[Scored]:
        """Return the nodes with a word of `text` in name or text, best first; stop words count only if all are."""
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
        with self._file.reading() as connection:
            found = connection.execute(sql, [*where.values, limit]).fetchall()
        return [Scored(node_of(row[:NODE_WIDTH]), row[NODE_WIDTH]) for row in found]

    def aggregate(self, types: Sequence[str] = ()) -> list[EdgeGroup]:
        """Return the number of edges of each kind, by type of start, edge and end."""
        where = Where()
        where.add("start_type != '' AND end_type != ''")
        where.among("type", types)
        sql = (
            "SELECT start_type, type, end_type, count(*), avg(weight) FROM edges INDEXED BY edges_by_kind "  # noqa: S608  # constants
            f"WHERE {where} GROUP BY start_type, type, end_type"
        )
        with self._file.reading() as connection:
            return [EdgeGroup(*row) for row in connection.execute(sql, where.values)]

    def kinds(self) -> dict[str, int]:
        """Return the number of nodes of each type."""
        sql = "SELECT type, count(*) FROM nodes WHERE type != '' GROUP BY type ORDER BY type"
        with self._file.reading() as connection:
            return {str(kind): int(number) for kind, number in connection.execute(sql)}

    def digest(self) -> Digest:
        """Return a digest that is equal for equal content; an edge counts once both its ends exist."""
        with self._file.reading() as connection:
            return digest_of(*connection.execute(_DIGEST).fetchone())

    # Writing.

    def forget(self) -> None:
        """Delete everything from sources of truth, so that it is read again; copies are updated."""
        with self._file.reading() as connection:
            sources = [str(source) for (source,) in connection.execute("SELECT source FROM cursors ORDER BY source")]
        for source in sources:
            while self.replace(source, {}, cursor="", seen=self.cursor(source), whole=True) is None:
                pass  # another process moved the cursor meanwhile

    def cursor(self, source: str) -> str:
        """Return the graph's position in `source`; "" is the start."""
        with self._file.reading() as connection:
            found = connection.execute("SELECT cursor FROM cursors WHERE source = ?", (source,)).fetchone()
            return str(found[0]) if found else ""

    def replace(
        self, source: str, parts: Mapping[str, GraphPart | None], *, cursor: str, seen: str, whole: bool = False
    ) -> int | None:
        """Store the current parts of `source` by place, and move its cursor from `seen` to `cursor`; all or nothing.

        A place with None, and with `whole` every place not named, is emptied. Returns how many nodes and edges changed;
        None, without writing, if another process has moved the cursor from `seen`. If two places give the same uid the
        last one wins, and it is removed only when that place stops giving it.
        """
        with self._writing() as changes:
            if self.cursor(source) != seen:
                return None
            revision = self._next_revision()
            given = ((owner_of(source, place), part) for place, part in parts.items() if part)
            for kind, news in merge_parts(given, revision).items():
                leaving = changes.list_owned_uids(kind, source, None if whole else parts) - news.keys()
                self._put(changes, kind, news)
                changes.remove(kind, changes.held(kind, leaving), revision)
            self._file.connection.execute("REPLACE INTO cursors VALUES (?, ?)", (source, cursor))
            changes.finish()
            return len(changes.marks)

    def apply(self, batch: GraphBatch) -> int:
        """Apply the newer changes and return their number; all or nothing."""
        with self._writing() as changes:
            for kind, news in merge_parts([(owner_of(""), GraphPart(batch.nodes, batch.edges))]).items():
                self._apply(changes, kind, news, batch.gone)
            changes.finish()
            return len(changes.marks)

    def outbid(self, revision: int, sink: str) -> None:
        """Make all content newer than `revision`, and deliver it to `sink` again."""
        with self._writing():
            newer = max(self._next_revision(), revision + 1)
            for kind in ("nodes", "edges"):
                self._file.connection.execute(f"UPDATE {kind} SET revision = ? WHERE type != ''", (newer,))  # noqa: S608  # one of two
            self._file.connection.execute("UPDATE totals SET revision = ?", (newer,))
            self.sinks.mark_rows(sink)

    def revisions(self, kind: Kind, uids: Sequence[str]) -> dict[str, int]:
        """Return the revisions of those of these nodes or edges that exist, by uid."""
        with self._file.reading() as connection:
            held = GraphChanges(connection).held(kind, uids)
        return {uid: was.revision for uid, was in held.items() if was.type}

    def _nodes(self, where: Where) -> list[Node]:
        with self._file.reading() as connection:
            return [node_of(row) for row in connection.execute(_nodes_sql(where), where.values)]

    def _steps(self, near: str, uids: Sequence[str], types: Sequence[str], view: GraphView) -> list[GraphStep]:
        start, end = ("near", "far") if near == "start" else ("far", "near")
        columns = f"near.uid, {edge_columns('e', start, end)}, {node_columns('far')}"
        found = self._walk_edges(near, columns, uids, types, view)
        nodes = {row[EDGE_WIDTH + 1]: row for row in found}  # many edges lead to the same node, which is decoded once
        ends = {uid: node_of(row[EDGE_WIDTH + 1 :]) for uid, row in nodes.items()}
        return [GraphStep(row[0], edge_of(row[1 : EDGE_WIDTH + 1]), ends[row[EDGE_WIDTH + 1]]) for row in found]

    def _walk_edges(
        self, near: str, columns: str, uids: Sequence[str], types: Sequence[str], view: GraphView
    ) -> list[Any]:
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
        with self._file.reading() as connection:
            return connection.execute(sql, [encode_list(set(uids)), *where.values]).fetchall()

    def _put(self, changes: GraphChanges, kind: Kind, news: Mapping[str, GivenRow]) -> None:
        held = changes.held(kind, news)
        same = {uid for uid, was in held.items() if news[uid].is_content_of(was)}
        changes.move(kind, [news[uid] for uid in same if news[uid].owner != held[uid].owner])
        changes.put(kind, [one for uid, one in news.items() if uid not in same], held)

    def _apply(self, changes: GraphChanges, kind: Kind, news: Mapping[str, GivenRow], gone: Sequence[Gone]) -> None:
        leaving = {one.uid: one.revision for one in gone if one.kind == kind}
        held = changes.held(kind, [*news, *leaving])
        last = changes.removed(kind, [*news, *leaving]) | {uid: was.revision for uid, was in held.items() if was.type}
        changes.put(kind, [one for uid, one in news.items() if one.revision > last.get(uid, -1)], held)
        for uid, revision in leaving.items():
            if revision > last.get(uid, -1):
                changes.note_removed(kind, uid, revision)
                changes.remove(kind, {uid: held[uid]} if uid in held and held[uid].type else {}, revision)

    def _next_revision(self) -> int:
        last = int(self._file.connection.execute("SELECT revision FROM totals").fetchone()[0])
        return max(last + 1, int(self._clock().timestamp() * 1_000_000))

    @contextmanager
    def _writing(self) -> Iterator[GraphChanges]:
        with self._file.writing() as connection:
            changes = GraphChanges(connection)
            yield changes
            self.sinks.mark([*changes.news()])


def _nodes_sql(where: Where, order: str = "") -> str:
    return f"SELECT {node_columns('n')} FROM nodes n WHERE {where} {order}"  # noqa: S608  # constants
