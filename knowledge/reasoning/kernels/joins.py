"""Joins of relations held as integer arrays: rows of bindings, extended by one condition at a time.

A table has one row per binding and numbered columns; a condition names the columns of its arguments. Existing columns
are matched, new ones added.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from mabos.knowledge.reasoning.budget import at_most

if TYPE_CHECKING:
    import numpy as np

    Table: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

LARGEST = 2_000_000
"""Rows of a table."""
_KEYS = 2**62


@dataclass(frozen=True, slots=True)
class _Index:
    """The rows of a relation in the order of their keys, and the columns that a match adds."""

    keys: "Table"
    added: "Table"
    direct: "Table | None"
    """The first row of each key, if keys are single constants."""


class Relations:
    """Relations over numbered constants."""

    def __init__(self, tuples: Mapping[str, Iterable[Sequence[object]]]) -> None:
        self._numbers: dict[object, int] = {}
        self._tables = {name: self.numbered(rows) for name, rows in tuples.items()}
        self._indices: dict[tuple[str, tuple[int, ...], tuple[int, ...]], _Index] = {}

    def numbered(self, rows: Iterable[Sequence[object]]) -> "Table":
        """Return rows of constants as numbers, without duplicates."""
        import numpy as np

        told = [tuple(self._numbers.setdefault(one, len(self._numbers)) for one in row) for row in dict.fromkeys(rows)]
        return np.array(told, dtype=np.int64).reshape(len(told), -1)

    def table(self, name: str) -> "Table":
        """Return the rows of a relation."""
        return self._tables[name]

    def put(self, name: str, table: "Table") -> None:
        """Replace the rows of a relation."""
        self._tables[name] = table
        for key in [key for key in self._indices if key[0] == name]:
            del self._indices[key]

    def join_table(self, table: "Table", name: str, columns: Sequence[int]) -> "Table | None":
        """Return the rows of `table` that satisfy the relation, with the new columns; None if there are too many."""
        import numpy as np

        width = table.shape[1]
        if not len(self._tables[name]):
            return np.zeros((0, max(width, *(one + 1 for one in columns))), dtype=np.int64)
        index = self._index(name, columns, width)
        bound = [one for one in columns if one < width]
        keys = self._keys(table, bound)
        if index.direct is not None:
            low, high = index.direct[keys], index.direct[keys + 1]
        else:
            low, high = np.searchsorted(index.keys, keys, "left"), np.searchsorted(index.keys, keys, "right")
        counts = high - low
        if len(bound) == len(columns):
            return table[counts > 0]
        total = int(counts.sum())
        if total > LARGEST:
            return None
        begins = np.repeat(low - (np.cumsum(counts) - counts), counts)
        added = index.added[begins + np.arange(total)]
        return np.concatenate([np.repeat(table, counts, axis=0), added], axis=1)

    def _index(self, name: str, columns: Sequence[int], width: int) -> _Index:
        """Return the index for matching the columns that a table of this width has."""
        import numpy as np

        bound = tuple(place for place, one in enumerate(columns) if one < width)
        pattern = tuple(-1 if one < width else one - width for one in columns)
        found = self._indices.get((name, bound, pattern))
        if found is not None:
            return found
        rows = self._tables[name]
        fresh = sorted({one for one in columns if one >= width})
        first = [list(columns).index(one) for one in fresh]
        for place, one in enumerate(columns):
            if one >= width:
                rows = rows[rows[:, place] == rows[:, columns.index(one)]]
        keys = self._keys(rows, bound)
        order = np.argsort(keys, kind="stable")
        keys, added = keys[order], rows[order][:, first]
        direct = np.searchsorted(keys, np.arange(len(self._numbers) + 1)) if len(bound) == 1 else None
        return self._indices.setdefault((name, bound, pattern), _Index(keys, added, direct))

    def _keys(self, table: "Table", columns: Sequence[int]) -> "Table":
        """Return one number for each row's values in these columns."""
        import numpy as np

        size = len(self._numbers)
        at_most(size ** len(columns), _KEYS, "ways to match a condition")
        keys = np.zeros(len(table), dtype=np.int64)
        for one in columns:
            keys = keys * size + table[:, one]
        return keys
