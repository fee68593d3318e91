"""Statements that want something done: "The hood needs a clean before the 20th, up to 450 dollars. Get that moving."

With an amount it is work to give out, and is read back. Without one it is asked whether something is to be done.
"""

import re
from collections.abc import Sequence

from mabos.language.interpreter import Context
from mabos.language.order_parts import order_parts
from mabos.language.request import Reading, Slot
from mabos.language.sentences import begins_with_verb, plain

WISH = "wish"
"""The operation of a statement that wants something done without saying by whom or how."""
_NEEDS = re.compile(
    r"(?i)^(?P<what>(?:the|our|my|that|this) [^,.;:!?]{2,60}?\s+(?:needs?|must be|has to be|have to be|ought to be|"
    r"should be)\s+[^,.;:!?]{3,60}?)(?=\s+(?:by|before|until|no later|for|at|up to|within)\b|[,.;:!?]|$)"
)
_MOVES = re.compile(
    r"\b(?:get (?:it|that|this) (?:moving|going|done|sorted|started|under way)|see to (?:it|that|this)|"
    r"set (?:it|that|this) (?:up|going)|make (?:it|that|this) happen|sort (?:it|that|this)(?: out)?|"
    r"take care of (?:it|that|this)|arrange (?:it|that|this))\b"
)
_HAS_TO = re.compile(r"\b(?:has to|have to|must|needs? to|ought to)\b")
_NO_WISH = re.compile(
    r"^(?:i|we|you|it|there)\b|\b(?:not|never|nobody|no one|always|only|each|every|any|anyone|everyone|if|when|because|"
    r"before|without|from now on)\b|\?"
)


def wished_work(sentences: Sequence[str], context: Context) -> Reading | None:
    """Return the work that a message wants done for an amount of money, to be read back; None without any."""
    text = " ".join(sentences)
    found = _NEEDS.match(text)
    asks = len(sentences) == 2 and bool(_MOVES.search(plain(sentences[1])))
    if found is None or not (asks or len(sentences) == 1):
        return None
    parts = order_parts(text, context)
    money = [one for one in parts.amounts if one.kind == "money" and not one.per]
    if len(money) != 1 or (not asks and parts.deadline is None):
        return None
    title = re.sub(r"(?i)^(?:the|our|my|that|this) ", "", found["what"]).strip()
    slots = [
        Slot("title", title[:1].upper() + title[1:], found["what"]),
        Slot("budget_usd", money[0].value, money[0].words, money[0].meaning),
        Slot("required_skills", []),
    ]
    if parts.deadline is not None:
        slots.append(Slot("deadline", parts.deadline.iso, parts.deadline.words))
    return Reading("order", text, "work_package_create", tuple(slots), confidence=0.45)


def wish(sentence: str) -> Reading | None:
    """Return a statement that something has to happen as a wish to be asked about; None where it is news or a rule."""
    flat = plain(sentence)
    if not _HAS_TO.search(flat) or _NO_WISH.search(flat) or begins_with_verb(sentence):
        return None
    return Reading("order", sentence, WISH, (Slot("text", sentence.rstrip(".! "), sentence),), confidence=0.9)
