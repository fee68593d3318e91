"""Precomputed tables of a model, so that a move needs no search: outgoing flows, start nodes, upstream nodes.

`choose_flows` selects the flows a token takes, `TokenMoves` is the view of a running workflow for event handling.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from mabos.configs.errors import InvalidArgument
from mabos.society.bpmn.engine.expressions import holds
from mabos.society.bpmn.engine.state import ExecutionState, Token
from mabos.society.bpmn.model import ACTIVITIES, EVENTS, FlowNode, SequenceFlow, WorkflowModel

THROWING = frozenset({"endEvent", "intermediateThrowEvent", "implicitThrowEvent"})
SOME = frozenset({"inclusiveGateway", "complexGateway"})
"""The gateways that take some of their flows, and wait for those that were taken."""
WORK = {
    "userTask": "user", "manualTask": "manual", "serviceTask": "service", "scriptTask": "script",
    "businessRuleTask": "rule", "sendTask": "send", "task": "task",
}  # fmt: skip
"""The tasks that somebody does, by what their tokens wait for."""


@dataclass(frozen=True, slots=True)
class ModelTables:
    """A model with its nodes' flows, its scopes' start nodes, and the nodes upstream of each inclusive join."""

    model: WorkflowModel
    outgoing: Mapping[str, tuple[SequenceFlow, ...]]
    starts: Mapping[str, tuple[FlowNode, ...]]
    handlers: Mapping[str, tuple[FlowNode, ...]]
    upstream: Mapping[str, Mapping[str, frozenset[str]]]
    links: Mapping[tuple[str, str], FlowNode]
    messages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def node(self, node_id: str) -> FlowNode:
        """Return a node of the model."""
        return self.model.nodes[node_id]

    def label(self, node_id: str) -> str:
        """Return the display name of a node."""
        found = self.model.nodes.get(node_id)
        return node_id if found is None else found.label


class TokenMoves(Protocol):
    """The token moves that event handling causes; `running.py` implements them."""

    tables: ModelTables
    state: ExecutionState
    now: str
    at: datetime | None

    def open(self, node_id: str, *, parent: int = 0, begun: Sequence[FlowNode] | None = None) -> None:
        """Start a process or sub-process."""

    def put(self, node_id: str, scope: int) -> Token:
        """Return a new token about to arrive at a node."""

    def leave(self, token: Token) -> None:
        """Move a token on."""

    def finish(self, token: Token) -> None:
        """Continue after one execution of an activity."""

    def ended(self, scope_id: int) -> None:
        """End an empty scope."""

    def take(self, token: Token) -> None:
        """Remove a token with everything that runs for it."""

    def cancel_work(self, token: Token) -> None:
        """Stop a token's running work."""

    def clear(self, scope: int) -> None:
        """Stop a scope and everything inside it."""

    def tell(self, kind: str, token: Token, note: str = "") -> None:
        """Record an event at a token."""

    def note(self, kind: str, node: FlowNode) -> None:
        """Record an event at a node without a token."""

    def trouble(self, token: Token, why: str) -> None:
        """Make a token wait for help."""


def tables(model: WorkflowModel) -> ModelTables:
    """Return the tables of a model."""
    outgoing = {node.id: tuple(model.flows[flow] for flow in node.outgoing) for node in model.nodes.values()}
    members = model.members
    starts = {scope: _beginnings(nodes) for scope, nodes in members.items()}
    handlers = {
        scope: tuple(node for node in nodes if node.by_event and _start(members.get(node.id, ())) is not None)
        for scope, nodes in members.items()
    }
    joins = [node for node in model.nodes.values() if node.type in SOME and len(node.incoming) > 1]
    links = {
        (node.scope, one.name): node
        for node in model.nodes.values()
        for one in node.triggers
        if one.kind == "link" and node.ends_link
    }
    sent: dict[str, list[str]] = {}
    for flow in model.message_flows.values():
        sent.setdefault(flow.source, []).append(flow.target)
    return ModelTables(
        model,
        outgoing,
        starts,
        handlers,
        {node.id: _upstream(model, node) for node in joins},
        links,
        {source: tuple(targets) for source, targets in sent.items()},
    )


def is_awaited(upstream: Mapping[str, frozenset[str]], came: Collection[str], elsewhere: Iterable[str]) -> bool:
    """Return whether a gateway that joins some of its flows must wait for more: the OR-join of BPMN 2.0, 13.4.3.

    It must if a token at one of the nodes `elsewhere` can still arrive by an empty flow, and not by one that tokens
    `came` by. `upstream` has for each of its flows the nodes that lead to it.
    """
    empty = set[str]().union(*(nodes for flow, nodes in upstream.items() if flow not in came))
    full = set[str]().union(*(nodes for flow, nodes in upstream.items() if flow in came))
    return any(one in empty and one not in full for one in elsewhere)


def start_of(nodes: tuple[FlowNode, ...]) -> FlowNode:
    """Return the start event of an event sub-process; it has one."""
    found = _start(nodes)
    assert found is not None  # noqa: S101  # `handlers` lists no other
    return found


def _start(nodes: tuple[FlowNode, ...]) -> FlowNode | None:
    return next((node for node in nodes if node.type == "startEvent" and node.triggers), None)


def _beginnings(nodes: tuple[FlowNode, ...]) -> tuple[FlowNode, ...]:
    """Return where a scope begins: at its start events without trigger, else at any start, else where nothing leads."""
    starts = [node for node in nodes if node.type == "startEvent"]
    plain = [node for node in starts if not node.triggers]
    if plain or starts:
        return tuple(plain or starts)
    caught = {"boundaryEvent", "startEvent"}
    return tuple(
        node
        for node in nodes
        if not node.incoming and not node.by_event and not node.for_compensation and _may_begin(node, caught)
    )


def _may_begin(node: FlowNode, caught: set[str]) -> bool:
    if node.ends_link:
        return False
    return node.type in (ACTIVITIES | EVENTS) - caught or node.type.endswith("Gateway")


def _upstream(model: WorkflowModel, join: FlowNode) -> dict[str, frozenset[str]]:
    """Return for each flow into an inclusive gateway the nodes from which it is reached without passing the gateway."""
    before: dict[str, list[str]] = {}
    for flow in model.flows.values():
        before.setdefault(flow.target, []).append(flow.source)
    for node in model.nodes.values():
        if node.attached_to:
            before.setdefault(node.id, []).append(node.attached_to)
    found = {}
    for flow_id in join.incoming:
        seen, left = set[str](), [model.flows[flow_id].source]
        while left:
            node_id = left.pop()
            if node_id in seen or node_id == join.id:
                continue
            seen.add(node_id)
            left += before.get(node_id, ())
        found[flow_id] = frozenset(seen)
    return found


def choose_flows(node: FlowNode, flows: Sequence[SequenceFlow], variables: Mapping[str, Any]) -> Sequence[SequenceFlow]:
    """Return the flows that a token takes from a node; none if none is allowed.

    Raises `InvalidArgument` if a condition cannot be evaluated.
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
    raise InvalidArgument(f"the flow {told!r} from {node.label!r} has no condition")
