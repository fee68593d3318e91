"""The presence file of a live workspace: it lets other processes see the run and ask it to stop."""

import getpass
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from mabos.configs.errors import Unavailable
from mabos.workspace.atomic import write_atomic
from mabos.workspace.locks import try_lock
from mabos.workspace.names import Layout


@dataclass(frozen=True, slots=True)
class LivePresence:
    """The process that runs a workspace live: its host, user, starter, and start time (ISO 8601)."""

    pid: int
    host: str
    user: str
    by: str
    since: str

    @property
    def run(self) -> str:
        """The identifier of this run."""
        return f"{self.host} {self.pid} {self.since}"


def live_lock(layout: Layout) -> Path:
    """Return the lock of the process that runs the workspace live."""
    return layout.internal / "locks" / "live.lock"


@contextmanager
def announce(layout: Layout, by: str, since: str) -> Iterator[LivePresence]:
    """Announce the live run for the duration of the block; the caller holds `live_lock`.

    A full disk does not stop a company; then there is no presence file.
    """
    here = LivePresence(os.getpid(), socket.gethostname(), _user(), by, since)
    with suppress(OSError, Unavailable):
        _stop(layout).unlink(missing_ok=True)
        write_atomic(_presence_file(layout), json.dumps(asdict(here)).encode())
    try:
        yield here
    finally:
        for path in (_presence_file(layout), _stop(layout)):
            with suppress(OSError):
                path.unlink(missing_ok=True)


def presence(layout: Layout) -> LivePresence | None:
    """Return the process that runs the workspace live, or None; a killed process does not count."""
    try:
        found = LivePresence(**json.loads(_presence_file(layout).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
    with try_lock(live_lock(layout)) as is_free:
        if not is_free:
            return found
        with suppress(OSError):
            _presence_file(layout).unlink(missing_ok=True)
    return None


def ask_to_stop(layout: Layout, present: LivePresence) -> None:
    """Ask a run to end every cycle at its next phase, wherever it runs; later runs are unaffected."""
    write_atomic(_stop(layout), present.run.encode())


def is_asked_to_stop(layout: Layout, present: LivePresence) -> bool:
    """Return whether this run was asked to stop."""
    try:
        return _stop(layout).read_text("utf-8") == present.run
    except (OSError, ValueError):
        return False


def _presence_file(layout: Layout) -> Path:
    return layout.internal / "live.json"


def _stop(layout: Layout) -> Path:
    return layout.internal / "live.stop"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in a container
        return str(os.getuid())
