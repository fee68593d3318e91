"""Which texts hold which words and tags: BM25 of a text, of its surroundings and of its day, and links between texts.

Only the texts that a question leads to are looked at. An agent's answer never depends on what others wrote. Words are
cut to their stems as in the workspace's text index.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import islice
from math import log
from pathlib import Path

from memory.catalogue import Entry, sought
from memory.findable import Findable
from memory.stem import stem
from memory.texts import Texts
from memory.timeline import DAY, day_number
from workspace.text import STOPWORDS, terms

# The usual constants of BM25.
_SATURATION, _LENGTH = 1.2, 0.75
_SHORTEST_LINK = 4
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][A-Za-z'-]{2,}")
_COMMON_SHARE = 0.2
_FEWEST_PLACES, _PLACES_SHARE, _MOST_PLACES = 1_000, 0.03, 3_000
"""So many places of words are looked at in one recall, by the share of all texts; words beyond are too common to bring
in texts by themselves."""
_REACH = 4
"""Texts looked at for each one wanted, where common words were left out at first."""
_MOST_LINKED = 300
"""Texts that a tag or a word links to one text at most, the latest."""

Wanted = Callable[[str], bool]
"""Returns whether the caller wants this text at all."""
Spans = dict[str, tuple[Entry, ...]]
"""Texts by id, each followed by what was remembered just before and just after it on the same occasion."""

Counts = list[tuple[int, int]]
"""How often a text holds words: for each that it holds, its place among those asked for, and the count."""


def _held(one: Findable) -> list[str]:
    """Return the words under which a text is found: its own and those of its tags."""
    return list(map(_form, terms(" ".join((one.text, *one.tags)))))


@lru_cache(maxsize=200_000)
def _form(word: str) -> str:
    """Return a word as the catalogue knows it: its stem."""
    return _token(stem(word))


def _token(word: str) -> str:
    """Return a stem as the catalogue knows it, which would fold what is not ASCII in a way of its own."""
    return word if word.isascii() else "u" + word.encode("utf-8", "surrogatepass").hex()


class Words:
    """An inverted index: scores by matched words, and links between texts; in memory where no `path` is given."""

    def __init__(self, found: Iterable[Findable] = (), path: Path | None = None) -> None:
        self.texts = Texts(_held, path)
        self._near: dict[str, Mapping[int, int]] = {}
        if found := list(found):
            self.texts.take(found)

    @property
    def sources(self) -> Collection[str]:
        """From whom there is a text."""
        return self.texts.outline.sources

    def telling(self, words: Sequence[str]) -> list[str]:
        """Return those of `words` (stems) that any text holds, the rarest first, as all else here wants them."""
        asked = [_token(word) for word in words]
        holders = self._holders(asked)
        return sorted((word for word in dict.fromkeys(asked) if holders[word]), key=lambda word: (holders[word], word))

    def best(self, words: Sequence[str], limit: int, wanted: Wanted | None = None) -> list[Entry]:
        """Return the texts in which the `telling` words weigh most, at most `limit` of those `wanted`.

        Once enough texts hold the rarer words, the common ones only decide among them.
        """
        near = self._places(words)
        sums: dict[int, float] = {}
        lengths, (flat, slope) = self.texts.outline.lengths, self._widths()
        for word, places in near.items():
            gain = self._gain(word)
            scores = {n: gain * count / (count + flat + slope * lengths[n]) for n, count in places.items()}
            for number in scores.keys() & sums.keys():
                scores[number] += sums[number]
            sums |= scores
        if len(near) == len(words):
            return self._first(sums, limit, wanted)
        entries = self._first(sums, _REACH * limit, wanted)
        exact = self._own(words, entries)
        return nlargest(limit, entries, key=lambda entry: (exact.get(entry.one.id, 0.0), entry.number))

    def _places(self, words: Sequence[str]) -> dict[str, Mapping[int, int]]:
        """Return which texts hold the rarer of `words`, and how often: of one that is common even so, the latest."""
        known, places = self.texts.places, 0
        most = max(_FEWEST_PLACES, min(_MOST_PLACES, int(_PLACES_SHARE * len(self.texts))))
        for number, word in enumerate(words):
            places += self.texts.held[word]
            if places > most and number:
                return {word: known[word] for word in words[:number]}
            if word not in known and places > most:
                known[word] = dict.fromkeys(self.texts.catalogue.newest(word, most), 1)
            elif word not in known:
                known[word] = Counter(self.texts.catalogue.places(word))
        return {word: known[word] for word in words}

    def _first(self, sums: Mapping[int, float], limit: int, wanted: Wanted | None) -> list[Entry]:
        ranking = zip(sums.values(), sums, strict=True)
        if wanted is None:
            return self.texts.at(number for _, number in nlargest(limit, ranking))
        numbers = [number for _, number in sorted(ranking, reverse=True)]
        parts = (self.texts.at(numbers[start : start + limit]) for start in range(0, len(numbers), limit))
        return list(islice((entry for part in parts for entry in part if wanted(entry.one.id)), limit))

    def spans(self, entries: Iterable[Entry]) -> Spans:
        """Return each text with what was remembered directly before and after it."""
        timeline = self.texts.outline.timeline
        near = [(entry, timeline.beside(entry.number)) for entry in entries]
        found = {entry.number: entry for entry in self.texts.at({number for _, numbers in near for number in numbers})}
        return {entry.one.id: (entry, *[found[number] for number in numbers]) for entry, numbers in near}

    def lateness(self, entries: Iterable[Entry]) -> list[float | None]:
        """Return the place of each in time from 0 to 1; None without a time, or where all have the same."""
        return self.texts.outline.timeline.lateness(entry.number for entry in entries)

    def within(self, first: str, end: str, limit: int) -> list[Entry]:
        """Return at most `limit` texts remembered from the day `first` until before the day `end`."""
        return self.texts.at(self.texts.outline.timeline.within(first, end, limit))

    def years(self) -> range:
        """Return the years from the first to the last thing remembered."""
        return self.texts.outline.timeline.years()

    def scores(self, words: Sequence[str], spans: Spans) -> tuple[dict[str, float], dict[str, float]]:
        """Return the scores of texts by themselves, and each taken as one with what stands beside it."""
        wider = 1 + self.texts.outline.timeline.links / (len(self.texts) or 1)
        (flat, slope), (_, wide_slope) = self._widths(), self._widths(wider)
        gains, wide_gains = ([self._gain(word, among) for word in words] for among in (1.0, wider))
        counts = self._counts(words, (entry for span in spans.values() for entry in span))
        own: dict[str, float] = {}
        around: dict[str, float] = {}
        for one, span in spans.items():
            held = [counts[entry.number] for entry in span if entry.number in counts]
            if held:
                wide = flat + wide_slope * sum([entry.length for entry in span])
                around[one] = _weighed(held[0] if len(held) == 1 else _together(held), wide_gains, wide)
                if alone := counts.get(span[0].number):
                    own[one] = _weighed(alone, gains, flat + slope * span[0].length)
        return own, around

    def _counts(self, words: Sequence[str], entries: Iterable[Entry]) -> dict[int, Counts]:
        """Return how often each of some texts, by number, holds those of `words` that it holds, by their places."""
        texts = {entry.number: entry.stems for entry in entries}
        counts: dict[int, Counts] = {}
        for at, word in enumerate(words):
            places, wanted = self.texts.places.get(word, {}), sought(word)
            if len(places) == self.texts.held[word]:
                found = [(number, places[number]) for number in places.keys() & texts.keys()]
            else:  # too common for its places to be known; that a text lacks it, `in` sees faster than `count`
                found = [(number, stems.count(wanted)) for number, stems in texts.items() if wanted in stems]
            for number, count in found:
                counts.setdefault(number, []).append((at, count))
        return counts

    def _own(self, words: Sequence[str], entries: Sequence[Entry]) -> dict[str, float]:
        flat, slope = self._widths()
        gains, counts = [self._gain(word) for word in words], self._counts(words, entries)
        found = ((entry, counts[entry.number]) for entry in entries if entry.number in counts)
        return {entry.one.id: _weighed(held, gains, flat + slope * entry.length) for entry, held in found}

    def days(self, words: Sequence[str], chosen: Iterable[str]) -> dict[str, float]:
        """Return the scores of the `chosen` days, each taken as one text; none where all was remembered on one day.

        Words that are too common to bring in texts tell no day from another.
        """
        lengths = self.texts.outline.days
        if len(lengths) < 2:
            return {}
        slope = _SATURATION * _LENGTH * len(lengths) / (lengths.total() or 1)
        wanted = {day: day_number(day) for day in chosen if day}
        scores = dict.fromkeys(wanted, 0.0)
        for places in self._places(words).values():
            counted: dict[int, int] = {}
            for number, count in places.items():
                day_of_text = number // DAY
                counted[day_of_text] = counted.get(day_of_text, 0) + count
            known = sum(number >= 0 for number in counted)
            gain = _rarity(known, len(lengths)) * (_SATURATION + 1)
            for day, number in wanted.items():
                if count := counted.get(number, 0):
                    width = _SATURATION * (1 - _LENGTH) + slope * lengths[number]
                    scores[day] += gain * count / (count + width)
        return scores

    def _widths(self, wider: float = 1.0) -> tuple[float, float]:
        """Return what a text's length does to the counts of its words: a constant, and the share of each word."""
        mean = self.texts.outline.total * wider / (len(self.texts) or 1)
        return _SATURATION * (1 - _LENGTH), _SATURATION * _LENGTH / (mean or 1.0)

    def _gain(self, word: str, wider: float = 1.0) -> float:
        """Return what a word counts among texts that are wider than one; about so many more of them hold it."""
        holders = min(len(self.texts), round(self.texts.held[word] * wider))
        return _rarity(holders, len(self.texts)) * (_SATURATION + 1)

    def _holders(self, words: Collection[str]) -> Mapping[str, int]:
        """Return how many texts hold each of `words`."""
        held = self.texts.held
        if unknown := [word for word in words if word not in held]:
            held |= dict.fromkeys(unknown, 0) | self.texts.catalogue.holders(unknown)
        return held

    def linked(self, item_id: str, known: Iterable[str]) -> dict[str, float]:
        """Return the texts that share a tag or a rare word, not in `known`, with a text; 0 to 1 by how much it is."""
        entry, catalogue = self.texts.entry(item_id), self.texts.catalogue
        bonds = [catalogue.with_tag(tag, _MOST_LINKED) for tag in dict.fromkeys(entry.one.tags)]
        return self._shares(entry, [*bonds, *self._bonds(self._rare(entry, {_token(word) for word in known}))])

    def linked_by_name(self, item_id: str, known: Iterable[str]) -> dict[str, float]:
        """Return the texts that share a name, a word with a capital inside a sentence, with a text; 0 to 1 as above."""
        entry = self.texts.entry(item_id)
        names = dict.fromkeys(_form(name.lower()) for name in _NAME.findall(entry.one.text))
        return self._shares(entry, self._bonds(self._links(names, {*map(_token, known), *STOPWORDS})))

    def _shares(self, entry: Entry, bonds: Iterable[tuple[int, Iterable[int]]]) -> dict[str, float]:
        """Return for each text in any of `bonds`, of so many holders, the share of their rarity that holds it."""
        weighed = [(_rarity(count, len(self.texts)), holders) for count, holders in bonds]
        whole = sum(rarity for rarity, _ in weighed)
        shares: dict[int, float] = {}
        for rarity, holders in weighed:
            for other in holders:
                shares[other] = shares.get(other, 0.0) + rarity / whole
        shares.pop(entry.number, None)
        most = nlargest(_MOST_LINKED, shares, key=lambda number: (shares[number], number))
        return {other.one.id: shares[other.number] for other in self.texts.at(most)}

    def _bonds(self, words: Iterable[str]) -> list[tuple[int, list[int]]]:
        return [(self.texts.held[word], self.texts.catalogue.newest(word, _MOST_LINKED)) for word in words]

    def _rare(self, entry: Entry, ignored: Collection[str]) -> list[str]:
        rare = self._links(dict.fromkeys(entry.stems.split()), {*ignored, *STOPWORDS})
        long = sorted(word for word in rare if len(word) >= _SHORTEST_LINK)
        return nlargest(5, long, key=lambda word: -self.texts.held[word])

    def _links(self, words: Collection[str], ignored: Collection[str]) -> list[str]:
        """Return those of `words` that link texts: others hold them too, but not too many."""
        telling = [word for word in words if word not in ignored]
        holders, most = self._holders(telling), max(2, int(_COMMON_SHARE * len(self.texts)))
        return [word for word in telling if 1 < holders[word] <= most]

    def overlap(self, one: str, other: str) -> float:
        """Return the share of common words among all words of two texts."""
        first, second = (frozenset(self.texts.entry(item_id).stems.split()) for item_id in (one, other))
        return len(first & second) / (len(first | second) or 1)


def _weighed(counts: Counts, gains: Sequence[float], width: float) -> float:
    """Return the score of a text of some width that holds words so often, of which each gains so much."""
    score = 0.0
    for at, count in counts:
        score += gains[at] * count / (count + width)
    return score


def _together(held: Iterable[Counts]) -> Counts:
    """Return how often several texts hold words as if they were one."""
    counts: dict[int, int] = {}
    for one in held:
        for at, count in one:
            counts[at] = counts.get(at, 0) + count
    return sorted(counts.items())


def _rarity(holders: int, among: int) -> float:
    return log(1 + (among - holders + 0.5) / (holders + 0.5))
