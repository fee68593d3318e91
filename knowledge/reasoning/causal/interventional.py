"""Interventional: predict the outcome of setting a variable (Pearl 1995; Balke and Pearl 1997)."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.causal.bounds import (
    CONTRADICTION,
    explain_indeterminacy,
    limit_claims,
    limits,
    limits_estimate,
)
from mabos.knowledge.reasoning.causal.effects import (
    Counted,
    Interval,
    Tabled,
    assumptions,
    effect_claims,
    interval,
    is_sample,
    is_trial_alone,
    model_estimate,
    source,
)
from mabos.knowledge.reasoning.causal.models import CausalModel
from mabos.knowledge.reasoning.causal.structures import (
    InterventionOutcome,
    StructuralModel,
    structural_estimate,
    would_be,
)
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep

if TYPE_CHECKING:
    from mabos.knowledge.reasoning.causal.effects import Array


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
    """Return about how many milliseconds this takes."""
    if isinstance(problem, StructuralModel):
        return structural_estimate(problem)
    return model_estimate(problem) + limits_estimate(problem)


def misfit(problem: CausalModel | StructuralModel) -> str:
    """Return why this is not a question about an intervention, or ""."""
    if isinstance(problem, StructuralModel):
        if problem.evidence:
            return "what really happened is given: what would have happened instead is a counterfactual"
        return "" if problem.do else "nothing is set; give do"
    return "a trial is the answer; give tables or counts" if is_trial_alone(problem) else ""


def solve(
    problem: CausalModel | StructuralModel, budget: Budget
) -> MethodResult[Intervention] | MethodResult[InterventionOutcome]:
    """Return the outcome under an intervention; `unknown` with bounds if observation does not determine it."""
    if isinstance(problem, StructuralModel):
        return would_be(problem, budget)
    model = source(problem, budget)
    arms = [model.done(level) for level in problem.levels]
    return (
        _report_bounds(problem, model, budget)
        if any(one is None for one in arms)
        else _report_effect(problem, model, arms)
    )


def _report_effect(
    problem: CausalModel, model: Tabled | Counted, arms: "list[Array | None]"
) -> MethodResult[Intervention]:
    states = problem.variables[problem.outcome].states
    shares = [dict(zip(states, one.tolist(), strict=True)) for one in arms if one is not None]
    event = problem.happening
    effect = shares[0][event] - shares[1][event]
    span = interval(model, states.index(event))
    formula = str(model.estimand.formula) if isinstance(model, Counted) else ""
    by = model.estimand.by if isinstance(model, Counted) else "truncated product"
    held = "".join(f", {name} held at {state}" for name, state in problem.hold.items())
    settings = [f"{problem.treatment} set to {level}{held}" for level in problem.levels]
    within = "" if span is None else f" (95 %: {span[0]:+.4g} to {span[1]:+.4g})"
    claims = tuple(
        AnswerClaim(problem.outcome, name, max(one, key=lambda state: one[state]), tuple(one.items()))
        for name, one in zip(settings, shares, strict=True)
    )
    return MethodResult(
        "estimated" if is_sample(model) else "computed",
        Intervention((shares[0], shares[1]), effect, span, formula, by),
        f"{event} {problem.outcome}: {shares[0][event]:.4g} with {settings[0]}, {shares[1][event]:.4g} with "
        f"{problem.levels[1]}: {effect:+.4g}{within}",
        claims=(*effect_claims(problem, effect), *claims),
        trace=(
            *([TraceStep(formula, by)] if formula else []),
            *(TraceStep(f"{name}: {one[event]:.6g}", by) for name, one in zip(settings, shares, strict=True)),
        ),
        witness=formula or None,
        assumptions=assumptions(problem, model),
        soundness=3 if is_sample(model) else 2,
    )


def _report_bounds(problem: CausalModel, model: Tabled | Counted, budget: Budget) -> MethodResult[Intervention]:
    """Return the bounds where the effect is not determined: by the graph, or for lack of observations."""
    why, nothing = explain_indeterminacy(model), Intervention(({}, {}), None, None, "", "")
    if isinstance(model, Tabled) or problem.hold:
        return MethodResult("unknown", nothing, why)
    found = limits(problem, model, budget)
    if found is None:
        return MethodResult("inconsistent", nothing, CONTRADICTION, soundness=1)
    arms = tuple(
        TraceStep(f"{problem.happening} with {problem.treatment} set to {level}: {low:.4g} to {high:.4g}", found.by)
        for level, (low, high) in zip(problem.levels, found.arms, strict=True)
    )
    return MethodResult(
        "timeout" if found.late else "unknown",
        Intervention(
            ({}, {}),
            None,
            None,
            str(model.estimand.formula or ""),
            found.by,
            bounds=found.arms,
            effect_bounds=found.effect,
        ),
        f"{why}; it lies between {found.effect[0]:+.4g} and {found.effect[1]:+.4g}",
        claims=limit_claims(problem, found.effect),
        trace=arms,
        witness=model.estimand.hedge,
        assumptions=assumptions(problem, model),
        soundness=3 if is_sample(model) else 2,
    )
