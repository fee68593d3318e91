"""Promises in a reply: a future act of the writer, or a future event, needs a record that brings it about.

A reminder, a goal, a commitment, a plan that waits or a decision is a record of this kind. A promise that depends on
the reader's word ("once you approve") is an offer, and needs none.
"""

import re
from collections.abc import Iterator

from mabos.language.claims.days import day_spans
from mabos.language.claims.reply import ReplyText
from mabos.language.claims.stems import stems_of
from mabos.language.claims.support import EvidenceIndex
from mabos.language.claims.verbs import any_form
from mabos.language.times import times_in
from mabos.language.wordlists import order_form
from mabos.workspace.dates import WEEKDAYS
from mabos.workspace.text import terms

_ADVERBS = r"(?:(?:also|then|now|first|of course|gladly|certainly|personally|still|just|again|always|be|\w+ly)\s+)*"
_FIRST = re.compile(
    rf"(?i)\b(?:I|we)(?:['’]ll| will| shall|['’]m going to| am going to|"
    rf" are going to)\s+{_ADVERBS}(?P<verb>[a-z]+)\b(?P<rest>[^.;!]*)"
)
_READER = re.compile(
    rf"(?i)\byou(?:['’]ll| will| shall)\s+{_ADVERBS}(?P<verb>get|receive|hear|be (?:told|informed|reminded|"
    rf"notified))\b(?P<rest>[^.;!]*)"
)
_PASSIVE = re.compile(
    rf"(?i)\b(?:will|is going to|are going to)\s+{_ADVERBS}(?P<verb>go out|go live|follow|be (?:out|live)|"
    rf"[a-z]+(?:ed|nt|en|id|ld|ught|t up)?)\b(?P<rest>[^.;!]*)"
)
_HARMLESS = frozenset(
    terms(
        """
    here need wait leave assume be know have not stop hold stay treat stick do use count start take say list name begin
    ask never only rely follow go work want suggest propose see understand mean keep
    """
    )
)
"""Verbs of how a reply is meant and of what its writer leaves alone; some only without an object of their own."""
_STILL_A_PROMISE = order_form("claims_promises.still_a_promise")
_OFFER = order_form("claims_promises.offer")
"""Words for what depends on the reader, or is one step of several."""
_ASKS = order_form("claims_promises.asks")
"""Asks for the reader's word before what is announced is done."""
_CONDITION = re.compile(r"\b(?:when|once|as soon as|after|until|unless|only)\b", re.IGNORECASE)
_TAKEN_BACK = re.compile(r"\b(?:instead of|rather than|and not|not) (?:on |the )*(?=\d|\w+day\b)", re.IGNORECASE)
"""Before a day on which nothing will be done any more."""
_EMPTY = stems_of(
    " ".join(WEEKDAYS)
    + """
    it them this that you your again also soon later today tomorrow tonight week month day morning afternoon evening
    know let back next get word way done sure right away well
    """
)


def unsupported_promises(reply: ReplyText, support: EvidenceIndex) -> Iterator[tuple[int, str]]:
    """Yield the position of the sentence and the words of each promise that no record will keep."""
    ahead = support.evidence.ahead
    if ahead is None:
        return
    for position, sentence in enumerate(reply.sentences):
        text = sentence.text
        if text.rstrip(" *_\"'”’)").endswith("?") or _OFFER.search(text):
            continue
        if not _days(text) and any(_ASKS.search(one.text) for one in reply.sentences[position + 1 :]):
            continue
        for pattern in (_FIRST, _READER, _PASSIVE):
            for match in pattern.finditer(text):
                if _is_promise(match) and not _will_happen(match, text, reply, position, support):
                    yield position, match[0][:60].strip()


def _is_promise(match: re.Match[str]) -> bool:
    """Return whether a sentence promises by this verb: one of an act that is not only about the reply itself."""
    verb = match["verb"].lower()
    if match.re is not _PASSIVE:
        return verb not in _HARMLESS or bool(_STILL_A_PROMISE.search(f"{verb}{match['rest']}"))
    if _CONDITION.search(match.string):
        return False
    lead = match[0][: match.start("verb") - match.start()].lower()
    is_passive = re.search(r"\bbe\b", lead) is not None and any_form().fullmatch(verb) is not None
    return is_passive or verb == "follow" or verb.startswith(("go ", "be "))


def _will_happen(match: re.Match[str], text: str, reply: ReplyText, position: int, support: EvidenceIndex) -> bool:
    """Return whether a record of the future is about a promise, and has its day."""
    words = (stems_of(match["rest"]) | stems_of(text[: match.start()])) - _EMPTY - stems_of(match["verb"])
    if not words:
        words = (reply.context(position) - _EMPTY) | stems_of(match["verb"])
    rest = _TAKEN_BACK.split(match["rest"])[0]
    days = _days(rest) | {
        (one.day.month, one.day.day) for one in times_in(rest, reply.now) if one.day and not one.every
    }
    for record in support.evidence.ahead or ():
        if words & stems_of(record.replace("_", " ")) and (not days or days & _days(record)):
            return True
    return match.re is _PASSIVE and any(
        words & stems_of(passage) and (not days or days & _days(passage))
        for known in support.texts
        for passage in known.future_passages
    )


def _days(text: str) -> set[tuple[int, int]]:
    """Return the days that a text writes out, by month and day."""
    return {(one.month, one.day) for one in day_spans(text) if one.day}
