"""The case tools, called as a person calls them."""

import pytest

from tests.world import Member

SITUATION = {"beliefs": ["B-1", "B-2"], "desires": ["D-1"], "context": "Churn rose"}
SOLUTION = {"plan_id": "P-1", "actions": ["call customers"]}


def test_a_case_is_stored_and_retrieved_by_the_printed_formula(cfo: Member) -> None:
    stored = cfo.do(
        "cbr_store", situation=SITUATION, solution=SOLUTION, outcome={"success": True, "metrics": {"mrr": 1}}
    )
    (case,) = cfo.do("cbr_retrieve", beliefs=["B-1", "B-9"], desires=["D-1"])["cases"]
    assert case["case_id"] == stored["case_id"]
    assert case["score"] == pytest.approx(0.6 * 0.5 + 0.4)
    assert case["outcome"] == {"status": "success", "success": True, "metrics": {"mrr": 1}}


def test_values_are_compared_where_both_sides_have_them(cfo: Member) -> None:
    situation = {"beliefs": {"mrr": 40_000, "churn_rate": "4%"}, "desires": {"reduce_churn": 0.8}}
    cfo.do("cbr_store", situation=situation, solution=SOLUTION, outcome="success")
    (case,) = cfo.do("cbr_retrieve", beliefs={"mrr": "$50,000", "churn_rate": 0.04}, desires=["reduce_churn"])["cases"]
    assert case["score"] == pytest.approx(0.6 * (0.8 + 1) / 2 + 0.4)


def test_a_failure_is_warned_of_and_listed_only_when_asked_for(cfo: Member) -> None:
    cfo.do("cbr_store", situation=SITUATION, solution=SOLUTION, outcome="failure", case_id="CASE-001")
    plain = cfo.do("cbr_retrieve", beliefs=["B-1", "B-2"], desires=["D-1"])
    assert plain["cases"] == []
    assert [one["case_id"] for one in plain["warnings"]] == ["CASE-001"]
    (case,) = cfo.do("cbr_retrieve", beliefs=["B-1", "B-2"], desires=["D-1"], include_negative=True)["cases"]
    assert case["negative"] is True


def test_the_same_episode_is_kept_once(cfo: Member) -> None:
    ids = {cfo.do("cbr_store", situation=SITUATION, solution=SOLUTION, outcome=True)["case_id"] for _ in range(2)}
    assert len(ids) == 1


@pytest.mark.parametrize("outcome", ["great", {"metrics": {}}])
def test_an_outcome_that_is_none_is_refused(cfo: Member, outcome: object) -> None:
    assert cfo.refused("cbr_store", situation=SITUATION, solution=SOLUTION, outcome=outcome) == (
        "invalid_argument",
        "outcome",
    )
