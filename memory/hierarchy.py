"""R2: digests of weeks, months and quarters, derived from the daily logs, and the search in them (S0 section 7).

Every digest is rendered from the logs of exactly its own days, so a day is told once and never by a neighbour. Building
again changes nothing unless a log changed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

from memory import daily
from memory.digest import month_digest, quarter_digest, week_digest
from memory.periods import monday_of, month_name, quarter_name, week_name
from workspace.atomic import write_atomic
from workspace.text import query_terms

Scope = Literal["week", "month", "quarter", "all"]
Level = Literal["daily", "weekly", "monthly", "quarterly"]
Days = dict[date, list[daily.Entry]]
Digest = Callable[[str, Days], str]

_LEVELS: dict[str, tuple[Callable[[date], str], Digest]] = {
    "weekly": (week_name, week_digest),
    "monthly": (month_name, month_digest),
    "quarterly": (quarter_name, quarter_digest),
}
_SCOPES: dict[str, tuple[str, ...]] = {
    "week": ("weekly",),
    "month": ("monthly",),
    "quarter": ("quarterly",),
    "all": ("weekly", "monthly", "quarterly"),
}


@dataclass(frozen=True, slots=True)
class Built:
    """The digests that exist after a build, and which of them were new or had changed."""

    files: tuple[Path, ...]
    written: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class DigestHit:
    """A file that matches a search: its best line, and how many of the query's terms the file holds."""

    path: Path
    line: int
    text: str
    score: int
    matched: tuple[str, ...]


def build(directory: Path, scope: Scope = "all", since: date | None = None) -> Built:
    """Build the digests of every week, month and quarter that has a day with a log on or after `since`.

    `directory` is the agent's folder.
    """
    memory = directory / "memory"
    known = daily.days(memory)
    files: list[Path] = []
    written: list[Path] = []
    for level in _SCOPES[scope]:
        named = _LEVELS[level][0]
        for period in dict.fromkeys(named(day) for day in known if since is None or day >= since):
            path, changed = _build(memory, level, period, [day for day in known if named(day) == period])
            files.append(path)
            written += [path] if changed else []
    return Built(tuple(files), tuple(written))


def build_weekly(directory: Path, monday: date) -> Path | None:
    """Build the digest of the ISO week of `monday` and return its file; None where the week has no log."""
    monday = monday_of(monday)
    memory = directory / "memory"
    week = {monday + timedelta(days=offset) for offset in range(7)}
    logged = [day for day in daily.days(memory) if day in week]
    return _build(memory, "weekly", week_name(monday), logged)[0] if logged else None


def _build(memory: Path, level: str, period: str, days: Sequence[date]) -> tuple[Path, bool]:
    path = memory / level / f"{period}.md"
    text = _LEVELS[level][1](period, {day: daily.entries(memory, day) for day in days})
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return path, False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, text, durable=False)
    return path, True


def search(directory: Path, query: str, level: Level, limit: int = 10) -> list[DigestHit]:
    """Return the files of `level` that match, those with the most different terms of the query first, then the newest.

    A term matches as part of a word too, so that "run" finds "runway" (S0 section 7).
    """
    wanted = query_terms(query)
    hits = [hit for path in _files(directory / "memory", level) if (hit := _match(path, wanted)) is not None]
    hits.sort(key=lambda hit: hit.path.name, reverse=True)
    hits.sort(key=lambda hit: hit.score, reverse=True)
    return hits[: max(0, limit)]


def _files(memory: Path, level: Level) -> list[Path]:
    if level == "daily":
        return [memory / f"{day.isoformat()}.md" for day in daily.days(memory)]
    return sorted((memory / level).glob("*.md"))


def _match(path: Path, wanted: Sequence[str]) -> DigestHit | None:
    text = path.read_text(encoding="utf-8", errors="replace")
    whole = text.lower()
    matched = tuple(term for term in wanted if term in whole)
    if not matched:
        return None
    lines = text.splitlines()
    counts = [sum(term in line.lower() for term in matched) for line in lines]
    best = counts.index(max(counts))
    return DigestHit(path, best + 1, lines[best].strip(), len(matched), matched)
