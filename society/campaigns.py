"""Advertising campaigns of a business: bookings, running campaigns, and results (`campaigns.json`)."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from mabos.configs.errors import InvalidArgument
from mabos.workspace.records import declaration, record
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

Channel = Literal["search", "social", "events", "outbound"]
Status = Literal["recorded", "running", "paused", "stopped", "completed"]
Action = Literal["pause", "resume", "stop", "set_budget"]

CHANNELS: tuple[Channel, ...] = ("search", "social", "events", "outbound")
ALL_SEGMENTS = "all"


@dataclass(frozen=True, slots=True)
class CampaignChange:
    """An entry in a campaign's history: the actor, the action, the time, and the previous status."""

    at: str
    by: str
    action: str
    weekly_budget_usd: float
    was: str = ""


@record("campaigns.json", "campaigns", noun="campaign")
@dataclass(frozen=True, slots=True)
class Campaign:
    """A booked campaign. Money in US dollars, spent at most `weekly_budget_usd` a week for at most `weeks` weeks.

    It is `recorded` until its platform reports it as running.
    """

    id: str
    name: str
    channel: Channel
    segment: str
    weekly_budget_usd: float
    weeks: int
    status: Status = "running"
    created_at: str = ""
    created_by: str = ""
    spent_usd: float = 0.0
    leads: int = 0
    weeks_run: int = 0
    history: tuple[CampaignChange, ...] = ()

    @property
    def committed_usd(self) -> float:
        """The maximum remaining cost: the weekly budget for every week left."""
        return self.weekly_budget_usd * max(0, self.weeks - self.weeks_run)

    @property
    def cost_per_lead(self) -> float | None:
        """The cost per lead of this campaign so far; `None` before the first."""
        return self.spent_usd / self.leads if self.leads else None


def commitment(weekly_budget_usd: float, weeks: int) -> float:
    """Return the business's commitment for a campaign: weekly budget × weeks."""
    return weekly_budget_usd * weeks


def apply_action(
    campaign: Campaign, action: Action, *, at: str, by: str, weekly_budget_usd: float | None = None
) -> Campaign:
    """Return the campaign after the action; raises `InvalidArgument` if it is not possible now.

    Pausing keeps the remaining weeks. A stopped or completed campaign is final: book a new one instead.
    """
    if campaign.status in {"stopped", "completed"}:
        message = f"campaign {campaign.id} is {campaign.status} and cannot {action}; create a new campaign"
        raise InvalidArgument(message, argument="action")
    budget = _new_budget(campaign, action, weekly_budget_usd)
    status = _STATUS_AFTER.get(action, campaign.status)
    if action == "resume":
        # Whether a paused campaign runs again, its platform says; one that never ran is on record again.
        status = "running" if campaign.weeks_run or _has_run(campaign) else "recorded"
    if status == campaign.status and budget == campaign.weekly_budget_usd:
        return campaign
    change = CampaignChange(at=at, by=by, action=action, weekly_budget_usd=budget, was=campaign.status)
    return replace(campaign, status=status, weekly_budget_usd=budget, history=(*campaign.history, change))


def _has_run(campaign: Campaign) -> bool:
    return campaign.status == "running" or any(one.was == "running" for one in campaign.history)


_STATUS_AFTER: dict[Action, Status] = {"pause": "paused", "resume": "running", "stop": "stopped"}


def _new_budget(campaign: Campaign, action: Action, weekly_budget_usd: float | None) -> float:
    if action != "set_budget":
        return campaign.weekly_budget_usd
    if weekly_budget_usd is None or weekly_budget_usd <= 0:
        message = "set_budget needs weekly_budget_usd above 0; to spend nothing, pause or stop the campaign"
        raise InvalidArgument(message, argument="weekly_budget_usd")
    return weekly_budget_usd


class Campaigns(View[Campaign]):
    """The campaigns of one business."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, Campaign)

    def running(self) -> tuple[Campaign, ...]:
        """Return the campaigns that spend money now."""
        return tuple(campaign for campaign in self.all() if campaign.status == "running")

    def list_booked(self) -> tuple[Campaign, ...]:
        """Return the campaigns that run or will run: those not paused, stopped or completed."""
        return tuple(campaign for campaign in self.all() if campaign.status in ("recorded", "running"))

    def report(self, campaign_id: str, *, spent_usd: float, leads: int, weeks_run: int) -> Campaign:
        """Return the campaign with the totals from its channel; it is completed once it has run its weeks."""

        def apply_report(campaign: Campaign) -> Campaign:
            confirmed: Status = "running" if campaign.status == "recorded" and weeks_run else campaign.status
            over = weeks_run >= campaign.weeks and confirmed == "running"
            status: Status = "completed" if over else confirmed
            return replace(campaign, spent_usd=spent_usd, leads=leads, weeks_run=weeks_run, status=status)

        known = self.one(campaign_id)
        # A channel tells of every campaign there ever was, most of which are over: only what is new takes the lock.
        return known if apply_report(known) == known else self.change(campaign_id, apply_report)


def open_campaigns(directory: Path, sync: Sync) -> Campaigns:
    """Return the campaigns of the business in `directory`."""
    return Campaigns(declaration(Campaign).open(directory, sync))
