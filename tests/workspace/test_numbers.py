import pytest

from mabos.configs.errors import InvalidArgument
from mabos.workspace.numbers import clamp, number_or, share, without_zeros


@pytest.mark.parametrize("given", ["soon", None, [], "nan", float("inf"), 10**400])
def test_what_is_no_finite_number_is_the_default(given: object) -> None:
    assert number_or(given, 0.5) == 0.5


def test_a_number_is_read_from_text_and_from_numbers() -> None:
    assert [number_or(given, 0.0) for given in ("4.5", 3, 2.5, True)] == [4.5, 3.0, 2.5, 1.0]


@pytest.mark.parametrize("given", [-0.1, 1.1, "0.5", True, None, float("nan")])
def test_what_is_no_share_is_refused_with_the_name_of_the_argument(given: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^confidence is .*; expected a number from 0 to 1"):
        share(given, "confidence")


def test_a_share_is_a_number_from_0_to_1() -> None:
    assert [share(given, "weight") for given in (0, 0.25, 1)] == [0.0, 0.25, 1.0]


def test_a_number_is_held_between_its_bounds() -> None:
    assert [clamp(value) for value in (-1.0, 0.3, 7.0)] == [0.0, 0.3, 1.0]


@pytest.mark.parametrize(("digits", "found"), [("1,200.50", "1,200.5"), ("3.00", "3"), ("100", "100"), ("0.0", "0")])
def test_zeros_at_the_end_of_a_fraction_are_left_out(digits: str, found: str) -> None:
    assert without_zeros(digits) == found
