"""Reasons for a missing plan: the precondition that stopped planning latest, and the beliefs against it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mabos.mind.htn.compiled import CompoundTask, PrimitiveTask
from mabos.mind.htn.matching import Requirement, Stuck
from mabos.mind.htn.model import Condition, Fact
from mabos.mind.htn.truth import conjuncts, consult_values, render_condition, truth
from mabos.mind.htn.world import World


@dataclass(frozen=True, slots=True)
class Failure:
    """The precondition that stopped planning latest: its task, its text, and the current values.

    `by` is the method or operator that asks; `steps` the number of steps that could be planned before it.
    """

    task: Fact
    by: str
    condition: str
    values: Mapping[str, str | None] = field(default_factory=dict)
    steps: int = 0

    def told(self) -> str:
        """Return a sentence that explains why there is no plan."""
        held = ", ".join(f"{name} is {'unknown' if value is None else value}" for name, value in self.values.items())
        task = " ".join(map(str, self.task))
        by = f", by {self.by!r}," if self.by and self.by != self.task[0] else ""
        after = f"after {self.steps} step{'s' * (self.steps != 1)}, " if self.steps else ""
        return f"{after}{task!r}{by} needs: {self.condition}{f' ({held})' if held else ''}"


def missing_step(act: PrimitiveTask, arguments: tuple[Any, ...], world: World, steps: int) -> Failure | None:
    """Return the unmet precondition of a step, or None if it can be done."""
    missing = act.matcher.failing(arguments)
    if missing is None:
        return None
    binding = {name: thing for (name, _), thing in zip(act.operator.parameters, arguments, strict=True)}
    return _failure((act.name, *arguments), Stuck(missing, binding, 0), act.name, world, steps)


def missing_way(
    goal: CompoundTask, arguments: tuple[Any, ...], world: World, steps: int, *, alone: bool
) -> Failure | None:
    """Return the unmet precondition of the method that came furthest, or None if every method can start."""
    task = (goal.name, *arguments)
    best: tuple[Stuck, str] | None = None
    for way in goal.ways if alone else goal.ways_among_others:
        stuck = way.matcher.find_obstacle(arguments)
        if stuck is not None and (best is None or stuck.met > best[0].met):
            best = stuck, way.name
    if best is None:
        return None if goal.ways else Failure(task, "", "a method", steps=steps)
    return _failure(task, best[0], best[0].requirement.source or best[1], world, steps)


def going_in_circles(goal: CompoundTask, arguments: tuple[Any, ...]) -> Failure:
    """Return the failure of a task that recurred while it was being refined."""
    return Failure((goal.name, *arguments), "", "a way that does not lead back to the task itself")


def missing_goal(goal: Condition, world: World, steps: int) -> Failure:
    """Return the part of the goal that does not hold at the end."""
    part = next(one for one in conjuncts(goal) if not truth(one, {}, world))
    return _failure(("goal",), Stuck(Requirement(part), {}, 0), "goal", world, steps)


def _failure(task: Fact, stuck: Stuck, by: str, world: World, steps: int) -> Failure:
    condition, binding = stuck.requirement.condition, stuck.binding
    return Failure(task, by, render_condition(condition, binding), consult_values(condition, binding, world), steps)
