"""Days, ISO weeks, months and quarters: how memory's files are named (S0 section 15)."""

import re
from datetime import date, timedelta

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
DAY_FILE = re.compile(r"\d{4}-\d{2}-\d{2}\.md")


def monday_of(day: date) -> date:
    """Return the Monday of the ISO week of `day`.

    >>> monday_of(date(2026, 2, 24))
    datetime.date(2026, 2, 23)
    """
    return day - timedelta(days=day.weekday())


def week_name(day: date) -> str:
    """Return the ISO week of `day`; at the turn of the year it may carry the other year.

    >>> week_name(date(2027, 1, 1))
    '2026-W53'
    """
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


def weekday_name(day: date) -> str:
    """Return the English name of `day`'s weekday, whatever the locale."""
    return _WEEKDAYS[day.weekday()]


def month_name(day: date) -> str:
    """Return `day`'s month as `2026-02`."""
    return f"{day.year}-{day.month:02d}"


def quarter_name(day: date) -> str:
    """Return `day`'s quarter as `2026-Q1`."""
    return f"{day.year}-Q{(day.month + 2) // 3}"


def day_in_file_name(name: str) -> date | None:
    """Return the day that a daily log's file name states, or None for any other file."""
    if DAY_FILE.fullmatch(name) is None:
        return None
    try:
        return date.fromisoformat(name[:10])
    except ValueError:
        return None
