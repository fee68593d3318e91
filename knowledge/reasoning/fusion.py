"""Fusion of several methods' results: agreements, disagreements with reasons, and the resulting confidence.

Only claims about the same thing are compared. Methods that share evidence or a kernel count as one voice, since their
agreement confirms nothing. A proof overrules less sound results; if equals disagree, nothing is concluded. S0 section
25: each method is weighted by its strengths, here its soundness and its reliability, both shown.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.meta.weighted_ensemble import pool
from mabos.knowledge.reasoning.methods import method
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult

Value = str | float | bool
Kind = Literal["contradiction", "magnitude"]
SOUND: Mapping[int, float] = {1: 1.0, 2: 0.9, 3: 0.6, 4: 0.4}
"""The weight of a result of each soundness."""
UNTRIED = 0.5
"""The reliability of a method of which too little is known."""
CLOSE = 0.05
"""The relative difference up to which two figures agree."""


@dataclass(frozen=True, slots=True)
class Voice:
    """One method's claim on a question: its answer, its weight, and its group."""

    method: str
    answer: Value
    weight: float
    soundness: int
    group: int


@dataclass(frozen=True, slots=True)
class MethodDisagreement:
    """Two methods with different answers to a question, and the likely cause."""

    question: str
    methods: tuple[str, str]
    answers: tuple[Value, Value]
    kind: Kind
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FusedVerdict:
    """The fused answer (None: nothing prevails) and its confidence, with the lowest and highest of it if
    one method is left out, how many independent groups agree, who dissents, and why it was decided so."""

    question: str
    answer: Value | None
    confidence: float | None
    interval: tuple[float, float] | None
    agreeing: tuple[str, ...]
    independent: int
    dissent: tuple[str, ...]
    basis: str


@dataclass(frozen=True, slots=True)
class Fusion:
    """Every question answered by the methods, those with most voices first; the first claim is the conclusion."""

    verdicts: tuple[FusedVerdict, ...]
    disagreements: tuple[MethodDisagreement, ...]
    conclusion: AnswerClaim | None
    confidence: float | None
    weights: dict[str, float]
    ignored: dict[str, str]


def fuse_results(results: Sequence[MethodResult[Any]], reliability: Mapping[str, float | None]) -> Fusion:
    """Return the fusion of `results`, whose order does not matter."""
    ordered = sorted(results, key=lambda one: one.method)
    ignored = {one.method: f"it ended as {one.status}" for one in ordered if not one.claims}
    heard = [one for one in ordered if one.claims]
    groups = _groups(heard)
    tried = {name: UNTRIED if share is None else share for name, share in reliability.items()}
    weights = {one.method: SOUND[one.soundness] * tried.get(one.method, UNTRIED) for one in heard}
    voices: dict[str, list[Voice]] = defaultdict(list)
    for result in heard:
        for claim in result.claims:
            sure = 1.0 if result.confidence is None else result.confidence
            voice = Voice(
                result.method, claim.value, weights[result.method] * sure, result.soundness, groups[result.method]
            )
            voices[_question(claim)].append(voice)
    verdicts = [_verdict(question, held, heard) for question, held in voices.items()]
    verdicts.sort(key=lambda one: (-(len(one.agreeing) + len(one.dissent)), one.question))
    first = verdicts[0] if verdicts else None
    conclusion = None if first is None or first.answer is None else _claim(heard, first)
    told = [one for question, held in voices.items() for one in _disagreements(question, held, heard)]
    return Fusion(tuple(verdicts), tuple(told), conclusion, first.confidence if first else None, weights, ignored)


def _question(claim: AnswerClaim) -> str:
    return f"{claim.subject}: {claim.predicate}"


def _groups(results: Sequence[MethodResult[Any]]) -> dict[str, int]:
    """Return a number for each method, the same for those that share a kernel or all their evidence."""
    groups: dict[str, int] = {}
    for number, one in enumerate(results):
        like = next((other for other in results[:number] if _echo(one, other)), None)
        groups[one.method] = number if like is None else groups[like.method]
    return groups


def _echo(a: MethodResult[Any], b: MethodResult[Any]) -> bool:
    """Return whether agreement of two results confirms nothing."""
    return method(a.method).kernel == method(b.method).kernel or (
        bool(a.evidence) and set(a.evidence) == set(b.evidence)
    )


def _agree(a: Value, b: Value) -> bool:
    if isinstance(a, bool) or isinstance(b, bool) or isinstance(a, str) or isinstance(b, str):
        return a == b
    return a == b or abs(a - b) <= CLOSE * max(abs(a), abs(b))


def _verdict(question: str, voices: Sequence[Voice], results: Sequence[MethodResult[Any]]) -> FusedVerdict:
    sides: list[list[Voice]] = []
    for voice in sorted(voices, key=lambda one: (one.soundness, -one.weight, one.method)):
        side = next((held for held in sides if _agree(held[0].answer, voice.answer)), None)
        if side is None:
            sides.append([voice])
        else:
            side.append(voice)
    winner, basis = _prevailing(sides)
    everyone = tuple(sorted(one.method for one in voices))
    if winner is None:
        return FusedVerdict(question, None, None, None, (), 0, everyone, basis)
    agreeing = tuple(sorted(one.method for one in winner))
    pooled = _pool_distributions(question, winner[0].answer, voices, results)
    return FusedVerdict(
        question,
        winner[0].answer,
        pooled[0] if pooled else None,
        pooled[1] if pooled else None,
        agreeing,
        len({one.group for one in winner}),
        tuple(name for name in everyone if name not in agreeing),
        basis,
    )


def _prevailing(sides: Sequence[Sequence[Voice]]) -> tuple[Sequence[Voice] | None, str]:
    """Return the side that prevails and why: all agree, a proof overrules, or it weighs more."""
    if len(sides) == 1:
        return sides[0], "all agree"
    proofs = [side for side in sides if min(one.soundness for one in side) == 1]
    if len(proofs) == 1 and all(min(one.soundness for one in side) >= 3 for side in sides if side is not proofs[0]):
        return proofs[0], "an exact method overrules statistical and heuristic ones"
    weights = [_weight(side) for side in sides]
    best = max(weights)
    if sum(abs(weight - best) <= 1e-9 for weight in weights) > 1:
        return None, "equals oppose each other"
    return sides[weights.index(best)], "it weighs more"


def _weight(side: Sequence[Voice]) -> float:
    """Return the weight of a side: the sum over its groups of the heaviest voice."""
    by_group: dict[int, float] = {}
    for one in side:
        by_group[one.group] = max(by_group.get(one.group, 0.0), one.weight)
    return sum(by_group.values())


def _pool_distributions(
    question: str, answer: Value, voices: Sequence[Voice], results: Sequence[MethodResult[Any]]
) -> tuple[float, tuple[float, float]] | None:
    """Return how sure the answer is by the distributions there are, and the lowest and highest with one left out."""
    shares: dict[str, Mapping[str, float]] = {}
    for one in voices:
        result = next(held for held in results if held.method == one.method)
        claim = next(held for held in result.claims if _question(held) == question and held.value == one.answer)
        if claim.distribution:
            shares[one.method] = dict(claim.distribution)
        elif result.confidence is not None:
            held = answer if _agree(answer, one.answer) else one.answer
            shares[one.method] = {str(held): result.confidence, "\x00other": 1 - result.confidence}
    weights = {one.method: one.weight for one in voices if one.method in shares}
    if not any(weights.values()):
        return None

    def sure(without: str = "") -> float:
        kept = {name: weight for name, weight in weights.items() if name != without}
        if not any(kept.values()):
            kept = weights
        pooled, _ = pool({name: shares[name] for name in kept}, kept, Budget(), logarithmic=False)
        return pooled.get(str(answer), 0.0)

    every = [sure(), *(sure(name) for name in weights)]
    return every[0], (min(every), max(every))


def _disagreements(
    question: str, voices: Sequence[Voice], results: Sequence[MethodResult[Any]]
) -> list[MethodDisagreement]:
    """Return the pairs that differ, with the premises and assumptions that only one of them has."""
    basis = {one.method: {*one.evidence, *one.assumptions} for one in results}
    found = []
    for number, a in enumerate(voices):
        for b in voices[number + 1 :]:
            if not _agree(a.answer, b.answer):
                figures = not isinstance(a.answer, str | bool) and not isinstance(b.answer, str | bool)
                found.append(
                    MethodDisagreement(
                        question,
                        (a.method, b.method),
                        (a.answer, b.answer),
                        "magnitude" if figures else "contradiction",
                        tuple(sorted(basis[a.method] - basis[b.method])),
                        tuple(sorted(basis[b.method] - basis[a.method])),
                    )
                )
    return found


def _claim(results: Sequence[MethodResult[Any]], verdict: FusedVerdict) -> AnswerClaim:
    """Return the claim of the first method that supports the verdict."""
    return next(
        claim
        for result in results
        for claim in result.claims
        if _question(claim) == verdict.question and claim.value == verdict.answer
    )
