"""Which flows a token takes from a node."""

from collections.abc import Mapping, Sequence
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.society.bpmn.engine.expressions import holds
from mabos.society.bpmn.engine.tables import SOME
from mabos.society.bpmn.model import FlowNode, SequenceFlow


def chosen(node: FlowNode, flows: Sequence[SequenceFlow], variables: Mapping[str, Any]) -> Sequence[SequenceFlow]:
    """Return the flows that a token takes from a node; nothing where none may be taken.

    Raises `InvalidArgument` where a condition cannot be evaluated.
    """
    if node.type in ("parallelGateway", "eventBasedGateway") or not any(one.conditional for one in flows):
        is_choice = node.type in ("exclusiveGateway", *SOME) and len(flows) > 1
        if not is_choice:
            return flows
    default = [one for one in flows if one.id == node.default]
    asked = [one for one in flows if one.id != node.default]
    if node.type == "exclusiveGateway":
        return next(([one] for one in asked if _holds(one, node, variables)), default)
    if node.type in SOME:
        return [one for one in asked if _holds(one, node, variables)] or default
    return [one for one in asked if not one.conditional or _holds(one, node, variables)] or default


def _holds(flow: SequenceFlow, node: FlowNode, variables: Mapping[str, Any]) -> bool:
    if flow.condition:
        return holds(flow.condition, variables)
    told = flow.name or flow.id
    raise InvalidArgument(f"the flow {told!r} from {node.label!r} has no condition that says when it is taken")
