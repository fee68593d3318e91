"""Which texts hold which words and tags: BM25 of a text, of its surroundings and of its day, and links between texts.

Kept in memory beside an open store and brought up to date by what changes, so that what was stored a moment ago is
found, and an agent's answer never depends on what others wrote. Words are cut to their stems as in the text index.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import nlargest
from math import log

from memory.findable import Findable, Timeline
from memory.stem import stem
from workspace.text import STOPWORDS, terms

# The usual constants of BM25.
_SATURATION, _LENGTH = 1.2, 0.75
_SHORTEST_LINK = 4
_COMMON_SHARE = 0.2
# So many places of a word are looked at in one recall; what is beyond are words too common to tell texts apart.
_MOST_PLACES = 12_000


def stems(text: str) -> list[str]:
    """Return the stems of all words of `text`, in order."""
    return [stem(word) for word in terms(text)]


class Words:
    """An inverted index: scores by matched words, and links between texts.

    `changed` names what came or went, for the one who keeps vectors beside it and empties it.
    """

    def __init__(self, found: Iterable[Findable] = ()) -> None:
        self.texts: dict[str, Findable] = {}
        self.timeline = Timeline()
        self.sources: Counter[str] = Counter()
        self.changed: dict[str, None] = {}
        self._holding: dict[str, dict[str, int]] = {}
        self._own: dict[str, tuple[str, ...]] = {}
        self._lengths: dict[str, int] = {}
        self._tagged: dict[str, set[str]] = {}
        self._day_lengths: Counter[str] = Counter()
        self._total = 0
        for one in found:
            self.add(one)

    def add(self, one: Findable) -> None:
        """Take up `one`, or its new form."""
        known = self.texts.get(one.id)
        if known is not None and replace(known, importance=one.importance) == one:
            self.texts[one.id] = one
            return
        self.drop(one.id)
        self.changed[one.id] = None
        counts = Counter(stems(one.text))
        counts.update(word for tag in one.tags for word in stems(tag))
        length = counts.total()
        self.texts[one.id], self._own[one.id], self._lengths[one.id] = one, tuple(counts), length
        self.sources[one.source] += 1
        self._total += length
        self._day_lengths[one.day] += length
        for word, count in counts.items():
            self._holding.setdefault(word, {})[one.id] = count
        for tag in one.tags:
            self._tagged.setdefault(tag, set()).add(one.id)
        self.timeline.add(one)

    def drop(self, item_id: str) -> None:
        """Forget a text; harmless if it was never taken up."""
        one = self.texts.pop(item_id, None)
        if one is None:
            return
        self.changed[item_id] = None
        length = self._lengths.pop(item_id)
        self._total -= length
        _subtract(self._day_lengths, one.day, length)
        _subtract(self.sources, one.source, 1)
        for word in self._own.pop(item_id):
            del self._holding[word][item_id]
            if not self._holding[word]:
                del self._holding[word]
        for tag in set(one.tags):
            self._tagged[tag].discard(item_id)
        self.timeline.drop(item_id)

    def telling(self, words: Sequence[str]) -> list[str]:
        """Return those of `words` (stems) that some texts hold, the rarest first, without the too common ones."""
        held = sorted((len(self._holding[word]), word) for word in dict.fromkeys(words) if word in self._holding)
        chosen: list[str] = []
        places = 0
        for count, word in held:
            places += count
            if chosen and places > _MOST_PLACES:
                break
            chosen.append(word)
        return chosen

    def search(self, words: Sequence[str]) -> dict[str, float]:
        """Return the texts that hold any of the stems `words`, with a score: higher the more and the rarer they are."""
        scores: dict[str, float] = {}
        lengths, mean = self._lengths, self._total / len(self.texts) if self.texts else 1.0
        for word in words:
            holding = self._holding.get(word, {})
            rarity = self._rarity(len(holding), len(self.texts)) * (_SATURATION + 1)
            for item_id, count in holding.items():
                length = _SATURATION * (1 - _LENGTH + _LENGTH * lengths[item_id] / mean)
                scores[item_id] = scores.get(item_id, 0.0) + rarity * count / (count + length)
        return scores

    def search_around(self, words: Sequence[str]) -> dict[str, float]:
        """Return texts that hold any of `words` themselves or right beside them, scored as one text with those."""
        beside, lengths = self.timeline.beside, self._lengths
        mean = self._total / len(self.texts) * (1 + self.timeline.links / len(self.texts)) if self.texts else 1.0
        widths: dict[str, float] = {}
        scores: dict[str, float] = {}
        for word in words:
            counts: dict[str, int] = {}
            for item_id, count in self._holding.get(word, {}).items():
                counts[item_id] = counts.get(item_id, 0) + count
                for other in beside(item_id):
                    counts[other] = counts.get(other, 0) + count
            rarity = self._rarity(len(counts), len(self.texts)) * (_SATURATION + 1)
            for item_id, count in counts.items():
                width = widths.get(item_id)
                if width is None:
                    whole = lengths[item_id] + sum(lengths[other] for other in beside(item_id))
                    width = widths[item_id] = _SATURATION * (1 - _LENGTH + _LENGTH * whole / mean)
                scores[item_id] = scores.get(item_id, 0.0) + rarity * count / (count + width)
        return scores

    def search_days(self, words: Sequence[str]) -> dict[str, float]:
        """Return the days on which any of `words` was remembered, each scored as one text; none if there is one day."""
        days = len(self._day_lengths)
        if days < 2:
            return {}
        mean = self._total / days
        scores: dict[str, float] = {}
        for word in words:
            counts: Counter[str] = Counter()
            for item_id, count in self._holding.get(word, {}).items():
                counts[self.texts[item_id].day] += count
            rarity = self._rarity(len(counts), days) * (_SATURATION + 1)
            for day, count in counts.items():
                length = _SATURATION * (1 - _LENGTH + _LENGTH * self._day_lengths[day] / mean)
                scores[day] = scores.get(day, 0.0) + rarity * count / (count + length)
        scores.pop("", None)
        return scores

    def linked(self, item_id: str, known: Iterable[str]) -> dict[str, float]:
        """Return the texts that share a tag or a rare word, not in `known`, with a text; 0 to 1 by how much it is."""
        ignored, size = set(known), len(self.texts)
        bonds = [
            (self._rarity(len(self._tagged[tag]), size), self._tagged[tag])
            for tag in dict.fromkeys(self.texts[item_id].tags)
        ]
        bonds += [
            (self._rarity(len(self._holding[word]), size), set(self._holding[word]))
            for word in self._rare(item_id, ignored)
        ]
        whole = sum(rarity for rarity, _ in bonds)
        shares: dict[str, float] = {}
        for rarity, others in bonds:
            for other in others:
                shares[other] = shares.get(other, 0.0) + rarity / whole
        shares.pop(item_id, None)
        return shares

    def overlap(self, one: str, other: str) -> float:
        """Return the share of common words among all words of two texts."""
        first, second = set(self._own[one]), set(self._own[other])
        return len(first & second) / (len(first | second) or 1)

    def containing(self, parts: Sequence[str]) -> Iterator[str]:
        """Yield the texts in which any of `parts` stands, inside a word too: slow, and the last resort."""
        for item_id, one in self.texts.items():
            text = f"{one.text} {' '.join(one.tags)}".lower()
            if any(part in text for part in parts):
                yield item_id

    def _rare(self, item_id: str, ignored: set[str]) -> list[str]:
        most = max(2, int(_COMMON_SHARE * len(self.texts)))
        rare = [
            word
            for word in self._own[item_id]
            if len(word) >= _SHORTEST_LINK
            and word not in ignored
            and word not in STOPWORDS
            and 1 < len(self._holding[word]) <= most
        ]
        return nlargest(5, sorted(rare), key=lambda word: -len(self._holding[word]))

    @staticmethod
    def _rarity(holders: int, among: int) -> float:
        return log(1 + (among - holders + 0.5) / (holders + 0.5))


def _subtract(counter: Counter[str], key: str, by: int) -> None:
    counter[key] -= by
    if counter[key] <= 0:
        del counter[key]
