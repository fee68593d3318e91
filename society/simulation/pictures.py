"""The pictures of a report and what stands in them: marks in charts, lanes of agents, trees of goals."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.society.simulation.charts import Marker
from mabos.society.simulation.report_input import GoalLine, ReportedDecision, ReportInput
from mabos.society.simulation.timeline import KINDS, Dot, kind_of, timeline


def _about(one: ReportedDecision) -> str:
    """Return what a deed is meant to move: the area of what was ordered, else the kind of the deed."""
    return one.area or kind_of(one.tool)


def markers(report: ReportInput) -> dict[str, list[Marker]]:
    """Return what was done as marks of charts, by what it is meant to move."""
    found: dict[str, list[Marker]] = {}
    for number, one in enumerate(report.decisions, 1):
        if one.tool and one.is_done:
            found.setdefault(_about(one), []).append(Marker(one.week, number, one.told))
    return found


def lanes(report: ReportInput) -> str:
    """Return the picture of who did what when; empty where nobody did anything."""
    dots = [
        Dot(one.week, one.agent, kind_of(one.tool), one.told, f"#decision-{number}", one.is_done)
        for number, one in enumerate(report.decisions, 1)
        if one.tool
    ]
    seats = list(dict.fromkeys([*(one.agent for one in report.activity), *sorted(dot.lane for dot in dots)]))
    events = [(one.week, one.text) for one in report.news if one.is_event]
    return timeline(report.weeks, seats, dots, events) if dots and not report.follows else ""


def kinds(report: ReportInput) -> list[dict[str, Any]]:
    """Return the legend of the timeline: each kind that was done, with its colour and how often."""
    times = Counter(kind_of(one.tool) for one in report.decisions if one.tool)
    return [
        {"tone": tone, "label": label, "times": times[kind]}
        for tone, (kind, label) in enumerate(KINDS.items())
        if times[kind]
    ]


@dataclass(frozen=True, slots=True)
class GoalTree:
    """A goal, how often it came to the same, and the goals that serve it."""

    goal: GoalLine
    times: int = 1
    below: tuple["GoalTree", ...] = ()

    @property
    def agent(self) -> str:
        """Whose goal it is."""
        return self.goal.agent

    def walked(self, depth: int = 0) -> Iterator[tuple[int, "GoalTree"]]:
        """Yield this goal and those below it, each with how far below it stands."""
        yield depth, self
        for one in self.below:
            yield from one.walked(depth + 1)


def forest(goals: Sequence[GoalLine]) -> list[GoalTree]:
    """Return the goals that serve no other, each with those that serve it; whose goals they are does not matter.

    Goals that serve each other in a ring all stand at the top.
    """
    parents = {goal.id: goal.parent for goal in goals if goal.id}
    below: dict[str, list[GoalLine]] = {}
    for goal in goals:
        is_served = goal.parent in parents and not _is_in_ring(goal.id, parents)
        below.setdefault(goal.parent if is_served else "", []).append(goal)
    return list(_grown(below, ""))


def _is_in_ring(goal_id: str, parents: Mapping[str, str]) -> bool:
    above, seen = parents.get(goal_id, ""), set[str]()
    while above and above not in seen:
        if above == goal_id:
            return True
        seen.add(above)
        above = parents.get(above, "")
    return False


def _grown(below: Mapping[str, Sequence[GoalLine]], parent: str) -> tuple[GoalTree, ...]:
    """Return the trees below a goal; what was reached time and again is told once, unless others serve it."""
    found = below.get(parent, ())
    served = [goal for goal in found if goal.id and goal.id in below]
    grown = [GoalTree(goal, below=_grown(below, goal.id)) for goal in served]
    return (*grown, *(GoalTree(goal, times) for goal, times in _counted([one for one in found if one not in served])))


def _counted(goals: Sequence[GoalLine]) -> list[tuple[GoalLine, int]]:
    """Return each goal with how often it came to the same: what is kept up is reached and adopted time and again."""
    times = Counter((goal.description, goal.level, goal.status, f"{goal.progress:.0f}") for goal in goals)
    last = {(goal.description, goal.level, goal.status, f"{goal.progress:.0f}"): goal for goal in goals}
    return [(last[key], count) for key, count in times.items()]
