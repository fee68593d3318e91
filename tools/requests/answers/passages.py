"""Questions that a sentence of a document answers: quoted with its file and place, and nothing else of it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.language.request import Claim
from mabos.society.documents import DocumentText, Passage
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.periods import day_label
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.sources import passages_of
from mabos.tools.requests.answers.synonyms import core, covering, stems_of
from mabos.tools.requests.answers.wording import money_or_number
from mabos.workspace.clock import parse_time
from mabos.workspace.text import STOPWORDS, terms

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|"
    rf"\b(?:{_MONTHS}) \d|\d{{4}}-\d\d|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b|"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)\b|\b\d{1,2}:\d\d\b|"
    rf"\b(?:in|by|from|until|since|of|on) (?:{_MONTHS}|\d{{4}})\b",
    re.IGNORECASE,
)
_MONEY = re.compile(r"[$€£]\s?\d|\b\d[\d,.]*\s?(?:dollars?|usd|euros?|eur|pounds?|gbp|cents?)\b|\d\s?%|\bfree\b", re.I)
_SPAN = re.compile(r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a|an) "
                   r"(?:working |calendar )?(?:minute|hour|day|week|month|year)s?\b", re.I)  # fmt: skip
_NUMBER = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|none|no)\b", re.I)
_NEGATED = re.compile(r"\bn['’]t\b|n['’]t\b|\bnot\b|\bexclu\w+|\bexcept\b|\bno longer\b|\bneither\b", re.I)
_PROPER = re.compile(r"(?<!^)\b[A-Z][a-z]+")
_ALWAYS = frozenset(stem for word in STOPWORDS for stem in stems_of(word))
ENOUGH_BY_MEANING = 0.42
"""Cosine from which a sentence of a named document counts as near to a question."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A sentence that may answer, its document, how well it fits, and the words of the topic it leaves open."""

    passage: Passage
    document: DocumentText
    score: float
    left: tuple[str, ...]
    fits: bool


def hits_of(question: Question, documents: Iterable[DocumentText], known: frozenset[str] = frozenset()) -> list[Hit]:
    """Return the sentences that bear on a question, best first; `known` are words that name the document itself."""
    found = [
        hit
        for document in documents
        for passage in passages_of(document)
        if (hit := _hit(question, passage, document, known)).score > 0 or hit.fits
    ]
    return sorted(found, key=lambda hit: (-hit.score, len(hit.left)))


def _hit(question: Question, passage: Passage, document: DocumentText, known: frozenset[str]) -> Hit:
    own = [stem for word in terms(passage.text) for stem in stems_of(word)]
    around = [stem for text in (passage.heading, document.title) for stem in core(text)]
    score, left = 0.0, list[str]()
    for stem in question.topic:
        if stem in own:
            score += 1.0
        elif covering(stem, own):
            score += 0.8
        elif stem in known or covering(stem, around):
            score += 0.2
        else:
            left.append(stem)
    inside = score >= 0.8
    fits = _fits(question, passage.text)
    if question.wants & {"when", "amount", "duration", "count", "who"}:
        score += 0.5 if fits else -0.5
    if _NEGATED.search(question.text):
        score += 0.6 if _NEGATED.search(passage.text) else -0.4
    return Hit(passage, document, score if inside else 0.0, tuple(left), fits)


def _fits(question: Question, text: str) -> bool:
    """Return whether a sentence has the kind of thing that is asked for: a date, a sum, a span, a number, a name."""
    tests = {
        "when": _DATE, "duration": re.compile(f"{_SPAN.pattern}|{_DATE.pattern}", re.I), "amount": _MONEY,
        "count": _NUMBER, "who": _PROPER,
    }  # fmt: skip
    wanted = [pattern for want, pattern in tests.items() if want in question.wants]
    if (
        question.asks("amount")
        and not question.asks("when")
        and _NUMBER.search(text)
        and not re.search(r"\$|price|cost", question.text)
    ):
        return True
    return bool(wanted) and any(pattern.search(text) for pattern in wanted)


def answer_passages(
    question: Question,
    documents: Sequence[DocumentText],
    *,
    known: frozenset[str] = frozenset(),
    is_named: bool = False,
    nearness: dict[str, float] | None = None,
) -> Found | None:
    """Return the sentences of documents that answer a question; None where none covers its topic.

    Of a document that the question names, the sentence that covers most of the topic, or is nearest to it in meaning
    (`nearness` by text) and has the kind of thing that is asked for, is enough.
    """
    ranked = hits_of(question, documents, known)
    needs_kind = bool(question.wants & {"when", "amount", "duration"})
    good = [one for one in ranked if one.score > 0 and _is_enough(one, question, is_named=is_named)]
    if needs_kind:
        good = [one for one in good if one.fits] or ([] if is_named else good)
    if not good and is_named:
        near = nearness or {}
        able = [one for one in ranked if one.fits and (not good)]
        able.sort(key=lambda one: -(near.get(one.passage.text, 0.0) + 0.5 * one.score))
        good = able[:1] if able and (len(able) == 1 or near.get(able[0].passage.text, 0.0) >= ENOUGH_BY_MEANING) else []
    if not good:
        return None
    best = [one for one in good if one.score >= good[0].score - 0.15][:3]
    return quoted(best, question)


def _is_enough(hit: Hit, question: Question, *, is_named: bool) -> bool:
    """Return whether a sentence covers the topic: all of it, or of a named document the half."""
    if any(stem in question.proper for stem in hit.left):
        return False
    if is_named:
        return len(hit.left) <= len(question.topic) / 2
    return not hit.left or (len(question.topic) >= 4 and len(hit.left) == 1)


def quoted(hits: Sequence[Hit], question: Question) -> Found:
    """Return sentences with where they stand."""
    lines = list[str]()
    claims = list[Claim]()
    for hit in hits:
        lines.append(quote(hit.passage, hit.document))
        claims.append(claim_of(hit.passage, hit.document))
    if difference := _difference(question, hits[0].passage.text):
        lines.append(difference)
    about: dict[str, Any] = {
        "documents": list(dict.fromkeys(hit.document.file for hit in hits)),
        "evidence": [[hit.document.file, hit.passage.text] for hit in hits],
    }
    return Found(tuple(lines), tuple(claims), about)


def quote(passage: Passage, document: DocumentText) -> str:
    """Return a sentence in quotation marks with its file and place."""
    mail = f", mail of {day_label(parse_time(document.dated).date())}" if document.dated else ""
    text = passage.text if passage.text.endswith((".", "!", "?")) else f"{passage.text}."
    return f'"{text}" ({document.file}, {passage.place}{mail})'


def claim_of(passage: Passage, document: DocumentText) -> Claim:
    """Return the claim that a document says this."""
    return Claim(f"{document.name}, {passage.place}", "text", passage.text, document.dated)


_SUM = re.compile(
    r"(?P<before>[$€£])?\s?(?P<digits>\d[\d,]*(?:\.\d+)?)\s?(?P<after>dollars?|usd|euros?|eur|pounds?|gbp|%)?", re.I
)
_CURRENCIES = {
    "$": "USD", "dollar": "USD", "usd": "USD", "€": "EUR", "euro": "EUR", "eur": "EUR", "£": "GBP", "pound": "GBP",
    "gbp": "GBP",
}  # fmt: skip
_MORE = re.compile(
    r"\bhow much (?:more|less|dearer|cheaper|higher|lower|extra)\b|\bdifference\b|\bhow many (?:more|fewer)\b", re.I
)


def _difference(question: Question, text: str) -> str:
    """Return the difference of the two sums in a sentence, where a difference is asked for."""
    if not _MORE.search(question.text):
        return ""
    sums = [
        (
            float(found["digits"].replace(",", "")),
            _CURRENCIES.get((found["before"] or found["after"]).lower().rstrip("s"), "%"),
        )
        for found in _SUM.finditer(text)
        if found["before"] or found["after"]
    ]
    if len(sums) != 2 or sums[0][1] != sums[1][1]:
        return ""
    (first, unit), (second, _) = sums
    gap, high, low = (
        money_or_number(one, unit) for one in (abs(first - second), max(first, second), min(first, second))
    )
    return f"The difference is {gap}: {high} less {low}."
