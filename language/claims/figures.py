"""Numbers in any notation, parsed fast and with every reading: "1,200", "1.200,50", "1.2k", "twelve", "12 %", "€ 40".

The readers of `mabos.language.amounts` give an order its one best reading. Here a number has all readings it may have,
because evidence of any notation must support a reply in any other.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from mabos.language.amounts import number_of
from mabos.workspace.currencies import CODE, CURRENCIES, MARKS

FigureKind = Literal["count", "percent", "money"]
Hedge = Literal["", "about", "over", "under", "exactly"]

_SCALES = {
    "k": 1e3, "thousand": 1e3, "grand": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9,
    "hundred": 1e2, "dozen": 12.0,
}  # fmt: skip
_CODES = "|".join(sorted((re.escape(one) for one in CURRENCIES), key=len, reverse=True))
_BEFORE = rf"{MARKS}|(?:{CODE})\b"
_ONE = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
_WORDS = f"{_ONE} eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety".replace(" ", "|")
_BIG = "hundred|thousand|million|billion|dozen"
_FIGURE = re.compile(
    rf"(?i)(?:(?P<before>{_BEFORE})[ \u00a0]?)?"
    r"(?:(?<![\w.])(?<![A-Za-z]-)(?P<digits>\d{1,3}(?:[,.'\u2019\u00a0\u202f ]\d{3})+(?![\d])(?:[.,]\d+)?|"
    r"\d+(?:[.,]\d+)?)"
    r"(?:[ \u00a0]?(?P<scale>k|m|mn|mio|bn|thousand|million|billion|grand|hundred|dozen)\b)?(?![^\W\d_])"
    rf"|\b(?P<spelled>(?:(?:an?|half an?) (?:{_BIG})|(?:{_WORDS})\b)(?:[- ](?:and (?=\w+))?(?:{_WORDS}|{_BIG})\b)*"
    rf"(?: and a (?:half|quarter)(?: (?:{_BIG})\b)?)?))"
    rf"(?:[ \u00a0-]?(?:(?P<percent>%|per ?cent(?:age points?)?\b|pct\b|pp\b|percentage points?\b|"
    rf"points?\b(?= of a percent))|(?P<after>(?:{_CODES})(?![^\W\d_]))))?"
)
_AND_SPLIT = re.compile(rf"(?<!hundred)(?<!thousand)(?<!million)(?<!billion) and (?=(?:{_WORDS})\b)", re.IGNORECASE)
_HEDGE_WORDS: dict[Hedge, tuple[str, str]] = {
    "exactly": ("exactly|precisely|to the cent", "(?!x)x"),
    "about": (
        "about|around|roughly|approx(?:imately|\\.)?|circa|ca\\.?|some|or so|close to|nearly|almost|"
        "just (?:over|under)|not quite|good|slightly (?:over|under|more than|less than)",
        "~|≈",
    ),
    "over": ("over|more than|at least|above|upwards of|well over|exceed(?:s|ed|ing)?|min(?:imum)?", ">=?|≥"),
    "under": ("under|less than|at (?:the )?most|below|up to|fewer than|no more than|max(?:imum)?|within", "<=?|≤"),
}
_HEDGES: dict[Hedge, re.Pattern[str]] = {
    name: re.compile(rf"(?:\b(?:{before})|{sign})\s*(?:of |an? |the |only )?$", re.IGNORECASE)
    for name, (before, sign) in _HEDGE_WORDS.items()
}
_HEDGE_AFTER = re.compile(r"\s*(?:or so|or thereabouts|-?ish|give or take|plus|or more|\+)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WrittenFigure:
    """A number at `start` to `end`: every possible value, its kind, and its precision.

    A reading is a value with the place of its last digit: 0.1 for 4.9, 100 for 1.2k.
    """

    start: int
    end: int
    words: str
    readings: tuple[tuple[float, float], ...]
    kind: FigureKind
    currency: str
    hedge: Hedge = ""
    noun: str = ""
    is_spelled: bool = False

    @property
    def values(self) -> tuple[float, ...]:
        """Return every possible value."""
        return tuple(value for value, _ in self.readings)

    @property
    def step_is_fine(self) -> bool:
        """Return whether it is written with decimals."""
        return any(step < 1 for _, step in self.readings)


def figures_in(text: str, *, hedges: bool = False) -> Iterator[WrittenFigure]:
    """Yield the numbers of a text in order; with `hedges`, also their qualifiers and counted nouns."""
    at = 0
    while match := _FIGURE.search(text, at):
        end = match.end()
        spelled = match["spelled"]
        if spelled and (cut := _AND_SPLIT.search(spelled)):
            end = match.start("spelled") + cut.start()
            match = _FIGURE.search(text[:end], match.start())
        at = max(end, at + 1)
        figure = _figure(match) if match else None
        if figure:
            yield _qualify_figure(text, figure) if hedges else figure


def _figure(match: re.Match[str]) -> WrittenFigure | None:
    currency = CURRENCIES.get((match["before"] or match["after"] or "").lower(), "")
    kind: FigureKind = "percent" if match["percent"] else "money" if currency else "count"
    if match["digits"]:
        unit = (match["scale"] or "").lower()
        scale = _SCALES.get(unit, 1.0)
        read = [(round(value * scale, 6), place * scale) for value, place in _readings(match["digits"])]
        if unit == "m":
            read += _readings(match["digits"])  # metres
    else:
        words = match["spelled"].lower()
        value = number_of(words)
        if value is None or (words in ("one", "zero") and kind == "count"):
            return None
        read = [(value, 1.0)]
    return WrittenFigure(
        match.start(), match.end(), match[0].strip(), tuple(read), kind, currency, is_spelled=bool(match["spelled"])
    )


def _readings(digits: str) -> list[tuple[float, float]]:
    """Return the values that written digits may have, each with the place of its last digit.

    >>> _readings("9.310"), _readings("1,200.50")
    ([(9310.0, 1.0), (9.31, 0.001)], [(1200.5, 0.01)])
    """
    flat = re.sub(r"['\u2019\u00a0\u202f ]", "", digits)
    marks = re.findall(r"[.,]", flat)
    if not marks:
        return [(float(flat), 1.0)]
    last = max(flat.rfind(","), flat.rfind("."))
    tail = len(flat) - last - 1
    whole = float(re.sub(r"[.,]", "", flat))
    fraction = (float(re.sub(r"[.,]", "", flat[:last]) + "." + flat[last + 1 :]), 10.0**-tail)
    if len(set(marks)) > 1:
        return [fraction]
    if len(marks) > 1:
        return [(whole, 1.0)]
    if tail == 3 and not flat.startswith("0") and last <= 3:
        return [(whole, 1.0)] if marks == [","] else [(whole, 1.0), fraction]
    return [fraction]


def _trailing(value: float, step: float) -> float:
    """Return the place of the last digit that is not a zero: 100 for 1,200."""
    place = step
    while value and place < abs(value) and abs(value / (place * 10) - round(value / (place * 10))) < 1e-9:
        place *= 10
    return place


def _qualify_figure(text: str, figure: WrittenFigure) -> WrittenFigure:
    before = text[max(0, figure.start - 24) : figure.start]
    hedge: Hedge = next((name for name, words in _HEDGES.items() if words.search(before)), "")
    if not hedge and _HEDGE_AFTER.match(text, figure.end):
        hedge = "about"
    noun = re.match(
        r"[- ](?:(?:more|new|extra|other|open|free|full|of the|of your|of our) )?([A-Za-z][\w'’-]+)", text[figure.end :]
    )
    figure = replace(figure, hedge=hedge, noun=noun[1].lower() if noun else "")
    if figure.kind == "count" and figure.noun in ("cent", "cents", "pence"):
        small = tuple((value / 100, step / 100) for value, step in figure.readings)
        return replace(figure, kind="money", readings=(*small, *figure.readings))
    return figure


def tells(figure: WrittenFigure, value: float) -> bool:
    """Return whether a figure of a reply may mean a value: equal, rounded as it is written, or qualified.

    >>> [figure] = figures_in("about 5 kilos", hedges=True)
    >>> tells(figure, 4.87), tells(figure, 5.6)
    (True, False)
    """
    return any(_stands_for(figure, abs(shown), step, abs(value)) for shown, step in figure.readings)


def _stands_for(figure: WrittenFigure, shown: float, step: float, value: float) -> bool:  # noqa: PLR0911 - one rule a line
    off = abs(shown - value)
    if off <= 1e-6 * max(1.0, value):
        return True
    if figure.hedge == "exactly" or not value:
        return False
    if not figure.is_spelled and step != 1 and off <= step * 0.5000001:
        return True
    is_whole = abs(value - round(value)) < 1e-9
    if step == 1 and not is_whole and off <= 0.5000001 and (value >= 10 or figure.kind == "percent"):
        return True
    if figure.hedge == "about":
        return off <= 0.02 * value or off <= min(_trailing(shown, step) * 0.5000001, 0.1 * value)
    if figure.hedge == "over":
        return 0 <= value - shown <= 0.1 * value
    return figure.hedge == "under" and 0 <= shown - value <= 0.1 * shown
