"""The hidden truth of a simulated market: willingness to pay, elasticity, cost of leads, events."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, with_config

from mabos.society.campaigns import CHANNELS, Channel
from mabos.workspace.ids import random_stream

EventKind = Literal[
    "rival_launch", "churn_shock", "demand_shock", "outage", "cost_shock", "legal_notice", "board_reminder",
    "supplier_delay", "client_insolvency", "channel_change", "willingness_change", "rival_price",
    "unit_cost_change", "defect",
]  # fmt: skip


Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Weeks = Annotated[int, Field(ge=1, le=26)]
CHECKED = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
"""The validation of the parts of a scenario file: no unknown key, and no invalid number."""


@with_config(CHECKED)
@dataclass(frozen=True, slots=True)
class ChannelReach:
    """The effect of a channel on a segment: dollars for the first lead of a week, and the maximum leads a week."""

    cost_per_lead: Positive
    most_leads: Positive
    carry_over: Share = 0.0
    """The share of a week's effect that is felt in the weeks after it, ever less."""
    fatigue: Share = 0.0
    """The share of its leads that a channel loses which is used to its limit week after week."""


@with_config(CHECKED)
@dataclass(frozen=True, slots=True)
class Rival:
    """A competitor: the weight of its price here, and the share of our price step that it answers in a week."""

    pull: Share
    reaction: Share


@dataclass(frozen=True, slots=True)
class SegmentTruth:
    """The behaviour of one segment's customers. Rates are a week's; prices are dollars a month.

    In a shop a price is the value of an order, and `orders` how many a customer places in a week. In a practice it is
    the fee of an engagement, and `effort` the consultant-weeks that one takes.
    """

    name: str
    accounts: int
    willingness_to_pay: float
    elasticity: float
    quality_floor: float
    churn: float
    conversion: float
    sale_delay_weeks: int
    organic_leads: float
    tickets: float
    reach: Mapping[Channel, ChannelReach]
    orders: float = 0.0
    effort: float = 0.0
    opening_price: float = 0.0
    """The price at which customers place `orders` orders, and that a rival compares ours with."""
    rival: Rival | None = None


@with_config(CHECKED)
@dataclass(frozen=True, slots=True)
class Scheduled:
    """A scheduled event; `size` is a share or a factor, `usd` a fine, by kind.

    A change lasts `weeks`, or for good with `weeks: 520`. A `silent` one is not announced.
    """

    week: Annotated[int, Field(ge=0)]
    kind: EventKind
    size: float = 0.0
    segment: str = "all"
    channel: Channel | Literal["all"] = "all"
    silent: bool = False
    weeks: Annotated[int, Field(ge=1)] = 1
    usd: NotNegative = 0.0
    text: str = ""


@with_config(CHECKED)
@dataclass(frozen=True, slots=True)
class Goods:
    """The goods of a shop: dollars to buy, to send and (a week) to store a unit; and after how many weeks it comes.

    `stock` is the units it has at the start.
    """

    unit_cost: Positive
    fulfilment: NotNegative
    storage: NotNegative
    lead_weeks: Weeks
    stock: NotNegative


@with_config(CHECKED)
@dataclass(frozen=True, slots=True)
class Practice:
    """The product of a consultancy: weeks of its consultants; it is paid after `payment_weeks`, and a share later
    still.

    `receivables` are the invoices that are out at the start, in dollars.
    """

    consultants: Positive
    payment_weeks: Weeks
    late_share: Share
    receivables: NotNegative


@dataclass(frozen=True, slots=True)
class MarketTruth:
    """The hidden parameters of one run. Dollars are a week's; shares are of 1."""

    segments: tuple[SegmentTruth, ...]
    payroll: float
    hosting_per_subscriber: float
    support_capacity: float
    drift: float
    quality_decay: float
    quality_gain: float
    contractor_quality: tuple[float, float]
    events: tuple[Scheduled, ...] = ()
    goods: Goods | None = None
    practice: Practice | None = None
    decides_at_random: bool = False
    """Whether a lead takes a random time to decide, of `sale_delay_weeks` on average, or exactly that."""

    def segment(self, name: str) -> SegmentTruth:
        """Return the truth of one segment."""
        return next(segment for segment in self.segments if segment.name == name)


def draw_truth(centre: MarketTruth, seed: str, spread: float) -> MarketTruth:
    """Return the truth of one run: every hidden number of `centre` moved by up to `spread` (0.1 is ten percent).

    What is drawn depends on the seed and the segment's name alone, so that policies are compared in one and the
    same world.
    """
    return replace(centre, segments=tuple(_perturb_segment(segment, seed, spread) for segment in centre.segments))


def _perturb_segment(segment: SegmentTruth, seed: str, spread: float) -> SegmentTruth:
    luck = random_stream(seed, "truth", segment.name)

    def perturb_value(value: float) -> float:
        return value * luck.uniform(1 - spread, 1 + spread)

    return replace(
        segment,
        willingness_to_pay=perturb_value(segment.willingness_to_pay),
        elasticity=perturb_value(segment.elasticity),
        churn=perturb_value(segment.churn),
        conversion=perturb_value(segment.conversion),
        organic_leads=perturb_value(segment.organic_leads),
        reach={
            channel: replace(
                segment.reach[channel],
                cost_per_lead=perturb_value(segment.reach[channel].cost_per_lead),
                most_leads=perturb_value(segment.reach[channel].most_leads),
            )
            for channel in CHANNELS
            if channel in segment.reach
        },
    )
