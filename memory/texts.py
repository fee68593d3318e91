"""Findable texts in one process: an outline of all, and the texts it has read.

The rest is in the catalogue. When another process writes to it, this cache is rebuilt.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from mabos.memory.catalogue import Catalogue, WordsEntry
from mabos.memory.findable import Findable
from mabos.memory.timeline import DAY, MemoryTimeline, day_of

if TYPE_CHECKING:
    from mabos.memory.timeline import Numbers, Values

_REMEMBERED = 20_000
"""Texts that are kept in memory once they were looked at."""
_REMEMBERED_WORDS = 4_000
_AT_ONCE = 2_000
_A_FEW = 100

Stems = Callable[[Findable], list[str]]
Marks = Mapping[str, str | None]


@dataclass(frozen=True)
class WordPlaces:
    """The texts with a word, by number and in order, with counts; `are_all` is False if only the latest."""

    numbers: "Numbers"
    counts: "Values"
    are_all: bool = True

    @cached_property
    def by_day(self) -> "tuple[Numbers, Values]":
        """The days of these texts, in order, and how often the word occurs on each."""
        import numpy as np

        days = self.numbers // DAY
        firsts = _firsts(days)
        return days[firsts], np.add.reduceat(self.counts, firsts)


def _firsts(ordered: "Numbers") -> "Numbers":
    """Return where in numbers that are in order a new one begins."""
    import numpy as np

    is_new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return is_new.nonzero()[0]


class Outline:
    """The length and time of every text, by number and in order, and the number of texts from each source."""

    def __init__(self, lengths: Iterable[tuple[int, int]], sources: Mapping[str, int]) -> None:
        import numpy as np

        known = np.fromiter(chain.from_iterable(lengths), np.int64).reshape(-1, 2)
        known = known[known[:, 0].argsort()]
        self.numbers, self.lengths = np.ascontiguousarray(known[:, 0]), known[:, 1].astype(np.float64)
        self.sources = Counter(sources)
        self.total = int(self.lengths.sum())
        self.timeline = MemoryTimeline(self.numbers)
        timed = self.numbers >= 0
        days, place = np.unique(self.numbers[timed] // DAY, return_inverse=True)
        told = zip(days.tolist(), np.bincount(place, self.lengths[timed], len(days)).tolist(), strict=True)
        self.days = Counter({day: int(length) for day, length in told if length})

    def add(self, entry: WordsEntry) -> None:
        """Add a new text."""
        import numpy as np

        place = int(self.numbers.searchsorted(entry.number))
        self.numbers = np.insert(self.numbers, place, entry.number)
        self.lengths = np.insert(self.lengths, place, entry.length)
        self.timeline.add(entry.number)
        self._count(entry, 1)

    def drop(self, entry: WordsEntry) -> None:
        """Remove an existing text."""
        import numpy as np

        place = int(self.numbers.searchsorted(entry.number))
        self.numbers, self.lengths = np.delete(self.numbers, place), np.delete(self.lengths, place)
        self.timeline.drop(entry.number)
        self._count(entry, -1)

    def _count(self, entry: WordsEntry, sign: int) -> None:
        length = sign * entry.length
        self.total += length
        self.sources[entry.source] += sign
        if not self.sources[entry.source]:
            del self.sources[entry.source]
        if (day := day_of(entry.number)) is not None:
            self.days[day] += length
            if not self.days[day]:
                del self.days[day]


class Texts(Mapping[str, Findable]):
    """Texts by id. Not thread-safe: the lock of the source store's shelf guards it."""

    def __init__(self, stems: Stems, path: Path | None) -> None:
        self.catalogue = Catalogue(path)
        self._stems = stems
        self._changed: dict[str, None] | None = None
        self.held: dict[str, int] = {}  # how many texts hold a word, of those that were asked for
        self._places: dict[str, WordPlaces] = {}
        self._entries: dict[int, WordsEntry] = {}
        self._numbers: dict[str, int] = {}
        self._outline: Outline | None = None
        self._marks: Mapping[str, str] | None = None

    def __getitem__(self, item_id: str) -> Findable:
        return self.entry(item_id).one

    def __iter__(self) -> Iterator[str]:
        return iter(self.catalogue.ids())

    def __len__(self) -> int:
        return len(self.outline.numbers)

    @property
    def outline(self) -> Outline:
        """The outline of all texts."""
        if self._outline is None:
            self._outline = Outline(self.catalogue.lengths(), self.catalogue.sources())
        return self._outline

    @property
    def marks(self) -> Mapping[str, str]:
        """The position up to which each source has been processed, by name."""
        if self._marks is None:
            self._marks = self.catalogue.marks()
        return self._marks

    def refresh(self) -> None:
        """Detect other processes' writes. Call this before reading texts."""
        if self.catalogue.is_news():
            self._changed = None  # what has gone meanwhile is not known
            self._forget()
            return
        if len(self._entries) > _REMEMBERED:
            self._entries.clear()
            self._numbers.clear()
        if len(self._places) > _REMEMBERED_WORDS:
            self._places.clear()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Read one state of the texts inside the block: a text that was counted still exists when it is read."""
        with self.catalogue.reading():
            self.refresh()
            yield

    def entry(self, item_id: str) -> WordsEntry:
        """Return one text with its stems; raises `KeyError`."""
        number = self._numbers.get(item_id)
        if number is None:
            self._remember(self.catalogue.by_id([item_id]))
            number = self._numbers[item_id]
        return self._entries[number]

    def at(self, numbers: Iterable[int]) -> list[WordsEntry]:
        """Return the texts with these numbers, in order."""
        wanted = list(numbers)
        if missing := [number for number in wanted if number not in self._entries]:
            self._remember(self.catalogue.by_number(missing))
        return [self._entries[number] for number in wanted]

    def places(self, word: str) -> WordPlaces:
        """Return the texts with a word."""
        import numpy as np

        known = self.known_places(word)
        if known is None:
            found = np.array(self.catalogue.places(word), np.int64)
            firsts = _firsts(found)
            counts = np.diff(firsts, append=len(found)).astype(np.float64)
            known = self._places[word] = WordPlaces(found[firsts], counts)
        return known

    def latest_places(self, word: str, limit: int) -> WordPlaces:
        """Return the latest texts with a word, at most `limit`, or all of them if they are cached."""
        import numpy as np

        known = self._places.get(word)
        if known is None:
            found = np.array(self.catalogue.newest(word, limit)[::-1], np.int64)
            known = self._places[word] = WordPlaces(found, np.ones(len(found)), are_all=False)
        return known

    def known_places(self, word: str) -> WordPlaces | None:
        """Return the texts with a word, if cached."""
        known = self._places.get(word)
        return known if known is not None and known.are_all else None

    def named(self, ids: Iterable[str]) -> list[WordsEntry]:
        """Return the existing texts among `ids`."""
        wanted = list(ids)
        if missing := [one for one in wanted if one not in self._numbers]:
            self._remember(self.catalogue.by_id(missing))
        return [self._entries[number] for one in wanted if (number := self._numbers.get(one)) is not None]

    def news(self) -> tuple[dict[str, None] | None, dict[str, bytes]]:
        """Return the texts added or removed since `told` (None: perhaps all), and the vector keys of existing ones."""
        if self._changed is None:
            return None, self.catalogue.keys()
        changed = dict(self._changed)
        return changed, {entry.id: entry.key for entry in self.named(changed)}

    def told(self, *, all_again: bool = False) -> None:
        """Record that the news was received; or, if that is lost, that everything is new."""
        self._changed = None if all_again else {}

    def some(self, ids: Iterable[str]) -> Iterator[Findable]:
        """Yield the existing texts among `ids`, in any order, without caching them."""
        left = iter(ids)
        while part := list(islice(left, _AT_ONCE)):
            yield from (entry.one for entry in self.catalogue.by_id(part))

    def take(self, came: Iterable[Findable], gone: Iterable[str] = (), marks: Marks = MappingProxyType({})) -> None:
        """Add or update texts, remove others, and save the new positions."""
        left = iter(came)
        try:
            with self.catalogue.writing():
                self.refresh()
                is_first = self.catalogue.is_empty()
                for entry in list(self.catalogue.by_id(list(gone))):
                    self._remove(entry)
                while part := {one.id: one for one in islice(left, _AT_ONCE)}:
                    known = [] if is_first else self.catalogue.by_id(list(part))
                    self._put(part, {entry.id: entry for entry in known})
                self.catalogue.mark(marks)
        except BaseException:
            self._forget()
            raise
        self._marks = None

    def _put(self, came: Mapping[str, Findable], known: Mapping[str, WordsEntry]) -> None:
        new = []
        for one in came.values():
            entry = known.get(one.id)
            if entry is None or entry.one._replace(importance=one.importance) != one:
                if entry is not None:
                    self._remove(entry)
                new.append((one, self._stems(one)))
            elif entry.importance != one.importance:
                self.catalogue.weigh(entry.number, one.importance)
                self._remember([entry._replace(importance=one.importance)])
        entries = self.catalogue.put(new)
        self._note(entries)
        if len(entries) > _A_FEW:
            self._outline = None  # read anew, which costs less than to find so many their places
        elif self._outline is not None:
            for entry in entries:
                self._outline.add(entry)

    def _remove(self, entry: WordsEntry) -> None:
        self.catalogue.drop(entry.number)
        self._note([entry])
        if self._outline is not None:
            self._outline.drop(entry)
        self._entries.pop(entry.number, None)
        self._numbers.pop(entry.id, None)

    def _note(self, entries: Sequence[WordsEntry]) -> None:
        """Record that texts came or went; cached data on their words is dropped."""
        if len(entries) > _A_FEW:
            self.held.clear()
            self._places.clear()
        else:
            for word in {word for entry in entries for word in entry.stems.split()}:
                self.held.pop(word, None)
                self._places.pop(word, None)
        if self._changed is not None:
            self._changed.update(dict.fromkeys([entry.id for entry in entries]))

    def _remember(self, entries: Iterable[WordsEntry]) -> None:
        found = list(entries)
        self._entries.update([(entry.number, entry) for entry in found])
        self._numbers.update([(entry.id, entry.number) for entry in found])

    def _forget(self) -> None:
        for known in (self.held, self._places, self._entries, self._numbers):
            known.clear()
        self._outline = self._marks = None
