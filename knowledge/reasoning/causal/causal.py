"""Causal: distinguish association from effect, and decide whether observation suffices (Pearl 2009)."""

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.causal.bounds import CONTRADICTION, limit_claims, limits, limits_estimate
from mabos.knowledge.reasoning.causal.causal_graphs import Set
from mabos.knowledge.reasoning.causal.effects import (
    Counted,
    Estimand,
    Interval,
    Tabled,
    assumptions,
    difference,
    effect_claims,
    interval,
    is_sample,
    is_trial_alone,
    model_estimate,
    source,
)
from mabos.knowledge.reasoning.causal.models import CausalModel
from mabos.knowledge.reasoning.kernels.graphs import NodeSet, adjustment_sets
from mabos.knowledge.reasoning.result import MethodResult, Status, TraceStep

if TYPE_CHECKING:
    from mabos.knowledge.reasoning.causal.effects import Array

MOST_STRATA = 64
"""Strata that are compared one by one."""
NOTHING = 1e-12
"""Differences smaller than this are none."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """The cases with these states, their share, and the apparent effect of the treatment among them."""

    where: dict[str, str]
    share: float
    difference: float | None


@dataclass(frozen=True, slots=True)
class EffectComparison:
    """Association beside effect: the event's probability overall, with and without the treatment, as seen and as set
    from outside; what adjusting changes, stratum by stratum, and whether that turns the sign round (Simpson); how far
    the effect may be off, or its bounds where observation does not determine it."""

    overall: float | None
    seen: tuple[float | None, float | None]
    done: tuple[float | None, float | None]
    association: float | None
    effect: float | None
    reversed: bool
    strata: tuple[Stratum, ...]
    estimand: str
    by: str
    adjustment_sets: tuple[Set, ...]
    interval: Interval | None = None
    effect_bounds: Interval | None = None


def estimate(problem: CausalModel) -> float:
    """Return about how many milliseconds this takes."""
    return model_estimate(problem) + limits_estimate(problem)


def misfit(problem: CausalModel) -> str:
    """Return the model's missing input: observations."""
    return "a trial does not tell what is observed; give tables or counts" if is_trial_alone(problem) else ""


def solve(problem: CausalModel, budget: Budget) -> MethodResult[EffectComparison]:
    """Return association and effect in a model."""
    model = source(problem, budget)
    event = problem.variables[problem.outcome].states.index(problem.happening)

    def share(found: "Array | None") -> float | None:
        return None if found is None else float(found[event])

    with_, without = problem.levels
    seen = (share(model.seen({problem.treatment: with_})), share(model.seen({problem.treatment: without})))
    done = (share(model.done(with_)), share(model.done(without)))
    association, effect = difference(seen), difference(done)
    sets, _ = adjustment_sets(problem.seen(budget), problem.treatment, problem.outcome, budget)
    strata = _strata(problem, model, sets[0] if sets else frozenset(), event)
    turned = association is not None and effect is not None and association * effect < -NOTHING
    told = model.estimand if isinstance(model, Counted) else Estimand(None, "tables")
    overall, span = share(model.seen({})), interval(model, event)
    status, bounds = _bound_effect(problem, model, budget) if effect is None else (None, None)
    answer = EffectComparison(
        overall,
        seen,
        done,
        association,
        effect,
        turned,
        strata,
        str(told.formula or ""),
        told.by,
        tuple(tuple(sorted(one)) for one in sets),
        span,
        bounds,
    )
    return MethodResult(
        status or ("estimated" if is_sample(model) else "computed"),
        answer,
        CONTRADICTION if status == "inconsistent" else _contrast(problem, answer),
        claims=limit_claims(problem, bounds) if bounds else effect_claims(problem, effect),
        trace=_steps(problem, answer),
        witness=answer.estimand or told.hedge,
        assumptions=assumptions(problem, model),
        soundness=3 if is_sample(model) else 2,
    )


def _bound_effect(problem: CausalModel, model: Tabled | Counted, budget: Budget) -> tuple[Status, Interval | None]:
    """Return the status and the bounds where observation does not determine the effect."""
    if isinstance(model, Tabled) or problem.hold:
        return "unknown", None
    found = limits(problem, model, budget)
    if found is None:
        return "inconsistent", None
    return ("timeout" if found.late else "unknown"), found.effect


def _strata(problem: CausalModel, model: Tabled | Counted, names: NodeSet, event: int) -> tuple[Stratum, ...]:
    """Return the apparent effect of the treatment in each stratum of the set adjusted for."""
    order = sorted(names)
    states = [problem.variables[name].states for name in order]
    if not names or prod(len(one) for one in states) > MOST_STRATA or names & {*problem.within}:
        return ()
    found = []
    for cell in product(*states):
        where = dict(zip(order, cell, strict=True))
        pair = [model.seen({**where, problem.treatment: level}) for level in problem.levels]
        gap = None if pair[0] is None or pair[1] is None else float(pair[0][event] - pair[1][event])
        found.append(Stratum(where, model.share(where), gap))
    return tuple(found)


def _steps(problem: CausalModel, answer: EffectComparison) -> tuple[TraceStep, ...]:
    with_, without = problem.levels
    steps = []
    for name, pair, by in (("seen with", answer.seen, "conditioning"), ("set to", answer.done, "intervention")):
        told = " and ".join(
            f"{'unknown' if one is None else f'{one:.4g}'} where {problem.treatment} is {name} {level}"
            for one, level in zip(pair, (with_, without), strict=True)
        )
        steps.append(TraceStep(f"{problem.outcome} {problem.happening}: {told}", by))
    for one in answer.strata:
        where = ", ".join(f"{name} {state}" for name, state in one.where.items())
        told = "nobody to compare" if one.difference is None else f"difference {one.difference:+.4g}"
        steps.append(TraceStep(f"{where} ({one.share:.1%} of the cases): {told}", "stratum"))
    return tuple(steps)


def _contrast(problem: CausalModel, answer: EffectComparison) -> str:
    seen = "unknown" if answer.association is None else f"{answer.association:+.4g}"
    if answer.effect is None:
        low, high = answer.effect_bounds or (None, None)
        between = "" if low is None else f", but that it lies between {low:+.4g} and {high:+.4g}"
        return f"association {seen}; the effect of {problem.treatment} on {problem.outcome} cannot be told{between}"
    turned = ", the other way round (Simpson's paradox)" if answer.reversed else ""
    return f"association {seen}, effect {answer.effect:+.4g}{turned}"
