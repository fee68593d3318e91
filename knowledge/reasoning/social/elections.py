"""Committees by approvals: their members by each rule, and whether large groups lack representation."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, sqrt
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime, at_most
from mabos.knowledge.reasoning.kernels import committees
from mabos.knowledge.reasoning.kernels.committees import CommitteeSelection, Electorate
from mabos.knowledge.reasoning.problem import ReasoningProblem
from mabos.knowledge.reasoning.result import CLAIM, AnswerClaim, MethodResult, TraceStep
from mabos.knowledge.reasoning.social.social_choice import MOST_BALLOTS, ApprovalBallot, Candidates, check_candidates

CommitteeRule = Literal[
    "av", "sav", "cc", "pav", "seq-pav", "revseq-pav", "seq-phragmen", "minimax-phragmen", "equal-shares",
    "greedy-monroe",
]  # fmt: skip
"""The rules for choosing a committee (Lackner and Skowron 2023)."""


class Committee(ReasoningProblem):
    """Approvals for a committee with a number of `seats`. The first of the `rules` decides; ties go by naming order."""

    kind: Literal["committee"] = "committee"
    candidates: Candidates
    ballots: Annotated[tuple[ApprovalBallot, ...], Field(min_length=1, max_length=MOST_BALLOTS)]
    seats: Annotated[int, Field(ge=1)]
    rules: Annotated[tuple[CommitteeRule, ...], Field(min_length=1)] = ("pav", "av", "seq-phragmen", "equal-shares")

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "committee",
        "candidates": ["a", "b", "c", "d", "e", "f", "g", "h"],
        "ballots": [
            {"approved": ["a", "b"], "count": 3},
            {"approved": ["a", "c"], "count": 3},
            {"approved": ["a", "d"], "count": 2},
            {"approved": ["b", "c", "f"]},
            {"approved": ["e"]},
            {"approved": ["f"]},
            {"approved": ["g"]},
        ],
        "seats": 4,
    }

    @model_validator(mode="after")
    def _can_be_filled(self) -> Self:
        check_candidates("candidates", self.candidates, self.candidates)
        for ballot in self.ballots:
            check_candidates("a ballot", ballot.approved, self.candidates)
        if self.seats > len(self.candidates):
            raise ValueError(f"{self.seats} seats are more than the {len(self.candidates)} candidates")
        return self


MOST_VOTERS = 5_000
"""Voters whom a rule follows one by one."""
_Way = Callable[[Electorate, Sequence[str], Budget], CommitteeSelection]
_BY_VOTER: Mapping[str, _Way] = {
    "seq-phragmen": committees.sequential_phragmen,
    "equal-shares": committees.equal_shares,
    "greedy-monroe": committees.greedy_monroe,
}
_SEQUENTIAL: Mapping[str, _Way] = {
    "seq-pav": committees.sequential_pav,
    "revseq-pav": committees.reverse_sequential_pav,
}


@dataclass(frozen=True, slots=True)
class Elected:
    """The committees that win by one rule, all equally good, with their score where the rule has one.

    `unserved` is a candidate with enough supporters for a seat, none of whom is represented in the first committee,
    which violates justified representation (Aziz et al. 2017). `loads` are each voter's load or remaining money, in
    fractions.
    """

    committees: tuple[tuple[str, ...], ...]
    score: Fraction | None
    unserved: str | None
    loads: tuple[Fraction, ...] = ()


@dataclass(frozen=True, slots=True)
class Committees:
    """The committee of the first rule, the results of every rule, and each candidate's approvals."""

    choice: tuple[str, ...]
    elected: dict[str, Elected]
    approvals: dict[str, int]


def estimate(problem: Committee) -> float:
    """Return about how many milliseconds this takes."""
    size, seats, ballots = len(problem.candidates), problem.seats, len(problem.ballots)
    voters = sum(one.count for one in problem.ballots)
    one_by_one = 0.0005 * min(voters, MOST_VOTERS) * size * sqrt(seats)
    one_seat_after_another = 0.0002 * ballots * size * seats
    each = {
        "minimax-phragmen": 0.002 * min(comb(size, seats) * 2.0**seats, 1e7),
        "revseq-pav": 0.001 * ballots * (size - seats) * sqrt(size),
        "pav": 5 * one_seat_after_another,
        "cc": 5 * one_seat_after_another,
    }
    return 0.5 + sum(
        one_by_one if rule in _BY_VOTER else each.get(rule, one_seat_after_another) for rule in problem.rules
    )


def solve(problem: Committee, budget: Budget) -> MethodResult[Committees]:
    """Return the committees that each rule elects."""
    place = {name: number for number, name in enumerate(problem.candidates)}
    ballots = budget.each(problem.ballots)
    approvals = tuple((frozenset(place[name] for name in one.approved), one.count) for one in ballots)
    votes = Electorate(approvals, len(problem.candidates), problem.seats)
    approved = dict(zip(problem.candidates, committees.scores(votes, budget), strict=True))
    found: dict[str, CommitteeSelection] = {}
    told: dict[str, Elected] = {}
    late = False
    try:
        for rule in dict.fromkeys(problem.rules):
            selection = _select_committees(rule, votes, problem.candidates, budget)
            told[rule] = _summarize_rule(problem, votes, selection, budget)
            found[rule] = selection
            late = late or not selection.is_whole
    except OutOfTime:
        late = True
        if not told:
            raise
    answer = Committees(next(iter(told.values())).committees[0], told, approved)
    said = [
        (rule, number, step) for rule, one in found.items() for number, step in enumerate(_list_steps(problem, one), 1)
    ]
    return MethodResult(
        "timeout" if late else "computed",
        answer,
        f"{', '.join(answer.choice)} by {next(iter(found))}",
        claims=(AnswerClaim(*CLAIM, ", ".join(answer.choice)),),
        trace=tuple(TraceStep(step, rule, label=f"{rule} {number}") for rule, number, step in said),
        assumptions=tuple(_list_assumptions(found, answer)),
    )


def _select_committees(rule: str, votes: Electorate, names: Sequence[str], budget: Budget) -> CommitteeSelection:
    if rule in _BY_VOTER:
        at_most(votes.voters, MOST_VOTERS, f"voters for {rule}", argument="ballots")
        return _BY_VOTER[rule](votes.single(), names, budget)
    if rule == "minimax-phragmen":
        return committees.minimax_phragmen(votes, budget)
    if rule in _SEQUENTIAL:
        return _SEQUENTIAL[rule](votes, names, budget)
    return committees.thiele(votes, rule, budget)


def _summarize_rule(problem: Committee, votes: Electorate, selection: CommitteeSelection, budget: Budget) -> Elected:
    """Return the result of a rule. A rule that was cut short has a partial result, and its question stays open."""
    names = problem.candidates
    told = tuple(tuple(names[one] for one in members) for members in selection.committees)
    first = selection.committees[0]
    unserved = _find_unserved(votes, names, first, budget) if selection.is_whole else None
    return Elected(told, selection.score, unserved, tuple(selection.loads))


def _find_unserved(votes: Electorate, names: Sequence[str], members: Sequence[int], budget: Budget) -> str | None:
    """Return a candidate whom enough voters for a seat want, all of them without a member."""
    without = [(held, count) for held, count in votes.approvals if held.isdisjoint(members)]
    wanted = committees.scores(replace(votes, approvals=tuple(without)), budget)
    most = max(range(votes.size), key=lambda one: (wanted[one], -one))
    return names[most] if wanted[most] * votes.seats >= votes.voters else None


def _list_steps(problem: Committee, selection: CommitteeSelection) -> list[str]:
    names = problem.candidates
    score = "" if selection.score is None else f", {selection.score}"
    return [
        *selection.steps,
        *(f"{', '.join(names[one] for one in held)}{score}" for held in selection.committees[:10]),
    ]


def _list_assumptions(found: Mapping[str, CommitteeSelection], answer: Committees) -> list[str]:
    said = []
    for rule, selection in found.items():
        many = len(selection.committees)
        if many >= committees.MOST_COMMITTEES:
            said.append(f"by {rule} at least {many} committees are equal; only these were looked at")
        elif many > 1:
            said.append(f"by {rule} {many} committees are equal")
        if not selection.is_whole:
            said.append(f"by {rule} a better committee may not have been found yet")
        if answer.elected[rule].unserved:
            said.append(f"by {rule} enough voters for a seat have no one: they want {answer.elected[rule].unserved}")
    return said
