"""The state of an agent at a given time: its mind, and derived values: terms, ages, blockers, clocks, trees.

    found = standing(mind, clock(), limits)
    found.intentions[0].clock.left    # days until it counts as stalled

Nothing here prints or reads a clock, so that a past mind is seen as of its own time.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mabos.mind.desires import STANDING, rate_desire, satisfaction, terms
from mabos.mind.goals import OPEN, evaluate
from mabos.mind.intentions import IntentionLimits, StallClock, stall_clock
from mabos.mind.model import Belief, Desire, Goal, Intention, Plan, Step
from mabos.mind.relevance import asked_by, askers, by_relevance
from mabos.mind.times import days, due, moment
from mabos.workspace.clock import iso

if TYPE_CHECKING:
    from mabos.mind.mind import Mind


@dataclass(frozen=True, slots=True)
class BeliefState:
    """A belief, its age in days since the last change, and the ids that ask for it."""

    belief: Belief
    age: float | None
    asked_by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RankedDesire:
    """A desire, its current priority, the terms of that (value and weighted value), and its goals."""

    desire: Desire
    priority: float
    terms: Mapping[str, tuple[float, float]]
    goals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Aim:
    """A goal, its blockers, and its supporters: sub-goals and intentions."""

    goal: Goal
    blockers: tuple[str, ...]
    children: tuple[str, ...]
    intentions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Committed:
    """An intention, its plan, and the days until it stalls and until it is due (None for never)."""

    intention: Intention
    plan: Plan | None
    clock: StallClock
    due: float | None


@dataclass(frozen=True, slots=True)
class PlanBranch:
    """A part of a plan: a step, or a compound task with its chosen method and parts."""

    name: str
    way: str = ""
    step: Step | None = None
    parts: list["PlanBranch"] = field(default_factory=list)

    @property
    def status(self) -> str:
        """The step's status; a task is done when all parts are, else it has the status of its furthest part."""
        if self.step is not None:
            return self.step.status
        found = {part.status for part in self.parts}
        if found <= {"done", "skipped"}:
            return "done" if "done" in found else "skipped"
        return next(
            (one for one in ("failed", "waiting", "begun") if one in found), "begun" if "done" in found else "pending"
        )


@dataclass(frozen=True, slots=True)
class MindOverview:
    """An agent's mind as of `at`: beliefs by relevance, desires by priority, goals, intentions."""

    mind: "Mind"
    at: datetime
    beliefs: tuple[BeliefState, ...]
    desires: tuple[RankedDesire, ...]
    goals: tuple[Aim, ...]
    intentions: tuple[Committed, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the whole mind as JSON, under the names of its files, with derived values."""
        mind = self.mind
        return {
            "at": iso(self.at),
            "persona": _plain(asdict(mind.persona)),
            "beliefs": [asdict(one.belief) | {"age_days": one.age, "asked_by": one.asked_by} for one in self.beliefs],
            "desires": [_describe_desire(one) for one in self.desires],
            "goals": [_aim(one) for one in self.goals],
            "intentions": [_describe_intention(one) for one in self.intentions],
            "plans": [_plain(asdict(item)) | {"tree": [_branch(one) for one in tree(item)]} for item in mind.plans],
            "commitments": [asdict(item) for item in mind.commitments],
            "learnings": [asdict(item) for item in mind.learnings],
            "problems": [asdict(item) for item in mind.problems],
        }


def standing(mind: "Mind", at: datetime, limits: IntentionLimits) -> MindOverview:
    """Return the state of a mind at a time; `limits` are those of commitment."""
    asking = askers(mind.desires, mind.goals, mind.plans)
    met = satisfaction(mind.desires, mind.goals)
    plans = {plan.id: plan for plan in mind.plans}
    goals = _ids((goal.desire_id, goal.id) for goal in mind.goals)
    wanted = [
        RankedDesire(
            one, rate_desire(one, at, met, mind.index).priority, terms(one, at, met, mind.index), goals.get(one.id, ())
        )
        for one in mind.desires
    ]
    return MindOverview(
        mind,
        at,
        tuple(
            BeliefState(one, _days_since(one.updated, at), asked_by(one, asking))
            for one in by_relevance(mind.beliefs, asking)
        ),
        tuple(sorted(wanted, key=_rank)),
        tuple(_aims(mind, at)),
        tuple(
            Committed(one, plans.get(one.plan_id), stall_clock(one, at, limits), _days_until(one.deadline, at))
            for one in mind.intentions
        ),
    )


def _rank(one: RankedDesire) -> tuple[bool, float, str]:
    return one.desire.status not in STANDING, -one.priority, one.desire.id


def tree(plan: Plan) -> list[PlanBranch]:
    """Return the steps of a plan under the compound tasks they come from, in order.

    The id of a step says where it comes from: `billing.in_stripe.price` is the step `price` of the way `in_stripe` to
    do the task `billing`.
    """
    roots: list[PlanBranch] = []
    for step in plan.steps:
        names = step.id.split(".")
        parts = roots
        for task, way in zip(names[:-1:2], names[1::2], strict=False):
            if not parts or (parts[-1].name, parts[-1].way) != (task, way):
                parts.append(PlanBranch(task, way))
            parts = parts[-1].parts
        parts.append(PlanBranch(names[-1], step=step))
    return roots


def _ids(pairs: Iterable[tuple[str, str]]) -> Mapping[str, tuple[str, ...]]:
    """Return the ids paired with each key."""
    found: dict[str, list[str]] = {}
    for key, one in pairs:
        found.setdefault(key, []).append(one)
    return {key: tuple(ids) for key, ids in found.items()}


def _aims(mind: "Mind", at: datetime) -> Iterator[Aim]:
    below = _ids((one.parent_goal_id, one.id) for one in mind.goals)
    serving = _ids((one.goal_id, one.id) for one in mind.intentions)
    for goal in mind.goals:
        found = evaluate(
            goal, lookup=mind.index, intentions=mind.intentions, plans=mind.plans, goals=mind.goals, now=at
        )
        yield Aim(goal, found.blockers if goal.status in OPEN else (), below.get(goal.id, ()), serving.get(goal.id, ()))


def _days_since(text: str, at: datetime) -> float | None:
    then = moment(text)
    return None if then is None else round(days(at - then), 4)


def _days_until(text: str, at: datetime) -> float | None:
    then = due(text)
    return None if then is None else round(days(then - at), 4)


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    return {name: dict(value) if isinstance(value, Mapping) else value for name, value in record.items()}


def _describe_desire(one: RankedDesire) -> dict[str, Any]:
    found = {name: {"share": share, "adds": round(adds, 4)} for name, (share, adds) in one.terms.items()}
    return asdict(one.desire) | {"priority_now": one.priority, "terms": found, "goals": one.goals}


def _aim(one: Aim) -> dict[str, Any]:
    return asdict(one.goal) | {"blockers": one.blockers, "children": one.children, "intentions": one.intentions}


def _describe_intention(one: Committed) -> dict[str, Any]:
    clock = {
        "since": iso(one.clock.since) if one.clock.since else "",
        "window_days": one.clock.window,
        "days_left": None if one.clock.left is None else round(one.clock.left, 4),
    }
    return asdict(one.intention) | {"stall": clock, "due_in_days": one.due}


def _branch(one: PlanBranch) -> dict[str, Any]:
    if one.step is not None:
        return {"step": one.step.id, "status": one.status}
    return {"task": one.name, "way": one.way, "status": one.status, "parts": [_branch(part) for part in one.parts]}
