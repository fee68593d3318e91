"""The parts of a document: passages and tables, each with its place."""

import re
from dataclasses import dataclass
from pathlib import PurePath

_DAY = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d")


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, list item or `key: value` line, its place, and the heading above."""

    text: str
    place: str = ""
    heading: str = ""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A table: its header, its rows, and the name of its sheet; `first` is the line of the first row.

    `delimiter` separates cells in its file; with a semicolon, commas are decimal. `places` gives the place of each row
    if a line number does not: a range of cells, a page. `is_from_outside` marks a table in a mail or its attachment:
    its figures are the sender's, and not a series of the business.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    name: str = ""
    first: int = 2
    delimiter: str = ","
    places: tuple[str, ...] = ()
    is_from_outside: bool = False

    def place(self, row: int) -> str:
        """Return the place of a row, counted from 0."""
        if row < len(self.places):
            return self.places[row]
        line = f"row {self.first + row}"
        return f"sheet {self.name}, {line}" if self.name else line


@dataclass(frozen=True, slots=True)
class DocumentText:
    """The text of a document; `title`, `sender` and `dated` (ISO 8601) if the document states them.

    `problem` is why it could not be read, with the remedy. `notes` list parts that were not read or need care: hidden
    sheets, pictures, formulas without a value, pending changes. `currency` is that of sums without one.
    """

    name: str
    passages: tuple[Passage, ...] = ()
    tables: tuple[TextTable, ...] = ()
    title: str = ""
    sender: str = ""
    dated: str = ""
    problem: str = ""
    notes: tuple[str, ...] = ()
    currency: str = ""

    @property
    def whole(self) -> str:
        """The whole text, one paragraph or row per line, or the problem if it is unreadable."""
        rows = (", ".join(row) for table in self.tables for row in (table.header, *table.rows))
        return self.problem or "\n".join((*(one.text for one in self.passages), *rows))

    @property
    def day(self) -> str:
        """The document's date: from its name, else from its content; "" if neither has one."""
        named = _DAY.search(self.file)
        return named[0] if named else self.dated[:10]

    @property
    def file(self) -> str:
        """The name of the file without its folders."""
        return PurePath(self.name).name
