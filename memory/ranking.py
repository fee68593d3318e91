"""From a question to a ranked list: candidates by words, meaning and date, then the signals added up.

`ranked` is the default; `classic` ranks by the documents' formulas. Both say for every hit what its score is made of.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from heapq import nlargest
from itertools import islice

from memory.meaning import Meaning
from memory.question import Question
from memory.signals import SIGNALS, Evidence, remembered_then
from memory.weights import ClassicWeights, RankingWeights
from memory.words import Wanted, Words
from workspace.clock import parse_time

POOL = 48
_FAINTEST = 100


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a recall found: score 0 to 1, the pass that found it, and what the score is made of."""

    id: str
    score: float
    depth: int = 0
    why: Mapping[str, float] = field(default_factory=dict)


def evidence(
    asked: Question, words: Words, meaning: Meaning | None, wanted: Wanted | None, *, pool: int = POOL
) -> Evidence:
    """Return the candidates for a question and everything that the signals need to know about them.

    Candidates are the best by words and by meaning, what stands beside the best by words, and what was remembered on
    the dates that the question names. `wanted` None takes all.
    """
    telling = words.telling(asked.words)
    best = words.best(telling, pool, wanted)
    spans = words.spans(best)
    chosen = [*(other for span in spans.values() for other in span[1:]), *remembered_then(asked, words, pool)]
    near: dict[str, float] = {}
    faintest = 0.0
    if meaning is not None and (near := meaning.near(asked.text, max(pool, _FAINTEST))):
        faintest = list(near.values())[min(len(near), _FAINTEST) - 1]
        chosen += words.texts.named(islice(near, pool))
    further = {entry.one.id: entry for entry in chosen if entry.one.id not in spans}
    spans |= words.spans(entry for one, entry in further.items() if wanted is None or wanted(one))
    similar: dict[str, float] = {}
    if meaning is not None:
        looked_at = {entry.one.id: None for span in spans.values() for entry in span}
        similar = near | meaning.similar(asked.text, looked_at)
    own, around = words.scores(telling, spans)
    days = words.days(telling, {span[0].one.day for span in spans.values()})
    return Evidence(asked, words, spans, own, around, days, similar, faintest)


def ranked(known: Evidence, weights: RankingWeights, explained: int) -> list[Found]:
    """Return the candidates by the sum of the weighted signals, as a share of the most it could be.

    The weaker the best match of words, the more counts what does not rest on words. The first `explained` tell what
    their score is made of.
    """
    more = weights.doubt.factor(max(known.own.values(), default=0.0))
    told = {
        name: (weight * more if name in weights.doubt.signals else weight, given)
        for name, weight in weights.signals.items()
        if weight and (given := SIGNALS[name](known))
    }
    most = sum(weight for weight, _ in told.values()) or 1.0
    sums = dict.fromkeys(known.candidates, 0.0)
    for weight, given in told.values():
        for one, score in given.items():
            sums[one] += weight * score
    found = []
    for number, (one, score) in enumerate(best_first(sums, known)):
        shown = told.items() if number < explained else ()
        why = {name: weight * given[one] / most for name, (weight, given) in shown if one in given}
        found.append(Found(one, min(1.0, max(1e-6, score / most)), why=why))
    return found


def best_first(scores: Mapping[str, float], known: Evidence) -> list[tuple[str, float]]:
    """Return what has a score, the highest and among equals the newer first."""
    spans = known.spans
    ranking = sorted([(score, spans[one][0].one.at, one) for one, score in scores.items()], reverse=True)
    return [(one, score) for score, _, one in ranking]


def classic(known: Evidence, weights: ClassicWeights, limit: int, now: datetime) -> list[Found]:
    """Return the candidates by S0 section 11 and S1 section 12: vector and text, then importance.

    Where there are no vectors the text stands for the similarity, and no minimum is asked of it.
    """
    most = weights.candidate_multiplier * limit
    nearest = nlargest(most, known.meaning, key=lambda one: known.meaning[one])
    matching = nlargest(most, known.own, key=lambda one: known.own[one])
    found = [
        one
        for candidate in dict.fromkeys([*nearest, *matching])
        if candidate in known.spans and (one := _by_formula(candidate, known, weights, now)) is not None
    ]
    by_id = {one.id: one for one in found}
    best = [by_id[one] for one, _ in best_first({one.id: one.score for one in found}, known)]
    return diverse(best, known.words, weights.mmr_lambda) if weights.mmr else best


def _by_formula(candidate: str, known: Evidence, weights: ClassicWeights, now: datetime) -> Found | None:
    text = known.own.get(candidate, 0.0)
    similarity = text / (1 + text)
    if known.meaning:
        near = max(0.0, known.meaning.get(candidate, 0.0))
        similarity = weights.vector_weight * near + weights.text_weight * similarity
        if similarity < weights.min_score:
            return None
    one = known.spans[candidate][0].one
    if weights.temporal_decay and one.at:
        days = max(0.0, (now - parse_time(one.at)).total_seconds() / 86_400)
        similarity *= 0.5 ** (days / weights.half_life_days)
    why = {
        "similarity": weights.similarity_weight * similarity,
        "importance": weights.importance_weight * one.importance,
    }
    return Found(candidate, max(1e-6, sum(why.values())), why=why)


def diverse(found: list[Found], words: Words, balance: float) -> list[Found]:
    """Return `found` reordered by maximal marginal relevance: what repeats an earlier hit comes later."""
    left, chosen = found[:POOL], list[Found]()
    repeats = dict.fromkeys((one.id for one in left), 0.0)
    while left:
        best = max(left, key=lambda one: balance * one.score - (1 - balance) * repeats[one.id])
        left.remove(best)
        chosen.append(best)
        for one in left:
            repeats[one.id] = max(repeats[one.id], words.overlap(one.id, best.id))
    return chosen + found[POOL:]
