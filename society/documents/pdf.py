"""PDF files as passages and tables by page, through pdfplumber; image-only pages are listed but not read.

A table follows its ruling lines. Without lines, columns follow the words of the header. If a word may belong to two
columns, the lines become passages instead of a table.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mabos.society.documents.grids import Cells, read_grid
from mabos.society.documents.guard import Unreadable
from mabos.society.documents.prose import first_title, of_text
from mabos.society.documents.sheets import needs
from mabos.society.documents.text import DocumentText, Passage, TextTable
from mabos.society.quantities import read_amount
from mabos.workspace.text import one_line

_MOST_PAGES = 200
_MOST_PAGES_WITH_TABLES = 60
_FEW_LETTERS = 20


def read_pdf(name: str, content: bytes) -> DocumentText:
    """Return the paragraphs and tables of a PDF by page."""
    try:
        import pdfplumber
        from pdfminer.pdfdocument import PDFPasswordIncorrect
        from pdfplumber.utils.exceptions import PdfminerException
    except ModuleNotFoundError:
        return DocumentText(name, problem=needs("pdfplumber"))
    try:
        file = pdfplumber.open(io.BytesIO(content))
    except PdfminerException as wrong:
        if wrong.args and isinstance(wrong.args[0], PDFPasswordIncorrect):
            raise Unreadable("is protected by a password; save a copy without one") from wrong
        raise
    with file as pages:
        return _read(name, pages)


def _read(name: str, file: Any) -> DocumentText:
    passages, tables, notes = list[Passage](), list[TextTable](), list[str]()
    count, pictures = len(file.pages), list[int]()
    for number, page in enumerate(file.pages[:_MOST_PAGES], 1):
        boxes = list[tuple[float, ...]]()
        for box, rows in _tables(page) if number <= _MOST_PAGES_WITH_TABLES else ():
            found = read_grid(rows)
            if found.tables:
                boxes.append(box)
                tables = _append_tables(tables, found.tables, number)
                passages += [Passage(one.text, f"page {number}") for one in found.passages]
        text = _outside(page, boxes).extract_text() or ""
        passages += [replace(one, place=f"page {number}") for one in of_text(name, paragraphs(text)).passages]
        if len(text.strip()) < _FEW_LETTERS and not boxes and page.images:
            pictures.append(number)
        page.close()
    if len(pictures) == count:
        return DocumentText(name, problem="holds pictures of pages and no text; scan it with text recognition")
    if pictures:
        which = ", ".join(map(str, pictures[:10])) + (" and others" if len(pictures) > 10 else "")
        pages = "page" if len(pictures) == 1 else "pages"
        notes.append(f"{pages} {which} of {count} {'is a picture' if len(pictures) == 1 else 'are pictures'}; not read")
    if count > _MOST_PAGES:
        notes.append(f"only the first {_MOST_PAGES} of {count} pages are read")
    problem = "" if passages or tables else "holds no text"
    title = one_line(first_title(passages))
    return DocumentText(name, tuple(passages), tuple(tables), title, problem=problem, notes=tuple(notes))


def _outside(page: Any, boxes: Sequence[tuple[float, ...]]) -> Any:
    """Return a page without the contents of its tables."""

    def is_outside(one: dict[str, Any]) -> bool:
        x, y = (one["x0"] + one["x1"]) / 2, (one["top"] + one["bottom"]) / 2
        return not any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in boxes)

    return page.filter(is_outside) if boxes else page


def _tables(page: Any) -> Iterator[tuple[tuple[float, ...], list[Cells]]]:
    """Yield the tables of a page: those with lines, then those whose columns only white space separates."""
    ruled = list[tuple[float, ...]]()
    if page.lines or page.rects or page.curves:
        for table in page.find_tables():
            rows = table.extract()
            if len(rows) > 1 and len(rows[0]) > 1:
                own = [at for at in range(len(rows[0])) if at == 0 or any(row[at] for row in rows)]
                shown = [[row[at] for at in own] for row in rows]
                cells = [_cells(row, f"row {number}") for number, row in enumerate(shown, 1)]
                if not _is_ruled(rows):
                    cells = _by_line(page, table)
                if cells:
                    ruled.append(table.bbox)
                    yield table.bbox, cells
    yield from _find_aligned_tables(_outside(page, ruled))


def _is_ruled(rows: Sequence[Sequence[str | None]]) -> bool:
    """Return whether lines part all cells: several numbers in one cell are those of several rows or columns."""
    lone = sum(len([one for one in row if one]) == 1 and _numbers(next(filter(None, row))) > 1 for row in rows)
    filled = [cell for row in rows for cell in row if cell]
    stacked = sum(_numbers(cell) > 1 and "\n" in cell for cell in filled)
    return lone <= len(rows) / 2 and stacked <= 0.2 * len(filled)


def _numbers(text: str) -> int:
    return sum(read_amount(one) is not None for one in text.split())


def _by_line(page: Any, table: Any) -> list[Cells]:
    """Return a table whose lines part its columns alone: each line of text is a row; nothing without a first column."""
    edges = sorted({round(side, 1) for cell in table.cells for side in (cell[0], cell[2])})
    edges = [one for at, one in enumerate(edges) if at == 0 or one - edges[at - 1] > 3]
    rows = list[list[str]]()
    for words in _lines(page.crop(table.bbox, strict=False)):
        row = [""] * (len(edges) - 1)
        for word in words:
            middle = (word["x0"] + word["x1"]) / 2
            at = sum(edge <= middle for edge in edges[1:-1])
            row[at] = f"{row[at]} {word['text']}".strip()
        rows.append(row)
    is_named = sum(bool(row[0]) and read_amount(row[0]) is None for row in rows) > len(rows) / 2
    is_parted = sum(_numbers(cell) > 1 for row in rows for cell in row) <= len(rows) / 2
    return [Cells(tuple(row), f"row {number}") for number, row in enumerate(rows, 1)] if is_named and is_parted else []


def _cells(row: Sequence[str | None], place: str) -> Cells:
    """Return a row of a table with lines, in which a merged cell is filled from the left."""
    texts, spans = list[str](), set[int]()
    for at, text in enumerate(row):
        spans |= {at} if text is None and at else set()
        texts.append(texts[-1] if text is None and texts else text or "")
    return Cells(tuple(texts), place, frozenset(spans))


@dataclass(frozen=True, slots=True)
class _WordGroup:
    """A group of words close together on a line."""

    text: str
    left: float
    right: float
    top: float
    bottom: float


def _find_aligned_tables(page: Any) -> Iterator[tuple[tuple[float, ...], list[Cells]]]:
    """Yield the tables of three lines and more whose pieces are aligned under those of the first."""
    lines = [_pieces(words) for words in _lines(page)]
    at = 0
    while at < len(lines):
        header, body = lines[at], list[list[str]]()
        end = at + 1
        while len(header) > 2 and end < len(lines) and (row := _under(header, lines[end])):
            body.append(row)
            end += 1
        if len(body) > 1 and _has_numbers(body):
            pieces = [piece for line in lines[at:end] for piece in line]
            box = (min(one.left for one in pieces), header[0].top,
                   max(one.right for one in pieces), max(one.bottom for one in pieces))  # fmt: skip
            rows = [[one.text for one in header], *body]
            yield box, [Cells(tuple(row), f"row {number}") for number, row in enumerate(rows, 1)]
            at = end
        else:
            at += 1


def _has_numbers(body: Sequence[Sequence[str]]) -> bool:
    """Return whether one column at least is of numbers: columns of prose are no table."""
    columns = zip(*body, strict=True)
    return any(sum(read_amount(one) is not None for one in cells) > len(body) / 2 for cells in columns)


def _lines(page: Any) -> Iterator[list[dict[str, Any]]]:
    line = list[dict[str, Any]]()
    for word in sorted(page.extract_words(), key=lambda one: (round(one["top"]), one["x0"])):
        if line and abs(word["top"] - line[0]["top"]) > 0.5 * (word["bottom"] - word["top"]):
            yield sorted(line, key=lambda one: one["x0"])
            line = []
        line.append(word)
    if line:
        yield sorted(line, key=lambda one: one["x0"])


def _pieces(words: Sequence[dict[str, Any]]) -> list[_WordGroup]:
    pieces = list[_WordGroup]()
    for word in words:
        height = word["bottom"] - word["top"]
        if pieces and word["x0"] - pieces[-1].right < 0.7 * height:
            last = pieces.pop()
            pieces.append(_WordGroup(f"{last.text} {word['text']}", last.left, word["x1"], last.top, word["bottom"]))
        else:
            pieces.append(_WordGroup(word["text"], word["x0"], word["x1"], word["top"], word["bottom"]))
    return pieces


def _under(header: Sequence[_WordGroup], line: Sequence[_WordGroup]) -> list[str]:
    """Return the cells of a line under a header, or nothing where a piece belongs to no column or to two."""
    cells = [""] * len(header)
    for piece in line:
        over = [min(piece.right, one.right) - max(piece.left, one.left) for one in header]
        touching = [at for at, width in enumerate(over) if width > 0]
        if len(touching) != 1 or cells[touching[0]]:
            return []
        cells[touching[0]] = piece.text
    return cells if len(line) > 1 else []


def _append_tables(tables: list[TextTable], found: Sequence[TextTable], page: int) -> list[TextTable]:
    """Return the tables with those of a page; one with the header of the last goes on with it."""
    for table in found:
        number = sum(1 for one in tables if one.places and one.places[0].startswith(f"page {page},")) + 1
        places = tuple(f"page {page}, table {number}, {table.place(at)}" for at in range(len(table.rows)))
        last = tables[-1] if tables else None
        if last is not None and last.header == table.header and not last.places[-1].startswith(f"page {page},"):
            rows, at = (*last.rows, *table.rows), (*last.places, *places)
            tables = [*tables[:-1], replace(last, rows=rows, places=at)]
        else:
            tables = [*tables, replace(table, places=places)]
    return tables


def paragraphs(text: str) -> str:
    """Return the text of a page with an empty line after each short line, which ends a paragraph."""
    lines = text.splitlines()
    full = max(map(len, lines), default=0)
    return "\n".join(f"{one}\n" if len(one) < 0.85 * full or one.endswith((".", "!", "?")) else one for one in lines)
