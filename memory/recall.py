"""Recall: what fits a query, best first; then, pass by pass, what is linked to it (S0 section 9)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.model import Hit, MemoryItem
from memory.shelf import Shelf
from memory.words import Words
from workspace.clock import parse_time

# Measured: importance at 0.3 costs ten points of recall; at this weight it only settles near ties.
IMPORTANCE_WEIGHT = 0.05
Lookup = Callable[[str], MemoryItem | None]
"""Returns an item by its id, or None where it is gone or not wanted."""
_SEEDS = 5
_STEP = 0.5


@dataclass(frozen=True, slots=True)
class Found:
    """An item that a recall found: score 0 to 1, and the pass that found it."""

    id: str
    score: float
    depth: int = 0


def ranked(scores: Mapping[str, float], lookup: Lookup) -> list[Found]:
    """Return the wanted items in `scores` by score, with a small weight of importance; the newer first among equals."""
    items = {item_id: item for item_id in scores if (item := lookup(item_id)) is not None}
    top = max((scores[item_id] for item_id in items), default=0.0) or 1.0
    weights = {
        item_id: (1 - IMPORTANCE_WEIGHT) * scores[item_id] / top + IMPORTANCE_WEIGHT * item.importance
        for item_id, item in items.items()
    }
    return _best_first(items.values(), weights)


def foremost(items: Iterable[MemoryItem], now: datetime) -> list[Found]:
    """Return all `items`, the important and the recent first: what comes to mind without a question."""
    known = list(items)
    return _best_first(known, {item.id: 0.5 * item.importance + 0.5 / (1 + _days(item, now)) for item in known})


def _days(item: MemoryItem, now: datetime) -> float:
    return max(0.0, (now - parse_time(item.created_at)).total_seconds()) / 86_400 if item.created_at else 1e9


def _best_first(items: Iterable[MemoryItem], weights: Mapping[str, float]) -> list[Found]:
    newest = sorted(items, key=lambda item: (item.created_at, item.id), reverse=True)
    return sorted((Found(item.id, weights[item.id]) for item in newest), key=lambda one: one.score, reverse=True)


def deepened(first: Sequence[Found], depth: int, query: Sequence[str], words: Words, lookup: Lookup) -> list[Found]:
    """Return `first` in its own order, with what `depth` further passes found through tags and rare words between.

    Each pass starts from the best that the one before found. An item linked to another counts for at most half of it,
    so that what answers the query itself stays ahead of what only belongs to it.
    """
    known = {one.id for one in first}
    frontier, further = list(first), list[Found]()
    for number in range(1, depth + 1):
        scores: dict[str, float] = {}
        for seed in frontier[:_SEEDS]:
            for other, share in words.linked(seed.id, query).items():
                if other not in known and lookup(other) is not None:
                    scores[other] = max(scores.get(other, 0.0), _STEP * seed.score * share)
        frontier = sorted(
            (Found(i, score, number) for i, score in scores.items()), key=lambda one: (-one.score, one.id)
        )
        if not frontier:
            break
        known.update(scores)
        further += frontier
    return sorted([*first, *further], key=lambda one: -one.score)


def answers(found: Iterable[Found], shelf: Shelf, limit: int, at: str) -> list[Hit]:
    """Return the first `limit` of `found` as hits, and count each as recalled.

    A working item and its long-term copy say the same: they are one hit.
    """
    told: dict[tuple[str, str], Hit] = {}
    for one in found:
        if len(told) >= limit:
            break
        item = shelf.plain(one.id)
        if (item.type, item.content) not in told:
            shelf.recalled(one.id, at)
            hit = Hit(item.content, one.score, shelf.counted(item), shelf.where[one.id], one.depth)
            told[(item.type, item.content)] = hit
    return list(told.values())
