"""The diagram of a workflow written into its file, so that any modeller opens it as a picture."""

from copy import deepcopy

from mabos.society.bpmn.diagram.layout import DiagramLayout, laid_out
from mabos.society.bpmn.document import Document
from mabos.society.bpmn.model import CONTAINERS
from mabos.society.bpmn.names import DIAGRAM, LINES, POINTS, tag


def drawn(document: Document) -> Document:
    """Return the document with a new diagram of everything in place of those it had; a large one as it is."""
    from lxml import etree

    if document.model.is_large:
        return document
    layout = laid_out(document.model)
    root = deepcopy(document.root)
    for old in root.findall(tag("BPMNDiagram", DIAGRAM)):
        root.remove(old)
    diagram = etree.SubElement(root, tag("BPMNDiagram", DIAGRAM), {"id": "Diagram_1"})
    collaboration = root.find(tag("collaboration"))
    shown = collaboration if collaboration is not None else root.find(tag("process"))
    of = "" if shown is None else shown.get("id", "")
    plane = etree.SubElement(diagram, tag("BPMNPlane", DIAGRAM), {"id": "Plane_1", "bpmnElement": of})
    for element, box in layout.shapes.items():
        shape = etree.SubElement(plane, tag("BPMNShape", DIAGRAM), {"id": f"{element}_di", "bpmnElement": element})
        if element in document.model.pools or element in document.model.lanes:
            shape.set("isHorizontal", "true")
        elif element in document.model.nodes and document.model.nodes[element].type in CONTAINERS:
            shape.set("isExpanded", "true" if document.model.members.get(element) else "false")
        corner = {"x": f"{box.x:g}", "y": f"{box.y:g}", "width": f"{box.width:g}", "height": f"{box.height:g}"}
        etree.SubElement(shape, tag("Bounds", POINTS), corner)
    for element, points in layout.edges.items():
        edge = etree.SubElement(plane, tag("BPMNEdge", DIAGRAM), {"id": f"{element}_di", "bpmnElement": element})
        for x, y in points:
            etree.SubElement(edge, tag("waypoint", LINES), {"x": f"{x:g}", "y": f"{y:g}"})
    return Document(root, document.name)


def layout_of(document: Document) -> DiagramLayout:
    """Return where things stand: as the file says, or laid out where it has no diagram of its nodes."""
    model = document.model
    if model.is_large:
        return DiagramLayout()
    if model.nodes and not set(model.nodes) <= set(model.shapes):
        return laid_out(model)
    return DiagramLayout(dict(model.shapes), dict(model.edges))
