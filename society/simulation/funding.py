"""Staff, loans, refunds and yearly contracts of a simulated company.

Sizes follow published data: filling a position takes some six weeks and costs about 4,700 dollars (SHRM, "Talent
Acquisition Benchmarking Report", 2017). New people reach their full output over two months. Lenders to companies with
recurring revenue advance up to a third of a year's revenue. The interest, the effect of a refund, and the share that
pays a year in advance are assumptions.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from mabos.society.packages import Area
from mabos.society.pricing import Refund
from mabos.society.simulation.market import count
from mabos.society.simulation.state import Contract, Debt, Employee, MarketEvent, MarketState, Segment, Shock
from mabos.society.simulation.truth import MarketTruth
from mabos.society.staff import Loan, Position
from mabos.workspace.ids import random_stream

HIRING_WEEKS, HIRING_USD, LEARNING_WEEKS, NOTICE_WEEKS = 6, 4700.0, 8, 4
USD_PER_STAFF_TICKET, USD_PER_CONSULTANT = 20.0, 1800.0
"""Dollars of wages for a ticket, and for a week of a consultant, once the person knows the work."""
INTEREST, LENT_SHARE = 0.12, 1 / 3
"""Interest a year; and the most that is lent, as a share of a year's revenue."""
CONTRACT_WEEKS, _MOST_YEARLY = 52, 0.8
_SOOTHED_WEEKS, _SOOTHES, _ENOUGH = 8, 0.35, 0.25
"""A refund lowers churn for so many weeks, by at most this share; this share of a month's price does most of it."""


def settle_funding(
    world: MarketState, loans: Sequence[Loan], refunds: Sequence[Refund]
) -> tuple[MarketState, tuple[MarketEvent, ...]]:
    """Return the world after the bank has answered, and refunds and loan instalments were paid."""
    events = []
    for loan in loans:
        if loan.id not in world.answered:
            world, event = _answer_loan(world, loan)
            events.append(event)
    for refund in refunds:
        if refund.id not in world.answered:
            world = _pay_refund(world, refund)
    parts = [(one, min(one.left_usd * (1 + INTEREST / 52), one.weekly_usd)) for one in world.debts]
    left = (replace(one, left_usd=one.left_usd * (1 + INTEREST / 52) - part) for one, part in parts)
    ledger = replace(world.ledger, debt_service=sum(part for _, part in parts))
    return replace(world, debts=tuple(one for one in left if one.left_usd > 0.01), ledger=ledger), tuple(events)


def _answer_loan(world: MarketState, loan: Loan) -> tuple[MarketState, MarketEvent]:
    """Return the world with a loan or without, depending on the company's yearly revenue."""
    yearly = world.mrr * 12 if world.serving is None else world.serving.takings * 52
    most = LENT_SHARE * yearly - sum(one.left_usd for one in world.debts)
    world = replace(world, answered=(*world.answered, loan.id))
    if loan.amount_usd > most:
        said = f"The bank declines ${loan.amount_usd:,.0f}: it lends at most ${max(0.0, most):,.0f} to this company."
        return world, MarketEvent(world.week, "loan", loan.id, value="declined", size=loan.amount_usd, text=said)
    rate = INTEREST / 52
    weekly = loan.amount_usd * rate / (1 - math.pow(1 + rate, -loan.weeks))
    debt = Debt(loan.id, loan.amount_usd, weekly)
    said = f"The bank lends ${loan.amount_usd:,.0f}; ${weekly:,.0f} are due every week for {loan.weeks} weeks."
    event = MarketEvent(world.week, "loan", loan.id, value="granted", size=loan.amount_usd, text=said)
    return replace(world, cash=world.cash + loan.amount_usd, debts=(*world.debts, debt)), event


def _pay_refund(world: MarketState, refund: Refund) -> MarketState:
    """Return the world after a refund: customers who get something back leave less for some weeks."""
    ledger = replace(world.ledger, refunds=world.ledger.refunds + refund.amount_usd)
    affected = [one for one in world.segments if refund.segment in (one.name, "all")]
    fees = sum(one.subscribers * one.paid_price for one in affected)
    shocks = world.shocks
    if fees:
        factor = 1 - _SOOTHES * (1 - math.exp(-refund.amount_usd / (_ENOUGH * fees)))
        shocks = (*shocks, Shock("churn_shock", refund.segment, factor, world.week + _SOOTHED_WEEKS - 1))
    return replace(world, ledger=ledger, shocks=shocks, answered=(*world.answered, refund.id))


def update_staff(world: MarketState, truth: MarketTruth, positions: Sequence[Position], seed: str) -> MarketState:
    """Return the world with all new hires, and with an end date for everybody no longer wanted."""
    known, wanted = {one.position_id for one in world.employees}, {one.id for one in positions}
    fresh = [one for one in positions if one.id not in known]
    found = []
    for one in world.employees:
        leaves = one.until is None and one.position_id not in wanted
        found.append(replace(one, until=world.week + NOTICE_WEEKS - 1) if leaves else one)
    # Who comes is decided by how many came before, not by an id: ids differ between policies, luck must not.
    for number, position in enumerate(fresh, len(world.employees)):
        skill = random_stream(seed, "employee", number).uniform(*truth.contractor_quality)
        start = world.week + HIRING_WEEKS
        found.append(Employee(position.id, position.area, position.weekly_usd, skill, start))
    ledger = replace(world.ledger, hiring=HIRING_USD * len(fresh))
    return replace(world, employees=tuple(found), ledger=ledger)


def wages(world: MarketState) -> float:
    """Return the week's wages of hired people, including those on notice."""
    return sum(one.weekly_usd for one in world.employees if _is_there(one, world.week))


def headcount(world: MarketState) -> int:
    """Return the number of hired people at work, including those on notice."""
    return sum(_is_there(one, world.week) for one in world.employees)


def output(world: MarketState, area: Area) -> float:
    """Return the value in dollars of a week's work of the people hired for an area, by skill and experience."""
    return sum(
        one.weekly_usd * one.skill * min(1.0, 0.25 + 0.75 * (world.week - one.since) / LEARNING_WEEKS)
        for one in world.employees
        if one.area == area and one.until is None and _is_there(one, world.week)
    )


def _is_there(one: Employee, week: int) -> bool:
    return one.since <= week and (one.until is None or week <= one.until)


def quality_built_by_staff(world: MarketState, truth: MarketTruth) -> float:
    """Return the quality that a week's work of hired developers adds; in bigger teams each adds less."""
    effort = 1 - math.exp(-output(world, "product") / 6000)
    return truth.quality_gain * effort * (1 - world.quality)


def contracts_after(segment: Segment, won: int, yearly_usd: float | None, week: int, seed: str) -> tuple[Contract, ...]:
    """Return the yearly contracts after this week's; `yearly_usd` is their cost per month.

    The larger the discount on the list price, the more of those who sign take it.
    """
    contracts = tuple(one for one in segment.contracts if one.due > week)
    if yearly_usd is None:
        return contracts
    share = min(_MOST_YEARLY, max(0.0, 0.15 + 2 * (1 - yearly_usd / segment.list_price)))
    taken = count(random_stream(seed, "yearly", week, segment.name), won * share, at_most=won)
    return (*contracts, Contract(week + CONTRACT_WEEKS, taken, yearly_usd)) if taken else contracts


def owed(world: MarketState) -> float:
    """Return the remaining debt to the bank."""
    return sum(one.left_usd for one in world.debts)
