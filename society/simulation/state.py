"""The state of a simulated company and its market at the end of a week; it round-trips through JSON."""

from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import TypeAdapter

from mabos.society.campaigns import Channel
from mabos.society.packages import Area


@dataclass(frozen=True, slots=True)
class Contract:
    """Customers who paid a year in advance, their price per month, and the week from which they pay by the month."""

    due: int
    customers: int
    monthly_usd: float


@dataclass(frozen=True, slots=True)
class Employee:
    """A person on the payroll from one week until another; `None` means no end."""

    position_id: str
    area: Area
    weekly_usd: float
    skill: float
    since: int
    until: int | None = None


@dataclass(frozen=True, slots=True)
class Debt:
    """A granted loan: the remaining debt, and the weekly payment."""

    loan_id: str
    left_usd: float
    weekly_usd: float


@dataclass(frozen=True, slots=True)
class Segment:
    """A segment's book: its customers and prices, and leads on their way to a decision (index 0 decides next week).

    `subscribers` are customers of any kind; in a practice they are engagements, and `work` the consultant-weeks left.
    """

    name: str
    subscribers: int
    list_price: float
    paid_price: float
    pipeline: tuple[int, ...] = ()
    work: float = 0.0
    asked: tuple[float, ...] = ()
    """The average charge of a customer in each of the last weeks, the newest last."""
    rival: float = 1.0
    """The price of a rival as a share of what it was at the start."""
    contracts: tuple[Contract, ...] = ()
    """Those of the subscribers who have paid a year in advance."""

    @property
    def bound(self) -> int:
        """The subscribers who have paid a year in advance: they neither leave nor pay."""
        return sum(one.customers for one in self.contracts)

    @property
    def monthly_bill(self) -> float:
        """The dollars a month of the subscribers who pay by the month."""
        return (self.subscribers - self.bound) * self.paid_price

    @property
    def mrr(self) -> float:
        """Monthly recurring revenue of this segment."""
        return self.monthly_bill + sum(one.customers * one.monthly_usd for one in self.contracts)


@dataclass(frozen=True, slots=True)
class Project:
    """A work package with a contractor of still unknown quality."""

    package_id: str
    area: Area
    budget_usd: float
    contractor_id: str
    skill: float
    weeks: int
    weeks_left: int
    crowd: int
    title: str = ""


@dataclass(frozen=True, slots=True)
class Shock:
    """An external factor on churn, demand or another number of the market until a week."""

    kind: str
    segment: str
    factor: float
    until: int
    channel: str = "all"


@dataclass(frozen=True, slots=True)
class Advertised:
    """The effect of advertising left on a channel for a segment: dollars still felt, and its fatigue."""

    channel: Channel
    segment: str
    felt_usd: float
    tired: float


@dataclass(frozen=True, slots=True)
class Obligation:
    """A legal notice: the fine falls due unless compliance work is delivered before."""

    due: int
    usd: float


@dataclass(frozen=True, slots=True)
class Boost:
    """Extra capacity until a week: tickets a week for the support desk, or consultant-weeks a week for delivery."""

    tickets: float
    until: int
    area: Area = "support"


@dataclass(frozen=True, slots=True)
class Receivable:
    """An open invoice: the week of its payment, and dollars."""

    due: int
    usd: float


@dataclass(frozen=True, slots=True)
class Serving:
    """The week of a shop or a practice: its receipts, its sales and their cost, and the unserved demand.

    `takings` is the money received, `sales` the value delivered at its price, `cost` the cost to buy and send it.
    `volume` counts orders filled of those `wanted`, or engagements completed; `used` is the share of the capacity that
    worked.
    """

    takings: float = 0.0
    sales: float = 0.0
    cost: float = 0.0
    volume: int = 0
    wanted: int = 0
    unserved: float = 0.0
    used: float = 0.0


@dataclass(frozen=True, slots=True)
class CampaignRun:
    """The progress of a campaign so far."""

    campaign_id: str
    weeks: int = 0
    spent_usd: float = 0.0
    leads: int = 0


@dataclass(frozen=True, slots=True)
class SegmentFlow:
    """The changes in one segment in the last week."""

    segment: str
    leads: int = 0
    decided: int = 0
    new: int = 0
    lost: int = 0


@dataclass(frozen=True, slots=True)
class Trade:
    """The sales figures of one of the last four weeks, which rates are reported over: one week alone is noise."""

    base: int
    new: int
    lost: int
    decided: int
    marketing_usd: float


@dataclass(frozen=True, slots=True)
class WeekLedger:
    """The money of the last week, in dollars."""

    revenue: float = 0.0
    payroll: float = 0.0
    hosting: float = 0.0
    advertising: float = 0.0
    content: float = 0.0
    contractors: float = 0.0
    fines: float = 0.0
    goods: float = 0.0
    prepaid: float = 0.0
    """The part of the revenue that customers paid for a year in advance."""
    hiring: float = 0.0
    refunds: float = 0.0
    debt_service: float = 0.0

    @property
    def costs(self) -> float:
        """The sum of all payments."""
        work = self.payroll + self.hosting + self.advertising + self.content + self.contractors
        return work + self.fines + self.goods + self.hiring + self.refunds + self.debt_service


@dataclass(frozen=True, slots=True)
class MarketState:
    """The whole state after `week` weeks. Quality, expectation and reputation are from 0 to 1."""

    week: int
    cash: float
    segments: tuple[Segment, ...]
    quality: float
    expectation: float
    reputation: float = 0.5
    backlog: float = 0.0
    audience: float = 0.0
    help_pages: float = 0.0
    payroll_factor: float = 1.0
    projects: tuple[Project, ...] = ()
    delivered: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    campaigns: tuple[CampaignRun, ...] = ()
    shocks: tuple[Shock, ...] = ()
    obligations: tuple[Obligation, ...] = ()
    boosts: tuple[Boost, ...] = ()
    advertised: tuple[Advertised, ...] = ()
    flows: tuple[SegmentFlow, ...] = ()
    recent: tuple[Trade, ...] = ()
    ledger: WeekLedger = WeekLedger()
    bankrupt: bool = False
    stock: float = 0.0
    receivables: tuple[Receivable, ...] = ()
    serving: Serving | None = None
    employees: tuple[Employee, ...] = ()
    debts: tuple[Debt, ...] = ()
    answered: tuple[str, ...] = ()
    """The loans that the bank has answered, and the refunds that were paid."""

    @property
    def subscribers(self) -> int:
        """Subscribers of all segments."""
        return sum(segment.subscribers for segment in self.segments)

    @property
    def mrr(self) -> float:
        """Monthly recurring revenue."""
        return sum(segment.mrr for segment in self.segments)

    def as_json(self) -> dict[str, Any]:
        """Return the state as a JSON object."""
        return dict(orjson.loads(orjson.dumps(self)))

    @classmethod
    def from_json(cls, state: Any) -> "MarketState":
        """Return the state that `as_json` wrote."""
        return _WORLD.validate_python(state)


@dataclass(frozen=True, slots=True)
class MarketEvent:
    """An event in a week that may become news: `value` is a word or number a belief can hold."""

    week: int
    kind: str
    subject: str
    value: str = ""
    size: float = 0.0
    text: str = ""


def run_of(campaigns: tuple[CampaignRun, ...], campaign_id: str) -> CampaignRun:
    """Return the progress of a campaign so far; empty for one the market has not seen."""
    return next((run for run in campaigns if run.campaign_id == campaign_id), CampaignRun(campaign_id))


_WORLD: TypeAdapter[MarketState] = TypeAdapter(MarketState)
