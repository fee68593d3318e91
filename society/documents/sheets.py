"""Workbooks as tables with their ranges of cells; Excel needs openpyxl, older and open formats python-calamine.

Numbers keep the unit of their format: 0.172 in a percent cell is 17.2%. Hidden sheets are read, with a note; formulas
have their last saved value.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mabos.society.documents.grids import MOST_COLUMNS, MOST_ROWS, Cells, Grid, read_grid
from mabos.society.documents.guard import Unreadable, parts
from mabos.society.documents.text import DocumentText, Passage, TextTable

_MOST_CELLS = 5_000_000
_FULL = 300_000
"""Cells up to which a workbook is read whole, which shows merged cells."""

_MOST_SHEETS = 60
_CURRENCY = re.compile(r"\[\$([^\]-]*)|([$€£])|\b(EUR|USD|GBP)\b")


@dataclass(frozen=True, slots=True)
class SheetSize:
    """The size of a workbook before reading: its cells, and the number of formulas without a value."""

    cells: int = 0
    without_value: int = 0


def read_sheets(name: str, content: bytes) -> DocumentText:
    """Return the tables of an Excel workbook, sheet by sheet."""
    try:
        from openpyxl import load_workbook
    except ModuleNotFoundError:
        return DocumentText(name, problem=needs("openpyxl"))
    size = measure(content)
    book = load_workbook(io.BytesIO(content), read_only=size.cells > _FULL, data_only=True)
    notes = list[str]()
    if any(one.endswith("vbaProject.bin") for one in parts(content)):
        notes.append("has macros, which are not run")
    if size.without_value:
        formulas = "1 formula has" if size.without_value == 1 else f"{size.without_value} formulas have"
        notes.append(f"{formulas} no value yet; open the file in Excel or LibreOffice and save it")
    tables, passages = list[TextTable](), list[Passage]()
    for sheet in book.worksheets[:_MOST_SHEETS]:
        if sheet.sheet_state != "visible":
            notes.append(f"the sheet {sheet.title} is hidden; it was read all the same")
        found = read_grid(_rows(sheet, is_whole=size.cells <= _FULL), sheet.title)
        _keep(found, tables, passages)
        if any(len(table.rows) >= MOST_ROWS for table in found.tables):
            notes.append(f"of the sheet {sheet.title} only the first {MOST_ROWS:,} rows are read")
    if len(book.worksheets) > _MOST_SHEETS:
        notes.append(f"only the first {_MOST_SHEETS} of {len(book.worksheets)} sheets are read")
    book.close()
    return DocumentText(name, tuple(passages), tuple(tables), notes=tuple(notes))


def _keep(found: Grid, tables: list[TextTable], passages: list[Passage]) -> None:
    tables += found.tables
    passages += found.passages


def needs(package: str) -> str:
    """Return how to install a package that a reader needs."""
    return f"needs the package {package}, which is not installed; run: pip install 'mabos[documents]'"


def measure(content: bytes) -> SheetSize:
    """Return the size of a workbook's sheets; raises `Unreadable` above five million cells.

    A sheet with cells in two opposite corners spans seventeen billion, and some readers allocate them all.
    """
    from lxml import etree

    cells = without = 0
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        for name in parts(content, start="xl/worksheets/", ending=".xml"):
            rows = widest = 0
            with packed.open(name) as file:
                for _, cell in etree.iterparse(file, tag="{*}c", resolve_entities=False, no_network=True):
                    row, column = _corner(cell.get("r", ""))
                    rows, widest = max(rows, row), max(widest, column)
                    has_formula = cell.find("{*}f") is not None
                    without += has_formula and not (cell.findtext("{*}v") or "").strip()
                    if rows * widest + cells > _MOST_CELLS:
                        raise Unreadable("spans more than five million cells; delete distant cells")
                    cell.clear()
            cells += rows * widest
    return SheetSize(cells, without)


def _corner(reference: str) -> tuple[int, int]:
    found = re.fullmatch(r"([A-Z]{1,3})(\d{1,7})", reference)
    if found is None:
        return 0, 0
    column = 0
    for letter in found[1]:
        column = 26 * column + ord(letter) - 64
    return int(found[2]), column


def _rows(sheet: Any, *, is_whole: bool) -> Iterator[Cells]:
    """Yield the rows of a sheet, merged cells filled with the text of their first one."""
    filled: dict[tuple[int, int], tuple[str, bool]] = {}
    for merged in sheet.merged_cells.ranges if is_whole else ():
        first = sheet.cell(merged.min_row, merged.min_col)
        for row in range(merged.min_row, min(merged.max_row, MOST_ROWS) + 1):
            for column in range(merged.min_col, min(merged.max_col, MOST_COLUMNS) + 1):
                filled[row, column] = (render_cell(first.value, first.number_format), column > merged.min_col)
    # A sheet that is read whole makes the cells that it is asked for, and one read in passing may not know its size.
    most = (min(MOST_ROWS, sheet.max_row or MOST_ROWS), min(MOST_COLUMNS, sheet.max_column or MOST_COLUMNS))
    for number, row in enumerate(sheet.iter_rows(max_row=most[0], max_col=most[1]), 1):
        texts = [render_cell(cell.value, getattr(cell, "number_format", "")) for cell in row]
        spans = set[int]()
        for at in range(len(texts)):
            if (number, at + 1) in filled:
                texts[at], is_span = filled[number, at + 1]
                spans |= {at} if is_span else set()
        used = [at for at, text in enumerate(texts) if text]
        yield Cells(tuple(texts), _range(number, used[0], used[-1]) if used else "", frozenset(spans))


def _range(row: int, first: int, last: int) -> str:
    start = f"{letters(first)}{row}"
    return start if first == last else f"{start}:{letters(last)}{row}"


def letters(column: int) -> str:
    """Return the letters of a column, counted from 0: AB is 27."""
    text, rest = "", column + 1
    while rest:
        rest, last = divmod(rest - 1, 26)
        text = chr(65 + last) + text
    return text


def render_cell(value: Any, number_format: str = "") -> str:
    """Return a cell as people read it: with percent sign or currency, dates without midnight, 12 instead of 12.0.

    >>> render_cell(0.172, "0.0%"), render_cell(1200.0, '#,##0 "EUR"'), render_cell(12.0)
    ('17.2%', '1200 EUR', '12')
    """
    if value is None:
        return ""
    if hasattr(value, "isoformat"):
        return str(value.isoformat()).removesuffix("T00:00:00")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if "%" in number_format:
        return f"{_number(round(value * 100, 6))}%"
    found = _CURRENCY.search(number_format)
    unit = next(filter(None, found.groups()), "").strip() if found else ""
    return f"{_number(value)} {unit}".strip()


def _number(value: float) -> str:
    """Return a number in digits; three decimals get a fourth, since 3.125 could be three thousand in German."""
    rounded = round(value, 10)
    text = str(int(rounded)) if rounded == int(rounded) else repr(rounded)
    return f"{text}0" if re.fullmatch(r"-?\d{1,3}\.\d{3}", text) else text


def read_other_sheets(name: str, content: bytes) -> DocumentText:
    """Return the tables of an old Excel workbook or an OpenDocument one."""
    try:
        from python_calamine import CalamineWorkbook, SheetVisibleEnum
    except ModuleNotFoundError:
        return DocumentText(name, problem=needs("python-calamine"))
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    tables, passages, notes = list[TextTable](), list[Passage](), list[str]()
    for sheet in book.sheets_metadata[:_MOST_SHEETS]:
        if sheet.visible != SheetVisibleEnum.Visible:
            notes.append(f"the sheet {sheet.name} is hidden; it was read all the same")
        rows = book.get_sheet_by_name(sheet.name).to_python(skip_empty_area=False, nrows=MOST_ROWS)
        _keep(read_grid(_plain_rows(rows), sheet.name), tables, passages)
    return DocumentText(name, tuple(passages), tuple(tables), notes=tuple(notes))


def _plain_rows(rows: Any) -> Iterator[Cells]:
    for number, row in enumerate(rows, 1):
        texts = tuple(render_cell(value) for value in row[:MOST_COLUMNS])
        used = [at for at, text in enumerate(texts) if text]
        yield Cells(texts, _range(number, used[0], used[-1]) if used else "")
