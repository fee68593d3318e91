"""Days and times of day in evidence, parsed fast, and their places, which contain no other numbers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime

from mabos.language.times import times_in
from mabos.language.wordlists import order_form
from mabos.workspace.dates import MONTHS, WEEKDAYS

_SHORT = "|".join(f"{name}|{name[:3]}" for name in MONTHS) + "|Sept"
_MONTH = rf"(?P<month>{_SHORT})\b\.?"
_ISO = order_form("claims_days.iso")
_NUMERIC = re.compile(r"(?<![\w.,/$€£-])(\d{1,2})([./-])(\d{1,2})\2((?:20)?\d\d)?(?![\w%/]|[.,-]\d)")
_NAMED = re.compile(
    rf"(?i)(?<![\w.,])(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of|-)? ?{_MONTH}(?:,? ?(?P<year>(?:19|20)\d\d)(?!\d))?"
    rf"|\b{_MONTH.replace('month', 'month2')} ?(?:the )?(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?(?![\d:%])(?!\.\d)"
    rf"(?:,? ?(?P<year2>(?:19|20)\d\d)(?!\d))?|\b(?P<month3>{'|'.join(MONTHS)})\b(?: (?P<year3>(?:19|20)\d\d)(?!\d))?"
)
_IN_COURSE = re.compile(r"; before: (?:[^;\n]{1,24} (?:19|20)\d\d, )*$")
"""Before a value of the course of a figure, as briefings write it: "before: 64 July 2026, 19 August 2026"."""
_ENDS = r"([1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
_TO = r"(?:to|and|or|until|till|through|[-–—/])"
_RANGE_BEFORE = re.compile(rf"(?<![\w.,:$€£/-]){_ENDS}\s?{_TO}\s?(?:the\s)?(?:\w+day,? )?$")
_RANGE_AFTER = re.compile(rf"\s?{_TO}\s?(?:the\s)?{_ENDS}(?![\w%$€£:]|[.,]\d| \d)")
_LIST_BEFORE = re.compile(rf"(?<![\w.,:$€£/-]){_ENDS},\s?$")
_LIST_AFTER = re.compile(rf"(?:,\s?{_ENDS})+,?\s?(?:and|or)\s(?:the\s)?{_ENDS}(?![\w%$€£:]|[.,]\d| [\da-z])")
"""Other days of a month in a list: "3, " before "8 and 11 June", ", 8 and 11" after "June 3"."""
_LEADS_TO_DAY = re.compile(r"\b(?:on|by|until|till|from|since|to|before|after|due|of)(?: the)? $", re.IGNORECASE)
_CLOCK = order_form("claims_days.clock")
_RELATIVE = re.compile(
    rf"(?i)\b(?:today|tonight|tomorrow|yesterday|christmas|new year|(?:in|within) (?:\w+) (?:\w+ )?(?:day|week|month|"
    rf"year)s?|(?:next|last|this|end of) \w+|the \d{{1,2}}(?:st|nd|rd|th)|weekend|{'|'.join(WEEKDAYS)}|"
    r"mon|tue|tues|wed|weds|thu|thurs|fri)\b"
)
_RELATIVE_LINES = 300


@dataclass(frozen=True, slots=True)
class DaySpan:
    """A day, a month (`day` 0) or a time of day at `start` to `end` of a text; 0 and "" for missing parts."""

    start: int
    end: int
    year: int = 0
    month: int = 0
    day: int = 0
    clocks: tuple[str, ...] = ()


def day_spans(text: str) -> Iterator[DaySpan]:
    """Yield the days, months and times of day written in a text; a numeric date may have two readings."""
    for match in _ISO.finditer(text):
        if 1 <= int(match["number"]) <= 12:
            clocks: tuple[str, ...] = (match["clock"],) if match["clock"] else ()
            yield DaySpan(
                match.start(), match.end(), int(match["year"]), int(match["number"]), int(match["day"] or 0), clocks
            )
    for match in _NUMERIC.finditer(text):
        yield from _numeric(match)
    for match in _NAMED.finditer(text):
        month = match["month"] or match["month2"] or match["month3"]
        number = next(at for at, name in enumerate(MONTHS, 1) if name.lower().startswith(month[:3].lower()))
        if match["month3"] and month.lower() in ("may", "march") and month[0].islower():
            continue
        year, day = match["year"] or match["year2"] or match["year3"], match["day"] or match["day2"]
        before = text[max(0, match.start() - 160) : match.start()]
        if int(day or 0) > 31 or (match["day"] and year and _IN_COURSE.search(before)):
            month_at = match.start("month" if match["month"] else "month2")
            yield DaySpan(month_at, match.end(), int(year or 0), number)
            continue
        yield DaySpan(match.start(), match.end(), int(year or 0), number, int(day or 0))
        for start, end in _range_ends(text, match):
            yield DaySpan(start, end, int(year or 0), number, int(text[start:end]))
    for match in _CLOCK.finditer(text):
        if clocks := _clocks(match):
            yield DaySpan(match.start(), match.end(), clocks=clocks)


def _range_ends(text: str, match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """Yield the positions of the other days of a month: 23 and 25 before "27 November", 27 in "November 23-27"."""
    at = match.start()
    form = _RANGE_BEFORE
    while match["day"] and (first := form.search(text[max(0, at - 30) : at])):
        start, at = max(0, at - 30), max(0, at - 30) + first.start(1)
        yield at, start + first.end(1)
        form = _LIST_BEFORE
    if match["day2"] and (last := _RANGE_AFTER.match(text, match.end())):
        yield last.span(1)
    elif match["day2"] and (listed := _LIST_AFTER.match(text, match.end())):
        yield from (one.span() for one in re.compile(r"\d+").finditer(text, *listed.span()))


def _numeric(match: re.Match[str]) -> Iterator[DaySpan]:
    first, second, mark = int(match[1]), int(match[3]), match[2]
    year = int(match[4] or 0)
    text = match.string
    if not year and not (
        mark == "." and text[match.end() : match.end() + 1] == "." and _LEADS_TO_DAY.search(text[: match.start()])
    ):
        return  # "4.6." may end a sentence
    year += 2000 if 0 < year < 100 else 0
    for day, month in {(first, second), (second, first)} if mark == "/" else {(first, second)}:
        if 1 <= month <= 12 and 1 <= day <= 31:
            yield DaySpan(match.start(), match.end(), year, month, day)


def _clocks(match: re.Match[str]) -> tuple[str, ...]:
    """Return the times of day that words may mean: "9:30" is in the morning or in the evening."""
    if match["named"]:
        return ("00:00", "24:00", "23:59") if match["named"].lower() == "midnight" else ("12:00",)
    hour, minute = int(match["hour"] or match["hour2"] or match["hour3"]), match["minute"] or "00"
    half = (match["half"] or match["half2"] or "").lower()
    if half:
        return (f"{hour % 12 + 12 * half.startswith('p'):02}:{minute}",) if hour <= 12 else ()
    if match["minute"] and ":" not in match[0] and "h" not in match[0]:
        return ()  # "8.30" is a number first
    if match["hour3"]:
        return (f"{hour:02}:00", f"{hour % 12 + 12:02}:00")
    return (f"{hour:02}:{minute}",)


def relative_days(text: str, now: datetime) -> Iterator[date]:
    """Yield the days that a text names by a weekday or relative to `now`, as "next Friday"; long texts are cut."""
    lines = 0
    for line in text.split("\n"):
        for at in range(0, len(line), 400):
            part = line[max(0, at - 40) : at + 400]
            if _RELATIVE.search(part):
                lines += 1
                yield from (time.day for time in times_in(part, now) if time.day)
        if lines > _RELATIVE_LINES:
            return
