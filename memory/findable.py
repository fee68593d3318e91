"""What recall can find: items and passages of files in one form, and the order in which they were remembered."""

from bisect import bisect_left, insort
from dataclasses import dataclass

from memory.model import MemoryItem
from workspace.clock import parse_time

SAME_OCCASION_HOURS = 6


@dataclass(frozen=True, slots=True)
class Findable:
    """A text that can be found; `at` is empty and `source` too where nobody knows."""

    id: str
    text: str
    tags: tuple[str, ...] = ()
    at: str = ""
    source: str = ""
    importance: float = 0.5
    is_passage: bool = False

    @property
    def day(self) -> str:
        """The day it was remembered, as 2026-02-24, or ""."""
        return self.at[:10]

    @property
    def spoken(self) -> str:
        """The text as it is embedded: with the name of who said it, where that is a person's."""
        return f"{self.source}: {self.text}" if self.source[:1].isupper() else self.text


def of_item(item: MemoryItem) -> Findable:
    """Return an item as something to find."""
    return Findable(item.id, item.content, item.tags, item.created_at, item.source, item.importance)


class Timeline:
    """What is remembered in its order, and what stands directly before and after each on the same occasion.

    Things of one and the same moment were taken in together, as from a file: they have no order, and no neighbours.
    """

    def __init__(self) -> None:
        self._order: list[tuple[str, str]] = []
        self._times: list[str] = []
        self._at: dict[str, str] = {}
        self._beside: dict[str, tuple[str, ...]] = {}
        self.links = 0

    def add(self, one: Findable) -> None:
        """Take up `one`, which is not there yet; what has no time has no place, and a passage stands in its file."""
        if not one.at or one.is_passage:
            return
        self._at[one.id] = one.at
        insort(self._order, (one.at, one.id))
        insort(self._times, one.at)
        self._mend(bisect_left(self._order, (one.at, one.id)))

    def drop(self, item_id: str) -> None:
        """Forget one; harmless if it is not there."""
        at = self._at.pop(item_id, None)
        if at is None:
            return
        place = bisect_left(self._order, (at, item_id))
        del self._order[place], self._times[place]
        self.links -= len(self._beside.pop(item_id))
        self._mend(place)

    def beside(self, item_id: str) -> tuple[str, ...]:
        """Return what was remembered just before and just after on the same occasion."""
        return self._beside.get(item_id, ())

    def lateness(self, item_id: str) -> float | None:
        """Return the place in the order from 0 to 1; None without a time, or where all have the same."""
        at = self._at.get(item_id)
        if at is None or self._times[0] == self._times[-1]:
            return None
        return bisect_left(self._times, at) / (len(self._times) - 1)

    def within(self, first: str, last: str, limit: int) -> list[str]:
        """Return at most `limit` of those remembered from `first` to `last`, beginnings of ISO times, both included."""
        start, end = bisect_left(self._order, (first, "")), bisect_left(self._order, (last + "~", ""))
        return [item_id for _, item_id in self._order[start : min(end, start + limit)]]

    def years(self) -> list[str]:
        """Return the years from the first to the last thing remembered."""
        if not self._order:
            return []
        return [f"{year:04d}" for year in range(int(self._order[0][0][:4]), int(self._order[-1][0][:4]) + 1)]

    def _mend(self, place: int) -> None:
        """Find the neighbours anew of those around `place`."""
        for position in range(max(0, place - 1), min(len(self._order), place + 2)):
            item_id = self._order[position][1]
            self.links -= len(self._beside.get(item_id, ()))
            self._beside[item_id] = tuple(
                self._order[other][1]
                for other in (position - 1, position + 1)
                if 0 <= other < len(self._order) and _same_occasion(self._order[position][0], self._order[other][0])
            )
            self.links += len(self._beside[item_id])


def _same_occasion(one: str, other: str) -> bool:
    if one == other:
        return False
    if one[:13] == other[:13]:
        return True
    hours = abs((parse_time(one) - parse_time(other)).total_seconds()) / 3600
    return hours <= SAME_OCCASION_HOURS
