"""Mail, Word, Excel and PDF as passages and tables; Excel and PDF need the extra `documents`."""

import io
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from typing import Any

from mabos.society.documents.prose import MOST_ROWS, first_title, of_html, of_text, table_of
from mabos.society.documents.text import DocumentText, Passage, TextTable, numbered
from mabos.workspace.clock import iso
from mabos.workspace.text import one_line

_LARGEST_PART = 32 * 1024 * 1024
"""Bytes that a packed part may have once it is unpacked: a small file may unpack to a disk full."""

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MOST_PAGES = 200


def _needs(package: str) -> str:
    return f"needs the package {package}, which is not installed; run: pip install 'mabos[documents]'"


def read_mail(name: str, content: bytes) -> DocumentText:
    """Return the text of a mail: its plain part, else its HTML part, and the texts attached to it."""
    mail = message_from_bytes(content, policy=policy.default)
    assert isinstance(mail, EmailMessage)  # noqa: S101  # by the policy
    body = mail.get_body(("plain", "html"))
    text = str(body.get_content()) if body is not None else ""
    is_html = body is not None and body.get_content_subtype() == "html"
    found = of_html(name, text) if is_html else of_text(name, text)
    date = mail.get("Date")
    try:
        dated = iso(parsedate_to_datetime(str(date))) if date else ""
    except ValueError:
        dated = ""
    attached = [one.get_filename() or "without a name" for one in mail.iter_attachments()]
    more = (Passage(f"Attached to this mail: {', '.join(attached)}.", "attachments"),) if attached else ()
    return replace(
        found,
        passages=(*found.passages, *more),
        title=one_line(str(mail.get("Subject", ""))),
        sender=one_line(str(mail.get("From", ""))),
        dated=dated,
    )


def _part(content: bytes, name: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        if packed.getinfo(name).file_size > _LARGEST_PART:
            raise ValueError(f"{name} is too large")
        return packed.read(name)


def read_word(name: str, content: bytes) -> DocumentText:
    """Return the paragraphs and tables of a Word document."""
    from lxml import etree

    safe = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    body = etree.fromstring(_part(content, "word/document.xml"), safe).find(f"{_WORD}body")
    if body is None:
        return DocumentText(name)
    passages, tables, heading = list[Passage](), list[TextTable](), ""
    for block in body:
        if block.tag == f"{_WORD}tbl":
            rows = ([_word_text(cell) for cell in row.iter(f"{_WORD}tc")] for row in block.iter(f"{_WORD}tr"))
            tables += list(table_of(rows))
        elif text := one_line(_word_text(block)):
            style = block.find(f"{_WORD}pPr/{_WORD}pStyle")
            if style is not None and str(style.get(f"{_WORD}val", "")).lower().startswith(("heading", "title")):
                heading = text
            passages.append(Passage(text, heading="" if heading == text else heading))
    return numbered(DocumentText(name, tuple(passages), tuple(tables), first_title(passages)), by="paragraph")


def _word_text(block: Any) -> str:
    marks = {f"{_WORD}tab": " ", f"{_WORD}br": " ", f"{_WORD}p": " "}
    return "".join(one.text or "" if one.tag == f"{_WORD}t" else marks.get(one.tag, "") for one in block.iter())


def read_sheets(name: str, content: bytes) -> DocumentText:
    """Return the tables of a workbook, one for each sheet, with the values that its formulas had when it was saved."""
    try:
        from openpyxl import load_workbook
    except ModuleNotFoundError:
        return DocumentText(name, problem=_needs("openpyxl"))
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        if sum(one.file_size for one in packed.infolist()) > _LARGEST_PART:
            return DocumentText(name, problem="unpacks to too much to be read; save its sheets in files of their own")
    book = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    tables = [table for sheet in book.worksheets for table in table_of(_rows(sheet), sheet.title)]
    book.close()
    return DocumentText(name, tables=tuple(tables))


def _rows(sheet: Any) -> Iterator[list[str]]:
    for row in sheet.iter_rows(max_row=MOST_ROWS, values_only=True):
        yield [_cell(value) for value in row]


def _cell(value: Any) -> str:
    """Return a cell as people write it: dates without midnight, whole numbers without a fraction."""
    if hasattr(value, "isoformat"):
        return str(value.isoformat()).removesuffix("T00:00:00")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


def read_pdf(name: str, content: bytes) -> DocumentText:
    """Return the paragraphs of a PDF by page; one that holds pictures alone says so."""
    try:
        from pypdf import PdfReader
    except ModuleNotFoundError:
        return DocumentText(name, problem=_needs("pypdf"))
    passages = list[Passage]()
    for number, page in enumerate(PdfReader(io.BytesIO(content)).pages[:_MOST_PAGES], 1):
        text = of_text(name, _paragraphs(page.extract_text() or ""))
        passages += [replace(one, place=f"page {number}") for one in text.passages]
    title = first_title(passages)
    return DocumentText(
        name, tuple(passages), title=title, problem="" if passages else "holds no text, perhaps only pictures"
    )


def _paragraphs(text: str) -> str:
    """Return the text of a page with an empty line after each line that ends a paragraph: a short one."""
    lines = text.splitlines()
    full = max(map(len, lines), default=0)
    return "\n".join(f"{one}\n" if len(one) < 0.85 * full or one.endswith((".", "!", "?")) else one for one in lines)
