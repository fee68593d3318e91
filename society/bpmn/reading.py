"""Parsing of BPMN 2.0 elements as processes, nodes, flows, lanes and data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import TYPE_CHECKING

from mabos.configs.errors import Damaged
from mabos.society.bpmn import model
from mabos.society.bpmn.elements import BPMN, DIAGRAM, LINES, OWN, POINTS, local, tag

if TYPE_CHECKING:
    from lxml.etree import _Element

_DATA = frozenset({"dataObject", "dataObjectReference", "dataStoreReference", "dataStore", "dataInput", "dataOutput"})
_NAMED = {"messageRef": "message", "signalRef": "signal", "errorRef": "error", "escalationRef": "escalation"}
_TIMERS = {"timeDate": "date", "timeDuration": "duration", "timeCycle": "cycle"}


def model_of(root: _Element, name: str) -> model.WorkflowModel:
    """Return the model of the elements below `root`; raises `Damaged` with `name` and line if it is invalid."""
    return _ModelReader(root, name).read()


@dataclass(slots=True)
class _ModelReader:
    root: _Element
    name: str
    names: dict[str, str] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    processes: dict[str, model.Process] = field(default_factory=dict)
    nodes: dict[str, model.FlowNode] = field(default_factory=dict)
    flows: dict[str, model.SequenceFlow] = field(default_factory=dict)
    lanes: dict[str, model.Lane] = field(default_factory=dict)
    data: dict[str, model.Data] = field(default_factory=dict)
    links: dict[str, model.DiagramLink] = field(default_factory=dict)
    notes: dict[str, model.TextAnnotation] = field(default_factory=dict)

    def read(self) -> model.WorkflowModel:
        for kind in ("message", "signal", "error", "escalation"):
            for one in self.root.findall(tag(kind)):
                code = one.get("errorCode") or one.get("escalationCode") or ""
                self.names[one.get("id", "")] = one.get("name") or code
        for one in self.root.findall(tag("process")):
            process_id = self._id(one)
            self.processes[process_id] = model.Process(
                process_id, one.get("name", ""), one.get("isExecutable") == "true"
            )
            self._scope(one, process_id)
        for one in self.root.findall(tag("dataStore")):
            self._datum(one, "")
        pools, messages = self._collaborations()
        shapes, edges = self._diagram()
        return model.WorkflowModel(
            self.processes, self._connect_nodes(), self.flows, self.lanes, pools, messages, self.data, self.links,
            self.notes, shapes, edges,
        )  # fmt: skip

    def _id(self, one: _Element) -> str:
        found = one.get("id", "")
        line = int(one.sourceline or 1)
        if not found:
            raise Damaged(f"{self.name}:{line}: this {local(one.tag)} has no id; give it one")
        if found in self.seen:
            told = f"the id {found!r} is already used in line {self.seen[found]}; ids must be unique"
            raise Damaged(f"{self.name}:{line}: {told}")
        self.seen[found] = line
        return found

    def _scope(self, holder: _Element, scope: str) -> None:
        for one in holder:
            kind = local(one.tag) if isinstance(one.tag, str) and one.tag.startswith(f"{{{BPMN}}}") else ""
            if kind in model.NODES:
                self._node(one, kind, scope)
            elif kind == "sequenceFlow":
                self._flow(one, scope)
            elif kind == "laneSet":
                self._lane_set(one, scope, "")
            elif kind in _DATA:
                self._datum(one, scope)
            elif kind in ("textAnnotation", "association"):
                self._artifact(one, kind)

    def _node(self, one: _Element, kind: str, scope: str) -> None:
        node_id = self._id(one)
        self.nodes[node_id] = model.FlowNode(
            id=node_id,
            type=kind,
            name=one.get("name", ""),
            scope=scope,
            triggers=tuple(_named_link(trigger, one.get("name", "")) for trigger in self._triggers(one)),
            attached_to=one.get("attachedToRef", "") if kind == "boundaryEvent" else "",
            interrupting=one.get("cancelActivity", one.get("isInterrupting", "true")) == "true",
            default=one.get("default", ""),
            calls=_bare(one.get("calledElement", "")),
            script=_text(one, "script"),
            script_format=one.get("scriptFormat", ""),
            loop=_loop(one),
            by_event=one.get("triggeredByEvent") == "true",
            exclusive_events=one.get("eventGatewayType", "Exclusive") == "Exclusive",
            for_compensation=one.get("isForCompensation") == "true",
            documentation=_text(one, "documentation"),
            settings={local(key): value for key, value in _attributes(one) if key.startswith(f"{{{OWN}}}")},
        )
        for inner in one.iter(tag("dataInputAssociation"), tag("dataOutputAssociation")):
            if inner.getparent() is one:
                self._association(inner, local(inner.tag), node_id)
        if kind in model.CONTAINERS:
            self._scope(one, node_id)

    def _triggers(self, one: _Element) -> Iterator[model.EventDefinition]:
        for inner in one:
            kind = local(inner.tag)
            if kind == "eventDefinitionRef":
                yield from self._resolve_definition(_bare(inner.text or ""))
            elif kind.endswith("EventDefinition"):
                yield self._trigger(inner, kind.removesuffix("EventDefinition"))

    def _resolve_definition(self, definition_id: str) -> Iterator[model.EventDefinition]:
        for one in self.root:
            if isinstance(one.tag, str) and one.get("id") == definition_id:
                yield self._trigger(one, local(one.tag).removesuffix("EventDefinition"))

    def _trigger(self, one: _Element, kind: str) -> model.EventDefinition:
        ref = next((_bare(one.get(name, "")) for name in _NAMED if one.get(name)), "")
        timer = next((name for name in _TIMERS if one.find(tag(name)) is not None), "")
        when = _text(one, timer or "condition")
        return model.EventDefinition(
            kind, ref, self.names.get(ref, "") or one.get("name", ""), when, _TIMERS.get(timer, "")
        )

    def _flow(self, one: _Element, scope: str) -> None:
        flow_id, condition = self._id(one), one.find(tag("conditionExpression"))
        source, target = one.get("sourceRef", ""), one.get("targetRef", "")
        if not (source and target):
            missing = "sourceRef" if not source else "targetRef"
            raise Damaged(f"{self.name}:{one.sourceline or 1}: the flow {flow_id!r} has no {missing}; connect it")
        said = "" if condition is None else _read_text(condition)
        self.flows[flow_id] = model.SequenceFlow(
            flow_id, source, target, one.get("name", ""), scope, said, conditional=condition is not None
        )

    def _lane_set(self, one: _Element, process: str, parent: str) -> None:
        for lane in one.findall(tag("lane")):
            lane_id = self._id(lane)
            nodes = tuple(_bare(ref.text or "") for ref in lane.findall(tag("flowNodeRef")))
            assignee = lane.get(tag("assignee", OWN), "")
            self.lanes[lane_id] = model.Lane(lane_id, lane.get("name", ""), process, parent, nodes, assignee)
            for inner in lane.findall(tag("childLaneSet")):
                self._lane_set(inner, process, lane_id)

    def _datum(self, one: _Element, scope: str) -> None:
        data_id = self._id(one)
        self.data[data_id] = model.Data(data_id, local(one.tag), one.get("name", ""), scope)

    def _artifact(self, one: _Element, kind: str) -> None:
        if kind == "association":
            self._association(one, kind, "")
        else:
            note_id = self._id(one)
            self.notes[note_id] = model.TextAnnotation(note_id, _text(one, "text"))

    def _association(self, one: _Element, kind: str, owner: str) -> None:
        link_id = one.get("id") or f"{kind}-{len(self.links)}"
        source = one.get("sourceRef") or _text(one, "sourceRef") or owner
        target = one.get("targetRef") or _text(one, "targetRef") or owner
        if kind == "dataInputAssociation":  # it ends at an input of the activity, which stands for the activity
            target = owner
        elif kind == "dataOutputAssociation":
            source = owner
        self.links[link_id] = model.DiagramLink(link_id, kind, source, target)

    def _connect_nodes(self) -> dict[str, model.FlowNode]:
        """Return the nodes with their flows and lanes; raises `Damaged` for a flow or boundary event at nothing."""
        ends: dict[str, tuple[list[str], list[str]]] = {node: ([], []) for node in self.nodes}
        for flow in self.flows.values():
            for end in (flow.source, flow.target):
                if end not in ends:
                    line = self.seen[flow.id]
                    told = f"the flow {flow.id!r} leads from or to {end!r}, which is not a node"
                    raise Damaged(f"{self.name}:{line}: {told}")
            ends[flow.source][1].append(flow.id)
            ends[flow.target][0].append(flow.id)
        lane_of = {node: lane.id for lane in self.lanes.values() for node in lane.nodes}
        for node in self.nodes.values():
            host = self.nodes.get(node.attached_to)
            if node.attached_to and (host is None or host.attached_to):  # on each other they would have no lane
                what = "not a node" if host is None else "a boundary event itself"
                told = f"the boundary event {node.id!r} is attached to {node.attached_to!r}, which is {what}"
                raise Damaged(f"{self.name}:{self.seen[node.id]}: {told}")
        return {
            node.id: replace(
                node, incoming=tuple(ends[node.id][0]), outgoing=tuple(ends[node.id][1]), lane=self._lane(node, lane_of)
            )
            for node in self.nodes.values()
        }

    def _lane(self, node: model.FlowNode, lane_of: dict[str, str]) -> str:
        """Return the lane of a node; a node inside a sub-process, or attached, is in the lane of its holder."""
        seen: model.FlowNode | None = node
        while seen is not None:
            if seen.id in lane_of:
                return lane_of[seen.id]
            seen = self.nodes.get(seen.attached_to or seen.scope)
        return ""

    def _collaborations(self) -> tuple[dict[str, model.Pool], dict[str, model.MessageFlow]]:
        pools: dict[str, model.Pool] = {}
        messages: dict[str, model.MessageFlow] = {}
        for holder in self.root.findall(tag("collaboration")):
            for one in holder.findall(tag("participant")):
                pool_id = self._id(one)
                pools[pool_id] = model.Pool(pool_id, one.get("name", ""), _bare(one.get("processRef", "")))
            for one in holder.findall(tag("messageFlow")):
                source, target = (_bare(one.get(end, "")) for end in ("sourceRef", "targetRef"))
                flow_id = self._id(one)
                messages[flow_id] = model.MessageFlow(flow_id, source, target, one.get("name", ""))
            for one in holder:
                if local(one.tag) in ("textAnnotation", "association"):
                    self._artifact(one, local(one.tag))
        return pools, messages

    def _diagram(self) -> tuple[dict[str, model.Box], dict[str, tuple[tuple[float, float], ...]]]:
        shapes: dict[str, model.Box] = {}
        edges: dict[str, tuple[tuple[float, float], ...]] = {}
        diagrams = list(self.root.iter(tag("BPMNDiagram", DIAGRAM)))
        drawn = [(number, one) for number, of in enumerate(diagrams) for one in of.iter(tag("BPMNShape", DIAGRAM))]
        for plane, one in drawn:
            bounds = one.find(tag("Bounds", POINTS))
            if bounds is not None:
                x, y, width, height = (self._number(bounds, name) for name in ("x", "y", "width", "height"))
                expanded, horizontal = one.get("isExpanded") != "false", one.get("isHorizontal") != "false"
                if all(map(isfinite, (x, y, width, height))):  # modellers write NaN at times: then it has no place
                    shapes[_bare(one.get("bpmnElement", ""))] = model.Box(
                        x, y, width, height, expanded, horizontal, plane
                    )
        for one in self.root.iter(tag("BPMNEdge", DIAGRAM)):
            points = one.findall(tag("waypoint", LINES))
            told = tuple((self._number(point, "x"), self._number(point, "y")) for point in points)
            if all(isfinite(x) and isfinite(y) for x, y in told):
                edges[_bare(one.get("bpmnElement", ""))] = told
        return shapes, edges

    def _number(self, one: _Element, name: str) -> float:
        try:
            return float(one.get(name, "0"))
        except ValueError:
            told = f"{name}={one.get(name)!r} is not a number"
            raise Damaged(f"{self.name}:{one.sourceline or 1}: {told} in the diagram; write one") from None


def _named_link(trigger: model.EventDefinition, name: str) -> model.EventDefinition:
    """Return a trigger; a link that has no name of its own has that of its event."""
    return replace(trigger, name=name) if trigger.kind == "link" and not trigger.name else trigger


def _loop(one: _Element) -> model.ActivityLoop | None:
    standard, several = one.find(tag("standardLoopCharacteristics")), one.find(tag("multiInstanceLoopCharacteristics"))
    if standard is not None:
        return model.ActivityLoop("standard", _text(standard, "loopCondition"))
    if several is None:
        return None
    kind = "sequential" if several.get("isSequential") == "true" else "parallel"
    collection, count = _text(several, "loopDataInputRef"), _text(several, "loopCardinality")
    return model.ActivityLoop(kind, _text(several, "completionCondition"), count, collection)


def _attributes(one: _Element) -> list[tuple[str, str]]:
    return [(str(key), str(value)) for key, value in one.attrib.items()]


def _text(one: _Element, name: str) -> str:
    found = one.find(tag(name))
    return "" if found is None else _read_text(found)


def _bare(name: str) -> str:
    """Return a reference without the prefix of its namespace."""
    return name.strip().rpartition(":")[2]


def _read_text(one: _Element) -> str:
    return "".join(map(str, one.itertext())).strip()
