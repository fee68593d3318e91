"""Layout of a workflow: time from left to right, lanes from top to bottom, no lines through boxes.

Layers by longest paths without the flows that lead back (Sugiyama and others 1981), rows by the neighbours to the left.
`draw_diagram` writes the layout into the file, so that any modeller opens it as a picture.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import count

from mabos.society.bpmn.diagram.routing import Point, middle, straighten_line
from mabos.society.bpmn.document import WorkflowDocument
from mabos.society.bpmn.elements import DIAGRAM, LINES, POINTS, tag
from mabos.society.bpmn.model import CONTAINERS, EVENTS, GATEWAYS, Box, FlowNode, WorkflowModel

GAP_X, GAP_Y, EDGE, STRIP = 50.0, 40.0, 30.0, 30.0
"""Between columns, between rows, around everything, and the width of the name of a pool or lane."""


_BESIDE = {"textAnnotation": (140.0, 50.0), "dataObjectReference": (36.0, 50.0), "dataStoreReference": (50.0, 50.0)}


@dataclass(slots=True)
class DiagramLayout:
    """The boxes of elements, the corners of the lines between them, and the size of each sub-process."""

    shapes: dict[str, Box] = field(default_factory=dict)
    edges: dict[str, tuple[Point, ...]] = field(default_factory=dict)
    sizes: dict[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(slots=True)
class _Grid:
    """The nodes of one scope in columns and rows, and where each column and row begins."""

    column: dict[str, int]
    row: dict[str, int]
    lefts: list[float]
    tops: list[float]
    lane_rows: dict[str, tuple[int, int]]
    width: float = 0.0
    height: float = 0.0
    left: float = 0.0
    top: float = 0.0


def laid_out(model: WorkflowModel) -> DiagramLayout:
    """Return a position for every element of a model."""
    found = DiagramLayout()
    top = EDGE
    full = {one for one in model.processes if model.members.get(one)} | {one.process for one in model.lanes.values()}
    pools = {pool.process: pool.id for pool in model.pools.values() if pool.process in full}
    for process in model.processes:
        pool = pools.get(process, "")
        left = EDGE + (STRIP if pool else 0.0)
        width, height = _scope(model, process, left, top, found)
        inside = [one.id for one in model.data.values() if one.scope == process and one.type in _BESIDE]
        inside += _notes(model, process)
        if inside and height:
            _row(model, found, inside, left + GAP_X, top + height)
            height += 50.0 + GAP_Y
        if pool:
            spare = GAP_Y if any(lane.process == process for lane in model.lanes.values()) else 0.0
            found.shapes[pool] = Box(EDGE, top + spare / 2, width + STRIP, height - spare)
        top += height + GAP_Y if height else 0.0
    for one in model.pools.values():
        if one.process not in full:
            found.shapes[one.id] = Box(EDGE, top, 600.0, 60.0)
            top += 60.0 + GAP_Y
    _widen(model, found)
    _beside(model, found, top)
    for flow in model.message_flows.values():
        found.edges[flow.id] = _message(found.shapes.get(flow.source), found.shapes.get(flow.target))
    for link in model.links.values():
        ends = found.shapes.get(link.source), found.shapes.get(link.target)
        if ends[0] is not None and ends[1] is not None:
            found.edges[link.id] = (middle(ends[0]), middle(ends[1]))
    return found


def _notes(model: WorkflowModel, process: str) -> list[str]:
    """Return the notes about nodes of a process."""
    ends = [(one.source, one.target) for one in model.links.values()]
    about = {note: node for pair in ends for note, node in (pair, pair[::-1]) if note in model.notes}
    return [note for note, node in about.items() if node in model.nodes and model.process_of(node) == process]


def _widen(model: WorkflowModel, found: DiagramLayout) -> None:
    """Let all pools, and the lanes in them, end at the same place."""
    drawn = [one for one in (*model.pools, *model.lanes) if one in found.shapes]
    right = max((found.shapes[one].x + found.shapes[one].width for one in drawn), default=0.0)
    for one in drawn:
        found.shapes[one] = replace(found.shapes[one], width=right - found.shapes[one].x)


def _beside(model: WorkflowModel, found: DiagramLayout, top: float) -> None:
    """Place notes, and data that are in no process of their own, below everything."""
    left = [one for one in (*model.notes, *model.data) if one not in found.shapes]
    _row(model, found, left, EDGE, top)


def _row(model: WorkflowModel, found: DiagramLayout, elements: Iterable[str], left: float, top: float) -> None:
    """Place notes and data in a row; elements that are not drawn are skipped."""
    for element in elements:
        size = _BESIDE.get(model.data[element].type if element in model.data else "textAnnotation")
        if size is not None:
            found.shapes[element] = Box(left, top, *size)
            left += size[0] + GAP_X


def _scope(model: WorkflowModel, scope: str, left: float, top: float, found: DiagramLayout) -> tuple[float, float]:
    """Place the contents of a process or sub-process, and return its width and height."""
    nodes = [node for node in model.members.get(scope, ()) if not node.attached_to]
    lanes = [lane for lane in model.lanes.values() if lane.process == scope and not _has_children(model, lane.id)]
    if not nodes and not lanes:
        return (0.0, 0.0) if scope in model.processes else (100.0, 80.0)
    sizes = {node.id: _size(model, node, found) for node in nodes}
    grid = _grid(model, nodes, sizes, [lane.id for lane in lanes])
    inset = STRIP if lanes else 0.0
    grid.left, grid.top = left + inset, top
    for node in nodes:
        width, height = sizes[node.id]
        column, row = grid.column[node.id], grid.row[node.id]
        x = left + inset + grid.lefts[column] + (grid.lefts[column + 1] - grid.lefts[column] - GAP_X - width) / 2
        y = top + grid.tops[row] + (grid.tops[row + 1] - grid.tops[row] - GAP_Y - height) / 2
        found.shapes[node.id] = Box(x, y, width, height)
        if node.type in CONTAINERS:
            _scope(model, node.id, x, y, found)
        _attach_boundary_events(model, node, found)
    width = grid.width + inset
    for lane in lanes:
        first, last = grid.lane_rows[lane.id]
        y = top + grid.tops[first] - GAP_Y / 2
        found.shapes[lane.id] = Box(left, y, width, grid.tops[last] - grid.tops[first])
    _nest_lanes(model, scope, found)
    for flow in model.flows.values():
        if flow.scope == scope:
            found.edges[flow.id] = _line(model, grid, found, flow.source, flow.target)
    return width, grid.height


def _has_children(model: WorkflowModel, lane_id: str) -> bool:
    return any(lane.parent == lane_id for lane in model.lanes.values())


def _nest_lanes(model: WorkflowModel, scope: str, found: DiagramLayout) -> None:
    """Give a lane of lanes the box around those in it."""
    for lane in reversed(
        [one for one in model.lanes.values() if one.process == scope and _has_children(model, one.id)]
    ):
        inner = [
            found.shapes[one.id] for one in model.lanes.values() if one.parent == lane.id and one.id in found.shapes
        ]
        if inner:
            top, bottom = min(box.y for box in inner), max(box.y + box.height for box in inner)
            found.shapes[lane.id] = Box(inner[0].x, top, inner[0].width, bottom - top)


def _size(model: WorkflowModel, node: FlowNode, found: DiagramLayout) -> tuple[float, float]:
    if node.type in EVENTS:
        return 36.0, 36.0
    if node.type in GATEWAYS:
        return 50.0, 50.0
    if node.type in CONTAINERS and model.members.get(node.id):
        if node.id not in found.sizes:  # worked out once: else each level would double the work of those inside
            width, height = _scope(model, node.id, 0.0, 0.0, DiagramLayout(sizes=found.sizes))
            found.sizes[node.id] = max(width, 100.0), max(height, 80.0)
        return found.sizes[node.id]
    return 100.0, 80.0


def _attach_boundary_events(model: WorkflowModel, host: FlowNode, found: DiagramLayout) -> None:
    """Put boundary events on the lower edge of their activity, from right to left."""
    box = found.shapes[host.id]
    for number, event in enumerate(model.boundaries.get(host.id, ())):
        found.shapes[event.id] = Box(box.x + box.width - 48.0 - 44.0 * number, box.y + box.height - 18.0, 36.0, 36.0)


def _grid(
    model: WorkflowModel, nodes: Sequence[FlowNode], sizes: Mapping[str, tuple[float, float]], lanes: Sequence[str]
) -> _Grid:
    after = {node.id: _following(model, node, sizes) for node in nodes}
    column = _columns(nodes, after)
    row, lane_rows = _rows(nodes, after, column, lanes)
    rows = max((last for _, last in lane_rows.values()), default=max(row.values(), default=0) + 1)
    columns = max(column.values(), default=0) + 1
    widths, heights = [100.0] * columns, [80.0] * rows
    for node in nodes:
        width, height = sizes[node.id]
        below = 18.0 if model.boundaries.get(node.id) else 0.0
        widths[column[node.id]] = max(widths[column[node.id]], width)
        heights[row[node.id]] = max(heights[row[node.id]], height + 2 * below)
    lefts, tops = [GAP_X], [GAP_Y]
    for width in widths:
        lefts.append(lefts[-1] + width + GAP_X)
    for height in heights:
        tops.append(tops[-1] + height + GAP_Y)
    return _Grid(column, row, lefts, tops, lane_rows, lefts[-1], tops[-1])


def _following(model: WorkflowModel, node: FlowNode, known: Iterable[str]) -> list[str]:
    events = [node, *model.boundaries.get(node.id, ())]
    inside = set(known)
    return [target for one in events for flow in one.outgoing if (target := model.flows[flow].target) in inside]


def _columns(nodes: Sequence[FlowNode], after: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the column of each node: after all that lead to it, except by flows that lead back."""
    order: list[str] = []
    back: set[tuple[str, str]] = set()
    state: dict[str, int] = {}
    roots = sorted(nodes, key=lambda node: (node.type != "startEvent", bool(node.incoming)))
    for root in roots:
        stack = [(root.id, iter(after[root.id]))] if root.id not in state else []
        state.setdefault(root.id, 1)
        while stack:
            here, ways = stack[-1]
            following = next(ways, None)
            if following is None:
                state[here] = 2
                order.append(here)
                stack.pop()
            elif following not in state:
                state[following] = 1
                stack.append((following, iter(after[following])))
            elif state[following] == 1:
                back.add((here, following))
    column = dict.fromkeys(after, 0)
    for here in reversed(order):
        for following in after[here]:
            if (here, following) not in back:
                column[following] = max(column[following], column[here] + 1)
    return column


def _rows(
    nodes: Sequence[FlowNode], after: Mapping[str, Sequence[str]], column: Mapping[str, int], lanes: Sequence[str]
) -> tuple[dict[str, int], dict[str, tuple[int, int]]]:
    """Return the row of each node, near those that lead to it, and the rows of each lane."""
    before: dict[str, list[str]] = {node.id: [] for node in nodes}
    for here, ways in after.items():
        for following in ways:
            before[following].append(here)
    home = {node.id: node.lane if node.lane in lanes else (lanes[0] if lanes else "") for node in nodes}
    inside: dict[str, int] = {}
    used: dict[str, set[tuple[int, int]]] = {lane: set() for lane in (*lanes, "")}
    for node in sorted(nodes, key=lambda one: column[one.id]):
        own = used[home[node.id]]
        near = [inside[one] for one in before[node.id] if one in inside and home[one] == home[node.id]]
        wanted = round(sum(near) / len(near)) if near else 0
        tries = (row for away in count() for row in (wanted - away, wanted + away) if row >= 0)
        inside[node.id] = next(row for row in tries if (column[node.id], row) not in own)
        own.add((column[node.id], inside[node.id]))
    lane_rows, top = dict[str, tuple[int, int]](), 0
    for lane in lanes:
        height = max((inside[one] + 1 for one in inside if home[one] == lane), default=1)
        lane_rows[lane] = (top, top + height)
        top += height
    return {one: inside[one] + lane_rows.get(home[one], (0, 0))[0] for one in inside}, lane_rows


def _message(source: Box | None, target: Box | None) -> tuple[Point, ...]:
    if source is None or target is None:
        return ()
    down = source.y < target.y
    x, end = middle(source)[0], middle(target)[0]
    start_y = source.y + source.height if down else source.y
    end_y = target.y if down else target.y + target.height
    between = (start_y + end_y) / 2
    return ((x, start_y), (x, between), (end, between), (end, end_y))


def _line(model: WorkflowModel, grid: _Grid, found: DiagramLayout, source: str, target: str) -> tuple[Point, ...]:
    """Return the corners of a flow: straight in its row, else along the free space between columns and rows."""
    start, end = found.shapes[source], found.shapes[target]
    host = model.nodes[source].attached_to
    at, to = grid.column[host or source], grid.column[target]
    row, end_row = grid.row[host or source], grid.row[target]
    (_, y), (_, end_y) = middle(start), middle(end)
    end_gap = grid.left + grid.lefts[to] - GAP_X / 2
    below = grid.top + grid.tops[row + 1] - 0.75 * GAP_Y
    if host:
        x = start.x + start.width / 2
        return straighten_line(
            [(x, start.y + start.height), (x, below), (end_gap, below), (end_gap, end_y), (end.x, end_y)]
        )
    gap = grid.left + grid.lefts[at + 1] - GAP_X / 2
    right = start.x + start.width
    is_free = all(not (grid.row[one] == row and at < grid.column[one] < to) for one in grid.row)
    if to > at and row == end_row and is_free:
        return ((right, y), (end.x, end_y))
    if to == at + 1:
        return straighten_line([(right, y), (gap, y), (gap, end_y), (end.x, end_y)])
    if to > at and is_free:
        return straighten_line([(right, y), (end_gap, y), (end_gap, end_y), (end.x, end_y)])
    return straighten_line([(right, y), (gap, y), (gap, below), (end_gap, below), (end_gap, end_y), (end.x, end_y)])


def draw_diagram(document: WorkflowDocument) -> WorkflowDocument:
    """Return the document with one new diagram of everything, replacing the old ones; a large one unchanged.

    The first diagram's name and id are kept.
    """
    from lxml import etree

    if document.model.is_large:
        return document
    layout = laid_out(document.model)
    root = deepcopy(document.root)
    before = root.findall(tag("BPMNDiagram", DIAGRAM))
    for old in before:
        root.remove(old)
    named = {"id": "Diagram_1"} | {str(key): str(value) for one in before[:1] for key, value in one.attrib.items()}
    diagram = etree.SubElement(root, tag("BPMNDiagram", DIAGRAM), named)
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
    return WorkflowDocument(root, document.name)


def layout_of(document: WorkflowDocument) -> DiagramLayout:
    """Return the layout of a document: its own, or a generated one if it has no diagram of its nodes."""
    model = document.model
    if model.is_large:
        return DiagramLayout()
    if model.nodes and not set(model.nodes) <= set(model.shapes):
        return laid_out(model)
    return DiagramLayout(dict(model.shapes), dict(model.edges))
