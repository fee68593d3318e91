"""Selection of the reader for a file and its process, and error texts for unreadable files."""

import json
import sys
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import date
from functools import partial
from hashlib import sha256
from pathlib import PurePath
from threading import Lock
from types import MappingProxyType

from mabos.society.documents.apart import limit, read_apart
from mabos.society.documents.calendar import read_calendar
from mabos.society.documents.guard import Unreadable, check
from mabos.society.documents.mail import read_mail, read_outlook
from mabos.society.documents.pdf import read_pdf
from mabos.society.documents.prose import read_csv, read_html, read_markdown
from mabos.society.documents.sheets import read_other_sheets, read_sheets
from mabos.society.documents.text import DocumentText
from mabos.society.documents.word import read_word

_READERS: Mapping[str, Callable[[str, bytes], DocumentText]] = MappingProxyType({
    ".md": read_markdown, ".markdown": read_markdown, ".txt": read_markdown, ".csv": read_csv, ".tsv": read_csv,
    ".html": read_html, ".htm": read_html, ".docx": read_word, ".docm": read_word, ".xlsx": read_sheets,
    ".xlsm": read_sheets, ".xls": read_other_sheets, ".xlsb": read_other_sheets,
    ".ods": read_other_sheets, ".pdf": read_pdf,
})  # fmt: skip
_DATED: Mapping[str, Callable[[str, bytes, date | None], DocumentText]] = MappingProxyType({
    ".ics": read_calendar,
    ".eml": lambda name, content, today: read_mail(name, content, partial(read_text, today=today)),
    ".msg": lambda name, content, today: read_outlook(name, content, partial(read_text, today=today)),
})  # fmt: skip
READABLE = (*_READERS, *_DATED)
"""The endings of the files that are read."""

_APART = frozenset({".xlsx", ".xlsm", ".xls", ".xlsb", ".ods", ".pdf"})
"""Kinds that a process of its own reads: their libraries may crash, or take all memory."""

_MOST_KEPT = 64


class _Kept:
    """The last documents that were read, by name and content: reading a file again would give the same."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._found: OrderedDict[tuple[str, bytes], DocumentText] = OrderedDict()

    def get(self, key: tuple[str, bytes], read: Callable[[], DocumentText]) -> DocumentText:
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        document = read()
        with self._lock:
            self._found[key] = document
            while len(self._found) > _MOST_KEPT:
                self._found.popitem(last=False)
        return document


_KEPT = _Kept()


def read_text(name: str, content: bytes, today: date | None = None) -> DocumentText:
    """Return the text of a document; an unreadable one has a problem, and no passages.

    Recurring events of a calendar file are listed from `today` on, by default from their first day.
    """
    kind = PurePath(name).suffix.casefold()
    if kind not in READABLE:
        return DocumentText(name, problem=f"this kind of file is not read; expected one of {', '.join(READABLE)}")
    if kind not in _APART:
        return read_here(name, content, today)
    key = name, sha256(content).digest()
    return _KEPT.get(key, lambda: _check_file(name, content) or read_apart(name, content))


def _check_file(name: str, content: bytes) -> DocumentText | None:
    """Return the document of a file that is refused before a child is started for it."""
    try:
        check(PurePath(name).suffix.casefold(), content)
    except Unreadable as wrong:
        return DocumentText(name, problem=str(wrong))
    except (zipfile.BadZipFile, OSError):
        return DocumentText(name, problem=_describe_damage(name, zipfile.BadZipFile()))
    return None


def read_here(name: str, content: bytes, today: date | None = None) -> DocumentText:
    """Return the text of a document, read in this process."""
    kind = PurePath(name).suffix.casefold()
    try:
        check(kind, content)
        return _DATED[kind](name, content, today) if kind in _DATED else _READERS[kind](name, content)
    except Unreadable as wrong:
        return DocumentText(name, problem=str(wrong))
    except Exception as wrong:  # noqa: BLE001  # whatever a damaged file does to a reader, the others are read
        return DocumentText(name, problem=_describe_damage(name, wrong))


def _describe_damage(name: str, wrong: Exception) -> str:
    return f"is damaged or no {PurePath(name).suffix.casefold()} file ({type(wrong).__name__})"


def answer(name: str) -> None:
    """Read the file on standard input, within limits, and write its text to standard output, as JSON."""
    limit()
    found = read_here(name, sys.stdin.buffer.read())
    sys.stdout.buffer.write(json.dumps(asdict(found), ensure_ascii=True).encode())
