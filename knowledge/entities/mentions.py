"""Find names by their capitals, dates and numbers in a text, by rules alone."""

from dataclasses import dataclass
from typing import Literal

from mabos.language.wordlists import order_form

_FOUND = order_form("entities_mentions.found")
_LEADING = order_form("entities_mentions.leading")


MentionKind = Literal["name", "date", "number"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A name, date or number in a text, and its position."""

    text: str
    start: int
    end: int
    kind: MentionKind


def mentions(text: str) -> tuple[Mention, ...]:
    """Return the names, dates and numbers in a text, in order; a sentence's first word counts only if it is a name.

    >>> [one.text for one in mentions("The Bank of England was founded on July 27, 1694 with 1,268 subscribers.")]
    ['Bank of England', 'July 27, 1694', '1,268']
    """
    found = []
    for one in _FOUND.finditer(text):
        start, end = one.span()
        kind: MentionKind = "date" if one["date"] else "number" if one["number"] else "name"
        if one["quote"]:
            start, end = start + 1, end - 1
        elif kind == "name":
            start, end = _trim_name(text, start, end)
        if start < end:
            found.append(Mention(text[start:end], start, end, kind))
    return tuple(found)


def _trim_name(text: str, start: int, end: int) -> tuple[int, int]:
    """Return a name's place without a full stop and without words that are capital only to begin a sentence."""
    while (leading := _LEADING.match(text, start, end)) is not None:
        start = leading.end()
    while start < end and not (text[start].isupper() or text[start].isdigit()):
        start += 1 if text[start] == " " else len(text[start:end].split(" ", 1)[0])
    name = text[start:end]
    if name.endswith(".") and "." not in name[:-1]:
        end -= 1
    return start, end - 1 if name.endswith(("'", "’")) else end
