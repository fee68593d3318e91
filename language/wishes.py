"""Statements that want something done: "The hood needs a clean before the 20th, up to 450 dollars. Get that moving."

With an amount it is work to give out, and is read back. Without one it is asked whether something is to be done.
"""

import re
from collections.abc import Sequence

from mabos.language.interpreter import Context
from mabos.language.order_parts import order_parts
from mabos.language.request import Reading, Slot
from mabos.language.sentences import begins_with_verb, plain
from mabos.language.wordlists import order_form

WISH = "wish"
"""The operation of a statement that wants something done without saying by whom or how."""
_NEEDS = order_form("wishes.needs")
_MOVES = order_form("wishes.moves")
_HAS_TO = re.compile(r"\b(?:has to|have to|must|needs? to|ought to)\b")
_NO_WISH = order_form("wishes.no_wish")


def wished_work(sentences: Sequence[str], context: Context) -> Reading | None:
    """Return the work that a message wants done for an amount of money, for confirmation; None without any."""
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
    """Return a statement that something must happen as a wish to ask about; None if it is news or a rule."""
    flat = plain(sentence)
    if not _HAS_TO.search(flat) or _NO_WISH.search(flat) or begins_with_verb(sentence):
        return None
    return Reading("order", sentence, WISH, (Slot("text", sentence.rstrip(".! "), sentence),), confidence=0.9)
