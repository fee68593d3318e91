"""Numbers, money, percentages and dates are read and compared by what they are worth."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.values import compare, number


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("9", 9), ("-1.5", -1.5), ("−5", -5), ("1,234.50", 1234.5), ("$1,200", 1200), ("-$5", -5), ("$-5", -5),
        ("EUR 5", 5), ("500 USD", 500), ("USD5", 5), ("$1.2M", 1_200_000), ("$5m", 5_000_000), ("10k", 10_000),
        ("3%", 0.03), ("1e6", 1_000_000), (" .5 ", 0.5), ("1970-01-02", 86_400), ("1970-01-01T01:00:00Z", 3600),
    ],
)  # fmt: skip
def test_a_quantity_is_read(text: str, worth: float) -> None:
    assert number(text) == worth


@pytest.mark.parametrize(
    "text",
    ["", "abc", "9 months", "5m", "5kg", "1,5", "inf", "nan", "2026-13-01", "2026-W08", "1.2.3", "- -5", "$5 EUR"],
)
def test_what_is_no_quantity_is_none(text: str) -> None:
    assert number(text) is None


@pytest.mark.parametrize(
    ("a", "op", "b"),
    [
        ("10", "gt", "9"), ("9", "<", "10"), ("$1,200", ">=", "1200"), ("4.2%", "<", "5%"), ("0.03", "==", "3%"),
        ("2026-02-01", ">", "2026-01-31"), ("2026-01-01", "eq", "2026-01-01T00:00:00Z"), ("1.0", "eq", "1"),
        ("$5", "ne", "€5"), ("growing", "eq", "growing"), ("growing", "ne", "9"), ("A deal", "contains", "DEAL"),
        ("9007199254740993", "ne", "9007199254740992"), ("1.5%", ">", "1"), ("110%", ">=", "1.1"),
        ("12 months", ">", "9 months"), ("1 month", "<", "9 months"), ("5 kg", "gt", "4kg"), ("5 kg", "ne", "5 t"),
    ],
)  # fmt: skip
def test_a_comparison_that_holds(a: str, op: str, b: str) -> None:
    assert compare(op, a, b)


@pytest.mark.parametrize(
    ("a", "op", "b"),
    [
        ("10", "<", "9"), ("high", "gt", "9"), ("9", "lt", "high"), ("$5", "<", "€6"), ("2026-01-01", ">", "5"),
        ("9 months", ">", "12 months"), ("12 months", ">", "9 weeks"), ("b", "gte", "a"), ("1", "ne", "1.0"),
    ],
)  # fmt: skip
def test_a_comparison_that_does_not_hold(a: str, op: str, b: str) -> None:
    assert not compare(op, a, b)


def test_an_unknown_operator_is_named() -> None:
    with pytest.raises(InvalidArgument, match="no operator '~'"):
        compare("~", "1", "2")


@given(st.integers(), st.integers())
def test_integers_compare_as_integers(a: int, b: int) -> None:
    assert compare("lt", str(a), f"{b:,}") == (a < b)
    assert compare("eq", str(a), str(b)) == (a == b)


@given(st.text(), st.text())
def test_equal_and_unequal_are_opposites_and_nothing_raises(a: str, b: str) -> None:
    assert compare("eq", a, b) != compare("ne", a, b)
