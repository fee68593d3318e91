"""Naturalistic: recognise the situation, check its expectancies, imagine one action (Klein 1993)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.problem import Finite, Name, ProblemPart, ReasoningProblem, identifier
from mabos.knowledge.reasoning.result import CLAIM, AnswerClaim, MethodResult, TraceStep
from mabos.knowledge.similarity import overlap
from mabos.workspace.expressions import Expression


class Prototype(ProblemPart):
    """A kind of situation: its cues, its expectancies, and the usual actions, most usual first."""

    name: Name
    cues: Mapping[Name, str | float]
    expectancies: Mapping[Name, str | float] = {}
    actions: Annotated[tuple[Name, ...], Field(min_length=1)]


class ImaginedAction(ProblemPart):
    """The effect of an action on the figures: an expression for each figure that it changes."""

    effects: Mapping[Name, str] = {}


class Familiar(ReasoningProblem):
    """Cues of the present, prototypes for recognising it, and the effects of actions, imagined one at a time.

    An action is acceptable if every expression of `acceptable` holds over the resulting `figures`.
    """

    kind: Literal["situation"] = "situation"
    cues: Annotated[Mapping[Name, str | float], Field(min_length=1)]
    observed: Mapping[Name, str | float] = {}
    prototypes: Annotated[tuple[Prototype, ...], Field(min_length=1)]
    figures: Mapping[Name, Finite] = {}
    actions: Mapping[Name, ImaginedAction] = {}
    acceptable: tuple[str, ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "situation",
        "cues": {"floor": "hot", "sound": "muffled"},
        "prototypes": [
            {"name": "kitchen fire", "cues": {"floor": "cool", "sound": "loud"}, "actions": ["spray water"]},
            {"name": "basement fire", "cues": {"floor": "hot", "sound": "muffled"}, "actions": ["withdraw"]},
        ],
        "figures": {"crew at risk": 4},
        "actions": {"withdraw": {"effects": {}}},
    }

    @model_validator(mode="after")
    def _expressions_read(self) -> Self:
        known = frozenset(identifier(name) for name in self.figures)
        try:
            for text in (
                *self.acceptable,
                *(one for action in self.actions.values() for one in action.effects.values()),
            ):
                Expression.of(text, known=known)
        except InvalidArgument as error:
            raise ValueError(error.message) from error
        if strange := sorted({name for action in self.actions.values() for name in action.effects} - set(self.figures)):
            raise ValueError(f"an action changes {strange[0]!r}, which is not a figure")
        return self


RECOGNISED = 0.5
"""The share of a prototype's cues that must be met."""


@dataclass(frozen=True, slots=True)
class Recognition:
    """The situation it is taken for and how well it fits, expectancies that were not met, the first action that will
    do, and why the ones before it will not."""

    situation: str
    fit: float
    violated: dict[str, tuple[str, str]]
    action: str
    rejected: dict[str, str]
    figures: dict[str, float]


def estimate(problem: Familiar) -> float:
    """Return about how many milliseconds this takes."""
    return 0.01 * len(problem.prototypes) * len(problem.cues) + 0.02 * len(problem.actions)


def solve(problem: Familiar, budget: Budget) -> MethodResult[Recognition]:
    """Return the first acceptable action in the recognised situation, by imagination rather than comparison.

    A prototype whose expectancies are violated gives way to the next one that fits.
    """
    cues = _format_values(problem.cues)
    fits = {one.name: overlap(_format_values(one.cues), cues) for one in budget.each(problem.prototypes)}
    known = sorted(
        (one for one in problem.prototypes if fits[one.name] >= RECOGNISED), key=lambda one: (-fits[one.name], one.name)
    )
    trace = [TraceStep(f"{one.name} fits {fits[one.name]:.2f}", "recognition", label=one.name) for one in known]
    violations = {one.name: _find_violations(one, problem) for one in budget.each(known)}
    taken = next((one for one in known if not violations[one.name]), None)
    trace += [
        TraceStep(f"{name} is not it: {_describe_violations(violated)}", "expectancy")
        for name, violated in violations.items()
        if violated
    ]
    if taken is None:
        best = known[0] if known else None
        unmet = violations[best.name] if best else {}
        fit = fits[best.name] if best else max(fits.values())
        why = f"looks like {best.name}, but {_describe_violations(unmet)}" if best else "nothing like it is known"
        unknown = Recognition(best.name if best else "", fit, unmet, "", {}, {})
        return MethodResult("unknown", unknown, why, trace=tuple(trace))
    return _simulate_actions(problem, taken, fits[taken.name], trace, budget)


def _simulate_actions(
    problem: Familiar, taken: Prototype, fit: float, trace: list[TraceStep], budget: Budget
) -> MethodResult[Recognition]:
    """Imagine each usual action once, and return the first that will do."""
    rejected: dict[str, str] = {}
    for action in taken.actions:
        budget.check()
        figures = _apply_action(problem, action)
        failing = next(
            (text for text in problem.acceptable if not Expression.of(text).value(_key_by_identifier(figures))), None
        )
        if failing is None:
            trace.append(TraceStep(f"{action} will do", "mental simulation", (taken.name,)))
            return MethodResult(
                "satisficed",
                Recognition(taken.name, fit, {}, action, rejected, figures),
                f"{taken.name}: {action}",
                claims=(AnswerClaim(*CLAIM, action), AnswerClaim("situation", "is", taken.name)),
                confidence=fit,
                confidence_kind="score",
                trace=tuple(trace),
                assumptions=("figures that no action changes stay as they are",),
            )
        rejected[action] = f"it would leave {failing} false"
        trace.append(TraceStep(f"{action} will not do: {rejected[action]}", "mental simulation", (taken.name,)))
    none = Recognition(taken.name, fit, {}, "", rejected, dict(problem.figures))
    summary = f"{taken.name}, but none of its usual actions will do"
    return MethodResult("infeasible", none, summary, trace=tuple(trace))


def _apply_action(problem: Familiar, action: str) -> dict[str, float]:
    """Return the figures as an action leaves them."""
    if action not in problem.actions:
        return dict(problem.figures)
    now = _key_by_identifier(problem.figures)
    changed = {name: Expression.of(text).value(now) for name, text in problem.actions[action].effects.items()}
    return {**problem.figures, **changed}


def _key_by_identifier(figures: Mapping[str, float]) -> dict[str, float]:
    named = {identifier(name): value for name, value in figures.items()}
    if len(named) < len(figures):
        raise InvalidArgument("two figures have the same name apart from spaces and hyphens", argument="figures")
    return named


def _format_values(values: Mapping[str, str | float]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


def _find_violations(one: Prototype, problem: Familiar) -> dict[str, tuple[str, str]]:
    """Return the expectancies that were checked and not met: the expected and the observed value."""
    return {
        name: (str(expected), str(problem.observed[name]))
        for name, expected in one.expectancies.items()
        if name in problem.observed and overlap({name: str(expected)}, {name: str(problem.observed[name])}) < RECOGNISED
    }


def _describe_violations(violated: Mapping[str, tuple[str, str]]) -> str:
    return "; ".join(f"{name} is {seen}, not {expected}" for name, (expected, seen) in violated.items())
