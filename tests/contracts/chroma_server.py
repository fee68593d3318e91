"""A real Chroma server for a block: one process of its own on a free port, which is stopped with the block."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import pytest

from mabos.backends import chroma
from scripts.postgres import free_port


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Yield the address of a server whose data lie in `folder`, which has all the time it wants for an answer."""
    pytest.importorskip("chromadb", reason="needs the extra: pip install 'mabos[chroma]'")
    port = free_port()
    program = str(Path(sys.executable).with_name("chroma"))
    command = [program, "run", "--path", str(folder / "data"), "--host", "127.0.0.1", "--port", str(port)]
    said = folder / "server.log"
    with said.open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
    try:
        while not _listens(port):
            if process.poll() is not None:
                pytest.fail(said.read_text("utf-8", "replace")[-2_000:])
            sleep(0.05)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(chroma, "_SERVER_S", 600.0)
            yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0
