"""Graph checkpoints: one small row a cycle, pruned, and JSON only."""

from pathlib import Path
from typing import Any
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph

from mabos.graphs.checkpoints import Checkpoints, thread_id
from mabos.nodes.state import BdiState


def counting(saver: Checkpoints) -> Any:
    machine = StateGraph(BdiState)
    machine.add_node("step", lambda _: {"outcome": "x"})
    machine.add_edge(START, "step")
    machine.add_edge("step", END)
    return machine.compile(checkpointer=saver)


def test_only_the_last_checkpoints_of_a_thread_are_kept(tmp_path: Path) -> None:
    saver = Checkpoints(tmp_path / "c.sqlite", keep=5)
    graph = counting(saver)
    config: RunnableConfig = {"configurable": {"thread_id": thread_id(tmp_path, "agent", "cfo")}}
    for _ in range(60):
        graph.invoke({"agent_id": "cfo"}, config, durability="exit")
    assert 5 <= len(list(saver.list(config))) <= 16
    saver.close()


def test_a_thread_is_a_uuid_that_follows_from_workspace_kind_and_name(tmp_path: Path) -> None:
    one = thread_id(tmp_path, "agent", "cfo")
    assert UUID(one).version == 5
    assert one == thread_id(tmp_path, "agent", "cfo")
    assert one != thread_id(tmp_path, "agent", "ceo")
    assert one != thread_id(tmp_path / "other", "agent", "cfo")


def test_damaged_checkpoints_are_put_aside_and_cycles_go_on(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    config: RunnableConfig = {"configurable": {"thread_id": thread_id(tmp_path, "agent", "cfo")}}
    saver = Checkpoints(path)
    counting(saver).invoke({"agent_id": "cfo"}, config, durability="exit")
    saver.close()
    path.write_bytes(b"not a database at all" * 200)
    saver = Checkpoints(path)
    assert counting(saver).invoke({"agent_id": "cfo"}, config, durability="exit") is not None
    assert len(list(saver.list(config))) == 1
    assert path.with_name("c.sqlite.damaged").exists()
    saver.close()
