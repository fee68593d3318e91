"""Simulated runs side by side: their figures in one chart each, what they came to, and what only one of them did."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from mabos.dashboard.view import Asked
from society.simulation.charts import Line, line_chart
from society.simulation.difference import PlayedRun, difference, finished
from society.simulation.figures import SHOWN, figure

MOST = 4
"""Runs that are compared at a time."""
LISTED = 200
_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Finished:
    """A run in its folder, by which it is asked for."""

    name: str
    run: PlayedRun


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure of several runs: a chart of all of them, and what each came to."""

    label: str
    ends: tuple[str, ...]
    picture: Markup


def runs(asked: Asked) -> Mapping[str, Any]:
    """Return the runs that are found, and the chosen ones side by side; without a choice the first two."""
    names = _names(asked.runs)
    chosen = [name for name in asked.every("run") if name in names][:MOST] or names[:2]
    shown = [Finished(name, run) for name in chosen if (run := finished(asked.runs / name, {}))]
    pair = difference(shown[0].run, shown[1].run) if len(shown) == 2 else None
    return {
        "folder": str(asked.runs),
        "names": names,
        "chosen": [one.name for one in shown],
        "shown": shown,
        "compared": _compared([one.run for one in shown]),
        "pair": pair,
        "most": MOST,
    }


def _names(folder: Path) -> list[str]:
    """Return the runs in a folder by their paths below it, one or two folders deep, the newest first."""
    found = [path.parent for depth in ("*", "*/*") for path in folder.glob(f"{depth}/{_MANIFEST}")]
    newest = sorted(found, key=lambda path: (-(path / _MANIFEST).stat().st_mtime, str(path)))
    return [str(path.relative_to(folder)) for path in newest[:LISTED]]


def _compared(played: Sequence[PlayedRun]) -> list[Compared]:
    ends = [run.at_the_end() for run in played]
    return [_side_by_side(name, played, ends) for name in SHOWN if any(name in end for end in ends)]


def _side_by_side(name: str, played: Sequence[PlayedRun], at_the_end: Sequence[Mapping[str, float]]) -> Compared:
    kind = figure(name)
    lines = [
        Line(f"run {number + 1}", tuple(float(cell) if cell else None for cell in run.figures.get(name, ())), number)
        for number, run in enumerate(played)
    ]
    ends = tuple(kind.written(end[name]) if name in end else "–" for end in at_the_end)
    drawn = line_chart(kind.label, lines, label=kind.axis)
    return Compared(kind.label, ends, Markup(drawn))  # noqa: S704 - every label in it was escaped where it was drawn
