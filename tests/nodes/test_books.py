"""What agents believe about their company's books, and the routines that reckon with it, through whole cycles."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.society.governance import write_profile
from tests.world import World

WEEK = {"cash": 150_000, "runway_months": 30, "demand": 500, "unit_cost": 20, "stock_weeks": 4.0, "stockouts": 0}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path, template="ecommerce-market") as world:
        write_profile(
            world.business.directory, {"approval_threshold_usd": 20_000, "initiative": "act"}, world.business.profile
        )
        yield world


def week(shop: World, agent: str, **figures: float) -> None:
    """Let a week pass, measure its figures, and give an agent its turn."""
    shop.later(days=7)
    for name, value in (WEEK | figures).items():
        shop.do("metrics_record", name=name, value=value, business_id="acme")
    shop.cycle(agent)


def orders(shop: World, area: str = "supply") -> list[Any]:
    return [one for one in shop.business.workforce.packages.all() if one.area == area]


def believed(shop: World, agent: str, name: str) -> str | None:
    return shop.agent(agent).mind.index(name)


def test_goods_are_ordered_by_what_is_on_the_shelf_and_on_its_way(shop: World) -> None:
    """Ten thousand dollars a week are sold; twelve weeks of it are wanted, and four are there."""
    for _ in range(6):
        week(shop, "coo")
    # 80,000 dollars of goods are lacking at first, and 19,900 a week are ordered; the last is what two weeks sell.
    assert [one.budget_usd for one in orders(shop)] == [19_900.0] * 5
    assert believed(shop, "coo", "ordered_supply") == "99500"


def test_full_shelves_ask_for_nothing(shop: World) -> None:
    week(shop, "coo", stock_weeks=13.5)
    assert not orders(shop)
    assert believed(shop, "coo", "ordered_supply") == "0"


def test_work_that_is_open_is_counted_and_no_more_of_it_is_ordered(shop: World) -> None:
    for _ in range(6):
        week(shop, "cto", quality=0.55)
    routine = [one for one in orders(shop, "product") if "pipeline" in one.title]
    assert len(routine) == 3
    assert int(believed(shop, "cto", "work_product") or 0) >= len(routine)


def test_a_belief_about_the_books_names_its_records(shop: World) -> None:
    week(shop, "coo")
    week(shop, "coo")
    held = shop.agent("coo").mind.index.about("ordered_supply")
    assert held is not None
    assert held.evidence[0] == orders(shop)[0].id
    assert held.source == "books"
