"""The time order of texts, as numbers: a text's number encodes its time, so neighbours need no search.

A number is the millisecond, followed by a counter within it, items before passages of files. Texts without a time come
first, in order of arrival.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import InvalidArgument
from mabos.memory.findable import Findable
from mabos.workspace.clock import parse_time

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    Values = NDArray[np.float64]

_BITS = 19
ROOM = 1 << (_BITS - 1)
"""So many items, and so many passages, may have one and the same time."""
_UNTIMED = -(1 << 62)
DAY = 86_400_000 << _BITS
"""Numbers of one day."""
_OCCASION = 6 * 3_600_000
_YEARS = range(1970, 2240)
NOBODY = -(1 << 63)
"""No text's number."""


def first_number(one: Findable) -> int:
    """Return the lowest number for the time of `one`; it has `ROOM` numbers."""
    return _start(one.at) + (ROOM if one.is_passage else 0)


def day_of(number: int) -> int | None:
    """Return the day of a text, counted from 1970; None if unknown."""
    return number // DAY if number >= 0 else None


def _start(at: str) -> int:
    """Return the number with which a time begins."""
    try:
        moment = parse_time(at)
    except InvalidArgument:
        return _UNTIMED
    if moment.year not in _YEARS:
        return _UNTIMED
    seconds = int(moment.replace(microsecond=0).timestamp())
    return (seconds * 1000 + moment.microsecond // 1000) << _BITS


class MemoryTimeline:
    """Memories in order, with the direct neighbours of each on the same occasion.

    Texts of the same moment were imported together, as from a file: they have no order and no neighbours. Nor has a
    passage, which belongs to its file.
    """

    def __init__(self, numbers: "Sequence[int] | Numbers") -> None:
        import numpy as np

        known = np.asarray(numbers, np.int64)
        self._order: Numbers = np.sort(known[_have_place(known)])
        self.links = 2 * int(np.count_nonzero(_are_near(np.diff(self._order >> _BITS))))

    def add(self, number: int) -> None:
        """Add a new text."""
        import numpy as np

        if _have_place(number):
            place = int(self._order.searchsorted(number))
            self.links -= self._count_links(place)
            self._order = np.insert(self._order, place, number)
            self.links += self._count_links(place) + self._count_links(place + 1)

    def drop(self, number: int) -> None:
        """Remove an existing text."""
        import numpy as np

        if _have_place(number):
            place = int(self._order.searchsorted(number))
            self.links -= self._count_links(place) + self._count_links(place + 1)
            self._order = np.delete(self._order, place)
            self.links += self._count_links(place)

    def beside(self, numbers: "Numbers") -> "Numbers":
        """Return each one's neighbours just before and after on the same occasion, or `NOBODY`."""
        import numpy as np

        near = np.full((len(numbers), 2), NOBODY, np.int64)
        if not len(self._order):
            return near
        places, last = self._order.searchsorted(numbers), len(self._order) - 1
        before, after = self._order[np.maximum(places - 1, 0)], self._order[np.minimum(places + 1, last)]
        moments, are_placed = numbers >> _BITS, _have_place(numbers)
        is_near = are_placed & _are_near(moments - (before >> _BITS))
        near[is_near, 0] = before[is_near]
        is_near = are_placed & _are_near((after >> _BITS) - moments)
        near[is_near, 1] = after[is_near]
        return near

    def lateness(self, numbers: "Numbers") -> "Values":
        """Return the relative position of each in time, 0 to 1; `nan` without a time, or if all have the same."""
        import numpy as np

        order = self._order
        if not len(order) or order[0] >> _BITS == order[-1] >> _BITS:
            return np.full(len(numbers), np.nan)
        places = order.searchsorted(numbers >> _BITS << _BITS) / (len(order) - 1)
        return np.where(_have_place(numbers), places, np.nan)

    def within(self, first: str, end: str, limit: int) -> list[int]:
        """Return at most `limit` memories from the day `first` until before the day `end`."""
        start, stop = (int(self._order.searchsorted(_start(day))) for day in (first, end))
        return list(map(int, self._order[start : min(stop, start + limit)]))

    def years(self) -> range:
        """Return the years from the first to the last memory."""
        return range(_year(int(self._order[0])), _year(int(self._order[-1])) + 1) if len(self._order) else range(0)

    def _count_links(self, place: int) -> int:
        """Return how many neighbours the texts at `place` and before it give to each other."""
        if not 0 < place < len(self._order):
            return 0
        return 2 * bool(_are_near((self._order[place] >> _BITS) - (self._order[place - 1] >> _BITS)))


def _have_place(numbers: Any) -> Any:
    """Return whether a number, or each of many, is part of the order."""
    return (numbers >= 0) & ((numbers & ROOM) == 0)


def _are_near(apart: Any) -> Any:
    """Return whether moments so far apart, or each of many, are of one occasion."""
    return (apart > 0) & (apart <= _OCCASION)


def _year(number: int) -> int:
    return datetime.fromtimestamp((number >> _BITS) / 1000, UTC).year
