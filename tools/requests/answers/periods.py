"""Periods as people name them in a question: "last month", "in October", "since July", "week 46", "in 2025".

>>> [period.label for period in periods_in("and vs sept - up or down?", date(2026, 11, 9))[0]]
['September 2026']
"""

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from mabos.language.wordlists import order_form
from mabos.workspace.dates import MONTHS

Role = Literal["", "since", "until", "versus"]

_NAMES = {
    name: number
    for number, month in enumerate(MONTHS, 1)
    for name in (month.lower(), month[:3].lower(), *(("sept",) if number == 9 else ()))
}
_MONTH = "|".join(sorted(_NAMES, key=len, reverse=True))
_DOUBTFUL = frozenset({"may", "march", "mar", "sun", "dec", "jan", "sep"})
_CUES = order_form("answers_periods.cues")
_SINCE = order_form("answers_periods.since")
_UNTIL = re.compile(r"\b(?:until|till|to|through|up to|-|–)\s*(?:the\s+)?(?:(?:end|start|beginning) of\s+)?$")
_BEFORE = re.compile(r"\bbefore\s*(?:the\s+)?(?:(?:start|beginning) of\s+)?$")
_VERSUS = order_form("answers_periods.versus")
_LEAD = order_form("answers_periods.lead")
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "twelve": 12, "couple of": 2}


@dataclass(frozen=True, slots=True)
class Period:
    """The days from `first` to `last`, and their role in the question.

    With `back` it is the month, week, quarter or year before the period mentioned otherwise; "+month" is the one after.
    """

    first: date
    last: date
    label: str
    role: Role = ""
    back: str = ""

    def holds(self, day: date) -> bool:
        """Return whether a day is in the period."""
        return self.first <= day <= self.last

    def said_in(self, text: str) -> str:
        """Return its label, without a year that a text does not name."""
        return self.label if str(self.first.year) in text else re.sub(r" (?:19|20)\d\d$", "", self.label)

    def a_year_later(self, text: str) -> "Period":
        """Return the same month a year later; unchanged if it is not a month, or the text names a year."""
        if str(self.first.year) in text or self != replace(_month_at(self.first), role=self.role, back=self.back):
            return self
        return replace(month_of(self.first.year + 1, self.first.month), role=self.role)

    def holds_ahead(self, day: date) -> bool:
        """Return whether a day is in it, or in the same one a year later: "in April" may be in the future."""
        earlier = day.replace(year=day.year - 1) if (day.month, day.day) != (2, 29) else day
        return self.holds(day) or (not self.back and self.holds(earlier))


def month_of(year: int, month: int) -> Period:
    """Return a whole month."""
    return Period(date(year, month, 1), date(year, month, monthrange(year, month)[1]), f"{MONTHS[month - 1]} {year}")


def _month_at(day: date) -> Period:
    return month_of(day.year, day.month)


def day_label(day: date) -> str:
    """Return a date in the form 9 November 2026."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _day(day: date) -> Period:
    return Period(day, day, day_label(day))


def _week(day: date) -> Period:
    first = day - timedelta(days=day.weekday())
    year, week, _ = day.isocalendar()
    return Period(first, first + timedelta(days=6), f"week {week} of {year}")


_LATER = {"+month": -1, "+quarter": -3, "+year": -12}


def before(period: Period, back: str) -> Period:
    """Return the period of the same length a month, week, quarter or year before another; with a "+", after it."""
    first = period.first
    if back[:1] == "+":
        return _week(first + timedelta(days=7)) if back == "+week" else months_before(first, _LATER[back])
    if back == "week":
        return _week(first - timedelta(days=7))
    if back == "quarter":
        return _relative("last", "quarter", first)
    months = 1 if back == "month" else 12
    days = (period.last - first).days
    if days > 360:
        return _year(first.year - 1)
    if days > 80 and back == "year":
        return _quarter(first.year - 1, (first.month + 2) // 3)
    return months_before(first, months)


def _year(year: int) -> Period:
    return Period(date(year, 1, 1), date(year, 12, 31), str(year))


def _quarter(year: int, number: int) -> Period:
    last = month_of(year, 3 * number)
    return Period(date(year, 3 * number - 2, 1), last.last, f"Q{number} {year}")


def months_before(day: date, months: int) -> Period:
    """Return the month a number of months before that of a day."""
    at = day.year * 12 + day.month - 1 - months
    return month_of(at // 12, at % 12 + 1)


def _named_month(name: str, year: str | None, today: date) -> Period:
    month = _NAMES[name]
    return month_of(int(year) if year else today.year - (month > today.month), month)


def _relative(which: str, unit: str, today: date) -> Period:
    back = 0 if which in ("this", "current") else 1
    if unit == "month":
        return months_before(today, back)
    if unit == "week":
        return _week(today - timedelta(days=7 * back))
    if unit == "year":
        return _year(today.year - back)
    at = today.year * 4 + (today.month - 1) // 3 - back
    return _quarter(at // 4, at % 4 + 1)


def _last_some(count: str, unit: str, today: date) -> Period:
    number = _NUMBERS.get(count) or int(count)
    if unit == "month":
        first, last = months_before(today, number).first, months_before(today, 1).last
    elif unit == "year":
        first, last = date(today.year - number, 1, 1), date(today.year - 1, 12, 31)
    else:
        days = number * (7 if unit == "week" else 1)
        first, last = today - timedelta(days=days), today
    return Period(first, last, f"the last {count} {unit}s", "since")


def _month_named(found: re.Match[str], today: date) -> Period:
    period = _named_month(found[1], found[2], today)
    back = next((at for at, said in enumerate(("this year", "last year")) if found[0].endswith(said)), None)
    return period if back is None else month_of(today.year - back, period.first.month)


def _day_of(month: str, day: str, year: str | None, today: date) -> Period:
    whole = _named_month(month, year, today)
    exists = int(day) <= whole.last.day
    return _day(date(whole.first.year, whole.first.month, int(day))) if exists else whole


def _season(found: re.Match[str], today: date) -> Period:
    """Return the three months of a season of the north, its last one that has begun."""
    first = 3 * (("spring", "summer", "autumn").index(found[1]) + 1)
    year = int(found[2]) if found[2] else today.year - (first > today.month)
    start, end = month_of(year, first), month_of(year, first + 2)
    return Period(start.first, end.last, f"{start.label.split()[0]} to {end.label}")


_SPANS = {"day": 1, "week": 7, "month": 30}


def _feast(name: str, today: date) -> Period:
    """Return the days of Christmas or of New Year that come next."""
    if name == "christmas":
        return Period(date(today.year, 12, 24), date(today.year, 12, 26), f"Christmas {today.year}")
    return Period(date(today.year, 12, 31), date(today.year + 1, 1, 1), f"New Year {today.year + 1}")


def _until(today: date, last: date, label: str) -> Period:
    """Return the days from today to another."""
    return Period(today, last, f"until {label}" if label[:8] != "the next" else label)


_Read = Callable[[re.Match[str], date], Period]
_COUNT = "|".join(_NUMBERS) + r"|\d{1,2}"
_FORMS: tuple[tuple[re.Pattern[str], _Read], ...] = tuple(
    (re.compile(form), read)
    for form, read in (
        (r"\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b", lambda m, _: _day(date(int(m[1]), int(m[2]), int(m[3])))),
        (r"\b((?:19|20)\d\d)-(\d\d)\b", lambda m, _: month_of(int(m[1]), int(m[2]))),
        (rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b\.?(?:,? ((?:19|20)\d\d))?",
         lambda m, today: _day_of(m[2], m[1], m[3], today)),
        (rf"\b({_MONTH})\b\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? ((?:19|20)\d\d))?",
         lambda m, today: _day_of(m[1], m[2], m[3], today)),
        (rf"\b({_MONTH})\b\.?(?:,? ((?:19|20)\d\d)\b| (?:of )?(?:last|this) year\b)?", _month_named),
        (r"\b(?:week|wk|kw) ?(\d{1,2})\b(?:,? (?:of )?((?:19|20)\d\d))?",
         lambda m, today: _week(date.fromisocalendar(int(m[2] or today.year), int(m[1]), 1))),
        (r"\bq([1-4])\b(?:,? (?:of )?((?:19|20)\d\d))?",
         lambda m, today: _quarter(int(m[2] or today.year), int(m[1]))),
        (rf"\b(?:the )?(?:last|past|previous) ({_COUNT}) (day|week|month|year)s?\b",
         lambda m, today: _last_some(m[1], m[2], today)),
        (rf"\b(?:over|across|during) (?:the |these |those )?({_COUNT}) (day|week|month|year)s\b",
         lambda m, today: _last_some(m[1], m[2], today)),
        (r"\b(last|previous|past|this|the current|current) (month|week|quarter|year)\b",
         lambda m, today: _relative(m[1].removeprefix("the "), m[2], today)),
        (r"\ba (month|week|year) (?:ago|earlier|before)\b",
         lambda m, today: replace(before(_relative("last", "month", today), m[1]), back=m[1])),
        (r"\b(?:the )?(month|week|quarter|year) (?:after|later)(?: that)?\b|\bthe following (month|week|year)\b",
         lambda m, today: replace(_relative("this", m[1] or m[2], today), back=f"+{m[1] or m[2]}")),
        (r"\b(?:the )?(month|week|quarter|year) before(?: that| last)?\b",
         lambda m, today: replace(_relative("last", m[1], _relative("last", m[1], today).first), back=m[1])),
        (r"\b(first|second|third|fourth) quarter\b(?:,? (?:of )?((?:19|20)\d\d))?",
         lambda m, today: _quarter(int(m[2] or today.year), ("first", "second", "third", "fourth").index(m[1]) + 1)),
        (r"\bnext (week|month|year)\b",
         lambda m, today: _week(today + timedelta(days=7)) if m[1] == "week"
         else _year(today.year + 1) if m[1] == "year" else months_before(today, -1)),
        (r"\b(?:before|by|until|till) (?:the )?end of (?:the|this) (week|month|quarter|year)\b",
         lambda m, today: _until(today, _relative("this", m[1], today).last, f"the end of the {m[1]}")),
        (r"\b(?:before|by|until|till) (christmas|new year)\b",
         lambda m, today: _until(today, date(today.year, 12, 24 if m[1] == "christmas" else 31), m[1].title())),
        (rf"\b(?:in|within|over) the (?:next|coming) ({_COUNT}) (day|week|month)s\b",
         lambda m, today: _until(today, today + timedelta(days=_SPANS[m[2]] * (_NUMBERS.get(m[1]) or int(m[1]))),
                                 f"the next {m[1]} {m[2]}s")),
        (r"\b(?:over|at|about|around|for|during) (?:the )?(christmas|new year)\b",
         lambda m, today: _feast(m[1], today)),
        (r"\btomorrow\b", lambda _, today: _day(today + timedelta(days=1))),
        (r"\b(?:in|over|during|across|last|this|all)(?: the| last| this)? (spring|summer|autumn)\b"
         r"(?:,? (?:of )?((?:19|20)\d\d))?(?=\W*$|[?.,;]| (?:and|or|compared|than|vs|versus)\b)", _season),
        (r"\byesterday\b", lambda _, today: _day(today - timedelta(days=1))),
        (r"\btoday\b", lambda _, today: _day(today)),
        (r"(?<![\w.,$€£-])((?:19|20)\d\d)\b(?!\s*(?:%|per|usd|dollars|euros))", lambda m, _: _year(int(m[1]))),
    )
)  # fmt: skip


_WEEKS = re.compile(r"\b(?:weeks|wks)(?= \d)((?:[ -]\d{1,2}\b(?:,? (?:and|to|until|or)|,)?)+)", re.IGNORECASE)


def _each_week(found: re.Match[str]) -> str:
    """Return "weeks 43, 44 and 45" with the word for each of them."""
    return re.sub(r"[ -](?=\d)", lambda gap: " to week " if gap[0] == "-" else " week ", found[1]).strip()


def is_within(day: date, periods: Sequence[Period]) -> bool:
    """Return whether a day is in one of these periods; one that begins or ends a span bounds it."""
    first = max((one.first for one in periods if one.role == "since"), default=date.min)
    last = min((one.last for one in periods if one.role == "until"), default=date.max)
    plain = [one for one in periods if one.role in ("", "versus")]
    return first <= day <= last and (not plain or any(one.holds(day) for one in plain))


def periods_in(text: str, today: date) -> tuple[tuple[Period, ...], str]:
    """Return the periods that a text names, in order, and the text without them.

    >>> [(one.label, one.role) for one in periods_in("the sum of weeks 43-45", date(2026, 11, 9))[0]]
    [('week 43 of 2026', 'since'), ('week 45 of 2026', 'until')]
    """
    text = _WEEKS.sub(_each_week, text)
    lower = text.lower()
    found: dict[int, tuple[int, Period]] = {}
    taken = [False] * len(lower)
    for pattern, read in _FORMS:
        for match in pattern.finditer(lower):
            start, end = match.span()
            if any(taken[start:end]) or _is_word(text, match):
                continue
            try:
                period = read(match, today)
            except ValueError:  # no such day, as 31 June
                continue
            found[start] = (end, _with_role(period, lower[:start]))
            lead = _LEAD.search(lower[:start])
            start = lead.start() if lead else start
            taken[start:end] = [True] * (end - start)
    rest = "".join(" " if is_taken else letter for letter, is_taken in zip(text, taken, strict=True))
    return _between(tuple(period for _, (_, period) in sorted(found.items())), lower), rest


def _is_word(text: str, match: re.Match[str]) -> bool:
    """Return whether a name of a month is a plain word here: "may", "march" and the like without a cue before."""
    word = text[match.start() : match.end()]
    if match[0] not in _DOUBTFUL or (word[:1].isupper() and match.start() > 0):
        return False
    return _CUES.search(text[: match.start()].lower()) is None


def _with_role(period: Period, before: str) -> Period:
    if period.role:
        return period
    if _VERSUS.search(before):
        return replace(period, role="versus")
    if _SINCE.search(before):
        return replace(period, role="since")
    if _BEFORE.search(before):
        return replace(period, role="until", last=period.first - timedelta(days=1))
    return replace(period, role="until") if _UNTIL.search(before) else period


def _between(periods: tuple[Period, ...], text: str) -> tuple[Period, ...]:
    """Return periods where `between A and B` is from A to B."""
    if len(periods) > 1 and re.search(r"\bbetween\b", text):
        return (replace(periods[0], role="since"), replace(periods[1], role="until"), *periods[2:])
    if len(periods) == 2 and periods[1].role == "until" and not periods[0].role and periods[0].first > periods[1].last:
        return (periods[0], replace(periods[1], role="versus"))  # "February, and the difference to January"
    if len(periods) == 2 and (periods[0].role, periods[1].role) == ("", "until"):  # "July to September"
        return (replace(periods[0], role="since"), periods[1])
    if len(periods) == 1 and periods[0].role == "until" and periods[0].first <= periods[0].last:
        return (replace(periods[0], role=""),)
    return periods
