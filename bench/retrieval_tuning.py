"""Weights fitted to questions, to measure their value on other questions.

The scores in a recall's hits suffice: with every weight at 1, `why` holds the signals themselves.
"""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from statistics import fmean
from typing import Any

from bench.retrieval_sets import Conversation
from bench.retrieval_systems import CachedEmbedder, Ours
from mabos.memory.weights import RankingWeights, ranking_weights

_EVERYTHING = 1000
_FACTORS = (0.0, 0.5, 0.75, 1.5, 2.0)
_ROUNDS = 4
_LEAST_GAIN = 0.0002


@dataclass(frozen=True, slots=True)
class Ranked:
    """The candidates for one question: an array per signal, the ones that answer it, and the number of answers."""

    signals: Mapping[str, Any]
    answers: Sequence[bool]
    gold: int


def candidates(conversation: Conversation, embedder: CachedEmbedder | None) -> Iterator[Ranked]:
    """Yield the signals of everything that a recall finds for each question of a store."""
    import numpy as np

    names = list(ranking_weights().signals)
    weights = ranking_weights().model_copy(update={"signals": dict.fromkeys(names, 1.0)})
    with tempfile.TemporaryDirectory() as folder:
        store, known = Ours(Path(folder), embedder, weights=weights), 0
        for query in conversation.queries:
            if query.before > known:
                store.remember(conversation.texts[known : query.before])
                known = query.before
            hits = store.recall(query.text, _EVERYTHING)
            signals = {name: np.array([why.get(name, 0.0) for _, why in hits]) for name in names}
            yield Ranked(signals, [one in query.gold for one, _ in hits], len(query.gold))


def fitted(questions: Sequence[Ranked]) -> RankingWeights:
    """Return weights that suit `questions`, found from equal ones by changing one at a time."""
    weights = dict.fromkeys(ranking_weights().signals, 1.0)
    best = _worth(questions, weights)
    for _ in range(_ROUNDS):
        before = best
        for name in weights:
            for factor in _FACTORS:
                changed = {**weights, name: round(weights[name] * factor, 3)}
                worth = _worth(questions, changed)
                if worth > best + _LEAST_GAIN:
                    best, weights = worth, changed
        if best == before:
            break
    return ranking_weights().model_copy(update={"signals": weights})


def _worth(questions: Sequence[Ranked], weights: Mapping[str, float]) -> float:
    """Return the mean of recall@10 and nDCG@10."""
    import numpy as np

    found = []
    for question in questions:
        if not question.answers:
            found.append(0.0)
            continue
        sums = np.zeros(len(question.answers))
        for name, weight in weights.items():
            if weight:
                sums += weight * question.signals[name]
        first = [bool(question.answers[number]) for number in np.argsort(-sums, kind="stable")[:10]]
        gain = sum(hit / log2(rank + 2) for rank, hit in enumerate(first))
        ideal = sum(1 / log2(rank + 2) for rank in range(min(10, question.gold)))
        found.append((sum(first) / question.gold + gain / ideal) / 2)
    return fmean(found)
