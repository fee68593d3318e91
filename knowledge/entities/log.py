"""The file `graph.jsonl`: append-only, shared by processes and merged by git.

The part already read is identified by its length and a digest of its bytes. So a branch switch, a merge, a revert or an
edit by hand is distinguished from an append. An unreadable line is reported and skipped.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from mabos.configs.errors import Unavailable, file_refused
from mabos.knowledge.entities.lines import Line, decode_line, entity_of
from mabos.workspace.atomic import sync_folder, write_atomic
from mabos.workspace.regular import content, open_regular
from mabos.workspace.sync import Sync

Signature = tuple[int, int, int]
"""The result of one stat: the file's inode, size and time."""

_BLOCK = 4096  # bytes before the end of what was read that must be as they were
_PIECES = re.compile(rb"[^\n]*\n|[^\n]+$")
_ATTRIBUTES = ".gitattributes"


@dataclass(frozen=True, slots=True)
class LogProblem:
    """A line that cannot be read, and why."""

    path: Path
    line: int
    message: str


@dataclass(slots=True)
class _LogReading:
    """The part of a file read so far, from its beginning."""

    offset: int = 0
    count: int = 0
    digest: Any = field(default_factory=lambda: blake2b(digest_size=8))
    tail: bytes = b""
    is_ended: bool = True
    bad: list[LogProblem] = field(default_factory=list)
    torn: LogProblem | None = None
    seen: Signature | None = None

    def took(self, raw: bytes, lines: int) -> None:
        self.digest.update(raw)
        self.offset += len(raw)
        self.count += lines
        self.tail = (self.tail + raw[-_BLOCK:])[-_BLOCK:]
        self.is_ended = raw.endswith(b"\n")

    def is_begun_by(self, fd: int) -> bool:
        """Return whether the file begins with the part already read."""
        found = os.fstat(fd)
        if found.st_size < self.offset or os.pread(fd, len(self.tail), self.offset - len(self.tail)) != self.tail:
            return False
        if self.seen is not None and found.st_ino == self.seen[0] and found.st_size > self.seen[1]:
            return True  # it has grown: an append, by the next process say
        return bool(_digest(os.pread(fd, self.offset, 0)) == self.digest.hexdigest())


class Log:
    """A process's position in a log of operations. Appending requires the lock of the memory."""

    def __init__(self, path: Path, sync: Sync) -> None:
        self.path = path
        self._sync = sync
        self._read: _LogReading | None = None

    @property
    def position(self) -> str:
        """Return an identifier of the part already read, equal for equal bytes; "" if nothing was read yet."""
        return "" if self._read is None else f"{self._read.offset}:{self._read.digest.hexdigest()}"

    @property
    def problems(self) -> list[LogProblem]:
        """The lines that could not be read."""
        if self._read is None:
            return []
        return [*self._read.bad, self._read.torn] if self._read.torn else list(self._read.bad)

    @property
    def is_unchanged(self) -> bool:
        """Return whether the file is unchanged since the last read; costs one stat."""
        return self._read is not None and self.signature() == self._read.seen

    def signature(self) -> Signature | None:
        """Return a value that changes with the file, from one stat; None without a file."""
        try:
            return _signature(os.stat(self.path))  # noqa: PTH116  # asked on every read
        except FileNotFoundError:
            return None

    def is_at(self, position: str) -> bool:
        """Return whether `position` is the end of the file; reads the file, but applies nothing."""
        offset, _, digest = position.partition(":")
        if not offset:
            return False
        raw, end = self._bytes(), int(offset)
        return end <= len(raw) and _digest(raw[:end]) == digest and not (b"\n" in raw[end:] or _is_line(raw[end:]))

    def news(self) -> tuple[list[Line], bool]:
        """Return the operations not read yet, and whether these are all, since the file was replaced."""
        try:
            fd = open_regular(self.path)
        except FileNotFoundError:
            is_other = self._read is None or self._read.offset > 0
            self._read = _LogReading()
            return [], is_other
        try:
            is_other = self._read is None or not self._read.is_begun_by(fd)
            reading = self._read = _LogReading() if self._read is None or is_other else self._read
            found = os.fstat(fd)
            raw = os.pread(fd, found.st_size - reading.offset, reading.offset)
            reading.seen = _signature(found)
        finally:
            os.close(fd)
        return self._lines(reading, raw), is_other

    def goes_on(self) -> bool:
        """Return whether the file begins with the part read, so that `news` are only later lines."""
        try:
            fd = open_regular(self.path)
        except FileNotFoundError:
            return False
        try:
            return self._read is not None and self._read.is_begun_by(fd)
        finally:
            os.close(fd)

    def skip(self) -> None:
        """Mark the complete lines of the file as read, without applying them."""
        self._read = reading = _LogReading(seen=self.signature())
        raw = self._bytes()
        reading.took(raw[: raw.rfind(b"\n") + 1], raw.count(b"\n"))

    def all_again(self) -> list[Line]:
        """Read the file again and return all its operations."""
        self._read = None
        return self.news()[0]

    def append(self, lines: Sequence[bytes]) -> bool:
        """Append complete lines, with the durability of the sync.

        Everything must have been read: False, and nothing counts, if the file has become another one. Raises
        `Unavailable`, and leaves the file as it was, if it cannot be written.
        """
        reading = self._read or _LogReading()
        fd = self._open_log()
        try:
            found = os.fstat(fd)
            if found.st_size and _signature(found) != reading.seen:
                return False
            if found.st_size > reading.offset:  # a torn end; whoever wrote it died before acknowledging
                os.ftruncate(fd, reading.offset)
                reading.torn = None
            raw = b"".join([b"" if reading.is_ended else b"\n", *lines])
            self._write(fd, raw)
            if (there := self.signature()) is None or there[0] != found.st_ino:
                return False
            reading.took(raw, len(lines))
            reading.seen = _signature(os.fstat(fd))
            self._read = reading
            return True
        finally:
            os.close(fd)

    def copies(self, entity_ids: set[str]) -> list[bytes]:
        """Return the raw lines about these entities."""
        return [raw for raw in self.raw_lines() if _about(raw) in entity_ids]

    def add_raw(self, lines: Sequence[bytes]) -> None:
        """Append lines unchanged, with their line ends, except those already in the file."""
        there = set(self.raw_lines())
        lines = [raw for raw in lines if raw not in there]
        if not lines:
            return
        fd = self._open_log()
        try:
            last = (self.raw_lines() or [b""])[-1]
            end = os.fstat(fd).st_size
            is_ended = not end or os.pread(fd, 1, end - 1) == b"\n"
            if not is_ended and not _is_line(last):  # torn: whoever wrote it died before acknowledging
                os.ftruncate(fd, end - len(last) + 1)
                is_ended = True
            self._write(fd, b"".join([b"" if is_ended else b"\n", *lines]))
        finally:
            os.close(fd)

    def take_out(self, entity_ids: set[str]) -> None:
        """Rewrite the file without the lines about these entities."""
        stays = [raw for raw in self.raw_lines() if _about(raw) not in entity_ids]
        try:
            write_atomic(self.path, b"".join(stays), durable=self._sync.durable)
        except OSError as error:
            raise file_refused(error) from error

    def _lines(self, reading: _LogReading, raw: bytes) -> list[Line]:
        lines: list[Line] = []
        reading.torn, end, number = None, 0, reading.count
        for piece in _PIECES.findall(raw):
            try:
                if text := piece.strip():
                    lines.append(decode_line(text))
            except ValueError as error:
                if not piece.endswith(b"\n"):  # being written, or torn: the next append cuts it
                    reading.torn = LogProblem(self.path, number + 1, f"the line is truncated: {error}")
                    break
                reading.bad.append(LogProblem(self.path, number + 1, str(error)))
            end, number = end + len(piece), number + piece.endswith(b"\n")
        if end:
            reading.took(raw[:end], number - reading.count)
        return lines

    def _bytes(self) -> bytes:
        try:
            return content(self.path)
        except FileNotFoundError:
            return b""

    def raw_lines(self) -> list[bytes]:
        """Return the raw lines, each with its line end."""
        return [piece if piece.endswith(b"\n") else piece + b"\n" for piece in _PIECES.findall(self._bytes())]

    def _open_log(self) -> int:
        flags = os.O_RDWR | os.O_APPEND
        try:
            return open_regular(self.path, flags)
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            merged_by_union(self.path.parent, ("graph.jsonl", "graph-archive.jsonl"))
            fd = open_regular(self.path, flags | os.O_CREAT)
            if self._sync.durable:
                sync_folder(self.path.parent)
            return fd

    def _write(self, fd: int, raw: bytes) -> None:
        end = os.fstat(fd).st_size
        try:
            if os.write(fd, raw) != len(raw):
                raise OSError("the write was incomplete")
            self._sync.wrote(fd)
        except OSError as error:
            os.ftruncate(fd, end)
            raise Unavailable(f"{self.path}: cannot write a change ({error}); free disk space") from error


def merged_by_union(folder: Path, names: Sequence[str]) -> None:
    """Configure git to merge these files by union; keep the other lines of `.gitattributes`."""
    path = folder / _ATTRIBUTES
    try:
        text = content(path)
    except FileNotFoundError:
        text = b""
    lines = [line for name in names if (line := f"{name} merge=union".encode()) not in text.splitlines()]
    if lines:
        ended = text if not text or text.endswith(b"\n") else text + b"\n"
        write_atomic(path, ended + b"\n".join(lines) + b"\n", durable=False)


def _about(raw: bytes) -> str:
    try:
        return entity_of(decode_line(raw.strip()))
    except ValueError:
        return ""


def _is_line(raw: bytes) -> bool:
    try:
        decode_line(raw.strip())
    except ValueError:
        return False
    return True


def _digest(raw: bytes) -> str:
    return blake2b(raw, digest_size=8).hexdigest()


def _signature(found: os.stat_result) -> Signature:
    return (found.st_ino, found.st_size, found.st_mtime_ns)
