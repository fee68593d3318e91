"""Verification of plans: every step is executable, every task is refined by a method, and the goal is reached.

A method's precondition must hold at some moment before its first step and after all its predecessors. As in the
competition's verifier, leaving out an unordered task of a method is not a fault by itself. An example is the only task
of a method that does nothing. `left_out` names such tasks, and `is_whole` requires that there are none.
"""

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from mabos.configs.errors import InvalidArgument
from mabos.mind.htn.compiled import Tasks
from mabos.mind.htn.model import ANY, Condition, Fact, Method, PlanningProblem, TaskRow
from mabos.mind.htn.result import Result, walk
from mabos.mind.htn.truth import bind_fact, change, conjuncts, is_variable, render_condition, truth, variables_of
from mabos.mind.htn.world import World

_Question: TypeAlias = Generator["_Question", int | None, int | None]
_TOP = -1
"""The number of the task that stands above those asked for."""
_OPEN = -1


@dataclass(frozen=True, slots=True)
class Refinement:
    """A compound task, the method that refined it, and the numbers of its parts in order."""

    task: Fact
    method: str
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A numbered plan: its steps in order of execution, the requested tasks, and their refinements.

    `lines` gives the line of each number in a text.
    """

    steps: Mapping[int, Fact]
    roots: tuple[int, ...]
    refined: Mapping[int, Refinement]
    lines: Mapping[int, int] = field(default_factory=dict)


def decomposition(result: Result) -> Decomposition:
    """Return a plan as numbers: the steps from 0 on, then the compound tasks."""
    nodes = [node for root in result.tree for node in walk(root)]
    numbers = {step.id: number for number, step in enumerate(result.steps)}
    for node in nodes:
        numbers.setdefault(node.id, len(numbers))
    return Decomposition(
        {numbers[step.id]: step.task for step in result.steps},
        tuple(numbers[root.id] for root in result.tree),
        {
            numbers[node.id]: Refinement(node.task, node.method, tuple(numbers[part.id] for part in node.children))
            for node in nodes
            if not node.is_primitive
        },
    )


@dataclass(frozen=True, slots=True)
class PlanVerdict:
    """The faults of a plan, and the method tasks that its decomposition leaves out."""

    faults: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def is_valid(self) -> bool:
        """Return whether there are no faults."""
        return not self.faults

    @property
    def is_whole(self) -> bool:
        """Return whether there are no faults and no omissions."""
        return not self.faults and not self.left_out


def verify(problem: PlanningProblem, plan: Decomposition) -> PlanVerdict:
    """Return the faults of a plan for `problem`."""
    try:
        check = _Check(problem, plan)
        faults = list(check.numbers()) or list(check.declarations())
        faults = faults or [*check.steps(), *check.refinements()]
    except InvalidArgument as error:
        return PlanVerdict((error.message,))
    return PlanVerdict(tuple(faults), tuple(check.left_out))


@dataclass(frozen=True, slots=True)
class _Match:
    """The task of a method for each part of a refinement, and the resulting bindings."""

    places: tuple[int, ...]
    taken: int
    binding: Mapping[str, Any]


class _Check:
    """The check of one plan."""

    def __init__(self, problem: PlanningProblem, plan: Decomposition) -> None:
        self._problem, self._plan = problem, plan
        self._world = World(problem.state, problem.domain)
        self._tasks = Tasks(problem.domain, self._world)
        top = Method("", ("",), problem.network, problem.constraint, problem.variables)
        self._refined = {**plan.refined, _TOP: Refinement(("",), "", plan.roots)}
        self._methods = {_TOP: top}
        self._place = {number: place for place, number in enumerate(plan.steps)}
        self._moments = [self._world.copy()]
        self._rows: dict[int, TaskRow] = {}
        self._first: dict[int, int] = {}
        self._known: dict[tuple[int, int], int | None] = {}
        self._notes: dict[int, str] = {}
        self.left_out: list[str] = []

    def numbers(self) -> Iterator[str]:
        """Yield the faults of the tree: every task is part of exactly one other, down from the requested ones."""
        above: dict[int, int] = {}
        for number, one in self._refined.items():
            for part in one.parts:
                if part not in self._plan.steps and part not in self._plan.refined:
                    yield self._format_fault(number, f"has the unknown part {part}")
                elif part in above:
                    yield self._format_fault(part, f"is a part of {above[part]} and of {number}")
                above[part] = number
        reached, todo = {_TOP}, [_TOP]
        while todo:
            parts = self._parts(todo.pop())
            fresh = [part for part in parts if part not in reached]
            reached.update(fresh)
            todo += fresh
        for number in (*self._plan.steps, *self._plan.refined):
            if number not in reached:
                yield self._format_fault(number, "belongs to no requested task")

    def declarations(self) -> Iterator[str]:
        """Yield the tasks that the domain does not have so: unknown, of another kind, or with other arguments."""
        todo = [_TOP]
        while todo:
            number = todo.pop()
            one = self._refined.get(number)
            task = one.task if one else self._plan.steps[number]
            yield from self._misfits(number, task)
            if one is None:
                if self._tasks.operator(task[0]) is None:
                    yield self._format_fault(number, f"{task[0]!r} is not an action")
                continue
            todo += one.parts
            if number != _TOP:
                goal = self._tasks.goal(task[0])
                method = next((method for method in goal.methods if method.name == one.method), None) if goal else None
                if method is None:
                    kind = f"{one.method!r} is not a method of {task[0]!r}" if goal else f"{task[0]!r} is not compound"
                    yield self._format_fault(number, kind)
                    continue
                self._methods[number] = method
            self._rows[number] = self._tasks.row(self._methods[number])

    def steps(self) -> Iterator[str]:
        """Yield the first step that cannot be done, or the goal where it is not reached."""
        for number, task in self._plan.steps.items():
            operator = self._tasks.operator(task[0])
            if operator is None:
                continue
            binding = dict(zip((name for name, _ in operator.parameters), task[1:], strict=True))
            for condition in conjuncts(operator.precondition):
                if truth(condition, binding, self._world) is False:
                    yield self._format_fault(
                        number, f"{_render_task(task)} needs: {render_condition(condition, binding)}"
                    )
                    return
            change(operator.effects, binding, self._world).happen(self._world)
            self._moments.append(self._world.copy())
        for condition in conjuncts(self._problem.goal):
            if not truth(condition, {}, self._world):
                yield f"the goal is not reached: {render_condition(condition, {})}"

    def refinements(self) -> Iterator[str]:
        """Yield the tasks that are not refined as their methods say, if there are any."""
        if len(self._moments) <= len(self._plan.steps):
            return
        self._find_first_steps()
        if _answer(self._find_finish(_TOP, 0)) is None:
            yield from (self._format_fault(number, words) for number, words in sorted(self._notes.items()))

    def _misfits(self, number: int, task: Fact) -> Iterator[str]:
        parameters = self._tasks.parameters(task[0])
        if len(task) - 1 != len(parameters) and (parameters or self._tasks.operator(task[0])):
            yield self._format_fault(number, f"{task[0]!r} has {len(parameters)} parameters, not {len(task) - 1}")
            return
        for thing, (name, kind) in zip(task[1:], parameters, strict=False):
            if not self._is_of(thing, kind):
                yield self._format_fault(number, f"{thing!r}, the {name[1:]} of {task[0]!r}, is not a {kind}")

    def _find_first_steps(self) -> None:
        """Store the position of the first step below each task; the number of steps if there is none."""
        order, todo = [], [_TOP]
        while todo:
            number = todo.pop()
            order.append(number)
            todo += self._parts(number)
        for number in reversed(order):
            first = min((self._first[part] for part in self._parts(number)), default=len(self._plan.steps))
            self._first[number] = self._place.get(number, first)

    def _find_finish(self, number: int, earliest: int) -> "_Question":
        """Return how many steps are over when a task is, if it begins after `earliest` of them; None if it cannot."""
        if number in self._place:
            place = self._place[number]
            if place < earliest:
                self._notes[number] = f"comes before step {earliest}, for which it has to wait"
            return place + 1 if place >= earliest else None
        known = self._known.get((number, earliest), _OPEN)
        if known != _OPEN:
            return known
        ends = []
        matches = list(self._matches(number))
        if not matches:
            self._notes[number] = f"its parts are not those of the method {self._refined[number].method!r}, in order"
        for match in matches:
            end = yield self._finish_match(number, match, earliest)
            if end is not None:
                ends.append((end, match))
        best = min(ends, key=lambda one: one[0], default=None)
        if best:
            self._note_left_out(number, best[1])
        self._known[number, earliest] = best[0] if best else None
        return self._known[number, earliest]

    def _finish_match(self, number: int, match: _Match, earliest: int) -> "_Question":
        begin = self._begin(number, match.binding, earliest)
        if begin is None:
            return None
        ends: dict[int, int] = {}
        for part, place in zip(self._refined[number].parts, match.places, strict=True):
            waits = self._rows[number].waits[place]
            start = max((end for one, end in ends.items() if waits >> one & 1), default=begin)
            end = yield self._find_finish(part, start)
            if end is None:
                return None
            ends[place] = end
        return max(ends.values(), default=begin)

    def _begin(self, number: int, binding: Mapping[str, Any], earliest: int) -> int | None:
        """Return the first moment at which a method may begin, before the first step below it."""
        method = self._methods[number]
        kinds = dict(method.parameters)
        needs = list(conjuncts(method.precondition))
        for moment in range(earliest, self._first[number] + 1):
            if _is_met(needs, binding, kinds, self._moments[moment]):
                return moment
        told = render_condition(method.precondition, binding)
        self._notes[number] = f"the method {method.name!r} cannot begin after step {earliest}; it needs: {told}"
        return None

    def _matches(self, number: int) -> Iterator[_Match]:
        """Yield the ways to match the parts with the tasks of the method, each after those it waits for."""
        one, method, row = self._refined[number], self._methods[number], self._rows[number]
        kinds = dict(method.parameters)
        ordered = 0  # the places that wait for others, or are waited for
        for place, waits in enumerate(row.waits):
            ordered |= waits | (1 << place if waits else 0)
        start = _unify_task(method.task, one.task, {})
        todo: list[_Match] = [_Match((), 0, start)] if start is not None else []
        while todo:
            match = todo.pop()
            if len(match.places) == len(one.parts):
                if not ordered & ~match.taken and _fits(match.binding, kinds, self._world):
                    yield match
                continue
            part = one.parts[len(match.places)]
            task = self._refined[part].task if part in self._refined else self._plan.steps[part]
            for place in reversed(range(len(row.calls))):
                if match.taken >> place & 1 or row.waits[place] & ~match.taken:
                    continue
                binding = _unify_task(row.calls[place], task, match.binding)
                if binding is not None:
                    todo.append(_Match((*match.places, place), match.taken | 1 << place, binding))

    def _note_left_out(self, number: int, match: _Match) -> None:
        for place, call in enumerate(self._rows[number].calls):
            if place not in match.places:
                self.left_out.append(self._format_fault(number, f"leaves out {_render_task(call)}"))

    def _parts(self, number: int) -> tuple[int, ...]:
        return self._refined[number].parts if number in self._refined else ()

    def _is_of(self, thing: Any, kind: str) -> bool:
        return kind == ANY or thing in self._world.members.get(kind, ())

    def _format_fault(self, number: int, words: str) -> str:
        task = "the tasks asked for" if number == _TOP else f"task {number}"
        line = self._plan.lines.get(number)
        return f"{f'line {line}, ' if line else ''}{task}: {words}"


def _answer(question: _Question) -> int | None:
    """Return the answer to a question that asks others: without recursion, for trees are deep."""
    stack: list[_Question] = [question]
    answer: int | None = None
    while stack:
        try:
            stack.append(stack[-1].send(answer))
            answer = None
        except StopIteration as over:
            stack.pop()
            answer = over.value
    return answer


def _render_task(task: Fact) -> str:
    return " ".join(map(str, task))


def _unify_task(pattern: Fact, task: Fact, binding: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return `binding` with the variables of `pattern` that make it `task`, or None where nothing does."""
    if pattern[0] != task[0] or len(pattern) != len(task):
        return None
    found = dict(binding)
    for term, thing in zip(pattern[1:], task[1:], strict=True):
        if (found.setdefault(term, thing) if is_variable(term) else term) != thing:
            return None
    return found


def _is_met(needs: Sequence[Condition], binding: Mapping[str, Any], kinds: Mapping[str, str], world: World) -> bool:
    """Return whether some choice of the variables that are still free makes every one of `needs` hold."""
    ready = [one for one in needs if all(name in binding for name in variables_of(one))]
    if any(truth(one, binding, world) is False for one in ready):
        return False
    rest = [one for one in needs if one not in ready]
    if not rest:
        return True
    facts = next((one for one in rest if isinstance(one, tuple)), None)
    if facts is not None:
        options: Iterable[dict[str, Any] | None] = (
            _unify_task(bind_fact(facts, binding), fact, binding) for fact in world.facts
        )
    else:
        name = next(name for name in variables_of(rest[0]) if name not in binding)
        options = ({**binding, name: thing} for thing in world.things(kinds.get(name, ANY)))
    return any(_is_met(rest, one, kinds, world) for one in options if one is not None and _fits(one, kinds, world))


def _fits(binding: Mapping[str, Any], kinds: Mapping[str, str], world: World) -> bool:
    """Return whether every variable that is bound is of its type."""
    typed = ((binding[name], kind) for name, kind in kinds.items() if name in binding and kind != ANY)
    return all(thing in world.members.get(kind, ()) for thing, kind in typed)
