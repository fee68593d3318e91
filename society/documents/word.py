"""Word documents as passages and tables, through lxml alone; pending changes count as accepted, with a note."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from mabos.society.documents.grids import read_grid, spread
from mabos.society.documents.guard import part, parts
from mabos.society.documents.prose import first_title
from mabos.society.documents.text import DocumentText, Passage, TextTable
from mabos.workspace.text import one_line

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def read_word(name: str, content: bytes) -> DocumentText:
    """Return the paragraphs and tables of a Word document, its comments, and the text of its header and footer."""
    body = _root(content, "word/document.xml").find(f"{_WORD}body")
    if body is None:
        return DocumentText(name)
    passages, tables = list[Passage](), list[TextTable]()
    heading = ""
    for block in _blocks(body):
        if block.tag == f"{_WORD}tbl":
            found = read_grid(spread(_cells(block), place=f"table {len(tables) + 1}, "))
            tables += found.tables
            passages += [Passage(one.text, one.place, heading) for one in found.passages]
        elif text := one_line(_text(block)):
            style = block.find(f"{_WORD}pPr/{_WORD}pStyle")
            if style is not None and str(style.get(f"{_WORD}val", "")).lower().startswith(_HEADINGS):
                heading = text
            place = f"paragraph {sum(one.place.startswith('paragraph') for one in passages) + 1}"
            passages.append(Passage(text, place, "" if heading == text else heading))
    title = first_title(passages)
    passages += _beside(content)
    return DocumentText(name, tuple(passages), tuple(tables), title, notes=tuple(_notes(content, body)))


_HEADINGS = ("heading", "title", "berschrift", "überschrift", "titel")
"""How the names of styles of headings begin, also in a German Word."""


def _root(content: bytes, name: str) -> Any:
    from lxml import etree

    return etree.fromstring(part(content, name), etree.XMLParser(resolve_entities=False, no_network=True))


def _blocks(parent: Any) -> Iterator[Any]:
    """Yield the paragraphs and tables in order, also those inside of content controls and fields."""
    for child in parent:
        if child.tag in (f"{_WORD}p", f"{_WORD}tbl"):
            yield child
            if child.tag == f"{_WORD}tbl":
                for nested in child.iterfind(f"{_WORD}tr/{_WORD}tc"):
                    yield from (one for one in _blocks(nested) if one.tag == f"{_WORD}tbl")
        elif child.tag in (f"{_WORD}sdt", f"{_WORD}sdtContent", f"{_WORD}ins", f"{_WORD}customXml"):
            yield from _blocks(child)


def _cells(table: Any) -> Iterator[list[tuple[str, int, int]]]:
    """Yield the rows of a table with each cell's spans; a cell merged downwards repeats the text above."""
    above: dict[int, str] = {}
    for row in table.iterfind(f"{_WORD}tr"):
        cells, at = list[tuple[str, int, int]](), 0
        for cell in row.iter(f"{_WORD}tc"):
            if next(cell.iterancestors(f"{_WORD}tr")) is not row:
                continue
            wide = cell.find(f"{_WORD}tcPr/{_WORD}gridSpan")
            columns = int(wide.get(f"{_WORD}val", "1")) if wide is not None else 1
            down = cell.find(f"{_WORD}tcPr/{_WORD}vMerge")
            goes_on = down is not None and down.get(f"{_WORD}val") != "restart"
            text = above.get(at, "") if goes_on else one_line(" ".join(map(_text, cell.iterfind(f"{_WORD}p"))))
            above[at] = text
            cells.append((text, columns, 1))
            at += columns
        yield cells


def _text(block: Any) -> str:
    """Return the text of a paragraph: a text box once, insertions, and no deletions."""
    marks = {f"{_WORD}tab": " ", f"{_WORD}br": " ", f"{_WORD}cr": " ", f"{_WORD}noBreakHyphen": "-", f"{_WORD}p": " "}
    found = list[str]()
    for one in block.iter():
        if one.tag == f"{_WORD}t" and not any(up.tag == _FALLBACK for up in one.iterancestors()):
            found.append(one.text or "")
        else:
            found.append(marks.get(one.tag, ""))
    return "".join(found)


def _beside(content: bytes) -> Iterator[Passage]:
    """Yield the text of headers, footers, notes and comments, each once."""
    seen = set[str]()
    for start, place in (("header", "head"), ("footer", "foot"), ("footnotes", "footnote"), ("comments", "comment")):
        for name in parts(content, start=f"word/{start}", ending=".xml"):
            for block in _root(content, name).iter(f"{_WORD}p"):
                text = one_line(_text(block))
                if text and text not in seen:
                    seen.add(text)
                    yield Passage(text, place)


def _notes(content: bytes, body: Any) -> Iterator[str]:
    if any(one.endswith("vbaProject.bin") for one in parts(content)):
        yield "has macros, which are not run"
    changes = Counter(one.tag for one in body.iter(f"{_WORD}ins", f"{_WORD}del"))
    if changes:
        yield (
            f"has changes that nobody has accepted yet ({changes[f'{_WORD}ins']} insertions, "
            f"{changes[f'{_WORD}del']} deletions); it is read as if they were"
        )
