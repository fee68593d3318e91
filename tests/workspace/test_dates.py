from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.workspace.dates import MONTHS, WEEKDAYS, day_in, day_named, is_day_first, without_days


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_a_day_is_read_in_every_common_form(day: date) -> None:
    month = MONTHS[day.month - 1]
    for text in (f"{day}", f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", f"{day:%d.%m.%Y}"):
        assert day_named(text) == day


def test_a_weekday_is_that_of_the_calendar() -> None:
    assert WEEKDAYS[date(2026, 1, 5).weekday()] == "Monday"


@pytest.mark.parametrize("text", ["31 June 2026", "2026-13-01", "2026-02-30", "June", "soon", ""])
def test_what_is_no_day_is_none(text: str) -> None:
    assert day_named(text) is None


def test_a_deadline_is_read_from_a_sentence_and_taken_out_of_it() -> None:
    assert day_in("churn below 3% by end of June 2026") == date(2026, 6, 30)
    assert day_in("done by June", year=2026) == date(2026, 6, 30)
    assert without_days("churn below 3% by 2026-06-30") == "churn below 3%"


def test_a_column_tells_whether_its_dates_begin_with_the_day() -> None:
    assert is_day_first(["03/04/2026", "13/04/2026"])
    assert not is_day_first(["03/04/2026", "03/14/2026"])
