"""Two runs side by side as one HTML page: what each came to, week by week, who did what when, and what only one did."""

from collections import Counter
from typing import Any

from mabos.society.simulation.charts import ChartLine, line_chart
from mabos.society.simulation.difference import PlayedRun, RunDeed, RunDifference
from mabos.society.simulation.figures import figure
from mabos.society.simulation.rendering import rendered, style
from mabos.society.simulation.timeline import KINDS, Dot, kind_of, timeline

_CHARTED = (
    *("cash", "mrr", "revenue", "subscribers", "churn_rate", "quality", "leads", "price", "average_order_value"),
    *("stock", "stockouts", "utilisation", "receivables", "support_backlog", "ad_spend", "contractor_spend"),
)
_SHOWN = 40
"""Deeds of only one run that are told; the others are counted."""


def comparison_page(ours: PlayedRun, theirs: PlayedRun, found: RunDifference, names: tuple[str, str]) -> str:
    """Return the page; `names` are what the runs are called in it."""
    money = figure("cash").written
    done = {kind_of(one.tool) for run in (ours, theirs) for one in run.deeds}
    weeks = max(int(run.terms["weeks"]) for run in (ours, theirs))
    values = {
        "names": names,
        "found": found,
        "terms": [(term.replace("_", " "), *(_short(value) for value in pair)) for term, pair in found.terms.items()],
        "scores": [money(score) for score in found.scores],
        "gap": figure("cash").delta(*found.scores),
        "charts": [one for name in _CHARTED if (one := _chart(ours, theirs, name, names))],
        "lanes": [_lanes(run, weeks) for run in (ours, theirs)],
        "kinds": [{"tone": tone, "label": label} for tone, (kind, label) in enumerate(KINDS.items()) if kind in done],
        "otherwise": found.otherwise[:_SHOWN],
        "only": [_only(deeds) for deeds in (found.only_ours, found.only_theirs)],
        "runs": (ours, theirs),
        "style": style(),
    }
    return rendered("compare.html.j2", values, is_page=True)


def _short(term: Any) -> str:
    """Return a term of a run as a cell holds it: of a hash the beginning."""
    said = ", ".join(map(str, term)) if isinstance(term, list) else str(term)
    return said[:24] or "nothing"


def _chart(ours: PlayedRun, theirs: PlayedRun, name: str, names: tuple[str, str]) -> dict[str, str] | None:
    """Return the course of a figure in both runs, or None where neither has anything to show."""
    courses = [run.course(name) for run in (ours, theirs)]
    if not all(courses) or not any(value for course in courses for value in course):
        return None
    lines = [ChartLine(label, course, tone) for tone, (label, course) in enumerate(zip(names, courses, strict=True))]
    kind = figure(name)
    return {"title": kind.label, "svg": line_chart(kind.label, lines, label=kind.axis)}


def _lanes(run: PlayedRun, weeks: int) -> str:
    dots = [
        Dot(one.week, one.agent, kind_of(one.tool), f"Week {one.week}: {one.subject}", is_done=one.is_done)
        for one in run.deeds
    ]
    return timeline(weeks, sorted({dot.lane for dot in dots}), dots, run.events) if dots else ""


def _only(deeds: tuple[RunDeed, ...]) -> dict[str, Any]:
    times = Counter(kind_of(one.tool) for one in deeds)
    counted = [f"{label}: {times[kind]}" for kind, label in KINDS.items() if times[kind]]
    return {"deeds": deeds[:_SHOWN], "more": max(0, len(deeds) - _SHOWN), "counted": counted}
