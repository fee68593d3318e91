"""The content of a daily log, one line per entry: the leaves of the hierarchy."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from mabos.memory.daily import LogEntry
from mabos.memory.lineage import LineSource, SummaryLine, mark

NOTABLE = 0.6
"""From this importance on an entry speaks for itself (S0 section 6)."""
_LONGEST = 240
_BULLET = re.compile(r"^[-*+] (?:\[[ xX]\] )?")
_DECIDED = re.compile(r"\b(?:decided|decision:|agreed|adopted|approved|rejected)", re.IGNORECASE)
_ACHIEVED = re.compile(r"\b(?:achieved|completed|launched|shipped|signed|delivered|won|milestone)\b", re.IGNORECASE)
_REPEATS = "[Consolidated from "


@dataclass(frozen=True, slots=True)
class LogLine:
    """An entry of a log in one line."""

    day: date
    text: str
    source: LineSource
    last: int
    type: str = ""
    weight: float = 0.5
    tags: tuple[str, ...] = ()
    id: str = ""

    @property
    def repeats(self) -> bool:
        """Return whether it only condenses logged entries, and must not be counted again."""
        return self.text.startswith(_REPEATS)

    @property
    def decides(self) -> bool:
        """Return whether it is a decision, by type or, for an important or a person's entry, by words."""
        return self.type == "decision" or (self._speaks and _DECIDED.search(self.text) is not None)

    @property
    def achieves(self) -> bool:
        """Return whether it is an outcome, by type or, for an important or a person's entry, by words or tags."""
        if self.type == "outcome":
            return True
        return self._speaks and not self.decides and _ACHIEVED.search(f"{self.text} {' '.join(self.tags)}") is not None

    @property
    def _speaks(self) -> bool:
        return self.weight >= NOTABLE or not self.id

    @property
    def rank(self) -> tuple[bool, bool, bool, float]:
        """The sort key that puts the most notable entries of a day first."""
        return (not self.repeats, self.decides or self.achieves, not self.id, self.weight)

    def line(self, before: str = "- ") -> SummaryLine:
        """Return it as a line of a summary."""
        return SummaryLine(before + self.text, (self.source,), self.weight, self.id)


def build_log_lines(entries: Iterable[LogEntry]) -> list[LogLine]:
    """Return the lines of entries, in order; a person's heading without text below is bold."""
    found = list(entries)
    below = [*found[1:], None]
    return [
        _build_log_line(entry)
        for entry, after in zip(found, below, strict=True)
        if not _is_heading(entry) or after is None or _is_heading(after)
    ]


def _is_heading(entry: LogEntry) -> bool:
    return not entry.id and entry.text.startswith("#")


def _build_log_line(entry: LogEntry) -> LogLine:
    first = entry.text.split("\n", 1)[0]
    return LogLine(
        day=entry.day,
        text=short(entry.content or _flatten_markup(entry.text)),
        source=LineSource(f"{entry.day.isoformat()}.md", entry.line, mark(first)),
        last=entry.line + entry.text.count("\n"),
        type=entry.type,
        weight=entry.importance if entry.id else 0.5,
        tags=entry.tags,
        id=entry.id,
    )


def _flatten_markup(text: str) -> str:
    if text.startswith("#"):
        return f"**{text.lstrip('# ').strip()}**"
    return _BULLET.sub("", text)


def short(text: str, longest: int = _LONGEST) -> str:
    """Return `text` on one line, cut between words if it is too long."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line or "…"
    return line[:longest].rpartition(" ")[0].strip() + " …" if " " in line[:longest] else line[:longest] + "…"
