"""Learning to reason: each method's success by circumstances (Khardon and Roth 1997; Rice 1976)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.problem import Name, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep


class MethodOutcome(ProblemPart):
    """One answer of a method in some circumstances, and whether it was right."""

    method: Name
    right: bool
    circumstances: str = ""


class Outcomes(ReasoningProblem):
    """Methods' past results, and the circumstances to choose one for."""

    kind: Literal["outcomes"] = "outcomes"
    outcomes: Annotated[tuple[MethodOutcome, ...], Field(min_length=1)]
    circumstances: str = ""

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "outcomes",
        "outcomes": [
            {"method": "bayesian", "right": True},
            {"method": "bayesian", "right": True},
            {"method": "heuristic", "right": False},
        ],
    }


PRIOR = 2.0
"""Rights, and wrongs, that are taken for granted: Beta(2, 2); in circumstances, as many as the others make likely."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """The reliability of a method: its expected share of right answers, and its chance of being the best."""

    mean: float
    outcomes: int
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class LearnedChoice:
    """The method to use in the circumstances, and the reliability of every method there."""

    use: str
    reliability: dict[str, Reliability]
    rule: str


def estimate(problem: Outcomes) -> float:
    """Return about how many milliseconds this takes."""
    return 0.002 * len(problem.outcomes)


def solve(problem: Outcomes, budget: Budget) -> MethodResult[LearnedChoice]:
    """Return the method most often right in similar circumstances, shrunk towards its overall success."""
    by_method: dict[str, list[MethodOutcome]] = defaultdict(list)
    for one in budget.each(problem.outcomes):
        by_method[one.method].append(one)
    known = {name: _reliability(held, problem.circumstances) for name, held in budget.each(sorted(by_method.items()))}
    use = max(known, key=lambda name: known[name].mean)
    where = f"in {problem.circumstances!r}" if problem.circumstances else "in general"
    best = known[use]
    return MethodResult(
        "estimated",
        LearnedChoice(use, known, f"{where}, use {use}"),
        f"{use} {where}: right {best.mean:.2f} of the time ({best.outcomes} outcomes there)",
        claims=(AnswerClaim("method", "use", use),),
        confidence=best.mean,
        confidence_kind="posterior",
        trace=tuple(
            TraceStep(f"{name}: {one.mean:.4f} from {one.outcomes} outcomes", "Beta") for name, one in known.items()
        ),
        assumptions=("outcomes are independent",),
    )


def _reliability(outcomes: Iterable[MethodOutcome], circumstances: str) -> Reliability:
    """Return the reliability in some circumstances, its prior being the method's record elsewhere."""
    held = list(outcomes)
    here = [one.right for one in held if one.circumstances == circumstances]
    there = [one.right for one in held if one.circumstances != circumstances]
    elsewhere = (sum(there) + PRIOR) / (len(there) + 2 * PRIOR)
    right = sum(here) + 2 * PRIOR * elsewhere
    total = len(here) + 2 * PRIOR
    mean = right / total
    half = NormalDist().inv_cdf(0.975) * (mean * (1 - mean) / (total + 1)) ** 0.5
    return Reliability(mean, len(here), (max(0.0, mean - half), min(1.0, mean + half)))
