"""Tables of public PDF files compared with their published answers: ICDAR 2013, by neighbouring cells.

The competition's measure: each filled cell and its next filled neighbour to the right, and downwards, is a relation.
Precision and recall count relations with equal texts. The set is beside pypi's `camelot-py` sources, in
`tests/files/tabula/icdar2013-dataset`: `*.pdf` with `*-str.xml`. Files with odd numbers are for tuning, even ones were
used once, at the end.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from mabos.society.documents import read_text

Grid = Sequence[Sequence[str]]
Relations = Counter[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class TableScore:
    """The numbers of correct relations, of those found and of those expected."""

    right: int = 0
    found: int = 0
    there: int = 0

    def __add__(self, other: "TableScore") -> "TableScore":
        return TableScore(self.right + other.right, self.found + other.found, self.there + other.there)

    @property
    def precision(self) -> float:
        """The correct share of the relations found."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """The share of the expected relations found."""
        return self.right / self.there if self.there else 0.0


def is_for_tuning(file: Path) -> bool:
    """Return whether a file may be used while the reader is being changed."""
    digits = re.findall(r"\d+", file.stem)
    return bool(digits) and int(digits[0]) % 2 == 1


def scored(file: Path) -> TableScore:
    """Return the score for the tables of a PDF."""
    document = read_text(file.name, file.read_bytes())
    found = _relations([table.header, *table.rows] for table in document.tables)
    there = _relations(_answers(file.with_name(f"{file.stem}-str.xml")))
    return TableScore((found & there).total(), found.total(), there.total())


def _answers(file: Path) -> Iterator[Grid]:
    for table in etree.parse(str(file)).getroot().iter("table"):
        for region in table.iter("region"):
            cells = {
                (int(one.get("start-row", 0)), int(one.get("start-col", 0))): one.findtext("content") or ""
                for one in region.iter("cell")
            }
            height, width = (max((key[at] for key in cells), default=-1) + 1 for at in (0, 1))
            yield [[cells.get((row, column), "") for column in range(width)] for row in range(height)]


def _relations(grids: Iterator[Grid] | Sequence[Grid]) -> Relations:
    found: Relations = Counter()
    for grid in grids:
        rows = [[re.sub(r"\W", "", cell).casefold() for cell in row] for row in grid]
        columns = list(zip(*rows, strict=False)) if rows else []
        for lines, way in ((rows, "right"), (columns, "down")):
            for line in lines:
                filled = [one for one in line if one]
                found.update((one, other, way) for one, other in itertools.pairwise(filled))
    return found


def summed(files: Sequence[Path]) -> TableScore:
    """Return the total score for all these files."""
    total = TableScore()
    for file in files:
        total += scored(file)
    return total
