"""The heartbeat: every mind is pruned, re-ranked, cleaned and checked for conflicts (S0 section 10, S3 section 18).

START -> discover -> tend (each agent) -> archive -> inform -> summarise -> END
"""

from langgraph.graph import END, START, StateGraph

from mabos.nodes.maintenance.heartbeat import archive, discover, inform, summarise, tend, to_agents
from mabos.nodes.maintenance.state import (
    MaintenanceContext,
    MaintenanceInput,
    MaintenanceOutput,
    MaintenanceState,
    Patient,
)


def build() -> StateGraph[MaintenanceState, MaintenanceContext, MaintenanceInput, MaintenanceOutput]:
    """Return the machine, uncompiled."""
    machine = StateGraph(
        MaintenanceState,
        context_schema=MaintenanceContext,
        input_schema=MaintenanceInput,
        output_schema=MaintenanceOutput,
    )
    machine.add_node("discover", discover, metadata={"description": "Find the agents of the workspace."})
    machine.add_node(
        "tend",
        tend,
        input_schema=Patient,
        metadata={"description": "Prune intentions, re-rank desires, clean beliefs, report conflicts: one agent."},
    )
    machine.add_node("archive", archive, metadata={"description": "Finished tasks become knowledge of the business."})
    machine.add_node("inform", inform, metadata={"description": "Reports, questions and escalations reach people."})
    machine.add_node("summarise", summarise, metadata={"description": "One row an agent, in seat order."})
    machine.add_edge(START, "discover")
    machine.add_conditional_edges("discover", to_agents, ["tend", "archive"])
    machine.add_edge("tend", "archive")
    machine.add_edge("archive", "inform")
    machine.add_edge("inform", "summarise")
    machine.add_edge("summarise", END)
    return machine
