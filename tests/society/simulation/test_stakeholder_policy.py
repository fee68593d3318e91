from datetime import UTC, datetime, timedelta

import pytest

from mabos.configs.errors import InvalidArgument
from mabos.society.simulation.stakeholder_policy import OwnerAnswer, OwnerQuestion, OwnerSituation, answer

NOW = datetime(2026, 2, 2, 9, tzinfo=UTC)


def said(policy: str, cost: float, *, cash: float = 100_000, burn: float = 5000, age: int = 7, latency: int = 1) -> str:
    asked = OwnerQuestion("DEC-1", cost, NOW - timedelta(days=age), recommendation="A")
    found = answer(asked, policy, OwnerSituation(NOW, cash, burn), latency_weeks=latency)
    return found.resolution if found else "silence"


@pytest.mark.parametrize(
    ("policy", "cost", "expected"),
    [
        ("approve-all", 90_000, "approve"),
        ("reject-all", 0, "reject"),
        ("approve-under-5000", 5000, "approve"),
        ("approve-under-5000", 5001, "reject"),
        ("approve-under-3x-burn", 15_000, "approve"),
        ("approve-under-3x-burn", 15_001, "reject"),
    ],
)
def test_the_script_answers_by_its_limit(policy: str, cost: float, expected: str) -> None:
    assert said(policy, cost) == expected


def test_the_owner_takes_the_time_the_scenario_gives() -> None:
    assert said("approve-all", 1, age=6) == "silence"
    assert said("approve-all", 1, age=0, latency=0) == "approve"


def test_nobody_approves_what_the_bank_cannot_pay() -> None:
    assert said("approve-all", 200_000) == "reject"
    assert said("approve-all", 1, cash=-5) == "reject"
    assert said("approve-all", 0, cash=-5) == "approve"


def test_a_company_that_burns_nothing_may_spend_a_tenth_of_its_cash() -> None:
    assert said("approve-under-3x-burn", 10_000, burn=-2000) == "approve"
    assert said("approve-under-3x-burn", 10_001, burn=-2000) == "reject"


def test_an_approval_takes_the_recommended_option_and_says_why() -> None:
    asked = OwnerQuestion("DEC-1", 100, NOW - timedelta(days=8), recommendation="A")
    found = answer(asked, "approve-under-5000", OwnerSituation(NOW, 9000, 100), latency_weeks=1)
    assert found == OwnerAnswer("DEC-1", "approve", "within the owner's limit of $5,000", "A")


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="approve-under-5000"):
        said("ask-my-mother", 1)
