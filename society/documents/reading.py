"""Which reader takes which file."""

from collections.abc import Callable, Mapping
from pathlib import PurePath
from types import MappingProxyType

from mabos.society.documents.office import read_mail, read_pdf, read_sheets, read_word
from mabos.society.documents.prose import read_csv, read_html, read_markdown
from mabos.society.documents.text import DocumentText

_READERS: Mapping[str, Callable[[str, bytes], DocumentText]] = MappingProxyType({
    ".md": read_markdown, ".markdown": read_markdown, ".txt": read_markdown, ".csv": read_csv, ".tsv": read_csv,
    ".html": read_html, ".htm": read_html, ".eml": read_mail, ".docx": read_word, ".xlsx": read_sheets,
    ".pdf": read_pdf,
})  # fmt: skip
READABLE = tuple(_READERS)
"""The endings of the files that are read."""


def read_text(name: str, content: bytes) -> DocumentText:
    """Return what stands in a document; one that cannot be read has a problem, and no passages."""
    kind = PurePath(name).suffix.casefold()
    read = _READERS.get(kind)
    if read is None:
        return DocumentText(name, problem=f"this kind of file is not read; expected one of {', '.join(READABLE)}")
    try:
        return read(name, content)
    except Exception as wrong:  # noqa: BLE001  # whatever a damaged file does to a reader, the others are read
        return DocumentText(name, problem=f"is damaged or no {kind} file ({type(wrong).__name__})")
