"""Answer questions from tables: select the rows that are meant, and compute the result.

A question means rows by a name, the value of a cell, a yes or no, a bound, a time, or those mentioned before. It asks
for these rows, a value of them, their number, a sum, the first of them, or a difference.
"""

import re
from collections.abc import Collection, Mapping, Sequence

from mabos.language.amounts import amounts_in
from mabos.language.request import Claim
from mabos.society.documents import DocumentText
from mabos.society.german_terms import in_english
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.question import Question, find_superlative
from mabos.tools.requests.answers.row_selection import (
    MOST_ROWS,
    SAME,
    YES_OR_NO,
    RowSelection,
    all_stems,
    build_answer,
    columns_named,
    describe_cells,
    flag_of,
    flagged_rows,
    is_about,
    is_late,
    row_claims_of,
    rows_named,
    rows_of_time,
    rows_with_value,
    words_told,
)
from mabos.tools.requests.answers.sheets import NO, TOTAL, YES, Rows, Sheet, sheets_of
from mabos.tools.requests.answers.synonyms import core, covering, likeness, question_forms, question_words
from mabos.tools.requests.answers.table_products import without_paid
from mabos.tools.requests.answers.wording import join_words, sentence
from mabos.tools.requests.answers.work_items import is_uncommon

_FORMS = question_forms("in_tables")
_OF_PEOPLE = frozenset(core(question_words()["of_listed_people"]))
_STOCKS = frozenset(core("stock in_stock on_hand quantity qty current actual available level left have held spent"))
_ASKS_OF_MONEY = _FORMS["asks_of_money"]
_HOW_MANY_THERE = _FORMS["how_many_there"]
_DIFFER = _FORMS["differ"]
_BY_HOW_MUCH = re.compile(rf"\bby how (?:much|many)\b|{_DIFFER.pattern}", re.IGNORECASE)
_POINTS = _FORMS["points"]
_OF_WHOLE = re.compile(r"\b(?:all ?together|in all|all in all|all told|overall)\b", re.IGNORECASE)
_OF_SOME = re.compile(r"\b(?:they|them|those|these|both|the (?:two|three|four|others?|rest))\b", re.IGNORECASE)
_MORE = re.compile(r"^\W*(?:and|or|what about|how about)\b", re.IGNORECASE)
_LISTS = re.compile(r"\b(?:which|who|whose|what|list|name|how many|all|any|every\w*)\b", re.IGNORECASE)
_LOW = re.compile(r"\bcheap\w*|\b(?:lowest|least|fewest|smallest|shortest)\b", re.IGNORECASE)


def answer_tables(
    question: Question, documents: Sequence[DocumentText], *, is_named: bool = False, kept: object = None
) -> Found | None:
    """Return the answer from the tables of documents to a question; None if none is relevant.

    `kept` are the rows of an earlier answer, as it kept them: {"file": ..., "sheet": ..., "rows": [...]}.
    """
    last = [one for one in sheets_of(documents) if _kept_rows(one, question, kept)]
    newest_first = sorted(sheets_of(documents), key=lambda one: one.document.day, reverse=True)
    sheets = sorted(newest_first, key=lambda one: (one not in last, -words_told(one, question)))
    if across := _across(sheets, question):
        return across
    for sheet in sheets:
        rows = _kept_rows(sheet, question, kept)
        is_stated = len(sheet.table.header) == 2 and not (is_named or rows)  # by `stated.py`
        if not is_stated and (found := _of_rows(sheet, question, rows, is_named=is_named)):
            return found
    return None


def answer_total(question: Question, documents: Sequence[DocumentText]) -> Found | None:
    """Return the total of the bill of whom a question names, where it asks what is to be paid."""
    if not question.asks("amount") or not question.proper:
        return None
    for document in documents:
        names = {*core(f"{document.title} {document.file.rpartition('.')[0]}")}
        for table in document.tables if question.proper <= names else ():
            number, cells = len(table.rows) - 1, [one for one in table.rows[-1] if one]
            if len(cells) > 1 and TOTAL.fullmatch(cells[0]):
                claim = Claim(f"{document.name}, {table.place(number)}", cells[0], cells[-1])
                line = f"{in_english(cells[0])}: {cells[-1]} ({document.file})"
                return Found((sentence(line),), (claim,), {"documents": [document.file]})
    return None


def _kept_rows(sheet: Sheet, question: Question, kept: object) -> Rows:
    """Return the rows of a sheet that were spoken of before, where a question points back at them."""
    if not isinstance(kept, Mapping) or (kept.get("file"), kept.get("sheet")) != (
        sheet.document.file,
        sheet.table.name,
    ):
        return ()
    is_back = points_back(question.text) or (question.leans and not question.topic)
    if not is_back and not (
        _MORE.match(question.text) and columns_named(sheet, question) and not _LISTS.search(question.text)
    ):
        return ()
    if is_of_whole(sheet, question):
        return ()
    rows = [(at, sheet.table.rows[at]) for at in kept.get("rows", ()) if at < len(sheet.table.rows)]
    is_among = question.asks("best", "worst") or re.search(r"\bwhich\b", question.text, re.IGNORECASE)
    return () if len(rows) == 1 and is_among else rows  # one row is the highest of nothing


def is_of_whole(sheet: Sheet, question: Question) -> bool:
    """Return whether a question is about all rows, not only earlier ones: "How many litres is it all together?"."""
    is_of_all = _OF_WHOLE.search(question.text) and not _OF_SOME.search(question.text)
    return bool(is_of_all and columns_named(sheet, question))


def runs_low(text: str) -> bool:
    """Return whether a question asks for items that are running low."""
    return (
        re.search(
            r"\brun(?:ning|s)? (?:low|short|out)\b|\btoo (?:low|little|few)\b|\bnot enough\b", text, re.IGNORECASE
        )
        is not None
    )


def points_back(text: str) -> bool:
    """Return whether a question refers to things mentioned before: "which of those", "what do they come to"."""
    return bool(_POINTS.search(_OF_ITSELF.sub(" ", text)))


_OF_ITSELF = re.compile(
    r"(?i)(?<=\b)(?:which|what|whose|any|every|each) (?:one|of the \w+|\w+)\b.*?\b(?:its|their|his|her)\b"
)
"""A pronoun for what the question itself names: "Which van must go for its test soonest?"."""


def _select_columns(sheet: Sheet, question: Question, skipped: Collection[int] = ()) -> list[int]:
    """Return the columns that a question asks for, by their names or by its question word: who, when, where, a sum."""
    named = [at for at in columns_named(sheet, question) if at != sheet.names and at not in skipped]
    tests: tuple[tuple[bool, Sequence[int]], ...] = (
        (question.asks("who"), sheet.people),
        (question.asks("when"), sheet.dates),
        (question.asks("where"), sheet.places),
        (bool(_ASKS_OF_MONEY.search(question.text)) and not question.asks("who"), sheet.money),
        (
            bool(_HOW_MANY_THERE.search(question.text)),
            [at for at in sheet.numbers if _STOCKS & set(core(sheet.table.header[at]))],
        ),
    )
    meant = [at for is_asked, columns in tests if is_asked for at in columns if not set(columns) & set(named)]
    return list(dict.fromkeys(at for at in (*named, *meant) if at != sheet.names and at not in skipped))


def _measure(sheet: Sheet, question: Question, skipped: Collection[int] = ()) -> int | None:
    """Return the column of numbers that is compared or added up: the one that is named, that of money, the only one."""
    able = [at for at in sheet.numbers if at not in skipped and at not in sheet.keys]
    money = [at for at in able if at in sheet.money]
    named = [at for at in columns_named(sheet, question) if at in able]
    if _ASKS_OF_MONEY.search(question.text):
        named.sort(key=lambda at: at not in money)
    is_of_money = _ASKS_OF_MONEY.search(question.text) or (len(money) == 1 and not question.asks("count"))
    stocks = [at for at in able if _STOCKS & set(core(sheet.table.header[at]))]
    only = able if len(able) == 1 else []
    return next(iter([*named, *(money if is_of_money else []), *stocks, *only]), None)


def _list_rows(sheet: Sheet, rows: Rows, column: int | None = None) -> str:
    """Return rows by name, each with the value of a column."""
    more = f" and {len(rows) - MOST_ROWS} more" if len(rows) > MOST_ROWS else ""
    told = (sheet.title(row) + ("" if column is None else f" {sheet.cell(row, column)}") for _, row in rows[:MOST_ROWS])
    return (", ".join(told) + more) or "none"


def _of_rows(sheet: Sheet, question: Question, kept: Rows, *, is_named: bool) -> Found | None:
    """Return the answer from the rows that a question means; None if it means none of this sheet."""
    flag = flag_of(sheet, question)
    chosen = _select_rows(sheet, question, kept, is_named=is_named)
    if chosen is None:
        return None
    asked = _select_columns(sheet, question, [] if flag and not chosen.said else chosen.columns)
    if _is_open(sheet, question, chosen, asked, is_named=is_named):
        return None
    column = _measure(sheet, question)
    if (
        len(kept) == len(chosen.rows) == 1
        and kept[0] not in chosen.rows
        and question.asks("compare")
        and column is not None
    ):
        return _apart(sheet, [*kept, *chosen.rows], column, question.text)
    if flag and not chosen.said and YES_OR_NO.match(question.text):
        return _yes_or_no(sheet, question, chosen, flag)
    return _made_of(sheet, question, chosen, asked) or _told_rows(sheet, question, chosen, asked)


def _is_open(sheet: Sheet, question: Question, chosen: RowSelection, asked: Sequence[int], *, is_named: bool) -> bool:
    """Return whether a question has words that neither the rows nor the columns of a sheet explain."""
    words = {*chosen.words, *(stem for at in (sheet.names, *sheet.keys) for stem in core(sheet.table.header[at]))}
    words |= {*core(sheet.document.file.rpartition(".")[0]), *core(sheet.table.name)}
    left = [stem for stem in question.topic if not covering(stem, list(words)) and stem not in _OF_PEOPLE]
    left = [stem for stem in left if not any(covering(stem, core(sheet.table.header[at])) for at in asked)]
    if any(stem in question.proper for stem in left):
        return True
    named = rows_named(sheet, question)
    exact = any(
        re.search(rf"\b{re.escape(sheet.name(row).casefold())}\b", question.text.casefold()) for _, row in named
    )
    is_value = not asked and re.search(r"\b(?:who\w*|what|how|when|where)\b", question.text, re.IGNORECASE)
    if any(map(is_uncommon, left)) and not (((exact or chosen.is_kept) and not is_value) or is_named):
        return True  # "If one smokes in the car" is no question for the price of a car
    is_asked = bool(asked) or (bool(chosen.is_kept or chosen.said) and not is_value)
    return bool(left) and not is_named and not is_asked


def _select_rows(sheet: Sheet, question: Question, kept: Rows, *, is_named: bool) -> RowSelection | None:
    """Return the rows that a question means; None where it is not about this sheet."""
    about = is_named or bool(kept) or is_about(sheet, question)
    if named := rows_named(sheet, question):
        words = frozenset(stem for _, row in named for cell in row for stem in all_stems(cell))
        return RowSelection(named, words=words)
    among = kept or tuple(enumerate(sheet.table.rows))
    flag = flag_of(sheet, question)
    parts = [
        rows_with_value(sheet, question, about=about),
        *([flagged_rows(sheet, flag), rows_of_time(sheet, question)] if about else []),
    ]
    tests = [one for one in parts if one is not None]
    if tests:
        numbers = set.intersection(*({number for number, _ in one.rows} for one in tests))
        rows = [one for one in among if one[0] in numbers]
        rows = list(without_paid(sheet, rows)) if is_late(question.text) else rows
        columns = tuple(at for one in tests for at in one.columns)
        words = frozenset(stem for one in tests for stem in one.words)
        said = ", ".join(filter(None, (one.said for one in tests)))
        return RowSelection(rows, columns, words, said, is_kept=bool(kept))
    return RowSelection(among, is_kept=True) if kept else None


def _yes_or_no(sheet: Sheet, question: Question, chosen: RowSelection, flag: tuple[int, bool]) -> Found:
    """Return whether the rows that are meant have a yes in a column as `paid`."""
    column, wants_yes = flag
    cells = {row[column].casefold() for _, row in chosen.rows if column < len(row)}
    word = ("Yes" if (cells <= YES) == wants_yes else "No") if cells and (cells <= YES or cells <= NO) else ""
    told = _told_rows(sheet, question, chosen, [*sheet.people[:1], column]).lines[0]
    return build_answer(sheet, f"{word}. {told}" if word else told, chosen.rows, [column])


def _made_of(sheet: Sheet, question: Question, chosen: RowSelection, asked: Sequence[int]) -> Found | None:
    """Return the sum, the extreme, the difference or the number of rows, where a question asks for one."""
    rows = chosen.rows
    column = _measure(sheet, question)
    named = [at for at in asked if at in sheet.numbers and at not in sheet.keys]
    if len(rows) == 2 and column is not None and (question.asks("compare") or _DIFFER.search(question.text)):
        return _apart(sheet, rows, column, question.text)
    if question.asks("count") and not named and (chosen.said or chosen.is_kept or len(rows) > 1):
        by = f" ({chosen.said})" if chosen.said else ""
        return build_answer(sheet, f"{len(rows)}{by}: {_list_rows(sheet, rows)} ({sheet.place})", rows, [sheet.names])
    return None


def _apart(sheet: Sheet, rows: Rows, column: int, asked: str) -> Found:
    """Return the difference of two rows in a column, and whether the first is as the question asks: cheaper, more."""
    first_value, second_value = (sheet.number(row, column) or 0.0 for _, row in rows)
    wants_less = re.search(r"\b(?:cheaper|less|fewer|lower|smaller)\b", asked, re.IGNORECASE) is not None
    is_so = first_value < second_value if wants_less else first_value > second_value
    verdict = ("Yes. " if is_so else "No. ") if YES_OR_NO.match(asked) and first_value != second_value else ""
    values = [(sheet.number(row, column) or 0.0, row) for _, row in rows]
    (more, first), (less, second) = sorted(values, key=lambda one: -one[0])
    gap = sheet.say(abs(more - less), column)
    one, other = (f"{sheet.title(row)} {sheet.say(value, column)}" for value, row in ((more, first), (less, second)))
    text = f"{verdict}{sheet.header(column)}: {one}, {other}, a difference of {gap} ({sheet.place})"
    return build_answer(sheet, text, rows, [column])


def _told_rows(sheet: Sheet, question: Question, chosen: RowSelection, named: Sequence[int]) -> Found:
    """Return the rows that are meant, with the columns that are asked for, or all of them."""
    rows = chosen.rows
    shown = [at for at in named if len(rows) == 1 or not chosen.said or not _is_constant(rows, at)]
    if chosen.said and not shown and not (question.asks("when", "amount") and not sheet.money):
        lead = chosen.said if set(chosen.columns) - set(_texts(sheet, chosen)) else f"{len(rows)} rows"
        money = sheet.money[0] if len(sheet.money) == 1 else None
        values = [] if money is None else [sheet.number(row, money) or 0.0 for _, row in rows]
        total = f", {sheet.say(sum(values), money)} together" if money is not None and len(values) > 1 else ""
        text = f"{lead}: {_list_rows(sheet, rows, money)}{total} ({sheet.place})"
        columns = [sheet.names, *chosen.columns, *([] if money is None else [money])]
        return build_answer(sheet, text, rows, columns)
    columns = shown[:4] or [at for at in range(len(sheet.table.header)) if at != sheet.names][:6]
    told = []
    for _, row in rows[:MOST_ROWS]:
        cells, empty = describe_cells(sheet, row, columns)
        empty = empty if cells and len(rows) == 1 else []
        told.append(f"{sheet.name(row)}: {', '.join([*cells, *empty]) or 'not on record, the field is empty'}")
    lead = f"{chosen.said}: " if chosen.said and not told else ""
    return build_answer(sheet, f"{lead}{'; '.join(told) or 'none'} ({sheet.place})", rows, columns)


def _texts(sheet: Sheet, chosen: RowSelection) -> list[int]:
    """Return the columns of a selection by the value of a text."""
    return [at for at in chosen.columns if at not in sheet.dates and at not in sheet.flags]


def _is_constant(rows: Rows, at: int) -> bool:
    return len(rows) > 1 and len({row[at] for _, row in rows if at < len(row)}) == 1


def _across(sheets: Sequence[Sheet], question: Question) -> Found | None:
    """Return how one row of several sheets compares, as the prices of two suppliers; None where there are not two."""
    is_asked = (
        question.asks("compare", "best", "worst") or _BY_HOW_MUCH.search(question.text) or _LOW.search(question.text)
    )
    if not is_asked or len(sheets) < 2:
        return None
    found = []
    for sheet in sheets:
        rows, column = rows_named(sheet, question), _measure(sheet, question)
        if len(rows) == 1 and column is not None and (value := sheet.number(rows[0][1], column)) is not None:
            found.append((value, sheet, rows[0], column))
    if (
        len({sheet.place for _, sheet, _, _ in found}) < 2
        or len({sheet.name(row).casefold() for _, sheet, (_, row), _ in found}) > 1
    ):
        return None
    found.sort(key=lambda one: one[0])
    told = [f"{sheet.say(value, column)} in {sheet.place}" for value, sheet, _, column in found]
    (less, cheap, _, column), (more, *_) = found[0], found[-1]
    name = cheap.name(found[0][2][1])
    apart = f"a difference of {cheap.say(abs(more - less), column)}" if more != less else "the same"
    claims = tuple(claim for _, sheet, row, at in found for claim in row_claims_of(sheet, [row], [at]))
    text = f"{name}, {cheap.header(column)}: {join_words(told)}, {apart}"
    return Found((sentence(text),), claims, {"documents": [sheet.document.file for _, sheet, _, _ in found]})


_ASKS_ANEW = re.compile(r"\b(?:which|what\w*|who\w*|how|when|where|why|total)\b", re.IGNORECASE)
_THESE = re.compile(r"\b(?:the|these|those|all|both)\W*$", re.IGNORECASE)
_AND = re.compile(
    r"^\W*(?:(?:and|or|what about|how about|no|sorry|pardon|supposing|i|we|meant?|then|now|ok|for|with|of)\b\W*)+", re.I
)
_SHORT = 5


def restate(text: str, before: str, sheets: Sequence[Sheet]) -> str:
    """Return the question before with what an elliptic one names in its place; "" where it names nothing of its kind.

    "And sheep?" after "Which is the cheapest goat cheese?" asks for the cheapest sheep cheese.
    """
    lead = _AND.match(text)
    rest = text[lead.end() :].strip(" ?.!") if lead else ""
    if not rest or _ASKS_ANEW.search(rest) or find_superlative(rest):
        return ""
    numbers, old_numbers = amounts_in(rest), amounts_in(before)
    old = {re.sub(r"\W*\b(?:of|the)$", "", one.words) for one in old_numbers if not _THESE.search(before[: one.start])}
    if len(numbers) == len(old) == 1:
        return re.sub(rf"\b{re.escape(old.pop())}\b", numbers[0].words, before)
    words = re.findall(r"[\w'’&-]+", rest)
    stems = set(core(rest))
    for sheet in sheets if len(words) <= _SHORT else ():
        for at in range(len(sheet.table.header)):
            if at in sheet.numbers or at in sheet.dates:
                continue
            known = {stem for row in sheet.table.rows if at < len(row) for stem in core(row[at])}
            if not any(likeness(one, each) >= SAME for one in stems for each in known):
                continue
            old_words = [
                one[0]
                for one in re.finditer(r"[\w’'&-]+", before)
                if any(likeness(each, stem) >= SAME for each in core(one[0].lower()) for stem in known)
            ]
            if old_words:
                return before.replace(old_words[0], " ".join(words), 1)
    return ""
