from random import Random
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.society.simulation.market import (
    MarketStanding,
    accepted_share,
    churn,
    churn_factors,
    conversion,
    count,
    expected_leads,
    organic_leads,
)
from mabos.society.simulation.scenario_files import load_scenario
from mabos.society.simulation.truth import ChannelReach

MID = load_scenario("saas").segments["mid"].truth("mid")
FAIR = MarketStanding(quality=0.6, expectation=0.6, reputation=0.5, pressure=0.0)
prices = st.floats(1, 2000)


def leaving(price: float, standing: MarketStanding = FAIR, listed: float = 0.0) -> float:
    return churn(MID, churn_factors(MID, price, listed or price, standing), 1.0)


@given(mean_=st.floats(0.01, 400), more=st.floats(0, 100), seed=st.integers(0, 1000))
def test_a_count_rises_with_its_mean_for_the_same_luck(mean_: float, more: float, seed: int) -> None:
    few, many = (count(Random(seed), value, at_most=10_000) for value in (mean_, mean_ + more))
    assert few <= many or (mean_ < 40 <= mean_ + more and few - many <= 2)


@pytest.mark.parametrize("expected", [0.3, 5, 39, 120])
def test_counts_have_the_mean_they_were_asked_for(expected: float) -> None:
    drawn = [count(Random(seed), expected, at_most=10_000) for seed in range(4000)]
    assert mean(drawn) == pytest.approx(expected, rel=0.08)


def test_a_count_never_exceeds_what_there_is() -> None:
    assert count(Random(1), 500, at_most=3) == 3
    assert count(Random(1), 0, at_most=3) == 0


@given(low=prices, high=prices)
def test_fewer_accept_a_higher_price(low: float, high: float) -> None:
    low, high = sorted((low, high))
    assert accepted_share(MID, low, FAIR) >= accepted_share(MID, high, FAIR)
    assert conversion(MID, low, FAIR) >= conversion(MID, high, FAIR)
    assert leaving(low) <= leaving(high)


def test_half_of_a_segment_accepts_what_it_is_willing_to_pay() -> None:
    assert accepted_share(MID, MID.willingness_to_pay, FAIR) == pytest.approx(0.5)


def test_a_product_that_lags_sells_less_and_loses_more() -> None:
    lagging = MarketStanding(quality=0.5, expectation=0.7, reputation=0.5, pressure=0.0)
    assert conversion(MID, 119, lagging) < conversion(MID, 119, FAIR)
    assert leaving(119, lagging) > 1.5 * leaving(119)


def test_a_rise_is_resented_until_it_is_paid() -> None:
    assert leaving(119, listed=149) > leaving(119)


def test_open_tickets_drive_customers_away() -> None:
    assert leaving(119, MarketStanding(0.6, 0.6, 0.5, pressure=3.0)) > leaving(119)


def test_the_first_dollars_buy_leads_at_their_price_and_the_channel_has_an_end() -> None:
    reach = ChannelReach(cost_per_lead=20, most_leads=50)
    assert expected_leads(reach, 20) == pytest.approx(1, rel=0.02)
    assert expected_leads(reach, 10_000_000) == pytest.approx(50)
    assert expected_leads(reach, 0) == 0


def test_content_and_word_of_mouth_bring_leads_with_an_end() -> None:
    quiet, known, famous = (organic_leads(MID, 84, audience, 0.5) for audience in (0, 5, 500))
    assert quiet < known < famous < 2.5 * quiet
