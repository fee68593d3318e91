"""The value that a parameter would get from a span of a request, in the form that its schema asks for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from mabos.language.calls.candidates import Span
from mabos.language.calls.quantities import MomentMention
from mabos.language.calls.schema import MEANINGS, SlotSchema
from mabos.language.calls.tokens import stems
from mabos.language.calls.vocabulary import vocabulary

WAYS = (
    "text", "listed", "number", "hundredth", "converted", "part", "moment", "wrapped", "items", "code", "state", "rest",
)  # fmt: skip
"""How a value comes from its span, in the order of the features."""
WAY_INDEX = {name: index for index, name in enumerate(WAYS)}
_UNITS: dict[str, tuple[str, float]] = {}
for _dimension, _table in {
    "length": "mm 0.001 millimeter 0.001 cm 0.01 centimeter 0.01 m 1 meter 1 metre 1 km 1000 kilometer 1000"
    " kilometre 1000 inch 0.0254 in. 0.0254 ft 0.3048 foot 0.3048 feet 0.3048 yard 0.9144 mile 1609.344",
    "mass": "mg 0.000001 g 0.001 gram 0.001 kg 1 kilogram 1 kilo 1 lb 0.45359237 lbs 0.45359237 pound 0.45359237"
    " ton 1000",
    "time": "millisecond 0.001 ms 0.001 second 1 sec 1 s 1 minute 60 min 60 mins 60 hour 3600 hr 3600 h 3600 day 86400"
    " week 604800",
    "span": "month 1 year 12",
    "volume": "ml 0.001 milliliter 0.001 liter 1 litre 1 l 1",
    "current": "ma 0.001 milliampere 0.001 ampere 1 amp 1 a 1",
    "frequency": "hz 1 hertz 1 khz 1000 mhz 1000000",
    "charge": "microcoulomb 0.000001 coulomb 1",
}.items():
    _cells = _table.split()
    for _name, _factor in zip(_cells[::2], _cells[1::2], strict=True):
        _UNITS[_name] = (_dimension, float(_factor))
        if len(_name) > 3:
            _UNITS[_name + "s"] = (_dimension, float(_factor))
_WANTED_UNIT = re.compile(r"\bin ([a-z]+)|\(([a-z]+)\)|(?:unit|units)(?: is| are|:)? ([a-z]+)")
_STATE_ASKED = re.compile(r"city,\s*(?:and\s*)?(?:the\s*)?(?:state|country)|city and (?:the )?state", re.IGNORECASE)
_CODE_ASKED = re.compile(
    r"\bcode|abbreviat|ISO|alpha-?[23]|short form|\bcurrency\b|\bcurrencies\b|'[A-Z]{2,3}'", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ValueOption:
    """One value that a parameter may get: the span (by its position), the value, and the way to it."""

    span: int
    value: Any
    way: str


def options_of(parameter: SlotSchema, spans: tuple[Span, ...]) -> list[ValueOption]:
    """Return every value that the spans may give to the parameter."""
    make = _MAKERS.get("array" if parameter.type == "array" else "number" if parameter.is_numeric else parameter.type)
    if make is None:
        return []
    return [ValueOption(at, value, way) for at, span in enumerate(spans) for value, way in make(parameter, span)]


@lru_cache(maxsize=4096)
def unit_of(parameter: SlotSchema) -> str:
    """Return the unit that the description or the name of the parameter states, or ""."""
    for match in _WANTED_UNIT.finditer(parameter.description.lower()):
        unit = match[1] or match[2] or match[3]
        if unit in _UNITS:
            return unit
    return next((part for part in parameter.path[-1].lower().split("_") if part in _UNITS and len(part) > 1), "")


def is_unit(words: str) -> bool:
    """Return whether a text is a unit of measure."""
    return words.lower() in _UNITS


def _numbers(parameter: SlotSchema, span: Span) -> Iterator[tuple[Any, str]]:
    if span.kind == "moment" and span.moment:
        yield from _parts(parameter, span.moment)
    quantity = span.quantity
    if span.kind != "number" or quantity is None:
        return
    value = quantity.value
    if parameter.type == "integer" and not float(value).is_integer():
        if quantity.is_percent:
            return
        value = round(value, 12)
    if quantity.is_percent and parameter.type == "number":
        yield round(quantity.value / 100, 12), "hundredth"
        if not re.search(r"percent|%", parameter.description + parameter.name, re.IGNORECASE):
            return  # a rate is a fraction unless the schema says percent
    wanted = unit_of(parameter)
    if wanted and quantity.unit in _UNITS and _UNITS[wanted][0] == _UNITS[quantity.unit][0]:
        factor = _UNITS[quantity.unit][1] / _UNITS[wanted][1]
        if factor != 1:  # 5 minutes are never 5 where seconds are asked for
            converted = round(value * factor, 9)
            yield int(converted) if float(converted).is_integer() else converted, "converted"
            return
    yield value, "number"


def _parts(parameter: SlotSchema, moment: MomentMention) -> Iterator[tuple[Any, str]]:
    if moment.day is not None:
        names = dict(zip(MEANINGS, parameter.meanings, strict=True))
        if names["year"] == 2 and moment.has_year:
            yield moment.day.year, "part"
        elif "month" in parameter.name_stems:
            yield moment.day.month, "part"
        elif "day" in parameter.name_stems:
            yield moment.day.day, "part"
    elif moment.time is not None:
        yield moment.time[0], "part"


def _texts(parameter: SlotSchema, span: Span) -> Iterator[tuple[Any, str]]:
    if span.kind in ("list", "numbers"):
        return
    if span.kind == "moment":
        if span.moment and (value := written_moment(span.moment, parameter)) is not None:
            yield value, "moment"
        return
    text = _listed(parameter, span.text)
    yield (text or span.text), ("listed" if text else "rest" if span.kind == "rest" else "text")
    if span.kind in ("words", "quoted", "name"):
        yield from _known(parameter, span.text)


@lru_cache(maxsize=4096)
def _listed_stems(parameter: SlotSchema) -> dict[tuple[str, ...], str]:
    return {stems(text): text for text in reversed(parameter.listed) if stems(text)}


def _listed(parameter: SlotSchema, text: str) -> str:
    """Return the spelling of the description for words that it lists in quotes or as examples, or ""."""
    return _listed_stems(parameter).get(stems(text), "") if parameter.listed else ""


def _known(parameter: SlotSchema, text: str) -> Iterator[tuple[Any, str]]:
    """Yield the code of a country, currency or language, and a city with its state, where the schema asks for them."""
    words = vocabulary()
    low = text.lower()
    if _CODE_ASKED.search(parameter.description) or _CODE_ASKED.search(" ".join(parameter.path)):
        for kind in ("currencies", "countries", "languages", "states"):
            code = words.codes[kind].get(low)
            if code and _mentions(parameter, kind):
                yield code, "code"
    if _STATE_ASKED.search(parameter.description) and (state := words.cities.get(low)):
        yield f"{text}, {state}", "state"


def _mentions(parameter: SlotSchema, kind: str) -> bool:
    singular = {"currencies": "currenc", "countries": "countr", "languages": "lang", "states": "state"}[kind]
    return singular in parameter.description.lower() or singular in parameter.name.lower()


def written_moment(moment: MomentMention, parameter: SlotSchema) -> str | None:
    """Return a day, a time or both in the format of the description, ISO 8601 by default; None where a part lacks."""
    text = parameter.description
    day = _written_day(moment, text) if moment.day else None
    clock = "" if moment.time is None else f"{moment.time[0]:02}:{moment.time[1]:02}"
    if moment.time and re.search(r"HH:MM:SS|hh:mm:ss|ISO[- ]8601|%H:%M:%S", text):
        clock += ":00"
    elif moment.time and re.search(r"\bAM\b|\bPM\b|12-hour", text):
        clock = f"{(moment.time[0] - 1) % 12 + 1:02}:{moment.time[1]:02} {'AM' if moment.time[0] < 12 else 'PM'}"
    wants_time = bool(re.search(r"HH|hh:mm|time\b", text))
    if day and clock:
        return f"{day}T{clock}" if "T" in re.sub(r"[A-Z]{2}T|[a-z]T", "", text) and "ISO" in text else f"{day} {clock}"
    if day and wants_time and re.search(r"HH:MM", text):
        return None
    return day or clock or None


def _written_day(moment: MomentMention, description: str) -> str:
    day = moment.day or date.min
    if not moment.has_year:
        return f"{day:%m-%d}"
    for shape, written in (
        (r"MM/DD/YYYY|mm/dd/yyyy", "%m/%d/%Y"), (r"DD/MM/YYYY|dd/mm/yyyy", "%d/%m/%Y"),
        (r"MM-DD-YYYY|mm-dd-yyyy", "%m-%d-%Y"), (r"DD-MM-YYYY|dd-mm-yyyy", "%d-%m-%Y"),
        (r"YYYY/MM/DD|yyyy/mm/dd", "%Y/%m/%d"), (r"YYYY\.MM\.DD", "%Y.%m.%d"), (r"YYYYMMDD|yyyymmdd", "%Y%m%d"),
        (r"DD\.MM\.YYYY", "%d.%m.%Y"), (r"Month DD, YYYY|Month D, YYYY", "%B %d, %Y"),
    ):  # fmt: skip
        if re.search(shape, description):
            return day.strftime(written)
    return day.isoformat()


def _arrays(parameter: SlotSchema, span: Span) -> Iterator[tuple[Any, str]]:
    if parameter.item_type in ("integer", "number"):
        if span.kind == "numbers":
            yield [item.quantity.value for item in span.items if item.quantity], "items"
        elif span.kind == "number" and span.quantity:
            yield [span.quantity.value], "wrapped"
        return
    if parameter.item_type not in ("string", ""):
        return
    if span.kind == "list":
        yield [_listed(parameter, item.text) or item.text for item in span.items], "items"
    elif span.kind == "numbers":
        yield [item.text for item in span.items], "items"
    elif span.kind in ("words", "quoted", "code", "name", "formula"):
        yield [_listed(parameter, span.text) or span.text], "wrapped"


_MAKERS = {"number": _numbers, "string": _texts, "array": _arrays}
