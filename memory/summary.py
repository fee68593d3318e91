"""A summary file: sections of lines linked to their sources, and a person's additions."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from mabos.language.wordlists import order_form
from mabos.memory.lineage import LineSource, SummaryLine, mark, read

_FORM = "3"
"""Changes when the form of summaries does, so that all of them are made again."""
_NOTE = "> Derived from "
_OLD_NOTE = "; edit those, not this file."
_INPUTS = re.compile(r"^> Derived from .*<!-- ([0-9a-f]{16}) -->$", re.MULTILINE)
_HEADING = re.compile(r"#{1,6} ")
_OURS = order_form("summary.ours")


@dataclass(frozen=True, slots=True)
class PageSection:
    """A heading with its `#`, and the lines below it."""

    heading: str
    lines: tuple[SummaryLine, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of a period; `below` describes its inputs, `inputs` is a mark of all of them."""

    title: str
    below: str
    inputs: str
    sections: tuple[PageSection, ...]

    def add_narrative(self, narrative: str) -> "Summary":
        """Return the summary with a narrative after its overview, derived from all that the overview covers."""
        if not narrative:
            return self
        overview, *others = self.sections
        covered = tuple(source for line in overview.lines for source in line.sources)
        return replace(
            self, sections=(overview, PageSection("## Narrative", (SummaryLine(narrative, covered),)), *others)
        )

    def render(self, old: str = "") -> str:
        """Return the file's text, with a person's additions and changes in its `old` text."""
        note = f"{_NOTE}{self.below}; what a person adds here is kept. <!-- {self.inputs} -->"
        pages = {f"# {self.title}": _Page([note])}
        pages |= {section.heading: _Page(section.lines) for section in self.sections if section.lines}
        for heading, lines in by_hand(old):
            pages.setdefault(heading, _Page([])).add(lines)
        return "\n\n".join(f"{heading}\n\n{page.text()}".rstrip() for heading, page in pages.items()) + "\n"


class _Page:
    """The lines under one heading: ours, then those of a person."""

    def __init__(self, ours: Sequence[SummaryLine | str]) -> None:
        self._ours = list(ours)
        self._theirs: list[str] = []

    def add(self, lines: Sequence[str]) -> None:
        """Add a person's lines; one that rewrites a line of ours replaces it."""
        rewritten = {told.sources for line in lines if (told := read(line)).sources}
        self._ours = [line for line in self._ours if isinstance(line, str) or line.sources not in rewritten]
        self._theirs += ["", *lines] if self._theirs or not "".join(lines[:1]).startswith(("- ", "* ")) else lines

    def text(self) -> str:
        """Return everything."""
        ours = [line if isinstance(line, str) else line.render() for line in self._ours]
        return "\n".join([*ours, *self._theirs]).strip("\n")


def by_hand(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the headings under which a person has written, with the text; a person's own headings too."""
    if _OLD_NOTE in text[:300]:
        return
    for heading, lines in _sections(text):
        theirs = [line for _, line in lines if not line.startswith(_NOTE) and not read(line).is_ours]
        kept = _trim_blanks(theirs)
        if kept or (heading and not _OURS.fullmatch(heading)):
            yield heading or _HAND, kept


_HAND = "## Notes"
"""The section for lines that a person wrote above every heading."""


def _trim_blanks(lines: Iterable[str]) -> list[str]:
    """Return lines without blank ones at either end, or several in a row."""
    kept: list[str] = []
    for line in lines:
        if line.strip() or (kept and kept[-1]):
            kept.append(line.rstrip())
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _sections(text: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """Yield each heading, the first of them empty, with its numbered lines; in a fence only ours are headings."""
    heading, lines, is_fenced = "", list[tuple[int, str]](), False
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith("```"):
            is_fenced = not is_fenced
        if _HEADING.match(line) and (not is_fenced or _OURS.fullmatch(line)):
            yield heading, lines
            heading, lines = line.rstrip(), []
        else:
            lines.append((number, line))
    yield heading, lines


@dataclass(frozen=True, slots=True)
class Placed:
    """A line of a summary with its position."""

    line: SummaryLine
    source: LineSource


@dataclass(frozen=True, slots=True)
class Page:
    """A summary read from its file; `path` is relative to the memory folder."""

    path: str
    sections: tuple[tuple[str, tuple[Placed, ...]], ...]

    @property
    def name(self) -> str:
        """The period of the summary."""
        return self.path.rpartition("/")[2].removesuffix(".md")

    def under(self, heading: str) -> tuple[Placed, ...]:
        """Return the lines under a heading; none if it is missing."""
        return tuple(placed for found, lines in self.sections if found == heading for placed in lines)


def page(path: str, text: str) -> Page:
    """Return the items of every list in a summary, including a person's."""
    return Page(
        path,
        tuple(
            (
                heading,
                tuple(
                    Placed(read(line), LineSource(path, number, mark(line)))
                    for number, line in lines
                    if line.startswith(("- ", "* ", "Coverage: "))
                ),
            )
            for heading, lines in _sections(text)
        ),
    )


def inputs(parts: Iterable[tuple[str, str]]) -> str:
    """Return a mark of a summary's inputs: the names and texts of the files below, in order."""
    digest = blake2b(_FORM.encode(), digest_size=8)
    for name, text in parts:
        digest.update(f"\0{name}\0".encode() + text.encode())
    return digest.hexdigest()


def inputs_of(text: str) -> str:
    """Return the mark of a summary's inputs, or "" if it has none."""
    found = _INPUTS.search(text)
    return found[1] if found else ""
