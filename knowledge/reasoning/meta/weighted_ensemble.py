"""Weighted ensemble: one distribution from several (Genest and Zidek 1986)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import exp, log
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.problem import Name, Probability, ProblemPart, ReasoningProblem, Weight, summing_to_one
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep


class Opinion(ProblemPart):
    """A distribution over outcomes, its weight, and the group that shares its evidence."""

    distribution: Annotated[Mapping[Name, Probability], Field(min_length=1)]
    weight: Weight = 1.0
    group: str = ""

    @field_validator("distribution")
    @classmethod
    def _sums_to_one(cls, shares: Mapping[str, float]) -> Mapping[str, float]:
        return summing_to_one(shares, "an opinion's shares")


class Opinions(ReasoningProblem):
    """Opinions on the same outcomes, by source, and how to pool them."""

    kind: Literal["opinions"] = "opinions"
    opinions: Annotated[Mapping[Name, Opinion], Field(min_length=1)]
    pool: Literal["logarithmic", "linear"] = "logarithmic"

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "opinions",
        "opinions": {
            "bayesian": {"distribution": {"yes": 0.8, "no": 0.2}, "weight": 2},
            "cases": {"distribution": {"yes": 0.6, "no": 0.4}},
        },
    }

    @model_validator(mode="after")
    def _has_weight(self) -> Self:
        if not any(one.weight for one in self.opinions.values()):
            raise ValueError("every opinion has weight 0")
        return self


@dataclass(frozen=True, slots=True)
class Pooled:
    """The pooled distribution, how it was pooled, how far the opinions are apart (0 to 1), and the lowest and highest
    share of each outcome with one opinion left out: each in turn, or as many as there was time for."""

    distribution: dict[str, float]
    pool: str
    divergence: float
    interval: dict[str, tuple[float, float]]


def estimate(problem: Opinions) -> float:
    """Return about how many milliseconds this takes."""
    return 0.01 * len(problem.opinions) ** 2


def solve(problem: Opinions, budget: Budget) -> MethodResult[Pooled]:
    """Return the pooled opinion. Opinions of a group share their weight, so that echoes do not count twice."""
    weights = normalize_weights(problem.opinions)
    distributions = {name: one.distribution for name, one in problem.opinions.items()}
    pooled, how = pool(distributions, weights, budget, logarithmic=problem.pool == "logarithmic")
    divergence = _divergence(distributions, weights, budget)
    interval = {outcome: (share, share) for outcome, share in pooled.items()}
    late = False
    try:
        for one in _without_each(distributions, weights, budget):
            interval = {
                o: (min(low, one.get(o, 0.0)), max(high, one.get(o, 0.0))) for o, (low, high) in interval.items()
            }
    except OutOfTime:
        late = True
    best = max(pooled, key=lambda outcome: pooled[outcome])
    return MethodResult(
        "timeout" if late else "computed",
        Pooled(pooled, how, divergence, interval),
        f"{best}: {pooled[best]:.4g} ({how} pool of {len(distributions)})",
        claims=(AnswerClaim("outcome", "is", best, tuple(pooled.items())),),
        confidence=pooled[best],
        confidence_kind="posterior",
        trace=tuple(TraceStep(f"{name} counts {weight:.4g}", "weight") for name, weight in weights.items()),
        assumptions=("opinions of different groups err independently",),
    )


def _without_each(
    opinions: Mapping[str, Mapping[str, float]], weights: Mapping[str, float], budget: Budget
) -> Iterator[dict[str, float]]:
    """Yield the pooled distribution with each opinion left out, of those without which any weight is left."""
    counting = sum(weight > 0 for weight in weights.values())
    for name in opinions:
        if counting > (weights[name] > 0):
            rest = {other: held for other, held in opinions.items() if other != name}
            yield pool(rest, {other: weights[other] for other in rest}, budget)[0]


def normalize_weights(opinions: Mapping[str, Opinion]) -> dict[str, float]:
    """Return the weights normalized to one, with a group's total at most that of its heaviest."""
    groups: dict[str, list[str]] = defaultdict(list)
    for name, one in opinions.items():
        groups[one.group or f"\x00{name}"].append(name)
    weights: dict[str, float] = {}
    for members in groups.values():
        total = sum(opinions[name].weight for name in members) or 1.0
        heaviest = max(opinions[name].weight for name in members)
        weights |= {name: opinions[name].weight / total * heaviest for name in members}
    total = sum(weights.values())
    return {name: weights[name] / total for name in opinions}


def pool(
    opinions: Mapping[str, Mapping[str, float]],
    weights: Mapping[str, float],
    budget: Budget,
    *,
    logarithmic: bool = True,
) -> tuple[dict[str, float], str]:
    """Return the pooled distribution and the rule: linear if a logarithm would let one zero veto all."""
    outcomes = list(dict.fromkeys(outcome for one in budget.each(opinions.values()) for outcome in one))
    counting = {name: weight for name, weight in weights.items() if weight}
    if logarithmic and all(
        opinions[name].get(outcome, 0.0) > 0 for name in budget.each(counting) for outcome in outcomes
    ):
        raised = {
            o: exp(sum(w * log(opinions[name][o]) for name, w in counting.items())) for o in budget.each(outcomes)
        }
        how = "logarithmic"
    else:
        raised = {o: sum(w * opinions[name].get(o, 0.0) for name, w in counting.items()) for o in budget.each(outcomes)}
        how = "linear"
    total = sum(raised.values())
    return {outcome: share / total for outcome, share in raised.items()}, how


def _divergence(opinions: Mapping[str, Mapping[str, float]], weights: Mapping[str, float], budget: Budget) -> float:
    """Return the Jensen-Shannon divergence of the opinions in bits, at most the entropy of their weights."""
    mixed, _ = pool(opinions, weights, budget, logarithmic=False)

    def entropy(shares: Mapping[str, float]) -> float:
        return -sum(share * log(share, 2) for share in shares.values() if share > 0)

    return max(0.0, entropy(mixed) - sum(weights[name] * entropy(one) for name, one in budget.each(opinions.items())))
