"""Which items hold which words and tags: recall without any index on disk (S0 section 9)."""

from collections import Counter
from collections.abc import Iterable, Sequence
from heapq import nlargest
from math import log

from memory.model import MemoryItem
from workspace.text import STOPWORDS, terms

# The usual constants of BM25.
_SATURATION, _LENGTH = 1.2, 0.75
_SHORTEST_LINK = 4
_COMMON_SHARE = 0.2


def fold(word: str) -> str:
    """Return `word` without a plural's s, so that "churns" and "churn" are one word."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


class Words:
    """An inverted index of items, kept in memory: scores by matched words, and links between items."""

    def __init__(self, items: Iterable[MemoryItem] = ()) -> None:
        self._counts: dict[str, Counter[str]] = {}
        self._tags: dict[str, tuple[str, ...]] = {}
        self._holding: dict[str, dict[str, int]] = {}
        self._tagged: dict[str, set[str]] = {}
        self._total = 0
        for item in items:
            self.add(item)

    def add(self, item: MemoryItem) -> None:
        """Take up `item`, or its new form."""
        self.drop(item.id)
        counts = Counter(map(fold, terms(item.content)))
        counts.update(fold(word) for tag in item.tags for word in terms(tag))
        self._counts[item.id] = counts
        self._tags[item.id] = item.tags
        self._total += counts.total()
        for word, count in counts.items():
            self._holding.setdefault(word, {})[item.id] = count
        for tag in item.tags:
            self._tagged.setdefault(tag, set()).add(item.id)

    def drop(self, item_id: str) -> None:
        """Forget an item; harmless if it was never taken up."""
        counts = self._counts.pop(item_id, None)
        if counts is None:
            return
        self._total -= counts.total()
        for word in counts:
            del self._holding[word][item_id]
        for tag in set(self._tags.pop(item_id)):
            self._tagged[tag].discard(item_id)

    def search(self, words: Sequence[str]) -> dict[str, float]:
        """Return the items that hold any of `words`, with a score that is higher the more and the rarer they are."""
        scores: dict[str, float] = {}
        mean = self._total / len(self._counts) if self._counts else 1.0
        for word in dict.fromkeys(map(fold, words)):
            rarity = self._rarity(len(self._holding.get(word, ())))
            for item_id, count in self._holding.get(word, {}).items():
                length = 1 - _LENGTH + _LENGTH * self._counts[item_id].total() / mean
                gain = rarity * count * (_SATURATION + 1) / (count + _SATURATION * length)
                scores[item_id] = scores.get(item_id, 0.0) + gain
        return scores

    def linked(self, item_id: str, known: Iterable[str]) -> dict[str, float]:
        """Return the items that share a tag or a rare word, not in `known`, with an item; 0 to 1 by how much it is."""
        ignored = set(map(fold, known))
        bonds = [
            (self._rarity(len(self._tagged[tag])), self._tagged[tag]) for tag in dict.fromkeys(self._tags[item_id])
        ]
        bonds += [
            (self._rarity(len(self._holding[word])), set(self._holding[word])) for word in self._rare(item_id, ignored)
        ]
        whole = sum(rarity for rarity, _ in bonds)
        shares: dict[str, float] = {}
        for rarity, others in bonds:
            for other in others:
                shares[other] = shares.get(other, 0.0) + rarity / whole
        shares.pop(item_id, None)
        return shares

    def _rare(self, item_id: str, ignored: set[str]) -> list[str]:
        most = max(2, int(_COMMON_SHARE * len(self._counts)))
        rare = [
            word
            for word in self._counts[item_id]
            if len(word) >= _SHORTEST_LINK
            and word not in ignored
            and word not in STOPWORDS
            and 1 < len(self._holding[word]) <= most
        ]
        return nlargest(5, sorted(rare), key=lambda word: self._rarity(len(self._holding[word])))

    def _rarity(self, holders: int) -> float:
        return log(1 + (len(self._counts) - holders + 0.5) / (holders + 0.5))
