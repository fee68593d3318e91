"""The record of actions and their reasons: append-only, with one file and one hash chain per agent (S4).

Each entry holds the hash of the one before and its own, sha256 over its canonical JSON. So any change, removal or
insertion breaks the chain. Entries hold no wall clock and no process: the same work gives the same bytes.

A chain alone does not show that its end is missing; `workspace.heads` does, as far as the workspace can. `verify` finds
a chain that is shorter than its head, or gone. The next `append` to one first writes an entry of kind `lost`, so that
the loss stays on record.

A chain may fork: git merges the appends of two clones by keeping the lines of both (`merge=union`). Each line is tied
by its hash to the one it was written after, so the file stays whole. The next `append` first writes an entry of kind
`merged`, which follows the longest line and names the ends of the others. An id may then occur once per line.
"""

import fcntl
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import orjson

from mabos.configs.errors import Damaged, InvalidArgument, Unavailable, unknown
from mabos.workspace.atomic import sync_folder
from mabos.workspace.heads import ChainHead, Heads
from mabos.workspace.names import Layout
from mabos.workspace.regular import open_regular, reader
from mabos.workspace.sync import Sync

_ID = re.compile(r"L-(?P<agent>.+)-(?P<seq>[1-9]\d{0,17})")
_BLOCK = 1 << 16
LOST = "lost"
"""The kind of the entry that says which entries before it are missing."""
MERGED = "merged"
"""The kind of the entry that joins the lines of a chain that was forked."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A recorded action; `prev` is the hash of the previous entry, empty for the first."""

    id: str
    seq: int
    at: str
    agent: str
    kind: str
    cycle: str
    body: Mapping[str, Any]
    prev: str
    hash: str


@dataclass(frozen=True, slots=True)
class ChainProblem:
    """A break in a chain: its location and its kind."""

    path: Path
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class _Tail:
    """The end of a chain: the last line, where it begins and ends."""

    start: int = 0
    end: int = 0
    line: bytes = b""
    seq: int = 0
    hash: str = ""


class Ledger:
    """The chains of a workspace. Any number of threads and processes may append."""

    def __init__(
        self, layout: Layout, sync: Sync, screen: Callable[[Mapping[str, Any]], Mapping[str, Any]] = dict
    ) -> None:
        """Open the chains; `screen` returns the body of an entry as it may be written, since nothing leaves a chain."""
        self._layout, self._screen = layout, screen
        self._sync = sync
        self._heads = Heads(layout.internal)
        self._tails: dict[str, _Tail] = {}
        self._paths: dict[str, Path] = {}
        self._guard = Lock()

    def append(self, agent_id: str, kind: str, body: Mapping[str, Any], *, at: str, cycle: str = "") -> LedgerEntry:
        """Return the entry, durable as the sync says; costs the same however long the chain is.

        Raises `InvalidArgument` if `body` is not JSON, and `Unavailable` if nothing could be written.
        """
        path = self._paths.get(agent_id) or self._paths.setdefault(agent_id, self._layout.ledger(agent_id))
        body = self._screen(body)
        if agent_id not in self._tails:
            _canonical(body)  # before a file is made
        with self._guard, _lock_file(path, self._sync) as fd:
            known = self._tails.get(agent_id, _Tail())
            tail = _tail(fd, path, known)
            is_news = tail is not known or not tail.end
            if is_news:
                torn = os.pread(fd, os.fstat(fd).st_size - tail.end, tail.end)
                if found := _detect_break(path, self._heads.read(agent_id), tail, torn):
                    noted, after = found
                    tail = self._append_entry(fd, path, after, {"agent": agent_id, "at": at, "cycle": "", **noted})
                if torn:  # what stands behind the last whole line; whoever wrote it died before acknowledging it
                    os.ftruncate(fd, tail.end)
            content = {"agent": agent_id, "at": at, "kind": kind, "cycle": cycle, "body": dict(body)}
            tail = self._tails[agent_id] = self._append_entry(fd, path, tail, content)
            self._sync.afterwards(
                str(path), lambda: self._heads.keep(agent_id, ChainHead(tail.seq, tail.hash, tail.end))
            )
        return LedgerEntry(**orjson.loads(tail.line))

    def _append_entry(self, fd: int, path: Path, tail: _Tail, content: Mapping[str, Any]) -> _Tail:
        """Write an entry behind `tail` and return the new end of the chain."""
        seq = tail.seq + 1
        entry = {**content, "id": f"L-{content['agent']}-{seq}", "seq": seq, "prev": tail.hash}
        entry["hash"] = _hash(entry)
        line = _canonical(entry) + b"\n"
        self._write(fd, path, line, tail.end)
        return _Tail(tail.end, tail.end + len(line), line, seq, entry["hash"])

    def entries(self, agent_id: str, *, since: int = 0) -> Iterator[LedgerEntry]:
        """Yield the agent's entries after sequence `since`, oldest first; raises `Damaged` where one is unreadable."""
        path = self._layout.ledger(agent_id)
        for number, line in _lines(path):
            entry = entry_of(line)
            if entry is None:
                raise Damaged(f"{path}:{number}: not a ledger entry; restore the file from a backup")
            if entry.seq > since:
                yield entry

    def find(self, entry_id: str) -> LedgerEntry:
        """Return the entry with this id; raises `UnknownId`."""
        named = _ID.fullmatch(entry_id)
        agents = self.agents()
        if named is None or named["agent"] not in agents:
            known = [f"L-{agent}-{seq}" for agent in agents if (seq := self.last(agent))]
            raise unknown("ledger entry", entry_id, known)
        for entry in self.entries(named["agent"], since=int(named["seq"]) - 1):
            return entry
        raise unknown("ledger entry", entry_id, [f"L-{named['agent']}-{self.last(named['agent'])}"])

    def last(self, agent_id: str) -> int:
        """Return the sequence of the agent's last entry, 0 if there is none."""
        path = self._layout.ledger(agent_id)
        if not path.exists():
            return 0
        with self._guard, reader(path) as file:
            return _tail(file.fileno(), path, self._tails.get(agent_id, _Tail())).seq

    def agents(self) -> list[str]:
        """Return the agents that have a chain, sorted."""
        return sorted(path.stem for path in self._layout.ledgers.glob("*.jsonl"))

    def heads(self) -> dict[str, ChainHead]:
        """Return the current end of every chain; unreadable ends are left out."""
        found = {}
        for agent_id in self.agents():
            path = self._layout.ledger(agent_id)
            with suppress(Damaged), reader(path) as file:
                tail = _tail(file.fileno(), path, _Tail())
                found[agent_id] = ChainHead(tail.seq, tail.hash)
        return found

    def verify(self, agent_id: str | None = None) -> list[ChainProblem]:
        """Return every break in the agent's chain, or in all chains; an empty list means that they are intact."""
        agents = sorted({*self.agents(), *self._heads.agents()}) if agent_id is None else [agent_id]
        return [problem for agent in agents for problem in self._check_chain(agent)]

    def _check_chain(self, agent_id: str) -> Iterator[ChainProblem]:
        path, head = self._layout.ledger(agent_id), self._heads.read(agent_id)  # before the chain, which only grows
        lines, number = _Lines(), 0
        for number, line in _lines(path):
            entry = entry_of(line)
            if entry is None:
                yield ChainProblem(path, number, "not a ledger entry")
                return
            content = orjson.loads(line)
            if entry.hash != _hash({key: value for key, value in content.items() if key != "hash"}):
                yield ChainProblem(path, number, f"{entry.id} was changed: its content does not match its hash")
            if not lines.take(entry) or entry.agent != agent_id:
                yield ChainProblem(path, number, f"{entry.id} does not follow the entry before it: entries are missing")
            if entry.kind == LOST:
                yield ChainProblem(
                    path, number, f"{entry.id} found that entries were missing: {_describe_loss(entry.body)}"
                )
        if head.hash and head.hash not in lines.known:
            seq = max(lines.known.values(), default=0)
            what = f"entries {seq + 1} to {head.seq} are missing" if seq else f"all {head.seq} entries are missing"
            if seq >= head.seq:
                what = f"L-{agent_id}-{head.seq} is not the entry that was written under this number"
                number = list(lines.known.values()).index(head.seq) + 1
            yield ChainProblem(path, number, f"{what}; restore the file from a backup")

    def _write(self, fd: int, path: Path, line: bytes, end: int) -> None:
        try:
            if os.pwrite(fd, line, end) != len(line):
                raise OSError("the write was incomplete")
            self._sync.wrote(fd)
        except OSError as error:
            os.ftruncate(fd, end)
            raise Unavailable(f"{path}: cannot write an entry ({error}); free disk space") from error


@contextmanager
def _lock_file(path: Path, sync: Sync) -> Iterator[int]:
    # The file is only ever appended to, so it can be its own lock.
    try:
        fd = open_regular(path, os.O_RDWR)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = open_regular(path, os.O_RDWR | os.O_CREAT)
        if sync.durable:
            sync_folder(path.parent)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield fd
    finally:
        # Closing alone does not unlock: a group that is still to force this write holds a copy of the descriptor.
        fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)


@dataclass(slots=True)
class _Lines:
    """The entries of a chain that were read, by hash with their sequence, and those that none follows yet."""

    known: dict[str, int] = field(default_factory=dict)
    ends: dict[str, int] = field(default_factory=dict)

    def take(self, entry: LedgerEntry) -> bool:
        """Take an entry in; returns whether it follows one that is there, or is the first."""
        if entry.hash in self.known:  # git has kept the line of both sides
            return True
        before = [entry.prev, *(map(str, entry.body.get("joins", ())) if entry.kind == MERGED else ())]
        is_first = not entry.prev and entry.seq == 1
        follows = is_first or (all(one in self.known for one in before) and entry.seq == self.known[entry.prev] + 1)
        for one in before:
            self.ends.pop(one, None)
        self.known[entry.hash] = self.ends[entry.hash] = entry.seq
        return follows


def _detect_break(path: Path, head: ChainHead, tail: _Tail, torn: bytes) -> tuple[dict[str, Any], _Tail] | None:
    # What has to be on record before a chain goes on that something else has written to since the head: kind and body
    # of the entry, and what it follows. A chain that is longer than its head may just be ahead of it.
    if not (head.hash or tail.hash) or (head.hash and _is_ahead(path, head, tail)):
        return None
    lines = _Lines()
    for _, line in _lines(path):
        if (entry := entry_of(line)) is not None:
            lines.take(entry)
    if len(lines.ends) > 1:
        last = max(reversed(lines.ends), key=lambda one: lines.ends[one])
        joins = [one for one in lines.ends if one != last]
        return {"kind": MERGED, "body": {"joins": joins}}, replace(tail, seq=lines.ends[last], hash=last)
    if head.hash in lines.known or head.seq < tail.seq:
        return None
    found = {"after": tail.seq, "head": head.seq, "hash": head.hash}
    found |= {"torn": torn.decode("utf-8", "backslashreplace")} if torn else {}
    return {"kind": LOST, "body": found}, tail


def _is_ahead(path: Path, head: ChainHead, tail: _Tail) -> bool:
    # Whether the chain leads from the head, where it was, straight to its tail; looked at from the end, where the head
    # usually is. A head that lies elsewhere in the file has lines of another clone before it.
    with reader(path) as file:
        end, wanted = tail.end, tail.hash
        while end:
            start = _end_of_line(file.fileno(), end - 1)
            entry = entry_of(os.pread(file.fileno(), end - start, start))
            if entry is None or entry.hash != wanted:
                return False
            if entry.hash == head.hash:
                return head.end in (0, end)
            end, wanted = start, entry.prev
    return False


def _describe_loss(body: Mapping[str, Any]) -> str:
    return f"the chain had reached {body.get('head')} and ended at {body.get('after')}"


def _tail(fd: int, path: Path, known: _Tail) -> _Tail:
    # The last line of the chain: the one in memory if the file still ends with it, else what another process appended.
    size = os.fstat(fd).st_size
    if size == known.end and os.pread(fd, len(known.line), known.start) == known.line:
        return known
    end = _end_of_line(fd, size)
    start = _end_of_line(fd, end - 1) if end else 0
    if not end:
        return _Tail()
    line = os.pread(fd, end - start, start)
    entry = entry_of(line)
    if entry is None:
        raise Damaged(f"{path}: its last entry is unreadable; run `mabos verify ledger`, restore it from a backup")
    return _Tail(start, end, line, entry.seq, entry.hash)


def _end_of_line(fd: int, before: int) -> int:
    # The position after the last line end in the first `before` bytes.
    while before > 0:
        start = max(0, before - _BLOCK)
        found = os.pread(fd, before - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        before = start
    return 0


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    # The whole lines, with their numbers.
    try:
        file = reader(path)
    except FileNotFoundError:
        return
    with file:
        for number, line in enumerate(file, 1):
            if line.endswith(b"\n"):  # a line without end was never acknowledged
                yield number, line


def entry_of(line: bytes) -> LedgerEntry | None:
    """Return the entry in a line, or None."""
    try:
        entry = LedgerEntry(**orjson.loads(line))
    except (orjson.JSONDecodeError, TypeError):
        return None
    texts = (entry.id, entry.at, entry.agent, entry.kind, entry.cycle, entry.prev, entry.hash)
    is_sound = type(entry.seq) is int and type(entry.body) is dict and all(type(one) is str for one in texts)
    return entry if is_sound else None


def _hash(content: Mapping[str, Any]) -> str:
    return sha256(_canonical(content)).hexdigest()


def _canonical(content: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(dict(content), option=orjson.OPT_SORT_KEYS)
    except (TypeError, orjson.JSONEncodeError) as error:
        message = f"the body of a ledger entry is not JSON: {error}; use text, numbers, booleans, lists and mappings"
        raise InvalidArgument(message, argument="body") from error
