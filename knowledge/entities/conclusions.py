"""Insights and decisions whose conclusions differ: one matter, but opposite terms or other numbers (S2, conflicts).

S2 leaves `conclusionsDiffer()` open and suggests likeness of meaning; but what is most alike in meaning is often the
opposite ("demand is growing", "demand is declining"). So likeness only says that two texts are about the same, and the
words that remain say whether they agree.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mabos.knowledge.entities.contradiction import Action
from mabos.knowledge.wording import plain, polarity, skeleton

_SHARED = 0.6
"""Share of words in common from which two texts are about the same."""
_NUMBER = re.compile(r"(?<![\w.])[0-9]+(?:[.,][0-9]+)*")
_OCCASION = re.compile(
    r"\b(?:(?:19|20)[0-9]{2}(?:-[0-9]{2}){0,2}|q[1-4]|jan\w*|feb\w*|mar(?:ch)?|apr\w*|may|june?|july?|aug\w*|sep\w*|oct\w*"
    r"|nov\w*|dec\w*|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What an insight or a decision says; a decision has a question, and `text` is what was chosen."""

    id: str
    text: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class ConclusionConflict:
    """Two conclusions about the same, what should become of them, and why."""

    existing: str
    incoming: str
    action: Action
    reason: str


def compare(incoming: Conclusion, existing: Iterable[Conclusion]) -> list[ConclusionConflict]:
    """Return `merge` for each that concludes the same about the same, and `flag` for each that concludes otherwise.

    Nothing is superseded here: which of two conclusions stands is for deliberation.
    """
    found = []
    for one in existing:
        decided = _decided(incoming, one) if incoming.question and one.question else None
        verdict = decided or _concluded(incoming.text, one.text)
        if verdict is not None and one.id != incoming.id:
            found.append(ConclusionConflict(one.id, incoming.id, *verdict))
    return found


def difference(one: str, other: str) -> str:
    """Return how two statements about the same differ in what they conclude, or nothing.

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


def _decided(incoming: Conclusion, one: Conclusion) -> tuple[Action, str] | None:
    """Return what two decisions on one question are to each other."""
    if not _is_about_the_same(incoming.question, one.question) or difference(incoming.question, one.question):
        return None
    if plain(incoming.text) == plain(one.text):
        return "merge", "the same choice on the same question"
    return "flag", f"another choice on the same question: {one.text[:80]!r}, {incoming.text[:80]!r}"


def _concluded(one: str, other: str) -> tuple[Action, str] | None:
    if plain(one) == plain(other):
        return "merge", "the same words"
    if not _is_about_the_same(one, other):
        return None
    apart = difference(one, other)
    if apart:
        return "flag", apart
    same = set(skeleton(one).frame) == set(skeleton(other).frame)
    return ("merge", "the same but for small words") if same else None


def _is_about_the_same(one: str, other: str) -> bool:
    """Return whether two texts speak of the same matter on the same occasion; another month is another matter."""
    occasions = [frozenset(_OCCASION.findall(text.casefold())) for text in (one, other)]
    if occasions[0] != occasions[1] and all(occasions):
        return False
    mine, theirs = (_matter(text) for text in (one, other))
    return bool(mine and theirs) and len(mine & theirs) >= _SHARED * len(mine | theirs)


def _matter(text: str) -> frozenset[str]:
    """Return the words that say what a text is about: no fillers, no numbers, an axis instead of either side of it."""
    return frozenset(word for word in skeleton(text).frame if word != "<amount>" and not _NUMBER.match(word))


def _numbers(text: str) -> frozenset[str]:
    spoken = _OCCASION.sub(" ", text.casefold())
    return frozenset(number.replace(",", "") for number in _NUMBER.findall(spoken))
