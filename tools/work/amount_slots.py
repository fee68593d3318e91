"""Amounts of a text matched to a number of an order, by name and unit, and values derived by arithmetic.

want = wanted_number("weekly_budget_usd", words)
fitting(want, read.mentions)           # "100 dollars a week" fits, "two weeks" does not
derived(want, read.mentions, text)     # (300.0, "1200 / 4 = 300") of "spend 1200 dollars over four weeks"
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from mabos.language.selectors import singular
from mabos.tools.work.clauses import TIME_UNITS, ReadText, SpokenQuantity
from mabos.workspace.text import STOPWORDS, terms

NumberKind = Literal["money", "percent", "duration", "count", "any"]

_MONEY: Final = frozenset(
    terms("""
    usd eur gbp chf dollar dollars euro euros price budget cost costs fee fees salary wage spend payment
    deposit rent bid revenue pay charge refund amount
""")
)
_PERCENT: Final = frozenset(
    terms("""
    percent pct percentage share discount
""")
)
_COUNT: Final = frozenset(
    terms("""
    quantity qty count number units pieces copies seats people guests persons items
""")
)
_RHYTHMS: Final = {
    "weekly": "week", "week": "week", "daily": "day", "monthly": "month", "month": "month", "hourly": "hour",
    "yearly": "year", "annual": "year", "annually": "year", "quarterly": "quarter",
}  # fmt: skip
_TOTALS: Final = frozenset({"total", "overall"})
_DAYS: Final = {
    "day": 1.0,
    "night": 1.0,
    "week": 7.0,
    "fortnight": 14.0,
    "month": 365 / 12,
    "quarter": 365 / 4,
    "year": 365.0,
}
_EXACT: Final = {"day": 1, "night": 1, "week": 7, "fortnight": 14}
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}
_TOGETHER: Final = re.compile(
    r"\b(?:in all|in total|total|altogether|all together|together|overall|sum|all told|both|combined|whole)\b",
    re.IGNORECASE,
)
_EACH: Final = re.compile(
    r"\b(?:each|apiece|per (?!cent|week|day|month|year|hour)\w+|a (?:piece|head))\b", re.IGNORECASE
)
_MORE: Final = re.compile(r"\b(?:raise|increase|up|more|plus|add|extra|higher|rise)\b", re.IGNORECASE)
_LESS: Final = re.compile(
    r"\b(?:lower|reduce|cut|less|minus|off|discount|rebate|down|drop|decrease|cheaper)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class WantedNumber:
    """The meaning of a number in an order: its kind, the unit of a duration, and the frequency of a payment."""

    name: str
    kind: NumberKind
    unit: str = ""
    per: str = ""
    is_total: bool = False
    tokens: frozenset[str] = frozenset()


def wanted_number(name: str) -> WantedNumber:
    """Return the meaning of a number by its argument name.

    >>> wanted_number("weekly_budget_usd").per, wanted_number("weeks").unit, wanted_number("seats").kind
    ('week', 'week', 'count')
    """
    tokens = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    given = frozenset(tokens)
    per = next((_RHYTHMS[one] for one in tokens if one in _RHYTHMS), "")
    if given & _MONEY:
        return WantedNumber(name, "money", per=per, is_total=bool(given & _TOTALS), tokens=given)
    if given & _PERCENT:
        return WantedNumber(name, "percent", tokens=given)
    unit = next(
        (TIME_UNITS[singular(one)] for one in reversed(tokens) if one.endswith("s") and singular(one) in TIME_UNITS), ""
    )
    if unit:
        return WantedNumber(name, "duration", unit=unit, tokens=given)
    if "total" in given and len(given) == 1:
        return WantedNumber(name, "any", is_total=True, tokens=given)
    return WantedNumber(name, "count" if given & _COUNT else "any", tokens=given)


def fitting(want: WantedNumber, mentions: Sequence[SpokenQuantity]) -> list[SpokenQuantity]:
    """Return the amounts that can fill a number, only those of the closest kind."""
    if want.kind == "money":
        timed = [one for one in mentions if _has_rhythm(want, one)]
        return [one for one in timed if one.kind == "money" or _is_bare(one)] or timed
    if want.kind == "duration":
        spans = [one for one in mentions if one.kind == "duration"]
        return spans or [one for one in mentions if one.kind == "count" and _is_bare(one)]
    if want.kind == "percent":
        shares = [one for one in mentions if one.kind == "percent"]
        return shares or [one for one in mentions if one.kind == "count" and _is_bare(one)]
    named = [one for one in mentions if one.unit and singular(one.unit) in {singular(part) for part in want.tokens}]
    if named:
        return named
    if want.kind == "count":
        return [one for one in mentions if one.kind == "count"] or [one for one in mentions if one.kind == "duration"]
    return list(mentions)


def is_clear(want: WantedNumber, mention: SpokenQuantity) -> bool:
    """Return whether an amount by itself shows that it is of the wanted kind."""
    return mention.kind == want.kind or want.kind in ("any", "count")


def is_value(want: WantedNumber, mention: SpokenQuantity, value: float) -> bool:
    """Return whether an amount is the value itself; a duration must also have the unit."""
    if want.kind == "duration" and mention.kind == "duration" and mention.unit not in ("", want.unit):
        return False
    return same(mention.value, value)


def derive_amounts(want: WantedNumber, mentions: Sequence[SpokenQuantity], text: str) -> Iterator[tuple[float, str]]:
    """Yield values derived from amounts in words: per week for weeks, each, in all, by a percentage."""
    if want.kind == "duration":
        yield from _convert_durations(want, mentions)
        return
    spans = [one for one in mentions if one.kind == "duration"]
    counts = [one for one in mentions if one.kind == "count" and one.per != "each"]
    sums = [one for one in mentions if one.kind == "money" or (one in counts and _is_bare(one))]
    if want.kind in ("money", "any"):
        for one in sums:
            yield from _over_time(want, one, spans)
            if not want.per and (one.per == "each" or _EACH.search(text)):
                yield from ((one.value * n.value, f"{_g(n)} × {_g(one)}") for n in counts if n is not one)
    pool = sums if want.kind == "money" else [one for one in mentions if one.kind in ("money", "count")]
    if len(pool) > 1 and _TOGETHER.search(text) and not want.per:
        yield sum(one.value for one in pool), " + ".join(map(_g, pool))
    for base in pool:
        for change in mentions:
            if change is not base and (change.kind == "percent" or re.match(r"(?i).*\bby\s*$", text[: change.start])):
                yield from _apply_change(base, change, text)


def until(want: WantedNumber, read: ReadText, at: datetime) -> Iterator[tuple[float, str]]:
    """Yield the time until the days in a text, if a duration is wanted, or the number of a day of the month."""
    for time in read.times:
        if time.day is None:
            continue
        ahead = (time.day - at.date()).days
        size = _EXACT.get(want.unit, 0)
        if want.kind == "duration" and ahead > 0 and size:
            yield from ((float(n), f"until {time.day}") for n in (ahead // size, -(-ahead // size)))
        if want.kind == "any":
            yield float(time.day.day), time.words


def changed_from(base: float, mentions: Sequence[SpokenQuantity], text: str) -> Iterator[tuple[float, str]]:
    """Yield the new values of a recorded amount after changes in words: "raise it by 10 percent"."""
    on_record = SpokenQuantity(base, "money", "", "", f"{base:g}", 0, 0)
    for change in mentions:
        if change.kind == "percent" or re.match(r"(?is).*\bby\s*$", text[: change.start]):
            yield from list(_apply_change(on_record, change, text))[: 1 if change.kind == "money" else 2]


def is_together(text: str) -> bool:
    """Return whether words ask for one sum of several amounts."""
    return _TOGETHER.search(text) is not None


def same(one: float, other: float) -> bool:
    """Return whether two amounts are equal, to a cent."""
    return abs(one - other) <= max(0.01, abs(other) * 1e-6)


def _has_rhythm(want: WantedNumber, one: SpokenQuantity) -> bool:
    """Return whether an amount can be paid in the rhythm that is wanted."""
    if one.kind not in ("money", "count"):
        return False
    if want.per:
        return one.per in ("", want.per)
    return one.per in ("", "total") if want.is_total else True


def in_rhythm(want: WantedNumber, found: list[SpokenQuantity]) -> list[SpokenQuantity]:
    """Return the amounts with exactly the wanted frequency, or all if none has it."""
    wanted = want.per or ("total" if want.is_total else "")
    return [one for one in found if wanted and one.per == wanted] or found


def _is_bare(one: SpokenQuantity) -> bool:
    """Return whether a number has no noun of its own: "300 to Ada", "at 40"."""
    return not one.unit or one.unit in STOPWORDS or one.unit in ("instead", "max", "maximum", "tops", "please", "today")


def _over_time(want: WantedNumber, one: SpokenQuantity, spans: Sequence[SpokenQuantity]) -> Iterator[tuple[float, str]]:
    """Yield a rate times a duration, or a total spread over one."""
    for span in spans:
        if one.per in _DAYS and not want.per:
            yield from ((one.value * n, f"{_g(one)} × {n:g}") for n in _in_unit(span, one.per))
        if want.per and one.per in ("", "total"):
            yield from ((one.value / n, f"{_g(one)} / {n:g}") for n in _in_unit(span, want.per) if n)


def _apply_change(base: SpokenQuantity, change: SpokenQuantity, text: str) -> Iterator[tuple[float, str]]:
    by = base.value * change.value / 100 if change.kind == "percent" else change.value
    said = f"{_g(change)}%" if change.kind == "percent" else _g(change)
    if _MORE.search(text) or not _LESS.search(text):
        yield base.value + by, f"{_g(base)} + {said}"
    if _LESS.search(text) or not _MORE.search(text):
        yield base.value - by, f"{_g(base)} - {said}"
    if change.kind == "percent":
        yield by, f"{said} of {_g(base)}"


def _convert_durations(want: WantedNumber, mentions: Sequence[SpokenQuantity]) -> Iterator[tuple[float, str]]:
    for one in mentions:
        if one.kind == "duration" and one.unit != want.unit:
            yield from ((n, f"{_g(one)} {one.unit}s") for n in _in_unit(one, want.unit))


def _in_unit(span: SpokenQuantity, unit: str) -> tuple[float, ...]:
    """Return how long a duration is in another unit; whole numbers around it where months do not divide."""
    if span.unit == unit:
        return (span.value,)
    if span.unit in _MONTHS and unit in _MONTHS:
        return (span.value * _MONTHS[span.unit] / _MONTHS[unit],)
    if span.unit in _DAYS and unit in _DAYS:
        exact = span.value * _DAYS[span.unit] / _DAYS[unit]
        if span.unit in _EXACT and unit in _EXACT:
            return (exact,)
        fours = (span.value * _MONTHS[span.unit] * 4,) if span.unit in _MONTHS and unit == "week" else ()
        return (float(int(exact)), float(round(exact)), float(int(exact) + 1), *fours)
    return ()


def _g(one: SpokenQuantity) -> str:
    return f"{one.value:g}"
