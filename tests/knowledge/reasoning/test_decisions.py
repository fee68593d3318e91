"""Decision theory and expected utility: textbook tables, trees, lotteries and paradoxes."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.probabilistic.choices import CriteriaChoice, DecisionTable, DecisionTree
from tests.knowledge.reasoning.asking import ask

PLANT = dict(DecisionTable.example)
MILLION = 1_000_000


def test_thompson_lumber_of_render_and_stair() -> None:
    """Quantitative Analysis for Management, chapter 3: payoffs in thousands."""
    advice = ask("decision-theory", PLANT).answer
    assert advice.rules["expected"] == ("build small", {"build large": 10, "build small": 40, "do nothing": 0})
    assert advice.perfect_information == pytest.approx(60)
    assert advice.rules["maximax"][0] == "build large"
    assert advice.rules["maximin"][0] == "do nothing"
    assert advice.rules["laplace"][0] == "build small"
    assert advice.rules["least regret"] == (
        "build small",
        {"build large": -180, "build small": -100, "do nothing": -200},
    )


def test_hurwicz_of_the_same_book_with_optimism_of_four_fifths() -> None:
    rules = ask("decision-theory", {**PLANT, "optimism": 0.8}).answer.rules
    assert rules["hurwicz"] == ("build large", pytest.approx({"build large": 124, "build small": 76, "do nothing": 0}))


def test_a_survey_of_the_same_book_is_worth_what_it_tells() -> None:
    """The favourable survey has P(fav | high) = .7 and P(fav | low) = .2: 89.4 with it against 40 without."""
    signals = {
        "favourable": {"demand high": 0.7, "demand low": 0.2},
        "unfavourable": {"demand high": 0.3, "demand low": 0.8},
    }
    advice = ask("decision-theory", {**PLANT, "signals": signals}).answer
    value = 0.45 * (200 * 0.35 / 0.45 - 180 * 0.1 / 0.45) + 0.55 * max(100 * 0.15 / 0.55 - 20 * 0.4 / 0.55, 0)
    assert advice.sample_information == pytest.approx(value - 40)
    assert advice.after_signal == {"favourable": "build large", "unfavourable": "build small"}
    assert advice.sample_information <= advice.perfect_information


def test_without_probabilities_the_least_regret_decides_and_that_is_said() -> None:
    result = ask("decision-theory", {**PLANT, "probabilities": {}})
    assert result.answer.choice == "build small"
    assert result.assumptions == ("nothing is known of how likely the states are",)
    assert result.answer.perfect_information is None


def test_a_tree_is_folded_back_and_only_decisions_that_are_reached_are_told() -> None:
    assert ask("decision-theory", dict(DecisionTree.example)).answer.value == pytest.approx(40)
    later = {"decide": {"buy": {"payoff": 5}, "sell": {"payoff": 7}}}
    tree = {"decide": {"test": {"chance": [{"p": 0.5, "then": later}, {"p": 0.5, "then": {"payoff": 1}}]}, "go": later}}
    answer = ask("decision-theory", {"kind": "decision_tree", "tree": tree}).answer
    assert (answer.choice, answer.value) == ("go", 7)
    assert answer.acts == {"/": "go", "/go": "sell"}


def test_bernoullis_log_utility_gives_the_st_petersburg_game_a_finite_worth() -> None:
    """Bernoulli 1738: with log utility and no wealth the game is worth 2 ducats (here cut off after 40 tosses)."""
    prizes = [{"p": 2.0**-n, "value": 2.0 ** (n - 1)} for n in range(1, 41)]
    prizes[-1]["p"] += 2.0**-40
    game = {"kind": "lotteries", "lotteries": {"game": prizes}, "utility": {"form": "crra", "parameter": 1}}
    assert ask("expected-utility", game).answer.lotteries["game"].certainty_equivalent == pytest.approx(2, rel=1e-6)


def test_the_exponential_utility_of_a_fair_coin_has_the_premium_of_pratt() -> None:
    coin = {"sure": [{"p": 1, "value": 0}], "coin": [{"p": 0.5, "value": -10}, {"p": 0.5, "value": 10}]}
    problem = {"kind": "lotteries", "lotteries": coin, "utility": {"form": "cara", "parameter": 0.01}}
    answer = ask("expected-utility", problem).answer
    assert answer.choice == "sure"
    assert answer.lotteries["coin"].risk_premium == pytest.approx(0.5 * 0.01 * 100, rel=0.01)
    assert answer.dominates == {"first order": (), "second order": (("sure", "coin"),)}


def test_constant_aversion_is_as_exact_for_large_amounts_as_for_small() -> None:
    """A lottery whose worst is p likely is worth that and -log(p) / a, where all else lies far above it."""
    coin = {"sure": [{"p": 1, "value": 900_000}], "coin": [{"p": 0.5, "value": 0}, {"p": 0.5, "value": 2_000_000}]}
    for parameter, best, worth in ((0.01, "sure", math.log(2) / 0.01), (-0.01, "coin", 2_000_000 - math.log(2) / 0.01)):
        utility = {"form": "cara", "parameter": parameter, "wealth": 1_000_000}
        answer = ask("expected-utility", {"kind": "lotteries", "lotteries": coin, "utility": utility}).answer
        assert (answer.choice, answer.lotteries["sure"].certainty_equivalent) == (best, pytest.approx(900_000))
        assert answer.lotteries["coin"].certainty_equivalent == pytest.approx(worth)
        chance = {"chance": [{"p": 0.5, "then": {"payoff": 0}}, {"p": 0.5, "then": {"payoff": 2_000_000}}]}
        tree = {"decide": {"sure": {"payoff": 900_000}, "coin": chance}}
        folded = ask("decision-theory", {"kind": "decision_tree", "tree": tree, "utility": utility}).answer
        assert folded.choice == best
        assert folded.certainty_equivalent == answer.lotteries[best].certainty_equivalent


@given(st.floats(-5, 5).filter(lambda a: abs(a) > 1e-3), st.lists(st.floats(-4, 4), min_size=1, max_size=5))
def test_the_sure_amount_of_constant_aversion_is_that_of_the_formula(a: float, amounts: list[float]) -> None:
    prizes = [{"p": 1 / len(amounts), "value": one} for one in amounts]
    utility = {"form": "cara", "parameter": a}
    problem = {"kind": "lotteries", "lotteries": {"one": prizes}, "utility": utility}
    expected = -math.log(sum(math.exp(-a * one) for one in amounts) / len(amounts)) / a
    valued = ask("expected-utility", problem).answer.lotteries["one"]
    assert valued.certainty_equivalent == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_the_rules_of_ignorance_compare_steep_worths_on_one_scale_or_say_that_none_holds_them() -> None:
    payoffs = {"a": {"x": 10_000, "y": 10_020}, "b": {"x": 10_010, "y": 10_011}}
    problem = {"kind": "decision", "payoffs": payoffs, "utility": {"form": "cara", "parameter": 1}}
    near = {**problem, "payoffs": {act: {s: v - 10_010 for s, v in row.items()} for act, row in payoffs.items()}}
    far, close = ask("decision-theory", problem), ask("decision-theory", near)
    assert {name: act for name, (act, _) in far.answer.rules.items()} == {
        name: act for name, (act, _) in close.answer.rules.items()
    }
    assert "an amount of 10010" in far.assumptions[-1]
    with pytest.raises(InvalidArgument, match="too steep for amounts from -180 to 200"):
        ask("decision-theory", {**PLANT, "utility": {"form": "cara", "parameter": 2}})


def test_dominance_is_found_in_pennies_and_in_billions() -> None:
    for unit in (1e-9, 1.0, 1e9):
        lotteries = {
            "sure": [{"p": 1, "value": 1.5 * unit}],
            "coin": [{"p": 0.5, "value": unit}, {"p": 0.5, "value": 2 * unit}],
            "poor": [{"p": 1 / 3, "value": 0.9 * unit}] * 3,
        }
        dominates = ask("expected-utility", {"kind": "lotteries", "lotteries": lotteries}).answer.dominates
        assert set(dominates["first order"]) == {("sure", "poor"), ("coin", "poor")}
        assert set(dominates["second order"]) == {("sure", "coin"), ("sure", "poor"), ("coin", "poor")}


def test_a_slash_in_a_name_is_no_step_of_a_path() -> None:
    def decide(*names: str) -> dict[str, Any]:
        return {"decide": {name: {"payoff": len(name)} for name in names}}

    chances = [{"name": "a/b", "p": 0.5, "then": decide("left", "on")}]
    chances.append({"name": "a", "p": 0.5, "then": {"decide": {"b": decide("right~", "on")}}})
    acts = ask("decision-theory", {"kind": "decision_tree", "tree": {"chance": chances}}).answer.acts
    assert acts == {"/a~1b": "left", "/a": "b", "/a/b": "right~"}


def test_no_utility_agrees_with_the_choices_of_allais() -> None:
    lotteries = {
        "1A": [{"p": 1, "value": MILLION}],
        "1B": [{"p": 0.89, "value": MILLION}, {"p": 0.01, "value": 0}, {"p": 0.1, "value": 5 * MILLION}],
        "2A": [{"p": 0.89, "value": 0}, {"p": 0.11, "value": MILLION}],
        "2B": [{"p": 0.9, "value": 0}, {"p": 0.1, "value": 5 * MILLION}],
    }
    problem = {"kind": "lotteries", "lotteries": lotteries}
    allais = ask("expected-utility", {**problem, "stated": [["1A", "1B"], ["2B", "2A"]]})
    assert (allais.status, allais.answer.consistent) == ("inconsistent", False)
    assert ask("expected-utility", {**problem, "stated": [["1A", "1B"], ["2A", "2B"]]}).answer.consistent


def test_options_are_weighed_from_the_worst_to_the_best() -> None:
    answer = ask("expected-utility", dict(CriteriaChoice.example)).answer
    assert answer.worth == pytest.approx({"vendor a": 0.6, "vendor b": 0.4})


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ({**PLANT, "probabilities": {"demand high": 0.5, "demand low": 0.6}}, "sum to 1.1"),
        ({**PLANT, "payoffs": {"a": {"x": 1}, "b": {"y": 1}}, "probabilities": {}}, "differ in the state"),
        (
            {"kind": "decision_tree", "tree": {"decide": {"a": {"payoff": 1, "chance": []}}, "payoff": 3}},
            "a node of a tree",
        ),
        ({**PLANT, "payoffs": {"a": {"x": float("inf")}}, "probabilities": {}}, "finite"),
    ],
)
def test_what_is_no_decision_is_refused_with_the_reason(problem: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        ask("decision-theory", problem)


def test_a_tree_nested_without_end_is_refused() -> None:
    tree: dict[str, Any] = {"payoff": 1}
    for _ in range(300):
        tree = {"decide": {"on": tree}}
    with pytest.raises(InvalidArgument, match="nested more than 100 levels"):
        ask("decision-theory", {"kind": "decision_tree", "tree": tree})


def test_an_expectation_needs_probabilities() -> None:
    with pytest.raises(InvalidArgument, match="the states have no probabilities"):
        ask("expected-utility", {**PLANT, "probabilities": {}})


amounts = st.floats(-1000, 1000)


@given(st.lists(st.tuples(amounts, amounts, amounts), min_size=1, max_size=5), st.floats(0, 1), st.floats(0, 1))
def test_the_worth_of_information_is_never_negative_nor_above_perfect(
    rows: list[tuple[float, float, float]], first: float, sure: float
) -> None:
    rest = (1 - first) / 2
    problem = {
        "kind": "decision",
        "payoffs": {f"act {number}": dict(zip("xyz", row, strict=True)) for number, row in enumerate(rows)},
        "probabilities": {"x": first, "y": rest, "z": 1 - first - rest},
        "signals": {"up": {"x": sure, "y": 0.5, "z": 1 - sure}, "down": {"x": 1 - sure, "y": 0.5, "z": sure}},
    }
    advice = ask("decision-theory", problem).answer
    assert 0 <= advice.sample_information <= advice.perfect_information + 1e-9
    assert advice.choice not in advice.dominated or advice.margin == 0
