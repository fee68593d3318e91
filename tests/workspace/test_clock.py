import pytest

from mabos.configs.errors import InvalidArgument
from mabos.workspace.clock import iso, parse_time


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-02-24", "2026-02-24T00:00:00.000Z"),
        (" 2026-02-24T14:30:00 ", "2026-02-24T14:30:00.000Z"),
        ("2026-02-24T14:30:00+05:30", "2026-02-24T09:00:00.000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
    ],
)
def test_a_time_is_read_as_a_moment_in_utc(text: str, moment: str) -> None:
    assert iso(parse_time(text)) == moment


@pytest.mark.parametrize("text", ["soon", "", "2026-02-30", "0001-01-01T00:00:00+05:00", "9999-12-31T23:00:00-05:00"])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="is not a time"):
        parse_time(text, argument="deadline")
