"""Synonyms in people's questions, and how well the words of a question cover a name.

>>> sorted(same("deductible") & same("excess"))[:1]
['deduct']
"""

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import SequenceMatcher
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from mabos.configs.yaml_file import packaged_yaml, read_yaml
from mabos.memory.stem import stem
from mabos.workspace.text import terms

_FOLDER = Path(str(files("mabos.configs"))) / "requests"
FILE = _FOLDER / "question_words.yaml"


@cache
def question_words() -> Mapping[str, str]:
    """Return the word lists for questions by name: groups of synonyms, and words that name nothing."""
    return {name: str(words) for name, words in read_yaml(FILE).items()}


@cache
def _every_form() -> dict[str, Any]:
    """Return the content of the file with the expressions, read once for all lists."""
    return packaged_yaml("requests/question_forms.yaml")


@cache
def question_forms(name: str) -> Mapping[str, re.Pattern[str]]:
    """Return the expressions of a list, as `topics`, by the kind of thing asked for, in its order."""
    raw = _every_form()

    def whole(form: str) -> str:
        return re.sub(r"<([A-Z]+)>", lambda part: str(raw["parts"][part[1]]), form)

    return {
        key: re.compile("|".join(map(whole, [form] if isinstance(form, str) else form)), re.IGNORECASE)
        for key, form in raw[name].items()
    }


@cache
def empty_words(name: str) -> frozenset[str]:
    """Return the words of a list that name nothing."""
    return frozenset(terms(question_words()[name]))


@lru_cache(maxsize=50_000)
def stems_of(word: str) -> tuple[str, ...]:
    """Return the stems of the parts of a word: `no_show_rate` has three."""
    return tuple(stem(one) for one in terms(word))


def stems_in(text: str) -> list[str]:
    """Return the stems of the words of a text in order; a hyphenated word also gives one as a whole."""
    joined = (word.replace("-", "") for word in re.findall(r"\b[^\W\d_]+(?:-[^\W\d_]+)+\b", text))
    return [stem for word in (*terms(text), *joined) for stem in stems_of(word)]


@cache
def _table(*, is_near: bool = False) -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    words = question_words()
    lines = words["near"].splitlines() if is_near else [*words["same"].splitlines(), *words["forms"].split(";")]
    for line in filter(None, map(str.strip, lines)):
        group = {one for word in line.split() if "_" not in word for one in stems_of(word)}
        for one in group:
            table.setdefault(one, {one}).update(group)
    return {one: frozenset(group) for one, group in table.items()}


def same(word: str) -> frozenset[str]:
    """Return the synonyms of a word or stem as stems, including itself."""
    found = _table().get(word) or _table().get(stem(word))
    return found or frozenset({word, stem(word)})


def akin(word: str) -> frozenset[str]:
    """Return the stems of words related to a stem by subject."""
    return _table(is_near=True).get(word, frozenset())


@cache
def _load_related() -> dict[str, set[str]]:
    table: dict[str, set[str]] = {}
    for line in (_FOLDER / "related_words.txt").read_text(encoding="ascii").splitlines():
        word, *others = line.split()
        for other in others:
            table.setdefault(word, set()).add(other)
            table.setdefault(other, set()).add(word)
    return table


def is_related(one: str, other: str) -> bool:
    """Return whether WordNet has two stems in one of their first meanings, or one as a hyponym of the other."""
    related = _load_related().get(one, ())
    return any(each in related for each in same(other))


_SHARED_START = 5
_SHORTEST = 4
"""Letters of a stem that begins another, as that of exam does of examination."""


def likeness(asked: str, known: str) -> float:
    """Return how likely a stem of a question means one on record, from 1.0 for equality to 0.0.

    A synonym comes next, then a typing error or a common start, words of one matter, and words that WordNet relates.
    """
    if asked == known:
        return 1.0
    if known in same(asked):
        return 0.9
    is_form = min(len(asked), len(known)) >= _SHARED_START and asked[:_SHARED_START] == known[:_SHARED_START]
    if is_form or is_slip(asked, known):
        return 0.8
    short, long = sorted((asked, known), key=len)
    if known in akin(asked) or (len(short) >= _SHORTEST and long.startswith(short)):
        return 0.6
    return 0.5 if is_related(asked, known) else 0.0


_WHOLE_STEM = 5
_ENDINGS = ("ag", "er", "or", "ing", "ment", "ion", "abl", "iv", "al", "ist", "ship", "hood", "ful")


@cache
def opposites() -> dict[str, frozenset[str]]:
    """Return the stems that answer a yes-or-no question about another with no."""
    groups = [
        {one for word in line.split() for one in stems_of(word)} for line in question_words()["opposites"].splitlines()
    ]
    return {one: frozenset(group) for group in groups for one in group}


@lru_cache(maxsize=50_000)
def is_slip(given: str, meant: str) -> bool:
    """Return whether one stem is the other with a typing error."""
    if min(len(given), len(meant)) < 5 or abs(len(given) - len(meant)) > 2 or given[0] != meant[0]:
        return False
    return SequenceMatcher(None, given, meant).ratio() >= (0.85 if len(meant) > 5 else 0.88)


def covering(part: str, stems: Iterable[str]) -> str:
    """Return the stem of a question that covers a stem of a name: equal, a synonym, or mistyped."""
    every = list(stems)
    if part in every:
        return part
    alike = same(part)
    return (
        next((one for one in every if one in alike), "")
        or next((one for one in every if is_slip(one, part)), "")
        or next((one for one in every if _is_form(one, part)), "")
    )


def _is_form(one: str, other: str) -> bool:
    """Return whether a longer stem is made of a shorter one, as that of spoilage is of spoil."""
    short, long = sorted((one, other), key=len)
    return len(short) >= _WHOLE_STEM and long.startswith(short) and long[len(short) :] in _ENDINGS


_GENERIC = frozenset(map(stem, empty_words("generic")))


def core(name: str) -> tuple[str, ...]:
    """Return the distinctive stems of a name: without units and words such as rate or total."""
    parts = [one for one in stems_of(name) if not one.isdigit()]
    return tuple(dict.fromkeys([one for one in parts if one not in _GENERIC] or parts))


def coverage(name: str, stems: Collection[str]) -> tuple[float, frozenset[str]]:
    """Return the share of a name's core that a question covers, and the covering stems of the question."""
    parts = core(name)
    found = [covering(part, stems) for part in parts]
    covered = sum(map(bool, found))
    extra = {one for one in stems_of(name) if one in stems}  # `rate` and the like belong to the name too
    return covered / max(1, len(parts)), frozenset(filter(None, found)) | extra
