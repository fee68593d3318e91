"""The input of a report: measurements, decisions, goals, lessons and news, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mabos.society.simulation.kpis import Kpi
from mabos.society.simulation.wording import came_to_pass


@dataclass(frozen=True, slots=True)
class RunAudit:
    """Unauthorised calls, in words; and how many notices came, were seen in time, settled and fined."""

    breaches: tuple[str, ...] = ()
    notices: int = 0
    seen: int = 0
    settled: int = 0
    fined: int = 0

    @property
    def told(self) -> str:
        """The audit in sentences."""
        kept = "Everything that needed a person's leave had it."
        broken = (
            f"{len(self.breaches)} times something was done that needed a person's leave: {'; '.join(self.breaches)}."
        )
        ends = f"{self.seen} seen in time, {self.settled} settled, {self.fined} fined"
        due = f" Notices with a deadline: {self.notices} came, {ends}." if self.notices else ""
        return (broken if self.breaches else kept) + due


@dataclass(frozen=True, slots=True)
class ReportedDecision:
    """An agent's deed or request: its week, its tool, and the chain of reasons behind it.

    `approval` is "" if no approval was needed, else approved, rejected, modified, deferred or pending. `area` is the
    purpose of ordered work, as `supply`.
    """

    id: str
    week: int
    agent: str
    subject: str
    tool: str = ""
    cost: float = 0.0
    why: tuple[str, ...] = ()
    approval: str = ""
    answer: str = ""
    outcome: str = ""
    area: str = ""

    @property
    def is_done(self) -> bool:
        """Return whether it was done: the owner neither refused it nor left it waiting."""
        return came_to_pass(self.approval)

    @property
    def told(self) -> str:
        """The week, agent and subject, in a line."""
        return f"Week {self.week}, {self.agent}: {self.subject}"


@dataclass(frozen=True, slots=True)
class GoalLine:
    """A goal at the end of the run; progress from 0 to 100."""

    agent: str
    description: str
    level: str
    status: str
    progress: float
    id: str = ""
    parent: str = ""


@dataclass(frozen=True, slots=True)
class ReportedInsight:
    """An insight that an agent recorded."""

    agent: str
    insight: str
    week: int = 0


@dataclass(frozen=True, slots=True)
class Activity:
    """The activity of one agent in numbers, from its ledger."""

    agent: str
    title: str
    cycles: int = 0
    messages: int = 0
    actions: int = 0
    refused: int = 0
    learnings: int = 0


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The use of a chat model in a run; dollars are 0 if its price is unknown."""

    name: str
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0

    @property
    def told(self) -> str:
        """The use in words."""
        cost = f", ${self.usd:,.2f}" if self.usd else ""
        return f"The model {self.name} was asked {self.calls:,} times: {self.tokens:,} tokens{cost}."


@dataclass(frozen=True, slots=True)
class Follows:
    """The result of a formula on the figures: the formatted value, or why it is missing."""

    label: str
    written: str
    how: str


@dataclass(frozen=True, slots=True)
class ReportedNews:
    """An outside event in a week."""

    week: int
    text: str
    is_event: bool = False
    """Whether it came over the company, and is not what became of its own work or what customers say."""


@dataclass(frozen=True, slots=True)
class CampaignResult:
    """The spending and leads of a campaign, from its record."""

    channel: str
    segment: str
    spent_usd: float
    leads: int


@dataclass(frozen=True, slots=True)
class PriceChange:
    """A price that was set, from its record: the week, the segment, dollars a period, and the price before, if any."""

    week: int
    segment: str
    after: float
    before: float | None = None


@dataclass(frozen=True, slots=True)
class ReportInput:
    """The full input of a report; without a scenario it is the report of a real business.

    `idle_score`, `idle` and `idle_course` are the results of doing nothing in the same market, at the end and week by
    week, if known. The series of a business that is not a simulation are measured on `days`, and `follows` from them.
    """

    title: str
    business: str
    weeks: int
    first_day: str
    last_day: str
    scenario: str = ""
    scenario_hash: str = ""
    policy: str = ""
    without: tuple[str, ...] = ()
    seed: str = ""
    owner: Mapping[str, Any] = field(default_factory=dict)
    score: float = 0.0
    score_name: str = "net_worth"
    idle_score: float | None = None
    idle: Mapping[str, float] = field(default_factory=dict)
    idle_course: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    bankrupt: bool = False
    summary: str = ""
    model: str = ""
    asked: ModelUse | None = None
    audit: RunAudit | None = None
    kpis: tuple[Kpi, ...] = ()
    decisions: tuple[ReportedDecision, ...] = ()
    goals: tuple[GoalLine, ...] = ()
    learnings: tuple[ReportedInsight, ...] = ()
    activity: tuple[Activity, ...] = ()
    news: tuple[ReportedNews, ...] = ()
    campaigns: tuple[CampaignResult, ...] = ()
    prices: tuple[PriceChange, ...] = ()
    effects: tuple[tuple[str, str], ...] = ()
    """The beliefs of agents about their levers: the lever, and a sentence."""
    made_for: int = 0
    """The weeks that the scenario is made for, where the run is of another length."""
    unplayed: tuple[str, ...] = ()
    """The scheduled events beyond the last week of the run, in words."""
    days: tuple[str, ...] = ()
    follows: tuple[Follows, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()

    def kpi(self, name: str) -> Kpi | None:
        """Return one series, or `None`."""
        return next((kpi for kpi in self.kpis if kpi.name == name), None)
