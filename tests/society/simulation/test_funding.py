"""What money does besides trade: people who are hired, loans, refunds, and years paid in advance."""

from dataclasses import replace

import pytest

from mabos.society.packages import Area
from mabos.society.pricing import Refund
from mabos.society.simulation.funding import HIRING_USD, HIRING_WEEKS, NOTICE_WEEKS
from mabos.society.simulation.levers import NOTHING, Levers
from mabos.society.simulation.scenario_files import load_scenario
from mabos.society.simulation.state import MarketEvent, MarketState
from mabos.society.simulation.world import step
from mabos.society.simulation.worth import net_worth
from mabos.society.staff import Loan, Position

SAAS = load_scenario("saas")
TRUTH = SAAS.truth("1")


def run(*weeks: Levers) -> tuple[MarketState, list[MarketEvent]]:
    world = replace(SAAS.opening("1"), cash=5e6)  # so that nobody goes bankrupt
    heard: list[MarketEvent] = []
    for levers in weeks:
        world, events = step(world, TRUTH, levers, "1")
        heard += events
    return world, heard


def hired(area: Area = "support", usd: float = 1500) -> Levers:
    return Levers(positions=(Position("POS-1", "Agent", area, usd),))


def test_a_hire_costs_its_fee_at_once_and_wages_from_the_first_day_of_work() -> None:
    nothing, _ = run(*[NOTHING] * HIRING_WEEKS)
    waiting, _ = run(*[hired()] * HIRING_WEEKS)
    assert nothing.cash - waiting.cash == pytest.approx(HIRING_USD)
    later, _ = run(*[hired()] * (HIRING_WEEKS + 1))
    assert later.ledger.payroll - run(*[NOTHING] * (HIRING_WEEKS + 1))[0].ledger.payroll == pytest.approx(1500)


def test_hired_people_clear_the_backlog_and_build_the_product() -> None:
    nothing = run(*[NOTHING] * 26)[0]
    assert run(*[hired("support")] * 26)[0].backlog < 0.8 * nothing.backlog
    assert run(*[hired("product")] * 26)[0].quality > nothing.quality + 0.02


def test_who_is_let_go_is_paid_until_the_notice_is_over() -> None:
    weeks = HIRING_WEEKS + 2
    leaving = [hired()] * weeks
    last = run(*leaving, *[NOTHING] * NOTICE_WEEKS)[0].ledger.payroll
    after = run(*leaving, *[NOTHING] * (NOTICE_WEEKS + 1))[0].ledger.payroll
    assert last - after == pytest.approx(1500)


def test_a_loan_brings_cash_now_is_repaid_with_interest_and_adds_nothing_to_what_the_company_is_worth() -> None:
    loan = Levers(loans=(Loan("LOAN-1", 50_000, 10),))
    first, heard = run(loan)
    assert [(one.kind, one.value) for one in heard if one.kind == "loan"] == [("loan", "granted")]
    assert first.cash > run(NOTHING)[0].cash + 40_000
    assert net_worth(first, TRUTH) < net_worth(run(NOTHING)[0], TRUTH)
    repaid, _ = run(*[loan] * 12)
    cost = run(*[NOTHING] * 12)[0].cash - repaid.cash
    assert repaid.debts == ()
    assert 300 < cost < 1000  # 12 % a year on a loan that shrinks for ten weeks


def test_the_bank_lends_no_more_than_a_third_of_a_years_revenue() -> None:
    world, heard = run(Levers(loans=(Loan("LOAN-1", 500_000, 104),)))
    assert [one.value for one in heard if one.kind == "loan"] == ["declined"]
    assert (world.debts, world.cash) == ((), run(NOTHING)[0].cash)


def test_a_refund_is_paid_once_and_keeps_customers() -> None:
    refund = Levers(refunds=(Refund("RF-1", "smb", 4000.0),))
    nothing, paid = run(*[NOTHING] * 8)[0], run(*[refund] * 8)[0]
    assert run(NOTHING)[0].cash - run(refund)[0].cash == pytest.approx(4000, abs=300)
    assert paid.segments[0].subscribers > nothing.segments[0].subscribers
    assert paid.ledger.refunds == 0


def test_a_year_in_advance_brings_cash_and_customers_who_stay_and_is_not_counted_twice() -> None:
    listed = {one.name: one.list_price for one in SAAS.opening("1").segments}
    offer = Levers(yearly=tuple((name, 0.8 * price) for name, price in listed.items()))
    monthly, yearly = run(*[NOTHING] * 13)[0], run(*[offer] * 13)[0]
    bound = sum(one.bound for one in yearly.segments)
    assert bound > 5
    assert yearly.cash > monthly.cash
    assert yearly.subscribers >= monthly.subscribers
    stopped = replace(yearly, segments=tuple(replace(one, pipeline=()) for one in yearly.segments))
    after, _ = step(stopped, TRUTH, NOTHING, "1")
    assert after.ledger.prepaid == 0
    assert after.ledger.revenue == pytest.approx(sum(one.monthly_bill for one in after.segments) * 12 / 52)


def test_a_year_is_over_after_a_year() -> None:
    offer = Levers(yearly=(("smb", 20.0),))
    bound = [run(*[offer] * 4, *[NOTHING] * later)[0].segments[0].bound for later in (0, 47, 53)]
    assert bound[0] == bound[1] > bound[2] == 0
