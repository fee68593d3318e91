"""Questions that a table answers: rows that meet a condition, the value of a row, the highest row, a sum."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mabos.language.request import Claim
from mabos.society.documents import DocumentText, TextTable
from mabos.society.quantities import read_amount
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.synonyms import core, coverage, covering, stems_of
from mabos.tools.requests.answers.wording import label, money_or_number, sentence, unit_of

_BELOW = re.compile(
    r"\b(?:below|under|less than|fewer than|lower than|short of|beneath|smaller than|not reach\w*|"
    r"running low|too low)\b",
    re.IGNORECASE,
)
_ABOVE = re.compile(r"\b(?:above|over|more than|higher than|exceed\w*|beyond|greater than|larger than)\b", re.I)
_DATED = frozenset({"month", "date", "week", "day", "period", "quarter", "year"})
_BOUNDS = frozenset(
    core("minimum maximum min max target limit reorder threshold required needed wanted budget plan planned")
)
_STOCKS = frozenset(core("stock in_stock on_hand quantity qty current actual available level left have held spent"))
_GAP = re.compile(
    r"\b(?:missing|miss|lack\w*|short|by how much|how (?:much|many)|needed|difference|reorder|order)\b", re.I
)
_MOST = 12


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
        return self.table.header[column].replace("_", " ").strip().lower()


def sheets_of(documents: Sequence[DocumentText]) -> list[Sheet]:
    """Return the tables of documents that list things; tables of figures by date are series."""
    found = []
    for document in documents:
        for table in document.tables:
            width = len(table.header)
            numbers = tuple(at for at in range(width) if _is_numeric(table, at))
            texts = [at for at in range(width) if at not in numbers]
            if texts and table.header[0].casefold().strip() not in _DATED:
                found.append(Sheet(table, document, texts[0], numbers))
    return found


def _is_numeric(table: TextTable, at: int) -> bool:
    cells = [row[at] for row in table.rows if at < len(row) and row[at]]
    return bool(cells) and sum(read_amount(one) is not None for one in cells) > len(cells) / 2


def answer_tables(question: Question, documents: Sequence[DocumentText], *, is_named: bool = False) -> Found | None:
    """Return what the tables of documents say to a question; None where none bears on it."""
    for sheet in sheets_of(documents):
        for read in (_compared, _of_row, _extreme, _filtered, _summed):
            if found := read(sheet, question, is_named=is_named):
                return found
    return None


def _columns(sheet: Sheet, question: Question) -> list[int]:
    """Return the columns that a question names, best first."""
    shares = [(coverage(header, question.stems)[0], at) for at, header in enumerate(sheet.table.header)]
    return [at for share, at in sorted(shares, key=lambda one: (-one[0], one[1])) if share > 0.45]


def _row_claims(sheet: Sheet, rows: Sequence[tuple[int, Sequence[str]]], columns: Sequence[int]) -> tuple[Claim, ...]:
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
    if test is None or not sheet.numbers:
        return None
    tail = question.text[test.end() :]
    named = [at for at in _columns(sheet, question) if at in sheet.numbers]
    bound = next((at for at in sheet.numbers if coverage(sheet.table.header[at], _stems(tail))[0] > 0.45), None)
    given = re.search(r"^\W*(?:than |of )?[$€£]?(\d[\d,.]*)", tail)
    if bound is None and given is None:
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


def _gap(
    sheet: Sheet, row: Sequence[str], value: float, edge: float, columns: tuple[int, int | None], *, is_below: bool
) -> str:
    column, bound = columns
    of = f" of {sheet.say(edge, column)}" if bound is not None else ""
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
    rows = []
    for number, row in enumerate(sheet.table.rows):
        parts = [one for one in core(sheet.name(row)) if len(one) > 1] if len(row) > sheet.names else []
        hits = [one for one in parts if covering(one, question.topic)]
        if hits and (len(hits) == len(parts) or hits[0] == parts[0]):
            rows.append((len(hits) / len(parts), number, row))
    if not rows:
        return None
    best = max(share for share, _, _ in rows)
    chosen = [(number, row) for share, number, row in rows if share == best]
    columns = [at for at in _columns(sheet, question) if at != sheet.names]
    words = {stem for _, row in chosen for stem in core(sheet.name(row))}
    left = [stem for stem in question.topic if not covering(stem, list(words))]
    left = [stem for stem in left if not any(covering(stem, core(sheet.table.header[at])) for at in columns)]
    if len(chosen) > _MOST or (left and not is_named and not columns) or any(stem in question.proper for stem in left):
        return None
    if not columns and question.asks("count", "amount"):
        columns = [at for at in [_measured(sheet, [], None)] if at is not None]
    columns = columns[:3] or [at for at in range(len(sheet.table.header)) if at != sheet.names][:6]
    told = []
    for _, row in chosen:
        cells = ", ".join(f"{sheet.header(at)} {_cell(sheet, row, at)}" for at in columns if at < len(row) and row[at])
        told.append(f"{sheet.name(row)}: {cells or 'nothing is filled in'}")
    return _found(sheet, f"{'; '.join(told)} ({sheet.place})", _row_claims(sheet, chosen, columns))


def _cell(sheet: Sheet, row: Sequence[str], at: int) -> str:
    value = sheet.number(row, at) if at in sheet.numbers else None
    is_plain = value is not None and re.fullmatch(r"-?\d+(\.\d+)?", row[at].strip())
    return sheet.say(value, at) if value is not None and is_plain else row[at]


def _extreme(sheet: Sheet, question: Question, *, is_named: bool) -> Found | None:
    """Return the row with the highest or lowest value of a column."""
    if not question.asks("best", "worst") or not (is_named or _is_about(sheet, question)):
        return None
    named = [at for at in _columns(sheet, question) if at in sheet.numbers]
    column = next(iter(named), sheet.numbers[0] if len(sheet.numbers) == 1 else None)
    if column is None:
        return None
    rows = [
        (value, number, row)
        for number, row in enumerate(sheet.table.rows)
        if (value := sheet.number(row, column)) is not None
    ]
    pick, word = (max, "highest") if question.asks("best") else (min, "lowest")
    edge = pick(value for value, _, _ in rows)
    chosen = [(number, row) for value, number, row in rows if value == edge]
    names = ", ".join(sheet.name(row) for _, row in chosen[:_MOST])
    text = f"the {word} {sheet.header(column)} is {sheet.say(edge, column)}: {names} ({sheet.place})"
    return _found(sheet, text, _row_claims(sheet, chosen[:_MOST], [column]))


def _filtered(sheet: Sheet, question: Question, *, is_named: bool) -> Found | None:
    """Return the rows that have the value of a text column which a question names."""
    texts = [at for at in range(len(sheet.table.header)) if at not in sheet.numbers and at != sheet.names]
    for column in texts:
        for value in dict.fromkeys(row[column] for row in sheet.table.rows if column < len(row) and row[column]):
            parts = core(value)
            if (
                parts
                and all(covering(one, question.topic) for one in parts)
                and (is_named or _is_about(sheet, question))
            ):
                rows = [
                    (number, row)
                    for number, row in enumerate(sheet.table.rows)
                    if len(row) > column and row[column] == value
                ]
                names = ", ".join(sheet.name(row) for _, row in rows[:_MOST])
                text = f"{len(rows)} with {sheet.header(column)} {value}: {names} ({sheet.place})"
                return _found(sheet, text, _row_claims(sheet, rows[:_MOST], [column]))
    return None


def _summed(sheet: Sheet, question: Question, *, is_named: bool) -> Found | None:
    """Return the sum or average of a column, or how many rows there are."""
    named = [at for at in _columns(sheet, question) if at in sheet.numbers]
    if not (is_named or (_is_about(sheet, question) and named)):
        return None
    if question.asks("sum", "average") and named:
        values = [value for row in sheet.table.rows if (value := sheet.number(row, named[0])) is not None]
        total = sum(values) / (1 if question.asks("sum") else len(values))
        kind = "total" if question.asks("sum") else "average"
        said = sheet.say(round(total, 2), named[0])
        text = f"{kind} {sheet.header(named[0])} of {len(values)} rows: {said} ({sheet.place})"
        return _found(sheet, text, (Claim(sheet.document.name, f"{kind} {sheet.header(named[0])}", total),))
    if question.asks("count") and set(core(sheet.table.header[sheet.names])) >= set(question.topic):
        name = label(sheet.table.header[sheet.names])
        return _found(
            sheet,
            f"{sheet.place} lists {len(sheet.table.rows)} rows of {name}",
            (Claim(sheet.document.name, "rows", len(sheet.table.rows)),),
        )
    return None


def _stems(text: str) -> list[str]:
    return [stem for word in re.findall(r"\w+", text.lower()) for stem in stems_of(word)]
