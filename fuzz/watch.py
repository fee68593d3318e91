"""A monitor of files opened, created, moved and removed outside one folder, by the interpreter's audit events."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.chmod", "os.truncate"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_LOOKS = {"open", "os.listdir", "os.scandir", *_CHANGES}
_DEVICES = re.compile(r"/dev/(?!shm/)|/proc/")  # files in memory are files
_NOT_OURS = ("/.hypothesis", "/__pycache__")  # what the test's own tools and Python write


class _Watch:
    """The one hook of this process: a hook cannot be taken away again, so it is switched on and off."""

    def __init__(self) -> None:
        self.root = ""
        self.name = ""
        self.found: set[str] = set()
        self.installed = False

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.root and event in _LOOKS and arguments and isinstance(arguments[0], str | bytes):
            self._look(event, os.fsdecode(arguments[0]), arguments)

    def _look(self, event: str, path: str, arguments: tuple[object, ...]) -> None:
        if _DEVICES.match(path) or any(part in path for part in _NOT_OURS):
            return
        flags = arguments[2] if event == "open" and len(arguments) > 2 else 0
        changes = event in _CHANGES or (isinstance(flags, int) and bool(flags & _WRITING))
        if (changes or self.name in path) and not f"{os.path.realpath(path)}{os.sep}".startswith(self.root):
            self.found.add(f"{event} {path[:200]!r}")


_WATCH = _Watch()


@contextmanager
def watched(root: Path, name: str) -> Iterator[set[str]]:
    """Yield the paths written outside `root` while this is open, or read there with `name` in the path."""
    if not _WATCH.installed:
        sys.addaudithook(_WATCH)
        _WATCH.installed = True
    _WATCH.root, _WATCH.name, _WATCH.found = f"{os.path.realpath(root)}{os.sep}", name, set()
    try:
        yield _WATCH.found
    finally:
        _WATCH.root = ""
