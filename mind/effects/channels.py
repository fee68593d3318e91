"""The yield of advertising on one channel for one segment: an exact grid over lead cost and maximum leads.

A week's leads are Poisson with the mean `most x (1 - exp(-usd / (cost x most)))`: the first lead costs `cost`, and a
channel saturates (Little, "Models and managers", 1970). In any week a channel may change into another. The week of the
last change is part of the belief, so that a dying channel is noticed at once (Adams and MacKay, "Bayesian online
changepoint detection", 2007).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from math import expm1, inf, log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mabos.mind.effects.records import Booking

Grid = NDArray[np.float64]
Story = tuple[float, Grid]
"""The probability, and the belief, for a channel unchanged since some week; both as logarithms."""
_COSTS = np.exp(np.linspace(-3.2, 3.2, 27))
_MOST = np.exp(np.linspace(-4.6, 2.3, 24))
COST_SD, MOST_SD = 1.2, 1.0
"""The widths of the priors, as logarithms."""
CHANGES = 1 / 60
"""The probability that a channel changes in a week."""
_STORIES = 5
"""The number of weeks for which a last change is remembered."""
_IN_VAIN, _REST = 6.0, 4
"""Dollars without a lead, as multiples of what one had cost, after which a place rests, and the least weeks of it."""
_STRIDE = 100
"""After how many bookings a step of `_stories` is asked for by itself."""
BUDGETS = np.array([0, 20, 35, 55, 80, 120, 170, 240, 330, 450, 600, 800, 1050, 1400, 1900, 2600, 3600, 5000.0])
"""Dollars a week that are compared."""


@dataclass(frozen=True, slots=True)
class ChannelBelief:
    """A posterior over the cost of the first lead (rows, dollars) and the maximum leads per week (columns)."""

    costs: Grid
    most: Grid
    share: Grid
    weeks: int
    """Weeks of advertising that it rests on."""
    most_usd: float = inf
    """The most to spend in a week: after much was spent in vain nothing for some weeks, and then a trial's worth."""

    def leads(self, usd: Grid) -> Grid:
        """Return the expected leads from each weekly budget; none if it exceeds the spending limit."""
        means = _means(usd[:, None, None], self.costs, self.most)
        return np.where(usd <= self.most_usd, (means * self.share).sum(axis=(1, 2)), 0.0)

    def cost_interval(self, usd: float) -> tuple[float, float, float]:
        """Return the cost of a lead at a weekly budget: the 10th, 50th and 90th percentile of the belief."""
        each = usd / np.maximum(_means(np.array(usd), self.costs, self.most), 1e-9)
        order = np.argsort(each, axis=None)
        upto = np.cumsum(self.share.ravel()[order])
        low, middle, high = (float(each.ravel()[order][np.searchsorted(upto, part)]) for part in (0.1, 0.5, 0.9))
        return low, middle, high


def channel_belief(
    lead_cost: float, most: float, bookings: Iterable[Booking], week: int, *, learns: bool = True
) -> ChannelBelief:
    """Return the belief about a channel in `week`, given its bookings; `lead_cost` and `most` are the prior's centre.

    With `learns` False the prior is kept.
    """
    ran = tuple(booking for booking in bookings if booking.weeks_run) if learns else ()
    for number in range(_STRIDE, len(ran), _STRIDE):
        _stories(lead_cost, most, ran[:number])  # so that no more steps than these are open at once
    stories, at = _stories(lead_cost, most, ran)
    stories = _age(stories, max(0, week - at) if learns else 0)
    weights = _as_log_shares(np.array([weight for weight, _ in stories]))
    share = sum(np.exp(weight + belief) for weight, (_, belief) in zip(weights, stories, strict=True))
    weeks = sum(booking.weeks_run for booking in ran)
    return ChannelBelief(*_axes(lead_cost, most), np.asarray(share), weeks, _most_usd(lead_cost, ran, week))


def _most_usd(lead_cost: float, ran: tuple[Booking, ...], week: int) -> float:
    """Return the maximum weekly spend on a place without recent leads for several times the earlier cost of one."""
    lately = list(takewhile(lambda one: not one.leads, reversed(ran)))
    before = ran[: len(ran) - len(lately)]
    cost = sum(map(_usd, before)) / sum(one.leads for one in before) if before else lead_cost
    if sum(map(_usd, lately)) <= _IN_VAIN * cost:
        return inf
    ended = lately[0].week + lately[0].weeks_run
    return 0.0 if week < ended + max(_REST, ended - lately[-1].week) else max(float(BUDGETS[1]), cost)


def _usd(booking: Booking) -> float:
    return booking.weekly_usd * booking.weeks_run


@lru_cache(maxsize=256)
def _stories(lead_cost: float, most: float, ran: tuple[Booking, ...]) -> tuple[tuple[Story, ...], int]:
    """Return the hypotheses on the last change (log weight and belief), and the end of the last booking.

    One more booking is one more step from the known result.
    """
    if not ran:
        return ((0.0, _PRIOR),), 0
    *earlier, last = ran
    stories, at = _stories(lead_cost, most, tuple(earlier))
    ended = last.week + last.weeks_run
    means = last.weeks_run * _means(np.array(last.weekly_usd), *_axes(lead_cost, most))
    seen = last.leads * np.log(means) - means
    aged = _age(stories, max(0, ended - at))
    weighed = [(weight + _total(belief + seen), _as_log_shares(belief + seen)) for weight, belief in aged]
    return tuple(sorted(weighed, key=lambda story: -story[0])[:_STORIES]), max(at, ended)


def _axes(lead_cost: float, most: float) -> tuple[Grid, Grid]:
    return (lead_cost * _COSTS)[:, None], (most * _MOST)[None, :]


def _means(usd: Any, costs: Grid, most: Grid) -> Grid:
    return np.asarray(most * -np.expm1(-usd / (costs * most)))


def _age(stories: tuple[Story, ...], weeks: int) -> tuple[Story, ...]:
    """Return the stories after some weeks, in which the channel may have become another."""
    if not weeks:
        return stories
    stays = weeks * log(1 - CHANGES)
    total = _total(np.array([weight for weight, _ in stories]))
    return (*((weight + stays, belief) for weight, belief in stories), (total + log(-expm1(stays)), _CHANGED))


def _total(logs: Grid) -> float:
    top = float(logs.max())
    return top + log(float(np.exp(logs - top).sum()))


def _as_log_shares(logs: Grid) -> Grid:
    return np.asarray(logs - _total(logs))


def _prior(cost_middle: float, cost_sd: float) -> Grid:
    """Return the logarithms of a prior; the middle of the cost is a logarithm too."""
    costs = ((np.log(_COSTS)[:, None] - cost_middle) / cost_sd) ** 2
    return _as_log_shares(-0.5 * costs - 0.5 * (np.log(_MOST)[None, :] / MOST_SD) ** 2)


_PRIOR: Final = _prior(0.0, COST_SD)
_CHANGED: Final = _prior(0.5, 2.0)  # a channel that has become another may be anything, and is seldom a bargain
