"""Scenarios, checked: the company, market, stakeholder and events of a simulation (`scenario_files.py` reads them).

truth = scenario.truth(seed="1")                 # the hidden market of one run
world = scenario.opening(seed="1")               # week 0
"""

import hashlib
import json
from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, Field, model_validator

from mabos.society.campaigns import Channel
from mabos.society.governance import OwnInitiative
from mabos.society.simulation.contender import Policy
from mabos.society.simulation.state import MarketState, Receivable, Segment
from mabos.society.simulation.truth import (
    CHECKED,
    ChannelReach,
    Goods,
    MarketTruth,
    NotNegative,
    Positive,
    Practice,
    Rival,
    Scheduled,
    SegmentTruth,
    Share,
    Weeks,
    draw_truth,
)
from mabos.society.simulation.world import simulate_usual_weeks

SegmentName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,15}$")]


class ScenarioPart(BaseModel):
    """A part of a simulation file; unknown keys and numbers that are not numbers are refused."""

    model_config = CHECKED


class SegmentSpec(ScenarioPart):
    """The hidden truth of a segment, and its starting values; rates are a week's, prices dollars a month.

    In a shop a price is the value of an order, and `orders` how many a customer places a week. In a practice it is the
    fee of an engagement, and `effort` its consultant-weeks.
    """

    subscribers: Annotated[int, Field(ge=0)]
    price: Positive
    accounts: Annotated[int, Field(gt=0)]
    willingness_to_pay: Positive
    elasticity: Positive
    quality_floor: Share
    churn: Share
    conversion: Share
    sale_delay_weeks: Weeks
    organic_leads: NotNegative
    tickets: NotNegative
    channels: dict[Channel, ChannelReach]
    orders: NotNegative = 0.0
    effort: NotNegative = 0.0
    rival: Rival | None = None

    def truth(self, name: str) -> SegmentTruth:
        """Return the segment's truth before the random variation of the run."""
        alike = (one for one in SegmentTruth.__slots__ if one not in {"name", "reach", "opening_price"})
        known = {one: getattr(self, one) for one in alike}
        return SegmentTruth(name=name, reach=self.channels, opening_price=self.price, **known)


class StartSpec(ScenarioPart):
    """The company in week 0: a Monday, dollars, and shares of 1."""

    date: date
    cash: Positive
    quality: Share
    expectation: Annotated[float, Field(gt=0, le=1)]
    reputation: Share = 0.5
    backlog: NotNegative = 0.0
    product: str = "Subscription"

    @model_validator(mode="after")
    def _begins_on_a_monday(self) -> "StartSpec":
        if self.date.weekday() != 0:
            day = self.date.strftime("%A")
            raise ValueError(f"{self.date} is a {day}; weeks start on Monday")
        return self


class OperationsSpec(ScenarioPart):
    """The company's costs and capacity, by the week; and the ageing of its product."""

    payroll: NotNegative
    hosting_per_subscriber: NotNegative
    support_capacity: NotNegative
    drift: NotNegative
    quality_decay: Share
    quality_gain: Share
    contractor_quality: tuple[Share, Share] = (0.45, 0.95)
    decides_at_random: bool = False


class ContractorSpec(ScenarioPart):
    """A contractor already in the pool; only the world knows the quality of the work."""

    id: str
    name: str
    skills: tuple[str, ...]
    hourly_rate_usd: Positive
    trust_score: Share = 0.5


class StakeholderSpec(ScenarioPart):
    """The owner: the governance profile, and the script that answers decisions instead of a person."""

    approval_threshold_usd: NotNegative = 5000.0
    decision_style: Literal["hands-on", "strategic-only", "exception-based"] = "strategic-only"
    risk_tolerance: Literal["conservative", "moderate", "aggressive"] = "moderate"
    auto_approve_categories: tuple[str, ...] = ()
    initiative: OwnInitiative = "act"
    policy: Annotated[str, Field(pattern=r"^(approve-all|reject-all|approve-under-\d+(x-burn)?)$")] = "approve-all"
    latency_weeks: Annotated[int, Field(ge=0)] = 1


class ScoreSpec(ScenarioPart):
    """The scores for comparing runs."""

    primary: Literal["net_worth", "cash", "mrr"] = "net_worth"
    also: tuple[str, ...] = ()


class Scenario(ScenarioPart):
    """A checked scenario file."""

    scenario: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,62}$")]
    title: str
    description: str = ""
    preset: Literal["saas", "ecommerce", "consulting"] = "saas"
    template: str = "saas"
    weeks: Annotated[int, Field(ge=1, le=520)] = 13
    seed: Annotated[int, Field(ge=0)] = 1
    spread: Share = 0.08
    policy: Policy = "bdi"
    start: StartSpec
    operations: OperationsSpec
    segments: Annotated[dict[SegmentName, SegmentSpec], Field(min_length=1)]
    goods: Goods | None = None
    practice: Practice | None = None
    contractors: tuple[ContractorSpec, ...] = ()
    events: tuple[Scheduled, ...] = ()
    stakeholder: StakeholderSpec = StakeholderSpec()
    score: ScoreSpec = ScoreSpec()

    @model_validator(mode="after")
    def _events_name_known_segments(self) -> "Scenario":
        for number, event in enumerate(self.events):
            if event.segment not in {*self.segments, "all"}:
                known = ", ".join(self.segments)
                raise ValueError(f"events[{number}].segment is {event.segment!r}; expected all or one of {known}")
        return self

    @model_validator(mode="after")
    def _has_what_its_preset_needs(self) -> "Scenario":
        needed = {"ecommerce": "goods", "consulting": "practice"}.get(self.preset, "")
        for part in ("goods", "practice"):
            if (getattr(self, part) is not None) != (part == needed):
                said = "needs" if part == needed else "has no use for"
                raise ValueError(f"a scenario of the preset {self.preset} {said} the part {part}")
        each = {"goods": "orders", "practice": "effort"}.get(needed)
        for name, spec in self.segments.items():
            if each and not getattr(spec, each):
                raise ValueError(f"segments.{name}.{each} must be above 0 in the preset {self.preset}")
        return self

    def truth(self, seed: str) -> MarketTruth:
        """Return the hidden market of the run with this seed."""
        operations = self.operations
        centre = MarketTruth(
            segments=tuple(spec.truth(name) for name, spec in self.segments.items()),
            payroll=operations.payroll,
            hosting_per_subscriber=operations.hosting_per_subscriber,
            support_capacity=operations.support_capacity,
            drift=operations.drift,
            quality_decay=operations.quality_decay,
            quality_gain=operations.quality_gain,
            contractor_quality=operations.contractor_quality,
            events=self.events,
            goods=self.goods,
            practice=self.practice,
            decides_at_random=operations.decides_at_random,
        )
        return draw_truth(centre, seed, self.spread)

    def opening(self, seed: str) -> MarketState:
        """Return the world before the first week of the run with this seed, after a number of usual weeks."""
        bare = MarketState(
            week=0,
            cash=self.start.cash,
            quality=self.start.quality,
            expectation=self.start.expectation,
            reputation=self.start.reputation,
            backlog=self.start.backlog,
            segments=tuple(
                Segment(name, spec.subscribers, spec.price, spec.price, work=0.5 * spec.subscribers * spec.effort)
                for name, spec in self.segments.items()
            ),
            stock=0.0 if self.goods is None else self.goods.stock,
            receivables=() if self.practice is None else _spread(self.practice),
        )
        return simulate_usual_weeks(bare, self.truth(seed))

    def beyond(self, weeks: int) -> tuple[str, ...]:
        """Return in words the scheduled events that lie beyond a run of `weeks` weeks, counted from 0."""
        return tuple(
            f"events[{number}], {event.kind} of week {event.week}, never happens: the run ends with week {weeks - 1}"
            for number, event in enumerate(self.events)
            if event.week >= weeks
        )

    def digest(self) -> str:
        """Return the SHA-256 of the scenario's content, whatever its file's layout."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


def _spread(practice: Practice) -> tuple[Receivable, ...]:
    """Return the invoices that are out at the start: as much falls due in each of the coming weeks."""
    weeks = practice.payment_weeks
    return tuple(Receivable(week, practice.receivables / weeks) for week in range(weeks))
