"""Number and time of the accesses to each entity: in memory, flushed at times, never part of the truth.

Deleting the file loses no knowledge; ranking then starts counting again.
"""

from contextlib import suppress
from pathlib import Path
from threading import Lock

import orjson

from mabos.configs.errors import Damaged
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import Clock, iso
from mabos.workspace.locks import file_lock
from mabos.workspace.regular import content

_BATCH = 64  # looks that may wait in memory, and are lost if the process is killed

Access = tuple[int, str]
"""The number of accesses, and the time of the last."""

NEVER: Access = (0, "")


class Accesses:
    """The counts of one memory, shared by processes through one file."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._guard = Lock()
        self._written: dict[str, Access] = {}
        self._waiting: dict[str, Access] = {}
        self._seen: tuple[int, int] | None = None

    def count(self, entity_ids: list[str]) -> None:
        """Count one access to each of these."""
        now = iso(self._clock())
        with self._guard:
            for one in entity_ids:
                self._waiting[one] = (self._waiting.get(one, NEVER)[0] + 1, now)
            if sum(count for count, _ in self._waiting.values()) >= _BATCH:
                self._flush()

    def of(self, entity_id: str) -> Access:
        """Return the number of accesses to an entity, and the time of the last; "" means never."""
        with self._guard:
            self._look()
            return _sum(self._written.get(entity_id, NEVER), self._waiting.get(entity_id, NEVER))

    def recent(self) -> list[str]:
        """Return the accessed entities, the latest first."""
        with self._guard:
            self._look()
            last = {one: self._written.get(one, NEVER)[1] for one in self._written}
            last |= {one: at for one, (_, at) in self._waiting.items()}
        return sorted(last, key=lambda one: (last[one], one), reverse=True)

    def flush(self) -> None:
        """Write the pending counts."""
        with self._guard:
            self._flush()

    def _flush(self) -> None:
        if not self._waiting:
            return
        with suppress(OSError), file_lock(self._path.with_suffix(".lock")):  # where nothing may be written, none is
            self._look()
            for one, waiting in self._waiting.items():
                self._written[one] = _sum(self._written.get(one, NEVER), waiting)
            write_atomic(self._path, orjson.dumps(self._written), durable=False)
            self._waiting = {}

    def _look(self) -> None:
        try:
            found = self._path.stat()
        except FileNotFoundError:
            self._written, self._seen = {}, None
            return
        if (found.st_ino, found.st_mtime_ns) == self._seen:
            return
        self._written = {}
        # A damaged file is as good as none.
        with suppress(OSError, Damaged, ValueError, AttributeError, TypeError, OverflowError):
            raw = orjson.loads(content(self._path))
            self._written = {one: (int(count), str(at)) for one, (count, at) in raw.items()}
        self._seen = (found.st_ino, found.st_mtime_ns)


def _sum(one: Access, other: Access) -> Access:
    return one[0] + other[0], max(one[1], other[1])
