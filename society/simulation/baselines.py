"""Baseline policies: constants, a bandit on channels, and a script that learns prices from complaints.

    constant(ConstantNumbers(price=1.3, weekly_usd=400))    # one set of numbers, whatever the market answers
    bandit                                                   # spends where leads were cheap
    price_learner                                            # raises prices until customers complain

The best constant for one market, searched with the market known, marks the best possible result (`bench/families.py`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from mabos.society.campaigns import CHANNELS, Channel
from mabos.society.simulation.policies import POLICIES, Policy, PolicyMove, Sight, campaign, order, piece, price

WEEKS_BOOKED = 2
_STEP = 1.3
"""The largest step of a price towards its target."""
PRODUCT_USD = 4500.0
_LEAST_USD = 10.0


@dataclass(frozen=True, slots=True)
class ConstantNumbers:
    """The numbers of a constant policy; money in dollars, time in weeks."""

    price: float = 1.3
    """The multiple of the opening price that every price is brought to."""
    weekly_usd: float = 400.0
    """The spend on each used channel and segment."""
    channels: tuple[Channel, ...] = CHANNELS
    segments: int = 0
    """The number of advertised segments, lowest price first; 0 for all, below 0 counted from the most expensive."""
    product_every: int = 9
    """Weeks between orders of product work; 0 for none."""
    content_every: int = 2
    stock_weeks: float = 11.0
    hands_above: float = 4.0
    """Weeks of queued work from which a practice orders hands."""
    runway: float = 2.0
    """Months of runway below which nothing is spent."""


def constant(numbers: ConstantNumbers) -> Policy:
    """Return the policy with these constant numbers."""

    def act(sight: Sight, luck: Random) -> list[PolicyMove]:  # noqa: ARG001  # one signature for all policies
        moves = [*upkeep(sight, numbers)]
        if "stripe_create_price" not in sight.asked:
            moves += _step_prices(sight, numbers.price)
        if sight.now("runway_months", 99) < numbers.runway:
            return moves
        cheapest = sorted(sight.segments, key=lambda one: sight.metrics[f"price_{one}"][0])
        chosen = cheapest[: numbers.segments] if numbers.segments >= 0 else cheapest[numbers.segments :]
        for name in chosen or cheapest:
            for channel in numbers.channels:
                if not sight.advertises(channel, name) and numbers.weekly_usd > 0:
                    moves.append(campaign(channel, name, numbers.weekly_usd, WEEKS_BOOKED))
        if numbers.product_every and sight.week % numbers.product_every == 0:
            moves.append(order("product", PRODUCT_USD))
        if numbers.content_every and sight.week % numbers.content_every == 0:
            moves.append(piece("blog_post", sight.week))
        return moves

    return act


def upkeep(sight: Sight, numbers: ConstantNumbers) -> list[PolicyMove]:
    """Return the moves every company must make: goods in time, labour, answers to notices and tickets."""
    moves = []
    if any(news.subject == "compliance" and news.value == "notice" for news in sight.heard):
        moves.append(order("compliance", PRODUCT_USD))
    if "work_package_create" in sight.asked:
        return moves
    weekly = sight.now("demand") * sight.now("unit_cost")
    coming = sum(package.budget_usd for package in sight.packages if package.area == "supply")
    if weekly and sight.now("stock_weeks") + coming / weekly < numbers.stock_weeks:
        usd = min(2 * weekly, 19_000.0, 0.6 * max(0.0, sight.now("cash") - 2 * sight.now("payroll")))
        moves += [order("supply", round(usd, 2))] if usd > 0 else []
    if sight.now("work_weeks") > numbers.hands_above and not sight.works_on("delivery"):
        moves.append(order("delivery", PRODUCT_USD))
    if sight.now("support_backlog") > 2 * sight.metrics["support_backlog"][0] + 20 and not sight.works_on("support"):
        moves.append(order("support", 3500.0))
    return moves


def _step_prices(sight: Sight, factor: float) -> list[PolicyMove]:
    """Return a step of each price on its way to so many times the opening price."""
    moves = []
    for name in sight.segments:
        series = sight.metrics[f"price_{name}"]
        step = min(_STEP, max(1 / _STEP, series[0] * factor / series[-1]))
        if abs(step - 1) > 0.01:
            moves.append(price(sight, name, step))
    return moves


def price_learner(sight: Sight, luck: Random) -> list[PolicyMove]:
    """Return a script's moves that follow complaints: prices rise by a tenth until customers complain, then fall."""
    moves = constant(ConstantNumbers(price=1.0))(sight, luck)
    moves = [one for one in moves if one.tool != "stripe_create_price"]
    if sight.week % 3 == 2 and "stripe_create_price" not in sight.asked:
        minded = {news.subject.removeprefix("customers_") for news in sight.heard if news.value == "price"}
        shrinks = {name for name in sight.segments if _shrinks(sight, name)}
        for name in sight.segments:
            moves.append(price(sight, name, 0.88 if name in minded or name in shrinks else 1.1))
    return moves


def _shrinks(sight: Sight, name: str) -> bool:
    return sight.now(f"subscribers_{name}") < 0.97 * sight.ago(f"subscribers_{name}", 4)


def bandit(sight: Sight, luck: Random) -> list[PolicyMove]:
    """Return a bandit's moves: four fifths of the advertising go to channels with cheap leads, one fifth to trials."""
    moves = constant(ConstantNumbers(price=1.2, weekly_usd=0.0))(sight, luck)
    weekly = 0.2 * min(4000.0, 0.02 * max(0.0, sight.now("cash") - 40_000))
    if weekly < _LEAST_USD:
        return moves
    known = _sum_channel_results(sight)
    places = [(channel, name) for name in sight.segments for channel in CHANNELS]
    best = sorted(places, key=lambda place: -_worth(sight, place, known))[:4]
    tried = luck.choice(places)
    moves += [campaign(*place, weekly, WEEKS_BOOKED) for place in best if not sight.advertises(*place)]
    if tried not in best and not sight.advertises(*tried):
        moves.append(campaign(*tried, weekly, 1))
    return moves


def _sum_channel_results(sight: Sight) -> dict[tuple[Channel, str], tuple[float, float]]:
    """Return dollars and leads by place, of which older campaigns count less."""
    found: dict[tuple[Channel, str], tuple[float, float]] = {}
    for one in sight.over:
        usd, leads = found.get((one.channel, one.segment), (0.0, 0.0))
        found[one.channel, one.segment] = (0.8 * usd + one.spent_usd, 0.8 * leads + one.leads)
    return found


def _worth(sight: Sight, place: tuple[Channel, str], known: Mapping[tuple[Channel, str], tuple[float, float]]) -> float:
    """Return the revenue value of a dollar's leads; a place that was never tried counts as a fair one."""
    usd, leads = known.get(place, (0.0, 0.0))
    return sight.now(f"price_{place[1]}") * (leads + 0.5) / (usd + 50.0)


SCRIPTS: Mapping[str, Policy] = MappingProxyType(
    {**POLICIES, "constant": constant(ConstantNumbers()), "bandit": bandit, "price-learner": price_learner}
)
"""Every policy that a script plays, by name."""
