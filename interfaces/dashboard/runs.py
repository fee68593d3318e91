"""Simulated runs side by side: their figures in shared charts, their results, and actions of only one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from mabos.interfaces.dashboard.svg import wrap_markup
from mabos.interfaces.dashboard.view import PageRequest
from mabos.society.simulation.charts import ChartLine, Marker, line_chart
from mabos.society.simulation.difference import PlayedRun, RunDeed, difference, find_finished_run
from mabos.society.simulation.figures import SHOWN, figure

MOST = 4
"""Runs that are compared at a time."""
CHARTS = 8
"""Figures that have a chart unless all are asked for; the table has every one."""
MARKED = 24
"""Questions to the owner that are marked on the charts."""
LISTED = 200
_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Finished:
    """A run in its folder, by its name in requests."""

    name: str
    run: PlayedRun


@dataclass(frozen=True, slots=True)
class Marked:
    """A question to the owner in one of the runs, by its number in the charts."""

    number: int
    run: int
    deed: RunDeed


@dataclass(frozen=True, slots=True)
class FigureComparison:
    """A figure of several runs: each final value, and a chart of them all; "" if it is not shown."""

    label: str
    ends: tuple[str, ...]
    picture: Markup | str


def runs(asked: PageRequest) -> Mapping[str, Any]:
    """Return the runs found, and the selected ones side by side; by default the first two."""
    names = _names(asked.runs)
    chosen = [name for name in asked.every("run") if name in names][:MOST] or names[:2]
    shown = [Finished(name, run) for name in chosen if (run := find_finished_run(asked.runs / name, {}))]
    played = [one.run for one in shown]
    marked = _mark_approvals(played)
    charts = len(SHOWN) if asked.text("whole") else CHARTS
    return {
        "folder": str(asked.runs),
        "names": names,
        "chosen": [one.name for one in shown],
        "shown": shown,
        "compared": _compare_figures(played, marked, charts),
        "marked": marked,
        "charts": charts,
        "pair": difference(*played) if len(played) == 2 else None,
        "most": MOST,
    }


def _names(folder: Path) -> list[str]:
    """Return the runs in a folder by their paths below it, one or two folders deep, the newest first."""
    found = [path.parent for depth in ("*", "*/*") for path in folder.glob(f"{depth}/{_MANIFEST}")]
    newest = sorted(found, key=lambda path: (-(path / _MANIFEST).stat().st_mtime, str(path)))
    return [str(path.relative_to(folder)) for path in newest[:LISTED]]


def _mark_approvals(played: Sequence[PlayedRun]) -> list[Marked]:
    """Return the questions to the owner of each run, week by week, as many as there is room for."""
    asked = [(deed.week, number, deed) for number, run in enumerate(played) for deed in run.deeds if deed.approval]
    asked.sort(key=lambda one: one[:2])
    return [Marked(number, run, deed) for number, (_, run, deed) in enumerate(asked[:MARKED], 1)]


def _compare_figures(played: Sequence[PlayedRun], marked: Sequence[Marked], charts: int) -> list[FigureComparison]:
    ends = [run.at_the_end() for run in played]
    markers = [Marker(one.deed.week, one.number, f"{one.deed.subject}: {one.deed.approval}") for one in marked]
    names = [name for name in SHOWN if any(name in end for end in ends)]
    return [
        _side_by_side(name, played, ends, markers if number < charts else None) for number, name in enumerate(names)
    ]


def _side_by_side(
    name: str, played: Sequence[PlayedRun], at_the_end: Sequence[Mapping[str, float]], markers: list[Marker] | None
) -> FigureComparison:
    """Return one figure of all runs, with a chart where it is to have `markers`."""
    kind = figure(name)
    ends = tuple(kind.written(end[name]) if name in end else "–" for end in at_the_end)
    if markers is None:
        return FigureComparison(kind.label, ends, "")
    lines = [
        ChartLine(
            f"run {number + 1}", tuple(float(cell) if cell else None for cell in run.figures.get(name, ())), number
        )
        for number, run in enumerate(played)
    ]
    return FigureComparison(
        kind.label, ends, wrap_markup(line_chart(kind.label, lines, label=kind.axis, markers=markers))
    )
