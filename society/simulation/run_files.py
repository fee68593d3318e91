"""The files that a run leaves: its report twice, its figures as CSV, its journal, and its manifest."""

import csv
import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mabos.society.simulation.report import html, markdown
from mabos.society.simulation.report_input import ReportInput
from mabos.workspace.atomic import write_atomic


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
    """Return what happened, a JSON object a line in the order of weeks: news, then what agents did or asked for.

    What came over the company from outside is an event, what became of its own work, and what customers say, is news.
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
    """Return what reproduces the run, as JSON: scenario with its hash, seed, policy and versions."""
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
