"""The archive on the agent bus: what a task taught is found again, walked, and compared (S4)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from mabos.tools.gate.call import call
from mabos.tools.history.archiving import archive_due, due
from mabos.tools.runtime.services import Caller
from tests.tools.test_ledger import GROWTH
from tests.world import NOON, Member


def archived(cfo: Member, **more: Any) -> tuple[str, dict[str, Any]]:
    task_id = cfo.do("ldg:task:save", task=GROWTH | more)["taskId"]
    return task_id, cfo.do("mem:archive", taskId=task_id)


def test_the_full_flow_of_the_document_from_ledger_to_graph(cfo: Member) -> None:
    for thing in ("door", "gate", "wall"):
        asked = {"role": "user", "content": f"How is the {thing} painted?"}
        archived(cfo, systemPrompt=f"Paint the {thing}", messages=[asked, GROWTH["messages"][1] | {"content": "Red."}])
    task_id, answer = archived(cfo)
    assert answer["success"] is True
    assert min(answer["nodesCreated"], answer["edgesCreated"]) > 0
    assert answer["extractedBy"] == "rule"
    nodes = cfo.do("mem:retrieve", query="how to calculate our growth", nodeTypes=["question"])["nodes"]
    assert nodes[0]["content"] == "How is growth calculated?"
    assert nodes[0]["relevance"] >= 0.7
    assert nodes[0]["source"] == {"taskId": task_id, "timestamp": NOON.timestamp() * 1000}
    assert nodes[0]["metadata"] == {"extractedBy": "rule", "confidence": 1.0}
    (step, *_) = cfo.do("mem:retrieve", query="growth", minRelevance=0.0, nodeTypes=["procedure"])["nodes"]
    assert step["context"] == ["How is growth calculated?"]
    start = {"startNodeIds": [nodes[0]["id"]], "maxDepth": 1}
    (edge,) = (walked := cfo.do("mem:graph", **start))["edges"]
    assert (edge["type"], edge["from"], edge["weight"]) == ("answered_by", nodes[0]["id"], 1.0)
    assert edge["metadata"]["createdBy"] == "rule"
    assert cfo.do("mem:graph", **start, strategy="dfs")["edges"] == walked["edges"]
    assert cfo.do("mem:graph", **start, edgeTypes=["contradicts"])["edges"] == []
    assert {one["content"] for one in walked["nodes"]} == {one["content"] for one in GROWTH["messages"]}
    assert all(one["source"] == nodes[0]["source"] for one in walked["nodes"])


def test_archiving_again_adds_nothing(cfo: Member) -> None:
    task_id, _ = archived(cfo)
    before = cfo.services.business().archive.store.seq
    again = cfo.do("mem:archive", taskId=task_id)
    assert (again["nodesCreated"], again["edgesCreated"]) == (0, 0)
    assert cfo.services.business().archive.store.seq == before


def test_types_and_relevance_really_filter_and_an_empty_answer_says_why(cfo: Member) -> None:
    assert "archived" in cfo.do("mem:retrieve", query="growth")["why"]
    archived(cfo)
    found = cfo.do("mem:retrieve", query="growth", minRelevance=0.0, nodeTypes=["procedure"])
    assert {one["type"] for one in found["nodes"]} == {"procedure"}
    asked = {"query": "How is growth?", "minRelevance": 0.0}
    assert [len(cfo.do("mem:retrieve", **asked, limit=one)["nodes"]) for one in (1, 2)] == [1, 2]
    none = cfo.do("mem:retrieve", query="the weather in Lisbon", minRelevance=0.9)
    assert none["nodes"] == []
    assert "below the 0.9" in none["why"]


def test_related_tasks_share_nodes(cfo: Member) -> None:
    first, _ = archived(cfo)
    other = {"systemPrompt": "Paint the door", "messages": [{"role": "assistant", "content": "The door is red now."}]}
    third = cfo.do("ldg:task:save", task=other)["taskId"]
    second, _ = archived(cfo, systemPrompt="Analyse sales again")
    assert "mem:archive" in cfo.do("mem:related", taskId=third)["why"]
    cfo.do("mem:archive", taskId=third)
    tasks = cfo.do("mem:related", taskId=first)["tasks"]
    assert [one["taskId"] for one in tasks] == [second, third]
    assert tasks[0]["sharedNodes"] > 0
    assert tasks[0]["similarity"] > tasks[1]["similarity"]


def test_what_is_over_is_due_once_and_a_task_that_goes_on_is_not(cfo: Member) -> None:
    services = cfo.services
    over = cfo.do("ldg:task:save", task=GROWTH)["taskId"]
    cfo.do("ldg:task:save", task={"systemPrompt": "Still at it"})
    assert [one.id for one in due(services, services.business())] == [over]
    found = archive_due(services, "acme")
    assert list(found.taken) == [over]
    assert not found.refused
    assert archive_due(services, "acme").taken == {}
    assert due(services, services.business()) == []


def test_archiving_can_be_switched_off(cfo: Member) -> None:
    cfo.do("ldg:task:save", task=GROWTH)
    settings = cfo.services.settings
    never = settings.archive.model_copy(update={"enabled": False})
    services = replace(cfo.services, settings=settings.model_copy(update={"archive": never}))
    assert archive_due(services, "acme").taken == {}
    assert archive_due(cfo.services, "acme").taken


def test_unknown_nodes_are_named_and_too_deep_a_walk_is_refused(cfo: Member) -> None:
    archived(cfo)
    assert cfo.do("mem:graph", startNodeIds=["KN-0"]) == {"nodes": [], "edges": [], "unknown": ["KN-0"]}
    assert cfo.refused("mem:graph", startNodeIds=["KN-0"], maxDepth=99) == ("invalid_argument", "maxDepth")
    assert cfo.refused("mem:graph", startNodeIds=["KN-0"], edgeTypes=["`]->()"])[0] == "invalid_argument"


def test_an_agent_archives_only_what_its_own_business_did(cfo: Member) -> None:
    cfo.services.ledger.append("stranger", "task", {"intention": "TASK-1", "systemPrompt": "Secret"}, at="2026-02-24")
    answer = call(cfo.services, "mem:archive", {"taskId": "TASK-1"}, caller=Caller("agent", "ceo")).as_json()
    assert answer["ok"] is False


def test_nobody_makes_what_one_business_did_the_knowledge_of_another(cfo: Member, tmp_path: Path) -> None:
    """A person in the name of an agent may read every task, and would spread it by one wrong name."""
    folder, agent = tmp_path / "businesses" / "beta", tmp_path / "agents" / "beta-ceo"
    folder.mkdir()
    manifest = {"id": "beta", "name": "Beta", "template": "saas", "agents": {"ceo": "beta-ceo"}}
    (folder / "business.json").write_bytes(orjson.dumps(manifest | {"created": "2026-01-01T00:00:00.000Z"}))
    agent.mkdir()
    (agent / "agent.json").write_bytes(orjson.dumps({"id": "beta-ceo", "business_id": "beta", "role": "ceo"}))
    task_id = cfo.do("ldg:task:save", task=GROWTH)["taskId"]
    cfo.services.ledger.append("cfo", "learn", {"ended": {}}, at="2026-02-24", cycle="C-1")
    for name, given in (
        ("mem:archive", {"taskId": task_id}),
        ("knowledge", {"action": "extract_from_session", "session_id": "C-1"}),
    ):
        answer = call(cfo.services, name, given, agent_id="beta-ceo")
        assert "is of the business 'acme'" in answer.message
        assert "'agent_id'" in call(cfo.services, name, given).message
        assert cfo.call(name, given).ok
    assert not (folder / "archive.json").exists()
    assert not (folder / "graph.jsonl").exists()
