"""Calendar files (ics) as passages: each meeting and deadline in a sentence, with day, hours, place and people."""

from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any

from mabos.society.documents.sheets import needs
from mabos.society.documents.text import DocumentText, Passage
from mabos.workspace.text import one_line

_MOST_EVENTS = 1_000
_MOST_OF_A_SERIES = 12
_DAYS_OF_A_SERIES = 400
_OLDEST_YEAR = 2000
"""A series that began before is not walked through: each file would cost seconds."""
_WALKED = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_COMMON = frozenset(["FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS"])
_MOST_WALKED = 20_000
"""Days of one series that are walked through."""


def read_calendar(name: str, content: bytes, today: date | None = None) -> DocumentText:
    """Return the meetings and deadlines of a calendar file, by time; those of a series from `today` on."""
    try:
        from icalendar import Calendar  # brings dateutil
    except ModuleNotFoundError:
        return DocumentText(name, problem=needs("icalendar"))
    calendars = Calendar.from_ical(content, multiple=True)
    entries = [entry for one in calendars for entry in one.walk() if entry.name in ("VEVENT", "VTODO")]
    notes = [f"only the first {_MOST_EVENTS:,} entries are read"] if len(entries) > _MOST_EVENTS else []
    moved = [(str(one.get("UID", "")), one["RECURRENCE-ID"].dt) for one in entries if one.get("RECURRENCE-ID")]
    dated = [
        (start, entry)
        for entry in entries[:_MOST_EVENTS]
        for start in _occurrences(entry, [day for uid, day in moved if uid == entry.get("UID")], today)
    ]
    dated.sort(key=lambda row: str(row[0]))
    passages = tuple(
        Passage(_sentence(entry, start), f"entry {number}", _kind(entry))
        for number, (start, entry) in enumerate(dated, 1)
    )
    title = one_line(str(calendars[0].get("X-WR-CALNAME", ""))) if calendars else ""
    return DocumentText(name, passages, title=title, notes=tuple(notes), problem="" if dated else "has no entries")


def _kind(entry: Any) -> str:
    return "Deadline" if entry.name == "VTODO" else "Meeting"


def _occurrences(entry: Any, moved: Sequence[date], today: date | None) -> Sequence[date]:
    """Return when an entry is: of one that repeats the next twelve days, without those moved or left out."""
    start = _time(entry, "DTSTART" if entry.name == "VEVENT" else "DUE") or _time(entry, "DTSTART")
    if start is None or str(entry.get("STATUS", "")).upper() == "CANCELLED":
        return []
    rule = entry.get("RRULE")
    if not _is_walked(rule, start) or entry.get("RECURRENCE-ID"):
        return [start]
    from dateutil.rrule import rrulestr  # of the extra, as icalendar

    first = _plain(start, start)
    since = datetime.combine(today, time()) if today else first
    ends = [_plain(one, start, time.max) for one in rule.get("UNTIL", ())]
    last = min([*ends, max(since, first) + timedelta(_DAYS_OF_A_SERIES)])
    bare = {key: value for key, value in rule.items() if key not in ("COUNT", "UNTIL")}
    every = rrulestr(type(rule)({**bare, "UNTIL": [last]}).to_ical().decode(), dtstart=first)
    days = {
        *islice(every, min(int(rule.get("COUNT", [_MOST_WALKED])[0]), _MOST_WALKED)),
        *_listed_days(entry, "RDATE", start),
    }
    days -= {*_listed_days(entry, "EXDATE", start), *(_plain(day, start) for day in moved)}
    chosen = sorted(day for day in days if day >= since)[:_MOST_OF_A_SERIES] or sorted(days)[-1:]
    return [one.replace(tzinfo=start.tzinfo) if isinstance(start, datetime) else one.date() for one in chosen]


def _is_walked(rule: Any, start: date) -> bool:
    """Return whether a rule is a common one, which is sure to have days: others are searched until the year 9999."""
    if not rule or start.year < _OLDEST_YEAR or set(rule) - _COMMON:
        return False
    given = {key: [str(one) for one in rule[key]] for key in rule}
    often, interval = given["FREQ"][0].upper(), int(given.get("INTERVAL", ["1"])[0])
    months, days, places = ([int(one) for one in given.get(key, ())] for key in ("BYMONTH", "BYMONTHDAY", "BYSETPOS"))
    numbers = [int(one[:-2]) for one in given.get("BYDAY", ()) if len(one) > 2]
    is_dated = any(abs(day) <= monthrange(2024, month)[1] for day in days or [1] for month in months or [1])
    is_plain = interval == 1 or not (months or (often == "DAILY" and (days or "BYDAY" in given)))
    is_placed = not numbers or not (days or places)
    near = all(abs(one) <= 5 for one in (*numbers, *places))
    return often in _WALKED and 1 <= interval <= 60 and is_dated and is_plain and is_placed and near


def _listed_days(entry: Any, name: str, start: date) -> Iterator[datetime]:
    """Yield the days that an entry adds (RDATE) or leaves out (EXDATE)."""
    given = entry.get(name) or []
    for days in given if isinstance(given, list) else [given]:
        yield from (_plain(one.dt, start) for one in days.dts if isinstance(one.dt, date))


def _plain(day: date, start: date, default: time = time()) -> datetime:
    """Return a time as the clocks of the start show it; a day alone is at its beginning, or at `default`."""
    if not isinstance(day, datetime):
        return datetime.combine(day, default)
    zone = start.tzinfo if isinstance(start, datetime) else None
    return (day.astimezone(zone) if zone and day.tzinfo else day).replace(tzinfo=None)


def _time(entry: Any, name: str) -> date | datetime | None:
    found = entry.get(name)
    moment = getattr(found, "dt", None)
    return moment if isinstance(moment, date) else None


def _day(moment: date | datetime) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _end(entry: Any, start: date | datetime) -> date | datetime | None:
    end = _time(entry, "DTEND")
    first = _time(entry, "DTSTART")
    if end is None or first is None or isinstance(end, datetime) != isinstance(first, datetime):
        lasts = getattr(entry.get("DURATION"), "dt", None)
        return start + lasts if isinstance(lasts, timedelta) and isinstance(start, datetime) else None
    return start + (end - first)


def _sentence(entry: Any, start: date | datetime) -> str:
    """Return an entry as a sentence: "Health inspection is on 12 May 2027 from 10:00 to 11:00 (CEST), in the
    kitchen.".
    """
    what, day = one_line(str(entry.get("SUMMARY", "without a title"))), _day(start)
    word = "is due by" if entry.name == "VTODO" else "is on"
    said = f"{what} {word} {day.day} {day:%B %Y}"
    if isinstance(start, datetime):
        end = _end(entry, start)
        zone = f" ({start.tzname()})" if start.tzname() else ""
        hours = f" from {start:%H:%M} to {end:%H:%M}" if end and word == "is on" else f" at {start:%H:%M}"
        said += f"{hours}{zone}"
    where, people = one_line(str(entry.get("LOCATION", ""))), _people(entry)
    said += f", at {where}" if where else ""
    said += f", with {', '.join(people)}" if people else ""
    rule = entry.get("RRULE")
    said += f", repeated {str(rule.get('FREQ', [''])[0]).lower()}" if rule and not _is_walked(rule, day) else ""
    details = one_line(str(entry.get("DESCRIPTION", "")))
    return f"{said}. {details}".strip()


def _people(entry: Any) -> list[str]:
    found = entry.get("ATTENDEE") or []
    named = [entry.get("ORGANIZER"), *(found if isinstance(found, list) else [found])]
    names = [one.params.get("CN") or str(one).removeprefix("mailto:").removeprefix("MAILTO:") for one in named if one]
    return list(dict.fromkeys(one_line(str(one)) for one in names))
