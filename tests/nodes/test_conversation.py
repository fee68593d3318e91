"""The messages of a cycle's state: heard once and whole, kept small, and answered in the same place."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from mabos.nodes.conversation import recent
from mabos.nodes.open_workspaces import OPEN
from tests.world import World

ORDER = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path / "workspace") as made:
        made.agent("cmo").want_nothing()
        yield made


def chatted(world: World, *messages: Any) -> list[Any]:
    """Return the messages of the state after a run with these, as a chat page starts one."""
    world.cycle("ceo")  # makes the machine
    home = OPEN.find(world.root)
    config: Any = {"configurable": {"thread_id": "page"}}
    context = {"workspace": str(world.root), "agent_id": "cmo"}
    values = home.machines["bdi"].invoke({"messages": list(messages)}, config, context=context)
    return list(values["messages"])


def test_a_chat_page_is_answered_in_the_messages(world: World) -> None:
    _, answer = chatted(world, {"role": "user", "content": ORDER})
    (made,) = world.business.campaigns.all()
    assert (answer["type"], made.id in answer["content"]) == ("ai", True)
    again = chatted(world, HumanMessage([{"type": "text", "text": "No, make it 80."}]))
    assert [one["type"] for one in again] == ["human", "ai", "human", "ai"]
    assert {one.weekly_budget_usd for one in world.business.campaigns.all() if one.status != "stopped"} == {80}


def test_what_was_heard_is_not_heard_again_by_a_cycle_without_a_message(world: World) -> None:
    chatted(world, {"role": "user", "content": ORDER})
    chatted(world)
    assert [one.content for one in world.agent("cmo").messages("stakeholder")] == [ORDER]


def test_a_long_message_is_heard_whole_and_the_state_stays_small(world: World) -> None:
    text = f"{'For your information, nothing else changes. ' * 400}What is our runway?"
    messages = chatted(world, {"role": "user", "content": text})
    assert [one.content for one in world.agent("cmo").messages("stakeholder")] == [text]
    for _ in range(3):
        messages = chatted(world, {"role": "user", "content": text})
    assert len(json.dumps(messages)) < 8_000
    assert messages[-1]["type"] == "ai"


def test_the_newest_messages_are_kept_and_an_id_has_one_place() -> None:
    lines = recent([], [{"type": "ai", "content": "x" * 900, "id": str(number)} for number in range(20)])
    assert [one["id"] for one in lines] == ["14", "15", "16", "17", "18", "19"]
    changed = recent(lines, {"type": "ai", "content": "y", "id": "15"})
    assert [one["content"][0] for one in changed] == ["x", "y", "x", "x", "x", "x"]
