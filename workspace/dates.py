"""Days, weeks, months and quarters as people write them, in tables and in prose.

day_named("Jan 2026")                 # date(2026, 1, 31): a month's figures are known at its end
day_named("31.01.2026")               # date(2026, 1, 31)
day_in("churn below 3% by end of June 2026")    # date(2026, 6, 30)
without_days("churn below 3% by 2026-06-30")    # 'churn below 3%'
dates_in("what did we decide in late May?")     # (NamedDate(month=5, year=0, day=0, part='late'),)
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, partial

from mabos.workspace.text import fold_case

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
"""English names, whatever the locale."""
_UNITS = "first second third fourth fifth sixth seventh eighth ninth"
_TEENS = "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
ORDINALS = {word: number for number, word in enumerate(f"{_UNITS} {_TEENS}".split(), start=1)}
ORDINALS |= {f"twenty-{word}": 20 + ORDINALS[word] for word in _UNITS.split()} | {"thirtieth": 30, "thirty-first": 31}
"""The numbers of days as words."""
_OTHER_NAMES = (
    "januar jan", "februar feb", "märz mar mär", "apr", "mai", "juni jun", "juli jul", "aug", "sept sep",
    "oktober oct okt", "nov", "dezember dec dez",
)  # fmt: skip
_NUMBERS = {
    name: number
    for number, names in enumerate(zip(MONTHS, _OTHER_NAMES, strict=True), start=1)
    for name in " ".join(names).lower().split()
}
_ENDS = {1: "st", 2: "nd", 3: "rd"}
ORDINAL_WORDS = "|".join(sorted((word.replace("-", "[- ]") for word in ORDINALS), key=len, reverse=True))
_NAMES = "|".join(MONTHS)
_SPELLED_DAY = re.compile(
    rf"(?i)\b(?P<before>{ORDINAL_WORDS})(?= (?:day )?(?:of )?(?:{_NAMES})\b)|"
    rf"\b(?P<month>(?:{_NAMES}) )(?:the )?(?P<after>{ORDINAL_WORDS})\b"
)
_MONTH = "(?P<month>" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r")\b\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.)?"
_SLASHED = re.compile(r"(\d{1,2})([/.-])(\d{1,2})\2((?:19|20)?\d\d)")
_ANNOUNCED = re.compile(r"\b(?:by|before|until|till|within|due|deadline:?|end of|no later than|in)\s+", re.IGNORECASE)
_BARE = re.compile(rf"(?i)(?:the )?(?:end of |mid[- ]|late )?(?:{_MONTH}(?! *\d)|q(?P<quarter>[1-4])\b(?! *\d))")
_DAY_OF_MONTH = tuple(
    re.compile(form + r"(?![\w%])(?!,? +(?:19|20)\d\d)", re.IGNORECASE)
    for form in (rf"{_MONTH} +{_DAY}", rf"{_DAY} *(?:of )?{_MONTH}")
)
_LEAD = re.compile(r"(?:the )?(?:end of |mid[- ]|late )?", re.IGNORECASE)
_BEFORE_DAYS = re.compile(r"(?i)\s*\b(?:by|before|until|till|within|due|deadline:?|no later than|in|on|during)\s+")
_STAMP = re.compile(r"\[deadline:\s*([^\]]+)\]", re.IGNORECASE)
_ENGLISH = "|".join(MONTHS).lower()
_IN_PROSE = re.compile(
    rf"(?:\b(?P<before>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? )?\b(?P<month>{_ENGLISH})\b"
    r"(?: (?P<after>\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?(?:,? ?(?P<year>\d{4})\b)?"
)
_SHORT = "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
_IN_SHORT = re.compile(
    rf"\b(?P<before>\d{{1,2}})(?:st|nd|rd|th)? (?P<month>{_SHORT})\b\.?(?:,? ?(?P<year>\d{{4}})\b)?|"
    rf"\b(?P<name>{_SHORT})\.? (?P<after>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:,? ?(?P<of>\d{{4}})\b)?"
)
"""A month that is cut short is one only with its day: "28 Sept", "Oct. 3"."""
_ISO = re.compile(r"\b(?P<year>\d{4})-(?P<month>\d\d)(?:-(?P<day>\d\d))?(?:\b|(?=t\d\d:))")
_PART = re.compile(
    r"\b(?:(?P<early>early|(?:start|beginning) of)|(?P<mid>mid|middle of)|(?P<late>late|end of))(?: in)?[ -]$"
)
# "may" and "march" are months only where something beside them says so.
_LEADS_TO_MONTH = re.compile(r"\b(?:in|of|on|during|since|by|last|until|before|after|early|late|mid)(?: the)? $")


def day_named(text: str, *, day_first: bool = False) -> date | None:
    """Return the day that the whole of `text` names, or None; `day_first` settles 03/04/2026."""
    text = text.strip().strip("'\"")
    slashed = _SLASHED.fullmatch(text)
    if slashed:
        return _parse_slashed(slashed, day_first=day_first)
    for form in _forms():
        found = form.fullmatch(text)
        if found:
            return _valid(partial(_last_day, found))
    return None


def day_in(text: str, *, year: int = 0) -> date | None:
    """Return the deadline that a sentence names, or None; a bare `June` is in `year`, 0 if unknown."""
    stamp = _STAMP.search(text)
    if stamp:
        return day_named(stamp[1])
    for announced in _ANNOUNCED.finditer(text):
        day, _ = day_at(text, announced.end(), year)
        if day:
            return day
    return None


def with_digits(text: str) -> str:
    """Return a text whose spelled days of a month are digits.

    >>> with_digits("by the thirtieth of November, or December the first")
    'by the 30th of November, or December 1st'
    """

    def digits(found: re.Match[str]) -> str:
        number = ORDINALS[(found["before"] or found["after"]).lower().replace(" ", "-")]
        ending = "th" if number in (11, 12, 13) else _ENDS.get(number % 10, "th")
        return f"{found['month'] or ''}{number}{ending}"

    return _SPELLED_DAY.sub(digits, text)


def without_days(text: str) -> str:
    """Return a sentence without the dates after words like by, until or in, so that other numbers remain."""
    kept, at = [], 0
    for before in _BEFORE_DAYS.finditer(text):
        day, end = day_at(text, before.end(), year=2000)
        if day and before.start() >= at:
            kept.append(text[at : before.start()])
            at = end
    return "".join([*kept, text[at:]]).rstrip()


def day_at(text: str, start: int, year: int) -> tuple[date | None, int]:
    """Return the day named in a sentence from `start` on, and where it ends; `June 30` is a day, no year 2030.

    A date without a year is in `year`, 0 if unknown.
    """
    lead = _LEAD.match(text, start)
    start = lead.end() if lead else start
    for form in _DAY_OF_MONTH:
        found = form.match(text, start)
        if found:
            read = partial(date, year, _month_of(found), int(found["day"])) if year else None
            return (_valid(read) if read else None), found.end()
    ends = [start + word.end() for word in re.finditer(r"\S+", text[start:])][:4]
    for end in reversed(ends):
        named = text[start:end].rstrip(".,;:!)")
        day = day_named(named)
        if day:
            return day, start + len(named)
    bare = _BARE.match(text, start)
    if bare and year:
        return _valid(partial(_end_of, year, _month_of(bare))), bare.end()
    return None, start


def with_year(cells: Sequence[str], text: str) -> tuple[str, ...]:
    """Return cells with the year that a text names, as of a file, behind bare months, if several have one.

    >>> with_year(("", "Jan", "Feb"), "KPIs 2027.xlsx"), with_year(("Jan", "Feb"), "KPIs.xlsx")
    (('', 'Jan 2027', 'Feb 2027'), ('Jan', 'Feb'))
    """
    year = re.search(r"(?<!\d)20\d\d(?!\d)", text)
    bare = [cell for cell in cells if re.fullmatch(rf"{_MONTH}\.?", cell.strip(), re.IGNORECASE)]
    if year is None or len(bare) < 2 or len(set(bare)) < len(bare):
        return tuple(cells)
    return tuple(f"{cell.strip(' .')} {year[0]}" if cell in bare else cell for cell in cells)


def is_day_first(texts: Iterable[str], *, otherwise: bool = False) -> bool:
    """Return whether a column of dates like 03/04/2026 begins with the day.

    Signs are dots, a first number above 12, or the first day of several months, since figures are monthly; without a
    sign, it is as `otherwise` says.
    """
    found = [match for match in (_SLASHED.fullmatch(text.strip()) for text in texts) if match]
    if any(int(match[3]) > 12 for match in found):
        return False
    are_first_days = {int(match[1]) for match in found} == {1} and len({int(match[3]) for match in found}) > 1
    return are_first_days or otherwise or any(match[2] == "." or int(match[1]) > 12 for match in found)


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    # Compiled when a day is first looked for: a start that reads none has no use for them.
    return tuple(
        re.compile(form, re.IGNORECASE)
        for form in (
            rf"{_YEAR}[-/.](?P<number>\d{{1,2}})[-/.](?P<day>\d{{1,2}})(?:[T ]\d\d:?\d\d.*)?",
            rf"{_YEAR}[-/]?w(?P<week>\d{{1,2}})",
            rf"(?:q(?P<quarter>[1-4])[ /-]*{_YEAR})",
            rf"{_YEAR}[ /-]*q(?P<quarter>[1-4])",
            rf"{_YEAR}[-/.](?P<number>\d{{1,2}})",
            rf"{_YEAR}(?P<number>0[1-9]|1[0-2])(?P<day>[0-3]\d)?",
            rf"(?P<number>\d{{1,2}})[-/.]{_YEAR}",
            rf"{_MONTH}[ -]*{_DAY},? +{_YEAR}",
            rf"{_DAY} *{_MONTH},? *{_YEAR}",
            rf"{_MONTH}[ '/,-]*(?:{_YEAR}|(?P<short>\d\d))",
            rf"(?:end of |late )?{_YEAR}",
        )
    )


def _parse_slashed(found: re.Match[str], *, day_first: bool) -> date | None:
    first, second = int(found[1]), int(found[3])
    year = int(found[4]) + (2000 if len(found[4]) == 2 else 0)
    day, month = (first, second) if day_first or found[2] == "." or first > 12 else (second, first)
    return _valid(partial(date, year, month, day))


def _last_day(found: re.Match[str]) -> date:
    parts = found.groupdict()
    year = int(parts.get("year") or 0) or 2000 + int(parts["short"] or 0)
    if parts.get("week"):
        return date.fromisocalendar(year, int(parts["week"]), 7)
    month = _month_of(found) if any(parts.get(name) for name in ("month", "number", "quarter")) else 12
    if parts.get("day"):
        return date(year, month, int(parts["day"]))
    return _end_of(year, month)


def _month_of(found: re.Match[str]) -> int:
    parts = found.groupdict()
    if parts.get("quarter"):
        return 3 * int(parts["quarter"])
    if parts.get("number"):
        return int(parts["number"])
    return _NUMBERS[fold_case(parts["month"])]


def _end_of(year: int, month: int) -> date:
    if not 1 <= month <= 12:
        raise ValueError(f"there is no month {month}")
    return date(year, month, monthrange(year, month)[1])


def _valid(read: Callable[[], date]) -> date | None:
    """Return the result of `read`, or None for a day that does not exist, like 31 June."""
    try:
        return read()
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class NamedDate:
    """A date as a question names it; a missing year or day is 0. Without a day it may name a part of the month."""

    month: int
    year: int = 0
    day: int = 0
    part: str = ""

    @property
    def days(self) -> tuple[int, int]:
        """The first and last day of the month or part that is meant; parts overlap."""
        if self.day:
            return self.day, self.day
        return {"early": (1, 11), "mid": (9, 21), "late": (19, 31)}.get(self.part, (1, 31))

    def in_year(self, year: int) -> date | None:
        """Return the day, in `year` if none is named; None without a day, and for one that does not exist."""
        return _valid(lambda: date(self.year or year, self.month, self.day)) if self.day else None


def dates_in(text: str) -> tuple[NamedDate, ...]:
    """Return the dates in `text`: "7 May 2023", "May 7th", "in May", "late May", "2023-05-07", "2023-05".

    >>> dates_in("what did we decide on 24 February 2026?")
    (NamedDate(month=2, year=2026, day=24, part=''),)
    """
    lower = text.lower()
    found = []
    for match in _IN_PROSE.finditer(lower):
        day = match["before"] or match["after"] or ""
        part = None if day else _PART.search(lower[: match.start()])
        clear = day or match["year"] or part or _LEADS_TO_MONTH.search(lower[: match.start()])
        if match["month"] not in ("may", "march") or clear:
            named = part.lastgroup or "" if part else ""
            found.append(NamedDate(_NUMBERS[match["month"]], int(match["year"] or 0), int(day or 0), named))
    found += [
        NamedDate(
            _NUMBERS[it["month"] or it["name"]], int(it["year"] or it["of"] or 0), int(it["before"] or it["after"])
        )
        for it in _IN_SHORT.finditer(lower)
    ]
    found += [
        NamedDate(int(match["month"]), int(match["year"]), int(match["day"] or 0)) for match in _ISO.finditer(lower)
    ]
    return tuple(one for one in dict.fromkeys(found) if 1 <= one.month <= 12)
