"""Numbers and metric names in people's spelling, normalized.

read_amount("1.234,50 €", decimal_comma=True)  # Amount(Decimal('1234.50'), 'EUR')
metric_named("Churn %").name                   # 'churn_rate'
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from unicodedata import combining, normalize

from mabos.configs.yaml_file import packaged_yaml
from mabos.society.german_terms import german_for, in_english
from mabos.workspace.currencies import CODE, CODES, CURRENCIES, MARKS, WORDS
from mabos.workspace.numbers import without_zeros
from mabos.workspace.text import fold, fold_case, slug

PERCENT = "%"
_UNIT_WORDS = {PERCENT: "% pct percent", "months": "months month mo", "weeks": "weeks", "days": "days"}
_UNITS = CURRENCIES | {word: unit for unit, words in _UNIT_WORDS.items() for word in words.split()}
_FACTORS = {"": 0, "k": 3, "thousand": 3, "m": 6, "mn": 6, "mio": 6, "million": 6, "b": 9, "bn": 9, "billion": 9}
_NUMBER = re.compile(
    rf"(?i)(?P<open>\()?\s*(?P<sign>[-+−–]?)\s*(?:{MARKS}|{CODE})?\s*(?P<sign2>[-+−–]?)\s*"
    r"(?P<digits>\d[\d.,'’\s\u00a0\u202f]*|[.,]\d+)"
    r"\s*(?P<factor>thousand|million|billion|mio|mn|bn|k|m|b)?\s*"
    rf"(?P<unit>%|percent|pct|{MARKS}|{WORDS}|months?|mo|weeks|days)?"
    r"(?:\s*(?:/|per|a)\s*(?:month|mo|year|week|customer|user))?\s*(?P<close>\))?"
)
_SCIENTIFIC = re.compile(r"[-+]?\d(?:\.\d+)?[eE][-+]?\d{1,2}")
_PERIOD = re.compile(r"(?:/|\bper|\ba)\s*(day|week|month|quarter|year)\b", re.IGNORECASE)
_CURRENCY = re.compile(rf"[\s(+−–-]*({MARKS}|(?:{CODE})\b)", re.IGNORECASE)
_SPACE = r"[\s\u00a0\u202f'’]"
_SPACED = re.compile(rf"\d{{1,3}}(?:{_SPACE}\d{{3}})*(?:[.,]\d*)?|[\d.,]+")
_MISSING = frozenset({"", "-", "–", "—", "n/a", "na", "n.a.", "null", "none", "nan", "?", "tbd", "."})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_SPELLINGS: dict[str, list[str]] = packaged_yaml("metric_names.yaml")
_BY_SPELLING = {
    spelling: name for name, spellings in _SPELLINGS.items() for spelling in (name.replace("_", " "), *spellings)
}


def spellings_of(name: str) -> tuple[str, ...]:
    """Return the common spellings of a metric's name, in German and, for our metrics, in English."""
    return (*_SPELLINGS.get(name, ()), *german_for(name.replace("_", " ")))


def known_names() -> tuple[str, ...]:
    """Return every name and spelling of our metrics."""
    return tuple(_BY_SPELLING)


SHARES = frozenset({"churn_rate", "conversion_rate", "gross_margin", "returns_rate", "utilisation"})
"""Metrics that are written as percentages."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric in a header or sentence; `known` means that it is one of ours, `unit` is the unit in the name."""

    name: str
    unit: str = ""
    known: bool = False


@dataclass(frozen=True, slots=True)
class Amount:
    """A number read from a text, with the unit next to it."""

    value: Decimal
    unit: str = ""


def is_missing(text: str) -> bool:
    """Return whether a cell states that there is no value."""
    return text.strip().casefold() in _MISSING


def read_amount(text: str, *, decimal_comma: bool = False) -> Amount | None:
    """Return the number that the whole of `text` states, with its unit, or None.

    Currency signs, percent, thousands separators, `12k`, `1.2M` and accountants' `(300)` are read. `decimal_comma`
    decides the meaning of `1.234` and `1,234`.
    """
    if _SCIENTIFIC.fullmatch(text.strip()):
        return Amount(Decimal(text.strip()))
    found = _NUMBER.fullmatch(text.strip())
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    is_money = _UNITS.get((found["unit"] or "").casefold(), "") in CODES or bool(_CURRENCY.match(text))
    digits = _plain_digits(found["digits"], decimal_comma=decimal_comma, is_money=is_money)
    if digits is None:
        return None
    if found["factor"] in ("m", "b") and not _CURRENCY.match(text):
        return None  # a bare "5m" is as likely five months as five million
    negative = bool(found["open"]) or (found["sign"] or found["sign2"]) in ("-", "−", "–")
    value = Decimal(digits).scaleb(_FACTORS[fold_case(found["factor"] or "")])
    currency = _CURRENCY.match(text)
    unit = (found["unit"] or (currency[1] if currency else "")).casefold()
    return Amount(-value if negative else value, _UNITS.get(unit, ""))


def uses_decimal_comma(cells: Iterable[str], *, otherwise: bool) -> bool:
    """Return whether a table writes 1,5 for one and a half, by its unambiguous cells, else `otherwise`."""
    commas = points = 0
    for cell in cells:
        body = re.sub(r"[^\d.,]", "", cell)
        last = max(body.rfind(","), body.rfind("."))
        if last < 0 or is_missing(cell):
            continue
        both = "," in body and "." in body
        if both or (body.count(body[last]) == 1 and len(body) - last - 1 != 3):
            commas += body[last] == ","
            points += body[last] == "."
    return otherwise if commas == points else commas > points


def plain(value: Decimal) -> str:
    """Return a number without exponent or trailing zeros: `12500`, `3.2`."""
    return without_zeros(f"{value:f}") or "0"


def metric_named(text: str) -> Metric | None:
    """Return the metric in a header, or None if it is not a name; an unknown metric keeps its own name."""
    text, unit = in_english(text), ""
    for inside in re.findall(r"[(\[]([^)\]]*)[)\]]", text):
        unit = unit or _unit_of(inside)
    bare = re.sub(r"[(\[][^)\]]*[)\]]", " ", text)
    unit = unit or _unit_of(" ".join(re.findall(r"[%$€£]", bare)))
    words = fold(bare).split()
    if words and words[-1] in ("usd", "eur", "gbp", "pct", "percent"):
        unit = unit or _unit_of(words.pop())
    name = _BY_SPELLING.get(" ".join(words))
    if name:
        return Metric(name, unit, known=True)
    letters = normalize("NFKD", " ".join(words).translate(_UMLAUTS))
    own = slug("".join(one for one in letters if not combining(one)), "_", limit=63)
    return Metric(own, unit) if re.fullmatch(r"[a-z][a-z0-9_]*", own) else None


def unit_named(text: str) -> str:
    """Return the unit in a cell, money with its period: `EUR`, `USD/week`, `%`, or an empty text."""
    unit, period = _unit_of(text), _PERIOD.search(text)
    return f"{unit}/{period[1].casefold()}" if unit in CODES and period else unit


def metric_in(text: str) -> str:
    """Return the name of the metric in a sentence, by the longest spelling, or an empty text."""
    words = fold(text)
    found = [spelling for spelling in _BY_SPELLING if re.search(rf"\b{spelling}\b", words)]
    return _BY_SPELLING[max(found, key=len)] if found else ""


def _plain_digits(digits: str, *, decimal_comma: bool, is_money: bool) -> str | None:
    if _SPACED.fullmatch(digits.strip()) is None:
        return None
    compact = re.sub(_SPACE, "", digits).rstrip(".,")
    point = _decimal_mark(compact, decimal_comma=decimal_comma, is_money=is_money)
    whole, _, fraction = compact.rpartition(point) if point else (compact, "", "")
    groups = re.split(r"[.,]", whole)
    grouped = len(groups) == 1 or (1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:]))
    if not grouped or not re.fullmatch(r"\d*", fraction):
        return None
    text = f"{''.join(groups) or '0'}.{fraction or '0'}"
    try:
        return text if Decimal(text).is_finite() else None
    except InvalidOperation:
        return None


def _decimal_mark(compact: str, *, decimal_comma: bool, is_money: bool) -> str:
    """Return the separator before the fraction, or an empty text where all separators group thousands."""
    last = max(compact.rfind(","), compact.rfind("."))
    if last < 0:
        return ""
    mark = compact[last]
    if "," in compact and "." in compact:
        return mark if compact.count(mark) == 1 else ""
    if compact.count(mark) > 1:
        return ""
    if len(compact) - last - 1 != 3 or last == 0 or last > 3:
        return mark
    if is_money and compact[0] != "0":
        return ""  # nobody writes money with three decimals: 60.000 € is sixty thousand
    return mark if (mark == ",") == decimal_comma else ""


def _unit_of(text: str) -> str:
    found = [_UNITS[word] for word in re.findall(r"[%$€£]|[a-z]+", text.casefold()) if word in _UNITS]
    return found[0] if found else ""
