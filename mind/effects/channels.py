"""What advertising brings on one channel for one segment: an exact grid over the cost of a lead and the most there are.

A week's leads are Poisson with the mean `most x (1 - exp(-usd / (cost x most)))`: the first lead costs `cost`, and a
channel saturates (Little, "Models and managers", 1970). Older weeks count less, and a week that is far from what was
expected makes most of what was believed before count less, so that a channel that dies is noticed at once.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mabos.mind.effects.records import Booking

Grid = NDArray[np.float64]
_COSTS = np.exp(np.linspace(-3.2, 3.2, 27))
_MOST = np.exp(np.linspace(-4.6, 2.3, 24))
COST_SD, MOST_SD = 1.2, 1.0
"""How wide the priors are, in logarithms."""
KEPT = 0.94
"""How much of what was believed counts after a week."""
KEPT_AFTER_SURPRISE = 0.35
SURPRISE = 2.3
"""Standard deviations from which a week surprises."""
BUDGETS = np.array([0, 20, 35, 55, 80, 120, 170, 240, 330, 450, 600, 800, 1050, 1400, 1900, 2600, 3600, 5000.0])
"""Dollars a week that are compared."""


@dataclass(frozen=True, slots=True)
class ChannelBelief:
    """A posterior over the cost of the first lead (rows, dollars) and the most leads a week (columns)."""

    costs: Grid
    most: Grid
    share: Grid
    weeks: int
    """Weeks of advertising that it rests on."""

    def leads(self, usd: Grid) -> Grid:
        """Return the leads to be expected from each weekly budget."""
        means = _means(usd[:, None, None], self.costs, self.most)
        return np.asarray((means * self.share).sum(axis=(1, 2)))

    def cost_interval(self, usd: float) -> tuple[float, float, float]:
        """Return what a lead costs at a weekly budget: the tenth, the middle and the ninetieth part of the belief."""
        each = usd / np.maximum(_means(np.array(usd), self.costs, self.most), 1e-9)
        order = np.argsort(each, axis=None)
        upto = np.cumsum(self.share.ravel()[order])
        low, middle, high = (float(each.ravel()[order][np.searchsorted(upto, part)]) for part in (0.1, 0.5, 0.9))
        return low, middle, high


def channel_belief(
    lead_cost: float, most: float, bookings: Iterable[Booking], week: int, *, learns: bool = True
) -> ChannelBelief:
    """Return what is believed of a place in `week`, after its bookings; `lead_cost` and `most` are the prior's middle.

    Where it `learns` nothing, the prior stands.
    """
    costs, mosts = (lead_cost * _COSTS)[:, None], (most * _MOST)[None, :]
    prior = -0.5 * (np.log(_COSTS)[:, None] / COST_SD) ** 2 - 0.5 * (np.log(_MOST)[None, :] / MOST_SD) ** 2
    prior = prior - np.log(np.exp(prior).sum())
    belief, at, ran = prior, 0, 0
    for one in bookings if learns else ():
        if not one.weeks_run:
            continue
        ended = one.week + one.weeks_run
        belief = _aged(belief, prior, max(0, ended - at))
        at = max(at, ended)
        ran += one.weeks_run
        means = one.weeks_run * _means(np.array(one.weekly_usd), costs, mosts)
        expected, spread = _expected(belief, means)
        if abs(one.leads - expected) > SURPRISE * sqrt(expected + spread + 0.25):
            belief = KEPT_AFTER_SURPRISE * belief + (1 - KEPT_AFTER_SURPRISE) * prior
        belief = _normal(belief + one.leads * np.log(means) - means)
    belief = _aged(belief, prior, max(0, week - at))
    return ChannelBelief(costs, mosts, np.exp(belief), ran)


def _means(usd: Any, costs: Grid, most: Grid) -> Grid:
    return np.asarray(most * -np.expm1(-usd / (costs * most)))


def _aged(belief: Grid, prior: Grid, weeks: int) -> Grid:
    kept = KEPT**weeks
    return _normal(kept * belief + (1 - kept) * prior)


def _normal(log: Grid) -> Grid:
    top = log.max()
    return np.asarray(log - top - np.log(np.exp(log - top).sum()))


def _expected(belief: Grid, means: Grid) -> tuple[float, float]:
    """Return the mean and the variance of what is expected, without the chance of the week itself."""
    share = np.exp(belief)
    mean = float((share * means).sum())
    return mean, float((share * (means - mean) ** 2).sum())
