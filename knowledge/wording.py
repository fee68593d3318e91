"""Compare statements: one spelling for names, and a skeleton in which opposites and numbers meet.

`Market demand is growing` and `Market demand is declining` have the same skeleton and opposite signs; `churn_rate is
3.2%` and `churn_rate is 5.8%` the same skeleton and different numbers.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.values import parse_quantity
from mabos.workspace.text import STOPWORDS, terms


def words(text: str) -> frozenset[str]:
    """Return the words of `text` as a set."""
    return frozenset(text.split())


_POLES: dict[str, list[str]] = packaged_yaml("opposites.yaml")
_POLE = {
    word: (axis, sign)
    for axis, (up, down) in _POLES.items()
    for pole, sign in ((up, 1), (down, -1))
    for word in pole.split()
}
_NEGATIONS = words(
    "not no never nobody nothing none cannot without isn't aren't don't doesn't won't can't wasn't didn't"
)
_FILLERS = words(
    "a an the is are was were be been being am do does did has have had will would shall of to in on at by for from"
    " and our we us my i it its this that now currently still very as with"
)
_UNITS = words("minute hour day week month quarter year euro dollar pound percent kg km")
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n+")
_WORD = re.compile(r"[^\s,;()\[\]\"]+")


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The subject of a statement (`frame`), its direction (`signs`), and the number it ends with (`amount`)."""

    frame: tuple[str, ...]
    signs: tuple[int, ...]
    amount: str = ""


@lru_cache(maxsize=65536)
def name_key(text: str) -> str:
    """Return one spelling for a name: lower case, words joined by `_`."""
    return re.sub(r"[\W_]+", "_", text.casefold()).strip("_")


@lru_cache(maxsize=65536)
def plain(text: str) -> str:
    """Return `text` without case, punctuation and runs of space, so that two spellings of one statement are equal."""
    return re.sub(r"[^\w%$€£.+-]+", " ", text.casefold()).strip(" .")


@lru_cache(maxsize=65536)
def canonical(value: str) -> str:
    """Return one spelling for a value: `$1,200` and `$1200.00` are the same, and so are `Growing` and `growing`."""
    quantity = parse_quantity(value)
    if quantity is None:
        return plain(value)
    return f"{quantity.amount.normalize():f}{quantity.unit.replace('%', '')}"


@lru_cache(maxsize=65536)
def skeleton(statement: str) -> Skeleton:
    """Return the skeleton of `statement`; two with one frame but other signs or amounts cannot both hold."""
    spoken = [word.strip(".:!?'").casefold() for word in _WORD.findall(statement)]
    frame: list[str] = []
    signs: list[int] = []
    negated = False
    for word in spoken:
        if word in _NEGATIONS:
            negated = not negated
        elif word in _POLE:
            axis, sign = _POLE[word]
            frame.append(f"<{axis}>")
            signs.append(sign)
        elif word and word not in _FILLERS:
            frame.append(word)
    amount = ""
    unit = frame.pop().removesuffix("s") if len(frame) > 2 and frame[-1].removesuffix("s") in _UNITS else ""
    if len(frame) > 1 and parse_quantity(frame[-1]) is not None:
        amount, frame[-1] = canonical(frame[-1]), "<amount>"
    frame += [unit] * bool(unit)
    if negated:
        signs = [*signs[:-1], -signs[-1]] if signs else [-1]
    # Without a pole a plain statement and its negation still share a frame, so the plain one counts as positive.
    return Skeleton(tuple(frame), tuple(signs) if signs else (1,), amount)


def is_backed(text: str, source: str) -> bool:
    """Return whether a source has half of the words of a text, every number in it, and denies it only as the text does.

    >>> is_backed("Churn is 9%", "Our churn is 9 percent"), is_backed("Churn is 9%", "Our churn is 5 percent")
    (True, False)
    >>> is_backed("The board approved the budget", "Nobody of the board approved the budget")
    False
    """
    said, there = {word for word in terms(text) if word not in STOPWORDS}, set(terms(source))
    numbers = {word for word in said if any(map(str.isdigit, word))}
    enough = max(1, len(said) / 2)
    if not numbers <= there or len(said & there) < enough:
        return False
    shares = [(len(said & set(terms(one))), _denies(one)) for one in _SENTENCES.split(source)]
    most = max(share for share, _ in shares)
    return most < enough or any(share == most and denies == _denies(text) for share, denies in shares)


def _denies(text: str) -> bool:
    return sum(word in _NEGATIONS for word in re.split(r"[^\w']+", text.casefold().replace("\u2019", "'"))) % 2 == 1


def polarity(text: str) -> dict[str, int]:
    """Return which way `text` points on each axis that it names one side of; a negation turns the last of them.

    Without an axis the one called `not` tells a statement from its negation.

    >>> polarity("demand is growing"), polarity("demand is not high"), polarity("never deploy by hand")
    ({'trend': 1}, {'level': -1}, {'not': -1})
    """
    signs: dict[str, int] = {}
    unclear: set[str] = set()
    negated, last = False, "not"
    for word in re.split(r"[^\w']+|_", text.casefold().replace("\u2019", "'")):
        if word in _NEGATIONS:
            negated = not negated
        elif word in _POLE:
            last, sign = _POLE[word]
            if signs.setdefault(last, sign) != sign:
                unclear.add(last)
    if negated or not signs:
        signs[last] = signs.get(last, 1) * (-1 if negated else 1)
    return {axis: sign for axis, sign in signs.items() if axis not in unclear}


def are_opposed(a: str, b: str) -> bool:
    """Return whether two statements say opposite things about the same."""
    one, other = skeleton(a), skeleton(b)
    return bool(one.frame) and one.frame == other.frame and (one.signs, one.amount) != (other.signs, other.amount)
