"""Model calls at the gate: values that no person gave go to the owner, with the exact action."""

from mabos.society.governance import ApprovalVerdict
from mabos.tools.gate.tool_call import ToolCall
from mabos.tools.work.grounding import ground
from mabos.tools.work.mandate import INSISTS, trusted_results
from mabos.tools.work.session import parent_of
from mabos.tools.work.spoken import spoken_by_person


def unspoken(call: ToolCall) -> ApprovalVerdict | None:
    """Return the verdict that the owner must decide on a model's ungrounded values; None for any other call.

    Only calls that cost, publish, leave the company or cannot be undone are checked.
    """
    agent, tool = call.agent, call.tool
    goal_id = call.because.get("goal", "")
    if not goal_id or agent.caller.kind == "person" or call.is_draft or "governance" in agent.services.without:
        return None
    goal = next((one for one in agent.mind.goals if one.id == goal_id), None)
    request = agent.requests.find(goal.request_id) if goal is not None and goal.request_id else None
    if request is None or not parent_of(request):
        return None
    if insists := str(request.data.get(INSISTS, "")):
        return ApprovalVerdict(True, (insists,), "grounding")
    is_outward = tool.external or call.cost > 0 or not tool.reversible
    if not is_outward or (tool.exempts is not None and tool.exempts(call.arguments)):
        return None
    missing = ground(agent, request, spoken_by_person(agent, request), known=trusted_results(agent, request)).missing
    return ApprovalVerdict(True, (f"not in what you said: {'; '.join(missing)}",), "grounding") if missing else None
