"""The series of a report, and the charts that are drawn of them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from society.simulation.charts import Line, Marker, line_chart
from society.simulation.figures import BY_SEGMENT, figure


@dataclass(frozen=True, slots=True)
class Kpi:
    """One series: index 0 is the first day, index k the end of week k; `None` where nothing was measured."""

    name: str
    values: tuple[float | None, ...]

    @property
    def start(self) -> float | None:
        """The first measured value."""
        return next((value for value in self.values if value is not None), None)

    @property
    def end(self) -> float | None:
        """The last measured value."""
        return next((value for value in reversed(self.values) if value is not None), None)


_CHARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Cash", ("cash",)),
    ("Monthly recurring revenue", ("mrr",)),
    ("Money taken in a week", ("revenue",)),
    ("Orders a week, wanted and filled", ("demand", "orders")),
    ("Units in stock", ("stock",)),
    ("Utilisation, percent", ("utilisation",)),
    ("Invoices not yet paid", ("receivables",)),
    ("Customers by segment", (BY_SEGMENT,)),
    ("Churn, percent a month", ("churn_rate",)),
    ("Product quality, as surveyed", ("quality",)),
    ("Support backlog", ("support_backlog",)),
)


def charts(
    kpis: Sequence[Kpi], markers: Sequence[Marker], *, days: Sequence[str], more: Sequence[Kpi]
) -> list[dict[str, Any]]:
    """Return each chart that has something to show: title, SVG, and a legend where it has several lines.

    Each of `more` that no chart shows yet has one of its own, if it was measured twice.
    """
    shown = [(title, [kpi for name in names for kpi in kpis if _is(kpi, name)]) for title, names in _CHARTS]
    charted = {kpi.name for _, found in shown for kpi in found}
    shown += [(figure(kpi.name).label, [kpi]) for kpi in more if kpi.name not in charted and _is_series(kpi)]
    drawn = []
    for title, found in shown:
        if not any(value for kpi in found for value in kpi.values):
            continue
        lines = [Line(figure(kpi.name).label, kpi.values, tone) for tone, kpi in enumerate(found)]
        written = figure(found[0].name).axis
        legend = [asdict(line) for line in lines] if len(lines) > 1 else []
        drawn.append(
            {
                "title": title,
                "svg": line_chart(title, lines, label=written, markers=markers, days=days),
                "legend": legend,
            }
        )
    return drawn


def _is(kpi: Kpi, name: str) -> bool:
    return kpi.name.startswith(name) if name == BY_SEGMENT else kpi.name == name


def _is_series(kpi: Kpi) -> bool:
    return sum(value is not None for value in kpi.values) > 1
