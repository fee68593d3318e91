"""A server of the command line as a process of its own, and how it is reached."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import warm
from tests.conftest import ROOT

COMMAND = (sys.executable, "-m", "mabos")


def surroundings(**more: str) -> dict[str, str]:
    """Return the environment in which `mabos` is this source."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


@contextmanager
def serving(workspace: Path, *words: str, **environment: str) -> Iterator[str]:
    """Run a command that serves, yield the URL that it tells, and stop it as Ctrl-C does; it must end well."""
    server = subprocess.Popen(
        [*warm.mabos(), "--workspace", str(workspace), *words],
        env=surroundings(**environment),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    assert server.stderr is not None
    told: list[str] = []
    try:
        for line in server.stderr:
            told.append(line)
            if "http://" in line:
                yield "http://" + line.partition("http://")[2].partition(";")[0].strip()
                break
        else:
            raise AssertionError("".join(told))
    finally:
        server.send_signal(signal.SIGINT)
        rest = server.communicate(timeout=60)[1]
    assert server.returncode == 0, rest
    assert "Traceback" not in rest, rest
