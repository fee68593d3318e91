"""Summaries of weeks, from the daily logs: themes, decisions, milestones, figures, and each day (S1 section 17)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby

from mabos.memory.daily import LogEntry
from mabos.memory.digest import DECISIONS, FIGURES, MILESTONES, MOST, THEMES, below, count, coverage, foremost
from mabos.memory.figures import Move, figures
from mabos.memory.lineage import LineSource, SummaryLine
from mabos.memory.periods import weekday_name
from mabos.memory.summary import PageSection, Summary
from mabos.memory.themes import Theme, themes
from mabos.memory.told import LogLine, build_log_lines

_DAY = 5
"""The most entries told of one day."""
_THEMES = 6
"""The most themes of a week, each with links to its days, so that a week stays shorter than they are."""


def week_digest(period: str, days: Mapping[date, Sequence[LogEntry]], inputs: str) -> Summary | None:
    """Return the summary of a week from the entries of its daily logs; None without entries."""
    leaves = {day: build_log_lines(entries) for day, entries in sorted(days.items()) if entries}
    if not leaves:
        return None
    every = [one for entries in leaves.values() for one in entries]
    sections = [
        PageSection("## Overview", (coverage(len(leaves), len(every), map(_run, leaves.values())),)),
        PageSection(THEMES, tuple(_theme(theme) for theme in themes(every, _THEMES))),
        PageSection(DECISIONS, foremost(one.line(f"- {one.day} ") for one in every if one.decides and not one.repeats)),
        PageSection(
            MILESTONES, foremost(one.line(f"- {one.day} ") for one in every if one.achieves and not one.repeats)
        ),
        PageSection(FIGURES, tuple(_figures(every))),
    ]
    sections += [PageSection(f"## {weekday_name(day)} {day}", tuple(_day(entries))) for day, entries in leaves.items()]
    return Summary(f"Weekly Summary: {period}", below("the daily logs", list(leaves)), inputs, tuple(sections))


def _run(entries: Sequence[LogLine]) -> LineSource:
    first = entries[0].source
    return LineSource(first.path, first.line, first.mark, entries[-1].last)


def _theme(theme: Theme) -> SummaryLine:
    days = f" on {len(theme.days)} days" if len(theme.days) > 1 else ""
    return SummaryLine(f"- {theme.label} ({count(theme.entries, 'entry')}{days})", theme.sources)


def _figures(every: Iterable[LogLine]) -> Iterator[SummaryLine]:
    stated: dict[tuple[str, str], list[tuple[float, LineSource]]] = {}
    for one in every:
        for figure in () if one.repeats else figures(one.text):
            stated.setdefault((figure.name, figure.unit), []).append((figure.value, one.source))
    often = sorted(stated.items(), key=lambda pair: -len(pair[1]))[:MOST]
    for (name, unit), values in often:
        sources = tuple(dict.fromkeys(source for _, source in values))
        yield SummaryLine(f"- {Move(name, values[0][0], values[-1][0], unit).text()}", sources)


def _day(entries: Sequence[LogLine]) -> Iterator[SummaryLine]:
    """Yield the entries of a day in their order; of a day with many, the notable ones and how many more there were."""
    chosen = set(sorted(range(len(entries)), key=lambda at: (*(-part for part in entries[at].rank), at))[:_DAY])
    yield from (one.line() for at, one in enumerate(entries) if at in chosen)
    rest = [(at, one) for at, one in enumerate(entries) if at not in chosen]
    runs = [
        _run([one for _, (_, one) in members])
        for _, members in groupby(enumerate(rest), key=lambda pair: pair[0] - pair[1][0])
    ]
    if rest:
        yield SummaryLine(f"- and {len(rest)} more", tuple(runs))
