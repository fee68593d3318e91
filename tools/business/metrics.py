"""Metrics and reporting: the numbers of the business, figures derived from them, and a report (TOOLS.md)."""

from typing import Any, Literal

from mabos.society.metrics import MetricPoint, Metrics
from mabos.society.metrics_saas import DerivedFigure, derive_figures
from mabos.society.simulation.figures import SHOWN, figure, reading
from mabos.society.simulation.kpis import Kpi
from mabos.society.simulation.report import html, markdown
from mabos.society.simulation.report_input import Follows, GoalLine, ReportedDecision, ReportInput
from mabos.tools.catalogue.declaration import Count, Text, Tool
from mabos.tools.knowledge.terms import misspelling, with_warning
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso


def metrics_record(
    agent: Agent, *, name: Text, value: float, at: str = "", unit: str = "", source: str = "", business_id: str = ""
) -> dict[str, Any]:
    """Record a value of a metric; the same name and moment again is a correction, never a second point.

    A new name that is spelled almost as a term of the ontologies is taken with a warning that names the term.

    Args:
        name: As in churn_rate: lower-case letters, digits and underscores.
        value: The number.
        at: When it was so, ISO 8601; now if left out.
        unit: As in USD, % or months.
        source: Who measured it; the agent if left out.
        business_id: The business; the agent's own if left out.
    """
    metrics = business_of(agent, business_id).metrics
    before, warning = metrics.latest(name), misspelling(agent, name)
    point = metrics.record(name, value, at or iso(agent.clock()), unit, source or agent.id)
    return {**_row(point), "previous": before.value if before is not None else None, **with_warning(warning)}


def metrics_dashboard(
    agent: Agent, *, names: list[str] | None = None, points: Count = 13, business_id: str = ""
) -> dict[str, Any]:
    """Show each metric's latest value and change, and what follows: MRR, churn, CAC, LTV, runway and the like.

    Every figure that follows has its formula and inputs; one that cannot be computed says which metrics it needs.

    Args:
        names: Only these metrics; all if left out.
        points: How many of the last values the change and the series cover.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    metrics = business.metrics
    wanted = names or list(metrics.names())
    rows = [row for name in wanted if (row := _summary(metrics, name, points)) is not None]
    known = {row["name"] for row in rows}
    follows = derive_figures(metrics)
    return {
        "metrics": rows,
        "missing": [name for name in wanted if name not in known],
        "derived": {one.name: one.value for one in follows if one.value is not None and not one.is_recorded},
        "formulas": [_formula(one) for one in follows],
        "text": "\n".join(
            [
                *(
                    f"{figure(row['name'], row['unit']).label}: {reading(row['name'], row['value'], row['unit'])}"
                    for row in rows
                ),
                *(one.text for one in follows if not one.is_recorded),
            ]
        ),
    }


def report_generate(
    agent: Agent,
    *,
    title: str = "",
    format: Literal["markdown", "html", "both"] = "both",  # noqa: A002  # the argument's published name
    business_id: str = "",
) -> dict[str, Any]:
    """Write a report of the business's numbers, decisions and the agent's goals as Markdown and one HTML page.

    Args:
        title: Its headline.
        format: Which files to write.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    report = _report(agent, business, title)
    folder = business.directory / "reports"
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"report-{iso(agent.clock())[:10]}"
    texts = {"md": markdown(report), "html": html(report)}
    kept = {"markdown": ("md",), "html": ("html",), "both": ("md", "html")}[format]
    for ending in kept:
        write_atomic(folder / f"{stem}.{ending}", texts[ending])
    paths = [f"reports/{stem}.{ending}" for ending in kept]
    return {"paths": paths, "metrics": [kpi.name for kpi in report.kpis], "text": texts["md"]}


def _row(point: MetricPoint) -> dict[str, Any]:
    return {"name": point.name, "value": point.value, "at": point.at, "unit": point.unit, "source": point.source}


def _summary(metrics: Metrics, name: str, count: int) -> dict[str, Any] | None:
    series = metrics.series(name)[-count:]
    if not series:
        return None
    change = series[-1].value - series[0].value
    return {**_row(series[-1]), "change": round(change, 6), "series": [point.value for point in series]}


def _formula(one: DerivedFigure) -> dict[str, Any]:
    return {
        "name": one.name, "label": one.label, "value": one.value, "unit": one.unit, "formula": one.formula,
        "recorded": one.is_recorded, "inputs": dict(one.inputs), "needs": list(one.needs), "note": one.note,
        "text": one.text,
    }  # fmt: skip


def _report(agent: Agent, business: Business, title: str) -> ReportInput:
    moments = sorted({point.at for name in business.metrics.names() for point in business.metrics.series(name)})
    place = {at: number for number, at in enumerate(moments)}
    names = [name for name in SHOWN if business.metrics.latest(name) is not None]
    names += [name for name in business.metrics.names() if name not in SHOWN]
    today = iso(agent.clock())[:10]
    return ReportInput(
        title=title or f"Report of {today}",
        business=business.manifest.name,
        first_day=moments[0][:10] if moments else today,
        last_day=today,
        weeks=max(0, len(moments) - 1),
        kpis=tuple(_kpi(business.metrics, name, place) for name in names),
        days=tuple(at[:10] for at in moments),
        follows=tuple(_follows(one) for one in derive_figures(business.metrics) if not one.is_recorded),
        decisions=tuple(
            ReportedDecision(
                id=one.id,
                week=0,
                agent=one.from_agent,
                subject=one.subject,
                cost=one.cost,
                why=tuple(one.reasons),
                approval=one.status,
                answer=one.feedback,
            )
            for one in business.decisions.all()
        ),
        goals=() if agent.is_person else _goals(agent),
    )


def _follows(one: DerivedFigure) -> Follows:
    return Follows(one.label, one.written or "not known", one.how)


def _goals(agent: Agent) -> tuple[GoalLine, ...]:
    """Return the agent's own goals; other agents' minds are theirs."""
    return tuple(
        GoalLine(agent.id, goal.description, goal.level, goal.status, goal.progress) for goal in agent.mind.goals
    )


def _kpi(metrics: Metrics, name: str, place: dict[str, int]) -> Kpi:
    values: list[float | None] = [None] * len(place)
    for point in metrics.series(name):
        if point.at in place:  # else it was recorded while the report is made: the next one has it
            values[place[point.at]] = point.value
    latest = metrics.latest(name)
    return Kpi(name, tuple(values), latest.unit if latest is not None else "")


TOOLS = [
    Tool.of(metrics_record, module="Metrics and reporting", writes=True, category="metrics"),
    Tool.of(metrics_dashboard, module="Metrics and reporting", writes=False),
    Tool.of(report_generate, module="Metrics and reporting", writes=True, category="reporting"),
]
