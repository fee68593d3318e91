"""The methods of experience: published examples, definitions, and what must hold whatever the numbers."""

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.experience.satisficing import secretary
from tests.knowledge.reasoning.asking import ask, late

NILE = [
    *[1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958, 1140],
    *[1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840, 874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969],
    *[831, 726, 456, 824, 702, 1120, 1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796, 1040, 759],
    *[781, 865, 845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874, 848, 890],
    *[744, 749, 838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740],
]
"""The annual flow of the Nile at Aswan, 1871 to 1970 (Cobb 1978)."""


def choice(options: Mapping[str, Mapping[str, float]], criteria: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "choice", "options": options, "criteria": criteria, **more}


CITIES = {
    "Berlin": {"capital": 1, "exposition": 1, "soccer": 0, "university": 1},
    "Munich": {"capital": 0, "exposition": 1, "soccer": 1, "university": 1},
    "Bonn": {"capital": 0, "exposition": 0, "soccer": 0, "university": 1},
}
VALID = {"capital": 1.0, "exposition": 0.91, "soccer": 0.87, "university": 0.71}
"""Cues for the size of German cities and their validities (Gigerenzer and Goldstein 1996, table 1)."""


def larger(*names: str, **more: Any) -> Any:
    criteria = {cue: {"validity": validity} for cue, validity in VALID.items()}
    return ask("heuristic", choice({name: CITIES[name] for name in names}, criteria, **more))


def test_take_the_best_stops_at_the_first_cue_that_tells_two_cities_apart() -> None:
    answer = larger("Berlin", "Munich").answer
    assert (answer.choice, answer.decided_by, answer.inspected) == ("Berlin", "capital", ("capital",))
    answer = larger("Munich", "Bonn").answer
    assert (answer.choice, answer.inspected) == ("Munich", ("capital", "exposition"))


def test_a_city_that_alone_is_recognised_is_taken_for_the_larger() -> None:
    answer = larger("Munich", "Bonn", recognised=["Bonn"]).answer
    assert (answer.choice, answer.rule) == ("Bonn", "recognition")


def test_one_good_reason_may_outvote_all_others_and_tallying_says_so() -> None:
    cities = {"a": {"capital": 1, "soccer": 0, "university": 0}, "b": {"capital": 0, "soccer": 1, "university": 1}}
    criteria = {cue: {"validity": VALID[cue]} for cue in ("capital", "soccer", "university")}
    rules = ask("heuristic", choice(cities, criteria)).answer.rules
    assert (rules["take the best"], rules["tallying"], rules["equal weights"]) == (("a",), ("b",), ("b",))


def test_options_that_no_cue_tells_apart_are_named_and_the_first_is_taken() -> None:
    result = ask("heuristic", choice({"a": {"x": 1}, "b": {"x": 1}}, {"x": {}}))
    assert result.answer.rules["take the best"] == ("a", "b")
    assert result.answer.choice == "a"


def test_less_may_be_better() -> None:
    offers = choice({"a": {"price": 9}, "b": {"price": 5}}, {"price": {"more_is_better": False}})
    assert ask("heuristic", offers).answer.choice == "b"


HOUSES = {
    "first": {"price": 310, "rooms": 3},
    "second": {"price": 280, "rooms": 4},
    "third": {"price": 250, "rooms": 5},
}


def test_simons_seller_takes_the_first_that_is_good_enough_not_the_best() -> None:
    wants = {"price": {"more_is_better": False, "aspiration": 300}, "rooms": {"aspiration": 4}}
    answer = ask("satisficing", choice(HOUSES, wants)).answer
    assert (answer.choice, answer.looked_at, answer.lowered) == ("second", 2, 0)


def test_aspirations_that_nothing_meets_are_lowered_and_what_is_missed_is_told() -> None:
    answer = ask(
        "satisficing", choice(HOUSES, {"price": {"more_is_better": False, "aspiration": 240}, "rooms": {}})
    ).answer
    assert (answer.choice, answer.lowered, answer.short_of) == ("third", 2, {"price": 10})


def test_a_secure_act_is_one_whose_worst_payoff_is_good_enough() -> None:
    payoffs = {"bold": {"up": 9, "down": -5}, "safe": {"up": 3, "down": 2}}
    problem = {"kind": "decision", "payoffs": payoffs, "aspiration": 1}
    assert ask("satisficing", problem).answer.choice == "safe"
    with pytest.raises(InvalidArgument, match="there is no aspiration"):
        ask("satisficing", {**problem, "aspiration": None})


@pytest.mark.parametrize(
    ("count", "skip", "chance"), [(3, 1, 0.5), (4, 1, 0.4583), (5, 2, 0.4333), (10, 3, 0.3987), (100, 37, 0.3710)]
)
def test_the_secretary_problem_has_its_published_rules(count: int, skip: int, chance: float) -> None:
    let_pass, best = secretary(count)
    assert let_pass == skip
    assert best == pytest.approx(chance, abs=5e-5)


def test_after_those_let_pass_the_first_better_one_is_taken() -> None:
    answer = ask("satisficing", {"kind": "stream", "count": 10, "values": [3, 9, 4, 7, 11]}).answer
    assert (answer.skip, answer.take) == (3, 5)
    assert ask("satisficing", {"kind": "stream", "count": 10, "values": [3, 9, 4, 7]}).answer.take is None


@pytest.mark.parametrize(("count", "value"), [(1, 0.5), (2, 0.625), (3, 0.6953), (4, 0.7417), (10, 0.8611)])
def test_mosers_values_of_the_best_of_uniform_offers(count: int, value: float) -> None:
    answer = ask("satisficing", {"kind": "stream", "count": count, "known": "uniform"}).answer
    assert answer.success == pytest.approx(value, abs=5e-5)


CASES = [
    {
        "id": "C-1",
        "beliefs": ["churn", "price rise"],
        "desires": ["retain"],
        "solution": {"action": "discount"},
        "outcome": 1,
    },
    {
        "id": "C-2",
        "beliefs": ["churn", "outage"],
        "desires": ["retain"],
        "solution": {"action": "credit"},
        "outcome": 1,
    },
    {"id": "C-3", "beliefs": ["hiring"], "desires": ["grow"], "solution": {"action": "campaign"}, "outcome": 0},
]


def test_cases_are_scored_by_the_documents_formula() -> None:
    result = ask("case-based", {"kind": "cases", "beliefs": ["churn", "outage"], "desires": ["retain"], "cases": CASES})
    assert [(one.id, one.score) for one in result.answer.nearest] == [("C-2", 1.0), ("C-1", pytest.approx(0.7))]
    assert result.answer.solution == {"action": "credit"}
    assert result.evidence == ("C-2", "C-1")
    assert result.confidence == 1.0


def test_numbers_of_a_solution_are_adapted_to_the_present() -> None:
    case = {"id": "C-9", "beliefs": {"seats": 50}, "solution": {"action": "campaign", "budget": 2000}, "outcome": 1}
    problem = {
        "kind": "cases",
        "beliefs": {"seats": 80},
        "cases": [case],
        "adapt": {"budget": "solution_budget * now_seats / then_seats"},
    }
    answer = ask("case-based", problem).answer
    assert answer.solution == {"action": "campaign", "budget": 3200}
    assert answer.changed == {"budget": (2000, 3200)}
    with pytest.raises(InvalidArgument, match="is not arithmetic"):
        ask("case-based", {**problem, "adapt": {"budget": "exit()"}})


def test_a_case_that_went_badly_warns_and_is_not_followed() -> None:
    bad = [{**CASES[0], "outcome": 0}]
    result = ask("case-based", {"kind": "cases", "beliefs": ["churn"], "desires": ["retain"], "cases": bad})
    assert (result.status, result.answer.warnings, result.answer.solution) == ("unknown", ("C-1",), {})


def test_nothing_in_common_is_said() -> None:
    assert ask("case-based", {"kind": "cases", "beliefs": ["x"], "cases": CASES}).status == "unknown"


FIRE: dict[str, Any] = {
    "kind": "situation",
    "cues": {"place": "kitchen", "floor": "hot", "sound": "muffled"},
    "prototypes": [
        {
            "name": "kitchen fire",
            "cues": {"place": "kitchen", "floor": "warm"},
            "expectancies": {"answer to water": "dies down"},
            "actions": ["spray"],
        },
        {
            "name": "fire below",
            "cues": {"floor": "hot", "sound": "muffled", "place": "basement"},
            "actions": ["withdraw"],
        },
    ],
}


def test_kleins_lieutenant_takes_it_for_a_kitchen_fire_until_water_does_not_help() -> None:
    """Sources of Power, 1998, chapter 4."""
    problem = {**FIRE, "cues": {"place": "kitchen", "floor": "warm"}}
    assert ask("naturalistic", problem).answer.action == "spray"
    answer = ask("naturalistic", {**FIRE, "observed": {"answer to water": "roars back"}}).answer
    assert (answer.situation, answer.action) == ("fire below", "withdraw")


def test_an_expectancy_that_is_violated_and_nothing_else_fits_is_unknown_not_forced() -> None:
    problem = {**FIRE, "cues": {"place": "kitchen", "floor": "warm"}, "observed": {"answer to water": "roars back"}}
    result = ask("naturalistic", problem)
    assert result.status == "unknown"
    assert result.answer.violated == {"answer to water": ("dies down", "roars back")}


def test_actions_are_imagined_one_by_one_and_the_first_that_will_do_is_taken() -> None:
    problem = {
        "kind": "situation",
        "cues": {"cash": "falling"},
        "prototypes": [{"name": "squeeze", "cues": {"cash": "falling"}, "actions": ["raise prices", "cut", "borrow"]}],
        "figures": {"cash": 100, "customers": 50},
        "actions": {
            "raise prices": {"effects": {"customers": "customers * 0.6", "cash": "cash + 30"}},
            "cut": {"effects": {"cash": "cash + 40"}},
        },
        "acceptable": ["customers >= 40", "cash > 120"],
    }
    answer = ask("naturalistic", problem).answer
    assert answer.action == "cut"
    assert answer.rejected == {"raise prices": "it would leave customers >= 40 false"}
    assert answer.figures == {"cash": 140, "customers": 50}
    none = ask("naturalistic", {**problem, "acceptable": ["cash > 1000"]})
    assert none.status == "infeasible"


def test_the_nile_breaks_after_1898() -> None:
    """Cobb 1978; Pettitt's test puts the break after the 28th year."""
    answer = ask("pattern-recognition", {"kind": "series", "values": NILE}).answer
    assert answer.change_at == 28
    assert answer.change_p_value < 1e-5
    assert answer.trend == "falling"


def test_a_line_has_the_p_value_and_slope_of_the_formula() -> None:
    answer = ask("pattern-recognition", {"kind": "series", "values": [2.0 * n for n in range(10)]}).answer
    assert (answer.trend, answer.slope) == ("rising", 2.0)
    assert answer.p_value == pytest.approx(8.3e-5, rel=0.01)  # S = 45, variance 125, z = 3.935


def test_a_p_value_is_not_taken_for_how_sure_a_trend_is() -> None:
    """Sellke, Bayarri and Berger 2001, table 1: p = 0.05, 0.01, 0.001 leave the null 0.289, 0.111, 0.0184 at least."""
    result = ask("pattern-recognition", {"kind": "series", "values": [1, 3, 2, 4, 6, 5]})  # S = 11, p = 0.0603
    least = -math.e * result.answer.p_value * math.log(result.answer.p_value)
    assert (result.answer.trend, result.confidence_kind) == ("none", "bound")
    assert result.confidence == pytest.approx(least / (1 + least))
    line = ask("pattern-recognition", {"kind": "series", "values": [float(n) for n in range(5)]})  # p = 0.0275
    assert line.answer.trend == "rising"
    assert line.confidence == pytest.approx(0.788, abs=0.001)
    assert ask("pattern-recognition", {"kind": "series", "values": [1, 2, 1, 2, 1, 2, 1]}).confidence == 0.5
    sure = ask("pattern-recognition", {"kind": "series", "values": [float(n) for n in range(200)]})
    assert sure.confidence == pytest.approx(1)
    assert sure.answer.p_value > 0


def test_an_outlier_is_found_though_it_spreads_the_series() -> None:
    answer = ask("pattern-recognition", {"kind": "series", "values": [2.1, 2.2, 2.1, 2.3, 2.4, 2.4, 9.0, 2.3]}).answer
    assert answer.outliers == (6,)


def test_a_season_is_seen_where_it_is() -> None:
    wave = [10.0, 20.0, 30.0, 20.0] * 12
    assert ask("pattern-recognition", {"kind": "series", "values": wave, "period": 4}).answer.season == 4
    assert ask("pattern-recognition", {"kind": "series", "values": wave, "period": 3}).answer.season is None


BASKETS = [["1", "3", "4"], ["2", "3", "5"], ["1", "2", "3", "5"], ["2", "5"]]


def test_the_example_of_agrawal_and_srikant() -> None:
    problem = {"kind": "transactions", "transactions": BASKETS, "support": 0.5, "confidence": 1}
    answer = ask("pattern-recognition", problem).answer
    assert {one for one, _ in answer.sets} == {
        *[("1",), ("2",), ("3",), ("5",), ("1", "3"), ("2", "3"), ("2", "5"), ("3", "5"), ("2", "3", "5")]
    }
    assert (("2",), ("5",)) in {(one.given, one.then) for one in answer.rules}


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=1, max_size=8), st.sampled_from([0.2, 0.5, 0.9]))
def test_frequent_sets_are_those_of_the_definition(baskets: list[set[str]], support: float) -> None:
    problem = {"kind": "transactions", "transactions": [sorted(one) for one in baskets], "support": support}
    found = dict(ask("pattern-recognition", problem).answer.sets)
    expected = {}
    for size in range(1, 5):
        for items in combinations("abcd", size):
            share = sum(set(items) <= one for one in baskets) / len(baskets)
            if share >= support:
                expected[items] = pytest.approx(share)
    assert found == expected


def test_a_row_gets_the_class_of_its_neighbours() -> None:
    rows = [{"x": x, "kind": kind} for x, kind in [(1, "low"), (2, "low"), (3, "low"), (8, "high"), (9, "high")]]
    problem = {"kind": "table", "target": "kind", "rows": rows, "query": {"x": 1.5}}
    result = ask("pattern-recognition", problem)
    assert (result.answer.value, result.confidence) == ("low", 0.6)
    with pytest.raises(InvalidArgument, match="no query to classify"):
        ask("pattern-recognition", {**problem, "query": None})


def test_frequent_sets_that_are_late_are_those_of_the_levels_that_were_finished() -> None:
    result = late("pattern-recognition", {"kind": "transactions", "transactions": BASKETS, "support": 0.5}, looks=2)
    assert result.status == "timeout"
    assert {len(one) for one, _ in result.answer.sets} == {1}
