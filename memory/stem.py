"""Porter word stems (1980), exactly as in the text index, so that both answer alike.

>>> stem("relational"), stem("hopping"), stem("churned"), stem("1990s"), stem("josé")
('relat', 'hop', 'churn', '1990', 'jose')
"""

import re
import unicodedata
from functools import lru_cache

_SHORTEST, _LONGEST = 3, 64
_DERIVED = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("logi", "log"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"),
    ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
    ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_QUALITY = (("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""))
_ENDING = (
    *("ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive", "ize"),
    *("al", "er", "ic", "ou"),
)
"""The longest first."""


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case word, without accents; words with non-English letters are not stemmed."""
    word = word if word.isascii() else _plain(word)
    if not _SHORTEST <= len(word) <= _LONGEST or not word.isascii():
        return word
    word = _past(_plural(word))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replace_ending(word, _DERIVED)
    word = _replace_ending(word, _QUALITY)
    return _tidy_ending(_without_ending(word))


def _plain(word: str) -> str:
    """Return a word of accented Latin letters as it is typed where accents are not at hand; any other as it is."""
    letters = "".join(one for one in unicodedata.normalize("NFD", word) if not unicodedata.combining(one))
    return letters if letters.isascii() else word


def _shape(word: str) -> str:
    """Return vowels as v and consonants as c; y is a vowel behind a consonant."""
    shape = ""
    for letter in word:
        shape += "v" if letter in "aeiou" or (letter == "y" and shape.endswith("c")) else "c"
    return shape


def _measure(word: str) -> int:
    """Return how many times vowels are followed by consonants."""
    return len(re.findall("v+c+", _shape(word)))


def _ends_short(word: str) -> bool:
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and "v" in _shape(word[: -len(ending)]):
            return _restore_ending(word[: -len(ending)])
    return word


def _restore_ending(word: str) -> str:
    """Return a verb without its ending as it was before the ending was added."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c" and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _replace_ending(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, other in endings:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + other if _measure(rest) > 0 else word
    return word


def _without_ending(word: str) -> str:
    for ending in _ENDING:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            fits = _measure(rest) > 1 and (ending != "ion" or rest.endswith(("s", "t")))
            return rest if fits else word
    return word


def _tidy_ending(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if _measure(rest) > 1 or (_measure(rest) == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
