"""Retry an interrupted call on the memory as it was before: the result is the same, and is written once.

Most changes cannot be made twice: an ended record cannot end again, a forgotten one cannot be found. So lines carry the
`call` that wrote them, and a repeated call sees a memory without its own lines.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from weakref import finalize

from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.configs.errors import Unavailable
from mabos.knowledge.entities.fold import MemoryState
from mabos.knowledge.entities.lines import ArchiveLine, Line, RestoreLine, body, decode_line
from mabos.knowledge.entities.log import Log
from mabos.knowledge.entities.store import EntityStore
from mabos.workspace.sync import Sync


def call_name(key: str) -> str:
    """Return the mark of the lines written by a call with this effect key; "" for a call without."""
    return blake2b(key.encode(), digest_size=6).hexdigest() if key else ""


def resume_store(store: EntityStore, call: str) -> EntityStore:
    """Return the memory as an interrupted call saw it; the memory itself if that call wrote nothing."""
    own = [line for line in store.lines() if line.call == call]
    return _Repeated(store, own) if own else store


class _Repeated(EntityStore):
    """A copy without the lines of one call; writes go here, and to the real memory if missing there."""

    def __init__(self, real: EntityStore, own: Sequence[Line]) -> None:
        folder = Path(mkdtemp(prefix="mabos-"))
        graph = EmbeddedGraph(folder / "graph.sqlite", clock=real.clock)
        finalize(self, _remove_copy, graph, folder)
        path = folder / real.path.name
        super().__init__(
            path, graph, business=real.business, derived=folder, clock=real.clock, sync=Sync("off")
        )  # without an embedder: no write asks for meanings
        self._real = real
        self._there = {body(line) for line in own}
        _as_before(real, self, own)
        self.update()

    def commit(self, decide: Callable[[MemoryState], Sequence[Line]]) -> None:
        """Append the lines of `decide` here, and the missing ones to the real memory."""
        said: list[Line] = []

        def record_lines(state: MemoryState) -> Sequence[Line]:
            said[:] = decide(state)
            return said

        super().commit(record_lines)
        missing = [line for line in said if body(line) not in self._there]
        self._real.commit(lambda _: missing)

    def into_archive(self, decide: Callable[[MemoryState], Sequence[Line]]) -> None:
        """Do so here; finish the interrupted move there."""
        super().into_archive(decide)
        self._real.into_archive(lambda _: ())

    def out_of_archive(self, entity_id: str, line: Line) -> None:
        """Do so here; finish the interrupted move there."""
        super().out_of_archive(entity_id, line)
        with suppress(Unavailable):
            self._real.archive.take_out({entity_id})


def _as_before(real: EntityStore, copy: EntityStore, own: Sequence[Line]) -> None:
    """Fill a copy with the memory as it was before a call wrote its own lines, and moved others."""
    archived = {line.entity_id for line in own if isinstance(line, ArchiveLine)}
    restored = {line.entity_id for line in own if isinstance(line, RestoreLine)}
    log, archive = Log(real.path, Sync("off")), Log(real.archive.path, Sync("off"))
    mine = {line.op for line in own}
    stays = [raw for raw in log.raw_lines() if _op(raw) not in mine]
    back, gone = archive.copies(archived), log.copies(restored)
    there = Log(copy.path, Sync("off"))
    there.add_raw([*back, *(raw for raw in stays if raw not in set(gone))])
    copy.archive.add_raw([*(raw for raw in archive.raw_lines() if raw not in set(back)), *gone])


def _op(raw: bytes) -> str:
    try:
        return decode_line(raw.strip()).op
    except ValueError:  # it is reported where it stands
        return ""


def _remove_copy(graph: EmbeddedGraph, folder: Path) -> None:
    graph.close()
    rmtree(folder, ignore_errors=True)
