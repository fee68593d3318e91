"""Lenient parsing of times that people and machines write in a mind: "end of Q2" is not an error."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from mabos.configs.errors import InvalidArgument
from mabos.workspace.clock import parse_time

_LAST_DAY = datetime(9999, 12, 31, tzinfo=UTC)  # as people write "never"; it has no day after


@lru_cache(maxsize=8192)
def moment(text: str) -> datetime | None:
    """Return the time that `text` names, or None."""
    if not text.strip():
        return None
    try:
        return parse_time(text)
    except (InvalidArgument, OverflowError):
        return None


def due(text: str) -> datetime | None:
    """Return the moment a deadline passes; a bare date passes at the end of that day."""
    at = moment(text)
    if at is None or len(text.strip()) > len("2026-01-01"):
        return at
    return at + timedelta(days=1) if at < _LAST_DAY else _LAST_DAY


def is_past(deadline: str, now: datetime) -> bool:
    """Return whether `deadline` has passed; an unreadable one has not."""
    at = due(deadline)
    return at is not None and at <= now


def days(span: timedelta) -> float:
    """Return a duration in days."""
    return span.total_seconds() / 86400


def latest(*texts: str) -> datetime | None:
    """Return the latest readable time, or None."""
    return max((at for at in map(moment, texts) if at is not None), default=None)
