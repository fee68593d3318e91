"""Figures, money and dates in words.

>>> money_or_number(38250, "USD"), money_or_number(17.2, "%"), money_or_number(2.5, "")
('$38,250', '17.2%', '2.5')
"""

import itertools
import re
from collections.abc import Sequence
from datetime import date

from mabos.tools.requests.answers.periods import day_label, month_of
from mabos.workspace.currencies import SIGNS, home
from mabos.workspace.dates import day_named
from mabos.workspace.numbers import without_zeros

_MONEY = frozenset({"cash", "mrr", "arr", "burn", "revenue", "payroll", "ad_spend", "cac", "ltv", "price"})
_ACRONYMS = frozenset({"mrr", "arr", "cac", "ltv", "nps", "roi", "vat", "seo", "hr"})
_MEASURES = frozenset({"kg", "m3", "kwh", "km", "l", "litres", "liters", "m2"})
_UNIT_WORDS = {"usd": "USD", "eur": "EUR", "gbp": "GBP", "pct": "%", "percent": "%"}


def unit_of(name: str, unit: str, currency: str = "") -> str:
    """Return the unit of a figure: the recorded one, else the one in its name; money in `currency`."""
    last = name.rpartition("_")[2]
    return unit or _UNIT_WORDS.get(last, "") or ((currency or home()) if name in _MONEY else "")


def money_or_number(value: float, unit: str) -> str:
    """Return a value with its unit, money with its period; cents only if it has any."""
    code, _, per = unit.partition("/")
    digits = f"{abs(value):,.2f}" if code in SIGNS and value != round(value) else without_zeros(f"{abs(value):,.2f}")
    sign = "-" if value < 0 else ""
    if code in SIGNS:
        return f"{sign}{SIGNS[code]}{digits}{f' a {per}' if per else ''}"
    return f"{sign}{digits}%" if unit == "%" else f"{sign}{digits}{f' {unit}' if unit else ''}"


def label(name: str) -> str:
    """Return the name of a figure in everyday form."""
    words = [one for one in re.split(r"[_\s]+", name) if one.casefold() not in _UNIT_WORDS]
    is_unit = len(words) > 1 and words[-1].casefold() in _MEASURES and not words[-2].isdecimal()
    unit = f" ({words.pop()})" if is_unit else ""
    return " ".join(one.upper() if one in _ACRONYMS else one for one in words).replace("no show", "no-show") + unit


def sentence(text: str) -> str:
    """Return a text with an initial capital and a final full stop."""
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!", ":")) else ".")


def join_words(parts: Sequence[str]) -> str:
    """Return "a, b and c"."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def rhythm(days: Sequence[date]) -> str:
    """Return the period between these days: month, week or day."""
    gaps = sorted((later - earlier).days for earlier, later in itertools.pairwise(days))
    gap = gaps[len(gaps) // 2] if gaps else 0
    if all(day == month_of(day.year, day.month).last for day in days):
        return "month"
    return "week" if 6 <= gap <= 8 else "day"


def moment(day: date, by: str) -> str:
    """Return a day as the period that it ends: October 2026, the week to 8 November 2026."""
    if by == "month":
        return month_of(day.year, day.month).label
    return f"week {day.isocalendar().week}, the week to {day_label(day)}" if by == "week" else day_label(day)


def age(day: date, today: date, by: str) -> str:
    """Return the age of a value that is older than its rhythm suggests; otherwise ""."""
    days = (today - day).days
    if days <= {"month": 45, "week": 14}.get(by, 31):
        return ""
    return f"{round(days / 30.4)} months" if days > 60 else f"{days} days"


def stated_value(name: str, value: str) -> str:
    """Return the value of a statement in words: money by the unit in its name, a date as 9 November 2026."""
    text = value.strip()
    if re.fullmatch(r"-?\d+(\.\d+)?", text):
        return money_or_number(float(text), unit_of(name, ""))
    day = day_named(text) if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else None
    return day_label(day) if day else text
