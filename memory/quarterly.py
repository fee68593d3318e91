"""Summaries of quarters, from their months, compared with the quarter before (S1 section 8)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mabos.memory import digest
from mabos.memory.figures import Move, change, number, parse_move
from mabos.memory.lineage import LineSource, SummaryLine
from mabos.memory.periods import month_title
from mabos.memory.summary import Page, PageSection, Placed, Summary

STRATEGIC, TRENDS = "## Strategic Themes", "## Quarter-over-Quarter Trends"
_WEEK = re.compile(r"## (\d{4}-W\d\d)")
_ENTRIES = re.compile(r"\((?:[^();]*; )?(\d{1,9}) entr(?:y|ies)(?: on (\d{1,9}) days?)?\)")
_THEMES = 7


@dataclass(frozen=True, slots=True)
class _Topic:
    """A theme over months: how often it came up, when, and the lines that say so."""

    label: str
    entries: int
    days: int
    months: tuple[str, ...]
    sources: tuple[LineSource, ...]


def quarter_digest(period: str, months: Sequence[Page], before: Page, inputs: str) -> Summary | None:
    """Return the review of a quarter from its months, compared with the quarter `before`; None without days."""
    weeks = [
        (month, heading, lines)
        for month in months
        for heading, lines in month.sections
        if _WEEK.fullmatch(heading) and any(map(digest.find_date, lines))
    ]
    days = [placed for _, _, lines in weeks for placed in lines]
    if not days:
        return None
    topics = sorted(_topics(months), key=lambda one: (-one.days, -one.entries, one.label))
    entries = sum(_entries(placed)[0] for placed in days)
    overview = digest.coverage(len(days), entries, (digest.span(lines) for _, _, lines in weeks))
    sections = [
        PageSection("## Overview", (overview,)),
        PageSection(STRATEGIC, tuple(map(_topic, topics[:_THEMES]))),
        PageSection(
            TRENDS,
            (
                *_activity(overview, len(days), entries, before),
                *_compare_themes(topics, before),
                *_figures(months, before),
            ),
        ),
        PageSection("## Major Milestones", (*digest.foremost(_under(months, digest.MILESTONES)), *_ends(days))),
        PageSection(digest.DECISIONS, digest.foremost(_under(months, digest.DECISIONS))),
    ]
    for month in months:
        inner = tuple(_week(heading, lines) for home, heading, lines in weeks if home is month)
        sections.append(PageSection(f"## {month.name}", inner))
    told = [day for placed in days if (day := digest.find_date(placed)) is not None]
    return Summary(f"Quarterly Review: {period}", digest.below("the monthly summaries", told), inputs, tuple(sections))


def compared_with(before: Page) -> str:
    """Return the data that the next quarter takes from this review."""
    told = (placed for heading in ("## Overview", STRATEGIC, TRENDS) for placed in before.under(heading))
    return "\n".join(f"{placed.source.line} {placed.line.text}" for placed in told)


def _week(heading: str, lines: Sequence[Placed]) -> SummaryLine:
    entries = sum(_entries(placed)[0] for placed in lines)
    what = f"**{heading.removeprefix('## ')}** ({digest.count(len(lines), 'day')}, {digest.count(entries, 'entry')})"
    return digest.build_headline(what, lines)


def _entries(placed: Placed) -> tuple[int, int]:
    """Return how many entries on how many days a line speaks of; one, where it does not say."""
    found = _ENTRIES.search(placed.line.text)
    return (int(found[1]), int(found[2] or 1)) if found else (1, 1)


def _under(months: Sequence[Page], heading: str) -> Iterator[SummaryLine]:
    return (digest.promote_line(placed) for month in months for placed in month.under(heading))


def _ends(days: Sequence[Placed]) -> Iterator[SummaryLine]:
    """Yield how the quarter began and how it ended."""
    for what, placed in (("began with", days[0]), ("ended with", days[-1])):
        day, said = digest.find_date(placed), placed.line.text.partition("): ")[2]
        if len(days) > 1 and day is not None and said:
            yield SummaryLine(
                f"- {day} the quarter {what}: {said}", (placed.source,), placed.line.weight, placed.line.id
            )


def _topics(months: Iterable[Page]) -> Iterator[_Topic]:
    by_label: dict[str, list[tuple[str, Placed]]] = {}
    for month in months:
        for placed in month.under(digest.THEMES):
            by_label.setdefault(digest.extract_theme(placed.line.text), []).append((month.name, placed))
    for label, parts in by_label.items():
        counts = [_entries(placed) for _, placed in parts]
        yield _Topic(
            label=label,
            entries=sum(entries for entries, _ in counts),
            days=sum(days for _, days in counts),
            months=tuple(dict.fromkeys(month_title(name) for name, _ in parts)),
            sources=tuple(placed.source for _, placed in parts),
        )


def _topic(topic: _Topic) -> SummaryLine:
    told = f"{digest.count(topic.entries, 'entry')} on {digest.count(topic.days, 'day')}"
    return SummaryLine(f"- {topic.label} ({', '.join(topic.months)}; {told})", topic.sources)


def _activity(overview: SummaryLine, days: int, entries: int, before: Page) -> Iterator[SummaryLine]:
    """Yield how much was recorded, against the quarter before."""
    earlier = digest.find_coverage(before)
    if earlier is not None:
        placed, days_then, entries_then = earlier
        sources = (*overview.sources, placed.source)
        yield SummaryLine(f"- active days: {days}, {_against(days_then, days)}", sources)
        yield SummaryLine(f"- entries: {entries}, {_against(entries_then, entries)}", sources)


def _figures(months: Sequence[Page], before: Page) -> Iterator[SummaryLine]:
    """Yield the figures that moved, or that the quarter before states too."""
    past = {}
    for placed in before.under(TRENDS):
        if (then := parse_move(placed.line.text)) is not None:
            past[then.name, then.unit] = (then.last, placed.source)
    for now, sources in digest.track_figures(placed for month in months for placed in month.under(digest.FIGURES))[
        : digest.MOST
    ]:
        earlier = past.get((now.name, now.unit))
        if earlier is not None:
            since = Move(now.name, earlier[0], now.last, now.unit)
            by = change(since.first, since.last) or "from 0"
            yield SummaryLine(f"- {since.text()} ({by} since the quarter before)", (*sources, earlier[1]))
        else:
            yield SummaryLine(f"- {now.text()} ({change(now.first, now.last) or 'from 0'})", sources)


def _against(then: int, now: int) -> str:
    by = change(then, now)
    return f"{number(then)} the quarter before" + (f" ({by})" if by else "")


def _compare_themes(topics: Sequence[_Topic], before: Page) -> Iterator[SummaryLine]:
    then = {digest.extract_theme(placed.line.text): placed for placed in before.under(STRATEGIC)}
    if not then:
        return
    known = {topic.label: topic for topic in topics}
    for topic in topics[:_THEMES]:
        if (earlier := then.get(topic.label)) is not None:
            told = f"{digest.count(topic.entries, 'entry')}, {_against(_entries(earlier)[0], topic.entries)}"
            yield SummaryLine(f"- {topic.label}: {told}", (*topic.sources, earlier.source))
        else:
            yield SummaryLine(
                f"- {topic.label}: new among the themes, {digest.count(topic.entries, 'entry')}", topic.sources
            )
    for label, placed in then.items():
        if label not in known:
            entries = digest.count(_entries(placed)[0], "entry")
            yield SummaryLine(f"- {label}: no longer among the themes, {entries} the quarter before", (placed.source,))
