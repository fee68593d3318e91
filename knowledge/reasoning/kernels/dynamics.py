"""Simulation of stocks over time: their trajectories, rest points, and feedback.

Euler and Runge-Kutta steps; rest points by Newton's method; stability by the eigenvalues of the Jacobian.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

Rates = Callable[[float, Sequence[float]], list[float]]
"""From the time and the stocks to how fast each changes."""
Scheme = Literal["euler", "rk4"]
NEAR = 1e-9
ROUNDS = 60


@dataclass(frozen=True, slots=True)
class RestPoint:
    """An equilibrium: its stocks, and the real part of the eigenvalue that decides its stability."""

    stocks: tuple[float, ...]
    leading: float
    turning: bool
    """Whether it is circled on the way (complex eigenvalues)."""

    @property
    def stability(self) -> Literal["stable", "unstable", "neutral"]:
        """Return whether the system returns after a small push."""
        return "neutral" if abs(self.leading) < 1e-6 else "stable" if self.leading < 0 else "unstable"


def steps(
    rates: Rates, stocks: Sequence[float], times: Sequence[float], scheme: Scheme, budget: Budget
) -> Iterator[list[float]]:
    """Yield the stocks at each time, starting with the first."""
    held = list(stocks)
    yield held
    for now, after in pairwise(times):
        budget.check()
        step = after - now
        first = rates(now, held)
        if scheme == "euler":
            held = _advance_stocks(held, first, step)
        else:
            second = rates(now + step / 2, _advance_stocks(held, first, step / 2))
            third = rates(now + step / 2, _advance_stocks(held, second, step / 2))
            fourth = rates(after, _advance_stocks(held, third, step))
            mean = [(a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(first, second, third, fourth, strict=True)]
            held = _advance_stocks(held, mean, step)
        yield held


def jacobian(rates: Rates, stocks: Sequence[float]) -> "Array":
    """Return by how much each stock's rate (row) rises with each stock (column)."""
    import numpy as np

    columns = []
    for place, value in enumerate(stocks):
        width = 1e-5 * max(1.0, abs(value))
        up, down = list(stocks), list(stocks)
        up[place], down[place] = value + width, value - width
        columns.append((np.array(rates(0.0, up)) - np.array(rates(0.0, down))) / (2 * width))
    return np.stack(columns, axis=1)


def rests(rates: Rates, starts: Sequence[Sequence[float]], budget: Budget) -> list[RestPoint]:
    """Return the distinct rest points that Newton's method finds from these starts."""
    import numpy as np

    found: list[RestPoint] = []
    for start in starts:
        budget.check()
        point = _newton(rates, start)
        if point is None or any(np.allclose(point, one.stocks, rtol=1e-6, atol=1e-6) for one in found):
            continue
        values = np.linalg.eigvals(jacobian(rates, point))
        leading = values[int(np.argmax(values.real))]
        found.append(RestPoint(tuple(point), float(leading.real), bool(abs(values.imag).max() > NEAR)))
    return sorted(found, key=lambda one: one.stocks)


def _newton(rates: Rates, start: Sequence[float]) -> list[float] | None:
    import numpy as np

    point = np.array(start, dtype=float)
    for _ in range(ROUNDS):
        try:
            off = np.array(rates(0.0, point.tolist()))
            slope = jacobian(rates, point.tolist())
        except InvalidArgument:
            return None
        size = float(np.abs(off).max())
        move = np.linalg.lstsq(slope, -off, rcond=None)[0]
        scale = max(1.0, float(np.abs(point).max()))
        if size < NEAR * scale and float(np.abs(move).max()) < 1e-7 * scale:
            return [float(round(one, 9)) + 0.0 for one in point.tolist()]
        point = point + move
        if not np.isfinite(point).all() or float(np.abs(point).max()) > 1e15:
            return None
    return None


def feedback(slopes: "Array", names: Sequence[str]) -> Mapping[str, list[str]]:
    """Return which stock affects which: an arrow if a rate changes with a stock."""
    return {
        cause: [effect for row, effect in enumerate(names) if abs(float(slopes[row, column])) > 1e-7]
        for column, cause in enumerate(names)
    }


def _advance_stocks(held: Sequence[float], rates: Sequence[float], step: float) -> list[float]:
    return [one + rate * step for one, rate in zip(held, rates, strict=True)]
