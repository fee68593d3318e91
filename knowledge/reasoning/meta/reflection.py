"""Reflection: whether each step of a trace is valid, and which premises its conclusion needs (Reiter 1987)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import isclose
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.methods import method, schema, solver
from mabos.knowledge.reasoning.problem import Name, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep
from mabos.workspace.expressions import Expression


class TracedStep(ProblemPart):
    """A step to check: expressions claimed to be equal, or a formula claimed to follow.

    `equal` may name what earlier steps define; `defines` gives its own value a name. `formula` follows from the
    premises and steps in `uses`. A step with neither is prose and not checked.
    """

    label: Name
    says: str = ""
    equal: tuple[str, ...] = ()
    defines: str = ""
    formula: str = ""
    uses: tuple[Name, ...] = ()


class Traced(ReasoningProblem):
    """Steps of reasoning to check, and their premises, as formulas by name."""

    kind: Literal["trace"] = "trace"
    premises: Mapping[Name, str] = {}
    steps: Annotated[tuple[TracedStep, ...], Field(min_length=1, max_length=2_000)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "trace",
        "steps": [
            {"label": "1", "equal": ["8 * 9 * 8", "72 * 8", "576"], "defines": "a"},
            {"label": "2", "equal": ["a + 7", "584"]},
        ],
    }

    @model_validator(mode="after")
    def _rests_on_what_is_there(self) -> Self:
        known = set(self.premises)
        for step in self.steps:
            if strange := [one for one in step.uses if one not in known]:
                raise ValueError(f"step {step.label!r} uses {strange[0]!r}, which is not a premise or earlier step")
            if step.label in known:
                raise ValueError(f"{step.label!r} is the label of two steps or premises")
            known.add(step.label)
        return self


@dataclass(frozen=True, slots=True)
class Reflection:
    """The first step that does not hold, by label and place from 0, and why; what became of every step; and the
    premises without which the last formula would no longer follow."""

    first_wrong: str | None
    place: int | None
    steps: dict[str, str]
    load_bearing: tuple[str, ...]


def estimate(problem: Traced) -> float:
    """Return about how many milliseconds this takes."""
    formulas = sum(bool(step.formula) for step in problem.steps)
    return 0.1 * len(problem.steps) + 20.0 * formulas + 20.0 * bool(formulas) * len(problem.premises)


def solve(problem: Traced, budget: Budget) -> MethodResult[Reflection]:
    """Return the first invalid step. Prose steps are skipped and reported."""
    checks: dict[str, str] = {}
    values: dict[str, float] = {}
    late, bearing = "", tuple[str, ...]()
    try:
        for step in problem.steps:
            budget.check()
            checks[step.label] = _check(problem, step, values, budget)
        if not any(said.startswith("wrong") for said in checks.values()):
            bearing = _load_bearing(problem, budget)
    except OutOfTime as error:
        late = error.message
    wrong = next((label for label, said in checks.items() if said.startswith("wrong")), None)
    place = None if wrong is None else [step.label for step in problem.steps].index(wrong)
    prose = sum(said == "prose" for said in checks.values())
    told = f"step {wrong} is {checks[wrong]}" if wrong else f"{len(checks) - prose} steps hold"
    return MethodResult(
        "timeout" if late else "disproved" if wrong else "proved" if prose < len(checks) else "unknown",
        Reflection(wrong, place, checks, bearing),
        told + (f", {prose} are prose and were not checked" if prose else ""),
        claims=(AnswerClaim("trace", "first wrong step", wrong or "none"),),
        confidence=None if prose else 1.0,
        confidence_kind="proof",
        trace=tuple(TraceStep(f"{label}: {said}", "check", label=label) for label, said in checks.items()),
        assumptions=("a wrong step does not make later ones wrong that are right given it",),
    )


def _check(problem: Traced, step: TracedStep, values: dict[str, float], budget: Budget) -> str:
    """Return holds, prose, or wrong with the reason; put the value that the step defines into `values`."""
    if step.equal:
        worths = [Expression.of(text, known=frozenset(values), argument="steps").value(values) for text in step.equal]
        if step.defines:
            values[step.defines] = worths[-1]
        for (text, worth), (after, then) in pairwise(zip(step.equal, worths, strict=True)):
            if not isclose(worth, then, rel_tol=1e-9, abs_tol=1e-9):
                return f"wrong: {text} is {worth:.12g}, and {after} is {then:.12g}"
        return "holds"
    if not step.formula:
        return "prose"
    status = _follows(step, _collect_formulas(problem, step), budget)
    return "holds" if status == "proved" else f"wrong: {step.formula} does not follow ({status})"


def _collect_formulas(problem: Traced, step: TracedStep) -> dict[str, str]:
    """Return the formulas a step rests on."""
    formulas = {**problem.premises, **{one.label: one.formula for one in problem.steps if one.formula}}
    return {name: formulas[name] for name in step.uses if name in formulas}


def _follows(step: TracedStep, cited: dict[str, str], budget: Budget) -> str:
    """Return how the deductive method finds a step's formula, from these formulas."""
    asked = {"kind": "fol", "premises": list(cited.values()), "goal": step.formula}
    try:
        result = solver(method("deductive")).solve(schema("fol").of(asked), budget)
    except InvalidArgument as error:
        raise InvalidArgument(f"step {step.label!r}: {error.message}", argument="steps") from error
    return result.status


def _load_bearing(problem: Traced, budget: Budget) -> tuple[str, ...]:
    """Return the premises without which the last formula no longer follows from the rest."""
    last = next((step for step in reversed(problem.steps) if step.formula), None)
    if last is None:
        return ()
    return tuple(
        name
        for name in problem.premises
        if _follows(last, {k: v for k, v in problem.premises.items() if k != name}, budget) != "proved"
    )
