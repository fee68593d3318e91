"""A playbook as a plan: its steps with bound values, goals opened when reached, and alternatives on failure.

The plan's first step, `s0`, is the event, and its result: "by Remind by mail; by Call the customer" names the playbooks
in the order in which they were taken. A step `!goal` is opened when it is reached: it is done "by" a playbook, whose
steps follow it as `s2.1`, `s2.2`. If one fails, the next playbook for the same goal takes over. Otherwise it is one for
the failure of that goal, else the same one level higher.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from mabos.mind.model import Goal, Plan, Step
from mabos.mind.plans import step_of
from mabos.mind.procedures.playbooks import Event, Routine, Values, event_of, failure_of, fill_placeholders, goal_event

EVENT = "s0"
CONFIDENCE = 0.9
"""The confidence that a playbook suits its stated purpose: a person wrote it."""

_BY, _OVER = "by ", ("done", "skipped", "failed")
Choose = Callable[[Event, Collection[str]], tuple[Routine, Values] | None]
"""Gives the playbook for an event, and what it binds, leaving those out that were tried."""


def begin_plan(routine: Routine, values: Values, event: Event, *, plan_id: str, goal: Goal, now: str) -> Plan:
    """Return the plan with which a playbook answers an event."""
    first = Step(EVENT, event.told, status="done", result=f"{_BY}{routine.name}")
    return Plan(
        id=plan_id,
        goal_id=goal.id,
        name=routine.name,
        source="playbook",
        confidence=CONFIDENCE,
        strategy=f"as the playbook {routine.name!r} says",
        steps=(first, *_steps(routine, values, EVENT, 1)),
        cursor=1,
        status="active",
        created=now,
        updated=now,
    )


def is_goal(plan: Plan, step: Step) -> bool:
    """Return whether a step is a goal not yet opened."""
    return plan.source == "playbook" and not step.tool and step.description.startswith("!") and step.status not in _OVER


def open_goal(plan: Plan, step: Step, choose: Choose, now: str) -> Plan | None:
    """Return the plan with a goal opened by the playbook that applies to it, or None if there is none."""
    event = _event(step)
    found = choose(event, ()) or choose(failure_of(event), ())
    if found is None:
        return None
    routine, values = found
    done = replace(step, status="done", result=f"{_BY}{routine.name}")
    at = plan.steps.index(step)
    steps = (*plan.steps[:at], done, *_steps(routine, values, step.id, 1), *plan.steps[at + 1 :])
    return replace(plan, steps=steps, updated=now)


def otherwise(plan: Plan, step_id: str, choose: Choose, now: str) -> Plan | None:
    """Return the plan with an alternative playbook for a step's group, nearest goal first, or None.

    Done steps stay done; open ones of the failed playbook are skipped.
    """
    if plan.source != "playbook":
        return None
    for group in _above(step_id):
        goal = step_of(plan, group)
        tried = goal.result.removeprefix(_BY).split(f"; {_BY}")
        found = choose(_event(goal), tried)
        if found is not None:
            routine, values = found
            goal = replace(goal, result=f"{goal.result}; {_BY}{routine.name}")
            return _instead(plan, goal, tuple(_steps(routine, values, group, len(tried) + 1)), routine.name, now)
    return None


def _instead(plan: Plan, goal: Step, fresh: tuple[Step, ...], name: str, now: str) -> Plan:
    """Return the plan with other steps for a goal, behind those it had."""
    inside = [_is_inside(step.id, goal.id) for step in plan.steps]
    last = max((at for at, is_in in enumerate(inside) if is_in), default=plan.steps.index(step_of(plan, goal.id)))
    kept = [
        goal if step.id == goal.id else replace(step, status="skipped") if is_in and step.status != "done" else step
        for step, is_in in zip(plan.steps, inside, strict=True)
    ]
    steps = (*kept[: last + 1], *fresh, *kept[last + 1 :])
    after = replace(plan, steps=steps, revision=plan.revision + 1, status="active", updated=now)
    if goal.id != EVENT:
        return after
    return replace(after, name=name, strategy=f"as the playbook {name!r} says, for {plan.name!r} failed")


def _steps(routine: Routine, values: Values, group: str, way: int) -> Iterator[Step]:
    """Yield the steps of a playbook, with ids that name their group and way."""
    start, suffix = ("s" if group == EVENT else f"{group}."), f"-{way}" if way > 1 else ""
    for number, part in enumerate(routine.parts, start=1):
        step = Step(f"{start}{number}{suffix}", part.text)
        if part.kind == "operation":
            yield replace(
                step,
                description=fill_placeholders(part.text, values),
                tool=part.tool,
                arguments=fill_placeholders(part.arguments or {}, values),
            )
        elif part.kind == "goal":
            yield replace(step, description=f"!{goal_event(part.text, values).told.removeprefix('+!')}")
        elif part.kind == "condition":
            condition = fill_placeholders(part.text, values)
            yield replace(step, description=f"? {condition}", preconditions=(condition,))
        else:
            believed = fill_placeholders(part.text, values)
            yield replace(step, description=f"+ {believed}", effects=(believed,))


def _event(step: Step) -> Event:
    """Return the event of a step: that of the whole plan, or its own goal."""
    return event_of(f"+{step.description}" if step.description.startswith("!") else step.description)


def _above(step_id: str) -> Iterator[str]:
    """Yield the groups of a step, nearest first."""
    while step_id != EVENT:
        step_id = step_id.rpartition(".")[0] or EVENT
        yield step_id


def _is_inside(step_id: str, group: str) -> bool:
    return step_id != EVENT if group == EVENT else step_id.startswith(f"{group}.")
