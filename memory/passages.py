"""Passages of an agent's files (hierarchy, checkpoints, conflict reports and notes), with path and line.

Files are cut into chunks of about 400 tokens that overlap by 80 (S0 section 11). A line that only repeats an item still
in a store is a copy and never its own hit.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

from mabos.configs.errors import Damaged
from mabos.memory.findable import Findable
from mabos.memory.lineage import readable
from mabos.memory.materialise import is_derived, written_by_hand
from mabos.memory.stem import stem
from mabos.memory.texts import Texts
from mabos.workspace.regular import as_text
from mabos.workspace.text import terms

CHUNK_CHARACTERS, OVERLAP_CHARACTERS = 1600, 320
"""400 and 80 tokens, at four characters a token."""
FOLDERS = ("weekly", "monthly", "quarterly", "checkpoints", "bdi-conflicts")
FILES = ("MEMORY.md", "MEMORY-long-term.md", "Learnings.md", "Knowledge.md", "Playbooks.md")
_DATED = re.compile(r"(?P<year>\d{4})-(?:W(?P<week>\d\d)|Q(?P<quarter>\d)|(?P<month>\d\d)(?:-(?P<day>\d\d))?)")
_ID = re.compile(r"\bM-\d+-\w+\b")
_BULLET = re.compile(r"^\s*(?:[-*]\s+)?(?:\*\*)?(?:\d{4}-\d\d-\d\d\s+)?(?:\*\*)?\s*")
_MARK = "file:"
IsCopy = Callable[[str], bool]
"""Returns whether a line only repeats an item."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines of a file; `line` is the number of the first."""

    line: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The lines as one text."""
        return "\n".join(self.lines)


def chunks(text: str) -> Iterator[Chunk]:
    """Yield `text` in chunks of whole lines; each begins with the last lines of the previous one."""
    lines: list[tuple[int, str]] = []
    size = fresh = 0
    for number, line in enumerate(text.splitlines(), start=1):
        if fresh and size + len(line) > CHUNK_CHARACTERS:
            yield _chunk(lines)
            lines = _tail(lines)
            size, fresh = sum(len(each) + 1 for _, each in lines), 0
        lines.append((number, line))
        size += len(line) + 1
        fresh += bool(line.strip())
    if fresh:
        yield _chunk(lines)


def _chunk(lines: Sequence[tuple[int, str]]) -> Chunk:
    return Chunk(lines[0][0], tuple(line for _, line in lines))


def _tail(lines: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    size, start = 0, len(lines)
    while start > 1 and size + len(lines[start - 1][1]) + 1 <= OVERLAP_CHARACTERS:
        start -= 1
        size += len(lines[start][1]) + 1
    return list(lines[start:])


@dataclass(frozen=True, slots=True)
class Passage:
    """The part of a chunk to show: the lines that are not copies, and the best match."""

    path: str
    line: int
    text: str


def refresh(directory: Path, texts: Texts) -> None:
    """Bring `texts` up to date with an agent's current files; costs one check per unchanged file."""
    there = {f"{_MARK}{path}": signature for path, signature in _files(directory)}
    known = {name: mark.partition("|") for name, mark in texts.marks.items() if name.startswith(_MARK)}
    due = [name for name, signature in there.items() if name not in known or known[name][0] != signature]
    lost = [name for name in known if name not in there]
    if not due and not lost:
        return
    gone = {
        f"{name.removeprefix(_MARK)}:{line}"
        for name in [*due, *lost]
        if name in known
        for line in known[name][2].split()
    }
    marks: dict[str, str | None] = dict.fromkeys(lost)
    came: list[Findable] = []
    for name in due:
        found = list(_read(directory, name.removeprefix(_MARK)))
        came += found
        lines = " ".join(one.id.rpartition(":")[2] for one in found)
        marks[name] = f"{there[name]}|{lines}"
    texts.take(came, gone.difference(one.id for one in came), marks)


def _read(directory: Path, path: str) -> Iterator[Findable]:
    try:
        text = as_text(directory / path)
    except (OSError, Damaged):
        return
    at = _time_of(path)
    for chunk in chunks(written_by_hand(text) if is_derived(text) else readable(text)):
        yield Findable(f"{path}:{chunk.line}", chunk.text, at=at, is_passage=True)


def build_passage(one: Findable, asked: Sequence[str], is_copy: IsCopy, *, by_meaning: bool) -> Passage | None:
    """Return the part of a passage to show for the stems `asked`; None if only copies match.

    A text found `by_meaning` need not contain a word of the question, but then it must be more than headings.
    """
    path, _, first = one.id.rpartition(":")
    kept = [(number, line) for number, line in enumerate(one.text.split("\n"), start=int(first)) if not is_copy(line)]
    wanted = set(asked)
    fits = [(len(wanted.intersection(map(stem, terms(line)))), -number) for number, line in kept if line.strip()]
    best, number = max(fits, default=(0, 0))
    says = any(line.strip() and not line.startswith(("#", ">")) for _, line in kept)
    if not says or (best == 0 and not by_meaning):
        return None
    return Passage(path, -number, "\n".join(line for _, line in kept).strip())


def bare(line: str) -> str:
    """Return a list line's text without its bullet and date."""
    return _BULLET.sub("", line, count=1).strip()


def ids_in(line: str) -> list[str]:
    """Return the ids of items named in a line."""
    return _ID.findall(line)


def _files(directory: Path) -> Iterator[tuple[str, str]]:
    base = os.fspath(directory)  # on the path of every recall, where paths are joined faster as texts
    for name in FILES:
        try:
            found = os.stat(f"{base}/{name}")  # noqa: PTH116
        except OSError:
            continue
        yield name, _signature(found)
    for folder in FOLDERS:
        try:
            with os.scandir(f"{base}/memory/{folder}") as entries:
                inside = sorted(_pages(entries))
        except OSError:
            continue
        for name, signature in inside:
            yield f"memory/{folder}/{name}", signature


def _pages(entries: Iterable["os.DirEntry[str]"]) -> Iterator[tuple[str, str]]:
    """Yield the pages among the entries of a folder; an editor's hidden ones, as its locks, are none."""
    for entry in entries:
        if entry.name.endswith(".md") and not entry.name.startswith("."):
            # What goes at this moment, or is a link to nothing, hides no other; nor does a name that is no text.
            with suppress(OSError, UnicodeEncodeError):
                entry.name.encode()
                yield entry.name, _signature(entry.stat())


def _signature(found: os.stat_result) -> str:
    return f"{found.st_mtime_ns} {found.st_size} {found.st_ino}"


def _time_of(path: str) -> str:
    """Return the last day a file covers, from its name, as an ISO time; "" if the name has none."""
    match = _DATED.search(path)
    if match is None:
        return ""
    year = int(match["year"])
    try:
        if match["week"]:
            end = date.fromisocalendar(year, int(match["week"]), 7)
        elif match["quarter"] or not match["day"]:
            month = int(match["quarter"]) * 3 if match["quarter"] else int(match["month"])
            end = date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)
        else:
            end = date(year, int(match["month"]), int(match["day"]))
    except (ValueError, OverflowError):
        return ""
    return f"{end.isoformat()}T23:59:59.999Z"
