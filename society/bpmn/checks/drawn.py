"""The rules about what is drawn, and about messages, signals and errors that a whole file shares (as bpmnlint's)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from mabos.society.bpmn.checks.finding import WorkflowFinding
from mabos.society.bpmn.checks.lint import Rule
from mabos.society.bpmn.document import Document
from mabos.society.bpmn.model import CONTAINERS, EVENTS, GATEWAYS, TASKS, Box, WorkflowModel
from mabos.society.bpmn.names import local

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


def _shared(document: Document) -> Iterator[WorkflowFinding]:
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


def _undrawn(document: Document) -> Iterator[WorkflowFinding]:
    model = document.model
    drawn = {*model.shapes, *model.edges}
    for element in _visible(model):
        if element not in drawn:
            yield WorkflowFinding(
                "no-bpmndi", element, f"{element!r} is not in the diagram", "draw it, or lay out anew", "warning"
            )


def _visible(model: WorkflowModel) -> Iterator[str]:
    """Yield what has a place in a diagram."""
    yield from (*model.nodes, *model.flows, *model.lanes, *model.pools, *model.message_flows)
    yield from (one.id for one in model.data.values() if one.type in ("dataObjectReference", "dataStoreReference"))
    yield from model.notes


def _overlaps(document: Document) -> Iterator[WorkflowFinding]:
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
            "no-overlapping-elements", element, f"{element!r} {told}", "move it, or lay out anew", "warning"
        )


def _colliding(model: WorkflowModel, elements: Iterable[str]) -> Iterator[str]:
    drawn = [one for one in elements if one in model.shapes]
    for one, other in combinations(drawn, 2):
        hosts = {model.nodes[end].attached_to for end in (one, other) if end in model.nodes}
        a, b = model.shapes[one], model.shapes[other]
        is_over = (a.x <= b.x + b.width and b.x <= a.x + a.width) and (a.y <= b.y + b.height and b.y <= a.y + a.height)
        if is_over and not hosts.intersection((one, other)):
            yield from (one, other)


def _is_within(box: Box | None, holder: Box) -> bool:
    return box is None or (
        box.x >= holder.x
        and box.y >= holder.y
        and box.x + box.width <= holder.x + holder.width
        and box.y + box.height <= holder.y + holder.height
    )


def sizes(document: Document, usual: Sizes = USUAL) -> Iterator[WorkflowFinding]:
    """Yield the elements that have not the `usual` size of their kind."""
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


RULES: Mapping[str, Rule] = {
    "global": _shared,
    "no-bpmndi": _undrawn,
    "no-overlapping-elements": _overlaps,
    "standard-size": sizes,
}
