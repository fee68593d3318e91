"""Tracing through the hierarchy: from a line of a summary down to the days, and from a day up (S1 15.4)."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mabos.configs.errors import Damaged, InvalidArgument, UnknownId
from mabos.memory.lineage import LineSource, locate, plain, read
from mabos.memory.periods import day_in_file_name
from mabos.workspace.regular import as_text

_PLACE = re.compile(r"(?:(?:.*/)?memory/)?(?P<path>[^:\0\ud800-\udfff]+?\.md)(?::|#L)(?P<line>\d{1,9})")
_DEEPEST = 100
"""Levels that are followed: three to the days, and from quarter to quarter; only a ring made by hand has more."""
_ABOVE = {"daily": ("weekly",), "weekly": ("monthly",), "monthly": ("quarterly",), "quarterly": ("quarterly",)}


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line of a memory file in its current form; `line` is 0 if a summary refers to a missing line.

    `path` is relative to the memory folder, `text` is without links.
    """

    path: str
    line: int
    text: str

    @property
    def is_gone(self) -> bool:
        """Return whether the line, or its whole file, is missing."""
        return self.line == 0


@dataclass(frozen=True, slots=True)
class HierarchyStep:
    """A line in a trace, and the next lines from there."""

    spot: PageLine
    steps: tuple["HierarchyStep", ...]


class Hierarchy:
    """The files of one memory folder, for tracing lines through them; each file is read once."""

    def __init__(self, directory: Path) -> None:
        self._memory = directory / "memory"
        self._read: dict[str, list[str]] = {}

    def spot(self, place: str) -> PageLine:
        """Return the line at `place`, for example `weekly/2026-W09.md:12`; raises if it is missing."""
        found = _PLACE.fullmatch(place.strip())
        if found is None:
            message = f"{place!r} is not a line of a file; expected PATH:LINE, as weekly/2026-W09.md:12"
            raise InvalidArgument(message, argument="place")
        path, line = found["path"], int(found["line"])
        if path.startswith("/") or ".." in Path(path).parts or _level(path) == "":
            message = f"{path} is not in the hierarchy; name a daily log, as 2026-02-24.md, or a file of {_LEVELS}"
            raise InvalidArgument(message, argument="place")
        lines = self._lines(path)
        if not 0 < line <= len(lines):
            message = f"memory/{path} has {len(lines)} lines, and no line {line}" if lines else f"no file memory/{path}"
            raise UnknownId(message, argument="place")
        return PageLine(path, line, plain(lines[line - 1]))

    def sources(self, spot: PageLine) -> list[PageLine]:
        """Return the current source lines of a line, one level below; empty for a daily log."""
        if spot.is_gone or _level(spot.path) == "daily":
            return []
        line = self._lines(spot.path)[spot.line - 1]
        return [below for source in read(line).sources for below in self._locate_source(source)]

    def uses(self, spot: PageLine) -> list[PageLine]:
        """Return the summary lines built from a line, or from a span that includes it."""
        above = (path for level in _ABOVE[_level(spot.path)] for path in self._files(level) if path != spot.path)
        return [found for path in above if self._mentions(path, spot.path) for found in self._using(path, spot)]

    def below(self, spot: PageLine) -> list["HierarchyStep"]:
        """Return all sources of a line, level by level down to the days, each once."""
        return self._follow_steps(spot, self.sources, {spot}, _DEEPEST)

    def above(self, spot: PageLine) -> list["HierarchyStep"]:
        """Return everything built from a line, level by level up to the quarters."""
        return self._follow_steps(spot, self.uses, {spot}, _DEEPEST)

    def _follow_steps(
        self, spot: PageLine, follow: Callable[[PageLine], list[PageLine]], seen: set[PageLine], levels: int
    ) -> list["HierarchyStep"]:
        steps = []
        for found in follow(spot) if levels else ():
            if found not in seen:
                seen.add(found)
                steps.append(HierarchyStep(found, tuple(self._follow_steps(found, follow, seen, levels - 1))))
        return steps

    def _using(self, path: str, spot: PageLine) -> Iterator[PageLine]:
        for number, line in enumerate(self._lines(path), start=1):
            if any(source.path == spot.path and self._covers(source, spot) for source in read(line).sources):
                yield PageLine(path, number, plain(line))

    def _covers(self, source: LineSource, spot: PageLine) -> bool:
        if source.last:
            first = locate(source, self._lines(spot.path))
            return first > 0 and first <= spot.line <= first + source.last - source.line
        return locate(source, self._lines(spot.path)) == spot.line

    def _locate_source(self, source: LineSource) -> Iterator[PageLine]:
        lines = self._lines(source.path)
        first = locate(source, lines)
        if first == 0:
            yield PageLine(source.path, 0, f"line {source.line} of memory/{source.path}, which is no longer there")
            return
        for number in range(first, min(first + len(source.lines), len(lines) + 1)):
            text = lines[number - 1]
            # A run of lines is of entries: what only continues one, or is blank, is no finding of its own.
            if number == first or (text.strip() and not text.startswith("  ")):
                yield PageLine(source.path, number, plain(text))

    def _lines(self, path: str) -> list[str]:
        if path not in self._read:
            try:
                text = as_text(self._memory / path)
            except (OSError, Damaged):
                text = ""
            self._read[path] = text.removesuffix("\n").split("\n") if text else []
        return self._read[path]

    def _files(self, level: str) -> list[str]:
        return sorted(f"{level}/{path.name}" for path in (self._memory / level).glob("*.md"))

    def _mentions(self, path: str, below: str) -> bool:
        return any(below in line for line in self._lines(path))


_LEVELS = "weekly, monthly or quarterly"


def _level(path: str) -> str:
    """Return the level of a file of memory, or "" where it has none."""
    folder, _, name = path.rpartition("/")
    if folder == "":
        return "daily" if day_in_file_name(name) else ""
    return folder if folder in _ABOVE and folder != "daily" else ""
