"""The choice of a method for each compound task, so that every step can be done when its turn comes (S3 7.1).

The planner of `mind.htn` gets the tasks of a plan in the agent's own situation. Beliefs and known values are the state,
changed by effects. An unusable tool is a false condition. A decision point is a task with one method for each branch.
An unknown value blocks no plan, nor does a step that waits for something to be known: `cash != unknown`.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from mabos.knowledge.wording import name_key
from mabos.mind.beliefs import TRIVIAL
from mabos.mind.conditions import Lookup, waits_for_news
from mabos.mind.htn.model import (
    And,
    Assign,
    Condition,
    Domain,
    Effect,
    Fact,
    Method,
    Network,
    Not,
    Operator,
    Part,
    PlanningProblem,
    State,
    choice,
    parallel,
    sequence,
)
from mabos.mind.htn.result import Result, walk
from mabos.mind.htn.search import plan
from mabos.mind.htn.verification import decomposition, verify
from mabos.mind.model import Step
from mabos.mind.plans import effects
from mabos.mind.tasks import Chosen, PlanTask, compounds

Hindrance = Callable[[str], str]
"""Answers why a tool cannot be used, or an empty text."""
BUDGET = 5_000
"""Tasks that are looked at for one plan; templates come to some dozens."""
_USABLE = "usable"
_TOOL = "tool "
_BRACES = str.maketrans("{}", "()")  # in a condition braces would be a variable


@dataclass(frozen=True, slots=True)
class Ways:
    """The method chosen for each compound task; if there is none, `why` names the furthest obstacle."""

    chosen: Chosen = field(default_factory=dict)
    why: str = ""

    def __bool__(self) -> bool:
        return not self.why


def ways(tasks: Sequence[PlanTask], lookup: Lookup, hindrance: Hindrance) -> Ways:
    """Return the first method of each compound task with which all of `tasks` can be done in order.

    A task reached only by an unforeseen branch is examined on its own.
    """
    found = _plan_tasks(tasks, lookup, hindrance)
    if not found:
        return Ways(why=found.why.told() if found.why else "planning took too long")
    names = {task.step.id: task for task in compounds(tasks)}
    chosen = _read_ways(found, names)
    for name, task in names.items():
        if name not in chosen and _is_reached(name, chosen):
            alone = _plan_tasks((task,), lookup, hindrance)
            chosen |= _read_ways(alone, names)
    return Ways(chosen)


def _read_ways(found: Result, names: Container[str]) -> dict[str, str]:
    """Return the chosen way for each task among `names`; forks and the rest after them have none."""
    return {node.name: node.method for root in found.tree for node in walk(root) if node.name in names}


def find_hindered(task: PlanTask, lookup: Lookup, hindrance: Hindrance) -> dict[str, str]:
    """Return the methods of a compound task that are not feasible now, each with its obstacle."""
    found = {way.name: _plan_tasks((PlanTask(task.step, (way,)),), lookup, hindrance) for way in task.ways}
    return {name: one.why.told() for name, one in found.items() if one.why is not None}


def _is_reached(name: str, chosen: Chosen) -> bool:
    """Return whether a compound task is part of the plan: no way was chosen above it that does without."""
    return all(not name.startswith(f"{above}.") or name.startswith(f"{above}.{way}.") for above, way in chosen.items())


def fault_in(tasks: Sequence[PlanTask], lookup: Lookup, hindrance: Hindrance) -> str:
    """Return why `tasks` cannot be done in order, or nothing if they can.

    The planner's result is checked by the verifier, which shares only the problem with it.
    """
    problem = _problem(tasks, lookup, hindrance)
    found = plan(problem, budget=BUDGET)
    if not found:
        return found.why.told() if found.why else "planning took too long"
    return "; ".join(verify(problem, decomposition(found)).faults)


def _plan_tasks(tasks: Sequence[PlanTask], lookup: Lookup, hindrance: Hindrance) -> Result:
    return plan(_problem(tasks, lookup, hindrance), budget=BUDGET)


def _problem(tasks: Sequence[PlanTask], lookup: Lookup, hindrance: Hindrance) -> PlanningProblem:
    def lookup_value(name: str) -> str | None:
        if name.startswith(_TOOL):
            return hindrance(name.removeprefix(_TOOL)) or _USABLE
        return lookup(name)

    domain = _Translated()
    network = domain.row(tasks)
    return PlanningProblem(domain.made(), State(lookup=lookup_value), network)


class _Translated:
    """Tasks in the words of the planner: an operator for each step, methods for each compound task and branch."""

    def __init__(self) -> None:
        self._operators = list[Operator]()
        self._methods = list[Method]()
        self._told = set[str]()

    def made(self) -> Domain:
        """Return the translated domain."""
        return Domain(tuple(self._operators), tuple(self._methods))

    def row(self, tasks: Sequence[PlanTask]) -> Part:
        """Return the network of tasks that follow each other; after a branch each of its targets is a way on."""
        branching = next((place for place, task in enumerate(tasks) if task.step.branches), None)
        straight = tasks if branching is None else tasks[:branching]
        parts = list(_group_parts(straight, [self._head(task) for task in straight]))
        if branching is not None:
            parts += [self._head(tasks[branching]), self._fork(tasks, branching)]
        return sequence(*parts)

    def _head(self, task: PlanTask) -> Fact:
        """Return a task as the planner names it, after telling it how it is done."""
        step = task.step
        if step.id in self._told:  # several branches may lead to it
            return (step.id,)
        self._told.add(step.id)
        if not task.ways:
            self._operators.append(
                Operator(step.id, precondition=_needs(step), effects=tuple(_changes(step)), cost=step.cost)
            )
            return (step.id,)
        for way in task.ways:
            needs = And(tuple(one.translate(_BRACES) for one in (*step.preconditions, *way.preconditions)))
            self._methods.append(Method(way.name, (step.id,), self.row(way.tasks), needs, fit=way.fit))
        return (step.id,)

    def _fork(self, tasks: Sequence[PlanTask], place: int) -> Fact:
        """Return the task of going on after the branches of the task at `place`, the first that holds first."""
        name = f"after {tasks[place].step.id}"
        order = [task.step.id for task in tasks]
        past: tuple[Condition, ...] = ()
        for number, (when, go) in enumerate(tasks[place].step.branches):
            condition = when.translate(_BRACES)
            rest = tasks[order.index(go) :] if go in order else ()  # looked at alone, a task leads nowhere else
            self._methods.append(Method(f"{number}", (name,), self._rest(rest), And((*past, condition))))
            past = (*past, Not(condition))
        self._methods.append(Method("on", (name,), self._rest(tasks[place + 1 :]), And(past)))
        return (name,)

    def _rest(self, tasks: Sequence[PlanTask]) -> Part:
        """Return the remainder from a point on as a task of its own, defined once however many branches lead there."""
        if not tasks:
            return Network()
        name = f"from {tasks[0].step.id}"
        if name not in self._told:
            self._told.add(name)
            self._methods.append(Method("all", (name,), self.row(tasks)))
        return sequence((name,))


def _group_parts(tasks: Sequence[PlanTask], heads: Sequence[Fact]) -> Iterator[Part]:
    """Yield the tasks in order: neighbours that are alternatives as a choice, those side by side without an order."""
    for ordering, pairs in groupby(zip(tasks, heads, strict=True), key=lambda pair: pair[0].step.ordering):
        parts = [head for _, head in pairs]
        if ordering == "sequence" or len(parts) == 1:
            yield from parts
        else:
            yield choice(*parts) if ordering == "choice" else parallel(*parts)


def _needs(step: Step) -> Condition:
    usable = (f"{_TOOL}{step.tool} = {_USABLE}",) if step.tool else ()
    needs = (one for one in step.preconditions if not waits_for_news(one))
    return And(tuple(one.translate(_BRACES) for one in (*usable, *needs)))


def _changes(step: Step) -> Iterator[Effect]:
    for subject, predicate, value in effects(step):
        name = subject if name_key(predicate) in TRIVIAL else f"{subject} {predicate}"
        yield Assign(name.translate(_BRACES), value.translate(_BRACES))
