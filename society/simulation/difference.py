"""Compare two runs: their settings, their results, and the actions in only one of them.

found = difference(read_run(Path("runs/a")), read_run(Path("runs/b")))
found.is_same                        # the same figures and the same deeds, week by week
"""

import csv
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mabos.configs.errors import Damaged, UnknownId
from mabos.society.simulation.charts import ChartLine, line_chart
from mabos.society.simulation.figures import SHOWN, figure, is_beyond, reading
from mabos.society.simulation.rendering import render_template, style
from mabos.society.simulation.timeline import KINDS, Dot, kind_of, timeline
from mabos.society.simulation.wording import aim, came_to_pass


@dataclass(frozen=True, slots=True)
class RunDeed:
    """An action or request of an agent; `approval` is "" if no approval was needed."""

    week: int
    agent: str
    subject: str
    approval: str = ""
    tool: str = ""

    @property
    def is_done(self) -> bool:
        """Return whether it was done: the owner neither refused it nor left it waiting."""
        return came_to_pass(self.approval)


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """The files of a run: its terms, each metric by week, and its deeds."""

    directory: Path
    terms: Mapping[str, Any]
    figures: Mapping[str, Sequence[str]]
    deeds: tuple[RunDeed, ...]
    events: tuple[tuple[int, str], ...] = ()
    """The external events: week and text."""

    def course(self, name: str) -> tuple[float | None, ...]:
        """Return a metric week by week, `None` if not measured; empty if it never was."""
        cells = self.figures.get(name, ())
        return tuple(float(cell) if cell else None for cell in cells) if any(cells) else ()

    @property
    def score(self) -> float:
        """The score for comparing runs."""
        return float(self.terms["score"])

    def at_the_end(self) -> dict[str, float]:
        """Return the last value of each metric that was ever measured."""
        last = {name: next((cell for cell in reversed(cells) if cell), "") for name, cells in self.figures.items()}
        return {name: float(cell) for name, cell in last.items() if cell}


@dataclass(frozen=True, slots=True)
class FigureDifference:
    """A metric at the end of both runs, formatted for people."""

    label: str
    ours: str
    theirs: str
    change: str


@dataclass(frozen=True, slots=True)
class RunDifference:
    """The differences between two runs. `parted` is the first week whose figures or deeds differ, or None.

    `otherwise` are deeds of both runs with different approvals: asked for in only one, or answered differently; they
    are not among those of only one run.
    """

    terms: Mapping[str, tuple[Any, Any]]
    scores: tuple[float, float]
    lines: tuple[FigureDifference, ...]
    only_ours: tuple[RunDeed, ...]
    only_theirs: tuple[RunDeed, ...]
    otherwise: tuple[tuple[RunDeed, RunDeed], ...]
    parted: int | None

    @property
    def is_same(self) -> bool:
        """Return whether every figure and every deed is the same in every week."""
        return self.parted is None


def read_run(directory: Path) -> PlayedRun:
    """Return the records of the run in `directory`.

    Raises `UnknownId` without a run, and `Damaged` if its files cannot be read.
    """
    try:
        terms = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
        with (directory / "kpis.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        entries = [json.loads(line) for line in (directory / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
        deeds = tuple(
            RunDeed(one["week"], one["agent"], one["subject"], one["approval"], one["tool"])
            for one in entries
            if one["kind"] == "deed"
        )
        events = tuple((one["week"], one["text"]) for one in entries if one["kind"] == "event")
        figures = {name: [row[name] for row in rows] for name in rows[0] if name != "week"} if rows else {}
        for told in (terms["score"], *(cell for cells in figures.values() for cell in cells if cell)):
            float(told)
    except FileNotFoundError as missing:
        message = (
            f"{directory} holds no finished run ({Path(missing.filename).name} is missing); `mabos simulate` makes one"
        )
        raise UnknownId(message) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as wrong:
        raise Damaged(f"{directory}: it does not contain a run ({wrong}); run it again") from None
    return PlayedRun(directory, terms, figures, deeds, events)


def find_finished_run(directory: Path, terms: Mapping[str, Any]) -> PlayedRun | None:
    """Return the finished run in `directory` that was played with these terms, else None."""
    try:
        run = read_run(directory)
    except (UnknownId, Damaged):
        return None
    return run if all(run.terms.get(name) == value for name, value in terms.items()) else None


def difference(ours: PlayedRun, theirs: PlayedRun) -> RunDifference:
    """Return the differences between `ours` and `theirs`."""
    mine, other = _terms(ours), _terms(theirs)
    unlike = {name: (mine.get(name), other.get(name)) for name in sorted({*mine, *other})}
    only_ours, only_theirs = _without(ours.deeds, theirs.deeds), _without(theirs.deeds, ours.deeds)
    otherwise = _otherwise(only_ours, only_theirs)
    one, two = ours.at_the_end(), theirs.at_the_end()
    return RunDifference(
        terms={name: pair for name, pair in unlike.items() if pair[0] != pair[1] and name not in _OUTCOMES},
        scores=(ours.score, theirs.score),
        lines=tuple(_line(name, one[name], two[name]) for name in SHOWN if name in one and name in two),
        only_ours=_without(only_ours, [one for one, _ in otherwise]),
        only_theirs=_without(only_theirs, [other for _, other in otherwise]),
        otherwise=otherwise,
        parted=_find_divergence(ours, theirs),
    )


_OUTCOMES = {"score", "score_doing_nothing", "bankrupt", "audit"}


def _terms(run: PlayedRun) -> dict[str, Any]:
    """Return the settings of a run, each trait of its owner by itself."""
    owner = {f"owner {name}": value for name, value in run.terms.get("owner", {}).items()}
    return {name: value for name, value in run.terms.items() if name != "owner"} | owner


def _line(name: str, ours: float, theirs: float) -> FigureDifference:
    kind = figure(name)
    change = "" if is_beyond(name, ours) or is_beyond(name, theirs) else kind.delta(ours, theirs)
    return FigureDifference(kind.label, reading(name, ours), reading(name, theirs), change)


def _without(deeds: Sequence[RunDeed], others: Sequence[RunDeed]) -> tuple[RunDeed, ...]:
    """Return the deeds that the other run does not have as often."""
    left = Counter(others)
    found = []
    for deed in deeds:
        if left[deed]:
            left[deed] -= 1
        else:
            found.append(deed)
    return tuple(found)


def _otherwise(ours: Sequence[RunDeed], theirs: Sequence[RunDeed]) -> tuple[tuple[RunDeed, RunDeed], ...]:
    """Return each deed with the first one of the other run about the same thing that was answered differently."""
    left = list(theirs)
    found = []
    for deed in ours:
        same = (one for one in left if _about(one) == _about(deed) and one.approval != deed.approval)
        other = next(same, None)
        if other is not None:
            left.remove(other)
            found.append((deed, other))
    return tuple(found)


def _about(deed: RunDeed) -> tuple[str, str, str]:
    return deed.agent, deed.tool, aim(deed.subject)


def _find_divergence(ours: PlayedRun, theirs: PlayedRun) -> int | None:
    weeks = max(len(cells) for run in (ours, theirs) for cells in (*run.figures.values(), ()))
    for week in range(weeks):
        if _week(ours, week) != _week(theirs, week):
            return week
    return None


def _week(run: PlayedRun, week: int) -> tuple[dict[str, str], list[RunDeed]]:
    figures = {name: cells[week] for name, cells in run.figures.items() if week < len(cells)}
    return figures, [deed for deed in run.deeds if deed.week == week]


_CHARTED = (
    *("cash", "mrr", "revenue", "subscribers", "churn_rate", "quality", "leads", "price", "average_order_value"),
    *("stock", "stockouts", "utilisation", "receivables", "support_backlog", "ad_spend", "contractor_spend"),
)
_SHOWN = 40
"""Deeds of only one run that are told; the others are counted."""


def comparison_page(ours: PlayedRun, theirs: PlayedRun, found: RunDifference, names: tuple[str, str]) -> str:
    """Return the page that compares two runs; `names` are their names."""
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
    return render_template("compare.html.j2", values, is_page=True)


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
