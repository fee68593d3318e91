"""A real Postgres for a block: one process of its own on a free port, its data gone with it.

Where there is none to be started, or the extra is not installed, tests are skipped with the command that installs it,
or fail where the whole suite must have run.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from scripts import postgres as script

ROOT = Path(__file__).resolve().parents[2]
REQUIRED = bool(os.environ.get("MABOS_REQUIRE_CLUSTER"))
"""Whether a test without a Postgres fails; set where the whole suite must have run. Read before tests get their own."""


@contextmanager
def served(data: Path | None = None) -> Iterator[str]:
    """Yield the address of a server that answers, and stop it at the end, or when this process is killed.

    With `data`, a folder that it keeps them in, it waits for the disk as one does that must lose nothing.
    """
    lack = script.lacking() or ("" if find_spec("psycopg") else "psycopg is missing: pip install 'mabos[postgres]'")
    if lack:
        (pytest.fail if REQUIRED else pytest.skip)(lack)
    command = [sys.executable, str(ROOT / "scripts" / "postgres.py"), "--until-eof"]
    command += ["--data", str(data)] if data else []
    with TemporaryFile() as said:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said)
        assert process.stdout is not None
        try:
            found = re.search(rb"postgresql://\S+", process.stdout.readline())
            if found is None:  # it ended
                said.seek(0)
                pytest.fail(said.read().decode(errors="replace")[-2_000:])
            yield found[0].decode()
        finally:
            process.communicate()
