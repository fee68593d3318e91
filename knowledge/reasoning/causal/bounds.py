"""Bounds of an effect that observation does not determine."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod, sqrt
from typing import Literal

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.causal.effects import Counted, Interval, Tabled, effect_claims
from mabos.knowledge.reasoning.causal.models import CausalModel
from mabos.knowledge.reasoning.kernels.responses import LARGEST_PROGRAM, ObservedShares, fit_rows
from mabos.knowledge.reasoning.result import AnswerClaim

LARGEST_TOLD = 60
"""Variables up to which the time that bounds take is told beforehand."""
PRECISION = 10**9
"""Shares that are not counts become fractions with denominators up to this."""
PROGRAM_MS = 0.25
"""The time of a linear program over types of units, per cell."""
ROUNDING = 1e-6
CONTRADICTION = "the counts cannot come from this graph: no types of units give them"

Sharp = tuple[Interval, Interval, Interval]


@dataclass(frozen=True, slots=True)
class EffectLimits:
    """Bounds of the event under both settings of the treatment and of the effect, their method, and whether time ran
    out before sharper ones were found.
    """

    arms: tuple[Interval, Interval]
    effect: Interval
    by: str
    late: bool


def limits_estimate(problem: CausalModel) -> float:
    """Return about how many milliseconds the bounds take, if sharper ones may exist."""
    if problem.counts is None or len(problem.variables) > LARGEST_TOLD or not problem.seen(Budget()).confounded:
        return 0.0
    observed = _observed_shares(problem, Counted(problem, problem.counts, Budget()))
    return 0.0 if observed is None or observed.size > LARGEST_PROGRAM else PROGRAM_MS * observed.size


def limits(problem: CausalModel, model: Counted, budget: Budget) -> EffectLimits | None:
    """Return the bounds of the effect; None if counts and graph contradict each other."""
    with_, without = _natural(problem, model, 0), _natural(problem, model, 1)
    late = False
    try:
        found = None if problem.within else _sharp(problem, model, budget)
    except OutOfTime:
        found, late = None, True
    if found == "contradiction":
        return None
    if found is not None:
        return EffectLimits((found[0], found[1]), found[2], "all types of units that fit", late)
    return EffectLimits((with_, without), (with_[0] - without[1], with_[1] - without[0]), "what was observed", late)


def explain_indeterminacy(model: Tabled | Counted) -> str:
    """Return why an effect is not determined."""
    if isinstance(model, Tabled):
        return "the cases meant do not occur"
    if model.estimand.formula is None:
        return "observation does not determine the effect"
    return "the formula needs states that were not observed"


def limit_claims(problem: CausalModel, effect: Interval) -> tuple[AnswerClaim, ...]:
    """Return the direction of the effect, if its bounds determine it."""
    if effect[0] > 0 or effect[1] < 0:
        return effect_claims(problem, effect[0])[:1]
    return ()


def _natural(problem: CausalModel, model: Counted, arm: int) -> Interval:
    """Return the bounds without any formula: those not treated so may all have the event, or none (Manski 1990)."""
    level = problem.levels[arm]
    taken = float(model.taken()[problem.variables[problem.treatment].states.index(level)])
    seen = model.seen({problem.treatment: level})
    event = problem.variables[problem.outcome].states.index(problem.happening)
    both = taken * float(seen[event]) if seen is not None else 0.0
    return both, both + 1 - taken


def _sharp(problem: CausalModel, model: Counted, budget: Budget) -> Sharp | Literal["contradiction"] | None:
    """Return the sharpest bounds of both settings and of the effect, None where there are too many types of units."""
    observed = _observed_shares(problem, model)
    if observed is None or observed.size > LARGEST_PROGRAM:
        return None
    event = problem.variables[problem.outcome].states.index(problem.happening)
    states = problem.variables[problem.treatment].states
    arms = [{problem.treatment: states.index(level)} for level in problem.levels]
    questions: list[list[tuple[int, Mapping[str, int]]]] = [
        [(1, arms[0])],
        [(1, arms[1])],
        [(1, arms[0]), (-1, arms[1])],
    ]
    rows = observed.rows(budget)
    first = observed.bounds(rows, (problem.outcome, event), questions[0], budget)
    if first is None:
        rows, missed = fit_rows(rows, budget)
        if missed > _sampling_tolerance(model, len(rows)):
            return "contradiction"
    found = [observed.bounds(rows, (problem.outcome, event), one, budget) for one in questions]
    with_, without, gap = ((float(one[0]), float(one[1])) for one in found if one is not None)
    return with_, without, gap


def _sampling_tolerance(model: Counted, shares: int) -> float:
    """Return how far observed shares may deviate from a graph's: by rounding, or as few cases scatter."""
    return sqrt(shares / sum(model.counts.values)) if model.is_sample else ROUNDING


def _observed_shares(problem: CausalModel, model: Counted) -> ObservedShares | None:
    """Return the observed shares, if treatment and outcome are in one district and only roots are outside it."""
    graph = model.graph
    tied = next((one for one in graph.districts() if problem.treatment in one), frozenset())
    roots = [name for name in graph.nodes if name not in tied]
    beside = graph.spouses()
    if problem.outcome not in tied or any(graph.parents[name] or beside[name] for name in roots):
        return None
    sizes = {name: len(problem.variables[name].states) for name in graph.nodes}
    if prod(sizes.values()) > LARGEST_PROGRAM:
        return None
    total = sum(Fraction(value) for value in model.counts.values)

    def share(at: Mapping[str, int]) -> Fraction:
        cell = 0
        for name in model.counts.over:
            cell = cell * sizes[name] + at[name]
        return (Fraction(model.counts.values[cell]) / total).limit_denominator(PRECISION)

    return ObservedShares(sizes, graph.parents, roots, share)
