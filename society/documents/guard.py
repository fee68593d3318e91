"""Checks of a file before a reader opens it: its unpacked size, and any password."""

import io
import zipfile
from collections.abc import Iterator

LARGEST_UNPACKED = 200 * 1024 * 1024
"""Bytes that all parts of a packed file may have together once they are unpacked."""

LARGEST_PART = 32 * 1024 * 1024
"""Bytes that a part of a packed file may have where it is read whole."""

_MOST_PARTS = 10_000
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_PROTECTED = "is protected by a password; save a copy without one"
_BINARY = frozenset({".docx", ".docm", ".xlsx", ".xlsm", ".xls", ".xlsb", ".ods", ".pdf", ".msg"})
_OF_OFFICE = (".docx", ".docm", ".xlsx", ".xlsm")


class Unreadable(ValueError):
    """A file that is refused; the text gives the reason and the remedy."""


def check(kind: str, content: bytes) -> None:
    """Raise `Unreadable` for an empty file, one with a password, and one that unpacks to too much data."""
    if kind in _BINARY and not content.strip():
        raise Unreadable("is empty")
    if kind in (*_OF_OFFICE, ".ods", ".xlsb"):
        if content.startswith(_OLE):
            raise Unreadable(_PROTECTED)
        _check_size(content)
    if kind == ".pdf" and b"%PDF-" not in content[:1024]:
        raise Unreadable("is damaged or not a .pdf file")


def _check_size(content: bytes) -> None:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        parts = packed.infolist()
        if len(parts) > _MOST_PARTS or sum(one.file_size for one in parts) > LARGEST_UNPACKED:
            raise Unreadable("unpacks to more than 200 MB; split it into smaller files")
        if any(one.flag_bits & 1 for one in parts):
            raise Unreadable(_PROTECTED)


def part(content: bytes, name: str) -> bytes:
    """Return a part of a packed file; raises `Unreadable` if it is too large, whatever its header states."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed, packed.open(name) as file:
        found = file.read(LARGEST_PART + 1)
    if len(found) > LARGEST_PART:
        raise Unreadable(f"has a part of more than 32 MB ({name}), which is not read; save it in several files")
    return found


def parts(content: bytes, *, ending: str = "", start: str = "") -> Iterator[str]:
    """Yield the names of the parts of a packed file, in order."""
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        yield from sorted(one for one in packed.namelist() if one.startswith(start) and one.endswith(ending))
