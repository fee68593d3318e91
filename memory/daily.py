"""The daily log: a line for everything ever stored, even if the stores drop it (S0 section 15).

    - 14:30 [decision] (0.8, short_term) Hire a second engineer #hiring #runway M-1771943400000-a3f2

The log is append-only. Continuation lines are indented by two spaces.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from mabos.memory.model import MemoryItem
from mabos.memory.periods import day_in_file_name
from mabos.workspace.clock import parse_time
from mabos.workspace.regular import as_text, open_regular

Wrote = Callable[[int], object]
TITLE = "# Daily log "
# A word of the content that begins like a tag is escaped as Markdown does it.
_HASH = re.compile(r"(?<!\S)\\*#")
_ESCAPED = re.compile(r"(?<!\S)\\(\\*#)")
_HEAD = re.compile(r"- (\d\d:\d\d) \[([a-z_]+)\] \((\d+(?:\.\d+)?(?:e-\d+)?), ([a-z_]+)\) ")


@dataclass(frozen=True, slots=True)
class LogEntry:
    """An entry of a daily log. A person's line has only its `text`."""

    day: date
    line: int
    text: str
    time: str = ""
    type: str = ""
    importance: float = 0.0
    store: str = ""
    content: str = ""
    tags: tuple[str, ...] = ()
    id: str = ""


def log_line(item: MemoryItem, store: str) -> str:
    """Return the lines of `item` in its day's log."""
    said = item.content.strip()
    if "#" in said:
        said = _HASH.sub(r"\\\g<0>", said)
    content = "\n  ".join(said.splitlines())
    tags = "".join(f" #{'-'.join(tag.split())}" for tag in item.tags)
    return f"- {_moment(item.created_at)[1]} [{item.type}] ({item.importance:g}, {store}) {content}{tags} {item.id}\n"


@lru_cache(maxsize=64)
def _moment(at: str) -> tuple[str, str]:
    """Return the day and the time of day, to the minute. Entries written together mostly share one time."""
    moment = parse_time(at)
    return moment.date().isoformat(), moment.strftime("%H:%M")


def append(directory: Path, items: Iterable[tuple[MemoryItem, str]], wrote: Wrote = lambda _: None) -> None:
    """Append each item and its store's name to the log of the day it was created; `wrote` makes a file durable."""
    days: dict[str, list[str]] = {}
    for item, store in items:
        days.setdefault(_moment(item.created_at)[0], []).append(log_line(item, store))
    for day, lines in days.items():
        with _open_log(directory / f"{day}.md") as log:
            _append(log, day, "".join(lines))
            log.flush()
            wrote(log.fileno())


def _open_log(path: Path) -> BinaryIO:
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    try:
        fd = open_regular(path, flags)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = open_regular(path, flags)
    return os.fdopen(fd, "ab+")


def _append(log: BinaryIO, day: str, text: str) -> None:
    if not log.seek(0, os.SEEK_END):
        text = f"{TITLE}{day}\n\n{text}"
    else:
        log.seek(-1, os.SEEK_END)
        if log.read(1) != b"\n":
            # A line torn by a crash, or a person's editor that leaves the last line open.
            text = "\n" + text
    log.write(text.encode())


def days(directory: Path) -> list[date]:
    """Return the days with a log in `directory`, oldest first."""
    if not directory.is_dir():
        return []
    found = (day_in_file_name(path.name) for path in directory.iterdir())
    return sorted(day for day in found if day is not None)


def entries(directory: Path, day: date) -> list[LogEntry]:
    """Return the entries of one day's log, in order; none without a log."""
    try:
        return parse_log(as_text(directory / f"{day.isoformat()}.md"), day)
    except FileNotFoundError:
        return []


def parse_log(text: str, day: date) -> list[LogEntry]:
    """Return the entries in the text of a day's log, in order."""
    return [_entry(day, line, block) for line, block in _blocks(text)]


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the first line number and the text of each entry; the title and blank lines belong to none.

    A person's title is a heading of the first level that begins the log.
    """
    block: list[str] = []
    start, is_begun = 0, False
    for number, line in enumerate(text.split("\n"), start=1):
        if block and line.startswith("  "):
            block.append(line)
            continue
        if block:
            yield start, "\n".join(block)
            block = []
        if line.strip():
            is_title = line.startswith(TITLE) or (not is_begun and line.startswith("# "))
            is_begun = True
            if not is_title:
                block, start = [line], number
    if block:
        yield start, "\n".join(block)


def _entry(day: date, line: int, block: str) -> LogEntry:
    head = _HEAD.match(block)
    # From the end, word by word: content may hold anything, tags and id may not hold a space.
    rest, _, item_id = block.rpartition(" ")
    if head is None or len(rest) < head.end() or item_id.isspace() or not item_id:
        return LogEntry(day, line, block)
    tags: list[str] = []
    before, _, word = rest.rpartition(" ")
    while len(word) > 1 and word[0] == "#" and len(before) >= head.end():
        tags.append(word[1:])
        rest = before
        before, _, word = rest.rpartition(" ")
    content = rest[head.end() :].replace("\n  ", "\n")
    return LogEntry(
        day=day,
        line=line,
        text=block,
        time=head[1],
        type=head[2],
        importance=float(head[3]),
        store=head[4],
        content=_ESCAPED.sub(r"\1", content) if "#" in content else content,
        tags=tuple(reversed(tags)),
        id=item_id,
    )
