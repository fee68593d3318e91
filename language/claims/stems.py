"""The content words of a text, reduced to stems, so that "prices" and "priced" are equal."""

import re
import unicodedata
from functools import lru_cache

from mabos.language.wordlists import order_table
from mabos.workspace.text import STOPWORDS, terms

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SUFFIX = re.compile(r"(?:['’]s?|ations?|ings?|ments?|ers?|ed|ies|es|ly|s|y|e)$")
_TIME = frozenset(("week", "day", "month", "period", "date", "year", "quarter", "dat", "dai", "time"))
_EMPTY = STOPWORDS | frozenset(terms(order_table("claims_stems.empty")))


_LETTERS = str.maketrans({"İ": "I", "ı": "i", "ſ": "s", "\u212a": "K"})


def with_plain_letters(text: str) -> str:
    """Return a text without letters that equal others only in a case-sensitive comparison; places stay."""
    return text.translate(_LETTERS)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the stem of a word, without case and accents.

    >>> [stem(word) for word in ("prices", "pricing", "Invoices", "letter's")]
    ['pric', 'pric', 'invoic', 'lett']
    """
    low = folded_word(word)
    while len(low) > 4 and (cut := _SUFFIX.search(low)) and cut.start() >= 3:
        low = low[: cut.start()]
    low = low[:7]
    return "time" if low in _TIME else low


@lru_cache(maxsize=65536)
def folded_word(word: str) -> str:
    """Return a word without case, accents and apostrophe."""
    flat = unicodedata.normalize("NFKD", word.casefold())
    return "".join(one for one in flat if not unicodedata.combining(one)).replace("’", "'").removesuffix("'s")


@lru_cache(maxsize=4096)
def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the content words of a text."""
    return frozenset(stem(word) for word in _WORD.findall(text) if len(word) > 1 and folded_word(word) not in _EMPTY)


def words_of(text: str) -> list[str]:
    """Return the words of a text, without digits and punctuation."""
    return _WORD.findall(text)
