"""Recall: what fits a question, best first; then, pass by pass, what is linked to it (S0 section 9).

It answers by words and meaning where an embedder is at hand, by words alone where none is, and where no word is found
by looking for the letters themselves; it says which it was. What is linked comes between the last answers or behind
them, and never changes their order.
"""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from heapq import nlargest
from pathlib import Path

from configs.errors import Unavailable
from memory.meaning import EMBEDDED_AT_ONCE, Meaning
from memory.model import Hit, MemoryItem, RecallMode, Recollection
from memory.passages import Passages
from memory.question import Question, question
from memory.ranking import POOL, Found, Wanted, best_first, classic, evidence, ranked
from memory.shelf import KIND, Shelf
from memory.signals import Evidence
from memory.weights import DepthWeights, Preset, RankingWeights
from memory.words import Words
from workspace.clock import iso, parse_time
from workspace.indexer import Index
from workspace.text import query_terms

LARGE = 20_000
"""Items from which on the first recall after opening asks the workspace's text index, which lies ready on disk."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a caller of recall wants; empty `type` and `store` mean any."""

    query: str
    limit: int
    depth: int
    type: str
    store: str
    min_importance: float
    now: datetime

    @property
    def is_open(self) -> bool:
        """Whether nothing narrows the search to items."""
        return self.type == "" and self.store in ("", "all") and self.min_importance <= 0

    def fits(self, item: MemoryItem, store: str) -> bool:
        """Return whether an item of `store` is wanted; what has been superseded never is."""
        if item.superseded_by:
            return False
        wanted = self.type in ("", item.type) and self.store in ("", "all", store)
        return wanted and item.importance >= self.min_importance


@dataclass(frozen=True, slots=True)
class Sources:
    """Where a recall looks beside the stores, and how it weighs what it finds."""

    directory: Path
    meaning: Meaning | None
    index: Index | None
    agent_id: str
    preset: Preset
    weights: RankingWeights


def recollect(shelf: Shelf, asked: Asked, sources: Sources) -> Recollection:
    """Return what fits a question; the caller holds the shelf."""
    if not query_terms(asked.query):
        items = [item for item_id in shelf.where if asked.fits(item := shelf.plain(item_id), shelf.where[item_id])]
        return Recollection(_answers(foremost(items, asked.now), shelf, asked, ()), mode="text")
    if indexed := _from_index(shelf, asked, sources):
        return Recollection(_answers(indexed, shelf, asked, ()), mode="index")
    words = gathered(shelf, sources.directory)

    def wanted(one: str) -> bool:
        return asked.is_open if one not in shelf.where else asked.fits(shelf.plain(one), shelf.where[one])

    about = question(asked.query, words.sources)
    known, mode, notice = _known(about, words, sources.meaning, asked, wanted)
    found = _ranked(known, asked, sources)
    if not found:
        found, mode = _scanned(asked.query, words, wanted), "scan"
    found = deepened(found, asked, Links(words, about.words, wanted, sources.weights.depth))
    return Recollection(_answers(found, shelf, asked, about.words), mode=mode, notice=notice)


def gathered(shelf: Shelf, directory: Path) -> Words:
    """Return the words of all items and of the agent's files as they are now."""
    words = shelf.words
    if shelf.passages is None:
        shelf.passages = Passages(directory)
    shelf.passages.refresh(words)
    return words


def _known(
    about: Question, words: Words, meaning: Meaning | None, asked: Asked, wanted: Wanted
) -> tuple[Evidence, RecallMode, str]:
    look = partial(evidence, about, words, wanted=None if asked.is_open else wanted, pool=max(POOL, asked.limit))
    if meaning is None:
        return look(None), "text", ""
    try:
        meaning.take(words)
        meaning.learn(EMBEDDED_AT_ONCE)
        known = look(meaning)
        return known, "full", meaning.notice
    except Unavailable as error:
        return look(None), "text", error.message


def _ranked(known: Evidence, asked: Asked, sources: Sources) -> list[Found]:
    if sources.preset == "classic":
        return classic(known, sources.weights.classic, asked.limit, asked.now)
    return ranked(known, sources.weights, asked.limit + 20)


def _from_index(shelf: Shelf, asked: Asked, sources: Sources) -> list[Found]:
    """Return what the text index finds, where gathering all words first would make the first answer wait."""
    if sources.index is None or shelf.has_words or shelf.index_answered or len(shelf.where) < LARGE:
        return []
    shelf.index_answered = True
    try:
        # A filter may drop some of what the index finds, so more is asked for than is wanted.
        most = 4 * asked.limit + 20
        hits = sources.index.search(asked.query, agent=sources.agent_id, kinds=(KIND,), limit=most)
    except (Unavailable, sqlite3.Error):
        return []
    top = max((hit.score for hit in hits), default=1.0)
    return [
        Found(hit.id, hit.score / top, why={"words": hit.score / top})
        for hit in hits
        if hit.id in shelf.where and asked.fits(shelf.plain(hit.id), shelf.where[hit.id])
    ]


def _scanned(query: str, words: Words, wanted: Wanted) -> list[Found]:
    """Return the texts in which the letters of a word of `query` stand, the important first."""
    parts = [word for word in query_terms(query) if len(word) > 1]
    found = [one for one in words.containing(parts) if wanted(one)]
    return best_first((Found(one, max(1e-6, words.texts[one].importance / 2)) for one in found), words)


def foremost(items: Iterable[MemoryItem], now: datetime) -> list[Found]:
    """Return all `items`, the important and the recent first: what comes to mind without a question."""
    known = list(items)
    weights = {item.id: 0.5 * item.importance + 0.5 / (1 + _days(item, now)) for item in known}
    newest = sorted(known, key=lambda item: (item.created_at, item.id), reverse=True)
    return sorted((Found(item.id, weights[item.id]) for item in newest), key=lambda one: -one.score)


def _days(item: MemoryItem, now: datetime) -> float:
    return max(0.0, (now - parse_time(item.created_at)).total_seconds()) / 86_400 if item.created_at else 1e9


@dataclass(frozen=True, slots=True)
class Links:
    """What further passes follow: tags and rare words other than the question's own stems."""

    words: Words
    known: Sequence[str]
    wanted: Wanted
    weights: DepthWeights

    def of(self, seeds: Iterable[Found], own: Mapping[str, float], taken: Collection[str]) -> dict[str, float]:
        """Return the scores of what is linked to any of `seeds` and not `taken` yet.

        What answers the question by itself (`own`) gains where a name as well as a rare word links it; what does not
        counts for a share of what it is linked to.
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


def deepened(found: Sequence[Found], asked: Asked, links: Links) -> list[Found]:
    """Return the first answers in their order, with what `depth` further passes found through links.

    Each pass starts from the best that the one before found. Most of the first answers stay where they are; what is
    linked comes between the last of them by its score, or behind.
    """
    if not asked.depth:
        return list(found)
    first = list(found[: asked.limit])
    known = {one.id for one in first}
    own = {one.id: one.score for one in found[asked.limit :]}
    frontier, further = first, list[Found]()
    for number in range(1, asked.depth + 1):
        scores = links.of(frontier[: links.weights.seeds], own, known)
        best = nlargest(max(asked.limit, links.weights.seeds), scores, key=lambda one: (scores[one], one))
        frontier = [Found(one, scores[one], number, {"linked": scores[one]}) for one in best]
        if not frontier:
            break
        known.update(best)
        further += frontier
    kept = round(links.weights.kept * asked.limit)
    behind = [*first[kept:], *further]
    return [*first[:kept], *sorted(behind, key=lambda one: -one.score)]


def _answers(found: Iterable[Found], shelf: Shelf, asked: Asked, stems: Sequence[str]) -> list[Hit]:
    """Return the first of `found` as hits, and count each item as recalled.

    A working item and its long-term copy say the same: they are one hit. So are a passage and the items it repeats.
    """
    told: dict[tuple[str, str], Hit] = {}
    at = iso(asked.now)
    for one in found:
        if len(told) >= asked.limit:
            break
        if one.id in shelf.where:
            item = shelf.plain(one.id)
            if (item.type, item.content) not in told:
                shelf.recalled(one.id, at)
                told[item.type, item.content] = _item_hit(one, shelf)
        elif shelf.passages is not None and (hit := _passage_hit(one, shelf, shelf.passages, stems)) is not None:
            told.setdefault((hit.path, str(hit.line)), hit)
    return list(told.values())


def _item_hit(one: Found, shelf: Shelf) -> Hit:
    item = shelf.counted(shelf.plain(one.id))
    return Hit(item.content, one.score, item, shelf.where[one.id], one.depth, why=one.why)


def _passage_hit(one: Found, shelf: Shelf, passages: Passages, stems: Sequence[str]) -> Hit | None:
    by_meaning = one.why.get("meaning", 0.0) > 0
    passage = passages.shown(one.id, stems, shelf.is_copy, by_meaning=by_meaning)
    if passage is None:
        return None
    return Hit(passage.text, one.score, depth=one.depth, path=passage.path, line=passage.line, why=one.why)
