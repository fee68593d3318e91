"""R2: summaries of weeks, months and quarters, derived from the daily logs, and their search (S0 section 7).

A summary's head lists its inputs, so only summaries with changed inputs are rebuilt; a rebuild gives the same bytes. A
person's text in a summary is kept (`summary`). A summary outlives its logs: a past week is not rebuilt from fewer days
than it covers.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Literal

from mabos.configs.errors import Damaged
from mabos.memory import daily
from mabos.memory.lineage import plain
from mabos.memory.monthly import month_digest, told_days
from mabos.memory.narrative import Narrate
from mabos.memory.periods import (
    days_of_week,
    last_day,
    month_name,
    months_of_quarter,
    quarter_before,
    quarter_name,
    week_name,
)
from mabos.memory.quarterly import compared_with, quarter_digest
from mabos.memory.summary import Page, Summary, inputs, inputs_of, page
from mabos.memory.weekly import week_digest
from mabos.workspace.atomic import write_atomic
from mabos.workspace.regular import as_text
from mabos.workspace.text import query_terms

Scope = Literal["week", "month", "quarter", "all"]
Level = Literal["daily", "weekly", "monthly", "quarterly"]
_NAMED: dict[Level, Callable[[date], str]] = {"weekly": week_name, "monthly": month_name, "quarterly": quarter_name}
_SCOPES: dict[Scope, tuple[Level, ...]] = {
    "week": ("weekly",),
    "month": ("monthly",),
    "quarter": ("quarterly",),
    "all": ("weekly", "monthly", "quarterly"),
}


@dataclass(frozen=True, slots=True)
class Built:
    """The existing summaries in scope after a build, and all files written, including those below them."""

    files: tuple[Path, ...]
    written: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class DigestHit:
    """A file that matches a search: its best line, and how many of the query's terms it contains."""

    path: Path
    line: int
    text: str
    score: int
    matched: tuple[str, ...]


def build(directory: Path, scope: Scope = "all", since: date | None = None, *, narrate: Narrate | None = None) -> Built:
    """Update the summaries of every week, month and quarter that has a day with a log on or after `since`.

    `directory` is the agent's folder. The inputs of a summary in scope are updated first, but files of periods that end
    before `since` are not written. `narrate` may narrate rebuilt summaries.
    """
    tree = _SummaryTree(directory / "memory", narrate, since)
    return _build_summaries(tree, _SCOPES[scope], [day for day in tree.days if since is None or day >= since])


def build_due(directory: Path, today: date, *, narrate: Narrate | None = None) -> Built:
    """Update the summaries of the week of `today` and of every logged week that has none yet.

    The months and quarters of a week are updated with it. A heartbeat does this on Sundays, also after a pause.
    """
    memory = directory / "memory"
    this = week_name(today)
    due = [day for day in daily.days(memory) if week_name(day) == this or not _summary(memory, week_name(day)).exists()]
    return _build_summaries(_SummaryTree(memory, narrate), ("weekly", "monthly", "quarterly"), due)


def _summary(memory: Path, week: str) -> Path:
    return memory / "weekly" / f"{week}.md"


def _build_summaries(tree: "_SummaryTree", levels: Iterable[Level], days: Sequence[date]) -> Built:
    files = [tree.make(level, period) for level in levels for period in dict.fromkeys(map(_NAMED[level], days))]
    return Built(tuple(path for path in files if path is not None), tuple(tree.written))


class _SummaryTree:
    """The hierarchy of one memory folder during one build: each summary is made at most once, after those below it."""

    def __init__(self, memory: Path, narrate: Narrate | None, since: date | None = None) -> None:
        self.days = daily.days(memory)
        self.written: list[Path] = []
        self._memory = memory
        self._narrate = narrate
        self._since = since
        self._logged = frozenset(self.days)
        self._made: dict[tuple[Level, str], Path | None] = {}
        self._texts: dict[str, str] = {}
        self._read: dict[str, Page] = {}

    def make(self, level: Level, period: str) -> Path | None:
        """Bring a summary and all it is made of up to date; returns its file, or None where nothing was logged."""
        known = (level, period)
        if known not in self._made:
            self._made[known] = {"weekly": self._week, "monthly": self._month, "quarterly": self._quarter}[level](
                period
            )
        return self._made[known]

    def _week(self, period: str) -> Path | None:
        week = days_of_week(period)
        texts = {day: _text(self._memory / f"{day.isoformat()}.md") for day in week if day in self._logged}

        def digest(made_of: str) -> Summary | None:
            told = (day for old in self._pages([f"weekly/{period}.md"]) for day, _ in told_days(old))
            if self.days[-1] > week[-1] and not texts.keys() >= set(told):
                return None
            return week_digest(period, {day: daily.parse_log(text, day) for day, text in texts.items()}, made_of)

        return self._write(f"weekly/{period}.md", [(f"{day}", text) for day, text in texts.items()], digest)

    def _month(self, period: str) -> Path | None:
        weeks = self._below("weekly", (week_name(day) for day in self.days if month_name(day) == period))
        below = [(name, self._text(name)) for name in weeks]
        return self._write(
            f"monthly/{period}.md", below, lambda made_of: month_digest(period, self._pages(weeks), made_of)
        )

    def _quarter(self, period: str) -> Path | None:
        earlier = quarter_before(period)
        name = f"quarterly/{earlier}.md"
        if not self._text(name) and any(quarter_name(day) == earlier for day in self.days):
            self.make("quarterly", earlier)
        before = next(iter(self._pages([name])), Page(name, ()))
        months = self._below("monthly", months_of_quarter(period))
        below = [(month, self._text(month)) for month in months]

        def digest(made_of: str) -> Summary | None:
            return quarter_digest(period, self._pages(months), before, made_of)

        return self._write(f"quarterly/{period}.md", [*below, (name, compared_with(before))] if below else [], digest)

    def _below(self, level: Level, periods: Iterable[str]) -> list[str]:
        names = []
        for period in dict.fromkeys(periods):
            self.make(level, period)
            names.append(f"{level}/{period}.md")
        return [name for name in names if self._text(name)]

    def _text(self, name: str) -> str:
        """Return a summary's current text, or "" if there is none."""
        if name not in self._texts:
            self._texts[name] = _text(self._memory / name)
        return self._texts[name]

    def _pages(self, names: Iterable[str]) -> list[Page]:
        for name in names:
            if name not in self._read and self._text(name):
                self._read[name] = page(name, self._text(name))
        return [self._read[name] for name in names if name in self._read]

    def _write(
        self, name: str, below: Sequence[tuple[str, str]], digest: Callable[[str], Summary | None]
    ) -> Path | None:
        """Write a summary unless its inputs are unchanged; return its file, or None if there is none."""
        path, old = self._memory / name, self._text(name)
        made_of = inputs(below)
        made = digest(made_of) if below and inputs_of(old) != made_of else None
        if made is None:
            return path if old else None
        if self._since is not None and last_day(path.stem) < self._since:
            # What is above it still needs its content; only the file stays as it is.
            self._texts[name] = made.render(old)
            self._read.pop(name, None)
            return path if old else None
        if self._narrate is not None:
            made = made.add_narrative(self._narrate(made))
        # Read once more: a person may have saved an edit while the summary was made.
        text = made.render(_text(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, text, durable=False)
        self._texts[name] = text
        self._read.pop(name, None)
        self.written.append(path)
        return path


def _text(path: Path) -> str:
    try:
        return as_text(path)
    except FileNotFoundError:
        return ""
    except OSError as error:
        message = f"{path} cannot be read ({error.strerror}); make it a readable file, or move it away"
        raise Damaged(message) from error


def search(directory: Path, query: str, level: Level, limit: int = 10) -> list[DigestHit]:
    """Return the files of `level` that match, those with the most distinct terms of the query first, then newest.

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
    return sorted(path for path in (memory / level).glob("*.md") if not path.name.startswith("."))  # an editor's locks


def _match(path: Path, wanted: Sequence[str]) -> DigestHit | None:
    told = plain(_text(path))
    whole = told.lower()
    matched = tuple(term for term in wanted if term in whole)
    if not matched:
        return None
    lines = told.split("\n")
    counts = [sum(term in line.lower() for term in matched) for line in lines]
    best = counts.index(max(counts))
    return DigestHit(path, best + 1, lines[best].strip(), len(matched), matched)
