"""The current speed of this machine relative to the one for which limits in milliseconds are defined.

Whether a limit of five milliseconds is kept depends on the machine as well as the program. So the same reference work
is done before and after every benchmark: a LangGraph graph of five empty nodes, with an in-memory saver. If it takes
one and a half times as long as on the reference machine, so may the measurements in between.
"""

import time
from statistics import median
from typing import Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

REFERENCE_MS = 2.3
"""The time of one run on the machine of the limits: two cores on which, in November 2026, a year of nine agents took 17
s and the bare graph of `bench.cycle` 2.9 ms.
"""
NODES, ROUNDS, BATCHES = 5, 40, 6


class _State(TypedDict):
    text: str


def pace() -> float:
    """Return the ratio of the time for reference work here and now to that on the reference machine.

    It is that of the quickest of several batches, so that a brief load is no excuse.
    """
    graph = _graph()
    return min(_milliseconds(graph) for _ in range(BATCHES)) / REFERENCE_MS


def _graph() -> Any:
    machine = StateGraph(_State)
    names = [f"node{number}" for number in range(NODES)]
    for before, name in zip([START, *names], names, strict=False):
        machine.add_node(name, _passed_on)
        machine.add_edge(before, name)
    machine.add_edge(names[-1], END)
    return machine.compile(checkpointer=InMemorySaver())


def _passed_on(state: _State) -> dict[str, Any]:
    return {"text": state["text"]}


def _milliseconds(graph: Any) -> float:
    spent = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        graph.invoke({"text": "x" * 500}, {"configurable": {"thread_id": "pace"}}, durability="exit")
        spent.append(1000 * (time.perf_counter() - started))
    return median(spent)
