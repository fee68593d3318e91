"""Changes to a BPMN file: each returns a new document and preserves everything else."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from mabos.configs.errors import InvalidArgument, unknown
from mabos.society.bpmn.document import WorkflowDocument, read
from mabos.society.bpmn.elements import (
    BPMN,
    DIAGRAM,
    LINES,
    OWN,
    POINTS,
    by_id,
    check_id,
    collaboration,
    put,
    tag,
    writable,
)
from mabos.society.bpmn.model import EVENTS, NODES
from mabos.society.bpmn.surroundings import add_pool, associate, input_of, process_of_pool

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.etree import _Element

_BLANK = f"""<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="{BPMN}" xmlns:bpmndi="{DIAGRAM}" xmlns:dc="{POINTS}" xmlns:di="{LINES}"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:mabos="{OWN}" id="Definitions_1"
  targetNamespace="urn:mabos:workflows">
  <bpmn:process id="Process_1" isExecutable="true"/>
</bpmn:definitions>
"""
_TYPES = {"intermediateEvent": "intermediateCatchEvent", "participant": "pool"}
"""The terms of S3 14.1 that differ from BPMN 2.0."""
_ARTIFACTS = frozenset({"textAnnotation", "dataObjectReference", "dataStoreReference"})


def blank(name: str) -> WorkflowDocument:
    """Return an empty workflow."""
    document = read(_BLANK.encode(), "new.bpmn")
    _process(document.root).set("name", writable(name, "name"))
    return document


def add_node(
    document: WorkflowDocument,
    node_id: str,
    kind: str,
    name: str = "",
    *,
    scope: str = "",
    lane: str = "",
    attached_to: str = "",
    trigger: str = "",
    when: str = "",
    script: str = "",
    settings: Mapping[str, str] | None = None,
) -> WorkflowDocument:
    """Return the document with another element.

    `trigger` is the kind of an event's trigger, `when` its expression: an ISO 8601 duration, date or cycle of a timer,
    the condition, or the name of the message, signal, error or link. Raises `InvalidArgument` or `UnknownId` with the
    argument.
    """
    kind = _resolve_type(kind)
    if kind == "pool":
        return add_pool(document, node_id, name)
    check_id(document.root, node_id, "node_id")
    if (kind == "boundaryEvent") != bool(attached_to):
        raise InvalidArgument("only a boundaryEvent may be attached to an activity", argument="attached_to")
    model = document.model
    homes = {**model.nodes, **model.processes, **model.pools}
    for given, known, argument in ((scope, homes, "scope"), (lane, model.lanes, "lane_id"),
                                   (attached_to, model.nodes, "attached_to")):  # fmt: skip
        if given and given not in known:
            raise unknown(argument.replace("_id", ""), given, known, argument=argument)
    if attached_to:
        scope = model.nodes[attached_to].scope
    root = deepcopy(document.root)
    said = {"name": name} if name and kind != "textAnnotation" else {}
    one = put(_holder(root, scope), kind, id=node_id, **said)
    if kind == "textAnnotation":
        put(one, "text").text = writable(name, "name")
    if attached_to:
        one.set("attachedToRef", attached_to)
    for key, value in (settings or {}).items():
        one.set(tag(key, OWN), writable(value, key))
    if script:
        put(one, "script").text = writable(script, "script")
    if trigger:
        if kind not in EVENTS:
            raise InvalidArgument(f"a {kind} has no trigger; only events have one", argument="trigger")
        _trigger(one, f"{node_id}_trigger", trigger, when)
    if lane and kind in NODES:
        put(by_id(root, lane), "flowNodeRef").text = node_id
    return WorkflowDocument(root, document.name)


def _resolve_type(kind: str) -> str:
    kind = _TYPES.get(kind, kind)
    kinds = sorted([*NODES, *_ARTIFACTS, "pool"])
    if kind not in kinds:
        raise unknown("type of element", kind, kinds, argument="type")
    return kind


def connect(
    document: WorkflowDocument, flow_id: str, source: str, target: str, *, name: str = "", condition: str = ""
) -> WorkflowDocument:
    """Return the document with a sequence flow between two nodes of one scope, or a message flow between two pools.

    Between data and a node it is a data association, between a note and anything an association.
    """
    model = document.model
    beside = {**model.data, **model.notes}
    known = {**model.nodes, **model.pools, **beside}
    for given, argument in ((source, "from"), (target, "to")):
        if given not in known:
            raise unknown("element", given, known, argument=argument)
    if source in beside or target in beside:
        return associate(document, flow_id, source, target)
    check_id(document.root, flow_id, "flow_id")
    root = deepcopy(document.root)
    ends = {"id": flow_id, "sourceRef": source, "targetRef": target, **({"name": name} if name else {})}
    if _home(document, source) != _home(document, target):
        put(collaboration(root), "messageFlow", **ends)
        return WorkflowDocument(root, document.name)
    if source in model.pools or target in model.pools:
        message = f"a message leads from one pool to another; {source!r} and {target!r} are in the same"
        raise InvalidArgument(message, argument="to")
    if model.nodes[source].scope != model.nodes[target].scope:
        message = f"{source!r} and {target!r} are not in the same sub-process; a flow does not cross its border"
        raise InvalidArgument(message, argument="to")
    if model.nodes[source].type == "endEvent" or model.nodes[target].type in ("startEvent", "boundaryEvent"):
        message = "nothing leaves an end event, and nothing leads to a start or boundary event"
        raise InvalidArgument(message, argument="from" if model.nodes[source].type == "endEvent" else "to")
    flow = put(_holder(root, model.nodes[source].scope), "sequenceFlow", **ends)
    if condition:
        said = put(flow, "conditionExpression")
        said.set(tag("type", "http://www.w3.org/2001/XMLSchema-instance"), "bpmn:tFormalExpression")
        said.text = writable(condition, "condition")
    for end, side in ((source, "outgoing"), (target, "incoming")):
        _refer(by_id(root, end), side, flow_id)
    return WorkflowDocument(root, document.name)


def set_default(document: WorkflowDocument, node_id: str, flow_id: str) -> WorkflowDocument:
    """Return the document with a default flow, taken if no condition of the node's other flows holds."""
    if flow_id not in document.model.nodes[node_id].outgoing:
        raise InvalidArgument(f"{flow_id!r} does not leave {node_id!r}", argument="default")
    root = deepcopy(document.root)
    by_id(root, node_id).set("default", flow_id)
    return WorkflowDocument(root, document.name)


def remove(document: WorkflowDocument, element_id: str) -> WorkflowDocument:
    """Return the document without an element, its contents, its attachments, and its connections."""
    model = document.model
    if element_id not in {**model.nodes, **model.flows, **model.lanes, **model.pools, **model.data, **model.notes}:
        known = {**model.nodes, **model.flows, **model.lanes, **model.pools}
        raise unknown("element", element_id, known, argument="node_id")
    root = deepcopy(document.root)
    gone = _with_all_that_depends(root, {element_id})
    for one in [one for one in root.iter() if isinstance(one.tag, str)]:
        names = one.get("id"), one.get("bpmnElement", "").rpartition(":")[2], input_of(one)
        is_reference = one.tag in _REFERENCES and (one.text or "").strip() in gone
        if (gone.intersection(filter(None, names)) or is_reference) and (parent := one.getparent()) is not None:
            parent.remove(one)
            if one.tag == tag("BPMNPlane", DIAGRAM) and (above := parent.getparent()) is not None:
                above.remove(parent)  # a diagram needs a plane
        elif one.get("default") in gone:
            del one.attrib["default"]
    return WorkflowDocument(root, document.name)


def add_lane(
    document: WorkflowDocument, lane_id: str, name: str, *, assignee: str = "", scope: str = ""
) -> WorkflowDocument:
    """Return the document with another lane in a process or pool, by default in the only process."""
    homes = {**document.model.processes, **document.model.pools}
    if scope and scope not in homes:
        raise unknown("pool", scope, homes, argument="scope")
    check_id(document.root, lane_id, "lane_id")
    root = deepcopy(document.root)
    holder = _holder(root, scope)
    lanes = holder.find(tag("laneSet"))
    if lanes is None:
        lanes = put(holder, "laneSet", id=f"{lane_id}_set")
        holder.insert(0, lanes)
    lane = put(lanes, "lane", id=lane_id, name=name)
    if assignee:
        lane.set(tag("assignee", OWN), writable(assignee, "assignee"))
    return WorkflowDocument(root, document.name)


_DATA_LINKS = (tag("dataInputAssociation"), tag("dataOutputAssociation"))
_REFERENCES = frozenset(map(tag, ("flowNodeRef", "incoming", "outgoing", "sourceRef", "targetRef")))


def _with_all_that_depends(root: _Element, gone: set[str]) -> set[str]:
    """Return ids, extended repeatedly by the ids inside, attached to or connected with the elements."""
    while True:
        more = set[str]()
        for one in root.iter():
            if not isinstance(one.tag, str) or not (own := one.get("id")) or own in gone:
                continue
            ends = [one.get("sourceRef"), one.get("targetRef"), one.get("attachedToRef"), one.get("processRef")]
            if one.tag in _DATA_LINKS:
                ends += [inner.text for inner in one]
            parent = one.getparent()
            if gone.intersection(filter(None, ends)) or (parent is not None and parent.get("id") in gone):
                more.add(own)
        if not more:
            return gone
        gone = gone | more


def _trigger(event: _Element, trigger_id: str, kind: str, when: str) -> None:
    known = ("message", "timer", "signal", "error", "escalation", "terminate", "conditional", "link", "cancel")
    if kind not in known:
        raise unknown("trigger", kind, known, argument="trigger")
    definition = put(event, f"{kind}EventDefinition", id=trigger_id)
    if kind == "timer" and when:
        of = "timeCycle" if when.startswith("R") else "timeDuration" if when.startswith("P") else "timeDate"
        put(definition, of).text = writable(when, "when")
    elif kind == "conditional" and when:
        put(definition, "condition").text = writable(when, "when")
    elif kind == "link" and when:
        definition.set("name", writable(when, "when"))
    elif when:
        root = event.getroottree().getroot()
        named = next((one for one in root.findall(tag(kind)) if one.get("name") == when), None)
        if named is None:
            named = put(root, kind, id=f"{trigger_id}_{kind}", name=when)
            root.insert(0, named)
        definition.set(f"{kind}Ref", named.get("id", ""))


def _refer(node: _Element, side: str, flow_id: str) -> None:
    """Name a flow in its node where the standard wants it: incoming before outgoing, both before the triggers."""
    from lxml import etree

    reference = etree.Element(tag(side))
    reference.text = flow_id
    before = [tag("documentation"), tag("extensionElements"), tag("incoming")]
    before += [tag("outgoing")] if side == "outgoing" else []
    place = sum(1 for one in node if one.tag in before)
    node.insert(place, reference)


def _process(root: _Element) -> _Element:
    found = root.findall(tag("process"))
    if len(found) != 1:
        homes = ", ".join(one.get("id", "") for one in root.iter(tag("participant"), tag("process")))
        message = f"the workflow has {len(found)} processes; say in which it goes, as scope: one of {homes}"
        raise InvalidArgument(message, argument="scope")
    return found[0]


def _holder(root: _Element, scope: str) -> _Element:
    if not scope:
        return _process(root)
    found = by_id(root, scope)
    return process_of_pool(root, found) if found.tag == tag("participant") else found


def _home(document: WorkflowDocument, element_id: str) -> str:
    model = document.model
    if element_id in model.pools:
        return model.pools[element_id].process or element_id
    return model.process_of(element_id)
