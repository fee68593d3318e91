"""The ledger on the agent bus: tasks, what was said in them, and what was called (S4)."""

from typing import Any

from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Caller
from mabos.workspace.clock import iso
from tests.world import NOON, Member

AT = iso(NOON)
FACT = {"subject": "acme", "predicate": "runway_months", "object": "9", "confidence": 0.9, "source": "bank"}
GROWTH: dict[str, Any] = {
    "systemPrompt": "Analyse sales",
    "completionStatus": "success",
    "messages": [
        {"role": "user", "content": "How is growth calculated?"},
        {"role": "assistant", "content": "Growth is (current - previous) / previous * 100."},
    ],
}


def as_agent(cfo: Member, agent_id: str, tool: str, **arguments: Any) -> dict[str, Any]:
    return call(cfo.services, tool, arguments, caller=Caller("agent", agent_id)).as_json()


def test_a_task_that_was_saved_is_told_with_its_messages(cfo: Member) -> None:
    saved = cfo.do("ldg:task:save", task=GROWTH)
    task = cfo.do("ldg:task:get", taskId=saved["taskId"])["task"]
    assert (task["systemPrompt"], task["completionStatus"], task["agentId"]) == ("Analyse sales", "success", "cfo")
    assert task["createdAt"] == NOON.timestamp() * 1000
    messages = cfo.do("ldg:msg:list", taskId=saved["taskId"])["messages"]
    assert [(one["role"], one["content"]) for one in messages[:2]] == [
        (one["role"], one["content"]) for one in GROWTH["messages"]
    ]


def test_what_was_done_for_an_intention_is_its_conversation(cfo: Member) -> None:
    why = {"goal": "G-1", "intention": "I-1", "plan": "P-1", "step": "a"}
    call(cfo.services, "fact_assert", FACT, agent_id="cfo", key="P-1/1/a/0/x", because=why)
    task = cfo.do("ldg:task:get", taskId="I-1")["task"]
    assert (task["goalId"], task["planId"], task["completionStatus"]) == ("G-1", "P-1", "pending")
    (message,) = cfo.do("ldg:msg:list", taskId="I-1")["messages"]
    assert (message["role"], message["name"]) == ("tool", "fact_assert")
    assert "runway_months" in message["content"]
    (made,) = cfo.do("ldg:call:list", taskId="I-1")["calls"]
    assert (made["tool"], made["ok"], made["why"]) == ("fact_assert", True, why)
    assert cfo.do("ldg:call:list", tool="fact_query")["calls"] == []


def test_calls_of_the_model_are_listed_with_their_tokens(cfo: Member) -> None:
    cfo.services.ledger.append("cfo", "model", {"model": "small", "tag": "percepts", "tokens": 12}, at=AT)
    (made,) = cfo.do("ldg:model:list")["calls"]
    assert (made["model"], made["tokens"]) == ("small", 12)


def test_tasks_are_listed_by_how_they_ended(cfo: Member) -> None:
    done = cfo.do("ldg:task:save", task=GROWTH)["taskId"]
    begun = cfo.do("ldg:task:save", task={"systemPrompt": "Find a price"})["taskId"]
    assert {one["id"] for one in cfo.do("ldg:task:list")["tasks"]} == {done, begun}
    assert [one["id"] for one in cfo.do("ldg:task:list", status="pending")["tasks"]] == [begun]
    assert cfo.refused("ldg:task:get", taskId="I-9") == ("unknown_id", "taskId")


def test_what_cannot_be_asked_for_is_refused_and_not_answered_by_nothing(cfo: Member) -> None:
    assert cfo.refused("ldg:task:list", status="banana") == ("invalid_argument", "status")
    assert cfo.refused("ldg:call:list", taskId="I-9") == ("unknown_id", "taskId")
    assert cfo.refused("ldg:model:list", since="soon") == ("invalid_argument", "since")
    cfo.services.ledger.append("cfo", "model", {"model": "small", "tokens": 12}, at="2026-02-24T12:00:00.000Z")
    assert len(cfo.do("ldg:model:list", since="2026-02-24T13:30:00+02:00")["calls"]) == 1
    assert cfo.do("ldg:model:list", since="2026-02-24T14:30:00+02:00")["calls"] == []


def test_nobody_ends_the_task_of_another(cfo: Member) -> None:
    task_id = cfo.do("ldg:task:save", task=GROWTH)["taskId"]
    answer = as_agent(cfo, "ceo", "ldg:task:save", task=GROWTH | {"id": task_id, "completionStatus": "failed"})
    assert answer["ok"] is False
    cfo.do("ldg:task:save", task=GROWTH | {"id": task_id})


def test_an_agent_sees_the_tasks_of_its_own_business_only(cfo: Member) -> None:
    cfo.services.ledger.append("stranger", "task", {"intention": "TASK-1", "systemPrompt": "Secret"}, at=AT)
    assert [one["id"] for one in cfo.do("ldg:task:list")["tasks"]] == ["TASK-1"]
    assert as_agent(cfo, "ceo", "ldg:task:list") == {"ok": True, "result": {"tasks": []}}
    assert as_agent(cfo, "ceo", "ldg:task:get", taskId="TASK-1")["ok"] is False
    assert as_agent(cfo, "ceo", "ldg:msg:list", taskId="TASK-1")["ok"] is False
