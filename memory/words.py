"""Which texts hold which words and tags: BM25 of a text, of its surroundings and of its day, and links between texts.

Kept in memory beside an open store and brought up to date by what changes, so that what was stored a moment ago is
found, and an agent's answer never depends on what others wrote. Words are cut to their stems as in the text index.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from heapq import nlargest
from math import log

from memory.findable import Findable, Timeline
from memory.stem import stem
from workspace.text import STOPWORDS, terms

# The usual constants of BM25.
_SATURATION, _LENGTH = 1.2, 0.75
_SHORTEST_LINK = 4
_NAME = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][A-Za-z'-]{2,}")
_COMMON_SHARE = 0.2
# So many places of words are looked at in one recall; words beyond are too common to bring in texts by themselves.
_MOST_PLACES = 3_000


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
        self._on_days: dict[str, dict[str, int]] = {}
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
        self._enter(one.id, one.day, counts)
        for tag in one.tags:
            self._tagged.setdefault(tag, set()).add(one.id)
        self.timeline.add(one)

    def _enter(self, item_id: str, day: str, counts: Mapping[str, int]) -> None:
        holding, on_days = self._holding, self._on_days
        for word, count in counts.items():
            holders = holding.get(word)
            if holders is None:
                holding[word], on_days[word] = {item_id: count}, {day: count}
                continue
            holders[item_id] = count
            days = on_days[word]
            days[day] = days.get(day, 0) + count

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
            _subtract(self._on_days[word], one.day, self._holding[word].pop(item_id))
            if not self._holding[word]:
                del self._holding[word], self._on_days[word]
        for tag in set(one.tags):
            self._tagged[tag].discard(item_id)
        self.timeline.drop(item_id)

    def telling(self, words: Sequence[str]) -> list[str]:
        """Return those of `words` (stems) that any text holds, the rarest first."""
        return sorted(
            (word for word in dict.fromkeys(words) if word in self._holding),
            key=lambda word: (len(self._holding[word]), word),
        )

    def search(self, words: Sequence[str]) -> dict[str, float]:
        """Return the texts that hold any of the stems `words`, with a score: higher the more and the rarer they are.

        `words` are `telling`. Once enough texts hold the rarer of them, the common ones only add to their scores.
        """
        scores: dict[str, float] = {}
        lengths, mean = self._lengths, self._total / (len(self.texts) or 1) or 1.0
        flat, slope = _SATURATION * (1 - _LENGTH), _SATURATION * _LENGTH / mean
        places = 0
        for word in words:
            holding = self._holding[word]
            gain = self._rarity(len(holding), len(self.texts)) * (_SATURATION + 1)
            places += len(holding)
            if scores and places > _MOST_PLACES:
                found = ((one, holding[one]) for one in scores if one in holding)
                scores |= {one: scores[one] + gain * n / (n + flat + slope * lengths[one]) for one, n in found}
                continue
            for one, count in holding.items():
                score = gain * count / (count + flat + slope * lengths[one])
                scores[one] = scores[one] + score if one in scores else score
        return scores

    def around(self, words: Sequence[str], chosen: Iterable[str]) -> dict[str, float]:
        """Return the scores of the `chosen` texts, each taken as one with what stands directly before and after it."""
        if not self.texts:
            return {}
        wider = 1 + self.timeline.links / len(self.texts)
        flat, slope = _SATURATION * (1 - _LENGTH), _SATURATION * _LENGTH * len(self.texts) / (self._total * wider or 1)
        weighed = [(self._holding[word], self._gain(word, wider)) for word in words]
        lengths, scores = self._lengths, dict[str, float]()
        for one in chosen:
            span = (one, *self.timeline.beside(one))
            width = flat + slope * sum(map(lengths.__getitem__, span))
            score = 0.0
            for holding, gain in weighed:
                count = 0
                for each in span:
                    if each in holding:
                        count += holding[each]
                if count:
                    score += gain * count / (count + width)
            if score:
                scores[one] = score
        return scores

    def days(self, words: Sequence[str], chosen: Iterable[str]) -> dict[str, float]:
        """Return the scores of the `chosen` days, each taken as one text; none where all was remembered on one day."""
        known = len(self._day_lengths)
        if known < 2:
            return {}
        slope = _SATURATION * _LENGTH * known / (self._total or 1)
        weighed = [
            (self._on_days[word], self._rarity(len(self._on_days[word]), known) * (_SATURATION + 1)) for word in words
        ]
        scores: dict[str, float] = {}
        for day in filter(None, chosen):
            width = _SATURATION * (1 - _LENGTH) + slope * self._day_lengths[day]
            counts = ((counted[day], gain) for counted, gain in weighed if day in counted)
            scores[day] = sum(gain * count / (count + width) for count, gain in counts)
        return scores

    def _gain(self, word: str, wider: float) -> float:
        """Return what a word counts among texts that are wider than one; about so many more of them hold it."""
        holders = min(len(self.texts), round(len(self._holding[word]) * wider))
        return self._rarity(holders, len(self.texts)) * (_SATURATION + 1)

    def linked(self, item_id: str, known: Iterable[str]) -> dict[str, float]:
        """Return the texts that share a tag or a rare word, not in `known`, with a text; 0 to 1 by how much it is."""
        tags = [self._tagged[tag] for tag in dict.fromkeys(self.texts[item_id].tags)]
        return self._shares(item_id, [*tags, *(self._holding[word] for word in self._rare(item_id, set(known)))])

    def linked_by_name(self, item_id: str, known: Iterable[str]) -> dict[str, float]:
        """Return the texts that share a name, a word with a capital inside a sentence, with a text; 0 to 1 as above."""
        names = dict.fromkeys(stem(name.lower()) for name in _NAME.findall(self.texts[item_id].text))
        ignored = {*known, *STOPWORDS}
        most = self._most_holders()
        telling = [name for name in names if name not in ignored and 1 < len(self._holding.get(name, ())) <= most]
        return self._shares(item_id, [self._holding[name] for name in telling])

    def _shares(self, item_id: str, bonds: Iterable[Collection[str]]) -> dict[str, float]:
        """Return for each text in any of `bonds` the share of their rarity that holds it."""
        weighed = [(self._rarity(len(holders), len(self.texts)), holders) for holders in bonds]
        whole = sum(rarity for rarity, _ in weighed)
        shares: dict[str, float] = {}
        for rarity, holders in weighed:
            for other in holders:
                shares[other] = shares.get(other, 0.0) + rarity / whole
        shares.pop(item_id, None)
        return shares

    def _most_holders(self) -> int:
        return max(2, int(_COMMON_SHARE * len(self.texts)))

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
        most = self._most_holders()
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


def _subtract(counter: dict[str, int], key: str, by: int) -> None:
    counter[key] -= by
    if counter[key] <= 0:
        del counter[key]
