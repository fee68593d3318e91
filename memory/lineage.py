"""Links from a line of a summary to its source lines, and the search for moved lines.

    - Hold the price ([Tue](../2026-02-24.md#L3 "3:9f2c41 0.8 M-1771943400000-a3f2 =51be07"))

Every generated line ends with links to the files below. A link's title gives line numbers, each with a mark of the
line's content, so a line that has moved is found by its mark. The last title ends with the line's own mark. If a person
has rewritten the line, this mark no longer matches, which distinguishes manual edits from generated text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import groupby

from mabos.memory.periods import day_in_file_name, month_title, weekday_name

_LINKS = re.compile(r' \((?:\[[^\[\]\n]*\]\([^()\n"]*"[^"\n]*"\)(?:, )?)+\)$', re.MULTILINE)
_LINK = re.compile(r'\[[^\[\]\n]*\]\((?:\.\./)?([^()\n"#]*)(?:#L\d+)? "([^"\n]*)"\)')
_WORD = re.compile(r"(?:(\d{1,9})(?:-(\d{1,9}))?:([0-9a-f]{6})(?!\S)|(\S+))")
_ID = re.compile(r"M-\d+-\w+")


@dataclass(frozen=True, slots=True)
class LineSource:
    """Source lines in a file; `path` is relative to the memory folder, `mark` is that of the first line."""

    path: str
    line: int
    mark: str
    last: int = 0

    @property
    def lines(self) -> range:
        """The numbers of the lines."""
        return range(self.line, max(self.line, self.last) + 1)


@dataclass(frozen=True, slots=True)
class SummaryLine:
    """A line of a summary: its text, source lines, weight (0 to 1), and the id if it is an item.

    `is_ours` is False if a person wrote or rewrote the line.
    """

    text: str
    sources: tuple[LineSource, ...] = ()
    weight: float = 0.0
    id: str = ""
    is_ours: bool = True

    def render(self) -> str:
        """Return the line as written in a file."""
        details = [f"{self.weight:g}"] * bool(self.weight) + [self.id] * bool(self.id) + [f"={_digest(self.text)}"]
        links = []
        for path, sources in groupby(self.sources, key=lambda source: source.path):
            found = list(_runs(sources))
            titles = [_title(source) for source in found]
            links.append((path, found[0].line, titles))
        if not links:
            return self.text
        links[-1][2].extend(details)
        told = ", ".join(f'[{label(path)}](../{path}#L{line} "{" ".join(titles)}")' for path, line, titles in links)
        return f"{self.text} ({told})"


def _runs(sources: Iterable[LineSource]) -> Iterator[LineSource]:
    """Yield sources of one file, each run of lines that follow one another as one."""
    run: LineSource | None = None
    for source in sources:
        if run is not None and source.line == run.lines.stop:
            run = replace(run, last=source.lines.stop - 1)
        else:
            if run is not None:
                yield run
            run = source
    if run is not None:
        yield run


def _title(source: LineSource) -> str:
    lines = f"{source.line}-{source.last}" if source.last > source.line else f"{source.line}"
    return f"{lines}:{source.mark}"


def label(path: str) -> str:
    """Return the label of a link to a memory file.

    >>> label("2026-02-24.md"), label("weekly/2026-W09.md"), label("monthly/2026-02.md")
    ('Tue', 'W09', 'February')
    """
    level, _, name = path.rpartition("/")
    day = day_in_file_name(name)
    if day is not None:
        return weekday_name(day)[:3]
    if level == "monthly":
        return month_title(name)
    return name[5:8] if level == "weekly" else name.removesuffix(".md")


def read(line: str) -> SummaryLine:
    """Parse a line of a summary."""
    links = _LINKS.search(line) if line.endswith('"))') else None
    if links is None:
        return SummaryLine(line.rstrip(), is_ours=False)
    text = line[: links.start()]
    sources: list[LineSource] = []
    details: list[str] = []
    for path, title in _LINK.findall(links[0]):
        for line_number, last, marked, detail in _WORD.findall(title):
            if marked:
                sources.append(LineSource(path, int(line_number), marked, int(last or 0)))
            else:
                details.append(detail)
    return SummaryLine(
        text=text,
        sources=tuple(sources),
        weight=next((float(word) for word in details if re.fullmatch(r"[01](\.\d+)?", word)), 0.0),
        id=next((word for word in details if _ID.fullmatch(word)), ""),
        is_ours=details[-1:] == [f"={_digest(text)}"],
    )


def plain(text: str) -> str:
    """Return a line, or all lines of a summary, without links to their sources."""
    return _LINKS.sub("", text) if '"))' in text else text


def readable(text: str) -> str:
    """Return a summary for people, line by line: item ids stay, all other lineage is removed."""
    return "\n".join(_readable(line) if line.endswith('"))') else line for line in text.split("\n"))


def _readable(line: str) -> str:
    found = read(line)
    return f"{found.text} ({found.id})" if found.id else found.text


def mark(line: str) -> str:
    """Return six digits that identify a line's content, regardless of position and links."""
    return _digest(plain(line))


def _digest(text: str) -> str:
    return blake2b(text.strip().encode(), digest_size=3).hexdigest()


def locate(source: LineSource, lines: Sequence[str]) -> int:
    """Return the current number of the first line of `source` among the `lines` of its file; 0 if missing.

    If several lines have the same content, the nearest is used.
    """
    if source.line <= len(lines) and mark(lines[source.line - 1]) == source.mark:
        return source.line
    same = [number for number, line in enumerate(lines, start=1) if mark(line) == source.mark]
    return min(same, key=lambda number: abs(number - source.line), default=0)
