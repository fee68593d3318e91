"""Names that become paths."""

import pytest

from mabos.configs.errors import InvalidArgument
from mabos.workspace.names import name


@pytest.mark.parametrize("wrong", ["", "CFO", "../cfo", "a/b", "-a", "a b", "é", "a\n", "a" * 64])
def test_what_could_leave_the_workspace_is_no_name(wrong: str) -> None:
    with pytest.raises(InvalidArgument, match="is not a valid agent id"):
        name(wrong, kind="agent id")


def test_a_name_of_thousands_of_letters_is_not_told_back_whole() -> None:
    with pytest.raises(InvalidArgument) as told:
        name("a" * 60_000, kind="agent id")
    assert len(told.value.message) < 500


@pytest.mark.parametrize("right", ["a", "7", "cfo", "a" * 63, "sales-team_2"])
def test_a_name_comes_back_as_it_is(right: str) -> None:
    assert name(right) == right
