"""Numbers, dates and times of day as requests spell them, with their units."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import pairwise
from math import isfinite

from mabos.language.calls.tokens import RequestToken, split_words
from mabos.language.calls.units import DAYS_OF, TIMES_A_YEAR, UNITS
from mabos.language.wordlists import order_form
from mabos.workspace.currencies import CURRENCIES
from mabos.workspace.dates import MONTHS, WEEKDAYS

_SMALL = split_words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ORDINALS = split_words("zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth")
_WORDS = {word: number for number, word in enumerate(_SMALL)} | {
    word: 10 * number for number, word in enumerate(_TENS, start=2)
}
_SCALES = {
    "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "trillion": 1_000_000_000_000,
    "dozen": 12, "k": 1_000, "m": 1_000_000, "bn": 1_000_000_000, "b": 1_000_000_000, "mil": 1_000_000,
}  # fmt: skip
_DIGITS = order_form("claims_quantities.digits")
_POWER = re.compile(r"([-−]?\d+(?:\.\d+)?)(?:[x×*]10\^?\(?([-−]?\d+)\)?|[eE]([-+−]?\d+))")
_FRACTION = re.compile(r"(\d+)/(\d+)")
_ORDINAL_DIGITS = re.compile(r"(\d+)(st|nd|rd|th)")
TIMES = "times a year"
"""The unit of "quarterly": 4 times a year."""


@dataclass(frozen=True, slots=True)
class NumberMention:
    """A number from token `first` to token `last`, with the unit after it and how it is written."""

    first: int
    last: int
    value: float
    unit: str = ""
    is_percent: bool = False
    is_money: bool = False
    is_ordinal: bool = False
    is_word: bool = False
    is_implied: bool = False
    """Whether only a unit is said, as in "next week"."""


@dataclass(frozen=True, slots=True)
class MomentMention:
    """A day, a time of day or both, from token `first` to token `last`; a missing part is None."""

    first: int
    last: int
    day: date | None = None
    time: tuple[int, int] | None = None
    has_year: bool = True


def _plain(value: float) -> float:
    return int(value) if float(value).is_integer() and abs(value) < 1e15 else value


def numbers_of(tokens: Sequence[RequestToken]) -> list[NumberMention]:
    """Return the numbers of a request in order; "5 million" and "twenty five" are one number each."""
    found: list[NumberMention] = []
    position = 0
    while position < len(tokens):
        quantity = _number_at(tokens, position)
        if quantity is None or not isfinite(quantity.value):
            position += 1
            continue
        found.append(_with_unit(tokens, _apply_scale(tokens, quantity)))
        position = found[-1].last + 1
    return found


def joined_measures(tokens: Sequence[RequestToken], numbers: Sequence[NumberMention]) -> list[NumberMention]:
    """Return measures in two units as one number in the smaller: "5 ft 10 in", "1 hour and 30 minutes"."""
    found = []
    for one, other in pairwise(numbers):
        if one.unit not in UNITS or other.unit not in UNITS or UNITS[one.unit][0] != UNITS[other.unit][0]:
            continue
        between = [token.low for token in tokens[one.last + 1 : other.first]]
        factor = UNITS[one.unit][1] / UNITS[other.unit][1]
        if factor > 1 and all(word in (one.unit, "and") for word in between):
            value = _plain(round(one.value * factor + other.value, 9))
            found.append(NumberMention(one.first, other.last, value, other.unit))
    return found


_NEXT = frozenset(split_words("next last past coming upcoming following previous"))


def implied_numbers(tokens: Sequence[RequestToken]) -> list[NumberMention]:
    """Return the numbers without a figure: one week in "next week", four times a year in "quarterly"."""
    found = []
    for at, token in enumerate(tokens):
        if token.low in TIMES_A_YEAR:
            found.append(NumberMention(at, at, TIMES_A_YEAR[token.low], TIMES, is_word=True))
        follows = tokens[at + 1].low if at + 1 < len(tokens) else ""
        if token.low in _NEXT and follows in DAYS_OF:
            found.append(NumberMention(at, at + 1, 1, follows, is_word=True, is_implied=True))
    return found


def _number_at(tokens: Sequence[RequestToken], at: int) -> NumberMention | None:
    low = tokens[at].low.replace("−", "-")
    if match := _POWER.fullmatch(low):
        return NumberMention(at, at, float(f"{match[1]}e{match[2] or match[3]}".replace("−", "-")))
    if match := _FRACTION.fullmatch(low):
        return NumberMention(at, at, int(match[1]) / int(match[2])) if int(match[2]) else None
    if match := _ORDINAL_DIGITS.fullmatch(low):
        return NumberMention(at, at, int(match[1]), is_ordinal=True)
    if match := _DIGITS.fullmatch(low):
        try:
            value = float(match["digits"].replace(",", ""))
        except ValueError:
            return None
        if match["sign"] in ("-", "−") or match["sign2"]:
            value = -value
        suffix = match["suffix"] or ""
        is_scale = suffix == "bn" or (suffix == "k" and "k" in tokens[at].text) or match["currency"]
        scale = _SCALES.get(suffix, 1) if is_scale else 1
        unit = "" if scale != 1 or suffix == "%" else suffix
        return NumberMention(at, at, _plain(value * scale), unit, suffix == "%", bool(match["currency"]))
    return _read_hyphened(low, at) or _spelled_at(tokens, at)


def _read_hyphened(low: str, at: int) -> NumberMention | None:
    """Return the number of "a 30-minute walk" or "a six-year-old"."""
    match = _HYPHENED.fullmatch(low)
    if not match or match[2] in _WORDS:
        return None
    is_word = not match[1][0].isdigit()
    number = _WORDS.get(match[1]) if is_word else float(match[1])
    return None if number is None else NumberMention(at, at, _plain(number), match[2], is_word=is_word)


_HYPHENED = re.compile(r"(\d+(?:\.\d+)?|[a-z]+)-((?!(?:st|nd|rd|th|am|pm)$)[a-z]{3,})(?:-old)?")


def _spelled_at(tokens: Sequence[RequestToken], at: int) -> NumberMention | None:
    """Return a number in words: "seven", "twenty five", "twenty-five", "a dozen", "third"."""
    low = tokens[at].low
    if low in _ORDINALS[1:]:
        return NumberMention(at, at, _ORDINALS.index(low), is_ordinal=True, is_word=True)
    if low in ("twice", "once", "double", "dozen"):
        return NumberMention(at, at, {"twice": 2, "once": 1, "double": 2, "dozen": 12}[low], is_word=True)
    parts = low.split("-")
    if not all(part in _WORDS for part in parts):
        return None
    total, last = sum(_WORDS[part] for part in parts), at
    if len(parts) == 1 and total >= 20 and at + 1 < len(tokens) and 0 < _WORDS.get(tokens[at + 1].low, 0) < 10:
        total, last = total + _WORDS[tokens[at + 1].low], at + 1
    return NumberMention(at, last, total, is_word=True)


def _apply_scale(tokens: Sequence[RequestToken], quantity: NumberMention) -> NumberMention:
    """Return the number with the words "million", "hundred and fifty" after it taken in."""
    value, last = quantity.value, quantity.last
    while last + 1 < len(tokens) and (scale := _SCALES.get(tokens[last + 1].low)) and len(tokens[last + 1].low) > 2:
        value, last = value * scale, last + 1
    if last > quantity.last and quantity.is_word:
        skip = last + 2 if last + 2 < len(tokens) and tokens[last + 1].low == "and" else last + 1
        rest = _spelled_at(tokens, skip) if skip < len(tokens) else None
        if rest and not rest.is_ordinal and rest.value < value:
            value, last = value + rest.value, rest.last
    unit = quantity.unit
    return NumberMention(
        quantity.first, last, _plain(value), unit, quantity.is_percent, quantity.is_money, quantity.is_ordinal,
        quantity.is_word,
    )  # fmt: skip


def _with_unit(tokens: Sequence[RequestToken], quantity: NumberMention) -> NumberMention:
    after = tokens[quantity.last + 1].low if quantity.last + 1 < len(tokens) else ""
    percent = quantity.is_percent or after in ("percent", "%", "percentage", "pct")
    money = quantity.is_money or after in CURRENCIES
    unit = quantity.unit or (after if after and after[0].isalpha() and not percent else "")
    by = [token.low for token in tokens[quantity.last + 2 : quantity.last + 4]]
    if unit in UNITS and unit == after and len(by) == 2 and by[0] == "per" and by[1] in UNITS:
        unit = f"{unit}/{by[1]}"
    return NumberMention(
        quantity.first, quantity.last, quantity.value, unit, percent, money, quantity.is_ordinal, quantity.is_word
    )


_MONTH_NUMBER = (
    {name.lower(): at for at, name in enumerate(MONTHS, start=1)}
    | {name.lower()[:3]: at for at, name in enumerate(MONTHS, start=1)}
    | {"sept": 9}
)
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:t(\d\d):(\d\d).*)?")
_SLASHED = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d\d)")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))?(?::\d\d)?(am|pm|a\.m|p\.m|h)?")
_DAY = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?")


def moments_of(tokens: Sequence[RequestToken], now: datetime | None = None) -> list[MomentMention]:
    """Return the days and times of a request in order; relative days only if `now` is given."""
    found: list[MomentMention] = []
    position = 0
    while position < len(tokens):
        moment = _day_at(tokens, position, now) or _time_at(tokens, position)
        if moment is None:
            position += 1
            continue
        found.append(moment)
        position = moment.last + 1
    return _in_one_year(tokens, found)


def _in_one_year(tokens: Sequence[RequestToken], moments: Sequence[MomentMention]) -> list[MomentMention]:
    """Give days without a year that of the only other year said: "from 4 April 2027 to 8 April"."""
    said = [bool(re.search(r"\d{4}", " ".join(t.low for t in tokens[one.first : one.last + 1]))) for one in moments]
    years = {one.day.year for one, is_said in zip(moments, said, strict=True) if is_said and one.day}
    if len(years) != 1:
        return list(moments)
    (year,) = years
    return [
        replace(one, day=valid_date(year, one.day.month, one.day.day) or one.day, has_year=True)
        if one.day and not is_said and any(t.low.rstrip(".") in _MONTH_NUMBER for t in tokens[one.first : one.last + 1])
        else one
        for one, is_said in zip(moments, said, strict=True)
    ]


def valid_date(year: int, month: int, day: int) -> date | None:
    """Return a day of the calendar, or None if there is no such day."""
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _day_at(tokens: Sequence[RequestToken], at: int, now: datetime | None) -> MomentMention | None:
    low = tokens[at].low
    if match := _ISO.fullmatch(low):
        day = valid_date(int(match[1]), int(match[2]), int(match[3]))
        clock = (int(match[4]), int(match[5])) if match[4] else None
        return MomentMention(at, at, day, clock) if day else None
    if match := _SLASHED.fullmatch(low):
        first, second, year = int(match[1]), int(match[2]), int(match[3])
        year += 2000 if year < 100 else 0
        month, number = (second, first) if first > 12 else (first, second)
        day = valid_date(year, month, number)
        return MomentMention(at, at, day) if day else None
    return _named_day(tokens, at, now) or (_relative_day(tokens, at, now) if now else None)


def _named_day(tokens: Sequence[RequestToken], at: int, now: datetime | None) -> MomentMention | None:
    """Return a day with the name of its month: "March 8th, 2023", "8 March", "8th of March 2023"."""
    month = _MONTH_NUMBER.get(tokens[at].low.rstrip("."))
    if re.fullmatch(r"(19|20)\d\d", tokens[at].low) and at + 2 < len(tokens):  # "2023 April 4th"
        named = _named_day(tokens[at + 1 : at + 3], 0, None)
        if named and named.last == 1 and named.day:
            day = valid_date(int(tokens[at].low), named.day.month, named.day.day)
            return MomentMention(at, at + 2, day) if day else None
    if month and at + 1 < len(tokens) and (match := _DAY.fullmatch(tokens[at + 1].low)):
        return _in_year(tokens, (at, at + 1), (month, int(match[1])), now)
    if match := _DAY.fullmatch(tokens[at].low):
        after = at + 2 if at + 2 < len(tokens) and tokens[at + 1].low == "of" else at + 1
        month = _MONTH_NUMBER.get(tokens[after].low.rstrip(".")) if after < len(tokens) else None
        if month:
            return _in_year(tokens, (at, after), (month, int(match[1])), now)
    return None


def _in_year(
    tokens: Sequence[RequestToken], place: tuple[int, int], month_day: tuple[int, int], now: datetime | None
) -> MomentMention | None:
    (first, last), (month, number) = place, month_day
    after = last + 2 if last + 2 < len(tokens) and tokens[last + 1].low in (",", "of") else last + 1
    if after < len(tokens) and re.fullmatch(r"(19|20)\d\d", tokens[after].low):
        day = valid_date(int(tokens[after].low), month, number)
        return MomentMention(first, after, day) if day else None
    year = now.year if now else 2000
    day = valid_date(year, month, number)
    if day and now and day < now.date():
        day = valid_date(year + 1, month, number) or day
    return MomentMention(first, last, day, has_year=now is not None) if day else None


def _relative_day(tokens: Sequence[RequestToken], at: int, now: datetime) -> MomentMention | None:
    low = tokens[at].low
    shift = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}.get(low)
    if shift is not None:
        return MomentMention(at, at, now.date() + timedelta(days=shift))
    names = [name.lower() for name in WEEKDAYS]
    weekday = tokens[at + 1].low if low in ("next", "this", "coming") and at + 1 < len(tokens) else low
    if weekday not in names:
        return None
    ahead = (names.index(weekday) - now.weekday() - 1) % 7 + 1
    if low == "next" and ahead < 7 - now.weekday():
        ahead += 7
    return MomentMention(at, at + (weekday != low), now.date() + timedelta(days=ahead))


def _time_at(tokens: Sequence[RequestToken], at: int) -> MomentMention | None:
    """Return a time of day: "5pm", "17:30", "5:30 pm", "noon"."""
    low = tokens[at].low
    if low in ("noon", "midnight", "midday"):
        return MomentMention(at, at, time=(0 if low == "midnight" else 12, 0))
    match = _CLOCK.fullmatch(low.rstrip("."))
    if not match:
        return None
    after = tokens[at + 1].low.rstrip(".") if at + 1 < len(tokens) else ""
    half = match[3] or (after if after in ("am", "pm", "a.m", "p.m") else "")
    if not half and not match[2]:
        return None
    hour, minute = int(match[1]), int(match[2] or 0)
    if half[:1] == "p" and hour < 12:
        hour += 12
    if half[:1] == "a" and hour == 12:
        hour = 0
    if hour > 23 or minute > 59:
        return None
    return MomentMention(at, at + (not match[3] and bool(half)), time=(hour, minute))
