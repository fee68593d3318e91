"""News for colleagues: "let the COO know that the inspector comes on 4 February" is passed on, and asks for nothing.

A task for a colleague, "tell the CFO to send ...", is an order passed on, and read elsewhere.
"""

import re

from mabos.language.interpreter import Context
from mabos.language.order_parts import colleagues_in, core_of
from mabos.language.request import Reading, Slot
from mabos.language.wordlists import order_form

TELL = "tell_colleagues"
"""The operation of news that is passed on to colleagues as it was given."""
_LEAD = order_form("notices.lead")
_BETWEEN = re.compile(r"(?:\s*,)?\s*(?:and|&)?\s*(?:the\s+)?", re.IGNORECASE)
_NEWS = order_form("notices.news")
_ASKS = order_form("notices.asks")


_NEXT = order_form("notices.next")


def apart(sentence: str, context: Context) -> tuple[str, ...]:
    """Return a sentence split into its opening news and its other requests, or whole if it has no news."""
    found = _NEXT.search(sentence)
    if found is None or notice(sentence[: found.start()], context) is None:
        return (sentence,)
    return (sentence[: found.start()], *apart(sentence[found.end() :], context))


def notice(sentence: str, context: Context) -> Reading | None:
    """Return the news for colleagues in a sentence, or None if it asks them for something."""
    named = colleagues_in(sentence, context)
    start, _ = core_of(sentence)
    if not named and (group := _all_of_us(sentence, start, context)):
        return group
    if not named or not _LEAD.fullmatch(sentence[start : named[0][1].start]):
        return None
    to, end = [named[0][0]], named[0][1].end
    for agent, span in named[1:]:
        if not _BETWEEN.fullmatch(sentence[end : span.start]):
            break
        to, end = [*to, agent], span.end
    news = _NEWS.fullmatch(sentence[end:])
    if news is None or _ASKS.match(news["it"]) or sentence.rstrip().endswith("?"):
        return None
    return _reading(sentence, to, end, news["it"])


_GROUP = order_form("notices.group")


def _all_of_us(sentence: str, start: int, context: Context) -> Reading | None:
    """Return the news for all colleagues: "let the whole team know that ..."."""
    group = _GROUP.match(sentence, start)
    if group is None or not context.colleagues:
        return None
    news = _NEWS.fullmatch(sentence[group.end() :])
    if news is None or _ASKS.match(news["it"]) or sentence.rstrip().endswith("?"):
        return None
    return _reading(sentence, list(context.colleagues), group.end(), news["it"])


def _reading(sentence: str, to: list[str], end: int, news: str) -> Reading:
    words = news.rstrip(" .!")
    slots = (Slot("to", to, sentence[:end].strip()), Slot("text", words[:1].upper() + words[1:] + ".", news))
    return Reading("order", sentence, TELL, slots, confidence=0.93)
