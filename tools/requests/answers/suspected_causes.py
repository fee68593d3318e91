"""Answer whether something in particular was the cause that the question before asked for: "Could it be the milk?".

Nothing here proves or rules out a cause: the answer is what notes and figures of that time say of it.
"""

import re
from collections.abc import Sequence
from datetime import date

from mabos.society.documents import DocumentText, Passage
from mabos.tools.requests.answers.causes import UNCHANGED, says_as_before, share_of_change
from mabos.tools.requests.answers.figures import Found, View, claims_of
from mabos.tools.requests.answers.inquiry import Inquiry
from mabos.tools.requests.answers.passages import claim_of, quote
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.sources import Point
from mabos.tools.requests.answers.synonyms import core, covering, question_forms, stems_in
from mabos.tools.requests.answers.wording import join_words, sentence

_SUSPECTS = question_forms("in_suspected_causes")["suspects"]
_MOST = 2


def answer_suspicion(inquiry: Inquiry, part: Question) -> Found | None:
    """Return what notes and figures say of a suspected cause; None where no cause was asked for before."""
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
    lines, claims = list[str](), [claim_of(*one) for one in (*before, *named)][: 2 * _MOST]
    if any(passage.text in evidence for passage, _ in named):
        lines.append(f"A note of that time names the {what}: {_quoted(named)}")
    else:
        lines.append(f"No note on record names the {what} as a cause.")
        if named and not before:
            lines.append(f"Notes name the {what}, but not as a cause: {_quoted(named)}")
    if before:
        lines.append(f"Notes say that it was as before: {_quoted(before)}")
    days = [date.fromisoformat(str(one)) for one in around]
    for figure in [one for one in inquiry.sources.series.values() if set(stems) <= set(core(one.name))][:_MOST]:
        points = [one for day in days for one in figure.points if one.day == day]
        if len(points) == len(days) > 1:
            lines.append(_movement(View(figure, inquiry.today), *points))
            claims += claims_of(figure, points)
    kept = {
        name: value for name, value in inquiry.about.items() if name in ("series", "documents", "evidence", "around")
    }
    return Found(tuple(lines), tuple(claims), kept)


def _quoted(noted: Sequence[tuple[Passage, DocumentText]]) -> str:
    return " ".join(quote(*one) for one in noted[:_MOST])


def _movement(view: View, first: Point, last: Point) -> str:
    """Return how a figure moved between two of its values."""
    is_steady = share_of_change(first, last) <= UNCHANGED
    way = "hardly changed" if is_steady else "rose" if last.value > first.value else "fell"
    sources = join_words(list(dict.fromkeys(value.source for value in last.values)))
    values = join_words([f"{view.say(one.value)} {view.at(one.day)}" for one in (first, last)])
    return sentence(f"{view.label} {way}: {values} ({sources})")
