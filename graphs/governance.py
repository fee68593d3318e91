"""A human decision: request, wait, and record (S3 section 10). One thread per decision.

    START -> request -> gate -> record -> END

The gate is only an interrupt, so running it again has no effect. A decision is requested again if it was deferred,
could not be recorded, or does not fit the form, but not if it was answered elsewhere. The record alone is the truth:
`mabos studio` makes threads from pending records, and losing a thread loses nothing.
"""

from langgraph.graph import END, START, StateGraph

from mabos.nodes.governance import (
    GovernanceContext,
    GovernanceInput,
    GovernanceOutput,
    GovernanceState,
    gate,
    record,
    request,
    route_answer,
    route_question,
    route_result,
)


def build() -> StateGraph[GovernanceState, GovernanceContext, GovernanceInput, GovernanceOutput]:
    """Return the machine, uncompiled."""
    machine = StateGraph(
        GovernanceState, context_schema=GovernanceContext, input_schema=GovernanceInput, output_schema=GovernanceOutput
    )
    machine.add_node("request", request, metadata={"description": "Read the record and say what is asked."})
    machine.add_node("gate", gate, metadata={"description": "Wait for a person."})
    machine.add_node("record", record, metadata={"description": "Put the answer on the record, if it is still open."})
    machine.add_edge(START, "request")
    machine.add_conditional_edges("request", route_question, ["gate", END])
    machine.add_conditional_edges("gate", route_answer, ["record", "request"])
    machine.add_conditional_edges("record", route_result, ["request", END])
    return machine
