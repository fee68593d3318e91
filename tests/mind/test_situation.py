"""What a case says of an intention: what was believed and wanted when it began, and what was measured since."""

from typing import Any

from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Desire, Goal, Intention, Plan, Revision, Step
from mabos.mind.situation import episode, outcome, solution, stopped_at, value_at

STARTED, ENDED = "2026-02-02T09:00:00.000Z", "2026-02-16T21:00:00.000Z"
GOAL = Goal("G-1", "Reduce churn", desire_id="D-1", target="churn_rate < 5%", priority=0.4)
CHURN = Belief(
    "B-1", "churn_rate is 6.1%", 0.95, subject="churn_rate", value="6.1%",
    revisions=(
        Revision("2026-01-26T09:00:00.000Z", "8.1%", "8.7%", 0.95, 0.95, "market"),
        Revision("2026-02-09T09:00:00.000Z", "8.7%", "6.1%", 0.95, 0.95, "market"),
    ),
)  # fmt: skip
CASH = Belief("B-2", "cash is 5000", 0.9, subject="cash", value="5000")
OWN = Belief("B-P-1-s-1", "review status is done", subject="quality", value="0.9", evidence=("P-1",))
INDEX = BeliefIndex([CHURN, CASH, OWN])
DESIRES = (Desire("D-1", "Keep customers", priority=0.8512345),)


def steps(*status: Any) -> Plan:
    return Plan("P-1", "G-1", "keep", steps=tuple(Step(f"s{n}", status=one) for n, one in enumerate(status, 1)))


def intention(status: Any) -> Intention:
    return Intention("I-1", "G-1", "P-1", status=status, started=STARTED, updated=ENDED, reason="so it ended")


def test_a_situation_has_the_values_of_the_beginning_and_the_priority_of_the_desire() -> None:
    found = episode(GOAL, INDEX, DESIRES, since=STARTED, plan_id="P-1")
    assert found["beliefs"] == {"churn_rate": "8.7%", "cash": "5000"}
    assert found["desires"] == {"D-1": 0.8512}
    assert episode(Goal("G-2", "Tidy up", priority=0.3), INDEX)["desires"] == {"Tidy up": 0.3}


def test_a_value_is_that_of_the_end_of_a_moment() -> None:
    assert value_at(CHURN, "2026-01-20T09:00:00.000Z") == "8.1%"
    assert value_at(CHURN, "2026-01-26T09:00:00.000Z") == "8.7%"
    assert value_at(CHURN, "2026-03-01T09:00:00.000Z") == "6.1%"


def test_an_outcome_has_what_was_measured_before_and_after_against_what_was_expected() -> None:
    found = outcome(intention("completed"), steps("done"), GOAL, INDEX)
    assert found["status"] == "open"  # every step was done, and the goal is not reached
    reached = BeliefIndex([Belief("B-1", "", 0.95, subject="churn_rate", value="4%")])
    assert outcome(intention("completed"), steps("done"), GOAL, reached)["status"] == "success"
    assert outcome(intention("failed"), steps("failed"), GOAL, reached)["status"] == "failure"
    assert found["expected"] == "churn_rate < 5%"
    assert (found["churn_rate_before"], found["churn_rate_after"]) == ("8.7%", "6.1%")
    assert found["duration_days"] == 14.5
    assert not {"cash_after", "failed_step", "cause"} & set(found)  # nothing failed, and cash did not move


def test_a_failure_says_which_step_failed_and_by_what_and_one_that_got_somewhere_is_partial() -> None:
    found = outcome(intention("failed"), steps("done", "failed", "pending"), GOAL, INDEX, cause="nobody was free")
    assert found["status"] == "partial_failure"
    assert (found["failed_step"], found["cause"]) == ("s2", "nobody was free")
    assert outcome(intention("failed"), steps("failed"))["status"] == "failure"


def test_a_plan_stops_at_the_step_that_failed_else_at_the_first_that_is_open() -> None:
    assert stopped_at(steps("done", "pending", "failed")) == "s3"
    assert stopped_at(steps("done", "waiting", "pending")) == "s2"
    assert stopped_at(steps("done")) == ""


def test_a_step_is_kept_with_its_conditions_effects_and_ways_and_without_what_it_lacks() -> None:
    ask = Step(
        "ask", "Ask", "decision_request", {"subject": "x"}, ("cash > 0",), ("ask is open",), branches=(("yes", "end"),)
    )
    kept, bare = solution(Plan("P-1", steps=(ask, Step("next", tool="fact_assert"))))["steps"]
    assert kept["preconditions"] == ["cash > 0"]
    assert (kept["effects"], kept["branches"]) == (["ask is open"], [["yes", "end"]])
    assert bare == {"id": "next", "tool": "fact_assert", "arguments": {}, "status": "pending"}
