"""The series of a report, and their charts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any

from mabos.society.simulation.charts import ChartLine, Marker, line_chart
from mabos.society.simulation.figures import BY_SEGMENT, figure


@dataclass(frozen=True, slots=True)
class Kpi:
    """A series: index 0 is the first day, index k the end of week k; `None` without a measurement.

    `unit` is that of its values; `None` if the simulated market has measured them.
    """

    name: str
    values: tuple[float | None, ...]
    unit: str | None = None

    @property
    def start(self) -> float | None:
        """The first measured value."""
        return next((value for value in self.values if value is not None), None)

    @property
    def end(self) -> float | None:
        """The last measured value."""
        return next((value for value in reversed(self.values) if value is not None), None)


@dataclass(frozen=True, slots=True)
class _Chart:
    """A chart: its title, its series, and its marks for actions meant to move it."""

    title: str
    names: tuple[str, ...]
    marks: tuple[str, ...] = ()


_CHARTS = (
    _Chart("Cash", ("cash",), ("price", "question")),
    _Chart("Monthly recurring revenue", ("mrr",), ("price", "campaign")),
    _Chart("Money taken in a week", ("revenue",), ("price", "campaign")),
    _Chart("Orders a week, wanted and filled", ("demand", "orders"), ("campaign",)),
    _Chart("Units in stock", ("stock",), ("supply",)),
    _Chart("Utilisation, percent", ("utilisation",), ("delivery",)),
    _Chart("Invoices not yet paid", ("receivables",)),
    _Chart("Customers by segment", (BY_SEGMENT,), ("campaign",)),
    _Chart("Churn, percent a month", ("churn_rate",), ("price", "support")),
    _Chart("Product quality, as surveyed", ("quality",), ("product",)),
    _Chart("Support backlog", ("support_backlog",), ("support",)),
)


def charts(
    kpis: Sequence[Kpi],
    markers: Mapping[str, Sequence[Marker]],
    *,
    days: Sequence[str],
    more: Sequence[Kpi],
    beside: Mapping[str, Sequence[float | None]] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """Return each chart that has data: title, SVG, and a legend if it has several lines.

    `markers` are the actions, by the figure they were meant to move; a chart shows its own. Each of `more` that no
    chart shows yet has one of its own, if it was measured twice. `beside` are series for comparison in a chart of one
    line.
    """
    shown = [(one, [kpi for name in one.names for kpi in kpis if _is(kpi, name)]) for one in _CHARTS]
    charted = {kpi.name for _, found in shown for kpi in found}
    extra = [kpi for kpi in more if kpi.name not in charted and sum(value is not None for value in kpi.values) > 1]
    shown += [(_Chart(figure(kpi.name, kpi.unit).label, (kpi.name,)), [kpi]) for kpi in extra]
    return [
        _draw_chart(chart, found, _merge_markers(chart, markers), days, beside)
        for chart, found in shown
        if any(value for kpi in found for value in kpi.values)
    ]


def _draw_chart(
    chart: _Chart,
    found: Sequence[Kpi],
    markers: Sequence[Marker],
    days: Sequence[str],
    beside: Mapping[str, Sequence[float | None]],
) -> dict[str, Any]:
    lines = [ChartLine(_label(kpi), kpi.values, tone) for tone, kpi in enumerate(found)]
    if len(found) == 1 and found[0].name in beside:
        lines.append(ChartLine("Had nobody acted", tuple(beside[found[0].name]), is_faint=True))
    svg = line_chart(chart.title, lines, label=figure(found[0].name).axis, markers=markers, days=days)
    return {"title": chart.title, "svg": svg, "legend": [asdict(line) for line in lines] if len(lines) > 1 else []}


def _label(kpi: Kpi) -> str:
    """Return the label of a line; among other segments its own name says enough."""
    label = figure(kpi.name, kpi.unit).label
    return label.removesuffix(" customers") if kpi.name.startswith(BY_SEGMENT) else label


def _merge_markers(chart: _Chart, markers: Mapping[str, Sequence[Marker]]) -> list[Marker]:
    """Return one mark for each week in which something was done to move the chart, that says how much was done."""
    found = sorted((one for about in chart.marks for one in markers.get(about, ())), key=lambda one: one.number)
    weeks = {week: [one.text for one in found if one.week == week] for week in sorted({one.week for one in found})}
    return [Marker(week, len(texts), "; ".join(texts)) for week, texts in weeks.items()]


def _is(kpi: Kpi, name: str) -> bool:
    return kpi.name.startswith(name) if name == BY_SEGMENT else kpi.name == name
