"""Offers of several suppliers for one thing: each with its sum or time, and the lower one if asked.

Two offers that differ contradict each other no more than two shops do.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mabos.language.amounts import amounts_in
from mabos.society.documents import DocumentText, Passage
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.passages import claim_of, is_offer, quote
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.sources import passages_of
from mabos.tools.requests.answers.synonyms import core, covering, question_forms, question_words, stems_in, stems_of
from mabos.tools.requests.answers.topics import how_many
from mabos.tools.requests.answers.wording import join_words, money_or_number
from mabos.workspace.dates import dates_in
from mabos.workspace.text import terms

_LOWER = re.compile(r"\b(?:cheap\w*|less|lower|lowest|best|better)\b", re.IGNORECASE)
_HIGHER = re.compile(r"\b(?:dear\w*|expensive|more|higher|highest)\b", re.IGNORECASE)
_QUICKER = re.compile(r"\b(?:quick\w*|fast\w*|soon\w*|short\w*)\b", re.IGNORECASE)
_SLOWER = re.compile(r"\b(?:slow\w*|longer|longest|later)\b", re.IGNORECASE)
_EARLIER = re.compile(r"\b(?:first|earli\w+|soon\w*|before the others?)\b", re.IGNORECASE)
_LATER = re.compile(r"\b(?:last|later|latest)\b", re.IGNORECASE)
_GAP = question_forms("in_offers")["gap"]
_OF_OFFERS = frozenset(core(question_words()["of_offers"]))
_SPAN = re.compile(r"\b(?P<number>\d+) (?P<unit>(?:working )?day|week|month|year)s?\b", re.IGNORECASE)
_DAYS = {"day": 1.0, "working day": 1.4, "week": 7.0, "month": 30.0, "year": 365.0}
Kind = Literal["sum", "span", "day"]


@dataclass(frozen=True, slots=True)
class Offered:
    """The term of one offer: its comparable value, the sentence, the document, and its name."""

    value: float
    unit: str
    passage: Passage
    document: DocumentText
    name: str


def answer_offers(question: Question, documents: Sequence[DocumentText], about: Mapping[str, object]) -> Found | None:
    """Return the terms of several offers for one thing, and the lower one; None if there are not two.

    `about` are the files mentioned before, for a question that names nothing. An offer without the term is named.
    """
    files = about.get("documents")
    last = [str(one) for one in files] if isinstance(files, list) else []
    if gap := _GAP.search(question.text):
        return _gap(question, gap, [one for file in last for one in documents if one.file == file], about)
    offers = [one for one in documents if is_offer(one)]
    asked = [stem for stem in question.topic if stem not in _OF_OFFERS]
    said = [stem for one in offers for passage in one.passages for stem in stems_in(passage.text)]
    topic = [stem for stem in asked if covering(stem, said)] or asked
    is_spoken_of = any(one.file in last for one in offers)
    is_early = bool(_EARLIER.search(question.text) or _LATER.search(question.text))
    is_time = bool(_QUICKER.search(question.text) or _SLOWER.search(question.text) or question.asks("duration"))
    kind: Kind = "day" if is_early or question.asks("when") else "span" if is_time else "sum"
    is_of_each = bool(_OF_EACH.search(question.text)) and (is_spoken_of or how_many(question.text) == len(offers))
    is_sum = bool(_LOWER.search(question.text) or _HIGHER.search(question.text)) or question.asks("amount")
    if len(offers) < 2 or not (kind != "sum" or is_sum or is_of_each) or not (topic or is_spoken_of):
        return None
    least = 1 if is_of_each and topic and not is_sum else 2
    kinds: tuple[Kind, ...] = (kind,) if kind != "sum" or is_sum else ("sum", "span", "day")
    tried = ((one, words) for one in kinds for words in ([topic, []] if one == "day" and is_spoken_of else [topic]))
    kind, found = next(
        ((one, every) for one, words in tried if (every := _values_of_offers(offers, words, one, least))), (kind, [])
    )
    if not found:
        return None
    is_high = bool({"sum": _HIGHER, "span": _SLOWER, "day": _LATER}[kind].search(question.text))
    found.sort(key=lambda one: one.value, reverse=is_high)
    lines = [quote(one.passage, one.document) for one in found]
    without = [one.file for one in offers if one not in {it.document for it in found}]
    lines += [f"{join_words(without)} {'names' if len(without) == 1 else 'name'} none."] if without else []
    claims = tuple(claim_of(one.passage, one.document) for one in found)
    about = {"documents": [*(one.document.file for one in found), *without]}
    return Found((*_verdict(question, found, kind), *lines), claims, about)


def _values_of_offers(offers: Sequence[DocumentText], topic: Sequence[str], kind: Kind, least: int) -> list[Offered]:
    """Return one value of each of at least so many offers, all in one unit; empty if one offer has several."""
    found = [one for document in offers for one in _find_offered_values(document, topic, kind)]
    files = {one.document.file for one in found}
    return found if least <= len(files) == len(found) and len({one.unit for one in found}) == 1 else []


def _gap(
    question: Question, gap: re.Match[str], documents: Sequence[DocumentText], about: Mapping[str, object]
) -> Found | None:
    """Return by how much the offer spoken of is above or below another, which is named or is the lowest or highest."""
    evidence = about.get("evidence")
    said = [(str(file), str(text)) for file, text in evidence] if isinstance(evidence, list) else []
    found = [one for document in documents for one in _find_offered_values(document, [], "sum")]
    told = [one for one in found if any(file == one.document.file and text in one.passage.text for file, text in said)]
    found = told if len({one.document.file for one in told}) > 1 else found
    if len(found) != len({one.document.file for one in found}) or len({one.unit for one in found}) != 1:
        return None
    ordered = sorted(found, key=lambda one: one.value)
    named = [one for one in found if question.proper & {*core(one.name), *core(one.document.file.partition(".")[0])}]
    end = ordered[0] if _LOWER.search(gap["than"]) else ordered[-1] if _HIGHER.search(gap["than"]) else None
    other = end or next((one for one in named if one.name.split()[0] in gap["than"]), None)
    one = next((one for one in [*named, *found] if one is not other), None)
    if other is None or one is None or len(found) < 2:
        return None
    apart = money_or_number(abs(round(one.value - other.value, 2)), "USD")
    word = _WORDS_OF["sum"][one.value < other.value]
    is_same = one.value == other.value
    line = "They cost the same." if is_same else f"{_short(one)} is {word} than {_short(other)} by {apart}."
    lines = tuple(quote(it.passage, it.document) for it in (one, other))
    claims = tuple(claim_of(it.passage, it.document) for it in (one, other))
    return Found((line, *lines), claims, {"documents": [one.document.file, other.document.file]})


def _short(one: Offered) -> str:
    return one.name.partition(",")[0]


def _find_offered_values(document: DocumentText, topic: Sequence[str], kind: Kind) -> list[Offered]:
    """Return the sentences of an offer that are about a topic and name one value."""
    about, found = "", list[Offered]()
    for passage in passages_of(document):
        text = passage.text
        own = [stem for word in terms(f"{text} {about if kind == 'span' else ''}") for stem in stems_of(word)]
        about = text
        values = {
            "span": [(int(one["number"]) * _DAYS[one["unit"].lower()], "days") for one in _SPAN.finditer(text)],
            "sum": [(one.value, f"money {one.per}") for one in amounts_in(text) if one.kind == "money"],
            "day": [(372.0 * one.year + 31 * one.month + one.day, "day") for one in dates_in(text) if one.day],
        }[kind]
        if len(values) == 1 and all(covering(stem, own) for stem in topic):
            found.append(Offered(*values[0], passage, document, document.title or document.file))
    return found


def answer_alternatives(
    question: Question, documents: Sequence[DocumentText], known: frozenset[str] = frozenset()
) -> Found | None:
    """Return what one document says of each of several things, a line each, and the lower one.

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
        return Found((*(_verdict(question, found, "sum") if is_compared else ()), *lines), claims, about)
    return None


_THING = re.compile(r"^\W*(?P<name>[A-Z][^:.;]{2,60}): +\S*\d")
_OF_EACH = question_forms("in_offers")["of_each"]


_WORDS_OF: Mapping[Kind, tuple[str, str]] = {
    "sum": ("dearer", "cheaper"), "span": ("slower", "quicker"), "day": ("latest", "earliest"),
}  # fmt: skip


def _verdict(question: Question, found: Sequence[Offered], kind: Kind) -> tuple[str, ...]:
    """Return which offer is lower or higher, and by how much; nothing where neither is asked."""
    forms = {"sum": (_HIGHER, _LOWER), "span": (_SLOWER, _QUICKER), "day": (_LATER, _EARLIER)}[kind]
    is_high = bool(forms[0].search(question.text))
    if not is_high and not forms[1].search(question.text):
        return ()
    ordered = sorted(found, key=lambda one: one.value, reverse=is_high)
    if len(ordered) < 2:
        return ()
    if ordered[0].value == ordered[1].value:
        return ("They are equal in that.",)
    gap = abs(ordered[0].value - ordered[1].value)
    by = "" if kind != "sum" else f" by {money_or_number(round(gap, 2), 'USD')}"
    files = dict.fromkeys(one.document.file for one in found)
    return (f"The {_WORDS_OF[kind][not is_high]}{by}: {ordered[0].name} ({join_words(list(files))}).",)
