"""Documents dropped into a business's inbox, read into observations and goals by pure functions.

    names = [name for name, _, _ in present(folder)]
    kind = kind_of("metrics.csv")                                        # 'metrics'
    findings = read_document("inbox/metrics.csv", content(path))
    findings.observations, findings.goals, findings.problems

A bad line becomes a problem with its line number; the others are read.
"""

import errno
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path, PurePath
from typing import Literal

from mabos.society.brief import read_brief
from mabos.society.decoding import decode_text
from mabos.society.documents import READABLE, TextTable, read_text
from mabos.society.documents.claims import claims_of
from mabos.society.documents.prose import as_csv, is_series
from mabos.society.findings import DocumentProblem, DocumentStatement, Findings, ProposedGoal
from mabos.society.metrics_file import read_metrics
from mabos.workspace.text import slug

__all__ = [
    "DocumentKind",
    "DocumentProblem",
    "DocumentStatement",
    "Findings",
    "ProposedGoal",
    "content",
    "kind_of",
    "passed_over",
    "present",
    "read_claims",
    "read_document",
]  # fmt: skip

DocumentKind = Literal["brief", "metrics", "text"]
"""The uses of a document: `text` is only searched for answers to questions."""

_FIGURES = (".csv", ".tsv", ".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
_WORKBOOKS = _FIGURES[2:]
_BRIEFS = (".md", ".markdown", ".txt")
_KINDS: dict[str, DocumentKind] = {
    **dict.fromkeys(READABLE, "text"), **dict.fromkeys(_FIGURES, "metrics"), **dict.fromkeys(_BRIEFS, "brief"),
}  # fmt: skip
LARGEST = 4 * 1024 * 1024
"""Bytes of a document that is read: somebody may drop anything, and every reader of it waits."""

_LONGEST_LINE = 2_000
_UNKNOWN = f"this kind of file is not read; expected one of {', '.join(sorted(_KINDS))}"


def kind_of(name: str) -> DocumentKind | None:
    """Return the document kind of a file by its name, or None for an unsupported kind."""
    path = PurePath(name)
    return None if path.name.startswith(".") else _KINDS.get(path.suffix.casefold())


def present(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return name, time and size of the documents in a folder, by name; links too, although `content` refuses them."""
    try:
        with os.scandir(folder) as entries:
            return tuple(sorted(found for entry in entries if not _why_not(entry) and (found := _stamp(entry))))
    except FileNotFoundError:
        return ()


def _stamp(entry: "os.DirEntry[str]") -> tuple[str, int, int] | None:
    """Return name, time and size of a document; None where it was taken away meanwhile: the others are still there."""
    try:
        status = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None
    return entry.name, status.st_mtime_ns, status.st_size


def passed_over(folder: Path) -> tuple[tuple[str, str], ...]:
    """Return the unread files in a folder, by name, with the reasons; hidden files are left out."""
    try:
        with os.scandir(folder) as entries:
            found = [(one.name, _why_not(one)) for one in entries if not one.name.startswith(".")]
    except FileNotFoundError:
        return ()
    return tuple(sorted((_render_name(name), why) for name, why in found if why))


def _why_not(entry: "os.DirEntry[str]") -> str:
    if entry.is_dir(follow_symlinks=False):
        return "is a folder; put its files into the inbox itself"
    if _render_name(entry.name) != entry.name:
        return "has a name that is not UTF-8; rename it"
    if not kind_of(entry.name):
        return _UNKNOWN
    is_file = entry.is_symlink() or entry.is_file(follow_symlinks=False)
    return "" if is_file else "is a pipe or a device, which is not read; put a file there"


def _render_name(name: str) -> str:
    """Return the name of a file in writable form: bytes that are not UTF-8 are marked."""
    return os.fsencode(name).decode("utf-8", "replace")


def content(path: Path) -> bytes:
    """Return the bytes of a dropped file; raises `OSError`, also for a link, which may lead out of the workspace."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, "is a link; put a copy of the file there", str(path))
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC), "rb") as file:
        if os.fstat(file.fileno()).st_size > LARGEST:
            raise OSError(errno.EFBIG, f"has more than {LARGEST:,} bytes; split it into smaller files", str(path))
        return file.read(LARGEST)


def read_document(source: str, content: bytes) -> Findings:
    """Return the content of a document; `source` is its path as shown in sources, like `inbox/brief.md`."""
    kind = kind_of(source)
    if kind is None:
        return Findings(problems=(DocumentProblem(f"{source}:1", _UNKNOWN),))
    if kind == "text":
        return Findings()
    if source.casefold().endswith(_WORKBOOKS):
        return _read_workbook(source, content)
    text = decode_text(content)
    if kind == "metrics":
        return read_metrics(text, source)
    lines = text.split("\n")
    found = read_brief("\n".join(line[:_LONGEST_LINE] for line in lines), source)
    cut = [
        DocumentProblem(
            f"{source}:{number}", f"only the first {_LONGEST_LINE:,} characters of this line are read; break it"
        )
        for number, line in enumerate(lines, 1)
        if len(line) > _LONGEST_LINE
    ]
    if not found.observations and not found.goals and read_text(source, content).passages:
        return Findings(problems=tuple(cut))  # prose answers questions, and its claims are kept
    return replace(found, problems=(*found.problems, *cut))


def read_claims(source: str, content: bytes, today: date) -> Findings:
    """Return the claims of a prose document, each sentence as a fact about the document; text is never an order."""
    document = read_text(source, content, today)
    if document.problem and not document.passages:
        return Findings(problems=(DocumentProblem(f"{source}:1", document.problem),))
    about = slug(document.file, "_", limit=63) or "document"
    claims = tuple(
        DocumentStatement(about, f"says_{one.kind}", f"{one.text} ({one.place})", document.dated, source)
        for one in claims_of(document)
    )
    return Findings(problems=tuple(DocumentProblem(f"{source}:1", one) for one in document.notes), claims=claims)


def _read_workbook(source: str, content: bytes) -> Findings:
    """Return the figures of the sheets that have a column of dates; lists without one are left to questions."""
    book = read_text(source, content)
    if book.problem:
        return Findings(problems=(DocumentProblem(f"{source}:1", book.problem),))
    dated = [one for table in book.tables if is_series(table, source) for one in _figures(table, source)]
    notes = tuple(DocumentProblem(f"{source}:1", one) for one in book.notes)
    return Findings(tuple(dated), problems=notes)


def _figures(table: TextTable, source: str) -> Iterator[DocumentStatement]:
    """Yield the figures of a sheet, each with the row of the sheet that it is in."""
    for one in read_metrics(as_csv(table), source).observations:
        line = int(one.source.rpartition(":")[2])
        row = re.search(r"\d+", table.place(line - 2).rpartition(", ")[2]) if line > 1 else None
        yield replace(one, source=f"{source}:{row[0]}") if row else one
