"""Why a plan failed is judged by what failed and what worked elsewhere."""

from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Plan, Step
from mabos.nodes.learning.episodes import describe_root_cause, root_cause

SEND = Step("s1", "Send the offer", "email_send", preconditions=("address = known",), status="failed")
PLAN = Plan("P-1", name="offer", steps=(SEND,))
SURE = BeliefIndex([Belief("B-1", "The address is known", certainty=0.95, subject="address", value="known")])
DOUBTED = BeliefIndex([Belief("B-1", "The address is known", certainty=0.2, subject="address", value="known")])


def elsewhere(status: str, times: int) -> list[Plan]:
    return [
        Plan(f"P-{9 + n}", steps=(Step("s1", tool="email_send", status=status),))  # type: ignore[arg-type]  # one of two
        for n in range(times)
    ]


def test_an_operation_that_fails_everywhere_is_the_cause() -> None:
    assert describe_root_cause(PLAN, elsewhere("failed", 3), SURE).startswith(
        "Most probably because of the operation email_send ("
    )


def test_an_operation_that_works_elsewhere_is_not_and_the_belief_one_doubts_is() -> None:
    found = root_cause(PLAN, elsewhere("done", 5), DOUBTED)
    assert found is not None
    assert found.answer.suspects[0].name == "the condition address = known"
    assert "B-1" in found.evidence
    assert "the condition address = known" in describe_root_cause(PLAN, elsewhere("done", 5), DOUBTED)


def test_a_condition_that_no_longer_holds_is_named() -> None:
    lost = BeliefIndex([Belief("B-1", "The address is lost", certainty=0.9, subject="address", value="lost")])
    assert "the condition address = known" in describe_root_cause(PLAN, elsewhere("done", 2), lost)


def test_where_nothing_else_is_suspect_nothing_is_made_up() -> None:
    assert describe_root_cause(PLAN, elsewhere("done", 5), SURE) == ""
    assert root_cause(Plan("P-2", steps=(Step("s1", status="done"),)), [], SURE) is None


def test_a_condition_that_surely_holds_is_not_made_the_cause() -> None:
    paid = Plan("P-3", steps=(Step("s1", tool="work_package_create", preconditions=("cash > 3600",), status="failed"),))
    rich = BeliefIndex([Belief("B-1", "cash is 80000", certainty=0.9, subject="cash", value="80000")])
    assert describe_root_cause(paid, [], rich) == ""
