"""The validity of a fact: from the start of `valid_from` to the end of `valid_until` (S0 section 20)."""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.model import Fact, FactStatement
from mabos.workspace.clock import parse_time

Span = tuple[str, str]
"""`valid_from` and `valid_until`, each empty where there is no end."""
_LAST = datetime.max.replace(tzinfo=UTC)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def holds_at(fact: Fact | FactStatement, at: datetime) -> bool:
    """Return whether `fact` is valid at a moment; both ends belong to its time, and a last day counts whole."""
    if fact.valid_from and at < parse_time(fact.valid_from):
        return False
    return not fact.valid_until or at <= _end(fact.valid_until)


def check_validity(valid_from: str, valid_until: str) -> tuple[str, str]:
    """Return the two ends, empty or ISO times; raises `InvalidArgument` if not, or if the end comes first."""
    start, end = valid_from.strip(), valid_until.strip()
    begun = parse_time(start, argument="valid_from") if start else None
    parse_time(end or "2026-01-01", argument="valid_until")
    if begun is not None and end and _end(end) < begun:
        message = f"valid_until {end} lies before valid_from {start}; give them the other way round"
        raise InvalidArgument(message, argument="valid_until")
    return start, end


def moments(valid_from: str, valid_until: str) -> Iterator[datetime]:
    """Yield the moments when the validity begins, and when it has ended."""
    if valid_from:
        yield parse_time(valid_from)
    if valid_until:
        end = _end(valid_until)
        if end < _LAST:  # what is valid until the last day of all never ceases to hold
            yield end + timedelta(microseconds=1)


def intersection(spans: Iterable[Span]) -> Span:
    """Return the time in which all hold, as its two ends; each end is written as it was."""
    told = list(spans)
    starts = [start for start, _ in told if start]
    ends = [end for _, end in told if end]
    return max(starts, key=parse_time, default=""), min(ends, key=_end, default="")


def _end(text: str) -> datetime:
    moment = parse_time(text)
    return moment + timedelta(days=1, microseconds=-1) if _DATE.fullmatch(text.strip()) else moment
