"""Strategy selection: the method for a problem (Rice 1976; neighbours weighted after Dudani 1976)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.problem import Finite, Name, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep
from mabos.knowledge.reasoning.router import NEUTRAL, Classification, candidates, route


class Instance(ProblemPart):
    """A solved problem: its features, and each method's cost on it."""

    features: Annotated[tuple[Finite, ...], Field(min_length=1)]
    costs: Annotated[Mapping[Name, Finite], Field(min_length=1)]


class MethodSelection(ReasoningProblem):
    """A problem to choose a method for: by classification, or by the methods' costs on similar problems."""

    kind: Literal["selection"] = "selection"
    classification: Classification = NEUTRAL
    features: tuple[Finite, ...] = ()
    solved: Annotated[tuple[Instance, ...], Field(max_length=50_000)] = ()
    nearest: Annotated[int, Field(ge=1, le=1000)] = 5

    example: ClassVar[Mapping[str, Any]] = {"kind": "selection", "classification": {"uncertainty": "high"}}

    @model_validator(mode="after")
    def _features_are_alike(self) -> Self:
        if bool(self.features) != bool(self.solved):
            raise ValueError("give features and solved problems together, or neither")
        for number, one in enumerate(self.solved):
            if len(one.features) != len(self.features):
                msg = f"solved problem {number} has {len(one.features)} features, this one {len(self.features)}"
                raise ValueError(msg)
            if set(one.costs) != set(self.solved[0].costs):
                raise ValueError(f"solved problem {number} and the first have different methods")
        return self


_SAME = 1e-6  # so that a problem solved before counts for nearly all


@dataclass(frozen=True, slots=True)
class Selected:
    """The chosen method and all others: by the router's score, or by mean cost on similar problems."""

    use: str
    ranked: tuple[tuple[str, float], ...]


def estimate(problem: MethodSelection) -> float:
    """Return about how many milliseconds this takes."""
    return 0.5 + 0.002 * len(problem.solved) * (1 + len(problem.features) / 10)


def solve(problem: MethodSelection, budget: Budget) -> MethodResult[Selected]:
    """Return the method with the best score, or the lowest cost on the nearest solved problems."""
    if problem.solved:
        ranked, how = _by_cost(problem, budget), f"cost on the {problem.nearest} nearest of {len(problem.solved)}"
    else:
        routing = route(problem.classification, candidates())
        ranked, how = [(one.method.name, one.score) for one in routing.ranked], "score of the router"
    use, worth = ranked[0]
    return MethodResult(
        "satisficed",
        Selected(use, tuple(ranked)),
        f"{use} ({how}: {worth:.4g})",
        claims=(AnswerClaim("method", "use", use),),
        trace=tuple(TraceStep(f"{name}: {figure:.6g}", how) for name, figure in ranked[:9]),
        assumptions=("problems with like features cost alike",) if problem.solved else (),
    )


def _by_cost(problem: MethodSelection, budget: Budget) -> list[tuple[str, float]]:
    scales = _scales(problem.solved, budget)
    wanted = [value / scale for value, scale in zip(problem.features, scales, strict=True)]
    distances = []
    for number, one in enumerate(problem.solved):
        budget.check()
        apart = sum((a - b / s) ** 2 for a, b, s in zip(wanted, one.features, scales, strict=True))
        distances.append((apart, number))
    near = [
        (1 / (apart + _SAME), problem.solved[number].costs) for apart, number in sorted(distances)[: problem.nearest]
    ]
    total = sum(weight for weight, _ in near)
    means = {name: sum(weight * costs[name] for weight, costs in near) / total for name in problem.solved[0].costs}
    return sorted(means.items(), key=lambda item: (item[1], item[0]))


def _scales(solved: Sequence[Instance], budget: Budget) -> list[float]:
    """Return the standard deviation of each feature, so that none counts for its unit."""
    count = len(solved)
    scales = []
    for column in budget.each(zip(*(one.features for one in solved), strict=True)):
        mean = sum(column) / count
        scales.append(sqrt(sum((value - mean) ** 2 for value in column) / count) or 1.0)
    return scales
