"""Calibration: do claims at 80 % confidence come true four times in five (Brier 1950; Murphy 1973; Guo 2017)?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import log
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.problem import Probability, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep


class Forecasts(ReasoningProblem):
    """Confidences of forecasts and their outcomes: true, false, or between, as a draw is half a win."""

    kind: Literal["forecasts"] = "forecasts"
    forecasts: Annotated[tuple[tuple[Probability, Probability], ...], Field(min_length=1, max_length=1_000_000)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "forecasts",
        "forecasts": [[0.9, True], [0.8, True], [0.7, False], [0.3, False]],
    }


BINS = 15
"""Bins of equal mass."""
WIDE_BINS = 10
"""Bins of equal width."""
FEW = 30
"""Forecasts below which no calibration error is told: its bias would be larger than it."""
ENOUGH_TO_MAP = 50
_LEAST = 1e-15
Forecast = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Bin:
    """A group of similar forecasts: their number, mean confidence, and frequency of truth."""

    count: int
    forecast: float
    frequency: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """The quality of forecasts. The Brier score is reliability - resolution + uncertainty of Murphy, over the values
    that were forecast; the calibration errors are over bins of equal mass and of equal width. `corrected` maps
    forecasts to how often such came true, rising."""

    count: int
    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    log_loss: float
    error: float | None
    error_wide: float | None
    bins: tuple[Bin, ...]
    corrected: tuple[tuple[float, float], ...]


def estimate(problem: Forecasts) -> float:
    """Return about how many milliseconds this takes."""
    return 0.005 * len(problem.forecasts)


def solve(problem: Forecasts, budget: Budget) -> MethodResult[Calibration]:
    """Return the calibration of forecasts, and a correction map."""
    budget.check()
    told = calibration(problem.forecasts)
    error = "" if told.error is None else f", calibration error {told.error:.4f}"
    few = () if told.error is not None else (f"fewer than {FEW} forecasts: no calibration error is given",)
    return MethodResult(
        "estimated",
        told,
        f"Brier score {told.brier:.4f} over {told.count:,} forecasts{error}",
        claims=(AnswerClaim("forecasts", "Brier score", told.brier),),
        trace=tuple(
            TraceStep(f"{one.count} at {one.forecast:.3f} came true {one.frequency:.3f}", "bin") for one in told.bins
        ),
        assumptions=("what is to come is like what was", *few),
    )


def calibration(forecasts: Sequence[Forecast]) -> Calibration:
    """Return the figures of at least one forecast."""
    count = len(forecasts)
    base = sum(right for _, right in forecasts) / count
    groups = [_bin(list(held)) for _, held in groupby(sorted(forecasts), key=lambda one: one[0])]
    ordered = sorted(forecasts)
    bins = _equal_mass(groups)
    wide = [
        _bin(list(held)) for _, held in groupby(ordered, key=lambda one: min(int(one[0] * WIDE_BINS), WIDE_BINS - 1))
    ]
    enough = count >= FEW
    return Calibration(
        count,
        sum((share - right) ** 2 for share, right in forecasts) / count,
        sum(one.count * (one.forecast - one.frequency) ** 2 for one in groups) / count,
        sum(one.count * (one.frequency - base) ** 2 for one in groups) / count,
        sum(right**2 for _, right in forecasts) / count - base**2,
        -sum(_log_chance(share, right) for share, right in forecasts) / count,
        _error(bins, count) if enough else None,
        _error(wide, count) if enough else None,
        tuple(bins),
        _isotonic(ordered) if count >= ENOUGH_TO_MAP else (),
    )


def _log_chance(share: float, right: float) -> float:
    """Return the logarithm of the probability that a forecast gave to the outcome."""
    return right * log(max(share, _LEAST)) + (1 - right) * log(max(1 - share, _LEAST))


def _bin(forecasts: Sequence[Forecast]) -> Bin:
    count = len(forecasts)
    return Bin(count, sum(share for share, _ in forecasts) / count, sum(right for _, right in forecasts) / count)


def _equal_mass(groups: Sequence[Bin]) -> list[Bin]:
    """Return bins of about the same number of forecasts; equal forecasts stay together."""
    count = sum(one.count for one in groups)
    bins: list[Bin] = []
    held: list[Bin] = []
    seen = 0
    for one in groups:
        held.append(one)
        seen += one.count
        if seen >= (len(bins) + 1) * count / BINS or one is groups[-1]:
            bins.append(_merge_bins(held))
            held = []
    return bins


def _merge_bins(bins: Sequence[Bin]) -> Bin:
    count = sum(one.count for one in bins)
    return Bin(
        count,
        sum(one.count * one.forecast for one in bins) / count,
        sum(one.count * one.frequency for one in bins) / count,
    )


def _error(bins: Sequence[Bin], count: int) -> float:
    return sum(one.count * abs(one.forecast - one.frequency) for one in bins) / count


def _isotonic(ordered: Sequence[Forecast]) -> tuple[tuple[float, float], ...]:
    """Return the rising map of least squares, by pooling adjacent violators (Ayer et al. 1955)."""
    blocks: list[tuple[float, float, int]] = []  # the least forecast, the frequency, how many
    for edge, held in groupby(ordered, key=lambda one: one[0]):
        rights = [right for _, right in held]
        blocks.append((edge, sum(rights) / len(rights), len(rights)))
        while len(blocks) > 1 and blocks[-2][1] >= blocks[-1][1]:
            (low, first, many), (_, second, more) = blocks[-2:]
            blocks[-2:] = [(low, (first * many + second * more) / (many + more), many + more)]
    return tuple((edge, frequency) for edge, frequency, _ in blocks)
