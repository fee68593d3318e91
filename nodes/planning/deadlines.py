"""Whether a plan can show its effect before what it is for is due: a timeline with bounds that may contradict."""

import itertools
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.formal.timeline import Bound, EventTimeline, solve
from mabos.mind.model import Goal, Plan
from mabos.mind.times import moment

UNITS = {"days": 1.0, "weeks": 7.0, "months": 30.0}
"""Days of the arguments by which a step says how long what it starts goes on."""
SHOWN = 150
"""Characters of a goal's description by which its point in time is named."""
LONGEST = 1e6
"""Days beyond which an argument is no duration."""


def overdue(plan: Plan, goals: Iterable[Goal], now: datetime) -> tuple[str, ...]:
    """Return what contradicts what, where the plan takes longer than the goal or one above it allows; else nothing.

    `goals` are the plan's goal and those above it, nearest first.
    """
    lasting = [(step.id, days) for step in plan.steps if (days := _days(step.arguments))]
    due = [(goal, left) for goal in goals if (left := _left(goal.deadline, now)) is not None]
    if not lasting or not due:
        return ()
    return solve(EventTimeline(start="now", bounds=tuple(_bounds(lasting, due))), Budget()).answer.conflict


def _bounds(lasting: list[tuple[str, float]], due: list[tuple[Goal, float]]) -> Iterator[Bound]:
    """Yield what each lasting step takes, and when each goal is due: it is reached when all steps are through."""
    for step_id, days in lasting:
        yield Bound(before="now", after=f"step {step_id} through", at_least=days)
        yield Bound(before=f"step {step_id} through", after=_reached(due[0][0]), at_least=0)
    for (lower, _), (upper, _) in itertools.pairwise(due):
        yield Bound(before=_reached(lower), after=_reached(upper), at_least=0)
    for goal, left in due:
        yield Bound(before="now", after=_reached(goal), at_most=left, id=goal.id)


def _reached(goal: Goal) -> str:
    """Return the name of the point at which a goal is reached: its own, however long or common the description is."""
    return f"{goal.description[:SHOWN]} ({goal.id})"


def _days(arguments: Any) -> float:
    """Return how many days what a step starts goes on, 0 where it does not say."""
    given = {unit: arguments.get(unit) for unit in UNITS}
    return sum((UNITS[unit] * float(value) for unit, value in given.items() if _is_duration(value)), 0.0)


def _is_duration(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= LONGEST


def _left(deadline: str, now: datetime) -> float | None:
    """Return the days until a deadline, or None without one."""
    at = moment(deadline)
    return None if at is None else (at - now) / timedelta(days=1)
