"""The open entity memory of one business: the log, its state, and the graph that follows it.

A writer holds one lock, over all processes: it reads the lines of others, decides, appends, and updates the graph. A
reader asks the graph, after one stat shows that the log is unchanged; the log is read in full only for a write, or if
the graph is behind.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from threading import RLock
from typing import Literal, Protocol

from mabos.backends.embed import Embedder, NoEmbedder
from mabos.backends.graph.model import EVERYTHING, GraphPart, GraphView
from mabos.backends.graph.tier import GraphTier
from mabos.backends.vectors import Vectors
from mabos.configs.errors import InvalidArgument, Unavailable, file_refused
from mabos.knowledge.entities.accesses import Accesses
from mabos.knowledge.entities.fold import MemoryState, Touched
from mabos.knowledge.entities.lines import ArchiveLine, Line, spoken_of, stamp_line
from mabos.knowledge.entities.log import Log, LogProblem
from mabos.knowledge.entities.meaning import EntityVectors
from mabos.knowledge.entities.model import Entity
from mabos.knowledge.entities.parts import part
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import Clock, iso, parse_time
from mabos.workspace.locks import file_lock
from mabos.workspace.sync import Sync

SOURCE = "entities"
_FORM = "1"
"""The version of the form that `parts` gives; a graph with another version is filled again."""


class FollowingGraph(GraphTier, Protocol):
    """A graph that follows truth: the interface of `EmbeddedGraph`."""

    def cursor(self, source: str) -> str:
        """Return the position up to which the graph has followed `source`."""

    def links(
        self,
        uids: Sequence[str],
        direction: Literal["out", "in"],
        types: Sequence[str] = (),
        view: GraphView = EVERYTHING,
    ) -> list[tuple[str, str, str]]:
        """Return origin, type and other end of the edges of `expand`."""

    def replace(
        self, source: str, parts: Mapping[str, GraphPart | None], *, cursor: str, seen: str, whole: bool = False
    ) -> int | None:
        """Replace the part of each place; None if another process was here."""


class _Parts(Mapping[str, GraphPart | None]):
    """The parts of places, each made when it is read, so that only the rows of all of them are held at once."""

    def __init__(self, state: MemoryState, places: Touched) -> None:
        self._state, self._places = state, places

    def __getitem__(self, place: str) -> GraphPart | None:
        return part(self._state, place)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class EntityStore:
    """The entity memory of one business, or of the agents without one; threads share one object.

    `path` is its `graph.jsonl`, `derived` a folder in which its lock and its access counts are named by `business`.
    `vectors` hold the embeddings of the texts by `embedder`.
    """

    def __init__(
        self,
        path: Path,
        graph: FollowingGraph,
        *,
        business: str,
        derived: Path,
        clock: Clock,
        sync: Sync,
        embedder: Embedder | None = None,
        vectors: Vectors | None = None,
    ) -> None:
        self.path = path
        self.archive = Log(path.with_name("graph-archive.jsonl"), sync)
        self.graph = graph
        self.business = business
        self.clock = clock
        self.accesses = Accesses(derived / f"{business or 'workspace'}-accesses.json", clock)
        self.meaning = EntityVectors(embedder or NoEmbedder(), vectors, graph, self._list_touched)
        self._tail = Log(path, sync)
        self._log = Log(path, sync)
        self._sync = sync
        self._derived = derived
        self._lock = derived / f"{business or 'workspace'}.lock"
        self._guard = RLock()
        self._is_locked = False
        self._state: MemoryState | None = None
        self._fresh: object = self  # what the log looked like when the graph was up to date
        self._highest_degree = 0

    @property
    def problems(self) -> tuple[LogProblem, ...]:
        """The lines that cannot be read, in the log and in the archive."""
        with self._guard, self._exclusive(reading=True):
            self._caught_up()
            self.archive.all_again()
            return (*self._log.problems, *self.archive.problems)

    @property
    def highest_degree(self) -> int:
        """The largest number of relations of one entity, as known to the graph."""
        return int(self.graph.cursor(SOURCE).rpartition(" ")[2] or 0)

    def update(self) -> None:
        """Bring the graph up to date with the log; costs one stat if nothing changed."""
        with self._guard:
            if self._is_locked or self._log.signature() == self._fresh:
                return
            with self._exclusive(reading=True):
                if self._state is None:
                    found = self._log.signature()
                    form, _, rest = self.graph.cursor(SOURCE).partition(" ")
                    if form == _FORM and self._log.is_at(rest.partition(" ")[0]):
                        self._fresh = found
                        return
                self._caught_up()

    def commit(self, decide: Callable[[MemoryState], Sequence[Line]]) -> None:
        """Append the lines that `decide` returns for the present state, under the write lock; it may query the graph.

        `decide` is called again if the file is replaced meanwhile, for example by a branch switch. Its errors are
        raised, and nothing is written.
        """
        with self._guard, self._exclusive():
            while True:
                state = self._caught_up()
                lines = list(decide(state))
                if not lines:
                    return
                if self._log.append(self._stamp_lines(lines, state.last)):
                    break
            self._index(state, state.take(lines))

    def read(self) -> MemoryState:
        """Return the state of the log; do not change it."""
        with self._guard, self._exclusive(reading=True):
            return self._caught_up()

    def lines(self) -> list[Line]:
        """Return the operations of the log."""
        with self._guard, self._exclusive(reading=True):
            self._caught_up()
            return Log(self.path, self._sync).news()[0]

    def into_archive(self, decide: Callable[[MemoryState], Sequence[Line]]) -> None:
        """Append the lines of `decide`, and move the lines of the entities that it archives.

        Steps that can fail run before the decisive line; steps after it are completed next time.
        """

        def copy_archived(state: MemoryState) -> Sequence[Line]:
            lines = decide(state)
            self._copy_to_archive({line.entity_id for line in lines if isinstance(line, ArchiveLine)})
            return lines

        with self._guard, self._exclusive():
            self.commit(copy_archived)
            state = self._caught_up()
            gone = state.archived & state.entities.keys()
            if gone:
                with suppress(Unavailable):
                    self._copy_to_archive(gone)
                    self._log.take_out(gone)
                self._caught_up()

    def out_of_archive(self, entity_id: str, line: Line) -> None:
        """Move the lines of an entity back, and append the line that records it."""
        with self._guard, self._exclusive():
            self._log.add_raw(self.archive.copies({entity_id}))
            self.commit(lambda _: [line])
            self._sync.flush()
            with suppress(Unavailable):
                self.archive.take_out({entity_id})

    def in_archive(self) -> list[Entity]:
        """Return the archived entities."""
        with self._guard, self._exclusive(reading=True):
            state = self._caught_up()
            hidden = state.archived
            there = {**MemoryState.of(self.archive.all_again()).entities, **state.entities}
            return [entity for id_, entity in there.items() if id_ in hidden]

    def is_due(self, what: str, days: float) -> bool:
        """Return whether the last time was this many days ago or never; if so, record it as done now."""
        mark, now = self._derived / f"{self.business or 'workspace'}-{what}", self.clock()
        with self._guard, self._exclusive():
            with suppress(OSError, ValueError, InvalidArgument):
                # A mark of a time to come is of a clock that was set back: it must not hold for years.
                if timedelta() <= now - parse_time(mark.read_text("ascii")) < timedelta(days=days):
                    return False
            write_atomic(mark, iso(now), durable=False)
            return True

    def learn(self) -> int:
        """Embed every text without a vector and return their number; may take long."""
        self.update()
        return self.meaning.learn()

    def close(self) -> None:
        """Write the accesses counted so far; the store stays usable."""
        self.accesses.flush()

    def _copy_to_archive(self, entity_ids: set[str]) -> None:
        self.archive.add_raw(self._log.copies(entity_ids))
        self._sync.flush()  # what leaves one file is safe in the other

    def _list_touched(self) -> set[str] | None:
        """Return which nodes the lines since the last time speak of, None for all."""
        if self._tail.is_unchanged:
            return set()
        if not self._tail.goes_on():
            self._tail.skip()
            return None
        found: set[str] = set()
        for line in self._tail.news()[0]:
            if (spoken := spoken_of(line)) is None:
                return None
            found |= spoken
        return found

    def _stamp_lines(self, lines: Sequence[Line], last: str) -> list[bytes]:
        now, raw = int(self.clock().timestamp() * 1000), []
        for line in lines:
            raw.append(stamp_line(line, last, now))
            last = line.op
        return raw

    def _caught_up(self) -> MemoryState:
        """Return the state of the whole log, the graph up to date with it; the lock is held."""
        if self._state is not None and self._log.signature() == self._fresh:
            return self._state
        return self._read_on()

    def _read_on(self) -> MemoryState:
        before = self._log.position
        self._state, touched = self._replay_news()
        at = self.graph.cursor(SOURCE).rpartition(" ")[0]
        if at != self._at(self._log.position):
            self._index(self._state, touched if at == self._at(before) else None)
        self._fresh = self._log.signature() if self._log.is_unchanged else self
        return self._state

    def _replay_news(self) -> tuple[MemoryState, Touched | None]:
        """Return the state after the new lines of the log, and the places they touched; None for all."""
        lines, is_whole = self._log.news()
        if not is_whole and self._state is not None and self._state.follows(lines):
            return self._state, self._state.take(lines)
        return MemoryState.of(lines if is_whole else self._log.all_again()), None

    def _index(self, state: MemoryState, touched: Touched | None) -> None:
        places = state.places() if touched is None else touched
        if touched is None:
            self._highest_degree = 0
        ones = (state.relations.get(place.partition("/")[2]) for place in places)
        degrees = (len(state.related[end]) for one in ones if one for end in (one.from_id, one.to_id))
        self._highest_degree = max([self._highest_degree, *degrees])
        parts = _Parts(state, places)
        cursor = f"{self._at(self._log.position)} {self._highest_degree}"
        seen = self.graph.cursor(SOURCE)
        changed = self.graph.replace(SOURCE, parts, cursor=cursor, seen=seen, whole=touched is None)
        if changed is None:
            self._index(state, None)
        self._fresh = self._log.signature() if self._log.is_unchanged else self

    @staticmethod
    def _at(position: str) -> str:
        return f"{_FORM} {position}"

    @contextmanager
    def _exclusive(self, *, reading: bool = False) -> Iterator[None]:
        if self._is_locked:
            yield
            return
        with ExitStack() as held:
            try:
                held.enter_context(file_lock(self._lock))
            except OSError as error:  # where nothing may be written, reading needs no lock
                if not reading:
                    raise file_refused(error) from error
            self._is_locked = True
            try:
                yield
            finally:
                self._is_locked = False
