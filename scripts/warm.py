"""Answer `mabos` commands from one process that has the product imported, so that a suite does not import it each time.

    with warm_mabos(Path("mabos")) as command: ...     # `command` takes the arguments of `mabos`

Each command runs in a process of its own, forked from the warm one, with the caller's environment, folder and streams.
Of `mabos` only the import is shared. `mabos serve`, which a caller stops by a signal, is started as usual, and so is
every command where the system has no `pidfd_open` (Linux only).
"""

import array
import atexit
import gc
import json
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

MODULES = (
    *(
        f"mabos.interfaces.cli.{name}"
        for name in ("front", "run", "mind", "call", "decisions", "heartbeat", "business")
    ),
    "mabos.interfaces.facade",
    "mabos.interfaces.standing",
    "mabos.graphs.bdi",
    "langchain_openai",
    "tiktoken",
)
"""What the commands of a suite import while they run."""
_CLIENT = """#!{python} -SE
import array, json, os, socket, sys
if "serve" in sys.argv[1:2]:
    os.execv({mabos!r}, [{mabos!r}, *sys.argv[1:]])
line = json.dumps([sys.argv[1:], dict(os.environ), os.getcwd()]).encode()
with socket.socket(socket.AF_UNIX) as server:
    server.connect({path!r})
    streams = array.array("i", [0, 1, 2])
    server.sendmsg([len(line).to_bytes(4, "big")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, streams)])
    server.sendall(line)
    code = server.recv(1)
sys.exit(code[0] if code else 70)
"""


@contextmanager
def warm_mabos(mabos: Path) -> Iterator[Path]:
    """Yield a command that does what `mabos` does, sooner; `mabos` itself where this system cannot watch processes."""
    if not hasattr(os, "pidfd_open"):
        yield mabos
        return
    with tempfile.TemporaryDirectory() as folder:
        path, command = Path(folder) / "socket", Path(folder) / "mabos"
        command.write_text(_CLIENT.format(python=sys.executable, mabos=str(mabos), path=str(path)), "utf-8")
        command.chmod(0o755)
        server = subprocess.Popen([sys.executable, "-m", "scripts.warm", str(path)], stdout=subprocess.PIPE)
        try:
            if not (server.stdout and server.stdout.readline()):
                raise RuntimeError(f"the warm process ended with {server.wait()}: run `mabos --help` to see why")
            yield command
        finally:
            server.terminate()
            server.wait()


def _received(client: socket.socket) -> tuple[list[int], Sequence[str], dict[str, str], str]:
    """Return the streams, arguments, environment and folder that a client sends."""
    streams = array.array("i")
    head, ancillary, _, _ = client.recvmsg(4, socket.CMSG_SPACE(3 * streams.itemsize))
    streams.frombytes(ancillary[0][2])
    with client.makefile("rb") as sent:
        arguments, environment, folder = json.loads(sent.read(int.from_bytes(head, "big")))
    return list(streams), arguments, environment, folder


def serve(path: Path) -> list[str]:
    """Fork for every client until stopped; return the arguments in a child, which has the client's streams."""
    for name in MODULES:
        import_module(name)
    gc.freeze()  # what is imported stays in pages that the children share
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(64)
    print("ready", flush=True)
    ended: dict[int, tuple[int, socket.socket]] = {}
    with selectors.DefaultSelector() as waiting:
        waiting.register(listener, selectors.EVENT_READ)
        while True:
            for key, _ in waiting.select():
                if key.fd in ended:
                    waiting.unregister(key.fd)
                    child, client = ended.pop(key.fd)
                    os.close(key.fd)
                    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) & 0xFF
                    with client, suppress(OSError):  # a caller that was stopped waits for nothing any more
                        client.sendall(bytes([code]))
                    continue
                client, _ = listener.accept()
                try:
                    streams, arguments, environment, folder = _received(client)
                except (OSError, ValueError, IndexError):  # it was stopped before it had said what it wants
                    client.close()
                    continue
                if not (child := os.fork()):
                    _become(streams, environment, folder)
                    return list(arguments)
                for stream in streams:
                    os.close(stream)
                process = os.pidfd_open(child)
                ended[process] = (child, client)
                waiting.register(process, selectors.EVENT_READ)


def _become(streams: Sequence[int], environment: Mapping[str, str], folder: str) -> None:
    """Put a client's streams, environment and folder in the place of this process's own."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)


def _end(code: object) -> None:
    """End a child as the interpreter would, without taking the shared modules apart one by one."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()  # a child that ends by `os._exit` has to call them itself
    if isinstance(code, str):
        print(code, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(bool(code)))


if __name__ == "__main__":
    arguments = serve(Path(sys.argv[1]))
    sys.argv = ["mabos", *arguments]
    try:
        _end(import_module("mabos.interfaces.cli").main())
    except SystemExit as ended:
        _end(ended.code)
