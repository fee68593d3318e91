"""Numbers in entries, such as a runway of nine months, and how they changed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mabos.workspace.text import STOPWORDS

_UNITS = "month|week|day|hour|minute|dollar|euro|pound|customer|user|seat|point|order|person|people"
_STATED = re.compile(
    r"(?i)(?:^|[.;,|!?:)]\s+|\band\s+)(?P<subject>[^\W\d][^.;,|!?():=\d\n]{1,60}?)\s*"
    r"(?:\b(?:is|are|was|were|stands at|fell|rose|dropped|grew|climbed|reached|hit)\b"
    r"(?:\s+(?:now|down|up|still|back|at|to|about|only))*|[:=])\s*"
    r"(?P<currency>[$€£]?)(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<scale>[kM]\b)?"
    rf"(?:\s?(?P<unit>%|percent\b|(?:{_UNITS})s?\b))?(?!-?\w)"
)
_OF = re.compile(r"\s(?:for|of|in|on|with|from|per|by|at|to)\s", re.IGNORECASE)
_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
_DIGIT = re.compile(r"\d")
_WORDS = re.compile(rf"\b({'|'.join(_NUMBERS)})\b", re.IGNORECASE)
_MOVED = re.compile(r"^- (?P<name>.+?): (?:(?P<first>\S+) → )?(?P<last>\S+)(?: (?P<unit>[^\s(]+))?(?: \(.*)?$")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with a name, equal for all mentions of the same thing."""

    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Move:
    """A figure's change from its first mention to its last."""

    name: str
    first: float
    last: float
    unit: str

    def text(self) -> str:
        """Return the move in words: `runway: 9 → 5.8 months`."""
        values = number(self.last) if self.first == self.last else f"{number(self.first)} → {number(self.last)}"
        return f"{self.name}: {values}" + (f" {self.unit}" if self.unit else "")


def figures(text: str) -> Iterator[Figure]:
    """Yield the figures that a text states in the form `<name> is <number> <unit>`."""
    if not _NUMBERS.keys().isdisjoint(text.lower().split()):
        text = _WORDS.sub(lambda word: str(_NUMBERS[word[0].lower()]), text)
    for found in _STATED.finditer(text) if _DIGIT.search(text) else ():
        unit = found["currency"] or _unit((found["unit"] or "").lower())
        words = [word for word in _OF.split(found["subject"])[0].lower().split() if word not in STOPWORDS]
        if words and (unit or len(words) <= _PLAIN_WORDS):
            value = float(found["number"].replace(",", "")) * {"k": 1e3, "m": 1e6}.get(
                (found["scale"] or "").lower(), 1
            )
            yield Figure(" ".join(words[-2:]), value, unit)


_PLAIN_WORDS = 2
"""A number without a unit is a figure only under a short name: `churn: 4`, not every clause with a number."""


def _unit(word: str) -> str:
    """Return a unit in the one form in which it is written, so that a month and months are the same."""
    if word in ("", "%", "percent"):
        return "%" if word else ""
    return word if word == "people" else f"{word.removesuffix('s')}s"


def parse_move(line: str) -> Move | None:
    """Return the change stated in a line of a summary, as `text` wrote it, or None."""
    found = _MOVED.match(line)
    if found is None:
        return None
    try:
        last = float(found["last"].replace(",", ""))
        first = float(found["first"].replace(",", "")) if found["first"] else last
    except ValueError:
        return None
    return Move(found["name"], first, last, found["unit"] or "")


def number(value: float) -> str:
    """Return a number as people write it."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}".rstrip("0")


def change(before: float, now: float) -> str:
    """Return a number's change in per cent of its old value; "" if that is zero.

    >>> change(12, 30), change(9.2, 5.8)
    ('+150 %', '-37 %')
    """
    return f"{(now - before) / abs(before):+.0%}".replace("%", " %") if before else ""
