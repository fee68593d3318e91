"""A simulated company on disk: its hidden state, its documents as levers, its weeks.

    simulation = CompanySimulation(root, scenario, seed="1", records=records)
    simulation.open_books()                       # opening prices, contractors, week 0 of the metrics
    tick = simulation.advance(0, deliver=deliver, roles={"ceo": "ceo", ...})

The hidden state is in `.simulation/state.json` under the workspace, outside every folder that agents read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import orjson

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.society.campaigns import Campaigns
from mabos.society.content import Article
from mabos.society.contractors import Contractor
from mabos.society.messages import Message
from mabos.society.metrics import Metrics
from mabos.society.packages import change_status
from mabos.society.pricing import Price, Pricing, Product
from mabos.society.simulation.levers import NOTHING, Levers, levers
from mabos.society.simulation.scenario import Scenario
from mabos.society.simulation.sensors import SOURCE, publish, readings
from mabos.society.simulation.state import Debt, MarketEvent, MarketState
from mabos.society.simulation.truth import MarketTruth
from mabos.society.simulation.world import step
from mabos.society.simulation.worth import net_worth
from mabos.society.staff import Loan, Staff
from mabos.society.workforce import Workforce
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso
from mabos.workspace.view import View

PRODUCT_ID = "prod_subscription"
"""The product that a simulated company opens with."""


@dataclass(frozen=True, slots=True)
class BusinessRecords:
    """The documents of the business that the market acts on and that act on it."""

    metrics: Metrics
    campaigns: Campaigns
    pricing: Pricing
    content: View[Article]
    workforce: Workforce
    staff: Staff


@dataclass(frozen=True, slots=True)
class Tick:
    """A simulated week: the state before and after it, its levers, and its events."""

    before: MarketState
    after: MarketState
    levers: Levers
    events: tuple[MarketEvent, ...]


@dataclass(frozen=True, slots=True)
class Untouched:
    """The company's result without any action: its score, and every metric, at the end and by week."""

    score: float
    figures: Mapping[str, float]
    course: Mapping[str, tuple[float | None, ...]]


def week_start(scenario: Scenario, week: int) -> datetime:
    """Return the Monday that begins a week; weeks count from 0."""
    return datetime.combine(scenario.start.date, time(), UTC) + timedelta(weeks=week)


class CompanySimulation:
    """The market around one business. All effects are keyed, so a week that was cut short can run again."""

    def __init__(
        self, root: Path, scenario: Scenario, *, seed: str, records: BusinessRecords, durable: bool = True
    ) -> None:
        self.scenario = scenario
        self.seed = seed
        self._records = records
        self._durable = durable
        self._path = root / ".simulation" / "state.json"
        self._truth = scenario.truth(seed)
        self._world = self._load_world()

    @property
    def week(self) -> int:
        """The number of completed weeks."""
        return self._world.week

    @property
    def world(self) -> MarketState:
        """The hidden state, for scores and for the owner's own bank account; agents never see it."""
        return self._world

    @property
    def is_bankrupt(self) -> bool:
        """Return whether the company has run out of money."""
        return self._world.bankrupt

    def score(self) -> float:
        """Return the score for comparing runs, after the last week: net worth in dollars unless the scenario
        differs.
        """
        return score(self._world, self._truth, self.scenario.score.primary)

    def simulate_inaction(self, weeks: int) -> Untouched:
        """Return the result of the same market, with the same seed, after `weeks` weeks without any action."""
        world = self.scenario.opening(self.seed)
        shown = [self._read(world)]
        for _ in range(weeks):
            world, _events = step(world, self._truth, NOTHING, self.seed)
            shown.append(self._read(world))
        names = dict.fromkeys(name for one in shown for name in one)
        course = {name: tuple(one.get(name) for one in shown) for name in names}
        return Untouched(score(world, self._truth, self.scenario.score.primary), shown[-1], course)

    def _read(self, world: MarketState) -> dict[str, float]:
        at = iso(week_start(self.scenario, world.week))
        return {point.name: point.value for point in readings(world, (), self._truth, seed=self.seed, at=at).points}

    def open_books(self) -> None:
        """Write the company's opening data: product and prices, contractor pool, and the metrics of the first day."""
        at = week_start(self.scenario, 0)
        _write_prices(self._records.pricing, self.scenario, iso(at))
        self._records.workforce.contractors.save(*_pool(self.scenario, self._records.workforce))
        found = readings(self.scenario.opening(self.seed), (), self._truth, seed=self.seed, at=iso(at))
        self._records.metrics.record_all(found.points)

    def advance(self, week: int, *, deliver: Callable[[Message], object], roles: Mapping[str, str]) -> Tick | None:
        """Return the week after it has been played and its news delivered; `None` for a week already played.

        `roles` gives the agent for each role. The state is saved last: after a crash the week runs again and writes
        the same. Raises `InvalidArgument` for a week that is not the next.
        """
        if week < self._world.week:
            return None
        if week > self._world.week:
            message = f"week {week} cannot run before week {self._world.week}; weeks follow each other"
            raise InvalidArgument(message, argument="week")
        at = week_start(self.scenario, week + 1)
        pulled = self._levers()
        after, events = step(self._world, self._truth, pulled, self.seed)
        found = readings(after, events, self._truth, seed=self.seed, at=iso(at))
        publish(found, self._records.metrics, deliver, roles=roles, at=at)
        self._report_back(after, at)
        tick = Tick(self._world, after, pulled, events)
        self._world = after
        self._save()
        return tick

    def _levers(self) -> Levers:
        return levers(
            tuple(self.scenario.segments),
            campaigns=self._records.campaigns.all(),
            prices=self._records.pricing.prices.all(),
            articles=self._records.content.all(),
            packages=self._records.workforce.packages.all(),
            positions=self._records.staff.positions.all(),
            loans=self._records.staff.loans.all(),
            refunds=self._records.pricing.refunds.all(),
        )

    def _report_back(self, after: MarketState, at: datetime) -> None:
        """Write the reports of platforms and contractors into the company's books: totals, and deliveries."""
        known = {campaign.id: campaign.weeks_run for campaign in self._records.campaigns.all()}
        for run in (run for run in after.campaigns if known.get(run.campaign_id, run.weeks) != run.weeks):
            self._records.campaigns.report(
                run.campaign_id, spent_usd=run.spent_usd, leads=run.leads, weeks_run=run.weeks
            )
        packages = self._records.workforce.packages
        working = {project.package_id for project in after.projects}
        for package in packages.all():
            if package.id in after.delivered and package.is_under_way:
                packages.save(change_status(package, "delivered", at=iso(at)))
            elif package.id in working and package.status in {"open", "assigned"}:
                packages.save(change_status(package, "in_progress", at=iso(at)))
        self._report_money(after, iso(at))

    def _report_money(self, after: MarketState, at: str) -> None:
        """Write the reports of bank and payroll: the people employed, the loans, and the refunds paid."""
        staff, refunds = self._records.staff, self._records.pricing.refunds
        hired = {one.position_id for one in after.employees}
        positions = [
            replace(one, status="employed" if one.is_paid else "left", updated_at=at)
            for one in staff.positions.all()
            if (one.status == "recorded" and one.id in hired) or (one.status == "on_notice" and _is_gone(one.id, after))
        ]
        staff.positions.save(*positions)
        debts = {one.loan_id: one for one in after.debts}
        staff.loans.save(*(changed for one in staff.loans.all() if (changed := _loan(one, debts, after, at)) != one))
        due = [one for one in refunds.all() if one.status == "recorded" and one.id in after.answered]
        refunds.save(*(replace(one, status="paid") for one in due))

    def _load_world(self) -> MarketState:
        if not self._path.exists():
            return self.scenario.opening(self.seed)
        try:
            saved: dict[str, Any] = orjson.loads(self._path.read_bytes())
            run = (saved["scenario"], saved["seed"])
            world = MarketState.from_json(saved["world"])
        except (ValueError, KeyError) as wrong:
            message = f"{self._path}: {wrong}; the simulation cannot go on from it, start a new one in another folder"
            raise Damaged(message) from None
        if run != (self.scenario.digest(), self.seed):
            message = f"{self._path} is of another scenario or seed; start this one in another folder"
            raise InvalidArgument(message, argument="out")
        return world

    def _save(self) -> None:
        state = {"scenario": self.scenario.digest(), "seed": self.seed, "world": self._world.as_json()}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        text = orjson.dumps(state, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
        write_atomic(self._path, text, durable=self._durable)


def _is_gone(position_id: str, after: MarketState) -> bool:
    known = next((one for one in after.employees if one.position_id == position_id), None)
    return known is None or (known.until is not None and known.until < after.week)


def _loan(loan: Loan, debts: Mapping[str, Debt], after: MarketState, at: str) -> Loan:
    """Return a loan as the bank has it now."""
    debt = debts.get(loan.id)
    if debt is not None:
        left, weekly = round(debt.left_usd, 2), round(debt.weekly_usd, 2)
        return replace(loan, status="granted", left_usd=left, weekly_usd=weekly, updated_at=at)
    if loan.status == "granted":
        return replace(loan, status="repaid", left_usd=0.0, updated_at=at)
    if loan.status == "requested" and loan.id in after.answered:
        return replace(loan, status="declined", updated_at=at)
    return loan


def score(world: MarketState, truth: MarketTruth, primary: str) -> float:
    """Return the number by which runs are compared."""
    if primary == "net_worth":
        return net_worth(world, truth)
    return 0.0 if world.bankrupt else float({"cash": world.cash, "mrr": world.mrr}[primary])


def _write_prices(pricing: Pricing, scenario: Scenario, at: str) -> None:
    product = Product(id=PRODUCT_ID, name=scenario.start.product, created_at=at)
    if pricing.products.find(product.id) is None:
        pricing.products.save(product)
    opening = [
        Price(
            id=f"price_opening_{name}",
            product=product.id,
            unit_amount=round(spec.price * 100),
            segment=name,
            created_at=at,
            created_by=SOURCE,
        )
        for name, spec in scenario.segments.items()
    ]
    pricing.prices.save(*(price for price in opening if pricing.prices.find(price.id) is None))


def _pool(scenario: Scenario, workforce: Workforce) -> list[Contractor]:
    return [
        Contractor(spec.id, spec.name, spec.skills, spec.hourly_rate_usd, trust_score=spec.trust_score)
        for spec in scenario.contractors
        if workforce.contractors.find(spec.id) is None
    ]
