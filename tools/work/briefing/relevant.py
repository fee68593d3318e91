"""The parts of a briefing that depend on the message: beliefs, facts, memories, documents, lessons and cases."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from mabos.backends.shown import sanitize_text
from mabos.knowledge.case_records import Case
from mabos.memory.model import MemoryHit
from mabos.memory.stem import stem
from mabos.mind.model import Belief, Learning
from mabos.mind.situation import UNMEASURED_SINCE
from mabos.society.documents import DocumentText, Passage
from mabos.tools.requests.answers.sources import StatedValue, passages_of
from mabos.tools.requests.wording import format_count
from mabos.tools.work.briefing.parts import BriefingPart
from mabos.tools.work.compact import tokens
from mabos.tools.work.reads import LEFT_OUT, document_lines
from mabos.workspace.text import STOPWORDS, one_line, shorten, terms

Item = TypeVar("Item")
_ASSUMED = ("role", "template")
_LINE = 300
_OWN_PARTS = ("Playbooks.md", "Learnings.md", "Goals.md", "Plans.md", "Intentions.md", "Beliefs.md", "Desires.md")
_OF_THE_MIND = ("Took up the goal", "Plan ", "The goal ", "Decided on ", "Found: ")
_REPEATED = 60
"""Characters by which a memory is known to be that of a message."""
_WHOLE = 1500
"""Tokens of documents that are shown whole."""
_NEAR = 1.0
"""A shared word, or a third of the way to the same meaning."""


def stems(text: str) -> frozenset[str]:
    """Return the stems of the meaningful words."""
    return frozenset(stem(one) for one in terms(text) if one not in STOPWORDS and len(one) > 1)


def by_relevance(
    items: Iterable[Item], words: frozenset[str], text_of: Callable[[Item], str], minimum: int = 1
) -> list[Item]:
    """Return the items that share enough words with a text, most first; equals keep their order."""
    scored = [(len(words & stems(text_of(one))), one) for one in items]
    return [one for share, one in sorted(scored, key=lambda pair: -pair[0]) if share >= minimum]


def beliefs(found: Iterable[Belief], words: frozenset[str]) -> BriefingPart:
    """Return the beliefs relevant to the message; mere assumptions of the role are worded as such."""
    held = [one for one in found if one.status == "held" and not (one.category == "agent" and one.source in _ASSUMED)]
    chosen = by_relevance(held, words, lambda one: f"{one.statement} {one.subject} {one.predicate}", 2)[:6]
    lines = tuple(
        f"- {one_line(shorten(one.statement, _LINE))} "
        f"({'assumed by your role, not measured' if one.source in _ASSUMED else f'certainty {one.certainty:.0%}'}"
        + (f", source {one.source}" if one.source and one.source not in _ASSUMED else "")
        + f", {one.id})"
        for one in chosen
    )
    return BriefingPart("Beliefs that may matter", lines, worth=2)


def facts(found: Iterable[StatedValue], words: frozenset[str]) -> BriefingPart:
    """Return the facts and stated lines relevant to the message, with sources."""
    known = [one for one in found if not one.is_assumption]
    chosen = by_relevance(known, words, lambda one: f"{one.owner} {one.name} {one.value}".replace("_", " "))[:15]
    lines = tuple(f"- {_format_name(one)}: {sanitize_text(one_line(one.value))} ({one.source})" for one in chosen)
    return BriefingPart("Facts that may matter", lines, worth=4, floor=min(4, len(lines)))


def memories(found: Iterable[MemoryHit], said: Sequence[str]) -> BriefingPart:
    """Return the memories, best first, without the messages of this conversation."""
    starts = [one_line(one)[:_REPEATED] for one in said if one.strip()]
    lines = tuple(
        f"- {sanitize_text(one_line(shorten(one.content, _LINE, at_word=True)))}"
        + (f" ({one.item.created_at[:10]}, {one.item.id})" if one.item is not None else f" ({one.path}:{one.line})")
        for one in found
        if not _is_told(one, starts)
    )
    return BriefingPart("Remembered", lines, worth=3)


def _is_told(hit: MemoryHit, starts: Sequence[str]) -> bool:
    """Return whether a memory is in another part, or is about the workings of the mind rather than facts."""
    if hit.item is None:
        return hit.path.rpartition("/")[2] in _OWN_PARTS
    return any(start in one_line(hit.content) for start in starts) or hit.content.startswith(_OF_THE_MIND)


def documents(
    found: Sequence[DocumentText], unreadable: Sequence[DocumentText], set_aside: Collection[str] = ()
) -> BriefingPart:
    """Return the documents with their kinds; orders to software in `set_aside` ones are left out."""
    lines = [f"- {one.file}{_about(one)}{f' {LEFT_OUT}' if one.file in set_aside else ''}" for one in found]
    lines += [f"- {one.file}: {one.problem}" for one in unreadable]
    return BriefingPart("Documents of the inbox, for read_document", tuple(lines), worth=5, floor=min(6, len(lines)))


def passages(found: Sequence[DocumentText], words: frozenset[str], nearness: Mapping[str, float]) -> BriefingPart:
    """Return passages of documents relevant to the message, as data: short ones whole, else the best sentences.

    The most relevant document comes first; `nearness` is each sentence's similarity in meaning to the message.
    """
    ranked = sorted(((_best(one, words, nearness), one) for one in found), key=lambda pair: -pair[0])
    lines, room = list[str](), _WHOLE
    for score, document in ranked:
        text = "\n".join(document_lines(document))
        if score >= _NEAR and tokens(text) <= room:
            lines.append(f"{document.file}:\n{sanitize_text(text)}")
            room -= tokens(text)
        elif score >= _NEAR:
            lines += _sentences(document, words, nearness)
    return BriefingPart(
        "What documents say that may matter", tuple(lines), worth=4, floor=min(1, len(lines)), is_data=True
    )


def _best(document: DocumentText, words: frozenset[str], nearness: Mapping[str, float]) -> float:
    """Return how much a document bears on the message: by its best sentence, its name and its columns."""
    about = f"{document.title} {document.file} {' '.join(column for t in document.tables for column in t.header)}"
    named = len(words & stems(re.sub(r"[-_.]", " ", about)))
    return named + max((_share(one, words, nearness) for one in passages_of(document)), default=0.0)


def _share(passage: Passage, words: frozenset[str], nearness: Mapping[str, float]) -> float:
    return len(words & stems(passage.text)) + 3 * nearness.get(passage.text, 0.0)


def _sentences(document: DocumentText, words: frozenset[str], nearness: Mapping[str, float]) -> list[str]:
    scored = [(_share(one, words, nearness), one) for one in passages_of(document)]
    best = sorted((pair for pair in scored if pair[0] >= _NEAR), key=lambda pair: -pair[0])[:8]
    return [f"{document.file}, {one.place}: {sanitize_text(one_line(one.text))}" for _, one in best]


def lessons(
    learnings: Iterable[Learning], cases: Iterable[Case], words: frozenset[str], without: Sequence[str] = ()
) -> BriefingPart:
    """Return lessons and cases relevant to the message; `without` are ids of goals in other parts."""
    told = [f"I-{one.removeprefix('G-')}" for one in without if one]
    measured = [one for one in learnings if UNMEASURED_SINCE not in one.insight]  # the others taught nothing yet
    fresh = [one for one in measured if not any(key in one.id for key in told)]
    others = [one for one in cases if not any(key in one.id for key in told)]
    learnt = by_relevance(fresh, words, lambda one: f"{one.insight} {one.context} {one.applies_when}", 2)[:4]
    known = by_relevance(reversed(others), words, case_words, 2)[:3]
    lines = [f"- Lesson: {one_line(shorten(one.insight, _LINE))} ({one.id})" for one in learnt]
    lines += [
        f"- Earlier case {one.id}, {one.outcome.replace('_', ' ')}: {one_line(case_words(one)[:200])}" for one in known
    ]
    return BriefingPart("Lessons and earlier cases", tuple(lines), worth=2)


def case_words(case: Case) -> str:
    """Return a case in words: the goal and the actions."""
    steps = case.solution.get("steps") or ()
    done = [str(one.get("description", "")) if isinstance(one, Mapping) else str(one) for one in steps]
    named = str(case.solution.get("name") or case.context)
    return "; ".join(filter(None, [named, *done]))


def _format_name(stated: StatedValue) -> str:
    return " ".join(filter(None, (stated.owner, stated.name))).replace("_", " ")


def _about(document: DocumentText) -> str:
    parts = [f"from {document.sender}" if document.sender else "", document.title, document.dated[:10]]
    parts += [f"{format_count(len(table.rows), 'row')}: {', '.join(table.header[:8])}" for table in document.tables[:2]]
    said = ", ".join(sanitize_text(one_line(one)) for one in parts if one)
    return f": {said}" if said else ""
