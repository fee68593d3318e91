"""A business's graph in one SQLite file: it follows the files of truth, can be deleted, and answers without a server.

`replace` takes what a source of truth gives, with the cursor up to which that is true, in one transaction: a process
may die anywhere, and of two that read the same news one writes. Copies elsewhere register as sinks and work off what
waits for them.

    graph = EmbeddedGraph(path)
    graph.replace("facts/cfo", {"facts/F-1": Part(nodes, edges)}, cursor="1:8", seen="")
    graph.expand(["company:acme"], "out", ["owns"])
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from mabos.backends.graph.changes import Changes, Given, owner_of, wanted
from mabos.backends.graph.model import Batch, Gone, Part
from mabos.backends.graph.reading import GraphFile
from mabos.backends.graph.sinks import Leased, Sinks, Waiting
from mabos.backends.graph.tables import Kind
from mabos.backends.graph.tier import Status
from mabos.configs.errors import Unavailable
from mabos.workspace.clock import Clock, system_clock
from mabos.workspace.index_file import transaction

__all__ = ["EmbeddedGraph", "Leased", "Waiting"]

_LEASE = 30.0  # seconds


class EmbeddedGraph(GraphFile):
    """The graph of one business; threads share one object, processes each open their own."""

    name = "embedded"

    def __init__(self, path: Path, *, clock: Clock = system_clock) -> None:
        super().__init__(path)
        self._clock = clock
        self._sinks = Sinks(self._connection, clock)

    def status(self) -> Status:
        """Return whether the file can be read, and how much it holds."""
        try:
            digest = self.digest()
            waiting = {name: self.waiting(name) for name in self.sinks}
        except Unavailable as error:
            return Status(self.name, is_available=False, detail=error.message, mend="delete the file")
        facts = {"path": str(self._path), "nodes": digest.nodes, "edges": digest.edges}
        detail = f"{digest.nodes:,} nodes, {digest.edges:,} edges"
        return Status(self.name, is_available=True, detail=detail, facts=facts | {"waiting": waiting})

    # Writing.

    def forget(self) -> None:
        """Let go of all that sources of truth gave, so that they are read anew; copies are told."""
        with self._answering():
            sources = [
                str(source) for (source,) in self._connection.execute("SELECT source FROM cursors ORDER BY source")
            ]
        for source in sources:
            while self.replace(source, {}, cursor="", seen=self.cursor(source), whole=True) is None:
                pass  # another process moved the cursor meanwhile

    def cursor(self, source: str) -> str:
        """Return up to where the graph holds what `source` gives; "" is nothing yet."""
        with self._answering():
            found = self._connection.execute("SELECT cursor FROM cursors WHERE source = ?", (source,)).fetchone()
            return str(found[0]) if found else ""

    def replace(
        self, source: str, parts: Mapping[str, Part | None], *, cursor: str, seen: str, whole: bool = False
    ) -> int | None:
        """Take in what each place of `source` gives now, and move its cursor from `seen` to `cursor`; all or nothing.

        A place with None, and with `whole` every place not named, gives nothing any more. Returns how many nodes and
        edges changed; None, and nothing is written, if the cursor is not at `seen`: another process was here.
        Where two places give the same uid the last one wins, and only when that one stops giving it, it goes.
        """
        with self._writing() as changes:
            if self.cursor(source) != seen:
                return None
            revision = self._next_revision()
            given = ((owner_of(source, place), part) for place, part in parts.items() if part)
            for kind, news in wanted(given, revision).items():
                leaving = changes.owned(kind, source, None if whole else parts) - news.keys()
                self._put(changes, kind, news)
                changes.remove(kind, changes.held(kind, leaving), revision)
            self._connection.execute("REPLACE INTO cursors VALUES (?, ?)", (source, cursor))
            changes.finish()
            return len(changes.marks)

    def apply(self, batch: Batch) -> int:
        """Take in what is newer than what is there, and return how much was; all of it or nothing."""
        with self._writing() as changes:
            for kind, news in wanted([(owner_of(""), Part(batch.nodes, batch.edges))]).items():
                self._apply(changes, kind, news, batch.gone)
            changes.finish()
            return len(changes.marks)

    def _put(self, changes: Changes, kind: Kind, news: Mapping[str, Given]) -> None:
        held = changes.held(kind, news)
        same = {uid for uid, was in held.items() if news[uid].is_content_of(was)}
        changes.move(kind, [news[uid] for uid in same if news[uid].owner != held[uid].owner])
        changes.put(kind, [one for uid, one in news.items() if uid not in same], held)

    def _apply(self, changes: Changes, kind: Kind, news: Mapping[str, Given], gone: Sequence[Gone]) -> None:
        leaving = {one.uid: one.revision for one in gone if one.kind == kind}
        held = changes.held(kind, [*news, *leaving])
        last = changes.removed(kind, [*news, *leaving]) | {uid: was.revision for uid, was in held.items() if was.type}
        changes.put(kind, [one for uid, one in news.items() if one.revision > last.get(uid, -1)], held)
        for uid, revision in leaving.items():
            if revision > last.get(uid, -1):
                changes.note_removed(kind, uid, revision)
                changes.remove(kind, {uid: held[uid]} if uid in held and held[uid].type else {}, revision)

    def _next_revision(self) -> int:
        last = int(self._connection.execute("SELECT revision FROM totals").fetchone()[0])
        return max(last + 1, int(self._clock().timestamp() * 1_000_000))

    # Sinks.

    @property
    def sinks(self) -> tuple[str, ...]:
        """The names of those who copy the graph."""
        with self._answering():
            return self._sinks.names()

    def add_sink(self, name: str) -> None:
        """Let `name` copy the graph from now on; a new one lacks everything there is."""
        with self._writing():
            self._sinks.add(name)

    def remove_sink(self, name: str) -> None:
        """Forget `name` and what waits for it."""
        with self._writing():
            self._sinks.remove(name)

    def mark_all(self, sink: str) -> None:
        """Let everything there is be delivered again, where a copy turned out to hold something else."""
        with self._writing():
            self._sinks.mark_all(sink)

    def outbid(self, revision: int, sink: str) -> None:
        """Make everything there is newer than `revision`, and have it delivered to `sink` once more."""
        with self._writing():
            newer = max(self._next_revision(), revision + 1)
            for kind in ("nodes", "edges"):
                self._connection.execute(f"UPDATE {kind} SET revision = ? WHERE type != ''", (newer,))  # noqa: S608  # one of two
            self._connection.execute("UPDATE totals SET revision = ?", (newer,))
            self._sinks.mark_all(sink)

    def revisions(self, kind: Kind, uids: Sequence[str]) -> dict[str, int]:
        """Return the revisions of those of these nodes or edges that are there, by uid."""
        with self._answering():
            held = Changes(self._connection).held(kind, uids)
        return {uid: was.revision for uid, was in held.items() if was.type}

    def dirty(self, sink: str, limit: int = 500, *, lease: float = _LEASE) -> Leased:
        """Return what `sink` lacks, nodes before edges, as it is now, and keep it from others for `lease` seconds."""
        with self._writing():
            return self._sinks.lease(sink, limit, lease)

    def done(self, leased: Leased) -> None:
        """Say that this was delivered; what changed meanwhile still waits."""
        with self._writing():
            self._sinks.done(leased)

    def failed(self, leased: Leased, error: str, *, is_rejected: bool) -> None:
        """Say that this was not delivered: it comes again after a growing pause.

        What the sink `is_rejected` eight times is dead until `revive`; a sink out of reach never makes anything dead.
        """
        with self._writing():
            self._sinks.failed(leased, error, is_rejected=is_rejected)

    def dead(self, sink: str) -> tuple[Waiting, ...]:
        """Return what was given up, with the last error."""
        with self._answering():
            return self._sinks.dead(sink)

    def revive(self, sink: str) -> int:
        """Let everything be tried again at once, the dead too; returns how many were dead."""
        with self._writing():
            return self._sinks.revive(sink)

    def waiting(self, sink: str) -> tuple[int, int]:
        """Return how much waits for `sink`, and how much of that is dead."""
        with self._answering():
            return self._sinks.waiting(sink)

    @contextmanager
    def _writing(self) -> Iterator[Changes]:
        with self._answering(), transaction(self._connection):
            changes = Changes(self._connection)
            yield changes
            self._sinks.mark(changes.marks)
