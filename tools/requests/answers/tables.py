"""Questions that a table answers: rows that meet a condition, the value of a row, the highest row, a sum."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mabos.language.request import Claim
from mabos.society.documents import DocumentText, TextTable
from mabos.society.documents.prose import is_series
from mabos.society.quantities import read_amount
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.periods import day_label
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.synonyms import core, coverage, covering, stems_of
from mabos.tools.requests.answers.wording import label, money_or_number, sentence, unit_of
from mabos.workspace.dates import day_named

_BELOW = re.compile(
    r"\b(?:below|under|less than|fewer than|lower than|short of|beneath|smaller than|not reach\w*|"
    r"running low|too low)\b",
    re.IGNORECASE,
)
_ABOVE = re.compile(r"\b(?:above|over|more than|higher than|exceed\w*|beyond|greater than|larger than)\b", re.I)
_NONE_LEFT = re.compile(r"\b(?:sold out|out of stock|none left|used up|run out of|ran out of|have no more of)\b", re.I)
_YES = frozenset({"yes", "y", "true", "x", "done", "paid"})
_NO = frozenset({"no", "n", "false", "open", "-"})
_OF_PEOPLE = frozenset(core("people persons names entries rows items lines staff employees members there list lists"))
_BOUNDS = frozenset(
    core("minimum maximum min max target limit reorder threshold required needed wanted budget plan planned")
)
_STOCKS = frozenset(core("stock in_stock on_hand quantity qty current actual available level left have held spent"))
_GAP = re.compile(
    r"\b(?:missing|miss|lack\w*|short|by how much|how (?:much|many)|needed|difference|reorder|order)\b", re.I
)
_MOST = 12
Rows = Sequence[tuple[int, tuple[str, ...]]]
"""Rows of a table with their numbers."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of a document: which column names the rows, and which hold numbers."""

    table: TextTable
    document: DocumentText
    names: int
    numbers: tuple[int, ...]

    @property
    def place(self) -> str:
        """The document and the sheet."""
        return f"{self.document.file}, sheet {self.table.name}" if self.table.name else self.document.file

    def name(self, row: Sequence[str]) -> str:
        """Return what a row is about."""
        return row[self.names]

    def number(self, row: Sequence[str], column: int) -> float | None:
        """Return the number in a cell, or None."""
        amount = read_amount(row[column]) if column < len(row) else None
        return None if amount is None else float(amount.value)

    def say(self, value: float, column: int) -> str:
        """Return a number with the unit of its column."""
        return money_or_number(round(value, 4), unit_of(self.header(column).replace(" ", "_"), ""))

    def header(self, column: int) -> str:
        """Return the header of a column as people say it."""
        return label(self.table.header[column].strip().lower())


def sheets_of(documents: Sequence[DocumentText]) -> list[Sheet]:
    """Return the tables of documents that list things; tables of figures by date are series."""
    found = []
    for document in documents:
        for table in document.tables:
            width = len(table.header)
            numbers = tuple(at for at in range(width) if _is_numeric(table, at))
            texts = [at for at in range(width) if at not in numbers]
            if texts and not is_series(table):
                found.append(Sheet(table, document, texts[0], numbers))
    return found


def _is_numeric(table: TextTable, at: int) -> bool:
    cells = [row[at] for row in table.rows if at < len(row) and row[at]]
    return bool(cells) and sum(read_amount(one) is not None for one in cells) > len(cells) / 2


def answer_tables(question: Question, documents: Sequence[DocumentText], *, is_named: bool = False) -> Found | None:
    """Return what the tables of documents say to a question; None where none bears on it."""
    for sheet in sheets_of(documents):
        for read in (_compared, _of_row, _extreme, _flagged, _filtered, _summed):
            is_stated = len(sheet.table.header) == 2 and read is _of_row and not is_named  # `stated.py` reads these
            if not is_stated and (found := read(sheet, question, is_named=is_named)):
                return found
    return None


def _columns(sheet: Sheet, question: Question) -> list[int]:
    """Return the columns that a question names, best first."""
    shares = [(coverage(header, question.stems)[0], at) for at, header in enumerate(sheet.table.header)]
    own = [len(core(header)) for header in sheet.table.header]
    return [at for share, at in sorted(shares, key=lambda one: (-one[0], -own[one[1]], one[1])) if share > 0.45]


def _row_claims(sheet: Sheet, rows: Rows, columns: Sequence[int]) -> tuple[Claim, ...]:
    return tuple(
        Claim(f"{sheet.document.name}, {sheet.table.place(number)}", f"{sheet.name(row)}: {sheet.header(at)}", row[at])
        for number, row in rows
        for at in columns
        if at < len(row)
    )


def _found(sheet: Sheet, text: str, claims: tuple[Claim, ...]) -> Found:
    return Found((sentence(text),), claims, {"documents": [sheet.document.file]})


def _compared(sheet: Sheet, question: Question, *, is_named: bool) -> Found | None:
    """Return the rows in which one column is below or above another, or a number that is given."""
    below, above = _BELOW.search(question.text), _ABOVE.search(question.text)
    test = below or above
    if _NONE_LEFT.search(question.text):
        return _none_left(sheet, question, is_named=is_named)
    if test is None or not sheet.numbers:
        return None
    tail = question.text[test.end() :]
    named = [at for at in _columns(sheet, question) if at in sheet.numbers]
    bound = next((at for at in sheet.numbers if coverage(sheet.table.header[at], _stems(tail))[0] > 0.45), None)
    given = re.search(r"^\W*(?:than |of )?[$€£]?(\d[\d,.]*)", tail)
    if given:
        bound = None
    elif bound is None:
        bound = next((at for at in sheet.numbers if _BOUNDS & set(core(sheet.table.header[at]))), None)
    column = _measured(sheet, [at for at in named if at != bound], bound)
    if column is None or (bound is None and given is None) or not (is_named or named or _is_about(sheet, question)):
        return None
    limit = float(given[1].replace(",", "").rstrip(".")) if given and bound is None else None
    hits = []
    for number, row in enumerate(sheet.table.rows):
        value = sheet.number(row, column)
        edge = limit if bound is None else sheet.number(row, bound)
        if value is not None and edge is not None and (value < edge if below else value > edge):
            hits.append((number, row, value, edge))
    word = "below" if below else "above"
    against = sheet.header(bound) if bound is not None else money_or_number(limit or 0, "")
    what = f"{sheet.header(column)} {word} {against}"
    if not hits:
        return _found(sheet, f"no row of {sheet.place} has {what}", ())
    told = "; ".join(
        _gap(sheet, row, value, edge, (column, bound), is_below=below is not None)
        for _, row, value, edge in hits[:_MOST]
    )
    more = f"; and {len(hits) - _MOST} more" if len(hits) > _MOST else ""
    text = f"{len(hits)} of {len(sheet.table.rows)} rows have {what}: {told}{more} ({sheet.place})"
    columns = [column, *([bound] if bound is not None else [])]
    return _found(sheet, text, _row_claims(sheet, [(number, row) for number, row, _, _ in hits[:_MOST]], columns))


def _none_left(sheet: Sheet, question: Question, *, is_named: bool) -> Found | None:
    """Return the rows of which nothing is left."""
    column = _measured(sheet, [], None)
    if column is None or not (is_named or _is_about(sheet, question)):
        return None
    rows = [(number, row) for number, row in enumerate(sheet.table.rows) if sheet.number(row, column) == 0]
    names = ", ".join(sheet.name(row) for _, row in rows[:_MOST]) or "none"
    text = f"with {sheet.header(column)} 0: {names} ({sheet.place})"
    return _found(sheet, text, _row_claims(sheet, rows[:_MOST], [column]))


def _gap(
    sheet: Sheet, row: Sequence[str], value: float, edge: float, columns: tuple[int, int | None], *, is_below: bool
) -> str:
    column, bound = columns
    if bound is None:
        return f"{sheet.name(row)} ({sheet.say(value, column)})"
    of = f" of {sheet.say(edge, column)}"
    gap = sheet.say(abs(value - edge), column)
    return f"{sheet.name(row)} ({sheet.say(value, column)}{of}, {gap} {'missing' if is_below else 'more'})"


def _measured(sheet: Sheet, named: Sequence[int], bound: int | None) -> int | None:
    """Return the column that is compared: the one that is named, one of stocks or actual values, or the only other."""
    others = [at for at in sheet.numbers if at != bound]
    stocks = [at for at in others if _STOCKS & set(core(sheet.table.header[at]))]
    return next(iter([*named, *stocks, *(others if len(others) == 1 else [])]), None)


def _is_about(sheet: Sheet, question: Question) -> bool:
    """Return whether a question speaks of what the rows of a table are, or of the document by its name."""
    names = [*core(sheet.table.header[sheet.names]), *core(sheet.document.file.rpartition(".")[0])]
    return any(covering(one, question.stems) for one in names)


def _of_row(sheet: Sheet, question: Question, *, is_named: bool) -> Found | None:
    """Return the cells of the row that a question names."""
    chosen = _rows_named(sheet, question)
    columns = [at for at in _columns(sheet, question) if at != sheet.names]
    words = {stem for _, row in chosen for stem in core(sheet.name(row))} | set(core(sheet.table.header[sheet.names]))
    left = [stem for stem in question.topic if not covering(stem, list(words))]
    left = [stem for stem in left if not any(covering(stem, core(sheet.table.header[at])) for at in columns)]
    if not chosen or (left and not is_named and not columns) or any(stem in question.proper for stem in left):
        return None
    if not columns and question.asks("count", "amount"):
        columns = [at for at in [_measured(sheet, [], None)] if at is not None]
    return _told_rows(sheet, chosen, columns)


def _rows_named(sheet: Sheet, question: Question) -> Rows:
    """Return the rows whose name stands in a question: the whole of it, or its first word."""
    numbered = [(at, row) for at, row in enumerate(sheet.table.rows) if len(row) > sheet.names and sheet.name(row)]
    asked = f" {question.text.casefold()} "
    exact = [one for one in numbered if re.search(rf"(?<!\w){re.escape(sheet.name(one[1]).casefold())}(?!\w)", asked)]
    if exact:
        return exact[:_MOST]
    rows = []
    for number, row in numbered:
        parts = [one for one in core(sheet.name(row)) if len(one) > 1]
        hits = [one for one in parts if covering(one, question.topic)]
        if hits and (len(hits) == len(parts) or hits[0] == parts[0]):
            rows.append((len(hits) / len(parts), number, row))
    best = max((share for share, _, _ in rows), default=0)
    chosen = [(number, row) for share, number, row in rows if share == best]
    return chosen if len(chosen) <= _MOST else []


def _told_rows(sheet: Sheet, chosen: Rows, named: Sequence[int]) -> Found:
    """Return these rows with the columns that are asked for, or all of them."""
    columns = list(named[:3]) or [at for at in range(len(sheet.table.header)) if at != sheet.names][:6]
    told = []
    for _, row in chosen[:_MOST]:
        cells = ", ".join(f"{sheet.header(at)} {_cell(sheet, row, at)}" for at in columns if at < len(row) and row[at])
        told.append(f"{sheet.name(row)}: {cells or 'nothing is filled in'}")
    return _found(sheet, f"{'; '.join(told)} ({sheet.place})", _row_claims(sheet, chosen[:_MOST], columns))


def _cell(sheet: Sheet, row: Sequence[str], at: int) -> str:
    day = day_named(row[at]) if re.fullmatch(r"\d{4}-\d\d-\d\d", row[at]) else None
    if day:
        return day_label(day)
    value = sheet.number(row, at) if at in sheet.numbers else None
    is_plain = value is not None and re.fullmatch(r"-?\d+(\.\d+)?", row[at].strip())
    return sheet.say(value, at) if value is not None and is_plain else row[at]


def _extreme(sheet: Sheet, question: Question, *, is_named: bool) -> Found | None:
    """Return the row with the highest or lowest value of a column."""
    named = [at for at in _columns(sheet, question) if at in sheet.numbers]
    is_of_people = question.asks("who") and bool(named)
    if not question.asks("best", "worst") or not (is_named or is_of_people or _is_about(sheet, question)):
        return None
    column = next(iter(named), sheet.numbers[0] if len(sheet.numbers) == 1 else None)
    if column is None:
        return None
    meant = _rows_meant(sheet, question) or tuple(enumerate(sheet.table.rows))
    rows = [(value, number, row) for number, row in meant if (value := sheet.number(row, column)) is not None]
    is_low = question.asks("worst") or "cheap" in question.topic or "cheapest" in question.text.lower()
    pick, word = (min, "lowest") if is_low else (max, "highest")
    if not rows:
        return None
    edge = pick(value for value, _, _ in rows)
    chosen = [(number, row) for value, number, row in rows if value == edge]
    names = ", ".join(sheet.name(row) for _, row in chosen[:_MOST])
    text = f"the {word} {sheet.header(column)} is {sheet.say(edge, column)}: {names} ({sheet.place})"
    return _found(sheet, text, _row_claims(sheet, chosen[:_MOST], [column]))


def _flagged(sheet: Sheet, question: Question, *, is_named: bool) -> Found | None:
    """Return the rows that a column as `paid` marks with yes or no."""
    asked = question.text.casefold()
    for column, header in enumerate(sheet.table.header):
        cells = {row[column].casefold() for row in sheet.table.rows if column < len(row) and row[column]}
        name = header.casefold().replace("_", " ").strip()
        if not name or not cells or not cells <= _YES | _NO or not (is_named or _is_about(sheet, question)):
            continue
        bare = re.escape(name)
        bare = re.escape(name)
        is_no = re.search(
            rf"\b(?:un{bare}|(?:not|no|without|free of)\b (?:\w+ ){{0,2}}{bare}|{bare}[- ]free)\b|"
            rf"n['’]t (?:\w+ )?{bare}",
            asked,
        )
        if not is_no and not re.search(rf"\b{re.escape(name)}\b", asked):
            continue
        wanted = _NO if is_no else _YES
        rows = [
            one for one in enumerate(sheet.table.rows) if len(one[1]) > column and one[1][column].casefold() in wanted
        ]
        names = ", ".join(sheet.name(row) for _, row in rows[:_MOST]) or "none"
        text = f"{'not ' if is_no else ''}{name}: {names} ({sheet.place})"
        return _found(sheet, text, _row_claims(sheet, rows[:_MOST], [column]))
    return None


def _rows_meant(sheet: Sheet, question: Question) -> Rows:
    """Return the rows that have a value of a text column which a question names."""
    for column in range(len(sheet.table.header)):
        if column in sheet.numbers or column == sheet.names:
            continue
        for value in dict.fromkeys(row[column] for row in sheet.table.rows if column < len(row) and row[column]):
            parts = core(value)
            if value.casefold() not in _YES | _NO and parts and all(covering(one, question.topic) for one in parts):
                return [one for one in enumerate(sheet.table.rows) if len(one[1]) > column and one[1][column] == value]
    return []


def _filtered(sheet: Sheet, question: Question, *, is_named: bool) -> Found | None:
    """Return the rows that have the value of a text column which a question names, or what they sum up to."""
    rows = _rows_meant(sheet, question)
    if not rows:
        return None
    words = {stem for _, row in rows for cell in row for stem in core(cell)}
    is_proper = any(stem in words for stem in question.proper)
    is_whole = bool(question.topic) and all(covering(one, words) for one in question.topic)  # "How many drivers?"
    is_meant = is_named or is_proper or is_whole or _is_about(sheet, question)
    if not is_meant or any(one not in words for one in question.proper):
        return None
    columns = _columns(sheet, question)
    numbers = [at for at in columns if at in sheet.numbers]
    if numbers and question.asks("sum", "average", "count", "amount") and len(rows) > 1:
        return _totalled(sheet, rows, numbers[0], question)
    if question.asks("count") and not numbers:
        names = ", ".join(sheet.name(row) for _, row in rows[:_MOST])
        return _found(sheet, f"{len(rows)}: {names} ({sheet.place})", _row_claims(sheet, rows[:_MOST], [sheet.names]))
    shown = [at for at in columns if at != sheet.names and not _is_constant(rows, at)]
    if shown or question.asks("when", "amount"):
        return _told_rows(sheet, rows, shown)
    names = ", ".join(sheet.name(row) for _, row in rows[:_MOST])
    return _found(sheet, f"{len(rows)} rows: {names} ({sheet.place})", _row_claims(sheet, rows[:_MOST], [sheet.names]))


def _is_constant(rows: Rows, at: int) -> bool:
    return len(rows) > 1 and len({row[at] for _, row in rows if at < len(row)}) == 1


def _totalled(sheet: Sheet, rows: Rows, column: int, question: Question) -> Found | None:
    """Return the sum or average of a column over some rows; a price is named for each, never summed."""
    values = [(number, row, value) for number, row in rows if (value := sheet.number(row, column)) is not None]
    if not values:
        return None
    if not question.asks("sum", "average") and re.search(r"price|rate|wage|per ", sheet.header(column)):
        return _told_rows(sheet, rows, [column])
    total = sum(value for _, _, value in values) / (len(values) if question.asks("average") else 1)
    kind = "average" if question.asks("average") else "total"
    each = ", ".join(f"{sheet.name(row)} {sheet.say(value, column)}" for _, row, value in values[:_MOST])
    said = sheet.say(round(total, 2), column)
    text = f"{kind} {sheet.header(column)}: {said} ({each}; {sheet.place})"
    return _found(sheet, text, _row_claims(sheet, [(number, row) for number, row, _ in values[:_MOST]], [column]))


def _summed(sheet: Sheet, question: Question, *, is_named: bool) -> Found | None:
    """Return the sum or average of a column, or how many rows there are."""
    named = [at for at in _columns(sheet, question) if at in sheet.numbers]
    if question.asks("sum", "average") and named and (is_named or _is_about(sheet, question)):
        return _totalled(sheet, list(enumerate(sheet.table.rows)), named[0], question)
    own = {*core(sheet.table.header[sheet.names]), *core(sheet.document.file.rpartition(".")[0])}
    is_all = question.topic and all(covering(one, list(own)) or one in _OF_PEOPLE for one in question.topic)
    if question.asks("count") and is_all and any(covering(one, list(own)) for one in question.topic):
        number = len(sheet.table.rows)
        text = f"{sheet.place} lists {number}: {', '.join(sheet.name(row) for row in sheet.table.rows[:_MOST])}"
        return _found(sheet, text, (Claim(sheet.document.name, "rows", number),))
    return None


def _stems(text: str) -> list[str]:
    return [stem for word in re.findall(r"\w+", text.lower()) for stem in stems_of(word)]
