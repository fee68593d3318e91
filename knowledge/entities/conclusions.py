"""Compare the conclusions of insights and decisions: one subject, but opposite terms or other numbers (S2, conflicts).

S2 leaves `conclusionsDiffer()` open and suggests similarity of meaning; but the texts closest in meaning are often
opposites ("demand is growing", "demand is declining"). So similarity only shows that two texts have the same subject,
and the remaining words show whether they agree.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mabos.knowledge.entities.contradiction import Action
from mabos.knowledge.wording import plain, polarity, skeleton
from mabos.language.wordlists import order_form
from mabos.memory.stem import stem

_SHARED = 0.6
"""Share of words in common from which two texts are about the same."""
_NUMBER = re.compile(r"(?<![\w.])[0-9]+(?:[.,][0-9]+)*")
_OCCASION = order_form("entities_conclusions.occasion")

_ARTICLES = re.compile(r"\b(?:an?|the) ")
_NAMED = re.compile(r"(?<=[^\W_] )[A-Z][\w'-]*(?<!^I)")
"""A name within a sentence, also of one letter."""
_CHOICE = order_form("entities_conclusions.choice")
_DATED = order_form("entities_conclusions.dated")
_NUMERALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMERAL = re.compile(rf"\b(?:{'|'.join(_NUMERALS)})\b(?=\s\w)", re.IGNORECASE)
_HOURS = {"hour": 1, "day": 24, "week": 168, "month": 730, "year": 8_760}
_SPAN = re.compile(r"\b(?P<count>[0-9]{1,6}) (?P<unit>hour|day|week|month|year)s?\b", re.IGNORECASE)
_ANYBODY = frozenset(stem(word) for word in ("there", "one", "someone", "somebody", "person", "people"))
_TOLD = 2
"""Words from which what is denied is a statement."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The conclusion of an insight or a decision; a decision has a question, and `text` is the option chosen."""

    id: str
    text: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class ConclusionConflict:
    """Two conclusions about the same subject, the action to take, and the reason."""

    existing: str
    incoming: str
    action: Action
    reason: str


def compare(incoming: Conclusion, existing: Iterable[Conclusion]) -> list[ConclusionConflict]:
    """Return `merge` for each equal conclusion about the same subject, and `flag` for each different one.

    Nothing is superseded here: deliberation chooses between two conclusions.
    """
    found = []
    for one in existing:
        decided = _compare_decisions(incoming, one) if incoming.question and one.question else None
        verdict = decided or _compare_conclusions(incoming.text, one.text)
        if verdict is not None and one.id != incoming.id:
            found.append(ConclusionConflict(one.id, incoming.id, *verdict))
    return found


def difference(one: str, other: str) -> str:
    """Return how the conclusions of two statements about the same subject differ, or "".

    >>> difference("Market demand is growing", "Market demand is declining")
    'opposite terms (trend)'
    >>> difference("Churn is 3%", "Churn is 5%"), difference("Use indexes", "Always use indexes")
    ('other numbers: 3, 5', '')
    """
    mine, theirs = polarity(one), polarity(other)
    opposite = sorted(axis for axis, sign in mine.items() if theirs.get(axis, sign) == -sign)
    if opposite:
        return f"opposite terms ({', '.join(opposite)})"
    ours, others = _numbers(one), _numbers(other)
    if ours and others and ours.isdisjoint(others):
        return f"other numbers: {min(ours)}, {min(others)}"
    return ""


def _compare_decisions(incoming: Conclusion, one: Conclusion) -> tuple[Action, str] | None:
    """Return the action and reason for two decisions on one question."""
    if not _is_about_the_same(incoming.question, one.question) or difference(incoming.question, one.question):
        return None
    if plain(incoming.text) == plain(one.text):
        return "merge", "the same choice on the same question"
    return "flag", f"another choice on the same question: {one.text[:80]!r}, {incoming.text[:80]!r}"


def _compare_conclusions(one: str, other: str) -> tuple[Action, str] | None:
    if _ARTICLES.sub("", plain(one)) == _ARTICLES.sub("", plain(other)):
        return "merge", "the same words"
    if rivals := _rivals(one, other):
        return "flag", rivals
    if not _is_of_one_thing(one, other):
        return None
    mine, theirs = _normalize_numbers(one), _normalize_numbers(other)
    if _is_about_the_same(mine, theirs) and (apart := difference(mine, theirs)):
        return "flag", apart
    if _is_denied(mine, theirs):
        return "flag", "one says so of it and the other denies it"
    return None


def _rivals(one: str, other: str) -> str:
    """Return how two texts choose otherwise for one purpose, or give one thing two dates; "" where they do not."""
    for what, read in (("choice for", _choice), ("date for", _date_of)):
        mine, theirs = read(plain(one)), read(plain(other))
        if mine and theirs and mine[0] == theirs[0] and mine[1] != theirs[1]:
            return f"another {what} {mine[0]}: {mine[1]}, {theirs[1]}"
    return ""


def _choice(text: str) -> tuple[str, str] | None:
    """Return the purpose and the means that a text chooses for it."""
    found = _CHOICE.match(text)
    return (found["purpose"] or found["act"], found["chosen"] or found["means"]) if found else None


def _date_of(text: str) -> tuple[str, str] | None:
    """Return what has one date, and the date that a text ends with."""
    found = list(_OCCASION.finditer(text))
    if len(found) != 1 or found[0].end() != len(text) or not _DATED.search(text[: found[0].start()]):
        return None
    return _ARTICLES.sub("", text[: found[0].start()]).strip(), found[0][0]


def _is_of_one_thing(one: str, other: str) -> bool:
    """Return whether both texts have the same names: `Team A` is not `Team B`, nor is `churn in the US` all churn."""
    named = {word.casefold() for text in (one, other) for word in _NAMED.findall(text)}
    mine, theirs = ({*re.findall(r"\w+", text.casefold())} for text in (one, other))
    return named <= mine and named <= theirs


def _is_denied(one: str, other: str) -> bool:
    """Return whether one of two statements denies the other, which may say less."""
    mine, theirs = ({stem(word) for word in skeleton(text).frame} - _ANYBODY for text in (one, other))
    is_within = mine <= theirs or theirs <= mine
    negated = [polarity(text).get("not", 1) < 0 for text in (one, other)]
    return is_within and min(len(mine), len(theirs)) >= _TOLD and negated[0] != negated[1]


def _normalize_numbers(text: str) -> str:
    """Return a text with numbers in digits and spans of time in hours, so that `3 days` meets `two weeks`."""
    digits = _NUMERAL.sub(lambda found: str(_NUMERALS.index(found[0].casefold()) + 1), text)
    return _SPAN.sub(lambda found: f"{int(found['count']) * _HOURS[found['unit'].casefold()]} hours", digits)


def _is_about_the_same(one: str, other: str) -> bool:
    """Return whether two texts speak of the same matter on the same occasion; another month is another matter."""
    occasions = [frozenset(_OCCASION.findall(text.casefold())) for text in (one, other)]
    if occasions[0] != occasions[1] and all(occasions):
        return False
    mine, theirs = (_matter(text) for text in (one, other))
    return bool(mine and theirs) and len(mine & theirs) >= _SHARED * len(mine | theirs)


def _matter(text: str) -> frozenset[str]:
    """Return the subject words of a text: no fillers, no numbers, an axis instead of either side of it."""
    return frozenset(word for word in skeleton(text).frame if word != "<amount>" and not _NUMBER.match(word))


def _numbers(text: str) -> frozenset[str]:
    spoken = _OCCASION.sub(" ", text.casefold())
    return frozenset(number.replace(",", "") for number in _NUMBER.findall(spoken))
