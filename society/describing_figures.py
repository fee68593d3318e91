"""Figures in an owner's words: a target with its direction, or a present value, each with its unit and its words.

figures_in("Food waste is 9 % and should be below 5 %.", names)   # waste_rate is 9 %, and wanted below 5 %
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from mabos.language.amounts import SpokenAmount, amounts_in
from mabos.society.figures import BusinessFigure
from mabos.society.quantities import metric_named, spellings_of
from mabos.society.templates import BusinessTemplate
from mabos.workspace.text import STOPWORDS, one_line, slug, terms

_TARGETS = (
    ("<=", r"(?:never|not|no) (?:go |rise |be |get )?(?:above|over|more than|exceed\w*)|at most|no more than|"
           r"not more than|maximum(?: of)?|max\.?|up to"),
    (">=", r"(?:never|not|no) (?:go |fall |be |drop |get )?(?:below|under|less than)|at least|no less than|"
           r"not less than|minimum(?: of)?|min\.?"),
    ("<", r"below|under|less than|fewer than|<"),
    (">", r"above|over|more than|>"),
)  # fmt: skip
_BEFORE = tuple((op, re.compile(rf"(?:{words})\s*(?:the\s+|about\s+)?$", re.IGNORECASE)) for op, words in _TARGETS)
_TO = re.compile(r"\b(?:to|at)\s*$", re.IGNORECASE)
_DOWN = re.compile(r"\b(?:reduc\w+|cut|lower|bring\w* down|down|decreas\w+|shrink|halve)\b", re.IGNORECASE)
_UP = re.compile(r"\b(?:rais\w+|grow\w*|increas\w+|reach\w*|up|hit|achieve|improve)\b", re.IGNORECASE)
_PRESENT = re.compile(
    r"(?:\b(?:(?:is|are|was|were) (?:now |currently )?at|is|are|was|were|have|has|of|stands? at|holds?|owes? us|"
    r"about|around|roughly|"
    r"made|make|makes|take)|:|=|,)\s*$",
    re.IGNORECASE,
)
_WANTED = re.compile(
    r"\b(?:should|must|want|aim|goal|target|wish|keep|stay|need|hold|has to|have to|bring|get)\w*\b|:|<|>",
    re.IGNORECASE,
)
_NONE = re.compile(r"\b(should|must|may|can) (?:there )?be (?:none|zero)\b", re.IGNORECASE)
_AIM = re.compile(r"\b(?:target|goal|aim)(?: is|:| of)?\s*$", re.IGNORECASE)
_SPEND = re.compile(r"\bspend(?:s|ing)?\s*$")
_LEADING = re.compile(
    r"^(?:(?:we|i|our|the|a|an|my|and|but|also|please|want|wants|aim|for|to|keep|keeps|hold|bring|get|have|with|goal|goals|"
    r"target|is|that|of|reduce|cut|lower|raise|grow|increase|reach|today|now|should|must|stay|be|down|up|need)\s+)+",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"\s*(?:(?:should|must|has|have|to|is|are|was|were|be|stay|stays|remain|fall|drop|rise|come|go|get|kept|down|up|always|wanted|"
    r"not|never|:|,|and|at|by)\s*)+$",
    re.IGNORECASE,
)  # fmt: skip
_COUNTED = re.compile(
    r"\s*(?P<title>[a-z][a-z-]+(?: [a-z][a-z-]+)?)(?=\s+(?:an?|per|each|every|in|by)\b|\s*[.,;]|\s*$)"
)
_LONGEST_NAME = 5


@dataclass(frozen=True, slots=True)
class DescribedFigure:
    """A figure that was read: a `target` as a comparison without the name, or a present `value`."""

    name: str
    target: str = ""
    value: float = 0.0
    unit: str = ""
    words: str = ""
    title: str = ""
    figure: BusinessFigure | None = None


def names_of(pack: BusinessTemplate) -> Mapping[str, str]:
    """Return the name of a series by each way in which people write it, in a line of business."""
    known: dict[str, str] = {}
    for name in ("cash", "burn", "runway_months", "revenue", *pack.measures):
        for spelling in (name.replace("_", " "), *spellings_of(name)):
            known.setdefault(spelling.lower(), name)
    for figure in pack.figures:
        for spelling in (figure.called, *figure.also):
            known[spelling.lower()] = figure.name
    return known


def figures_in(text: str, names: Mapping[str, str], *, is_listed: bool = False) -> tuple[DescribedFigure, ...]:
    """Return the figures of a sentence in order; a number whose figure is not named is left out.

    In a list of figures (`is_listed`) the words before a colon name one: `Accidents: 0 this year`.
    """
    said = _NONE.sub(r"\1 be at most 0", one_line(text))
    read = list[DescribedFigure]()
    start, last, topic, present = 0, "", "", None
    for amount in amounts_in(said):
        at = _digits_at(said, amount)
        before = said[start:at]
        op = _find_comparison(before, said, at)
        if not op and present is not None and _AIM.search(before):
            op = ">=" if amount.value >= present.value else "<="  # "is 68 %, target 80 %"
        name = _match_series(before, names, from_end=True)
        if not name and last and op:
            name = last  # "is 9 % and should be below 5 %"
        after = said[amount.end : amount.end + 40]
        if _SPEND.search(before) and re.match(r"\s*more than (?:we|i|it)\b", after, re.IGNORECASE):
            name, op = "burn", ""
        if not name and not op:
            name = _match_series(re.split(r"[.,;]| and ", after, maxsplit=1)[0], names)
        title = ""
        if not name and op and (title := _title(before) or topic or _title_of_count(after)):
            found = metric_named(title)
            name = found.name if found is not None else ""
            if name and title == topic and present is not None:
                read.append(_figure(name, "", present, said, title))  # "rework was 6.5 % and should be below 3 %"
        if not op and _PRESENT.search(before):
            topic, present = _title(before), amount
            if not name and is_listed and start == 0 and topic and before.rstrip().endswith(":"):
                found = metric_named(title := topic)
                name = found.name if found is not None else ""
        start = amount.end
        is_present = _PRESENT.search(before) or before.strip().lower() in names
        if not name or not (op or name == "burn" or is_present or _match_series(after, names)):
            continue
        last = name
        read.append(_figure(name, op, amount, said, title))
    return tuple(read)


def _title_of_count(after: str) -> str:
    """Return the words that a number counts: `at least 12 orders a month` counts orders."""
    found = _COUNTED.match(after)
    return found["title"] if found and not re.match(r"(?:an?|per|each|every)\b", found["title"]) else ""


def _digits_at(text: str, amount: SpokenAmount) -> int:
    """Return where the number of an amount begins, after words as `at most`."""
    digits = re.search(r"(?:US\$|USD|EUR|GBP|CHF|[$€£])?\s?\d", text[amount.start : amount.end])
    return amount.start + (digits.start() if digits else 0)


def _find_comparison(before: str, text: str, at: int) -> str:
    """Return the comparison before a number, or an empty text if it is a present value."""
    for op, pattern in _BEFORE:
        if pattern.search(before):
            return op if _WANTED.search(text[:at]) or len(before.split()) <= _LONGEST_NAME + 3 else ""
    if _TO.search(before):
        return "<=" if _DOWN.search(before) else ">=" if _UP.search(before) else ""
    return ">=" if re.search(r"\breach\w*\s*$", before, re.IGNORECASE) else ""


def _match_series(text: str, names: Mapping[str, str], *, from_end: bool = False) -> str:
    """Return the series that a text names: the name nearest to the number, the longest of several there."""
    flat = text.lower()
    found = [
        (place.start(), place.end(), name)
        for spelling, name in names.items()
        for place in re.finditer(rf"(?<![\w-]){re.escape(spelling)}(?![\w-])", flat)
    ]
    if not found:
        return ""
    return max(found, key=lambda one: (one[1] if from_end else -one[0], one[1] - one[0]))[2]


def _title(before: str) -> str:
    """Return the words that name a figure before a comparison: `our no-show rate should be below` is no-show rate."""
    for _, pattern in _BEFORE:
        before = pattern.sub("", before)
    part = re.split(r"[.,;()]| and | but ", before)[-1].strip() or before
    name = _LEADING.sub("", _TRAILING.sub("", _TO.sub("", part)).strip() + " ").strip(" :")
    name = re.split(r" of (?:our|the) ", name)[0]
    words = terms(name)
    if re.search(r"\b(?:with|of|in|for|from|on|than)$", name):
        return ""  # "a class with fewer than five people does not start"
    if not words or len(words) > _LONGEST_NAME or all(word in STOPWORDS for word in words) or re.search(r"\d", name):
        return ""
    return name if len(slug(name, "_")) > 2 else ""


def _figure(name: str, op: str, amount: SpokenAmount, text: str, title: str) -> DescribedFigure:
    unit = "%" if amount.kind == "percent" else amount.unit if amount.kind == "money" else ""
    if not unit and amount.unit in ("days", "weeks", "months", "hours", "minutes"):
        unit = amount.unit
    if amount.kind == "money" and amount.per in ("week", "month", "year", "day"):
        unit = f"{unit}/{amount.per}"
    value = f"{amount.value:g}" if amount.value < 1e6 else f"{amount.value:.0f}"
    target = f"{op} {value}{'%' if unit == '%' else ''}" if op else ""
    return DescribedFigure(name, target, amount.value, unit, text, title)
