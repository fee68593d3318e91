"""The examples and tests that S4 prints, as printed: questions with the printed defaults, about a task of our own."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.minilm import missing
from tests.world import Member, World

TASK: dict[str, Any] = {
    "systemPrompt": "Analyse the sales of the first quarter",
    "completionStatus": "success",
    "messages": [
        {"role": "user", "content": "How do we find out how sales developed?"},
        {
            "role": "assistant",
            "content": "To analyse sales, compare each quarter with the one before. Q1 2024 sales were $1.2M. "
            "Calculate growth: (current - previous) / previous * 100.",
        },
    ],
}
TEST_TASK = TASK | {
    "systemPrompt": "Test task",
    "messages": [
        {"role": "user", "content": "What is the content of this test task?"},
        {"role": "assistant", "content": "The content of the test task is a short text about testing."},
    ],
}
OTHERS = {
    "Renew the lease": "How is the lease renewed? Write to the landlord by May. Ask for five years.",
    "Paint the door": "How do we paint the door? First sand the wood. Then use two coats of red paint.",
    "Hire a driver": "Who drives the van? Post the job in the paper. Invite three people for a trial.",
}
"""Tasks about something else, each with more pieces than an answer may have that is not about them."""
WEATHER = {"role": "user", "content": "The parking garage in Lisbon is closed on Sundays."}
"""Something that none of the questions is about."""


@pytest.fixture(params=["local", "none"])
def cfo(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Member]:
    if request.param == "local" and missing():
        pytest.skip("the shipped embedder is not installed")
    with World.small(tmp_path, settings={"memory.embeddings": request.param}) as world:
        for goal, said in OTHERS.items():
            told = zip(("user", "assistant"), said.split("? "), strict=True)
            lines = [{"role": role, "content": f"{text}{'?' * (role == 'user')}"} for role, text in told]
            archived(world.agent("cfo"), TASK | {"systemPrompt": goal, "messages": lines})
        yield world.agent("cfo")


def archived(cfo: Member, task: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    task_id = cfo.do("ldg:task:save", task=task)["taskId"]
    return task_id, cfo.do("mem:archive", taskId=task_id)


def test_mem_archive_extracts_knowledge_from_task(cfo: Member) -> None:
    _, result = archived(cfo, TASK)
    assert min(result["nodesCreated"], result["edgesCreated"]) > 0


def test_mem_retrieve_finds_semantically_similar_content(cfo: Member) -> None:
    archived(cfo, TASK)
    archived(cfo, TASK | {"systemPrompt": "Look after the parking garage", "messages": [WEATHER]})
    nodes = cfo.do("mem:retrieve", query="How to analyze sales?", limit=3)["nodes"]
    assert 0 < len(nodes) <= 3
    assert nodes[0]["relevance"] > 0.7
    assert all("sales" in one["content"].lower() for one in nodes)
    other = cfo.do("mem:retrieve", query="How do I colour the entrance?")  # not a word of it is archived
    first = next((one["content"] for one in other["nodes"]), "")
    assert first == {"local": "Paint the door", "none": ""}[cfo.services.settings.memory.embeddings]


def test_full_archiving_flow_from_ledger_to_memory(cfo: Member) -> None:
    archived(cfo, TASK)
    task_id, _ = archived(cfo, TEST_TASK)
    nodes = cfo.do("mem:retrieve", query="test task content")["nodes"]
    assert [one["source"]["taskId"] for one in nodes][:2] == [task_id] * 2
    assert cfo.do("mem:graph", startNodeIds=[nodes[0]["id"]], maxDepth=1)["edges"]


def test_the_printed_questions_are_answered_with_the_printed_defaults(cfo: Member) -> None:
    archived(cfo, TASK)
    nodes = cfo.do("mem:retrieve", query="How to calculate sales growth?", limit=5, nodeTypes=["procedure", "concept"])
    assert "(current - previous) / previous" in " ".join(one["content"] for one in nodes["nodes"])
    step = {"startNodeIds": [next(one["id"] for one in nodes["nodes"] if one["type"] == "procedure")]}
    near, far = (cfo.do("mem:graph", **step, maxDepth=depth)["nodes"] for depth in (1, 2))
    assert {one["depth"] for one in near} < {one["depth"] for one in far}
    starts = cfo.do("mem:retrieve", query="sales analysis methods")["nodes"]
    assert all(re.search("sales|growth|quarter", one["content"]) for one in starts)
    assert cfo.do("mem:graph", startNodeIds=[one["id"] for one in starts], maxDepth=2)["edges"]


def test_what_nothing_archived_is_about_is_not_answered(cfo: Member) -> None:
    archived(cfo, TASK)
    for question in ("Who won the chess tournament?", "Which dog breeds need most exercise?", "weather in Lisbon"):
        found = cfo.do("mem:retrieve", query=question)
        assert found["nodes"] == []
        assert "below the 0.7" in found["why"]
