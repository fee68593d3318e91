"""PetShop (Hardt et al. 2024) as problems: a shop of small services, and incidents whose cause was planted."""

import csv
import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[4] / "shared" / "data" / "reasoning" / "root_cause" / "petshop" / "high_traffic"


def incidents() -> list[tuple[dict[str, Any], str]]:
    """Return each incident as a problem with the component whose fault it was."""
    if not DATA.exists():
        return []
    quiet, calls = _readings(DATA / "noissue_metrics_first200.csv"), _calls()
    found = []
    for folder in sorted((DATA / "test").iterdir()):
        told = json.loads((folder / "target.json").read_text("utf-8"))
        metric, now = told["target"]["metric"], _readings(folder / "metrics.csv")
        bad = "high" if metric == "latency" else "low"
        components = {
            name: {
                "depends_on": below,
                "metrics": _metrics(metric, quiet.get((name, metric)), now.get((name, metric)), bad),
            }
            for name, below in calls.items()
        }
        problem = {"kind": "incident", "symptom": told["target"]["node"], "metric": metric, "components": components}
        found.append((problem, told["root_cause"]["node"]))
    return found


def _metrics(name: str, quiet: Any, now: Any, bad: str) -> dict[str, Any]:
    return {name: {"baseline": quiet or [], "present": now, "bad": bad}} if now else {}


def _readings(path: Path) -> dict[tuple[str, str], list[float | None]]:
    """Return the averages of each metric of each service; a gap is no reading."""
    names, metrics, statistics, _, *rows = csv.reader(path.read_text("utf-8").splitlines())
    return {
        (names[column], metrics[column]): [
            float(row[column]) if row[column] not in ("", "nan") else None for row in rows if column < len(row)
        ]
        for column in range(1, len(names))
        if statistics[column] == "Average"
    }


def _calls() -> dict[str, list[str]]:
    head, *rows = csv.reader((DATA / "graph.csv").read_text("utf-8").splitlines())
    return {row[0]: [name for name, called in zip(head[1:], row[1:], strict=True) if float(called)] for row in rows}
