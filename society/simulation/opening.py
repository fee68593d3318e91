"""The weeks before the first: a company that opens its books has traded before, and its market goes on as it went.

Without them a run would begin with rates computed over one week of luck, and with nobody about to decide where a sale
takes long.
"""

import math
from dataclasses import replace

from mabos.society.simulation.market import churn, churn_factors, conversion, organic_leads, untouched
from mabos.society.simulation.serving import usual
from mabos.society.simulation.state import MarketState, Segment, SegmentFlow
from mabos.society.simulation.truth import MarketTruth
from mabos.society.simulation.world import RECENT, books, standing, traded_in


def settled(world: MarketState, truth: MarketTruth) -> MarketState:
    """Return `world` as the last of some usual weeks left it: leads on their way, trade and money of those weeks.

    A usual week is what the market comes to on average where nobody does anything; its counts are whole numbers that
    add up to that average.
    """
    for ago in reversed(range(RECENT)):
        flows = tuple(_usual(segment, world, truth, ago) for segment in world.segments)
        week = usual(replace(world, flows=flows), truth)
        week = replace(week, ledger=books(week, truth))
        world = replace(week, recent=(*world.recent, traded_in(week, base=world.subscribers)))
    segments = (replace(one, pipeline=_on_their_way(one, world, truth)) for one in world.segments)
    return replace(world, segments=tuple(segments))


def _usual(segment: Segment, world: MarketState, truth: MarketTruth, ago: int) -> SegmentFlow:
    known, now = truth.segment(segment.name), standing(world, truth)
    leads = _leads(segment, world, truth)
    won = leads * conversion(known, segment.list_price, now)
    leaving = churn(known, churn_factors(known, segment.paid_price, segment.list_price, now), 1.0)
    lost = segment.subscribers * leaving
    return SegmentFlow(segment.name, *(_whole(mean, ago) for mean in (leads, leads, won, lost)))


def _leads(segment: Segment, world: MarketState, truth: MarketTruth) -> float:
    free = organic_leads(truth.segment(segment.name), segment.subscribers, world.audience, world.reputation)
    return free * untouched(truth.segment(segment.name), segment.subscribers)


def _on_their_way(segment: Segment, world: MarketState, truth: MarketTruth) -> tuple[int, ...]:
    mean, delay = _leads(segment, world, truth), truth.segment(segment.name).sale_delay_weeks
    return tuple(_whole(mean, place) for place in range(delay))


def _whole(mean: float, place: int) -> int:
    """Return the count of one week of a row of weeks whose counts add up to `mean` times their number, rounded."""
    return math.floor(mean * (place + 1) + 0.5) - math.floor(mean * place + 0.5)
