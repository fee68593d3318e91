"""A call for proposals over cycles and restarts: agents bid, the best gets the task, and says how it ended."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from mabos.graphs.contract_net import build
from mabos.nodes.contract_net import ContractNetContext, ContractNetInput
from mabos.society.contract_net import Bid, CallForProposals
from mabos.society.messages import Message
from mabos.society.protocols import PROTOCOLS, standing
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Caller
from mabos.workspace.clock import iso
from tests.graphs.offices import Office

PRICING = "Pricing strategy and market analysis for the enterprise tier"
ASKED = ("strategy", "cfo", "cto")


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    with Office(tmp_path / "workspace") as made:
        yield made


def offered(office: Office, **more: Any) -> None:
    given: dict[str, Any] = {"task_id": "CFP-1", "task_description": PRICING, "candidates": list(ASKED)}
    office.do("contract_net_initiate", "ceo", **given | more)


def task(office: Office) -> CallForProposals:
    return office.services.contract_net.task("CFP-1")


def bids(office: Office) -> dict[str, Bid]:
    return {one.agent_id: one for one in task(office).proposals}


def heard(office: Office, agent: str) -> list[Message]:
    return list(office.services.mail.heard(agent, "CFP-1"))


def told(office: Office, agent: str) -> list[str]:
    return [one.performative for one in heard(office, agent)]


def conversation(office: Office) -> Any:
    said = [one for agent in ("ceo", *ASKED) for one in heard(office, agent)]
    return standing(PROTOCOLS["contract-net"], said)


def test_the_ceos_call_for_proposals_is_answered_by_several_and_awarded_to_the_highest_score(office: Office) -> None:
    offered(office, deadline="2026-03-06")
    for agent in ASKED:
        office.cycle(agent)
    assert set(bids(office)) == {"strategy", "cfo"}
    assert bids(office)["strategy"].confidence > bids(office)["cfo"].confidence
    assert sorted(told(office, "ceo")) == ["PROPOSE", "PROPOSE", "REFUSE"]
    office.restart()
    office.cycle("ceo")
    assert task(office).awarded_to == task(office).proposals[0].agent_id == "strategy"
    assert task(office).proposals[0].score > task(office).proposals[1].score
    office.cycle("ceo")
    assert [told(office, one) for one in ASKED] == [["CFP", "ACCEPT"], ["CFP", "REJECT"], ["CFP"]]

    office.cycle("strategy")
    mind = office.agent("strategy").mind
    wish = mind.desire("D-CFP-1")
    assert (wish.description, wish.deadline) == (PRICING, mind.commitment("COM-CFP-1").deadline)
    mind.save(replace(wish, status="fulfilled"))
    office.cycle("strategy")
    office.cycle("strategy")
    assert told(office, "ceo").count("INFORM") == 1
    assert office.agent("strategy").mind.commitment("COM-CFP-1").status == "met"
    office.cycle("ceo")
    assert office.agent("ceo").mind.value("CFP-1", "status") == "done"
    assert not conversation(office).violations
    assert [conversation(office).state(one) for one in ASKED] == ["done", "rejected", "refused"]


def test_what_is_given_up_is_told_once_as_a_failure(office: Office) -> None:
    offered(office, candidates=["strategy"])
    for agent in ("strategy", "ceo", "strategy"):
        office.cycle(agent)
    mind = office.agent("strategy").mind
    mind.save(replace(mind.desire("D-CFP-1"), status="dropped", reason="nobody is free"))
    office.cycle("strategy")
    office.cycle("strategy")
    (word,) = (one for one in heard(office, "ceo") if one.performative in ("INFORM", "FAILURE"))
    assert (word.performative, "nobody is free" in word.content) == ("FAILURE", True)
    assert office.agent("strategy").mind.commitment("COM-CFP-1").status == "breached"


def test_after_the_deadline_the_bids_that_are_there_are_awarded_and_a_late_one_is_refused_and_logged(
    office: Office,
) -> None:
    offered(office, deadline=iso(office.clock() + timedelta(days=1)))
    office.cycle("cfo")
    office.cycle("ceo")
    assert task(office).status == "open"
    office.later(days=1, minutes=1)
    office.cycle("strategy")  # too late: it does not try
    assert "strategy" not in bids(office)
    late = {"task_id": "CFP-1", "approach": "x", "estimated_cost": 0, "estimated_duration": 1, "confidence": 0.9}
    outcome = call(office.services, "contract_net_propose", late, caller=Caller("agent", "strategy"))
    assert outcome.code == "refused"
    assert any("were due by" in str(one.get("error")) for one in office.entries("outcome"))
    office.cycle("ceo")
    assert task(office).awarded_to == "cfo"
    assert told(office, "strategy") == ["CFP"]


def test_a_call_that_nobody_can_do_fails_once(office: Office) -> None:
    offered(office, task_description="Paint the ceiling")
    for agent in (*ASKED, "ceo", "ceo"):
        office.cycle(agent)
    assert (task(office).status, task(office).proposals) == ("failed", ())
    assert told(office, "ceo") == ["REFUSE"] * 3


def test_an_award_cut_short_is_told_to_the_end_by_the_next_cycle(office: Office) -> None:
    offered(office)
    for agent in ASKED:
        office.cycle(agent)
    services, delivered = office.services, type(office.services.mail).deliver

    def once(self: Any, message: Message) -> Message | None:
        if message.performative == "REJECT":
            raise KeyboardInterrupt
        return delivered(self, message)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(services.mail), "deliver", once)
        with pytest.raises(KeyboardInterrupt):
            office.cycle("ceo")
    office.restart()
    assert (task(office).awarded_to, task(office).announced_at) == ("strategy", "")
    office.cycle("ceo")
    assert [told(office, one)[1:] for one in ASKED] == [["ACCEPT"], ["REJECT"], []]


def test_a_bid_says_what_it_rests_on_and_moves_with_load_and_alike_cases(office: Office) -> None:
    offered(office, candidates=["strategy", "cfo"])
    for case, ended in (("C-1", "success"), ("C-2", "failure"), ("C-3", "failure")):
        situation = {"beliefs": {}, "desires": {"D-x": 1}, "context": PRICING}
        outcome = {"status": ended, "cost": 120.0, "duration_days": 2.0}
        office.agent("strategy").handle.cases.store(situation, {"name": "research"}, outcome, case_id=case)
    office.cycle("strategy")
    office.cycle("cfo")
    tried, untried = bids(office)["strategy"], bids(office)["cfo"]
    assert tried.confidence == pytest.approx((1 + 2 * 0.9) / (3 + 2))
    assert (tried.estimated_cost, untried.estimated_cost) == (120.0, 0.0)
    assert "1 of 3 alike cases ended well (C-1, C-2, C-3)" in tried.rationale
    assert "as in C-1" in tried.approach
    assert "no alike case" in untried.rationale
    commitments = int(untried.rationale.split(", ")[1].split()[0])
    assert untried.estimated_duration == 480.0 * (1 + commitments)  # it has a skill and no plan


class Thread:
    """The machine on one thread whose checkpoints lie in a file, and which is made anew for each run."""

    def __init__(self, office: Office) -> None:
        self.office = office
        self.given: ContractNetInput = {
            "task_id": "CFP-1", "task_description": PRICING, "initiator": "ceo", "candidates": list(ASKED),
        }  # fmt: skip

    def run(self, *, begin: bool = False) -> Any:
        context = ContractNetContext(workspace=str(self.office.root))
        with SqliteSaver.from_conn_string(str(self.office.root / "threads.sqlite")) as saver:
            machine = build().compile(checkpointer=saver)
            config: Any = {"configurable": {"thread_id": "T"}}
            return machine.invoke(self.given if begin else Command(resume="look"), config, context=context)


def test_the_machine_waits_for_bids_and_result_and_survives_a_restart_between(office: Office) -> None:
    thread = Thread(office)
    (asked,) = thread.run(begin=True)["__interrupt__"]
    assert asked.value["awaited"] == list(ASKED)
    for agent in ASKED:
        office.cycle(agent)
        office.restart()
    (waits,) = thread.run()["__interrupt__"]
    assert waits.value == {"task_id": "CFP-1", "awarded_to": "strategy"}
    office.cycle("ceo")
    office.cycle("strategy")
    mind = office.agent("strategy").mind
    mind.save(replace(mind.desire("D-CFP-1"), status="fulfilled"))
    office.cycle("strategy")
    answer = thread.run()
    assert (answer["status"], answer["awarded_to"], answer["refused"]) == ("done", "strategy", ["cto"])
    assert [row["agent_id"] for row in answer["ranking"]] == ["strategy", "cfo"]
    assert answer["result"].startswith("Done:")
    assert [told(office, one)[1:] for one in ASKED] == [["ACCEPT"], ["REJECT"], []]


def test_the_machine_takes_up_what_the_initiator_awarded_and_says_what_is_refused(office: Office) -> None:
    offered(office)
    for agent in (*ASKED, "ceo"):
        office.cycle(agent)
    thread = Thread(office)
    (waits,) = thread.run(begin=True)["__interrupt__"]
    assert waits.value["awarded_to"] == "strategy"
    wrong = (
        build()
        .compile()
        .invoke(
            {"task_description": "x", "initiator": "ceo", "candidates": ["nobody"]},
            context=ContractNetContext(workspace=str(office.root)),
        )
    )
    assert (wrong["status"], "nobody" in wrong["text"]) == ("refused", True)


def test_a_persons_call_is_answered_by_agents_and_awarded_by_a_heartbeat_when_it_is_due(office: Office) -> None:
    due = iso(office.clock() + timedelta(days=2))
    office.do("contract_net_initiate", task_id="CFP-1", task_description=PRICING, candidates=list(ASKED), deadline=due)
    for agent in ASKED[:2]:
        office.cycle(agent)
    office.beat(hours=1)
    assert task(office).status == "open"
    office.beat(days=3)
    found = task(office)
    best = max(found.proposals, key=lambda bid: (bid.confidence, bid.agent_id))
    assert (found.initiator, found.status, found.awarded_to) == ("stakeholder", "awarded", best.agent_id)
    office.beat(hours=1)
    assert told(office, found.awarded_to).count("ACCEPT") == 1
