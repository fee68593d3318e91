"""Read the superlative of a question: the longest, the fewest, the next.

>>> find_superlative("And which month was the leanest?")
Superlative(word='leanest', stem='lean', is_low=True, is_of_day=False, is_next=False)
"""

import re
from dataclasses import dataclass

from mabos.memory.stem import stem
from mabos.tools.requests.answers.synonyms import empty_words

_DAYS = {
    "next": (True, True), "first": (True, False), "earliest": (True, False), "soonest": (True, True),
    "nearest": (True, True), "last": (False, False), "latest": (False, False), "newest": (False, False),
    "oldest": (True, False), "most recent": (False, False),
}  # fmt: skip
_NO = empty_words("no_superlatives")
_LOW = empty_words("low_superlatives")
_WORD = re.compile(
    r"\b(?:most recent|\w{2,}est|most|least|maximum|minimum|top|bottom|peak|worst|next|first|last)\b", re.IGNORECASE
)
_PERIOD = re.compile(r"\b(?:next|last) (?:\d+ |\w+ )?(?:week|month|year|quarter|\w+day|night|time)s?\b", re.IGNORECASE)
_BOUND = re.compile(r"\bat (?:most|least)\b|\bat last\b|\bfirst (?:of all|name)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Superlative:
    """The word and its adjective as stems; whether the low end is meant, and days, or only days ahead."""

    word: str
    stem: str
    is_low: bool
    is_of_day: bool = False
    is_next: bool = False


def find_superlative(text: str) -> Superlative | None:
    """Return the first superlative of a text, or None."""
    skipped = [one.span() for pattern in (_PERIOD, _BOUND) for one in pattern.finditer(text)]
    for found in _WORD.finditer(text):
        word = found[0].lower()
        if word in _NO or any(start <= found.start() < end for start, end in skipped):
            continue
        if word in _DAYS:
            is_low, is_next = _DAYS[word]
            return Superlative(stem(word), stem(word), is_low, is_of_day=True, is_next=is_next)
        base = word.removesuffix("est")
        return Superlative(stem(word), stem(base), word in _LOW)
    return None
