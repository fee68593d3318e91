"""A week of a simulated company: `step(world, truth, levers, seed)` returns the next state and the events.

Pure: no clock, disk or network. Every random number comes from a stream named by seed, purpose, week and thing. So
policies that act differently, or in another order, meet the same luck in the same week.

    world = MarketState(week=0, cash=400_000, segments=(...), quality=0.55, expectation=0.55)
    for _ in range(13):
        world, events = step(world, truth, levers, seed="1")
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from mabos.society.campaigns import Channel
from mabos.society.content import CONTENT_COST_USD
from mabos.society.simulation.delivery import Deliveries, capacity, deliver, delivery_events, tickets
from mabos.society.simulation.funding import (
    CONTRACT_WEEKS,
    contracts_after,
    quality_built_by_staff,
    settle_funding,
    update_staff,
    wages,
)
from mabos.society.simulation.happenings import apply_events, shock
from mabos.society.simulation.levers import Advertising, ContentPiece, Levers
from mabos.society.simulation.market import (
    MarketStanding,
    churn,
    churn_factors,
    compute_fatigue,
    compute_untapped_share,
    conversion,
    count,
    expected_leads,
    felt_spend,
    organic_leads,
)
from mabos.society.simulation.moment import present, rival_price, standing
from mabos.society.simulation.serving import serve_customers, usual
from mabos.society.simulation.state import (
    Advertised,
    CampaignRun,
    MarketEvent,
    MarketState,
    Segment,
    SegmentFlow,
    Trade,
    WeekLedger,
    run_of,
)
from mabos.society.simulation.truth import ChannelReach, MarketTruth, SegmentTruth
from mabos.society.simulation.wording import customers, label_record
from mabos.workspace.ids import random_stream
from mabos.workspace.numbers import clamp

_RENEWING = 0.12
"""Share of the book whose price follows the list in a week: contracts renew, they are not rewritten at once."""
_UNTARGETED = 0.6
"""The value of a dollar in a campaign that addresses everybody instead of one segment."""
_AUDIENCE_KEPT = 0.95
RECENT = 4
"""Weeks that rates are reported over."""
CHARGED_WEEKS = 8
"""Weeks for which a segment remembers what it was charged, so that its worth does not hang on the last of them."""


@dataclass(frozen=True, slots=True)
class _Media:
    """A week of advertising: dollars and leads by (channel, segment), the runs of each campaign, those over by name."""

    spend: Mapping[tuple[Channel, str], float]
    leads: Mapping[tuple[Channel, str], int]
    runs: tuple[CampaignRun, ...]
    cost: float
    ended: tuple[tuple[str, CampaignRun], ...]
    left: tuple[Advertised, ...]


def step(
    world: MarketState, truth: MarketTruth, levers: Levers, seed: str
) -> tuple[MarketState, tuple[MarketEvent, ...]]:
    """Return the state after one more week, and its events; a bankrupt company does not change."""
    if world.bankrupt:
        return replace(world, week=world.week + 1, flows=(), ledger=WeekLedger()), ()
    world, news = apply_events(replace(world, ledger=WeekLedger()), truth)
    world = _apply_prices(world, levers)
    world, answers = settle_funding(world, levers.loans, levers.refunds)
    world = update_staff(world, truth, levers.positions, seed)
    truth = present(world, truth)
    now = standing(world, truth)
    media = _run_advertising(world, truth, levers, seed)
    work = deliver(world, truth, levers.orders, seed)
    yearly = dict(levers.yearly) if truth.goods is None and truth.practice is None else {}
    traded = [
        _trade_segment(segment, world, truth, standing=now, media=media, yearly=yearly.get(segment.name), seed=seed)
        for segment in world.segments
    ]
    complaints = [event for _, _, event in traded if event is not None]
    pieces = [piece for piece in levers.content if piece.article_id not in world.published]
    after = replace(
        _with_work(world, truth, work, pieces),
        segments=tuple(segment for segment, _, _ in traded),
        ledger=replace(world.ledger, prepaid=sum(_prepayments(segment, world.week) for segment, _, _ in traded)),
        flows=tuple(flow for _, flow, _ in traded),
        campaigns=media.runs,
        advertised=media.left,
    )
    after = serve_customers(after, world.segments, truth, seed)
    closed = _close_books(after, truth, media.cost, work, len(pieces))
    closed = replace(closed, recent=(*world.recent, traded_in(closed, base=world.subscribers))[-RECENT:])
    events = [
        *news,
        *answers,
        *complaints,
        *_list_campaign_ends(media, world.week),
        *delivery_events(work.done, world.week, seed),
    ]
    if world.obligations and not closed.obligations:
        text = "The regulator accepts the compliance work; the notice is settled."
        events.append(MarketEvent(world.week, "notice_settled", "compliance", value="settled", text=text))
    if closed.bankrupt:
        text = "The company cannot pay its bills any more: it is bankrupt."
        events.append(MarketEvent(world.week, "bankrupt", "company", value="bankrupt", text=text))
    return closed, tuple(events)


def _apply_prices(world: MarketState, levers: Levers) -> MarketState:
    prices = dict(levers.prices)
    segments = tuple(
        replace(segment, list_price=prices.get(segment.name, segment.list_price)) for segment in world.segments
    )
    return replace(world, segments=segments)


def _run_advertising(world: MarketState, truth: MarketTruth, levers: Levers, seed: str) -> _Media:
    running = [one for one in levers.advertising if run_of(world.campaigns, one.campaign_id).weeks < one.weeks]
    names = [segment.name for segment in world.segments]
    spend: dict[tuple[Channel, str], float] = {}
    parts = {one.campaign_id: _parts(one, names) for one in running}
    for part in parts.values():
        for place, usd in part.items():
            spend[place] = spend.get(place, 0.0) + usd
    left = _compute_carryover(world, truth, spend)
    leads = {(one.channel, one.segment): _paid_leads(world, truth, one, seed) for one in left}
    runs = {run.campaign_id: run for run in world.campaigns}
    ended = []
    for one in running:
        run = _run(run_of(world.campaigns, one.campaign_id), one, parts[one.campaign_id], spend, leads)
        runs[one.campaign_id] = run
        if run.weeks >= one.weeks:
            ended.append((one.name, run))
    return _Media(spend, leads, tuple(runs.values()), sum(one.weekly_usd for one in running), tuple(ended), left)


def _parts(one: Advertising, names: list[str]) -> dict[tuple[Channel, str], float]:
    """Return the effective dollars by channel and segment; an unknown segment means all segments."""
    if one.segment in names:
        return {(one.channel, one.segment): one.weekly_usd}
    return {(one.channel, name): one.weekly_usd * _UNTARGETED / len(names) for name in names}


def _compute_carryover(
    world: MarketState, truth: MarketTruth, spend: Mapping[tuple[Channel, str], float]
) -> tuple[Advertised, ...]:
    """Return advertising's effect this week on each channel and segment, and the rest for the next."""
    before = {(one.channel, one.segment): one for one in world.advertised}
    found = []
    for channel, name in sorted({*before, *spend}):
        reach = truth.segment(name).reach.get(channel)
        if reach is not None:
            one = before.get((channel, name), Advertised(channel, name, 0.0, 0.0))
            felt = felt_spend(reach, spend.get((channel, name), 0.0), one.felt_usd)
            found.append(Advertised(channel, name, felt, compute_fatigue(reach, felt, one.tired)))
    return tuple(one for one in found if one.felt_usd >= 1 or one.tired >= 0.01)  # too little to feel


def _paid_leads(world: MarketState, truth: MarketTruth, one: Advertised, seed: str) -> int:
    known = truth.segment(one.segment)
    reach = _apply_fatigue(known.reach[one.channel], one.tired)
    mean = expected_leads(reach, one.felt_usd) * shock(world, "demand_shock", one.segment)
    luck = random_stream(seed, "leads", world.week, one.channel, one.segment)
    return count(luck, mean * compute_untapped_share(known, _subscribers(world, one.segment)), at_most=known.accounts)


def _apply_fatigue(reach: ChannelReach, tired: float) -> ChannelReach:
    """Return the capacity of a channel at this fatigue."""
    return replace(reach, most_leads=reach.most_leads * (1 - reach.fatigue * tired)) if reach.fatigue else reach


def _subscribers(world: MarketState, name: str) -> int:
    return next(segment.subscribers for segment in world.segments if segment.name == name)


def _run(
    before: CampaignRun,
    one: Advertising,
    part: Mapping[tuple[Channel, str], float],
    spend: Mapping[tuple[Channel, str], float],
    leads: Mapping[tuple[Channel, str], int],
) -> CampaignRun:
    """Return the campaign's totals; where several share a channel and segment, leads go by dollars."""
    share = sum(leads.get(place, 0) * usd / spend[place] for place, usd in part.items() if spend[place] > 0)
    return CampaignRun(
        one.campaign_id, before.weeks + 1, before.spent_usd + one.weekly_usd, before.leads + round(share)
    )


def _list_campaign_ends(media: _Media, week: int) -> list[MarketEvent]:
    return [
        MarketEvent(
            week,
            "campaign_over",
            run.campaign_id,
            value=str(run.leads),
            size=run.spent_usd,
            text=f"Campaign {label_record(name, run.campaign_id)} has run: {run.leads} leads for "
            f"${run.spent_usd:,.0f}.",
        )
        for name, run in media.ended
    ]


def _trade_segment(
    segment: Segment,
    world: MarketState,
    truth: MarketTruth,
    *,
    standing: MarketStanding,
    media: _Media,
    yearly: float | None,
    seed: str,
) -> tuple[Segment, SegmentFlow, MarketEvent | None]:
    """Return the segment after a week of leads, sales and departures, with a complaint if there was one."""
    known, name, week = truth.segment(segment.name), segment.name, world.week
    free = organic_leads(known, segment.subscribers, world.audience, world.reputation)
    mean = free * compute_untapped_share(known, segment.subscribers) * shock(world, "demand_shock", name)
    leads = count(random_stream(seed, "organic", week, name), mean, at_most=known.accounts)
    leads += sum(found for (_, addressed), found in media.leads.items() if addressed == name)
    luck = random_stream(seed, "decisions", week, name) if truth.decides_at_random else None
    decided, pipeline = _advance_pipeline(segment.pipeline, leads, known.sale_delay_weeks, luck)
    won = count(
        random_stream(seed, "sales", week, name),
        decided * conversion(known, segment.list_price, standing),
        at_most=decided,
    )
    factors = churn_factors(known, segment.paid_price, segment.list_price, standing)
    leaving = churn(known, factors, shock(world, "churn_shock", name))
    free = segment.subscribers - segment.bound
    lost = count(random_stream(seed, "churn", week, name), free * leaving, at_most=free)
    contracts = contracts_after(segment, won, yearly, week, seed)
    after = replace(
        segment,
        subscribers=segment.subscribers - lost + won,
        paid_price=_average_paid_price(segment, won, lost),
        contracts=contracts,
        pipeline=pipeline,
        asked=(*segment.asked, _find_charged_price(segment, truth))[-CHARGED_WEEKS:],
        rival=rival_price(segment, known),
    )
    flow = SegmentFlow(name, leads=leads, decided=decided, new=won, lost=lost)
    return after, flow, _complaint(known, factors, lost, week, seed)


def _advance_pipeline(
    pipeline: tuple[int, ...], leads: int, delay: int, luck: Random | None
) -> tuple[int, tuple[int, ...]]:
    """Return the leads that decide this week, and the pipeline after the new ones have joined it.

    With luck each lead takes a time of its own, of `delay` weeks on average and at most three times as long.
    """
    longest = delay if luck is None else 3 * delay
    queue = [*pipeline, *([0] * (longest + 1 - len(pipeline)))]
    if luck is None:
        queue[delay] += leads
    else:
        for _ in range(leads):
            queue[min(longest, 1 + int(luck.expovariate(1 / (delay - 0.5))))] += 1
    return queue[0], tuple(queue[1:])


def _find_charged_price(segment: Segment, truth: MarketTruth) -> float:
    """Return a customer's charge this week: a shop's list price at once, else the price in the book."""
    return segment.list_price if truth.goods is not None else segment.paid_price


def _average_paid_price(segment: Segment, won: int, lost: int) -> float:
    stayed = segment.subscribers - segment.bound - lost
    renewed = segment.paid_price + (segment.list_price - segment.paid_price) * _RENEWING
    if stayed + won == 0:
        return segment.list_price
    return (renewed * stayed + segment.list_price * won) / (stayed + won)


def _complaint(
    known: SegmentTruth, factors: Mapping[str, float], lost: int, week: int, seed: str
) -> MarketEvent | None:
    """Return the complaint of leaving customers; one in seven names a reason that is not the real one."""
    reason, strength = max(factors.items(), key=lambda factor: factor[1])
    luck = random_stream(seed, "complaint", week, known.name)
    if lost == 0 or luck.random() > strength - 1:
        return None
    if luck.random() < 1 / 7:
        reason = luck.choice(sorted(factors))
    text = f"{customers(known.name).capitalize()} complain about {reason}."
    return MarketEvent(week, "complaint", f"customers_{known.name}", value=reason, size=lost, text=text)


def _with_work(world: MarketState, truth: MarketTruth, work: Deliveries, pieces: list[ContentPiece]) -> MarketState:
    """Return the world with new features and content, the desk's work done, and the wear of a week."""
    desk = capacity(world, truth)
    quality = min(
        1.0, world.quality * (1 - truth.quality_decay) + work.quality_gain + quality_built_by_staff(world, truth)
    )
    expectation = min(1.0, world.expectation + truth.drift)
    backlog = max(0.0, 0.92 * world.backlog + tickets(world, truth) - desk)
    opinion = 0.5 + 1.2 * (quality - expectation) - 0.12 * min(2.0, backlog / max(1.0, desk))
    cleared = any(project.area == "compliance" for project in work.done)
    helping = sum(piece.type == "help_article" for piece in pieces)
    return replace(
        world,
        quality=quality,
        expectation=expectation,
        backlog=backlog,
        reputation=clamp(world.reputation + 0.12 * (opinion - world.reputation)),
        audience=_AUDIENCE_KEPT * world.audience + math.pow(len(pieces) - helping, 0.7),
        help_pages=_AUDIENCE_KEPT * world.help_pages + math.pow(helping, 0.7),
        projects=work.open,
        delivered=(*world.delivered, *(project.package_id for project in work.done)),
        published=(*world.published, *(piece.article_id for piece in pieces)),
        shocks=tuple(one for one in world.shocks if one.until > world.week),
        boosts=(*(one for one in world.boosts if one.until > world.week), *work.boosts),
        stock=world.stock + work.units,
        obligations=() if cleared else world.obligations,
    )


def traded_in(week: MarketState, *, base: int) -> Trade:
    """Return the week's sales figures from its flows and books; `base` is the number of subscribers at its start."""
    return Trade(
        base=base,
        new=sum(flow.new for flow in week.flows),
        lost=sum(flow.lost for flow in week.flows),
        decided=sum(flow.decided for flow in week.flows),
        marketing_usd=week.ledger.advertising + week.ledger.content,
    )


def books(world: MarketState, truth: MarketTruth) -> WeekLedger:
    """Return a week's income and costs without any action, added to its costs so far."""
    return replace(
        world.ledger,
        revenue=_subscription_revenue(world) if world.serving is None else world.serving.takings,
        payroll=truth.payroll * world.payroll_factor + wages(world),
        hosting=truth.hosting_per_subscriber * world.subscribers,
    )


def _subscription_revenue(world: MarketState) -> float:
    """Return the subscribers' payments in a week, and prepayments for years in advance."""
    return sum(one.monthly_bill for one in world.segments) * 12 / 52 + world.ledger.prepaid


def _prepayments(segment: Segment, week: int) -> float:
    """Return the year's payments of customers who signed this week."""
    signed = (one for one in segment.contracts if one.due == week + CONTRACT_WEEKS)
    return sum(12 * one.customers * one.monthly_usd for one in signed)


def _close_books(
    world: MarketState, truth: MarketTruth, advertising: float, work: Deliveries, pieces: int
) -> MarketState:
    """Return the world with the week's books closed."""
    acted = {"advertising": advertising, "content": CONTENT_COST_USD * pieces}
    acted |= {"contractors": work.cost - work.supplies, "goods": world.ledger.goods + work.supplies}
    ledger = replace(books(world, truth), **acted)
    cash = world.cash + ledger.revenue - ledger.costs
    return replace(world, week=world.week + 1, cash=cash, ledger=ledger, bankrupt=cash < 0)


def simulate_usual_weeks(world: MarketState, truth: MarketTruth) -> MarketState:
    """Return `world` after some usual weeks: with leads on their way, and the trade and money of those weeks.

    A usual week is the market's average without any action; its counts are whole numbers that add up to that average.
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
    return free * compute_untapped_share(truth.segment(segment.name), segment.subscribers)


def _on_their_way(segment: Segment, world: MarketState, truth: MarketTruth) -> tuple[int, ...]:
    mean, delay = _leads(segment, world, truth), truth.segment(segment.name).sale_delay_weeks
    return tuple(_whole(mean, place) for place in range(delay))


def _whole(mean: float, place: int) -> int:
    """Return the count of one week of a row of weeks whose counts add up to `mean` times their number, rounded."""
    return math.floor(mean * (place + 1) + 0.5) - math.floor(mean * place + 0.5)
