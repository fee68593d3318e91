"""Expected utility: the best option (von Neumann and Morgenstern 1944; Keeney and Raiffa 1976)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.kernels.linear import Solution, maximise
from mabos.knowledge.reasoning.probabilistic.choices import CriteriaChoice, DecisionTable, Lotteries, Prize
from mabos.knowledge.reasoning.probabilistic.utility import convert_rating, mean, rating
from mabos.knowledge.reasoning.result import CLAIM, AnswerClaim, MethodResult, TraceStep

MOST_LOTTERIES = 300
ROUNDING = 1e-12
"""The share of a chance or an amount that rounding may make up."""


@dataclass(frozen=True, slots=True)
class Valued:
    """The value of a lottery: expected amount and utility, certainty equivalent, and risk premium."""

    expected_value: float
    expected_utility: float
    certainty_equivalent: float
    risk_premium: float


@dataclass(frozen=True, slots=True)
class UtilityRanking:
    """The best option, and every option with its value, best first.

    `dominates` are pairs of lotteries whose first is better for everyone who prefers more (first order) or also
    dislikes risk (second order). `consistent` is whether any utility agrees with the stated preferences.
    """

    choice: str
    worth: dict[str, float]
    lotteries: dict[str, Valued]
    dominates: dict[str, tuple[tuple[str, str], ...]]
    consistent: bool | None = None


def estimate(problem: Lotteries | DecisionTable | CriteriaChoice) -> float:
    """Return about how many milliseconds this takes."""
    match problem:
        case Lotteries():
            return 0.02 * len(problem.lotteries) ** 2 + 5.0 * bool(problem.stated)
        case DecisionTable():
            return 0.02 * len(problem.payoffs) ** 2
    return 0.002 * len(problem.options) * len(problem.criteria)


def misfit(problem: Lotteries | DecisionTable | CriteriaChoice) -> str:
    """Return the input missing for an expectation."""
    match problem:
        case DecisionTable() if not problem.probabilities:
            return "the states have no probabilities"
        case CriteriaChoice() if not any(one.weight for one in problem.criteria.values()):
            return "no criterion has a weight"
        case CriteriaChoice():
            gaps = [name for name, values in problem.options.items() if set(values) != set(problem.criteria)]
            return f"{gaps[0]!r} has no value for some criterion" if gaps else ""
    return ""


def solve(problem: Lotteries | DecisionTable | CriteriaChoice, budget: Budget) -> MethodResult[UtilityRanking]:
    """Return the options by expected utility; multi-criteria options by the weighted sum of their values."""
    match problem:
        case CriteriaChoice():
            return _rank_options(problem, budget)
        case DecisionTable():
            lotteries = {
                act: tuple(Prize(p=problem.probabilities[state], value=pays) for state, pays in row.items())
                for act, row in budget.each(problem.payoffs.items())
            }
            return _rank_lotteries(Lotteries(lotteries=lotteries, utility=problem.utility), budget)
    return _rank_lotteries(problem, budget)


def _rank_lotteries(problem: Lotteries, budget: Budget) -> MethodResult[UtilityRanking]:
    at_most(len(problem.lotteries), MOST_LOTTERIES, "lotteries", argument="lotteries")
    rated = {name: _rate_lottery(problem, prizes) for name, prizes in problem.lotteries.items()}
    valued = {name: _value(problem, prizes, rated[name]) for name, prizes in problem.lotteries.items()}
    ranked = sorted(rated, key=lambda name: -rated[name])
    consistent = _consistent(problem, budget) if problem.stated else None
    answer = UtilityRanking(
        ranked[0],
        {name: valued[name].expected_utility for name in ranked},
        valued,
        {"first order": _dominating(problem, budget, order=1), "second order": _dominating(problem, budget, order=2)},
        consistent,
    )
    agrees = "" if consistent is not False else "; no utility at all agrees with the stated preferences"
    best = valued[ranked[0]]
    return MethodResult(
        "inconsistent" if consistent is False else "computed",
        answer,
        f"{ranked[0]}, worth a sure {best.certainty_equivalent:.6g}{agrees}",
        claims=(AnswerClaim(*CLAIM, ranked[0]),),
        trace=tuple(
            TraceStep(
                f"{name}: expected {one.expected_value:.6g}, worth {one.expected_utility:.6g}", problem.utility.form
            )
            for name, one in valued.items()
        ),
        assumptions=(f"utility is {problem.utility.form}",),
    )


def _rate_lottery(problem: Lotteries, prizes: Sequence[Prize]) -> float:
    """Return the value by which a lottery is compared; prizes with zero probability are ignored."""
    return mean(problem.utility, [(one.p, rating(problem.utility, one.value)) for one in prizes if one.p])


def _value(problem: Lotteries, prizes: Sequence[Prize], rated: float) -> Valued:
    expected = sum(p * value for p, value in _shares(prizes))
    value, sure = convert_rating(problem.utility, rated)
    return Valued(expected, value, sure, expected - sure)


def _shares(prizes: Sequence[Prize]) -> list[tuple[float, float]]:
    """Return chances and amounts, the chances summing to one."""
    total = sum(one.p for one in prizes)
    return [(one.p / total, one.value) for one in prizes]


def _dominating(problem: Lotteries, budget: Budget, *, order: int) -> tuple[tuple[str, str], ...]:
    """Return the pairs of which the first dominates the second stochastically (Hadar and Russell 1969)."""
    amounts = sorted({one.value for prizes in problem.lotteries.values() for one in prizes})
    curves = {name: _shortfall(prizes, amounts, order) for name, prizes in problem.lotteries.items()}
    # an area is as rough as the amounts it lies between are large, a chance as one is
    rough = [ROUNDING * (1 if order == 1 else max(abs(amounts[0]), abs(one))) for one in amounts]
    found = []
    for a, mine in curves.items():
        budget.check()
        found += [(a, b) for b, other in curves.items() if a != b and _lies_below(mine, other, rough)]
    return tuple(found)


def _lies_below(mine: Sequence[float], other: Sequence[float], rough: Sequence[float]) -> bool:
    """Return whether one curve is nowhere above the other and somewhere below it, apart from rounding."""
    gaps = [x - y for x, y in zip(mine, other, strict=True)]
    return all(gap <= most for gap, most in zip(gaps, rough, strict=True)) and any(
        gap < -most for gap, most in zip(gaps, rough, strict=True)
    )


def _shortfall(prizes: Sequence[Prize], amounts: Sequence[float], order: int) -> list[float]:
    """Return the chance of at most each amount, or for the second order half the area below that curve so far."""
    shares = _shares(prizes)
    chances = [sum(p for p, value in shares if value <= amount) for amount in amounts]
    if order == 1:
        return chances
    areas, total = [0.0], 0.0
    for (low, high), chance in zip(pairwise(amounts), chances, strict=False):
        total += chance * (high / 2 - low / 2)
        areas.append(total)
    return areas


def _consistent(problem: Lotteries, budget: Budget) -> bool:
    """Return whether some utility, rising in the amount, ranks every stated pair as stated: a linear program."""
    amounts = sorted({one.value for prizes in problem.lotteries.values() for one in prizes})
    place = {amount: number for number, amount in enumerate(amounts)}
    width = len(amounts) + 1  # the utility of each amount, and the margin by which all preferences hold

    def probability_row(name: str) -> list[Fraction]:
        row = [Fraction(0)] * width
        for one in problem.lotteries[name]:
            row[place[one.value]] += Fraction(str(one.p))
        return row

    margin = [Fraction(0)] * (width - 1) + [Fraction(1)]
    rows = [
        (
            [
                worse - better + edge
                for better, worse, edge in zip(probability_row(a), probability_row(b), margin, strict=True)
            ],
            Fraction(0),
        )
        for a, b in problem.stated
    ]
    for number in range(len(amounts)):
        capped = [Fraction(int(column == number)) for column in range(width)]
        rows.append((capped, Fraction(1)))
        if number:
            rows.append(
                ([Fraction((column == number - 1) - (column == number)) for column in range(width)], Fraction(0))
            )
    best = maximise(margin, rows, [], budget)
    return isinstance(best, Solution) and best.value > 0


def _rank_options(problem: CriteriaChoice, budget: Budget) -> MethodResult[UtilityRanking]:
    """Return options by the weighted sum of their values, each scaled from the worst to the best option."""
    total = sum(one.weight for one in problem.criteria.values())
    scores = dict.fromkeys(problem.options, 0.0)
    for criterion, one in problem.criteria.items():
        known = {name: values[criterion] for name, values in budget.each(problem.options.items())}
        low, high = min(known.values()), max(known.values())
        for name, value in budget.each(known.items()):
            share = (value - low) / (high - low) if low < high else 1.0
            scores[name] += one.weight / total * (share if one.more_is_better or low == high else 1 - share)
    ranked = sorted(scores, key=lambda name: -scores[name])
    return MethodResult(
        "computed",
        UtilityRanking(ranked[0], {name: scores[name] for name in ranked}, {}, {}),
        f"{ranked[0]} ({scores[ranked[0]]:.4g} of 1)",
        claims=(AnswerClaim(*CLAIM, ranked[0]),),
        trace=tuple(TraceStep(f"{name}: {scores[name]:.6g}", "weighted sum") for name in ranked),
        assumptions=("criteria do not interact", "the worst and the best option span each scale"),
    )
