"""The texts that can be found, as one process holds them: the outline of all, and those that it has looked at.

The rest lies in the catalogue, from which everything here is made again where another process has written to it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from memory.catalogue import Catalogue, Entry
from memory.findable import Findable
from memory.timeline import Timeline, day_of

_REMEMBERED = 20_000
"""Texts that are kept in memory once they were looked at."""
_AT_ONCE = 2_000
_A_FEW = 100

Stems = Callable[[Findable], list[str]]
Marks = Mapping[str, str | None]


class Outline:
    """How long every text is and where it stands in time, by number, and from whom there are how many."""

    def __init__(self, lengths: dict[int, int], sources: Mapping[str, int]) -> None:
        self.lengths = lengths
        self.sources = Counter(sources)
        self.total = sum(lengths.values())
        self.timeline = Timeline(list(lengths))
        self.days: Counter[int] = Counter()
        for number, length in lengths.items():
            if length and (day := day_of(number)) is not None:
                self.days[day] += length

    def add(self, entry: Entry) -> None:
        """Take up a text, which is not there yet."""
        self.lengths[entry.number] = entry.length
        self.timeline.add(entry.number)
        self._count(entry, 1)

    def drop(self, entry: Entry) -> None:
        """Forget a text, which is there."""
        del self.lengths[entry.number]
        self.timeline.drop(entry.number)
        self._count(entry, -1)

    def _count(self, entry: Entry, sign: int) -> None:
        length = sign * entry.length
        self.total += length
        self.sources[entry.one.source] += sign
        if not self.sources[entry.one.source]:
            del self.sources[entry.one.source]
        if (day := day_of(entry.number)) is not None:
            self.days[day] += length
            if not self.days[day]:
                del self.days[day]


class Texts(Mapping[str, Findable]):
    """Texts by id. Not for threads: the shelf of the store they come from holds the lock."""

    def __init__(self, stems: Stems, path: Path | None) -> None:
        self.catalogue = Catalogue(path)
        self._stems = stems
        self._changed: dict[str, None] | None = None
        self.held: dict[str, int] = {}  # how many texts hold a word, of those that were asked for
        self.places: dict[str, Mapping[int, int]] = {}  # which texts do, and how often, since the last look
        self._entries: dict[int, Entry] = {}
        self._numbers: dict[str, int] = {}
        self._outline: Outline | None = None
        self._marks: Mapping[str, str] | None = None

    def __getitem__(self, item_id: str) -> Findable:
        return self.entry(item_id).one

    def __iter__(self) -> Iterator[str]:
        return iter(self.catalogue.ids())

    def __len__(self) -> int:
        return len(self.outline.lengths)

    @property
    def outline(self) -> Outline:
        """What a process keeps of every text."""
        if self._outline is None:
            self._outline = Outline(self.catalogue.lengths(), self.catalogue.sources())
        return self._outline

    @property
    def marks(self) -> Mapping[str, str]:
        """Up to where everything that is followed has been taken up, by name."""
        if self._marks is None:
            self._marks = self.catalogue.marks()
        return self._marks

    def refresh(self) -> None:
        """Notice what other processes have written: for the beginning of whatever looks at texts."""
        self.places.clear()
        if self.catalogue.is_news():
            self._changed = None  # what has gone meanwhile is not known
            self._forget()
        elif len(self._entries) > _REMEMBERED:
            self._entries.clear()
            self._numbers.clear()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Show one state of the texts inside the block: what is counted first is there when it is looked at."""
        with self.catalogue.reading():
            self.refresh()
            yield

    def entry(self, item_id: str) -> Entry:
        """Return one text with its stems; raises `KeyError`."""
        number = self._numbers.get(item_id)
        if number is None:
            self._remember(self.catalogue.by_id([item_id]))
            number = self._numbers[item_id]
        return self._entries[number]

    def at(self, numbers: Iterable[int]) -> list[Entry]:
        """Return the texts with these numbers, in their order."""
        wanted = list(numbers)
        if missing := [number for number in wanted if number not in self._entries]:
            self._remember(self.catalogue.by_number(missing))
        return [self._entries[number] for number in wanted]

    def named(self, ids: Iterable[str]) -> list[Entry]:
        """Return those of the texts `ids` that there are."""
        wanted = list(ids)
        if missing := [one for one in wanted if one not in self._numbers]:
            self._remember(self.catalogue.by_id(missing))
        return [self._entries[number] for one in wanted if (number := self._numbers.get(one)) is not None]

    def news(self) -> tuple[dict[str, None] | None, dict[str, bytes]]:
        """Return what came or went since it was `told` (None: perhaps all), and the vectors' keys of what is there."""
        if self._changed is None:
            return None, self.catalogue.keys()
        changed = dict(self._changed)
        return changed, {entry.one.id: entry.key for entry in self.named(changed)}

    def told(self, *, all_again: bool = False) -> None:
        """Take note that the news are known; or, where they are lost, that all is news."""
        self._changed = None if all_again else {}

    def some(self, ids: Iterable[str]) -> Iterator[Findable]:
        """Yield those of the texts `ids` that there are, in any order; nothing of it is remembered."""
        left = iter(ids)
        while part := list(islice(left, _AT_ONCE)):
            yield from (entry.one for entry in self.catalogue.by_id(part))

    def take(self, came: Iterable[Findable], gone: Iterable[str] = (), marks: Marks = MappingProxyType({})) -> None:
        """Take up texts or their new forms, forget others, and write down up to where this brings us."""
        left = iter(came)
        try:
            with self.catalogue.writing():
                self.refresh()
                is_first = self.catalogue.is_empty()
                for entry in list(self.catalogue.by_id(list(gone))):
                    self._remove(entry)
                while part := {one.id: one for one in islice(left, _AT_ONCE)}:
                    known = [] if is_first else self.catalogue.by_id(list(part))
                    self._put(part, {entry.one.id: entry for entry in known})
                self.catalogue.mark(marks)
        except BaseException:
            self._forget()
            raise
        self._marks = None

    def _put(self, came: Mapping[str, Findable], known: Mapping[str, Entry]) -> None:
        new = []
        for one in came.values():
            entry = known.get(one.id)
            if entry is None or entry.one._replace(importance=one.importance) != one:
                if entry is not None:
                    self._remove(entry)
                new.append((one, self._stems(one)))
            elif entry.one != one:
                self.catalogue.weigh(entry.number, one.importance)
                self._remember([entry._replace(one=one)])
        entries = self.catalogue.put(new)
        self._note(entry.one.id for entry in entries)
        if len(entries) > _A_FEW:
            self._outline = None  # read anew, which costs less than to find so many their places
        elif self._outline is not None:
            for entry in entries:
                self._outline.add(entry)

    def _remove(self, entry: Entry) -> None:
        self.catalogue.drop(entry.number)
        self._note([entry.one.id])
        if self._outline is not None:
            self._outline.drop(entry)
        self._entries.pop(entry.number, None)
        self._numbers.pop(entry.one.id, None)

    def _note(self, ids: Iterable[str]) -> None:
        self.held.clear()
        self.places.clear()
        if self._changed is not None:
            self._changed.update(dict.fromkeys(ids))

    def _remember(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._entries[entry.number] = entry
            self._numbers[entry.one.id] = entry.number

    def _forget(self) -> None:
        for known in (self.held, self.places, self._entries, self._numbers):
            known.clear()
        self._outline = self._marks = None
