"""The report of a run: plain data in, Markdown and one HTML page out, byte for byte the same each time.

report = ReportInput(title="A quarter", ..., kpis=(Kpi("mrr", (26066.0, 26410.0, ...)), ...))
html(report)                         # a page that needs no other file; `write_report` writes all that a run leaves
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from math import inf
from pathlib import Path
from typing import Any

from mabos.society.simulation.charts import Marker, sparkline, tiny
from mabos.society.simulation.figures import FigureFormat, figure, is_beyond, place, reading
from mabos.society.simulation.kpis import Kpi, charts
from mabos.society.simulation.leading import leading_page
from mabos.society.simulation.rendering import render_template, style
from mabos.society.simulation.report_input import GoalLine, ReportedDecision, ReportInput
from mabos.society.simulation.timeline import KINDS, Dot, kind_of, timeline
from mabos.society.simulation.wording import plainly
from mabos.workspace.atomic import write_atomic


def markdown(report: ReportInput) -> str:
    """Return the report as Markdown; a run's report has its decisions in groups, and names the journal."""
    part = "both" if report.follows else "report"
    return render_template("report.md.j2", {**_context(report), "part": part}, is_page=False)


def journal_page(report: ReportInput) -> str:
    """Return every decision with its reasons, every question, lesson and piece of news, as Markdown."""
    return render_template("report.md.j2", {**_context(report), "part": "journal"}, is_page=False)


def html(report: ReportInput) -> str:
    """Return the report as one self-contained HTML page."""
    others = _select_kpis(report) if report.follows else []
    drawn = charts(report.kpis, markers(report), days=report.days, more=others, beside=report.idle_course)
    pictures = {"charts": drawn, "timeline": lanes(report), "kinds": kinds(report), "style": style()}
    return render_template("report.html.j2", {**_context(report), **pictures}, is_page=True)


def _context(report: ReportInput) -> dict[str, Any]:
    asked = [decided for decided in report.decisions if decided.approval]
    answers = {key: sum(one.approval == key for one in asked) for key in ("approved", "rejected", "modified")}
    answers["open"] = len(asked) - sum(answers.values())
    return {
        "report": report,
        "page": None if report.follows else leading_page(report),
        "rows": [_row(kpi, report.idle) for kpi in _select_kpis(report)],
        "tiles": [_row(kpi, report.idle) for kpi in _select_kpis(report) if kpi.name in _TILES],
        "numbered": list(enumerate(report.decisions, 1)),
        "asked": asked,
        "counted": answers,
        "goals_by_agent": _by_agent(forest(report.goals)),
        "weeks_of_decisions": [(week, _group_rows(told)) for week, told in _by_week(report)],
        "events": [one for one in report.news if one.is_event],
        "learnings_by_agent": _by_agent(report.learnings),
        "score": figure("cash").written(report.score),
        "against_nothing": _against_nothing(report),
        "measure": _MEASURES.get(report.score_name, report.score_name),
        "money": figure("cash").written,
        "plainly": plainly,
    }


_MEASURES = {
    "net_worth": "what an orderly end would leave: cash, stock, half a year of the book, less eight weeks of payroll",
    "cash": "cash at the end",
    "mrr": "monthly recurring revenue at the end",
}
_MANY = 4  # decisions of one kind that are told in one row
_COURSE = 24  # values of a series that stand beside it in Markdown
_TILES = {
    "cash", "mrr", "revenue", "subscribers", "churn_rate", "stock_weeks", "utilisation", "runway_months", "quality",
}  # fmt: skip


def _select_kpis(report: ReportInput) -> list[Kpi]:
    known = [kpi for kpi in report.kpis if kpi.end is not None and (place(kpi.name) < inf or report.follows)]
    return sorted(known, key=lambda kpi: (place(kpi.name), kpi.name))


def _against_nothing(report: ReportInput) -> str:
    """Return the value of the agents' work: the score next to that of doing nothing; empty if unknown."""
    if report.idle_score is None:
        return ""
    added, written = report.score - report.idle_score, figure("cash").written
    compared = "as much as" if round(added) == 0 else f"{written(abs(added))} {'more' if added > 0 else 'less'} than"
    return f"That is {compared} doing nothing in the same market comes to ({written(report.idle_score)})."


def _row(kpi: Kpi, idle: Mapping[str, float]) -> dict[str, Any]:
    """Return one line of the KPI table: start, end and the change, good, bad or neither; and the end without agents."""
    kind = figure(kpi.name, kpi.unit)
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


def _group_rows(told: Sequence[tuple[int, ReportedDecision]]) -> list[dict[str, Any]]:
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


def _about(one: ReportedDecision) -> str:
    """Return the aim of a deed: the area of the ordered work, else the kind of the deed."""
    return one.area or kind_of(one.tool)


def markers(report: ReportInput) -> dict[str, list[Marker]]:
    """Return the deeds as chart markers, by their aim."""
    found: dict[str, list[Marker]] = {}
    for number, one in enumerate(report.decisions, 1):
        if one.tool and one.is_done:
            found.setdefault(_about(one), []).append(Marker(one.week, number, one.told))
    return found


def lanes(report: ReportInput) -> str:
    """Return the timeline picture of all agents' deeds; empty without deeds."""
    dots = [
        Dot(one.week, one.agent, kind_of(one.tool), one.told, f"#decision-{number}", one.is_done)
        for number, one in enumerate(report.decisions, 1)
        if one.tool
    ]
    seats = list(dict.fromkeys([*(one.agent for one in report.activity), *sorted(dot.lane for dot in dots)]))
    events = [(one.week, one.text) for one in report.news if one.is_event]
    return timeline(report.weeks, seats, dots, events) if dots and not report.follows else ""


def kinds(report: ReportInput) -> list[dict[str, Any]]:
    """Return the legend of the timeline: each kind of deed, with its colour and number."""
    times = Counter(kind_of(one.tool) for one in report.decisions if one.tool)
    return [
        {"tone": tone, "label": label, "times": times[kind]}
        for tone, (kind, label) in enumerate(KINDS.items())
        if times[kind]
    ]


@dataclass(frozen=True, slots=True)
class GoalTree:
    """A goal, its number of occurrences, and the goals that serve it."""

    goal: GoalLine
    times: int = 1
    below: tuple["GoalTree", ...] = ()

    @property
    def agent(self) -> str:
        """The owner of the goal."""
        return self.goal.agent

    def walked(self, depth: int = 0) -> Iterator[tuple[int, "GoalTree"]]:
        """Yield this goal and those below it, each with its depth."""
        yield depth, self
        for one in self.below:
            yield from one.walked(depth + 1)


def forest(goals: Sequence[GoalLine]) -> list[GoalTree]:
    """Return the goals that serve no other, each with those that serve it, regardless of owners.

    Goals that serve each other in a ring are all at the top.
    """
    parents = {goal.id: goal.parent for goal in goals if goal.id}
    below: dict[str, list[GoalLine]] = {}
    for goal in goals:
        is_served = goal.parent in parents and not _is_in_ring(goal.id, parents)
        below.setdefault(goal.parent if is_served else "", []).append(goal)
    return list(_grow_trees(below, ""))


def _is_in_ring(goal_id: str, parents: Mapping[str, str]) -> bool:
    above, seen = parents.get(goal_id, ""), set[str]()
    while above and above not in seen:
        if above == goal_id:
            return True
        seen.add(above)
        above = parents.get(above, "")
    return False


def _grow_trees(below: Mapping[str, Sequence[GoalLine]], parent: str) -> tuple[GoalTree, ...]:
    """Return the trees below a goal; a goal reached repeatedly appears once, unless others serve it."""
    found = below.get(parent, ())
    served = [goal for goal in found if goal.id and goal.id in below]
    grown = [GoalTree(goal, below=_grow_trees(below, goal.id)) for goal in served]
    return (
        *grown,
        *(GoalTree(goal, times) for goal, times in _count_repeated_goals([one for one in found if one not in served])),
    )


def _count_repeated_goals(goals: Sequence[GoalLine]) -> list[tuple[GoalLine, int]]:
    """Return each goal with its number of equal ends: a maintained goal is reached and adopted repeatedly."""
    times = Counter((goal.description, goal.level, goal.status, f"{goal.progress:.0f}") for goal in goals)
    last = {(goal.description, goal.level, goal.status, f"{goal.progress:.0f}"): goal for goal in goals}
    return [(last[key], count) for key, count in times.items()]


def kpis_csv(report: ReportInput) -> str:
    """Return the series as CSV: a line per week, a column per metric, empty if not measured."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["week", *(kpi.name for kpi in report.kpis)])
    for week in range(report.weeks + 1):
        cells = (kpi.values[week] if week < len(kpi.values) else None for kpi in report.kpis)
        writer.writerow(
            [week, *("" if cell is None else f"{cell:g}" if abs(cell) < 1e5 else f"{cell:.2f}" for cell in cells)]
        )
    return out.getvalue()


def journal(report: ReportInput) -> str:
    """Return the history, a JSON object a line in the order of weeks: news, then agents' deeds and requests.

    Anything that hit the company from outside is an event; results of its own work, and customers' words, are news.
    """
    lines: list[tuple[int, dict[str, Any]]] = [
        (one.week, {"week": one.week, "kind": "event" if one.is_event else "news", "text": one.text})
        for one in report.news
    ]
    lines += [
        (one.week, {"week": one.week, "kind": "deed", "id": one.id, "agent": one.agent, "tool": one.tool,
                    "subject": one.subject, "cost": round(one.cost, 2), "approval": one.approval})
        for one in report.decisions
    ]  # fmt: skip
    ordered = sorted(lines, key=lambda line: line[0])
    return "".join(f"{json.dumps(content, ensure_ascii=False)}\n" for _, content in ordered)


def manifest(report: ReportInput) -> str:
    """Return the data to reproduce the run, as JSON: scenario with its hash, seed, policy and versions."""
    content: dict[str, Any] = {
        "scenario": report.scenario,
        "scenario_hash": report.scenario_hash,
        "seed": report.seed,
        "owner": dict(report.owner),
        "policy": report.policy,
        "without": list(report.without),
        "model": None if report.asked is None else asdict(report.asked),
        "weeks": report.weeks,
        "score": round(report.score, 2),
        "score_doing_nothing": None if report.idle_score is None else round(report.idle_score, 2),
        "bankrupt": report.bankrupt,
        "audit": None if report.audit is None else asdict(report.audit),
        "versions": dict(report.versions),
    }
    return json.dumps(content, indent=2, sort_keys=True) + "\n"


def write_report(report: ReportInput, directory: Path) -> tuple[Path, ...]:
    """Write report.md, report.html, journal.md, kpis.csv, journal.jsonl and manifest.json, and return their paths."""
    directory.mkdir(parents=True, exist_ok=True)
    texts = {
        "report.md": markdown(report),
        "report.html": html(report),
        "journal.md": journal_page(report),
        "kpis.csv": kpis_csv(report),
        "journal.jsonl": journal(report),
        "manifest.json": manifest(report),
    }
    for name, text in texts.items():
        write_atomic(directory / name, text)
    return tuple(directory / name for name in texts)
