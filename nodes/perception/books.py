"""Derive an agent's beliefs from its company's own books: work, advertising, content and contractors.

For each area of work `work_product` packages are open, for `ordered_product` dollars. `delivered_product` are
delivered; over all areas `unreviewed_work` lack a review. On each channel `ads_search_smb` dollars a week are spent on
a segment, and `lead_cost_search_smb` is the cost of a lead in the last campaign there. Of each kind of content
`published_help_article` pieces are published and `drafts_help_article` are not. `contractors` is their number. A
missing record is zero: books are complete.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import get_args

from mabos.mind.model import Belief
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.measures import format_number
from mabos.society.campaigns import ALL_SEGMENTS, CHANNELS, Campaign
from mabos.society.content import ContentType
from mabos.society.packages import Area, WorkPackage
from mabos.tools.runtime.company import Business
from mabos.workspace.clock import iso
from mabos.workspace.currencies import money

CERTAIN, SOURCE, SHOWN = 0.97, "books", 5
PRODUCT = "product"
_NAMES = (
    "work_", "ordered_", "delivered_", "unreviewed_work", "ads_", "lead_cost_", "published_", "drafts_", "contractors",
    "latest_campaign", PRODUCT,
)  # fmt: skip
Entry = tuple[str, float | str, str, tuple[str, ...]]
"""A name, what it amounts to, that in words, and the records it rests on."""


def read_books(cycle: Cycle, watches: Iterable[str]) -> tuple[Belief, ...]:
    """Return the beliefs about the books that `watches` include and that differ from the current ones."""
    asked = [one for one in watches if one.startswith(_NAMES)]
    if not asked or not cycle.agent.business_id or not _is_newer(cycle, cycle.agent.business):
        return ()
    business = cycle.agent.business
    held = {belief.subject: belief for belief in cycle.agent.mind.beliefs if belief.source == SOURCE}
    now = iso(cycle.agent.clock())
    return tuple(
        _belief(entry, now)
        for entry in (*_work(business), *_advertising(business), *_find_sole_product(business), *_stock(business))
        if any(fnmatchcase(entry[0], one) for one in asked) and _is_news(entry, held)
    )


def _is_newer(cycle: Cycle, business: Business) -> bool:
    packages = cycle.is_newer(business.workforce.packages.store, "packages")
    campaigns = cycle.is_newer(business.campaigns.store, "campaigns")
    content = cycle.is_newer(business.content.store, "content")
    contractors = cycle.is_newer(business.workforce.contractors.store, "contractors")
    return packages or campaigns or content or contractors


def _is_news(entry: Entry, held: Mapping[str, Belief]) -> bool:
    name, amount, _, _ = entry
    return name not in held or held[name].value != _format_amount(amount)


def _format_amount(amount: float | str) -> str:
    return amount if isinstance(amount, str) else format_number(amount)


def _work(business: Business) -> Iterator[Entry]:
    open_now = [one for one in business.workforce.packages.all() if one.is_under_way]
    for area in get_args(Area):
        own = [one for one in open_now if one.area == area]
        usd = sum(one.budget_usd for one in own)
        ids = _latest(own)
        yield f"work_{area}", float(len(own)), f"{len(own)} packages for {area} are under way", ids
        yield f"ordered_{area}", usd, f"Work on {area} for {money(usd, places=0)} is under way", ids


def _stock(business: Business) -> Iterator[Entry]:
    """Yield the delivered, written and available items."""
    packages, articles = business.workforce.packages.all(), business.content.all()
    for area in get_args(Area):
        done = [one for one in packages if one.area == area and one.status in ("delivered", "complete")]
        yield f"delivered_{area}", float(len(done)), f"{len(done)} packages for {area} are delivered", _latest(done)
    open_work = [one for one in packages if one.status == "delivered"]
    said = f"{len(open_work)} delivered packages wait for a review"
    yield "unreviewed_work", float(len(open_work)), said, _latest(open_work)
    for kind in get_args(ContentType):
        for name, status in (("published", "published"), ("drafts", "draft")):
            own = [one for one in articles if one.type == kind and one.status == status]
            told = f"{len(own)} pieces of the kind {kind} have the status {status}"
            yield f"{name}_{kind}", float(len(own)), told, tuple(one.id for one in own)[-SHOWN:]
    pool = business.workforce.contractors.all()
    yield (
        "contractors",
        float(len(pool)),
        f"{len(pool)} contractors are in the pool",
        tuple(one.id for one in pool)[-SHOWN:],
    )
    if campaigns := business.campaigns.list_booked():
        latest = campaigns[-1]
        yield "latest_campaign", latest.id, f"The latest campaign is {latest.name} ({latest.id})", (latest.id,)


def _advertising(business: Business) -> Iterator[Entry]:
    running, booked_ever = business.campaigns.list_booked(), business.campaigns.all()
    segments = {price.segment for price in business.pricing.prices.all()} - {ALL_SEGMENTS}
    for segment in sorted(segments | {one.segment for one in running}):
        for channel in CHANNELS:
            own = [one for one in running if _place(one) == (channel, segment)]
            weekly = sum(one.weekly_budget_usd for one in own)
            said = f"Advertising by {channel} for {segment} is booked at {money(weekly, places=0)} a week"
            yield f"ads_{channel}_{segment}", weekly, said, _latest(own)
            yield from _cost(f"{channel}_{segment}", [one for one in booked_ever if _place(one) == (channel, segment)])


def _cost(place: str, campaigns: Sequence[Campaign]) -> Iterator[Entry]:
    """Yield the cost of a lead in the last campaign that ran somewhere; one without leads counts half a lead."""
    ran = [one for one in campaigns if one.weeks_run]
    if ran:
        cost = ran[-1].spent_usd / max(0.5, ran[-1].leads)
        yield (
            f"lead_cost_{place}",
            cost,
            f"A lead of the last campaign by {place} has cost {money(cost)}",
            (ran[-1].id,),
        )


def _place(campaign: Campaign) -> tuple[str, str]:
    return campaign.channel, campaign.segment


def _find_sole_product(business: Business) -> Iterator[Entry]:
    """Yield the product, if there is just one: the one to set a price for."""
    offered = [one for one in business.pricing.products.all() if one.active]
    if len(offered) == 1:
        yield PRODUCT, offered[0].name, f"What we sell is called {offered[0].name}", (offered[0].id,)


def _latest(records: Iterable[Campaign] | Iterable[WorkPackage]) -> tuple[str, ...]:
    return tuple(one.id for one in records)[-SHOWN:]


def _belief(entry: Entry, now: str) -> Belief:
    name, amount, said, ids = entry
    return Belief(
        id=f"B-{name}",
        statement=said,
        certainty=CERTAIN,
        category="self",
        source=SOURCE,
        subject=name,
        predicate="name" if name == PRODUCT else "",
        value=_format_amount(amount),
        updated=now,
        evidence=ids,
    )
