"""Offers of several suppliers for one thing: each is named with its sum or time, and the lower one where that is asked.

Two offers that differ contradict each other no more than two shops do.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mabos.language.amounts import amounts_in
from mabos.society.documents import DocumentText, Passage
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.passages import claim_of, is_offer, quote
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.sources import passages_of
from mabos.tools.requests.answers.synonyms import core, covering, question_words, stems_in, stems_of
from mabos.tools.requests.answers.topics import how_many
from mabos.tools.requests.answers.wording import join_words, money_or_number
from mabos.workspace.text import terms

_LOWER = re.compile(r"\b(?:cheap\w*|less|lower|lowest|best|better)\b", re.IGNORECASE)
_HIGHER = re.compile(r"\b(?:dear\w*|expensive|more|higher|highest)\b", re.IGNORECASE)
_QUICKER = re.compile(r"\b(?:quick\w*|fast\w*|soon\w*|short\w*)\b", re.IGNORECASE)
_SLOWER = re.compile(r"\b(?:slow\w*|longer|longest|later)\b", re.IGNORECASE)
_OF_OFFERS = frozenset(core(question_words()["of_offers"]))
_SPAN = re.compile(r"\b(?P<number>\d+) (?P<unit>(?:working )?day|week|month)s?\b", re.IGNORECASE)
_DAYS = {"day": 1.0, "working day": 1.4, "week": 7.0, "month": 30.0}


@dataclass(frozen=True, slots=True)
class Offered:
    """The term of one offer or thing: the value that is compared, the sentence, the document, and its name."""

    value: float
    unit: str
    passage: Passage
    document: DocumentText
    name: str


def answer_offers(question: Question, documents: Sequence[DocumentText], last: Sequence[str]) -> Found | None:
    """Return the terms of several offers for one thing, and the lower one; None if there are not two of them.

    `last` are the files mentioned before, for a question that names nothing itself.
    """
    offers = [one for one in documents if is_offer(one)]
    topic = [stem for stem in question.topic if stem not in _OF_OFFERS]
    is_time = bool(_QUICKER.search(question.text) or _SLOWER.search(question.text) or question.asks("duration"))
    is_asked = is_time or bool(_LOWER.search(question.text) or _HIGHER.search(question.text)) or question.asks("amount")
    if len(offers) < 2 or not is_asked or (not topic and not any(one.file in last for one in offers)):
        return None
    found = [one for document in offers for one in _find_offered_values(document, topic, is_time=is_time)]
    if (
        len({one.document.file for one in found}) < 2
        or len(found) > len(offers)
        or len({one.unit for one in found}) > 1
    ):
        return None
    lines = tuple(quote(one.passage, one.document) for one in found)
    claims = tuple(claim_of(one.passage, one.document) for one in found)
    about = {"documents": [one.document.file for one in found]}
    return Found((*_verdict(question, found, is_time=is_time), *lines), claims, about)


def _find_offered_values(document: DocumentText, topic: Sequence[str], *, is_time: bool) -> list[Offered]:
    """Return the sentences of an offer that are about a topic and name one value."""
    about, found = "", list[Offered]()
    for passage in passages_of(document):
        text = passage.text
        own = [stem for word in terms(f"{text} {about if is_time else ''}") for stem in stems_of(word)]
        about = text
        spans = [(int(one["number"]) * _DAYS[one["unit"].lower()], "days") for one in _SPAN.finditer(text)]
        sums = [(one.value, f"money {one.per}") for one in amounts_in(text) if one.kind == "money"]
        values = spans if is_time else sums
        if len(values) == 1 and all(covering(stem, own) for stem in topic):
            found.append(Offered(*values[0], passage, document, document.title or document.file))
    return found


def answer_alternatives(
    question: Question, documents: Sequence[DocumentText], known: frozenset[str] = frozenset()
) -> Found | None:
    """Return what one document says of each of several things on a line of their own, and the lower one.

    "Which of the two pumps is cheaper?", "What warranty does each have?". `known` are words for the document itself.
    """
    topic = [stem for stem in question.topic if stem not in _OF_OFFERS | known]
    is_compared = bool(_LOWER.search(question.text) or _HIGHER.search(question.text))
    for document in documents if _OF_EACH.search(question.text) and not question.periods else ():
        things = [(at["name"], one) for one in document.passages if (at := _THING.match(one.text))]
        shares = [sum(bool(covering(stem, stems_in(one.text))) for stem in topic) for _, one in things]
        best = max(shares, default=0)
        chosen = [pair for pair, share in zip(things, shares, strict=True) if share == best >= len(topic) / 2]
        sums = [next((one for one in amounts_in(one.text) if one.kind == "money"), None) for _, one in chosen]
        found = [Offered(total.value if total else 0.0, f"money {total.per if total else ''}", one, document, name)
                 for (name, one), total in zip(chosen, sums, strict=True)]  # fmt: skip
        is_alike = all(sums) and len({one.unit for one in found}) == 1
        if len(found) < 2 or how_many(question.text) not in (1, len(found)) or (is_compared and not is_alike):
            continue
        lines = tuple(quote(one.passage, one.document) for one in found)
        claims = tuple(claim_of(one.passage, one.document) for one in found)
        about = {"documents": [document.file], "evidence": [[document.file, one.passage.text] for one in found]}
        return Found((*(_verdict(question, found, is_time=False) if is_compared else ()), *lines), claims, about)
    return None


_THING = re.compile(r"^\W*(?P<name>[A-Z][^:.;]{2,60}): +\S*\d")
_OF_EACH = re.compile(
    r"\b(?:each|both|either|the (?:two|three|four)|of (?:them|these|those)|which (?:one )?is)\b", re.I
)


def _verdict(question: Question, found: Sequence[Offered], *, is_time: bool) -> tuple[str, ...]:
    """Return which offer is lower or higher, and by how much; nothing where neither is asked."""
    is_high = bool((_SLOWER if is_time else _HIGHER).search(question.text))
    if not is_high and not (_QUICKER if is_time else _LOWER).search(question.text):
        return ()
    ordered = sorted(found, key=lambda one: one.value, reverse=is_high)
    if ordered[0].value == ordered[1].value:
        return ("They are equal in that.",)
    names = ("slower", "quicker") if is_time else ("dearer", "cheaper")
    word = names[0] if is_high else names[1]
    gap = abs(ordered[0].value - ordered[1].value)
    by = "" if is_time else f" by {money_or_number(round(gap, 2), 'USD')}"
    files = dict.fromkeys(one.document.file for one in found)
    return (f"The {word}{by}: {ordered[0].name} ({join_words(list(files))}).",)
