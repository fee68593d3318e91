"""The value of a company on the last day of a run: the rule by which runs are compared.

It models an orderly end, as an investor would calculate it. It adds the cash in the bank, stock at half of its cost,
and invoices at 95 percent. It adds the book of customers, sold for its contribution in half a year as it churns away.
It deducts eight weeks of payroll, owed to the staff, and the bank debt. Customers who have paid a year in advance pay
nothing in that half year. The book is valued at real charges over the last eight weeks, so that a price raised at the
end adds little. A practice finishes the engagements that it can finish in half a year, at 80 percent of their fees, and
pays its people until then. A value below zero counts as zero: no one has to buy the company.
"""

import math
from statistics import fmean

from mabos.society.simulation.delivery import staff
from mabos.society.simulation.funding import owed, wages
from mabos.society.simulation.market import appetite, churn, churn_factors
from mabos.society.simulation.moment import present, standing
from mabos.society.simulation.state import MarketState, Segment
from mabos.society.simulation.truth import MarketTruth

BOOK_WEEKS = 26
NOTICE_WEEKS = 8.0


def net_worth(world: MarketState, truth: MarketTruth) -> float:
    """Return the dollars that the rule of this module comes to; 0 for a bankrupt company."""
    if world.bankrupt:
        return 0.0
    known = present(world, truth)
    book = sum(_contribution(segment, world, known) for segment in world.segments)
    weeks = NOTICE_WEEKS
    if known.practice is not None:
        queued = sum(one.work for one in world.segments) / max(0.1, staff(world, known))
        book *= min(1.0, BOOK_WEEKS / max(0.1, queued))
        weeks = max(NOTICE_WEEKS, min(BOOK_WEEKS, queued))
    payroll = known.payroll * world.payroll_factor + wages(world)
    return max(0.0, world.cash + _value_holdings(world, known) + book - weeks * payroll - owed(world))


def _contribution(segment: Segment, world: MarketState, truth: MarketTruth) -> float:
    """Return the dollars that a segment's present customers still bring."""
    known, now = truth.segment(segment.name), standing(world, truth)
    charged = fmean(segment.asked) if segment.asked else segment.paid_price
    if truth.practice is not None:
        return 0.8 * segment.subscribers * charged
    leaving = churn(known, churn_factors(known, segment.paid_price, segment.list_price, now), 1.0)
    kept = sum(math.pow(1 - leaving, week) for week in range(1, BOOK_WEEKS + 1))
    if truth.goods is None:
        hosting = segment.subscribers * truth.hosting_per_subscriber
        return kept * ((segment.subscribers - segment.bound) * charged * 12 / 52 - hosting)
    margin = charged - truth.goods.unit_cost - truth.goods.fulfilment
    return kept * segment.subscribers * known.orders * appetite(known, charged, now) * margin


def _value_holdings(world: MarketState, truth: MarketTruth) -> float:
    """Return the value of stock and invoices."""
    stock = 0.5 * world.stock * truth.goods.unit_cost if truth.goods else 0.0
    return stock + 0.95 * sum(one.usd for one in world.receivables)
