"""Pattern recognition: trends, breaks, seasons and outliers of a series; frequent combinations; the class of a row.

Mann 1945 and Kendall 1975 (trend), Sen 1968 (slope), Pettitt 1979 (break), Iglewicz and Hoaglin 1993 (outliers),
Sellke, Bayarri and Berger 2001 (evidence in a p-value), Agrawal and Srikant 1994 (association), Cover and Hart 1967
(nearest neighbours).
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import combinations
from math import e, erfc, exp, log, sqrt
from statistics import fmean, median
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from mabos.knowledge.reasoning.budget import Budget, OutOfTime, at_most
from mabos.knowledge.reasoning.formal.table_rules import Rows, Value
from mabos.knowledge.reasoning.kernels.decision_tree import FEW
from mabos.knowledge.reasoning.kernels.forecasts import SeriesForecast, forecast
from mabos.knowledge.reasoning.problem import Finite, Name, Probability, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep


class TimeSeries(ReasoningProblem):
    """A figure over time, oldest first. `period` is the length of a season, if known.

    With `horizon` the value that many steps ahead is forecast, with an interval from past errors; this needs six
    values.
    """

    kind: Literal["series"] = "series"
    values: Annotated[tuple[Finite, ...], Field(min_length=4, max_length=100_000)]
    period: Annotated[int, Field(ge=2)] | None = None
    horizon: Annotated[int, Field(ge=1, le=1_000)] | None = None
    name: Name = "the figure"

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "series",
        "name": "monthly churn",
        "values": [2.1, 2.2, 2.1, 2.3, 2.4, 2.4, 2.6, 2.7, 9.0, 2.9],
    }


class Transactions(ReasoningProblem):
    """Sets of items that occurred together, and the minimum support and confidence of a pattern."""

    kind: Literal["transactions"] = "transactions"
    transactions: Annotated[tuple[Annotated[frozenset[Name], Field(max_length=100)], ...], Field(min_length=1)]
    support: Annotated[float, Field(gt=0, le=1)] = 0.1
    confidence: Probability = 0.5

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "transactions",
        "transactions": [["bread", "milk"], ["bread", "nappies", "beer"], ["milk", "nappies", "beer"]],
        "support": 0.5,
    }


ODD = 3.5
"""A modified z-score above which a value is an outlier (Iglewicz and Hoaglin 1993)."""
SIGNIFICANT = 0.05
NEIGHBOURS = 5
STRENGTHS = (1.0, 4.0, 16.0, 64.0, 1e9)
"""The weight, in rows, of the shares of all rows beside the nearest ones."""
MOST_CHECKED, CHECKED_PAIRS = 200, 200_000
"""Rows, and pairs of rows, by which the strength is chosen."""
ENOUGH = 0.6
"""The confidence below which a class is not given: there is not enough evidence."""
LEAST_SEEN = 6
"""Values below which there are too few past errors for an interval."""
LONGEST = 4_000
"""Values of a series whose pairs are all compared; of longer ones the last so many."""
FORECAST_FROM = 240
"""Last values that a forecast is made from."""
MOST_SPLITS = 200_000
"""Rules that are considered: millions would take minutes after the time was up, and nobody reads them."""
MOST_SETS = 300_000
"""Candidates of one size; more would fill the memory before the time is up."""


@dataclass(frozen=True, slots=True)
class SeriesPattern:
    """The patterns of a series: its trend with significance and slope, the place of a break, outliers, its season; and
    any forecast.
    """

    trend: str
    p_value: float
    slope: float
    change_at: int | None
    change_p_value: float
    outliers: tuple[int, ...]
    season: int | None
    forecast: SeriesForecast | None = None


@dataclass(frozen=True, slots=True)
class Association:
    """An association rule: its support, its confidence, and its lift over chance."""

    given: tuple[str, ...]
    then: tuple[str, ...]
    support: float
    confidence: float
    lift: float


@dataclass(frozen=True, slots=True)
class Frequent:
    """The frequent sets, largest support first, and their rules, most confident first."""

    sets: tuple[tuple[tuple[str, ...], float], ...]
    rules: tuple[Association, ...]


@dataclass(frozen=True, slots=True)
class Classified:
    """The class of the query by its nearest rows, and the share of each class among them."""

    value: str
    shares: dict[str, float]
    nearest: tuple[int, ...]


def estimate(problem: TimeSeries | Transactions | Rows) -> float:
    """Return about how many milliseconds this takes."""
    match problem:
        case TimeSeries():
            return 0.0004 * min(len(problem.values), LONGEST) ** 2
        case Transactions():
            return 0.05 * len(problem.transactions)
    return 0.002 * len(problem.rows) * len(problem.attributes)


def misfit(problem: TimeSeries | Transactions | Rows) -> str:
    """Return the missing input for a class or a forecast."""
    if isinstance(problem, TimeSeries):
        short = problem.horizon is not None and len(problem.values) < LEAST_SEEN
        return f"a forecast takes at least {LEAST_SEEN} values" if short else ""
    return "there is no query to classify" if isinstance(problem, Rows) and problem.query is None else ""


def solve(
    problem: TimeSeries | Transactions | Rows, budget: Budget
) -> MethodResult[SeriesPattern] | MethodResult[Frequent] | MethodResult[Classified]:
    """Return the patterns of a series, the frequent combinations, or the class of a row."""
    match problem:
        case TimeSeries():
            return _analyze_series(problem, budget)
        case Transactions():
            return _frequent(problem, budget)
    return _classify_query(problem, budget)


def _analyze_series(problem: TimeSeries, budget: Budget) -> MethodResult[SeriesPattern]:
    values = problem.values[-LONGEST:]
    cut = len(problem.values) - len(values)
    sign, p_value, slope = _trend(values, budget)
    trend = "none" if p_value >= SIGNIFICANT else "rising" if sign > 0 else "falling"
    place, break_p = _break(values, budget)
    outliers = tuple(cut + place for place in outlying(values))
    season = (
        problem.period if problem.period and _autocorrelation(values, problem.period) > 2 / sqrt(len(values)) else None
    )
    change = place + cut if break_p < SIGNIFICANT else None
    told = [f"{problem.name} is {trend}" if trend != "none" else f"{problem.name} has no trend"]
    told += [f"outliers at {', '.join(map(str, outliers))}"] if outliers else []
    told += [f"breaks before {change}"] if change is not None else []
    ahead = forecast(values[-FORECAST_FROM:], problem.horizon, problem.period) if problem.horizon else None
    if ahead is not None:
        told.insert(0, f"{ahead.value:.6g} ({ahead.low:.6g} to {ahead.high:.6g}) in {ahead.horizon} steps")
    chance = _by_chance(p_value)
    return MethodResult(
        "estimated",
        SeriesPattern(trend, p_value, slope, change, break_p, outliers, season, ahead),
        "; ".join(told),
        claims=(AnswerClaim(problem.name, "trend", trend),)
        if ahead is None
        else (AnswerClaim(problem.name, f"in {ahead.horizon} steps", ahead.value),),
        confidence=ahead.coverage if ahead is not None else chance if trend == "none" else 1 - chance,
        confidence_kind="bound" if ahead is None else "frequency",
        trace=(
            TraceStep(f"trend: p = {p_value:.4g}, {slope:.4g} a step", "Mann-Kendall, Sen"),
            TraceStep(
                f"no trend is at least {chance:.4g} probable if it was as likely as one", "Sellke, Bayarri, Berger"
            ),
            TraceStep(f"break before {place + cut}: p = {break_p:.4g}", "Pettitt"),
            TraceStep(f"{len(outliers)} values beyond {ODD} robust deviations", "modified z-score"),
            *((TraceStep(f"{ahead.model}: {ahead.errors} past errors", "forecast"),) if ahead else ()),
        ),
        assumptions=("values are independent, apart from trend, break and season",)
        + ((f"only the last {LONGEST:,} values were compared",) if cut else ()),
    )


def _trend(values: Sequence[float], budget: Budget) -> tuple[int, float, float]:
    """Return Mann and Kendall's sign, its two-sided p-value with ties corrected, and Sen's slope."""
    count, total = len(values), 0
    slopes: list[float] = []
    for first in range(count - 1):
        budget.check()
        here = values[first]
        for later in range(first + 1, count):
            rise = values[later] - here
            total += (rise > 0) - (rise < 0)
            slopes.append(rise / (later - first))
    ties = sum(size * (size - 1) * (2 * size + 5) for size in Counter(values).values() if size > 1)
    variance = (count * (count - 1) * (2 * count + 5) - ties) / 18
    z = 0.0 if variance <= 0 or total == 0 else (total - (1 if total > 0 else -1)) / sqrt(variance)
    return (total > 0) - (total < 0), erfc(abs(z) / sqrt(2)), median(slopes)


def _by_chance(p_value: float) -> float:
    """Return how probable it is at least that chance made a p-value, if that was as likely before as an effect.

    The Bayes factor for chance is -e p ln p at least, and 1 for a p-value above 1/e (Sellke, Bayarri and Berger 2001):
    a p-value of 0.05 leaves chance 29 %, not 5 %.
    """
    factor = -e * p_value * log(p_value) if 0 < p_value < 1 / e else float(p_value > 0)
    return factor / (1 + factor)


def _break(values: Sequence[float], budget: Budget) -> tuple[int, float]:
    """Return the place before which a series most likely breaks, and Pettitt's approximate p-value."""
    count = len(values)
    ordered = sorted(values)
    ranks = [(bisect_left(ordered, value) + bisect_right(ordered, value) + 1) / 2 for value in values]
    budget.check()
    sums, best, place = 0.0, 0.0, 0
    for number in range(1, count):
        sums += ranks[number - 1]
        statistic = abs(2 * sums - number * (count + 1))
        if statistic > best:
            best, place = statistic, number
    return place, min(1.0, 2 * exp(-6 * best**2 / (count**3 + count**2)))


def outlying(values: Sequence[float]) -> Iterator[int]:
    """Yield the positions of values more than `ODD` robust deviations from the median.

    >>> list(outlying([1, 2, 1, 2, 50]))
    [4]
    """
    middle = median(values)
    spread = median(abs(value - middle) for value in values)
    scale = spread / 0.6745 if spread else 1.253314 * fmean(abs(value - middle) for value in values)
    for place, value in enumerate(values):
        if scale and abs(value - middle) / scale > ODD:
            yield place


def _autocorrelation(values: Sequence[float], lag: int) -> float:
    if len(values) <= lag:
        return 0.0
    mean = fmean(values)
    total = sum((value - mean) ** 2 for value in values)
    both = sum((a - mean) * (b - mean) for a, b in zip(values, values[lag:], strict=False))
    return both / total if total else 0.0


def _frequent(problem: Transactions, budget: Budget) -> MethodResult[Frequent]:
    """Return frequent sets level by level; where the time is up, those of the levels that were finished."""
    count, baskets = len(problem.transactions), problem.transactions
    least = problem.support * count - 1e-9
    supports: dict[frozenset[str], int] = {}
    items = Counter(item for basket in baskets for item in basket)
    level = {frozenset([item]): held for item, held in items.items() if held >= least}
    finished = True
    try:
        while level:
            supports |= level
            level = _next_level(level, baskets, least, budget)
    except OutOfTime:
        finished = False
    rules = sorted(
        _rules(supports, problem, count), key=lambda one: (-one.confidence, -one.support, one.given, one.then)
    )
    ranked = sorted(supports, key=lambda one: (-supports[one], len(one), sorted(one)))
    is_cut = sum(2 ** len(whole) - 2 for whole in supports) > MOST_SPLITS
    best = f"; {' and '.join(rules[0].given)} go with {' and '.join(rules[0].then)}" if rules else ""
    return MethodResult(
        "computed" if finished else "timeout",
        Frequent(tuple((tuple(sorted(one)), supports[one] / count) for one in ranked), tuple(rules)),
        f"{len(supports)} frequent sets, {len(rules)} rules{best}",
        claims=tuple(AnswerClaim(" and ".join(one.given), "goes with", " and ".join(one.then)) for one in rules[:1]),
        confidence=rules[0].confidence if rules else None,
        confidence_kind="frequency",
        trace=(TraceStep(f"sets in at least {problem.support:.0%} of {count:,} transactions", "Apriori"),),
        assumptions=("only the rules of the smaller sets were considered",) if is_cut else (),
    )


def _by_beginning(level: Iterable[frozenset[str]]) -> dict[tuple[str, ...], list[str]]:
    """Return the last items of sets by those before it, in order: two sets that begin alike are joined."""
    lasts: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for *first, last in sorted(sorted(one) for one in level):
        lasts[tuple(first)].append(last)
    return lasts


def _next_level(
    level: dict[frozenset[str], int], baskets: Sequence[frozenset[str]], least: float, budget: Budget
) -> dict[frozenset[str], int]:
    """Return the frequent sets one larger: joined from pairs, all of whose parts are frequent."""
    candidates = []
    for first, lasts in _by_beginning(level).items():
        budget.check()
        joined = (frozenset((*first, *pair)) for pair in combinations(lasts, 2))
        candidates += [one for one in joined if all(one - {item} in level for item in one)]
        at_most(len(candidates), MOST_SETS, "sets that may be frequent", argument="support")
    held: Counter[frozenset[str]] = Counter()
    for basket in baskets:
        budget.check()
        held.update(one for one in candidates if one <= basket)
    return {one: times for one, times in held.items() if times >= least}


def _rules(supports: dict[frozenset[str], int], problem: Transactions, count: int) -> Iterator[Association]:
    """Yield the rules of the smaller sets first, until `MOST_SPLITS` ways to split a set were looked at."""
    looked_at = 0
    for whole, held in supports.items():
        looked_at += 2 ** len(whole) - 2
        if looked_at > MOST_SPLITS:
            return
        for size in range(1, len(whole)):
            for given in map(frozenset, combinations(sorted(whole), size)):
                sure, then = held / supports[given], whole - given
                if sure >= problem.confidence:
                    lift = sure / (supports[then] / count)
                    yield Association(tuple(sorted(given)), tuple(sorted(then)), held / count, sure, lift)


def _classify_query(problem: Rows, budget: Budget) -> MethodResult[Classified]:
    """Return the likeliest class by the nearest rows and by all; of equals that of the nearest."""
    query = problem.query or {}
    names = [name for name in problem.attributes if name in query]
    spans = {name: _span([row[name] for row in problem.rows]) for name in names}
    classes = [str(row[problem.target]) for row in problem.rows]

    def near(row: Mapping[str, Value], but: int = -1) -> list[int]:
        """Return the nearest rows but one."""
        budget.check()
        far = (
            (sum(_apart(other[name], row[name], spans[name]) for name in names), number)
            for number, other in enumerate(problem.rows)
            if number != but
        )
        return [number for _, number in nsmallest(NEIGHBOURS, far)]

    nearest = near(query)
    every = Counter(classes)
    checked = max(1, min(MOST_CHECKED, CHECKED_PAIRS // len(classes), len(classes)))
    places = range(0, len(classes), -(-len(classes) // checked))
    strength = _fit_strength(classes, places, lambda place: near(problem.rows[place], place))
    counts = Counter(classes[number] for number in nearest)
    shares = {
        one: (counts[one] + strength * held / len(classes)) / (len(nearest) + strength) for one, held in every.items()
    }
    order = [*(classes[number] for number in nearest), *every]
    value = max(shares, key=lambda one: (round(shares[one], 9), -order.index(one)))
    told = f"{problem.target} is {value} ({counts[value]} of the {len(nearest)} nearest rows)"
    if is_open := shares[value] < ENOUGH:
        told = f"not enough evidence: {value} is {shares[value]:.0%} probable"
    return MethodResult(
        "unknown" if is_open else "estimated",
        Classified(value, shares, tuple(nearest)),
        told,
        claims=() if is_open else (AnswerClaim(problem.target, "is", value, tuple(shares.items())),),
        confidence=shares[value],
        confidence_kind="frequency",
        trace=tuple(TraceStep(f"row {number} is {classes[number]}", "nearest neighbour") for number in nearest),
    )


def _fit_strength(classes: Sequence[str], places: Sequence[int], near: Callable[[int], list[int]]) -> float:
    """Return the number of rows that the overall shares count for next to the neighbours: the least surprising value
    when rows are left out one by one; one row where there are few.
    """
    every, losses = Counter(classes), dict.fromkeys(STRENGTHS, 0.0)
    if len(places) < FEW:
        return STRENGTHS[0]
    for place in places:
        found = near(place)
        hits, base = sum(classes[one] == classes[place] for one in found), every[classes[place]] / len(classes)
        for strength in STRENGTHS:
            losses[strength] -= log((hits + strength * base) / (len(found) + strength))
    return min(STRENGTHS, key=lambda one: (round(losses[one], 9), -one))


def _span(values: Sequence[Value]) -> float:
    """Return the range of numbers, 0 where they are words."""
    figures = [float(value) for value in values if not isinstance(value, str)]
    return max(figures) - min(figures) if len(figures) == len(values) else 0.0


def _apart(a: Value, b: Value, span: float) -> float:
    """Return how far two values are apart, 0 to 1 within the range seen."""
    if span and not isinstance(a, str) and not isinstance(b, str):
        return abs(float(a) - float(b)) / span
    return float(a != b)
