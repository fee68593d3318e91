"""What several methods come to together: where they agree, where not and why, and how sure that leaves us."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from knowledge.reasoning.methods import method
from knowledge.reasoning.result import Claim, Result


@dataclass(frozen=True, slots=True)
class Agreement:
    """A claim and the methods that make it; `groups` counts those that share neither evidence nor kernel."""

    claim: Claim
    methods: tuple[str, ...]
    groups: int


@dataclass(frozen=True, slots=True)
class Fusion:
    """Agreements by claim, the strongest first; `conclusion` is the first one's claim."""

    agreements: tuple[Agreement, ...]
    conclusion: Claim | None
    confidence: float | None


def fused(results: Sequence[Result[Any]], reliability: Mapping[str, float | None]) -> Fusion:
    """Return what `results` come to, each weighed by soundness, reliability and confidence. Order does not matter."""
    weights: dict[Claim, float] = defaultdict(float)
    by_claim: dict[Claim, dict[str, str]] = defaultdict(dict)
    for result in sorted(results, key=lambda one: one.method):
        for claim in result.claims:
            known = reliability.get(result.method)
            weights[claim] += (1.0 if result.confidence is None else result.confidence) * (known or 0.5)
            by_claim[claim][result.method] = method(result.method).kernel
    ranked = sorted(by_claim, key=lambda claim: (-weights[claim], repr(claim)))
    agreements = tuple(Agreement(one, tuple(by_claim[one]), len(set(by_claim[one].values()))) for one in ranked)
    total = sum(weights.values())
    return Fusion(agreements, ranked[0] if ranked else None, weights[ranked[0]] / total if total else None)
