"""Atomic replacement of whole files: a reader sees the old text or the new one, never a mixture."""

import ctypes
import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any

from mabos.configs.errors import InvalidArgument

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW


def write_atomic(path: Path, content: str | bytes, *, durable: bool = True) -> None:
    """Replace the file at `path` with `content`; folders are created as needed.

    Text is written as UTF-8 with its line ends as they are. With `durable` it has reached the disk on return.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = write_beside(path, content, durable=durable)
    try:
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def write_beside(path: Path, content: str | bytes, *, durable: bool = True, back: int = 1) -> Path:
    """Write `content` to a new temporary file in the folder of `path`, and return it, ready to be renamed to `path`.

    It has the permissions of the file at `path`, or those of any new file under the umask. Its time is set back by
    `back` nanoseconds, so that an edit of the same length within one clock tick still shows.
    """
    temporary = path.with_name(f".{path.name}.{token_hex(6)}.tmp")
    rights = _rights(path)
    fd = os.open(temporary, _NEW, 0o644 if rights is None else 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            if rights is not None:
                os.fchmod(file.fileno(), rights)
            found = os.fstat(file.fileno())
            os.utime(file.fileno(), ns=(found.st_atime_ns, found.st_mtime_ns - back))
            if durable:
                os.fsync(file.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable; a rename is durable only once its folder is."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def exchange(one: Path, other: Path) -> bool:
    """Swap two files in one step; returns False if the system cannot."""
    call = _exchange()
    return call is not None and call(os.fsencode(one), os.fsencode(other)) == 0


@cache
def _exchange() -> Any:
    # Python does not offer it: renameat2 on Linux, renamex_np on macOS; both call it 2.
    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        rename = getattr(library, "renamex_np", None)
        return rename and (lambda one, other: rename(one, other, ctypes.c_uint(2)))
    rename = getattr(library, "renameat2", None)
    here = -100  # AT_FDCWD: relative to the working directory
    return rename and (lambda one, other: rename(here, one, here, other, ctypes.c_uint(2)))


def _rights(path: Path) -> int | None:
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        return None


def write_over(path: str | Path, line: bytes) -> None:
    """Overwrite a file's content with a line of constant length, in one write; nothing is forced.

    Raises `OSError` if the file, or its folder, cannot be written.
    """
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o644)
    try:
        os.pwrite(fd, line, 0)
    finally:
        os.close(fd)


def keep_yaml(path: Path, content: Mapping[str, Any], *, argument: str) -> None:
    """Write a mapping from code as a file of the workspace; raises if the file already has other content."""
    import yaml
    from pydantic_core import to_jsonable_python

    from mabos.configs.yaml_file import read_yaml

    plain = to_jsonable_python(dict(content))
    if path.is_file() and read_yaml(path) != plain:
        message = f"{path.parent.name}/{path.name} is there and says something else; change it there"
        raise InvalidArgument(message, argument=argument)
    path.parent.mkdir(exist_ok=True)
    write_atomic(path, yaml.safe_dump(plain, sort_keys=False, allow_unicode=True).encode())
