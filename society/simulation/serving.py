"""A week of a business without subscribers: a shop fills orders from stock, a practice works on engagements.

Pure, as the whole market; a company of subscribers has no week of this kind, and nothing here touches it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mabos.society.simulation.delivery import staff
from mabos.society.simulation.market import appetite, count
from mabos.society.simulation.moment import standing
from mabos.society.simulation.state import MarketState, Receivable, Segment, SegmentFlow, Serving
from mabos.society.simulation.truth import Goods, MarketTruth, Practice
from mabos.workspace.ids import random_stream

_AT_ONCE = 1.5
"""Consultants that can work on one engagement at a time."""
_OVERDUE = 6.0
"""Weeks of queued work from which clients feel that theirs is late; twice as many, and all do."""
_LATER = (2, 8)
"""By how many weeks late payers are late."""


def serve_customers(world: MarketState, before: Sequence[Segment], truth: MarketTruth, seed: str) -> MarketState:
    """Return the world after the week's customers were served; `before` are the segments at the start of the week."""
    if truth.goods is not None:
        return _shop(world, truth, truth.goods, seed)
    if truth.practice is not None:
        return _run_practice(world, before, truth, truth.practice, seed)
    return world


def usual(world: MarketState, truth: MarketTruth) -> MarketState:
    """Return the world after a usual week of its shop or practice; unchanged for subscriptions."""
    if truth.goods is not None:
        orders = {segment.name: segment.subscribers * truth.segment(segment.name).orders for segment in world.segments}
        sales = sum(orders[segment.name] * segment.list_price for segment in world.segments)
        units = round(sum(orders.values()))
        cost = units * (truth.goods.unit_cost + truth.goods.fulfilment)
        ledger = replace(world.ledger, goods=cost)
        return replace(world, ledger=ledger, serving=Serving(sales, sales, cost, units, units, used=1.0))
    if truth.practice is not None:
        invoiced = sum(one.usd for one in world.receivables) / truth.practice.payment_weeks
        used = min(1.0, sum(segment.work for segment in world.segments) / truth.practice.consultants)
        return replace(world, serving=Serving(takings=invoiced, sales=invoiced, used=used))
    return world


def _shop(world: MarketState, truth: MarketTruth, goods: Goods, seed: str) -> MarketState:
    """Fill the week's orders from stock; the segments in their order share it by demand."""
    wanted = {segment.name: _orders(segment, world, truth, seed) for segment in world.segments}
    demand = sum(wanted.values())
    units = min(demand, math.floor(world.stock))
    filled = _allocate_units(units, wanted)
    sales = sum(filled[segment.name] * segment.list_price for segment in world.segments)
    serving = Serving(
        takings=sales,
        sales=sales,
        cost=units * (goods.unit_cost + goods.fulfilment),
        volume=units,
        wanted=demand,
        unserved=1 - units / demand if demand else 0.0,
        used=units / demand if demand else 1.0,
    )
    left = world.stock - units
    running = units * goods.fulfilment + left * goods.storage
    ledger = replace(world.ledger, goods=world.ledger.goods + running)
    return replace(world, stock=left, serving=serving, ledger=ledger)


def _allocate_units(units: int, wanted: Mapping[str, int]) -> dict[str, int]:
    """Return the amount filled of each demand: in proportion, and the rounding remainder in their order."""
    demand = sum(wanted.values())
    filled = {name: orders * units // demand if demand else 0 for name, orders in wanted.items()}
    left = units - sum(filled.values())
    for name, orders in wanted.items():
        more = min(left, orders - filled[name])
        filled[name] += more
        left -= more
    return filled


def _orders(segment: Segment, world: MarketState, truth: MarketTruth, seed: str) -> int:
    known = truth.segment(segment.name)
    mean = segment.subscribers * known.orders * appetite(known, segment.list_price, standing(world, truth))
    luck = random_stream(seed, "orders", world.week, segment.name)
    return count(luck, mean, at_most=15 * segment.subscribers + 10)


def _run_practice(
    world: MarketState, before: Sequence[Segment], truth: MarketTruth, practice: Practice, seed: str
) -> MarketState:
    """Work on the engagements, invoice completed ones, and take in this week's payments."""
    flows = {flow.segment: flow for flow in world.flows}
    stood = {segment.name: segment for segment in before}
    queued = [_queue_work(one, stood[one.name], flows[one.name], truth) for one in world.segments]
    total, able = sum(one.work for one in queued), staff(world, truth)
    share = min(1.0, able / total) if total else 0.0
    worked, invoices, completed, done = [], list(world.receivables), 0, 0.0
    for segment in queued:
        effort = truth.segment(segment.name).effort
        part = min(segment.work * share, segment.subscribers * _AT_ONCE)
        left = max(0.0, segment.work - part)
        going = min(segment.subscribers, math.ceil(left / effort - 1e-9))
        ended = segment.subscribers - going
        invoices += [_invoice(segment, world.week, number, practice, seed) for number in range(ended)]
        worked.append(replace(segment, subscribers=going, work=left))
        completed, done = completed + ended, done + part
    paid = sum(one.usd for one in invoices if one.due <= world.week)
    sales = sum((a.subscribers - b.subscribers) * a.paid_price for a, b in zip(queued, worked, strict=True))
    late = max(0.0, min(1.0, (total / able - _OVERDUE) / _OVERDUE)) if able else 1.0
    serving = Serving(paid, sales, 0.0, completed, completed, late, done / able if able else 0.0)
    open_now = tuple(one for one in invoices if one.due > world.week)
    return replace(world, segments=tuple(worked), receivables=open_now, serving=serving)


def _queue_work(segment: Segment, before: Segment, flow: SegmentFlow, truth: MarketTruth) -> Segment:
    """Return the segment with the work of new engagements, and without that of cancelled ones."""
    stays = 1 - flow.lost / before.subscribers if before.subscribers else 0.0
    return replace(segment, work=before.work * stays + flow.new * truth.segment(segment.name).effort)


def _invoice(segment: Segment, week: int, number: int, practice: Practice, seed: str) -> Receivable:
    luck = random_stream(seed, "invoice", week, segment.name, number)
    later = luck.randint(*_LATER) if luck.random() < practice.late_share else 0
    return Receivable(week + practice.payment_weeks + later, segment.paid_price)
