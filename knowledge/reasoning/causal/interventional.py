"""Interventional: what would come if something were set from outside (Pearl 1995; Balke and Pearl 1997)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from knowledge.reasoning.budget import Budget, OutOfTime
from knowledge.reasoning.causal.effects import Counted, Interval, Tabled, interval, source
from knowledge.reasoning.causal.findings import (
    assumptions,
    effect_claims,
    is_sample,
    is_trial_alone,
    model_estimate,
)
from knowledge.reasoning.causal.models import CausalModel, StructuralModel
from knowledge.reasoning.causal.structures import Outcome, structural_estimate, would_be
from knowledge.reasoning.kernels.responses import LARGEST_PROGRAM, Observed
from knowledge.reasoning.result import Claim, Result, Step

if TYPE_CHECKING:
    from knowledge.reasoning.causal.effects import Array

PRECISION = 10**9
"""Shares that are no counts become fractions with denominators up to this."""


PROGRAM_MS = 0.15
"""What a linear program over types of units takes for each of its cells."""


@dataclass(frozen=True, slots=True)
class Intervention:
    """The outcome's states under each of two settings of the treatment, the effect on the event with its interval, and
    the formula it was read off by; where observation does not determine it, `bounds` of the event under each."""

    shares: tuple[dict[str, float], dict[str, float]]
    effect: float | None
    interval: Interval | None
    estimand: str
    by: str
    bounds: tuple[Interval, Interval] | None = None
    effect_bounds: Interval | None = None


def estimate(problem: CausalModel | StructuralModel) -> float:
    """Return the milliseconds this takes about."""
    if isinstance(problem, StructuralModel):
        return structural_estimate(problem)
    if problem.counts is None or not problem.seen().confounded:
        return model_estimate(problem)
    observed = _observed(problem, Counted(problem, problem.counts, Budget()))
    small = observed is not None and observed.size <= LARGEST_PROGRAM
    return model_estimate(problem) + (PROGRAM_MS * observed.size if observed is not None and small else 0.0)


def misfit(problem: CausalModel | StructuralModel) -> str:
    """Return why this is no question of what would come, if it is none."""
    if isinstance(problem, StructuralModel):
        if problem.evidence:
            return "what really happened is given: what would have happened instead is a counterfactual"
        return "" if problem.do else "nothing is set; give do"
    return "a trial is the answer; give tables or counts" if is_trial_alone(problem) else ""


def solve(problem: CausalModel | StructuralModel, budget: Budget) -> Result[Intervention] | Result[Outcome]:
    """Return the outcome under an intervention; `unknown` with bounds where what is observed does not determine it."""
    if isinstance(problem, StructuralModel):
        return would_be(problem, budget)
    model = source(problem, budget)
    arms = [model.done(level) for level in problem.levels]
    return _bounded(problem, model, budget) if None in [_none(one) for one in arms] else _told(problem, model, arms)


def _none(found: "Array | None") -> bool | None:
    return None if found is None else True


def _told(problem: CausalModel, model: Tabled | Counted, arms: "list[Array | None]") -> Result[Intervention]:
    states = problem.variables[problem.outcome].states
    shares = [dict(zip(states, one.tolist(), strict=True)) for one in arms if one is not None]
    event = problem.happening
    effect = shares[0][event] - shares[1][event]
    span = interval(model, states.index(event))
    formula = str(model.estimand.formula) if isinstance(model, Counted) else ""
    by = model.estimand.by if isinstance(model, Counted) else "truncated product"
    settings = [f"{problem.treatment} set to {level}{_held(problem)}" for level in problem.levels]
    claims = tuple(
        Claim(problem.outcome, name, max(one, key=lambda state: one[state]), tuple(one.items()))
        for name, one in zip(settings, shares, strict=True)
    )
    return Result(
        "interventional",
        "estimated" if is_sample(model) else "computed",
        Intervention((shares[0], shares[1]), effect, span, formula, by),
        f"{event} {problem.outcome}: {shares[0][event]:.4g} with {settings[0]}, {shares[1][event]:.4g} with "
        f"{problem.levels[1]}: {effect:+.4g}{_spanned(span)}",
        claims=(*effect_claims(problem, effect), *claims),
        trace=(
            *([Step(formula, by)] if formula else []),
            *(Step(f"{name}: {one[event]:.6g}", by) for name, one in zip(settings, shares, strict=True)),
        ),
        witness=formula or None,
        assumptions=assumptions(problem, model),
        soundness=3 if is_sample(model) else 2,
    )


def _bounded(problem: CausalModel, model: Tabled | Counted, budget: Budget) -> Result[Intervention]:
    """Return what can be said where the effect is not determined: by the graph, or because nobody was observed."""
    if not isinstance(model, Counted) or problem.within or problem.hold:
        told = "the cases meant do not occur" if isinstance(model, Tabled) else "nobody was observed in states it needs"
        if isinstance(model, Counted) and model.estimand.formula is None:
            told = "observation does not determine the effect"
        return Result("interventional", "unknown", Intervention(({}, {}), None, None, "", ""), told, soundness=2)
    late = False
    try:
        found = _sharp(problem, model, budget)
    except OutOfTime:
        found, late = None, True
    by = "all types of units that fit" if found else "what was observed"
    if found == "contradiction":
        told = "the counts cannot come from this graph: no types of units give them"
        return Result("interventional", "inconsistent", Intervention(({}, {}), None, None, "", by), told, soundness=1)
    with_, without = (_natural(problem, model, 0), _natural(problem, model, 1)) if found is None else found[:2]
    gap = (with_[0] - without[1], with_[1] - without[0]) if found is None else found[2]
    hedged = model.estimand.formula is None
    why = "observation does not determine the effect" if hedged else "nobody was observed in states the formula needs"
    claims = (
        effect_claims(problem, gap[0])[:1] if gap[0] > 0 else effect_claims(problem, gap[1])[:1] if gap[1] < 0 else ()
    )
    return Result(
        "interventional",
        "timeout" if late else "unknown",
        Intervention(({}, {}), None, None, str(model.estimand.formula or ""), by, (with_, without), gap),
        f"{why}; it lies between {gap[0]:+.4g} and {gap[1]:+.4g}",
        claims=claims,
        trace=(
            *(
                Step(f"{problem.happening} with {problem.treatment} set to {level}: {low:.4g} to {high:.4g}", by)
                for level, (low, high) in zip(problem.levels, (with_, without), strict=True)
            ),
        ),
        witness=model.estimand.hedge,
        assumptions=assumptions(problem, model),
        soundness=3 if is_sample(model) else 2,
    )


def _natural(problem: CausalModel, model: Counted, arm: int) -> Interval:
    """Return what is sure without any formula: those not treated so may all have the event, or none (Manski 1990)."""
    level = problem.levels[arm]
    taken = float(model.taken()[problem.variables[problem.treatment].states.index(level)])
    seen = model.seen({problem.treatment: level})
    event = problem.variables[problem.outcome].states.index(problem.happening)
    both = taken * float(seen[event]) if seen is not None else 0.0
    return both, both + 1 - taken


Sharp = tuple[Interval, Interval, Interval]


def _sharp(problem: CausalModel, model: Counted, budget: Budget) -> Sharp | Literal["contradiction"] | None:
    """Return the sharpest bounds of both settings and of the effect, None where there are too many types of units."""
    observed = _observed(problem, model)
    if observed is None or observed.size > LARGEST_PROGRAM:
        return None
    event = problem.variables[problem.outcome].states.index(problem.happening)
    states = problem.variables[problem.treatment].states
    arms = [{problem.treatment: states.index(level)} for level in problem.levels]
    found: list[Interval] = []
    for settings in ([(1, arms[0])], [(1, arms[1])], [(1, arms[0]), (-1, arms[1])]):
        one = observed.bounds((problem.outcome, event), settings, budget)
        if one is None:
            return "contradiction"
        found.append((float(one[0]), float(one[1])))
    return found[0], found[1], found[2]


def _observed(problem: CausalModel, model: Counted) -> Observed | None:
    """Return what was observed, where treatment and outcome are in one district and only roots are outside it."""
    graph = model.graph
    tied = next((one for one in graph.districts() if problem.treatment in one), frozenset())
    roots = [name for name in graph.nodes if name not in tied]
    if problem.outcome not in tied or any(graph.parents[name] or graph.spouses(name) for name in roots):
        return None
    sizes = {name: len(problem.variables[name].states) for name in graph.nodes}
    total = sum(Fraction(value) for value in model.counts.values)

    def share(at: Mapping[str, int]) -> Fraction:
        cell = 0
        for name in model.counts.over:
            cell = cell * sizes[name] + at[name]
        return (Fraction(model.counts.values[cell]) / total).limit_denominator(PRECISION)

    return Observed(sizes, graph.parents, roots, share)


def _held(problem: CausalModel) -> str:
    return "".join(f", {name} held at {state}" for name, state in problem.hold.items())


def _spanned(span: Interval | None) -> str:
    return "" if span is None else f" (95 %: {span[0]:+.4g} to {span[1]:+.4g})"
