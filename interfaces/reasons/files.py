"""Detection of changed files, by any writer, from sizes and times without reading them."""

from collections.abc import Iterator
from os import DirEntry, scandir
from pathlib import Path

Seen = tuple[tuple[str, int, int], ...]


def scan_files(folder: Path, *, but: str = "", deep: bool = True) -> Seen:
    """Return size and time of every file in a folder, and `deep` below it, except those named `but` or `but.*`."""
    return tuple(sorted(_below(folder, but, deep)))


def _below(folder: Path | str, but: str, deep: bool) -> Iterator[tuple[str, int, int]]:
    for one in _entries(folder):
        if one.name.partition(".")[0] == but:
            continue
        if one.is_file(follow_symlinks=False):
            found = one.stat(follow_symlinks=False)
            yield one.path, found.st_size, found.st_mtime_ns
        elif deep and one.is_dir(follow_symlinks=False):
            yield from _below(one.path, but, deep)


def _entries(folder: Path | str) -> list[DirEntry[str]]:
    try:
        with scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
