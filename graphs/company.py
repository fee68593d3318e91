"""A round of a company: nine agents think in parallel, act in seat order, learn in parallel; the week is settled.

    START -> convene -> think (each agent) -> act -> learn (each agent) -> settle -> END
                     -> script (in a simulation that compares the agents with one) -> settle

Thinking and learning touch only an agent's own mind. `act` and `settle` write shared data, one agent after the other.
Messages of a round are read in the next.
"""

from langgraph.graph import END, START, StateGraph

from mabos.nodes.company.round import act, convene, learn, script, settle, think, to_learn, to_think
from mabos.nodes.company.state import CompanyContext, CompanyInput, CompanyOutput, CompanyState, Seat, SeatTurn


def build() -> StateGraph[CompanyState, CompanyContext, CompanyInput, CompanyOutput]:
    """Return the machine, uncompiled."""
    machine = StateGraph(
        CompanyState, context_schema=CompanyContext, input_schema=CompanyInput, output_schema=CompanyOutput
    )
    machine.add_node(
        "convene", convene, metadata={"description": "Open the round: clock, answers of the owner, seats."}
    )
    machine.add_node(
        "think", think, input_schema=Seat, metadata={"description": "One agent perceives, deliberates and plans."}
    )
    machine.add_node("script", script, metadata={"description": "A scripted policy does what it does this week."})
    machine.add_node("act", act, metadata={"description": "The agents act, one after the other in seat order."})
    machine.add_node(
        "learn", learn, input_schema=SeatTurn, metadata={"description": "One agent keeps what its turn has taught it."}
    )
    machine.add_node("settle", settle, metadata={"description": "The market moves a week and shows what may be seen."})
    machine.add_edge(START, "convene")
    machine.add_conditional_edges("convene", to_think, ["think", "script", "settle"])
    machine.add_edge("script", "settle")
    machine.add_edge("think", "act")
    machine.add_conditional_edges("act", to_learn, ["learn"])
    machine.add_edge("learn", "settle")
    machine.add_edge("settle", END)
    return machine
