"""The order in which texts were remembered, as numbers: a text's number says its time, so neighbours need no search.

A number is the millisecond, then room for all that came in that millisecond, items before passages of files. What has
no time stands before everything else, in the order in which it came.
"""

from bisect import bisect_left, insort
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import pairwise

from configs.errors import InvalidArgument
from memory.findable import Findable
from workspace.clock import parse_time

_BITS = 19
ROOM = 1 << (_BITS - 1)
"""So many items, and so many passages, may have one and the same time."""
_UNTIMED = -(1 << 62)
DAY = 86_400_000 << _BITS
"""Numbers of one day."""
_OCCASION = 6 * 3_600_000
_YEARS = range(1970, 2240)


def first_number(one: Findable) -> int:
    """Return the least number of what has the time of `one`; it is followed by `ROOM` - 1 others."""
    return _start(one.at) + (ROOM if one.is_passage else 0)


def day_of(number: int) -> int | None:
    """Return the day of a text, counted from 1970; None where nobody knows."""
    return number // DAY if number >= 0 else None


def day_number(day: str) -> int:
    """Return the day of an ISO time, counted as by `day_of`."""
    return _start(day[:10]) // DAY


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


class Timeline:
    """What is remembered in its order, and what stands directly before and after each on the same occasion.

    Things of one and the same moment were taken in together, as from a file: they have no order, and no neighbours.
    Neither has a passage, which stands in its file.
    """

    def __init__(self, numbers: list[int]) -> None:
        self._order = sorted(number for number in numbers if _has_place(number))
        moments = [number >> _BITS for number in self._order]
        self.links = 2 * sum([0 < later - one <= _OCCASION for one, later in pairwise(moments)])

    def add(self, number: int) -> None:
        """Take up a text, which is not there yet."""
        if _has_place(number):
            place = bisect_left(self._order, number)
            self.links -= self._linked(place)
            insort(self._order, number)
            self.links += self._linked(place) + self._linked(place + 1)

    def drop(self, number: int) -> None:
        """Forget a text, which is there."""
        if _has_place(number):
            place = bisect_left(self._order, number)
            self.links -= self._linked(place) + self._linked(place + 1)
            del self._order[place]
            self.links += self._linked(place)

    def beside(self, number: int) -> tuple[int, ...]:
        """Return what was remembered just before and just after on the same occasion."""
        if not _has_place(number):
            return ()
        order, moment = self._order, number >> _BITS
        place = bisect_left(order, number)
        near = []
        if place and 0 < moment - (order[place - 1] >> _BITS) <= _OCCASION:
            near.append(order[place - 1])
        if place + 1 < len(order) and 0 < (order[place + 1] >> _BITS) - moment <= _OCCASION:
            near.append(order[place + 1])
        return tuple(near)

    def lateness(self, numbers: Iterable[int]) -> list[float | None]:
        """Return the place of each in the order from 0 to 1; None without a time, or where all have the same."""
        order = self._order
        if not order or order[0] >> _BITS == order[-1] >> _BITS:
            return [None for _ in numbers]
        last = len(order) - 1
        return [bisect_left(order, n >> _BITS << _BITS) / last if _has_place(n) else None for n in numbers]

    def within(self, first: str, end: str, limit: int) -> list[int]:
        """Return at most `limit` of those remembered from the day `first` until before the day `end`."""
        start = bisect_left(self._order, _start(first))
        return self._order[start : min(bisect_left(self._order, _start(end)), start + limit)]

    def years(self) -> range:
        """Return the years from the first to the last thing remembered."""
        return range(_year(self._order[0]), _year(self._order[-1]) + 1) if self._order else range(0)

    def _linked(self, place: int) -> int:
        """Return how many neighbours the texts at `place` and before it give to each other."""
        if not 0 < place < len(self._order):
            return 0
        return 2 * (0 < (self._order[place] >> _BITS) - (self._order[place - 1] >> _BITS) <= _OCCASION)


def _has_place(number: int) -> bool:
    return number >= 0 and not number & ROOM


def _year(number: int) -> int:
    return datetime.fromtimestamp((number >> _BITS) / 1000, UTC).year
