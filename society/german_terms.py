"""German table headings translated into English, so that English questions find their columns.

>>> in_english("Energiekosten (EUR)"), in_english("Umsatz je Monat"), in_english("Name")
('energy cost (EUR)', 'revenue per month', 'Name')
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache

from mabos.configs.yaml_file import packaged_yaml

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_PARTS = re.compile(r"(?P<words>[^(\[]*?)(?P<more>\s*(?:[(\[].*)?)", re.DOTALL)
_AS_IT_IS = re.compile(r"[A-Z]{2,4}|[\W\d_]+")
"""Currencies, units and signs, which no language translates."""


@cache
def _terms() -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return the English words by German ones: of whole headings, and of single words between others."""
    raw = packaged_yaml("german_terms.yaml")

    def pairs(name: str) -> Iterator[tuple[str, str]]:
        for english, words in raw[name].items():
            yield from ((_fold(word), english) for word in words.split(", "))

    last = [*pairs("last")]
    compounds = {f"{start}{end}": f"{one} {two}" for start, one in pairs("first") for end, two in last}
    return compounds | dict(pairs("whole")), raw["between"]


def german_for(name: str) -> tuple[str, ...]:
    """Return the German headings with an English translation."""
    return tuple(german for german, english in _terms()[0].items() if english == name)


def in_english(heading: str) -> str:
    """Return a heading in English, or unchanged if one of its words is not a known German one."""
    parts = _PARTS.fullmatch(heading.strip())
    if parts is None or not parts["words"]:
        return heading
    whole, between = _terms()
    if found := whole.get(_fold(parts["words"])):
        return f"{found}{parts['more']}"
    words = parts["words"].split()
    read = [one if _AS_IT_IS.fullmatch(one) else whole.get(_fold(one)) or between.get(_fold(one)) for one in words]
    is_german = any(_fold(one) in whole for one in words)
    return f"{' '.join(filter(None, read))}{parts['more']}" if is_german and all(read) else heading


@cache
def cell_in_english(cell: str) -> str:
    """Return a cell with the English word for a state in another language added, else unchanged.

    >>> cell_in_english("offen"), cell_in_english("Berlin")
    ('offen open', 'Berlin')
    """
    states = ((english, words.split(", ")) for english, words in packaged_yaml("german_terms.yaml")["cells"].items())
    found = [english for english, words in states if _fold(cell) in map(_fold, words)]
    return " ".join((cell, *found))


@lru_cache(maxsize=4096)
def gloss(sentence: str) -> str:
    """Return the English words for those of a German sentence, with its dates and sums, or for long German names.

    >>> gloss("Die Miete beträgt ab dem 1. Januar 480,00 €."), gloss("The rent is due."), gloss("Elternabend on Monday")
    ('rent January 1 January €480.00', '', 'parents evening')
    """
    words = re.findall(r"[^\W\d_]+", sentence)
    known = _of_prose()
    if sum(word.casefold() in _SMALL for word in words) < 2:
        named = [_fold(word) for word in words if word[0].isupper() and len(word) >= _LONG]
        return " ".join(known[one] for one in named if one in known)
    found = [known[one] for word in words if (one := next((it for it in _bare_forms(word) if it in known), ""))]
    days = [f"{day} {known.get(_fold(month), month)}" for day, month in _DAY.findall(sentence)]
    sums = [f"€{whole.replace('.', '')}{f'.{cents}' if cents else ''}" for whole, cents in _EUROS.findall(sentence)]
    return " ".join((*found, *days, *sums))


_SMALL = frozenset(packaged_yaml("german_terms.yaml")["small"].split())
"""Words by two of which a sentence is known to be German."""
_DAY = re.compile(r"\b(\d{1,2})\. ([A-ZÄ][a-zä]+)")
_EUROS = re.compile(r"(\d[\d.]*)(?:,(\d\d))? ?(?:€|Euro\b|EUR\b)")
_LONG = 8
"""Letters from which a word with a capital is German in a text of any language, if it is a known German one."""
_ENDINGS = ("", "e", "n", "s", "t", "en", "er", "es", "em", "te", "et", "ten")


@cache
def _of_prose() -> Mapping[str, str]:
    """Return the English words by German ones of sentences, without endings, after those of headings."""
    raw = packaged_yaml("german_terms.yaml")["prose"]
    own = {_fold(word): english for english, words in raw.items() for word in words.split(", ")}
    return {**{word: english for word, english in _terms()[0].items() if len(word) > 4}, **own}


def _bare_forms(word: str) -> Iterator[str]:
    folded = _fold(word)
    yield from (folded.removesuffix(end) for end in _ENDINGS if folded.endswith(end))
    yield from (f"{folded.removesuffix(end)}en" for end in ("t", "e", "te") if folded.endswith(end))


def are_german(headings: Iterable[str]) -> bool:
    """Return whether any heading of a table is German."""
    return any(in_english(one) != one for one in headings)


def _fold(text: str) -> str:
    return re.sub(r"[\s.:-]+", " ", text.casefold().translate(_UMLAUTS)).strip()
