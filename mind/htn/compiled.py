"""Operators, methods and tasks compiled for one world, each at first use."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from mabos.configs.errors import InvalidArgument, unknown
from mabos.mind.htn import model
from mabos.mind.htn.agenda import Cell, Enter, chain, fork
from mabos.mind.htn.matching import Environment, EnvironmentLayout, Requirement, literal, matcher
from mabos.mind.htn.truth import change, changed_variables, conjuncts, is_variable, variables_of
from mabos.mind.htn.unrolled import Entry, unrolled_step, unrolled_ways
from mabos.mind.htn.world import World, ancestry

Arguments: TypeAlias = tuple[Any, ...]
_OFTEN = 20  # refinements of a task after which its ways are unrolled


class PrimitiveTask:
    """An operator: `perform` changes the world if its precondition holds there."""

    def __init__(self, operator: model.Operator, world: World) -> None:
        self.name, self.operator = operator.name, operator
        names = [name for name, _ in operator.parameters]
        requirements = [Requirement(one) for one in conjuncts(operator.precondition)]
        used = [name for one in requirements for name in variables_of(one.condition)]
        used += [name for effect in operator.effects for name in changed_variables(effect)]
        for name in used:
            if name not in names:
                raise InvalidArgument(f"operator {self.name!r} uses {name}, which is not one of its parameters")
        terms = [term for one in requirements for term in literal(one.condition)]
        layout = EnvironmentLayout(
            [*terms, *(term for fact, _ in _facts(operator.effects) for term in fact)], names, world.facts
        )
        self.matcher = matcher(requirements, layout, {}, (), world)
        self._world, self._done = world, 0
        self._is_plain = all(isinstance(effect, tuple | model.Not | model.Assign) for effect in operator.effects)
        facts = list(_facts(operator.effects)) if self._is_plain else []
        self.adds = [fact for fact, added in facts if added]
        self.removes = [fact for fact, added in facts if not added]
        self.assigned = [one for one in operator.effects if isinstance(one, model.Assign)]
        self.perform: Callable[[Arguments], bool] = self._perform
        """Does the step with given arguments; False where something that it needs does not hold."""

    def _perform(self, arguments: Arguments) -> bool:
        self._done += 1
        if self._done == _OFTEN and self._is_plain:
            self.perform = unrolled_step(self, len(arguments), self._world)
        if self.matcher.failing(arguments) is not None:
            return False
        binding = self.matcher.layout.binding(self.matcher.layout.constants + arguments)
        change(self.operator.effects, binding, self._world).happen(self._world)
        return True


class TaskWay:
    """A method: the environments in which it can start, and the tasks it adds to the agenda."""

    def __init__(self, method: model.Method, tasks: "Tasks", *, alone: bool) -> None:
        self.name, self.method = method.name, method
        self.row = tasks.row(method)
        requirements, names = _arguments(method.task[1:])
        requirements += [Requirement(one) for one in conjuncts(method.precondition)]
        requirements += _ahead(self.row, tasks, alone=alone)
        terms = [term for one in requirements for term in literal(one.condition)]
        layout = EnvironmentLayout(
            [*terms, *(term for call in self.row.calls for term in call[1:])], names, tasks.world.facts
        )
        wanted = [term for call in self.row.calls for term in call[1:] if is_variable(term)]
        kinds = _kinds(method, self.row, tasks)
        self.matcher = matcher(list(dict.fromkeys(requirements)), layout, kinds, wanted, tasks.world)
        parts = [(tasks[call[0]], layout.getter(call[1:])) for call in self.row.calls]
        is_chain = self.row.ordering == "sequence"
        self.enter: Enter = chain(parts) if is_chain else fork(parts, self.row)
        self.is_short = is_chain and self.matcher.is_short
        self.backwards: Sequence[tuple[Any, str, tuple[Any, ...]]] = [
            (tasks[call[0]], call[0], call[1:]) for call in reversed(self.row.calls)
        ]

    def binding(self, environment: Environment) -> dict[str, Any]:
        """Return the values of the method's variables in `environment`."""
        known = self.matcher.layout.binding(environment)
        return {name: thing for name, thing in known.items() if not name.startswith("?#")}


class CompoundTask:
    """A compound task and its methods, best first."""

    def __init__(self, name: str, methods: Sequence[model.Method], tasks: "Tasks", *, is_choice: bool = False) -> None:
        self.name, self.is_choice = name, is_choice
        self.methods = tuple(sorted(methods, key=lambda method: (-method.fit, method.cost)))
        self._tasks = tasks
        self._refined = 0
        self.options: Callable[[Cell], list[Entry] | None] = self._options
        """Lists every way to refine the task in a cell, where nothing else is going on; None where they may be many."""

    @cached_property
    def ways(self) -> tuple[TaskWay, ...]:
        """The methods while no other tasks are open: the first step's preconditions are checked in advance."""
        return tuple(TaskWay(method, self._tasks, alone=True) for method in self.methods)

    def _options(self, cell: Cell) -> list[Entry] | None:
        """List the ways one by one, until the task is frequent enough that a function for all of them pays."""
        if not self._is_short:
            return None
        self._refined += 1
        if self._refined == _OFTEN:
            self.options = unrolled_ways(self.ways, len(cell[1]))
        _, arguments, rest, _ = cell
        return [
            (cell, way, environment, way.enter(environment, rest))
            for way in self.ways
            for environment in way.matcher.environments(arguments)
        ]

    @cached_property
    def _is_short(self) -> bool:
        return all(way.is_short for way in self.ways)

    @cached_property
    def ways_among_others(self) -> tuple[TaskWay, ...]:
        """The methods while other tasks may come in between."""
        return tuple(TaskWay(method, self._tasks, alone=False) for method in self.methods)

    @cached_property
    def is_recursive(self) -> bool:
        """Return whether the task can occur again below itself."""
        return self._tasks.leads_to(self.name, self.name)

    @cached_property
    def is_timeless(self) -> bool:
        """Return whether the time of refining the task is irrelevant, since its preconditions never change."""
        conditions = [one for method in self.methods for one in conjuncts(method.precondition)]
        return all(self._tasks.is_static(condition) for condition in conditions)


class Tasks:
    """The tasks of a domain by name."""

    def __init__(self, domain: model.Domain, world: World) -> None:
        self.domain, self.world = domain, world
        self._operators = {operator.name: operator for operator in domain.operators}
        self._methods: dict[str, list[model.Method]] = {name: [] for name in domain.tasks}
        for method in domain.methods:
            self._methods.setdefault(method.task[0], []).append(method)
        self._made: dict[str, PrimitiveTask | CompoundTask] = {}
        self._changing = {fact[0] for one in domain.operators for fact, _ in _facts(one.effects)}
        world.changing = self._changing

    def __getitem__(self, name: str) -> PrimitiveTask | CompoundTask:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._make(name)
        return made

    def parameters(self, name: str) -> Sequence[model.Variable]:
        """Return the declared parameters of a task; none if it is undeclared."""
        operator = self._operators.get(name)
        return operator.parameters if operator else self.domain.tasks.get(name, ())

    def operator(self, name: str) -> model.Operator | None:
        """Return the operator of that name, or None."""
        return self._operators.get(name)

    def goal(self, name: str) -> CompoundTask | None:
        """Return the compound task of that name, or None."""
        made = self[name] if name in self._methods or name in self._made else None
        return made if isinstance(made, CompoundTask) else None

    def is_static(self, condition: model.Condition) -> bool:
        """Return whether no operator can change the truth of `condition`."""
        match condition:
            case tuple() as fact:
                return fact[0] not in self._changing
            case model.Not(part):
                return self.is_static(part)
            case model.Same():
                return True
            case _:
                return False

    def leads_to(self, name: str, wanted: str) -> bool:
        """Return whether refining a task can lead to the task `wanted`."""
        todo, seen = [name], set[str]()
        while todo:
            here = {called for method in self._methods.get(todo.pop(), ()) for called in _names(method.network)}
            if wanted in here:
                return True
            todo += here - seen
            seen |= here
        return False

    def row(self, method: model.Method) -> model.TaskRow:
        """Return the tasks of a method in one row; each choice in it becomes its own task."""
        known = {
            *(term for term in method.task[1:] if is_variable(term)),
            *(name for name, _ in method.parameters),
            *variables_of(method.precondition),
        }

        def build_choice(options: model.Choice) -> model.Fact:
            used = dict.fromkeys(term for part in options.parts for term in _terms(part) if term in known)
            name = f"{method.name}: one of {', '.join(_render_part(part) for part in options.parts)}"
            task = (name, *used)
            ways = [
                model.Method(_render_part(part), task, part, parameters=method.parameters) for part in options.parts
            ]
            self._made.setdefault(name, CompoundTask(name, ways, self, is_choice=True))
            return task

        found = model.row(method.network, build_choice)
        for name, *arguments in found.calls:
            wanted = self.parameters(name)
            if len(arguments) != len(wanted) and (wanted or name in self._operators):
                raise InvalidArgument(f"the task {name!r} takes {len(wanted)} arguments, not {len(arguments)}")
        return found

    def _make(self, name: str) -> PrimitiveTask | CompoundTask:
        if name in self._operators:
            return PrimitiveTask(self._operators[name], self.world)
        if name in self._methods:
            return CompoundTask(name, self._methods[name], self)
        raise unknown("task", name, [*self._operators, *self._methods], argument="network")


def _facts(effects: Iterable[model.Effect]) -> Iterator[tuple[model.Fact, bool]]:
    """Yield the facts that effects change, and whether they bring them about."""
    for effect in effects:
        match effect:
            case tuple():
                yield effect, True
            case model.Not(tuple() as fact):
                yield fact, False
            case model.Each(_, _, inner):
                yield from _facts(inner)


def _arguments(terms: Sequence[Any]) -> tuple[list[Requirement], list[str]]:
    """Return names for the arguments of a task, and their constraints: a constant, or the same term twice."""
    names: list[str] = []
    same = []
    for place, term in enumerate(terms):
        names.append(term if is_variable(term) and term not in names else f"?#{place}")
        if names[-1] != term:
            same.append(Requirement(model.Same(names[-1], term)))
    return same, names


def _ahead(tasks_row: model.TaskRow, tasks: Tasks, *, alone: bool) -> list[Requirement]:
    """Return preconditions of a method's steps that must hold already: the static ones of all, and all of the first."""
    found = []
    for place, call in enumerate(tasks_row.calls):
        operator = tasks.operator(call[0])
        if operator is None:
            continue
        first = alone and place == 0 and tasks_row.ordering == "sequence"
        binding = dict(zip((name for name, _ in operator.parameters), call[1:], strict=True))
        found += [
            Requirement(_rename_variables(condition, binding), operator.name)
            for condition in conjuncts(operator.precondition)
            if literal(condition) and (first or tasks.is_static(condition))
        ]
    return found


def _rename_variables(condition: model.Condition, binding: Mapping[str, Any]) -> model.Condition:
    match condition:
        case tuple():
            return tuple(binding.get(term, term) for term in condition)
        case model.Same(left, right):
            return model.Same(binding.get(left, left), binding.get(right, right))
        case model.Not(part):
            return model.Not(_rename_variables(part, binding))
        case _:
            return condition


def _kinds(method: model.Method, tasks_row: model.TaskRow, tasks: Tasks) -> dict[str, list[str]]:
    """Return the types that are still to be checked of each variable."""
    own = dict(method.parameters)
    supertypes = tasks.domain.supertypes
    implied = {term: kind for term, (_, kind) in zip(method.task[1:], tasks.parameters(method.task[0]), strict=False)}
    found: dict[str, list[str]] = {}
    for name, kind in own.items():
        if kind not in ancestry(implied.get(name, ""), supertypes):
            found.setdefault(name, []).append(kind)
    for call in tasks_row.calls:
        for term, (_, kind) in zip(call[1:], tasks.parameters(call[0]), strict=False):
            sure = {*ancestry(own.get(term, ""), supertypes), *ancestry(implied.get(term, ""), supertypes)}
            if is_variable(term) and kind != model.ANY and kind not in sure and kind not in found.get(term, ()):
                found.setdefault(term, []).append(kind)
    return found


def _terms(part: model.Part) -> Iterator[Any]:
    if isinstance(part, tuple):
        yield from part[1:]
    else:
        for one in part.parts:
            yield from _terms(one)


def _names(part: model.Part) -> Iterator[str]:
    if isinstance(part, tuple):
        yield part[0]
    else:
        for one in part.parts:
            yield from _names(one)


def _render_part(part: model.Part) -> str:
    if isinstance(part, tuple):
        return " ".join(map(str, part))
    return f"({', '.join(_render_part(one) for one in part.parts)})"
