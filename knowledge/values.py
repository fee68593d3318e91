"""Parse the value of a text (numbers, money, percentages and dates), and compare two of them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.workspace.clock import parse_time
from mabos.workspace.currencies import CODE, CURRENCIES, MARKS

_MAGNITUDES = {"": 0, "k": 3, "m": 6, "mn": 6, "b": 9, "bn": 9}
_AMOUNT = re.compile(
    rf"(?P<sign1>[-+−]?)\s*(?P<before>{MARKS}|{CODE})?\s*(?P<sign2>[-+−]?)"
    r"(?P<digits>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]*)?|\.[0-9]+)(?P<exponent>[eE][-+]?[0-9]{1,2})?"
    rf"\s?(?P<magnitude>[kKmMbB]|[mMbB][nN])?\s*(?P<after>%|{MARKS}|{CODE})?"
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[-+][0-9:]+)?)?")
_PERCENT_FROM = 2  # below it a bare number with decimals may be a share, as the 1.1 of a net retention of 110 %
_MEASURE = re.compile(r"(?P<amount>\S*\d)\s?(?P<unit>[^\W\d_]+)")
_LARGEST = 300  # decimal places before the point: beyond them arithmetic has no number left
_ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": eq, "==": eq, "=": eq, "ne": ne, "!=": ne, "gt": gt, ">": gt, "gte": ge, ">=": ge, "lt": lt, "<": lt,
    "lte": le, "<=": le,
}  # fmt: skip
OPERATORS = (*_ORDERINGS, "contains")


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact amount and its unit: a currency code, `%`, `date` (seconds since 1970), or nothing."""

    amount: Decimal
    unit: str = ""

    def comparable(self, other: "Quantity") -> bool:
        """Return whether the two amounts may be put in an order; a bare number fits any unit but a date."""
        return self.unit == other.unit or ("" in (self.unit, other.unit) and "date" not in (self.unit, other.unit))

    def beside(self, other: "Quantity") -> Decimal:
        """Return the amount as it compares with another: a bare number of 1 or more next to a percentage is percent.

        So 5.8% is more than 5, and also more than 0.05; 1.1 is a share, as decimals below 2 are.
        """
        is_whole = self.amount.as_tuple().exponent == 0 and bool(self.amount)
        is_percent = not self.unit and other.unit == "%" and (is_whole or abs(self.amount) >= _PERCENT_FROM)
        return self.amount.scaleb(-2) if is_percent else self.amount


def number(text: str) -> float | None:
    """Return the number that `text` means, or None.

    `$1,200.50`, `EUR 5`, `1.2M` and `1e6` have their usual values, `3%` is 0.03, and a date is its seconds since 1970.
    """
    quantity = parse_quantity(text)
    return None if quantity is None else float(quantity.amount)


def compare(op: str, a: str, b: str) -> bool:
    """Return whether `a op b` holds: by amount if both are quantities that compare; two words are equal or not.

    "12 months" is more than "9 months". Words have no order, nor have amounts of two units, a quantity and a word, or
    two currencies; these are different. `contains` ignores case. Raises `InvalidArgument` for an operator not in
    `OPERATORS`.
    """
    if op == "contains":
        return b.strip().casefold() in a.casefold()
    ordering = _ORDERINGS.get(op)
    if ordering is None:
        raise InvalidArgument(f"no operator {op!r}; use one of {', '.join(OPERATORS)}", argument="operator")
    left, right = parse_quantity(a), parse_quantity(b)
    if left is None and right is None and ordering not in (eq, ne) and (measures := _same_unit(a, b)):
        return ordering(*measures)
    if left is None and right is None:
        return ordering in (eq, ne) and ordering(a.strip(), b.strip())
    if left is None or right is None or not left.comparable(right):
        return ordering is ne
    return ordering(left.beside(right), right.beside(left))


def _same_unit(a: str, b: str) -> tuple[Decimal, Decimal] | None:
    """Return the amounts of two texts that have one unit, such as "9 months" and "1 month"; None of all others."""
    found = [_MEASURE.fullmatch(one.strip()) for one in (a, b)]
    units = {one["unit"].casefold().removesuffix("s") for one in found if one is not None}
    amounts = [parse_quantity(one["amount"]) for one in found if one is not None]
    if None in found or len(units) != 1 or any(one is None or one.unit for one in amounts):
        return None
    first, second = (one.amount for one in amounts if one is not None)
    return first, second


@lru_cache(maxsize=8192)
def parse_quantity(text: str) -> Quantity | None:
    """Return the amount and unit that the whole of `text` states, or None."""
    text = text.strip()
    if _DATE.fullmatch(text):
        return _date(text)
    found = _AMOUNT.fullmatch(text)
    return None if found is None else _amount(found)


def _date(text: str) -> Quantity | None:
    try:
        return Quantity(Decimal(str(parse_time(text).timestamp())), "date")
    except (InvalidArgument, OverflowError):
        return None


def _amount(found: re.Match[str]) -> Quantity | None:
    before, after = found["before"] or "", found["after"] or ""
    magnitude = found["magnitude"] or ""
    unit = CURRENCIES.get((before or after).lower(), before or after)
    twice = (before and after) or (found["sign1"] and found["sign2"])
    # A bare "5m" is as likely five minutes or metres as five million; only money may write it small.
    minutes = magnitude in ("m", "b") and unit in ("", "%")
    if twice or minutes:
        return None
    sign = -1 if (found["sign1"] or found["sign2"]) in ("-", "−") else 1
    amount = sign * Decimal(found["digits"].replace(",", "") + (found["exponent"] or ""))
    amount = amount.scaleb(_MAGNITUDES[magnitude.lower()] - (2 if unit == "%" else 0))
    return Quantity(amount, unit) if amount.adjusted() < _LARGEST else None
