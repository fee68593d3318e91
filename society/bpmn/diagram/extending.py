"""Editing of a hand-drawn file: new elements are placed, the rest of the drawing is unchanged."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from mabos.society.bpmn.diagram.layout import draw_diagram
from mabos.society.bpmn.diagram.placing import Drawing
from mabos.society.bpmn.document import WorkflowDocument
from mabos.society.bpmn.elements import DIAGRAM, LINES, POINTS, by_id, is_there, tag
from mabos.society.bpmn.model import CONTAINERS, Box, WorkflowModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lxml.etree import _Element

    from mabos.society.bpmn.diagram.routing import Point


def redrawn(before: WorkflowDocument, after: WorkflowDocument) -> WorkflowDocument:
    """Return the document after an edit with its drawing: extended, or laid out if it had none.

    A drawing identical to our own layout of `before` is not manual work and is laid out again.
    """
    if after.model.is_large:
        return after
    if not (before.model.shapes or before.model.edges) or _is_automatic(before):
        return draw_diagram(after)
    return _extend_diagrams(before.model, after)


def _is_automatic(document: WorkflowDocument) -> bool:
    """Return whether the diagrams of a file are those that `drawn` makes of it."""
    return len(document.root.findall(tag("BPMNDiagram", DIAGRAM))) == 1 and _diagrams(document) == _diagrams(
        draw_diagram(document)
    )


def _diagrams(document: WorkflowDocument) -> list[bytes]:
    from lxml import etree

    found = document.root.findall(tag("BPMNDiagram", DIAGRAM))
    return [bytes(etree.tostring(etree.ElementTree(deepcopy(one)), method="c14n", exclusive=True)) for one in found]


def _extend_diagrams(before: WorkflowModel, after: WorkflowDocument) -> WorkflowDocument:
    """Return the document with places for the elements that `before` has not, in the diagrams that it has."""
    model, root = after.model, deepcopy(after.root)
    planes = [
        one
        for diagram in root.iter(tag("BPMNDiagram", DIAGRAM))
        for one in diagram.findall(tag("BPMNPlane", DIAGRAM))[:1]
    ]
    known = set(_elements(before))
    added = [one for one in _elements(model) if one not in known]
    if not planes or not added:
        return after
    drawing = Drawing(
        model, added, {one: _holder(root, one) for one in added}, [_names(one) for one in planes],
        list(_labels(root)), frozenset(one.get("id", "") for one in root.iter(tag("group"))),
    )  # fmt: skip
    drawing.complete()
    for element in drawing.grown:
        _resize(root, element, drawing.shapes[element])
    for element in added:
        if element in drawing.shapes and element not in model.shapes:
            _put_shape(root, planes, model, element, drawing.shapes[element])
        elif element in drawing.edges and element not in model.edges:
            _put_edge(root, planes, _plane_of(drawing, element), element, drawing.edges[element])
    collaboration = root.find(tag("collaboration"))
    if collaboration is not None and model.pools and not before.pools:
        planes[0].set("bpmnElement", collaboration.get("id", ""))  # a diagram of pools shows their collaboration
    return WorkflowDocument(root, after.name)


def _elements(model: WorkflowModel) -> Iterator[str]:
    """Yield all elements of a diagram, holders before their contents, lines last."""
    yield from (*model.pools, *model.lanes)
    yield from (one.id for one in model.nodes.values() if not one.attached_to)
    yield from (one.id for one in model.nodes.values() if one.attached_to)
    yield from (*model.data, *model.notes, *model.flows, *model.message_flows, *model.links)


def _holder(root: _Element, element: str) -> str:
    """Return the id of an element's parent."""
    if not is_there(root, element):
        return ""
    parent = by_id(root, element).getparent()
    return "" if parent is None else parent.get("id", "")


def _names(drawing: _Element) -> str:
    """Return the element that a plane, shape or edge shows."""
    return drawing.get("bpmnElement", "").rpartition(":")[2]


def _labels(root: _Element) -> Iterator[Box]:
    """Yield the texts next to shapes and lines."""
    for number, diagram in enumerate(root.iter(tag("BPMNDiagram", DIAGRAM))):
        for label in diagram.iter(tag("BPMNLabel", DIAGRAM)):
            for bounds in label.findall(tag("Bounds", POINTS)):
                try:
                    x, y, width, height = (float(bounds.get(name, "0")) for name in ("x", "y", "width", "height"))
                except ValueError:
                    continue
                yield Box(x, y, width, height, plane=number)


def _resize(root: _Element, element: str, box: Box) -> None:
    """Write the new bounds of a shape that grew."""
    for shape in root.iter(tag("BPMNShape", DIAGRAM)):
        bounds = shape.find(tag("Bounds", POINTS))
        if _names(shape) == element and bounds is not None:
            for name, value in _corner(box).items():
                if float(bounds.get(name, "0")) != float(value):
                    bounds.set(name, value)


def _corner(box: Box) -> dict[str, str]:
    return {"x": f"{box.x:.10g}", "y": f"{box.y:.10g}", "width": f"{box.width:.10g}", "height": f"{box.height:.10g}"}


def _put_shape(root: _Element, planes: Sequence[_Element], model: WorkflowModel, element: str, box: Box) -> None:
    from lxml import etree

    shape = etree.SubElement(planes[box.plane], tag("BPMNShape", DIAGRAM), _identity(root, element))
    if element in model.pools or element in model.lanes:
        shape.set("isHorizontal", "true" if box.horizontal else "false")
    elif element in model.nodes and model.nodes[element].type in CONTAINERS:
        shape.set("isExpanded", "true")
    etree.SubElement(shape, tag("Bounds", POINTS), _corner(box))


def _put_edge(root: _Element, planes: Sequence[_Element], plane: int, element: str, points: Sequence[Point]) -> None:
    from lxml import etree

    edge = etree.SubElement(planes[plane], tag("BPMNEdge", DIAGRAM), _identity(root, element))
    for x, y in points:
        etree.SubElement(edge, tag("waypoint", LINES), {"x": f"{x:.10g}", "y": f"{y:.10g}"})


def _identity(root: _Element, element: str) -> dict[str, str]:
    """Return the id of a new shape, which nothing else has, and the element that it shows."""
    chosen, number = f"{element}_di", 1
    while is_there(root, chosen):
        number += 1
        chosen = f"{element}_di{number}"
    return {"id": chosen, "bpmnElement": element}


def _plane_of(drawing: Drawing, element: str) -> int:
    """Return the diagram of a line, which is that of its ends."""
    model = drawing.model
    line = model.flows.get(element) or model.message_flows.get(element) or model.links[element]
    return drawing.shapes[line.source].plane
