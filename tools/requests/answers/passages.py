"""Questions that a sentence of a document answers: that sentence alone, quoted with its file and place."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from mabos.language.amounts import amounts_in
from mabos.language.request import Claim
from mabos.society.business import ABOUT_FILE
from mabos.society.documents import DocumentText, Passage
from mabos.society.german_terms import gloss, in_english
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.periods import day_label, month_of, periods_in
from mabos.tools.requests.answers.question import Question, fits, party_of, without_idioms
from mabos.tools.requests.answers.sources import passages_of
from mabos.tools.requests.answers.synonyms import core, covering, likeness, opposites, question_forms, stems_in
from mabos.tools.requests.answers.wording import money_or_number
from mabos.workspace.clock import parse_time
from mabos.workspace.currencies import CODE, MARKS, WORDS
from mabos.workspace.dates import dates_in
from mabos.workspace.text import STOPWORDS

_FORMS = question_forms("in_passages")
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|"
    rf"\b(?:{_MONTHS}) \d|\d{{4}}-\d\d|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b|"
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b\d{1,2}(?::\d\d)? ?(?:am|pm|o'clock)\b|\b\d{1,2}:\d\d\b|"
    rf"\b(?:in|by|from|until|since|of|on) (?:{_MONTHS}|\d{{4}})\b",
    re.IGNORECASE,
)
_MONEY = re.compile(rf"(?:{MARKS}|\b(?:{CODE}))\s?\d|\b\d[\d,.]*\s?(?:{WORDS}|cents?)\b|\d\s?%|\bfree\b", re.IGNORECASE)
_SPAN = _FORMS["span"]
_LASTS = re.compile(rf"{_SPAN.pattern}|\b(?:\d+ (?:minutes|hours)|from|between) .*\b(?:to|and|until|till) \d", re.I)
_WHEN = re.compile(f"{_DATE.pattern}|within {_SPAN.pattern}|{_SPAN.pattern} (?:before|after|from)\\b", re.IGNORECASE)
_HOW_LONG = re.compile(f"{_SPAN.pattern}|{_DATE.pattern}", re.IGNORECASE)
_NUMBER = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|none|no)\b", re.I)
_OFTEN = _FORMS["often"]
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_NEGATED = re.compile(r"\bn['’]t\b|n['’]t\b|\bnot\b|\bexclu\w+|\bexcept\b|\bno longer\b|\bneither\b", re.I)
_PLACE = re.compile(r"\b(?:to|at|into|near|behind|beside) (?:the|our|my|your)\b|\b(?:in|at) [A-Z]|\broom\b")
_PROPER = re.compile(r"(?<!^)\b[A-Z][a-z]+")
_YES_OR_NO = re.compile(r"^\W*(?:and |so )?(?:is|are|do|does|can|may|could|am)\b", re.IGNORECASE)
_OF_MONEY = frozenset(core("money dollars sum pay paid cost costs price charge"))
_MONEY_ITSELF = frozenset(core("money"))
_PAY = frozenset(core("money pay paid"))
_KINDS = frozenset({"when", "duration", "amount", "count", "who", "where", "often"})
_COUNTED = re.compile(r"\bhow many (?:more |other )?(?P<what>[\w-]+(?: [\w-]+)?)", re.IGNORECASE)
_ASIDE = 0.2
"""What a word adds that names no topic by itself, as "evening" in a parents' evening."""
_FEW = 2
"""Words of a topic below which a sentence without what is asked for, as a day, is no answer."""
ENOUGH_BY_MEANING = 0.42
"""Cosine from which a sentence of a named document counts as near to a question."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A candidate sentence, its document, its fit, and the words of the topic that it does not cover."""

    passage: Passage
    document: DocumentText
    score: float
    left: tuple[str, ...]
    fits: bool


def hits_of(question: Question, documents: Iterable[DocumentText], known: frozenset[str] = frozenset()) -> list[Hit]:
    """Return the relevant sentences, best first; `known` are words that name the document itself."""
    party = party_of(question.text)
    found = [
        hit
        for document in documents
        for passage in passages_of(document)
        if (passage.place != "title" or question.asks("when")) and not is_duty(passage.text)
        if (hit := _hit(question, passage, document, known)).score > 0 or hit.fits
        if party is None or fits(party, passage.text, f"{passage.heading} {_names_of(document)}")
    ]
    return sorted(found, key=lambda hit: (-hit.score, len(hit.left)))


def is_of_days_asked(question: Question, text: str) -> bool:
    """Return whether a text names a day in the time that a question asks for."""
    named = dates_in(text) if question.periods else ()
    days = [day for one in named if (day := one.in_year(question.today.year))]
    return any(one.holds(day) for one in question.periods for day in days)


def is_duty(text: str) -> bool:
    """Return whether a sentence is the owner's wish for a regular report, which is no fact of the business."""
    return _FORMS["duty"].search(text) is not None


def _is_sum(question: Question, stem: str, text: str) -> bool:
    """Return whether a sum of money covers a word as "cost", if a question asks for one; of "pay" alone, if timely."""
    is_asked = question.asks("amount", "who") or stem in _MONEY_ITSELF
    is_narrow = stem not in _PAY or len(question.topic) > 1 or is_of_days_asked(question, text)
    return stem in _OF_MONEY and is_asked and is_narrow and _MONEY.search(text) is not None


def _names_of(document: DocumentText) -> str:
    return f"{document.title} {document.sender} {document.file}"


def _hit(question: Question, passage: Passage, document: DocumentText, known: frozenset[str]) -> Hit:
    key = passage.text.partition(":")[0]
    named = key if (english := in_english(key)) == key else english  # "Leasingende: 31.05.2027" is a lease's end
    text = f"{passage.text} {gloss(passage.text)}".strip()
    own = stems_in(without_idioms(text.replace(key, named, 1)))
    file = document.file.rpartition(".")[0]
    around = [stem for text in (passage.heading, document.title, file, gloss(file)) for stem in core(text)]
    score, left = 0.0, list[str]()
    others = opposites() if _YES_OR_NO.search(question.text) else {}
    for stem in question.topic:
        if stem in known:
            score += 0.1 if stem in question.proper else 0.2
        elif stem in own or not others.get(stem, frozenset()).isdisjoint(own):
            score += 1.0
        elif covering(stem, own) or _is_sum(question, stem, text):
            score += 0.8
        elif covering(stem, around):
            score += 0.2
        else:
            left.append(stem)
    inside = score >= 0.8
    score += _ASIDE * sum(stem in own for stem in set(question.stems) - set(question.topic) - STOPWORDS)
    fits = fits_kind(question, text)
    if is_of_days_asked(question, text):
        score += 0.5
    if question.wants & _KINDS:
        score += 0.5 if fits else -0.5
    if _NEGATED.search(question.text):
        score += 0.6 if _NEGATED.search(passage.text) else -0.4
    return Hit(passage, document, score if inside else 0.0, tuple(left), fits)


def fits_kind(question: Question, text: str) -> bool:
    """Return whether a sentence has the requested kind of value: a date, a sum, a span, a number, a name."""
    tests = {"when": _WHEN, "duration": _HOW_LONG, "amount": _MONEY, "count": _NUMBER, "who": _PROPER}
    tests |= {"where": _PLACE, "often": _OFTEN}
    wanted = [pattern for want, pattern in tests.items() if want in question.wants]
    if question.wants == {"count"}:
        text = _DATE.sub(" ", text)  # a day is no number of things
    if (
        question.asks("amount")
        and not question.asks("when")
        and _NUMBER.search(_YEAR.sub(" ", _DATE.sub(" ", text)))
        and not re.search(r"\$|price|cost", question.text)
    ):
        return True
    return bool(wanted) and any(pattern.search(text) for pattern in wanted)


def of_kind(question: Question, said: Iterable[Sequence[str]]) -> list[Sequence[str]]:
    """Return the passages, each after its file, that have the one requested kind of value."""
    exact = {"duration": _LASTS, "amount": _MONEY}.get(next(iter(question.wants)))
    return [one for one in said if (exact.search(one[1]) if exact else fits_kind(question, one[1]))]


def add_change(found: Found, question: Question, documents: Sequence[DocumentText]) -> Found:
    """Return an answer with the day from the latest letter on the same matter that moves it, if any."""
    own = [one for one in documents if one.file in found.about.get("documents", ())]
    written = max((_day_of(one) or (_START if one.file == ABOUT_FILE else "") for one in own), default="")
    is_moved = question.asks("when") and written and not found.about.get("rows")
    for document in (one for one in documents if is_moved and one not in own):
        is_named = written == _START and question.proper & {*core(f"{document.title} {document.file}")}
        if not (is_named or _day_of(document) > written):
            continue
        for passage in (one for one in passages_of(document) if _MOVES.search(one.text)):
            words = stems_in(passage.text) if said_values(passage.text)[0] == "date" else []
            if any(likeness(stem, word) >= _ALIKE for stem in question.topic for word in words):
                lines = ("A later letter moves it:", quote(passage, document), "Before that it was:", *found.lines)
                evidence = [[document.file, passage.text], *found.about.get("evidence", ())]
                about = {**found.about, "documents": [document.file, *found.about["documents"]], "evidence": evidence}
                return Found(lines, (claim_of(passage, document), *found.claims), about)
    return found


def add_notes(found: Found, question: Question, documents: Sequence[DocumentText]) -> Found:
    """Return whether something is so by a list, with what letters and notes say of it: a list may be older."""
    files = found.about.get("documents", ())
    if not found.about.get("rows") or not _ASKS_STATE.search(question.text) or not question.topic:
        return found
    hits = [it for it in hits_of(question, documents) if it.score > 0 and not it.left and it.document.file not in files]
    hits = [it for it in hits if set(question.topic) & {*stems_in(it.passage.text)}][:_FEW]
    notes = [quote(one.passage, one.document) for one in hits]
    claims = (*found.claims, *(claim_of(one.passage, one.document) for one in hits))
    return Found((*found.lines, *(["Notes on it:", *notes] if notes else [])), claims, found.about)


_ASKS_STATE = re.compile(r"(?i)^\W*(?:and |so |but )*(?:has|have|did|was|were|hasn|haven)\b")
_START = "0"
"""When the owner's first words were written: before every letter."""
_MOVES, _ALIKE, _HEAD = _FORMS["moves"], 0.8, 8


def _day_of(document: DocumentText) -> str:
    """Return the day that a document is of: its own, else that of its title or of a short line at its start."""
    lines = [document.title, *(one.text for one in document.passages[:_HEAD] if len(one.text.split()) <= _HEAD)]
    days = (day for one in lines for day in dates_in(one) if day.day and str(day.year) in one)
    return document.day or next((f"{one.year}-{one.month:02}-{one.day:02}" for one in days), "")


def has_kind(question: Question, text: str) -> bool:
    """Return whether a record has the requested kind of value, or no kind is requested."""
    return not question.wants & _KINDS or fits_kind(question, text)


def answer_passages(
    question: Question,
    documents: Sequence[DocumentText],
    *,
    known: frozenset[str] = frozenset(),
    is_named: bool = False,
    nearness: dict[str, float] | None = None,
) -> Found | None:
    """Return the sentences of documents that answer a question; None if none covers its topic.

    Of a document that the question names, the sentence that covers most of the topic, or is nearest to it in meaning
    (`nearness` by text) and has the kind of thing that is asked for, is enough.
    """
    ranked = hits_of(question, documents, known)
    needs_kind = bool(question.wants & {"when", "amount", "duration", "often"})
    good = [one for one in ranked if one.score > 0 and _is_enough(one, question, is_named=is_named)]
    if needs_kind:
        good = [one for one in good if one.fits] or ([] if is_named or len(question.topic) < _FEW else good)
    if not good and is_named:
        near = nearness or {}
        able = [one for one in ranked if one.fits]
        dated = [one for one in able if any(day.day for day in dates_in(one.passage.text))]
        if question.asks("when") and len({said_values(one.passage.text)[1] for one in dated}) == 1:
            able = sorted(dated, key=lambda one: one.passage.place == "title")[:1]
        able.sort(key=lambda one: -(near.get(one.passage.text, 0.0) + 0.5 * one.score))
        good = able[:1] if able and (len(able) == 1 or near.get(able[0].passage.text, 0.0) >= ENOUGH_BY_MEANING) else []
    if not good:
        return None
    best = [one for one in good if one.score >= good[0].score - 0.15][:3]
    if question.asks("when"):
        best = [one for one in best if said_values(one.passage.text)[0] == "date"] or best
    best += _complements(question, best, ranked)
    places = {(one.document.file, one.passage.place) for one in best}
    if not is_named and len(best) == 1:
        best = _with_paragraph(best[0], question)
    if is_named and len(best) == 2 and len(places) == 1 and best[0].left == best[1].left:
        best = _with_paragraph(min(best, key=lambda one: list(passages_of(one.document)).index(one.passage)))
    return quote_hits(best, question)


def _complements(question: Question, best: Sequence[Hit], ranked: Sequence[Hit]) -> list[Hit]:
    """Return sentences for what the best ones leave out of things that are joined: "the velvet and the linen"."""
    if not _JOINS.search(question.text) or not best:
        return []
    found, left = list[Hit](), set(best[0].left).intersection(*(one.left for one in best))
    for hit in ranked:
        gained = left - set(hit.left)
        shared = [stem for stem in question.topic if stem not in hit.left and stem not in best[0].left]
        if gained and (shared or hit.fits) and hit.document is best[0].document and len(found) < _FEW:
            found.append(hit)
            left -= gained
    return found


_JOINS = re.compile(r"\w(?: |, )(?:and|or|as well as|&) \w", re.IGNORECASE)


def _is_enough(hit: Hit, question: Question, *, is_named: bool) -> bool:
    """Return whether a sentence covers the topic: all of it, or of a named document the half."""
    if any(stem in question.proper for stem in hit.left):
        return False
    counted = _COUNTED.search(question.text)
    if counted and set(hit.left) >= (named := set(core(counted["what"])) & set(question.topic)) and named:
        return False  # "How many people were in that room?" is no question for its number
    if is_named:
        return len(hit.left) <= len(question.topic) / 2
    return not hit.left or (len(question.topic) >= 4 and len(hit.left) == 1)


NEAR_BY_MEANING = 0.48
"""Cosine from which a sentence that covers a part of the topic answers, whatever document it stands in."""


def nearest(question: Question, documents: Sequence[DocumentText], nearness: dict[str, float]) -> Found | None:
    """Return the sentence nearest in meaning, if it shares words with the topic and has the requested kind of value."""
    needs_kind = bool(question.wants & {"when", "amount", "duration", "count"})
    able = [
        hit
        for hit in hits_of(question, documents)
        if hit.score > 0
        and nearness.get(hit.passage.text, 0.0) >= NEAR_BY_MEANING
        and (hit.fits or not needs_kind)
        and not any(stem in question.proper for stem in hit.left)
    ]
    able.sort(key=lambda hit: -(nearness[hit.passage.text] + 0.2 * hit.score))
    found = quote_hits(_with_paragraph(able[0]), question) if able else None
    return replace(found, lines=(_NEAREST, *found.lines)) if found else None


_NEAREST = "Nothing on record says it outright; the nearest is:"
_SENTENCES = 3


_GOES_ON = re.compile(
    r"(?i)^\W*(?:it|its|they|their|this|that|these|those|he|she|his|her|so|but|if|otherwise|then|there|both|we)\b"
)


def _with_paragraph(hit: Hit, question: Question | None = None) -> list[Hit]:
    """Return a sentence with the rest of its paragraph, if that is short: it may have the conclusion.

    With a question, what follows must go on from it, or have a word of the question.
    """
    every = list(passages_of(hit.document))
    rest = [one for one in every[every.index(hit.passage) + 1 :] if one.place == hit.passage.place]
    if question is not None:
        stems = set(question.topic)
        rest = [it for it in rest if _GOES_ON.search(it.text) or not stems.isdisjoint(stems_in(it.text))]
    is_short = len(rest) < _SENTENCES and not hit.passage.place.startswith("page")
    return [hit, *(replace(hit, passage=one) for one in rest)] if is_short else [hit]


def add_contradiction(found: Found, question: Question, documents: Sequence[DocumentText]) -> Found:
    """Return an answer together with a sentence of another document that has another date, sum or number."""
    said = " ".join(f"{claim.record.rpartition('/')[2]} {claim.field} {claim.value}" for claim in found.claims)
    own, words = said_values(" ".join(str(claim.value) for claim in found.claims)), core(f"{said} {gloss(said)}")
    missing = {stem for stem in question.topic if not covering(stem, words)}
    for hit in hits_of(question, documents):
        other = said_values(hit.passage.text)
        is_same_kind = bool(own[0]) and own[0] == other[0] and (own[0] != "date" or not _asks_sum_alone(question))
        is_on_topic = set(hit.left) <= missing and hit.score >= 0.8 * (len(question.topic) - len(missing))
        if is_on_topic and is_same_kind and not own[1] & other[1]:
            return _both(found, hit)
        if question.asks("amount") and _is_other_sum(found, hit, question):
            return _both(found, hit)
    return found


_PRICES = frozenset(core("rent price cost fee charge rate wage salary premium pay spend sum much"))
"""Stems that a sum for the same time says without words: "980 dollars a month for the hall" is a rent."""


def _asks_sum_alone(question: Question) -> bool:
    return question.asks("amount") and not question.asks("when")


def _is_other_sum(found: Found, hit: Hit, question: Question) -> bool:
    """Return whether a sentence names another sum of like size for the same thing and time as an answer does."""
    own = sums_in(" ".join(str(claim.value) for claim in found.claims))
    others = sums_in(hit.passage.text)
    is_on_topic = bool(set(question.topic) - _PRICES) and set(hit.left) <= _PRICES
    pairs = [(one, other) for one in own for other in others if one[1:] == other[1:]]
    is_like = any(0.4 <= other[0] / one[0] <= 2.5 for one, other in pairs if one[0])
    return is_on_topic and is_like and not own & others


def sums_in(text: str) -> frozenset[tuple[float, str, str]]:
    """Return the sums of money in a text, each with its unit and its period."""
    return frozenset((one.value, one.kind, one.per) for one in amounts_in(text) if one.kind == "money")


def _both(found: Found, hit: Hit) -> Found:
    """Return an answer and the sentence that says otherwise, both with their sources; what came later is first."""
    claim = found.claims[0]
    if hit.document.file == ABOUT_FILE:
        return found
    if ABOUT_FILE in claim.record:
        about = {**found.about, "documents": [hit.document.file, *found.about.get("documents", [])]}
        lines = (quote(hit.passage, hit.document), AT_FIRST, *found.lines)
        return Found(lines, (claim_of(hit.passage, hit.document), *found.claims), about)
    first = [re.split(r"[,:]", claim.record.rpartition("/")[2])[0], str(claim.value), claim.as_of]
    conflict = [first, [hit.document.file, hit.passage.text, hit.document.dated]]
    own = [one for one in found.lines if one != _NEAREST]
    lines = ("The sources differ:", *own, quote(hit.passage, hit.document))
    files = [*found.about.get("documents", []), hit.document.file]
    about = {**found.about, "conflict": conflict, "documents": files}
    asked = "I do not choose between them; which is right?"
    return Found((*lines, asked), (*found.claims, claim_of(hit.passage, hit.document)), about)


AT_FIRST = "You told me at the start:"
_PRESENT = re.compile(r"\b(?:today|now|currently|at the moment|at present)\b", re.IGNORECASE)


def _later(found: Found, hit: Hit, day: date) -> Found | None:
    """Return a figure behind what a note of a later day says of the present."""
    days = (one for passage in hit.document.passages for one in dates_in(passage.text))
    written = next((it for one in days if (it := one.in_year(day.year))), None)
    if written is None or written <= day:
        return None
    lines = (quote(hit.passage, hit.document), "Before that:", *found.lines)
    return Found(lines, (claim_of(hit.passage, hit.document), *found.claims), found.about)


_WANTED = re.compile(r"\b(?:goals?|targets?|aims?|should|want|at (?:least|most))\b", re.IGNORECASE)


def contradicted_figure(found: Found, question: Question, documents: Sequence[DocumentText], day: date) -> Found:
    """Return a figure together with a sentence that gives another one of similar size for the same month."""
    value = float(found.claims[0].value)
    for hit in hits_of(question, documents):
        periods, rest = periods_in(hit.passage.text, day)
        if (
            hit.left
            or _WANTED.search(hit.passage.text)
            or not any(one.first <= day <= month_of(one.last.year, one.last.month).last for one in periods)
        ):
            continue
        numbers = [float(one.replace(",", "")) for one in re.findall(r"\d[\d,]*(?:\.\d+)?", rest)]
        alike = [one for one in numbers if 0.2 * abs(value) <= one <= 5 * abs(value)]
        if alike and value not in numbers:
            is_present = _PRESENT.search(hit.passage.text) is not None
            return (_later(found, hit, day) if is_present else None) or _both(found, hit)
    return found


def said_values(text: str) -> tuple[str, frozenset[object]]:
    """Return the dates that a text names, else its numbers, for comparison with another text."""
    days = {(one.month, one.day) for one in dates_in(text) if one.day}
    if days:
        return "date", frozenset(days)
    numbers = {float(one.replace(",", "")) for one in re.findall(r"\d[\d,]*(?:\.\d+)?", text)}
    return ("number" if numbers else "", frozenset(numbers))


def quote_hits(hits: Sequence[Hit], question: Question) -> Found:
    """Return sentences with their sources."""
    lines = list[str]()
    claims = list[Claim]()
    for hit in hits:
        lines.append(quote(hit.passage if _ASKS_OLD.search(question.text) else _standing(hit.passage), hit.document))
        claims.append(claim_of(hit.passage, hit.document))
    computed = (compute(question, hits[0].passage.text) for compute in (_difference, _product, _yearly))
    lines += list(filter(None, computed))[:1]
    conflict = _conflict(hits, question)
    if conflict and (first := [one for one in hits if one.document.file == ABOUT_FILE]) and len(first) < len(hits):
        conflict, lines = [], [*(one for one in lines if ABOUT_FILE not in one), AT_FIRST]
        lines += [quote(one.passage, one.document) for one in first]  # every letter came later
    if conflict:
        lines = ["The sources differ:", *lines, "I do not choose between them; which is right?"]
    about: dict[str, Any] = {
        "conflict": conflict,
        "documents": list(dict.fromkeys(hit.document.file for hit in hits)),
        "evidence": [[hit.document.file, hit.passage.text] for hit in hits],
    }
    return Found(tuple(lines), tuple(claims), about)


_ASKS_OLD = re.compile(r"\b(?:originally|at first|before|agreed|planned|old|instead of|rather than|change\w*)\b", re.I)
_WITHDRAWN = _FORMS["withdrawn"]


def _standing(passage: Passage) -> Passage:
    return replace(passage, text=valid_clause(passage.text))


def valid_clause(text: str) -> str:
    """Return a sentence without the clause that withdraws a day, if another of its clauses names the new day."""
    clauses = re.split(r"(?<=[;,:–-])\s+(?=\D)|\s+(?=but\b|instead of\b|rather than\b)", text)
    dated = [one for one in clauses if any(found.day for found in dates_in(one))]
    holds = [one for one in dated if not _WITHDRAWN.search(one)]
    if not holds or len(holds) == len(dated):
        return text
    kept = clauses[clauses.index(holds[0]) :]
    return f"… {' '.join(one for one in kept if one in holds or one not in dated)}"


def _conflict(hits: Sequence[Hit], question: Question) -> list[list[str]]:
    """Return the sentences of several documents that answer with different dates, sums or numbers."""
    said = [said_values(hit.passage.text) for hit in hits]
    sums = [sums_in(hit.passage.text) for hit in hits]
    if question.asks("amount") and all(sums) and len({frozenset(one[1:] for one in found) for found in sums}) == 1:
        said = [("sum", frozenset(found)) for found in sums]  # whatever days stand with them
    if _asks_sum_alone(question) and said[0][0] == "date":
        return []  # other days are no other sums
    apart = len({hit.document.file for hit in hits}) == len(hits) > 1 and question.asks("when", "amount", "count")
    if (
        not apart
        or all(is_offer(hit.document) for hit in hits)
        or len({kind for kind, _ in said}) > 1
        or any(one & said[0][1] for _, one in said[1:])
    ):
        return []
    return [[hit.document.file, hit.passage.text, hit.document.dated] for hit in hits]


_OFFER = _FORMS["offer"]


def is_offer(document: DocumentText) -> bool:
    """Return whether a document is one supplier's offer: two different offers are not a contradiction."""
    return bool(_OFFER.search(re.sub(r"[-_.]", " ", f"{document.title} {document.file}")))


def quote(passage: Passage, document: DocumentText) -> str:
    """Return a sentence in quotation marks with its file and place."""
    mail = f", mail of {day_label(parse_time(document.dated).date())}" if document.dated else ""
    text = passage.text if passage.text.endswith((".", "!", "?")) else f"{passage.text}."
    return f'"{text}" ({document.file}, {passage.place}{mail})'


def claim_of(passage: Passage, document: DocumentText) -> Claim:
    """Return the claim that a document says this."""
    return Claim(f"{document.name}, {passage.place}", "text", passage.text, document.dated)


_WISHES = _FORMS["wishes"]
ASKS_WISHES = _FORMS["asks_wishes"]


def wishes(question: Question, documents: Sequence[DocumentText]) -> Found | None:
    """Return the requests of a mail's sender, in the sender's words; None for any other question."""
    mails = [one for one in documents if one.sender] or [one for one in documents if not one.tables]
    if _ASKS_REST.search(question.text) and len(question.topic) <= _FEW:
        every = [(one, passage) for one in documents for passage in passages_of(one)]
        return (
            quote_hits([Hit(passage, one, 0.0, (), fits=True) for one, passage in every][:6], question)
            if every
            else None
        )
    if not mails or not ASKS_WISHES.search(question.text):
        return None
    every = [(one, passage) for one in mails for passage in passages_of(one)]
    asked = [Hit(passage, one, 0.0, (), fits=True) for one, passage in every if _WISHES.search(passage.text)]
    around = {(hit.document.file, hit.passage.place) for hit in asked}
    told = [Hit(passage, one, 0.0, (), fits=True) for one, passage in every if (one.file, passage.place) in around]
    return quote_hits(told[:4], question) if told else None


_ASKS_REST = _FORMS["asks_rest"]
_MORE = _FORMS["more"]


_PRICE_OF = re.compile(
    rf"(?i)(?P<sum>(?:{MARKS}) ?\d[\d,]*(?:\.\d+)?|\d[\d,]*(?:\.\d+)? ?(?:{WORDS})) "
    r"(?:per|an?|each|the|for (?:each|every)) (?P<unit>[a-z]+)"
)
_SO_MANY = re.compile(r"(?<![\w.,])(?P<number>\d[\d,]*(?:\.\d+)?) (?:\w+ )??(?P<unit>[a-z]+)", re.IGNORECASE)


def _product(question: Question, text: str) -> str:
    """Return what a number of units comes to at the one price for a unit that a sentence names."""
    prices = list(_PRICE_OF.finditer(text))
    if len(prices) != 1 or (not question.wants & {"amount", "sum"} and not _WOULD_BE.search(question.text)):
        return ""
    price = next(one for one in amounts_in(prices[0]["sum"]) if one.kind == "money")
    for many in _SO_MANY.finditer(question.text):
        if set(core(many["unit"])) & set(core(prices[0]["unit"])):
            number = float(many["number"].replace(",", ""))
            told = money_or_number(round(number * price.value, 2), price.unit)
            return f"{number:,g} at {prices[0][0]} come to {told}."
    return ""


def _yearly(question: Question, text: str) -> str:
    """Return what the one sum a month or week that a sentence names comes to in a year, where that is asked for."""
    sums = [one for one in amounts_in(text) if one.kind == "money" and one.per in _IN_A_YEAR]
    if len(sums) != 1 or not _A_YEAR.search(question.text):
        return ""
    number, unit = _IN_A_YEAR[sums[0].per], sums[0].unit
    told = money_or_number(round(number * sums[0].value, 2), unit)
    return f"{number} {sums[0].per}s at {money_or_number(sums[0].value, unit)} come to {told}."


_A_YEAR = re.compile(r"\b(?:a|per|each|every|(?:full|whole|entire)) year\b", re.IGNORECASE)
_IN_A_YEAR = {"month": 12, "week": 52, "quarter": 4}
_WOULD_BE = re.compile(r"\bwould\b.*\b(?:be|cost|make|come|run)\b", re.IGNORECASE)


def _difference(question: Question, text: str) -> str:
    """Return the difference of the two sums in a sentence, where a difference is asked for."""
    if not _MORE.search(question.text):
        return ""
    sums = [(one.value, one.unit or "%") for one in amounts_in(text) if one.kind in ("money", "percent")]
    if len(sums) != 2 or sums[0][1] != sums[1][1]:
        return ""
    (first, unit), (second, _) = sums
    gap, high, low = (
        money_or_number(one, unit) for one in (abs(first - second), max(first, second), min(first, second))
    )
    return f"The difference is {gap}: {high} less {low}."
