"""The figures of a business over time, with decisions marked on each."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from mabos.interfaces.dashboard.svg import wrap_markup
from mabos.interfaces.dashboard.view import PageRequest
from mabos.society.decisions import Decision
from mabos.society.metrics import MetricPoint, Metrics
from mabos.society.simulation.charts import ChartLine, Marker, line_chart
from mabos.society.simulation.figures import figure, place

POINTS = 60
"""Points of a series that a chart shows, the newest."""
CHARTS = 12
"""Series that are shown unless all are asked for."""
MARKED = 20
"""Decisions that are marked, the newest."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A series as a picture, its newest value, its change since the first shown, and its source."""

    name: str
    label: str
    now: str
    change: str
    point: MetricPoint
    picture: Markup


def figures(asked: PageRequest) -> Mapping[str, Any]:
    """Return a chart for each series of a business, most important first, with the decisions marked."""
    services = asked.services
    known, business = services.businesses(), asked.business()
    if business is None:
        return {"businesses": known, "business": "", "charts": [], "marked": [], "counted": 0}
    marked = _select_answered(business.decisions.all())
    names = sorted(business.metrics.names(), key=lambda name: (place(name), name))
    shown = names if asked.text("whole") else names[:CHARTS]
    return {
        "businesses": known,
        "business": business.id,
        "charts": [_chart(business.metrics, name, marked) for name in shown],
        "marked": list(enumerate(marked, 1)),
        "counted": len(names),
    }


def _select_answered(every: Sequence[Decision]) -> list[Decision]:
    """Return the newest decisions that were answered, by the time they were."""
    answered = sorted((one for one in every if one.resolved_at and not one.open), key=lambda one: one.resolved_at)
    return answered[-MARKED:]


def _chart(metrics: Metrics, name: str, marked: Sequence[Decision]) -> Chart:
    points = metrics.series(name)[-POINTS:]
    kind = figure(name, points[-1].unit) if points else figure(name)
    times = [point.at for point in points]
    markers = [
        Marker(max(0, bisect_right(times, one.resolved_at) - 1), number, f"{one.subject}: {one.status}")
        for number, one in enumerate(marked, 1)
        if times and one.resolved_at >= times[0]
    ]
    picture = line_chart(
        kind.label,
        [ChartLine(kind.label, tuple(point.value for point in points))],
        label=kind.axis,
        markers=markers,
        days=[point.at[5:10] for point in points],
    )
    first, last = points[0], points[-1]
    change = kind.delta(first.value, last.value) if len(points) > 1 else ""
    return Chart(name, kind.label, kind.written(last.value), change, last, wrap_markup(picture))
