"""The market of one week: its hidden numbers after all changes, and the product's position in it. Pure."""

import math
from dataclasses import replace

from mabos.society.simulation.delivery import capacity
from mabos.society.simulation.happenings import shock
from mabos.society.simulation.market import MarketStanding
from mabos.society.simulation.state import MarketState, Segment
from mabos.society.simulation.truth import ChannelReach, MarketTruth, SegmentTruth


def standing(world: MarketState, truth: MarketTruth) -> MarketStanding:
    """Return the product's current position in its market."""
    pressure = world.backlog / max(1.0, capacity(world, truth))
    unserved = world.serving.unserved if world.serving else 0.0
    return MarketStanding(world.quality, world.expectation, world.reputation, pressure, unserved)


def present(world: MarketState, truth: MarketTruth) -> MarketTruth:
    """Return this week's hidden numbers, with the changes by events, and rivals' prices."""
    if not world.shocks and all(one.rival == 1.0 for one in world.segments):
        return truth
    segments = tuple(_shift_segment(one, truth.segment(one.name), world) for one in world.segments)
    cost = shock(world, "unit_cost_change", "all")
    goods = None if truth.goods is None else replace(truth.goods, unit_cost=truth.goods.unit_cost * cost)
    return replace(truth, segments=segments, goods=goods)


def _shift_segment(segment: Segment, known: SegmentTruth, world: MarketState) -> SegmentTruth:
    ready = known.willingness_to_pay * shock(world, "willingness_change", segment.name)
    if known.rival is not None:
        ready *= math.pow(segment.rival, known.rival.pull)
    reach = {
        name: _scale_reach(each, shock(world, "channel_change", segment.name, name))
        for name, each in known.reach.items()
    }
    return replace(known, willingness_to_pay=ready, reach=reach)


def _scale_reach(reach: ChannelReach, factor: float) -> ChannelReach:
    """Return a channel's remaining reach: at half its worth it has half the leads, at twice the cost."""
    if factor == 1.0:
        return reach
    return replace(reach, most_leads=reach.most_leads * factor, cost_per_lead=reach.cost_per_lead / factor)


def rival_price(segment: Segment, known: SegmentTruth) -> float:
    """Return a rival's price for next week, as a share of the rival's first price.

    The rival follows our price step by a share of the difference, and half as fast upwards as downwards.
    """
    if known.rival is None or known.opening_price <= 0:
        return segment.rival
    ours = segment.list_price / known.opening_price
    speed = known.rival.reaction if ours < segment.rival else known.rival.reaction / 2
    return segment.rival + speed * (ours - segment.rival)
