"""Right-angled lines between two boxes, around everything between them.

line = route(docks(task), docks(gateway), obstacles=[other], ends=(task, gateway), lines=[])
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from mabos.society.bpmn.model import Box

Point = tuple[float, float]
_STUB = 20.0  # a line leaves its box at least this far before it turns
_NEAR = 300.0  # boxes further away from both ends do not stop a line
_CHANNELS = 12  # columns and rows beside boxes that are tried first, nearest first
_CROSSING = 10_000.0  # the cost of a line through a box


@dataclass(frozen=True, slots=True)
class Dock:
    """A point on the border of a box where a line may begin or end, its direction, and its cost."""

    point: Point
    out: Point
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class _Ground:
    """The boxes that lines may pass, those that they should not cross, and stretches of other lines."""

    boxes: Sequence[Box]
    blocked: Sequence[Box]
    taken: Sequence[tuple[Point, Point]]


def middle(box: Box) -> Point:
    """Return the centre of a box."""
    return box.x + box.width / 2, box.y + box.height / 2


def docks(box: Box, *, entering: bool = False) -> list[Dock]:
    """Return the middles of the four sides; flows leave on the right and enter on the left where possible."""
    x, y = middle(box)
    right, left = (120.0, 0.0) if entering else (0.0, 120.0)
    return [
        Dock((box.x + box.width, y), (1, 0), right),
        Dock((x, box.y + box.height), (0, 1), 40.0),
        Dock((x, box.y), (0, -1), 40.0),
        Dock((box.x, y), (-1, 0), left),
    ]


def vertical_docks(box: Box, x: float) -> list[Dock]:
    """Return the points on the lower and upper border of a box nearest to the column `x`."""
    x = min(max(x, box.x), box.x + box.width)
    return [Dock((x, box.y + box.height), (0, 1)), Dock((x, box.y), (0, -1))]


def route(
    starts: Iterable[Dock], ends: Iterable[Dock], *, own: Sequence[Box], obstacles: Iterable[Box],
    lines: Iterable[Sequence[Point]],
) -> tuple[Point, ...]:  # fmt: skip
    """Return the cheapest line between two docks: preferably over no box, with few bends, and short.

    `own` are the boxes at its ends, which it may touch but not cross; `lines` are those that it should not overlap.
    """
    starts, ends = list(starts), list(ends)
    points = [dock.point for dock in (*starts, *ends)]
    around = Box(min(x for x, _ in points) - _NEAR, min(y for _, y in points) - _NEAR, 0, 0)
    right, bottom = max(x for x, _ in points) + _NEAR, max(y for _, y in points) + _NEAR
    boxes = [pad_box(box, 4) for box in obstacles if box.x < right and box.x + box.width > around.x
             and box.y < bottom and box.y + box.height > around.y]  # fmt: skip
    blocked = [*boxes, *(pad_box(box, -1) for box in own)]
    taken = [segment for line in lines for segment in pairwise(line)]
    ground = _Ground((*boxes, *own), blocked, taken)
    for channels in (_CHANNELS, 5 * _CHANNELS):
        best, lowest = _cheapest(starts, ends, channels, ground)
        if lowest < _CROSSING:
            break
    return straighten_line(best)


def _cheapest(
    starts: Sequence[Dock], ends: Sequence[Dock], channels: int, ground: _Ground
) -> tuple[tuple[Point, ...], float]:
    """Return the cheapest line between two docks, and its cost."""
    found = [
        (start.cost + end.cost + _length(line) + 50 * len(line), line)
        for start in starts for end in ends for line in _lines(start, end, ground.boxes, channels)
    ]  # fmt: skip
    best: tuple[Point, ...] = (starts[0].point, ends[0].point)
    lowest = float("inf")
    for base, line in sorted(found):
        if base >= lowest:
            break  # the others are longer still
        if (cost := _cost(line, base, lowest, ground)) < lowest:
            best, lowest = line, cost
    return best, lowest


def _cost(line: Sequence[Point], base: float, limit: float, ground: _Ground) -> float:
    """Return the cost of a line with the boxes and lines in its way, or a value above a limit."""
    cost = base
    for box in ground.blocked:
        cost += _CROSSING * _crosses(line, box)
        if cost >= limit:
            return cost
    return cost + 300 * _count_overlaps(line, ground.taken)


def _lines(start: Dock, end: Dock, boxes: Sequence[Box], channels: int) -> Iterator[tuple[Point, ...]]:
    """Yield lines of up to five corners between two docks."""
    a, b = start.point, end.point
    if a[0] == b[0] or a[1] == b[1]:
        yield a, b
    first = a[0] + _STUB * start.out[0], a[1] + _STUB * start.out[1]
    last = b[0] + _STUB * end.out[0], b[1] + _STUB * end.out[1]
    yield _join_points(a, first, (last[0], first[1]), last, b)
    yield _join_points(a, first, (first[0], last[1]), last, b)
    borders = [(box.x, box.x + box.width, box.y, box.y + box.height) for box in boxes]
    columns = [x for left, right, _, _ in borders for x in (left - _STUB, right + _STUB)]
    rows = [y for _, _, top, bottom in borders for y in (top - _STUB, bottom + _STUB)]
    for column in _nearest((first[0] + last[0]) / 2, columns, channels):
        yield _join_points(a, first, (column, first[1]), (column, last[1]), last, b)
    for row in _nearest((first[1] + last[1]) / 2, rows, channels):
        yield _join_points(a, first, (first[0], row), (last[0], row), last, b)


def _nearest(centre: float, channels: Iterable[float], limit: int) -> list[float]:
    return [centre, *sorted(set(channels), key=lambda one: (abs(one - centre), one))[:limit]]


def _join_points(*points: Point) -> tuple[Point, ...]:
    """Return a line without repeated points, and without corners on a straight way; turning back stays visible."""
    kept: list[Point] = []
    for point in points:
        if kept and kept[-1] == point:
            continue
        if len(kept) > 1 and _goes_on(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    return tuple(kept)


def _goes_on(before: Point, corner: Point, after: Point) -> bool:
    """Return whether a line keeps its direction at a corner."""
    return any(
        before[other] == corner[other] == after[other]
        and (corner[axis] - before[axis]) * (after[axis] - corner[axis]) > 0
        for axis, other in ((0, 1), (1, 0))
    )


def straighten_line(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return a line without corners where its direction is unchanged."""
    kept: list[Point] = []
    for point in points:
        if len(kept) > 1 and (kept[-2][0] == kept[-1][0] == point[0] or kept[-2][1] == kept[-1][1] == point[1]):
            kept.pop()
        if not kept or kept[-1] != point:
            kept.append(point)
    return tuple(kept)


def _length(line: Sequence[Point]) -> float:
    return sum(abs(x - x2) + abs(y - y2) for (x, y), (x2, y2) in pairwise(line))


def _crosses(line: Sequence[Point], box: Box) -> bool:
    right, bottom = box.x + box.width, box.y + box.height
    return any(
        min(x, x2) < right and max(x, x2) > box.x and min(y, y2) < bottom and max(y, y2) > box.y
        for (x, y), (x2, y2) in pairwise(line)
    )


def _count_overlaps(line: Sequence[Point], taken: Iterable[tuple[Point, Point]]) -> int:
    """Return how many stretches of other lines a line would lie upon."""
    own, count = list(pairwise(line)), 0
    for start, end in taken:
        for axis, across in ((0, 1), (1, 0)):
            if start[across] != end[across]:
                continue
            low, high = sorted((start[axis], end[axis]))
            count += sum(
                abs(a[across] - start[across]) < 4 and abs(b[across] - start[across]) < 4
                and min(high, max(a[axis], b[axis])) - max(low, min(a[axis], b[axis])) > 4
                for a, b in own
            )  # fmt: skip
    return count


def pad_box(box: Box, margin: float) -> Box:
    """Return a box enlarged by a margin on each side, or reduced by a negative one."""
    return Box(box.x - margin, box.y - margin, box.width + 2 * margin, box.height + 2 * margin, plane=box.plane)


def overlaps(one: Box, other: Box) -> bool:
    """Return whether two boxes overlap."""
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def connect_boxes(start: Box, end: Box) -> tuple[Point, Point]:
    """Return the straight line from border to border of two boxes."""
    return _border(start, middle(end)), _border(end, middle(start))


def _border(box: Box, towards: Point) -> Point:
    x, y = middle(box)
    dx, dy = towards[0] - x, towards[1] - y
    shares = [half / abs(way) for half, way in ((box.width / 2, dx), (box.height / 2, dy)) if way]
    share = min([*shares, 1.0]) if shares else 0.0
    return round(x + dx * share, 1), round(y + dy * share, 1)
