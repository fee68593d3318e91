import pytest

from mind.conditions import holds
from nodes.perception.measures import belief_of, written
from society.metrics import Point


def test_a_percentage_is_believed_as_one_and_compares_with_one() -> None:
    belief = belief_of(Point("churn_rate", 3.5037, "2026-01-05T00:00:00.000Z", "% a month"), "2026-01-05T00:00:00.000Z")
    assert (belief.value, belief.statement) == ("3.5%", "churn_rate is 3.5% a month")
    assert holds("churn_rate < 5%", lambda _: belief.value) is True
    assert holds("churn_rate < 3%", lambda _: belief.value) is False


@pytest.mark.parametrize(
    ("value", "text"),
    [(26066.4, "26066"), (8.6999, "8.7"), (0.54321, "0.5432"), (9.0, "9"), (1000.0, "1000"), (0.0, "0")],
)
def test_numbers_are_written_with_the_digits_that_count(value: float, text: str) -> None:
    assert written(value) == text
