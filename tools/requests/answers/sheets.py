"""Tables of documents that list things, with the types of their columns: names, numbers, money, days, people, places.

sheet, = sheets_of(documents)
sheet.header(sheet.money[0]), sheet.number(sheet.table.rows[0], sheet.money[0])     # ("fee", 1150.0)
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from mabos.society.documents import DocumentText, TextTable
from mabos.society.documents.prose import is_series
from mabos.society.german_terms import in_english
from mabos.society.quantities import read_amount
from mabos.tools.requests.answers.periods import day_label
from mabos.tools.requests.answers.synonyms import core, question_words
from mabos.tools.requests.answers.wording import label, money_or_number, unit_of
from mabos.workspace.dates import day_named
from mabos.workspace.text import terms

YES = frozenset({"yes", "y", "true", "x", "done", "paid", "ja", "bezahlt", "erledigt"})
NO = frozenset({"no", "n", "false", "open", "-", "nein", "offen"})
_KEYS = frozenset(core("lot nr no id row line page code ref reference bay table room plot slot position pos"))
_SERIAL = frozenset(terms("invoice order bill receipt ticket job booking contract policy account quote delivery"))
"""Headers, in the singular, of columns that hold the number of a paper where their cells are plain integers."""
_OF_MONEY = frozenset(core(question_words()["columns_of_money"])) | frozenset(
    {"amount", "total", "valu", "value", "usd", "eur", "gbp"}
)
_OF_PLACES = frozenset(core("place where location shelf aisle hall shed room bay berth town city address venue site"))
_OF_PEOPLE = frozenset(core(question_words()["columns_of_people"]))
Rows = Sequence[tuple[int, tuple[str, ...]]]
"""Rows of a table with their numbers."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of a document, with its column of row names and those of numbers, keys, money, days and so on."""

    table: TextTable
    document: DocumentText
    names: int
    numbers: tuple[int, ...]

    @property
    def place(self) -> str:
        """The document and the sheet."""
        return f"{self.document.file}, sheet {self.table.name}" if self.table.name else self.document.file

    @property
    def keys(self) -> tuple[int, ...]:
        """The columns that number the rows, as lots or invoice numbers."""
        return tuple(at for at in self.numbers if self._is_key(at) and self.is_distinct(at))

    @property
    def money(self) -> tuple[int, ...]:
        """The columns of sums of money, by their names."""
        named = [at for at in self.numbers if at not in self.keys]
        return tuple(at for at in named if _OF_MONEY & {*core(self.table.header[at]), *self._parts(at)})

    @property
    def dates(self) -> tuple[int, ...]:
        """The columns of days."""
        return tuple(
            at for at in range(len(self.table.header)) if self._is_mostly(at, lambda cell: bool(day_named(cell)))
        )

    @property
    def flags(self) -> tuple[int, ...]:
        """The columns of yes and no."""
        return tuple(
            at for at in range(len(self.table.header)) if self._is_mostly(at, lambda cell: cell.casefold() in YES | NO)
        )

    @property
    def people(self) -> tuple[int, ...]:
        """The columns of names of people or firms, apart from the one that names the rows."""
        able = [at for at in self._texts() if at != self.names and self._is_mostly(at, _is_name)]
        named = [at for at in able if _OF_PEOPLE & set(core(self.table.header[at]))]
        return tuple(named or [at for at in able if not _OF_PLACES & set(core(self.table.header[at]))])

    @property
    def places(self) -> tuple[int, ...]:
        """The columns of places."""
        return tuple(at for at in range(len(self.table.header)) if _OF_PLACES & set(core(self.table.header[at])))

    @property
    def texts(self) -> tuple[int, ...]:
        """The columns of words, without days, and without yes and no."""
        return tuple(self._texts())

    def _texts(self) -> list[int]:
        taken = {*self.numbers, *self.dates, *self.flags}
        return [at for at in range(len(self.table.header)) if at not in taken]

    def _parts(self, at: int) -> list[str]:
        return re.findall(r"[a-z]+", self.table.header[at].lower())

    def _cells(self, at: int) -> list[str]:
        return [row[at] for row in self.table.rows if at < len(row) and row[at]]

    def _is_key(self, at: int) -> bool:
        """Return whether a column numbers papers or rows; "Invoice" may as well be a sum: then no other column is."""
        if _KEYS & set(core(self.table.header[at])):
            return True
        is_serial = bool(_SERIAL & set(self._parts(at))) and all(one.strip("# ").isdecimal() for one in self._cells(at))
        others = (other for other in self.numbers if other != at)
        numbers = [int(one.strip("# ")) for one in self._cells(at)] if is_serial else []
        if numbers and max(numbers) - min(numbers) < _DENSE * len(numbers) > _DENSE and numbers == sorted(numbers):
            return True  # 1041, 1042, 1044: papers are numbered on, sums are not
        return is_serial and any(_OF_MONEY & {*core(self.table.header[one]), *self._parts(one)} for one in others)

    def is_distinct(self, at: int) -> bool:
        """Return whether no two rows have the same in a column."""
        return len(set(self._cells(at))) == len(self._cells(at))

    def _is_mostly(self, at: int, test: Callable[[str], object]) -> bool:
        cells = self._cells(at)
        return bool(cells) and sum(bool(test(one)) for one in cells) > len(cells) / 2

    def name(self, row: Sequence[str]) -> str:
        """Return the name of a row."""
        return row[self.names] if self.names < len(row) else ""

    def title(self, row: Sequence[str]) -> str:
        """Return the name of a row; for a code such as B-17, with the first text in brackets."""
        name = self.name(row)
        other = next((row[at] for at in self._texts() if at != self.names and at < len(row) and row[at]), "")
        return f"{name} ({other})" if other and re.fullmatch(r"[A-Z]{0,4}[-./ ]?\d[\w./-]*", name) else name

    def number(self, row: Sequence[str], column: int) -> float | None:
        """Return the number in a cell, or None."""
        amount = read_amount(row[column]) if column < len(row) else None
        return None if amount is None else float(amount.value)

    def day(self, row: Sequence[str], column: int) -> date | None:
        """Return the day in a cell, or None."""
        return day_named(row[column]) if column < len(row) and row[column] else None

    def say(self, value: float, column: int) -> str:
        """Return a number with the unit of its column."""
        name = self.header(column, is_whole=True).replace(" ", "_")
        return money_or_number(round(value, 4), unit_of(name, "", self.document.currency))

    def cell(self, row: Sequence[str], at: int) -> str:
        """Return a cell in words: a day, a number with its unit, or the text."""
        day = day_named(row[at]) if re.fullmatch(r"\d{4}-\d\d-\d\d", row[at]) else None
        if day:
            return day_label(day)
        value = self.number(row, at) if at in self.numbers and at not in self.keys else None
        is_plain = value is not None and re.fullmatch(r"-?\d+(\.\d+)?", row[at].strip())
        return self.say(value, at) if value is not None and is_plain else row[at]

    def header(self, column: int, *, is_whole: bool = False) -> str:
        """Return the header of a column in words, with its unit if `is_whole`."""
        text = self.table.header[column].strip().lower()
        return text if is_whole else label(text)


def sheets_of(documents: Sequence[DocumentText]) -> list[Sheet]:
    """Return the tables of documents that list things, without a total row; those by date are series."""
    found = []
    for document in documents:
        for table in document.tables:
            if len(table.rows) > _FEW and TOTAL.fullmatch(next(filter(None, table.rows[-1]), "")):
                table = replace(table, rows=table.rows[:-1])  # noqa: PLW2901  # else it would be counted twice
            width = len(table.header)
            numbers = tuple(at for at in range(width) if _is_numeric(table, at))
            texts = [at for at in range(width) if at not in numbers]
            if texts and not is_series(table):
                english = replace(table, header=tuple(map(in_english, table.header)))
                names = _column_of_names(Sheet(english, document, texts[0], numbers))
                found.append(Sheet(english, document, names, tuple(at for at in numbers if at != names)))
    return found


def _column_of_names(sheet: Sheet) -> int:
    """Return the first column of words that are no days; a number in front of rows of one kind is their name."""
    words = next((at for at in sheet.texts if at not in sheet.dates), sheet.names)
    return 0 if 0 in sheet.keys and sheet.names in sheet.dates and not sheet.is_distinct(words) else words


_FEW, _DENSE = 2, 5
TOTAL = re.compile(r"(?i)\W*(?:(?:grand|sub|overall)?[- ]?totals?|sum|summe|gesamt|together|in all)\W*")


def _is_numeric(table: TextTable, at: int) -> bool:
    cells = [row[at] for row in table.rows if at < len(row) and row[at]]
    return bool(cells) and sum(read_amount(one) is not None for one in cells) > len(cells) / 2


def _is_name(cell: str) -> bool:
    """Return whether a cell is written as a name: every longer word with a capital."""
    words = [one for one in re.findall(r"[^\W\d_]+", cell) if len(one) > 2]
    return bool(words) and all(one[0].isupper() for one in words) and len(cell) <= 50
