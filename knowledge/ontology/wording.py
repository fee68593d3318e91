"""Comparison of terms: equality of their words, and otherwise their distance."""

import re
from functools import lru_cache

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_NO_PLURAL = ("ss", "us", "is", "ics", "news", "series")


def words(text: str) -> tuple[str, ...]:
    """Return the words of a label or a text in lower case; `OrderLine` is two words."""
    return tuple(_WORD.findall(_CAMEL.sub(" ", text).lower().replace("\u2019", "'")))


@lru_cache(maxsize=8192)
def singular(word: str) -> str:
    """Return an English noun in the singular, by a few rules."""
    if len(word) < 4 or word.endswith(_NO_PLURAL) or not word.endswith("s"):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def key(text: str) -> str:
    """Return a form that equal terms share, ignoring case, camel case, hyphens and plural."""
    return " ".join(singular(word) for word in words(text))


def position(phrase: str, text: str) -> int:
    """Return the word position in `text` where the phrase first ends, by `key`; -1 if it does not occur."""
    wanted, found = key(phrase).split(), key(text).split()
    for start in range(len(found) - len(wanted) + 1):
        if wanted and found[start : start + len(wanted)] == wanted:
            return start + len(wanted)
    return -1
