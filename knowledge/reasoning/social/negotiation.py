"""Negotiation: an agreement and a way to it (Nash 1950; Rubinstein 1982; Faratin et al. 1998)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, lcm, log, prod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.kernels import bargains
from mabos.knowledge.reasoning.kernels.bargains import Point, Utilities
from mabos.knowledge.reasoning.problem import Name, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import CLAIM, AnswerClaim, MethodResult, TraceStep

Amount = Annotated[float, Field(ge=-1e12, le=1e12, allow_inf_nan=False)]
Counts = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]


class Party(ProblemPart):
    """A party's preferences: the weight of each issue, the value of each option, and the value of no agreement.

    `discount` is the factor on a utility one round later. `concession` is the speed of concession: below 1 the party
    holds out until near the deadline, above 1 it concedes early (Faratin's beta).
    """

    weights: Mapping[Name, Counts] = {}
    values: Mapping[Name, Mapping[Name, Amount]]
    reservation: Amount = 0.0
    discount: Annotated[float, Field(gt=0, le=1)] = 1.0
    concession: Annotated[float, Field(ge=0.01, le=100)] = 1.0


class Bargaining(ReasoningProblem):
    """Issues with options, and parties who value an agreement by a weighted sum over the issues.

    The first party makes the first offer; `deadline` is the maximum number of offers.
    """

    kind: Literal["bargaining"] = "bargaining"
    issues: Annotated[
        Mapping[Name, Annotated[tuple[Name, ...], Field(min_length=1, max_length=1_000)]],
        Field(min_length=1, max_length=60),
    ]
    parties: Annotated[Mapping[Name, Party], Field(min_length=2, max_length=5)]
    deadline: Annotated[int, Field(ge=1, le=1_000)] = 10

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "bargaining",
        "issues": {"price": ["low", "middle", "high"], "delivery": ["fast", "slow"]},
        "parties": {
            "buyer": {
                "weights": {"price": 0.6, "delivery": 0.4},
                "values": {"price": {"low": 1, "middle": 0.6, "high": 0}, "delivery": {"fast": 1, "slow": 0}},
                "reservation": 0.3,
                "discount": 0.9,
            },
            "seller": {
                "weights": {"price": 0.8, "delivery": 0.2},
                "values": {"price": {"low": 0, "middle": 0.5, "high": 1}, "delivery": {"fast": 0, "slow": 1}},
                "reservation": 0.2,
                "discount": 0.8,
            },
        },
    }

    @model_validator(mode="after")
    def _every_option_has_a_value(self) -> Self:
        for issue, options in self.issues.items():
            if len(set(options)) != len(options):
                raise ValueError(f"an option of {issue!r} is named twice")
        for name, party in self.parties.items():
            if strange := sorted({*party.weights, *party.values} - set(self.issues)):
                raise ValueError(f"{name!r} names {strange[0]!r}, which is not an issue")
            for issue, options in self.issues.items():
                if odd := sorted(set(options) ^ set(party.values.get(issue, ()))):
                    known = odd[0] in options
                    msg = f"{name!r} {'gives no value to' if known else 'values'} {odd[0]!r} of {issue!r}"
                    raise ValueError(msg if known else f"{msg}, which is not an option")
        return self


MOST_SHOWN = 1_000
"""Efficient agreements that are listed."""
SOLUTIONS = {
    "nash": bargains.nash,
    "kalai-smorodinsky": bargains.kalai_smorodinsky,
    "egalitarian": bargains.egalitarian,
    "utilitarian": bargains.utilitarian,
}


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreed option for each issue, and the value to each party."""

    terms: dict[str, str]
    utilities: dict[str, Fraction]


@dataclass(frozen=True, slots=True)
class Offer:
    """The offer of a party in a round: its aspiration by then, and what of the efficient agreements that are at
    least as good for it is best for the others."""

    round: int
    aspiration: float
    agreement: Agreement


@dataclass(frozen=True, slots=True)
class Bargain:
    """The agreement to seek, Nash's, and the others by name; the efficient agreements that all would accept, and all.

    `zone` is what each party gets at least and at most of what all would accept; None if there is no such agreement.
    `meeting` is the round in which the plans of the parties first meet. `shares` are Rubinstein's, of two parties.
    """

    choice: Agreement | None
    solutions: dict[str, Agreement]
    acceptable: tuple[Agreement, ...]
    pareto: tuple[Agreement, ...]
    zone: dict[str, tuple[Fraction, Fraction]] | None
    shares: dict[str, Fraction] | None
    plans: dict[str, tuple[Offer, ...]]
    meeting: int | None


def estimate(problem: Bargaining) -> float:
    """Return about how many milliseconds this takes."""
    sizes = [len(options) for options in problem.issues.values()]
    outcomes: float = min(prod(sizes), 10**6)
    points = max(exp(log(outcomes) * (0.6 if len(problem.parties) == 2 else 0.9)), *sizes, 1)
    return 1.5 + 0.06 * points + 0.05 * problem.deadline * len(problem.parties)


@dataclass(frozen=True, slots=True)
class _BargainingTable:
    """The problem in integers: all utilities over one denominator, the issues by name."""

    problem: Bargaining
    issues: list[tuple[str, tuple[str, ...]]]
    scale: int
    worths: list[list[Utilities]]
    floors: Utilities

    def share(self, utility: int) -> Fraction:
        """Return a utility as it was given."""
        return Fraction(utility, self.scale)

    def agreement(self, point: Point) -> Agreement:
        """Return a point with names and fractions."""
        terms = {issue: options[place] for (issue, options), place in zip(self.issues, point.options, strict=True)}
        return Agreement(terms, dict(zip(self.problem.parties, map(self.share, point.utilities), strict=True)))


def _table(problem: Bargaining, budget: Budget) -> _BargainingTable:
    parties = list(problem.parties.values())
    issues = sorted(problem.issues.items())
    exact = []
    for issue, options in budget.each(issues):
        weights = [Fraction(str(one.weights.get(issue, 1.0))) for one in parties]
        worths = [[Fraction(str(one.values[issue][option])) for one in parties] for option in options]
        exact.append([[w * one for w, one in zip(weights, row, strict=True)] for row in worths])
    floors = [Fraction(str(one.reservation)) for one in parties]
    every = [*floors, *(cell for issue in exact for row in issue for cell in row)]
    scale = lcm(*(one.denominator for one in every))
    whole = [[tuple(int(cell * scale) for cell in row) for row in issue] for issue in budget.each(exact)]
    return _BargainingTable(problem, issues, scale, whole, tuple(int(floor * scale) for floor in floors))


def solve(problem: Bargaining, budget: Budget) -> MethodResult[Bargain]:
    """Return the recommended agreement; on timeout, the one with the largest sum, which needs no search."""
    table = _table(problem, budget)
    try:
        points = bargains.front(table.worths, budget)
        acceptable = [point for point in points if all(map(int.__ge__, point.utilities, table.floors))]
        return _report_agreement(table, points, acceptable) if acceptable else _none(table, points)
    except OutOfTime:
        return _late(table)


def _report_agreement(table: _BargainingTable, points: list[Point], acceptable: list[Point]) -> MethodResult[Bargain]:
    problem, parties = table.problem, list(table.problem.parties)
    found = {name: way(acceptable, table.floors) for name, way in SOLUTIONS.items()}
    discounts = [Fraction(str(one.discount)) for one in problem.parties.values()]
    in_turn = bargains.alternating(acceptable, table.floors, discounts, problem.deadline) if len(parties) == 2 else None
    if in_turn is not None:
        found["alternating offers"] = in_turn[1]
    solutions = {name: table.agreement(point) for name, point in found.items()}
    columns = zip(*(point.utilities for point in acceptable), strict=True)
    plans = {name: _plan(table, acceptable, number) for number, name in enumerate(parties)}
    choice = solutions["nash"]
    answer = Bargain(
        choice,
        solutions,
        tuple(map(table.agreement, acceptable[:MOST_SHOWN])),
        tuple(map(table.agreement, points[:MOST_SHOWN])),
        {name: (table.share(min(held)), table.share(max(held))) for name, held in zip(parties, columns, strict=True)},
        dict(zip(parties, bargains.rubinstein(*discounts), strict=True)) if len(parties) == 2 else None,
        plans,
        _meeting(plans),
    )
    alike = sum(one == choice for one in solutions.values())
    assumptions = ["an agreement is worth the sum of its parts; there are no lotteries between agreements"]
    if len(points) > MOST_SHOWN:
        assumptions.append(f"of {len(points):,} efficient agreements the first {MOST_SHOWN:,} are listed")
    return MethodResult(
        "computed",
        answer,
        f"{_describe_agreement(choice)}; {alike} of {len(solutions)} solutions agree; "
        f"{len(acceptable)} of {len(points)} efficient agreements are acceptable to all",
        claims=(AnswerClaim(*CLAIM, _terms(choice)),),
        trace=tuple(TraceStep(_describe_agreement(one), name, label=name) for name, one in solutions.items()),
        witness={"front": [point.utilities for point in points[:MOST_SHOWN]], "over": table.scale},
        assumptions=tuple(assumptions),
    )


def _plan(table: _BargainingTable, acceptable: Sequence[Point], me: int) -> tuple[Offer, ...]:
    party = list(table.problem.parties.values())[me]
    plan = bargains.concessions(acceptable, table.floors, me, party.concession, table.problem.deadline)
    return tuple(
        Offer(turn, float(aspiration / table.scale), table.agreement(point))
        for turn, (aspiration, point) in enumerate(plan, 1)
    )


def _meeting(plans: Mapping[str, tuple[Offer, ...]]) -> int | None:
    """Return the first round in which an offer gives every other party as much as it then aspires to."""
    for number, offers in enumerate(zip(*plans.values(), strict=True), 1):
        aspired = {name: offer.aspiration for name, offer in zip(plans, offers, strict=True)}
        for me, offer in zip(plans, offers, strict=True):
            held = offer.agreement.utilities
            if all(float(held[name]) >= one - 1e-12 for name, one in aspired.items() if name != me):
                return number
    return None


def _none(table: _BargainingTable, points: list[Point]) -> MethodResult[Bargain]:
    """Return that no agreement suits all, and the closest one."""
    closest = table.agreement(bargains.egalitarian(points, table.floors))
    answer = Bargain(None, {"closest": closest}, (), tuple(map(table.agreement, points)), None, None, {}, None)
    short = {
        name: table.share(floor) - closest.utilities[name]
        for name, floor in zip(table.problem.parties, table.floors, strict=True)
    }
    worst = max(short, key=lambda name: short[name])
    return MethodResult(
        "infeasible",
        answer,
        f"no agreement is as good for all as none; {worst} lacks {float(short[worst]):.6g} at {_terms(closest)}",
        trace=(
            TraceStep(
                f"each efficient agreement leaves someone short; {_describe_agreement(closest)}",
                "zone",
                label="closest",
            ),
        ),
    )


def _late(table: _BargainingTable) -> MethodResult[Bargain]:
    sums = [[sum(worth) for worth in options] for options in table.worths]
    places = tuple(options.index(max(options)) for options in sums)
    rows = [options[place] for options, place in zip(table.worths, places, strict=True)]
    most = table.agreement(Point(tuple(sum(column) for column in zip(*rows, strict=True)), places))
    return MethodResult(
        "timeout",
        Bargain(None, {"utilitarian": most}, (), (), None, None, {}, None),
        f"the time was up; the largest sum has {_describe_agreement(most)}",
        assumptions=("what each would have without an agreement is left out of account",),
    )


def _terms(one: Agreement) -> str:
    return ", ".join(f"{issue}: {option}" for issue, option in one.terms.items())


def _describe_agreement(one: Agreement | None) -> str:
    if one is None:
        return "no agreement"
    return f"{_terms(one)} ({', '.join(f'{name} {float(worth):.6g}' for name, worth in one.utilities.items())})"
