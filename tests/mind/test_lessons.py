"""What a finished plan teaches."""

from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Goal, Plan, Revision, Step
from mabos.mind.situation import insight

DONE = tuple(
    Step(str(number), f"Do number {number}", tool="fact_assert", cost=250 * number, status="done")
    for number in range(1, 6)
)
GOAL = Goal("G-1", "Reduce churn", target="churn_rate < 5%")
LATER = Revision("2026-02-09", "8.7%", "6.1%", 0.95, 0.95, "market")
CHURN = Belief(
    "B-1", "churn is 6.1%", 0.95, subject="churn_rate", value="6.1%", updated="2026-02-16", revisions=(LATER,)
)


def test_a_lesson_says_what_was_done_and_what_it_cost() -> None:
    told = insight(Plan("P-1", "", "price review", steps=DONE), None, BeliefIndex([]), "")
    assert told == "Price review: do number 1; do number 2; do number 3; and 2 more ($3,750)."


def test_a_lesson_of_steps_that_call_nothing_is_a_sentence_all_the_same() -> None:
    believes = Step("s1", "+ Initech reminder sent", status="done")
    assert insight(Plan("P-1", "", "chase again", steps=(believes,)), None, BeliefIndex([]), "") == (
        "Chase again: done without an operation."
    )


def test_a_lesson_says_how_the_figure_of_the_goal_has_moved() -> None:
    plan = Plan("P-1", "G-1", "keep customers", steps=DONE[:1])
    moved = insight(plan, GOAL, BeliefIndex([CHURN]), "2026-02-02")
    assert moved.endswith("At the end churn rate was 6.1%, 8.7% before; wanted: churn_rate < 5%.")
    assert "6.1%, as before" in insight(plan, GOAL, BeliefIndex([CHURN]), "2026-02-10")
    assert "6.1%, not measured since" in insight(plan, GOAL, BeliefIndex([CHURN]), "2026-02-16")
    assert insight(plan, GOAL, BeliefIndex([]), "2026-02-02") == "Keep customers: do number 1 ($250)."


def test_a_word_that_the_plan_wrote_itself_is_no_figure() -> None:
    goal = Goal("G-1", "Close the review", target="review status = closed")
    closed = Belief("B-1", "review status closed", 0.9, subject="review", predicate="status", value="closed")
    assert insight(Plan("P-1", "G-1", "review", steps=DONE[:1]), goal, BeliefIndex([closed]), "") == (
        "Review: do number 1 ($250)."
    )
