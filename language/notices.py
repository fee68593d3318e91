"""News for colleagues: "let the COO know that the inspector comes on 4 February" is passed on, and asks for nothing.

A task for a colleague, "tell the CFO to send ...", is an order passed on, and read elsewhere.
"""

import re

from mabos.language.interpreter import Context
from mabos.language.order_parts import colleagues_in, core_of
from mabos.language.request import Reading, Slot

TELL = "tell_colleagues"
"""The operation of news that is passed on to colleagues as it was given."""
_LEAD = re.compile(
    r"(?i)(?:please |pls |kindly |also |and |then )*(?:let|tell|inform|notify|drop a line to|"
    r"pass (?:it )?on to|mention to|report to|say to|warn)\s+(?:the\s+|our\s+)?$"
)
_BETWEEN = re.compile(r"(?:\s*,)?\s*(?:and|&)?\s*(?:the\s+)?", re.IGNORECASE)
_NEWS = re.compile(
    r"(?:\s*,?\s*please)?\s*(?:know\s*)?(?:,?\s*(?:that|about the fact that)\s+|\s*[:–-]\s+)(?P<it>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_ASKS = re.compile(
    r"(?i)(?:he|she|they|it|you)\s+(?:should|must|has to|have to|is to|are to|may|can|needs? to|ought)\b|"
    r"(?:what|how|whether|if|which|who|whom|when|where|why|please)\b|"
    r"(?:i|we)(?:['’]d| would)? (?:want|need|like|expect)\b"
)


_NEXT = re.compile(
    r"(?i),?\s+and\s+(?=(?:also |then |please )*(?:ask|find out|let|tell|inform|remind|order|pause|stop|write|send)\b)"
)


def apart(sentence: str, context: Context) -> tuple[str, ...]:
    """Return a sentence as the news that it begins with and its other requests, or whole if it has no news."""
    found = _NEXT.search(sentence)
    if found is None or notice(sentence[: found.start()], context) is None:
        return (sentence,)
    return (sentence[: found.start()], *apart(sentence[found.end() :], context))


def notice(sentence: str, context: Context) -> Reading | None:
    """Return the news that a sentence has for colleagues, or None where it asks them for something."""
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


_GROUP = re.compile(
    r"(?i)(?:please |pls |kindly |also |and |then )*(?:let|tell|inform|notify|warn)\s+"
    r"(?:all )?(?:of )?(?:the |our |my )?(?:whole |entire )?"
    r"(?:colleagues|departments|heads of department|department heads|team|office)\b"
)


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
