"""A store's readable files: their content, whether a person changed them, and the version we last wrote."""

import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from mabos.configs.errors import Damaged
from mabos.workspace.atomic import exchange, sync_folder, write_atomic, write_beside
from mabos.workspace.regular import content, reader

ABSENT = ""
"""The checksum of a file that does not exist."""

_QUIET = 0.01  # seconds a file must stand still before an edit is taken as finished
_PATIENCE = 100  # how many such pauses

_UNKNOWN = (0, 0, 0)  # the signature of a file that was never accepted

Signature = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A file at one moment; `sha` is `ABSENT` and the text empty if it is missing."""

    text: str
    sha: str
    signature: Signature | None = None


@dataclass(frozen=True, slots=True)
class Replaced:
    """The result of replacing a file: whether it succeeded, and any edit saved at that moment."""

    is_done: bool
    slipped_in: Snapshot | None = None


class Snapshots:
    """The snapshot files of a directory, and in `base` a copy of each as last written or merged."""

    def __init__(self, directory: Path, base: Path) -> None:
        self.directory = directory
        self.base_folder = base
        self._paths: dict[str, str] = {}
        self._seen: dict[str, Signature | None] = {}

    @property
    def size(self) -> int:
        """The total size of the accepted files in bytes."""
        return sum(seen[1] for seen in self._seen.values() if seen)

    def changed(self, names: Iterable[str]) -> list[str]:
        """Return the files that changed since they were last accepted or written; one stat each."""
        seen, changed = self._seen, []
        for name in names:
            # Asked of every file on every look: no call but the one to the system.
            path = self._paths.get(name) or self._path(name)
            try:
                found = os.stat(path)  # noqa: PTH116  # as above
            except FileNotFoundError:
                is_same = seen.get(name, _UNKNOWN) is None
            else:
                is_same = seen.get(name) == (found.st_ino, found.st_size, found.st_mtime_ns)
            if not is_same:
                changed.append(name)
        return changed

    def is_there(self, name: str) -> bool:
        """Return whether the file existed when it was last accepted or written."""
        return self._seen.get(name) is not None

    def accept(self, name: str, snapshot: Snapshot) -> None:
        """Remember this state of the file as current and its content as known."""
        self._seen[name] = snapshot.signature

    def read(self, name: str) -> Snapshot:
        """Return the file's current state; raises `Damaged` if it is not a UTF-8 file."""
        path = self.directory / name
        try:
            with reader(path) as file:
                found = os.fstat(file.fileno())
                raw = file.read()
        except FileNotFoundError:
            return Snapshot("", ABSENT)
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            line = raw.count(b"\n", 0, error.start) + 1
            raise Damaged(f"{path}:{line}: not UTF-8 text ({error.reason}); save the file as UTF-8") from error
        return Snapshot(text, sha256(raw).hexdigest(), (found.st_ino, found.st_size, found.st_mtime_ns))

    def read_settled(self, name: str) -> Snapshot:
        """Return the file once it has been stable for a moment, since an editor may be half way through writing it."""
        path = self.directory / name
        for _ in range(_PATIENCE):
            seen = _signature(path)
            time.sleep(_QUIET)
            if seen == _signature(path):
                break
        return self.read(name)

    def replace(self, name: str, text: str, *, durable: bool) -> Replaced:
        """Put `text` in place of the file, unless it has changed since it was accepted.

        Where the system can exchange two files, an edit saved at that very moment is found and given back.
        """
        path = self.directory / name
        fresh = write_beside(path, text, durable=durable)
        try:
            if self.changed([name]):
                fresh.unlink()
                return Replaced(is_done=False)
            signature, before = _signature(fresh), self._seen[name]
            if before is None or not exchange(fresh, path):
                fresh.replace(path)
        except OSError:
            fresh.unlink(missing_ok=True)
            raise
        self._seen[name] = signature
        slipped_in = None
        if fresh.exists():
            if _signature(fresh) != before:
                slipped_in = self.read_settled(fresh.name)
            fresh.unlink()
        return Replaced(is_done=True, slipped_in=slipped_in)

    def make_durable(self) -> None:
        """Make the names of replaced files durable."""
        sync_folder(self.directory)

    def base(self, name: str, sha: str) -> str | None:
        """Return the copy of the file with this checksum; None if it is lost."""
        try:
            text = self._copy(name, sha).read_bytes().decode()
        except (FileNotFoundError, UnicodeDecodeError):
            return None
        return text if sha_of(text) == sha else None

    def keep_base(self, name: str, snapshot: Snapshot) -> None:
        """Keep a copy of the file's content. It only helps merging, so it need not survive a power cut."""
        if snapshot.sha != ABSENT and self.base(name, snapshot.sha) is None:
            write_atomic(self._copy(name, snapshot.sha), snapshot.text, durable=False)

    def forget_bases(self, name: str, *, but: Iterable[str]) -> None:
        """Remove the copies of a file, except those with the checksums `but`."""
        kept = {self._copy(name, sha).name for sha in but}
        for copy in self.base_folder.glob(f"{name}.*"):
            if copy.name not in kept:
                copy.unlink(missing_ok=True)

    def conflict(self, name: str) -> Path:
        """Return the file for replaced versions."""
        return self.directory / f"{name}.conflict"

    def _path(self, name: str) -> str:
        return self._paths.get(name) or self._paths.setdefault(name, str(self.directory / name))

    def _copy(self, name: str, sha: str) -> Path:
        return self.base_folder / f"{name}.{sha[:16]}"


def keep_conflict(path: Path, text: str, about: str = "") -> None:
    """Append a replaced version to the file at `path` with the heading `about`, unless it is there already.

    The existing content, which may be any bytes, is never overwritten.
    """
    added = text.encode()
    try:
        before = content(path)
    except FileNotFoundError:
        before = b""
    if added not in before:
        write_atomic(path, before + about.encode() + added)


def _signature(path: Path) -> Signature | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return (found.st_ino, found.st_size, found.st_mtime_ns)


def sha_of(text: str) -> str:
    """Return the sha256 of a text in UTF-8."""
    return sha256(text.encode()).hexdigest()
