"""Amounts as people write them: money, percentages and counts, with their meaning and their rhythm.

amounts_in("no more than 90 bucks a week")      # 90.0, money in USD, per week, at most
amounts_in("half a million")                    # 500000.0, a count
amounts_in("EUR 1.200,50")                      # 1200.5, money in EUR
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from mabos.language.request import Meaning
from mabos.language.wordlists import order_table, order_words
from mabos.workspace.currencies import CODE, CURRENCIES, MARKS
from mabos.workspace.text import terms

_ONES = {
    word: value
    for value, word in enumerate(
        terms(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        )
    )
}
_TENS = {word: 20 + 10 * at for at, word in enumerate(terms("twenty thirty forty fifty sixty seventy eighty ninety"))}
_SCALES = {"hundred": 100, "thousand": 1_000, "grand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_SUFFIXES = {"k": 1_000, "m": 1_000_000, "mn": 1_000_000, "mio": 1_000_000, "bn": 1_000_000_000, "b": 1_000_000_000}
_GROUPS = {"couple": 2, "dozen": 12, "score": 20}
_SIGN = rf"{MARKS}|(?:{CODE})\b"
_AFTER = "|".join(sorted((re.escape(one) + (r"\b" if one[-1].isalpha() else "") for one in CURRENCIES), key=len)[::-1])
_DIGITS = r"\d{1,3}(?:[.,'\u2019 ]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?"
_WORD = "|".join((*_ONES, *_TENS))
_SPELLED = (
    rf"(?:an?|half an?|half|quarter of an?|(?:{_WORD})(?:[- ](?:{_WORD}))*(?: and a (?:half|quarter))?)"
    rf"(?:[- ](?:couple|dozen|{'|'.join(_SCALES)})(?: of)?(?:(?: and|,)? (?:(?:{_WORD})[- ]?)+)?)+"
    rf"|(?:{_WORD})(?:[- ](?:{_WORD}))*(?: and a (?:half|quarter))?"
)
_UNIT = r"day|week|wk|month|mth|quarter|year|yr|hour|hr|night"
_AMOUNT = re.compile(
    rf"(?i)(?<![\w#.,/])(?<!\w[-_])(?<!\d:)(?P<before>{_SIGN})?\s?(?:(?P<digits>{_DIGITS})(?P<suffix>k|mn|mio|bn|"
    rf"m(?=\W|$)|b)?(?![\w]|-\d|/\d|:\d)(?:[ -](?P<scale>{'|'.join(_SCALES)})\b)?|\b(?P<spelled>{_SPELLED})\b(?!-))"
    rf"(?:\s?(?:(?P<percent>%|per ?cent\b|percent\b|pct\b)|(?P<after>{_AFTER})))?"
)
_PER_AFTER = re.compile(
    rf"(?i)\s*(?:(?:an?|per|each|every|the|/|p\.|p)\s*(?P<unit>{_UNIT}|w|m|a)s?\b\.?|(?:in (?:the|a|each|every)|by|"
    rf"for(?: each| every)?|by the) (?P<in>{_UNIT})\b|(?P<ly>hourly|nightly|daily|weekly|monthly|quarterly|yearly|"
    r"annually|per annum)\b|(?P<total>,?\s*(?:in total|in all|all in|altogether|total|overall|for the lot|all told)\b)"
    r"|(?P<each>each\b|apiece\b|per head\b|per person\b))"
)
_SPENT = r"(?:ad |ads |marketing |media )?(?:budget|spend|spending|limit|cap|cost|fee|rate|amount|sum)"
_PER_BEFORE = re.compile(
    rf"(?i)\b(?:(?P<ly>daily|weekly|monthly|quarterly|yearly|annual)(?: {_SPENT})?|(?P<total>total|whole|entire|"
    rf"overall) {_SPENT})"
    r"\s*(?:is|of|to|at|:|=|should be|will be)?\s*$"
)
_LY = {
    "hourly": "hour", "nightly": "night", "daily": "day", "weekly": "week", "monthly": "month", "annual": "year",
    "quarterly": "quarter", "yearly": "year", "annually": "year", "per annum": "year",
}  # fmt: skip
_UNITS = {"wk": "week", "w": "week", "mth": "month", "m": "month", "yr": "year", "a": "year", "hr": "hour"}
_MEANINGS: tuple[tuple[Meaning, str], ...] = tuple(order_table("amounts.meanings").items())
_MEANING_AFTER: tuple[tuple[Meaning, str], ...] = (
    ("at most", r"(?:at (?:the )?most|max(?:imum)?|tops|or less|or under|and not a (?:cent|penny) more|and no more)\b"),
    ("at least", r"(?:at least|min(?:imum)?|or more|and up|plus)\b"),
    ("about", r"(?:or so|or thereabouts|ish|give or take)\b"),
    ("exactly", r"(?:exactly|sharp|on the dot|flat)\b"),
)


@dataclass(frozen=True, slots=True)
class SpokenAmount:
    """A number with its words, at `start` to `end` of the text.

    `unit` is the currency of money, or the word after a count; `per` is day, week, month, quarter, year, hour, each,
    total, or "" where no rhythm is given. `meaning` is "exactly" where the text says nothing else.
    """

    value: float
    kind: str
    start: int
    end: int
    words: str
    unit: str = ""
    per: str = ""
    meaning: Meaning = "exactly"


def amounts_in(text: str) -> tuple[SpokenAmount, ...]:
    """Return the amounts of a text in order.

    Parts of codes, times of day and ordinals are excluded; "one" and "a couple" count only before a unit.
    """
    found: list[SpokenAmount] = []
    for match in _AMOUNT.finditer(text):
        value = _value(match)
        if value is None or (found and match.start() < found[-1].end):
            continue
        found.append(_amount(text, match, value))
    return tuple(found)


_NO_UNITS = order_words("amounts.no_units")


def _amount(text: str, match: re.Match[str], value: float) -> SpokenAmount:
    currency = CURRENCIES.get((match["before"] or match["after"] or "").lower(), "")
    kind = "percent" if match["percent"] else "money" if currency else "count"
    start, end = match.start() + len(match[0]) - len(match[0].lstrip()), match.end()
    per, end = _rhythm(text, start, end)
    meaning, start, end = _meaning(text, start, end)
    if not per:
        per, end = _rhythm(text, start, end)
    unit = currency
    if kind == "count":
        noun = re.match(r"[- ]?(?:more |new |extra |other |free )?([A-Za-z][A-Za-z'’-]+)", text[end:])
        unit = noun[1].lower() if noun and noun[1].lower() not in _NO_UNITS else ""
    return SpokenAmount(value, kind, start, end, text[start:end].strip(), unit, per, meaning)


def _rhythm(text: str, start: int, end: int) -> tuple[str, int]:
    """Return the rhythm after an amount, else the one before it, and where the amount's words end."""
    after = _PER_AFTER.match(text, end)
    if after and not re.match(r"\s?[ap]\.?m\b", text[end:], re.IGNORECASE):
        if after["total"]:
            return "total", after.end()
        if after["each"]:
            return "each", after.end()
        unit = (after["unit"] or after["in"] or "").lower()
        return _LY[after["ly"].lower()] if after["ly"] else _UNITS.get(unit, unit), after.end()
    before = _PER_BEFORE.search(text[:start])
    if before:
        return ("total" if before["total"] else _LY[before["ly"].lower()]), end
    return "", end


def _meaning(text: str, start: int, end: int) -> tuple[Meaning, int, int]:
    for name, words in _meanings_before():
        if before := words.search(text[:start]):
            return name, before.start("words"), end
    for name, words in _meanings_after():
        if after := words.match(text, end):
            return name, start, after.end()
    return "exactly", start, end


@cache
def _meanings_before() -> Sequence[tuple[Meaning, re.Pattern[str]]]:
    return [
        (name, re.compile(rf"(?:^|(?<=[\s(,:-]))(?P<words>{words})\s*(?:of\s+|a\s+)?$", re.IGNORECASE))
        for name, words in _MEANINGS
    ]


@cache
def _meanings_after() -> Sequence[tuple[Meaning, re.Pattern[str]]]:
    return [(name, re.compile(rf"[\s,(-]*{words}", re.IGNORECASE)) for name, words in _MEANING_AFTER]


def _value(match: re.Match[str]) -> float | None:
    if match["digits"]:
        value = _plain(match["digits"])
        suffix = (match["suffix"] or "").lower()
        scale = _SUFFIXES.get(suffix, 1) * _SCALES.get((match["scale"] or "").lower(), 1)
        return round(value * scale, 6)
    spelled = match["spelled"].lower()
    if spelled in ("a", "an", "half", "half a", "half an") or (spelled == "one" and not _has_unit(match)):
        return None
    return number_of(spelled)


def _has_unit(match: re.Match[str]) -> bool:
    """Return whether "one" is followed by a unit: otherwise it is a pronoun."""
    return bool(match["percent"] or match["after"] or re.match(rf"\s(?:{_UNIT})\b", match.string[match.end() :]))


def _plain(digits: str) -> float:
    """Return the number of digits with separators: "1,200.50", "1.200,50", "1 200", "2.4"."""
    digits = re.sub(r"['\u2019 ]", "", digits)
    last = max(digits.rfind(","), digits.rfind("."))
    if last < 0:
        return float(digits)
    mark = digits[last]
    is_group = digits.count(mark) > 1 or (
        len(digits) - last == 4 and not (mark == "." and "," not in digits and digits.startswith("0"))
    )
    if is_group and not ("," in digits and "." in digits and digits.find(mark) == last and len(digits) - last != 4):
        return float(re.sub(r"[.,]", "", digits))
    whole = re.sub(r"[.,]", "", digits[:last])
    return float(f"{whole}.{digits[last + 1 :]}")


def whole_number(words: str) -> int:
    """Return the number that a count means, in figures or words; "a" means one, and so does a missing count."""
    low = words.lower()
    return int(low) if low.isdigit() else 1 if low in ("a", "an", "the") else int(number_of(low) or 1)


def number_of(words: str) -> float | None:
    """Return the number that words mean, or None: "two and a half thousand", "one hundred and twenty-five".

    >>> number_of("half a million"), number_of("two and a half thousand"), number_of("a hundred and twenty-five")
    (500000.0, 2500.0, 125.0)
    """
    total, current, seen = 0.0, 0.0, False
    tokens = re.findall(r"[a-z]+", words.lower())
    for at, word in enumerate(tokens):
        if word in ("and", "of"):
            continue
        if word in ("a", "an"):
            current = current or 1.0 if tokens[at - 1 : at] != ["and"] else current
            continue
        if word in ("half", "quarter"):
            part = 0.5 if word == "half" else 0.25
            current = current + part if seen else part
        elif word in _ONES or word in _TENS:
            current += _ONES.get(word, _TENS.get(word, 0))
        elif word in _GROUPS:
            current = (current or 1) * _GROUPS[word]
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _SCALES:
            total, current = total + (current or 1) * _SCALES[word], 0.0
        else:
            return None
        seen = True
    return total + current if seen else None
