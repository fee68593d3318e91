"""Find rows of tables by the words that their cells have, by two columns compared, and by the days ahead.

Where no column is named, the rows are reported whole: a question in other words than those of the header still finds
its answer in them.

    answer_linked(read_question("What does Marek teach?", today), documents)   # each row that has Marek in a cell
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from mabos.society.documents import DocumentText
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.periods import is_within
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.row_selection import (
    all_stems,
    build_answer,
    columns_named,
    describe_cells,
    row_claims_of,
)
from mabos.tools.requests.answers.sheets import Rows, Sheet, sheets_of
from mabos.tools.requests.answers.synonyms import core, covering

_MOST = 5
_FULL = re.compile(r"\b(?:full|fully booked|booked (?:out|up|solid)|sold out|no \w+ left|taken up)\b", re.IGNORECASE)
_FREE = re.compile(r"\b(?:free|left|spare|vacant|unsold|untaken|available|open|room for)\b", re.IGNORECASE)
_SHORT = re.compile(
    r"\b(?:less|fewer) (?:of |than )?.{0,20}\b(?:should|need|want)\w*|\bre-?order\w*|\brestock\w*|\btop(?:ped)? up\b|"
    r"\b(?:run|running|runs|low|short) (?:low|short|on|of)\b|\b(?:below|under) (?:the )?(?:minimum|level)\b",
    re.IGNORECASE,
)
_AHEAD = re.compile(
    r"\bnext\b|\bcoming\b|\bupcoming\b|\bsoon\b|\bagain\b|\b(?:has|have|need|needs) to be\b|\bdue\b|\bmust\b",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\bnext(?! (?:week|month|year|quarter|\w+day))\b|\bcoming up\b|\bsoonest\b", re.IGNORECASE)
_AFTER = re.compile(r"\b(?:after (?:that|it|this|them)|following (?:that|it|one)|then\W*$)", re.IGNORECASE)
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
    is_by_limit: bool = False


def answer_linked(
    question: Question, documents: Sequence[DocumentText], kept: object = None, *, is_by_limit: bool = False
) -> Found | None:
    """Return the rows of the table that explains most words of a question; None if none explains the half of them.

    With `is_by_limit` only rows that a comparison of two columns chooses count: what is full, free or too little.
    """
    best: tuple[float, Sheet, _Choice] | None = None
    for sheet in sheets_of(documents):
        choice = _after_last(sheet, question, kept) or _choose(sheet, question)
        if choice is None or not choice.rows or (is_by_limit and not choice.is_by_limit):
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


def _choose(sheet: Sheet, question: Question) -> _Choice | None:
    """Return the rows that cells, a comparison of two columns, and days ahead choose together."""
    parts = [one for one in (_by_cells(sheet, question), _by_limit(sheet, question)) if one is not None]
    among: Rows = tuple(enumerate(sheet.table.rows))
    for one in parts:
        numbers = {number for number, _ in one.rows}
        among = [row for row in among if row[0] in numbers]
    dated = _by_day(sheet, question, among)
    parts += [dated] if dated else []
    if not parts:
        return None
    words = set[str]().union(*(one.words for one in parts))
    said = ", ".join(one.said for one in parts if one.said)
    free = next((one.free for one in parts if one.free), {})
    return _Choice(dated.rows if dated else among, words, said, free, any(one.is_by_limit for one in parts))


def _by_cells(sheet: Sheet, question: Question) -> _Choice | None:
    """Return the rows whose cells of words have most of the words of a question."""
    texts = [at for at in range(len(sheet.table.header)) if at not in sheet.numbers and at not in sheet.dates]
    found, heads = [], {stem for at in texts for stem in core(sheet.table.header[at])}
    for number, row in enumerate(sheet.table.rows):
        stems = [stem for at in texts if at < len(row) for stem in core(row[at]) if len(stem) > 1]
        hits = {one for one in question.topic if covering(one, stems) and (one not in heads or one in question.proper)}
        if hits:
            found.append((hits, number, row))
    most = max((len(hits) for hits, _, _ in found), default=0)
    rows = [(number, row) for hits, number, row in found if len(hits) == most]
    if not rows or len(rows) == len(sheet.table.rows):
        return None
    return _Choice(rows, {stem for hits, _, _ in found for stem in hits if len(hits) == most})


def _by_limit(sheet: Sheet, question: Question) -> _Choice | None:
    """Return the rows that are full, have something free, or are below what there should be."""
    counts = [at for at in sheet.numbers if at not in sheet.keys and at not in sheet.money]
    limits = [at for at in counts if _LIMITS & set(core(sheet.table.header[at]))]
    others = [at for at in counts if at not in limits]
    if len(limits) != 1 or len(others) != 1:
        return None
    limit, own = limits[0], others[0]
    have, most = ({at: sheet.number(row, column) for at, row in enumerate(sheet.table.rows)} for column in (own, limit))
    free = {at: (most[at] or 0) - (have[at] or 0) for at in have if have[at] is not None and most[at] is not None}
    rows = [(at, row) for at, row in enumerate(sheet.table.rows) if at in free]
    words = {*core(sheet.table.header[limit]), *core(sheet.table.header[own])}
    name, bound = sheet.header(own), sheet.header(limit)
    if _MINIMA & set(core(sheet.table.header[limit])):
        short, is_asked = [one for one in rows if free[one[0]] >= 0], _SHORT.search(question.text)
        return _Choice(short, words, f"{name} not above {bound}", is_by_limit=True) if is_asked else None
    if _FULL.search(question.text):
        full = [one for one in rows if free[one[0]] <= 0]
        return _Choice(full, words, f"{name} as many as {bound}", is_by_limit=True)
    with_room = [one for one in rows if free[one[0]] > 0 or question.asks("count")]
    return _Choice(with_room, words, free=free, is_by_limit=True) if _FREE.search(question.text) else None


def _by_day(sheet: Sheet, question: Question, among: Rows) -> _Choice | None:
    """Return the rows of a time that is named, or the next one ahead."""
    if not sheet.dates or not (question.periods or _NEXT.search(question.text)):
        return None
    named = [at for at in columns_named(sheet, question) if at in sheet.dates]
    by_end = sorted(sheet.dates, key=lambda at: max(filter(None, (sheet.day(row, at) for row in sheet.table.rows))))
    column = next(iter(named), by_end[-1] if _AHEAD.search(question.text) else by_end[0])
    if not question.periods:
        return _first_from(sheet, column, among, question.today)
    least = question.today if _AHEAD.search(question.text) else date.min
    rows = [
        one
        for one in among
        if (day := sheet.day(one[1], column)) is not None and day >= least and is_within(day, question.periods)
    ]
    return _Choice(rows, set(core(sheet.table.header[column])), f"by {sheet.header(column)}")


def _first_from(sheet: Sheet, column: int, among: Rows, least: date) -> _Choice | None:
    """Return the rows with the first day from `least` on; None without any."""
    first = min((day for _, row in among if (day := sheet.day(row, column)) and day >= least), default=None)
    rows = [one for one in among if first and sheet.day(one[1], column) == first]
    return _Choice(rows, set(core(sheet.table.header[column])), f"next by {sheet.header(column)}") if rows else None


def comes_after(question: Question) -> bool:
    """Return whether a question asks for what comes after the thing mentioned before."""
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
    told = []
    for number, row in shown:
        cells, empty = describe_cells(sheet, row, columns)
        free = [f"{choice.free[number]:g} free"] if number in choice.free else []
        told.append(f"{sheet.name(row)}: {', '.join([*free, *cells, *empty])}")
    lead = f"{len(choice.rows)} rows, {choice.said}: " if len(choice.rows) > 1 and choice.said else ""
    rest = f"; and {len(choice.rows) - _MOST} more" if len(choice.rows) > _MOST else ""
    found = build_answer(sheet, f"{lead}{'; '.join(told)}{rest} ({sheet.place})", choice.rows, columns)
    return replace(found, claims=row_claims_of(sheet, shown, columns))
