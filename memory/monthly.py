"""Summaries of months from those of their weeks, counting only the days of the month (S1 section 8)."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from mabos.memory import digest
from mabos.memory.lineage import LineSource, SummaryLine
from mabos.memory.periods import days_of_week, month_name, weekday_name
from mabos.memory.summary import Page, PageSection, Placed, Summary
from mabos.memory.themes import Theme, patterns, spans

_PATTERNS = 3
_DAY = re.compile(r"## \w+day (\d{4}-\d\d-\d\d)")
_MORE = re.compile(r"[-*] and (\d{1,9}) more\b")
_STATED = re.compile(r"\((\d{1,9}) entr(?:y|ies)\b[^()]*\)$")
Inside = Callable[[date], bool]


@dataclass(frozen=True, slots=True)
class _Share:
    """A month's part of a week's theme: entries, days, and the lines of the logs."""

    entries: int
    days: tuple[date, ...]
    leaves: tuple[LineSource, ...]


def month_digest(period: str, weeks: Sequence[Page], inputs: str) -> Summary | None:
    """Return the summary of a month from its weeks, each day of the month once; None without weeks."""

    def inside(day: date) -> bool:
        return month_name(day) == period

    by_week = {week.name: [(day, lines) for day, lines in told_days(week) if inside(day)] for week in weeks}
    days = {day: lines for told in by_week.values() for day, lines in told}
    if not days:
        return None
    found = sorted(_themes(weeks, inside), key=lambda theme: theme.rank)
    entries = sum(_entries(placed) for lines in days.values() for placed in lines)
    sections = [
        PageSection("## Overview", (digest.coverage(len(days), entries, map(digest.span, days.values())),)),
        PageSection(digest.THEMES, tuple(_theme(theme) for theme in found[: digest.MOST])),
        PageSection(
            "## Patterns",
            tuple(SummaryLine(f"- {one.text}", one.sources) for one in patterns(found, list(days), _PATTERNS)),
        ),
        PageSection(digest.DECISIONS, digest.foremost(_select_dated(weeks, digest.DECISIONS, inside))),
        PageSection(digest.MILESTONES, digest.foremost(_select_dated(weeks, digest.MILESTONES, inside))),
        PageSection(digest.FIGURES, tuple(digest.moves(_figures(weeks, inside)))),
    ]
    sections += [
        PageSection(f"## {name}", tuple(_day(day, lines) for day, lines in told)) for name, told in by_week.items()
    ]
    return Summary(
        f"Monthly Summary: {period}", digest.below("the weekly summaries", list(days)), inputs, tuple(sections)
    )


def told_days(week: Page) -> Iterator[tuple[date, tuple[Placed, ...]]]:
    """Yield the days of a week, each with its lines."""
    for heading, lines in week.sections:
        found = _DAY.fullmatch(heading)
        if found is not None and lines and (day := digest.day_of(found[1])) is not None:
            yield day, lines


def _day(day: date, lines: Sequence[Placed]) -> SummaryLine:
    entries = sum(map(_entries, lines))
    return digest.build_headline(f"**{weekday_name(day)} {day}** ({digest.count(entries, 'entry')})", lines)


def _entries(placed: Placed) -> int:
    more = _MORE.match(placed.line.text)
    return int(more[1]) if more else 1


def _select_dated(weeks: Sequence[Page], heading: str, inside: Inside) -> Iterator[SummaryLine]:
    for week in weeks:
        for placed in week.under(heading):
            day = digest.find_date(placed)
            if day is not None and inside(day):
                yield digest.promote_line(placed)


def _themes(weeks: Sequence[Page], inside: Inside) -> Iterator[Theme]:
    """Yield the themes of the weeks, counted on the days of the month alone."""
    by_label: dict[str, list[tuple[Placed, _Share]]] = {}
    for week in weeks:
        for placed in week.under(digest.THEMES):
            share = _share(placed, week, inside)
            if share.days:
                by_label.setdefault(digest.extract_theme(placed.line.text), []).append((placed, share))
    for label, parts in by_label.items():
        yield Theme(
            label=label,
            entries=sum(share.entries for _, share in parts),
            days=tuple(sorted({day for _, share in parts for day in share.days})),
            sources=tuple(placed.source for placed, _ in parts),
            leaves=frozenset(
                replace(leaf, line=n, last=0, mark="") for _, one in parts for leaf in one.leaves for n in leaf.lines
            ),
        )


def _share(placed: Placed, week: Page, inside: Inside) -> _Share:
    leaves = placed.line.sources
    if not leaves:
        # A theme that a person named: of the week, as far as it lies in the month.
        return _Share(1, tuple(day for day in days_of_week(week.name) if inside(day))[:1], (placed.source,))
    days = {
        path: day for path in {leaf.path for leaf in leaves} if (day := digest.day_of(path)) is not None and inside(day)
    }
    shown = tuple(leaf for leaf in leaves if leaf.path in days)
    stated = _STATED.search(placed.line.text)
    lines = sum(len(leaf.lines) for leaf in shown)
    entries = int(stated[1]) if stated and len(shown) == len(leaves) else lines
    return _Share(entries, tuple(days.values()), shown)


def _theme(theme: Theme) -> SummaryLine:
    weeks = f"week{'s' * (len(theme.weeks) > 1)} {spans(theme.weeks)}"
    days = digest.count(len(theme.days), "day")
    return SummaryLine(f"- {theme.label} ({weeks}; {digest.count(theme.entries, 'entry')} on {days})", theme.sources)


def _figures(weeks: Sequence[Page], inside: Inside) -> Iterator[Placed]:
    """Yield the figures of the weeks whose last mention falls in the month."""
    for week in weeks:
        last = days_of_week(week.name)[-1]
        for placed in week.under(digest.FIGURES):
            leaves = placed.line.sources
            if inside((digest.day_of(leaves[-1].path) if leaves else None) or last):
                yield placed
