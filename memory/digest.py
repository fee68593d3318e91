"""What a week, a month or a quarter came to, in Markdown, by tags, types and importance (S1 sections 7 and 17)."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from itertools import groupby

from memory.daily import Entry
from memory.periods import month_name, week_name, weekday_name

Days = Mapping[date, list[Entry]]
_NOTABLE = 0.6
_THEMES = 7
_TELLING = ("decision", "outcome", "lesson")


def week_digest(period: str, days: Days) -> str:
    """Return the weekly digest: overview, themes, decisions, then every entry under its day."""
    parts = [f"# Weekly Summary: {period}", _source(days), _overview(days)]
    parts += _section("## Key Themes", _themes(days))
    parts += _section("## Key Decisions", _told(days, lambda entry: entry.type == "decision"))
    parts += [_day("##", day, entries) for day, entries in sorted(days.items())]
    return "\n\n".join(parts) + "\n"


def month_digest(period: str, days: Days) -> str:
    """Return the monthly digest: themes, patterns, decisions, then the month's days under their weeks, each once."""
    parts = [f"# Monthly Summary: {period}", _source(days), _overview(days)]
    parts += _section("## Key Themes", _themes(days))
    parts += _section("## Patterns", _patterns(days))
    parts += _section("## Key Decisions", _told(days, lambda entry: entry.type == "decision"))
    for week, group in groupby(sorted(days), key=week_name):
        parts += [f"## {week}", *(_day("###", day, days[day]) for day in group)]
    return "\n\n".join(parts) + "\n"


def quarter_digest(period: str, days: Days) -> str:
    """Return the quarterly review: themes, milestones, decisions, then what was notable in each month."""
    parts = [f"# Quarterly Review: {period}", _source(days), _overview(days)]
    parts += _section("## Strategic Themes", _themes(days))
    parts += _section("## Major Milestones", _told(days, lambda entry: entry.type == "outcome"))
    parts += _section("## Key Decisions", _told(days, lambda entry: entry.type == "decision"))
    for month, group in groupby(sorted(days), key=month_name):
        within = {day: days[day] for day in group}
        parts += [f"## {month}", _bullets(_themes(within) + _told(within, _notable)) or "Nothing of note."]
    return "\n\n".join(parts) + "\n"


def _source(days: Days) -> str:
    logged = sorted(days)
    return f"> Derived from the daily logs of {logged[0]} to {logged[-1]}; edit those, not this file."


def _overview(days: Days) -> str:
    count = sum(map(len, days.values()))
    return f"## Overview\n\nCoverage: {_number(len(days), 'day')} with recorded activity, {_number(count, 'entry')}."


def _number(count: int, noun: str) -> str:
    if count == 1:
        return f"1 {noun}"
    return f"{count} {noun[:-1]}ies" if noun.endswith("y") and noun != "day" else f"{count} {noun}s"


def _entries(days: Days) -> list[Entry]:
    return [entry for _, entries in sorted(days.items()) for entry in entries]


def _themes(days: Days) -> list[str]:
    counts = Counter(tag for entry in _entries(days) for tag in entry.tags)
    common = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:_THEMES]
    return [f"{tag} ({_number(count, 'entry')})" for tag, count in common]


def _patterns(days: Days) -> list[str]:
    """Tell the tags that came back in more than one week: what recurs is a pattern, what peaks is an event."""
    weeks: dict[str, set[str]] = {}
    for entry in _entries(days):
        for tag in entry.tags:
            weeks.setdefault(tag, set()).add(week_name(entry.day))
    recurring = sorted((pair for pair in weeks.items() if len(pair[1]) > 1), key=lambda pair: (-len(pair[1]), pair[0]))
    return [f"{tag} recurred in {', '.join(sorted(found))}" for tag, found in recurring[:_THEMES]]


def _notable(entry: Entry) -> bool:
    return entry.importance >= _NOTABLE or entry.type in _TELLING or not entry.id


def _told(days: Days, chosen: Callable[[Entry], bool]) -> list[str]:
    return [
        f"{entry.day} {entry.content or entry.text.removeprefix('- ')}" for entry in _entries(days) if chosen(entry)
    ]


def _section(heading: str, lines: Iterable[str]) -> list[str]:
    bullets = _bullets(lines)
    return [heading, bullets] if bullets else []


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join("- " + line.replace("\n", "\n  ") for line in lines)


def _day(level: str, day: date, entries: Iterable[Entry]) -> str:
    body = "\n".join(_demoted(entry.text) for entry in entries)
    return f"{level} {weekday_name(day)} {day.isoformat()}\n\n{body or 'No entries.'}"


def _demoted(text: str) -> str:
    """Return a line of a log so that a person's heading in it does not end the day's section."""
    return f"**{text.lstrip('# ').strip()}**" if text.startswith("#") else text
