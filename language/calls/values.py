"""The value of a parameter from a span of a request, in the form that its schema asks for."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from mabos.language.calls.candidates import Span
from mabos.language.calls.quantities import TIMES, MomentMention, NumberMention
from mabos.language.calls.schema import MEANINGS, SlotSchema
from mabos.language.calls.tokens import stems
from mabos.language.calls.units import DAYS_OF, UNITS, convert_unit, measure_of
from mabos.language.calls.vocabulary import vocabulary
from mabos.language.wordlists import order_form

WAYS = (
    "text", "listed", "number", "hundredth", "converted", "part", "moment", "wrapped", "items", "code", "state", "rest",
)  # fmt: skip
"""The derivations of a value from its span, in the order of the features."""
WAY_INDEX = {name: index for index, name in enumerate(WAYS)}
_WANTED_UNIT = order_form("claims_values.wanted_unit")
_AS_FRACTION = re.compile(r"(?i)as (?:a )?(?:decimal|fraction)|in decimal|decimal (?:form|number|format)|\b0\.0\d")
_TIMES_ASKED = re.compile(r"compound|times (?:per|a|each)|per (?:unit|year|annum|period)|frequency", re.IGNORECASE)
_STATE_ASKED = re.compile(r"city,\s*(?:and\s*)?(?:the\s*)?(?:state|country)|city and (?:the )?state", re.IGNORECASE)
_CODE_ASKED = re.compile(r"(?i)\bcode|abbreviat|ISO|alpha-?[23]|short form|\bcurrency\b|\bcurrencies\b|'[A-Z]{2,3}'")


@dataclass(frozen=True, slots=True)
class ValueOption:
    """A possible value of a parameter: the span (by its position), the value, and its derivation."""

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
        unit = next(group for group in match.groups() if group).replace(" per ", "/")
        if measure_of(unit):
            return unit
    return next((part for part in parameter.path[-1].lower().split("_") if part in UNITS and len(part) > 1), "")


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
        says_percent = re.search(r"percent|%", parameter.description + parameter.name, re.IGNORECASE)
        if not says_percent or _AS_FRACTION.search(parameter.description):
            return  # a rate is a fraction unless the schema says percent
    if quantity.unit == TIMES:
        if _TIMES_ASKED.search(parameter.description):
            yield value, "number"
        return
    wanted = unit_of(parameter)
    if quantity.is_implied:
        yield from _convert_implied(quantity, wanted)
        return
    changed = convert_unit(value, quantity.unit, wanted)
    if changed is not None and changed != value:  # 5 minutes are never 5 where seconds are asked for
        changed = float(f"{changed:.12g}")
        yield int(changed) if float(changed).is_integer() else changed, "converted"
        return
    # Two years are never two weeks, and how many they are nobody says.
    if {(measure_of(one) or ("", 0))[0] for one in (quantity.unit, wanted)} != {"time", "span"}:
        yield value, "number"


def _convert_implied(quantity: NumberMention, wanted: str) -> Iterator[tuple[Any, str]]:
    """Yield the length of "next week" in the unit that is wanted: 7 days, 1 week."""
    if wanted.rstrip("s") == quantity.unit:
        yield 1, "converted"
    elif wanted.rstrip("s") == "day":
        yield DAYS_OF[quantity.unit], "converted"


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
    if span.kind in ("list", "numbers", "literal"):
        return
    if span.kind == "moment":
        if span.moment and (value := written_moment(span.moment, parameter)) is not None:
            yield value, "moment"
        return
    if span.quantity and (span.quantity.is_implied or span.quantity.unit == TIMES):
        return
    if span.text[0] in "[{" and span.kind == "words":
        return
    text = _match_listed(parameter, span.text)
    if text or span.kind != "small":
        yield (text or span.text), ("listed" if text else "rest" if span.kind == "rest" else "text")
    if span.kind in ("words", "quoted", "name"):
        yield from _find_codes(parameter, span.text)


@lru_cache(maxsize=4096)
def _listed_stems(parameter: SlotSchema) -> dict[tuple[str, ...], str]:
    return {stems(text): text for text in reversed(parameter.listed) if stems(text)}


def _match_listed(parameter: SlotSchema, text: str) -> str:
    """Return the spelling of the description for words that it lists in quotes or as examples, or ""."""
    if not parameter.listed:
        return ""
    short = next((one for one in parameter.listed if abbreviates(one, text)), "")
    return _listed_stems(parameter).get(stems(text), short)


def abbreviates(short: str, word: str) -> bool:
    """Return whether letters abbreviate a word: "F" for Fahrenheit, "km" for kilometers."""
    low = iter(word.lower())
    is_short = len(short) <= _LONGEST_SHORT and short.isalpha() and word.isalpha() and len(word) > len(short) + 2
    return is_short and word[:1].lower() == short[:1].lower() and all(letter in low for letter in short.lower())


_LONGEST_SHORT = 2


def _find_codes(parameter: SlotSchema, text: str) -> Iterator[tuple[Any, str]]:
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
    """Return a day, a time or both in the format of the description, ISO 8601 by default; None if a part is missing."""
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
        elif span.kind == "number" and span.quantity and not span.quantity.is_implied and span.quantity.unit != TIMES:
            yield [span.quantity.value], "wrapped"
        return
    if parameter.item_type not in ("string", ""):
        return
    if span.kind == "list":
        yield [_match_listed(parameter, item.text) or item.text for item in span.items], "items"
    elif span.kind == "numbers":
        yield [item.text for item in span.items], "items"
    elif span.kind in ("words", "quoted", "code", "name", "formula"):
        yield [_match_listed(parameter, span.text) or span.text], "wrapped"


def _literals(parameter: SlotSchema, span: Span) -> Iterator[tuple[Any, str]]:
    """Yield the list of lists or the object written in the request itself."""
    if span.kind == "literal" and isinstance(span.literal, dict if parameter.item_type == "object" else list):
        yield span.literal, "items"


_MAKERS = {"number": _numbers, "string": _texts, "array": _arrays, "opaque": _literals}
