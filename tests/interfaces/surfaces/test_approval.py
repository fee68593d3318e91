"""One approval: a person answers in LangGraph, and the gate takes this answer; nobody is asked a second time."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from examples.one_approval import converse
from mabos.interfaces.facade import Workspace
from mabos.interfaces.surfaces.approval import PersonApproves
from mabos.interfaces.surfaces.langchain import approved_by, langchain_tools
from tests.examples.test_company_tools import Scripted
from tests.world import WORDS_ALONE, World

BIG = {"name": "Big", "channel": "search", "segment": "all", "weekly_budget_usd": 2000, "weeks": 4}
THREAD: Any = {"configurable": {"thread_id": "one", "person": "Ben Cho"}}
YES = {"type": "approve"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path / "workspace", settings=WORDS_ALONE) as opened:
        yield opened


def ordering(*calls: dict[str, Any]) -> Scripted:
    """Return a model that makes calls side by side, and then says that it is over."""
    uses = [{"id": f"call-{at}", "name": "ad_campaign_create", "args": one} for at, one in enumerate(calls)]
    return Scripted(script=[AIMessage("", tool_calls=uses), AIMessage("It is over.")])


def agent_of(world: World, model: Scripted, saver: InMemorySaver, **how: Any) -> Any:
    cmo = Workspace(world.services).agent("cmo")
    tools = langchain_tools(cmo, ["ad_campaign_create"])
    return create_agent(model, tools, middleware=[PersonApproves(cmo, tools, **how)], checkpointer=saver)


def ask(agent: Any) -> list[Any]:
    """Start a conversation, and return what it waits for."""
    agent.invoke({"messages": [HumanMessage("Start them.")]}, THREAD)
    return list(agent.get_state(THREAD).interrupts)


def answered(agent: Any, *answers: dict[str, Any]) -> list[ToolMessage]:
    """Answer all that waits, and return what the calls came to."""
    waits = agent.get_state(THREAD).interrupts
    given = {one.id: answer for one, answer in zip(waits, answers, strict=True)}
    messages = agent.invoke(Command(resume=given), THREAD)["messages"]
    return [one for one in messages if isinstance(one, ToolMessage)]


def booked(world: World) -> list[tuple[str, float]]:
    return [(one.name, one.weekly_budget_usd) for one in world.business.campaigns.all()]


def decided(world: World) -> list[tuple[str, str]]:
    return [(one.status, one.resolved_by) for one in world.services.decisions().all()]


def test_a_person_is_asked_once_and_the_ledger_says_who_approved(world: World) -> None:
    agent = agent_of(world, ordering(BIG), InMemorySaver(), by="Ana Ruiz")
    (asked,) = ask(agent)
    (decision,) = world.questions()
    assert decision.id in asked.value["description"]
    assert asked.value["args"] == BIG
    assert booked(world) == []
    (result,) = answered(agent, YES)
    assert result.artifact["ok"], result.content
    assert booked(world) == [("Big", 2000)]
    assert (decided(world), world.questions()) == ([("approved", "Ana Ruiz")], [])
    entries = [
        one.body for one in world.services.ledger.entries("stakeholder") if one.body.get("tool") == "decision_resolve"
    ]
    assert [(one["arguments"]["by"], one["by"]) for one in entries] == [("Ana Ruiz", "person")]
    world.cycle("cmo")
    assert booked(world) == [("Big", 2000)], "an approval is used once"


def test_the_answer_comes_days_later_and_after_a_restart(world: World) -> None:
    saver = InMemorySaver()
    ask(agent_of(world, ordering(BIG), saver))
    world.later(days=3)
    world.restart()
    later = agent_of(world, Scripted(script=[AIMessage("It is over.")]), saver)
    assert answered(later, YES)[0].artifact["ok"]
    assert booked(world) == [("Big", 2000)]
    assert decided(world) == [("approved", "Ben Cho")], "the run says who resumes it"


def test_what_the_gate_allows_is_not_asked_and_a_refusal_is_on_record(world: World) -> None:
    small = {**BIG, "name": "Small", "weekly_budget_usd": 50, "weeks": 2}
    agent = agent_of(world, ordering(small, BIG), InMemorySaver(), by="Ana Ruiz")
    (asked,) = ask(agent)
    assert asked.value["args"]["name"] == "Big"
    answered(agent, {"type": "reject", "message": "Too dear."})
    assert booked(world) == [("Small", 50)]
    (decision,) = world.services.decisions().all()
    assert (decision.status, decision.resolved_by) == ("rejected", "Ana Ruiz")
    assert "Too dear." in decision.feedback


@pytest.mark.parametrize("edited", [{**BIG, "weekly_budget_usd": 1500}, {**BIG, "name": "Other"}])
def test_a_changed_call_is_performed_as_changed_and_the_first_never(world: World, edited: dict[str, Any]) -> None:
    agent = agent_of(world, ordering(BIG), InMemorySaver(), by="Ana Ruiz")
    ask(agent)
    answered(agent, {"type": "edit", "edited_action": {"name": "ad_campaign_create", "args": edited}})
    assert booked(world) == [(edited["name"], edited["weekly_budget_usd"])]
    world.cycle("cmo")
    assert len(booked(world)) == 1
    assert decided(world) == [("modified", "Ana Ruiz")]


def test_an_answer_given_elsewhere_counts_and_is_not_asked_for_again(world: World) -> None:
    agent = agent_of(world, ordering(BIG), InMemorySaver())
    ask(agent)
    world.answer("reject", feedback="No.")
    (result,) = answered(agent, YES)
    assert result.status == "error"
    assert booked(world) == []


def test_without_waiting_it_is_the_same(world: World) -> None:
    agent = agent_of(world, ordering(BIG), InMemorySaver(), by="Ana Ruiz")

    async def talk() -> None:
        await agent.ainvoke({"messages": [HumanMessage("Start it.")]}, THREAD)
        (asked,) = (await agent.aget_state(THREAD)).interrupts
        await agent.ainvoke(Command(resume={asked.id: YES}), THREAD)

    asyncio.run(talk())
    assert booked(world) == [("Big", 2000)]
    assert decided(world) == [("approved", "Ana Ruiz")]


def test_a_graph_that_asks_by_itself_is_not_asked_again_and_only_about_this_call(world: World) -> None:
    (tool,) = langchain_tools(Workspace(world.services).agent("cmo"), ["ad_campaign_create"])
    call = {"type": "tool_call", "id": "1", "name": tool.name, "args": BIG}
    other = {**call, "id": "2", "args": {**BIG, "name": "Unseen", "segment": "smb"}}

    def work(state: MessagesState) -> dict[str, Any]:
        with approved_by(interrupt({"call": call})["by"], call):
            return {"messages": [tool.invoke(call), tool.invoke(other)]}

    graph = StateGraph(MessagesState)
    graph.add_node("work", work)
    graph.add_edge(START, "work")
    agent = graph.compile(checkpointer=InMemorySaver())
    agent.invoke({"messages": []}, THREAD)
    agent.invoke(Command(resume={"by": "Ana Ruiz"}), THREAD)
    assert booked(world) == [("Big", 2000)]
    assert [one.action["arguments"]["name"] for one in world.questions() if one.action] == ["Unseen"]


def test_the_example_goes_on_with_an_answer_of_another_day(tmp_path: Path) -> None:
    root = tmp_path / "workspace"
    with World(root, settings=WORDS_ALONE):
        pass
    model, who = ordering(BIG), (str(root), "cmo", "Ana Ruiz")
    assert converse(*who, "Start it.", model=model, decide=lambda _: None) == "It waits for you."
    assert converse(*who, "", model=model, decide=lambda _: YES) == "It is over."
    with World(root, template="", settings=WORDS_ALONE) as world:
        assert booked(world) == [("Big", 2000)]
        assert decided(world) == [("approved", "Ana Ruiz")]
