from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.society.simulation.levers import NOTHING
from mabos.society.simulation.scenario_files import load_scenario
from mabos.society.simulation.sensors import readings
from mabos.society.simulation.state import MarketState
from mabos.society.simulation.world import simulate_usual_weeks, step

SAAS = load_scenario("saas")
SEEDS = tuple(str(seed) for seed in range(200))


def shown(world: MarketState, seed: str) -> dict[str, float]:
    """Return what the company sees of a week."""
    return {point.name: point.value for point in readings(world, (), SAAS.truth(seed), seed=seed, at="2026").points}


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


@pytest.mark.parametrize("count", ["decided", "new", "lost"])
def test_the_first_week_goes_on_as_the_weeks_before_went(count: str) -> None:
    before, after = list[float](), list[float]()
    for seed in SEEDS:
        opening = SAAS.opening(seed)
        first, _ = step(opening, SAAS.truth(seed), NOTHING, seed)
        before += [getattr(trade, count) for trade in opening.recent]
        after.append(getattr(first.recent[-1], count))
    assert mean(after) == pytest.approx(mean(before), rel=0.1)


def test_the_first_rates_are_not_those_of_one_week_of_luck() -> None:
    for seed in SEEDS:
        opening = SAAS.opening(seed)
        first, _ = step(opening, SAAS.truth(seed), NOTHING, seed)
        assert abs(shown(first, seed)["conversion_rate"] - shown(opening, seed)["conversion_rate"]) < 20


def test_where_a_sale_takes_long_leads_are_on_their_way() -> None:
    for seed in SEEDS:
        decided = 0
        world = SAAS.opening(seed)
        for _ in range(SAAS.segments["ent"].sale_delay_weeks):
            world, _ = step(world, SAAS.truth(seed), NOTHING, seed)
            decided += next(flow.decided for flow in world.flows if flow.segment == "ent")
        assert decided == 1  # about a fifth of a lead a week, for six weeks


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 999).map(str), scale=st.floats(0, 50))
def test_what_is_on_its_way_adds_up_to_a_usual_weeks_leads(seed: str, scale: float) -> None:
    truth = SAAS.truth(seed)
    more = replace(
        truth, segments=tuple(replace(one, organic_leads=one.organic_leads * scale) for one in truth.segments)
    )
    bare = replace(SAAS.opening(seed), recent=())
    world = simulate_usual_weeks(bare, more)
    leads = sum(trade.decided for trade in world.recent) / len(world.recent)
    weekly = sum(sum(one.pipeline) / len(one.pipeline) for one in world.segments)
    assert weekly == pytest.approx(leads, abs=2)
    assert len(world.recent) == 4
    assert (world.cash, world.week, world.subscribers) == (bare.cash, 0, bare.subscribers)
