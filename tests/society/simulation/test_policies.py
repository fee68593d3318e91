"""The scripted policies in memory: they act on what is seen, under governance, and the market answers each its way."""

from dataclasses import replace
from random import Random
from statistics import median

import pytest

from bench.market import Played, played
from mabos.society.simulation.policies import POLICIES, HeardNews, RuleNumbers, Sight, by_rules
from mabos.society.simulation.scenario import Scenario
from mabos.society.simulation.scenario_files import load_scenario
from tests.society.simulation.policies import nothing
from tests.society.simulation.policies import played as stepped

SEEDS = [str(seed) for seed in range(12)]
CALM = {"cash": (400_000.0,), "runway_months": (12.0,), "quality": (0.8,), "support_backlog": (10.0,)}


def runs(scenario: Scenario, policy: str) -> list[Played]:
    return [played(scenario, POLICIES[policy], seed=seed) for seed in SEEDS]


def seen(week: int = 0, **metrics: float) -> Sight:
    return Sight(week, ("smb",), {**CALM, "price_smb": (29.0,), **{name: (value,) for name, value in metrics.items()}})


@pytest.mark.parametrize("name", ["saas", "saas-runway-squeeze"])
def test_good_rules_beat_doing_nothing_which_beats_greed(name: str) -> None:
    scenario = load_scenario(name)
    middle = {policy: median(one.score for one in runs(scenario, policy)) for policy in ("rules", "nothing", "greedy")}
    assert middle["rules"] > 1.05 * middle["nothing"]
    assert middle["nothing"] > middle["greedy"]


def test_good_rules_are_solvent_and_doing_nothing_survives_the_quarter() -> None:
    assert not any(one.world.bankrupt for one in runs(load_scenario("saas"), "rules"))
    assert not any(one.world.bankrupt for one in runs(load_scenario("saas-runway-squeeze"), "rules"))
    assert not any(one.world.bankrupt for one in runs(load_scenario("saas"), "nothing"))


def test_nothing_in_memory_is_the_market_left_alone() -> None:
    scenario = load_scenario("saas")
    world, _ = stepped(scenario, nothing, "3")
    assert played(scenario, POLICIES["nothing"], seed="3").world == world


def test_the_same_seed_is_the_same_run_and_chance_has_a_stream_of_its_own() -> None:
    scenario = load_scenario("saas")
    once, again = (played(scenario, POLICIES["random"], seed="3") for _ in range(2))
    assert once == again
    assert once.done
    assert played(scenario, POLICIES["random"], seed="4").world != once.world


def test_what_the_owner_must_decide_waits_and_may_be_refused() -> None:
    scenario = load_scenario("saas")
    owner = scenario.stakeholder.model_copy(update={"policy": "reject-all"})
    refusing = played(scenario.model_copy(update={"stakeholder": owner}), POLICIES["rules"], seed="1")
    assert refusing.refused
    assert {segment.list_price for segment in refusing.world.segments} == {29, 119, 690}, "prices need the owner"


def test_rules_order_compliance_work_when_a_regulator_writes() -> None:
    notice = replace(seen(), heard=(HeardNews("compliance", "notice"),))
    assert "compliance" in {deed.arguments.get("area") for deed in by_rules(notice, Random(1))}
    assert "compliance" not in {deed.arguments.get("area") for deed in by_rules(seen(), Random(1))}


def test_rules_spend_on_growth_only_while_the_money_lasts() -> None:
    assert {deed.tool for deed in by_rules(seen(), Random(1))} == {"ad_campaign_create", "content_generate"}
    assert by_rules(seen(runway_months=3.0), Random(1), RuleNumbers(least_runway=5.0)) == []
    assert by_rules(seen(runway_months=3.0), Random(1), RuleNumbers(least_runway=2.0)) != []


def test_rules_mend_what_a_figure_says_is_bad_once_at_a_time() -> None:
    poor = seen(quality=0.4, support_backlog=90.0)
    ordered = {deed.arguments["area"] for deed in by_rules(poor, Random(1)) if deed.tool == "work_package_create"}
    assert ordered == {"product", "support"}


def test_rules_lower_a_price_that_drives_customers_away() -> None:
    leaving = replace(
        seen(week=7), metrics={**CALM, "price_smb": (40.0,), "subscribers_smb": (300.0, 290.0, 270.0, 250.0)}
    )
    terms = RuleNumbers(price_every=6, mark_up=1.1)
    prices = [deed.arguments["amount_usd"] for deed in by_rules(leaving, Random(1), terms) if "price" in deed.tool]
    assert prices == [pytest.approx(40 / 1.1, abs=0.01)]


def test_greed_buys_leads_and_dear_prices_and_nothing_that_pays_later() -> None:
    scenario = load_scenario("saas")
    world = played(scenario, POLICIES["greedy"], seed="1").world
    assert world.delivered == ()
    assert world.campaigns
    assert max(segment.list_price for segment in world.segments) > 690
