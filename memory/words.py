"""An index of words and tags: BM25 of a text, of its surroundings and of its day, and links between texts.

Only the texts relevant to a question are read. An agent's answer never depends on other agents' texts. Words are
stemmed as in the workspace's text index.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabos.memory.catalogue import WordsEntry, pad_stem
from mabos.memory.findable import Findable
from mabos.memory.forms import form, list_forms, token
from mabos.memory.texts import Texts, WordPlaces
from mabos.memory.timeline import DAY, NOBODY
from mabos.workspace.text import STOPWORDS

if TYPE_CHECKING:
    from mabos.memory.timeline import Numbers, Values

# The usual constants of BM25.
_SATURATION, _LENGTH = 1.2, 0.75
_FEWEST_TEXTS = 100
"""In a smaller memory, the number of texts with a word says little about how telling the word is."""
_MOST_ASKED = 12
"""A text answers a long message if it holds a share of so many of its words."""
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


@dataclass(frozen=True, slots=True)
class TextGroup:
    """A group of texts, each with the memories just before and after it on the same occasion.

    `all` begins with the texts themselves, and `numbers` are theirs; `beside` holds for each two positions in `all`, -1
    for a missing neighbour.
    """

    texts: Sequence[WordsEntry]
    all: Sequence[WordsEntry]
    numbers: "Numbers"
    beside: "Numbers"


def numbers_of(entries: Sequence[WordsEntry]) -> "Numbers":
    """Return the numbers of texts."""
    import numpy as np

    return np.array([entry.number for entry in entries], np.int64)


class Words:
    """An inverted index: scores by matched words, and links between texts; in memory without a `path`."""

    def __init__(self, found: Iterable[Findable] = (), path: Path | None = None) -> None:
        self.texts = Texts(list_forms, path)
        if found := list(found):
            self.texts.take(found)

    @property
    def sources(self) -> Collection[str]:
        """The authors of texts."""
        return self.texts.outline.sources

    def unknown(self, words: Sequence[str]) -> int:
        """Return how many of `words` (stems) occur in no text."""
        return len(dict.fromkeys(map(token, words))) - len(self.telling(words))

    def telling(self, words: Sequence[str]) -> list[str]:
        """Return those of `words` (stems) that occur in a text, rarest first, as the other methods expect."""
        asked = [token(word) for word in words]
        holders = self._holders(asked)
        return sorted((word for word in dict.fromkeys(asked) if holders[word]), key=lambda word: (holders[word], word))

    def best(self, words: Sequence[str], limit: int, wanted: Wanted | None = None) -> list[WordsEntry]:
        """Return the texts in which the `telling` words weigh most, at most `limit` of the `wanted` ones.

        Once enough texts contain the rarer words, the common ones only rank them.
        """
        import numpy as np

        near = self._places(words)
        if not near:
            return []
        texts = np.concatenate([one.numbers for one in near])
        counts = np.concatenate([one.counts for one in near])
        gains = np.repeat(self._gains(words[: len(near)]), [len(one.numbers) for one in near])
        flat, slope = self._widths()
        outline = self.texts.outline
        scores = gains * counts / (counts + flat + slope * outline.lengths[outline.numbers.searchsorted(texts)])
        numbers, place = np.unique(texts, return_inverse=True)
        sums = np.bincount(place, scores, len(numbers))
        if len(near) == len(words):
            return self._first(numbers, sums, limit, wanted)
        entries = self._first(numbers, sums, _REACH * limit, wanted)
        exact = self._own(words, entries)
        order = np.lexsort((numbers_of(entries), exact))[::-1][:limit]
        return [entries[at] for at in order.tolist()]

    def _places(self, words: Sequence[str]) -> list[WordPlaces]:
        """Return which texts hold the rarer of `words`, and how often: of one that is common even so, the latest."""
        found, places = list[WordPlaces](), 0
        most = max(_FEWEST_PLACES, min(_MOST_PLACES, int(_PLACES_SHARE * len(self.texts))))
        for number, word in enumerate(words):
            places += self.texts.held[word]
            if places > most and number:
                break
            found.append(self.texts.places(word) if places <= most else self.texts.latest_places(word, most))
        return found

    def _first(self, numbers: "Numbers", sums: Any, limit: int, wanted: Wanted | None) -> list[WordsEntry]:
        """Return the texts with the highest sums, of equals the newer, at most `limit` of those `wanted`."""
        import numpy as np

        if wanted is None and limit < len(sums):
            among = np.flatnonzero(sums >= np.partition(sums, -limit)[-limit])
            numbers, sums = numbers[among], sums[among]
        ranking = numbers[np.lexsort((numbers, sums))[::-1]]
        if wanted is None:
            return self.texts.at(ranking[:limit].tolist())
        parts = (self.texts.at(ranking[start : start + limit].tolist()) for start in range(0, len(ranking), limit))
        return list(islice((entry for part in parts for entry in part if wanted(entry.id)), limit))

    def beside(self, entries: Sequence[WordsEntry]) -> list[WordsEntry]:
        """Return the direct neighbours of texts in time that are not among them."""
        return self._beside(self.texts.outline.timeline.beside(numbers_of(entries)), entries)

    def _beside(self, near: "Numbers", entries: Sequence[WordsEntry]) -> list[WordsEntry]:
        others = {*near.ravel().tolist()}.difference([entry.number for entry in entries], (NOBODY,))
        return self.texts.at(sorted(others))

    def group(self, entries: Sequence[WordsEntry]) -> TextGroup:
        """Return texts with the memories directly before and after each."""
        import numpy as np

        numbers = numbers_of(entries)
        near = self.texts.outline.timeline.beside(numbers)
        everything = [*entries, *self._beside(near, entries)]
        known = np.append(numbers_of(everything), NOBODY)
        order = known.argsort()
        places = order[known[order].searchsorted(near)]
        return TextGroup(entries, everything, numbers, np.where(places < len(everything), places, -1))

    def lateness(self, numbers: "Numbers") -> "Values":
        """Return the relative position of each text in time, 0 to 1; `nan` without a time, or if all have the same."""
        return self.texts.outline.timeline.lateness(numbers)

    def within(self, first: str, end: str, limit: int) -> list[WordsEntry]:
        """Return at most `limit` texts from the day `first` until before the day `end`."""
        return self.texts.at(self.texts.outline.timeline.within(first, end, limit))

    def years(self) -> range:
        """Return the years from the first to the last memory."""
        return self.texts.outline.timeline.years()

    def scores(self, words: Sequence[str], group: TextGroup, unknown: int = 0) -> tuple["Values", "Values", "Values"]:
        """Return the scores of texts alone and with their neighbours, and each one's share of the question.

        The share is weighted by rarity, 0 to 1; the question also has `unknown` words that occur in no text.
        """
        import numpy as np

        wider = 1 + self.texts.outline.timeline.links / (len(self.texts) or 1)
        (flat, slope), (_, wide_slope) = self._widths(), self._widths(wider)
        nobody = np.zeros((len(words) + 1, 1))
        known = np.hstack([np.vstack([self._counts(words, group.all), [entry.length for entry in group.all]]), nobody])
        alone = known[:, : len(group.texts)]
        together = alone + known[:, group.beside[:, 0]] + known[:, group.beside[:, 1]]
        own = _score_counts(alone[:-1], self._gains(words), flat + slope * alone[-1])
        among = max(len(self.texts), _FEWEST_TEXTS)
        rarities = np.array([_rarity(self.texts.held[word], among) for word in words])
        whole = min(rarities.sum() + unknown * _rarity(0, among), _MOST_ASKED * _rarity(0, among))
        share = (rarities @ (alone[:-1] > 0) / (whole or 1.0)).clip(max=1.0)
        around = _score_counts(together[:-1], self._gains(words, wider), flat + wide_slope * together[-1])
        return own, around, share

    def _counts(self, words: Sequence[str], entries: Sequence[WordsEntry]) -> "Values":
        """Return how often texts hold `words`: a row for each word."""
        import numpy as np

        numbers, stems = numbers_of(entries), [entry.stems for entry in entries]
        counts = np.zeros((len(words), len(entries)))
        for row, word in zip(counts, words, strict=True):
            places = self.texts.known_places(word)
            if places is None:  # too common for its places to be known; that a text lacks it, `in` sees before `count`
                wanted = pad_stem(word)
                row[:] = [one.count(wanted) if wanted in one else 0 for one in stems]
            elif len(places.numbers):
                at = np.minimum(places.numbers.searchsorted(numbers), len(places.numbers) - 1)
                row[:] = np.where(places.numbers[at] == numbers, places.counts[at], 0)
        return counts

    def _own(self, words: Sequence[str], entries: Sequence[WordsEntry]) -> "Values":
        import numpy as np

        flat, slope = self._widths()
        lengths = np.array([entry.length for entry in entries])
        return _score_counts(self._counts(words, entries), self._gains(words), flat + slope * lengths)

    def days(self, words: Sequence[str], numbers: "Numbers") -> "Values":
        """Return for each text, by number, the score of its day as one text; 0 if all are of one day.

        Words too common to retrieve texts do not distinguish days either.
        """
        import numpy as np

        lengths = self.texts.outline.days
        if len(lengths) < 2:
            return np.zeros(len(numbers))
        slope = _SATURATION * _LENGTH * len(lengths) / (lengths.total() or 1)
        days, place = np.unique(numbers // DAY, return_inverse=True)
        widths = _SATURATION * (1 - _LENGTH) + slope * np.array([lengths[day] for day in days.tolist()])
        scores = np.zeros(len(days))
        for places in self._places(words):
            held, counts = places.by_day
            found = np.minimum(held.searchsorted(days), len(held) - 1)
            count = np.where(held[found] == days, counts[found], 0)
            gain = _rarity(int(np.count_nonzero(held >= 0)), len(lengths)) * (_SATURATION + 1)
            scores += gain * count / (count + widths)
        scores[days < 0] = 0
        return scores[place]

    def _widths(self, wider: float = 1.0) -> tuple[float, float]:
        """Return the effect of a text's length on its word counts: a constant, and the share of each word."""
        mean = self.texts.outline.total * wider / (len(self.texts) or 1)
        return _SATURATION * (1 - _LENGTH), _SATURATION * _LENGTH / (mean or 1.0)

    def _gains(self, words: Sequence[str], wider: float = 1.0) -> "Values":
        """Return the weights of words for texts wider than one, which hold each word about that much more often."""
        import numpy as np

        among = len(self.texts)
        holders = (min(among, round(self.texts.held[word] * wider)) for word in words)
        return np.array([_rarity(one, among) * (_SATURATION + 1) for one in holders])

    def _holders(self, words: Collection[str]) -> Mapping[str, int]:
        """Return how many texts hold each of `words`."""
        held = self.texts.held
        if unknown := [word for word in words if word not in held]:
            held |= dict.fromkeys(unknown, 0) | self.texts.catalogue.holders(unknown)
        return held

    def linked(self, item_id: str, known: Iterable[str]) -> dict[str, float]:
        """Return the texts, not in `known`, that share a tag or rare word with a text; 0 to 1 by its strength."""
        entry, catalogue = self.texts.entry(item_id), self.texts.catalogue
        bonds = [catalogue.with_tag(tag, _MOST_LINKED) for tag in dict.fromkeys(entry.one.tags)]
        return self._shares(entry, [*bonds, *self._bonds(self._rare(entry, {token(word) for word in known}))])

    def linked_by_name(self, item_id: str, known: Iterable[str]) -> dict[str, float]:
        """Return the texts that share a name, a word capitalised within a sentence, with a text; 0 to 1 as above."""
        entry = self.texts.entry(item_id)
        names = dict.fromkeys(form(name.lower()) for name in _NAME.findall(entry.text))
        return self._shares(entry, self._bonds(self._links(names, {*map(token, known), *STOPWORDS})))

    def _shares(self, entry: WordsEntry, bonds: Iterable[tuple[int, Iterable[int]]]) -> dict[str, float]:
        """Return for each text in any of `bonds`, of so many holders, the share of their rarity that holds it."""
        weighed = [(_rarity(count, len(self.texts)), holders) for count, holders in bonds]
        whole = sum(rarity for rarity, _ in weighed)
        shares: dict[int, float] = {}
        for rarity, holders in weighed:
            for other in holders:
                shares[other] = shares.get(other, 0.0) + rarity / whole
        shares.pop(entry.number, None)
        most = nlargest(_MOST_LINKED, shares, key=lambda number: (shares[number], number))
        return {other.id: shares[other.number] for other in self.texts.at(most)}

    def _bonds(self, words: Iterable[str]) -> list[tuple[int, list[int]]]:
        return [(self.texts.held[word], self.texts.catalogue.newest(word, _MOST_LINKED)) for word in words]

    def _rare(self, entry: WordsEntry, ignored: Collection[str]) -> list[str]:
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


def _score_counts(counts: "Values", gains: "Values", widths: "Values") -> "Values":
    """Return the scores of texts of some widths that hold words so often, of which each gains so much."""
    scores: Values = gains @ (counts / (counts + widths))
    return scores


def _rarity(holders: int, among: int) -> float:
    return log(1 + (among - holders + 0.5) / (holders + 0.5))
