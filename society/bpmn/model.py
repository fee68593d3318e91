"""The processes in a BPMN 2.0 file: nodes, flows, lanes, pools and data, read from its elements (S3 14.1).

The elements remain the truth: the file keeps the parts that are not read here (extensions, colours, documentation).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

EVENTS = frozenset(
    {
        "startEvent",
        "endEvent",
        "intermediateCatchEvent",
        "intermediateThrowEvent",
        "boundaryEvent",
        "implicitThrowEvent",
    }
)
GATEWAYS = frozenset({"exclusiveGateway", "parallelGateway", "inclusiveGateway", "eventBasedGateway", "complexGateway"})
TASKS = frozenset(
    {"task", "userTask", "serviceTask", "scriptTask", "businessRuleTask", "sendTask", "receiveTask", "manualTask"}
)
CONTAINERS = frozenset({"subProcess", "adHocSubProcess", "transaction"})
ACTIVITIES = TASKS | CONTAINERS | {"callActivity"}
NODES = EVENTS | GATEWAYS | ACTIVITIES
LARGE = 2000
"""A file of more nodes is read and run, but not drawn, nor searched for ways and deadlocks: that is told."""


@dataclass(frozen=True, slots=True)
class EventDefinition:
    """The trigger of an event, or its effect.

    `kind` is `message`, `timer`, `signal`, `error`, `escalation`, `terminate`, `conditional`, `link`, `cancel` or
    `compensate`. `name` is that of the message, signal, error or link; `when` the expression of a timer or condition.
    `of` is the type of a timer: `date`, `duration` or `cycle`.
    """

    kind: str
    ref: str = ""
    name: str = ""
    when: str = ""
    of: str = ""


@dataclass(frozen=True, slots=True)
class ActivityLoop:
    """The repetition of an activity: again while `condition` holds, or `count` times, one by one or at once."""

    kind: str
    condition: str = ""
    count: str = ""
    collection: str = ""


@dataclass(frozen=True, slots=True)
class FlowNode:
    """An event, activity or gateway. `scope` is the process or sub-process that holds it.

    `attached_to` and `interrupting` are a boundary event's (`interrupting` also that of the start of an event
    sub-process). `default` is the flow taken if no other is, `calls` the target of a call activity. `script` is the
    code of a script task, `documentation` the author's text about it. `settings` are MABOS's own attributes for
    executing it: `tool`, `arguments`, `rule`.
    """

    id: str
    type: str
    name: str = ""
    scope: str = ""
    incoming: tuple[str, ...] = ()
    outgoing: tuple[str, ...] = ()
    triggers: tuple[EventDefinition, ...] = ()
    lane: str = ""
    attached_to: str = ""
    interrupting: bool = True
    default: str = ""
    calls: str = ""
    script: str = ""
    script_format: str = ""
    loop: ActivityLoop | None = None
    by_event: bool = False
    exclusive_events: bool = True
    for_compensation: bool = False
    documentation: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The display name: its name, else its id."""
        return self.name or self.id

    def has(self, *kinds: str) -> bool:
        """Return whether it has a trigger of one of these kinds."""
        return any(one.kind in kinds for one in self.triggers)

    @property
    def begins_link(self) -> bool:
        """Return whether tokens leave here for the other end of a link."""
        return self.type == "intermediateThrowEvent" and self.has("link")

    @property
    def ends_link(self) -> bool:
        """Return whether tokens come here from the other end of a link."""
        return self.type == "intermediateCatchEvent" and self.has("link")


@dataclass(frozen=True, slots=True)
class SequenceFlow:
    """A sequence flow. `condition` is its expression; `conditional` means that it has one, even if empty."""

    id: str
    source: str
    target: str
    name: str = ""
    scope: str = ""
    condition: str = ""
    conditional: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """A lane: the party responsible for its nodes. `assignee` is the agent or person, if the file names one."""

    id: str
    name: str = ""
    process: str = ""
    parent: str = ""
    nodes: tuple[str, ...] = ()
    assignee: str = ""


@dataclass(frozen=True, slots=True)
class Pool:
    """A participant; a black box if it has no process."""

    id: str
    name: str = ""
    process: str = ""


@dataclass(frozen=True, slots=True)
class MessageFlow:
    """A message between two participants."""

    id: str
    source: str
    target: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Data:
    """A data object, a reference to one, or a data store."""

    id: str
    type: str
    name: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class DiagramLink:
    """A data association or association: a connection of two elements that is not a flow."""

    id: str
    type: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class TextAnnotation:
    """A text annotation."""

    id: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Process:
    """A process; `executable` is the file's own statement."""

    id: str
    name: str = ""
    executable: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """The position of an element's shape, in points, and its diagram in the file (`plane`)."""

    x: float
    y: float
    width: float
    height: float
    expanded: bool = True
    horizontal: bool = True
    plane: int = 0


@dataclass(frozen=True)
class WorkflowModel:
    """The contents read from one file, by id, in the order of the file."""

    processes: Mapping[str, Process] = field(default_factory=dict)
    nodes: Mapping[str, FlowNode] = field(default_factory=dict)
    flows: Mapping[str, SequenceFlow] = field(default_factory=dict)
    lanes: Mapping[str, Lane] = field(default_factory=dict)
    pools: Mapping[str, Pool] = field(default_factory=dict)
    message_flows: Mapping[str, MessageFlow] = field(default_factory=dict)
    data: Mapping[str, Data] = field(default_factory=dict)
    links: Mapping[str, DiagramLink] = field(default_factory=dict)
    notes: Mapping[str, TextAnnotation] = field(default_factory=dict)
    shapes: Mapping[str, Box] = field(default_factory=dict)
    edges: Mapping[str, tuple[tuple[float, float], ...]] = field(default_factory=dict)

    @property
    def is_large(self) -> bool:
        """Return whether it is too large to draw or search within seconds."""
        return len(self.nodes) > LARGE

    @cached_property
    def members(self) -> Mapping[str, tuple[FlowNode, ...]]:
        """The nodes of every process and sub-process, by its id."""
        found: dict[str, list[FlowNode]] = {one: [] for one in self.processes}
        for node in self.nodes.values():
            found.setdefault(node.scope, []).append(node)
        return {scope: tuple(nodes) for scope, nodes in found.items()}

    @cached_property
    def boundaries(self) -> Mapping[str, tuple[FlowNode, ...]]:
        """The boundary events of each activity, by its id."""
        found: dict[str, list[FlowNode]] = {}
        for node in self.nodes.values():
            if node.attached_to:
                found.setdefault(node.attached_to, []).append(node)
        return {activity: tuple(nodes) for activity, nodes in found.items()}

    def is_ad_hoc(self, scope: str) -> bool:
        """Return whether a scope is an ad-hoc sub-process, where flows are not needed."""
        return scope in self.nodes and self.nodes[scope].type == "adHocSubProcess"

    def process_of(self, node_id: str) -> str:
        """Return the id of the process that contains a node, at any depth."""
        scope = self.nodes[node_id].scope
        while scope in self.nodes:
            scope = self.nodes[scope].scope
        return scope
