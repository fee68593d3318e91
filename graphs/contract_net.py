"""A call for proposals: announce, collect bids, award, get the result (S3 section 9.3). One thread per call.

    START -> number -> call -> collect -> score -> award -> result -> END
                               |    ^                       |    ^
                               await_bids                   await_result

It waits for bids and for the result at interrupts without effects: resuming the thread makes it check again. Agents bid
in their own cycles. Without this machine, the initiator awards in its own cycle. Both use the same tools under the same
keys, so each is done once. Files and inboxes alone are the truth; losing a thread loses nothing.
"""

from langgraph.graph import END, START, StateGraph

from mabos.nodes import contract_net as steps
from mabos.nodes.contract_net import ContractNetContext, ContractNetInput, ContractNetOutput, ContractNetState


def build() -> StateGraph[ContractNetState, ContractNetContext, ContractNetInput, ContractNetOutput]:
    """Return the machine, uncompiled."""
    machine = StateGraph(
        ContractNetState,
        context_schema=ContractNetContext,
        input_schema=ContractNetInput,
        output_schema=ContractNetOutput,
    )
    machine.add_node("number", steps.number, metadata={"description": "Give a new call its id."})
    machine.add_node("call", steps.call, metadata={"description": "Ask the candidates."})
    machine.add_node("collect", steps.collect, metadata={"description": "Look who has answered how."})
    machine.add_node("await_bids", steps.await_bids, metadata={"description": "Wait for bids."})
    machine.add_node("score", steps.score, metadata={"description": "Rank the bids by the criteria of the call."})
    machine.add_node("award", steps.award, metadata={"description": "Award to the best and tell every bidder."})
    machine.add_node("result", steps.result, metadata={"description": "Look for the winner's word."})
    machine.add_node("await_result", steps.await_result, metadata={"description": "Wait for the winner's word."})
    machine.add_edge(START, "number")
    machine.add_edge("number", "call")
    machine.add_conditional_edges("call", steps.after_call, ["collect", END])
    machine.add_conditional_edges("collect", steps.after_collect, ["await_bids", "score"])
    machine.add_edge("await_bids", "collect")
    machine.add_edge("score", "award")
    machine.add_conditional_edges("award", steps.after_award, ["result", END])
    machine.add_conditional_edges("result", steps.after_result, ["await_result", END])
    machine.add_edge("await_result", "result")
    return machine
