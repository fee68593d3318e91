"""The report of a run: plain data in, Markdown, one HTML page, CSV and manifest out, byte for byte the same each time.

report = ReportInput(title="A quarter", ..., kpis=(Kpi("mrr", (26066.0, 26410.0, ...)), ...))
write_report(report, directory)      # report.md, report.html, kpis.csv, journal.jsonl, manifest.json
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from society.simulation.audit import Audit
from society.simulation.charts import Marker, sparkline
from society.simulation.figures import Figure, figure, place
from society.simulation.kpis import Kpi, charts
from society.simulation.rendering import rendered
from workspace.atomic import write_atomic


@dataclass(frozen=True, slots=True)
class Decided:
    """Something an agent did, or asked to do: in which week, with what tool, and the chain of reasons behind it.

    `approval` is "" where nobody had to be asked, else approved, rejected, modified, deferred or pending.
    """

    id: str
    week: int
    agent: str
    subject: str
    tool: str = ""
    cost: float = 0.0
    why: tuple[str, ...] = ()
    approval: str = ""
    answer: str = ""
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class GoalLine:
    """A goal at the end of the run; progress from 0 to 100."""

    agent: str
    description: str
    level: str
    status: str
    progress: float


@dataclass(frozen=True, slots=True)
class Learned:
    """An insight an agent kept."""

    agent: str
    insight: str
    week: int = 0


@dataclass(frozen=True, slots=True)
class Activity:
    """What one agent did in numbers, from its ledger."""

    agent: str
    title: str
    cycles: int = 0
    messages: int = 0
    actions: int = 0
    refused: int = 0
    learnings: int = 0


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a chat model was asked in a run; dollars are 0 where its price is not known."""

    name: str
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0

    @property
    def told(self) -> str:
        """In words."""
        cost = f", ${self.usd:,.2f}" if self.usd else ""
        return f"The model {self.name} was asked {self.calls:,} times: {self.tokens:,} tokens{cost}."


@dataclass(frozen=True, slots=True)
class Follows:
    """What the figures come to by a formula: the value as it is written, or why there is none."""

    label: str
    written: str
    how: str


@dataclass(frozen=True, slots=True)
class News:
    """Something that happened outside in a week."""

    week: int
    text: str


@dataclass(frozen=True, slots=True)
class ReportInput:
    """Everything a report is made of; without a scenario it is the report of a business that is no simulation.

    `idle_score` and `idle` are what doing nothing comes to in the same market, where that is known. The series of a
    business that is no simulation are measured on `days`, and `follows` from them.
    """

    title: str
    business: str
    weeks: int
    first_day: str
    last_day: str
    scenario: str = ""
    scenario_hash: str = ""
    policy: str = ""
    without: tuple[str, ...] = ()
    seed: str = ""
    score: float = 0.0
    score_name: str = "net_worth"
    idle_score: float | None = None
    idle: Mapping[str, float] = field(default_factory=dict)
    bankrupt: bool = False
    summary: str = ""
    model: str = ""
    asked: ModelUse | None = None
    audit: Audit | None = None
    kpis: tuple[Kpi, ...] = ()
    decisions: tuple[Decided, ...] = ()
    goals: tuple[GoalLine, ...] = ()
    learnings: tuple[Learned, ...] = ()
    activity: tuple[Activity, ...] = ()
    news: tuple[News, ...] = ()
    days: tuple[str, ...] = ()
    follows: tuple[Follows, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()

    def kpi(self, name: str) -> Kpi | None:
        """Return one series, or `None`."""
        return next((kpi for kpi in self.kpis if kpi.name == name), None)


def markdown(report: ReportInput) -> str:
    """Return the report as Markdown."""
    return rendered("report.md.j2", _context(report), is_page=False)


def html(report: ReportInput) -> str:
    """Return the report as one HTML page that needs no other file."""
    others = _shown(report) if report.follows else []
    drawn = charts(report.kpis, _markers(report), days=report.days, more=others)
    return rendered("report.html.j2", {**_context(report), "charts": drawn}, is_page=True)


def kpis_csv(report: ReportInput) -> str:
    """Return the series as CSV: one line a week, one column a metric, empty where nothing was measured."""
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
    """Return what happened, a JSON object a line in the order of weeks: news, then what agents did or asked for."""
    lines = [(one.week, {"week": one.week, "kind": "news", "text": one.text}) for one in report.news]
    lines += [
        (one.week, {"week": one.week, "kind": "deed", "id": one.id, "agent": one.agent, "tool": one.tool,
                    "subject": one.subject, "cost": round(one.cost, 2), "approval": one.approval})
        for one in report.decisions
    ]  # fmt: skip
    ordered = sorted(lines, key=lambda line: line[0])
    return "".join(f"{json.dumps(content, ensure_ascii=False)}\n" for _, content in ordered)


def manifest(report: ReportInput) -> str:
    """Return what reproduces the run, as JSON: scenario with its hash, seed, policy and versions."""
    content: dict[str, Any] = {
        "scenario": report.scenario,
        "scenario_hash": report.scenario_hash,
        "seed": report.seed,
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
    """Write report.md, report.html, kpis.csv, journal.jsonl and manifest.json, and return their paths."""
    directory.mkdir(parents=True, exist_ok=True)
    texts = {
        "report.md": markdown(report),
        "report.html": html(report),
        "kpis.csv": kpis_csv(report),
        "journal.jsonl": journal(report),
        "manifest.json": manifest(report),
    }
    for name, text in texts.items():
        write_atomic(directory / name, text)
    return tuple(directory / name for name in texts)


def _context(report: ReportInput) -> dict[str, Any]:
    asked = [decided for decided in report.decisions if decided.approval]
    counted = {key: sum(one.approval == key for one in asked) for key in ("approved", "rejected", "modified")}
    counted["open"] = len(asked) - sum(counted.values())
    return {
        "report": report,
        "rows": [_row(kpi, report.idle) for kpi in _shown(report)],
        "tiles": [_row(kpi, report.idle) for kpi in _shown(report) if kpi.name in _TILES],
        "numbered": list(enumerate(report.decisions, 1)),
        "asked": asked,
        "counted": counted,
        "goals_by_agent": [(agent, _counted(goals)) for agent, goals in _by_agent(report.goals)],
        "learnings_by_agent": _by_agent(report.learnings),
        "score": figure("cash").written(report.score),
        "against_nothing": _against_nothing(report),
        "measure": _MEASURES.get(report.score_name, report.score_name),
        "money": figure("cash").written,
    }


_MEASURES = {
    "net_worth": "cash and half a year of what the present book contributes",
    "cash": "cash at the end",
    "mrr": "monthly recurring revenue at the end",
}
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
    change = end - start
    return {
        "name": kpi.name,
        "label": kind.label,
        "start": kind.written(start),
        "end": kind.written(end),
        "delta": kind.delta(start, end),
        "tone": _tone(kind, change),
        "percent": kind.share(start, end),
        "idle": kind.written(idle[kpi.name]) if kpi.name in idle else "",
        "course": sparkline([value for value in kpi.values if value is not None][-_COURSE:]),
    }


def _tone(kind: Figure, change: float) -> str:
    if kind.better == 0 or abs(change) < 1e-9:
        return "flat"
    return "good" if change * kind.better > 0 else "bad"


def _by_agent(lines: Sequence[Any]) -> list[tuple[str, list[Any]]]:
    found: dict[str, list[Any]] = {}
    for line in lines:
        found.setdefault(line.agent, []).append(line)
    return list(found.items())


def _counted(goals: Sequence[GoalLine]) -> list[tuple[GoalLine, int]]:
    """Return each goal with how often it came to the same: what is kept up is reached and adopted time and again."""
    times = Counter((goal.description, goal.level, goal.status, f"{goal.progress:.0f}") for goal in goals)
    last = {(goal.description, goal.level, goal.status, f"{goal.progress:.0f}"): goal for goal in goals}
    return [(last[key], count) for key, count in times.items()]


def _markers(report: ReportInput) -> list[Marker]:
    return [
        Marker(one.week, number, f"Week {one.week}, {one.agent}: {one.subject}")
        for number, one in enumerate(report.decisions, 1)
        if one.tool and one.approval not in {"rejected", "pending"}
    ]
