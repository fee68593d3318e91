"""The customers' response: leads for money, sales for price and quality, and reasons to leave. Formulas only."""

import math
from dataclasses import dataclass
from random import Random
from statistics import NormalDist

from mabos.society.simulation.truth import ChannelReach, SegmentTruth

Reason = str
_EXACT_BELOW = 40.0


@dataclass(frozen=True, slots=True)
class MarketStanding:
    """The product's position in its market: quality and expected quality (0 to 1), reputation, support pressure."""

    quality: float
    expectation: float
    reputation: float
    pressure: float
    """Open tickets in weeks of support capacity."""
    unserved: float = 0.0
    """The share of orders that could not be filled, or how overdue engagements are; 0 to 1."""

    @property
    def gap(self) -> float:
        """The amount by which the product falls short of the market's expectation."""
        return max(0.0, self.expectation - self.quality)


def count(luck: Random, mean: float, *, at_most: int) -> int:
    """Return a random count with this mean.

    One draw decides, and the count rises with the mean for the same draw: two policies in the same week meet the
    same luck. Poisson by inversion for small means, its normal approximation above.
    """
    draw = min(max(luck.random(), 1e-12), 1 - 1e-12)
    if mean <= 0 or at_most <= 0:
        return 0
    if mean < _EXACT_BELOW:
        return min(at_most, _poisson(draw, mean))
    return min(at_most, max(0, round(NormalDist(mean, math.sqrt(mean)).inv_cdf(draw))))


def _poisson(draw: float, mean: float) -> int:
    found, share = 0, math.exp(-mean)
    reached = share
    while reached < draw and share > 0:
        found += 1
        share *= mean / found
        reached += share
    return found


def expected_leads(reach: ChannelReach, spend: float) -> float:
    """Return the leads from a week's spend: the first costs `cost_per_lead`, and the channel saturates.

    `most x (1 - exp(-spend / (cost x most)))`: three times the budget that buys the first half brings the rest.
    """
    if spend <= 0:
        return 0.0
    return reach.most_leads * (1 - math.exp(-spend / (reach.cost_per_lead * reach.most_leads)))


def accepted_share(truth: SegmentTruth, price: float, standing: MarketStanding) -> float:
    """Return the share of a segment that accepts the price: a logistic curve in the log of the price.

    A product below expectations is worth less, one above them more.
    """
    if price <= 0:
        return 1.0
    worth = truth.willingness_to_pay * min(1.25, max(0.4, 0.4 + 0.6 * standing.quality / standing.expectation))
    return 1 / (1 + math.pow(price / worth, truth.elasticity))


def appetite(truth: SegmentTruth, price: float, standing: MarketStanding) -> float:
    """Return the orders of a shop's customers at this price, relative to those at its opening price."""
    if truth.opening_price <= 0:
        return 1.0
    usual = accepted_share(truth, truth.opening_price, standing)
    return min(1.5, accepted_share(truth, price, standing) / usual)


def felt_spend(reach: ChannelReach, spend: float, before: float) -> float:
    """Return the spend that takes effect this week, from this week's and the rest of earlier weeks, in dollars."""
    return (1 - reach.carry_over) * spend + reach.carry_over * before


def compute_fatigue(reach: ChannelReach, felt: float, before: float) -> float:
    """Return the fatigue of a channel's audience after this week, from 0 to 1."""
    used = 1 - math.exp(-felt / (reach.cost_per_lead * reach.most_leads))
    return 0.85 * before + 0.15 * used


def conversion(truth: SegmentTruth, price: float, standing: MarketStanding) -> float:
    """Return the share of mature leads that sign: base rate x acceptance of the price x reputation x quality floor."""
    below = max(0.0, truth.quality_floor - standing.quality)
    trust = 0.6 + 0.8 * standing.reputation
    share = truth.conversion * 2 * accepted_share(truth, price, standing) * trust * max(0.1, 1 - 3 * below)
    return min(0.9, share)


def churn_factors(truth: SegmentTruth, paid: float, listed: float, standing: MarketStanding) -> dict[Reason, float]:
    """Return the multipliers of a segment's base churn, by reason: price, quality, support, delivery.

    Once the price is too high for more than three in ten, a tenth of the others walk out every week.
    """
    refused = 1 - accepted_share(truth, paid, standing)
    walking_out = 0.1 * max(0.0, refused - 0.3) / truth.churn
    rise = max(0.0, listed / paid - 1) if paid > 0 else 0.0
    below = max(0.0, truth.quality_floor - standing.quality)
    factors = {
        "price": (0.6 + 1.6 * refused * refused + walking_out) * (1 + 1.2 * rise),
        "quality": 1 + 6 * standing.gap + 8 * below,
        "support": 1 + 0.25 * min(4.0, standing.pressure),
    }
    return factors | ({"delivery": 1 + 3 * standing.unserved} if standing.unserved else {})


def churn(truth: SegmentTruth, factors: dict[Reason, float], shock: float) -> float:
    """Return the share of a segment that leaves this week."""
    return min(0.5, truth.churn * math.prod(factors.values()) * shock)


def organic_leads(truth: SegmentTruth, subscribers: int, audience: float, reputation: float) -> float:
    """Return the free leads: from content (which saturates) and from word of mouth."""
    known = 1 + 1.2 * (1 - math.exp(-audience / 8))
    return truth.organic_leads * (0.5 + reputation) * known + 0.003 * subscribers * reputation


def compute_untapped_share(truth: SegmentTruth, subscribers: int) -> float:
    """Return the share of the segment's accounts that are not yet customers."""
    return max(0.0, 1 - subscribers / truth.accounts)
