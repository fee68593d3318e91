"""Child processes of a campaign: forked with all imports, joined at their end, loud on failure."""

import gc
import json
import os
import selectors
import signal
import sys
import traceback
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from threading import Lock
from time import monotonic
from typing import Any

_FORKING = Lock()


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a child: by a signal, or with a return value."""

    signal: int = 0
    said: Any = None

    @property
    def was_killed(self) -> bool:
        """Whether it died by SIGKILL before returning anything."""
        return self.signal == signal.SIGKILL


class ChildFailed(Exception):
    """An exception in a child, with its traceback as the message."""


def child(work: Callable[[], Any], *, kill_after: float | None = None) -> Ended:
    """Return how a forked process running `work` ended; it is killed after a number of seconds.

    Its return value must be JSON. Raises `ChildFailed` if it raised.
    """
    gc.freeze()  # what is there already is not looked through, and so not copied, by every child
    with _FORKING:  # a child of another thread that held this pipe open would keep us waiting for its end
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            _work(work, writing)
        os.close(writing)
    said = _heard(reading, pid, kill_after)
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        return Ended(os.WTERMSIG(status))
    answer = json.loads(said or b'["failed", "it ended without a word"]')
    if answer[0] == "failed":
        raise ChildFailed(answer[1])
    return Ended(0, answer[1])


def import_what_it_imports(work: Callable[[], Any], *, but: Collection[str] = ()) -> None:
    """Import the modules that `work` needs, as a child reports them, except some packages, to speed up children."""

    def imported() -> list[str]:
        work()
        return sorted(
            sys.modules, key=lambda name: name.startswith("_")
        )  # asyncio lacks `_asyncio` where that is first

    for name in child(imported).said:
        if name not in sys.modules and not name.startswith("__") and name.partition(".")[0] not in but:
            with suppress(ImportError):  # a name that a package gave itself is no module to import
                import_module(name)


def _work(work: Callable[[], Any], writing: int) -> None:
    try:
        answer = ["said", work()]
    except BaseException:  # noqa: BLE001 - whatever ends a child is told to its parent
        answer = ["failed", traceback.format_exc()]
    with os.fdopen(writing, "w") as pipe:
        pipe.write(json.dumps(answer))
    os._exit(0)


def _heard(reading: int, pid: int, kill_after: float | None) -> bytes:
    ends = None if kill_after is None else monotonic() + kill_after
    heard = b""
    with os.fdopen(reading, "rb", buffering=0) as pipe, selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if not selector.select(None if ends is None else max(0.0, ends - monotonic())):
                os.kill(pid, signal.SIGKILL)
                ends = None
                continue
            part = pipe.read(1 << 16)
            if not part:
                return heard
            heard += part
