"""Placement of new elements in a hand-drawn diagram: on free space, in their lane, near their predecessors.

drawing = Drawing(before.model, after.model)
drawing.complete()
drawing.shapes["Task_9"], drawing.edges["Flow_9"], drawing.grown
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from mabos.society.bpmn.diagram.layout import GAP_X, GAP_Y, STRIP
from mabos.society.bpmn.diagram.routing import (
    Point,
    connect_boxes,
    docks,
    middle,
    overlaps,
    pad_box,
    route,
    vertical_docks,
)
from mabos.society.bpmn.model import CONTAINERS, EVENTS, GATEWAYS, Box, FlowNode, WorkflowModel

_SIZES = {
    **dict.fromkeys(EVENTS, (36.0, 36.0)), **dict.fromkeys(GATEWAYS, (50.0, 50.0)),
    **dict.fromkeys(CONTAINERS, (350.0, 200.0)), "textAnnotation": (140.0, 50.0), "dataObjectReference": (36.0, 50.0),
    "dataStoreReference": (50.0, 50.0),
}  # fmt: skip
_MARGIN, _SAME = 20.0, 5.0  # free space around a new shape; borders this close to each other are one border
_NEW_LANE, _NEW_POOL, _SMALL = 120.0, (600.0, 60.0), (140.0, 100.0)


@dataclass(slots=True)
class Drawing:
    """The shapes and lines of a file, with those of `added` elements once `complete` has placed them.

    `labels` are the texts next to shapes and lines, `ignored` shapes that may be drawn over (groups). `scopes` is the
    parent of each added element, `planes` the content of each diagram of the file. `grown` names the lanes, pools and
    sub-processes that were enlarged to make room; all other existing elements are unchanged.
    """

    model: WorkflowModel
    added: Sequence[str]
    scopes: Mapping[str, str]
    planes: Sequence[str]
    labels: Sequence[Box] = ()
    ignored: frozenset[str] = frozenset()
    shapes: dict[str, Box] = field(default_factory=dict)
    edges: dict[str, tuple[Point, ...]] = field(default_factory=dict)
    grown: set[str] = field(default_factory=set)

    def complete(self) -> None:
        """Place each added element, unless its parent is not drawn either."""
        self.shapes, self.edges = dict(self.model.shapes), dict(self.model.edges)
        for kinds in (self.model.pools, self.model.lanes):
            for element in (one for one in self.added if one in kinds):
                box = self._pool(element) if element in self.model.pools else self._lane(element)
                if box is not None:
                    self.shapes[element] = box
        nodes, data, notes = self.model.nodes, self.model.data, self.model.notes
        shown = [
            one for one in self.added if one in nodes or one in notes or (one in data and data[one].type in _SIZES)
        ]
        for element in shown:
            if (box := self._box(element)) is not None:
                self.shapes[element] = box
        for element in self.added:
            if line := self._line(element):
                self.edges[element] = line

    # Shapes

    def _box(self, element: str) -> Box | None:
        """Return the place of an added node, note or datum."""
        node = self.model.nodes.get(element)
        if node is not None and node.attached_to:
            return self._on_border(node)
        scope = self.scopes.get(element, "")
        holders = self._holders(scope, node.lane if node is not None else "")
        if holders is None:
            return None
        kind = node.type if node else self.model.data[element].type if element in self.model.data else "textAnnotation"
        sizes = [_SIZES.get(kind, (100.0, 80.0)), *([_SMALL] if kind in CONTAINERS else [])]
        region = self._region(holders[0]) if holders else None
        plane = region.plane if region else self._plane(scope)
        follows = self._follows(scope, node.lane if node else "", plane)
        solid = [box for one, box in self.shapes.items() if box.plane == plane and self._is_solid(one, holders)]
        lines = [_segment(a, b) for line in self._lines_on(plane) for a, b in pairwise(line)]
        texts = [box for box in self.labels if box.plane == plane]
        anchors = [*([follows] if follows else []), *solid]
        for size in sizes:
            wanted = self._preferred_box(follows, region, size, plane)
            for free_of, margin in (([*solid, *texts, *lines], _MARGIN), ([*solid, *texts], _MARGIN), (solid, _SAME)):
                found = next((box for box in _spots(wanted, anchors, region) if _is_free(box, free_of, margin)), None)
                if found is None and region is not None:
                    found = next((box for box in _grid(wanted, region) if _is_free(box, free_of, margin)), None)
                if found is not None:
                    return found
        return self._with_growth(wanted, holders, solid) if holders else wanted

    def _holders(self, scope: str, lane: str) -> list[str] | None:
        """Return the drawn shapes around a place, innermost first; None where the scope is not drawn."""
        if scope in self.model.nodes:
            if scope in self.planes:
                return []
            box = self.shapes.get(scope)
            if box is None or not self._is_open(scope, box):
                return None
            node = self.model.nodes[scope]
            return [scope, *(self._holders(node.scope, node.lane) or [])]
        lanes = []
        while lane:
            lanes += [lane] if lane in self.shapes else []
            lane = self.model.lanes[lane].parent
        return lanes + [one.id for one in self.model.pools.values() if one.process == scope and one.id in self.shapes]

    def _region(self, holder: str) -> Box:
        """Return the part of a holder that is free for its contents."""
        box = self.shapes[holder]
        return box if holder in self.model.nodes else _without_title(box)

    def _is_open(self, scope: str, box: Box) -> bool:
        """Return whether a sub-process shows its contents."""
        inside = [self.shapes[one.id] for one in self.model.members.get(scope, ()) if one.id in self.shapes]
        return box.expanded and (any(one.plane == box.plane for one in inside) or (not inside and box.width > 120))

    def _plane(self, scope: str) -> int:
        """Return the diagram in which the elements of a scope without a shape of its own are."""
        if scope in self.planes:
            return self.planes.index(scope)
        known = (self.shapes[one.id].plane for one in self.model.members.get(scope, ()) if one.id in self.shapes)
        return next(known, 0)

    def _follows(self, scope: str, lane: str, plane: int) -> Box | None:
        """Return the box that a new node is put behind: the last that leads nowhere yet, else the last of its lane."""
        drawn = [one for one in self.model.members.get(scope, ()) if one.id in self.shapes and not one.attached_to]
        here = [one for one in drawn if self.shapes[one.id].plane == plane]
        for near in ([one for one in here if one.lane == lane], here):
            loose = [one for one in near if not one.outgoing and one.type != "endEvent"]
            if near:
                return max((self.shapes[one.id] for one in loose or near), key=lambda box: box.x + box.width)
        return None

    def _preferred_box(self, follows: Box | None, region: Box | None, size: tuple[float, float], plane: int) -> Box:
        if follows is None:
            if region is not None:
                return Box(region.x + _MARGIN, region.y + (region.height - size[1]) / 2, *size, plane=plane)
            extent = _extent(box for box in self.shapes.values() if box.plane == plane)
            return Box(extent.x, extent.y + extent.height + GAP_Y, *size, plane=plane)
        box = Box(follows.x + follows.width + GAP_X, middle(follows)[1] - size[1] / 2, *size, plane=plane)
        if region is not None and not _is_inside(replace(box, x=region.x + _SAME), region, 0):  # in another lane
            return replace(box, y=region.y + (region.height - size[1]) / 2)
        return box

    def _is_solid(self, element: str, holders: Sequence[str]) -> bool:
        """Return whether nothing may be put over a shape."""
        model = self.model
        if element in holders or element in self.ignored or element in model.lanes:
            return False
        return not (element in model.pools and holders)  # inside a pool its neighbours are no matter

    def _lines_on(self, plane: int) -> Iterator[tuple[Point, ...]]:
        """Yield the lines that may be in a diagram."""
        model = self.model
        for element, line in self.edges.items():
            end = model.flows.get(element) or model.message_flows.get(element) or model.links.get(element)
            box = self.shapes.get(end.source) if end is not None else None
            if box is None or box.plane == plane:
                yield line

    def _on_border(self, node: FlowNode) -> Box | None:
        """Return a free place for a boundary event on the border of its activity."""
        host = self.shapes.get(node.attached_to)
        if host is None:
            return None
        right, bottom = host.x + host.width, host.y + host.height
        spots = [(right - 48.0 - 44.0 * n, bottom - 18.0) for n in range(max(1, int((host.width - 8) // 44)))]
        spots += [(right - 48.0 - 44.0 * n, host.y - 18.0) for n in range(max(1, int((host.width - 8) // 44)))]
        boxes = [Box(x, y, 36.0, 36.0, plane=host.plane) for x, y in spots]
        holders = self._holders(node.scope, node.lane)
        if holders:
            boxes.sort(key=lambda box: not _is_inside(box, self._region(holders[0]), 0))
        taken = [self.shapes[one.id] for one in self.model.boundaries[node.attached_to] if one.id in self.shapes]
        docked = [_segment(line[end], line[end]) for line in self._lines_on(host.plane) for end in (0, -1) if line]
        for free_of in ([*taken, *docked], taken):
            found = next((box for box in boxes if _is_free(box, free_of, 1)), None)
            if found is not None:
                return found
        return boxes[0]

    # Lanes and pools

    def _pool(self, pool_id: str) -> Box:
        """Return the box around the process that a pool is given, or a place for a black box below everything."""
        pool = self.model.pools[pool_id]
        inside = [box for one, box in self.shapes.items() if box.plane == 0 and self._process_of(one) == pool.process]
        if pool.process and inside:
            around = _extent(inside)
            return Box(around.x - STRIP - GAP_X, around.y - GAP_Y, around.width + STRIP + 2 * GAP_X,
                       around.height + 2 * GAP_Y)  # fmt: skip
        everything = _extent(box for box in self.shapes.values() if box.plane == 0)
        pools = [self.shapes[one] for one in self.model.pools if one in self.shapes]
        width = max((box.width for box in pools), default=max(_NEW_POOL[0], everything.width))
        left = min((box.x for box in pools), default=everything.x)
        return Box(left, everything.y + everything.height + GAP_Y, width, _NEW_POOL[1])

    def _process_of(self, element: str) -> str:
        model = self.model
        if element in model.nodes:
            return model.process_of(element)
        if element in model.lanes:
            return model.lanes[element].process
        return model.data[element].scope if element in model.data else ""

    def _lane(self, lane_id: str) -> Box | None:
        """Return the strip of a new lane at a free end of its pool, which grows by it; None where both are taken."""
        process = self.model.lanes[lane_id].process
        lanes = [self.shapes[one.id] for one in self.model.lanes.values() if one.process == process and
                 not one.parent and one.id in self.shapes]  # fmt: skip
        pool_id = next((one.id for one in self.model.pools.values() if one.process == process), "")
        pool = self.shapes.get(pool_id)
        inside = [self.shapes[one.id] for one in self.model.members.get(process, ()) if one.id in self.shapes]
        if pool is None:
            around = _extent(lanes or inside or [Box(GAP_X, 0, _NEW_POOL[0], 0)])
            gap = 0.0 if lanes else GAP_Y
            return Box(around.x, around.y + around.height + gap, max(around.width, _NEW_POOL[0]), _NEW_LANE)
        if not lanes and not inside:
            return _without_title(pool)
        beside = lanes[0] if lanes else _without_title(pool)
        for grown, strip in _strips(pool, beside):
            others = (box for one, box in self.shapes.items() if one != pool_id and box.plane == pool.plane)
            if not any(overlaps(strip, box) for box in others):
                self.shapes[pool_id] = grown
                self.grown.add(pool_id)
                return strip
        return None

    # Room

    def _with_growth(self, wanted: Box, holders: Sequence[str], solid: Sequence[Box]) -> Box:
        """Return a place behind or below all in a full region, whose holders grow where that disturbs the least."""
        region = self._region(holders[0])
        inside = [box for box in solid if overlaps(box, region)]
        around = _extent(inside) if inside else region
        left = max(region.x + _MARGIN, min(wanted.x, region.x + region.width - wanted.width - _MARGIN))
        top = min(max(wanted.y, region.y + _MARGIN), max(region.y + (region.height - wanted.height) / 2, region.y))
        right = replace(wanted, x=around.x + around.width + GAP_X, y=top)
        below = replace(wanted, x=left, y=around.y + around.height + GAP_Y)
        choices = [(box, self._grow(holders, box)) for box in (right, below)]
        box, changed = min(choices, key=lambda one: self._measure_disturbance(one[1], holders))
        self.shapes |= changed
        self.grown |= set(changed)
        return box

    def _grow(self, holders: Sequence[str], need: Box) -> dict[str, Box]:
        """Return the holders, and the lanes next to them, that must grow to hold a box, with their new boxes."""
        changed: dict[str, Box] = {}
        for holder in holders:
            box = changed.get(holder, self.shapes[holder])
            need = pad_box(need, _MARGIN)
            right = max(box.x + box.width, need.x + need.width)
            bottom = max(box.y + box.height, need.y + need.height)
            grown = replace(box, width=right - box.x, height=bottom - box.y)
            if grown != box:
                changed |= self._side_by_side(holder, box, right, bottom)
                changed[holder] = grown
            need = pad_box(grown, -_MARGIN)
        return changed

    def _side_by_side(self, holder: str, box: Box, right: float, bottom: float) -> dict[str, Box]:
        """Return the lanes and the pool whose border is that of a lane which moves, with that border moved too."""
        lane = self.model.lanes.get(holder)
        if lane is None:
            pool = self.model.pools.get(holder)
            process = pool.process if pool is not None else ""
        else:
            process = lane.process
        found = {}
        for one in (one.id for one in self.model.lanes.values() if process and one.process == process):
            own = self.shapes.get(one)
            if own is None or one == holder:
                continue
            if abs(own.x + own.width - box.x - box.width) <= _SAME:
                own = replace(own, width=right - own.x)
            if abs(own.y + own.height - box.y - box.height) <= _SAME:
                own = replace(own, height=bottom - own.y)
            if own != self.shapes[one]:
                found[one] = own
        return found

    def _measure_disturbance(self, changed: Mapping[str, Box], holders: Sequence[str]) -> tuple[int, float]:
        """Return how many shapes and ends of lines growth would cover, and by how much area it grows."""
        count, area = 0, 0.0
        for one, new in changed.items():
            old = self.shapes[one]
            area += new.width * new.height - old.width * old.height
            added = [Box(old.x + old.width, old.y, new.width - old.width, new.height),
                     Box(old.x, old.y + old.height, new.width, new.height - old.height)]  # fmt: skip
            for strip in (strip for strip in added if strip.width > 0 and strip.height > 0):
                others = [box for other, box in self.shapes.items() if other not in changed and other not in holders
                          and other not in self.ignored and box.plane == old.plane]  # fmt: skip
                count += sum(overlaps(strip, box) for box in others)
                if one in self.model.nodes:
                    ends = [line[end] for line in self._lines_on(old.plane) for end in (0, -1) if line]
                    count += sum(overlaps(pad_box(strip, 1), _segment(end, end)) for end in ends)
        return count, area

    # Lines

    def _line(self, element: str) -> tuple[Point, ...]:
        """Return the line of an added flow, message or association; none where an end is not drawn."""
        model = self.model
        flow = model.flows.get(element) or model.message_flows.get(element) or model.links.get(element)
        if flow is None:
            return ()
        start, end = self.shapes.get(flow.source), self.shapes.get(flow.target)
        if start is None or end is None or start.plane != end.plane:
            return ()
        if element in model.links:
            return connect_boxes(start, end)
        around = {*self._around(flow.source), *self._around(flow.target)}
        solid = [box for one, box in self.shapes.items() if box.plane == start.plane and one not in around
                 and one not in (flow.source, flow.target) and self._is_solid(one, ["inside"])]  # fmt: skip
        lines = list(self._lines_on(start.plane))
        if element in model.message_flows:
            x, x2 = middle(start)[0], middle(end)[0]
            x2 = x if flow.target in model.pools else x2
            x = x2 if flow.source in model.pools else x
            starts, ends = vertical_docks(start, x), vertical_docks(end, x2)
        else:
            starts, ends = docks(start), docks(end, entering=True)
        return route(starts, ends, own=(start, end), obstacles=solid, lines=lines)

    def _around(self, element: str) -> Iterator[str]:
        """Yield the sub-processes that an element is in."""
        while element in self.model.nodes:
            element = self.model.nodes[element].scope
            yield element


def _segment(start: Point, end: Point) -> Box:
    """Return the box of a straight line."""
    (x, y), (x2, y2) = start, end
    return Box(min(x, x2) - 0.5, min(y, y2) - 0.5, abs(x - x2) + 1, abs(y - y2) + 1)


def _extent(boxes: Iterable[Box]) -> Box:
    """Return the box around all boxes."""
    known = list(boxes)
    if not known:
        return Box(GAP_X, GAP_Y, 0, 0)
    x, y = min(box.x for box in known), min(box.y for box in known)
    right, bottom = max(box.x + box.width for box in known), max(box.y + box.height for box in known)
    return Box(x, y, right - x, bottom - y)


def _spots(wanted: Box, anchors: Iterable[Box], region: Box | None) -> list[Box]:
    """Return the places to try, the nearest to the wanted one first: behind, below, above and before each shape."""
    width, height = wanted.width, wanted.height
    corners = [(wanted.x, wanted.y)]
    for box in anchors:
        x, y = middle(box)
        behind, below = box.x + box.width + GAP_X, box.y + box.height + GAP_Y
        corners += [(behind, y - height / 2), (behind, wanted.y), (x - width / 2, below)]
        corners += [(x - width / 2, box.y - GAP_Y - height), (box.x - GAP_X - width, y - height / 2)]
    return _rank_spots(wanted, [replace(wanted, x=float(round(x)), y=float(round(y))) for x, y in corners], region)


def _grid(wanted: Box, region: Box) -> list[Box]:
    """Return places all over a region, the nearest to the wanted one first."""
    step = max(10.0, (region.width * region.height / 5_000) ** 0.5)
    columns, rows = int(region.width / step), int(region.height / step)
    spots = [replace(wanted, x=float(round(region.x + step * column)), y=float(round(region.y + step * row)))
             for column in range(columns) for row in range(rows)]  # fmt: skip
    return _rank_spots(wanted, spots, region)


def _rank_spots(wanted: Box, spots: Iterable[Box], region: Box | None) -> list[Box]:
    inside = [box for box in spots if region is None or _is_inside(box, region, _MARGIN / 2)]
    return sorted(inside, key=lambda box: abs(box.x - wanted.x) + abs(box.y - wanted.y))


def _is_inside(box: Box, region: Box, margin: float) -> bool:
    return (
        box.x >= region.x + margin
        and box.y >= region.y + margin
        and box.x + box.width <= region.x + region.width - margin
        and box.y + box.height <= region.y + region.height - margin
    )


def _is_free(box: Box, others: Iterable[Box], margin: float) -> bool:
    wide = pad_box(box, margin)
    return not any(overlaps(wide, other) for other in others)


def _without_title(pool: Box) -> Box:
    """Return the part of a pool in which its lanes are."""
    if pool.horizontal:
        return replace(pool, x=pool.x + STRIP, width=pool.width - STRIP)
    return replace(pool, y=pool.y + STRIP, height=pool.height - STRIP)


def _strips(pool: Box, lane: Box) -> list[tuple[Box, Box]]:
    """Return how a pool grows by a lane after the last, or before the first, and that lane's box."""
    if pool.horizontal:
        grown = replace(pool, height=pool.height + _NEW_LANE)
        below = replace(lane, y=pool.y + pool.height, height=_NEW_LANE)
        return [(grown, below), (replace(grown, y=pool.y - _NEW_LANE), replace(below, y=pool.y - _NEW_LANE))]
    grown = replace(pool, width=pool.width + _NEW_LANE)
    behind = replace(lane, x=pool.x + pool.width, width=_NEW_LANE)
    return [(grown, behind), (replace(grown, x=pool.x - _NEW_LANE), replace(behind, x=pool.x - _NEW_LANE))]
