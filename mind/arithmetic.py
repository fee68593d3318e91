"""Amounts in plans, reckoned with what is known: `max(0, (12 - stock_weeks) * demand * unit_cost - ordered_supply)`.

>>> reckoned("0.01 * cash", {"cash": "$40,000"}.get)
400.0
"""

from functools import lru_cache

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.values import number
from mabos.mind.conditions import Lookup
from mabos.workspace.expressions import SUMS, Expression


def reckoned(expression: str, lookup: Lookup) -> float | None:
    """Return what an expression comes to with what is known.

    It comes to None where one of its names is not known, by zero, and where it is beyond all numbers.
    """
    read = _read(expression)
    known = {name: value for name in read.names if (value := number(lookup(name) or "")) is not None}
    try:
        return read.value(known) if len(known) == len(read.names) else None
    except InvalidArgument:
        return None


def checked(expression: str) -> str:
    """Return an expression that can be reckoned; raises `InvalidArgument` that says what in it cannot."""
    _read(expression)
    return expression


@lru_cache(maxsize=512)
def _read(expression: str) -> Expression:
    return Expression.of(expression, dialect=SUMS, argument="value")
