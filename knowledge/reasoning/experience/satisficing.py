"""Satisficing: the first option that is good enough, and optimal stopping (Simon 1955; Gilbert and Mosteller 1966)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.probabilistic.choices import CriteriaChoice, DecisionTable
from mabos.knowledge.reasoning.problem import Finite, ReasoningProblem
from mabos.knowledge.reasoning.result import CLAIM, AnswerClaim, MethodResult, TraceStep


class Stream(ReasoningProblem):
    """Options that arrive one by one and are lost when rejected: when to stop.

    `count` is their number; `values` are those seen so far, in order. Either only ranks are known, or values are
    uniform between `low` and `high`.
    """

    kind: Literal["stream"] = "stream"
    count: Annotated[int, Field(ge=1, le=100_000)]
    values: tuple[Finite, ...] = ()
    known: Literal["ranks", "uniform"] = "ranks"
    low: Finite = 0.0
    high: Finite = 1.0

    example: ClassVar[Mapping[str, Any]] = {"kind": "stream", "count": 10, "values": [3, 9, 4, 7, 11]}

    @model_validator(mode="after")
    def _is_a_stream(self) -> Self:
        if len(self.values) > self.count:
            raise ValueError(f"{len(self.values)} values of {self.count} cannot have been seen")
        if self.low >= self.high:
            raise ValueError("low must be below high")
        return self


RELAXED = 0.1
"""The share of its range by which an aspiration is lowered when nothing meets them all."""


@dataclass(frozen=True, slots=True)
class GoodEnough:
    """The choice, the number of options examined, how often aspirations were lowered, and its shortfall."""

    choice: str
    looked_at: int
    lowered: int
    short_of: dict[str, float]


@dataclass(frozen=True, slots=True)
class Stopping:
    """The stopping rule: how many to let pass first (ranks) or the least value to take now (uniform); the next action;
    the chance of the best, or the expected value.
    """

    skip: int | None
    threshold: float | None
    take: int | None
    success: float


def estimate(problem: CriteriaChoice | DecisionTable | Stream) -> float:
    """Return about how many milliseconds this takes."""
    match problem:
        case CriteriaChoice():
            return 0.001 * len(problem.options) * len(problem.criteria)
        case DecisionTable():
            return 0.001 * len(problem.payoffs) * len(problem.states)
    return 0.001 * problem.count


def misfit(problem: CriteriaChoice | DecisionTable | Stream) -> str:
    """Return the missing aspiration, or ""."""
    match problem:
        case CriteriaChoice() if not any(one.aspiration is not None for one in problem.criteria.values()):
            return "no criterion has an aspiration"
        case DecisionTable() if problem.aspiration is None:
            return "there is no aspiration"
    return ""


def solve(
    problem: CriteriaChoice | DecisionTable | Stream, budget: Budget
) -> MethodResult[GoodEnough] | MethodResult[Stopping]:
    """Return the first option that meets every aspiration; if none does they are lowered step by step."""
    match problem:
        case Stream():
            return _solve_stopping(problem)
        case DecisionTable():
            floor = problem.aspiration or 0.0
            gaps = {act: {"payoff": max(0.0, floor - min(row.values()))} for act, row in problem.payoffs.items()}
            payoffs = [value for row in problem.payoffs.values() for value in row.values()]
            spans = {"payoff": (max(payoffs) - min(payoffs)) or 1.0}
        case CriteriaChoice():
            gaps, spans = _gaps(problem)
    return _first(gaps, spans, budget)


def _gaps(problem: CriteriaChoice) -> tuple[dict[str, dict[str, float]], dict[str, float]]:
    """Return by how much each option misses each aspiration, and the range of each criterion's values."""
    spans, gaps = {}, {name: dict[str, float]() for name in problem.options}
    for cue, one in problem.criteria.items():
        if one.aspiration is None:
            continue
        known = [values[cue] for values in problem.options.values() if cue in values]
        spans[cue] = (max(known) - min(known) if known else 0.0) or abs(one.aspiration) or 1.0
        for name, values in problem.options.items():
            value = values.get(cue)
            short = spans[cue] if value is None else (one.aspiration - value) * (1 if one.more_is_better else -1)
            gaps[name][cue] = max(0.0, short)
    return gaps, spans


def _first(gaps: dict[str, dict[str, float]], spans: dict[str, float], budget: Budget) -> MethodResult[GoodEnough]:
    lowered = 0
    while True:
        budget.check()
        slack = lowered * RELAXED
        for place, (name, missed) in enumerate(gaps.items(), 1):
            if all(gap <= slack * spans[cue] + 1e-12 for cue, gap in missed.items()):
                return _report_option(name, place, lowered, {cue: gap for cue, gap in missed.items() if gap > 0})
        worst = min(max(gap / spans[cue] for cue, gap in missed.items()) for missed in gaps.values())
        lowered = max(lowered + 1, int(worst / RELAXED))


def _report_option(name: str, place: int, lowered: int, short: dict[str, float]) -> MethodResult[GoodEnough]:
    told = "meets every aspiration" if not lowered else f"is the first after aspirations were lowered {lowered} times"
    return MethodResult(
        "satisficed",
        GoodEnough(name, place, lowered, short),
        f"{name} {told}",
        claims=(AnswerClaim(*CLAIM, name),),
        trace=(TraceStep(f"option {place} in the order given {told}", "first good enough"),),
        assumptions=("options come in the order given",),
    )


def _solve_stopping(problem: Stream) -> MethodResult[Stopping]:
    if problem.known == "uniform":
        return _uniform(problem)
    skip, chance = secretary(problem.count)
    best = max(problem.values[:skip], default=None)
    take = next(
        (place for place, value in enumerate(problem.values, 1) if place > skip and (best is None or value > best)),
        None,
    )
    if take is None and len(problem.values) == problem.count:
        take = problem.count
    return _stopping(problem, Stopping(skip, None, take, chance), f"let {skip} pass, then take the first better one")


def _uniform(problem: Stream) -> MethodResult[Stopping]:
    """Accept a value above the expected value of continuing (Moser 1956)."""
    span = problem.high - problem.low
    expected = [0.0]
    for _ in range(problem.count):
        expected.append((1 + expected[-1] ** 2) / 2)
    thresholds = [problem.low + span * expected[problem.count - place] for place in range(1, problem.count + 1)]
    thresholds[-1] = problem.low
    take = next((place for place, value in enumerate(problem.values, 1) if value >= thresholds[place - 1]), None)
    now = thresholds[min(len(problem.values), problem.count - 1)]
    value = problem.low + span * expected[problem.count]
    return _stopping(problem, Stopping(None, now, take, value), f"take the next one from {now:.4g} on")


def secretary(count: int) -> tuple[int, float]:
    """Return how many of `count` to reject first, and the chance that the best is then taken (Lindley 1961).

    >>> secretary(3)
    (1, 0.5)
    """
    skip, tail = count - 1, 0.0
    while skip and tail + 1 / skip <= 1:
        tail += 1 / skip
        skip -= 1
    return skip, skip / count * (tail + 1 / skip) if skip else 1 / count


def _stopping(problem: Stream, answer: Stopping, rule: str) -> MethodResult[Stopping]:
    told = f"; take number {answer.take}" if answer.take else "; go on" if problem.values else ""
    return MethodResult(
        "satisficed",
        answer,
        rule + told,
        claims=(AnswerClaim("stream", "take", float(answer.take or 0)),),
        confidence=answer.success if problem.known == "ranks" else None,
        confidence_kind="frequency",
        trace=(TraceStep(rule, "optimal stopping"),),
        assumptions=("options come in random order, and none comes back",),
    )
