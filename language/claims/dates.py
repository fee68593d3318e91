"""Days and times of a reply: written in the evidence, relative to the same day, or reached by a known duration."""

import re
from collections.abc import Iterator
from datetime import date, timedelta

from mabos.language.amounts import number_of
from mabos.language.claims.binding import day_of_another_thing, spots_of
from mabos.language.claims.days import DaySpan
from mabos.language.claims.reply import ReplyText
from mabos.language.claims.support import EvidenceIndex
from mabos.language.spoken_time import SpokenTime
from mabos.language.wordlists import order_form
from mabos.workspace.dates import WEEKDAYS

_NOW = re.compile(r"\b(?:today|tonight|now|this (?:morning|afternoon|evening|week|month|quarter|year)|so far)\b", re.I)
_LOOSE = re.compile(r"\b(?:end|close|cob|eod|eob)\b", re.I)
_RANGE = re.compile(r"\b(?:(?P<next>next)|(?P<last>last)) (?P<unit>week|month|quarter|year)\b", re.I)
_QUARTER = re.compile(r"\bq([1-4])\b", re.I)
_AHEAD = re.compile(r"\bin (?:\w+ ){1,3}(?P<unit>week|month|quarter|year)s?\b", re.I)
_ROLE = order_form("claims_dates.role")
_SPAN = order_form("claims_dates.span")
_PROPOSED = re.compile(r"\b(?:I|we) (?:would |could |can )?(?:suggest|propose|recommend)\b", re.IGNORECASE)
_LASTS = re.compile(r"(?:with)?in \w+ (?:day|week|month|year)s?$|(?:over|for|during) .*", re.IGNORECASE)
_DAYS = {"day": 1, "week": 7, "fortnight": 14}


def unsupported_days(reply: ReplyText, support: EvidenceIndex) -> Iterator[tuple[int, str]]:
    """Yield the position of the sentence and the words of each day or time of day that no record supports."""
    for position, sentence in enumerate(reply.sentences):
        if sentence.text.rstrip().endswith("?") or _PROPOSED.search(sentence.text):
            continue
        spans = reply.days[position]
        for span in spans:
            if (
                not (_is_written(span, support) or _is_reached(span, reply, support))
                and not _twin_fits(span, spans, support)
            ) or _is_foreign(span, sentence.text, support):
                yield position, sentence.text[span.start : span.end]
        for time in reply.times[position]:
            is_written = any(span.start < time.end and time.start < span.end for span in spans)
            if not is_written and not _is_day_of(time, spans, support) and not _is_meant(time, support):
                yield position, time.words


def _is_day_of(time: SpokenTime, spans: tuple[DaySpan, ...], support: EvidenceIndex) -> bool:
    """Return whether a weekday is that of a day that its sentence writes out, as in "Monday, 23 November"."""
    named = {number for number, name in enumerate(WEEKDAYS) if name.lower() in time.words.lower()}
    days = [_near(support.today, span.year, span.month, span.day) for span in spans if span.day]
    return bool(named) and named <= {day.weekday() for day in days if day}


def _is_foreign(span: DaySpan, sentence: str, support: EvidenceIndex) -> bool:
    """Return whether a recorded day or time is given for another thing: no place of it is about this one."""
    is_clock = bool(span.clocks) and not span.month
    if not is_clock and (not span.day or _near(support.today, span.year, span.month, span.day) == support.today):
        return False
    found = [
        (text, one.start)
        for text in support.texts
        for one in text.spans
        if (set(one.clocks) & set(span.clocks) if is_clock else _is_same_day(one, span))
    ]
    return day_of_another_thing(span, sentence, spots_of(found), support)


def _is_same_day(one: DaySpan, other: DaySpan) -> bool:
    is_year = not one.year or not other.year or one.year == other.year
    return (one.month, one.day) == (other.month, other.day) and is_year


def _twin_fits(span: DaySpan, spans: tuple[DaySpan, ...], support: EvidenceIndex) -> bool:
    """Return whether the other reading of a date, as of 03/04/2026, is supported."""
    return any(other is not span and other.start == span.start and _is_written(other, support) for other in spans)


def _is_written(span: DaySpan, support: EvidenceIndex) -> bool:
    if span.clocks and not span.month:
        return any(clock in support.clocks for clock in span.clocks)
    today = support.today
    known = {
        *support.days,
        (today.year, today.month, today.day),
        *((day.year, day.month, day.day) for day in support.relative),
    }
    return any(
        month == span.month and (not span.day or day == span.day) and (not span.year or not year or year == span.year)
        for year, month, day in known
    ) and (not span.clocks or any(clock in support.clocks for clock in span.clocks))


def _is_reached(span: DaySpan, reply: ReplyText, support: EvidenceIndex) -> bool:
    """Return whether a day is a number of days, weeks or months from the evidence after or before a known one."""
    if not span.day:
        return False
    gaps = _gaps(reply.text) | {gap for text in support.texts for gap in _gaps(text.text[:20000])}
    days = [_near(support.today, year, month, day) for year, month, day in (*support.days, *_own(reply)) if day]
    goal = _near(support.today, span.year, span.month, span.day)
    months = {gap[0] for gap in gaps if gap[1] == "month"}
    for known in {support.today, *(day for day in days if day)}:
        apart = abs((goal - known).days) if goal else 0
        if apart and any(
            apart in (count * _DAYS[unit], count * _DAYS[unit] - 1) for count, unit in gaps if unit in _DAYS
        ):
            return True
        if (
            goal
            and months
            and goal.day == known.day
            and abs((goal.year - known.year) * 12 + goal.month - known.month) in months
        ):
            return True
    return False


def _own(reply: ReplyText) -> list[tuple[int, int, int]]:
    return [(span.year, span.month, span.day) for spans in reply.days for span in spans if span.day]


def _gaps(text: str) -> set[tuple[int, str]]:
    found = set()
    for match in _SPAN.finditer(text):
        count = match[1] or match[4]
        value = float(count) if count.isdigit() else number_of(count)
        unit = (match[2] or match[3]).lower()
        if value and value == int(value):
            found |= {(int(value), unit)} | ({(int(value) * 12, "month")} if unit == "year" else set())
    return found


def _near(today: date, year: int, month: int, day: int) -> date | None:
    """Return a day; without a year the one next to today."""
    found = []
    for one in (year,) if year else (today.year - 1, today.year, today.year + 1):
        try:
            found.append(date(one, month, day))
        except ValueError:
            continue
    return min(found, key=lambda one: abs((one - today).days), default=None)


def _is_meant(time: SpokenTime, support: EvidenceIndex) -> bool:
    """Return whether a day that is named by a weekday, a span or a time of day alone is supported."""
    core = _ROLE.sub("", time.words.strip())
    if _NOW.search(time.words) or _LOOSE.search(time.words) or support.has_phrase(core):
        return True
    if time.every:
        weekday = str(time.every.get("weekday", ""))
        return not weekday or any(
            support.has_word(one) for one in (weekday.lower(), f"{weekday.lower()}s", weekday[:3].lower())
        )
    if (length := _LASTS.match(time.words.strip())) and _is_span_of_days(length[0], support):
        return True
    if time.clock and not _clock_fits(time.clock, support):
        return False
    gaps = _gaps(time.words)
    if gaps and any(gap in gaps for text in support.texts for gap in _gaps(text.text[:20000])):
        return True
    return time.day is None or _day_fits(time, time.day, support)


def _is_span_of_days(words: str, support: EvidenceIndex) -> bool:
    """Return whether a length, as "within two months", is that between two days or months on record."""
    known = {_near(support.today, year, month, day or 1) for year, month, day in support.days} | {support.today}
    days = sorted(one for one in known if one)[-60:]
    return any(
        abs((later - first).days - count * size) <= size / 4
        for count, unit in _gaps(words)
        if (size := _DAYS.get(unit, 30.4))
        for at, first in enumerate(days)
        for later in days[at + 1 :]
    )


def _clock_fits(clock: str, support: EvidenceIndex) -> bool:
    hour, minute = int(clock[:2]), clock[3:]
    return any(f"{(hour + shift) % 24:02}:{minute}" in support.clocks for shift in (0, 12))


def _day_fits(time: SpokenTime, day: date, support: EvidenceIndex) -> bool:
    known = {_near(support.today, *one) for one in support.days if one[2]} | set(support.relative)
    if range_named := _RANGE.search(time.words):
        first, last = _range(support.today, range_named)
        return any(first <= one <= last for one in known if one)
    if quarter := _QUARTER.search(time.words):
        number = int(quarter[1])
        return any((month - 1) // 3 + 1 == number for _, month, _ in support.days)
    slack = 0
    if ahead := _AHEAD.search(time.words):
        slack = {"week": 1, "month": 4, "quarter": 10, "year": 20}[ahead["unit"].lower()]
    around = {day + timedelta(days=shift) for shift in range(-slack, slack + 1)}
    if any(name.lower() in time.words.lower() for name in WEEKDAYS):
        around |= {day - timedelta(days=7), day + timedelta(days=7)}
        if any(name.lower() in time.words.lower() and _has_weekday(name.lower(), support) for name in WEEKDAYS):
            return True
    return bool(around & known)


def _has_weekday(name: str, support: EvidenceIndex) -> bool:
    return support.has_word(name) or support.has_word(f"{name}s")


def _range(today: date, named: re.Match[str]) -> tuple[date, date]:
    """Return the first and last day of the next or last week, month, quarter or year."""
    sign = 1 if named["next"] else -1
    unit = named["unit"].lower()
    if unit == "week":
        monday = today - timedelta(days=today.weekday()) + timedelta(days=7 * sign)
        return monday, monday + timedelta(days=6)
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    at = (today.year * 12 + today.month - 1) // months * months + months * sign
    first, after = (date(one // 12, one % 12 + 1, 1) for one in (at, at + months))
    return first, after - timedelta(days=1)
