"""The company's levers this week, read only from its own documents."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mabos.society.campaigns import Campaign, Channel
from mabos.society.content import Article
from mabos.society.packages import Area, WorkPackage
from mabos.society.pricing import Price, Refund, select_price
from mabos.society.staff import Loan, Position, paid_positions


@dataclass(frozen=True, slots=True)
class Advertising:
    """A campaign in the market; `weeks` is its booked duration, the world counts how long it ran."""

    campaign_id: str
    channel: Channel
    segment: str
    weekly_usd: float
    weeks: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class ContentPiece:
    """A published piece of content."""

    article_id: str
    type: str
    segment: str


@dataclass(frozen=True, slots=True)
class Order:
    """A work package ordered from outside."""

    package_id: str
    area: Area
    budget_usd: float
    contractor_id: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Levers:
    """All levers of a policy. `prices` are dollars a month by segment; an empty one leaves prices unchanged."""

    advertising: tuple[Advertising, ...] = ()
    prices: tuple[tuple[str, float], ...] = ()
    content: tuple[ContentPiece, ...] = ()
    orders: tuple[Order, ...] = ()
    yearly: tuple[tuple[str, float], ...] = ()
    """Dollars a month by segment for whoever pays a year in advance, where that is offered."""
    positions: tuple[Position, ...] = ()
    loans: tuple[Loan, ...] = ()
    refunds: tuple[Refund, ...] = ()


NOTHING = Levers()


def levers(
    segments: Sequence[str],
    *,
    campaigns: Iterable[Campaign] = (),
    prices: Iterable[Price] = (),
    articles: Iterable[Article] = (),
    packages: Iterable[WorkPackage] = (),
    positions: Iterable[Position] = (),
    loans: Iterable[Loan] = (),
    refunds: Iterable[Refund] = (),
) -> Levers:
    """Return the levers that the business's records set.

    A campaign the platform has marked completed still counts: the world knows how many of its weeks have run, so that
    reading the documents again after the platform's report changes nothing. Orders are in the order they were given; an
    order withdrawn before its delivery is left out.
    """
    known = tuple(prices)
    priced = ((segment, select_price(known, segment)) for segment in segments)
    yearly = ((segment, select_price(known, segment, by_year=True)) for segment in segments)
    return Levers(
        advertising=tuple(
            Advertising(one.id, one.channel, one.segment, one.weekly_budget_usd, one.weeks, one.name)
            for one in campaigns
            if one.status in {"running", "completed"}
        ),
        prices=tuple((segment, price.monthly_usd) for segment, price in priced if price is not None),
        content=tuple(
            ContentPiece(one.id, one.type, one.tier or "all") for one in articles if one.status == "published"
        ),
        orders=tuple(
            Order(one.id, one.area, one.budget_usd, one.assigned_to, one.title)
            for one in packages
            if one.status not in _BACK
        ),
        yearly=tuple((segment, price.monthly_usd) for segment, price in yearly if price is not None),
        positions=tuple(paid_positions(positions)),
        loans=tuple(loans),
        refunds=tuple(refunds),
    )


_BACK = {"cancelled", "failed"}
