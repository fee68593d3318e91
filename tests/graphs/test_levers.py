"""Agents that move the levers of a company in a market that nobody has told them about."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mabos.graphs.simulate import simulate
from mabos.society.simulation.scenario_files import drawn_scenario
from tests.world import World

SOON, WEEKS = 4, 10
FIGURES = {
    "cash": 400_000, "leads": 40, "new_subscribers": 9, "nps": 20, "conversion_rate": 25, "churn_rate": 3,
    "quality": 0.6, "runway_months": 20, "burn": 4000, "price_smb": 150, "subscribers_smb": 300,
}  # fmt: skip
DEAR, CHEAP = 28, 11
"""Draws of the family of prices: one in which customers would pay six tenths of the price, and one, three times it."""


def records_of(out: Path, file: str) -> list[dict[str, Any]]:
    content = json.loads((out / "workspace/businesses/company" / file).read_text("utf-8"))
    return list(content if isinstance(content, list) else next(each for each in content.values() if each))


def prices(out: Path) -> Mapping[str, list[float]]:
    found: dict[str, list[float]] = {}
    content = json.loads((out / "workspace/businesses/company/pricing.json").read_text("utf-8"))
    for one in sorted(content["prices"], key=lambda price: str(price["created_at"])):
        found.setdefault(one["segment"], []).append(one["unit_amount"] / 100)
    return found


def messages(out: Path, agent: str) -> list[dict[str, Any]]:
    return list(json.loads((out / f"workspace/agents/{agent}/inbox.json").read_text("utf-8")))


@pytest.mark.slow
def test_prices_fall_where_they_are_too_dear_and_rise_where_nobody_minds(tmp_path: Path) -> None:
    for draw, weeks in ((DEAR, SOON), (CHEAP, WEEKS)):
        simulate(drawn_scenario("pricing", draw), out=tmp_path / str(draw), weeks=weeks, seed="1", policy="bdi")
    dear, cheap = (prices(tmp_path / str(draw)) for draw in (DEAR, CHEAP))
    assert all(series[-1] < series[0] for series in dear.values())
    assert all(series[-1] > series[0] for series in cheap.values())
    reports = [one for one in messages(tmp_path / str(DEAR), "strategy") if one.get("metadata", {}).get("complaints")]
    assert {one["from"] for one in reports} == {"cmo"}, "customers complain to marketing, and strategy sets prices"
    home = tmp_path / str(CHEAP)
    assert {one["from"] for one in messages(home, "cfo") if "bid" in one.get("metadata", {})} == {"cmo", "cto"}
    assert [one for one in messages(home, "cmo") if one["performative"] == "ACCEPT"]
    questions = records_of(home, "decision-queue.json")
    assert next(one for one in questions if one["id"].startswith("DEC-BUDGET-"))["status"] == "approved"
    asked = [one for one in questions if "stripe_create_price" in str(one.get("action"))]
    assert len(asked) < sum(len(series) - 1 for series in cheap.values()), (
        "within the range that the owner granted nobody asks"
    )


def test_an_owner_who_wants_to_be_asked_gets_beliefs_and_one_who_lets_agents_act_gets_campaigns(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        for initiative, booked in (("propose", False), ("act", True)):
            world.do("stakeholder_profile", initiative=initiative)
            for _ in range(3):
                for name, value in FIGURES.items():
                    world.do("metrics_record", name=name, value=value)
                world.later(days=7)
            world.agent("cmo").cycle()
            business = world.services.business("acme")
            assert any(one.subject == "effect_search_smb" for one in world.services.agent("cmo").mind.beliefs)
            asked = [one for one in business.decisions.all() if (one.action or {}).get("tool") == "ad_campaign_create"]
            assert bool([*business.campaigns.all(), *asked]) is booked


@pytest.mark.parametrize("resolution", ["approve", "reject"])
def test_the_owner_grants_ranges_of_prices_once_or_is_asked_for_each(tmp_path: Path, resolution: str) -> None:
    dear = {**FIGURES, "conversion_rate": 3, "churn_rate": 30, "new_subscribers": 1}
    with World(tmp_path) as world:
        world.do("stakeholder_profile", initiative="act")
        world.do("stripe_create_product", name="Subscription")
        business = world.services.business("acme")

        def week() -> None:
            for name, value in dear.items():
                world.do("metrics_record", name=name, value=value)
            world.agent("strategy").cycle()
            world.later(days=7)

        for _ in range(4):
            week()
        (asked,) = [one for one in business.decisions.pending() if one.from_agent == "strategy"]
        assert asked.subject == "Let us set monthly prices by what we measure, for a quarter: smb $90 to $195?"
        assert world.call("decision_resolve", {"decision_id": asked.id, "resolution": resolution}, "").ok
        week()
        is_set = [one for one in business.pricing.prices.all() if one.segment == "smb"]
        one_by_one = [one for one in business.decisions.pending() if one.action is not None]
        assert (bool(is_set), bool(one_by_one)) == ((True, False) if resolution == "approve" else (False, True))
        assert all(90 <= one.monthly_usd < 150 for one in is_set)
