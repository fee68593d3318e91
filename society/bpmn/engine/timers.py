"""When the timers of a workflow are due: ISO 8601 dates, durations and repetitions."""

import re
from datetime import MAXYEAR, UTC, datetime, timedelta

from mabos.configs.errors import InvalidArgument, MabosError
from mabos.society.bpmn.model import EventDefinition
from mabos.workspace.clock import parse_time

_DURATION = re.compile(
    r"P(?:(?P<years>\d+)Y)?(?:(?P<months>\d+)M)?(?:(?P<weeks>\d+(?:\.\d+)?)W)?(?:(?P<days>\d+(?:\.\d+)?)D)?"
    r"(?:T(?:(?P<hours>\d+(?:\.\d+)?)H)?(?:(?P<minutes>\d+(?:\.\d+)?)M)?(?:(?P<seconds>\d+(?:\.\d+)?)S)?)?"
)
_COUNT = re.compile(r"\d{1,9}")
_LONGEST = 100  # characters of a duration; more digits are no number that a calendar knows
_SHORTEST = timedelta(seconds=1)


def due(trigger: EventDefinition, now: datetime) -> datetime:
    """Return the moment at which a timer that starts `now` is due; raises `InvalidArgument` where it says none."""
    text = trigger.when.strip()
    if text.startswith("R"):
        text = text.partition("/")[2]
    if text.startswith("P"):
        return after(text, now)
    try:
        return parse_time(text).astimezone(UTC)
    except MabosError:
        message = f"{trigger.when!r} is no date, duration or cycle; write them as 2026-03-01, PT2H or R3/P1D"
        raise InvalidArgument(message) from None


def repetitions(trigger: EventDefinition) -> int | None:
    """Return how often a timer fires: once, so many times, or (None) for ever."""
    if not trigger.when.strip().startswith("R"):
        return 1
    number = trigger.when.strip()[1:].partition("/")[0]
    return int(number) if _COUNT.fullmatch(number) else None


def after(duration: str, now: datetime) -> datetime:
    """Return `now` and an ISO 8601 duration; months and years are those of the calendar."""
    found = _DURATION.fullmatch(duration.strip())
    if found is None or len(duration) > _LONGEST or not any(found.groupdict().values()):
        raise InvalidArgument(f"{duration[:_LONGEST]!r} is no duration; write it as P3D, PT2H or P1M")
    parts = {name: float(value) for name, value in found.groupdict(default="0").items()}
    months = now.year * 12 + now.month - 1 + int(parts.pop("years")) * 12 + int(parts.pop("months"))
    year, month = divmod(months, 12)
    if year > MAXYEAR:
        raise InvalidArgument(f"{duration!r} ends beyond the year {MAXYEAR}")
    day = min(now.day, _days(year, month + 1))
    try:
        return max(now.replace(year=year, month=month + 1, day=day) + timedelta(**parts), now + _SHORTEST)
    except OverflowError:
        raise InvalidArgument(f"{duration!r} ends beyond the year {MAXYEAR}") from None


def _days(year: int, month: int) -> int:
    from calendar import monthrange

    return monthrange(year, month)[1]
