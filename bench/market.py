"""A scripted policy on the market in memory: its moves as records, the owner's answers, week after week.

    world = played(load_scenario("saas"), POLICIES["rules"], seed="1").world

For calibration and parameter search: no files, no agents, thousands of weeks a second. Governance is the same table as
on disk, for agents with full autonomy; a contractor is sent by the market.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mabos.society.campaigns import Campaign, commitment
from mabos.society.content import CONTENT_COST_USD, Article
from mabos.society.governance import FinancialPosition, ProposedAction, StakeholderProfile, check
from mabos.society.packages import WorkPackage
from mabos.society.pricing import Price
from mabos.society.simulation.company import score, week_start
from mabos.society.simulation.levers import Levers, levers
from mabos.society.simulation.policies import HeardNews, Policy, PolicyMove, Sight
from mabos.society.simulation.scenario import Scenario
from mabos.society.simulation.sensors import MarketReadings, readings
from mabos.society.simulation.stakeholder_policy import OwnerQuestion, OwnerSituation, answer
from mabos.society.simulation.state import MarketState, run_of
from mabos.society.simulation.world import step
from mabos.workspace.clock import iso
from mabos.workspace.ids import random_stream


@dataclass(frozen=True, slots=True)
class Played:
    """A policy's result: the last state, its score, and the number of moves done and refused."""

    world: MarketState
    score: float
    done: int
    refused: int


@dataclass(frozen=True, slots=True)
class _Question:
    move: PolicyMove
    week: int


class _Books:
    """The records of one company in memory, which moves write and the market reads."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.campaigns: list[Campaign] = []
        self.prices: list[Price] = []
        self.articles: list[Article] = []
        self.packages: list[WorkPackage] = []
        self.questions: list[_Question] = []
        self.metrics: dict[str, list[float]] = {}
        self.heard: tuple[HeardNews, ...] = ()
        self.done = self.refused = 0
        self._profile = StakeholderProfile.model_validate(
            scenario.stakeholder.model_dump(exclude={"policy", "latency_weeks"})
        )

    def sight(self, week: int) -> Sight:
        """Return what is seen on the Monday of `week`."""
        return Sight(
            week,
            tuple(self.scenario.segments),
            self.metrics,
            tuple(one for one in self.campaigns if one.status == "running"),
            tuple(one for one in self.packages if one.status == "open"),
            self.heard,
            frozenset(one.move.tool for one in self.questions),
            tuple(one for one in self.campaigns if one.status == "completed"),
        )

    def levers(self) -> Levers:
        """Return what the records move in the market."""
        return levers(
            tuple(self.scenario.segments),
            campaigns=self.campaigns,
            prices=self.prices,
            articles=self.articles,
            packages=self.packages,
        )

    def answered(self, week: int, world: MarketState) -> None:
        """Let the owner answer what was asked, and do what was allowed."""
        terms = self.scenario.stakeholder
        moment = week_start(self.scenario, week)
        situation = OwnerSituation(moment, world.cash, world.ledger.costs - world.ledger.revenue)
        waiting = []
        for one in self.questions:
            asked = OwnerQuestion("", _cost(one.move), week_start(self.scenario, one.week))
            found = answer(asked, terms.policy, situation, latency_weeks=terms.latency_weeks)
            if found is None:
                waiting.append(one)
            elif found.resolution == "approve":
                self._perform(one.move)
            else:
                self.refused += 1
        self.questions = waiting

    def attempt(self, move: PolicyMove, week: int, world: MarketState) -> None:
        """Do a move, or put it before the owner where governance says so."""
        category, strategic, external = CLASSES[move.tool]
        action = ProposedAction(move.role, category, _cost(move), strategic=strategic, external=external)
        standing = FinancialPosition(cash=world.cash, burn=(world.ledger.costs - world.ledger.revenue) * 52 / 12)
        if check(action, self._profile, "full", standing).requires_approval:
            self.questions.append(_Question(move, week))
        else:
            self._perform(move)

    def seen(self, found: MarketReadings) -> None:
        """Enter what the market shows of a week."""
        for point in found.points:
            self.metrics.setdefault(point.name, []).append(point.value)
        self.heard = tuple(dict.fromkeys(HeardNews(letter.subject, letter.value) for letter in found.mail))

    def reported(self, world: MarketState) -> None:
        """Enter what platforms and contractors report: leads and dollars of campaigns, and deliveries."""
        self.campaigns = [_after(one, world) for one in self.campaigns]
        self.packages = [
            replace(one, status="delivered") if one.id in world.delivered else one for one in self.packages
        ]

    def _perform(self, move: PolicyMove) -> None:
        number, given = self.done, dict(move.arguments)
        self.done += 1
        match move.tool:
            case "ad_campaign_create":
                self.campaigns.append(Campaign(id=f"CMP-{number}", **given))
            case "stripe_create_price":
                cents = round(given.pop("amount_usd") * 100)
                self.prices.append(Price(id=f"price_{number}", unit_amount=cents, **given))
            case "content_generate":
                self.articles.append(Article(id=f"PIECE-{number}", path="", **given))
            case "work_package_create":
                self.packages.append(WorkPackage(id=f"WP-{number}", **given))


CLASSES: Mapping[str, tuple[str, bool, bool]] = {
    "ad_campaign_create": ("marketing_spend", False, True),
    "stripe_create_price": ("pricing", True, True),
    "content_generate": ("content", False, True),
    "work_package_create": ("contractor_invoices", False, False),
}
"""The catalogue's declaration of each tool for governance: category, strategic, external."""


def played(scenario: Scenario, policy: Policy, *, seed: str, weeks: int | None = None) -> Played:
    """Return the result of `policy` in a run of the scenario with this seed."""
    truth, world, books = scenario.truth(seed), scenario.opening(seed), _Books(scenario)
    books.seen(readings(world, (), truth, seed=seed, at=iso(week_start(scenario, 0))))
    for week in range(weeks or scenario.weeks):
        books.answered(week, world)
        for move in policy(books.sight(week), random_stream(seed, "policy", week)):
            books.attempt(move, week, world)
        world, events = step(world, truth, books.levers(), seed)
        books.reported(world)
        books.seen(readings(world, events, truth, seed=seed, at=iso(week_start(scenario, week + 1))))
        if world.bankrupt:
            break
    return Played(world, score(world, truth, scenario.score.primary), books.done, books.refused)


def _after(campaign: Campaign, world: MarketState) -> Campaign:
    run = run_of(world.campaigns, campaign.id)
    over = run.weeks >= campaign.weeks
    return replace(
        campaign,
        spent_usd=run.spent_usd,
        leads=run.leads,
        weeks_run=run.weeks,
        status="completed" if over else campaign.status,
    )


def _cost(move: PolicyMove) -> float:
    given: Mapping[str, Any] = move.arguments
    match move.tool:
        case "ad_campaign_create":
            return commitment(given["weekly_budget_usd"], given["weeks"])
        case "work_package_create":
            return float(given["budget_usd"])
        case "content_generate":
            return CONTENT_COST_USD
    return 0.0
