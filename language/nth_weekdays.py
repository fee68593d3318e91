"""Days counted within a month: "the first Thursday in December", "the last Friday of this month"."""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta

from mabos.workspace.dates import MONTHS, WEEKDAYS

_NTHS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "last": -1}
_FORM = re.compile(
    rf"(?i)\b(?:the )?(?P<nth>{'|'.join(_NTHS)}) (?P<weekday>{'|'.join(WEEKDAYS)})"
    rf"(?: (?:of|in) (?:(?P<month>{'|'.join(MONTHS)})(?: (?P<year>20\d\d))?|(?P<which>this|next|the) month))?\b"
)


def nth_weekdays(text: str, today: date) -> Iterator[tuple[int, int, date]]:
    """Yield the counted weekdays of a text; without a month, the next one from today on.

    >>> [day.isoformat() for *_, day in nth_weekdays("the first Thursday in December", date(2026, 11, 9))]
    ['2026-12-03']
    """
    for found in _FORM.finditer(text):
        if not (found["month"] or found["which"]) and not re.match(r"(?i)the ", found[0]):
            continue
        weekday, nth = WEEKDAYS.index(found["weekday"].capitalize()), _NTHS[found["nth"].lower()]
        month = next((at for at, name in enumerate(MONTHS, 1) if name.lower() == (found["month"] or "").lower()), 0)
        first = date(int(found["year"] or today.year), month or today.month, 1)
        step = 12 if month else 1
        if (found["which"] or "").lower() == "next":
            first = _later(first, 1)
        day = nth_weekday(first, weekday, nth)
        if day < today and not found["year"]:
            day = nth_weekday(_later(first, step), weekday, nth)
        yield found.start(), found.end(), day


def nth_weekday(first: date, weekday: int, nth: int) -> date:
    """Return the nth weekday of the month that begins on a day; -1 is the last one."""
    if nth > 0:
        return first + timedelta(days=(weekday - first.weekday()) % 7 + 7 * (nth - 1))
    last = first.replace(day=monthrange(first.year, first.month)[1])
    return last - timedelta(days=(last.weekday() - weekday) % 7)


def _later(first: date, months: int) -> date:
    years, month = divmod(first.month - 1 + months, 12)
    return date(first.year + years, month + 1, 1)
