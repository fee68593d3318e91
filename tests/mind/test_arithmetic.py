"""Sums over what is believed: what can be reckoned, what is not known, and what cannot be written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.mind.arithmetic import checked, reckoned

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
    assert reckoned(said, KNOWN.get) == pytest.approx(comes_to)


@pytest.mark.parametrize("said", ["cash + demand", "min(1, demand)", "gone * 2", "cash / (stock_weeks - 3.5)"])
def test_what_is_not_known_or_divides_by_nothing_comes_to_nothing(said: str) -> None:
    assert reckoned(said, KNOWN.get) is None


@pytest.mark.parametrize("said", ["a * a * a * a", "a * a * a * a - a * a * a * a"])
def test_what_is_beyond_all_numbers_comes_to_nothing(said: str) -> None:
    assert reckoned(said, {"a": "1e99"}.get) is None


@pytest.mark.parametrize(
    "said", ["cash ** 9", "open('x')", "cash.real", "cash if cash else 1", "cash >", "[1]", "min()", "'a'", "True + 1"]
)
def test_nothing_but_sums_can_be_written_and_the_error_says_what_can(said: str) -> None:
    with pytest.raises(InvalidArgument, match=r"numbers, names|is no sum"):
        checked(said)


@given(amounts, amounts)
def test_bounds_hold_whatever_is_known(held: float, bound: float) -> None:
    found = reckoned("min(max(held, bound), 500)", {"held": str(held), "bound": str(bound)}.get)
    assert found == pytest.approx(min(max(held, bound), 500))
