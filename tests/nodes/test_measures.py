import pytest

from mabos.mind.conditions import holds
from mabos.nodes.perception.measures import belief_of, format_number, series, trending, trends
from mabos.society.metrics import MetricPoint


def test_a_percentage_is_believed_as_one_and_compares_with_one() -> None:
    belief = belief_of(
        MetricPoint("churn_rate", 3.5037, "2026-01-05T00:00:00.000Z", "% a month"), "2026-01-05T00:00:00.000Z"
    )
    assert (belief.value, belief.statement) == ("3.5%", "churn_rate is 3.5% a month")
    assert holds("churn_rate < 5%", lambda _: belief.value) is True
    assert holds("churn_rate < 3%", lambda _: belief.value) is False


@pytest.mark.parametrize(
    ("value", "text"),
    [(26066.4, "26066"), (8.6999, "8.7"), (0.54321, "0.5432"), (9.0, "9"), (1000.0, "1000"), (0.0, "0")],
)
def test_numbers_are_written_with_the_digits_that_count(value: float, text: str) -> None:
    assert format_number(value) == text


def test_a_role_watches_series_by_name_and_by_pattern() -> None:
    names = ["cash", "price_ent", "price_smb", "subscribers_smb"]
    assert series(["cash", "price_*", "nowhere"], names) == ["cash", "price_ent", "price_smb", "nowhere"]
    assert trending(["cash", "trend_price_*"], names) == ["price_ent", "price_smb"]


def test_the_course_of_a_series_is_what_it_gained_in_six_weeks() -> None:
    weeks = [MetricPoint("subscribers", 100.0 + 5 * week, f"2026-01-{week + 1:02}T00:00:00.000Z") for week in range(9)]
    (found,) = trends({"subscribers": weeks, "young": weeks[:6]})
    assert (found.name, found.value, found.at) == ("trend_subscribers", 27.27, weeks[-1].at)
    assert holds("trend_subscribers >= 5%", lambda _: belief_of(found, found.at).value) is True
