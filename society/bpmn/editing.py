"""Changes to a BPMN file: each returns a new document, and leaves whatever it does not speak of as it was."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import TYPE_CHECKING

from configs.errors import InvalidArgument, unknown
from society.bpmn.document import Document, read
from society.bpmn.model import EVENTS, NODES
from society.bpmn.names import BPMN, DIAGRAM, LINES, OWN, POINTS, tag

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
_TYPES = {"intermediateEvent": "intermediateCatchEvent", "pool": "participant"}
"""What S3 14.1 calls otherwise than BPMN 2.0 does."""
_WRITABLE = re.compile("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
_ARTIFACTS = frozenset({"textAnnotation", "dataObjectReference", "dataStoreReference"})


def blank(name: str) -> Document:
    """Return a workflow with nothing in it yet."""
    document = read(_BLANK.encode(), "new.bpmn")
    _process(document.root).set("name", _writable(name, "name"))
    return document


def add_node(
    document: Document,
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
) -> Document:
    """Return the document with one more element.

    `trigger` is the kind of an event's trigger, `when` its expression: an ISO 8601 duration, date or cycle of a timer,
    the condition, or the name of the message, signal, error or link. Raises `InvalidArgument` or `UnknownId` that names
    the argument.
    """
    kind = _TYPES.get(kind, kind)
    if kind not in NODES | _ARTIFACTS:
        raise unknown("type of element", kind, sorted(NODES | _ARTIFACTS), argument="type")
    _is_free(document, node_id, "node_id")
    if (kind == "boundaryEvent") != bool(attached_to):
        raise InvalidArgument("a boundaryEvent, and nothing else, is attached to an activity", argument="attached_to")
    model = document.model
    for given, known, argument in ((scope, {**model.nodes, **model.processes}, "scope"), (lane, model.lanes, "lane_id"),
                                   (attached_to, model.nodes, "attached_to")):  # fmt: skip
        if given and given not in known:
            raise unknown(argument.replace("_id", ""), given, known, argument=argument)
    if attached_to:
        scope = model.nodes[attached_to].scope
    root = deepcopy(document.root)
    one = _put(_holder(root, scope), kind, id=node_id, **({"name": name} if name else {}))
    if attached_to:
        one.set("attachedToRef", attached_to)
    for key, value in (settings or {}).items():
        one.set(tag(key, OWN), _writable(value, key))
    if script:
        _put(one, "script").text = _writable(script, "script")
    if trigger:
        if kind not in EVENTS:
            raise InvalidArgument(f"a {kind} has no trigger; only events have one", argument="trigger")
        _trigger(one, f"{node_id}_trigger", trigger, when)
    if lane:
        _put(_by_id(root, lane), "flowNodeRef").text = node_id
    return Document(root, document.name)


def connect(
    document: Document, flow_id: str, source: str, target: str, *, name: str = "", condition: str = ""
) -> Document:
    """Return the document with a sequence flow between two nodes of one scope, or a message flow between two pools."""
    model = document.model
    for given, argument in ((source, "from"), (target, "to")):
        if given not in model.nodes and given not in model.pools:
            raise unknown("element", given, {**model.nodes, **model.pools}, argument=argument)
    _is_free(document, flow_id, "flow_id")
    root = deepcopy(document.root)
    ends = {"id": flow_id, "sourceRef": source, "targetRef": target, **({"name": name} if name else {})}
    if _home(document, source) != _home(document, target):
        _put(_collaboration(root), "messageFlow", **ends)
        return Document(root, document.name)
    if model.nodes[source].scope != model.nodes[target].scope:
        message = f"{source!r} and {target!r} are not in the same sub-process; a flow does not cross its border"
        raise InvalidArgument(message, argument="to")
    if model.nodes[source].type == "endEvent" or model.nodes[target].type in ("startEvent", "boundaryEvent"):
        message = "nothing leaves an end event, and nothing leads to a start or boundary event"
        raise InvalidArgument(message, argument="from" if model.nodes[source].type == "endEvent" else "to")
    flow = _put(_holder(root, model.nodes[source].scope), "sequenceFlow", **ends)
    if condition:
        said = _put(flow, "conditionExpression")
        said.set(tag("type", "http://www.w3.org/2001/XMLSchema-instance"), "bpmn:tFormalExpression")
        said.text = _writable(condition, "condition")
    for end, side in ((source, "outgoing"), (target, "incoming")):
        _refer(_by_id(root, end), side, flow_id)
    return Document(root, document.name)


def set_default(document: Document, node_id: str, flow_id: str) -> Document:
    """Return the document with the flow that is taken where no condition of the node's others holds."""
    if flow_id not in document.model.nodes[node_id].outgoing:
        raise InvalidArgument(f"{flow_id!r} does not leave {node_id!r}", argument="default")
    root = deepcopy(document.root)
    _by_id(root, node_id).set("default", flow_id)
    return Document(root, document.name)


def remove(document: Document, element_id: str) -> Document:
    """Return the document without an element, what is inside it or attached to it, and all that connected it."""
    model = document.model
    if element_id not in {**model.nodes, **model.flows, **model.lanes, **model.pools, **model.data, **model.notes}:
        known = {**model.nodes, **model.flows, **model.lanes, **model.pools}
        raise unknown("element", element_id, known, argument="node_id")
    root = deepcopy(document.root)
    gone = _with_all_that_depends(root, {element_id})
    for one in [one for one in root.iter() if isinstance(one.tag, str)]:
        names = one.get("id"), one.get("bpmnElement", "").rpartition(":")[2]
        is_reference = one.tag in _REFERENCES and (one.text or "").strip() in gone
        if (gone.intersection(filter(None, names)) or is_reference) and (parent := one.getparent()) is not None:
            parent.remove(one)
        elif one.get("default") in gone:
            del one.attrib["default"]
    return Document(root, document.name)


def add_lane(document: Document, lane_id: str, name: str, *, assignee: str = "", process: str = "") -> Document:
    """Return the document with one more lane of a process, by default its only one."""
    if process and process not in document.model.processes:
        raise unknown("process", process, document.model.processes, argument="process")
    _is_free(document, lane_id, "lane_id")
    root = deepcopy(document.root)
    holder = _by_id(root, process) if process else _process(root)
    lanes = holder.find(tag("laneSet"))
    if lanes is None:
        lanes = _put(holder, "laneSet", id=f"{lane_id}_set")
        holder.insert(0, lanes)
    lane = _put(lanes, "lane", id=lane_id, name=name)
    if assignee:
        lane.set(tag("assignee", OWN), assignee)
    return Document(root, document.name)


def _is_free(document: Document, element_id: str, argument: str) -> None:
    if any(one.get("id") == element_id for one in document.root.iter() if isinstance(one.tag, str)):
        raise InvalidArgument(
            f"there is an element {element_id!r} already; every one has its own id", argument=argument
        )


_REFERENCES = frozenset(map(tag, ("flowNodeRef", "incoming", "outgoing", "sourceRef", "targetRef")))


def _with_all_that_depends(root: _Element, gone: set[str]) -> set[str]:
    """Return ids with those of what is inside, attached to or connected with the elements, as long as there is more."""
    while True:
        more = set[str]()
        for one in root.iter():
            if not isinstance(one.tag, str) or not (own := one.get("id")) or own in gone:
                continue
            ends = (one.get("sourceRef"), one.get("targetRef"), one.get("attachedToRef"), one.get("processRef"))
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
    definition = _put(event, f"{kind}EventDefinition", id=trigger_id)
    if kind == "timer" and when:
        of = "timeCycle" if when.startswith("R") else "timeDuration" if when.startswith("P") else "timeDate"
        _put(definition, of).text = _writable(when, "when")
    elif kind == "conditional" and when:
        _put(definition, "condition").text = _writable(when, "when")
    elif kind == "link" and when:
        definition.set("name", _writable(when, "when"))
    elif when:
        root = event.getroottree().getroot()
        named = next((one for one in root.findall(tag(kind)) if one.get("name") == when), None)
        if named is None:
            named = _put(root, kind, id=f"{trigger_id}_{kind}", name=when)
            root.insert(0, named)
        definition.set(f"{kind}Ref", named.get("id", ""))


def _put(parent: _Element, kind: str, /, **attributes: str) -> _Element:
    from lxml import etree

    for name, value in attributes.items():
        _writable(value, name)
    return etree.SubElement(parent, tag(kind), attributes)


def _writable(text: str, argument: str) -> str:
    """Return a text that may stand in an XML file; raises `InvalidArgument` for any other."""
    if not _WRITABLE.fullmatch(text):
        raise InvalidArgument(f"{text!r:.60} holds a character that no XML file may hold", argument=argument)
    return text


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
        message = (
            f"the workflow has {len(found)} processes; name one of {', '.join(one.get('id', '') for one in found)}"
        )
        raise InvalidArgument(message, argument="process")
    return found[0]


def _holder(root: _Element, scope: str) -> _Element:
    return _by_id(root, scope) if scope else _process(root)


def _home(document: Document, element_id: str) -> str:
    model = document.model
    if element_id in model.pools:
        return model.pools[element_id].process or element_id
    return model.process_of(element_id)


def _by_id(root: _Element, element_id: str) -> _Element:
    return next(one for one in root.iter() if isinstance(one.tag, str) and one.get("id") == element_id)


def _collaboration(root: _Element) -> _Element:
    found = root.find(tag("collaboration"))
    if found is None:
        found = _put(root, "collaboration", id="Collaboration_1")
        root.insert(0, found)
    return found
