from dataclasses import replace

from mabos.society.simulation.delivery import duration, tickets
from mabos.society.simulation.levers import Levers, Order
from mabos.society.simulation.scenario_files import load_scenario
from mabos.society.simulation.state import MarketState
from mabos.society.simulation.world import step
from tests.society.simulation.policies import played

SAAS = load_scenario("saas")
SQUEEZE = load_scenario("saas-runway-squeeze")


def quality_gained(*orders: Order, weeks: int = 13) -> float:
    with_work, _ = played(SAAS, lambda _: Levers(orders=orders), "1", weeks)
    without, _ = played(SAAS, lambda _: Levers(), "1", weeks)
    return with_work.quality - without.quality


def test_a_package_delivers_after_its_weeks_and_not_before() -> None:
    package = Order("p", "product", 9000, "")
    assert quality_gained(package, weeks=duration(9000) - 1) == 0
    assert quality_gained(package) > 0.03


def test_a_package_is_paid_over_its_weeks_and_never_more_than_its_budget() -> None:
    world, paid = SAAS.opening("1"), 0.0
    for _ in range(12):
        world, _ = step(world, SAAS.truth("1"), Levers(orders=(Order("p", "product", 9000, ""),)), "1")
        paid += world.ledger.contractors
    assert round(paid, 6) == 9000


def test_the_second_package_at_once_gains_less_than_the_first() -> None:
    one = quality_gained(Order("a", "product", 9000, "CONT-001"))
    both = quality_gained(Order("a", "product", 9000, "CONT-001"), Order("b", "product", 9000, "CONT-001"))
    assert one < both < 1.7 * one


def test_ten_times_the_budget_does_not_gain_twice() -> None:
    assert quality_gained(Order("a", "product", 60_000, "X")) < 2 * quality_gained(Order("a", "product", 6000, "X"))


def test_a_package_taken_back_is_neither_finished_nor_paid_further() -> None:
    def policy(world: MarketState) -> Levers:
        return Levers(orders=(Order("p", "product", 9000, ""),)) if world.week < 2 else Levers()

    world, events = played(SAAS, policy, "1")
    assert world.projects == ()
    assert world.delivered == ()
    assert world.ledger.contractors == 0
    assert not [event for event in events if event.kind == "delivery"]


def test_an_inspection_reports_the_quality_of_a_delivery_but_not_exactly() -> None:
    orders = tuple(Order(f"p{number}", "product", 3000, f"C{number}") for number in range(12))
    world, events = played(SAAS, lambda _: Levers(orders=orders), "1")
    reported = [float(event.value) for event in events if event.kind == "delivery"]
    assert len(reported) == len(world.delivered) == 12
    assert all(0 <= value <= 1 for value in reported)
    assert len(set(reported)) > 6


def test_support_work_raises_capacity_for_a_while_and_the_backlog_falls() -> None:
    helped, _ = played(SAAS, lambda _: Levers(orders=(Order("s", "support", 5000, ""),)), "1", 9)
    idle, _ = played(SAAS, lambda _: Levers(), "1", 9)
    assert helped.backlog < idle.backlog


def test_help_pages_save_tickets() -> None:
    world = SAAS.opening("1")
    assert tickets(replace(world, help_pages=6.0), SAAS.truth("1")) < tickets(world, SAAS.truth("1"))


def test_compliance_work_in_time_saves_the_fine() -> None:
    def fined(budget: float, start: int) -> bool:
        def policy(world: MarketState) -> Levers:
            order = Order("c", "compliance", budget, "")
            return Levers(orders=(order,)) if world.week >= start else Levers()

        _, events = played(SQUEEZE, policy, "1", 18)
        return any(event.kind == "fine" for event in events)

    assert not fined(4000, 6)
    assert fined(4000, 13)


def test_compliance_work_done_before_the_notice_does_not_count_for_it() -> None:
    levers = Levers(orders=(Order("c", "compliance", 1000, "X"),))
    _, events = played(SQUEEZE, lambda _: levers, "1", 18)
    done = next(event.week for event in events if event.kind == "delivery")
    notice = next(event.week for event in events if event.kind == "legal_notice")
    assert any(event.kind == "fine" for event in events) == (done < notice)
