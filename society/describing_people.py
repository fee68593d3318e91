"""People and lists in an owner's words: `Maria Lopez runs the counter`, `our baker, Tom Reed`, `bread and cakes`."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from mabos.language.wordlists import word_lists
from mabos.society.describing_words import patterns_of, words_of
from mabos.workspace.dates import MONTHS, WEEKDAYS
from mabos.workspace.text import terms

_COMMON_FILE = Path(__file__).parents[1] / "configs" / "requests" / "common_words.txt"
_PATTERNS = patterns_of("people")
_SENTENCES = [_PATTERNS[one] for one in ("brackets", "does", "apposed", "who", "self", "me")]
_NO_NAME = words_of("no_name")


@cache
def _everyday() -> frozenset[str]:
    lines = _COMMON_FILE.read_text("utf-8").splitlines()
    words = {word for line in lines if not line.startswith("#") for word in line.split()}
    days = {day.lower() for day in WEEKDAYS}
    return frozenset(words | days | _NO_NAME | set(word_lists().openers) | set(word_lists().verbs))


def people_in(text: str, *, business: str = "", is_listed: bool = False) -> Iterator[tuple[str, str, str]]:
    """Yield each person in a sentence with their duty and the words; `is_listed` for an entry of a list of people."""
    if is_listed and (listed := _PATTERNS["listed"].match(text) or _PATTERNS["alone"].match(text)):
        yield listed["name"], listed["duty"].strip(), text
        return
    if (titled := _PATTERNS["titled"].match(text)) and _is_person(titled["name"], titled["duty"], business):
        yield titled["name"], titled["duty"].strip(), text
        return
    is_beside = False
    for clause in _PATTERNS["next"].split(text):
        every = (found for pattern in _SENTENCES for found in pattern.finditer(clause))
        read = [one for one in every if _is_person(one["name"], one["duty"], business)]
        other = _PATTERNS["clause"].match(clause) if is_beside and not read else None
        if other and _is_person(other["name"], other["duty"], business):
            read = [other]  # beside one person, any verb tells of another
        for one in read:
            yield one["name"], _duty(one["duty"]), clause.strip()
        is_beside = is_beside or bool(read)
    for group in (*_PATTERNS["group"].finditer(text), *_PATTERNS["are"].finditer(text)):
        for name in re.split(r",? and |, ", group["names"]):
            if _is_person(name, "", business):
                yield name, group["duty"].removesuffix("s"), text


def _is_person(name: str, duty: str, business: str) -> bool:
    words = _PATTERNS["honorific"].sub("", name).split()
    if len(words) == 1 and duty.startswith(" is ") and not _PATTERNS["is_role"].match(duty):
        return False  # "Turnover is killing us", "Breakfast is included"
    own, called = set(terms(business)), set(terms(name)) - _NO_NAME
    if (
        (own and called <= own)
        or _PATTERNS["business"].match(duty)
        or re.match(r" ?(?:is|was) (?:about )?[\d$£€]", duty)
    ):
        return False
    if re.search(
        r"\b(?:and|or|with|in|at|of|from|near|for|to|on|by|are)$|^ ?(?:[a-z]+est|first|last|main|name)$", duty
    ):
        return False  # "owns the pottery and Joe Marsh fires the kiln": no duty of Joe's
    if words[0].lower() in _everyday() and not _PATTERNS["honorific"].match(name):
        return False
    return not any(word in (*WEEKDAYS, *MONTHS) for word in words)


def _duty(duty: str) -> str:
    said = re.sub(r"^is (?:our |the |an? )?", "", duty.strip())
    return said.strip(" ,.")


def lists_in(text: str) -> list[str]:
    """Return the entries of a list in prose.

    >>> lists_in("bread, rolls and wedding cakes.")
    ['bread', 'rolls', 'wedding cakes']
    """
    parts = re.split(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+", text.strip(" ."))
    return [part.strip() for part in parts if part.strip() and len(part.split()) <= 8]


_NO_NOUN = words_of("no_noun")


def nouns_in(text: str) -> list[str]:
    """Return the entries of a list that name things: no pronouns, numbers or clauses; a single one only in the plural.

    >>> nouns_in("the finest bread, rolls and 11 % more"), nouns_in("them"), nouns_in("a difference")
    (['finest bread', 'rolls'], [], [])
    """
    bare = [re.sub(r"^(?:(?:the|our|also|mostly|mainly|all kinds of|odd|a|an) )+", "", one) for one in lists_in(text)]
    nouns = [
        one
        for one in bare
        if len(one.split()) <= 3 and not set(terms(one)) & _NO_NOUN and not re.search(r"[\d%£$€]", one)
    ]
    return nouns if len(nouns) > 1 or (nouns and nouns[0].endswith("s")) else []
