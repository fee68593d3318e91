"""Arithmetic written by a caller: what is allowed has its usual value, all else is refused."""

import contextlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.workspace.expressions import Expression

NUMBERS = {"x": 3.0, "y": 4.0}


@pytest.mark.parametrize(
    ("text", "worth"),
    [
        ("x + y * 2", 11.0),
        ("-(x - y) ** 2", -1.0),
        ("sqrt(x * x + y * y)", 5.0),
        ("max(x, y, 1) // 3", 1.0),
        ("1 if x < y else 0", 1.0),
        ("(x >= y) + (x != y)", 1.0),
        ("2 * pi", 2 * math.pi),
    ],
)
def test_arithmetic_has_its_usual_value(text: str, worth: float) -> None:
    assert Expression.of(text).value(NUMBERS) == pytest.approx(worth)


@pytest.mark.parametrize(
    "text", ["x + y", "max(x, 2, y) % 3", "x ** 2 if x < y else y - 1", "floor(x) + exp(-x)", "5", "(x > 2) * sin(x)"]
)
def test_many_values_at_once_are_worth_what_each_is_worth(text: str) -> None:
    rows = [{"x": x / 2, "y": 3.0 - x / 4} for x in range(8)]
    worth = Expression.of(text).array({name: np.array([row[name] for row in rows]) for name in "xy"}, len(rows))
    assert worth == pytest.approx([Expression.of(text).value(row) for row in rows])


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "x.__class__",
        "(lambda: 1)()",
        "[1][0]",
        "'a' * 9",
        "x if y",
        "",
        "open('f')",
        "sqrt(x, key=1)",
        "f'{x}'",
        "x := 3",
        "(" * 400 + "x" + ")" * 99,
        "x" * 501,
    ],
)
def test_all_but_arithmetic_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument):
        Expression.of(text)


@pytest.mark.parametrize("text", ["1 / (x - 3)", "log(0 * x)", "10 ** 400", "sqrt(0 - x)", "9 ** 9 ** 9"])
def test_what_has_no_finite_value_is_said(text: str) -> None:
    with pytest.raises(InvalidArgument, match="value there"):
        Expression.of(text).value(NUMBERS)


def test_a_name_that_is_not_given_is_named() -> None:
    with pytest.raises(InvalidArgument, match="'z', which is not given; given: x, y"):
        Expression.of("x + z", known=frozenset(NUMBERS))


@given(st.text(max_size=60))
def test_no_text_at_all_does_anything_but_be_arithmetic_or_be_refused(text: str) -> None:
    with contextlib.suppress(InvalidArgument):
        assert isinstance(Expression.of(text).names, frozenset)
