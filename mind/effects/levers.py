"""The best use of a company's levers: beliefs about effects rolled forward, and one budget shared by all uses.

Every price is followed along a path of allowed steps; every campaign, order of work and order of goods is a use of one
weekly budget. Money goes where the next dollar is believed to bring most. The required return of a dollar (the shadow
price) is raised until the uses fit.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import TypeVar

import numpy as np

from mabos.configs.settings import EffectSettings
from mabos.mind.effects.channels import BUDGETS, ChannelBelief, channel_belief
from mabos.mind.effects.customers import RENEWING, Array, SegmentBelief, SegmentHistory, order_rate, segment_beliefs
from mabos.mind.effects.product import ProductBelief, product_belief
from mabos.mind.effects.records import Place, Records

TRADING_WEEKS, BOOK_WEEKS = 13, 26
"""Weeks that are rolled forward with new leads, and weeks after them in which the book is only kept."""
STEP = 1.3
"""The factors by which a price moves in one step, up or down."""
PRICE_EVERY = 2
"""Weeks between steps of one price."""
MOST_REFUSED = {"subscription": 0.45, "shop": 0.6, "practice": 0.65}
"""The share of a segment that may refuse a price to which it is raised: customers are not milked."""
RETURNS = tuple(round(1.25 * 1.25**step, 2) for step in range(16))
"""The return that a dollar may have to bring; bids name dollars for each."""
NEVER = 1e6
ADVERTISING, PRODUCT = "advertising", "product"
USES = (ADVERTISING, PRODUCT)
LEAST_CASH = 15_000
DUE_SHARE = 0.5
LUMPY_PAYROLL = {"subscription": 0.0, "shop": 2.0, "practice": 6.0}
"""Weeks of payroll for which cash is kept: invoices are paid late, and shelves are filled before anything is sold."""
PACKAGE_USD = 4500.0
MOST_PACKAGES = 2
LEAST_GAIN = 0.01
"""The share of what holding brings that a move of a price must bring beside it."""
LOSS_WEIGHT = 1.5
"""The weight of a loss beside a gain, when prices are compared."""
INSIGHT = 0.5
"""The value of the information from a price step."""
Price = TypeVar("Price", float, Array)
Bid = tuple[float, ...]
"""The weekly dollars that a use would take at each of `RETURNS`."""
_TARGETS = np.exp(np.linspace(np.log(0.3), np.log(3.3), 13))
_HOLD, _BACK_DOWN, _BACK_UP = len(_TARGETS), len(_TARGETS) + 1, len(_TARGETS) + 2


@dataclass(frozen=True, slots=True)
class EffectBeliefs:
    """The beliefs about every lever after the recorded weeks."""

    kind: str
    history: SegmentHistory
    channels: Mapping[Place, ChannelBelief]
    product: ProductBelief
    budget: float
    """The dollars that may be bound this week."""
    views: dict[str, "PriceView"] = field(default_factory=dict, compare=False)
    """The views of prices so far, by segment: finance and the owner of prices need the same."""

    @property
    def segments(self) -> Mapping[str, SegmentBelief]:
        """The current beliefs about each segment."""
        return self.history.beliefs


@dataclass(frozen=True, slots=True)
class Demand:
    """The yield of a use of the budget: dollars by campaign and weekly budget, or by the next order of work."""

    use: str
    curves: Mapping[Place, Array] = field(default_factory=dict)
    """The dollars that each of `BUDGETS` is believed to bring."""
    order: float = 0.0

    def campaigns(self, least: float) -> dict[Place, float]:
        """Return the weekly budgets whose last dollar yields at least this return."""
        best = {place: int(np.argmax(curve - least * BUDGETS)) for place, curve in self.curves.items()}
        return {place: float(BUDGETS[at]) for place, at in best.items() if at}

    def orders(self, least: float) -> dict[str, float]:
        """Return the order of work whose dollars yield at least this return."""
        return {PRODUCT: PACKAGE_USD} if self.order > least * PACKAGE_USD else {}

    def dollars(self, least: float) -> float:
        """Return the dollars taken from a week's budget; an order is paid over about four weeks."""
        return round(sum(self.campaigns(least).values()) + 0.25 * sum(self.orders(least).values()), 2)

    def bid(self) -> Bid:
        """Return the dollars bid at each of `RETURNS`."""
        return tuple(self.dollars(least) for least in RETURNS)


@dataclass(frozen=True, slots=True)
class Award:
    """The required return of the last dollar, and the target prices by segment."""

    least_return: float
    targets: Mapping[str, float] = field(default_factory=dict)


def kind_of(records: Records) -> str:
    """Return the company's kind of business: subscription, shop or practice."""
    if records.figures.get("stock_weeks"):
        return "shop"
    return "practice" if records.figures.get("work_weeks") else "subscription"


def effect_beliefs(
    records: Records,
    channels: Sequence[str],
    priors: EffectSettings,
    *,
    learns: bool = True,
    before: EffectBeliefs | None = None,
) -> EffectBeliefs:
    """Return the beliefs after the recorded weeks; without learning, the priors are kept.

    Beliefs computed some weeks `before` save time and do not change the result.
    """
    kind, known = kind_of(records), before.history if before else None
    leads, worth = _paid_leads(records), priors.worth_over_price
    history = segment_beliefs(records, leads, kind=kind, learns=learns, worth=worth, known=known)
    held = history.beliefs
    places = {}
    for name in held:
        cost = priors.lead_cost_share * max(0.01, _opening_lead_value(name, records, kind))
        most = 1.2 * sqrt(max(1.0, records.figures[f"subscribers_{name}"][0])) * (2.0 if kind == "shop" else 1.0)
        for channel in channels:
            own = [each for each in records.bookings if each.place == (channel, name)]
            places[channel, name] = channel_belief(cost, most, own, records.week, learns=learns)
    product = product_belief(records, priors.work_gain, learns=learns)
    return EffectBeliefs(kind, history, places, product, budget(records, kind, priors))


def _paid_leads(records: Records) -> dict[str, list[float]]:
    """Return the leads of campaigns by segment and week; those of a booking spread evenly over the weeks it ran."""
    found = {name: [0.0] * records.week for name in records.segments}
    for one in records.bookings:
        for week in range(one.week, min(records.week, one.week + one.weeks_run)):
            if one.place[1] in found:
                found[one.place[1]][week] += one.leads / one.weeks_run
    return found


def _opening_lead_value(name: str, records: Records, kind: str) -> float:
    """Return the dollars that a lead was worth by the company's first figures."""
    price = records.figures[f"price_{name}"][0]
    rate = records.figures.get("conversion_rate", (20.0,))[0] / 100 or 0.2
    lost = max(0.003, records.figures.get("churn_rate", (4.0,))[0] / 100 / 4.33)
    return rate * (0.5 * price if kind == "practice" else _weeks_kept(lost) * _margin(records, kind, price, price))


def _weeks_kept(lost: Price) -> Price:
    """Return the weeks of the book in which a customer is there, of whom a share leaves every week."""
    return (1 - (1 - lost) ** BOOK_WEEKS) / lost


def _margin(records: Records, kind: str, price: Price, opening: float) -> Price:
    """Return a customer's weekly margin at a price; for a practice, the margin of an engagement."""
    if kind == "shop":
        return order_rate(records) * (price - _cost_of_order(records))
    if kind == "practice":
        return price - 0.75 * opening * float(np.clip((records.mean("work_weeks", 2) - 2) / 2, 0, 1))
    return 0.92 * price * 12 / 52


def _cost_of_order(records: Records) -> float:
    margin, value = records.now("gross_margin", 50.0), records.now("average_order_value", 50.0)
    return value * (1 - margin / 100)


def award_of(records: Records, beliefs: EffectBeliefs, bids: Iterable[Bid]) -> Award:
    """Return the lowest return at which all bids fit the budget, and the target prices."""
    totals = [sum(column) for column in zip(*bids, strict=True)]
    least = _least_that_fits(totals, beliefs.budget)
    return Award(least, {name: _view(name, records, beliefs).target for name in beliefs.segments})


def demand(records: Records, beliefs: EffectBeliefs, use: str, award: Award | None = None) -> Demand:
    """Return the yield of a use; leads are valued at the future prices in an award."""
    if use == PRODUCT:
        is_able = len(records.under_way("product")) < MOST_PACKAGES and records.now("cash") > 3 * PACKAGE_USD
        return Demand(use, order=_package_value(records, beliefs) if is_able else 0.0)
    values = {}
    for name, one in beliefs.segments.items():
        target = award.targets.get(name, one.listed) if award else one.listed
        values[name] = _lead_value(one, records, beliefs.kind, _soon(one.listed, target))
    return Demand(use, {place: values[place[1]] * one.leads(BUDGETS) for place, one in beliefs.channels.items()})


def least_return(asked: Demand, beliefs: EffectBeliefs, award: Award | None = None) -> float:
    """Return the required return of a dollar: as awarded, and high enough to fit this week's budget.

    Without an award, each use has an equal part of the budget.
    """
    part = beliefs.budget if award else beliefs.budget / len(USES)
    fitting = _least_that_fits(asked.bid(), part)
    return max(fitting, award.least_return) if award else fitting


def _least_that_fits(dollars: Iterable[float], limit: float) -> float:
    """Return the least of `RETURNS` at which no more is taken than there is, or `NEVER`."""
    return next((least for least, usd in zip(RETURNS, dollars, strict=False) if usd <= limit), NEVER)


def prices_wanted(records: Records, beliefs: EffectBeliefs) -> dict[str, float]:
    """Return the prices to set this week, by segment, where a change is allowed and pays."""
    able = {name: one for name, one in beliefs.segments.items() if _may_move(name, records)}
    steps = {name: _view(name, records, beliefs).step for name in able}
    return {name: step for name, step in steps.items() if abs(step / able[name].listed - 1) > 0.02}


def _view(name: str, records: Records, beliefs: EffectBeliefs) -> "PriceView":
    if name not in beliefs.views:
        beliefs.views[name] = price_view(name, beliefs.segments[name], records, beliefs.kind)
    return beliefs.views[name]


def budget(records: Records, kind: str, priors: EffectSettings) -> float:
    """Return the dollars that may be committed this week: a share of the unneeded cash."""
    free = records.now("cash") - _commitments(records) - _reserve(records, kind, priors.reserve_weeks)
    return round(max(0.0, priors.budget_share * (free - sum(upkeep(records, kind).values()))), 2)


def _reserve(records: Records, kind: str, weeks: float) -> float:
    """Return the cash to keep: some weeks of losses without acting, and a margin for chance."""
    burn = records.mean("burn") - records.mean("ad_spend") - records.mean("contractor_spend")
    takings = records.figures.get("revenue", ())[-8:]
    lumpy = float(np.std(takings)) * sqrt(8) if kind != "subscription" and len(takings) > 1 else 0.0
    wages = LUMPY_PAYROLL[kind] * (records.now("payroll") - DUE_SHARE * records.mean("revenue"))
    return LEAST_CASH + max(weeks * max(0.0, burn), wages) + lumpy


def _commitments(records: Records) -> float:
    """Return the remaining cost of bookings and orders."""
    booked = sum(one.weekly_usd * max(0, one.weeks - one.weeks_run) for one in records.bookings)
    return booked + sum(0.6 * one.usd for one in records.commissions if one.delivered is None)


def upkeep(records: Records, kind: str) -> dict[str, float]:
    """Return the orders that keep the company able to serve: goods, staff, and support."""
    found = dict[str, float]()
    if kind == "shop":
        weekly = records.mean("demand", 3) * records.now("unit_cost")
        coming = sum(one.usd for one in records.under_way("supply"))
        if weekly and records.now("stock_weeks") + coming / weekly < 11:
            usd = min(2 * weekly, 19_000.0, 0.6 * max(0.0, records.now("cash") - 2 * records.now("payroll")))
            found |= {"supply": round(usd, 2)} if usd > 200 else {}
    if kind == "practice" and records.now("work_weeks") > 4 and not records.under_way("delivery"):
        found["delivery"] = PACKAGE_USD
    backlog = records.figures.get("support_backlog", (0.0,))
    if backlog[-1] > 2 * backlog[0] + 20 and not records.under_way("support"):
        found["support"] = 3500.0
    return found


def _soon(listed: float, target: float) -> float:
    """Return the price that a lead of today is likely to meet: two steps on the way to the target."""
    return listed * float(np.clip(target / listed, STEP**-2, STEP**2))


def _lead_value(one: SegmentBelief, records: Records, kind: str, price: float) -> float:
    """Return the dollars that one more lead is believed to bring."""
    signing = one.signing(price)[:, 0]
    if kind == "practice":
        return max(0.0, float((signing * 0.8 * _margin(records, kind, price, one.opening_price)).mean()))
    lost = one.leaving(price, price)[:, 0]
    kept = _weeks_kept(np.maximum(lost, 1e-6))
    ordering = one.ordering(price)[:, 0]
    return max(0.0, float((signing * kept * ordering * _margin(records, kind, price, one.opening_price)).mean()))


@dataclass(frozen=True, slots=True)
class PriceView:
    """The best long-run price, and this week's step, which is the present price if it should hold."""

    target: float
    step: float


def price_view(name: str, one: SegmentBelief, records: Records, kind: str) -> PriceView:
    """Return the best price, found by evaluating every path of allowed steps.

    A step's value is the mean of the best path and of the better choice, continuing or reverting, once the step has
    shown which particle is right. So learning from a step counts half. A price must cover the cost of an order.
    """
    present, one = records.figures[f"price_{name}"][-1], one.thin_guesses()
    value = _rollout(one, _paths(present), records, kind).sum(axis=0)
    hold = value[:, [_HOLD]]
    gain = value - hold
    means = np.where(gain > 0, gain, LOSS_WEIGHT * gain).mean(axis=0)
    refused = 1 - one.accepting(present * _TARGETS).mean(axis=0)
    limit, covers = MOST_REFUSED[kind], _margin(records, kind, present * _TARGETS, one.opening_price) > 0
    is_covered = bool(covers[_TARGETS <= 1.02].any())
    ways = []
    for is_up in (True, False):
        moves = (_TARGETS > 1.02) & ((refused <= limit) | (not is_covered)) if is_up else _TARGETS < 0.98
        able = np.flatnonzero(moves & covers)
        if len(able):
            best = able[int(np.argmax(means[able]))]
            back = gain[:, _BACK_DOWN if is_up else _BACK_UP]
            learned = float(np.maximum(gain[:, able].max(axis=1), back).mean())
            ways.append(((1 - INSIGHT) * float(means[best]) + INSIGHT * learned, float(_TARGETS[best]), is_up))
    is_too_dear = 1 - float(one.accepting(present).mean()) > limit
    worth, target, is_up = max((each for each in ways if not (is_too_dear and each[2])), default=(0.0, 1.0, True))
    is_better = worth > LEAST_GAIN * abs(float(hold.mean())) or is_too_dear
    if not (is_better and ways):
        return PriceView(present, present)
    step = float(np.clip(target, 1 / STEP, STEP))
    return PriceView(round(present * target, 2), round(present * step, 2))


def _may_move(name: str, records: Records) -> bool:
    series = records.figures[f"price_{name}"]
    return (
        not records.price_waits
        and len(series) > 1
        and all(abs(one - series[-1]) < 0.005 for one in series[-PRICE_EVERY:])
    )


def _paths(present: float) -> Array:
    """Return the price of each week (rows) on the way to each target; of holding; and of one step and back."""
    weeks = np.arange(TRADING_WEEKS + BOOK_WEEKS)[:, None]
    targets = present * _TARGETS
    steps = np.power(STEP, 1.0 + weeks // (PRICE_EVERY + 1))
    paths = np.where(targets >= present, np.minimum(targets, present * steps), np.maximum(targets, present / steps))
    tried = weeks < PRICE_EVERY + 1
    back = [np.where(tried, present * one, present) for one in (STEP, 1 / STEP)]
    return np.hstack([paths, np.full_like(weeks, present, dtype=float), *back])


def _rollout(one: SegmentBelief, paths: Array, records: Records, kind: str, gap: float | None = None) -> Array:
    """Return what a segment brings by week, guess and path: weeks of trading, and weeks of keeping the book."""
    delay = np.maximum(1.0, one.guesses["delay"])
    pipeline = np.repeat(one.pipeline[:, None], paths.shape[1], axis=1)
    customers = np.full(pipeline.shape, one.customers)
    paid, weekly = np.full((1, paths.shape[1]), one.paid), np.empty((len(paths), *pipeline.shape))
    for week, prices in enumerate(paths):
        listed = prices[None, :]
        deciding = pipeline / delay
        if week == 0 or (prices != paths[week - 1]).any():  # a price seldom moves
            signing = one.signing(listed, gap)
        won = deciding * signing
        pipeline = pipeline - deciding + ((one.free_leads + one.paid_leads) if week < TRADING_WEEKS else 0.0)
        if kind == "practice":
            weekly[week] = won * _margin(records, kind, listed, one.opening_price)
            continue
        customers = customers * (1 - one.leaving(paid, listed, gap)) + won
        paid = paid + RENEWING * (listed - paid) if kind == "subscription" else listed
        weekly[week] = customers * one.ordering(paid) * _margin(records, kind, paid, one.opening_price)
    return weekly


def _package_value(records: Records, beliefs: EffectBeliefs) -> float:
    """Return the dollars that one more order of product work is believed to bring."""
    gain = beliefs.product.gain * max(0.0, 1 - beliefs.product.quality)
    if gain <= 0:
        return 0.0
    value = 0.0
    for one in beliefs.segments.values():
        hold = np.full((TRADING_WEEKS + BOOK_WEEKS, 1), one.listed)
        now, better = (_rollout(one, hold, records, beliefs.kind, gap) for gap in (one.gap, one.gap + gain))
        value += float((better - now).sum(axis=0).mean())
    return 0.6 * value  # it comes some weeks later, and wears off
