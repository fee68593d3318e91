"""Beliefs that cannot both hold: the documents' examples, and a size that forbids comparing every pair."""

from time import perf_counter

import pytest

from mabos.mind.conflicts import conflicts, flag_losers, report
from mabos.mind.model import Belief
from tests.mind.examples import (
    GOLDEN,
    NOW,
    S0_DEMAND,
    S1_SESSIONS,
    S1_STORES,
    S1_STYLES,
    S1_TOKENS,
    believe,
    read_beliefs,
)

S3_CHURN = [
    Belief(
        "B-1", "churn_rate is 3.2%", 0.92, source="analytics_api", subject="churn_rate", predicate="is", value="3.2%"
    ),
    Belief("B-2", "churn_rate is 5.8%", 0.85, source="crm_export", subject="churn_rate", predicate="is", value="5.8%"),
]


@pytest.mark.parametrize("text", [S0_DEMAND, S1_SESSIONS, S1_STORES, S1_TOKENS])
def test_each_printed_example_of_a_conflict_is_found_once(text: str) -> None:
    assert len(conflicts(read_beliefs(text))) == 1


def test_the_churn_example_is_won_by_the_more_certain_belief() -> None:
    (found,) = conflicts(S3_CHURN)
    assert found.severity == 0.85
    assert found.winner.id == "B-1"
    assert [belief.id for belief in flag_losers([found])] == ["B-2"]


def test_a_pair_of_low_certainty_is_no_conflict() -> None:
    assert conflicts(read_beliefs(S1_STYLES)) == ()


def test_the_threshold_can_be_set() -> None:
    assert conflicts(S3_CHURN, threshold=0.9) == ()
    assert len(conflicts(read_beliefs(S1_STYLES), threshold=0.1)) == 1


def test_the_newer_of_two_nearly_equal_beliefs_wins() -> None:
    (found,) = conflicts(read_beliefs(S1_SESSIONS))
    assert found.winner.statement.startswith("Sessions")
    assert found.resolution == "Belief B wins (newer, and about as certain); Belief A flagged for review"


def test_a_written_and_a_measured_belief_about_the_same_meet() -> None:
    found = conflicts([*read_beliefs("## churn_rate is 5.8%\nCertainty: 0.8\n"), S3_CHURN[0]])
    assert [one.severity for one in found] == [0.8]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Market demand is growing", "Market demand is not growing"),
        ("We support Windows", "We do not support Windows"),
        ("Retention is high", "Retention is low"),
        ("Prices are rising", "Prices are falling"),
        ("Runway: 9 months", "Runway: 4 months"),
        ("Our price is 20 euros", "Our price is 25 euros"),
        ("We deliver in 3 days", "We deliver in 5 days"),
        ("The release is possible", "The release is impossible"),
        ("Head count is 12", "Head count is 15"),
        ("Order #7 is open", "Order #7 is not open"),
    ],
)
def test_opposites_and_numbers_in_prose_conflict(one: str, other: str) -> None:
    assert len(conflicts([believe(one), believe(other)])) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Market demand is growing", "Market demand is increasing"),
        ("Market demand is growing", "Market demand is not declining"),
        ("Market demand is growing", "Customer demand is declining"),
        ("Week 3 revenue was 100", "Week 4 revenue was 110"),
        ("Revenue in 2025", "Revenue in 2026"),
        ("Customer 17", "Customer 18"),
        ("Version 2", "Version 3"),
        ("Order 12 takes 3 days", "Order 13 takes 5 days"),
        ("The trial lasts 3 days", "The trial costs 3 euros"),
        ("Acme sells software", "Acme has nine people"),
        ("We rely on Stripe", "We rely on Stripe"),
    ],
)
def test_what_can_both_be_true_is_no_conflict(one: str, other: str) -> None:
    assert conflicts([believe(one, id="1"), believe(other, id="2")]) == ()


def test_values_of_a_predicate_with_many_values_do_not_conflict() -> None:
    rivals = [believe(name, 0.9, subject="acme", predicate="competitor", value=name) for name in ("Globex", "Initech")]
    assert conflicts(rivals) == ()


def test_superseded_beliefs_are_past_disputing_and_flagged_ones_are_not() -> None:
    def with_status(status: str) -> list[Belief]:
        return [S3_CHURN[0], believe("churn", 0.85, subject="churn_rate", predicate="is", value="5.8%", status=status)]

    assert conflicts(with_status("superseded")) == ()
    assert len(conflicts(with_status("flagged"))) == 1
    assert flag_losers(conflicts(with_status("flagged"))) == ()


def test_several_opinions_are_each_set_against_the_one_that_stands() -> None:
    opinions = [believe(str(n), 0.7 + n / 100, subject="x", predicate="y", value=str(n)) for n in range(5)]
    found = conflicts(opinions)
    assert {one.winner.id for one in found} == {"4"}
    assert len(found) == 4


def test_ten_thousand_beliefs_are_not_compared_in_pairs() -> None:
    many = [
        Belief(f"B-{n}", f"the size of thing {n % 3000} is {n % 7}", 0.9, subject=f"thing {n % 3000}", value=str(n % 7))
        for n in range(10_000)
    ]
    crowd = [
        Belief(f"C-{n}", f"opinion {n}", 0.9, subject="one", predicate="thing", value=str(n)) for n in range(10_000)
    ]
    before = perf_counter()
    assert len(conflicts(many)) == 7_000
    assert len(conflicts(crowd)) == 9_999
    # Fifty million comparisons take minutes here; one pass takes a fraction of a second.
    assert perf_counter() - before < 10


def test_the_report_has_its_one_form() -> None:
    beliefs = [*read_beliefs(S0_DEMAND), *read_beliefs(S1_SESSIONS), *S3_CHURN]
    assert report(conflicts(beliefs), NOW) == (GOLDEN / "conflict-report.md").read_text("utf-8")
    assert report((), NOW) == ""
