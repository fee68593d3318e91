"""Days, deadlines, durations and rhythms as people write them, relative to a given moment.

times_in("by next weds, 18 nov", now)       # a day, 2026-11-18, role "by"
times_in("for three weeks", now)            # a duration of 3 weeks
times_in("every Monday", now)               # a rhythm, {"every": "week", "weekday": "Monday"}
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from functools import cache
from typing import Any

from mabos.language.amounts import number_of
from mabos.language.nth_weekdays import nth_weekdays
from mabos.language.spoken_time import SpokenTime
from mabos.workspace.dates import MONTHS, ORDINAL_WORDS, ORDINALS, WEEKDAYS, day_at

_WEEKDAY_NAMES = {
    name: number
    for number, day in enumerate(WEEKDAYS)
    for name in (day.lower(), day.lower()[:3], {1: "tues", 2: "weds", 3: "thurs"}.get(number, day.lower()))
} | {"thur": 3}
_WEEKDAY = "|".join(sorted(_WEEKDAY_NAMES, key=len, reverse=True))
_MONTH = "|".join(f"{name}|{name[:3]}" for name in map(str.lower, MONTHS)) + "|sept"
_COUNT = (
    r"(?:a single|\d+(?:[.,]5)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fourteen|fifteen|"
    r"twenty|thirty|sixty|ninety|a couple of|couple of|half an?|a few|several)"
)
_SPAN = r"(?:working |business |full |whole |more )?(?:hour|hr|day|night|week|wk|fortnight|month|mth|quarter|year|yr)s?"
_ORDINAL = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{ORDINAL_WORDS})"
_ROLES = {
    "by": r"by|before|until|till|til|'til|no later than|not later than|due(?: on| by)?|deadline(?: is|:)?|within|"
    r"ready for|"
    r"in time for|at the latest|up to|for(?= (?:" + _WEEKDAY + r"|tomorrow|the \d))",
    "from": r"from|as of|as from|starting(?: on| from)?|beginning(?: on)?|since|after|once it is",
    "in": r"in|during|over|for|lasting|of",
    "on": r"on(?: the)?(?: date)?|at|this|come|dated|from now on",
}
_ROLE = re.compile(
    r"(?i)(?:^|(?<=[\s(,;:-]))(?:"
    + "|".join(f"(?P<{name}>{words})" for name, words in _ROLES.items())
    + r")\s+(?:the\s+)?$"
)
_HOUR = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_CLOCK = re.compile(
    r"(?i)(?:,?\s*(?:at|by|around|@|"
    r"from)\s*)?(?<![\d.,$€£])\b(?:(?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?\s?(?P<half>a\.?m\b\.?|p\.?m\b\.?)"
    rf"|(?P<hour24>[01]?\d|2[0-3])[:h](?P<minute24>[0-5]\d)\b|(?P<oclock>\d{{1,2}}|{_HOUR}) o['’]?clock"
    rf"|(?<=at )(?P<bare>1[0-2]|[1-9]|{_HOUR})(?=\s*(?:$|[.,;!?](?!\d)|(?:to|on|about|in|for|that|sharp|please|"
    rf"tomorrow|and|when|every|this)\b))"
    r"|(?P<named>noon|midday|midnight|end of (?:the )?(?:business|day)|close of business|cob|eod|eob))(?!\w)"
)
_NAMED_TIMES = {"noon": "12:00", "midday": "12:00", "midnight": "23:59"}
_UNITS = {"hr": "hour", "wk": "week", "mth": "month", "yr": "year", "night": "day"}
_VAGUE = {"a few": 3.0, "several": 3.0, "couple of": 2.0, "a couple of": 2.0}


def times_in(text: str, now: datetime) -> tuple[SpokenTime, ...]:
    """Return the days, durations and rhythms of a text in order, none inside another.

    A day without a year is the next one; a bare weekday is the coming one, "next Tuesday" that of next week.
    """
    found: list[SpokenTime] = []
    for read in (_rhythms, _days, _durations, _clocks):
        for time in sorted(read(text, now), key=lambda one: one.start - one.end):
            if not any(time.start < one.end and one.start < time.end for one in found):
                found.append(time)
    times = _join_times(text, [_with_role(text, one) for one in sorted(found, key=lambda one: one.start)])
    return tuple(_counted_from(text, list(times)))


_COUNTED_FROM = re.compile(
    rf"(?i)\b(?:exactly |just )?(?P<count>the|{_COUNT}) (?P<unit>day|week|month)s? "
    r"(?P<way>before|ahead of|prior to|after)(?: the)?\s*$"
)


def _counted_from(text: str, times: list[SpokenTime]) -> Iterator[SpokenTime]:
    """Yield the times with a day that is counted from another as one: "a week before 1 April"."""
    for at, time in enumerate(times):
        lead = re.match(r"(?:before|after)\s+(?:the\s+)?", time.words, re.IGNORECASE)
        counted = _COUNTED_FROM.search(text[: time.start + (lead.end() if lead else 0)]) if time.day else None
        if counted and time.day:
            count = 1.0 if counted["count"].lower() == "the" else _count(counted["count"])
            days = round(count * {"day": 1, "week": 7, "month": 30}[counted["unit"].lower()])
            sign = 1 if counted["way"].lower() == "after" else -1
            day = time.day + timedelta(days=sign * days) if counted["unit"].lower() != "month" else time.day
            words = text[counted.start() : time.end].strip()
            role = _ROLE.search(text[: counted.start()])
            named = next((name for name, value in role.groupdict().items() if value), "on") if role else "on"
            yield replace(time, start=counted.start(), words=words, day=day, role=named)
        elif not (at + 1 < len(times) and _begins_count(text, time, times[at + 1])):
            yield time


def _begins_count(text: str, time: SpokenTime, following: SpokenTime) -> bool:
    """Return whether a duration is the count of "a week before 1 April"."""
    gap = text[time.end : following.start] + following.words
    is_count = re.match(r"\s*(?:before|ahead of|prior to|after)\b", gap, re.IGNORECASE)
    return time.kind == "duration" and time.unit in ("day", "week") and following.day is not None and bool(is_count)


def _with_role(text: str, time: SpokenTime) -> SpokenTime:
    role = _ROLE.search(text[: time.start])
    if re.match(r"(?:by|before|within|until|no later than)\b", time.words, re.IGNORECASE):
        return replace(time, role="by")
    if not role or time.role:
        return time
    day = time.day
    if day and re.match(r"since\b", role[0], re.IGNORECASE) and not re.search(r"\d{4}", time.words):
        day = _before(day)
    if day and role["from"] and (unit := re.fullmatch(r"next (week|month|quarter|year)", time.words, re.IGNORECASE)):
        day = _start_of(day, unit[1].lower())
    return replace(
        time, role=role.lastgroup or "", day=day, start=role.start(), words=text[role.start() : time.end].strip()
    )


def _start_of(day: date, unit: str) -> date:
    """Return the first day of the week, month, quarter or year that ends on a day; weeks end on Friday."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    return _months_later(day.replace(day=1), {"month": 0, "quarter": -2, "year": -11}[unit])


def _before(day: date) -> date:
    """Return the same day a year earlier: "since 1 May" is in the past."""
    return _months_later(day, -12)


def _join_times(text: str, times: list[SpokenTime]) -> Iterator[SpokenTime]:
    """Yield the times with those put together that say one thing: "Thursday 19 November at 7 pm"."""
    kept: list[SpokenTime] = []
    for time in times:
        before = kept[-1] if kept else None
        gap = text[before.end : time.start] if before else ""
        near = before is not None and re.fullmatch(
            r"[\s,(]*(?:at|by|i\.?e\.?,?|that is,?|so)?[\s,]*", gap, re.IGNORECASE
        )
        if before is None or not near or "day" not in (before.kind, time.kind):
            kept.append(time)
        elif time.kind == before.kind == "day" and (
            _is_weekday(before) or _is_weekday(time) or not before.day or not time.day
        ):
            sure = time if _is_weekday(before) or not before.day else before
            clock = before.clock or time.clock
            words = text[before.start : time.end].strip()
            role = before.role or time.role
            kept[-1] = replace(sure, start=before.start, end=time.end, words=words, role=role, clock=clock)
        else:
            kept.append(time)
    for time in kept:
        if time.kind == "rhythm" or time.day or time.kind == "duration" or time.clock:
            yield time


def _is_weekday(time: SpokenTime) -> bool:
    return bool(re.fullmatch(rf".*\b(?:{_WEEKDAY})\b\.?", time.words.lower())) and time.day is not None


# --- rhythms -----------------------------------------------------------------


@cache
def _rhythm_forms() -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], dict[str, Any]]], ...]:
    every = r"(?:every|each)(?: single)?"
    part = r"(?: (?P<part>morning|afternoon|evening|night))?"
    forms: list[tuple[str, Callable[[re.Match[str]], dict[str, Any]]]] = [
        (
            rf"(?:on )?(?:the |{every} )?(?P<nth>{_ORDINAL}|last) (?P<weekday>{_WEEKDAY}) (?:of|in) "
            rf"(?:the|{every}|a) month",
            lambda m: {
                "every": "month",
                "weekday": WEEKDAYS[_WEEKDAY_NAMES[m["weekday"].lower()]],
                "which": _nth(m["nth"]),
            },
        ),
        (
            rf"(?:on |by )?(?:the )?(?P<nth>{_ORDINAL}|last(?: working)?(?: day)?)(?: day)? (?:of|in) (?:{every}|"
            rf"the) (?P<unit>month|quarter)",
            lambda m: {"every": m["unit"].lower(), "day": _nth(m["nth"])},
        ),
        (
            rf"{every} (?P<unit>month|quarter) on (?:the )?(?P<nth>{_ORDINAL})",
            lambda m: {"every": m["unit"].lower(), "day": _nth(m["nth"])},
        ),
        (
            rf"(?:at |by )?(?:the )?(?:end of {every} (?P<unit>week|month|quarter|year))",
            lambda m: _end_of_every(m["unit"]),
        ),
        (
            rf"(?:on )?{every} (?P<other>other |second )?(?P<weekday>{_WEEKDAY})(?:s)?\b{part}",
            lambda m: _weekly(m["weekday"], bool(m["other"])),
        ),
        (rf"(?:on )(?P<weekday>(?:{'|'.join(WEEKDAYS)}))s\b{part}", lambda m: _weekly(m["weekday"])),
        (
            rf"(?P<weekday>(?:{'|'.join(WEEKDAYS)}))s\b(?=[\s,]*(?:$|:|at|send|i\b|we\b|please|pls|,))",
            lambda m: _weekly(m["weekday"]),
        ),
        (rf"{every} (?:weekday|working day|business day|workday)", lambda _: {"every": "day", "workdays": True}),
        (
            rf"{every} (?P<other>other |second |two |three |four |\d+ )?(?P<unit>day|week|fortnight|month|quarter|"
            rf"year|morning|evening|night|hour)s?\b(?: on (?:an? )?(?P<weekday>{_WEEKDAY})s?\b)?",
            lambda m: _every_unit(m["unit"], m["other"], m["weekday"]),
        ),
        (
            rf"(?P<times>once|twice|one time|two times|three times) (?:a|per|every|each) (?P<unit>day|week|month|"
            rf"quarter|year)(?:,? (?:always )?on (?:(?:an? )?(?P<weekday>{_WEEKDAY})s?\b|the (?P<nth>{_ORDINAL})))?",
            lambda m: _times_a(m["times"], m["unit"], m["weekday"]) | ({"day": _nth(m["nth"])} if m["nth"] else {}),
        ),
        (
            r"(?P<ly>daily|weekly|bi-?weekly|fortnightly|monthly|quarterly|yearly|annually)"
            rf"(?:,? on (?:an? )?(?P<weekday>{_WEEKDAY})s?\b)?(?! (?:budget|spend|rate|limit|cap|cost|fee))",
            lambda m: _every_unit(m["ly"], None, m["weekday"]),
        ),
        (r"(?:month by month|week by week)", lambda m: {"every": m[0].split()[0].lower()}),
    ]
    return tuple((re.compile(rf"\b{form}\b", re.IGNORECASE), read) for form, read in forms)


def _rhythms(text: str, now: datetime) -> Iterator[SpokenTime]:  # noqa: ARG001 - one signature for all readers
    for form, read in _rhythm_forms():
        for match in form.finditer(text):
            if re.search(
                r"(?:\d|[$€£]|dollars?|bucks|quid|euros?|pounds?|usd|eur|gbp)[ ,]*$", text[: match.start()].lower()
            ):
                continue  # the rhythm of an amount
            every, end = read(match), match.end()
            clock, end = _clock_after(text, end)
            if clock:
                every["time"] = clock
            yield SpokenTime("rhythm", match.start(), end, text[match.start() : end].strip(), clock=clock, every=every)


def _weekly(weekday: str, is_second: bool = False) -> dict[str, Any]:
    every: dict[str, Any] = {"every": "week", "weekday": WEEKDAYS[_WEEKDAY_NAMES[weekday.lower()]]}
    return {**every, "interval": 2} if is_second else every


def _every_unit(unit: str, other: str | None, weekday: str | None) -> dict[str, Any]:
    unit = unit.lower().replace("-", "")
    names = {"daily": "day", "morning": "day", "evening": "day", "night": "day", "weekly": "week", "monthly": "month"}
    names |= {"quarterly": "quarter", "yearly": "year", "annually": "year"}
    interval = 1.0
    if unit in ("fortnight", "fortnightly", "biweekly"):
        unit, interval = "week", 2.0
    if other:
        interval = 2.0 if other.strip().lower() in ("other", "second") else _count(other)
    every: dict[str, Any] = {"every": names.get(unit, unit)}
    if weekday:
        every["weekday"] = WEEKDAYS[_WEEKDAY_NAMES[weekday.lower()]]
    return {**every, "interval": int(interval)} if interval > 1 else every


def _times_a(times: str, unit: str, weekday: str | None) -> dict[str, Any]:
    count = {"once": 1, "one time": 1, "twice": 2, "two times": 2}.get(times.lower(), 3)
    return _every_unit(unit, None, weekday) | ({"times": count} if count > 1 else {})


def _end_of_every(unit: str) -> dict[str, Any]:
    if unit.lower() == "week":
        return {"every": "week", "weekday": "Friday"}
    return {"every": unit.lower(), "day": -1}


def _nth(word: str) -> int:
    low = word.lower()
    if low.startswith("last"):
        return -1
    digits = re.match(r"\d+", low)
    return int(digits[0]) if digits else ORDINALS[low.replace(" ", "-")]


# --- days --------------------------------------------------------------------


def _days(text: str, now: datetime) -> Iterator[SpokenTime]:
    today = now.date()
    for read in (nth_weekdays, _calendar_days, _relative_days):
        for start, end, day in read(text, today):
            clock, last = _clock_after(text, end)
            if clock and clock < "12:00" and re.search(r"tonight|afternoon|evening", text[start:last], re.IGNORECASE):
                clock = f"{int(clock[:2]) + 12}{clock[2:]}"
            yield SpokenTime("day", start, last, text[start:last].strip(), day=day, clock=clock)


_CALENDAR = re.compile(
    rf"(?i)\b(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th|\.)?(?: of|-)? ?(?:{_MONTH})\b|"
    rf"(?:{_MONTH})\b\.? ?(?:the )?\d{{1,2}}(?:st|nd|rd|th)?\b(?![:%])|"
    rf"(?:19|20)\d\d-\d\d-\d\d|\d{{1,2}}[./-]\d{{1,2}}[./-](?:20)?\d\d\b|\d{{1,2}}\.\d{{1,2}}\.(?!\d)|"
    rf"first of (?:{_MONTH})\b|(?:(?:end|start|beginning|middle) of|early|mid|late)[ -](?:{_MONTH})\b|q[1-4]\b|"
    rf"(?<=in )(?:{_MONTH})\b|(?<=by )(?:{_MONTH})\b|(?<=until )(?:{_MONTH})\b|(?<=till )(?:{_MONTH})\b|"
    rf"(?<=before )(?:{_MONTH})\b|"
    rf"(?<=from )(?:{_MONTH})\b|(?<=next )(?:{'|'.join(MONTHS)})\b|(?<=for )(?:{'|'.join(MONTHS)})\b|"
    rf"(?:{'|'.join(MONTHS)}) (?:20)\d\d)"
)


def _calendar_days(text: str, today: date) -> Iterator[tuple[int, int, date]]:
    """Yield days of the calendar; without a year the next one from today on."""
    for match in _CALENDAR.finditer(text):
        words = match[0].lower()
        start, end, day = match.start(), match.end(), None
        if re.fullmatch(r"\d{1,2}\.\d{1,2}\.", words):
            number, month = (int(part) for part in words.split(".")[:2])
            day = _next_day(today, lambda year, month=month, number=number: date(year, month, number))  # type: ignore[misc]
        elif part := re.match(r"(first of|(?:end|start|beginning|middle) of|early|mid|late)[ -]", words):
            month = _month_number(words[part.end() :])
            number = {"first of": 1, "start of": 1, "beginning of": 1, "early": 1, "mid": 15, "middle of": 15}.get(
                part[1], 0
            )
            year = re.match(r",? ((?:19|20)\d\d)\b", text[end:])
            end += year.end() if year else 0
            day = _next_day(today, lambda y, m=month, n=number: _day_of(y, m, n), int(year[1]) if year else 0)  # type: ignore[misc]
        else:
            lead = re.match(r"the ", words)
            spaced = _respell_dates(text)
            day, end = day_at(spaced, start + (lead.end() if lead else 0), today.year)
            if day is not None and day < today and not re.search(r"(?:19|20)\d\d|[./-]\d\d$", text[start:end]):
                day, end = day_at(spaced, start + (lead.end() if lead else 0), today.year + 1)
        if day is not None:
            yield start, end, day


def _respell_dates(text: str) -> str:
    """Return the text with "8 sept." and "18-nov" as `workspace.dates` spells them, no character moved."""
    return re.sub(rf"(?<=\d)-(?=(?:{_MONTH})\b)", " ", text, flags=re.IGNORECASE)


def _month_number(name: str) -> int:
    return next(
        number for number, month in enumerate(MONTHS, start=1) if month.lower().startswith(name.strip()[:3].lower())
    )


def _day_of(year: int, month: int, number: int) -> date:
    """Return a day of a month; 0 is its last one."""
    return date(year, month, number) if number else _months_later(date(year, month, 1), 1) - timedelta(days=1)


def _next_day(today: date, read: Callable[[int], date], year: int = 0) -> date | None:
    """Return the day in `year`, or the first one from today on, or None."""
    for one in (year,) if year else (today.year, today.year + 1, today.year + 2, today.year + 3):
        try:
            day = read(one)
        except ValueError:
            continue
        if year or day >= today:
            return day
    return None


@cache
def _relative_forms() -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], date | None]], ...]:
    forms: list[tuple[str, Callable[[re.Match[str], date], date | None]]] = [
        (r"yesterday", lambda _, today: today - timedelta(days=1)),
        (rf"last (?P<weekday>{_WEEKDAY})", lambda m, today: _weekday(today, m["weekday"]) - timedelta(days=7)),
        (r"the day after tomorrow", lambda _, today: today + timedelta(days=2)),
        (r"(?:today|tonight|this (?:morning|afternoon|evening))", lambda _, today: today),
        (
            r"(?:tomorrow|tmrw|tmw|tmr)(?: (?:morning|afternoon|evening|night))?",
            lambda _, today: today + timedelta(days=1),
        ),
        (rf"(?P<weekday>{_WEEKDAY}) week", lambda m, today: _weekday(today, m["weekday"]) + timedelta(days=7)),
        (
            rf"a week (?:on|from) (?P<weekday>{_WEEKDAY}|today|tomorrow)",
            lambda m, today: _from_today(today, m["weekday"]) + timedelta(days=7),
        ),
        (rf"(?P<weekday>{_WEEKDAY}) (?:of )?next week", lambda m, today: _next_week(today, m["weekday"])),
        (rf"next (?P<weekday>{_WEEKDAY})", lambda m, today: _next_week(today, m["weekday"])),
        (
            rf"(?:this |coming |this coming |the coming )?(?P<weekday>{'|'.join(WEEKDAYS)}|tues|weds|thurs|thur|"
            rf"tue|wed|thu|fri|mon)"
            r"(?: (?:morning|afternoon|evening|night|lunchtime))?",
            lambda m, today: _weekday(today, m["weekday"]),
        ),
        (
            rf"in (?P<count>{_COUNT})(?: (?:more|short))? (?P<unit>{_SPAN})(?:['’]s?)?(?: time)?",
            lambda m, today: _later(today, m),
        ),
        (
            rf"(?P<count>{_COUNT}) (?P<unit>{_SPAN}) (?:from (?:now|today)|hence|ahead)",
            lambda m, today: _later(today, m),
        ),
        (rf"within (?:the next )?(?P<count>{_COUNT}) (?P<unit>{_SPAN})", lambda m, today: _later(today, m)),
        (
            r"(?:the )?(?:end of|close of) (?P<which>the |this |next )?(?P<unit>week|month|quarter|year)",
            lambda m, today: _end_of(today, m["unit"], is_next=(m["which"] or "").strip().lower() == "next"),
        ),
        (r"(?P<unit>week|month|quarter|year)[- ]?end(?!s)", lambda m, today: _end_of(today, m["unit"], is_next=False)),
        (
            r"(?:the )?(?:start|beginning) of (?:the )?(?P<which>next )(?P<unit>week|month|quarter|year)",
            lambda m, t: _start_of_next(t, m["unit"]),
        ),
        (
            r"(?P<which>next|this) (?P<unit>week|month|quarter|year)",
            lambda m, t: _end_of(t, m["unit"], is_next=m["which"].lower() == "next"),
        ),
        (
            rf"the (?P<nth>{_ORDINAL})(?= of (?:this|next|the) month|(?! (?:of|\w+ (?:step|"
            rf"point)))\b)(?P<of> of (?:this|next|the) month)?",
            _of_month,
        ),
        (r"new year(?:['’]?s(?: day)?)?", lambda _, today: date(today.year + 1, 1, 1)),
        (r"christmas(?: day)?|xmas", lambda _, today: _next_day(today, lambda year: date(year, 12, 25))),
        (r"christmas eve|xmas eve", lambda _, today: _next_day(today, lambda year: date(year, 12, 24))),
    ]
    return tuple((re.compile(rf"\b{form}\b", re.IGNORECASE), read) for form, read in forms)


def _relative_days(text: str, today: date) -> Iterator[tuple[int, int, date]]:
    for form, read in _relative_forms():
        for match in form.finditer(text):
            day = read(match, today)
            if day is not None and not _is_no_day(text, match):
                yield match.start(), match.end(), day


def _is_no_day(text: str, match: re.Match[str]) -> bool:
    """Return whether the words of a day mean something else: "the first 50", "sun" in lower case, "second hand"."""
    parts = match.groupdict()
    if parts.get("nth"):
        after = text[match.end() :]
        digits = parts["nth"][0].isdigit()
        is_day = re.search(r"(?i)\b(?:on|by|until|till|before|for) $", text[: match.start()])
        follows = r"\s+(?!(?:to|at|and|please|we|i)\b)[a-z0-9]" if is_day else r"\s+[a-z0-9]"
        return not digits and bool(re.match(follows, after)) and not parts.get("of")
    return (
        match[0].lower() in ("sun", "sat", "mon", "wed")
        and not match[0][0].isupper()
        and not _ROLE.search(text[: match.start()])
    )


def _weekday(today: date, name: str) -> date:
    ahead = (_WEEKDAY_NAMES[name.lower()] - today.weekday() - 1) % 7 + 1
    return today + timedelta(days=ahead)


def _from_today(today: date, name: str) -> date:
    low = name.lower()
    return today if low == "today" else today + timedelta(days=1) if low == "tomorrow" else _weekday(today, low)


def _next_week(today: date, name: str) -> date:
    monday = today + timedelta(days=7 - today.weekday())
    return monday + timedelta(days=_WEEKDAY_NAMES[name.lower()])


def _end_of(today: date, unit: str, *, is_next: bool) -> date:
    unit, ahead = unit.lower(), int(is_next)
    if unit == "week":
        friday = today + timedelta(days=4 - today.weekday() + 7 * ahead)
        return friday if friday >= today else friday + timedelta(days=2)
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    first = date(today.year, (today.month - 1) // months * months + 1, 1)
    return _months_later(first, months * (1 + ahead)) - timedelta(days=1)


def _start_of_next(today: date, unit: str) -> date:
    if unit.lower() == "week":
        return today + timedelta(days=7 - today.weekday())
    return _end_of(today, unit, is_next=False) + timedelta(days=1)


def _of_month(match: re.Match[str], today: date) -> date | None:
    number, of = _nth(match["nth"]), (match["of"] or "").lower()
    first = _months_later(today.replace(day=1), int("next" in of))
    for ahead in range(1 if of else 4):
        try:
            day = _months_later(first, ahead).replace(day=number)
        except ValueError:
            continue
        if day >= today or of:
            return day
    return None


def _later(today: date, match: re.Match[str]) -> date | None:
    count, unit = _count(match["count"]), _unit(match["unit"])
    if unit == "hour":
        return today + timedelta(days=int(count // 24))
    if unit == "day" and re.match("working|business", match["unit"].lower()):
        day = today
        for _ in range(int(count)):
            day += timedelta(days={4: 3, 5: 2}.get(day.weekday(), 1))
        return day
    days = {"day": 1, "week": 7, "fortnight": 14}.get(unit)
    if days:
        return today + timedelta(days=round(count * days))
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    if count * months < 1:
        return today + timedelta(days=round(count * months * 30))
    return _months_later(today, round(count * months))


def _months_later(day: date, months: int) -> date:
    """Return the day so many months later, or the last one of a shorter month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


# --- durations and times of day ----------------------------------------------

_DURATION = re.compile(
    rf"(?i)(?<![\w.,$€£/-])(?P<about>about |around |roughly |some )?(?P<count>{_COUNT}|{_COUNT} or {_COUNT}|"
    rf"(?<=between ){_COUNT} and {_COUNT}|two and a half|one and a half)"
    rf"[ -](?P<unit>{_SPAN})(?![\w-]|['’]s? notice)(?P<long>[- ]long)?"
)


_STANDS_ALONE = re.compile(r"(?:\b(?:for|over|last(?:s|ing)?|take[sn]?|only|than|in|of|during)|[,;:(]|^)\s*$")
"""The words before "a week" as a duration, not a rhythm as in "500 dollars a week"."""


def _durations(text: str, now: datetime) -> Iterator[SpokenTime]:  # noqa: ARG001 - one signature for all readers
    for match in _DURATION.finditer(text):
        before = text[: match.start()].lower()
        words = match["count"].lower()
        if words in ("a", "an") and not _STANDS_ALONE.search(before):
            continue  # "500 dollars a week"
        about = bool(match["about"]) or words in ("a few", "several")
        start = match.start()
        yield SpokenTime(
            "duration",
            start,
            match.end(),
            match[0].strip(),
            count=_count(words),
            unit=_unit(match["unit"]),
            about=about,
        )


def _clocks(text: str, now: datetime) -> Iterator[SpokenTime]:  # noqa: ARG001 - one signature for all readers
    for match in _CLOCK.finditer(text):
        clock = _clock(match)
        if clock:
            yield SpokenTime("day", match.start(), match.end(), match[0].strip(" ,"), clock=clock)


def _clock_after(text: str, end: int) -> tuple[str, int]:
    """Return the time of day right after position `end`, and where it ends."""
    match = _CLOCK.match(text, end) or _CLOCK.match(text, end + len(text[end:]) - len(text[end:].lstrip()))
    clock = _clock(match) if match else ""
    return (clock, match.end()) if match and clock else ("", end)


def _clock(match: re.Match[str]) -> str:
    if match["named"]:
        return _NAMED_TIMES.get(match["named"].lower(), "17:00")
    if match["hour24"]:
        return f"{int(match['hour24']):02}:{match['minute24']}"
    if match["oclock"] or match["bare"]:
        hour = int(_count(match["oclock"] or match["bare"]))
        return f"{hour + 12 if hour < 7 else hour:02}:00"
    hour, is_afternoon = int(match["hour"]), match["half"].lower().startswith("p")
    if not 1 <= hour <= 12:
        return ""
    return f"{hour % 12 + 12 * is_afternoon:02}:{match['minute'] or '00'}"


def _count(words: str) -> float:
    low = words.strip().lower()
    if low in ("a", "an"):
        return 1.0
    if low in _VAGUE:
        return _VAGUE[low]
    if low[0].isdigit():
        return float(re.match(r"[\d.,]+", low)[0].replace(",", "."))  # type: ignore[index]
    return number_of(low) or 1.0


def _unit(words: str) -> str:
    word = words.lower().split()[-1].rstrip("s")
    return _UNITS.get(word, word)
