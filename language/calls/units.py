"""Units of measure, by dimension and size, and the number of times a year of "quarterly" and the like."""

from functools import lru_cache
from typing import Final

from mabos.configs.yaml_file import packaged_yaml

_TABLE: Final[dict[str, str]] = packaged_yaml("requests/units.yaml")


def _read() -> dict[str, tuple[str, float]]:
    units = {}
    for dimension, table in _TABLE.items():
        cells = table.split()
        for name, factor in zip(cells[::2], cells[1::2], strict=True):
            units[name] = (dimension, float(factor))
            if len(name) > 2 and name.isalpha():
                units[name + "s"] = (dimension, float(factor))
    return units


UNITS: Final = _read()
"""Dimension and size in its base unit of every unit, by its lower-case name."""
DAYS_OF: Final = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
"""Days of "next week", "the coming month"."""
TIMES_A_YEAR: Final = {
    "yearly": 1, "annually": 1, "semiannually": 2, "semi-annually": 2, "biannually": 2, "quarterly": 4, "monthly": 12,
    "biweekly": 26, "weekly": 52, "daily": 365,
}  # fmt: skip


@lru_cache(maxsize=2048)
def measure_of(unit: str) -> tuple[str, float] | None:
    """Return the dimension and the size of a unit, also of a quotient ("km/h"), or None if it is unknown."""
    whole, _, part = unit.partition("/")
    if whole not in UNITS or (part and part not in UNITS):
        return None
    dimension, size = UNITS[whole]
    return (f"{dimension}/{UNITS[part][0]}", size / UNITS[part][1]) if part else (dimension, size)


def convert_unit(value: float, unit: str, wanted: str) -> float | None:
    """Return a value in the wanted unit; None if the units measure different things or are unknown."""
    own, other = measure_of(unit), measure_of(wanted)
    return value * (own[1] / other[1]) if own and other and own[0] == other[0] else None
