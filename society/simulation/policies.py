"""Policies to compare a company of agents with: nothing, random, greedy, and a script of good rules.

A policy is a function of the company's view (`Sight`) and of luck, and returns moves: calls of catalogue tools in the
name of a role. A run on disk performs them through the call path.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import Any

from mabos.society.campaigns import CHANNELS, Campaign, Channel
from mabos.society.packages import AREA_LEADERS, Area, WorkPackage
from mabos.society.simulation.company import PRODUCT_ID


@dataclass(frozen=True, slots=True)
class PolicyMove:
    """A call of a catalogue tool, made by the holder of `role`."""

    role: str
    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class HeardNews:
    """A piece of news of the last week, as the letter's subject and value."""

    subject: str
    value: str


@dataclass(frozen=True, slots=True)
class Sight:
    """The company on a Monday: `metrics` holds each series, oldest first; records are those that are not over."""

    week: int
    segments: tuple[str, ...]
    metrics: Mapping[str, Sequence[float]]
    campaigns: tuple[Campaign, ...] = ()
    packages: tuple[WorkPackage, ...] = ()
    heard: tuple[HeardNews, ...] = ()
    asked: frozenset[str] = field(default=frozenset())
    """The tools whose calls wait for the owner."""
    over: tuple[Campaign, ...] = ()
    """Campaigns that have run their weeks, in the order in which they were booked."""

    def now(self, name: str, default: float = 0.0) -> float:
        """Return the newest value of a metric, or `default` if it was never measured."""
        series = self.metrics.get(name, ())
        return series[-1] if series else default

    def ago(self, name: str, weeks: int, default: float = 0.0) -> float:
        """Return the value of a metric some weeks ago, or the oldest one."""
        series = self.metrics.get(name, ())
        return series[max(0, len(series) - 1 - weeks)] if series else default

    def works_on(self, area: Area) -> bool:
        """Return whether a package for this area is under way."""
        return any(package.area == area for package in self.packages)

    def advertises(self, channel: Channel, segment: str) -> bool:
        """Return whether a campaign runs on this channel for this segment."""
        return any(one.channel == channel and one.segment == segment for one in self.campaigns)


Policy = Callable[[Sight, Random], list[PolicyMove]]
"""A policy: a function from the view on a Monday, and its own random numbers, to the moves of that week."""


_MARK_UPS = (0.9, 1.05, 1.1, 1.2)
_BUDGETS = (150.0, 400.0, 900.0, 2000.0)
_ORDERS = (1500.0, 4500.0, 9000.0)
_SKILLS: dict[Area, list[str]] = {
    "product": ["engineering"],
    "support": ["support"],
    "compliance": ["compliance"],
    "supply": ["supply"],
    "delivery": ["delivery"],
}


def nothing(sight: Sight, luck: Random) -> list[PolicyMove]:  # noqa: ARG001  # one signature for all policies
    """Return no moves, which shows an unmanaged company."""
    return []


def at_random(sight: Sight, luck: Random) -> list[PolicyMove]:
    """Return up to two moves of any kind and size, regardless of the numbers."""
    segment = luck.choice(sight.segments)
    moves = [
        campaign(luck.choice(CHANNELS), segment, luck.choice(_BUDGETS), luck.choice((4, 8, 13))),
        price(sight, segment, luck.choice(_MARK_UPS)),
        piece(luck.choice(("blog_post", "help_article")), sight.week),
        order(luck.choice(tuple(_SKILLS)), luck.choice(_ORDERS)),
    ]
    return luck.sample(moves, luck.randrange(3))


def greedy(sight: Sight, luck: Random) -> list[PolicyMove]:  # noqa: ARG001  # one signature for all policies
    """Return moves that raise sales in the next weeks: more of the channel with the cheapest leads, and higher prices.

    It spends nothing on long-term gains: product, support, compliance.
    """
    weekly = 0.02 * max(0.0, sight.now("cash"))
    fresh = [(channel, one) for one in sight.segments for channel in CHANNELS if not sight.advertises(channel, one)]
    moves = [campaign(channel, one, weekly / 8, 4) for channel, one in fresh[:1]]
    known = [one for one in sight.campaigns if one.cost_per_lead is not None]
    if known:
        best = min(known, key=lambda one: (one.cost_per_lead or 0.0, one.id))
        moves.append(campaign(best.channel, best.segment, weekly, 2))
    if sight.week % 6 == 5:
        moves += [price(sight, one, 1.08) for one in sight.segments]
    return moves


@dataclass(frozen=True, slots=True)
class RuleNumbers:
    """The numbers of the script of rules, which were searched for on tuning seeds; money in dollars, time in weeks."""

    least_runway: float = 3.0
    advertising_share: float = 0.014
    mark_up: float = 1.06
    price_every: int = 10
    lost_share: float = 0.08
    quality_goal: float = 0.72
    order_usd: float = 3500.0
    backlog_limit: float = 80.0
    stock_weeks: float = 12.0
    order_weeks: float = 2.0
    supply_usd: float = 19_000.0
    work_weeks: float = 5.0
    outbound_above: float = 80.0


_TERMS = RuleNumbers()


def by_rules(sight: Sight, luck: Random, terms: RuleNumbers = _TERMS) -> list[PolicyMove]:  # noqa: ARG001  # one signature for all
    """Return a good script's moves: one campaign per segment, a price step at a time, work where a number is bad."""
    moves = []
    secure = sight.now("runway_months", 99) >= terms.least_runway
    if any(news.subject == "compliance" and news.value == "notice" for news in sight.heard):
        moves.append(order("compliance", terms.order_usd))
    if sight.week % terms.price_every == 1 and "stripe_create_price" not in sight.asked:
        kept = [one for one in sight.segments if not _shrinks(sight, one, terms)]
        moves += [price(sight, one, terms.mark_up) for one in kept]
        moves += [price(sight, one, 1 / terms.mark_up) for one in sight.segments if one not in kept]
    moves += _kept_able(sight, terms)
    if not secure:
        return moves
    weekly = terms.advertising_share * sight.now("cash") / len(sight.segments)
    for segment in sight.segments:
        channel: Channel = "outbound" if sight.now(f"price_{segment}") > terms.outbound_above else "search"
        if not sight.advertises(channel, segment):
            moves.append(campaign(channel, segment, min(weekly, 600.0), 8))
    if sight.now("quality", 1.0) < terms.quality_goal and not sight.works_on("product"):
        moves.append(order("product", terms.order_usd))
    if sight.now("support_backlog") > terms.backlog_limit and not sight.works_on("support"):
        moves.append(order("support", terms.order_usd))
    return [*moves, piece("help_article" if sight.week % 3 == 0 else "blog_post", sight.week)]


def _kept_able(sight: Sight, terms: RuleNumbers) -> list[PolicyMove]:
    """Return moves that keep a shop in stock and a practice staffed: goods for some weeks, help when work piles up."""
    coming = sum(package.budget_usd for package in sight.packages if package.area == "supply")
    weekly = sight.now("demand") * sight.now("unit_cost")
    if (
        weekly
        and sight.now("stock_weeks") + coming / weekly < terms.stock_weeks
        and "work_package_create" not in sight.asked
    ):
        return [order("supply", round(min(terms.order_weeks * weekly, terms.supply_usd), 2))]
    if sight.now("work_weeks") > terms.work_weeks and not sight.works_on("delivery"):
        return [order("delivery", terms.order_usd)]
    return []


def _shrinks(sight: Sight, segment: str, terms: RuleNumbers) -> bool:
    name = f"subscribers_{segment}"
    return sight.now(name) < sight.ago(name, terms.price_every) * (1 - terms.lost_share)


def campaign(channel: Channel, segment: str, weekly_usd: float, weeks: int) -> PolicyMove:
    """Return the booking of a campaign."""
    budget = round(max(weekly_usd, 1.0), 2)
    name = f"{channel} for {segment}"
    terms = {"name": name, "channel": channel, "segment": segment, "weekly_budget_usd": budget, "weeks": weeks}
    return PolicyMove("cmo", "ad_campaign_create", terms)


def price(sight: Sight, segment: str, factor: float) -> PolicyMove:
    """Return a price as a multiple of today's."""
    amount = round(max(1.0, sight.now(f"price_{segment}") * factor), 2)
    return PolicyMove("cfo", "stripe_create_price", {"product": PRODUCT_ID, "amount_usd": amount, "segment": segment})


def order(area: Area, usd: float) -> PolicyMove:
    """Return an order of work or goods by the leader of the area."""
    terms = {
        "title": f"Work on {area}",
        "description": f"Improve what the figures on {area} say is behind.",
        "required_skills": _SKILLS[area],
        "budget_usd": usd,
        "area": area,
    }
    return PolicyMove(AREA_LEADERS[area], "work_package_create", terms)


def piece(kind: str, week: int) -> PolicyMove:
    """Return a publication."""
    return PolicyMove("cmo", "content_generate", {"type": kind, "title": f"What we learned in week {week + 1}"})


POLICIES: Mapping[str, Policy] = MappingProxyType(
    {"nothing": nothing, "random": at_random, "greedy": greedy, "rules": by_rules}
)
"""The scripted policies by name; the company of agents is none of them."""
