"""Headings and lines that the summaries of weeks, months and quarters share (S1 section 7).

Each summary is built from the files one level below: `weekly` from daily logs, `monthly` from weeks, `quarterly` from
months and the previous quarter. So a line that a person adds to a week appears in its month too.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from mabos.memory.figures import Move, parse_move
from mabos.memory.lineage import LineSource, SummaryLine
from mabos.memory.summary import Page, Placed
from mabos.memory.told import short

THEMES, DECISIONS, MILESTONES, FIGURES = "## Key Themes", "## Key Decisions", "## Milestones", "## Figures"
MOST = 12
"""The most lines of a section, or of a day."""
_HEADLINE = 160
_COVERAGE = re.compile(r"Coverage: (\d{1,9}) days? with recorded activity, (\d{1,9}) entr")
_LABEL = re.compile(r"[-*] (?P<label>.+?)(?: \([^()]*\))?$")
_DATED = re.compile(r"[-*] (?:\*\*\w+day )?(\d{4}-\d\d-\d\d)\b")


def below(what: str, days: Sequence[date]) -> str:
    """Return a description of a summary's inputs."""
    return f"{what} of {days[0]} to {days[-1]}" if len(days) > 1 else f"{what} of {days[0]}"


def coverage(days: int, entries: int, sources: Iterable[LineSource]) -> SummaryLine:
    """Return the line that states how much was recorded."""
    told = f"Coverage: {count(days, 'day')} with recorded activity, {count(entries, 'entry')}."
    return SummaryLine(told, tuple(sources))


def find_coverage(page: Page) -> tuple[Placed, int, int] | None:
    """Return the line that states how much was recorded, with its days and entries, or None."""
    for placed in page.under("## Overview"):
        found = _COVERAGE.match(placed.line.text)
        if found is not None:
            return placed, int(found[1]), int(found[2])
    return None


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural if needed.

    >>> count(1, "entry"), count(2, "entry"), count(0, "day")
    ('1 entry', '2 entries', '0 days')
    """
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun[:-1]}ies" if noun == "entry" else f"{number} {noun}s"


def foremost(lines: Iterable[SummaryLine], most: int = MOST) -> tuple[SummaryLine, ...]:
    """Return the heaviest lines in their order, without repeated texts."""
    known = list({line.text: line for line in lines}.values())
    chosen = sorted(range(len(known)), key=lambda at: (-known[at].weight, at))[:most]
    return tuple(known[at] for at in sorted(chosen))


def day_of(text: str) -> date | None:
    """Return the day at the start of `text`, or None."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def find_date(placed: Placed) -> date | None:
    """Return the first day in a line, or None."""
    found = _DATED.match(placed.line.text)
    return day_of(found[1]) if found else None


def span(lines: Sequence[Placed]) -> LineSource:
    """Return consecutive lines as one source."""
    first = lines[0].source
    return LineSource(first.path, first.line, first.mark, lines[-1].source.line)


def promote_line(placed: Placed) -> SummaryLine:
    """Return a line of the level below as one of this level; a person's own line has the greatest weight."""
    line = placed.line
    return SummaryLine(f"- {line.text[2:]}", (placed.source,), line.weight if line.sources else 1.0, line.id)


def extract_theme(text: str) -> str:
    """Return the theme named in a line."""
    found = _LABEL.match(text)
    return found["label"] if found else text


def moves(stated: Iterable[Placed]) -> Iterator[SummaryLine]:
    """Yield how figures changed from the first to the last of `stated`, most frequent first."""
    for move, sources in track_figures(stated)[:MOST]:
        yield SummaryLine(f"- {move.text()}", sources)


def track_figures(stated: Iterable[Placed]) -> list[tuple[Move, tuple[LineSource, ...]]]:
    """Return how each figure changed, with the supporting lines, most frequent first."""
    by_name: dict[tuple[str, str], list[tuple[Move, LineSource]]] = {}
    for placed in stated:
        move = parse_move(placed.line.text)
        if move is not None:
            by_name.setdefault((move.name, move.unit), []).append((move, placed.source))
    return [
        (Move(name, parts[0][0].first, parts[-1][0].last, unit), tuple(source for _, source in parts))
        for (name, unit), parts in sorted(by_name.items(), key=lambda pair: -len(pair[1]))
    ]


def build_headline(what: str, lines: Sequence[Placed]) -> SummaryLine:
    """Return one line for several, led by the heaviest of them."""
    top = max(lines, key=lambda placed: (placed.line.weight, -placed.source.line))
    before, colon, after = top.line.text.partition("): ")
    said = after if colon and before.startswith("- **") else top.line.text[2:]
    return SummaryLine(f"- {what}: {short(said, _HEADLINE)}", (span(lines),), top.line.weight, top.line.id)
