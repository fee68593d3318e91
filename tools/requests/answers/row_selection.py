"""Select the rows of a sheet that a question means: by a name, the value of a cell, a yes or no, or a time."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import date

from mabos.language.request import Claim
from mabos.society.german_terms import cell_in_english
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.periods import Period
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.sheets import NO, YES, Rows, Sheet
from mabos.tools.requests.answers.synonyms import core, coverage, covering, likeness, question_forms, stems_of
from mabos.tools.requests.answers.wording import join_words, sentence
from mabos.workspace.text import STOPWORDS

_FORMS = question_forms("in_row_selection")
YES_OR_NO = re.compile(r"^\W*(?:and |so |but )?(?:has|have|is|are|was|were|did|does|do)\b", re.IGNORECASE)
_STILL = _FORMS["still"]
_LATE = _FORMS["late"]
MOST_ROWS = 12
SAME, NEAR = 0.8, 0.45
"""From which likeness a word stands for a cell, and for a column."""
_LOOKED_AT = 200
"""Rows of a sheet that tell whether it is the one that is meant."""


@dataclass(frozen=True, slots=True)
class RowSelection:
    """The rows that a question means, the columns that select them, and the stems of the selecting words."""

    rows: Rows
    columns: tuple[int, ...] = ()
    words: frozenset[str] = frozenset()
    said: str = ""
    """The selection in words."""
    is_kept: bool = False
    """Whether they are the rows that were spoken of before."""


def is_late(text: str) -> bool:
    """Return whether a question is about what is past its day."""
    return _LATE.search(text) is not None


_DUE = frozenset({"due", "deadlin", "until", "expir", "by"})
_PERIODIC = re.compile(r"\b(month|week|quarter)s?\b", re.IGNORECASE)


def is_of_months(sheet: Sheet, question: Question) -> bool:
    """Return whether a question is about months or weeks, which a sheet of things does not have."""
    named = {stem for found in _PERIODIC.finditer(question.text) for stem in stems_of(found[1].lower())}
    own = {stem for header in sheet.table.header for stem in stems_of(header)}
    return bool(named - own)


def stems_told(sheet: Sheet) -> list[str]:
    """Return the stems of the headers of a sheet and of its first rows."""
    cells = (cell for row in (sheet.table.header, *sheet.table.rows[:_LOOKED_AT]) for cell in row)
    return [stem for cell in cells for stem in all_stems(cell)]


def words_told(sheet: Sheet, question: Question) -> int:
    """Return how many words of a topic the headers and the cells of a sheet contain."""
    words = stems_told(sheet)
    return sum(bool(covering(stem, words)) for stem in question.topic)


_PER = re.compile(r"\b(?:per|an?|each|every) (\w{2,})", re.IGNORECASE)


def columns_per_unit(sheet: Sheet, question: Question) -> list[int]:
    """Return the columns of a sum per unit that a question names: "over 0.53 a litre"."""
    units = {stem for word in _PER.findall(question.text) for stem in stems_of(word.lower())}
    headers = [all_stems(header) for header in sheet.table.header]
    return [at for at, own in enumerate(headers) if at in sheet.numbers and "per" in own and units & set(own)]


def columns_named(sheet: Sheet, question: Question) -> list[int]:
    """Return the columns that a question names, best first."""
    if found := columns_per_unit(sheet, question):
        return found
    shares = [(coverage(header, question.stems)[0], at) for at, header in enumerate(sheet.table.header)]
    own = [len(core(header)) for header in sheet.table.header]
    return [at for share, at in sorted(shares, key=lambda one: (-one[0], -own[one[1]], one[1])) if share > 0.45]


def is_about(sheet: Sheet, question: Question) -> bool:
    """Return whether a question mentions the subject of a table's rows, or the document by its name."""
    keys = [stem for at in (sheet.names, *sheet.keys, *sheet.texts) for stem in core(sheet.table.header[at])]
    names = [*keys, *core(sheet.document.file.rpartition(".")[0]), *core(sheet.table.name)]
    return is_of_days(sheet, question) or any(covering(one, question.stems) for one in names if len(one) > 1)


def is_of_days(sheet: Sheet, question: Question) -> bool:
    """Return whether a question names only a column of days and a time: "What expires this year?"."""
    headers = [stem for at in sheet.dates for stem in core(sheet.table.header[at])]
    return bool(question.periods and question.topic) and all(covering(one, headers) for one in question.topic)


@dataclass(slots=True)
class WordReading:
    """The columns, cells and likeness of the words of a question in one sheet."""

    columns: dict[int, float] = field(default_factory=dict)
    stems: dict[int, set[str]] = field(default_factory=dict)
    cells: dict[str, set[int]] = field(default_factory=dict)
    qualities: dict[str, float] = field(default_factory=dict)


def interpret_words(sheet: Sheet, question: Question, skipped: Collection[str]) -> WordReading:
    """Return what each word of a question stands for: a column, cells, or the table itself."""
    read = WordReading()
    headers = {at: all_stems(header) for at, header in enumerate(sheet.table.header)}
    around = [*core(sheet.document.file.rpartition(".")[0]), *core(sheet.table.name)]
    cells = _rows_by_stem(sheet)
    for stem in (one for one in dict.fromkeys(question.topic) if one not in skipped):
        by_column = {at: max((likeness(stem, one) for one in own), default=0.0) for at, own in headers.items()}
        column = max(by_column.values(), default=0.0)
        hits = {one: quality for one in cells if (quality := likeness(stem, one)) >= SAME}
        cell = max(hits.values(), default=0.0)
        if cell and (cell > column or (cell == column and (column < 1.0 or stem in question.proper))):
            read.cells[stem] = set[int]().union(*(cells[one] for one, quality in hits.items() if quality == cell))
            read.qualities[stem] = cell
        elif column >= NEAR:
            for at, quality in by_column.items():
                if quality >= column:
                    read.columns[at] = max(read.columns.get(at, 0.0), quality)
                    read.stems.setdefault(at, set()).add(stem)
            read.qualities[stem] = column
        elif (table := max((likeness(stem, one) for one in around), default=0.0)) >= SAME:
            read.qualities[stem] = table
    for at, own in headers.items():  # words that name no topic by themselves still name a column
        named = [one for one in core(" ".join(own)) if one in question.stems and one not in STOPWORDS]
        if named and at not in read.columns:
            read.columns[at] = 0.8 * len(named) / len(own)
    if per_unit := columns_per_unit(sheet, question):
        read.columns = dict.fromkeys(per_unit, 1.0)
    return read


def _rows_by_stem(sheet: Sheet) -> dict[str, set[int]]:
    """Return the rows with each stem in a cell of words."""
    cells = dict[str, set[int]]()
    texts = [at for at in range(len(sheet.table.header)) if at not in sheet.numbers and at not in sheet.dates]
    for number, row in enumerate(sheet.table.rows):
        for stem in (one for at in texts if at < len(row) for one in core(cell_in_english(row[at])) if len(one) > 1):
            cells.setdefault(stem, set()).add(number)
    return cells


def rows_named(sheet: Sheet, question: Question) -> Rows:
    """Return the rows named in a question: by the whole name, the number, another name in the row, or a word."""
    numbered = [(at, row) for at, row in enumerate(sheet.table.rows) if len(row) > sheet.names and sheet.name(row)]
    asked = f" {question.text.casefold()} "
    exact = [one for one in numbered if re.search(rf"(?<!\w){re.escape(sheet.name(one[1]).casefold())}(?!\w)", asked)]
    for at in () if exact else sheet.keys:
        head = rf"(?:{re.escape(sheet.header(at))}|{re.escape(sheet.header(sheet.names))})"
        form = rf"\b{head}s?\W+(?:no\W+|number )?0*"
        exact += [one for one in numbered if at < len(one[1]) and re.search(rf"{form}{re.escape(one[1][at])}\b", asked)]
    if exact:
        return exact[:MOST_ROWS]
    rows, head_stems = [], set(core(sheet.table.header[sheet.names])) - question.proper  # "farm" is no name of a farm
    topic = [one for one in question.topic if one not in head_stems]
    for number, row in numbered:
        for cell in [sheet.name(row), *(row[at] for at in sheet.people if at < len(row))]:
            parts = [one for one in core(cell) if len(one) > 1]
            hits = [one for one in parts if covering(one, topic)]
            is_proper = cell == sheet.name(row) or any(one in question.proper or one in topic for one in hits)
            if hits and is_proper and (len(hits) == len(parts) or hits[0] == parts[0] or hits[-1] == parts[-1]):
                rows.append((len(hits) / len(parts), number, row))
    best = max((share for share, _, _ in rows), default=0)
    chosen = list({number: (number, row) for share, number, row in rows if share == best}.values())
    return chosen if len(chosen) <= MOST_ROWS else []


def rows_with_value(sheet: Sheet, question: Question, *, about: bool) -> RowSelection | None:
    """Return the rows that have a value of a text column which a question names."""
    for column in range(len(sheet.table.header)):
        if column in sheet.numbers or column == sheet.names:
            continue
        for value in dict.fromkeys(row[column] for row in sheet.table.rows if column < len(row) and row[column]):
            spoken = cell_in_english(value).removeprefix(value).strip() or value  # "open" of "offen"
            parts = core(spoken)
            is_said = re.search(
                rf"(?<!\w){re.escape(spoken)}(?!\w)", question.text, re.IGNORECASE
            )  # "the planned jobs"
            if (spoken == value and value.casefold() in YES | NO) or not parts:
                continue
            if not is_said and not all(covering(one, question.topic) for one in parts):
                continue
            rows = [one for one in enumerate(sheet.table.rows) if len(one[1]) > column and one[1][column] == value]
            words = frozenset(stem for _, row in rows for cell in row for stem in all_stems(cell))
            is_proper = any(stem in words for stem in question.proper)
            is_whole = bool(question.topic) and all(
                covering(one, words) for one in question.topic
            )  # "How many drivers?"
            if (about or is_proper or is_whole) and not any(one not in words for one in question.proper):
                return RowSelection(rows, (column,), words, value)
    return None


def flag_of(sheet: Sheet, question: Question) -> tuple[int, bool] | None:
    """Return the yes-or-no column that a question names, and whether it asks for the yes."""
    asked = question.text.casefold()
    for column, header in enumerate(sheet.table.header):
        cells = {row[column].casefold() for row in sheet.table.rows if column < len(row) and row[column]}
        name = header.casefold().replace("_", " ").strip()
        if not name or not cells or not cells <= YES | NO:
            continue
        bare = re.escape(name)
        is_no = re.search(
            rf"\b(?:un{bare}|(?:not|no|without|free of)\b (?:\w+ ){{0,2}}{bare}|{bare}[- ]free)\b|"
            rf"n['’]t (?:\w+ )*{bare}|\bstill (?:to|has to|have to|must) \w+|\bow(?:e|es|ed|ing)\b|\bunpaid\b|"
            rf"\boutstanding\b|\bnot yet\b|"
            rf"\byet to\b|n['’]t\b",
            asked,
        )
        if is_no and (
            re.search(rf"\b(?:un)?{bare}\b", asked) or any(covering(one, question.stems) for one in core(name))
        ):
            return column, False
        is_meant = YES_OR_NO.match(asked) and any(covering(one, question.stems) for one in core(name))
        if is_meant or re.search(rf"\b{bare}\b", asked):
            return column, True
    is_only = len(sheet.flags) == 1 and _STILL.search(asked)
    return (sheet.flags[0], False) if is_only else None


def flagged_rows(sheet: Sheet, flag: tuple[int, bool] | None) -> RowSelection | None:
    """Return the rows that a column such as `paid` marks with yes or no."""
    if flag is None:
        return None
    column, is_yes = flag
    wanted = YES if is_yes else NO | {""}
    rows = [one for one in enumerate(sheet.table.rows) if len(one[1]) > column and one[1][column].casefold() in wanted]
    name = sheet.header(column)
    return RowSelection(rows, (column,), frozenset(core(name)), f"{'' if is_yes else 'not '}{name}")


def rows_of_time(sheet: Sheet, question: Question) -> RowSelection | None:
    """Return the rows with a day in the period that a question names."""
    named = [at for at in columns_named(sheet, question) if at in sheet.dates]
    due = [at for at in sheet.dates if _DUE & set(all_stems(sheet.table.header[at]))] if is_late(question.text) else []
    column = next(iter([*due, *named, *(sheet.dates if len(sheet.dates) == 1 else [])]), None)
    if column is not None and is_late(question.text):
        days = [(one, sheet.day(one[1], column)) for one in enumerate(sheet.table.rows)]
        late = [one for one, day in days if day is not None and day < question.today]
        return RowSelection(late, (column,), frozenset(core("overdue late")), f"{sheet.header(column)} before today")
    if column is None or not question.periods:
        return None
    since = max((one.first for one in question.periods if one.role == "since"), default=date.min)
    until = min((_ahead(one, question) for one in question.periods if one.role == "until"), default=date.max)
    plain = [one for one in question.periods if one.role not in ("since", "until")]
    rows = [
        one
        for one in enumerate(sheet.table.rows)
        if (day := sheet.day(one[1], column)) is not None
        and since <= day <= until
        and (not plain or any(it.holds(day) or (it.last < question.today and it.holds_ahead(day)) for it in plain))
    ]
    if not rows and not named:
        return None
    said = f"{sheet.header(column)} {join_words([one.said_in(question.text) for one in question.periods])}"
    return RowSelection(rows, (column,), frozenset(), said)


def _ahead(period: Period, question: Question) -> date:
    """Return the end of a period without a year, the next one: of rows, "before May" is ahead."""
    last, is_dated = period.last, str(period.last.year) in question.text
    is_past = last < question.today and not is_dated and (last.month, last.day) != (2, 29)
    return last.replace(year=last.year + 1) if is_past else last


def all_stems(text: str) -> list[str]:
    """Return the stems of all words of a text, including common ones."""
    return [stem for word in re.findall(r"\w+", text.lower()) for stem in stems_of(word)]


def row_claims_of(sheet: Sheet, rows: Rows, columns: Sequence[int]) -> tuple[Claim, ...]:
    """Return a claim for each of these cells."""
    return tuple(
        Claim(f"{sheet.document.name}, {sheet.table.place(number)}", f"{sheet.name(row)}: {sheet.header(at)}", row[at])
        for number, row in rows
        for at in columns
        if at < len(row)
    )


def build_answer(sheet: Sheet, text: str, rows: Rows, columns: Sequence[int], *, is_computed: bool = False) -> Found:
    """Return an answer, whether it was computed, and its rows for the next question."""
    claims = row_claims_of(sheet, rows[:MOST_ROWS], columns)
    kept = {"file": sheet.document.file, "sheet": sheet.table.name, "rows": [number for number, _ in rows]}
    about: dict[str, object] = {"documents": [sheet.document.file], "rows": kept}
    if is_computed:
        about["is_computed"] = True
    dated = [at for at in columns if at in sheet.dates] or (list(sheet.dates) if len(rows) == 1 else [])
    said = [f"{sheet.name(row)}: {sheet.header(at)} {sheet.cell(row, at)}" for _, row in rows[:1] for at in dated]
    if said:
        about["evidence"] = [[sheet.document.file, one] for one in said]
    return Found((sentence(text),), claims, about)


def describe_cells(sheet: Sheet, row: Sequence[str], columns: Sequence[int]) -> tuple[list[str], list[str]]:
    """Return the cells of a row with their headers, and a note for the empty ones."""
    filled = [at for at in columns if at < len(row) and row[at]]
    cells = [f"{sheet.header(at)} {sheet.cell(row, at)}" for at in filled]
    return cells, [f"{sheet.header(at)} not on record" for at in columns if at not in filled]
