"""Compiled conditions: the bindings of free variables that make them true, found through a world's indexes.

An environment is a tuple: the constants, then earlier bindings, then each variable in the order it is bound. A
decidable condition is checked at once; among facts that can bind variables, the one with the most bound terms goes
first.
"""

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, TypeAlias

from mabos.mind.htn.model import ANY, Binding, Condition, Fact, Not, Same
from mabos.mind.htn.truth import is_variable, truth, variables_of
from mabos.mind.htn.world import World

Environment: TypeAlias = tuple[Any, ...]
Getter: TypeAlias = Callable[[Environment], Fact]
Check: TypeAlias = Callable[[Environment], bool]
Expand: TypeAlias = Callable[[Environment], Iterable[Environment]]
_LOOKED_AT = 5000  # environments gone through to find the condition that fails deepest


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition, and the operator that requires it if not the task or method itself."""

    condition: Condition
    source: str = ""


@dataclass(frozen=True, slots=True)
class Stuck:
    """The requirement that blocked every match, its bindings, and the number met before it."""

    requirement: Requirement
    binding: Binding
    met: int


NOWHERE = Stuck(Requirement(()), {}, 0)


class EnvironmentLayout:
    """The position of each constant and variable in an environment."""

    def __init__(self, terms: Iterable[Any], names: Iterable[str], facts: Container[Fact]) -> None:
        self.facts = facts
        self.constants = tuple(dict.fromkeys(term for term in terms if not is_variable(term)))
        self._place: dict[Any, int] = {term: place for place, term in enumerate(self.constants)}
        self._width = len(self._place)
        for name in names:
            self.add(name)

    def __contains__(self, term: object) -> bool:
        return term in self._place

    def __getitem__(self, term: Any) -> int:
        return self._place[term]

    def add(self, name: str) -> None:
        """Assign the next position to a variable."""
        self._place[name] = self._width
        self._width += 1

    def getter(self, terms: Sequence[Any]) -> Getter:
        """Return a function that reads `terms` from an environment, as a tuple."""
        places = [self._place[term] for term in terms]
        if len(places) > 1:
            return itemgetter(*places)
        if not places:
            return itemgetter(slice(0, 0))
        place = places[0]
        return lambda environment: (environment[place],)

    def binding(self, environment: Environment) -> dict[str, Any]:
        """Return the variables that have a value in `environment`."""
        width = len(environment)
        return {name: environment[place] for name, place in self._place.items() if place < width and is_variable(name)}


def literal(condition: Condition) -> tuple[Any, ...]:
    """Return the terms of a condition that can be read from an environment by position; else none."""
    match condition:
        case tuple() as terms:
            return terms
        case Not(tuple() as terms):
            return terms
        case Same(left, right) | Not(Same(left, right)):
            return (left, right)
        case _:
            return ()


@dataclass(slots=True)
class Stage:
    """A variable or fact bound in every possible way, and the checks that follow."""

    requirement: Requirement = NOWHERE.requirement
    expand: Expand = lambda environment: (environment,)
    adds: int = 0
    index: "FactBuckets | None" = None
    checks: list[tuple[Check, Requirement]] = field(default_factory=list)

    def passes(self, environment: Environment) -> bool:
        """Return whether every check holds."""
        return all(check(environment) for check, _ in self.checks)


@dataclass(frozen=True, slots=True)
class FactBuckets:
    """Facts by the term at one position: the environment slot with that term, and the terms that are new."""

    facts: Mapping[Any, Iterable[Fact]]
    slot: int
    new: tuple[int, ...]
    width: int
    is_even: bool
    """Whether the facts never change and have all the same width."""

    def expand(self, environment: Environment) -> Iterator[Environment]:
        """Yield the environment with the new terms of each fact found."""
        for fact in tuple(self.facts.get(environment[self.slot], ())):
            if len(fact) == self.width:
                yield (*environment, *[fact[place] for place in self.new])


class Matcher:
    """The environments in which every requirement holds."""

    def __init__(self, stages: Sequence[Stage], layout: EnvironmentLayout) -> None:
        self.layout = layout
        self.stages = stages
        self.checks = tuple(check for check, _ in stages[0].checks)
        self._extend = _nest_stages(stages[1:]) if len(stages) > 1 else None
        self.is_short = len(stages) <= 3
        """Whether it takes so few facts to find every environment that all of them may be listed at once."""

    def environments(self, arguments: tuple[Any, ...]) -> Iterable[Environment]:
        """Return the environments that begin with `arguments`, found lazily."""
        environment = self.layout.constants + arguments
        for check in self.checks:
            if not check(environment):
                return ()
        return (environment,) if self._extend is None else self._extend(environment)

    def failing(self, arguments: tuple[Any, ...]) -> Requirement | None:
        """Return the first requirement that fails for the arguments alone."""
        environment = self.layout.constants + arguments
        return next((one for check, one in self.stages[0].checks if not check(environment)), None)

    def find_obstacle(self, arguments: tuple[Any, ...]) -> Stuck | None:
        """Return the requirement that fails after most others were met, or None if none fails."""
        left = [_LOOKED_AT]
        return self._furthest(self.layout.constants + arguments, 0, 0, left)

    def _furthest(self, environment: Environment, depth: int, met: int, left: list[int]) -> Stuck | None:
        if depth == len(self.stages):
            return None
        stage = self.stages[depth]
        deepest = Stuck(stage.requirement, self.layout.binding(environment), met)
        for option in stage.expand(environment):
            left[0] -= 1
            failed = next((k for k, (check, _) in enumerate(stage.checks) if not check(option)), None)
            found: Stuck | None
            if failed is not None:
                found = Stuck(stage.checks[failed][1], self.layout.binding(option), met + 1 + failed)
            else:
                found = self._furthest(option, depth + 1, met + 1 + len(stage.checks), left)
            if found is None:
                return None
            if found.met > deepest.met:
                deepest = found
            if left[0] <= 0:
                break
        return deepest


def matcher(
    requirements: Sequence[Requirement],
    layout: EnvironmentLayout,
    kinds: Mapping[str, Sequence[str]],
    wanted: Iterable[str],
    world: World,
) -> Matcher:
    """Return the matcher for `requirements`; `kinds` are types to check, `wanted` the variables to bind."""
    todo = [
        *requirements,
        *(Requirement((name, "is a", kind)) for name in kinds for kind in kinds[name] if kind != ANY),
    ]
    stages = [Stage()]
    names = dict.fromkeys([*wanted, *(name for one in todo for name in variables_of(one.condition))])
    while True:
        ready = [one for one in todo if all(name in layout for name in variables_of(one.condition))]
        stages[-1].checks = [(_check(one, layout, world), one) for one in ready]
        todo = [one for one in todo if one not in ready]
        open_names = [name for name in names if name not in layout]
        if not open_names:
            return Matcher(stages, layout)
        stages.append(_binding_stage(todo, open_names, layout, kinds, world))
        todo = [one for one in todo if one is not stages[-1].requirement]


def _binding_stage(
    todo: Sequence[Requirement],
    names: Sequence[str],
    layout: EnvironmentLayout,
    kinds: Mapping[str, Sequence[str]],
    world: World,
) -> Stage:
    for one in todo:
        if isinstance(one.condition, Same) and (one.condition.left in layout or one.condition.right in layout):
            return Stage(one, _same(one.condition, layout), 1)
    facts = [one for one in todo if isinstance(one.condition, tuple) and one.condition[1:2] != ("is a",)]
    if facts:
        best = max(facts, key=lambda one: _boundness(literal(one.condition), layout))
        return _fact(best, layout, world)
    name = names[0]
    kind = next(iter(kinds.get(name, ())), ANY)
    things = world.things(kind)
    layout.add(name)
    wanted = Requirement((name, "is a", kind))
    return Stage(wanted, lambda environment: [(*environment, thing) for thing in things], 1)


def _boundness(fact: Fact, layout: EnvironmentLayout) -> tuple[bool, int, int]:
    known = sum(1 for term in fact[1:] if term in layout)
    new = len({term for term in fact[1:] if term not in layout})
    return known > 0, -new, known


def _same(condition: Same, layout: EnvironmentLayout) -> Expand:
    known, new = (condition.left, condition.right)
    if known not in layout:
        known, new = new, known
    place = layout[known]
    layout.add(new)
    return lambda environment: ((*environment, environment[place]),)


def _fact(requirement: Requirement, layout: EnvironmentLayout, world: World) -> Stage:
    """Return the stage that binds the open variables of a fact by each fact that matches."""
    fact = literal(requirement.condition)
    name, width = fact[0], len(fact)
    known = [(place, layout[term]) for place, term in enumerate(fact) if place and term in layout]
    fresh = {term: place for place, term in reversed(list(enumerate(fact))) if term not in layout}
    new = sorted(fresh.values())
    repeats = [(place, fresh[term]) for place, term in enumerate(fact) if term in fresh and fresh[term] != place]
    for place in new:
        layout.add(fact[place])
    if len(known) == 1 and not repeats:
        index = FactBuckets(world.index(name, known[0][0]), known[0][1], tuple(new), width, world.is_even(name, width))
        return Stage(requirement, index.expand, len(new), index)
    matching = world.matching

    def expand(environment: Environment) -> Iterator[Environment]:
        for found in matching(name, [(place, environment[slot]) for place, slot in known]):
            if len(found) == width and all(found[a] == found[b] for a, b in repeats):
                yield (*environment, *[found[place] for place in new])

    return Stage(requirement, expand, len(new))


def _check(requirement: Requirement, layout: EnvironmentLayout, world: World) -> Check:
    match requirement.condition:
        case (name, "is a", kind) if is_variable(name):
            place, members = layout[name], world.members.get(kind, {})
            return lambda environment: environment[place] in members
        case tuple() as fact:
            get, facts = layout.getter(fact), world.facts
            return lambda environment: get(environment) in facts
        case Not(tuple() as fact):
            get, facts = layout.getter(fact), world.facts
            return lambda environment: get(environment) not in facts
        case Same(left, right):
            first, second = layout[left], layout[right]
            return lambda environment: bool(environment[first] == environment[second])
        case Not(Same(left, right)):
            first, second = layout[left], layout[right]
            return lambda environment: bool(environment[first] != environment[second])
        case condition:
            places = [(name, layout[name]) for name in variables_of(condition)]
            return lambda environment: (
                truth(condition, {name: environment[place] for name, place in places}, world) is not False
            )


def _nest_stages(stages: Sequence[Stage]) -> Expand:
    """Return one generator over all stages, the later ones run for each environment of the earlier."""
    expand, checks = stages[0].expand, tuple(check for check, _ in stages[0].checks)
    inner = _nest_stages(stages[1:]) if len(stages) > 1 else None

    def run(environment: Environment) -> Iterator[Environment]:
        for option in expand(environment):
            for check in checks:
                if not check(option):
                    break
            else:
                if inner is None:
                    yield option
                else:
                    yield from inner(option)

    return run
