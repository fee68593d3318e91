"""A store's append-only journal: one checksummed line per transaction; a torn end is cut, other damage is reported.

The first line is a header that names the snapshots before the lines. A mark states that the named snapshots hold
everything before it. The file is replaced when the snapshots have caught up, so a generation counts the files.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import orjson

from mabos.configs.errors import Damaged, InvalidArgument, Unavailable
from mabos.workspace.atomic import sync_folder, write_atomic, write_beside, write_over
from mabos.workspace.operations import Op, as_json, from_json
from mabos.workspace.regular import open_regular, reader
from mabos.workspace.sync import Sync

_PREFIX = len(b'{"crc":"00000000",')


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: the snapshots when this journal began; `files` maps names to sha256."""

    generation: int
    seq: int
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class JournalMark:
    """A mark that the snapshots of `files` hold everything up to `seq`; without files it confirms those before it."""

    seq: int
    files: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class JournalChange:
    """A transaction; `seen` names the manual edits merged into it."""

    seq: int
    ops: tuple[Op, ...]
    note: Mapping[str, Any] = field(default_factory=dict)
    seen: Mapping[str, str] = field(default_factory=dict)


Entry = Header | JournalMark | JournalChange
Signature = tuple[int, int, int]


class Journal:
    """A process's position in a journal file: reads it, and appends to it under the store's lock.

    `end` is the file with the acknowledged size of the journal (`JournalEnd`), if that is kept.
    """

    def __init__(self, path: Path, sync: Sync, end: Path | None = None) -> None:
        self.path = path
        self._name = str(path)
        self._sync = sync
        self._acknowledged = JournalEnd(end) if end else None
        self._first = b""
        self._lines = 0
        self._end = 0
        self._seen: Signature | None = None

    @property
    def size(self) -> int:
        """The number of valid bytes read so far."""
        return self._end

    @property
    def is_pending(self) -> bool:
        """Return whether entries follow the header."""
        return self._end > len(self._first)

    def is_unchanged(self) -> bool:
        """Return whether the file is unchanged since the last read; costs one stat."""
        try:
            found = os.stat(self._name)  # noqa: PTH116  # asked on every read
        except FileNotFoundError:
            return self._seen is None
        return (found.st_ino, found.st_size, found.st_mtime_ns) == self._seen

    def load(self) -> list[Entry]:
        """Return every valid entry, header first; nothing if there is no journal.

        Raises `Damaged` for a file without a header (a journal is created in one step), and for one shorter than its
        acknowledged size.
        """
        self._first, self._lines, self._end, self._seen = b"", 0, 0, None
        acknowledged = self._acknowledged.of() if self._acknowledged else {}  # before others add to the journal
        entries = self._read() or []
        if not entries and self._seen is not None:
            said = "it has no first line; restore it from a backup, or remove it to start from the files next to it"
            raise Damaged(f"{self.path}:1: {said}")
        missing = acknowledged.get(self._identity, 0) - self._end
        if self._acknowledged and missing > 0:
            said = f"its last {missing:,} bytes are gone; restore it from a backup, or go on without them by removing"
            raise Damaged(f"{self.path}:{self._lines + 1}: {said} {self._acknowledged.path}")
        return entries

    def news(self) -> list[Entry] | None:
        """Return the entries appended since the last read, or None if the file has been replaced."""
        return self._read()

    def append(self, line: bytes) -> None:
        """Add one encoded entry, durable as the sync says. The lock must be held and everything read.

        Raises `Unavailable`, and leaves the file as it was, if the line could not be written.
        """
        fd = open_regular(self._name, os.O_RDWR | os.O_APPEND)
        try:
            if os.fstat(fd).st_size != self._end:  # a torn end; whoever wrote it died before acknowledging
                os.ftruncate(fd, self._end)
            try:
                if os.write(fd, line) != len(line):
                    raise OSError("the write was incomplete")
                self._sync.wrote(fd)
            except OSError as error:
                os.ftruncate(fd, self._end)
                raise Unavailable(f"{self.path}: cannot write a change ({error}); free disk space") from error
            self._end += len(line)
            self._lines += 1
            self._note(fd)
            if self._acknowledged:
                self._sync.afterwards(self._name, partial(self._acknowledged.keep, self._identity, self._end))
        finally:
            os.close(fd)

    def start(self, header: Header, changes: Iterable[JournalChange] = (), *, keep: Path | None = None) -> None:
        """Replace this journal with the next, and keep the old one at `keep` if given. The lock must be held."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        first = encode_entry(header)
        rest = b"".join(encode_entry(change) for change in changes)
        fresh = write_beside(self.path, first + rest, durable=self._sync.durable, back=header.generation % 997 + 1)
        try:
            if keep is not None and self._seen is not None:
                _link(self.path, keep)
            found = fresh.stat()
            fresh.replace(self.path)
        except OSError:
            fresh.unlink(missing_ok=True)
            raise
        if self._sync.durable:
            sync_folder(self.path.parent)
        self._first, self._end, self._lines = first, len(first) + len(rest), 1 + rest.count(b"\n")
        self._seen = (found.st_ino, found.st_size, found.st_mtime_ns)

    def _read(self) -> list[Entry] | None:
        try:
            fd = open_regular(self._name)
        except FileNotFoundError:
            return None if self._seen else []
        with os.fdopen(fd, "rb") as file:
            # The bytes of the header tell one generation from the next even where the file system reuses an inode.
            if self._first and file.read(len(self._first)) != self._first:
                return None
            seen = os.fstat(fd)
            if seen.st_size < self._end:
                return None
            file.seek(self._end)
            raw = file.read(seen.st_size - self._end)
        self._seen = (seen.st_ino, seen.st_size, seen.st_mtime_ns)
        entries = []
        for entry, length in parse_entries(self.path, raw, self._lines):
            if not self._first:
                self._first = raw[:length]
            self._lines += 1
            self._end += length
            entries.append(entry)
        return entries

    @property
    def _identity(self) -> bytes:
        """The identity of this generation: the checksum of its header."""
        return self._first[:_PREFIX]

    def _note(self, fd: int) -> None:
        found = os.fstat(fd)
        self._seen = (found.st_ino, found.st_size, found.st_mtime_ns)


class JournalEnd:
    """The acknowledged end of a journal, stored apart from it, so that a missing end is noticed.

    Like the head of a ledger (`heads`) it is written after the journal is durable and never forced: after a crash it
    may lag behind, which is not a fault, and is never ahead. A line that a crash cut short is beyond it. Without
    durability (`off`) a power cut may take lines and leave their end: that is reported as a loss.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def of(self) -> Mapping[bytes, int]:
        """Return the acknowledged size, if it is known for this journal."""
        try:
            with reader(self.path) as file:
                identity, size = file.read().split()
            return {identity: int(size)}
        except (OSError, ValueError, Damaged):
            return {}

    def keep(self, identity: bytes, size: int) -> None:
        """Save a size; failing to save it does not invalidate acknowledged lines."""
        with suppress(OSError):
            write_over(self.path, b"%s %020d\n" % (identity, size))


def encode_entry(entry: Entry) -> bytes:
    """Return an entry as one line with its checksum; raises `InvalidArgument` for anything but JSON."""
    if isinstance(entry, JournalChange):
        content: dict[str, Any] = {"seq": entry.seq, "ops": [as_json(op) for op in entry.ops]}
        if entry.note:
            content["note"] = entry.note
        if entry.seen:
            content["seen"] = entry.seen
    elif isinstance(entry, JournalMark):
        content = {"mark": entry.seq, "files": entry.files}
    else:
        content = {"generation": entry.generation, "seq": entry.seq, "files": entry.files}
    try:
        payload = orjson.dumps(content)
    except (TypeError, orjson.JSONEncodeError) as error:
        message = f"a record is not JSON: {error}; use text, numbers, booleans, lists and mappings with text keys"
        raise InvalidArgument(message, argument="value") from error
    return b'{"crc":"%08x",' % crc32(payload) + payload[1:] + b"\n"


def parse_entries(path: Path, raw: bytes, before: int = 0) -> Iterator[tuple[Entry, int]]:
    """Yield the valid entries of `raw` with their lengths, after `before` earlier lines; stops at a torn last line.

    Raises `Damaged` where a line that is not the last cannot be read.
    """
    start, number = 0, before
    while (end := raw.find(b"\n", start) + 1) > 0:
        number += 1
        entry = decode_entry(raw[start : end - 1])
        if entry is None or isinstance(entry, Header) != (number == 1):
            if raw.find(b"\n", end) < 0 and end == len(raw):
                return
            message = f"{path}:{number}: this line does not match its checksum; restore the file from a backup"
            raise Damaged(message)
        yield entry, end - start
        start = end


def _link(path: Path, keep: Path) -> None:
    keep.unlink(missing_ok=True)
    try:
        keep.hardlink_to(path)
    except OSError:  # not every file system has hard links
        write_atomic(keep, path.read_bytes())


def decode_entry(line: bytes) -> Entry | None:
    """Return the entry in a line without its line end; None if the checksum does not match."""
    payload = b"{" + line[_PREFIX:]
    if line[:_PREFIX] != b'{"crc":"%08x",' % crc32(payload):
        return None
    try:
        content = orjson.loads(payload)
        if "ops" in content:
            ops = tuple(map(from_json, content["ops"]))
            return JournalChange(content["seq"], ops, content.get("note", {}), content.get("seen", {}))
        if "mark" in content:
            return JournalMark(content["mark"], content["files"])
        return Header(content["generation"], content["seq"], content["files"])
    except (ValueError, KeyError, TypeError):
        return None
