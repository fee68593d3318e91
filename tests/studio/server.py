"""A LangGraph server for a block: a process of its own on a free port, awaited as long as it lives."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from scripts.postgres import free_port

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 600


@contextmanager
def studio(workspace: Path, *, ending: signal.Signals = signal.SIGTERM) -> Iterator[str]:
    """Yield the address of a `mabos studio`, and end it, with which all that it started ends."""
    port, log = free_port(), workspace.parent / "studio.log"
    command = [sys.executable, "-m", "mabos", "studio", "--no-browser", "--port", str(port), "-w", str(workspace)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(workspace.parent)}
    with log.open("wb") as said:
        server = subprocess.Popen(
            command, env=variables, cwd=workspace, stdout=said, stderr=said, start_new_session=True
        )
    try:
        await_answer(server, f"http://127.0.0.1:{port}/ok", log)
        yield f"http://127.0.0.1:{port}"
    finally:
        if ending is signal.SIGTERM:  # as a service manager does, which leaves it to the process to end its own
            server.terminate()
            server.wait(timeout=60)
        with suppress(ProcessLookupError):
            os.killpg(server.pid, signal.SIGKILL)
            assert ending is not signal.SIGTERM, "what Studio had started outlived it"
        server.wait(timeout=60)


def await_answer(server: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    """Wait until an address answers; a server that ended, or takes too long, fails with the end of what it said."""
    ends = time.monotonic() + PATIENCE_S
    while server.poll() is None and time.monotonic() < ends:
        with suppress(httpx.HTTPError):
            if httpx.get(address, timeout=5).status_code == 200:
                return
        time.sleep(0.2)
    raise AssertionError(f"the server did not come up:\n{log.read_text('utf-8', 'replace')[-4_000:]}")
