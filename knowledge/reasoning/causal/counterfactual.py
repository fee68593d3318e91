"""Counterfactual: the outcome otherwise, and necessary or sufficient causes (Pearl 2009; Tian and Pearl 2000)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.causal import effects
from mabos.knowledge.reasoning.causal.models import CausalModel
from mabos.knowledge.reasoning.causal.structures import (
    StructuralModel,
    Supposition,
    structural_estimate,
    would_have_been,
)
from mabos.knowledge.reasoning.kernels.responses import Attribution, Bounds, attribution
from mabos.knowledge.reasoning.kernels.scm import SAME
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep

PRECISION = 10**9
"""Probabilities become fractions with denominators up to this for the linear program."""


@dataclass(frozen=True, slots=True)
class Attributed:
    """The effect of the treatment: on all on average, on the treated, directly and through other variables that have
    tables or were observed (None where what is known does not determine it); and bounds of how probably it was
    necessary, sufficient, and both."""

    average: float | None
    on_the_treated: float | None
    direct: float | None
    indirect: float | None
    necessity: effects.Interval | None
    sufficiency: effects.Interval | None
    both: effects.Interval | None


def estimate(problem: CausalModel | StructuralModel) -> float:
    """Return about how many milliseconds this takes."""
    return 16.0 + effects.model_estimate(problem) if isinstance(problem, CausalModel) else structural_estimate(problem)


def misfit(problem: CausalModel | StructuralModel) -> str:
    """Return the defect of a structural model: no evidence of the past, or no treatment to judge."""
    if isinstance(problem, StructuralModel) and not problem.evidence and problem.treatment is None:
        return "nothing that happened is given, and no treatment to judge; give evidence"
    return ""


def solve(
    problem: CausalModel | StructuralModel, budget: Budget
) -> MethodResult[Attributed] | MethodResult[Supposition]:
    """Return the counterfactual outcome of structural equations, or the attribution from tables and counts."""
    return (
        would_have_been(problem, budget) if isinstance(problem, StructuralModel) else _attribute_effect(problem, budget)
    )


def _attribute_effect(problem: CausalModel, budget: Budget) -> MethodResult[Attributed]:
    model = None if effects.is_trial_alone(problem) else effects.source(problem, budget)
    event = problem.variables[problem.outcome].states.index(problem.happening)
    with_, without = problem.levels
    arms = [_event_probability(problem, model, level, event) for level in problem.levels]
    average = None if arms[0] is None or arms[1] is None else arms[0] - arms[1]
    direct, indirect = _mediation_effects(problem, model, event)
    seen = None if model is None else _joint(problem, model, event)
    treated = _gap(model, event, (with_, with_, None), (without, with_, None))
    if treated is None:
        treated = _by_subtraction(problem, seen, arms[1])
    bounds = _necessity(seen, (arms[0], arms[1]), problem, budget)
    if bounds is None:
        told = "what was observed and what a trial found contradict each other" + (
            ", or the treatment does prevent the event in some" if problem.monotonic else ""
        )
        nothing = Attributed(average, treated, direct, indirect, None, None, None)
        return MethodResult("inconsistent", nothing, told)
    answer = Attributed(
        average,
        treated,
        direct,
        indirect,
        _interval(bounds.necessary),
        _interval(bounds.sufficient),
        _interval(bounds.both),
    )
    sample = model is not None and effects.is_sample(model)
    return MethodResult(
        "estimated" if sample else "computed" if average is not None else "unknown",
        answer,
        _summary(problem, answer),
        claims=(*effects.effect_claims(problem, average), *_claims(problem, answer)),
        trace=_steps(problem, answer, seen, arms),
        witness={"seen": {f"{with_}/{event}": float(one) for (with_, event), one in (seen or {}).items()}, "set": arms},
        assumptions=(
            *(effects.assumptions(problem, model) if model else ("the trial set the treatment at random",)),
            *(("the treatment prevents the event in nobody",) if problem.monotonic else ()),
        ),
        soundness=3 if sample else 2,
    )


def _event_probability(
    problem: CausalModel, model: effects.Tabled | effects.Counted | None, level: str, event: int
) -> float | None:
    """Return the probability of the event where the treatment is set: from a trial if there is one."""
    if level in problem.trial:
        shares = problem.trial[level]
        return shares.get(problem.happening, 1 - sum(shares.values()))
    found = None if model is None else model.done(level)
    return None if found is None else float(found[event])


Setting = tuple[str, str | None, str | None]
"""The value of the treatment, the cases concerned, and the effect of its own arrow to the outcome."""


def _gap(model: effects.Tabled | effects.Counted | None, event: int, one: Setting, other: Setting) -> float | None:
    """Return by how much the event is more probable in one setting than in another."""
    if model is None:
        return None
    pair = [model.done(level, among=among, direct=direct) for level, among, direct in (one, other)]
    return None if pair[0] is None or pair[1] is None else round(float(pair[0][event] - pair[1][event]), 12) + 0.0


def _by_subtraction(
    problem: CausalModel, seen: Mapping[tuple[int, int], Fraction] | None, untreated: float | None
) -> float | None:
    """Return the effect on the treated: their part without is that of all without less that of the untreated."""
    if seen is None or untreated is None or len(problem.variables[problem.treatment].states) > 2:
        return None
    treated = float(seen[1, 1] + seen[1, 0])
    return (float(seen[1, 1]) - (untreated - float(seen[0, 1]))) / treated if treated else None


def _mediation_effects(
    problem: CausalModel, model: effects.Tabled | effects.Counted | None, event: int
) -> tuple[float | None, float | None]:
    """Return the natural direct and indirect effects (Pearl 2001)."""
    with_, without = problem.levels
    tables = model.as_tables() if isinstance(model, effects.Counted) else model
    if tables is None:
        return None, None
    base = (without, None, None)
    return _gap(tables, event, (without, None, with_), base), _gap(tables, event, (with_, None, without), base)


def _joint(
    problem: CausalModel, model: effects.Tabled | effects.Counted, event: int
) -> dict[tuple[int, int], Fraction] | None:
    """Return how probable treatment and event are together, in fractions that sum to one."""
    taken = model.taken()
    states = problem.variables[problem.treatment].states
    cells: dict[tuple[int, int], Fraction] = {}
    for group, level in ((1, problem.levels[0]), (0, problem.levels[1])):
        seen = model.seen({problem.treatment: level})
        both = float(taken[states.index(level)]) * (0.0 if seen is None else float(seen[event]))
        cells[group, 1] = _fraction(both)
        cells[group, 0] = _fraction(float(taken[states.index(level)])) - cells[group, 1]
    if len(states) == 2:
        cells[0, 0] = 1 - cells[1, 1] - cells[1, 0] - cells[0, 1]
    return cells if min(cells.values()) >= 0 else None


def _necessity(
    seen: dict[tuple[int, int], Fraction] | None,
    arms: tuple[float | None, float | None],
    problem: CausalModel,
    budget: Budget,
) -> Attribution | None:
    """Return the bounds; probabilities that a rounding put out of reach of the observed ones are moved back."""
    caused: list[Fraction | None] = []
    for group, arm in ((1, arms[0]), (0, arms[1])):
        if arm is None:
            caused.append(None)
            continue
        found = _fraction(arm)
        if seen:
            low, high = seen[group, 1], 1 - seen[group, 0]
            near = min(max(found, low), high)
            found = near if abs(near - found) <= Fraction(1, 10**6) else found
        caused.append(found)
    return attribution(seen, (caused[0], caused[1]), budget, monotonic=problem.monotonic)


def _fraction(share: float) -> Fraction:
    return Fraction(share).limit_denominator(PRECISION)


def _interval(bounds: Bounds | None) -> effects.Interval | None:
    return None if bounds is None else (float(bounds[0]), float(bounds[1]))


def _claims(problem: CausalModel, answer: Attributed) -> tuple[AnswerClaim, ...]:
    subject = f"{problem.treatment} -> {problem.outcome}"
    exact = {
        "effect on the treated": answer.on_the_treated,
        "direct effect": answer.direct,
        "indirect effect": answer.indirect,
    }
    return tuple(
        AnswerClaim(subject, name, round(value, 6) + 0.0) for name, value in exact.items() if value is not None
    )


def _steps(
    problem: CausalModel, answer: Attributed, seen: Mapping[tuple[int, int], Fraction] | None, arms: list[float | None]
) -> tuple[TraceStep, ...]:
    steps = [
        TraceStep(f"{problem.happening} where {problem.treatment} is set to {level}: {arm:.6g}", "intervention")
        for level, arm in zip(problem.levels, arms, strict=True)
        if arm is not None
    ]
    if seen:
        told = f"{problem.levels[0]} and {problem.happening} together: {float(seen[1, 1]):.6g}"
        steps.append(TraceStep(told, "observation"))
    for name, bounds in (("necessary", answer.necessity), ("sufficient", answer.sufficiency), ("both", answer.both)):
        if bounds is not None:
            steps.append(TraceStep(f"{name}: {bounds[0]:.6g} to {bounds[1]:.6g}", "types of units, linear program"))
    return tuple(steps)


def _summary(problem: CausalModel, answer: Attributed) -> str:
    told = []
    for name, value in (
        ("effect on the treated", answer.on_the_treated),
        ("direct", answer.direct),
        ("indirect", answer.indirect),
    ):
        if value is not None:
            told.append(f"{name} {value:+.4g}")
    for name, bounds in (("necessary", answer.necessity), ("sufficient", answer.sufficiency)):
        if bounds is not None:
            told.append(f"{name} with probability {_format_interval(bounds)}")
    return f"{problem.treatment} for {problem.outcome} {problem.happening}: " + (
        ", ".join(told) or "nothing is determined"
    )


def _format_interval(bounds: effects.Interval) -> str:
    return f"{bounds[0]:.4g}" if bounds[1] - bounds[0] < SAME else f"{bounds[0]:.4g} to {bounds[1]:.4g}"
