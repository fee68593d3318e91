"""The scenarios that ship can be won and lost: what the design of the environment asks of all of them together."""

import hashlib
import json
from dataclasses import asdict
from functools import cache
from statistics import median

import pytest

from bench.market import Played, played
from mabos.society.simulation.levers import Advertising, Levers
from mabos.society.simulation.policies import POLICIES, RuleNumbers
from mabos.society.simulation.scenario_files import load_scenario, scenario_names
from mabos.society.simulation.world import step

FIXED = "e7c2080a2d5a428b111d01e288eec0e0fada16a7c421d37448f7a3f9445fc5c8"
"""What agents are measured against, as it stood before they were improved on it: every scenario, and the rules."""

SEEDS = ("1000", "1001", "1002", "1003")


@cache
def runs(name: str, policy: str) -> tuple[Played, ...]:
    return tuple(played(load_scenario(name), POLICIES[policy], seed=seed) for seed in SEEDS)


def middle(name: str, policy: str) -> float:
    return median(one.score for one in runs(name, policy))


def test_there_are_twelve_scenarios_over_three_kinds_of_business() -> None:
    presets = [load_scenario(name).preset for name in scenario_names()]
    assert len(presets) >= 12
    assert {preset: presets.count(preset) >= 3 for preset in ("saas", "ecommerce", "consulting")} == {
        "saas": True,
        "ecommerce": True,
        "consulting": True,
    }


def test_doing_nothing_survives_somewhere_and_not_everywhere() -> None:
    survives = [not any(one.world.bankrupt for one in runs(name, "nothing")) for name in scenario_names()]
    assert any(survives)
    assert not all(survives)


@pytest.mark.parametrize("name", scenario_names())
def test_good_rules_are_solvent_and_better_than_nothing_chance_and_greed(name: str) -> None:
    assert sum(one.world.bankrupt for one in runs(name, "rules")) <= 1
    assert all(middle(name, "rules") > middle(name, other) for other in ("nothing", "random", "greedy"))


@pytest.mark.parametrize("name", scenario_names())
def test_returns_saturate(name: str) -> None:
    """Four times the money brings fewer than three times the leads that advertising adds, everywhere."""
    scenario = load_scenario(name)
    truth, world = scenario.truth("1000"), scenario.opening("1000")
    segment = next(iter(scenario.segments))

    def leads(weekly: float) -> float:
        found = 0
        for week in range(30):
            levers = Levers(advertising=(Advertising("a", "search", segment, weekly, 520),)) if weekly else Levers()
            after, _ = step(world, truth, levers, f"{week}")
            found += sum(flow.leads for flow in after.flows)
        return found / 30

    reach = truth.segment(segment).reach["search"]
    usual = reach.cost_per_lead * reach.most_leads
    assert leads(4 * usual) - leads(0) < 3 * (leads(usual) - leads(0))


def test_what_agents_are_measured_against_is_what_was_fixed() -> None:
    """Change a scenario or the rules for a good reason, search their numbers again, and fix the new hash with both."""
    stands = [load_scenario(name).digest() for name in scenario_names()]
    stands.append(json.dumps(asdict(RuleNumbers()), sort_keys=True))
    assert hashlib.sha256("\n".join(stands).encode()).hexdigest() == FIXED
