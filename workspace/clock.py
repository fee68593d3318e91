"""Time as a value: every clock is a callable that returns an aware UTC `datetime`."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from mabos.configs.errors import InvalidArgument

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


def frozen_clock(at: datetime) -> Clock:
    """Return a clock that always shows `at`."""
    return lambda: at


class SteppedClock:
    """A clock that moves only when advanced: for tests and simulations."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def __call__(self) -> datetime:
        """Return the moment shown."""
        return self._at

    def advance(self, by: timedelta) -> None:
        """Move the clock forward by `by`."""
        self._at += by


def iso(at: datetime) -> str:
    """Return `at` as ISO 8601 in UTC with milliseconds and `Z`, the one form in which MABOS writes time."""
    return (at if at.tzinfo is UTC else at.astimezone(UTC)).isoformat(timespec="milliseconds")[: -len("+00:00")] + "Z"


def parse_time(text: str, *, argument: str | None = None) -> datetime:
    """Return the moment that `text` names; a date is its midnight, and a time without zone is UTC.

    Raises `InvalidArgument` if `text` is neither.
    """
    try:
        at = datetime.fromisoformat(text.strip())
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError):  # the latter where it is no moment of the years 1 to 9999 in UTC
        message = f"{text!r} is not a time; expected ISO 8601, as 2026-02-24 or 2026-02-24T14:30:00Z"
        raise InvalidArgument(message, argument=argument) from None
