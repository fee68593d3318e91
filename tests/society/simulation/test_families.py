"""Families of markets: drawn wide, the same for ever, and fixed before any policy was tried on them."""

import hashlib
import inspect
from statistics import median

import pytest

from bench.market import played
from mabos.configs.errors import UnknownId
from mabos.society.simulation import worth
from mabos.society.simulation.families import family_names
from mabos.society.simulation.policies import POLICIES
from mabos.society.simulation.scenario_files import drawn_scenario, load_scenario

FIXED = "76302f49fa4d500e072b827074ad388bffc4efefa0a8d6585f0841564a775a43"
"""What agents are improved against: eight draws of every family, and the rule that reckons a company's worth."""


def test_families_and_the_rule_of_worth_are_what_was_fixed() -> None:
    stands = [drawn_scenario(name, draw).digest() for name in family_names() for draw in range(8)]
    stands.append(inspect.getsource(worth))
    assert hashlib.sha256("\n".join(stands).encode()).hexdigest() == FIXED


@pytest.mark.parametrize("name", family_names())
def test_draws_differ_and_each_is_the_same_again(name: str) -> None:
    found = [drawn_scenario(name, draw) for draw in range(6)]
    assert len({one.digest() for one in found}) == 6
    assert load_scenario(f"{name}-3") == found[3]


@pytest.mark.parametrize("name", family_names())
def test_there_is_something_to_win_and_greed_does_not_win_it(name: str) -> None:
    scores = {
        policy: [played(drawn_scenario(name, draw), POLICIES[policy], seed="1").score for draw in range(6)]
        for policy in ("nothing", "rules", "random")
    }
    assert median(scores["rules"]) > 1.2 * median(scores["nothing"])
    assert median(scores["random"]) < median(scores["rules"])


def test_a_family_that_is_none_is_named_with_those_there_are() -> None:
    with pytest.raises(UnknownId, match="pricing"):
        drawn_scenario("weather", 1)
