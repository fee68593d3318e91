"""Answer questions about causes with evidence: dates of changes, notes of that time, and figures that stayed the same.

Nothing here proves a cause, and the words say so.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from mabos.language.request import Claim
from mabos.society.documents import DocumentText, Passage
from mabos.tools.requests.answers.figures import Found, View, claims_of
from mabos.tools.requests.answers.inquiry import Inquiry
from mabos.tools.requests.answers.passages import claim_of, quote
from mabos.tools.requests.answers.periods import periods_in
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.sources import Point, Series, Sources
from mabos.tools.requests.answers.synonyms import core, covering, question_forms, stems_in, stems_of
from mabos.tools.requests.answers.wording import join_words, sentence
from mabos.tools.requests.answers.work_items import is_uncommon
from mabos.workspace.text import terms

_FORMS = question_forms("in_causes")
_AS_BEFORE = _FORMS["as_before"]
_RISE = _FORMS["rise"]
_FALL = _FORMS["fall"]
_PLANNED = re.compile(r"\b(?:targets?|plan|goals?|budget|aims?|objectives?)\b", re.IGNORECASE)
UNCHANGED, _MUCH = 0.05, 0.2
_RECENT, _SHORTEST = 4, 6
"""Latest changes of a series that a question without a time may mean, and words of a note that says anything."""


@dataclass(frozen=True, slots=True)
class Note:
    """A paragraph of a document with its date, and whether it says that something is unchanged."""

    passage: Passage
    document: DocumentText
    day: date | None
    is_as_before: bool
    score: float


def answer_cause(question: Question, series: Sequence[Series], sources: Sources, today: date) -> Found | None:
    """Return the evidence on why a figure changed, or None."""
    breaks = [(one, moved) for one in series if (moved := break_of(one, question))]
    moved_much = [one for one in breaks if share_of_change(*one[1]) > UNCHANGED]
    breaks = moved_much or _changed_most(series, question, sources)[:1] or breaks
    around = breaks[0][1] if breaks else None
    notes = _notes(question, series, sources, around, today)
    if not breaks and not notes:
        return None
    lines, claims = list[str](), list[Claim]()
    for one, moved in breaks[:2]:
        line, points = _describe_movement(View(one, today), *moved)
        lines.append(line)
        claims += claims_of(one, points)
    possible = [note for note in notes if not note.is_as_before][:3]
    against = [note for note in notes if note.is_as_before][:3]
    dated, undated = [one for one in possible if one.day], [one for one in possible if not one.day]
    if dated:
        lines.append("Notes from that time: " + " ".join(quote(one.passage, one.document) for one in dated))
    if undated:
        lines.append("Notes without a date: " + " ".join(quote(one.passage, one.document) for one in undated))
    if against:
        lines.append("Notes on what did not change: " + " ".join(quote(one.passage, one.document) for one in against))
    lines += [line for line in [_steady(series, sources, around)] if line]
    lines.append(
        "This is evidence from the same time, not a proven cause."
        if dated
        else "Notes without a date prove nothing about that time."
        if undated
        else "No note on record names a cause; tell me what happened then, or drop a note into the inbox."
    )
    claims += [claim_of(note.passage, note.document) for note in (*possible, *against)]
    about = {
        "series": [one.name for one in series],
        "evidence": [[note.document.file, note.passage.text] for note in possible or against],
        "documents": list(dict.fromkeys(note.document.file for note in (*possible, *against))),
        "around": [one.day.isoformat() for one in around or ()],
    }
    return Found(tuple(lines), tuple(claims), about)


def _changed_most(
    series: Sequence[Series], question: Question, sources: Sources
) -> list[tuple[Series, tuple[Point, Point]]]:
    """Return the figures of the same files that changed much at the time of a question, the largest change first."""
    files = {value.source for one in series for value in one.points[-1].values}
    others = [one for one in sources.series.values() if files & {value.source for value in one.points[-1].values}]
    moved = [(one, pair) for one in others if (pair := break_of(one, question))]
    return sorted((one for one in moved if share_of_change(*one[1]) > _MUCH), key=lambda one: -share_of_change(*one[1]))


def break_of(series: Series, question: Question) -> tuple[Point, Point] | None:
    """Return the two values between which a series changed most, in the direction and time of the question."""
    points = series.points
    plain = [one for one in question.periods if one.role == ""]
    since = min((one.first for one in question.periods if one.role == "since"), default=date.min)
    pairs = [(one, other) for one, other in pairwise(points) if other.day >= since]
    if plain:
        pairs = [pair for pair in pairs if any(one.holds(pair[1].day) for one in plain)]
    elif not question.periods:
        pairs = pairs[-_RECENT:]
    way = (_RISE.search(question.text) is not None) - (_FALL.search(question.text) is not None)
    pairs = [pair for pair in pairs if (pair[1].value - pair[0].value) * way > 0] or pairs
    return max(pairs, key=lambda pair: abs(pair[1].value - pair[0].value)) if pairs else None


def share_of_change(before: Point, after: Point) -> float:
    """Return the change of a value as a share of its earlier value."""
    return abs(after.value - before.value) / abs(before.value) if before.value else 1.0


def _describe_movement(view: View, before: Point, after: Point) -> tuple[str, list[Point]]:
    last = view.series.points[-1]
    way = "rose" if after.value > before.value else "fell"
    old = f"{view.say(before.value)} {view.at(before.day)}"
    text = f"{view.label} {way} from {old} to {view.say(after.value)} {view.at(after.day)}"
    if last.day != after.day:
        text += f", and was {view.say(last.value)} {view.at(last.day)}"
    source = join_words(list(dict.fromkeys(value.source for value in after.values)))
    return sentence(f"{text} ({source})"), list(dict.fromkeys([before, after, last]))


def _notes(
    question: Question, series: Sequence[Series], sources: Sources, around: tuple[Point, Point] | None, today: date
) -> list[Note]:
    """Return the notes of the time of the change, or on the topic, most telling first."""
    topic = {*question.topic, *(stem for one in series for stem in core(one.name))}
    found = []
    for document in sources.documents:
        for passage in document.passages:
            note = _note(passage, document, topic, around, today)
            if note.score > 0:
                found.append(note)
    return sorted(found, key=lambda note: -note.score)


def _note(
    passage: Passage, document: DocumentText, topic: set[str], around: tuple[Point, Point] | None, today: date
) -> Note:
    own = [stem for word in terms(passage.text) for stem in stems_of(word)]
    day = date_of(passage.text, today)
    about = sum(1 for stem in topic if covering(stem, own))
    gap = around[1].day - around[0].day if around else timedelta(0)
    is_near = bool(around and day and around[0].day - 2 * gap <= day <= around[1].day + 1.5 * gap)
    is_close = bool(around and day and around[0].day - gap <= day <= around[1].day)
    is_plan = bool(_PLANNED.search(f"{document.title} {document.file} {passage.heading}"))
    if is_plan or len(own) < _SHORTEST or passage.text == document.title:
        return Note(passage, document, day, is_as_before=False, score=0.0)
    is_as_before = says_as_before(passage.text)
    score = 1.0 * min(about, 2) + 0.7 * is_near + 0.5 * is_close if is_near or (about > 1 and day is None) else 0.0
    return Note(passage, document, day, is_as_before, score)


def says_as_before(text: str) -> bool:
    """Return whether a note says that something did not change."""
    return _AS_BEFORE.search(text) is not None and not re.search(r"\b(?:but|not as|except)\b", text)


def date_of(text: str, today: date) -> date | None:
    """Return the first day that a note names; a day without a year is the latest past one."""
    periods, _ = periods_in(text, today)
    return periods[0].first if periods else None


def _steady(series: Sequence[Series], sources: Sources, around: tuple[Point, Point] | None) -> str:
    """Return which other figures hardly changed at that time."""
    if around is None:
        return ""
    asked = {one.name for one in series if share_of_change(*around) > UNCHANGED and len(series) == 1}
    same_file = {value.source for point in around for value in point.values}
    names = [
        View(other, around[1].day).label
        for other in sources.series.values()
        if other.name not in asked and _is_steady(other, around, same_file)
    ]
    return sentence(f"hardly changed over the same time: {join_words(names)}") if names else ""


def _is_steady(other: Series, around: tuple[Point, Point], files: set[str]) -> bool:
    values = [one for one in other.points if one.day in (around[0].day, around[1].day)]
    if len(values) != 2 or not any(one.source in files for one in values[0].values):
        return False
    return share_of_change(*values) <= UNCHANGED


def ahead(evidence: Sequence[Sequence[str]], sources: Sources, today: date) -> list[tuple[Passage, DocumentText]]:
    """Return the sentences that name a future day, as the end of something, if notes have any.

    Those of earlier evidence, else those of the same documents that share an uncommon word with it.
    """
    files, texts = {file for file, _ in evidence}, {text for _, text in evidence}
    stems = {one for text in texts for one in core(text) if is_uncommon(one)}
    every = [(one, document) for document in sources.documents if document.file in files for one in document.passages]
    own = [(one, document) for one, document in every if any(text in one.text for text in texts)]
    near = [(one, document) for one, document in every if not stems.isdisjoint(core(one.text))]
    for passages in (own, near):
        dated = [
            (Passage(part.rstrip(";"), one.place, one.heading), document)
            for one, document in passages
            for part in re.split(r"(?<=[.;!?])\s+", one.text)
            if _names_a_day_ahead(part, one, today)
        ]
        if dated:
            return dated
    return []


def _names_a_day_ahead(part: str, passage: Passage, today: date) -> bool:
    """Return whether a sentence names a day to come; one without a year is the next, unless the note begins with it."""
    periods, _ = periods_in(part, today)
    lead = passage.text.startswith(part) and len(periods) == 1 and re.match(r"\d{1,2} \w+:", part)
    if lead:
        return False
    later = [
        one
        for one in periods
        if one.last >= today or timedelta(0) <= _next(one.first, today) - today < timedelta(days=200)
    ]
    return bool(later)


def _next(day: date, today: date) -> date:
    """Return the next day with this month and day of the month."""
    try:
        return day if day >= today else day.replace(year=day.year + 1)
    except ValueError:  # 29 February
        return day


_SUSPECTS = question_forms("in_suspected_causes")["suspects"]
_MOST_NOTES = 2


def answer_suspicion(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the evidence on a suspected cause; None if no cause was asked for before."""
    around, asked = inquiry.about.get("around"), _SUSPECTS.match(part.text)
    if asked is None or not isinstance(around, list):
        return None
    what = re.sub(r"^(?:the|our|a|an|too|that)\s+", "", next(filter(None, asked.groups())).strip(" .!"), flags=re.I)
    stems = core(what)
    if not stems:
        return None
    noted = [
        (passage, document)
        for document in inquiry.sources.documents
        for passage in document.passages
        if passage.text != document.title and all(covering(one, stems_in(passage.text)) for one in stems)
    ]
    told = inquiry.about.get("evidence")
    evidence = {text for _, text in told} if isinstance(told, list) else set()
    before = [one for one in noted if says_as_before(one[0].text)]
    named = [one for one in noted if one not in before]
    lines, claims = list[str](), [claim_of(*one) for one in (*before, *named)][: 2 * _MOST_NOTES]
    if any(passage.text in evidence for passage, _ in named):
        lines.append(f"A note of that time names the {what}: {_quote_notes(named)}")
    else:
        lines.append(f"No note on record names the {what} as a cause.")
        if named and not before:
            lines.append(f"Notes name the {what}, but not as a cause: {_quote_notes(named)}")
    if before:
        lines.append(f"Notes say that it was as before: {_quote_notes(before)}")
    days = [date.fromisoformat(str(one)) for one in around]
    for figure in [one for one in inquiry.sources.series.values() if set(stems) <= set(core(one.name))][:_MOST_NOTES]:
        points = [one for day in days for one in figure.points if one.day == day]
        if len(points) == len(days) > 1:
            lines.append(_movement(View(figure, inquiry.today), *points))
            claims += claims_of(figure, points)
    kept = {
        name: value for name, value in inquiry.about.items() if name in ("series", "documents", "evidence", "around")
    }
    return Found(tuple(lines), tuple(claims), kept)


def _quote_notes(noted: Sequence[tuple[Passage, DocumentText]]) -> str:
    return " ".join(quote(*one) for one in noted[:_MOST_NOTES])


def _movement(view: View, first: Point, last: Point) -> str:
    """Return how a figure moved between two of its values."""
    is_steady = share_of_change(first, last) <= UNCHANGED
    way = "hardly changed" if is_steady else "rose" if last.value > first.value else "fell"
    sources = join_words(list(dict.fromkeys(value.source for value in last.values)))
    values = join_words([f"{view.say(one.value)} {view.at(one.day)}" for one in (first, last)])
    return sentence(f"{view.label} {way}: {values} ({sources})")
