"""The choices of planning: tasks in order, and the ways to do each that is not a single call (S3 7.1)."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mabos.mind.model import Step
from mabos.mind.plans import is_decision

_BETWEEN = re.compile(r"\s*(?:;|\n|,\s+(?:and|then)\s+|\s+and\s+then\s+|\s+then\s+|,\s+|\s+and\s+)\s*", re.IGNORECASE)
MESSAGE = "agent_message"
"""The operation by which an agent tells or asks another."""
KNOWN = ("INFORM", "QUERY")
"""What an agent need not say to itself."""


@dataclass(frozen=True, slots=True)
class PlanTask:
    """A step, or a compound task if there are `ways`: `step` then holds its description and preconditions.

    The id of a step shows its origin: `billing.in_stripe.price` is the step `price` of the way `in_stripe` to do the
    task `billing`.
    """

    step: Step
    ways: tuple["Way", ...] = ()


@dataclass(frozen=True, slots=True)
class Way:
    """A method: the tasks that a compound task comes down to. The first way that leads to a plan is taken."""

    name: str
    tasks: tuple[PlanTask, ...]
    preconditions: tuple[str, ...] = ()
    fit: float = 1.0


Chosen = Mapping[str, str]
"""The way taken for each compound task, by its id."""


def steps_of(tasks: Sequence[PlanTask], chosen: Chosen) -> tuple[Step, ...]:
    """Return the steps that `tasks` come down to in the ways `chosen`, the first way where none is.

    What a compound task needs is needed by its first step; where it branches, the plan branches after its last one.
    """
    flat = [_flat(task, chosen) for task in tasks]
    first = {task.step.id: steps[0].id for task, steps in zip(tasks, flat, strict=True)}
    return tuple(
        replace(step, branches=tuple((when, first.get(go, go)) for when, go in step.branches))
        for steps in flat
        for step in steps
    )


def way_of(task: PlanTask, chosen: Chosen) -> Way:
    """Return the way in which a compound task is done."""
    return next((way for way in task.ways if way.name == chosen.get(task.step.id)), task.ways[0])


def compounds(tasks: Sequence[PlanTask]) -> Iterator[PlanTask]:
    """Yield every compound task, those above before those below."""
    for task in tasks:
        if task.ways:
            yield task
            for way in task.ways:
                yield from compounds(way.tasks)


def remove_refused(tasks: Sequence[PlanTask], refused: Container[str]) -> tuple[PlanTask, ...] | None:
    """Return `tasks` without the ways in `refused`, named `billing.in_stripe`; None where a task has none left."""
    left = []
    for task in tasks:
        ways = []
        for way in task.ways:
            below = None if f"{task.step.id}.{way.name}" in refused else remove_refused(way.tasks, refused)
            if below is not None:
                ways.append(replace(way, tasks=below))
        if task.ways and not ways:
            return None
        left.append(replace(task, ways=tuple(ways)))
    return tuple(left)


def adapt_to_agent(tasks: Sequence[PlanTask], agent_id: str) -> tuple[PlanTask, ...] | None:
    """Return `tasks` as an agent itself can do them; None if it would have to request something of itself.

    It already knows anything it would inform or ask itself of: that step is skipped. No one would do a request to
    itself: a way with one is excluded.
    """
    left = []
    for task in tasks:
        below = [
            replace(way, tasks=inner) for way in task.ways if (inner := adapt_to_agent(way.tasks, agent_id)) is not None
        ]
        is_own = task.step.tool == MESSAGE and task.step.arguments.get("to") == agent_id
        if (task.ways and not below) or (is_own and task.step.arguments.get("performative") not in KNOWN):
            return None
        step = replace(task.step, status="skipped", effects=()) if is_own else task.step
        left.append(PlanTask(step, tuple(below)))
    return tuple(left)


def ways_above(step_id: str) -> tuple[str, ...]:
    """Return the ways that a step is part of, the nearest first.

    >>> ways_above("t1.reduce_churn.support.outside_help.package")
    ('t1.reduce_churn.support.outside_help', 't1.reduce_churn')
    """
    names = step_id.split(".")
    return tuple(".".join(names[:end]) for end in range((len(names) - 1) // 2 * 2, 0, -2))


def _flat(task: PlanTask, chosen: Chosen) -> list[Step]:
    if not task.ways:
        return [task.step]
    way = way_of(task, chosen)
    steps = list(steps_of(way.tasks, chosen))
    needed = tuple(dict.fromkeys((*task.step.preconditions, *way.preconditions, *steps[0].preconditions)))
    steps[0] = replace(steps[0], preconditions=needed)
    if task.step.branches:
        last = steps[-1]
        if last.branches or is_decision(last):
            steps.append(Step(f"{task.step.id}.then", "Go on", branches=task.step.branches))
        else:
            steps[-1] = replace(last, branches=task.step.branches)
    return steps


def parts_of(goal_text: str) -> tuple[str, ...]:
    """Return the items that a goal lists, each of two words or more; the goal itself if it lists none.

    >>> parts_of("Reduce churn, tell marketing and then review our runway")
    ('Reduce churn', 'tell marketing', 'review our runway')
    """
    text = goal_text.strip(" .")
    parts = tuple(part for part in _BETWEEN.split(text) if len(part.split()) > 1)
    return parts if len(parts) > 1 else (text,)
