r"""A CSV table of metrics by month: tolerant of export formats, and clear about unreadable parts.

findings = read_metrics("Month;MRR (USD);Churn %\n2026-01;48.200;3,1", source="inbox/metrics.csv")
findings.observations[0]         # mrr is 48200 at 2026-01-31, inbox/metrics.csv:2
"""

import csv
import io
import re
from calendar import monthrange
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal

from mabos.society.findings import DocumentProblem, DocumentStatement, Findings
from mabos.society.german_terms import are_german, in_english
from mabos.society.quantities import (
    PERCENT,
    SHARES,
    Amount,
    Metric,
    is_missing,
    metric_named,
    plain,
    read_amount,
    unit_named,
    uses_decimal_comma,
)
from mabos.workspace.dates import WEEKDAYS, day_named, is_day_first, with_year
from mabos.workspace.text import one_line

_DELIMITERS = ",;\t|"
_LONGEST = 200  # characters of a cell that are read: no metric has a longer name, and no figure as many digits
_TOO_LONG = (
    f"a cell from here on has more than {csv.field_size_limit():,} characters, and its lines are not read; "
    "close its quotation mark"
)
_MOST_METRICS = 200  # metrics of a table that names one in each line; each gets a cell in every line
_SEPARATOR = re.compile(r"\ufeff?\"?sep=(?P<mark>[,;\t|])\"?\s*$", re.MULTILINE | re.IGNORECASE)
_NAME_HEADERS = frozenset({"metric", "kpi", "figure", "indicator", "measure", "name", "item", "kennzahl"})
_VALUE_HEADERS = frozenset({"value", "amount"})
_UNIT_HEADERS = frozenset({"unit", "currency", "währung"})
_MONTH = "month"
_FEW_WORDS = 3
_DAYS = frozenset(day[:3].lower() for day in WEEKDAYS)
_DATE_HEADERS = frozenset({_MONTH, "date", "period", "week", "quarter", "as of", "day", "year", "tag"})


@dataclass(frozen=True, slots=True)
class TableRow:
    """The cells of a row, and the unit named in one of them; in a transposed table each cell has its own line."""

    line: int
    cells: tuple[str, ...]
    lines: tuple[int, ...] = ()
    unit: str = ""

    def cell(self, at: int) -> str:
        """Return a cell; beyond the end it is empty."""
        return self.cells[at] if at < len(self.cells) else ""

    def line_of(self, at: int) -> int:
        """Return the file line of a cell."""
        return self.lines[at] if at < len(self.lines) else self.line


@dataclass(frozen=True, slots=True)
class Column:
    """A metric column: its position, its metric, and whether its numbers are fractions of 1."""

    at: int
    metric: Metric
    fractions: bool = False


def read_metrics(text: str, source: str) -> Findings:
    """Read a table of metrics, one observation per cell; an unreadable line becomes a problem."""
    told = _SEPARATOR.match(text)  # Excel says in a line of its own what separates cells
    delimiter = told["mark"] if told else delimiter_of(text)
    every, lost = _rows(text, delimiter)
    rows = [row for row in every if not (told and row.line == 1)]
    while len(rows) > 2 and _count_filled(rows[0]) == 1 < _count_filled(rows[1]):
        rows.pop(0)  # a title above the table
    beyond = tuple(DocumentProblem(f"{source}:{line}", _TOO_LONG) for line in lost)
    if not rows:
        empty = (DocumentProblem(f"{source}:1", "the file is empty; expected a header line with a month"),)
        return Findings(problems=beyond or empty)
    rows = _upright(_in_year(rows, source))
    header, body = rows[0], rows[1:]
    date_at = _date_column(header, body)
    if date_at is None:
        message = f"no column of dates in {', '.join(header.cells)[:80]!r}; name one Month or Date, as 2026-01"
        return Findings(problems=(*beyond, DocumentProblem(f"{source}:{header.line}", message)))
    is_german = delimiter == ";" or are_german([header.cell(date_at)])
    comma = uses_decimal_comma(_cells(body, date_at), otherwise=is_german)
    header, body, date_at, left_out = _spread(header, body, date_at)
    columns, problems = _columns(header, body, date_at, source, comma=comma)
    if _is_list(header, body, date_at, columns):
        return Findings(problems=beyond)
    if left_out:
        message = f"more than {_MOST_METRICS} metrics; those from {left_out[:40]!r} on are not read"
        problems.append(DocumentProblem(f"{source}:{header.line}", message))
    dated, undated = _date_rows(body, date_at, source)
    if _plain_heading(header.cell(date_at)) == _MONTH and all(day.day == 1 for _, day in dated):
        dated = [(row, day.replace(day=monthrange(day.year, day.month)[1])) for row, day in dated]
    observations: dict[tuple[str, str], DocumentStatement] = {}
    for row, day in dated:
        found, wrong = _read_row(row, columns, f"{day}T00:00:00.000Z", source, comma=comma)
        problems += [
            *wrong,
            *(_again(one, observations, day) for one in found if (one.subject, one.at) in observations),
        ]
        observations |= {(one.subject, one.at): one for one in found}
        extra = [cell for cell in row.cells[len(header.cells) :] if cell]
        if extra:
            problems.append(
                DocumentProblem(f"{source}:{row.line}", f"more cells than the header has: {extra[0][:40]!r}")
            )
    return Findings(tuple(observations.values()), (), tuple(sorted([*beyond, *problems, *undated], key=_line)))


def _count_filled(row: TableRow) -> int:
    return sum(bool(cell) for cell in row.cells)


def delimiter_of(text: str) -> str:
    """Return the cell delimiter: the character that splits most lines into the same number of cells."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")][:20]

    def steadiness(mark: str) -> tuple[int, int]:
        counts = [line.count(mark) for line in lines]
        common = max(set(counts), key=counts.count, default=0)
        return (counts.count(common) if common else 0, common)

    return max(_DELIMITERS, key=lambda mark: (steadiness(mark), -_DELIMITERS.index(mark)))


def render_observation(metric: Metric, amount: Amount, *, fractions: bool = False) -> tuple[str, str]:
    """Return value and unit in an observation's form: shares are percentages, money and counts plain numbers."""
    unit = amount.unit or metric.unit
    if metric.name in SHARES or unit == PERCENT:
        value = amount.value * 100 if fractions and amount.unit != PERCENT else amount.value
        return f"{plain(value)}%", PERCENT
    return plain(amount.value), unit


def _rows(text: str, delimiter: str) -> tuple[list[TableRow], list[int]]:
    """Return the rows that hold anything, and the lines that were lost to a cell beyond all bounds."""
    reader = csv.reader(io.StringIO(text.replace("\0", "")), delimiter=delimiter, skipinitialspace=True)
    rows: list[TableRow] = []
    lost: list[int] = []
    line = 1
    while True:
        try:
            cells = tuple(cell[:_LONGEST].strip() for cell in next(reader))
        except StopIteration:
            return rows, lost
        except csv.Error:  # a cell beyond the size that the reader allows: its line is lost, the others are not
            lost.append(line)
            line = reader.line_num + 1
            continue
        if any(cells) and not cells[0].startswith("#"):
            rows.append(TableRow(line, cells))
        line = reader.line_num + 1


def _in_year(rows: list[TableRow], source: str) -> list[TableRow]:
    """Return the rows with the year of the file's name behind bare months of the header or of the first column."""
    firsts = with_year([row.cell(0) for row in rows], source)
    rows = [replace(row, cells=(first, *row.cells[1:])) for row, first in zip(rows, firsts, strict=True)]
    return [replace(rows[0], cells=with_year(rows[0].cells, source)), *rows[1:]]


def _upright(rows: list[TableRow]) -> list[TableRow]:
    """Return the rows with one line a date; a table with months across the top is turned."""
    header = rows[0].cells
    if sum(day_named(cell) is not None for cell in header[1:]) < max(1, len(header[1:]) / 2):
        return rows
    lines = tuple(row.line for row in rows)
    names = TableRow(rows[0].line, ("Month", *(row.cell(0) for row in rows[1:])), lines)
    months = enumerate(header[1:], start=1)
    return [names, *(TableRow(lines[0], (month, *(row.cell(at) for row in rows[1:])), lines) for at, month in months)]


def names_metrics(header: Sequence[str]) -> bool:
    """Return whether each line of a table names a metric and its value."""
    titles = {_plain_heading(cell) for cell in header}
    return not titles.isdisjoint(_NAME_HEADERS) and not titles.isdisjoint(_VALUE_HEADERS)


def _spread(header: TableRow, body: list[TableRow], date_at: int) -> tuple[TableRow, list[TableRow], int, str]:
    """Return a table that names a metric and its value in each line as one with a column for each metric.

    The last is the first metric that is left out, or "".
    """
    titles = [_plain_heading(cell) for cell in header.cells]
    if not names_metrics(header.cells):
        return header, body, date_at, ""
    named = next(at for at, title in enumerate(titles) if title in _NAME_HEADERS)
    valued = next(at for at, title in enumerate(titles) if title in _VALUE_HEADERS)
    measured = next((at for at, title in enumerate(titles) if title in _UNIT_HEADERS), len(titles))
    every = list(dict.fromkeys(row.cell(named) for row in body))
    names, left_out = every[:_MOST_METRICS], "".join(every[_MOST_METRICS : _MOST_METRICS + 1])

    def spread(row: TableRow) -> TableRow:
        values = (row.cell(valued) if name == row.cell(named) else "" for name in names)
        return TableRow(row.line, (row.cell(date_at), *values), unit=unit_named(row.cell(measured)))

    return TableRow(header.line, ("Month", *names)), [spread(row) for row in body], 0, left_out


def _date_column(header: TableRow, body: Sequence[TableRow]) -> int | None:
    for at, cell in enumerate(header.cells):
        if _plain_heading(cell) in _DATE_HEADERS:
            return at
    for at in range(len(header.cells)):
        cells = [row.cell(at) for row in body if row.cell(at)]
        dated = sum(day_named(cell) is not None and not cell.isdigit() for cell in cells)
        if cells and dated > len(cells) / 2:
            return at
    return None


def _plain_heading(heading: str) -> str:
    return one_line(in_english(heading).casefold())


def _is_list(header: TableRow, body: Sequence[TableRow], date_at: int, columns: Sequence[Column]) -> bool:
    """Return whether rows are things that have a day, as invoices with a customer and the day they are due."""
    days = [row.cell(date_at) for row in body]
    if any(_names_things([row.cell(column.at) for row in body]) for column in columns):
        return True
    if date_at == 0 and _plain_heading(header.cell(0)) in _DATE_HEADERS and len(set(days)) == len(days):
        return False  # several rows of a day are of several things, and none is the figure of that day
    return has_words_alone([row.cell(column.at) for row in body] for column in columns)


def _names_things(cells: Sequence[str]) -> bool:
    """Return whether a column names another thing in each row, as the unit that is let: short, and never the same."""
    are_names = all(read_amount(cell) is None and not is_missing(cell) for cell in cells)
    are_names &= all(len(cell.split()) <= _FEW_WORDS for cell in cells)
    are_days = all(cell.casefold()[:3] in _DAYS for cell in cells)
    return len(cells) > 1 and len(set(cells)) == len(cells) and are_names and not are_days


def has_words_alone(columns: Iterable[Sequence[str]]) -> bool:
    """Return whether a column of a table has words and no number."""
    filled = ([cell for cell in cells if not is_missing(cell)] for cells in columns)
    return any(cells and all(read_amount(cell) is None for cell in cells) for cells in filled)


def _columns(
    header: TableRow, body: Sequence[TableRow], date_at: int, source: str, *, comma: bool
) -> tuple[list[Column], list[DocumentProblem]]:
    columns: list[Column] = []
    problems: list[DocumentProblem] = []
    where = f"{source}:{header.line}"
    for at, cell in enumerate(header.cells):
        if at == date_at:
            continue
        metric = metric_named(cell)
        filled = any(row.cell(at) for row in body)
        if metric is None:
            if filled:
                problems.append(DocumentProblem(where, f"column {at + 1} is called {cell!r}, an unknown metric"))
        elif any(column.metric.name == metric.name for column in columns):
            problems.append(
                DocumentProblem(where, f"column {cell!r} measures {metric.name} again; the first column counts")
            )
        else:
            columns.append(Column(at, metric, fractions=_are_fractions(metric, body, at, comma=comma)))
    return columns, problems


def _are_fractions(metric: Metric, body: Sequence[TableRow], at: int, *, comma: bool) -> bool:
    """Return whether a share is written 0.031 instead of 3.1: no number above 1, and no percent sign anywhere."""
    if metric.name not in SHARES or metric.unit == PERCENT:
        return False
    amounts = [read_amount(row.cell(at), decimal_comma=comma) for row in body]
    read = [amount for amount in amounts if amount is not None]
    return bool(read) and all(abs(amount.value) <= Decimal(1) and amount.unit != PERCENT for amount in read)


def _date_rows(
    body: Sequence[TableRow], date_at: int, source: str
) -> tuple[list[tuple[TableRow, date]], list[DocumentProblem]]:
    """Return the rows with their days, and a problem for each that has none."""
    is_abroad = not any("$" in cell for row in body for cell in row.cells)
    is_abroad &= any(mark in cell for row in body for cell in row.cells for mark in "£€")
    day_first = is_day_first((row.cell(date_at) for row in body), otherwise=is_abroad)
    dated: list[tuple[TableRow, date]] = []
    problems: list[DocumentProblem] = []
    for row in body:
        day, where = day_named(row.cell(date_at), day_first=day_first), f"{source}:{row.line}"
        if day is None:
            problems.append(
                DocumentProblem(where, f"{row.cell(date_at)[:40]!r} is not a month or date; expected 2026-01")
            )
            continue
        dated.append((row, day))
    return dated, problems


def _read_row(
    row: TableRow, columns: Sequence[Column], at: str, source: str, *, comma: bool
) -> tuple[list[DocumentStatement], list[DocumentProblem]]:
    observations: list[DocumentStatement] = []
    problems: list[DocumentProblem] = []
    for column in columns:
        cell, where = row.cell(column.at), f"{source}:{row.line_of(column.at)}"
        if is_missing(cell):
            continue
        amount = read_amount(cell, decimal_comma=comma)
        if amount is None:
            problems.append(DocumentProblem(where, f"{column.metric.name}: {cell[:40]!r} is not a number"))
            continue
        metric, is_fraction = column.metric, column.fractions and row.unit != PERCENT
        metric = replace(metric, unit=row.unit or metric.unit)
        value, unit = render_observation(metric, amount, fractions=is_fraction)
        observations.append(DocumentStatement(column.metric.name, "", value, at, where, unit))
    return observations, problems


def _again(
    later: DocumentStatement, earlier: Mapping[tuple[str, str], DocumentStatement], day: date
) -> DocumentProblem:
    line = earlier[later.subject, later.at].source.rpartition(":")[2]
    return DocumentProblem(later.source, f"{later.subject} of {day} is also in line {line}; the later line counts")


def _cells(body: Sequence[TableRow], date_at: int) -> list[str]:
    return [cell for row in body for at, cell in enumerate(row.cells) if at != date_at]


def _line(problem: DocumentProblem) -> int:
    return int(problem.source.rpartition(":")[2])
