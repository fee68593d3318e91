"""Find names by their capitals, dates and numbers in a text, by rules alone."""

import re
from dataclasses import dataclass
from typing import Literal

from mabos.language.wordlists import order_form

_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_DATE = (
    rf"[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}|[0-9]{{1,2}}(?:st|nd|rd|th)?\ (?:of\ )?{_MONTH}(?:\ ?,?\ [0-9]{{4}})?"
    rf"|{_MONTH}\ [0-9]{{1,2}}(?:st|nd|rd|th)?(?:\ ?,\ ?[0-9]{{4}})?(?![0-9])|{_MONTH}\ [0-9]{{4}}"
    r"|(?<![\w.,-])(?:1[5-9]|20)[0-9]{2}(?![\w.,-][0-9])(?!\w)"
)
_NUMBER = r"(?<![\w/-])-?[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?![\w/-]|\.[0-9])"
_CAPITAL = r"(?:[A-Z0-9À-ÖØ-Þ][\w'’&/-]*(?:\.[\w&-]+)*\.?(?<!'s)(?<!’s)|[0-9]+[A-Za-z][\w/]*)"
_LINK = r"(?:of|de|da|di|del|della|do|dos|du|la|le|van|von|der|den|al|el|bin|ibn|y|e|&|the|for)"
_NAME = rf"(?<![\w.]){_CAPITAL}(?:[ ](?:{_LINK}[ ]){{0,2}}{_CAPITAL}){{0,9}}"
_FOUND = re.compile(
    rf"(?P<quote>\"[^\"\n]{{1,80}}\")|(?P<date>{_DATE})|(?P<number>{_NUMBER})|(?P<name>{_NAME})", re.VERBOSE
)
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
