"""Calendar files (ics) as passages: each meeting and deadline in a sentence, with its day, hours, place and people."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from mabos.society.documents.sheets import needs
from mabos.society.documents.text import DocumentText, Passage
from mabos.workspace.text import one_line

_MOST_EVENTS = 1_000
_MOST_OF_A_SERIES = 12
_DAYS_OF_A_SERIES = 400


def read_calendar(name: str, content: bytes) -> DocumentText:
    """Return the meetings and deadlines of a calendar file, by time."""
    try:
        from icalendar import Calendar
    except ModuleNotFoundError:
        return DocumentText(name, problem=needs("icalendar"))
    calendars = Calendar.from_ical(content, multiple=True)
    entries = [entry for one in calendars for entry in one.walk() if entry.name in ("VEVENT", "VTODO")]
    notes = [f"only the first {_MOST_EVENTS:,} entries are read"] if len(entries) > _MOST_EVENTS else []
    dated = [row for entry in entries[:_MOST_EVENTS] for row in _occurrences(entry)]
    dated.sort(key=lambda row: str(row[0]))
    passages = tuple(
        Passage(_sentence(entry, start), f"entry {number}", _kind(entry))
        for number, (start, entry) in enumerate(dated, 1)
    )
    title = one_line(str(calendars[0].get("X-WR-CALNAME", ""))) if calendars else ""
    return DocumentText(name, passages, title=title, notes=tuple(notes), problem="" if dated else "has no entries")


def _kind(entry: Any) -> str:
    return "Deadline" if entry.name == "VTODO" else "Meeting"


def _occurrences(entry: Any) -> Iterator[tuple[date | datetime, Any]]:
    """Yield when an entry is; one that repeats has the days of the next months, a few at most."""
    start = _time(entry, "DTSTART" if entry.name == "VEVENT" else "DUE") or _time(entry, "DTSTART")
    if start is None or str(entry.get("STATUS", "")).upper() == "CANCELLED":
        return
    rule = entry.get("RRULE")
    step = _step(rule) if rule else None
    if step is None:
        yield start, entry
        return
    until, count = (rule.get("UNTIL") or [None])[0], int((rule.get("COUNT") or [_MOST_OF_A_SERIES])[0])
    last = _day(start) + timedelta(days=_DAYS_OF_A_SERIES)
    last = min(last, _day(until)) if until else last
    for number in range(min(count, _MOST_OF_A_SERIES)):
        when = start + number * step
        if _day(when) <= last:
            yield when, entry


def _step(rule: Any) -> timedelta | None:
    """Return the time between two occurrences of a simple rule; None for a monthly rule, of which the first counts."""
    days = {"DAILY": 1, "WEEKLY": 7}.get(str((rule.get("FREQ") or [""])[0]))
    return timedelta(days=days * int((rule.get("INTERVAL") or [1])[0])) if days else None


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
    said += f", repeated {str((rule.get('FREQ') or [''])[0]).lower()}" if rule and _step(rule) is None else ""
    details = one_line(str(entry.get("DESCRIPTION", "")))
    return f"{said}. {details}".strip()


def _people(entry: Any) -> list[str]:
    found = entry.get("ATTENDEE") or []
    named = [entry.get("ORGANIZER"), *(found if isinstance(found, list) else [found])]
    names = [one.params.get("CN") or str(one).removeprefix("mailto:").removeprefix("MAILTO:") for one in named if one]
    return list(dict.fromkeys(one_line(str(one)) for one in names))
