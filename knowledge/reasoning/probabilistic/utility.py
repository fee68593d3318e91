"""Utilities of amounts: utility functions and their inverses (von Neumann and Morgenstern 1944; Pratt 1964).

Comparisons and averages use a rating: the utility of an amount, but for cara the amount itself. Under constant aversion
to risk sure amounts compare as their utilities do. The certainty equivalent of a lottery is the logarithm of a sum of
exponentials, which neither overflows nor flattens, however steep the function.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from math import exp, expm1, inf, log, log1p

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.probabilistic.choices import Utility

FLAT = 25.0
"""The product of aversion and amount up to which the worth of cara is told from 0."""
STEEPEST = 600.0
"""The product of aversion and range of amounts up to which numbers hold their worths side by side."""


def rating(utility: Utility, amount: float) -> float:
    """Return the rating of `amount`. Raises `InvalidArgument` outside the function's domain."""
    return amount if utility.form == "cara" else worth(utility, amount)


def mean(utility: Utility, shares: Sequence[tuple[float, float]]) -> float:
    """Return the rating of a lottery from the shares and ratings of its prizes."""
    total = sum(p for p, _ in shares)
    held = [(p / total, one) for p, one in shares if p]
    if utility.form != "cara":
        return sum(p * one for p, one in held)
    worst = (min if utility.parameter > 0 else max)(one for _, one in held)
    drops = [(p, -utility.parameter * (one - worst)) for p, one in held]
    fall = sum(p * expm1(drop) for p, drop in drops)
    risk = log1p(fall) if fall > -0.5 else log(sum(p * exp(drop) for p, drop in drops))
    return worst - risk / utility.parameter


def convert_rating(utility: Utility, rated: float) -> tuple[float, float]:
    """Return the utility behind a rating, and its certainty equivalent."""
    if utility.form == "cara":
        return worth(utility, rated), rated
    return rated, _certainty_equivalent(utility, rated)


def worth(utility: Utility, amount: float) -> float:
    """Return the utility of `amount` on top of the wealth. Raises `InvalidArgument` outside the function's domain."""
    total = amount + utility.wealth
    match utility.form:
        case "crra":
            if total < 0 or (total == 0 and utility.parameter >= 1):
                msg = f"crra utility is for amounts above 0; {amount:g} with wealth {utility.wealth:g} is not"
                raise InvalidArgument(msg, argument="utility")
            return log(total) if utility.parameter == 1 else _power(utility, total) / (1 - utility.parameter)
        case "cara":
            return -_safe_expm1(-utility.parameter * total) / utility.parameter
        case "piecewise":
            return _between(utility.points, total)
    return total


def worths(utility: Utility, amounts: Iterable[float]) -> tuple[dict[float, float], str]:
    """Return the utility of each amount on one scale, and a remark on that scale, if any.

    Under cara all amounts may be shifted equally without changing any choice. If their utilities do not fit on one
    scale, they are measured from the middle. Raises `InvalidArgument` if no scale fits.
    """
    every = sorted(set(amounts))
    if utility.form != "cara" or all(abs(utility.parameter * (one + utility.wealth)) <= FLAT for one in every):
        return {one: worth(utility, one) for one in every}, ""
    if abs(utility.parameter) * (every[-1] - every[0]) > STEEPEST:
        msg = (
            f"cara with parameter {utility.parameter:g} is too steep for amounts from {every[0]:g} to {every[-1]:g}: "
            f"regret compares worths within {STEEPEST / abs(utility.parameter):g} of each other; use expected-utility"
        )
        raise InvalidArgument(msg, argument="utility.parameter")
    middle = every[0] / 2 + every[-1] / 2
    scale = {one: -exp(-utility.parameter * (one - middle)) / utility.parameter for one in every}
    return scale, f"worth is told from an amount of {middle:g}, which changes no choice"


def _safe_expm1(exponent: float) -> float:
    try:
        return expm1(exponent)
    except OverflowError:
        return inf


def _power(utility: Utility, total: float) -> float:
    """Return an amount to the power of crra. Raises `InvalidArgument` on overflow or underflow."""
    try:
        raised: float = total ** (1 - utility.parameter)
    except OverflowError:
        raised = inf
    if raised == inf or (raised == 0 and total > 0):
        msg = f"crra with parameter {utility.parameter:g} is too steep for {total:g}; use a parameter nearer to 1"
        raise InvalidArgument(msg, argument="utility.parameter")
    return raised


def _certainty_equivalent(utility: Utility, value: float) -> float:
    """Return the sure amount that is worth `value`, on top of the wealth; of cara that is the rating itself."""
    match utility.form:
        case "crra" if utility.parameter == 1:
            total = exp(value)
        case "crra":
            total = (value * (1 - utility.parameter)) ** (1 / (1 - utility.parameter))
        case "piecewise":
            total = _between(tuple((there, here) for here, there in utility.points), value)
        case _:
            total = value
    return total - utility.wealth


def _between(points: tuple[tuple[float, float], ...], at: float) -> float:
    """Return the value on the line through the points on both sides of `at`, the first or last line beyond the ends."""
    after = min(max(bisect_right([x for x, _ in points], at), 1), len(points) - 1)
    (left, low), (right, high) = points[after - 1], points[after]
    return low if right == left else low + (high - low) * (at - left) / (right - left)
