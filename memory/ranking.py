"""Ranking for a question: candidates by words, meaning and date, then the sum of the signals.

`ranked` is the default; `classic` ranks by the documents' formulas. Both explain every hit's score.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import chain, islice, repeat
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from mabos.memory.meaning import MeaningIndex
from mabos.memory.model import moment
from mabos.memory.question import RecallQuestion
from mabos.memory.signals import BY_VECTORS, LATER, SIGNALS, Evidence, remembered_then
from mabos.memory.weights import ClassicWeights, RankingWeights, RelevanceWeights
from mabos.memory.words import Wanted, Words

if TYPE_CHECKING:
    from mabos.memory.timeline import Numbers, Values

POOL = 48
_FAINTEST = 100
_UNEXPLAINED: Mapping[str, float] = MappingProxyType({})


class RankedText(NamedTuple):
    """A text found by recall: score 0 to 1, the pass that found it, and the parts of its score.

    The score compares texts of one recall; `relevance` is absolute, and None if it cannot be measured.
    """

    id: str
    score: float
    depth: int = 0
    why: Mapping[str, float] = _UNEXPLAINED
    relevance: float | None = None


def evidence(
    asked: RecallQuestion, words: Words, meaning: MeaningIndex | None, wanted: Wanted | None, *, pool: int = POOL
) -> Evidence:
    """Return the candidates for a question, with all the data that the signals need.

    Candidates are the best by words and by meaning, the neighbours of the best by words, and memories from dates in the
    question. `wanted` None takes all.
    """
    import numpy as np

    telling = words.telling(asked.words)
    best = words.best(telling, pool, wanted)
    chosen = [*words.beside(best), *remembered_then(asked, words, pool)]
    near: dict[str, float] = {}
    if meaning is not None and (near := meaning.near(asked.text, max(pool, _FAINTEST))):
        chosen += words.texts.named(islice(near, pool))
    there = {entry.id for entry in best}
    further = {entry.id: entry for entry in chosen if entry.id not in there and (wanted is None or wanted(entry.id))}
    group = words.group([*best, *further.values()])
    own, around, share = words.scores(telling, group, words.unknown(asked.words))
    known = Evidence(asked, words, group, own, around, words.days(telling, group.numbers), share)
    if meaning is None or not near:
        return known
    similar = np.array(meaning.similar(asked.text, [entry.key for entry in group.all]))
    # Not every store finds the very nearest, so what is beside may be nearer.
    top = max(next(iter(near.values())), np.nanmax(similar, initial=-1.0))
    faintest = list(near.values())[min(len(near), _FAINTEST) - 1]
    return replace(known, similar=similar, top=top, faintest=faintest, is_calibrated=meaning.is_calibrated)


def relevance(known: Evidence, weights: RelevanceWeights) -> "Values":
    """Return the absolute relevance of each text to the question; 1 is the minimum for an answer.

    It is the share of the question's words, weighted by rarity, or the similarity with a part of that share. Texts from
    a date in the question are relevant. So is every text with a vector if the scale of the model's similarities is
    unknown.
    """
    import numpy as np

    by_words: Values = known.share / weights.least_share
    if known.similar is not None:
        near = known.similar[: len(known.texts)]
        by_meaning = np.nan_to_num((near + weights.share * known.share) / weights.least)
        if not known.is_calibrated:
            by_meaning = np.where(np.isnan(near), 0.0, 1.0)
        by_words = np.where(np.isnan(near), by_words, known.share / weights.certain_share)
        by_words = np.maximum(by_meaning, by_words)
    dated = np.nan_to_num(SIGNALS["date"](known))
    return np.maximum(by_words, np.where(dated > 0, 1.0, 0.0))


def rank_texts(known: Evidence, weights: RankingWeights, explained: int) -> list[RankedText]:
    """Return the candidates by the sum of the weighted signals, as a share of the possible maximum.

    The weaker the best word match, the more the other signals count. A text without a vector is ranked by the other
    signals alone. The first `explained` include the parts of their score.
    """
    import numpy as np

    if not known.texts:
        return []
    more = weights.doubt.factor(float(known.own.max()))
    told: dict[str, Values] = {}
    most, sums = np.zeros(len(known.texts)), np.zeros(len(known.texts))
    for name in filter(weights.signals.get, (*SIGNALS, *LATER)):
        given = SIGNALS[name](known) if name in SIGNALS else LATER[name](known, sums)
        if not np.isnan(given).all():
            weight = weights.signals[name] * (more if name in weights.doubt.signals else 1.0)
            told[name] = weight * given
            most += np.where(np.isnan(given), 0.0, weight) if name in BY_VECTORS else weight
            sums += np.nan_to_num(told[name])
    most[most == 0] = 1.0
    parts = np.vstack([known.silence, *told.values()]) / most
    scores = (sums / most).clip(1e-6, 1.0)
    order = best_first(scores, known.group.numbers)
    why = [_name_parts(told, column) for column in parts[1:, order[:explained]].T.tolist()]
    texts, relevant = known.texts, relevance(known, weights.relevance)[order].tolist()
    ids = [texts[at].id for at in order.tolist()]
    every = chain(why, repeat(_UNEXPLAINED))
    return list(map(RankedText, ids, scores[order].tolist(), repeat(0), every, relevant))


def _name_parts(names: Iterable[str], parts: Iterable[float]) -> dict[str, float]:
    """Return the parts of a score by the names of the signals that have any."""
    return {name: part for name, part in zip(names, parts, strict=True) if part == part}  # noqa: PLR0124 - no `nan`


def best_first(scores: "Values", numbers: "Numbers") -> "Numbers":
    """Return the positions of the scores, highest first, newer first among equals."""
    import numpy as np

    return np.lexsort((numbers, scores))[::-1]


def classic(known: Evidence, weights: ClassicWeights, limit: int, now: datetime) -> list[RankedText]:
    """Return the candidates by S0 section 11 and S1 section 12: vector and text, then importance.

    Without vectors the text score replaces the similarity, without a minimum.
    """
    import numpy as np

    most = weights.candidate_multiplier * limit
    matching = best_first(known.own, known.group.numbers)[:most].tolist()
    chosen = [at for at in matching if known.own[at] > 0]
    if known.similar is not None:
        similar = known.similar[: len(known.texts)]
        nearest = best_first(np.nan_to_num(similar, nan=-2.0), known.group.numbers)[:most].tolist()
        chosen += [at for at in nearest if not np.isnan(similar[at])]
    found = [one for at in dict.fromkeys(chosen) if (one := _by_formula(at, known, weights, now)) is not None]
    places = {known.texts[at].id: known.texts[at].number for at in chosen}
    best = sorted(found, key=lambda one: (one.score, places[one.id]), reverse=True)
    return diverse(best, known.words, weights.mmr_lambda) if weights.mmr else best


def _by_formula(at: int, known: Evidence, weights: ClassicWeights, now: datetime) -> RankedText | None:
    entry, text = known.texts[at], float(known.own[at])
    similarity = text / (1 + text)
    if known.similar is not None:
        near = max(0.0, float(known.similar[at]))
        similarity = weights.vector_weight * near + weights.text_weight * similarity
        if similarity < weights.min_score:
            return None
    if weights.temporal_decay and (remembered := moment(entry.at)):
        days = max(0.0, (now - remembered).total_seconds() / 86_400)
        similarity *= 0.5 ** (days / weights.half_life_days)
    why = {
        "similarity": weights.similarity_weight * similarity,
        "importance": weights.importance_weight * entry.importance,
    }
    return RankedText(entry.id, max(1e-6, sum(why.values())), why=why)


def diverse(found: list[RankedText], words: Words, balance: float) -> list[RankedText]:
    """Return `found` reordered by maximal marginal relevance, which moves repetitions back."""
    left, chosen = found[:POOL], list[RankedText]()
    repeats = dict.fromkeys((one.id for one in left), 0.0)
    while left:
        best = max(left, key=lambda one: balance * one.score - (1 - balance) * repeats[one.id])
        left.remove(best)
        chosen.append(best)
        for one in left:
            repeats[one.id] = max(repeats[one.id], words.overlap(one.id, best.id))
    return chosen + found[POOL:]
