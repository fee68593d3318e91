"""The choices of planning: tasks in order, and the methods of each that is not a single call (S3 7.1)."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mabos.mind.model import Step
from mabos.mind.plans import is_decision

_BETWEEN = re.compile(r"\s*(?:;|\n|,\s+(?:and|then)\s+|\s+and\s+then\s+|\s+then\s+|,\s+|\s+and\s+)\s*", re.IGNORECASE)
MESSAGE = "agent_message"
"""The operation by which an agent tells or asks another."""
KNOWN = ("INFORM", "QUERY")
"""Steps that an agent need not repeat to itself."""


@dataclass(frozen=True, slots=True)
class PlanTask:
    """A step, or a compound task if it has `ways`; its `step` then holds the description and preconditions.

    The id of a step shows its origin: `billing.in_stripe.price` is the step `price` of the way `in_stripe` to do the
    task `billing`.
    """

    step: Step
    ways: tuple["Way", ...] = ()


@dataclass(frozen=True, slots=True)
class Way:
    """A method: the tasks that a compound task is refined into. The first one that leads to a plan is used."""

    name: str
    tasks: tuple[PlanTask, ...]
    preconditions: tuple[str, ...] = ()
    fit: float = 1.0


Chosen = Mapping[str, str]
"""The way taken for each compound task, by its id."""


def steps_of(tasks: Sequence[PlanTask], chosen: Chosen) -> tuple[Step, ...]:
    """Return the steps of `tasks` with the methods `chosen`, the first method if none is.

    Its first step inherits a compound task's preconditions, its last step the branches.
    """
    flat = [_flat(task, chosen) for task in tasks]
    first = {task.step.id: steps[0].id for task, steps in zip(tasks, flat, strict=True)}
    return tuple(
        replace(step, branches=tuple((when, first.get(go, go)) for when, go in step.branches))
        for steps in flat
        for step in steps
    )


def way_of(task: PlanTask, chosen: Chosen) -> Way:
    """Return the method used for a compound task."""
    return next((way for way in task.ways if way.name == chosen.get(task.step.id)), task.ways[0])


def compounds(tasks: Sequence[PlanTask]) -> Iterator[PlanTask]:
    """Yield every compound task, parents before children."""
    for task in tasks:
        if task.ways:
            yield task
            for way in task.ways:
                yield from compounds(way.tasks)


def remove_refused(tasks: Sequence[PlanTask], refused: Container[str]) -> tuple[PlanTask, ...] | None:
    """Return `tasks` without the methods in `refused`, named `billing.in_stripe`; None if a task has none left."""
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
    """Return `tasks` as an agent can do them itself; None if it would have to request something from itself.

    Steps that inform or ask the agent itself are skipped. Nobody would carry out a request to itself, so a method with
    one is excluded.
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
    """Return the methods that a step is part of, nearest first.

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
    """Return the items in a goal, each of two or more words, or the goal itself if it lists none.

    >>> parts_of("Reduce churn, tell marketing and then review our runway")
    ('Reduce churn', 'tell marketing', 'review our runway')
    """
    text = goal_text.strip(" .")
    parts = tuple(part for part in _BETWEEN.split(text) if len(part.split()) > 1)
    return parts if len(parts) > 1 else (text,)
