"""What amounts are worth: utility functions and their inverses (von Neumann and Morgenstern 1944; Pratt 1964)."""

from bisect import bisect_right
from math import exp, inf, log

from configs.errors import InvalidArgument
from knowledge.reasoning.probabilistic.choices import Utility

STEEPEST = 25.0
"""Beyond this product of aversion and amount cara is flat to the precision of a number."""


def worth(utility: Utility, amount: float) -> float:
    """Return what `amount` on top of the wealth is worth. Raises `InvalidArgument` outside the function's domain."""
    total = amount + utility.wealth
    match utility.form:
        case "crra":
            if total < 0 or (total == 0 and utility.parameter >= 1):
                msg = f"crra utility is for amounts above 0; {amount:g} with wealth {utility.wealth:g} is not"
                raise InvalidArgument(msg, argument="utility")
            return log(total) if utility.parameter == 1 else _power(utility, total) / (1 - utility.parameter)
        case "cara":
            if abs(utility.parameter * total) > STEEPEST:
                msg = (
                    f"cara with parameter {utility.parameter:g} is too steep for {total:g}: "
                    f"it takes amounts within {STEEPEST / abs(utility.parameter):g}; use a smaller parameter"
                )
                raise InvalidArgument(msg, argument="utility.parameter")
            return (1 - exp(-utility.parameter * total)) / utility.parameter
        case "piecewise":
            return _between(utility.points, total)
    return total


def _power(utility: Utility, total: float) -> float:
    """Return an amount to the power of crra. Raises `InvalidArgument` where that is beyond what a number holds."""
    try:
        raised: float = total ** (1 - utility.parameter)
    except OverflowError:
        raised = inf
    if raised == inf or (raised == 0 and total > 0):
        msg = f"crra with parameter {utility.parameter:g} is too steep for {total:g}; use a parameter nearer to 1"
        raise InvalidArgument(msg, argument="utility.parameter")
    return raised


def certainty_equivalent(utility: Utility, value: float) -> float:
    """Return the sure amount that is worth `value`, on top of the wealth."""
    match utility.form:
        case "crra" if utility.parameter == 1:
            total = exp(value)
        case "crra":
            total = (value * (1 - utility.parameter)) ** (1 / (1 - utility.parameter))
        case "cara":
            total = -log(1 - value * utility.parameter) / utility.parameter
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
