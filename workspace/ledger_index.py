"""The ledger indexed in SQLite, for questions across chains: the entries of a task, a cycle or a tool (S4).

The file holds the position of each entry, never the entry itself: an answer is read from the chain. It follows each
chain from its last position, rereads a replaced chain from the start, and can be deleted.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from threading import RLock
from typing import Any

from mabos.configs.errors import Damaged
from mabos.workspace.index_file import open_index, transaction
from mabos.workspace.ledger import LedgerEntry, entry_of
from mabos.workspace.ledger_reader import ChainPosition, LedgerLine, LedgerReader
from mabos.workspace.names import Layout
from mabos.workspace.regular import reader

_VERSION = 3
_SCHEMA = Path(__file__).with_suffix(".sql").read_text("utf-8")
_KEPT = 1_000
"""Entries of a chain that stay in memory."""
RUNNING = "running"
"""The status of a task that has not ended."""


@dataclass(frozen=True, slots=True)
class LedgerTask:
    """A task in the ledger: its purpose, its time and its outcome."""

    id: str
    agent: str
    goal: str
    plan: str
    started: str
    updated: str
    status: str


class LedgerIndex:
    """The index of a ledger; threads share one object, processes each open their own."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._guard = RLock()
        self._path = layout.internal / "ledger.sqlite"
        self._connection = open_index(self._path, _SCHEMA, _VERSION)
        self._known: dict[str, tuple[tuple[int, int, int], dict[int, LedgerEntry]]] = {}

    def update(self) -> int:
        """Index new entries of all chains; return how many entries. Costs one stat per chain if nothing is new."""
        paths = sorted(self._layout.ledgers.glob("*.jsonl"))
        with self._guard:
            there = {agent for (agent,) in self._connection.execute("SELECT agent FROM chains")}
            for agent in there - {path.stem for path in paths}:
                with transaction(self._connection):
                    self._forget(agent)
            return sum(self._caught_up(path) for path in paths)

    def entries(
        self,
        *,
        agents: Sequence[str] = (),
        kinds: Sequence[str] = (),
        task: str = "",
        cycle: str = "",
        tool: str = "",
        since: str = "",
        until: str = "",
        limit: int = 1000,
        offset: int = 0,
        newest_first: bool = False,
    ) -> list[LedgerEntry]:
        """Return the entries that meet all given conditions, oldest first; times are ISO 8601, `until` is exclusive.

        A task's entries are those that name it and those of the calls made for it.
        """
        self.update()
        asked = {"task = ?": task, "cycle = ?": cycle, "tool = ?": tool, "at >= ?": since, "at < ?": until}
        where, values = _conditions(asked, agent=agents, kind=kinds)
        order = "at DESC, agent DESC, seq DESC" if newest_first else "at, agent, seq"
        sql = f"SELECT agent, start, size FROM entries WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"  # noqa: S608  # constants
        with self._guard:
            places = self._connection.execute(sql, [*values, limit, offset]).fetchall()
        return list(self._read(places))

    def tasks(
        self, *, agents: Sequence[str] = (), statuses: Sequence[str] = (), since: str = "", limit: int = 100
    ) -> list[LedgerTask]:
        """Return tasks, most recently used first; `since` limits the time of last use."""
        self.update()
        where, values = _conditions({"updated >= ?": since}, agent=agents, status=statuses)
        sql = f"SELECT * FROM tasks WHERE {where} ORDER BY updated DESC, id LIMIT ?"  # noqa: S608  # constants
        with self._guard:
            return [LedgerTask(*found) for found in self._connection.execute(sql, [*values, limit])]

    def cycles(self, *, agents: Sequence[str] = (), since: str = "", limit: int = 100) -> list[str]:
        """Return the ids of cycles with entries, most recent first; `since` limits their last entry."""
        self.update()
        where, values = _conditions({}, agent=agents)
        sql = (
            f"SELECT cycle FROM entries WHERE cycle != '' AND {where} GROUP BY cycle "  # noqa: S608  # constants
            "HAVING max(at) >= ? ORDER BY max(at) DESC, cycle LIMIT ?"
        )
        with self._guard:
            return [cycle for (cycle,) in self._connection.execute(sql, [*values, since, limit])]

    def task(self, task_id: str) -> LedgerTask | None:
        """Return one task, or None."""
        self.update()
        with self._guard:
            found = self._connection.execute("SELECT * FROM tasks WHERE id = ?", (task_id,)).fetchone()
        return LedgerTask(*found) if found else None

    def close(self) -> None:
        """Close the file."""
        with self._guard:
            self._connection.close()

    def _caught_up(self, path: Path) -> int:
        with reader(path) as file:
            position = self._position(path.stem)
            if position.end == path.stat().st_size and position.is_in(file):
                return 0
        with transaction(self._connection):
            # Asked once more: another process may have been here.
            position, count = self._position(path.stem), 0
            chain = LedgerReader(path, position)
            for line in chain.lines(restarted=lambda: self._forget(path.stem), skips=True):  # `verify` names those
                self._write(line)
                count += 1
            if chain.position != position:
                row = (path.stem, chain.position.start, chain.position.end, chain.position.digest)
                self._connection.execute("REPLACE INTO chains (agent, start, end, digest) VALUES (?, ?, ?, ?)", row)
            return count

    def _position(self, agent: str) -> ChainPosition:
        sql = "SELECT start, end, digest FROM chains WHERE agent = ?"
        found = self._connection.execute(sql, (agent,)).fetchone()
        return ChainPosition(*found) if found else ChainPosition()

    def _write(self, line: LedgerLine) -> None:
        entry = line.entry
        task, tool = self._task_of(entry), str(entry.body.get("tool", ""))
        row = (entry.id, entry.agent, entry.seq, entry.at, entry.kind, entry.cycle, task, tool, line.start, line.size)
        self._connection.execute("REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        for about, status in _tasks_told(entry, task):
            why = _why(entry) if about == task else {}
            self._connection.execute(
                "INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
                "goal = coalesce(nullif(excluded.goal, ''), goal), plan = coalesce(nullif(excluded.plan, ''), plan), "
                "updated = max(updated, excluded.updated), "
                "status = CASE excluded.status WHEN 'running' THEN status ELSE excluded.status END",
                (about, entry.agent, why.get("goal", ""), why.get("plan", ""), entry.at, entry.at, status),
            )

    def _task_of(self, entry: LedgerEntry) -> str:
        """Return the task an entry belongs to: its own word, or that of the call whose outcome it is."""
        if told := _why(entry).get("intention", ""):
            return told
        # Where git has merged two lines of a chain, an id may be there twice: the call is the nearest before.
        sql = "SELECT task FROM entries WHERE id = ? ORDER BY start DESC LIMIT 1"
        found = self._connection.execute(sql, (str(entry.body.get("call", "")),)).fetchone()
        return str(found[0]) if found else ""

    def _forget(self, agent: str) -> None:
        for table in ("chains", "entries", "tasks"):
            self._connection.execute(f"DELETE FROM {table} WHERE agent = ?", (agent,))  # noqa: S608  # the names above

    def _read(self, places: Sequence[tuple[str, int, int]]) -> Iterator[LedgerEntry]:
        for agent, here in groupby(places, key=lambda place: place[0]):
            with reader(self._layout.ledger(agent)) as file:
                known = self._entries_known(agent, os.fstat(file.fileno()))
                for _, start, size in here:
                    if start not in known:
                        entry = entry_of(os.pread(file.fileno(), size, start))
                        if entry is None:
                            raise Damaged(f"{self._path}: it points to a missing entry; remove it, and it is rebuilt")
                        known[start] = entry
                    yield known[start]

    def _entries_known(self, agent: str, now: os.stat_result) -> dict[int, LedgerEntry]:
        """Return the entries of a chain that were read since its file last changed, by their places."""
        state = now.st_ino, now.st_size, now.st_mtime_ns
        before, known = self._known.get(agent, (None, {}))
        if before != state or len(known) > _KEPT:
            known = {}
            self._known[agent] = state, known
        return known


def _conditions(asked: Mapping[str, str], **one_of: Sequence[str]) -> tuple[str, list[Any]]:
    """Return an SQL condition for the given filters, and its values."""
    conditions = [text for text, value in asked.items() if value]
    values: list[Any] = [value for value in asked.values() if value]
    for column, wanted in one_of.items():
        if wanted:
            conditions.append(f"{column} IN ({','.join('?' * len(wanted))})")
            values.extend(wanted)
    return " AND ".join(conditions) or "1", values


def _why(entry: LedgerEntry) -> Mapping[str, str]:
    """Return the purpose that an entry states; a plan's own entry names the plan."""
    why = entry.body.get("why")
    told = {**entry.body, **why} if isinstance(why, dict) else entry.body
    return {name: told[name] for name in ("goal", "intention", "plan") if isinstance(told.get(name), str)}


def _tasks_told(entry: LedgerEntry, task: str) -> Iterator[tuple[str, str]]:
    """Yield the tasks that an entry tells of, with the status it gives them."""
    if task:
        yield task, RUNNING
    ended = entry.body.get("ended")
    if isinstance(ended, dict):
        yield from ((str(one), str(status)) for one, status in ended.items())
