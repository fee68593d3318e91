"""Archive finished tasks as business knowledge: find them, read each one, and report (S4).

START -> find -> archive (each task) -> conclude -> END
"""

from langgraph.graph import END, START, StateGraph

from mabos.nodes.archiving import (
    ArchiveContext,
    ArchiveInput,
    ArchiveOutput,
    ArchiveState,
    Due,
    archive,
    conclude,
    find,
    to_tasks,
)


def build() -> StateGraph[ArchiveState, ArchiveContext, ArchiveInput, ArchiveOutput]:
    """Return the machine, uncompiled."""
    machine = StateGraph(
        ArchiveState, context_schema=ArchiveContext, input_schema=ArchiveInput, output_schema=ArchiveOutput
    )
    machine.add_node("find", find, metadata={"description": "Find the tasks that are over and not archived."})
    machine.add_node("archive", archive, input_schema=Due, metadata={"description": "Make knowledge of one task."})
    machine.add_node("conclude", conclude, metadata={"description": "One row a task, in the order they ended."})
    machine.add_edge(START, "find")
    machine.add_conditional_edges("find", to_tasks, ["archive", "conclude"])
    machine.add_edge("archive", "conclude")
    machine.add_edge("conclude", END)
    return machine
