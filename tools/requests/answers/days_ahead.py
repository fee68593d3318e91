"""Answer what documents list for a day, and what something will cost from a day on."""

import re
from collections.abc import Sequence

from mabos.society.documents import DocumentText, Passage
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.inquiry import Inquiry
from mabos.tools.requests.answers.passages import claim_of, quote
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.sources import passages_of
from mabos.tools.requests.answers.synonyms import core, covering, question_forms
from mabos.workspace.currencies import MARKS, WORDS
from mabos.workspace.dates import dates_in

_FORMS = question_forms("in_days_ahead")
_AGENDA, _WILL_COST = _FORMS["agenda"], _FORMS["will_cost"]
_AGENDA_WORDS = frozenset(core("calendar diary agenda happen happens planned coming due date appointment meeting"))
_MONEY = re.compile(rf"(?:{MARKS})\s?\d|\d\s?(?:{WORDS})\b", re.IGNORECASE)
_Dated = tuple[int, Passage, DocumentText]


def asks_agenda(part: Question) -> bool:
    """Return whether a question asks for the events of the days it names: "What happens on 3 May?"."""
    return bool(_AGENDA.search(part.text) and part.periods) and set(part.topic) <= _AGENDA_WORDS


def answer_agenda(inquiry: Inquiry, part: Question) -> Found | None:
    """Return the sentences with these days, those of calendars first."""
    dated = _dated_passages(inquiry, part) if asks_agenda(part) else []
    return _quotes(sorted(dated, key=lambda one: not one[2].file.endswith(".ics"))[:8]) if dated else None


def price_ahead(inquiry: Inquiry, part: Question, found: Found | None) -> Found | None:
    """Return the price at a future time: a dated statement, else today's price, marked as such."""
    months = {one.first.month for one in part.periods}
    told = " ".join(found.lines) if found else ""
    if not part.periods or not _WILL_COST.search(part.text) or any(one.month in months for one in dates_in(told)):
        return found
    dated = [one for one in _dated_passages(inquiry, part) if _MONEY.search(one[1].text)]
    if dated:
        return _quotes([one for one in dated if one[0] == dated[0][0]][:2])
    note = "No record that I found names a price for that time. On record today:"
    return Found((note, *found.lines), found.claims, found.about) if found else None


def _dated_passages(inquiry: Inquiry, part: Question) -> list[_Dated]:
    """Return the sentences with a day of these periods, those with most words of the question first."""
    found = list[_Dated]()
    for document in inquiry.sources.documents:
        title = core(f"{document.title} {document.file.rpartition('.')[0]}")
        for passage in passages_of(document):
            days = [day for one in dates_in(passage.text) if (day := one.in_year(inquiry.today.year))]
            if any(
                one.holds(day) or (day > inquiry.today and one.holds_ahead(day)) for day in days for one in part.periods
            ):
                own = (*core(passage.text), *title)
                found.append((sum(bool(covering(stem, own)) for stem in part.topic), passage, document))
    return sorted(found, key=lambda one: -one[0])


def _quotes(dated: Sequence[_Dated]) -> Found:
    lines = tuple(quote(passage, document) for _, passage, document in dated)
    return Found(lines, tuple(claim_of(passage, document) for _, passage, document in dated))
