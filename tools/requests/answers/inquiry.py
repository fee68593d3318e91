"""The inquiry of one message, with all its material: sources, the previous answer, and the documents that it names.

The answers here come before all others: those from a document that the message names, those that name the evidence of
the previous answer, and those about orders to the software that a document holds.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import zip_longest

from mabos.language.request import Claim, Request
from mabos.society.documents import DocumentText
from mabos.society.german_terms import gloss
from mabos.tools.requests.answers.figures import Found, together
from mabos.tools.requests.answers.passages import (
    ASKS_WISHES,
    answer_passages,
    has_kind,
    hits_of,
    nearest,
    of_kind,
    quote_hits,
    said_values,
    wishes,
)
from mabos.tools.requests.answers.periods import day_label
from mabos.tools.requests.answers.question import Question, Want, read_question
from mabos.tools.requests.answers.sheets import sheets_of
from mabos.tools.requests.answers.sources import Sources, is_plan, nearness, passages_of
from mabos.tools.requests.answers.stated import answer_choice, answer_statements, words_of
from mabos.tools.requests.answers.synonyms import core, coverage, covering, question_forms, stems_of
from mabos.tools.requests.answers.tables import answer_tables
from mabos.tools.requests.answers.topics import has_pronoun, names_agent
from mabos.tools.requests.answers.wording import join_words
from mabos.tools.requests.answers.work_items import is_uncommon
from mabos.tools.requests.wording import day
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import parse_time

_FORMS = question_forms("in_inquiry")
_ABOUT_DOCUMENT = _FORMS["about_document"]


@dataclass(frozen=True, slots=True)
class Inquiry:
    """The question of one message, with all the material for its answer."""

    agent: Agent
    sources: Sources
    today: date
    about: dict[str, object]
    named: tuple[DocumentText, ...] = ()
    known: frozenset[str] = frozenset()
    told: str = ""


def with_documents(inquiry: Inquiry, text: str) -> Inquiry:
    """Return an inquiry with the documents that a message names, by file, title or sender."""
    lower = text.lower()
    exact = [one for one in inquiry.sources.documents if one.file.lower() in lower]
    stems = [stem for word in re.findall(r"[\w.-]+", text) for stem in core(word)]
    alike = []
    is_of_sender = bool(ASKS_WISHES.search(text))
    if not exact and (_ABOUT_DOCUMENT.search(text) or is_of_sender):
        is_named = _ABOUT_DOCUMENT.search(text) is not None
        able = [one for one in inquiry.sources.documents if one.sender or is_named or not (one.tables or is_plan(one))]
        scored = [(_named_by(one, stems, text, is_named=is_named), one) for one in able]
        best = max((score for score, _ in scored), default=0)
        alike = [one for score, one in scored if score == best and score >= 1]
    named = tuple(exact or (alike if len(alike) <= 2 else []))
    known = frozenset(stem for one in named for source in (one.title, one.sender, one.file) for stem in core(source))
    if named:  # "the invoice of Slate & Sons" names the document, and nothing in it
        known |= {stem for word in _ABOUT_DOCUMENT.findall(text) for stem in core(word)}
    return replace(inquiry, named=named, known=known)


def _named_by(document: DocumentText, stems: Sequence[str], text: str, *, is_named: bool) -> float:
    """Return the number of names in a text that are in the title, sender, file name or first line of a document.

    The first line counts only of a mail, or if the text speaks of a document.
    """
    opening = document.passages[0].text if document.passages and (is_named or document.sender) else ""
    own = [*core(document.title), *core(document.sender), *core(document.file.rpartition(".")[0]), *core(opening[:120])]
    names = {stem for word in re.findall(r"\b[A-Z][a-z]+\w*", text) for stem in core(word)}
    file_stems = core(document.file.rpartition(".")[0])
    called = {*file_stems, *core(gloss(document.file.rpartition(".")[0]))}
    hits = {one for one in names if one in own} | {one for one in called if one in stems and is_uncommon(one)}
    names_whole = (file_stems, core(gloss(document.file.rpartition(".")[0])))
    whole = any(one and all(stem in stems for stem in one) for one in names_whole)
    return len(hits) + (1.5 if whole else 0)


def unreadable(inquiry: Inquiry, text: str) -> Found | None:
    """Return why a document that a message names could not be read."""
    lower = text.lower()
    named = [one for one in inquiry.sources.unreadable if one.file.lower() in lower]
    if not named:
        return None
    return Found(
        tuple(f"I cannot read {one.file}: it {one.problem}." for one in named),
        tuple(Claim(one.name, "problem", one.problem) for one in named),
    )


def chosen_source(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the evidence for each of two differing sources, if a question takes one of them to be right."""
    conflict = inquiry.about.get("conflict")
    if not isinstance(conflict, list):
        return None
    said = {one for _, value, _ in conflict for one in _FIGURE.findall(str(value))}
    takes_one = bool(_TAKES.search(part.text) and said.intersection(_FIGURE.findall(part.text)))
    takes_one |= _OTHER.search(part.text) is not None
    is_of_it = part.leans and _SO.match(part.text) and re.search(r"\b(?:it|that|this|them|there)\b", part.text)
    if takes_one or is_of_it or (part.asks("choose") and (part.leans or not part.topic)):
        return answer_choice(conflict)
    return None


_OTHER = re.compile(r"\bthe other (?:one|paper|source|document|file|list|sheet)\b", re.IGNORECASE)
_FIGURE = re.compile(r"\d[\d,.]*\d|\d")
_SO = re.compile(r"\W*(?:so|then|ok(?:ay)?)\b", re.IGNORECASE)
_TAKES = re.compile(r"\b(?:can|could|may|shall|should) (?:i|we)\b|\bright\b|\bthen\b|\bso\b", re.IGNORECASE)
_ASKS_EVIDENCE, _WHO_SAYS = _FORMS["asks_evidence"], _FORMS["who_says"]


KINDS: tuple[Want, ...] = ("when", "count", "amount", "duration", "where", "who")
_ABOUT = _FORMS["about"]
_ANY = re.compile(r"\b(?:any|anything|something|a word|a clause|mention\w*)\b", re.IGNORECASE)


def said_about(inquiry: Inquiry, part: Question) -> Found | None:
    """Return a document's statement about a thing, or that there is none: "Does it say anything about pets?"."""
    found = _ABOUT.search(part.text)
    if found is None or (not found["says"] and not _ANY.search(part.text)):
        return None
    files = inquiry.about.get("documents")
    last = [one for one in inquiry.sources.documents if isinstance(files, list) and one.file in files]
    documents = inquiry.named or tuple(last)
    thing = re.sub(r"(?i)^\W*(?:about|on|of|regarding)\b", "", found["says"] or found["of"] or found["thing"] or "")
    thing = thing.strip(" ?.!")
    if not thing or not documents or not part.topic:
        return None
    if len(things := re.split(r"(?i),\s*|\s+and\s+", thing)) > 1:
        asked = (f"Does it say anything about {one}?" for one in things)
        every = [said_about(inquiry, read_question(one, inquiry.today)) for one in asked]
        return together(one for one in every if one) if all(every) else None
    if (kind := _KIND_OF.get(thing.lower().removeprefix("the "))) and not part.proper - inquiry.known:
        return from_documents(inquiry, replace(part, topic=(), stems=(), wants=frozenset({kind})), documents)
    hits = hits_of(replace(part, wants=frozenset()), documents, inquiry.known)
    covering_all = [one for one in hits if one.score > 0 and not one.left]
    if covering_all:
        return quote_hits(covering_all[:3], replace(part, wants=frozenset()))
    names = [one.file for one in documents]
    near = nearest(replace(part, wants=frozenset()), documents, nearness(inquiry.agent, part.text, documents))
    lines = (
        f'No: {join_words(names)} {"says" if len(names) == 1 else "say"} nothing about "{thing}".',
        *(near.lines if near else ()),
    )
    claims = tuple(Claim(one.name, "text", "") for one in documents)
    return Found(lines, claims, {"documents": names})


_KIND_OF: Mapping[str, Want] = {
    "day": "when", "date": "when", "days": "when", "time": "when", "price": "amount", "cost": "amount", "sum": "amount",
}  # fmt: skip
"""Words for a kind of thing, which a document seldom has itself."""


def evidence_given(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the sentences behind the previous answer if a question asks for them."""
    evidence = inquiry.about.get("evidence")
    is_asked = _WHO_SAYS.search(part.text) or (not part.topic and _ASKS_EVIDENCE.search(part.text))
    if not isinstance(evidence, list) or not evidence or not is_asked:
        return None
    senders = {one.file: f"{one.file}, from {one.sender}" for one in inquiry.sources.documents if one.sender}
    kept: dict[str, object] = {
        name: value for name, value in inquiry.about.items() if name in ("series", "documents", "evidence", "around")
    }
    return _quote_evidence("I go by this:", [(senders.get(file, file), text) for file, text in evidence[:5]], kept)


def _quote_evidence(lead: str, evidence: Sequence[Sequence[str]], about: dict[str, object]) -> Found:
    """Return passages in quotation marks with their files, behind a `lead`."""
    claims = tuple(Claim(str(file), "text", text) for file, text in evidence)
    return Found((lead, *(f'"{text}" ({file})' for file, text in evidence)), claims, about)


_ASKS_MAIL = question_forms("in_knowledge_answers")["asks_mail"]
_OF_MAIL = frozenset(core("mail mails email emails post letter letters new come came today get got inbox"))
_OF_REPLY = frozenset(core("answer reply respond response write need back waiting wait"))


def mails(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the mails in the inbox, newest first, where a question asks whether there is any, or one to answer."""
    wants_reply = not _OF_REPLY.isdisjoint(part.stems)
    if not _ASKS_MAIL.search(part.text) or not set(part.topic) <= _OF_MAIL | (_OF_REPLY if wants_reply else set()):
        return None
    every = inquiry.sources.documents
    sent = sorted((one for one in every if one.sender), key=lambda one: one.dated, reverse=True)
    of_time = [one for one in sent if any(it.holds(parse_time(one.dated).date()) for it in part.periods if one.dated)]
    others = join_words([one.file for one in every if not one.sender][:5])
    told, claims = list[str](), list[Claim]()
    for one in (of_time if part.periods else sent)[:5]:
        asked = wishes(replace(part, text="What do they want?", topic=()), [one]) if wants_reply else None
        when = f", {day_label(parse_time(one.dated).date())}" if one.dated else ""
        told += [f"{one.title or one.file}, from {one.sender}{when} ({one.file}).", *(asked.lines if asked else ())]
        claims += [Claim(one.name, "sender", one.sender), *(asked.claims if asked else ())]
    when = f" of {part.periods[0].label}" if part.periods else ""
    told = told or [f"No mail{when} is in the inbox{f'. Its files: {others}' if others and not when else ''}."]
    return Found(tuple(told), tuple(claims), {"documents": [one.file for one in sent[:5]]})


_ASKS_PLANTED = _FORMS["asks_planted"]


def planted_orders(inquiry: Inquiry, part: Question) -> Found | None:
    """Return passages with orders to the software that reads them, if a question asks for risks."""
    if not inquiry.sources.set_aside or not _ASKS_PLANTED.search(part.text) or not _ABOUT_DOCUMENT.search(part.text):
        return None
    lines = tuple(
        f'Yes: a passage of {file} gives orders to the software that reads it, and I follow none of it: "{text}"'
        for file, text in inquiry.sources.set_aside[:3]
    )
    return Found(lines, tuple(Claim(file, "text", text) for file, text in inquiry.sources.set_aside[:3]))


def named_document(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the answer from the documents that a message names."""
    if not inquiry.named:
        return None
    return _match_keys(inquiry, part) or from_documents(inquiry, part, inquiry.named)


def _match_keys(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the lines of a named document whose key is all that a question has, as "the total"."""
    files = {one.file for one in inquiry.named}
    known = [one for one in inquiry.sources.statements if one.source in files and not one.is_assumption]
    stems = (*part.stems, *(_SUMS if part.asks("amount") else ()))
    keyed = [one for one in known if coverage(one.name, stems)[0] >= 1]
    words = frozenset(stem for one in keyed for stem in (*core(one.name), *stems_of(one.name)))
    if not keyed or not set(part.topic) <= inquiry.known:
        return None
    topic = tuple(stem for stem in stems if covering(stem, words))
    return answer_statements(replace(part, topic=topic, stems=stems), Sources(statements=tuple(keyed)))


_SUMS = core("total amount sum")


def from_documents(inquiry: Inquiry, part: Question, documents: Sequence[DocumentText]) -> Found | None:
    """Return the answer from these documents: a row of a table, a sender's wishes, or the sentences on the topic."""
    if table := answer_tables(part, documents, is_named=True, kept=inquiry.about.get("rows")):
        return table
    kinds = [one for one in KINDS if one in part.wants] if len(part.wants) > 1 else []
    several = [from_documents(inquiry, replace(part, wants=frozenset({one})), documents) for one in kinds]
    if len(kinds) > 1 and all(several):
        return together(found for found in several if found)
    is_wide = set(part.topic) <= inquiry.known or len(part.wants & {"when", "count", "where", "who", "amount"}) > 1
    if is_wide and (asked := wishes(part, documents)):
        return asked
    near = nearness(inquiry.agent, part.text, documents)
    found = answer_passages(part, documents, known=inquiry.known, is_named=True, nearness=near)
    return found or wishes(part, documents)


def settled_by_owner(found: Found, earlier: Sequence[Request]) -> Found | None:
    """Return the valid value if sources differ and the person has since named the right one.

    A message is about it if it comes right after the question, or has the words of the statement.
    """
    conflict = found.about.get("conflict")
    if not isinstance(conflict, list) or len(conflict) < 2:
        return None
    values = [said_values(str(value))[1] for _, value, _ in conflict]
    for one, asked in zip_longest(earlier, earlier[1:]):
        if one.act in ("question", "order", "small_talk", "standing") or len(one.sentence.split()) > _SHORT_MESSAGE:
            continue
        told, stems = said_values(one.sentence)[1], {*core(one.sentence)}
        is_answer = asked is not None and asked.act == "question" and bool(asked.data.get("conflict"))
        shared = [stems & {*core(str(value))} for _, value, _ in conflict]
        held = [at for at, own in enumerate(values)
                if own and own <= told and (is_answer or len(shared[at]) >= _SHARED)]  # fmt: skip
        if len(held) == 1:
            rest = [conflict[at] for at in range(len(conflict)) if at != held[0]]
            own = conflict[held[0]]
            others = join_words([f'{source} says "{value}"' for source, value, _ in rest])
            line = f'"{own[1]}" ({own[0]}). You said so on {day(one.created_at)}; {others}.'
            claims = (Claim(one.id, "sentence", one.sentence), *found.claims)
            return Found((line,), claims, {**found.about, "conflict": []})
    return None


_SHORT_MESSAGE, _SHARED = 40, 2
"""The most words of a message that settles a value, and so many words it shares with the statement."""


_NAMES_OF_KIND = {"when": "day", "amount": "sum", "duration": "length of time", "count": "number", "where": "place"}


def evidence_of_kind(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the earlier evidence, or the rest of its documents, if only a day, a sum or the like is asked."""
    evidence, about = inquiry.about.get("evidence"), dict(inquiry.about)
    is_other = part.topic or about.get("series") or about.get("rows") or part.periods or part.wants - {*_NAMES_OF_KIND}
    if not isinstance(evidence, list) or not evidence or len(part.wants) != 1 or is_other:
        return None
    if fitting := of_kind(part, evidence):
        return _quote_evidence("It says:", fitting[:3], about)
    files = {str(file) for file, _ in evidence}
    said = [(one.file, it.text) for one in inquiry.sources.documents if one.file in files for it in passages_of(one)]
    lead = f"The passage that I named has no {_NAMES_OF_KIND[next(iter(part.wants))]}"
    rest = of_kind(part, said)[:3]
    where = f"; elsewhere in {join_words(sorted(files))}:" if rest else ", and nothing else there has one."
    return _quote_evidence(f"{lead}{where}", rest, about)


def evidence_again(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the evidence of the previous answer, for a question that refers to it in words that no record has."""
    evidence = inquiry.about.get("evidence")
    if not isinstance(evidence, list) or not has_pronoun(part.text) or part.proper or names_agent(part.text):
        return None
    fitting = [(file, text) for file, text in evidence if has_kind(part, text)] or evidence
    words = f' in the words "{words_of(part)}"' if part.topic else ""
    lead = f"No record answers this{words}. The answer before rests on this:"
    return _quote_evidence(lead, fitting[:3], dict(inquiry.about))


_OF_PERSON = re.compile(r"\b(?:he|she|her|hers|him|his|they|them|their|it|its)\b", re.IGNORECASE)


def with_name(part: Question, told: str, sources: Sources) -> Question:
    """Return a question with the recorded name from the sentence before it: "Priya rang. Who has her bike?"."""
    if not told or part.proper or not _OF_PERSON.search(part.text):
        return part
    sheets = sheets_of(sources.documents)
    known = {word for one in sheets for row in one.table.rows for at in (one.names, *one.people)
             if at < len(row) for word in re.findall(r"[A-Z]\w{2,}", row[at])}  # fmt: skip
    known |= {word for one in sources.statements for word in re.findall(r"[A-Z]\w{2,}", one.owner)}
    named = [word for word in re.findall(r"[A-Z]\w{2,}", told) if word in known]
    stems = tuple(stem for word in named for stem in core(word))
    text = f"{part.text} ({' '.join(named)})" if named else part.text
    return replace(
        part, text=text, topic=(*part.topic, *stems), stems=(*part.stems, *stems), proper=part.proper | {*stems}
    )


_WE_OWE = re.compile(r"(?i)\b(?:do|did|does) (?:we|i)\b.*\bowe\b|\b(?:we|i) owe\b")
_RISES = re.compile(r"(?i)\bby how much\b.*\b(?:go(?:es)? up|rises?|increases?|falls?|go(?:es)? down)\b")


def is_turned(text: str, found: Found) -> bool:
    """Return whether an answer has the wrong direction: others' debts instead of ours, or a price without a change."""
    is_owed = "receivables" in found.about.get("series", ()) and _WE_OWE.search(text)
    return bool(is_owed) or bool(found.about.get("rows") and _RISES.search(text))
