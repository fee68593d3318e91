"""Files opened only if regular: a pipe would block, a device has no end, a link leads elsewhere."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from mabos.configs.errors import Damaged

_NO_FILE = (errno.ELOOP, errno.EISDIR, errno.ENXIO)


def open_regular(path: str | Path, flags: int = os.O_RDONLY) -> int:
    """Return a descriptor of the file at `path`.

    Raises `FileNotFoundError`, and `Damaged` for anything but a regular file: a link, a folder, a pipe, a device.
    """
    try:
        fd = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    except OSError as error:
        if error.errno in _NO_FILE:
            raise Damaged(f"{path}: {_instead(path)}") from None
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise Damaged(f"{path}: {_instead(path)}")
    return fd


def reader(path: str | Path) -> BinaryIO:
    """Return the file at `path`, open to be read; raises as `open_regular` does."""
    return os.fdopen(open_regular(path), "rb")


def content(path: str | Path) -> bytes:
    """Return the bytes of the file at `path`; raises as `open_regular` does."""
    with reader(path) as file:
        return file.read()


def as_text(path: str | Path) -> str:
    """Return the text at `path`, with invalid UTF-8 replaced and newlines normalised; raises as `open_regular` does."""
    with os.fdopen(open_regular(path), encoding="utf-8", errors="replace") as file:
        return file.read()


def _instead(path: str | Path) -> str:
    mode = os.lstat(path).st_mode  # as a text or a path
    if stat.S_ISLNK(mode):
        return "a link, which may lead out of the workspace; put the file itself there"
    if stat.S_ISDIR(mode):
        return "a folder is in the place of a file; move it away"
    return "a pipe or a device is in the place of a file; remove it"
