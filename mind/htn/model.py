"""The parts of a hierarchical planning problem: conditions, effects, operators, methods, networks of tasks.

A fact is a tuple, `("at", "truck", "depot")`; so is a task to do, `("deliver", "parcel", "shop")`. In a domain their
terms may be variables, texts that begin with `?`. A condition is a fact that must hold, a text of `mind.conditions` in
which `{name}` is the variable `?name`, or one of the classes below.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from mabos.configs.errors import InvalidArgument
from mabos.mind.conditions import Lookup

Fact: TypeAlias = tuple[Any, ...]
Variable: TypeAlias = tuple[str, str]
"""A variable and its type: `("?truck", "vehicle")`; every type is below `object`."""
Binding: TypeAlias = Mapping[str, Any]
Ordering: TypeAlias = Literal["sequence", "parallel", "partial", "choice"]
ANY = "object"


@dataclass(frozen=True, slots=True)
class Not:
    """A negation; as an effect, the fact `part` no longer holds."""

    part: "Condition"


@dataclass(frozen=True, slots=True)
class And:
    """A conjunction; true without parts."""

    parts: tuple["Condition", ...] = ()


@dataclass(frozen=True, slots=True)
class Or:
    """A disjunction."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Same:
    """The equality of two terms."""

    left: Any
    right: Any


@dataclass(frozen=True, slots=True)
class ForAll:
    """A condition that holds for every binding of `variables`."""

    variables: tuple[Variable, ...]
    part: "Condition"


@dataclass(frozen=True, slots=True)
class Exists:
    """A condition that holds for some binding of `variables`."""

    variables: tuple[Variable, ...]
    part: "Condition"


TRUE = And()
Condition: TypeAlias = Fact | str | Not | And | Or | Same | ForAll | Exists


@dataclass(frozen=True, slots=True)
class Assign:
    """An assignment of `value` to `name`; `{variable}` is filled in on both sides."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Increase:
    """An addition of `amount` to the value of `name`; it is a number, or a text that becomes one."""

    name: str
    amount: float | str


@dataclass(frozen=True, slots=True)
class Each:
    """A conditional effect: `effects` for every binding of `variables` for which `condition` held before."""

    variables: tuple[Variable, ...]
    condition: Condition
    effects: tuple["Effect", ...]


Effect: TypeAlias = Fact | Not | Assign | Increase | Each


@dataclass(frozen=True, slots=True)
class Network:
    """Tasks and their order, as pairs of positions; unordered ones may interleave."""

    parts: tuple["Part", ...] = ()
    before: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of parts: the first feasible one is done."""

    parts: tuple["Part", ...]


Part: TypeAlias = Fact | Network | Choice


def sequence(*parts: Part) -> Network:
    """Return the network in which each part waits for the previous one."""
    return Network(parts, tuple((place, place + 1) for place in range(len(parts) - 1)))


def parallel(*parts: Part) -> Network:
    """Return the network in which no part waits for another."""
    return Network(parts)


def choice(*parts: Part) -> Choice:
    """Return the alternatives, one of which is done."""
    return Choice(parts)


@dataclass(frozen=True, slots=True)
class Operator:
    """A primitive task: its preconditions and effects; a fact it both removes and adds holds afterwards."""

    name: str
    parameters: tuple[Variable, ...] = ()
    precondition: Condition = TRUE
    effects: tuple[Effect, ...] = ()
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Method:
    """A way to do a compound task; the best fitting is tried first, then the cheapest, then the first.

    Variables that the task does not bind are chosen by the planner so that `precondition` holds; `parameters` gives
    their types, if any.
    """

    name: str
    task: Fact
    network: Part = Network()
    precondition: Condition = TRUE
    parameters: tuple[Variable, ...] = ()
    cost: float = 0.0
    fit: float = 1.0


@dataclass(frozen=True, slots=True)
class Domain:
    """The available tasks and methods.

    `tasks` declares the parameters of compound tasks, `supertypes` the direct supertypes of each type, `objects` the
    type of each constant object.
    """

    operators: tuple[Operator, ...] = ()
    methods: tuple[Method, ...] = ()
    tasks: Mapping[str, tuple[Variable, ...]] = field(default_factory=dict)
    supertypes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    objects: Mapping[Any, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class State:
    """A state: the facts that hold, the type of each object, and a lookup of beliefs, which may be live."""

    facts: Iterable[Fact] = ()
    objects: Mapping[Any, str] = field(default_factory=dict)
    lookup: Lookup | None = None


@dataclass(frozen=True, slots=True)
class PlanningProblem:
    """The tasks to do, the initial state, and the goal; the planner binds `variables`."""

    domain: Domain
    state: State
    network: Part
    goal: Condition = TRUE
    variables: tuple[Variable, ...] = ()
    constraint: Condition = TRUE


@dataclass(frozen=True, slots=True)
class TaskRow:
    """The tasks of a network, each after all its predecessors; `waits` are bit masks of their positions."""

    calls: tuple[Fact, ...] = ()
    waits: tuple[int, ...] = ()

    @property
    def ordering(self) -> Ordering:
        """The order of the tasks; a single task is a sequence."""
        if all(waits == (1 << place) - 1 for place, waits in enumerate(self.waits)):
            return "sequence"
        return "partial" if any(self.waits) else "parallel"


def row(part: Part, chosen: Callable[[Choice], Fact]) -> TaskRow:
    """Return `part` flattened; `chosen` gives the task that replaces a choice.

    Raises `InvalidArgument` if a task would wait for itself.
    """
    if isinstance(part, tuple):
        return TaskRow((part,), (0,))
    if isinstance(part, Choice):
        return TaskRow((chosen(part),), (0,))
    rows = [row(one, chosen) for one in part.parts]
    calls: list[Fact] = []
    waits: list[int] = []
    begun: dict[int, int] = {}  # of each part so far the places of its tasks, or of what it waits for, being empty
    for place, earlier in _in_order(part):
        outer = 0
        for one in earlier:
            outer |= begun[one]
        start = len(calls)
        calls += rows[place].calls
        waits += [inner << start | outer for inner in rows[place].waits]
        begun[place] = outer | ((1 << len(rows[place].calls)) - 1) << start
    return TaskRow(tuple(calls), tuple(waits))


def _in_order(network: Network) -> Iterator[tuple[int, Collection[int]]]:
    """Yield the parts as they are written, but each after those it waits for, with those."""
    earlier: dict[int, set[int]] = {place: set() for place in range(len(network.parts))}
    for first, second in network.before:
        if first not in earlier or second not in earlier:
            raise InvalidArgument(f"the order ({first}, {second}) names an unknown task", argument="before")
        earlier[second].add(first)
    todo, done = list(earlier), set[int]()
    while todo:
        place = next((one for one in todo if earlier[one] <= done), None)
        if place is None:
            raise InvalidArgument("the order is circular; a task would wait for itself", argument="before")
        todo.remove(place)
        done.add(place)
        yield place, earlier[place]
