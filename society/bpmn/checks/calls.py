"""Processes that call each other in a circle: none of them would ever end."""

from collections.abc import Mapping

from mabos.society.bpmn.checks.finding import WorkflowFinding
from mabos.society.bpmn.model import WorkflowModel


def endless_calls(model: WorkflowModel) -> list[WorkflowFinding]:
    """Return the call activities that lead back to the process which they stand in."""
    calls = [node for node in model.nodes.values() if node.type == "callActivity" and node.calls in model.processes]
    called: dict[str, set[str]] = {}
    for node in calls:
        called.setdefault(model.process_of(node.id), set()).add(node.calls)
    return [
        WorkflowFinding(
            "endless-call",
            node.id,
            f"{node.label!r} calls the process {node.calls!r}, which leads back to this call: it would never end",
            "call a process that does not call this one; what is done again needs a loop, or a flow back",
        )
        for node in calls
        if model.process_of(node.id) in _behind(called, node.calls)
    ]


def _behind(called: Mapping[str, set[str]], process: str) -> set[str]:
    """Return a process and all that it calls, however far away."""
    seen, left = set[str](), [process]
    while left:
        one = left.pop()
        if one not in seen:
            seen.add(one)
            left += called.get(one, ())
    return seen
