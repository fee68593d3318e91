"""Days, ISO weeks, months and quarters in the names of memory files (S0 section 15)."""

import re
from calendar import monthrange
from datetime import date, timedelta

from mabos.workspace.dates import MONTHS, WEEKDAYS

DAY_FILE = re.compile(r"\d{4}-\d{2}-\d{2}\.md")


def week_name(day: date) -> str:
    """Return the ISO week of `day`; around New Year it may belong to the other year.

    >>> week_name(date(2027, 1, 1))
    '2026-W53'
    """
    year, week, _ = day.isocalendar()
    return f"{year:04d}-W{week:02d}"


def weekday_name(day: date) -> str:
    """Return the English name of `day`'s weekday, whatever the locale."""
    return WEEKDAYS[day.weekday()]


def month_name(day: date) -> str:
    """Return `day`'s month as `2026-02`."""
    return f"{day.year:04d}-{day.month:02d}"


def days_of_week(name: str) -> list[date]:
    """Return the days of an ISO week, Monday first.

    >>> days_of_week("2026-W53")[-1]
    datetime.date(2027, 1, 3)
    """
    monday = date.fromisocalendar(int(name[:4]), int(name[6:]), 1)
    return [monday + timedelta(days=offset) for offset in range(min(7, (date.max - monday).days + 1))]


def last_day(name: str) -> date:
    """Return the last day of a week, month or quarter by its name.

    >>> last_day("2026-02"), last_day("2026-Q4")
    (datetime.date(2026, 2, 28), datetime.date(2026, 12, 31))
    """
    if "W" in name:
        return days_of_week(name)[-1]
    year, month = int(name[:4]), int(name[6:]) * 3 if "Q" in name else int(name[5:7])
    return date(year, month, monthrange(year, month)[1])


def quarter_name(day: date) -> str:
    """Return `day`'s quarter as `2026-Q1`."""
    return f"{day.year:04d}-Q{(day.month + 2) // 3}"


def months_of_quarter(name: str) -> list[str]:
    """Return the months of a quarter as `2026-01`."""
    first = int(name[6:]) * 3 - 2
    return [f"{name[:4]}-{month:02d}" for month in range(first, first + 3)]


def quarter_before(name: str) -> str:
    """Return the quarter before `name`.

    >>> quarter_before("2026-Q1")
    '2025-Q4'
    """
    year, quarter = int(name[:4]), int(name[6:])
    return f"{year:04d}-Q{quarter - 1}" if quarter > 1 else f"{year - 1:04d}-Q4"


def month_title(name: str) -> str:
    """Return the English name of a month such as `2026-02`, whatever the locale."""
    return MONTHS[int(name[5:7]) - 1]


def day_in_file_name(name: str) -> date | None:
    """Return the day in a daily log's file name, or None for any other file."""
    if DAY_FILE.fullmatch(name) is None:
        return None
    try:
        return date.fromisoformat(name[:10])
    except ValueError:
        return None
