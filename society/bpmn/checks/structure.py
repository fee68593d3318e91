"""The five checks of S3 14.3: orphans, dead ends, unreachable elements, mismatched gateways, unassigned tasks."""

from collections.abc import Iterable, Iterator, Mapping

from mabos.society.bpmn.checks.finding import WorkflowFinding
from mabos.society.bpmn.model import ACTIVITIES, TASKS, FlowNode, WorkflowModel


def structure(model: WorkflowModel) -> list[WorkflowFinding]:
    """Return the errors in the connections of the elements."""
    found: list[WorkflowFinding] = []
    for scope, nodes in model.members.items():
        found += _find_orphans(model, nodes)
        found += _not_reached(model, scope, nodes)
        found += _no_way_out(model, nodes)
    if not model.is_large:
        found += _find_unjoined_splits(model)
    found += _nobodys(model)
    return found


def _find_orphans(model: WorkflowModel, nodes: Iterable[FlowNode]) -> Iterator[WorkflowFinding]:
    for node in nodes:
        if _stands_alone(model, node):
            message = f"{node.label!r} is connected with nothing"
            yield WorkflowFinding("orphan", node.id, message, "connect it with bpmn_connect, or remove it")


def _stands_alone(model: WorkflowModel, node: FlowNode) -> bool:
    """Return whether a node has no flow and needs one."""
    if node.incoming or node.outgoing or node.by_event or node.for_compensation or model.is_ad_hoc(node.scope):
        return False
    if node.has("compensate"):
        return False
    return not (node.type in ACTIVITIES and len(model.members[node.scope]) == 1)


def _not_reached(model: WorkflowModel, scope: str, nodes: Iterable[FlowNode]) -> Iterator[WorkflowFinding]:
    inside = {node.id: node for node in nodes}
    starts = [one for one in inside.values() if one.type == "startEvent" or one.ends_link or one.by_event]
    if not any(one.type == "startEvent" for one in starts):
        return
    starts += [one for one in inside.values() if one.for_compensation]
    reached = _find_reachable(starts, {node: _next(model, inside[node]) for node in inside})
    for node in inside.values():
        if node.id not in reached and (node.incoming or node.outgoing) and not model.is_ad_hoc(node.scope):
            where = "the start event" if scope in model.processes else "the start of its sub-process"
            yield WorkflowFinding(
                "unreachable", node.id, f"{node.label!r} cannot be reached from {where}", "lead a flow to it"
            )


def _no_way_out(model: WorkflowModel, nodes: Iterable[FlowNode]) -> Iterator[WorkflowFinding]:
    inside = {node.id: node for node in nodes}
    ends = [one for one in inside.values() if one.type == "endEvent" or one.begins_link]
    if not ends:
        return
    before: dict[str, list[str]] = {node: [] for node in inside}
    for node in inside.values():
        for target in _next(model, node):
            before[target].append(node.id)
    leading = _find_reachable(
        [*ends, *(one for one in inside.values() if one.by_event or one.for_compensation)], before
    )
    for node in inside.values():
        is_free = node.has("compensate") or model.is_ad_hoc(node.scope)
        if node.id not in leading and (node.incoming or node.outgoing) and not is_free:
            message = f"no way leads from {node.label!r} to an end event"
            yield WorkflowFinding("dead-end", node.id, message, "connect it with an end event")


def _next(model: WorkflowModel, node: FlowNode) -> list[str]:
    """Return where a token can be after a node: behind its flows, and at the events that are attached to it."""
    return [model.flows[one].target for one in node.outgoing] + [one.id for one in model.boundaries.get(node.id, ())]


def _find_reachable(starts: Iterable[FlowNode], after: Mapping[str, Iterable[str]]) -> set[str]:
    seen, left = set[str](), [node.id for node in starts]
    while left:
        node = left.pop()
        if node not in seen:
            seen.add(node)
            left += after[node]
    return seen


def _find_unjoined_splits(model: WorkflowModel) -> Iterator[WorkflowFinding]:
    """Yield the parallel gateways whose branches come together without being joined.

    That is legal BPMN and still an error (S3 14.3): whatever is behind is done once for each branch. Branches that each
    end by themselves need no join.
    """
    for node in model.nodes.values():
        if node.type != "parallelGateway":
            continue
        ways = [model.flows[one].target for one in node.outgoing]
        if len(ways) > 1 and not _meet(model, ways):
            message = (
                f"the branches of {node.label!r} meet and no parallel gateway joins them; the rest is done for each"
            )
            mend = "join them with a parallelGateway, or give each an end event of its own"
            yield WorkflowFinding("gateway-mismatch", node.id, message, mend)


def _meet(model: WorkflowModel, ways: Iterable[str]) -> bool:
    """Return whether branches share a joining gateway, or end each by itself."""
    after = {node.id: _next(model, node) for node in model.nodes.values()}
    reached = [_find_reachable([model.nodes[way]], after) for way in ways]
    common = set.intersection(*reached)
    kinds = ("parallelGateway", "inclusiveGateway", "complexGateway")
    return not common or any(model.nodes[one].type in kinds and len(model.nodes[one].incoming) > 1 for one in common)


def _nobodys(model: WorkflowModel) -> Iterator[WorkflowFinding]:
    for node in model.nodes.values():
        if node.type not in TASKS:
            continue
        lane = model.lanes.get(node.lane)
        owner = node.settings.get("assignee") or (lane and (lane.assignee or lane.name))
        if not owner:
            message = f"nobody is responsible for {node.label!r}"
            yield WorkflowFinding(
                "lane-gap", node.id, message, "put it into a lane with an assignee (bpmn_add_lane)", "warning"
            )


def endless_calls(model: WorkflowModel) -> list[WorkflowFinding]:
    """Return the call activities that lead back to their own process."""
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
