"""Choice of a method for a problem: the admissible ones, ranked by the documents' weights and learned reliability.

Of two equal matches the more specialised method comes first, so that each category has a chance. A method is admissible
if it takes the kind of problem, the problem has its required input, and its estimated time fits the pressure. These are
ranked by a sum whose parts are shown: the weights of S0 section 25, the methods that S3 section 12.5 names for a high
dimension, time pressure, and learned reliability.

Two guarantees follow from the form of the sum. More time pressure never selects a costlier method: pressure subtracts a
growing share of the cost, and its named methods are preferred only if nothing is cheaper. Higher stakes never select a
less sound one: the match of stakes and soundness falls with their distance, and the methods named for high stakes are
of the soundest kind.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log, log10, prod
from typing import Literal

from mabos.knowledge.reasoning.methods import METHODS, Domain, Level, ReasoningMethod
from mabos.knowledge.reasoning.problem import ProblemPart

Pressure = Literal["none", "moderate", "urgent"]


class Classification(ProblemPart):
    """The kind of a problem. The defaults are neutral."""

    uncertainty: Literal["low", "medium", "high"] = "medium"
    complexity: Literal["simple", "moderate", "complex"] = "moderate"
    domain: Literal["formal", "empirical", "social", "mixed"] = "mixed"
    time_pressure: Pressure = "none"
    data_availability: Literal["rich", "moderate", "sparse"] = "moderate"
    stakes: Literal["low", "medium", "high"] = "medium"


NEUTRAL = Classification()
"""Of a problem of which nothing is known."""
WEIGHTS: Mapping[str, float] = {"uncertainty": 0.2, "complexity": 0.2, "domain": 0.3, "data": 0.15, "stakes": 0.15}
"""S0 section 25."""
NAMED = 0.3
"""The score for a method that S3 section 12.5 names for a dimension that is high."""
PARTICULAR = 0.25
"""The most score for a specialised method that fits this problem: else general methods always come first."""
LEARNED = 0.2
"""The largest change of the score by learned reliability."""
PRESSURE: Mapping[Pressure, float] = {"none": 0.0, "moderate": 0.1, "urgent": 0.3}
"""The share of the score that a tenfold cost takes."""
SECONDS: Mapping[Pressure, float | None] = {"none": None, "moderate": 2.0, "urgent": 0.2}
"""The time that a method may take."""
EFFORT_MS = {1: 1.0, 2: 30.0, 3: 500.0}
"""The estimate where there is no problem to estimate from."""
_LEVELS: Mapping[str, Level] = {
    "low": "low",
    "medium": "medium",
    "high": "high",
    "simple": "low",
    "moderate": "medium",
    "complex": "high",
    "sparse": "low",
    "rich": "high",
}
_HEIGHT: Mapping[Level, float] = {"low": 0.0, "medium": 0.5, "high": 1.0}
_SOUND = {1: 1.0, 2: 1.0, 3: 0.5, 4: 0.0}
"""The height of stakes that a soundness suits."""
_FOR_HIGH: Mapping[str, frozenset[str]] = {
    "uncertainty": frozenset({"bayesian", "monte-carlo"}),
    "complexity": frozenset({"systems-thinking"}),
    "data": frozenset({"inductive", "pattern-recognition"}),
    "stakes": frozenset({"decision-theory", "expected-utility"}),
}
_FOR_URGENT = frozenset({"satisficing", "naturalistic"})


@dataclass(frozen=True, slots=True)
class MethodCandidate:
    """A runnable method: its estimated cost in milliseconds and, once scored, its score with the parts."""

    method: ReasoningMethod
    cost_ms: float
    parts: tuple[tuple[str, float], ...] = ()

    @property
    def score(self) -> float:
        """The sum of the parts."""
        return sum(worth for _, worth in self.parts)


@dataclass(frozen=True, slots=True)
class Routing:
    """The runnable methods, best first, and why the others are not. `late` means that even the first may be late."""

    ranked: tuple[MethodCandidate, ...]
    rejected: tuple[tuple[str, str], ...] = ()
    late: bool = False

    def without(self, method: ReasoningMethod, why: str) -> "Routing":
        """Return the routing with another method excluded."""
        ranked = tuple(one for one in self.ranked if one.method != method)
        return Routing(ranked, (*self.rejected, (method.name, why)), self.late)

    def portfolio(self, count: int, *, sound: bool = False) -> tuple[ReasoningMethod, ...]:
        """Return the best methods of distinct kernels, at most `count`; with `sound` including an exact one, if any."""
        best: dict[str, ReasoningMethod] = {}
        for one in self.ranked:
            best.setdefault(one.method.kernel, one.method)
        chosen = list(best.values())[:count]
        exact = next((one for one in best.values() if one.soundness <= 2), None)
        if sound and exact is not None and all(one.soundness > 2 for one in chosen):
            chosen[-1] = exact
        return tuple(chosen)


def candidates() -> tuple[MethodCandidate, ...]:
    """Return the methods for problems about the world as candidates, if only the classification is known.

    The methods about reasoning itself are asked for by name or by the kind of their problem.
    """
    return tuple(MethodCandidate(one, EFFORT_MS[one.effort]) for one in METHODS if one.category != "meta")


def route(
    classification: Classification,
    open_to: Sequence[MethodCandidate],
    *,
    rejected: Sequence[tuple[str, str]] = (),
    reliability: Callable[[ReasoningMethod], float | None] = lambda _method: None,
    one_problem: bool = False,
) -> Routing:
    """Return the ranked candidates for a problem with this classification.

    `reliability` is 0 to 1 for a method with known outcomes, else None. Ties go to the sounder, the cheaper, then by
    name, so the order of the candidates does not matter. If all candidates answer `one_problem`, those dominated in
    soundness and cost come last.
    """
    seconds = SECONDS[classification.time_pressure]
    # Below a millisecond no two methods differ to anyone.
    at_least = [MethodCandidate(one.method, max(1.0, one.cost_ms)) for one in open_to]
    timely = [one for one in at_least if seconds is None or one.cost_ms <= seconds * 1000]
    tardy = [
        (one.method.name, f"it would take about {one.cost_ms / 1000:.1f} s")
        for one in sorted(at_least, key=lambda one: one.method.name)
        if one not in timely
    ]
    if not timely:
        ranked = sorted(at_least, key=lambda one: (one.cost_ms, one.method.soundness, one.method.name))
        return Routing(tuple(ranked), tuple(rejected), late=bool(ranked))
    cheapest = min(one.cost_ms for one in timely)
    scored = [
        MethodCandidate(one.method, one.cost_ms, _parts(one, classification, cheapest, reliability(one.method)))
        for one in timely
    ]
    behind = _outdone(scored, classification.time_pressure, cheapest) if one_problem else frozenset[str]()
    scored.sort(
        key=lambda one: (
            one.method.name in behind,
            -round(one.score, 9),
            one.method.soundness,
            one.cost_ms,
            one.method.name,
        )
    )
    return Routing(tuple(scored), (*rejected, *tardy))


def _outdone(timely: Sequence[MethodCandidate], pressure: Pressure, cheapest: float) -> frozenset[str]:
    """Return the methods that another is sounder than at no higher cost, but for the cheapest named for urgency."""
    spared = _FOR_URGENT if pressure == "urgent" else frozenset()
    return frozenset(
        one.method.name
        for one in timely
        if not (one.method.name in spared and one.cost_ms <= cheapest)
        and any(other.method.soundness < one.method.soundness and other.cost_ms <= one.cost_ms for other in timely)
    )


def printed_scores(classification: Classification, methods: Iterable[ReasoningMethod] = METHODS) -> dict[str, float]:
    """Return the scores by the exact formula of S0 section 25: a match counts fully, anything else not at all."""
    levels = _levels(classification)
    scores = {}
    for one in methods:
        matches = {
            "uncertainty": levels["uncertainty"] in one.uncertainty,
            "complexity": levels["complexity"] in one.complexity,
            "domain": classification.domain in one.domain,
            "data": levels["data"] in one.data,
            "stakes": _SOUND[one.soundness] == _HEIGHT[levels["stakes"]],
        }
        scores[one.name] = sum(WEIGHTS[dimension] for dimension, met in matches.items() if met)
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))


def _levels(classification: Classification) -> dict[str, Level]:
    return {
        "uncertainty": _LEVELS[classification.uncertainty],
        "complexity": _LEVELS[classification.complexity],
        "data": _LEVELS[classification.data_availability],
        "stakes": _LEVELS[classification.stakes],
    }


def _parts(
    one: MethodCandidate, classification: Classification, cheapest: float, learned: float | None
) -> tuple[tuple[str, float], ...]:
    """Return the contribution of each dimension to the score."""
    levels, method = _levels(classification), one.method
    matches = {
        "uncertainty": _near(levels["uncertainty"], method.uncertainty),
        "complexity": _near(levels["complexity"], method.complexity),
        "domain": _domain(classification.domain, method.domain),
        "data": _near(levels["data"], method.data),
        "stakes": 1 - abs(_HEIGHT[levels["stakes"]] - _SOUND[method.soundness]),
    }
    parts = {dimension: WEIGHTS[dimension] * match for dimension, match in matches.items()}
    if all(matches[dimension] == 1 for dimension in ("uncertainty", "complexity", "domain", "data")):
        parts["particular"] = PARTICULAR * _particular(method)
    for dimension, named in _FOR_HIGH.items():
        if levels[dimension] == "high" and method.name in named:
            parts[f"named for {dimension}"] = NAMED
    urgent = classification.time_pressure == "urgent"
    if urgent and method.name in _FOR_URGENT and one.cost_ms <= cheapest:
        parts["named for time"] = NAMED
    parts["time"] = -PRESSURE[classification.time_pressure] * log10(one.cost_ms)
    if learned is not None:
        parts["reliability"] = LEARNED * (2 * learned - 1)
    return tuple(parts.items())


def _particular(method: ReasoningMethod) -> float:
    """Return how few problems a method is at its best for: 0 where it is for all, 1 where it is for one kind alone."""
    ideals = (method.uncertainty, method.complexity, method.domain, method.data)
    return 1 - log(prod(map(len, ideals))) / log(3 ** len(ideals))


def _near(level: Level, ideal: frozenset[Level]) -> float:
    """Return 1 for an ideal level, a half for its neighbour, 0 for the opposite."""
    return max(1 - abs(_HEIGHT[level] - _HEIGHT[one]) for one in ideal)


def _domain(domain: str, ideal: frozenset[Domain]) -> float:
    """Return 1 where the domain is one of the method's, a half where it is mixed and the method is for one alone."""
    if domain == "mixed":
        return 1.0 if len(ideal) > 1 else 0.5
    return float(domain in ideal)
