"""A plan judged by the letter of the definition: every way to read it is tried, nothing is inferred."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Any

from mabos.mind.htn.model import (
    And,
    Condition,
    Domain,
    Each,
    Effect,
    Exists,
    Fact,
    ForAll,
    Method,
    Network,
    Not,
    Or,
    PlanningProblem,
    Same,
    Variable,
)
from mabos.mind.htn.verification import Decomposition, Refinement

State = frozenset[Fact]
Binding = Mapping[str, Any]
Reading = tuple[Method, Binding, dict[int, int]]


@dataclass(slots=True)
class Told:
    """What the problem says, and the states that the steps lead through."""

    domain: Domain
    things: Mapping[Any, str]
    states: list[State] = field(default_factory=list)

    def of(self, kind: str) -> list[Any]:
        return [thing for thing in self.things if self.is_of(thing, kind)]

    def is_of(self, thing: Any, kind: str) -> bool:
        above = [self.things[thing]] if thing in self.things else []
        for one in above:
            above += self.domain.supertypes.get(one, ())
        return kind == "object" or kind in above


def is_plan(problem: PlanningProblem, plan: Decomposition) -> bool:
    """Return whether `plan` does every task of `problem` as its methods say."""
    told = Told(problem.domain, {**problem.domain.objects, **problem.state.objects})
    if not _is_done(problem, plan, told) or not _is_tree(plan):
        return False
    top = Method("", ("",), problem.network, problem.constraint, problem.variables)
    whole = {**plan.refined, -1: Refinement(("",), "", plan.roots)}
    tasks = {**plan.steps, **{number: one.task for number, one in whole.items()}}
    readings = [list(_readings(one, tasks, top, told)) for one in whole.values()]
    place = {number: at for at, number in enumerate(plan.steps)}
    return any(_is_timed(dict(zip(whole, choice, strict=True)), whole, place, told) for choice in product(*readings))


def _is_done(problem: PlanningProblem, plan: Decomposition, told: Told) -> bool:
    told.states.append(frozenset(problem.state.facts))
    operators = {operator.name: operator for operator in problem.domain.operators}
    for name, *arguments in plan.steps.values():
        operator = operators.get(name)
        if operator is None or len(arguments) != len(operator.parameters):
            return False
        binding = {variable: thing for (variable, _), thing in zip(operator.parameters, arguments, strict=True)}
        if not all(told.is_of(binding[variable], kind) for variable, kind in operator.parameters):
            return False
        if not holds(operator.precondition, binding, told.states[-1], told):
            return False
        changes = list(_changes(operator.effects, binding, told.states[-1], told))
        gone = {fact for fact, added in changes if not added}
        told.states.append(told.states[-1] - gone | {fact for fact, added in changes if added})
    return holds(problem.goal, {}, told.states[-1], told)


def _is_tree(plan: Decomposition) -> bool:
    below = [part for one in plan.refined.values() for part in one.parts] + list(plan.roots)
    known = [*plan.steps, *plan.refined]
    if sorted(below) != sorted(known):
        return False
    reached, todo = set[int](), list(plan.roots)
    while todo:
        number = todo.pop()
        reached.add(number)
        todo += plan.refined[number].parts if number in plan.refined else ()
    return len(reached) == len(known)


def _readings(one: Refinement, tasks: Mapping[int, Fact], top: Method, told: Told) -> Iterator[Reading]:
    """Yield every method, binding and assignment of its tasks to the parts, in an order that it allows."""
    for method in [top] if one.task == ("",) else told.domain.methods:
        if method.name != one.method or not isinstance(method.network, Network):
            continue
        calls, before = method.network.parts, method.network.before
        if len(calls) != len(one.parts):
            continue
        for values in product(*(told.of(kind) for _, kind in method.parameters)):
            binding = {name: value for (name, _), value in zip(method.parameters, values, strict=True)}
            if _said(method.task, binding) != one.task:
                continue
            wanted = [_said(call, binding) for call in calls if isinstance(call, tuple)]
            for order in permutations(range(len(calls))):
                if [wanted[place] for place in order] == [tasks[part] for part in one.parts] and all(
                    order.index(a) < order.index(b) for a, b in before
                ):
                    yield method, binding, dict(zip(order, one.parts, strict=True))


def _is_timed(
    readings: Mapping[int, Reading], whole: Mapping[int, Refinement], place: Mapping[int, int], told: Told
) -> bool:
    """Return whether there are moments for all methods to begin: in order, and with their preconditions met."""
    numbers = list(whole)
    possible = [
        [
            moment
            for moment, state in enumerate(told.states)
            if holds(readings[number][0].precondition, readings[number][1], state, told)
        ]
        for number in numbers
    ]
    return any(
        all(_is_in_time(readings[number], begin[number], begin, whole, place) for number in numbers)
        for begin in (dict(zip(numbers, moments, strict=True)) for moments in product(*possible))
    )


def _is_in_time(
    reading: Reading, start: int, begin: Mapping[int, int], whole: Mapping[int, Refinement], place: Mapping[int, int]
) -> bool:
    def first(part: int) -> int:
        return place[part] if part in place else begin[part]

    def last(part: int) -> int:
        if part in place:
            return place[part] + 1
        return max([begin[part], *(last(inner) for inner in whole[part].parts)])

    method, _, parts = reading
    network = method.network
    assert isinstance(network, Network)
    return all(first(part) >= start for part in parts.values()) and all(
        last(parts[a]) <= first(parts[b]) for a, b in network.before
    )


def holds(condition: Condition, binding: Binding, state: State, told: Told) -> bool:  # noqa: PLR0911 - one a form
    """Return whether a condition holds in a set of facts."""
    match condition:
        case tuple():
            return _said(condition, binding) in state
        case Not(part):
            return not holds(part, binding, state, told)
        case And(parts):
            return all(holds(part, binding, state, told) for part in parts)
        case Or(parts):
            return any(holds(part, binding, state, told) for part in parts)
        case Same(left, right):
            return bool(binding.get(left, left) == binding.get(right, right))
        case ForAll(variables, part):
            return all(holds(part, one, state, told) for one in _each(variables, binding, told))
        case Exists(variables, part):
            return any(holds(part, one, state, told) for one in _each(variables, binding, told))
    raise AssertionError(condition)


def _changes(effects: tuple[Effect, ...], binding: Binding, state: State, told: Told) -> Iterator[tuple[Fact, bool]]:
    for effect in effects:
        match effect:
            case tuple():
                yield _said(effect, binding), True
            case Not(tuple() as fact):
                yield _said(fact, binding), False
            case Each(variables, condition, inner):
                for one in _each(variables, binding, told):
                    if holds(condition, one, state, told):
                        yield from _changes(inner, one, state, told)


def _each(variables: tuple[Variable, ...], binding: Binding, told: Told) -> Iterator[Binding]:
    for values in product(*(told.of(kind) for _, kind in variables)):
        yield {**binding, **{name: value for (name, _), value in zip(variables, values, strict=True)}}


def _said(fact: Fact, binding: Binding) -> Fact:
    return tuple(binding.get(term, term) for term in fact)
