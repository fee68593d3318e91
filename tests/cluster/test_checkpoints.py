"""Graph checkpoints keep the same promises in the workspace's file and in Postgres."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from chaos.checkpoint_kill import THREAD, machine
from mabos.configs.settings import CheckpointSettings
from mabos.graphs.checkpoint_places import ServerOrFile, checkpoints_of
from mabos.graphs.checkpoints import Checkpoints
from mabos.workspace.names import Layout

Saver = Checkpoints | ServerOrFile
Opener = Callable[[Path], Saver]
KEEP = 5


class Asked(TypedDict, total=False):
    """How often something was done, what was answered, and a list that is replaced."""

    times: int
    answer: str
    rows: list[int]


@pytest.fixture(params=["file", "postgres"])
def database(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue("postgres")) if request.param == "postgres" else ""


@pytest.fixture
def opener(database: str) -> Iterator[Opener]:
    """Return what opens the checkpoints of a workspace; all of them are closed."""
    opened: list[Saver] = []

    def open_once(root: Path) -> Saver:
        opened.append(checkpoints_of(Layout(root), CheckpointSettings(keep=KEEP, database=database)))
        return opened[-1]

    yield open_once
    for one in opened:
        one.close()


def counting(saver: Saver, *, asks: bool = False) -> Any:
    """Return a machine that counts, and one that `asks` waits for an answer then, and writes it down."""
    steps: Any = StateGraph(Asked)
    steps.add_node("count", lambda state: {"times": state.get("times", 0) + 1, "rows": [state.get("times", 0)] * 3})
    steps.add_edge(START, "count")
    if asks:
        steps.add_node("ask", lambda _: {"answer": interrupt("how many?")})
        steps.add_edge("count", "ask")
    return steps.compile(checkpointer=saver)


def asking(saver: Saver) -> Any:
    return counting(saver, asks=True)


def test_a_machine_whose_process_was_killed_goes_on_after_the_step_that_was_done(
    tmp_path: Path, database: str, root: Path
) -> None:
    command = [sys.executable, "-m", "chaos.checkpoint_kill", str(tmp_path), database]
    killed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    graph = machine(tmp_path, database, deadly=False)
    assert graph.get_state(THREAD).next == ("two",)
    assert graph.invoke(None, THREAD) == {"first": "done", "second": "done"}
    assert (tmp_path / "done").read_text() == "first\n"
    graph.checkpointer.close()


def test_who_waits_at_a_gate_is_answered_after_everything_was_closed(tmp_path: Path, opener: Opener) -> None:
    waiting = opener(tmp_path)
    asking(waiting).invoke({}, THREAD, durability="exit")
    waiting.close()
    graph = asking(opener(tmp_path))
    (gate,) = graph.get_state(THREAD).interrupts
    assert gate.value == "how many?"
    assert graph.invoke(Command(resume={gate.id: "two"}), THREAD)["answer"] == "two"
    assert graph.get_state(THREAD).next == ()


def test_a_thread_is_forked_before_a_step_and_both_ways_stay(tmp_path: Path, opener: Opener) -> None:
    graph = asking(opener(tmp_path))
    graph.invoke({}, THREAD, durability="sync")
    graph.invoke(Command(resume="two"), THREAD, durability="sync")
    before = next(state for state in graph.get_state_history(THREAD) if state.next == ("ask",))
    forked = graph.update_state(before.config, {"times": 7})
    graph.invoke(None, forked)
    assert graph.invoke(Command(resume="three"), THREAD) == {"times": 7, "answer": "three", "rows": [0, 0, 0]}
    told = [state.values.get("answer") for state in graph.get_state_history(THREAD) if not state.next]
    assert told == ["three", "two"]


def test_the_history_of_a_thread_is_told_newest_first_up_to_a_limit(tmp_path: Path, opener: Opener) -> None:
    graph = counting(opener(tmp_path))
    for _ in range(4):
        graph.invoke({}, THREAD, durability="exit")
    assert [state.values["times"] for state in graph.get_state_history(THREAD, limit=3)] == [4, 3, 2]
    assert graph.get_state(THREAD).values["rows"] == [3, 3, 3]


def test_only_the_last_checkpoints_of_a_thread_are_kept_whole(tmp_path: Path, opener: Opener) -> None:
    graph = counting(opener(tmp_path))
    other: RunnableConfig = {"configurable": {"thread_id": "two"}}
    graph.invoke({}, other, durability="exit")
    for _ in range(40):
        graph.invoke({}, THREAD, durability="exit")
    kept = list(graph.get_state_history(THREAD))
    assert KEEP <= len(kept) <= KEEP + 11
    assert [state.values["rows"] for state in kept] == [[number] * 3 for number in range(39, 39 - len(kept), -1)]
    assert len(list(graph.get_state_history(other))) == 1


def test_a_thread_that_is_deleted_is_gone_and_its_neighbour_is_not(tmp_path: Path, opener: Opener) -> None:
    saver = opener(tmp_path)
    graph = counting(saver)
    other: RunnableConfig = {"configurable": {"thread_id": "two"}}
    for config in (THREAD, other):
        graph.invoke({}, config, durability="exit")
    saver.delete_thread("one")
    assert graph.get_state(THREAD).values == {}
    assert graph.get_state(other).values["times"] == 1


def test_two_workspaces_see_nothing_of_each_other(tmp_path: Path, opener: Opener) -> None:
    one, two = counting(opener(tmp_path / "one")), counting(opener(tmp_path / "two"))
    one.invoke({}, THREAD, durability="exit")
    assert two.get_state(THREAD).values == {}
    two.invoke({}, THREAD, durability="exit")
    one.invoke({}, THREAD, durability="exit")
    assert (one.get_state(THREAD).values["times"], two.get_state(THREAD).values["times"]) == (2, 1)
