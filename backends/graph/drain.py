"""Replication to a copy of a graph: pending changes are delivered in the background, once the copy is reachable.

    drainer = Drainer(embedded, Neo4jGraph("acme", bolt), lambda: schema.statements)
    drainer.start()                  # from now on the copy follows
    drainer.flush(10)                # wait for it, as tests and commands do

A copy that has lost its schema, or differs at the start, is synchronised in full. Everything is delivered again, and
rows that only the copy holds are removed. If it differs even then, our revisions are raised above all of its own. A
batch that the copy refuses is halved until the row at fault is isolated.
"""

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Event, Lock, Thread
from typing import Literal, Protocol

from mabos.backends.graph.cypher import CypherStatement, Kept
from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.graph.model import Digest, Gone, GraphBatch
from mabos.backends.graph.sinks import Leased
from mabos.configs.errors import MabosError, Unavailable

LOG = logging.getLogger(__name__)
_ROWS = 1000
_IDLE_S, _LOOK_S = 1.0, 0.05
_LAST_WAIT_S = 5.0
_MOST_RESYNCS = 2


class Copy(Protocol):
    """The copy to replicate to."""

    @property
    def name(self) -> str:
        """The name of its sink."""

    def ensure_schema(self, statements: Sequence[CypherStatement] = ()) -> bool:
        """Create or update the schema; return whether anything changed."""

    def apply(self, batch: GraphBatch) -> int:
        """Apply the newer changes and return how many there were; all or nothing."""

    def kept(self, kind: Literal["node", "edge"]) -> Iterator[Sequence[Kept]]:
        """Yield the entries of the copy, in pages."""

    def digest(self) -> Digest:
        """Return a digest to compare with the graph's."""


class Drainer:
    """A worker that feeds one copy from one graph; processes share the work.

    `statements` gives additions to the copy's schema, and `update` brings the graph up to date; on its own thread a
    drainer does that before it looks for pending rows.
    """

    def __init__(
        self,
        graph: EmbeddedGraph,
        copy: Copy,
        statements: Callable[[], Sequence[CypherStatement]] = tuple,
        *,
        update: Callable[[], object] = bool,
        clock: Callable[[], float] = time.monotonic,
        rows: int = _ROWS,
    ) -> None:
        self._graph = graph
        self._copy = copy
        self._statements = statements
        self._clock = clock
        self._update = update
        self._rows = rows
        self._guard = Lock()
        self._closed = Event()
        self._thread: Thread | None = None
        self._is_compared = False
        self._resyncs = 0
        self._error = ""
        self._logged = set[type[Exception]]()
        graph.sinks.add(copy.name)

    @property
    def error(self) -> str:
        """The reason why deliveries currently fail; empty while they succeed."""
        return self._error

    def drain_once(self) -> int:
        """Deliver one batch of due rows, and return how many were delivered; 0 also if the copy is unreachable."""
        with self._guard:
            try:
                delivered = self._round()
            except MabosError as error:
                self._error = error.message
                return 0
            self._error = ""
            return delivered

    def doubt(self) -> None:
        """Require a new comparison before the copy counts as equal."""
        with self._guard:
            self._is_compared, self._resyncs = False, 0

    def flush(self, timeout: float) -> bool:
        """Deliver until nothing deliverable is pending; return whether that was reached within `timeout` seconds."""
        until = self._clock() + timeout
        while self._lacking() or not self._is_compared:
            delivered = self.drain_once()
            if self._clock() >= until:
                return self._is_compared and not self._lacking()
            if not delivered:
                self._closed.wait(_LOOK_S)
        return True

    def start(self) -> None:
        """Start delivering on a thread of its own."""
        self._thread = Thread(target=self._drain, name=f"drain {self._copy.name}", daemon=True)
        self._thread.start()

    def close(self, wait_s: float = _LAST_WAIT_S) -> bool:
        """Stop delivering, and return whether the thread has ended; pending rows are kept.

        Waits up to `wait_s` seconds for work in progress.
        """
        self._closed.set()
        if self._thread is None:
            return True
        self._thread.join(wait_s)
        return not self._thread.is_alive()

    def _drain(self) -> None:
        while not self._closed.is_set():
            self._run_guarded(self._update)
            if not self._run_guarded(self.drain_once):
                self._closed.wait(_IDLE_S)

    def _run_guarded(self, work: Callable[[], object]) -> object:
        """Return the result of `work`, or None: if the thread ended here, the copy would silently stay behind."""
        try:
            return work()
        except MabosError:  # a file that cannot be read is told by whoever asks for what is in it
            return None
        except Exception as error:  # whatever it is, the next round may go well
            self._error = f"{type(error).__name__}: {error}"
            if type(error) not in self._logged:  # it is tried again every second, and each kind of fault told once
                self._logged.add(type(error))
                LOG.exception("a copy of a graph is not fed")
            return None

    def _lacking(self) -> int:
        waiting, dead = self._graph.sinks.waiting(self._copy.name)
        return waiting - dead

    def _round(self) -> int:
        if self._is_compared and not self._lacking():
            return 0
        # This also tells at once, before anything is taken, who is out of reach.
        if self._copy.ensure_schema(self._statements()):
            self._resync()
        leased = self._graph.sinks.lease(self._copy.name, self._rows)
        if leased.rows:
            return self._deliver(leased)
        self._compare()
        return 0

    def _deliver(self, leased: Leased) -> int:
        try:
            self._copy.apply(leased.batch)
        except Unavailable as error:
            self._graph.sinks.failed(leased, error.message, is_rejected=False)
            raise
        except Exception as error:  # noqa: BLE001  # whatever one row does to the copy, the others shall arrive
            if len(leased.rows) == 1:
                self._graph.sinks.failed(leased, str(error), is_rejected=True)
                return 0
            middle = len(leased.rows) // 2
            return sum(
                self._deliver(replace(leased, rows=some)) for some in (leased.rows[:middle], leased.rows[middle:])
            )
        self._graph.sinks.done(leased)
        return len(leased.rows)

    def _compare(self) -> None:
        """At the start, once nothing waits: a copy that still differs was changed by others, and is gone through."""
        if self._is_compared or self._lacking():
            return
        ours, theirs = self._graph.digest(), self._copy.digest()
        if self._lacking() or self._graph.digest() != ours:
            return  # something was written while we looked
        refused = self._graph.sinks.dead(self._copy.name)  # which it lacks, and nothing is to be done about that here
        if ours == theirs or refused or self._resyncs == _MOST_RESYNCS:
            self._is_compared = True
            return
        newest = self._resync()
        if self._resyncs:  # what others wrote is newer than what we have, and stands until ours is newer again
            self._graph.outbid(newest, self._copy.name)
        self._resyncs += 1

    def _resync(self) -> int:
        """Deliver everything again and remove rows that only the copy has; return the newest revision there."""
        newest = 0
        self._graph.sinks.mark_all(self._copy.name)
        kinds: tuple[Literal["edge"], Literal["node"]] = ("edge", "node")
        for kind in kinds:
            for page in self._copy.kept(kind):
                newest = max([newest, *(one.revision for one in page)])
                there = self._graph.revisions(kind, [one.uid for one in page])
                gone = [Gone(one.uid, kind, one.revision + 1) for one in page if one.uid not in there]
                self._copy.apply(GraphBatch(gone=gone))
        return newest
