"""Numbers from files, forms and models: finite or refused, and formatted for people."""

from math import isfinite
from typing import Any

from mabos.configs.errors import InvalidArgument


def number_or(value: Any, default: float) -> float:
    """Return `value` as a finite number, or `default` if it is not one.

    >>> number_or("4.5", 0.0), number_or("soon", 0.0), number_or(None, 1.0)
    (4.5, 0.0, 1.0)
    """
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return default
    return found if isfinite(found) else default


def share(value: Any, argument: str) -> float:
    """Return `value` if it is a number from 0 to 1; raises `InvalidArgument` for any other."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InvalidArgument(f"{argument} is {value!r}; expected a number from 0 to 1", argument=argument)
    return float(value)


def clamp(value: float, minimum: float = 0.0, maximum: float = 1.0) -> float:
    """Return `value` limited to the bounds."""
    return min(maximum, max(minimum, value))


def without_zeros(digits: str) -> str:
    """Return a formatted number without trailing zeros in its fraction.

    >>> without_zeros("1,200.50"), without_zeros("3.00"), without_zeros("100")
    ('1,200.5', '3', '100')
    """
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
