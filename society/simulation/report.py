"""The report of a run: plain data in, Markdown and one HTML page out, byte for byte the same each time.

report = ReportInput(title="A quarter", ..., kpis=(Kpi("mrr", (26066.0, 26410.0, ...)), ...))
html(report)                         # a page that needs no other file; `run_files.py` writes all that a run leaves
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from math import inf
from typing import Any

from mabos.society.simulation.charts import sparkline, tiny
from mabos.society.simulation.figures import FigureFormat, figure, is_beyond, place, reading
from mabos.society.simulation.kpis import Kpi, charts
from mabos.society.simulation.pictures import forest, kinds, lanes, markers
from mabos.society.simulation.rendering import rendered, style
from mabos.society.simulation.report_input import ReportedDecision, ReportInput
from mabos.society.simulation.timeline import KINDS, kind_of
from mabos.society.simulation.wording import plainly


def markdown(report: ReportInput) -> str:
    """Return the report as Markdown."""
    return rendered("report.md.j2", _context(report), is_page=False)


def html(report: ReportInput) -> str:
    """Return the report as one HTML page that needs no other file."""
    others = _shown(report) if report.follows else []
    drawn = charts(report.kpis, markers(report), days=report.days, more=others, beside=report.idle_course)
    pictures = {"charts": drawn, "timeline": lanes(report), "kinds": kinds(report), "style": style()}
    return rendered("report.html.j2", {**_context(report), **pictures}, is_page=True)


def _context(report: ReportInput) -> dict[str, Any]:
    asked = [decided for decided in report.decisions if decided.approval]
    answers = {key: sum(one.approval == key for one in asked) for key in ("approved", "rejected", "modified")}
    answers["open"] = len(asked) - sum(answers.values())
    return {
        "report": report,
        "rows": [_row(kpi, report.idle) for kpi in _shown(report)],
        "tiles": [_row(kpi, report.idle) for kpi in _shown(report) if kpi.name in _TILES],
        "numbered": list(enumerate(report.decisions, 1)),
        "asked": asked,
        "counted": answers,
        "goals_by_agent": _by_agent(forest(report.goals)),
        "weeks_of_decisions": [(week, _grouped(told)) for week, told in _by_week(report)],
        "events": [one for one in report.news if one.is_event],
        "learnings_by_agent": _by_agent(report.learnings),
        "score": figure("cash").written(report.score),
        "against_nothing": _against_nothing(report),
        "measure": _MEASURES.get(report.score_name, report.score_name),
        "money": figure("cash").written,
        "plainly": plainly,
    }


_MEASURES = {
    "net_worth": "cash and half a year of what the present book contributes",
    "cash": "cash at the end",
    "mrr": "monthly recurring revenue at the end",
}
_MANY = 4  # decisions of one kind that are told in one row
_COURSE = 24  # values of a series that stand beside it in Markdown
_TILES = {
    "cash",
    "mrr",
    "revenue",
    "subscribers",
    "churn_rate",
    "stock_weeks",
    "utilisation",
    "runway_months",
    "quality",
}


def _shown(report: ReportInput) -> list[Kpi]:
    known = [kpi for kpi in report.kpis if kpi.end is not None and (place(kpi.name) < inf or report.follows)]
    return sorted(known, key=lambda kpi: (place(kpi.name), kpi.name))


def _against_nothing(report: ReportInput) -> str:
    """Return what the agents' work was worth: the score beside that of doing nothing; empty where it is not known."""
    if report.idle_score is None:
        return ""
    added, written = report.score - report.idle_score, figure("cash").written
    compared = "as much as" if round(added) == 0 else f"{written(abs(added))} {'more' if added > 0 else 'less'} than"
    return f"That is {compared} doing nothing in the same market comes to ({written(report.idle_score)})."


def _row(kpi: Kpi, idle: Mapping[str, float]) -> dict[str, Any]:
    """Return one line of the KPI table: start, end and the change, good, bad or neither; and the end without agents."""
    kind = figure(kpi.name)
    start, end = kpi.start or 0.0, kpi.end or 0.0
    is_known = not (is_beyond(kpi.name, start) or is_beyond(kpi.name, end))
    return {
        "name": kpi.name,
        "label": kind.label,
        "start": reading(kpi.name, start),
        "end": reading(kpi.name, end),
        "delta": kind.delta(start, end) if is_known else "",
        "tone": _tone(kind, end - start),
        "percent": kind.share(start, end) if is_known else "",
        "idle": reading(kpi.name, idle[kpi.name]) if kpi.name in idle else "",
        "tiny": tiny(kpi.values),
        "course": sparkline([value for value in kpi.values if value is not None][-_COURSE:]),
    }


def _tone(kind: FigureFormat, change: float) -> str:
    if kind.better == 0 or abs(change) < 1e-9:
        return "flat"
    return "good" if change * kind.better > 0 else "bad"


def _by_agent(lines: Sequence[Any]) -> list[tuple[str, list[Any]]]:
    found: dict[str, list[Any]] = {}
    for line in lines:
        found.setdefault(line.agent, []).append(line)
    return list(found.items())


def _grouped(told: Sequence[tuple[int, ReportedDecision]]) -> list[dict[str, Any]]:
    """Return a week's decisions in rows: many of one kind by one agent in one, everything else in a row of its own."""
    rows = []
    for (kind, agent, _), found in groupby(told, key=lambda one: (kind_of(one[1].tool), one[1].agent, one[1].approval)):
        same = list(found)
        tone, cost = list(KINDS).index(kind), sum(one.cost for _, one in same)
        together = [same] if len(same) >= _MANY else [[one] for one in same]
        why = same[0][1].why if all(one.why == same[0][1].why for _, one in same) else ()
        row = {"tone": tone, "label": KINDS[kind], "agent": agent, "cost": cost, "why": why}
        rows += [{**row, "told": one} for one in together]
    return rows


def _by_week(report: ReportInput) -> list[tuple[int, list[tuple[int, ReportedDecision]]]]:
    """Return the numbered decisions by the week in which they were taken."""
    weeks: dict[int, list[tuple[int, ReportedDecision]]] = {}
    for number, one in enumerate(report.decisions, 1):
        weeks.setdefault(one.week, []).append((number, one))
    return list(weeks.items())
