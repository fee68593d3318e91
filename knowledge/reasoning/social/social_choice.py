"""Social choice: aggregation of preferences (Arrow 1951; Schulze 2011; Lackner and Skowron 2023)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.kernels import voting
from mabos.knowledge.reasoning.kernels.profile import Levels, VoteProfile
from mabos.knowledge.reasoning.problem import Finite, Name, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import CLAIM, AnswerClaim, MethodResult, Status, TraceStep

Count = Annotated[int, Field(ge=1, le=10**12)]
Candidates = Annotated[tuple[Name, ...], Field(min_length=1, max_length=200)]
Ballot = Annotated[tuple[Name, ...], Field(max_length=200)]
MOST_BALLOTS = 20_000
Rule = Literal[
    "plurality", "anti-plurality", "positive-negative", "borda", "dowdall", "copeland", "minimax", "schulze",
    "ranked pairs", "kemeny", "instant runoff", "instant runoff batch", "instant runoff put", "coombs",
    "coombs batch", "coombs put", "runoff", "bucklin", "simplified bucklin", "weighted bucklin", "bracket", "pareto",
    "approval", "range", "star",
]  # fmt: skip
"""How one is chosen. Where several are last, an elimination takes out the one the tie-break likes least, with `batch`
all of them, and with `put` it is tried with each: who wins in any of these universes wins."""


class RankedBallot(ProblemPart):
    """Candidates from best to worst; an inner list is a tie. Unlisted ones come last and never count as first."""

    order: tuple[Name | tuple[Name, ...], ...]
    count: Count = 1

    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Return the tied groups from best to worst."""
        return tuple((level,) if isinstance(level, str) else level for level in self.order)


class ApprovalBallot(ProblemPart):
    """The approved candidates."""

    approved: Ballot
    count: Count = 1


class ScoredBallot(ProblemPart):
    """The score of each candidate, higher is better; a missing one is zero."""

    scores: Mapping[Name, Finite]
    count: Count = 1


class Ballots(ReasoningProblem):
    """Votes for one of the candidates: `rankings`, `approvals` or `scores`.

    `rules` are the requested ones (default: all usual ones for such ballots); the first decides. `tie_break` is the
    order for breaking ties, by default that of the candidates.
    """

    kind: Literal["ballots"] = "ballots"
    candidates: Candidates
    rankings: Annotated[tuple[RankedBallot, ...], Field(max_length=MOST_BALLOTS)] = ()
    approvals: Annotated[tuple[ApprovalBallot, ...], Field(max_length=MOST_BALLOTS)] = ()
    scores: Annotated[tuple[ScoredBallot, ...], Field(max_length=MOST_BALLOTS)] = ()
    rules: tuple[Rule, ...] = ()
    tie_break: tuple[Name, ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "ballots",
        "candidates": ["memphis", "nashville", "chattanooga", "knoxville"],
        "rankings": [
            {"order": ["memphis", "nashville", "chattanooga", "knoxville"], "count": 42},
            {"order": ["nashville", "chattanooga", "knoxville", "memphis"], "count": 26},
            {"order": ["chattanooga", "knoxville", "nashville", "memphis"], "count": 15},
            {"order": ["knoxville", "chattanooga", "nashville", "memphis"], "count": 17},
        ],
    }

    @model_validator(mode="after")
    def _is_one_kind_of_ballots(self) -> Self:
        check_candidates("candidates", self.candidates, self.candidates)
        if bool(self.rankings) + bool(self.approvals) + bool(self.scores) != 1:
            raise ValueError("give rankings, or approvals, or scores")
        for ranking in self.rankings:
            check_candidates("a ranking", [name for level in ranking.levels() for name in level], self.candidates)
        for approval in self.approvals:
            check_candidates("an approval", approval.approved, self.candidates)
        for scoring in self.scores:
            check_candidates("a ballot of scores", scoring.scores, self.candidates)
        check_candidates("tie_break", self.tie_break, self.candidates)
        if self.tie_break and len(self.tie_break) != len(self.candidates):
            raise ValueError("tie_break must name every candidate once, the preferred first")
        if wrong := sorted(set(self.rules) - set(self.possible())):
            raise ValueError(f"{wrong[0]!r} cannot count such ballots; these can: {', '.join(self.possible())}")
        return self

    def possible(self) -> tuple[str, ...]:
        """Return the rules that apply to these ballots."""
        every: tuple[str, ...] = Rule.__args__  # type: ignore[attr-defined]  # the names in a Literal
        if self.approvals:
            return ("approval",)
        return every if self.scores else tuple(name for name in every if name not in ("approval", "range", "star"))


def check_candidates(what: str, names: Iterable[str], known: tuple[str, ...]) -> None:
    """Raise `ValueError` for an unknown or duplicate candidate."""
    seen, known_once = set[str](), set(known)
    for name in names:
        if name not in known_once or name in seen:
            raise ValueError(f"{what} names {name!r}{' twice' if name in seen else ', which is not a candidate'}")
        seen.add(name)


USUAL = (
    "schulze", "ranked pairs", "copeland", "minimax", "borda", "plurality", "instant runoff", "bucklin", "coombs",
    "kemeny",
)  # fmt: skip
"""The rules where none is named. The first decides: who beats all others wins by it, and clones change nothing."""


@dataclass(frozen=True, slots=True)
class VotingOutcome:
    """The winners, and the result of every rule.

    `winners` are all tied ones. `pairwise` is the number who prefer one to another; `condorcet` beats all others;
    without one, `smith` are the members of the top cycle. `agreement` is the share of the rules with the choice among
    their winners. On timeout, only finished counts are included.
    """

    choice: str
    winners: dict[str, tuple[str, ...]]
    agreement: Fraction
    condorcet: str | None
    smith: tuple[str, ...]
    pairwise: dict[str, dict[str, int]]
    scores: dict[str, dict[str, Fraction]]


def estimate(problem: Ballots) -> float:
    """Return about how many milliseconds this takes."""
    size, rules = len(problem.candidates), problem.rules or USUAL
    ballots = len(problem.rankings) + len(problem.approvals) + len(problem.scores)
    kemeny = 0.5 + 0.0001 * size * 2.0 ** min(size, 18) if "kemeny" in rules else 0.0
    return 0.2 + 0.002 * ballots * size * (size / 4 + len(rules)) + 0.002 * size**3 + kemeny


def solve(problem: Ballots, budget: Budget) -> MethodResult[VotingOutcome]:
    """Return the winner by each rule, and where the rules agree."""
    names = problem.candidates
    profile = _profile(problem, budget)
    order = [names.index(name) for name in problem.tie_break or names]
    counted = _Counted()
    try:
        for rule in problem.rules or _usual(problem):
            counted.winners[rule] = _winners(rule, problem, profile, order, budget)
        counted.smith = profile.smith()
        counted.scores = _scores(problem, profile, counted.winners)
        counted.preferring = profile.preferring
    except OutOfTime:
        counted.status = "timeout"
        if not counted.winners:
            raise
    return _report_outcome(problem, order, counted)


@dataclass(slots=True)
class _Counted:
    """The results so far: the winners by each rule, the unbeaten candidates, scores, and preferences."""

    winners: dict[str, set[int]] = field(default_factory=dict)
    smith: tuple[int, ...] = ()
    scores: dict[str, dict[str, Fraction]] = field(default_factory=dict)
    preferring: Sequence[Sequence[int]] = ()
    status: Status = "computed"


def _usual(problem: Ballots) -> tuple[str, ...]:
    if problem.approvals:
        return ("approval",)
    return ("star", "range", *USUAL) if problem.scores else USUAL


def _profile(problem: Ballots, budget: Budget) -> VoteProfile:
    """Return the ballots as rankings by number; approved candidates rank before the others."""
    place = {name: number for number, name in enumerate(problem.candidates)}

    def levels(groups: Sequence[Sequence[str]]) -> Levels:
        return tuple(tuple(place[name] for name in group) for group in groups if group)

    ballots = [(levels(one.levels()), one.count) for one in budget.each(problem.rankings)]
    ballots += [(levels([one.approved]), one.count) for one in problem.approvals]
    for one in budget.each(problem.scores):
        given = {name: one.scores.get(name, 0.0) for name in problem.candidates}
        heights = sorted(set(given.values()), reverse=True)
        ballots.append((levels([[name for name in given if given[name] == height] for height in heights]), one.count))
    return VoteProfile(len(problem.candidates), tuple(ballots), budget)


def _winners(rule: str, problem: Ballots, profile: VoteProfile, order: Sequence[int], budget: Budget) -> set[int]:
    budget.check()
    if rule in voting.RULES:
        return voting.RULES[rule](profile, order, budget)
    counted = _sum_scores(problem, budget)
    return voting.between_the_best_two(profile, counted) if rule == "star" else voting.best(counted)


def _sum_scores(problem: Ballots, budget: Budget) -> dict[int, Fraction]:
    """Return the sum of the scores, or how many approve, of each."""
    totals = dict.fromkeys(problem.candidates, Fraction(0))
    for approval in budget.each(problem.approvals):
        for name in approval.approved:
            totals[name] += approval.count
    for scoring in budget.each(problem.scores):
        for name, score in scoring.scores.items():
            totals[name] += Fraction(str(score)) * scoring.count
    return dict(enumerate(totals.values()))


def _report_outcome(problem: Ballots, order: Sequence[int], counted: _Counted) -> MethodResult[VotingOutcome]:
    names, winners, smith = problem.candidates, counted.winners, counted.smith
    decider = next(iter(winners))
    chosen = min(winners[decider], key=order.index)
    agreeing = [rule for rule, held in winners.items() if chosen in held]
    answer = VotingOutcome(
        names[chosen],
        {rule: tuple(names[one] for one in sorted(held)) for rule, held in winners.items()},
        Fraction(len(agreeing), len(winners)),
        names[smith[0]] if len(smith) == 1 else None,
        tuple(names[one] for one in smith),
        {
            names[i]: {names[j]: many for j, many in enumerate(row) if j != i}
            for i, row in enumerate(counted.preferring)
        },
        counted.scores,
    )
    tied = [rule for rule, held in winners.items() if len(held) > 1]
    assumptions = [f"by {rule} {', '.join(answer.winners[rule])} are equal" for rule in tied]
    if decider in tied:
        assumptions.append(f"the tie goes to {answer.choice}, the first of them in the order that breaks ties")
    if len(smith) > 1:
        assumptions.append(f"nobody beats all others: it goes round among {', '.join(answer.smith)}")
    return MethodResult(
        counted.status,
        answer,
        f"{answer.choice}, by {decider} ({len(agreeing)} of {len(winners)} rules agree)",
        claims=(AnswerClaim(*CLAIM, answer.choice),),
        trace=tuple(_step(rule, held, answer) for rule, held in answer.winners.items()),
        witness=answer.pairwise,
        assumptions=tuple(assumptions),
    )


def _scores(
    problem: Ballots, profile: VoteProfile, rules: Sequence[str] | dict[str, set[int]]
) -> dict[str, dict[str, Fraction]]:
    names = problem.candidates
    found = {rule: voting.SCORES[rule](profile) for rule in rules if rule in voting.SCORES}
    found |= {rule: _sum_scores(problem, profile.budget) for rule in rules if rule in ("approval", "range", "star")}
    return {rule: {names[one]: score for one, score in held.items()} for rule, held in found.items()}


def _step(rule: str, winners: Sequence[str], answer: VotingOutcome) -> TraceStep:
    counted = answer.scores.get(rule, {})
    told = "; " + ", ".join(f"{name} {score}" for name, score in counted.items()) if counted else ""
    return TraceStep(f"{' = '.join(winners)}{told}", rule, label=rule)
