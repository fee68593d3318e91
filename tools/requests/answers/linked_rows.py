"""Find rows of tables by two columns compared (what is full, free or too little), and the row that comes next.

answer_linked(read_question("Which classes are full?", today), documents)   # as many taken as there are seats
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from mabos.society.documents import DocumentText
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.row_selection import (
    all_stems,
    build_answer,
    columns_named,
    describe_cells,
    row_claims_of,
    rows_named,
)
from mabos.tools.requests.answers.sheets import Rows, Sheet, sheets_of
from mabos.tools.requests.answers.synonyms import core, covering, question_forms

_FORMS = question_forms("in_linked_rows")
_MOST = 5
_FULL = _FORMS["full"]
_OVER = _FORMS["over"]
_FREE = _FORMS["free"]
_SHORT = _FORMS["short"]
_AFTER = _FORMS["after"]
_LIMITS = frozenset(core("place seat spot capacity room size maximum max minimum min limit reorder required needed"))
_MINIMA = frozenset(core("minimum min reorder required needed"))
_OPERATING = frozenset(
    core("full booked out free left spare available open next due must again now moment currently still")
)


@dataclass(slots=True)
class _Choice:
    """Rows of a sheet, the stems of a question that chose them, and how.

    `free` is what each row has free, by its number, where that is asked for.
    """

    rows: Rows
    words: set[str] = field(default_factory=set)
    said: str = ""
    free: Mapping[int, float] = field(default_factory=dict)
    word: str = "free"


def answer_linked(question: Question, documents: Sequence[DocumentText], kept: object = None) -> Found | None:
    """Return the rows of the table that explains most words of a question; None if none explains half of them."""
    best: tuple[float, Sheet, _Choice] | None = None
    for sheet in sheets_of(documents):
        choice = _after_last(sheet, question, kept) if kept else _by_limit(sheet, question)
        if choice is None or not choice.rows:
            continue
        share = _share_of_topic(sheet, question, choice)
        if share >= 0.5 and (best is None or share > best[0]):
            best = (share, sheet, choice)
    return _describe_choice(best[1], question, best[2]) if best else None


def _share_of_topic(sheet: Sheet, question: Question, choice: _Choice) -> float:
    """Return the share of the topic that the choice, the header and the name of a table explain; 0 without a name."""
    around = [*core(sheet.document.file.rpartition(".")[0]), *core(sheet.table.name)]
    around += [stem for header in sheet.table.header for stem in all_stems(header)]
    known = [one for one in question.topic if one in choice.words or covering(one, around) or one in _OPERATING]
    left = set(question.topic) - set(known)
    if left & question.proper:
        return 0.0
    return len(known) / len(question.topic) if question.topic else float(comes_after(question))


def _by_limit(sheet: Sheet, question: Question) -> _Choice | None:
    """Return the rows that are full, have something free, or are below what there should be."""
    counts = [at for at in sheet.numbers if at not in sheet.keys and at not in sheet.money]
    limits = [at for at in counts if _LIMITS & set(core(sheet.table.header[at]))]
    others = [at for at in counts if at not in limits]
    if len(limits) != 1 or not others:
        return None
    limit, own = limits[0], others[0]
    if len(others) > 1 and (own := limit - 1) not in others:
        return None  # which of them has the limit is not clear
    have, most = ({at: sheet.number(row, column) for at, row in enumerate(sheet.table.rows)} for column in (own, limit))
    free = {at: (most[at] or 0) - (have[at] or 0) for at in have if have[at] is not None and most[at] is not None}
    named = rows_named(sheet, question)
    rows = [(at, row) for at, row in named or enumerate(sheet.table.rows) if at in free]
    words = {*core(sheet.table.header[limit]), *core(sheet.table.header[own])}
    words |= {stem for _, row in named for stem in core(sheet.name(row))}
    name, bound = sheet.header(own), sheet.header(limit)
    if _MINIMA & set(core(sheet.table.header[limit])):
        short, is_asked = [one for one in rows if free[one[0]] >= 0], _SHORT.search(question.text)
        return _Choice(short, words, f"{name} not above {bound}", free, "missing") if is_asked else None
    if _OVER.search(question.text):
        return _Choice([one for one in rows if free[one[0]] < 0], words, f"{name} above {bound}")
    if _FULL.search(question.text):
        full = [one for one in rows if free[one[0]] <= 0]
        return _Choice(full, words, f"{name} as many as {bound}")
    with_room = [one for one in rows if free[one[0]] > 0 or question.asks("count")]
    return _Choice(with_room, words, free=free) if _FREE.search(question.text) else None


def _first_from(sheet: Sheet, column: int, among: Rows, least: date) -> _Choice | None:
    """Return the rows with the first day from `least` on; None without any."""
    first = min((day for _, row in among if (day := sheet.day(row, column)) and day >= least), default=None)
    rows = [one for one in among if first and sheet.day(one[1], column) == first]
    return _Choice(rows, set(core(sheet.table.header[column])), f"next by {sheet.header(column)}") if rows else None


def comes_after(question: Question) -> bool:
    """Return whether a question asks for what follows the thing mentioned before."""
    return not question.topic and _AFTER.search(question.text) is not None


def _after_last(sheet: Sheet, question: Question, kept: object) -> _Choice | None:
    """Return the row that comes next by its day after those of the answer before: "and the one after that?"."""
    if not isinstance(kept, dict) or kept.get("file") != sheet.document.file or not comes_after(question):
        return None
    rows = [sheet.table.rows[at] for at in kept.get("rows", ())]
    days = [day for column in sheet.dates[:1] for row in rows if (day := sheet.day(row, column)) is not None]
    everything = tuple(enumerate(sheet.table.rows))
    return _first_from(sheet, sheet.dates[0], everything, max(days) + timedelta(days=1)) if days else None


def _describe_choice(sheet: Sheet, question: Question, choice: _Choice) -> Found:
    """Return rows with all of their cells, or those that are asked for, and the rows for the next question."""
    shown = choice.rows[:_MOST]
    named = [at for at in columns_named(sheet, question) if at != sheet.names] if len(shown) > 1 else []
    columns = [at for at in dict.fromkeys([*named, *range(len(sheet.table.header))]) if at != sheet.names]
    if choice.word == "missing":  # of what runs low, the stock and the minimum
        columns = [at for at in columns if choice.words & set(core(sheet.table.header[at]))]
    told = []
    for number, row in shown:
        cells, empty = describe_cells(sheet, row, columns)
        free = [f"{choice.free[number]:g} {choice.word}"] if number in choice.free else []
        told.append(f"{sheet.name(row)}: {', '.join([*free, *cells, *empty])}")
    total = f"; {sum(choice.free.values()):g} free in all" if question.asks("sum") and choice.free else ""
    lead = f"{len(choice.rows)} rows, {choice.said}: " if len(choice.rows) > 1 and choice.said else ""
    rest = f"; and {len(choice.rows) - _MOST} more" if len(choice.rows) > _MOST else ""
    found = build_answer(sheet, f"{lead}{'; '.join(told)}{rest}{total} ({sheet.place})", choice.rows, columns)
    return replace(found, claims=row_claims_of(sheet, shown, columns))
