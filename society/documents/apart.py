"""Readers in a separate process, with limits, because some files crash the libraries or fill the memory.

A crash in native code is not a Python exception. So a child process reads Excel, PDF and other complex files, and
returns the content as JSON. If it crashes or takes too long, the file is reported as a problem and MABOS continues.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from mabos.society.documents.text import DocumentText, Passage, TextTable

SECONDS, MEMORY = 30, 1024 * 1024 * 1024
"""The limits of a child: seconds of the processor, bytes of address space."""

_CHILD = """
import sys
sys.path[:0], sys.dont_write_bytecode = [sys.argv[1]], True
sys.modules["numpy"] = None  # which openpyxl loads where it can, with room for many threads
from mabos.society.documents.reading import answer
answer(sys.argv[2])
"""


def read_apart(name: str, content: bytes) -> DocumentText:
    """Read a file in a child process and return its text."""
    root = str(Path(__file__).parents[3])
    command = [sys.executable, "-I", "-c", _CHILD, root, name]
    try:
        child = subprocess.run(command, input=content, capture_output=True, timeout=2 * SECONDS, check=False)  # noqa: S603  # ourselves
    except subprocess.TimeoutExpired:
        return DocumentText(name, problem=_TOO_MUCH)
    if child.returncode or not child.stdout:
        return DocumentText(name, problem=_TOO_MUCH if child.returncode < 0 else _BROKEN)
    return as_document(json.loads(child.stdout))


_TOO_MUCH = "takes more time or memory than a document may; save it again, in smaller parts"
_BROKEN = "breaks the library that reads it; save it again, or as another kind"


def limit() -> None:
    """Set the limits of this process, if the system supports them."""
    try:
        import resource
    except ImportError:  # Windows has none: there the checks of sizes stand alone
        return
    limits = ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_CORE, 0))
    for kind, most in limits:
        try:
            resource.setrlimit(kind, (most, most))
        except (OSError, ValueError):  # macOS does not limit addresses
            continue


def as_document(record: dict[str, Any]) -> DocumentText:
    """Return the document that a child wrote as JSON."""
    passages = tuple(Passage(**one) for one in record.pop("passages"))
    tables = tuple(_table(one) for one in record.pop("tables"))
    return DocumentText(passages=passages, tables=tables, notes=tuple(record.pop("notes")), **record)


def _table(record: dict[str, Any]) -> TextTable:
    rows = tuple(map(tuple, record.pop("rows")))
    header, places = tuple(record.pop("header")), tuple(record.pop("places"))
    return TextTable(header, rows, places=places, **record)
