"""Social choice: what many want together (Arrow 1951; Schulze 2011; Lackner and Skowron 2023)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.kernels import voting
from mabos.knowledge.reasoning.kernels.profile import Levels, Profile
from mabos.knowledge.reasoning.probabilistic.decision_theory import CLAIM
from mabos.knowledge.reasoning.result import Claim, Result, Status, Step
from mabos.knowledge.reasoning.social.elections import Committees, elected, estimated
from mabos.knowledge.reasoning.social.votes import Ballots, Committee

USUAL = (
    "schulze",
    "ranked pairs",
    "copeland",
    "minimax",
    "borda",
    "plurality",
    "instant runoff",
    "bucklin",
    "coombs",
    "kemeny",
)
"""The rules where none is named. The first decides: who beats all others wins by it, and clones change nothing."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Who is chosen, and what every rule says.

    `winners` are all that a rule finds equal. `pairwise` is how many prefer one to another; `condorcet` beats all
    others, and where nobody does, `smith` are those among whom it goes round. `agreement` is the share of the rules
    that have the choice among their winners. Where the time was up, only what was counted by then is told.
    """

    choice: str
    winners: dict[str, tuple[str, ...]]
    agreement: Fraction
    condorcet: str | None
    smith: tuple[str, ...]
    pairwise: dict[str, dict[str, int]]
    scores: dict[str, dict[str, Fraction]]


def estimate(problem: Ballots | Committee) -> float:
    """Return the milliseconds this takes about."""
    if isinstance(problem, Committee):
        return estimated(problem)
    size, rules = len(problem.candidates), problem.rules or USUAL
    ballots = len(problem.rankings) + len(problem.approvals) + len(problem.scores)
    kemeny = 0.5 + 0.0001 * size * 2.0 ** min(size, 18) if "kemeny" in rules else 0.0
    return 0.2 + 0.002 * ballots * size * (size / 4 + len(rules)) + 0.002 * size**3 + kemeny


def solve(problem: Ballots | Committee, budget: Budget) -> Result[Chosen] | Result[Committees]:
    """Return who is chosen by each rule, and where the rules agree."""
    if isinstance(problem, Committee):
        return elected(problem, budget)
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
    return _told(problem, order, counted)


@dataclass(slots=True)
class _Counted:
    """What was counted by now: who wins by each rule, whom nobody outside beats, scores, and who is preferred."""

    winners: dict[str, set[int]] = field(default_factory=dict)
    smith: tuple[int, ...] = ()
    scores: dict[str, dict[str, Fraction]] = field(default_factory=dict)
    preferring: Sequence[Sequence[int]] = ()
    status: Status = "computed"


def _usual(problem: Ballots) -> tuple[str, ...]:
    if problem.approvals:
        return ("approval",)
    return ("star", "range", *USUAL) if problem.scores else USUAL


def _profile(problem: Ballots, budget: Budget) -> Profile:
    """Return the ballots as rankings by number; what is approved of stands before what is not."""
    place = {name: number for number, name in enumerate(problem.candidates)}

    def levels(groups: Sequence[Sequence[str]]) -> Levels:
        return tuple(tuple(place[name] for name in group) for group in groups if group)

    ballots = [(levels(one.levels()), one.count) for one in budget.each(problem.rankings)]
    ballots += [(levels([one.approved]), one.count) for one in problem.approvals]
    for one in budget.each(problem.scores):
        given = {name: one.scores.get(name, 0.0) for name in problem.candidates}
        heights = sorted(set(given.values()), reverse=True)
        ballots.append((levels([[name for name in given if given[name] == height] for height in heights]), one.count))
    return Profile(len(problem.candidates), tuple(ballots), budget)


def _winners(rule: str, problem: Ballots, profile: Profile, order: Sequence[int], budget: Budget) -> set[int]:
    budget.check()
    if rule in voting.RULES:
        return voting.RULES[rule](profile, order, budget)
    counted = _counted(problem, budget)
    return voting.between_the_best_two(profile, counted) if rule == "star" else voting.best(counted)


def _counted(problem: Ballots, budget: Budget) -> dict[int, Fraction]:
    """Return the sum of the scores, or how many approve, of each."""
    totals = dict.fromkeys(problem.candidates, Fraction(0))
    for approval in budget.each(problem.approvals):
        for name in approval.approved:
            totals[name] += approval.count
    for scoring in budget.each(problem.scores):
        for name, score in scoring.scores.items():
            totals[name] += Fraction(str(score)) * scoring.count
    return dict(enumerate(totals.values()))


def _told(problem: Ballots, order: Sequence[int], counted: _Counted) -> Result[Chosen]:
    names, winners, smith = problem.candidates, counted.winners, counted.smith
    decider = next(iter(winners))
    chosen = min(winners[decider], key=order.index)
    agreeing = [rule for rule, held in winners.items() if chosen in held]
    answer = Chosen(
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
    return Result(
        "social-choice",
        counted.status,
        answer,
        f"{answer.choice}, by {decider} ({len(agreeing)} of {len(winners)} rules agree)",
        claims=(Claim(*CLAIM, answer.choice),),
        trace=tuple(_step(rule, held, answer) for rule, held in answer.winners.items()),
        witness=answer.pairwise,
        assumptions=tuple(assumptions),
    )


def _scores(
    problem: Ballots, profile: Profile, rules: Sequence[str] | dict[str, set[int]]
) -> dict[str, dict[str, Fraction]]:
    names = problem.candidates
    found = {rule: voting.SCORES[rule](profile) for rule in rules if rule in voting.SCORES}
    found |= {rule: _counted(problem, profile.budget) for rule in rules if rule in ("approval", "range", "star")}
    return {rule: {names[one]: score for one, score in held.items()} for rule, held in found.items()}


def _step(rule: str, winners: Sequence[str], answer: Chosen) -> Step:
    counted = answer.scores.get(rule, {})
    told = "; " + ", ".join(f"{name} {score}" for name, score in counted.items()) if counted else ""
    return Step(f"{' = '.join(winners)}{told}", rule, label=rule)
