"""Dempster and Shafer: evidence on sets of outcomes (Dempster 1967; Shafer 1976; Yager 1987; Zadeh 1979)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.problem import Name, Names, Probability, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep


class Focal(ProblemPart):
    """A set of outcomes and its mass: the belief that one of them is the case, whichever."""

    outcomes: Annotated[frozenset[Name], Field(min_length=1)]
    mass: Probability


class Masses(ReasoningProblem):
    """Each source's belief, as masses on sets of outcomes of one frame; the remainder is on the whole frame."""

    kind: Literal["masses"] = "masses"
    frame: Annotated[Names, Field(min_length=1, max_length=24)]
    sources: Annotated[Mapping[Name, tuple[Focal, ...]], Field(min_length=1, max_length=50)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "masses",
        "frame": ["meningitis", "concussion", "tumour"],
        "sources": {
            "first": [{"outcomes": ["meningitis"], "mass": 0.7}, {"outcomes": ["tumour"], "mass": 0.3}],
            "second": [{"outcomes": ["concussion", "tumour"], "mass": 0.5}],
        },
    }

    @model_validator(mode="after")
    def _lies_on_the_frame(self) -> Self:
        for name, focals in self.sources.items():
            if strange := sorted({one for focal in focals for one in focal.outcomes} - set(self.frame)):
                raise ValueError(f"{name!r} puts mass on {strange[0]!r}, which is not in the frame")
            total = sum(focal.mass for focal in focals)
            if total > 1 + 1e-9:
                raise ValueError(f"the masses of {name!r} sum to {total:g}, more than 1")
        return self


CONFLICT = 0.5
"""From this conflict on Dempster's rule is not used: what it divides by is what the sources agree on."""
MOST_FOCAL = 20_000
_Mass = Mapping[frozenset[str], float]


@dataclass(frozen=True, slots=True)
class Combined:
    """The combined masses, belief and plausibility of each outcome, the conflict of the sources (0 to 1), and the rule
    by which they were combined."""

    masses: tuple[tuple[tuple[str, ...], float], ...]
    belief: dict[str, float]
    plausibility: dict[str, float]
    conflict: float
    rule: str


def estimate(problem: Masses) -> float:
    """Return about how many milliseconds this takes."""
    return 0.005 * len(problem.sources) * max(map(len, problem.sources.values())) ** 2 * len(problem.frame)


def solve(problem: Masses, budget: Budget) -> MethodResult[Combined]:
    """Return the combined sources. High conflict is assigned to the whole frame (Yager) and flagged."""
    frame = frozenset(problem.frame)
    sources: list[_Mass] = [_mass(focals, frame) for _, focals in budget.each(sorted(problem.sources.items()))]
    joined = reduce(lambda mine, other: _combine_masses(mine, other, budget), sources)
    conflict = min(1.0, joined.get(frozenset(), 0.0))
    agreed = {held: mass for held, mass in joined.items() if held}
    if conflict < CONFLICT:
        combined, rule = {held: mass / (1 - conflict) for held, mass in agreed.items()}, "Dempster"
    else:
        combined, rule = {**agreed, frame: agreed.get(frame, 0.0) + conflict}, "Yager"
    belief = {one: combined.get(frozenset([one]), 0.0) for one in problem.frame}
    plausibility = {
        one: sum(mass for held, mass in combined.items() if one in held) for one in budget.each(problem.frame)
    }
    best = max(problem.frame, key=lambda one: (belief[one], plausibility[one]))
    ranked = sorted(combined.items(), key=lambda item: (-item[1], sorted(item[0])))
    flagged = f"; the sources conflict ({conflict:.4g}), which was taken for not knowing" if rule == "Yager" else ""
    return MethodResult(
        "computed" if rule == "Dempster" else "unknown",
        Combined(tuple((tuple(sorted(held)), mass) for held, mass in ranked), belief, plausibility, conflict, rule),
        f"{best}: {belief[best]:.4g} to {plausibility[best]:.4g}{flagged}",
        claims=(AnswerClaim("outcome", "is", best),),
        confidence=belief[best],
        confidence_kind="score",
        trace=(TraceStep(f"{len(sources)} sources, conflict {conflict:.6g}", f"{rule}'s rule"),),
        assumptions=("the sources are independent",),
    )


def _mass(focals: Sequence[Focal], frame: frozenset[str]) -> dict[frozenset[str], float]:
    """Return a source's masses, with the unassigned part on the whole frame."""
    held: dict[frozenset[str], float] = defaultdict(float)
    for one in focals:
        held[one.outcomes] += one.mass
    held[frame] += max(0.0, 1 - sum(one.mass for one in focals))
    return {outcomes: mass for outcomes, mass in held.items() if mass > 0}


def _combine_masses(mine: _Mass, other: _Mass, budget: Budget) -> _Mass:
    """Return the masses on the intersections; the conflict is on the empty set."""
    at_most(len(mine) * len(other), MOST_FOCAL**2, "pairs of sets", argument="sources")
    both: dict[frozenset[str], float] = defaultdict(float)
    for a, first in budget.each(mine.items()):
        for b, second in other.items():
            both[a & b] += first * second
    at_most(len(both), MOST_FOCAL, "sets with mass", argument="sources")
    return both
