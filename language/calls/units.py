"""Units of measure, by dimension and size, and how often a year "quarterly" is."""

from functools import lru_cache
from typing import Final

_TABLE: Final = {
    "length": "mm 0.001 millimeter 0.001 cm 0.01 centimeter 0.01 m 1 meter 1 metre 1 km 1000 kilometer 1000"
    " kilometre 1000 in 0.0254 inch 0.0254 inches 0.0254 in. 0.0254 ft 0.3048 foot 0.3048 feet 0.3048 yard 0.9144"
    " mile 1609.344",
    "mass": "mg 0.000001 g 0.001 gram 0.001 kg 1 kilogram 1 kilo 1 lb 0.45359237 lbs 0.45359237 pound 0.45359237"
    " ton 1000 tonne 1000",
    "time": "millisecond 0.001 ms 0.001 second 1 sec 1 s 1 minute 60 min 60 mins 60 hour 3600 hr 3600 h 3600 day 86400"
    " week 604800",
    "span": "month 1 year 12",
    "volume": "ml 0.001 milliliter 0.001 liter 1 litre 1 l 1",
    "current": "ma 0.001 milliampere 0.001 ampere 1 amp 1 a 1",
    "frequency": "hz 1 hertz 1 khz 1000 mhz 1000000 ghz 1000000000",
    "charge": "nanocoulomb 0.000000001 microcoulomb 0.000001 coulomb 1",
    "capacitance": "pf 1e-12 nf 1e-9 uf 1e-6 \u00b5f 1e-6 \u03bcf 1e-6 microfarad 1e-6 nanofarad 1e-9 farad 1",
    "inductance": "uh 1e-6 \u00b5h 1e-6 \u03bch 1e-6 mh 1e-3 millihenry 1e-3 henry 1 henries 1",
    "voltage": "mv 0.001 millivolt 0.001 v 1 volt 1 kv 1000 kilovolt 1000",
    "power": "w 1 watt 1 kw 1000 kilowatt 1000 megawatt 1000000",
    "energy": "j 1 joule 1 kj 1000 kilojoule 1000",
    "pressure": "pa 1 pascal 1 hpa 100 kpa 1000 kilopascal 1000 bar 100000",
    "resistance": "ohm 1 kiloohm 1000 kohm 1000",
}


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
    """Return the dimension and the size of a unit, also of one by another ("km/h"), or None where it is unknown."""
    whole, _, part = unit.partition("/")
    if whole not in UNITS or (part and part not in UNITS):
        return None
    dimension, size = UNITS[whole]
    return (f"{dimension}/{UNITS[part][0]}", size / UNITS[part][1]) if part else (dimension, size)


def convert_unit(value: float, unit: str, wanted: str) -> float | None:
    """Return a value in the wanted unit; None where the units measure different things or are unknown."""
    own, other = measure_of(unit), measure_of(wanted)
    return value * (own[1] / other[1]) if own and other and own[0] == other[0] else None
