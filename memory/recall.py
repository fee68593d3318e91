"""Recall: the best answers to a question, then, pass by pass, linked texts (S0 section 9).

It searches by words and meaning with an embedder, by words alone without one, and by letters if no word matches; it
reports the mode. Linked texts come between the last answers or after them, and never change their order.
"""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from heapq import merge, nlargest
from pathlib import Path

from mabos.configs.errors import Unavailable
from mabos.memory.catalogue import holds
from mabos.memory.findable import Findable, of_item
from mabos.memory.meaning import EMBEDDED_AT_ONCE, EMBEDDED_BEFORE_NOTHING, MeaningIndex
from mabos.memory.model import STORES, MemoryHit, MemoryItem, RecallMode, Recollection, moment
from mabos.memory.passages import build_passage
from mabos.memory.question import RecallQuestion, question
from mabos.memory.ranking import POOL, RankedText, classic, evidence, rank_texts
from mabos.memory.shelf import Shelf
from mabos.memory.signals import Evidence
from mabos.memory.weights import DepthWeights, Preset, RankingWeights
from mabos.memory.words import Wanted, Words
from mabos.workspace.clock import iso
from mabos.workspace.store import Store
from mabos.workspace.text import query_terms


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """The parameters of a recall; empty `type` and `store` mean any."""

    query: str
    limit: int
    depth: int
    type: str
    store: str
    min_importance: float
    now: datetime

    @property
    def is_open(self) -> bool:
        """Return whether no filter restricts the search to items."""
        return self.type == "" and self.store in ("", "all") and self.min_importance <= 0

    def fits(self, item: MemoryItem, store: str) -> bool:
        """Return whether an item of `store` matches the filters; a superseded item never does."""
        if item.superseded_by:
            return False
        wanted = self.type in ("", item.type) and self.store in ("", "all", store)
        return wanted and item.importance >= self.min_importance


@dataclass(frozen=True, slots=True)
class Sources:
    """The sources of a recall other than the shelf, and the weights for its hits."""

    store: Store
    directory: Path
    meaning: MeaningIndex | None
    preset: Preset
    weights: RankingWeights


def recollect(shelf: Shelf, asked: RecallQuery, sources: Sources) -> Recollection:
    """Return the hits for a question; the caller holds the shelf's lock."""
    if not query_terms(asked.query):
        return Recollection(RecallAnswers(shelf, asked).of(foremost(_fitting(shelf, asked), asked.now)), mode="text")
    try:
        words = shelf.words(sources.directory)
        with words.texts.reading():
            return _by_words(shelf, asked, sources, words)
    except sqlite3.Error as error:
        if not isinstance(error, sqlite3.OperationalError):
            shelf.forget_words()
        notice = f"the words of all items are out of reach ({error}); only letters were looked for, in items alone"
        return Recollection(
            RecallAnswers(shelf, asked).of(_rank_scanned(_match_letters(shelf, asked))), mode="scan", notice=notice
        )


def _by_words(shelf: Shelf, asked: RecallQuery, sources: Sources, words: Words) -> Recollection:
    def is_wanted(one: str) -> bool:
        if one in shelf.where:
            return asked.fits(shelf.plain(one), shelf.where[one])
        return asked.is_open and words.texts[one].is_passage

    about = question(asked.query, words.sources, sources.weights.names)
    found, mode, notice = _find_relevant(about, words, sources, asked, is_wanted)
    if not found and not words.telling(about.words):
        found = _rank_scanned(_match_letters(shelf, asked, words))
        mode = "scan" if found or mode == "text" else mode
    found = expand_answers(found, asked, Links(words, about.words, is_wanted, sources.weights.depth))
    return Recollection(RecallAnswers(shelf, asked, words.texts, about.words).of(found), mode=mode, notice=notice)


def _find_relevant(
    about: RecallQuestion, words: Words, sources: Sources, asked: RecallQuery, wanted: Wanted
) -> tuple[list[RankedText], RecallMode, str]:
    """Return the ranked texts, none if no text is relevant, with the mode of the search and a notice.

    More texts are embedded before it finds nothing.
    """
    wanted_now = None if asked.is_open else wanted
    pool, meaning = max(POOL, asked.limit), sources.meaning

    def look(by: MeaningIndex | None) -> list[RankedText]:
        found = _rank_evidence(evidence(about, words, by, wanted_now, pool=pool), asked, sources)
        is_relevant = sources.preset != "fusion" or any((one.relevance or 0.0) >= 1 for one in found)
        return found if is_relevant else []

    if meaning is None:
        return look(None), "text", ""
    try:
        meaning.take(words)
        if meaning.pending:
            matching = words.best(words.telling(about.words), pool, wanted_now)
            meaning.learn(EMBEDDED_AT_ONCE, (entry.id for entry in matching))
        found = look(meaning)
        if not found and meaning.pending:
            meaning.learn(EMBEDDED_BEFORE_NOTHING)
            found = look(meaning)
        return found, "full", meaning.notice
    except Unavailable as error:
        return look(None), "text", error.message


def _rank_evidence(known: Evidence, asked: RecallQuery, sources: Sources) -> list[RankedText]:
    if sources.preset == "classic":
        return classic(known, sources.weights.classic, asked.limit, asked.now)
    return rank_texts(known, sources.weights, asked.limit + 20)


def _fitting(shelf: Shelf, asked: RecallQuery) -> Iterator[MemoryItem]:
    """Yield all items that are wanted; where one store is, no other is looked at."""
    for name in STORES:
        if asked.store in ("", "all", name):
            yield from (item for item in shelf.items(name).values() if asked.fits(item, name))


def _match_letters(shelf: Shelf, asked: RecallQuery, words: Words | None = None) -> Iterator[Findable]:
    """Yield wanted texts that contain the letters of a question; passages only if `words` is given."""
    parts = [word for word in query_terms(asked.query) if len(word) > 1]
    if words is not None and asked.is_open:
        current = words.texts.some(words.texts.catalogue.containing(parts))
        return (one for one in current if one.id not in shelf.where or not shelf.plain(one.id).superseded_by)
    items = (item for item in _fitting(shelf, asked) if holds(" ".join((item.content, *item.tags)), parts))
    return map(of_item, items)


def _rank_scanned(texts: Iterable[Findable]) -> list[RankedText]:
    """Return texts in which letters were found, the important and the newer first."""
    found = sorted(texts, key=lambda one: (one.importance, one.at, one.id), reverse=True)
    return [RankedText(one.id, max(1e-6, one.importance / 2)) for one in found]


def foremost(items: Iterable[MemoryItem], now: datetime) -> Iterator[RankedText]:
    """Yield all `items`, important and recent ones first, for a recall without a question.

    Among equally important items the newer comes first, so only items that are read get a score.
    """
    alike: dict[float, list[MemoryItem]] = {}
    for item in items:
        alike.setdefault(item.importance, []).append(item)

    def score_item(item: MemoryItem) -> RankedText:
        return RankedText(item.id, 0.5 * item.importance + 0.5 / (1 + _days(item, now)))

    newest = (sorted(group, key=lambda item: (item.created_at, item.id), reverse=True) for group in alike.values())
    return merge(*(map(score_item, group) for group in newest), key=lambda one: -one.score)


def _days(item: MemoryItem, now: datetime) -> float:
    created = moment(item.created_at)
    return max(0.0, (now - created).total_seconds()) / 86_400 if created else 1e9


@dataclass(frozen=True, slots=True)
class Links:
    """The links followed by further passes: tags and rare words other than the question's own stems."""

    words: Words
    known: Sequence[str]
    wanted: Wanted
    weights: DepthWeights

    def of(self, seeds: Iterable[RankedText], own: Mapping[str, float], taken: Collection[str]) -> dict[str, float]:
        """Return the scores of texts linked to any of `seeds` and not yet `taken`.

        An answer to the question itself (`own`) gains if both a name and a rare word link it; other texts get a share
        of their link's score.
        """
        scores: dict[str, float] = {}
        for seed in seeds:
            names = self.words.linked_by_name(seed.id, self.known)
            for other, share in self.words.linked(seed.id, self.known).items():
                if other in taken or not self.wanted(other):
                    continue
                score = self.weights.step * seed.score * share
                if other in own:
                    score = own[other] + self.weights.bonus * seed.score * min(share, names.get(other, 0.0))
                scores[other] = max(scores.get(other, 0.0), score)
        return scores


def expand_answers(found: Sequence[RankedText], asked: RecallQuery, links: Links) -> list[RankedText]:
    """Return the first answers in order, with the texts found through links in `depth` further passes.

    Each pass starts from the best of the pass before. Most of the first answers keep their place; linked texts come
    between the last of them by score, or after them.
    """
    if not asked.depth:
        return list(found)
    first = list(found[: asked.limit])
    known = {one.id for one in first}
    own = {one.id: one.score for one in found[asked.limit :]}
    frontier, further = first, list[RankedText]()
    for number in range(1, asked.depth + 1):
        scores = links.of(frontier[: links.weights.seeds], own, known)
        best = nlargest(max(asked.limit, links.weights.seeds), scores, key=lambda one: (scores[one], one))
        frontier = [RankedText(one, scores[one], number, {"linked": scores[one]}) for one in best]
        if not frontier:
            break
        known.update(best)
        further += frontier
    kept = round(links.weights.kept * asked.limit)
    behind = [*first[kept:], *further]
    return [*first[:kept], *sorted(behind, key=lambda one: -one.score)]


@dataclass(frozen=True, slots=True)
class RecallAnswers:
    """A converter from found texts to hits, which counts each recall.

    A working item and its long-term copy are one hit. So are a passage and the items it repeats.
    """

    shelf: Shelf
    asked: RecallQuery
    texts: Mapping[str, Findable] = field(default_factory=dict)
    stems: Sequence[str] = ()

    def of(self, found: Iterable[RankedText]) -> list[MemoryHit]:
        """Return the first of `found` as hits."""
        told: dict[tuple[str, str], MemoryHit] = {}
        at = iso(self.asked.now)
        for one in found:
            if len(told) >= self.asked.limit:
                break
            if one.id in self.shelf.where:
                item = self.shelf.plain(one.id)
                if (item.type, item.content) not in told:
                    self.shelf.record_recall(one.id, at)
                    told[item.type, item.content] = self._item(one)
            elif (hit := self._passage(one)) is not None:
                told.setdefault((hit.path, str(hit.line)), hit)
        return list(told.values())

    def _item(self, one: RankedText) -> MemoryHit:
        item = self.shelf.counted(self.shelf.plain(one.id))
        where = self.shelf.where[one.id]
        return MemoryHit(item.content, one.score, item, where, one.depth, why=one.why, relevance=one.relevance)

    def _passage(self, one: RankedText) -> MemoryHit | None:
        text, by_meaning = self.texts[one.id], one.why.get("meaning", 0.0) > 0
        if not text.is_passage:
            return None
        passage = build_passage(text, self.stems, self.shelf.is_copy, by_meaning=by_meaning)
        if passage is None:
            return None
        found = MemoryHit(passage.text, one.score, depth=one.depth, path=passage.path, line=passage.line, why=one.why)
        return replace(found, relevance=one.relevance)
