"""Text, Markdown, HTML and CSV as passages and tables."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mabos.society.decoding import decode_text
from mabos.society.documents.grids import Cells, read_grid, spread
from mabos.society.documents.text import DocumentText, Passage, TextTable
from mabos.society.metrics_file import delimiter_of, has_words_alone, names_metrics
from mabos.workspace.dates import day_named, with_year
from mabos.workspace.text import one_line

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*\s*")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.*\S)\s*")
_FIELD = re.compile(r"(?:\*\*|__)?[^\W\d_][^:|.?!]{0,48}:(?:\*\*|__)?\s+\S.*")
_RULE = re.compile(r"\s*\|?\s*:?-{3,}:?\s*(\|\s*:?-{3,}:?\s*)*\|?\s*")
_UNDERLINE = re.compile(r"\s*(?:={3,}|-{3,})\s*")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_LONGEST = 2_000
_FEW_LETTERS = 20


@dataclass(slots=True)
class _Paragraph:
    """Lines that belong together while a text is read, under the heading above them."""

    start: int = 0
    heading: str = ""
    lines: tuple[str, ...] = ()


def read_markdown(name: str, content: bytes) -> DocumentText:
    """Return the paragraphs, list items and tables of a text; soft line ends are joined."""
    return of_text(name, decode_text(content))


def of_text(name: str, text: str) -> DocumentText:
    """Return a text as passages and tables."""
    lines = [line[:_LONGEST] for line in text.splitlines()]
    passages = tuple(_passages(lines))
    title = next((found[1] for line in lines if (found := _HEADING.fullmatch(line.strip()))), "")
    return DocumentText(name, passages, tuple(_tables(lines)), title=plain(title) or first_title(passages))


def first_title(passages: Sequence[Passage]) -> str:
    """Return the first line of a document if it is a title: short, and not a sentence."""
    first = passages[0].text if passages else ""
    return first if len(first) <= 80 and not first.endswith((".", "!", "?", ",", ":", ";")) and ":" not in first else ""


def plain(text: str) -> str:
    """Return a text on one line without emphasis, and links as their text."""
    return one_line(re.sub(r"(\*\*|__|`)", "", _LINK.sub(r"\1", text)))


def _passages(lines: Sequence[str]) -> Iterator[Passage]:
    open_one = _Paragraph()
    for number, raw in enumerate([*lines, ""], 1):
        line = raw.strip()
        heading, item = _HEADING.fullmatch(line), _ITEM.fullmatch(raw)
        below = lines[number].strip() if number < len(lines) else ""
        is_title = bool(line and _UNDERLINE.fullmatch(below) and not open_one.lines and "|" not in line)
        starts = bool(heading or item or is_title or _FIELD.fullmatch(line))
        if open_one.lines and (not line or starts or line.startswith("|") or _UNDERLINE.fullmatch(line)):
            yield Passage(plain(" ".join(open_one.lines)), f"line {open_one.start}", open_one.heading)
            open_one.lines = ()
        if heading or is_title:
            open_one.heading = plain(heading[1] if heading else line)
        elif line and not line.startswith(("|", "```", "<!--")) and not _UNDERLINE.fullmatch(line):
            open_one.start = open_one.start if open_one.lines else number
            open_one.lines = (*open_one.lines, item["text"] if item else line)


def _tables(lines: Sequence[str]) -> Iterator[TextTable]:
    block: list[tuple[int, str]] = []
    for number, line in enumerate([*lines, ""], 1):
        if line.strip().startswith("|"):
            block.append((number, line))
        elif block:
            rows = [(at, _cells(row)) for at, row in block if not _RULE.fullmatch(row)]
            if len(rows) > 1:
                yield TextTable(rows[0][1], tuple(cells for _, cells in rows[1:]), first=rows[1][0])
            block = []


def _cells(line: str) -> tuple[str, ...]:
    return tuple(plain(cell) for cell in line.strip().strip("|").split("|"))


def read_csv(name: str, content: bytes) -> DocumentText:
    """Return the tables of a text; the first row of each is its header."""
    text = decode_text(content).replace("\0", "")
    delimiter = delimiter_of(text)
    rows = csv.reader(io.StringIO(text), delimiter=delimiter, skipinitialspace=True)
    found = read_grid(Cells(tuple(row), f"row {number}") for number, row in enumerate(rows, 1))
    tables = tuple(replace(one, delimiter=delimiter) for one in found.tables)
    return DocumentText(name, tuple(found.passages), tables)


def as_csv(table: TextTable) -> str:
    """Return a table as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text, delimiter=table.delimiter).writerows([table.header, *table.rows])
    return text.getvalue()


_OF_THINGS = 3
"""Columns of words from which the rows of a table are things with a day, as bookings, and no values of figures."""


def is_series(table: TextTable, source: str = "") -> bool:
    """Return whether a table has figures by date: its first column or its header contains dates.

    Bare months are of the year that the name of the file, `source`, has.

    A list with dates elsewhere, as orders with due days, is not a series, nor is a table from outside.
    """
    if table.is_from_outside:
        return False
    columns = [[row[at] for row in table.rows if at < len(row)] for at in range(1, len(table.header))]
    if sum(has_words_alone([cells]) for cells in columns) >= _OF_THINGS:
        return False
    first = list(with_year([row[0] for row in table.rows if row[0]], source))
    if len(set(first)) < len(first) and not names_metrics(table.header) and has_words_alone(columns):
        return False  # several rows of a day are of several things
    down = sum(day_named(one) is not None for one in first)
    across = sum(day_named(one) is not None for one in with_year(table.header, source))
    return (down > len(first) / 2) or across > 1


def read_html(name: str, content: bytes) -> DocumentText:
    """Return the paragraphs and tables of a page."""
    return of_html(name, decode_text(content))


def of_html(name: str, text: str) -> DocumentText:
    """Return the visible text of a page as passages, and its tables."""
    from lxml import html

    page = html.fromstring(text if text.strip() else "<p></p>")
    for hidden in list(page.iter("script", "style", "head", "template", "noscript")):
        hidden.drop_tree()
    tables, passages = list[TextTable](), list[Passage]()
    heading = ""
    for block in page.iter(*_PASSAGES, "table"):
        if block.tag == "table":
            found = read_grid(spread(_spans(block), place=f"table {len(tables) + 1}, "))
            tables += found.tables
            passages += [Passage(one.text, one.place, heading) for one in found.passages]
        elif said := one_line("".join(_own_text(block))):
            is_heading = isinstance(block.tag, str) and re.fullmatch(r"h[1-6]", block.tag) is not None
            passages.append(Passage(said, f"paragraph {len(passages) + 1}", "" if is_heading else heading))
            heading = said if is_heading else heading
    is_lost = not passages and not tables and len(re.sub(r"<[^>]*>|\s", "", text)) > _FEW_LETTERS
    problem = "is nested too deeply to be read" if is_lost else ""
    return DocumentText(name, tuple(passages), tuple(tables), problem=problem)


def _spans(table: "HtmlElement") -> Iterator[list[tuple[str, int, int]]]:
    """Yield the rows of a table itself, not of tables inside of it, with each cell's spans."""
    for row in table.iter("tr"):
        if next(row.iterancestors("table")) is table:
            cells = [one for one in row if one.tag in ("td", "th")]
            yield [(one.text_content(), _span(one.get("colspan")), _span(one.get("rowspan"))) for one in cells]


def _span(said: str | None) -> int:
    return min(int(said), 1_000) if said and said.strip().isdecimal() else 1


_PASSAGES = ("p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "div", "blockquote", "dd", "body")
_BLOCKS = ("p", "li", "h1", "h2", "h3", "h4", "div", "blockquote", "dd", "table", "ul", "ol", "body", "h5", "h6")


def _own_text(block: object) -> Iterator[str]:
    """Yield the text of a block without that of the blocks inside it."""
    yield getattr(block, "text", "") or ""
    for child in block:  # type: ignore[attr-defined]  # an lxml element
        if child.tag not in _BLOCKS:
            yield from _own_text(child) if isinstance(child.tag, str) else ()
        yield " " if child.tag == "br" else ""
        yield child.tail or ""
