"""Execution of structural equations in every world, shared by interventional and counterfactual questions."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.causal.models import check_known
from mabos.knowledge.reasoning.kernels.graphs import CausalDiagram, graph
from mabos.knowledge.reasoning.kernels.scm import MOST_WORLDS, Worlds, agreeing, distribution, worlds
from mabos.knowledge.reasoning.problem import (
    Finite,
    Name,
    Probability,
    ProblemPart,
    ReasoningProblem,
    identifier,
    summing_to_one,
)
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep
from mabos.workspace.expressions import Expression

if TYPE_CHECKING:
    import numpy as np

    from mabos.knowledge.reasoning.kernels.scm import Array

    Mask = np.ndarray[Any, np.dtype[np.bool_]]


class Noise(ProblemPart):
    """The possible values of an exogenous variable, with their probabilities."""

    values: Annotated[tuple[Finite, ...], Field(min_length=1)]
    shares: tuple[Probability, ...]

    @model_validator(mode="after")
    def _is_a_distribution(self) -> Self:
        if len(self.values) != len(self.shares) or len(set(self.values)) < len(self.values):
            raise ValueError("every value of a noise must be unique and have a share")
        summing_to_one({str(value): share for value, share in zip(self.values, self.shares, strict=True)}, "shares")
        return self


class StructuralModel(ReasoningProblem):
    """Equations for each variable, from exogenous variables (`noise`) and from each other.

    A noise given as one number is 1 with that probability, else 0. An equation is arithmetic on names (blanks and
    hyphens as underscores); `min`, `max` and `1 - x` are and, or and not. `evidence` is what really happened; `do` is
    supposed instead. With a `treatment` the probabilities of necessity and sufficiency are computed.
    """

    kind: Literal["structural_model"] = "structural_model"
    noise: Annotated[Mapping[Name, Noise], Field(min_length=1)]
    equations: Annotated[Mapping[Name, str], Field(min_length=1, max_length=1_000)]
    evidence: Mapping[Name, Finite] = {}
    do: Mapping[Name, Finite] = {}
    outcome: Name
    treatment: Name | None = None
    contrast: tuple[Finite, Finite] = (1.0, 0.0)
    event: Finite = 1.0

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "structural_model",
        "noise": {"order": 0.7, "nerves": 0.1},
        "equations": {
            "captain": "order",
            "rifleman a": "max(captain, nerves)",
            "rifleman b": "captain",
            "death": "max(rifleman_a, rifleman_b)",
        },
        "evidence": {"death": 1},
        "do": {"rifleman a": 0},
        "outcome": "death",
    }

    @field_validator("noise", mode="before")
    @classmethod
    def _numbers_are_shares_of_one(cls, noise: Any) -> Any:
        if not isinstance(noise, dict):
            return noise
        return {
            name: {"values": [1, 0], "shares": [one, 1 - one]} if isinstance(one, int | float) else one
            for name, one in noise.items()
        }

    @model_validator(mode="after")
    def _is_a_model(self) -> Self:
        names = [identifier(name) for name in (*self.noise, *self.equations)]
        if len(set(names)) < len(names):
            raise ValueError("two names are the same in an equation; use different names")
        known = [*self.noise, *self.equations]
        check_known([*self.evidence, *self.do, self.outcome, *([self.treatment] if self.treatment else [])], known)
        if self.outcome in self.do or self.outcome == self.treatment or self.treatment in self.do:
            raise ValueError("a variable in the question may not also be set")
        try:
            self.graph()
        except InvalidArgument as error:
            raise ValueError(error.message) from error
        return self

    @cached_property
    def parsed(self) -> dict[str, Expression]:
        """The equations by the names they define, as expressions over identifiers."""
        known = frozenset(identifier(name) for name in (*self.noise, *self.equations))
        return {name: Expression.of(text, known=known) for name, text in self.equations.items()}

    def graph(self) -> CausalDiagram:
        """Return the dependencies between variables. Raises `ValueError` for a cycle."""
        named = {identifier(name): name for name in (*self.noise, *self.equations)}
        arrows = [(named[one], name) for name, equation in self.parsed.items() for one in sorted(equation.names)]
        return graph((*self.noise, *self.equations), arrows)


@dataclass(frozen=True, slots=True)
class InterventionOutcome:
    """The distribution and mean of the outcome with and without the intervention."""

    distribution: dict[str, float]
    mean: float
    before: dict[str, float]
    mean_before: float


@dataclass(frozen=True, slots=True)
class Supposition:
    """The probability of each value of the outcome under the supposition, in the worlds where the evidence holds; what
    it is in fact, how probable the evidence was, and exact necessity and sufficiency of a treatment."""

    distribution: dict[str, float]
    mean: float
    factual: dict[str, float]
    evidence_probability: float
    necessity: float | None = None
    sufficiency: float | None = None
    both: float | None = None


def structural_estimate(problem: StructuralModel) -> float:
    """Return about how many milliseconds this takes."""
    return 2.0 + 1e-5 * min(MOST_WORLDS, prod(len(one.values) for one in problem.noise.values())) * (
        2 + len(problem.equations)
    )


def ordered_worlds(problem: StructuralModel) -> Worlds:
    """Return the worlds of a model, with the equations in an executable order."""
    parsed = problem.parsed
    names = (*problem.noise, *problem.equations)
    return worlds(
        {name: (one.values, one.shares) for name, one in problem.noise.items()},
        {name: parsed[name] for name in problem.graph().nodes if name in parsed},
        {name: identifier(name) for name in names},
    )


def simulate_intervention(
    problem: StructuralModel, budget: Budget, *, do: Mapping[str, float] | None = None
) -> tuple[dict[float, float], float]:
    """Return the outcome's distribution and mean under `do` (by default the problem's)."""
    every = ordered_worlds(problem)
    values = every.run(budget, problem.do if do is None else do)
    shares = distribution(values[problem.outcome], every.weights)
    return shares, sum(value * share for value, share in shares.items())


def would_be(problem: StructuralModel, budget: Budget) -> MethodResult[InterventionOutcome]:
    """Return the outcome with an intervention and without it."""
    after, mean = simulate_intervention(problem, budget)
    before, mean_before = simulate_intervention(problem, budget, do={})
    most = max(after, key=lambda value: after[value])
    done, told = _format_settings(problem.do), _words(after)
    return MethodResult(
        "computed",
        InterventionOutcome(told, mean, _words(before), mean_before),
        f"{problem.outcome} is {most:g} with probability {after[most]:.4g} if {done} is set; mean {mean_before:.4g} "
        f"without, {mean:.4g} with",
        claims=(AnswerClaim(problem.outcome, f"under {done}", f"{most:g}", tuple(told.items())),),
        confidence=after[most],
        confidence_kind="posterior",
        trace=(
            TraceStep(f"{done} is set: what it came from no longer matters", "intervention", tuple(problem.do)),
            TraceStep(
                f"{problem.outcome}: " + ", ".join(f"{value:g} {share:.4g}" for value, share in after.items()), "worlds"
            ),
        ),
        assumptions=("what lies outside is independent of each other", "the equations hold whatever is set"),
    )


def would_have_been(problem: StructuralModel, budget: Budget) -> MethodResult[Supposition]:
    """Return the outcome had something been set, in the worlds where the evidence holds."""
    every = ordered_worlds(problem)
    real = every.run(budget)
    held = agreeing(real, problem.evidence)
    weights = every.weights * held
    happened = float(weights.sum())
    if happened <= 0:
        return MethodResult(
            "inconsistent", Supposition({}, 0.0, {}, 0.0), "the reported events are impossible in this model"
        )
    shares = distribution(every.run(budget, problem.do)[problem.outcome], weights)
    factual = distribution(real[problem.outcome], weights)
    judged = _assess_causation(problem, every, real, weights, budget)
    answer = Supposition(
        _words(shares), sum(value * share for value, share in shares.items()), _words(factual), happened, *judged
    )
    return MethodResult(
        "computed",
        answer,
        _tale(problem, answer),
        claims=_supposed_claims(problem, answer),
        confidence=max(shares.values()),
        confidence_kind="posterior",
        trace=_tale_steps(problem, answer, len(every.weights), int(held.sum())),
        assumptions=("what lies outside is independent of each other", "the equations hold whatever is set"),
    )


def _assess_causation(
    problem: StructuralModel, every: Worlds, real: "Mapping[str, Array]", weights: "Array", budget: Budget
) -> tuple[float | None, float | None, float | None]:
    """Return the probabilities of necessity, sufficiency and both in the worlds where the evidence holds."""
    if problem.treatment is None:
        return None, None, None
    outcome, (with_, without) = problem.outcome, problem.contrast
    happens = []
    for level in (with_, without):
        run = every.run(budget, {**problem.do, problem.treatment: level})
        happens.append(agreeing(run, {outcome: problem.event}))
    event = agreeing(real, {outcome: problem.event})
    treated, untreated = (agreeing(real, {problem.treatment: level}) for level in (with_, without))

    def share(of: "Mask", among: "Mask") -> float | None:
        whole = float((weights * among).sum())
        return float((weights * of * among).sum()) / whole if whole > 0 else None

    return (
        share(~happens[1], treated & event),
        share(happens[0], untreated & ~event),
        share(happens[0] & ~happens[1], event | ~event),
    )


def _words(shares: Mapping[float, float]) -> dict[str, float]:
    return {f"{value:g}": share for value, share in shares.items()}


def _format_settings(settings: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in settings.items())


def _supposed_claims(problem: StructuralModel, answer: Supposition) -> tuple[AnswerClaim, ...]:
    most = max(answer.distribution, key=lambda value: answer.distribution[value])
    about = f"had {_format_settings(problem.do)} been set" if problem.do else "in fact"
    claims = [AnswerClaim(problem.outcome, about, most, tuple(answer.distribution.items()))]
    if answer.necessity is not None:
        claims.append(AnswerClaim(f"{problem.treatment} -> {problem.outcome}", "necessity", round(answer.necessity, 6)))
    return tuple(claims)


def _tale(problem: StructuralModel, answer: Supposition) -> str:
    most = max(answer.distribution, key=lambda value: answer.distribution[value])
    given = f" given {_format_settings(problem.evidence)}" if problem.evidence else ""
    told = f"{problem.outcome} would be {most} with probability {answer.distribution[most]:.4g}"
    told = f"had {_format_settings(problem.do)} been set, {told}" if problem.do else told
    if answer.necessity is not None:
        told += f"; {problem.treatment} was necessary with probability {answer.necessity:.4g}"
    return told + given


def _tale_steps(problem: StructuralModel, answer: Supposition, count: int, left: int) -> tuple[TraceStep, ...]:
    return (
        TraceStep(
            f"{left} of {count} worlds fit what happened, together {answer.evidence_probability:.6g} probable",
            "abduction",
            tuple(problem.evidence),
        ),
        TraceStep(f"in these {_format_settings(problem.do) or 'nothing'} is set", "action", tuple(problem.do)),
        TraceStep(
            f"{problem.outcome}: " + ", ".join(f"{value} {share:.4g}" for value, share in answer.distribution.items()),
            "prediction",
        ),
    )
