"""Recall: what fits a query, best first; then, pass by pass, what is linked to it (S0 section 9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory.model import MemoryItem
from memory.words import Words
from workspace.clock import parse_time

# Measured: importance at 0.3 costs ten points of recall; at this weight it only settles near ties.
IMPORTANCE_WEIGHT = 0.05
_SEEDS = 5
_STEP = 0.5


@dataclass(frozen=True, slots=True)
class Found:
    """An item that a recall found: score 0 to 1, and the pass that found it."""

    id: str
    score: float
    depth: int = 0


def ranked(scores: Mapping[str, float], items: Mapping[str, MemoryItem]) -> list[Found]:
    """Return the items in `scores` by score, with a small weight of importance; the newer first among equals."""
    top = max(scores.values(), default=0.0) or 1.0
    found = [
        Found(item_id, (1 - IMPORTANCE_WEIGHT) * score / top + IMPORTANCE_WEIGHT * items[item_id].importance)
        for item_id, score in scores.items()
        if item_id in items
    ]
    found.sort(key=lambda one: (items[one.id].created_at, one.id), reverse=True)
    return sorted(found, key=lambda one: one.score, reverse=True)


def recent(items: Mapping[str, MemoryItem], now: datetime) -> list[Found]:
    """Return all `items`, the important and the recent first: what comes to mind without a question."""

    def weight(item: MemoryItem) -> float:
        age = max(0.0, (now - parse_time(item.created_at)).total_seconds()) / 86_400 if item.created_at else 1e9
        return 0.5 * item.importance + 0.5 / (1 + age)

    found = [Found(item.id, weight(item)) for item in items.values()]
    found.sort(key=lambda one: (items[one.id].created_at, one.id), reverse=True)
    return sorted(found, key=lambda one: one.score, reverse=True)


def deepened(
    first: Sequence[Found], depth: int, query: Sequence[str], words: Words, items: Mapping[str, MemoryItem]
) -> list[Found]:
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
                if other in items and other not in known:
                    scores[other] = max(scores.get(other, 0.0), _STEP * seed.score * share)
        frontier = sorted(
            (Found(i, score, number) for i, score in scores.items()), key=lambda one: (-one.score, one.id)
        )
        if not frontier:
            break
        known.update(scores)
        further += frontier
    return sorted([*first, *further], key=lambda one: -one.score)
