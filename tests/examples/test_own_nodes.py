"""Nodes of one's own run before and after phases, in any combination, and an unknown phase is refused."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from examples import own_nodes
from mabos import open_workspace
from mabos.configs.errors import InvalidArgument
from mabos.graphs.bdi import PHASES, build
from mabos.nodes.state import BdiState, Context
from tests.world import write_company


def test_the_example_hears_of_the_phases_that_it_asked_for(tmp_path: Path) -> None:
    heard = own_nodes.main(str(tmp_path / "ws"))
    assert "of cfo deliberates" in heard[0]
    assert heard[1:] == ["after act: learn"]


def test_a_node_may_stand_before_and_after_every_phase_and_the_cycle_goes_the_same_way(tmp_path: Path) -> None:
    from mabos.graphs.wiring import hold_services

    seen: list[str] = []

    def noting(name: str, state: BdiState) -> None:
        seen.append(name)

    nodes = [
        {phase: (lambda state, name=f"{when} {phase}": noting(name, state)) for phase in PHASES}
        for when in ("before", "after")
    ]
    machine = build(before=nodes[0], after=nodes[1]).compile()
    with hold_services(write_company(tmp_path)):
        report = machine.invoke({"agent_id": "cfo", "message": "Hello"}, context=Context(workspace=str(tmp_path)))
    assert report["outcome"]
    assert seen[:4] == ["before perceive", "after perceive", "before deliberate", "after deliberate"]
    assert seen[-2:] == ["before learn", "after learn"]


def test_an_unknown_phase_is_refused_by_name() -> None:
    with pytest.raises(InvalidArgument, match="no phase 'think'"):
        build(before={"think": print})


@dataclass
class ShopContext:
    """The context of a graph that was there before."""

    user: str
    mabos: Context


class ShopState(TypedDict, total=False):
    agent_id: str
    message: str
    outcome: str
    note: str


def test_the_machine_is_a_subgraph_of_a_graph_with_its_own_state_and_context(tmp_path: Path) -> None:
    graph = StateGraph(ShopState, context_schema=ShopContext)
    graph.add_node("note", lambda _: {"note": "asked"})
    graph.add_node("bdi", build().compile())
    graph.add_edge(START, "note")
    graph.add_edge("note", "bdi")
    with open_workspace(tmp_path) as workspace:
        workspace.create_agent("scout", role={"title": "Scout", "autonomy": "full"})
        asked: ShopState = {"agent_id": "scout", "message": "Remember: Globex asks 40 dollars"}
        context = ShopContext("ana", Context(workspace=str(tmp_path)))
        state = graph.compile().invoke(asked, context=context)
        assert (state["note"], state["outcome"]) == ("asked", "acted")
        assert "Globex" in workspace.agent("scout").memory.recall("Globex")[0].content
