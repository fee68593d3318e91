from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import Damaged, InvalidArgument, Refused, UnknownId
from mabos.society.contract_net import (
    Bid,
    CallForProposals,
    ContractNet,
    add_bid,
    award_task,
    criteria,
    is_due,
    list_pending_bidders,
    score_bids,
)
from mabos.workspace.names import Layout

NOW = "2026-02-24T09:00:00.000Z"


def task(**fields: Any) -> CallForProposals:
    given: dict[str, Any] = {
        "id": "CFP-1", "task_description": "Build the landing page", "initiator": "ceo", "candidates": ("cto", "cmo"),
    }  # fmt: skip
    return CallForProposals(**(given | fields))


def bid(agent_id: str = "cto", **fields: Any) -> Bid:
    given: dict[str, Any] = {
        "approach": "Build the landing page", "estimated_cost": 1000, "estimated_duration": 40, "confidence": 0.8,
    }  # fmt: skip
    return Bid(agent_id, **(given | fields))


def after(*bids: Bid, **fields: Any) -> CallForProposals:
    offered = task(**fields)
    for one in bids:
        offered = add_bid(offered, one, NOW)
    return offered


def test_the_best_by_the_criteria_wins() -> None:
    bids = (bid("cto", estimated_cost=2000, confidence=0.9), bid("cmo", estimated_cost=1000, confidence=0.7))
    assert award_task(after(*bids, evaluation_criteria={"cost": 1}), "ceo", NOW).awarded_to == "cmo"
    assert award_task(after(*bids, evaluation_criteria={"confidence": 1}), "ceo", NOW).awarded_to == "cto"


def test_ties_are_broken_by_confidence() -> None:
    bids = (bid("cto", confidence=0.7), bid("cmo", confidence=0.9))
    assert award_task(after(*bids, evaluation_criteria={"cost": 1}), "ceo", NOW).awarded_to == "cmo"


def test_scores_lie_between_0_and_1_also_for_what_is_free() -> None:
    found = score_bids(after(bid("cto", estimated_cost=0, estimated_duration=0), bid("cmo")))
    assert all(0 <= one.score <= 1 for one in found)
    assert found[0].agent_id == "cto"


def test_an_agent_bids_once_and_the_same_bid_again_changes_nothing() -> None:
    found = after(bid(), bid())
    assert [one.confidence for one in found.proposals] == [0.8]
    with pytest.raises(Refused, match="already made its proposal"):
        add_bid(found, bid(confidence=0.9), NOW)


def test_no_bid_can_come_any_more_when_all_have_answered_or_the_deadline_has_passed() -> None:
    assert list_pending_bidders(after(bid()), ["hr"]) == ("cmo",)
    assert not is_due(after(bid()), [], NOW)
    assert is_due(after(bid()), ["cmo"], NOW)
    offered = task(deadline="2026-02-24T10:00:00Z")
    assert not is_due(offered, [], "2026-02-24T10:00:00Z")
    assert is_due(offered, [], "2026-02-24T10:00:01Z")
    assert not is_due(award_task(after(bid()), "ceo", NOW), ["cmo"], NOW)


def test_a_call_nobody_bids_for_fails_and_cannot_be_awarded_again() -> None:
    failed = award_task(task(), "ceo", NOW, ["cto", "cmo"])
    assert (failed.status, failed.awarded_to) == ("failed", "")
    with pytest.raises(Refused, match="nobody made a proposal"):
        award_task(failed, "ceo", NOW)
    with pytest.raises(Refused, match="nobody made a proposal"):
        add_bid(failed, bid(), NOW)


def test_the_tasks_of_an_initiator_are_unfinished_until_all_bidders_know(tmp_path: Path) -> None:
    net = ContractNet(Layout(tmp_path), durable=False)
    assert net.list_unannounced_tasks("ceo") == ()
    net.start(task())
    (tmp_path / "contract-net" / "CFP-2.json").write_text("{")
    net.change("CFP-1", lambda offered: award_task(add_bid(offered, bid(), NOW), "ceo", NOW))
    assert [one.id for one in net.list_unannounced_tasks("ceo")] == ["CFP-1"]
    assert net.list_unannounced_tasks("cto") == ()
    net.change("CFP-1", lambda offered: replace(offered, announced_at=NOW))
    assert net.list_unannounced_tasks("ceo") == net.list_unannounced_tasks("ceo") == ()


@pytest.mark.parametrize(
    ("offered", "bidder", "said"),
    [
        (task(), "legal", "not offered to 'legal' but to cto, cmo"),
        (task(deadline="2026-02-23"), "cto", "were due by"),
        (task(status="awarded", awarded_to="cmo", awarded_at=NOW), "cto", "was awarded to 'cmo'"),
    ],
)
def test_a_bid_may_come_too_late_or_uninvited(offered: CallForProposals, bidder: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        add_bid(offered, bid(bidder), NOW)


def test_only_the_initiator_awards_and_only_once_and_only_with_bids() -> None:
    with pytest.raises(Refused, match="only 'ceo'"):
        award_task(after(bid()), "cto", NOW)
    with pytest.raises(Refused, match="no proposals yet"):
        award_task(task(), "ceo", NOW)
    with pytest.raises(Refused, match="was awarded"):
        award_task(award_task(after(bid()), "ceo", NOW), "ceo", NOW)


@pytest.mark.parametrize("weights", [{"price": 1}, {"cost": -1}, {"cost": 0}, {}])
def test_criteria_are_checked(weights: dict[str, float]) -> None:
    with pytest.raises(InvalidArgument) as caught:
        criteria(weights)
    assert caught.value.argument == "evaluation_criteria"


def test_criteria_count_in_proportion() -> None:
    assert criteria({"cost": 3, "confidence": 1}) == {"cost": 0.75, "confidence": 0.25}


def test_a_task_is_one_file_that_reads_back(tmp_path: Path) -> None:
    net = ContractNet(Layout(tmp_path), durable=False)
    assert net.start(task()) == net.start(task())
    net.change("CFP-1", lambda offered: add_bid(offered, bid(), NOW))
    net.change("CFP-1", lambda offered: award_task(offered, "ceo", NOW))
    found = ContractNet(Layout(tmp_path)).task("CFP-1")
    assert (found.awarded_to, found.proposals[0].agent_id) == ("cto", "cto")
    assert (tmp_path / "contract-net" / "CFP-1.json").exists()


def test_an_id_is_used_once_and_an_unknown_one_is_named(tmp_path: Path) -> None:
    net = ContractNet(Layout(tmp_path), durable=False)
    net.start(task())
    with pytest.raises(InvalidArgument, match="exists already"):
        net.start(task(task_description="Something else"))
    with pytest.raises(UnknownId, match="did you mean 'CFP-1'"):
        net.task("CFP-2")
    with pytest.raises(InvalidArgument, match="not a valid task id"):
        net.task("../../agents/cfo/facts")


@pytest.mark.parametrize("task_id", ["../../outside", "a/b", "x\x00", "\n", "."])
def test_a_task_id_that_is_no_name_leaves_no_trace_not_even_a_lock(tmp_path: Path, task_id: str) -> None:
    net = ContractNet(Layout(tmp_path / "a" / "b"))
    with pytest.raises(InvalidArgument, match="not a valid task id"):
        net.start(task(id=task_id))
    assert list(tmp_path.rglob("*")) == []


DAMAGES = [('"id": "CFP-1"', '"id": "CFP-2"'), ('"confidence": 0.8', '"confidence": "0.8"')]


@pytest.mark.parametrize(("old", "new"), DAMAGES)
def test_a_damaged_call_is_refused_and_keeps_nobody_from_thinking(tmp_path: Path, old: str, new: str) -> None:
    calls = ContractNet(Layout(tmp_path), durable=False)
    calls.start(after(bid()))
    path = tmp_path / "contract-net" / "CFP-1.json"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(Damaged, match=r"CFP-1.json.* by hand"):
        calls.task("CFP-1")
    assert calls.list_unannounced_tasks("ceo") == ()


@pytest.mark.parametrize("weight", [float("nan"), float("inf")])
def test_a_weight_that_is_no_number_is_refused(weight: float) -> None:
    with pytest.raises(InvalidArgument, match="must be a number"):
        criteria({"cost": weight, "confidence": 1.0})
