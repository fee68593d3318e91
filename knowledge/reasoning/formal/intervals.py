"""Consistency of relations between intervals, with a scenario (Allen 1983)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.kernels import allen
from mabos.knowledge.reasoning.problem import Name, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep

Relation = Literal[
    "before", "after", "meets", "met-by", "overlaps", "overlapped-by", "starts", "started-by", "during", "contains",
    "finishes", "finished-by", "equals",
]  # fmt: skip


class IntervalRelation(ProblemPart):
    """Possible relations between two intervals."""

    first: Name
    relations: Annotated[tuple[Relation, ...], Field(min_length=1)]
    second: Name


class Intervals(ReasoningProblem):
    """Relations between intervals (Allen 1983), and a pair in question."""

    kind: Literal["intervals"] = "intervals"
    relations: Annotated[tuple[IntervalRelation, ...], Field(min_length=1)]
    query: tuple[Name, Name] | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "intervals",
        "relations": [
            {"first": "design", "relations": ["meets"], "second": "build"},
            {"first": "test", "relations": ["during"], "second": "build"},
        ],
        "query": ["design", "test"],
    }

    @model_validator(mode="after")
    def _query_is_known(self) -> Self:
        if strange := sorted(set(self.query or ()) - set(self.names)):
            raise ValueError(f"{strange[0]!r} is in the question but in no relation")
        return self

    @property
    def names(self) -> tuple[str, ...]:
        """The intervals, in order of first mention."""
        return tuple(dict.fromkeys(name for one in self.relations for name in (one.first, one.second)))


MOST_INTERVALS = 60


@dataclass(frozen=True, slots=True)
class IntervalScenario:
    """A scenario with one relation for each pair, and all possible relations of the pair in question."""

    consistent: bool
    scenario: tuple[tuple[str, str, str], ...]
    query: tuple[str, ...] | None


def estimate(problem: Intervals) -> float:
    """Return about how many milliseconds this takes."""
    return 10.0 + 0.01 * len(problem.names) ** 3


def solve(problem: Intervals, budget: Budget) -> MethodResult[IntervalScenario]:
    """Return whether the relations are consistent, a scenario, and all possible relations of the pair."""
    names = problem.names
    at_most(len(names), MOST_INTERVALS, "intervals", argument="relations")
    place = {name: number for number, name in enumerate(names)}
    network = [[allen.ALL] * len(names) for _ in names]
    for number in range(len(names)):
        network[number][number] = allen.bit("equals")
    for one in problem.relations:
        i, j = place[one.first], place[one.second]
        network[i][j] &= sum(allen.bit(name) for name in set(one.relations))
        network[j][i] = allen.inverse(network[i][j])
    found = None if any(not row[i] for i, row in enumerate(network)) else allen.scenario(network, budget)
    if found is None:
        nothing = IntervalScenario(False, (), None)
        return MethodResult(
            "inconsistent",
            nothing,
            "no intervals have these relations",
            claims=(AnswerClaim("times", "consistent", False),),
        )
    possible = None
    if problem.query:
        possible = allen.names(_possible(network, place[problem.query[0]], place[problem.query[1]], budget))
    told = "these relations are consistent"
    if problem.query and possible is not None:
        told = f"{problem.query[0]} is {' or '.join(possible)} {problem.query[1]}"
    pairs = tuple(
        (a, allen.names(found[i][j])[0], b) for i, a in enumerate(names) for j, b in enumerate(names) if i < j
    )
    return MethodResult(
        "proved" if possible is not None and len(possible) == 1 else "computed",
        IntervalScenario(True, pairs, possible),
        told,
        claims=(AnswerClaim("times", "consistent", True),),
        confidence=1.0,
        confidence_kind="proof",
        trace=tuple(TraceStep(f"{a} {relation} {b}", "scenario") for a, relation, b in pairs[:50]),
        witness=pairs,
    )


def _possible(network: allen.Network, i: int, j: int, budget: Budget) -> int:
    """Return every relation between two intervals that some consistent scenario has."""
    if i == j:
        return allen.bit("equals")
    possible = 0
    for name in allen.names(network[i][j]):
        tried = [list(row) for row in network]
        tried[i][j] = allen.bit(name)
        tried[j][i] = allen.inverse(tried[i][j])
        if allen.scenario(tried, budget) is not None:
            possible |= allen.bit(name)
    return possible
