"""Answer questions from tables: select the rows that are meant, and compute the result.

A question means rows by a name, the value of a cell, a yes or no, a bound, a time, or those mentioned before. It asks
for these rows, a value of them, their number, a sum, the first of them, or a difference.
"""

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date

from mabos.language.amounts import amounts_in
from mabos.language.request import Claim
from mabos.society.documents import DocumentText
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.periods import day_label
from mabos.tools.requests.answers.question import Question, find_superlative
from mabos.tools.requests.answers.row_selection import (
    MOST_ROWS,
    YES_OR_NO,
    RowSelection,
    all_stems,
    build_answer,
    columns_named,
    describe_cells,
    flag_of,
    flagged_rows,
    is_about,
    is_of_months,
    row_claims_of,
    rows_named,
    rows_of_time,
    rows_with_value,
    stems_told,
    words_told,
)
from mabos.tools.requests.answers.sheets import NO, YES, Rows, Sheet, sheets_of
from mabos.tools.requests.answers.synonyms import core, coverage, covering, question_forms, question_words
from mabos.tools.requests.answers.wording import join_words, money_or_number, sentence, unit_of
from mabos.tools.requests.answers.work_items import is_uncommon

_FORMS = question_forms("in_tables")
_BELOW = _FORMS["below"]
_ABOVE = _FORMS["above"]
_NONE_LEFT = _FORMS["none_left"]
_OF_PEOPLE = frozenset(core(question_words()["of_listed_people"]))
_BOUNDS = frozenset(
    core("minimum maximum min max target limit reorder threshold required needed wanted budget plan planned")
)
_STOCKS = frozenset(core("stock in_stock on_hand quantity qty current actual available level left have held spent"))
_ASKS_OF_MONEY = _FORMS["asks_of_money"]
_HOW_MANY_THERE = _FORMS["how_many_there"]
_EARLIEST = _FORMS["earliest"]
_LATEST = re.compile(r"\b(?:last|latest|newest|most recent)\b", re.IGNORECASE)
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
        for read in _READERS:
            is_stated = len(sheet.table.header) == 2 and read is _of_rows and not (is_named or rows)  # by `stated.py`
            if not is_stated and (found := read(sheet, question, rows, is_named=is_named)):
                return found
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
    return bool(_POINTS.search(text))


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


def _filter_by_bound(sheet: Sheet, question: Question, kept: Rows, *, is_named: bool) -> Found | None:
    """Return the rows in which one column is below or above another, or a number that is given."""
    below, above = _BELOW.search(question.text), _ABOVE.search(question.text)
    test = below or above
    if test is None or not sheet.numbers:
        return None
    tail = question.text[test.end() :]
    spelled = next(iter(amounts_in(tail)), None)
    if spelled is not None and spelled.words.isalpha() and not tail[: spelled.start].strip():
        tail = f"{spelled.value:g}{tail[spelled.end :]}"  # "fewer than five registrations"
    named = [at for at in columns_named(sheet, question) if at in sheet.numbers]
    bound = next((at for at in sheet.numbers if coverage(sheet.table.header[at], all_stems(tail))[0] > 0.45), None)
    given = re.search(r"^\W*(?:than |of )?[$€£]?(\d[\d,.]*)", tail)
    if given:
        bound = None
    elif bound is None:
        bound = next((at for at in sheet.numbers if _BOUNDS & set(core(sheet.table.header[at]))), None)
    skipped = [] if bound is None else [bound]
    if given and not re.search(r"[$€£]", given[0]) and not _ASKS_OF_MONEY.search(question.text):
        skipped = [at for at in sheet.money if at not in named]  # "less than 10" is a number of things
    column = _measure(sheet, question, skipped)
    about = is_named or named or kept or runs_low(question.text) or is_about(sheet, question)
    if column is None or (bound is None and given is None) or not about:
        return None
    limit = float(given[1].replace(",", "").rstrip(".")) if given and bound is None else None
    among = kept or tuple(enumerate(sheet.table.rows))
    hits = []
    for number, row in among:
        value = sheet.number(row, column)
        edge = limit if bound is None else sheet.number(row, bound)
        if value is not None and edge is not None and (value < edge if below else value > edge):
            hits.append((number, row, value, edge))
    word = "below" if below else "above"
    against = sheet.header(bound) if bound is not None else money_or_number(limit or 0, "")
    what = f"{sheet.header(column)} {word} {against}"
    rows = [(number, row) for number, row, _, _ in hits]
    if not hits:
        return build_answer(sheet, f"no row of {sheet.place} has {what}", (), ())
    told = "; ".join(
        _gap(sheet, row, value, edge, (column, bound), is_below=below is not None)
        for _, row, value, edge in hits[:MOST_ROWS]
    )
    more = f"; and {len(hits) - MOST_ROWS} more" if len(hits) > MOST_ROWS else ""
    text = f"{len(hits)} of {len(among)} rows have {what}: {told}{more} ({sheet.place})"
    return build_answer(sheet, text, rows, [column, *([bound] if bound is not None else [])])


def _gap(
    sheet: Sheet, row: Sequence[str], value: float, edge: float, columns: tuple[int, int | None], *, is_below: bool
) -> str:
    column, bound = columns
    if bound is None:
        return f"{sheet.title(row)} ({sheet.say(value, column)})"
    of = f" of {sheet.say(edge, column)}"
    gap = sheet.say(abs(value - edge), column)
    return f"{sheet.title(row)} ({sheet.say(value, column)}{of}, {gap} {'missing' if is_below else 'more'})"


def _none_left(sheet: Sheet, question: Question, kept: Rows, *, is_named: bool) -> Found | None:
    """Return the rows of which nothing is left."""
    zeros = [at for at in sheet.numbers if any(sheet.number(row, at) == 0 for row in sheet.table.rows)]
    if re.search(r"\bnobody\b|\bno ?one\b", question.text, re.I) and any(
        at >= len(row) or not row[at] for at in sheet.people for row in sheet.table.rows
    ):
        return None  # "nobody" is one without a name in it
    column = zeros[0] if len(zeros) == 1 else _measure(sheet, question)
    is_meant = _NONE_LEFT.search(question.text) and (is_named or kept or is_about(sheet, question))
    if column is None or not is_meant:
        return None
    rows = [one for one in kept or enumerate(sheet.table.rows) if sheet.number(one[1], column) == 0]
    return build_answer(
        sheet, f"with {sheet.header(column)} 0: {_list_rows(sheet, rows)} ({sheet.place})", rows, [column]
    )


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
    if any(is_uncommon(stem) for stem in left) and not (exact or chosen.is_kept or is_named):
        return True  # "If one smokes in the car" is no question for the price of a car
    is_asked = bool(asked) or chosen.is_kept or bool(chosen.said)
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
    is_total = question.asks("sum", "average") or (
        bool(named) and question.asks("count", "amount") and bool(chosen.said) and not _is_each(question)
    )
    if column is not None and is_total and len(rows) > 1:
        return _total_column(sheet, question, chosen, column)
    if question.asks("best", "worst") and len(rows) > 1 and (found := _extreme(sheet, question, rows, kept=True)):
        return found
    if len(rows) == 2 and column is not None and (question.asks("compare") or _DIFFER.search(question.text)):
        return _apart(sheet, rows, column, question.text)
    if question.asks("count") and not named and (chosen.said or chosen.is_kept or len(rows) > 1):
        by = f" ({chosen.said})" if chosen.said else ""
        return build_answer(sheet, f"{len(rows)}{by}: {_list_rows(sheet, rows)} ({sheet.place})", rows, [sheet.names])
    return None


def _is_each(question: Question) -> bool:
    return re.search(r"\beach\b", question.text, re.IGNORECASE) is not None


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
        return build_answer(
            sheet, f"{lead}: {_list_rows(sheet, rows)} ({sheet.place})", rows, [sheet.names, *chosen.columns]
        )
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


def _extreme(
    sheet: Sheet, question: Question, among: Rows, *, kept: bool = False, is_named: bool = False
) -> Found | None:
    """Return the row with the highest or lowest value of a column, the next one where the distance is asked for."""
    named = [at for at in columns_named(sheet, question) if at in sheet.numbers and at not in sheet.keys]
    is_of_people = question.asks("who") and bool(named)
    by_day = bool(sheet.dates) and (_EARLIEST.search(question.text) or _LATEST.search(question.text))
    if not (question.asks("best", "worst") or by_day) or not (
        kept or is_named or is_of_people or is_about(sheet, question)
    ):
        return None
    column = _measure(sheet, question)
    if column in sheet.money and not named and not _ASKS_OF_MONEY.search(question.text):
        amounts = [at for at in sheet.numbers if at not in (*sheet.money, *sheet.keys) and not _is_share(sheet, at)]
        column = amounts[0] if len(amounts) == 1 else column  # "the most milk" is no price
    if by_day and not named and not question.asks("best", "worst"):
        return _first_by_day(sheet, question, among)
    if column is None or (column not in named and not kept and _is_of_other(sheet, question)):
        return None
    meant = None if kept else rows_with_value(sheet, question, about=True)
    rows = [
        (value, one) for one in (meant.rows if meant else among) if (value := sheet.number(one[1], column)) is not None
    ]
    if not rows:
        return None
    is_low = question.asks("worst") or bool(_LOW.search(question.text))
    rows.sort(key=lambda one: one[0] if is_low else -one[0])
    edge = rows[0][0]
    chosen = [one for value, one in rows if value == edge]
    name = f"the {'lowest' if is_low else 'highest'} {sheet.header(column)} is {sheet.say(edge, column)}"
    thing = next((at for at in sheet.texts if at != sheet.names and at in columns_named(sheet, question)), None)
    text = f"{name}: {_list_rows(sheet, chosen, thing)} ({sheet.place})"
    after = rows[len(chosen) :]
    if after and _BY_HOW_MUCH.search(question.text):
        value, (_, row) = after[0]
        way = "more" if is_low else "less"
        gap = sheet.say(abs(edge - value), column)
        text += f". Next is {sheet.title(row)} with {sheet.say(value, column)}, {gap} {way}"
    return build_answer(sheet, text, chosen, [column], is_computed=True)


def _is_share(sheet: Sheet, column: int) -> bool:
    return unit_of(sheet.table.header[column], "") == "%"


def _is_of_other(sheet: Sheet, question: Question) -> bool:
    """Return whether no cell of a sheet has a word of a question, so that the sheet lacks the measure asked for."""
    known = [*stems_told(sheet), *core(sheet.document.file.rpartition(".")[0])]
    asks_money = _ASKS_OF_MONEY.search(question.text)
    return not asks_money and any(not covering(one, known) and one not in _OF_PEOPLE for one in question.topic)


def _first_by_day(sheet: Sheet, question: Question, among: Rows) -> Found | None:
    """Return the row with the earliest or latest day."""
    column = next(iter([*(at for at in columns_named(sheet, question) if at in sheet.dates), *sheet.dates]))
    named = find_superlative(question.text)
    least = question.today if named and named.is_next else date.min
    dated = [(day, one) for one in among if (day := sheet.day(one[1], column)) is not None and day >= least]
    if not dated:
        return None
    is_early = _EARLIEST.search(question.text) is not None
    edge = (min if is_early else max)(day for day, _ in dated)
    chosen = [one for day, one in dated if day == edge]
    word = "earliest" if is_early else "latest"
    text = f"the {word} {sheet.header(column)} is {day_label(edge)}: {_list_rows(sheet, chosen)} ({sheet.place})"
    return build_answer(sheet, text, chosen, [column], is_computed=True)


def _extremes(sheet: Sheet, question: Question, kept: Rows, *, is_named: bool) -> Found | None:
    among = kept or tuple(enumerate(sheet.table.rows))
    if is_of_months(sheet, question) and not kept:
        return None
    return None if rows_named(sheet, question) else _extreme(sheet, question, among, kept=bool(kept), is_named=is_named)


def _is_constant(rows: Rows, at: int) -> bool:
    return len(rows) > 1 and len({row[at] for _, row in rows if at < len(row)}) == 1


def _total_column(sheet: Sheet, question: Question, chosen: RowSelection, column: int) -> Found | None:
    """Return the sum or average of a column over some rows; a price is named for each, never summed unasked."""
    values = [(number, row, value) for number, row in chosen.rows if (value := sheet.number(row, column)) is not None]
    if not values:
        return None
    if not question.asks("sum", "average") and re.search(r"price|rate|wage|per ", sheet.header(column)):
        return _told_rows(sheet, question, chosen, [column])
    total = sum(value for _, _, value in values) / (len(values) if question.asks("average") else 1)
    kind = "average" if question.asks("average") else "total"
    rows = [(number, row) for number, row, _ in values]
    said = f", {chosen.said}" if chosen.said else ""
    text = f"{kind} {sheet.header(column)}{said}: {sheet.say(round(total, 2), column)}"
    text = f"{text} ({_list_rows(sheet, rows, column)}; {sheet.place})"
    return build_answer(sheet, text, rows, [column], is_computed=True)


def _answer_total(sheet: Sheet, question: Question, kept: Rows, *, is_named: bool) -> Found | None:
    """Return the sum or average of a column, or how many rows there are."""
    column, rows = _measure(sheet, question), kept or tuple(enumerate(sheet.table.rows))
    is_back = points_back(question.text) and not is_of_whole(sheet, question)
    if not kept and (question.periods or is_of_months(sheet, question) or is_back):
        return None
    headers = [stem for header in sheet.table.header for stem in all_stems(header)]
    is_of_columns = bool(question.topic) and all(covering(one, headers) for one in question.topic)
    is_meant = is_named or kept or is_of_columns or is_about(sheet, question)
    if question.asks("sum", "average") and column is not None and is_meant:
        return _total_column(sheet, question, RowSelection(rows), column)
    own = [*core(sheet.table.header[sheet.names]), *core(sheet.document.file.rpartition(".")[0])]
    own += [stem for at in sheet.keys for stem in core(sheet.table.header[at])]
    is_all = bool(question.topic) and all(covering(one, own) or one in _OF_PEOPLE for one in question.topic)
    if question.asks("count") and is_all and any(covering(one, own) for one in question.topic):
        found = build_answer(sheet, f"{sheet.place} lists {len(rows)}: {_list_rows(sheet, rows)}", rows, ())
        return replace(found, claims=(Claim(sheet.document.name, "rows", len(rows)),))
    return None


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


_Reader = Callable[..., Found | None]
_READERS: tuple[_Reader, ...] = (_filter_by_bound, _none_left, _extremes, _of_rows, _answer_total)
