"""Forecasts of a series with intervals from its own past errors (Holt 1957, Gardner and McKenzie 1985, Tashman 2000).

Several simple models forecast every part of the past from the values before it. The one with the smallest mean error is
chosen, or a simpler one that is hardly worse. The interval is as wide as its errors, or wider if these are few.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import erf, sqrt
from statistics import linear_regression, pstdev

COVERAGE = 0.8
"""The share of cases in which the interval is to hold the value."""
_FIRST = 4
"""Values that a model must have seen before its forecasts are judged."""
_GAIN = 0.97
"""A less simple model must be at least this much better."""
_Z = 1.2816
_FEW = {1: 3.08, 2: 1.89, 3: 1.64, 4: 1.53}
"""Student's t for 80 % where there are few errors."""


@dataclass(frozen=True, slots=True)
class SeriesForecast:
    """A forecast value, its interval, its model, and the number of past errors behind it."""

    horizon: int
    value: float
    low: float
    high: float
    model: str
    errors: int
    coverage: float = COVERAGE

    def above(self, level: float) -> float:
        """Return the probability that the value is above a level, for a normal distribution with this interval."""
        spread = (self.high - self.low) / (2 * _Z)
        if spread <= 0:
            return float(self.value > level)
        return 0.5 * (1 + erf((self.value - level) / (spread * sqrt(2))))


def _last(values: Sequence[float], _steps: int) -> float:
    return values[-1]


def _mean(values: Sequence[float], _steps: int) -> float:
    return sum(values) / len(values)


def _drift(values: Sequence[float], steps: int) -> float:
    return values[-1] + steps * (values[-1] - values[0]) / (len(values) - 1)


def _growth(values: Sequence[float], steps: int) -> float:
    """Return the value after the average growth in per cent; a series that reaches zero has none."""
    if min(values) <= 0:
        return _drift(values, steps)
    return values[-1] * float((values[-1] / values[0]) ** (steps / (len(values) - 1)))


def _holt(alpha: float, beta: float, damping: float) -> Callable[[Sequence[float], int], float]:
    def ahead(values: Sequence[float], steps: int) -> float:
        level, slope = values[0], values[1] - values[0]
        for one in values[1:]:
            before = level
            level = alpha * one + (1 - alpha) * (level + damping * slope)
            slope = beta * (level - before) + (1 - beta) * damping * slope
        return level + slope * sum(damping**step for step in range(1, steps + 1))

    return ahead


_MODELS: tuple[tuple[str, Callable[[Sequence[float], int], float]], ...] = (
    ("the last value", _last),
    ("the mean", _mean),
    ("the average change", _drift),
    ("the average growth", _growth),
    ("a damped trend", _holt(0.6, 0.2, 0.9)),
    ("a trend", _holt(0.6, 0.2, 1.0)),
    ("a slow trend", _holt(0.3, 0.1, 1.0)),
)
"""The simpler ones first."""


def _seasonal(period: int, model: Callable[[Sequence[float], int], float]) -> Callable[[Sequence[float], int], float]:
    """Return a model of the series without each season's usual distance from the level."""

    def ahead(values: Sequence[float], steps: int) -> float:
        if len(values) < 2 * period:
            return values[-1 - (-steps % period)] if len(values) >= period else values[-1]
        means = [sum(values[at : at + period]) / period for at in range(len(values) - period + 1)]
        gaps: list[list[float]] = [[] for _ in range(period)]
        for place in range(len(values)):
            around = min(max(place - period // 2, 0), len(means) - 1)
            gaps[place % period].append(values[place] - means[around])
        usual = [sum(one) / len(one) for one in gaps]
        centre = sum(usual) / period
        bare = [value - usual[place % period] + centre for place, value in enumerate(values)]
        return model(bare, steps) + usual[(len(values) + steps - 1) % period] - centre

    return ahead


def forecast(values: Sequence[float], horizon: int, period: int | None = None) -> SeriesForecast:
    """Return the forecast of a series of at least six values, a number of steps ahead."""
    models = list(_MODELS)
    if period is not None and len(values) >= 2 * period:
        models += [
            (f"{name}, by season", _seasonal(period, model)) for name, model in (_MODELS[0], _MODELS[2], *_MODELS[4:6])
        ]
        models.append(("the mean, by season", _seasonal(period, _mean)))
    first = max(_FIRST, 2 * period if period is not None and len(values) >= 2 * period + 3 else 0)
    steps = horizon if len(values) - first - horizon >= 2 else 1
    judged: list[tuple[float, str, Callable[[Sequence[float], int], float], list[float]]] = []
    for name, model in models:
        errors = [
            values[origin + steps - 1] - model(values[:origin], steps)
            for origin in range(first, len(values) - steps + 1)
        ]
        size = sum(map(abs, errors)) / len(errors)
        if not judged or size < _GAIN * judged[-1][0]:
            judged.append((size, name, model, errors))
    _, name, model, errors = judged[-1]
    count = len(errors)
    deviation = sqrt(sum(one * one for one in errors) / count) * sqrt(horizon / steps)
    if period is None:  # a model that was chosen for its few errors is not surer than the values are steady
        moves = [b - a for a, b in pairwise(values)]
        slope, start = linear_regression(range(len(values)), values)
        line = pstdev(value - start - slope * place for place, value in enumerate(values))
        deviation = max(deviation, min(line * sqrt(len(values) / (len(values) - 2)), pstdev(moves) / sqrt(2)))
    free = max(1, (count - 1) // max(1, min(steps, 3)))  # errors of overlapping stretches are no independent ones
    width = _FEW.get(free, _Z * (1 + (_Z**2 + 1) / (4 * free))) * deviation * sqrt(1 + 1 / count)
    value = model(values, horizon)
    return SeriesForecast(horizon, value, value - width, value + width, name, count)
