"""Shops and practices: what is sold needs stock or hands, and money comes when it comes."""

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.market import played
from mabos.society.simulation.levers import NOTHING, Levers, Order
from mabos.society.simulation.policies import POLICIES, Sight, by_rules
from mabos.society.simulation.scenario_files import load_scenario
from mabos.society.simulation.sensors import readings
from mabos.society.simulation.state import MarketState
from mabos.society.simulation.world import step
from mabos.society.simulation.worth import net_worth

SHOP, PRACTICE = load_scenario("ecommerce"), load_scenario("consulting")


def weeks(
    scenario_name: str, count: int, levers: Levers = NOTHING, *, start: MarketState | None = None
) -> list[MarketState]:
    """Return the worlds of some weeks under the same levers, the first being the opening."""
    scenario = load_scenario(scenario_name)
    truth, world = scenario.truth("1"), start or scenario.opening("1")
    found = [world]
    for _ in range(count):
        world, _events = step(world, truth, levers, "1")
        found.append(world)
    return found


def served(world: MarketState) -> tuple[int, float]:
    assert world.serving is not None
    return world.serving.volume, world.serving.unserved


def test_a_shop_sells_from_its_stock_until_the_shelf_is_empty() -> None:
    found = weeks("ecommerce", 10)
    for before, after in pairwise(found):
        assert before.stock - after.stock == served(after)[0]
        assert after.stock >= 0
    assert served(found[1])[1] == 0
    assert served(found[-1]) == (0, 1)


def test_goods_on_order_come_after_the_suppliers_weeks_and_are_paid_on_the_way() -> None:
    ordered = Levers(orders=(Order("WP-1", "supply", 21_000, "CONT-001"),))
    assert SHOP.goods is not None
    found = weeks("ecommerce", SHOP.goods.lead_weeks + 2, ordered)
    grown = [week for week, (a, b) in enumerate(pairwise(found), 1) if b.stock > a.stock]
    assert grown in ([SHOP.goods.lead_weeks], [SHOP.goods.lead_weeks + 1]), "a poor supplier slips by a week"
    assert found[1].ledger.goods > 21_000 / (SHOP.goods.lead_weeks + 1)
    assert found[1].ledger.contractors == 0


def test_a_supplier_that_slips_delivers_later() -> None:
    late = SHOP.model_copy(update={"events": tuple(one for one in SHOP.events if one.kind == "supplier_delay")})
    truth, world = late.truth("1"), late.opening("1")
    ordered = Levers(orders=(Order("WP-1", "supply", 21_000, "CONT-001"),))
    world = replace(world, week=6)
    left = []
    for _ in range(4):
        world, _ = step(world, truth, ordered, "1")
        left.append(world.projects[0].weeks_left)
    assert left[2] == left[1] - 1 + 2


def test_an_empty_shelf_drives_customers_away() -> None:
    full = weeks("ecommerce", 8, start=replace(SHOP.opening("1"), stock=6000))
    empty = weeks("ecommerce", 8, start=replace(SHOP.opening("1"), stock=0))
    assert empty[-1].subscribers < 0.9 * full[-1].subscribers
    assert empty[-1].cash < full[-1].cash


def test_a_practice_works_no_more_than_it_has_hands_and_is_paid_weeks_later() -> None:
    assert PRACTICE.practice is not None
    found = weeks("consulting", 12)
    for before, after in pairwise(found):
        assert after.serving is not None
        assert 0 <= after.serving.used <= 1 + 1e-9
        assert after.ledger.revenue == after.serving.takings
        new = [one for one in after.receivables if one not in before.receivables]
        assert all(one.due >= before.week + PRACTICE.practice.payment_weeks for one in new)
    assert any(served(world)[0] for world in found[1:])


def test_help_in_delivery_finishes_work_sooner() -> None:
    helped = Levers(orders=(Order("WP-1", "delivery", 60_000, "CONT-001"),))
    busy = replace(
        PRACTICE.opening("1"), segments=tuple(replace(one, work=3 * one.work) for one in PRACTICE.opening("1").segments)
    )
    alone, together = weeks("consulting", 9, start=busy)[-1], weeks("consulting", 9, helped, start=busy)[-1]
    assert sum(one.work for one in together.segments) < sum(one.work for one in alone.segments)


def test_an_insolvent_client_takes_part_of_what_is_out() -> None:
    truth = PRACTICE.truth("1")
    world = replace(PRACTICE.opening("1"), week=12)  # everything that is out falls due this week
    calm, _ = step(world, replace(truth, events=()), NOTHING, "1")
    after, events = step(world, truth, NOTHING, "1")
    assert "client_insolvency" in {event.kind for event in events}
    assert after.cash < calm.cash - 1000


@given(st.integers(0, 40), st.sampled_from(["ecommerce", "consulting"]))
@settings(max_examples=12, deadline=None)
def test_money_is_neither_made_nor_lost(seed: int, name: str) -> None:
    scenario = load_scenario(name)
    truth, world = scenario.truth(str(seed)), scenario.opening(str(seed))
    for _ in range(6):
        after, _ = step(world, truth, NOTHING, str(seed))
        assert after.cash == pytest.approx(world.cash + after.ledger.revenue - after.ledger.costs)
        world = after
    assert MarketState.from_json(world.as_json()) == world
    assert net_worth(world, truth) >= 0


def test_what_a_shop_and_a_practice_show_is_theirs_and_no_subscription() -> None:
    for scenario, own, strange in ((SHOP, "stockouts", "utilisation"), (PRACTICE, "utilisation", "stockouts")):
        world = scenario.opening("1")
        shown = {point.name for point in readings(world, (), scenario.truth("1"), seed="1", at="2026-01-05").points}
        assert {"cash", "revenue", own} <= shown
        assert not shown & {"mrr", "arr", strange}


def test_rules_keep_the_shelf_full_and_order_nothing_that_is_on_its_way() -> None:
    metrics = {"demand": (500.0,), "stock_weeks": (2.0,), "unit_cost": (20.0,), "runway_months": (9.0,)}
    sight = Sight(3, ("casual",), {**metrics, "price_casual": (40.0,), "quality": (0.9,)})
    [ordered] = [deed for deed in by_rules(sight, Random(1)) if deed.arguments.get("area") == "supply"]
    assert ordered.arguments["budget_usd"] > 500 * 20 * 0.5
    waiting = replace(sight, asked=frozenset({"work_package_create"}))
    assert not [deed for deed in by_rules(waiting, Random(1)) if deed.arguments.get("area") == "supply"]


def test_who_orders_nothing_sells_out_and_good_rules_do_not() -> None:
    left, kept = (played(SHOP, POLICIES[name], seed="2").world for name in ("nothing", "rules"))
    assert left.stock == 0
    assert kept.serving is not None
    assert kept.serving.unserved < 0.5
