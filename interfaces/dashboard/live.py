"""Start and stop of the live company from a page: a separate process that ends with the dashboard."""

import subprocess
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Thread
from time import monotonic, sleep
from typing import IO, TYPE_CHECKING, Final

from mabos.configs.errors import Refused, Unavailable
from mabos.graphs.live.presence import LivePresence, ask_to_stop, is_asked_to_stop, presence

if TYPE_CHECKING:
    from mabos.workspace.names import Layout

START_S: Final = 30.0
"""Seconds that a start waits for the company to run."""
STOP_S: Final = 20.0
"""Seconds that a page waits for the company to stop; it goes on stopping after that."""
_LOOK_S: Final = 0.05
_LINES: Final = 12


@dataclass(frozen=True, slots=True)
class LiveState:
    """The live company's state: its process, if it runs, and a pending stop; `can_start` if a page may start it.

    `fault` says why the last one started by this dashboard ended by itself.
    """

    present: LivePresence | None
    is_ours: bool
    is_stopping: bool
    can_start: bool
    fault: str


class LiveControl:
    """A controller that runs `mabos live` on one workspace for a dashboard."""

    def __init__(self, root: Path) -> None:
        self._command = [sys.executable, "-m", "mabos", "--workspace", str(root), "live", "--for-dashboard"]
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._said: deque[str] = deque(maxlen=_LINES)

    @property
    def pid(self) -> int:
        """The process id that this dashboard runs; 0 if there is none."""
        return self._process.pid if self._process is not None and self._process.poll() is None else 0

    @property
    def fault(self) -> str:
        """The last line of the last process's output, if it failed."""
        if self._process is None or self._process.poll() in (None, 0):
            return ""
        return next((one for one in reversed(self._said) if one), f"it ended with code {self._process.returncode}")

    def start(self, layout: "Layout") -> None:
        """Start the company, and return when it runs; raises `Refused` if it already runs, `Unavailable` on failure."""
        with self._lock:
            if (found := presence(layout)) is not None:
                raise Refused(f"The company is already running, started by {found.by} on {found.host}.")
            self._wait(lambda: not self.pid)  # one that was stopped is still closing its files
            self._launch()
            self._wait(lambda: presence(layout) is not None or not self.pid)
            if not self.pid:
                raise Unavailable(f"The company did not start: {self.fault or 'it ended at once'}")

    def close(self) -> None:
        """Stop the company that this dashboard started: every cycle ends at its next phase."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(2 * START_S)
        except subprocess.TimeoutExpired:  # a model does not answer; files of truth survive this
            process.kill()
            process.wait()

    def _wait(self, happens: Callable[[], bool]) -> None:
        ends = monotonic() + START_S
        while not happens() and monotonic() < ends:
            sleep(_LOOK_S)

    def _launch(self) -> None:
        self._said.clear()
        self._process = subprocess.Popen(  # noqa: S603 - this program, on this workspace
            self._command,
            stdin=subprocess.PIPE,  # closes when this process ends, however it ends
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        Thread(target=self._listen, args=(self._process.stderr,), daemon=True).start()

    def _listen(self, said: IO[bytes]) -> None:
        for line in said:
            self._said.append(line.decode("utf-8", "replace").strip())


def stop(layout: "Layout") -> None:
    """Ask the company to stop, in any process, and return when it has stopped, or after `STOP_S` seconds."""
    present = presence(layout)
    if present is None:
        raise Refused("The company is not running.")
    ask_to_stop(layout, present)
    ends = monotonic() + STOP_S
    while presence(layout) == present and monotonic() < ends:
        sleep(_LOOK_S)


def live_state(layout: "Layout", control: LiveControl | None) -> LiveState:
    """Return the current state of the company."""
    present = presence(layout)
    is_ours = present is not None and control is not None and present.pid == control.pid
    is_stopping = present is not None and is_asked_to_stop(layout, present)
    fault = control.fault if control is not None and present is None else ""
    return LiveState(present, is_ours, is_stopping, control is not None, fault)
