"""Targets, preconditions and branches: what holds, what does not, and what nobody knows."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.configs.yaml_file import read_yaml
from mabos.mind.conditions import (
    check_amount,
    closeness,
    direction,
    fault,
    holds,
    is_comparison,
    negation,
    parse,
    presume_holds,
    reckon_amount,
    subjects,
)
from tests.mind.examples import known

CASES = read_yaml(Path(__file__).with_name("conditions_cases.yaml"))

HELD = {
    "runway_months": "9", "churn_rate": "3.2%", "cash": "$12,000", "runway": "9 months", "launched": "yes",
    "paused": "no", "stage": "Series A", "due": "2026-03-01", "MRR": "60K", "note": "call Jane, then Bob",
}  # fmt: skip


@pytest.mark.parametrize(("condition", "truth"), CASES["a_condition_that_is_decided"])
def test_a_condition_that_is_decided(condition: str, truth: bool) -> None:
    assert holds(condition, HELD.get) is truth


@pytest.mark.parametrize(
    "condition", ["", "unheard > 3", "stage > 4", "runway_months >= soon", "cash > 1 and unheard = 2", "due > 5"]
)
def test_what_nobody_knows_is_none_and_not_false(condition: str) -> None:
    assert holds(condition, HELD.get) is None


def test_whether_something_is_known_is_always_decided() -> None:
    assert holds("cash is unknown", known({})) is True
    assert holds("cash is not unknown", known({})) is False
    assert holds("cash is unknown", known({"cash": "9"})) is False
    assert holds("cash is not unknown and cash > 5", known({"cash": "9"})) is True


def test_one_known_alternative_decides_and_one_known_failure_does_too() -> None:
    assert holds("unheard > 3 or cash > 1", HELD.get) is True
    assert holds("unheard > 3 and cash < 1", HELD.get) is False


def test_numbers_are_never_compared_as_text() -> None:
    assert holds("x > 9", known({"x": "10"})) is True
    assert holds("x < banana", known({"x": "apple"})) is None


def test_an_unheard_of_event_is_presumed_not_to_have_happened() -> None:
    assert holds("compliance event != notice", HELD.get) is None
    assert presume_holds("compliance event != notice", HELD.get) is True
    assert presume_holds("compliance event != notice", known({"compliance event": "notice"})) is False
    assert presume_holds("runway >= 99 and unheard >= 1", known({})) is None


def test_closeness_is_the_ratio_the_right_way_up() -> None:
    assert closeness("MRR >= 100000", HELD.get) == 0.6
    assert closeness("churn_rate < 3%", HELD.get) == pytest.approx(0.9375)
    assert closeness("cash > 1", HELD.get) == 1.0
    assert closeness("unheard > 1", HELD.get) is None


def test_directions_of_things_to_optimise() -> None:
    assert direction("cac lower") == ("cac", "lower")
    assert direction("minimize cac") == ("cac", "lower")
    assert direction("maximise lifetime value") == ("lifetime value", "higher")
    assert direction("cac < 900") is None


def test_what_a_condition_speaks_of_and_its_opposite() -> None:
    assert subjects("cash > 1 and runway >= 6 or cash > 9") == ("cash", "runway")
    assert negation("churn > 5%") == "churn <= 5%"
    assert negation("a > 1 and b > 2") == "a <= 1 or b <= 2"
    assert is_comparison("mrr >= 100000")
    assert not is_comparison("Customers are glad")


@given(st.text(max_size=60))
def test_any_text_is_a_condition_that_can_be_asked(text: str) -> None:
    assert holds(text, known({})) in (None, True, False)
    parse(text)
    closeness(text, lambda _name: "1")


@given(st.floats(0, 1e9).map(lambda value: round(value, 3)), st.floats(0.01, 1e9).map(lambda value: round(value, 3)))
def test_closeness_stays_within_bounds_and_is_one_only_where_it_holds(value: float, bound: float) -> None:
    lookup = known({"x": repr(value)})
    for op in (">", ">=", "<", "<="):
        condition = f"x {op} {bound!r}"
        share = closeness(condition, lookup)
        assert share is not None
        assert 0 <= share <= 1
        assert (share == 1) == (holds(condition, lookup) is True)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("cash >= ((((", "character 9: '((((' is not a number"),
        ("churn_rate < 3% and cash >= soon", "character 29: 'soon' is not a number"),
        ("(cash >= 5 and mrr > 1) or mrr > 2", "character 1: '(cash' is not a name"),
        ("cash >=", "character 1: 'cash >=' lacks one side"),
        ("mrr > 1 or >= 5", "character 12: '>= 5' lacks one side"),
        ("a >= b >= 5", "character 6: 'b >= 5' is not a number"),
    ],
)
def test_a_condition_that_no_belief_could_decide_has_a_fault_and_a_place(condition: str, said: str) -> None:
    assert fault(condition).startswith(said)


@pytest.mark.parametrize(
    "condition",
    ["", "Win over the market", "the (new) site is live", "cash >= $5K", "runway >= 6 months and stage = Series A",
     "due < 2026-03-01", "churn_rate at most 3%", "launched"],
)  # fmt: skip
def test_a_condition_that_can_be_decided_and_prose_have_none(condition: str) -> None:
    assert fault(condition) == ""


KNOWN = {"cash": "$40,000", "stock_weeks": "3.5", "churn_rate": "4%", "gone": "nobody knows"}
amounts = st.floats(-1e6, 1e6).map(lambda one: round(one, 2))


@pytest.mark.parametrize(
    ("said", "comes_to"),
    [
        ("0.01 * cash", 400.0),
        ("min(600, 0.01 * cash)", 400.0),
        ("max(0, (12 - stock_weeks) * 10 - 200)", 0.0),
        ("-cash / 2", -20_000.0),
        ("churn_rate * 100", 4.0),
    ],
)
def test_a_sum_is_reckoned_with_what_is_believed(said: str, comes_to: float) -> None:
    assert reckon_amount(said, KNOWN.get) == pytest.approx(comes_to)


@pytest.mark.parametrize("said", ["cash + demand", "min(1, demand)", "gone * 2", "cash / (stock_weeks - 3.5)"])
def test_what_is_not_known_or_divides_by_nothing_comes_to_nothing(said: str) -> None:
    assert reckon_amount(said, KNOWN.get) is None


@pytest.mark.parametrize("said", ["a * a * a * a", "a * a * a * a - a * a * a * a"])
def test_what_is_beyond_all_numbers_comes_to_nothing(said: str) -> None:
    assert reckon_amount(said, {"a": "1e99"}.get) is None


@pytest.mark.parametrize(
    "said", ["cash ** 9", "open('x')", "cash.real", "cash if cash else 1", "cash >", "[1]", "min()", "'a'", "True + 1"]
)
def test_nothing_but_sums_can_be_written_and_the_error_says_what_can(said: str) -> None:
    with pytest.raises(InvalidArgument, match=r"numbers, names|is no sum"):
        check_amount(said)


@given(amounts, amounts)
def test_bounds_hold_whatever_is_known(held: float, bound: float) -> None:
    found = reckon_amount("min(max(held, bound), 500)", {"held": str(held), "bound": str(bound)}.get)
    assert found == pytest.approx(min(max(held, bound), 500))
