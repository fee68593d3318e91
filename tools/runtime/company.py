"""An open business: its manifest and the documents that its agents share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mabos.knowledge.archive.store import Archive, open_archive
from mabos.society.business import Manifest, read_manifest
from mabos.society.campaigns import Campaigns, open_campaigns
from mabos.society.content import Article, open_content
from mabos.society.contractors import Contractor
from mabos.society.customers import Customers, open_customers
from mabos.society.decisions import Decisions, open_decisions
from mabos.society.figures import WatchedFigure, open_figures
from mabos.society.governance import StakeholderProfile, profile_reader
from mabos.society.instructions import Instruction, open_instructions
from mabos.society.mailings import Mailings, open_mailings
from mabos.society.metrics import WEEKS_A_MONTH, Metrics, open_metrics
from mabos.society.outbox import Notice, open_outbox
from mabos.society.pages.keywords import Rankings, open_rankings
from mabos.society.pricing import Pricing, open_pricing
from mabos.society.staff import Staff, open_staff
from mabos.society.webhooks.register import Register, open_register
from mabos.society.workflows import Workflows, open_workflows
from mabos.society.workforce import Workforce, open_workforce
from mabos.workspace.currencies import DOLLARS, SIGNS
from mabos.workspace.names import Layout
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View


@dataclass(frozen=True, slots=True)
class Business:
    """A business: its manifest and its open documents."""

    id: str
    directory: Path
    manifest: Manifest
    decisions: Decisions
    metrics: Metrics
    campaigns: Campaigns
    pricing: Pricing
    content: View[Article]
    keywords: Rankings
    workforce: Workforce
    staff: Staff
    outbox: View[Notice]
    customers: Customers
    mailings: Mailings
    webhooks: Register
    archive: Archive
    workflows: Workflows
    instructions: View[Instruction]
    figures: View[WatchedFigure]
    read_profile: Callable[[], StakeholderProfile]

    @property
    def profile(self) -> StakeholderProfile:
        """The owner's preferences for questions, from the current file."""
        return self.read_profile()

    @property
    def segments(self) -> tuple[str, ...]:
        """The customer segments that are counted."""
        prefix = "subscribers_"
        return tuple(one.removeprefix(prefix) for one in self.metrics.names() if one.startswith(prefix))

    def file_below(self, path: str) -> Path | None:
        """Return the file or folder at a path below the business's folder; None if it is missing or outside."""
        root = self.directory.resolve()
        try:
            found = (root / path).resolve()
            return found if path and found.is_relative_to(root) and found.exists() else None
        except (OSError, ValueError, RuntimeError):  # no file system has such a name, or it leads in a circle
            return None

    def money(self) -> tuple[float | None, float | None]:
        """Return the last measured cash and monthly cash burn; None is unknown."""
        cash, burn = self.metrics.latest("cash"), self.metrics.latest("burn")
        monthly = None if burn is None else burn.value * (WEEKS_A_MONTH if "week" in burn.unit else 1)
        return (None if cash is None else cash.value), monthly

    @property
    def currency(self) -> str:
        """The currency of its amounts: from the manifest, else from its cash, else dollars."""
        if self.manifest.currency:
            return self.manifest.currency
        cash = self.metrics.latest("cash")
        return cash.unit[:3] if cash is not None and cash.unit[:3] in SIGNS else DOLLARS

    def stores(self) -> tuple[Store, ...]:
        """Return every store, for closing; contractors belong to the workspace."""
        return (
            self.decisions.store,
            self.metrics.store,
            self.campaigns.store,
            self.pricing.products.store,
            self.content.store,
            self.keywords.store,
            self.workforce.packages.store,
            self.workforce.handoffs.store,
            self.staff.positions.store,
            self.staff.loans.store,
            self.outbox.store,
            *self.customers.stores(),
            *self.mailings.stores(),
            self.webhooks.store,
            self.archive.store,
            self.workflows.records.store,
            self.instructions.store,
            self.figures.store,
        )


def open_business(
    layout: Layout,
    business_id: str,
    sync: Sync,
    *,
    mirror: Store,
    contractors: View[Contractor],
    default: StakeholderProfile,
) -> Business:
    """Return the business with this id; raises `UnknownId`, or `Damaged` for an unreadable manifest."""
    manifest = read_manifest(layout, business_id)
    directory = layout.business(business_id)
    decisions = open_decisions(directory, sync, business_id=business_id, mirror=mirror)
    decisions.reflect()
    return Business(
        id=business_id,
        directory=directory,
        manifest=manifest,
        decisions=decisions,
        metrics=open_metrics(directory, sync),
        campaigns=open_campaigns(directory, sync),
        pricing=open_pricing(directory, sync),
        content=open_content(directory, sync),
        keywords=open_rankings(directory, sync),
        workforce=open_workforce(directory, contractors, sync),
        staff=open_staff(directory, sync),
        outbox=open_outbox(directory, sync),
        customers=open_customers(directory, sync),
        mailings=open_mailings(directory, sync),
        webhooks=open_register(directory, sync),
        archive=Archive(open_archive(directory, sync=sync)),
        workflows=open_workflows(directory, sync),
        instructions=open_instructions(directory, sync),
        figures=open_figures(directory, sync),
        read_profile=profile_reader(default, layout.root, directory),
    )
