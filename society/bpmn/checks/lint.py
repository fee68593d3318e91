"""The rules for good diagrams from bpmnlint, under the same names, applied to our model."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations

from mabos.society.bpmn.checks.finding import WorkflowFinding
from mabos.society.bpmn.checks.game import Marking, explore_states
from mabos.society.bpmn.document import WorkflowDocument
from mabos.society.bpmn.elements import local
from mabos.society.bpmn.engine.tables import tables
from mabos.society.bpmn.model import ACTIVITIES, CONTAINERS, EVENTS, GATEWAYS, TASKS, Box, FlowNode, WorkflowModel

_SHARED = {"message": "messageRef", "signal": "signalRef", "error": "errorRef", "escalation": "escalationRef"}
Sizes = Mapping[str, tuple[float, float]]
USUAL: Sizes = {
    **dict.fromkeys(TASKS | CONTAINERS | {"callActivity"}, (100.0, 80.0)),
    **dict.fromkeys(GATEWAYS, (50.0, 50.0)),
    **dict.fromkeys(EVENTS, (36.0, 36.0)),
    "dataObjectReference": (36.0, 50.0),
    "dataStoreReference": (50.0, 50.0),
}
"""The width and height that a kind of element usually has."""

_POOL = 60.0


def _check_global_elements(document: WorkflowDocument) -> Iterator[WorkflowFinding]:
    """Yield messages, signals, errors and escalations that have no name, are used nowhere, or are there twice."""
    elements = [one for one in document.root if local(one.tag) in _SHARED]
    used = {one.get(name, "").rpartition(":")[2] for one in document.root.iter() for name in _SHARED.values()}
    names = Counter((local(one.tag), one.get("name")) for one in elements)
    for one in elements:
        kind, own = local(one.tag), one.get("id", "")
        wrong = [
            told
            for is_wrong, told in (
                (not (one.get("name") or "").strip(), "has no name"),
                (own not in used, "is used nowhere"),
                (names[kind, one.get("name")] > 1, "stands there twice"),
            )
            if is_wrong
        ]
        if wrong:
            yield WorkflowFinding(
                "global", own, f"the {kind} {own!r} {' and '.join(wrong)}", "name, use or remove it", "warning"
            )


def _undrawn(document: WorkflowDocument) -> Iterator[WorkflowFinding]:
    model = document.model
    drawn = {*model.shapes, *model.edges}
    for element in _visible(model):
        if element not in drawn:
            yield WorkflowFinding(
                "no-bpmndi", element, f"{element!r} is not in the diagram", "draw it, or lay out again", "warning"
            )


def _visible(model: WorkflowModel) -> Iterator[str]:
    """Yield the elements that a diagram shows."""
    yield from (*model.nodes, *model.flows, *model.lanes, *model.pools, *model.message_flows)
    yield from (one.id for one in model.data.values() if one.type in ("dataObjectReference", "dataStoreReference"))
    yield from model.notes


def _overlaps(document: WorkflowDocument) -> Iterator[WorkflowFinding]:
    model = document.model
    wrong = dict.fromkeys(_colliding(model, list(model.pools)), "lies over another element")
    homes = {pool.process: model.shapes.get(pool.id) for pool in model.pools.values()}
    for scope, nodes in model.members.items():
        inside = [node.id for node in nodes] + [one.id for one in model.data.values() if one.scope == scope]
        holder = homes.get(scope) or model.shapes.get(scope)
        wrong |= dict.fromkeys(_colliding(model, inside), "lies over another element")
        if holder is not None and holder.expanded:
            stores = {one.id for one in model.data.values() if one.type == "dataStoreReference"}
            outside = [one for one in inside if one not in stores and not _is_within(model.shapes.get(one), holder)]
            wrong |= dict.fromkeys(outside, "lies outside of what holds it")
    for element, told in wrong.items():
        yield WorkflowFinding(
            "no-overlapping-elements", element, f"{element!r} {told}", "move it, or lay out again", "warning"
        )


def _colliding(model: WorkflowModel, elements: Iterable[str]) -> Iterator[str]:
    drawn = [one for one in elements if one in model.shapes]
    for one, other in combinations(drawn, 2):
        hosts = {model.nodes[end].attached_to for end in (one, other) if end in model.nodes}
        a, b = model.shapes[one], model.shapes[other]
        is_over = (a.x <= b.x + b.width and b.x <= a.x + a.width) and (a.y <= b.y + b.height and b.y <= a.y + a.height)
        if is_over and a.plane == b.plane and not hosts.intersection((one, other)):
            yield from (one, other)


def _is_within(box: Box | None, holder: Box) -> bool:
    return (
        box is None
        or box.plane != holder.plane
        or (
            box.x >= holder.x
            and box.y >= holder.y
            and box.x + box.width <= holder.x + holder.width
            and box.y + box.height <= holder.y + holder.height
        )
    )


def sizes(document: WorkflowDocument, usual: Sizes = USUAL) -> Iterator[WorkflowFinding]:
    """Yield the elements whose size is not the `usual` one of their kind."""
    model = document.model
    kinds = {one.id: one.type for group in (model.nodes, model.data) for one in group.values()}
    for element, box in model.shapes.items():
        pool = model.pools.get(element)
        if pool is not None and not pool.process:
            is_usual = (box.height if box.horizontal else box.width) == _POOL
        elif kinds.get(element) in CONTAINERS and box.expanded:
            is_usual = True
        else:
            is_usual = (box.width, box.height) == usual.get(kinds.get(element, ""), (box.width, box.height))
        if not is_usual:
            message = f"{element!r} is {box.width:g} by {box.height:g}, which is not the usual size of its kind"
            yield WorkflowFinding("standard-size", element, message, "lay out anew", "info")


Rule = Callable[[WorkflowDocument], Iterator[WorkflowFinding]]


def _each(name: str, wrong: Callable[[WorkflowModel, FlowNode], bool], told: str, mend: str) -> Rule:
    """Return a rule about single nodes; `told` follows the node's name."""

    def rule(document: WorkflowDocument) -> Iterator[WorkflowFinding]:
        model = document.model
        found = (node for node in model.nodes.values() if wrong(model, node))
        return (WorkflowFinding(name, node.id, f"{node.label!r} {told}", mend, "warning") for node in found)

    return rule


def _step(node: FlowNode) -> bool:
    return node.type in ACTIVITIES | EVENTS


def _bad_condition(model: WorkflowModel, node: FlowNode) -> bool:
    is_run = model.processes[model.process_of(node.id)].executable
    return is_run and any(one.kind == "conditional" and not one.when for one in node.triggers)


def _joins_falsely(_: WorkflowModel, node: FlowNode) -> bool:
    return _step(node) and len(node.incoming) > 1


def _splits_silently(model: WorkflowModel, node: FlowNode) -> bool:
    plain = [one for one in node.outgoing if not model.flows[one].conditional and one != node.default]
    return _step(node) and len(plain) > 1


def _starts_silently(model: WorkflowModel, node: FlowNode) -> bool:
    is_link = (
        node.type == "intermediateCatchEvent" and node.triggers and all(one.kind == "link" for one in node.triggers)
    )
    special = node.for_compensation or node.by_event or node.type in ("startEvent", "boundaryEvent")
    return not (node.incoming or special or is_link or model.is_ad_hoc(node.scope))


def _ends_silently(model: WorkflowModel, node: FlowNode) -> bool:
    is_link = (
        node.type == "intermediateThrowEvent" and node.triggers and all(one.kind == "link" for one in node.triggers)
    )
    is_undoing = (
        node.type == "boundaryEvent"
        and node.has("compensate")
        and any(link.source == node.id for link in model.links.values())
    )
    special = node.for_compensation or node.by_event or node.type == "endEvent"
    return not (node.outgoing or special or is_link or is_undoing or model.is_ad_hoc(node.scope))


def _is_disconnected(model: WorkflowModel, node: FlowNode) -> bool:
    is_undoing = node.for_compensation or (node.type == "boundaryEvent" and node.has("compensate"))
    special = node.by_event or is_undoing or node.type == "callActivity" or model.is_ad_hoc(node.scope)
    return not (node.incoming or node.outgoing or special)


def _superfluous(_: WorkflowModel, node: FlowNode) -> bool:
    return node.type in GATEWAYS and len(node.incoming) == 1 and len(node.outgoing) == 1


def _joins_and_forks(_: WorkflowModel, node: FlowNode) -> bool:
    return node.type in GATEWAYS and len(node.incoming) > 1 and len(node.outgoing) > 1


def _bad_race(model: WorkflowModel, node: FlowNode) -> bool:
    is_asked = any(model.flows[one].conditional for one in node.outgoing)
    return node.type == "eventBasedGateway" and (len(node.outgoing) < 2 or is_asked)


def _several_triggers(_: WorkflowModel, node: FlowNode) -> bool:
    return node.type in EVENTS and len(node.triggers) > 1


def _untyped_start(model: WorkflowModel, node: FlowNode) -> bool:
    holder = model.nodes.get(node.scope)
    return node.type == "startEvent" and holder is not None and holder.by_event and not node.triggers


def _typed_start(model: WorkflowModel, node: FlowNode) -> bool:
    holder = model.nodes.get(node.scope)
    return node.type == "startEvent" and holder is not None and not holder.by_event and bool(node.triggers)


def _of_kind(kind: str) -> Callable[[WorkflowModel, FlowNode], bool]:
    return lambda _, node: node.type == kind


def _is_misplaced(model: WorkflowModel, node: FlowNode) -> bool:
    is_start_or_end = node.type in ("startEvent", "endEvent")
    leads_nowhere = node.type == "intermediateCatchEvent" and not node.outgoing
    return model.is_ad_hoc(node.scope) and (is_start_or_end or leads_nowhere)


def _start_required(document: WorkflowDocument) -> Iterator[WorkflowFinding]:
    yield from _check_required(document, "startEvent", "start-event-required")


def _end_required(document: WorkflowDocument) -> Iterator[WorkflowFinding]:
    yield from _check_required(document, "endEvent", "end-event-required")


def _check_required(document: WorkflowDocument, kind: str, rule: str) -> Iterator[WorkflowFinding]:
    model = document.model
    for scope in model.members:
        holder = model.nodes.get(scope)
        is_free = holder is not None and holder.type == "adHocSubProcess"
        if not is_free and not any(node.type == kind for node in model.members[scope]):
            name = holder.label if holder else model.processes[scope].name or scope
            yield WorkflowFinding(rule, scope, f"{name!r} has no {kind}", f"add a {kind}", "warning")
    for node in model.nodes.values():
        if node.type in CONTAINERS - {"adHocSubProcess"} and node.id not in model.members:
            yield WorkflowFinding(rule, node.id, f"{node.label!r} has no {kind}", f"add a {kind}", "warning")


def _single_blank_start(document: WorkflowDocument) -> Iterator[WorkflowFinding]:
    for scope, nodes in document.model.members.items():
        blank = [node for node in nodes if node.type == "startEvent" and not node.triggers]
        if len(blank) > 1:
            message = f"{scope!r} has {len(blank)} blank start events"
            yield WorkflowFinding(
                "single-blank-start-event", scope, message, "leave one, or give the others a trigger", "warning"
            )


def _conditional_flows(document: WorkflowDocument) -> Iterator[WorkflowFinding]:
    model = document.model
    for node in model.nodes.values():
        flows = [model.flows[one] for one in node.outgoing]
        is_asked = bool(node.default) or any(flow.conditional for flow in flows)
        is_deciding = len(flows) > 1 and node.type not in ("parallelGateway", "eventBasedGateway")
        for flow in flows if is_asked and is_deciding else ():
            if not flow.conditional and flow.id != node.default:
                message = f"the flow {flow.name or flow.id!r} from {node.label!r} has no condition, others have"
                yield WorkflowFinding(
                    "conditional-flows", flow.id, message, "write its condition, or make it the default", "warning"
                )


def _duplicate_flows(document: WorkflowDocument) -> Iterator[WorkflowFinding]:
    flows = document.model.flows.values()
    seen = Counter((flow.source, flow.target, flow.condition) for flow in flows)
    for flow in flows:
        if seen[flow.source, flow.target, flow.condition] > 1:
            message = f"the flow {flow.name or flow.id!r} occurs more than once between the same two elements"
            yield WorkflowFinding("no-duplicate-sequence-flows", flow.id, message, "remove one", "warning")


def _labels(document: WorkflowDocument) -> Iterator[WorkflowFinding]:
    model = document.model
    silent = {"parallelGateway", "eventBasedGateway"} | CONTAINERS
    unnamed = [node.id for node in model.nodes.values()
               if not node.name.strip() and node.type not in silent
               and not (node.type in GATEWAYS and len(node.outgoing) < 2)]  # fmt: skip
    unnamed += [flow.id for flow in model.flows.values() if flow.conditional and not flow.name.strip()]
    unnamed += [one.id for one in model.pools.values() if not one.name.strip()]
    unnamed += [one.id for one in model.lanes.values() if not one.name.strip()]
    for element in unnamed:
        yield WorkflowFinding(
            "label-required", element, f"{element!r} has no name", "say in a few words what it is", "warning"
        )


def _links(document: WorkflowDocument) -> Iterator[WorkflowFinding]:
    for nodes in document.model.members.values():
        links = [(node, one.name) for node in nodes for one in node.triggers if one.kind == "link"]
        for node, name in links:
            if not name:
                yield WorkflowFinding(
                    "link-event", node.id, f"the link {node.id!r} has no name", "give it one", "warning"
                )
        for name in dict.fromkeys(name for _, name in links if name):
            ends = [node for node, own in links if own == name]
            catching = [node for node in ends if node.type == "intermediateCatchEvent"]
            if len(catching) != 1 or len(ends) == 1:
                for node in ends if len(catching) != 1 else catching:
                    message = f"the link {name!r} needs one catching event, and throwing ones, in one scope"
                    yield WorkflowFinding(
                        "link-event", node.id, message, "add what is missing, or remove it", "warning"
                    )


def _termination(document: WorkflowDocument) -> Iterator[WorkflowFinding]:
    """Yield the end events that terminate where, however it is decided, nothing else is under way."""
    model = document.model
    table = tables(model)
    for scope, nodes in model.members.items():
        stops = [node for node in nodes if node.type == "endEvent" and node.has("terminate")]
        if not stops or any(node.by_event and not _takes_over(model, node) for node in nodes):
            continue
        game = explore_states(table, scope)
        needed = {step.node for marking, steps in game.moves.items() for step in steps if _tokens(marking) > 1}
        for node in stops:
            if node.id not in needed and not game.is_cut:
                message = f"{node.label!r} stops nothing: no other path can be under way"
                yield WorkflowFinding(
                    "superfluous-termination", node.id, message, "make it a plain end event", "warning"
                )


def _tokens(marking: Marking) -> int:
    return sum(number for _, number in marking)


def _takes_over(model: WorkflowModel, node: FlowNode) -> bool:
    starts = [one for one in model.members.get(node.id, ()) if one.type == "startEvent"]
    return any(one.interrupting for one in starts)


RULES: Mapping[str, Rule] = {
    "ad-hoc-sub-process": _each("ad-hoc-sub-process", _is_misplaced, "does not belong in an ad-hoc sub-process",
                                "remove it, or lead a flow on from it"),
    "conditional-event": _each("conditional-event", _bad_condition, "has no condition", "write its condition"),
    "conditional-flows": _conditional_flows,
    "end-event-required": _end_required,
    "event-based-gateway": _each("event-based-gateway", _bad_race, "needs two flows or more, without conditions",
                                 "add events to choose from"),
    "event-sub-process-typed-start-event": _each("event-sub-process-typed-start-event", _untyped_start,
                                                 "says not what starts it", "give it a trigger"),
    "fake-join": _each("fake-join", _joins_falsely, "has several incoming flows, which it does not join",
                       "join them with a gateway"),
    "label-required": _labels,
    "link-event": _links,
    "no-complex-gateway": _each("no-complex-gateway", _of_kind("complexGateway"), "is a complex gateway",
                                "use exclusive and parallel ones"),
    "no-disconnected": _each("no-disconnected", _is_disconnected, "is connected with nothing", "connect or remove it"),
    "no-duplicate-sequence-flows": _duplicate_flows,
    "no-gateway-join-fork": _each("no-gateway-join-fork", _joins_and_forks, "joins and forks at once",
                                  "use two gateways"),
    "no-implicit-end": _each("no-implicit-end", _ends_silently, "ends without an end event", "add an end event"),
    "no-implicit-split": _each("no-implicit-split", _splits_silently, "splits without a gateway", "split by a gateway"),
    "no-implicit-start": _each("no-implicit-start", _starts_silently, "starts without a start event",
                               "add a start event"),
    "no-inclusive-gateway": _each("no-inclusive-gateway", _of_kind("inclusiveGateway"), "is an inclusive gateway",
                                  "use exclusive and parallel ones where they say the same"),
    "single-blank-start-event": _single_blank_start,
    "single-event-definition": _each("single-event-definition", _several_triggers, "has several triggers",
                                     "make one event of each"),
    "start-event-required": _start_required,
    "sub-process-blank-start-event": _each("sub-process-blank-start-event", _typed_start,
                                           "has a trigger, which the start of a sub-process cannot have", "remove it"),
    "superfluous-gateway": _each("superfluous-gateway", _superfluous, "neither splits nor joins", "remove it"),
    "superfluous-termination": _termination,
    "global": _check_global_elements,
    "no-bpmndi": _undrawn,
    "no-overlapping-elements": _overlaps,
    "standard-size": sizes,
}  # fmt: skip
"""The rules of good modelling by the names that bpmnlint has for them; the last four are about the drawing."""
