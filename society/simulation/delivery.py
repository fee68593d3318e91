"""Work packages under way and the support desk: deliveries, their time, and their quality."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mabos.society.packages import Area
from mabos.society.simulation.funding import USD_PER_CONSULTANT, USD_PER_STAFF_TICKET, output
from mabos.society.simulation.levers import Order
from mabos.society.simulation.state import Boost, MarketEvent, MarketState, Project
from mabos.society.simulation.truth import MarketTruth
from mabos.society.simulation.wording import label_record
from mabos.workspace.ids import random_stream
from mabos.workspace.numbers import clamp

SUPPORT_WEEKS = 10
USD_PER_TICKET = 250.0
USD_PER_CONSULTANT_WEEK = 2200.0


@dataclass(frozen=True, slots=True)
class Deliveries:
    """A week of contractors' work: open and finished projects, their cost and their effects."""

    open: tuple[Project, ...]
    done: tuple[Project, ...]
    cost: float
    quality_gain: float
    boosts: tuple[Boost, ...]
    supplies: float
    """The part of the cost paid to suppliers."""
    units: float
    """The deliveries of suppliers."""


def deliver(world: MarketState, truth: MarketTruth, orders: Sequence[Order], seed: str) -> Deliveries:
    """Return the week's work on all ordered packages; a withdrawn one is neither finished nor paid further."""
    ordered = {order.package_id for order in orders}
    going = [project for project in world.projects if project.package_id in ordered]
    going += _start_projects(world, truth, orders, going, seed)
    worked = [replace(project, weeks_left=project.weeks_left - 1) for project in going]
    done = tuple(project for project in worked if project.weeks_left <= 0)
    return Deliveries(
        open=tuple(project for project in worked if project.weeks_left > 0),
        done=done,
        cost=sum(project.budget_usd / project.weeks for project in going),
        quality_gain=sum(_quality_gain(project, truth, world.quality) for project in done),
        boosts=tuple(_boost(project, world.week) for project in done if project.area in {"support", "delivery"}),
        supplies=sum(project.budget_usd / project.weeks for project in going if project.area == "supply"),
        units=sum(_units(project, truth) for project in done if project.area == "supply"),
    )


def duration(budget_usd: float) -> int:
    """Return the weeks a package takes: four, and one more for each 5,000 dollars, at most eight."""
    return 4 + min(4, int(budget_usd // 5000))


def _start_projects(
    world: MarketState, truth: MarketTruth, orders: Sequence[Order], going: Sequence[Project], seed: str
) -> list[Project]:
    known = {project.package_id for project in world.projects} | set(world.delivered)
    fresh = [order for order in orders if order.package_id not in known]
    busy = sum(project.area == "product" for project in going)
    crowd = busy + sum(order.area == "product" for order in fresh)
    begun = len(known)
    return [_project(order, truth, crowd, begun + place, seed) for place, order in enumerate(fresh)]


def _project(order: Order, truth: MarketTruth, crowd: int, number: int, seed: str) -> Project:
    # Whom the market sends is decided by how many it has sent before, not by the package's id: ids differ
    # between policies, luck must not.
    who = order.contractor_id or f"#{number}"
    low, high = truth.contractor_quality
    skill = random_stream(seed, "contractor", who).uniform(low, high)
    slip = 1 if random_stream(seed, "slip", who, number).random() > skill else 0
    weeks = _weeks(order, truth) + slip
    return Project(
        order.package_id, order.area, order.budget_usd, order.contractor_id, skill, weeks, weeks, crowd, order.title
    )


def _quality_gain(project: Project, truth: MarketTruth, quality: float) -> float:
    """Bigger budgets, better people and a worse product gain more; many hands at once get in each other's way."""
    if project.area != "product":
        return 0.0
    effort = 1 - math.exp(-project.budget_usd / 6000)
    return truth.quality_gain * effort * project.skill * (1 - quality) / (1 + 0.3 * max(0, project.crowd - 1))


def _weeks(order: Order, truth: MarketTruth) -> int:
    if order.area == "supply" and truth.goods is not None:
        return truth.goods.lead_weeks
    return 2 if order.area == "delivery" else duration(order.budget_usd)


def _units(project: Project, truth: MarketTruth) -> float:
    """Return the units that a supplier delivers for the money: nearly all of it, and more from a better one."""
    return 0.0 if truth.goods is None else project.budget_usd / truth.goods.unit_cost * (0.9 + 0.1 * project.skill)


def _boost(project: Project, week: int) -> Boost:
    if project.area == "delivery":
        weekly = project.budget_usd / USD_PER_CONSULTANT_WEEK / SUPPORT_WEEKS
        return Boost(weekly * project.skill * 1.2, week + SUPPORT_WEEKS, "delivery")
    return Boost(project.budget_usd / USD_PER_TICKET * project.skill, week + SUPPORT_WEEKS)


def reported_quality(project: Project, seed: str) -> float:
    """Return the quality an inspection of a delivery finds: the truth with an error of a tenth or so."""
    error = random_stream(seed, "inspection", project.package_id).gauss(0, 0.08)
    return round(clamp(project.skill + error), 2)


def delivery_events(done: Sequence[Project], week: int, seed: str) -> list[MarketEvent]:
    """Return an event for each finished package, with the result of an inspection."""
    return [
        MarketEvent(
            week,
            "delivery",
            project.package_id,
            value=f"{reported_quality(project, seed):.2f}",
            size=project.budget_usd,
            text=f"Work package {label_record(project.title, project.package_id)} was delivered after "
            f"{project.weeks} weeks.",
        )
        for project in done
    ]


def capacity(world: MarketState, truth: MarketTruth) -> float:
    """Return the tickets the support desk can close this week."""
    return truth.support_capacity + _sum_boosts(world, "support") + output(world, "support") / USD_PER_STAFF_TICKET


def staff(world: MarketState, truth: MarketTruth) -> float:
    """Return the consultant-weeks that a practice can deliver this week."""
    own = truth.practice.consultants if truth.practice else 0.0
    return own + _sum_boosts(world, "delivery") + output(world, "delivery") / USD_PER_CONSULTANT


def _sum_boosts(world: MarketState, area: Area) -> float:
    return sum(boost.tickets for boost in world.boosts if boost.area == area and boost.until >= world.week)


def tickets(world: MarketState, truth: MarketTruth) -> float:
    """Return the week's new tickets by segment: more with a lagging product, fewer with good help pages."""
    raw = sum(segment.subscribers * truth.segment(segment.name).tickets for segment in world.segments)
    gap = max(0.0, world.expectation - world.quality)
    return raw * (1 + 3 * gap) * (1 - 0.4 * (1 - math.exp(-world.help_pages / 6)))
