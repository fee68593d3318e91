"""A `mabos` that is started already, for pages of the documentation that type it some hundred times between them.

A server imports once what commands import, and forks for each: the child has the arguments, environment, working
folder, umask, ignored signals and the very descriptors of who asked, runs `mabos` as `python -m mabos` would, and ends
as Python ends. Who asks is a small program: signals that it gets go on to the child, the child's end becomes its own,
and where it is gone the child is killed. All that differs: importing is done, words and patterns of messages are read,
modules are not taken apart at the end, and all share one seed of hashes.

with warm.served(folder) as mabos:
    subprocess.run([mabos, "--version"])
subprocess.run([*warm.mabos(), "--version"])  # one for all of this process
subprocess.run([*warm.python(), "program.py"])  # likewise a Python that has `mabos` imported, for a file or `-c`
"""

import ast
import atexit
import gc
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
MAY_FORK = sys.platform == "linux"  # elsewhere what is imported may have threads of the system's
MABOS, PYTHON, READY = "mabos", "python", "ready"
COMMANDS = (
    ("init", "."), ("business", "create", "acme", "--name", "Acme", "--template", "saas"), ("run", "cfo"), ("doctor",),
    ("call", "knowledge", '{"action": "stats"}'),
)  # fmt: skip
"""What is run once, in a child, to learn what commands import."""

SERVING = ("uvicorn.protocols.http.h11_impl", "mabos.interfaces.dashboard.app", "mabos.interfaces.surfaces.http")
"""Modules that the commands which serve pages need."""

MESSAGES = ("What is our churn?", "Write to ada@example.com that we meet on Tuesday.", "Hello")
"""Messages that the server reads once, so that no child compiles their patterns again."""

THREADED = ("onnxruntime",)
"""What starts threads when it is imported: a process that has some may not fork."""

_ASKER = """#!{python} -SEs
import _signal, _socket, posix, sys
numbers = [_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP, _signal.SIGQUIT, _signal.SIGUSR1, _signal.SIGUSR2]
ignored = [int(one) for one in numbers if _signal.getsignal(one) == _signal.SIG_IGN]
umask = posix.umask(0)
posix.umask(umask)
asked = ascii((sys.argv[0].rpartition("/")[2], sys.argv[1:], posix.environ, posix.getcwd(), umask, ignored)).encode()
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
server.connect({address!r})
here = b"".join(one.to_bytes(4, sys.byteorder) for one in (0, 1, 2))
server.sendmsg([len(asked).to_bytes(8, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, here)])
server.sendall(asked)
for one in numbers:
    if one not in ignored:
        _signal.signal(one, lambda number, _: server.send(bytes([number])))
for one in (0, 1, 2):
    posix.close(one)
status = server.recv(4)
if len(status) < 4:
    posix._exit(99)
code = int.from_bytes(status, "big", signed=True)
if code >= 0:
    posix._exit(code)
if -code != _signal.SIGKILL:
    _signal.signal(-code, _signal.SIG_DFL)
posix.kill(posix.getpid(), -code)
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """A command that somebody wants done, and where."""

    descriptors: list[int]
    program: str
    arguments: list[str]
    environment: dict[bytes, bytes]
    folder: str
    umask: int
    ignored: list[int]


def received(asking: socket.socket) -> Asked:
    """Return what is asked over a connection."""
    size, descriptors, _, _ = socket.recv_fds(asking, 8, 3)
    content, expected = b"", int.from_bytes(size, "big")
    while len(content) < expected:
        part = asking.recv(expected - len(content))
        if not part:
            raise ConnectionError("who asked is gone")
        content += part
    return Asked(list(descriptors), *ast.literal_eval(content.decode("ascii")))


class Server:
    """Forks a child for each command that is asked for, and tells its end; a child is told what to do."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._selector = selectors.DefaultSelector()
        self._running: dict[int, socket.socket] = {}
        self._ended, ends = socket.socketpair()
        for end in (self._ended, ends):
            end.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(ends.fileno(), warn_on_full_buffer=False)
        self._ends = ends

    def serve(self) -> Asked | None:
        """Return, in a child, what it is asked; in the server, nothing, when who started it is gone."""
        for one in (self._listening, self._ended, sys.stdin):
            self._selector.register(one, selectors.EVENT_READ)
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    for pid in self._running:
                        os.kill(pid, signal.SIGKILL)
                    return None
                if key.fileobj is self._listening:
                    asked = self._forked()
                    if asked:
                        return asked
                elif key.fileobj is self._ended:
                    self._reap()
                else:
                    self._pass_on(key.data)

    def _forked(self) -> Asked | None:
        asking, _ = self._listening.accept()
        try:
            asked = received(asking)
        except ConnectionError:
            asking.close()
            return None
        pid = os.fork()
        if pid == 0:
            self._leave(asking)
            return asked
        for one in asked.descriptors:
            os.close(one)
        self._running[pid] = asking
        self._selector.register(asking, selectors.EVENT_READ, pid)
        return None

    def _leave(self, asking: socket.socket) -> None:
        """Be no server any more."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._selector.close()
        for one in (self._listening, self._ended, self._ends, asking, *self._running.values()):
            one.close()

    def _reap(self) -> None:
        with suppress(BlockingIOError):
            self._ended.recv(1 << 12)
        while self._running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            asking = self._running.pop(pid)
            self._selector.unregister(asking)
            with asking, suppress(OSError):
                asking.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))

    def _pass_on(self, pid: int) -> None:
        """Give a child the signals that who asked got; one that nobody waits for any more is killed."""
        if pid not in self._running:
            return
        try:
            numbers = self._running[pid].recv(64)
        except OSError:
            numbers = b""
        for number in numbers or bytes([signal.SIGKILL]):
            os.kill(pid, number)


def become(asked: Asked, module: str) -> None:
    """Make this process what a new one would be that was asked for this; its end is that of the module."""
    for number, descriptor in enumerate(asked.descriptors):
        os.dup2(descriptor, number)
    os.closerange(3, max(asked.descriptors) + 1)
    os.environb.clear()
    os.environb.update(asked.environment)
    time.tzset()
    os.chdir(asked.folder)
    os.umask(asked.umask)
    for number in asked.ignored:
        signal.signal(number, signal.SIG_IGN)
    sys.path[0] = asked.folder
    if asked.program == PYTHON:
        run_program(*asked.arguments)
        return
    sys.argv[1:] = asked.arguments
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def run_program(first: str, *others: str) -> None:
    """Run a file with arguments, or the program after `-c`, as Python's command line does."""
    if first == "-c":
        program, *words = others
        sys.argv[:] = [first, *words]
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(program, vars(main))  # noqa: S102 - the program of a test
    else:
        sys.argv[:] = [first, *others]
        sys.path[0] = os.path.dirname(os.path.abspath(first))  # noqa: PTH100, PTH120 - as Python itself has it
        runpy.run_path(first, run_name="__main__")


def end(code: object) -> None:
    """End as Python does, without taking modules apart: that would copy each page of memory shared with the server.

    Returns where Python has more to say: a code that is a message, or output that nobody takes.
    """
    if isinstance(code, int | None):
        threading._shutdown()  # type: ignore[attr-defined] # waits for threads, and wakes idle ones
        atexit._run_exitfuncs()
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit((code or 0) & 0xFF)


def warmed() -> None:
    """Import what commands import, and nothing that the server alone needs."""
    from chaos.children import import_what_it_imports

    def work() -> None:
        from click.testing import CliRunner

        from mabos.interfaces.cli import front

        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for words in COMMANDS:
                CliRunner().invoke(front, words)
            for name in SERVING:
                with suppress(ImportError):  # without the extra of servers
                    import_module(name)
            os.chdir("/")

    import_what_it_imports(work, but=THREADED)
    from tests.world import WORDS_ALONE, World

    with tempfile.TemporaryDirectory() as folder, World(Path(folder), settings=WORDS_ALONE, variables={}) as world:
        for message in MESSAGES:
            world.cycle("cfo", message)
    tasks = Path("/proc/self/task")
    if (len(list(tasks.iterdir())) if tasks.exists() else threading.active_count()) > 1:
        raise RuntimeError("no process with threads may fork: what was imported last into tests/warm.py starts some")
    gc.collect()
    gc.freeze()


def main() -> None:
    """Serve a module at an address until standard input ends."""
    address, module = sys.argv[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
        listening.bind(address)
        listening.listen(64)
        if module == MABOS:
            warmed()
        print(READY, flush=True)
        asked = Server(listening).serve()
    if asked:
        try:
            become(asked, module)
        except SystemExit as ended:
            end(ended.code)
            raise
        end(None)


@contextmanager
def served(folder: Path, module: str = MABOS) -> Iterator[Path]:
    """Yield the path of a program, made in a folder, that does what `python -m MODULE` does, by a server.

    A program `python` beside it has the same imports done.
    """
    asker = folder / module
    with tempfile.TemporaryDirectory() as place:  # the address of a socket may have a hundred letters
        address = str(Path(place) / module)
        command = [sys.executable, "-m", "tests.warm", address, module]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"}  # numpy's, when imported
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdin is not None
            assert server.stdout is not None
            try:
                assert server.stdout.readline().strip() == READY, "the server of `mabos` did not start"
                for program in (asker, asker.with_name(PYTHON)):
                    program.write_text(_ASKER.format(python=sys.executable, address=address), "utf-8")
                    program.chmod(0o755)
                yield asker
            finally:
                server.stdin.close()


@cache
def mabos() -> tuple[str, ...]:
    """Return the words that start a `mabos` of this source, which has its imports done where a process may fork."""
    if not MAY_FORK:
        return sys.executable, "-m", MABOS
    kept = ExitStack()
    atexit.register(kept.close)
    return (str(kept.enter_context(served(Path(kept.enter_context(tempfile.TemporaryDirectory()))))),)


def python() -> tuple[str, ...]:
    """Return the words that start a Python for a file or `-c`, with what `mabos` needs imported where it may fork."""
    return (str(Path(mabos()[0]).with_name(PYTHON)),) if MAY_FORK else (sys.executable,)


if __name__ == "__main__":
    main()
