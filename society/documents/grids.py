"""Tables of any format from rows of cells: merged cells filled, tables separated, titles and notes as passages.

found = read_grid([Cells(("Item", "In stock"), "A3:B3"), Cells(("Gauze", "140"), "A4:B4")], name="Stock")
found.tables[0].header           # ('Item', 'In stock')
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from mabos.society.documents.text import Passage, TextTable
from mabos.society.quantities import is_missing, read_amount
from mabos.workspace.dates import day_named
from mabos.workspace.text import one_line

MOST_ROWS = 5_000
"""Rows of a table that are read."""

MOST_COLUMNS = 500
LONGEST_CELL = 2_000


@dataclass(frozen=True, slots=True)
class Cells:
    """The cells of a row and its position; `spans` are the columns that continue the merged cell before them."""

    texts: tuple[str, ...]
    place: str = ""
    spans: frozenset[int] = frozenset()


@dataclass(slots=True)
class Grid:
    """The result of reading rows of cells: tables, and the other lines around them."""

    tables: list[TextTable] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)


def read_grid(rows: Iterable[Cells], name: str = "") -> Grid:
    """Return the tables in some rows, separated by empty rows before a header."""
    grid = Grid()
    for block in _blocks(rows):
        _read_block(block, name, grid)
    return grid


def _blocks(rows: Iterable[Cells]) -> Iterator[list[Cells]]:
    """Yield the rows of one table at a time, without empty ones."""
    block, is_after_gap = list[Cells](), False
    for row in rows:
        texts = tuple(one_line(one)[:LONGEST_CELL] for one in row.texts[:MOST_COLUMNS])
        cells = Cells(texts, row.place, row.spans)
        if not any(texts):
            is_after_gap = bool(block)
            continue
        if is_after_gap and (_count_filled_cells(cells) == 1 or _is_header(cells)):
            yield block
            block = []
        block.append(cells)
        is_after_gap = False
    if block:
        yield block


def _read_block(block: list[Cells], name: str, grid: Grid) -> None:
    """Add the table of a block, whose header is the first row with two cells, and the single cells above it."""
    start = next((at for at, row in enumerate(block) if _count_filled_cells(row) > 1), len(block))
    for row in block[:start]:
        text = next(filter(None, row.texts))
        grid.passages.append(Passage(text, f"sheet {name}, {row.place}" if name else row.place))
    if len(block) - start < 2:  # a lone row of two cells or more is a line of text
        grid.passages += [Passage(": ".join(filter(None, one.texts)), one.place) for one in block[start:]]
        return
    header, body = block[start], block[start + 1 :]
    if header.spans and len(body) > 1 and _is_header(body[0], least=1):
        header, body = _join_headers(header, body[0]), body[1:]
    width = max(len(one.texts) for one in (header, *body))
    used = [at for at in range(width) if any(_own(one, at) for one in body)]
    rows = tuple(tuple(_own(one, at) for at in used) for one in body[:MOST_ROWS])
    names = tuple(header.texts[at] if at < len(header.texts) else "" for at in used)
    places = tuple(f"sheet {name}, {one.place}" if name else one.place for one in body[:MOST_ROWS])
    grid.tables.append(TextTable(names, rows, name, places=places if all(one.place for one in body) else ()))


def _own(row: Cells, at: int) -> str:
    """Return a cell's own text: a cell that spans columns of the body belongs to the first, else a sum counts twice."""
    return row.texts[at] if at < len(row.texts) and at not in row.spans else ""


def _join_headers(above: Cells, below: Cells) -> Cells:
    """Return one header of two rows: a merged cell above names all columns under it."""
    pairs = [
        (above.texts[at] if at < len(above.texts) else "", below.texts[at] if at < len(below.texts) else "")
        for at in range(max(len(above.texts), len(below.texts)))
    ]
    return Cells(tuple(" ".join(dict.fromkeys(filter(None, pair))) for pair in pairs), below.place)


def _count_filled_cells(row: Cells) -> int:
    """Return how many cells hold something, merged ones once."""
    return sum(bool(text) and at not in row.spans for at, text in enumerate(row.texts))


def _is_header(row: Cells, *, least: int = 2) -> bool:
    """Return whether a row may name columns: it has several cells, and none is a number or a date."""
    texts = [text for at, text in enumerate(row.texts) if text and at not in row.spans]
    return len(texts) >= least and not any(
        read_amount(one) or day_named(one) or is_missing(one) or len(one) > 60 for one in texts
    )


def spread(rows: Iterable[Sequence[tuple[str, int, int]]], *, place: str = "") -> Iterator[Cells]:
    """Yield the rows of a table whose cells span columns and rows, as in HTML: (text, columns, rows) each."""
    below: dict[int, tuple[str, int]] = {}
    for number, row in enumerate(rows, 1):
        texts, spans, cells = list[str](), set[int](), iter(row)
        while True:
            at = len(texts)
            if at in below:
                text, left = below.pop(at)
                texts.append(text)
                if left > 1:
                    below[at] = (text, left - 1)
                continue
            cell = next(cells, None)
            if cell is None or at >= MOST_COLUMNS:
                break
            text, columns, lines = cell
            for more in range(min(max(columns, 1), MOST_COLUMNS)):
                texts.append(text)
                spans |= {at + more} if more else set()
                if lines > 1:
                    below[at + more] = (text, min(lines, MOST_ROWS) - 1)
        if number > MOST_ROWS:
            return
        yield Cells(tuple(texts), f"{place}row {number}", frozenset(spans))
