from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mabos.society.expenses import Expense, Expenses
from mabos.society.governance import kind

NOW = datetime(2026, 2, 24, 12, tzinfo=UTC)
DAY = timedelta(days=1)
CENTS = st.integers(0, 10**9)
MOMENTS = st.integers(0, 6).map(lambda hours: NOW - timedelta(hours=12 * hours))
STEPS = st.lists(st.tuples(st.sampled_from("abcdef"), st.none() | st.tuples(MOMENTS, st.sampled_from("xy"), CENTS)))


def test_what_was_spent_lately_is_of_the_same_purpose_and_later_than_the_moment_asked_about() -> None:
    expenses = Expenses()
    expenses.put("1", Expense(NOW - timedelta(hours=23), "marketing_spend", "Acme Ltd", 1))
    expenses.put("2", Expense(NOW, "Marketing spend", " acme-ltd ", 10))
    expenses.put("3", Expense(NOW - DAY, "marketing_spend", "Acme Ltd", 100))
    expenses.put("4", Expense(NOW, "email", "Acme Ltd", 10_000))
    expenses.put("5", Expense(NOW, "marketing_spend", "Globex", 100_000))
    assert expenses.spent("marketing_spend", "Acme Ltd", NOW - DAY) == 11
    assert expenses.spent("marketing-spend", "acme ltd", NOW - timedelta(hours=25)) == 111
    assert expenses.spent("travel", "Acme Ltd", NOW - DAY) == 0


@given(STEPS, MOMENTS)
def test_the_sum_is_that_of_what_stands_whatever_came_and_went_in_whichever_order(
    steps: list[tuple[str, tuple[datetime, str, int] | None]], after: datetime
) -> None:
    expenses, stands = Expenses(), dict[str, Expense]()
    for name, told in steps:
        if told is None:
            expenses.drop(name)
            stands.pop(name, None)
        else:
            at, purpose, cents = told
            stands[name] = Expense(at, purpose, "p", cents / 100)
            expenses.put(name, stands[name])
    assert all(name in expenses for name in stands)
    for purpose in "xy":
        cents = sum(round(one.usd * 100) for one in stands.values() if kind(one.category) == purpose and one.at > after)
        assert expenses.spent(purpose, "p", after) == cents / 100
