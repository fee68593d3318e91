"""Whole files, replaced in one step: a reader sees the old text or the new one, never a part."""

import os
from pathlib import Path
from tempfile import mkstemp


def write_atomic(path: Path, content: str | bytes, *, durable: bool = True) -> None:
    """Replace the file at `path` by `content`; folders are made as needed.

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
    """Return a new temporary file in the folder of `path` that holds `content`, ready to be renamed to it.

    Its time is set `back` nanoseconds, so that an edit of the same length within one tick of the clock still shows.
    """
    fd, name = mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fchmod(file.fileno(), _permissions(path))
            found = os.fstat(file.fileno())
            os.utime(file.fileno(), ns=(found.st_atime_ns, found.st_mtime_ns - back))
            if durable:
                os.fsync(file.fileno())
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` durable: a rename is not until its folder is."""
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _permissions(path: Path) -> int:
    # A temporary file is private; the replacement keeps what a person set, and is an ordinary file otherwise.
    try:
        return path.stat().st_mode & 0o777
    except FileNotFoundError:
        return 0o644
