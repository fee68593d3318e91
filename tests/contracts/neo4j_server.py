"""One Neo4j for all the tests of a run, in however many processes: the first who asks has it started.

Who uses the server holds a shared lock on a file, which goes with the process however that ends. A keeper process of
its own stops the server as soon as it can have that lock alone. Tests keep apart by the ids of their businesses.
"""

import fcntl
import os
import secrets
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import TextIO
from urllib.parse import urlsplit

import orjson
import pytest

from mabos.backends.graph.bolt import GRACE_S, Bolt
from mabos.backends.graph.neo4j import Neo4jGraph
from scripts import neo4j as script
from tests.contracts.proxy import Proxy

ROOT = Path(__file__).resolve().parent.parent.parent
REQUIRED = bool(os.environ.get("MABOS_REQUIRE_NEO4J"))
"""Whether a test without a server fails; set where the whole suite must have run. Read before tests get their own."""

_LONGEST_START = 600  # seconds; the libraries are fetched once
_FAST = "-XX:TieredStopAtLevel=1"  # a server that lives for a minute is not worth compiling well


@dataclass(frozen=True, slots=True)
class Server:
    """Where a server answers."""

    uri: str
    user: str
    password: str

    def graph(self, business_id: str, *, port: int = 0) -> Neo4jGraph:
        """Return the graph of a business, on request through another port of this machine."""
        return Neo4jGraph(business_id, self.bolt(port=port))

    def bolt(self, *, port: int = 0, grace_s: float = GRACE_S) -> Bolt:
        """Return the server as it is spoken to."""
        uri = f"bolt://127.0.0.1:{port}" if port else self.uri
        return Bolt(uri, self.user, self.password, grace_s=grace_s)

    def proxy(self) -> Proxy:
        """Return a proxy in front of the server, to be closed by the caller."""
        place = urlsplit(self.uri)
        return Proxy(place.hostname or "", place.port or 7687)


_GIVEN = os.environ.get("NEO4J_URI", "")
GIVEN = Server(_GIVEN, os.environ.get("NEO4J_USER", "neo4j"), os.environ.get("NEO4J_PASSWORD", "")) if _GIVEN else None
"""The server that a person has named, who is asked for no other."""


@contextmanager
def borrowed(folder: Path) -> Iterator[Server]:
    """Lend the server of a run, whose data lie in `folder`; skips the test where there can be none, or fails it."""
    if GIVEN is not None:
        yield GIVEN
        return
    if lack := _lack():
        if REQUIRED:
            pytest.fail(f"these tests must run, and cannot: {lack}")
        pytest.skip(lack)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "users").open("w") as users, (folder / "start").open("w") as start:
        fcntl.flock(users, fcntl.LOCK_SH)
        fcntl.flock(start, fcntl.LOCK_EX)
        server = _started(folder)
        fcntl.flock(start, fcntl.LOCK_UN)
        yield server


@contextmanager
def lent() -> Iterator[Server]:
    """Lend a server to a program, which is its only user, and wait until it has stopped."""
    with TemporaryDirectory() as name:
        with borrowed(Path(name)) as server:
            yield server
        while (Path(name) / "begun").exists():
            sleep(0.05)


def business() -> str:
    """Return the id of a business that nobody else has."""
    return f"b-{secrets.token_hex(6)}"


def keep(folder: Path) -> None:
    """Run a server until nobody uses it any more."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    password, said = secrets.token_hex(8), folder / "server.log"
    command = [sys.executable, str(ROOT / "scripts" / "neo4j.py"), "--port", str(port), "--data", str(folder / "data")]
    environment = {**os.environ, "NEO4J_PASSWORD": password, "JAVA_TOOL_OPTIONS": _FAST}
    with said.open("wb") as log, (folder / "users").open() as users:
        server = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        place, begun = Server(f"bolt://127.0.0.1:{port}", "neo4j", password), folder / "begun"
        try:
            while server.poll() is None and not _is_alone(users):
                if not begun.exists() and b"Neo4j answers" in said.read_bytes():
                    begun.write_bytes(orjson.dumps(asdict(place)))
                sleep(0.1)
        finally:
            server.terminate()
            server.wait()
            begun.unlink(missing_ok=True)


def _is_alone(users: TextIO) -> bool:
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _started(folder: Path) -> Server:
    place = folder / "begun"
    if not place.exists():
        command = [sys.executable, "-m", "tests.contracts.neo4j_server", str(folder)]
        keeper = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)
        given_up = monotonic() + _LONGEST_START
        while not place.exists() or not place.stat().st_size:
            if keeper.poll() is not None or monotonic() > given_up:
                said = (folder / "server.log").read_text("utf-8", "replace")[-2000:]
                (pytest.fail if REQUIRED else pytest.skip)(f"Neo4j did not start: {said}")
            sleep(0.05)
    return Server(**orjson.loads(place.read_bytes()))


def _lack() -> str:
    if find_spec("neo4j") is None:
        return "the driver is missing: pip install 'mabos[neo4j]'"
    java, javac, mvn = (shutil.which(name) for name in ("java", "javac", "mvn"))
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr if java else ""
    return script.missing(java, javac, mvn, script.java_version(said))


if __name__ == "__main__":
    keep(Path(sys.argv[1]))
