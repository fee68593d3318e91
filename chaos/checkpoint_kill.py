"""A machine of three steps that kills its process in the second: `python -m chaos.checkpoint_kill FOLDER DATABASE`.

The first step records its execution in a file, so that a repetition shows.
"""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from mabos.configs.settings import CheckpointSettings
from mabos.graphs.checkpoint_places import checkpoints_of
from mabos.workspace.names import Layout

THREAD: RunnableConfig = {"configurable": {"thread_id": "one"}}


class Steps(TypedDict, total=False):
    """The machine's record of its steps."""

    first: str
    second: str


def machine(folder: Path, database: str, *, deadly: bool) -> Any:
    """Return the machine with a workspace's checkpoints."""

    def first(state: Steps) -> Steps:  # a node is called by this name
        with (folder / "done").open("a") as done:
            done.write("first\n")
        return {"first": "done"}

    def second(state: Steps) -> Steps:
        if deadly:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"second": "done"}

    steps: Any = StateGraph(Steps)
    steps.add_node("one", first)
    steps.add_node("two", second)
    steps.add_edge(START, "one")
    steps.add_edge("one", "two")
    steps.add_edge("two", END)
    saver = checkpoints_of(Layout(folder), CheckpointSettings(keep=50, database=database))
    return steps.compile(checkpointer=saver)


if __name__ == "__main__":
    machine(Path(sys.argv[1]), sys.argv[2], deadly=True).invoke({}, THREAD, durability="sync")
