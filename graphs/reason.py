"""Answer a reasoning request: rank the methods that fit, run each, and fuse their answers (S0 section 25).

START -> choose -> solve (each method) -> conclude -> END
"""

from langgraph.graph import END, START, StateGraph

from mabos.nodes.reasoning import (
    MethodRun,
    ReasonContext,
    ReasonInput,
    ReasonOutput,
    ReasonState,
    choose,
    conclude,
    solve,
    to_methods,
)


def build() -> StateGraph[ReasonState, ReasonContext, ReasonInput, ReasonOutput]:
    """Return the machine, uncompiled."""
    machine = StateGraph(
        ReasonState, context_schema=ReasonContext, input_schema=ReasonInput, output_schema=ReasonOutput
    )
    machine.add_node("choose", choose, metadata={"description": "Rank the methods that fit, and choose."})
    machine.add_node("solve", solve, input_schema=MethodRun, metadata={"description": "Run one method."})
    machine.add_node("conclude", conclude, metadata={"description": "Say what the results come to."})
    machine.add_edge(START, "choose")
    machine.add_conditional_edges("choose", to_methods, ["solve"])
    machine.add_edge("solve", "conclude")
    machine.add_edge("conclude", END)
    return machine
