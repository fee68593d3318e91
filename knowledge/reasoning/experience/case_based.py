"""Case-based: adapt the solution of similar cases (Aamodt and Plaza 1994; S(B, D) of S0 section 23)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.problem import (
    Finite,
    Name,
    Probability,
    ProblemPart,
    ReasoningProblem,
    each_once,
    identifier,
)
from mabos.knowledge.reasoning.result import CLAIM, AnswerClaim, MethodResult, TraceStep
from mabos.knowledge.similarity import linear, overlap, situation
from mabos.knowledge.values import number
from mabos.workspace.expressions import Expression

Situation = tuple[Name, ...] | Mapping[Name, str | float | None]
"""Names of beliefs or desires, or names with values."""


class PastCase(ProblemPart):
    """A past case: the beliefs and desires, the actions, and how well it went, 0 to 1."""

    id: Name
    beliefs: Situation = ()
    desires: Situation = ()
    solution: Mapping[Name, str | Finite] = {}
    outcome: Probability


class CaseQuery(ReasoningProblem):
    """The present, past cases, and how numbers of the best case's solution are adapted.

    `adapt` has, for a field of the solution, an expression over `solution_<field>` and the numeric beliefs of the
    present and the case as `now_<name>` and `then_<name>`.
    """

    kind: Literal["cases"] = "cases"
    beliefs: Situation = ()
    desires: Situation = ()
    cases: Annotated[tuple[PastCase, ...], Field(min_length=1, max_length=20_000)]
    nearest: Annotated[int, Field(ge=1, le=100)] = 3
    adapt: Mapping[Name, str] = {}

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "cases",
        "beliefs": {"churn": "8%", "segment": "small"},
        "desires": ["retain customers"],
        "cases": [
            {
                "id": "C-1",
                "beliefs": {"churn": "9%", "segment": "small"},
                "desires": ["retain customers"],
                "solution": {"action": "discount", "percent": 10},
                "outcome": 1,
            }
        ],
    }

    @field_validator("cases")
    @classmethod
    def _once_each(cls, cases: tuple[PastCase, ...]) -> tuple[PastCase, ...]:
        """A case that is there twice would count twice."""
        each_once(tuple(one.id for one in cases))
        return cases


POOR = 0.5
"""An outcome below this is a warning."""


@dataclass(frozen=True, slots=True)
class Alike:
    """A case and its similarity to the present: in total, by beliefs, by desires."""

    id: str
    score: float
    beliefs: float
    desires: float
    outcome: float


@dataclass(frozen=True, slots=True)
class Adapted:
    """The nearest cases, the solution of the best successful one adapted to the present, and cautionary cases."""

    nearest: tuple[Alike, ...]
    solution: dict[str, str | float]
    changed: dict[str, tuple[str | float, float]]
    warnings: tuple[str, ...]


def estimate(problem: CaseQuery) -> float:
    """Return about how many milliseconds this takes."""
    return 0.01 * len(problem.cases) * (1 + len(problem.beliefs) + len(problem.desires))


def solve(problem: CaseQuery, budget: Budget) -> MethodResult[Adapted]:
    """Return the advice of the most similar cases. Its confidence is their outcomes, weighted by similarity."""
    beliefs, desires = situation(problem.beliefs), situation(problem.desires)
    weigh, scored = linear(), []
    for case in problem.cases:
        budget.check()
        by_belief = overlap(situation(case.beliefs), beliefs)
        by_desire = overlap(situation(case.desires), desires)
        scored.append((Alike(case.id, weigh(by_belief, by_desire), by_belief, by_desire, case.outcome), case))
    scored.sort(key=lambda pair: (-pair[0].score, pair[0].id))
    nearest = [(alike, case) for alike, case in scored[: problem.nearest] if alike.score > 0]
    if not nearest:
        nothing = Adapted((), {}, {}, ())
        return MethodResult("unknown", nothing, "no case has anything in common with the present")
    good = next((case for alike, case in nearest if alike.outcome >= POOR), None)
    solution, changed = _adapt_solution(problem, good, beliefs) if good else ({}, {})
    total = sum(alike.score for alike, _ in nearest)
    sure = sum(alike.score * alike.outcome for alike, _ in nearest) / total
    warnings = tuple(alike.id for alike, _ in nearest if alike.outcome < POOR)
    told = f"do as in {good.id}" if good else "every similar case went badly"
    action = str(solution.get("action", good.id if good else ""))
    return MethodResult(
        "estimated" if good else "unknown",
        Adapted(tuple(alike for alike, _ in nearest), solution, changed, warnings),
        f"{told} ({len(nearest)} similar cases, {sure:.2f} went well)",
        claims=(AnswerClaim(*CLAIM, action),) if good else (),
        confidence=sure,
        confidence_kind="frequency",
        evidence=tuple(alike.id for alike, _ in nearest),
        trace=tuple(
            TraceStep(
                f"{one.id}: {one.score:.3f} = 0.6 x {one.beliefs:.3f} + 0.4 x {one.desires:.3f}; went {one.outcome:g}",
                "S(B, D)",
                (one.id,),
            )
            for one, _ in nearest
        ),
        assumptions=("what went well in a like situation goes well again",),
    )


def _adapt_solution(
    problem: CaseQuery, case: PastCase, beliefs: Mapping[str, object]
) -> tuple[dict[str, str | float], dict[str, tuple[str | float, float]]]:
    """Return the solution with its fields adapted, and the old and new values."""
    figures = {
        **_figures("now", beliefs),
        **_figures("then", situation(case.beliefs)),
        **_figures("solution", case.solution),
    }
    solution, changed = dict(case.solution), {}
    for name, text in problem.adapt.items():
        if name not in solution:
            msg = f"case {case.id} has no {name!r} in its solution to adapt; it has {', '.join(sorted(solution))}"
            raise InvalidArgument(msg, argument="adapt")
        worth = Expression.of(text, known=frozenset(figures), argument="adapt").value(figures)
        changed[name] = (solution[name], worth)
        solution[name] = worth
    return solution, changed


def _figures(prefix: str, values: Mapping[str, object]) -> dict[str, float]:
    """Return the values that are numbers, by the name an expression has for them."""
    found = {f"{prefix}_{identifier(name)}": number(str(value)) for name, value in values.items()}
    return {name: value for name, value in found.items() if value is not None}
