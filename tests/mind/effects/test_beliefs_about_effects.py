"""What is effect_beliefs of levers: found from weeks on record, rolled forward, and paid from one budget."""

from dataclasses import replace
from math import exp

import numpy as np
import pytest

from mabos.configs.settings import load_settings
from mabos.mind.effects.channels import channel_belief
from mabos.mind.effects.levers import (
    ADVERTISING,
    NEVER,
    RETURNS,
    Award,
    award_of,
    demand,
    effect_beliefs,
    least_return,
    prices_wanted,
)
from mabos.mind.effects.records import Booking, Records

CHANNELS = ("search", "social")
PRIORS = load_settings().effects
COST, MOST = 60.0, 12.0
"""What a lead of the channel in these tests costs at first, and the most leads a week that it has."""


def bookings(weeks: int, *, usd: float = 300.0, channel: str = "search", dead_from: int = 99) -> list[Booking]:
    """Return weeks of advertising on a channel that brings leads by the formula until it dies."""
    luck = np.random.default_rng(7)
    mean = MOST * (1 - exp(-usd / (COST * MOST)))
    leads = [int(luck.poisson(mean if week < dead_from else 0.02 * mean)) for week in range(weeks)]
    return [Booking((channel, "smb"), week, usd, 1, count) for week, count in enumerate(leads)]


def records(weeks: int, *, price: float = 30.0, shrinks: bool = False, cash: float = 400_000.0) -> Records:
    """Return a company of one segment with steady sales; one that `shrinks` signs few, and many leave."""
    conversion, churn = (4.0, 30.0) if shrinks else (30.0, 4.0)
    won, lost = 20 * conversion / 100, 300 * churn / 433
    customers = [max(20.0, 300 + week * (won - lost)) for week in range(weeks + 1)]

    def steady(value: float) -> list[float]:
        return [value] * (weeks + 1)

    figures = {
        "cash": steady(cash), "leads": steady(20.0), "new_subscribers": steady(round(won)), "nps": steady(20.0),
        "conversion_rate": steady(conversion), "churn_rate": steady(churn), "quality": steady(0.6),
        "burn": steady(4000.0), "price_smb": steady(price), "subscribers_smb": customers,
    }  # fmt: skip
    return Records(("smb",), figures)


def test_what_a_lead_costs_is_found_within_eight_weeks_from_a_prior_five_times_off() -> None:
    low, middle, high = channel_belief(5 * COST, MOST, bookings(8), 8).cost_interval(300.0)
    truth = 300.0 / (MOST * (1 - exp(-300.0 / (COST * MOST))))
    assert low < truth < high
    assert middle == pytest.approx(truth, rel=0.3)
    assert channel_belief(5 * COST, MOST, bookings(8), 8, learns=False).cost_interval(300.0)[1] > 2 * truth


def test_a_channel_of_twenty_years_is_believed_as_surely_as_its_leads_say() -> None:
    low, middle, high = channel_belief(COST, MOST, bookings(1040, dead_from=9999), 1040).cost_interval(300.0)
    truth = 300.0 / (MOST * (1 - exp(-300.0 / (COST * MOST))))
    assert low <= middle <= high
    assert middle == pytest.approx(truth, rel=0.1)


def test_four_weeks_after_a_channel_dies_it_gets_at_most_a_twentieth_of_what_it_had() -> None:
    given = []
    for weeks in (8, 12):
        both = [*bookings(weeks, dead_from=8), *bookings(weeks, channel="social")]
        company = replace(records(weeks, price=150.0), bookings=both)
        beliefs, award = effect_beliefs(company, CHANNELS, PRIORS), Award(RETURNS[0])
        asked = demand(company, beliefs, ADVERTISING, award)
        given.append(asked.campaigns(least_return(asked, beliefs, award)))
    assert given[0]["search", "smb"] > 100
    assert given[1].get(("search", "smb"), 0.0) <= 0.05 * sum(given[1].values())


def test_a_channel_that_brings_nothing_more_is_left_alone_and_then_tried_for_what_a_lead_had_cost() -> None:
    place = ("search", "smb")
    ran = [Booking(place, week, 400, 1, 0 if week > 8 else 10) for week in range(11)]
    budgets = np.array([20.0, 35.0, 400.0])
    resting, trial = (channel_belief(60, 20, ran, week).leads(budgets) for week in (12, 16))
    assert (list(resting), trial[0] > 0, trial[2]) == ([0, 0, 0], True, 0)
    won = [*ran, Booking(place, 16, 35, 1, 2)]
    assert channel_belief(60, 20, won, 17).leads(budgets)[2] > 0
    vain = [*ran, Booking(place, 16, 35, 1, 0)]
    assert [channel_belief(60, 20, vain, week).leads(budgets)[0] > 0 for week in (22, 26)] == [False, True]


@pytest.mark.parametrize("shrinks", [True, False])
def test_a_price_moves_down_where_few_sign_and_many_leave_and_up_where_nobody_minds(shrinks: bool) -> None:
    company = records(4, shrinks=shrinks)
    moved = prices_wanted(company, effect_beliefs(company, CHANNELS, PRIORS))
    assert (moved["smb"] < 30.0) is shrinks
    assert 30.0 / 1.31 <= moved["smb"] <= 30.0 * 1.31
    assert prices_wanted(replace(company, price_waits=True), effect_beliefs(company, CHANNELS, PRIORS)) == {}


def test_complaints_about_a_price_lower_what_customers_are_believed_to_pay() -> None:
    heard: list[dict[int, frozenset[str]]] = [dict.fromkeys(range(1, 7), frozenset({"smb"})), {}]
    told, untold = (effect_beliefs(replace(records(6), complaints=one), CHANNELS, PRIORS) for one in heard)
    assert told.segments["smb"].worth_interval()[1] < 0.9 * untold.segments["smb"].worth_interval()[1]


def test_a_shop_does_not_sell_below_what_an_order_costs() -> None:
    shop = {"stock_weeks": 6.0, "demand": 60.0, "average_order_value": 30.0, "gross_margin": 10.0, "payroll": 900.0}
    dear = records(4, shrinks=True)
    company = replace(dear, figures={**dear.figures, **{name: [value] * 5 for name, value in shop.items()}})
    assert prices_wanted(company, effect_beliefs(company, CHANNELS, PRIORS)).get("smb", 30.0) > 27.0


def test_the_less_there_is_the_more_a_dollar_must_bring() -> None:
    least = []
    for cash in (400_000.0, 80_000.0, 55_000.0, 20_000.0):
        company = replace(records(8, cash=cash), bookings=bookings(8))
        beliefs = effect_beliefs(company, CHANNELS, PRIORS)
        bids = [demand(company, beliefs, ADVERTISING).bid(), (1100.0,) * len(RETURNS)]
        award = award_of(company, beliefs, bids)
        least.append(award.least_return)
        asked = demand(company, beliefs, ADVERTISING, award)
        spent = asked.dollars(least_return(asked, beliefs, award))
        assert spent <= beliefs.budget or spent == 0
    assert least == sorted(least)
    assert (least[0], least[-1]) == (RETURNS[0], NEVER)


def test_a_prior_that_is_twice_off_is_corrected_by_weeks() -> None:
    company, middles = replace(records(10), bookings=bookings(10)), []
    for share in (0.25, 0.5):
        priors = PRIORS.model_copy(update={"lead_cost_share": share})
        middles.append(effect_beliefs(company, CHANNELS, priors).channels["search", "smb"].cost_interval(300.0)[1])
    assert middles[1] == pytest.approx(middles[0], rel=0.15)


def test_what_was_believed_before_saves_time_and_changes_nothing() -> None:
    early, late = records(6), records(9)
    other = replace(early, figures={**early.figures, "leads": [9.0] * 7})
    found = {
        effect_beliefs(late, CHANNELS, PRIORS, before=before).segments["smb"].worth_interval()
        for before in (None, effect_beliefs(early, CHANNELS, PRIORS), effect_beliefs(other, CHANNELS, PRIORS))
    }
    assert len(found) == 1
