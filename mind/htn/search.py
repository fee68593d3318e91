"""The search for a plan: depth-first without recursion, with every decision reversible.

At each point the next task is done (a step) or refined by its next way (a compound task). If several branches of work
are open, any of them may continue. No pair of state and agenda is visited twice, so circular recursion ends there;
recursion that only grows the agenda ends at a maximum number of refinements without a step.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from mabos.mind.htn.agenda import END, FORK, NOTHING, AgendaMark, Cell, Join, is_within
from mabos.mind.htn.compiled import CompoundTask, PrimitiveTask, Tasks
from mabos.mind.htn.failures import Failure, going_in_circles, missing_goal, missing_step, missing_way
from mabos.mind.htn.model import Fact, Method, PlanningProblem
from mabos.mind.htn.result import Result, Status
from mabos.mind.htn.truth import truth
from mabos.mind.htn.unrolled import Entry
from mabos.mind.htn.world import World

BUDGET = 200_000
"""The number of tasks examined before planning gives up."""
_ALL = 1_000_000_000
_DEPTH = 5_000  # refinements without a step between


@dataclass(frozen=True, slots=True)
class _Pass:
    """The limits of a search: the number of tasks examined, and the length of a plan with all its refinements.

    `circles` allows a task to be part of itself with no step done between.
    """

    looked_at: int = _ALL
    length: int = _ALL
    depth: int = _DEPTH
    circles: bool = False


_PASSES = (
    _Pass(looked_at=10_000),
    _Pass(
        looked_at=50_000, length=150
    ),  # where recursion goes on for ever, a short plan is found by looking no further
    _Pass(looked_at=100_000, length=1_000),
    _Pass(),
    _Pass(depth=40, circles=True),
)
_LOOKS = 256  # tasks between two looks at the deadline
_STRAIGHT = 64  # tasks without a choice that are done at one go
Threads: TypeAlias = tuple[Cell, ...]
Move: TypeAlias = tuple[Cell, Threads, bool, Entry | None]
"""The task that is next, the other lines of work, whether this line was chosen, and what to note in the trace."""
_DEAD_END: Iterator[Move] = iter(())
NO_THREADS: Threads = ()
TOP: Fact = ("",)


def plan(problem: PlanningProblem, *, budget: int = BUDGET, expired: Callable[[], bool] = lambda: False) -> Result:
    """Return a plan for `problem`, or why there is none; `expired` is polled for a timeout."""
    return Planner(problem).plan(budget=budget, expired=expired)


class Planner:
    """A compiled problem, for repeated planning; the answers of its lookup may change in between."""

    def __init__(self, problem: PlanningProblem) -> None:
        self.goal = problem.goal
        self.world = World(problem.state, problem.domain)
        top = Method("", TOP, problem.network, problem.constraint, problem.variables)
        self.start: Cell = (CompoundTask("", (top,), Tasks(problem.domain, self.world)), (), NOTHING, 0)

    def plan(self, *, budget: int = BUDGET, expired: Callable[[], bool] = lambda: False) -> Result:
        """Return a plan, or why there is none."""
        search = _Search(self, budget, expired)
        result = search.run(_PASSES[0])
        for one in _PASSES[1:]:
            if result or search.is_over or (result.status == "none" and not (search.was_long or search.was_cut)):
                break
            if result.status != "none" or search.was_long or one.circles:  # else all of it was gone through already
                result = search.run(one)
        return result


class _Search:
    """A search; it may go over the problem several times."""

    def __init__(self, planner: Planner, budget: int, expired: Callable[[], bool]) -> None:
        self._goal, self._world, self._start = planner.goal, planner.world, planner.start
        self._budget, self._expired = budget, expired
        self._expanded = 0
        self._why: Failure | None = None
        self._furthest = -1
        self.is_over = False

    def run(self, limits: _Pass) -> Result:
        """Return the result within the limits of one pass."""
        self._trace: list[Entry] = []
        self._joins: list[tuple[Join, int]] = []
        self._seen: set[int] = set()
        self._points: list[tuple[int, int, int, int, int, Iterator[Move]]] = []
        self._limits, self.was_cut, self.was_long, self._done = limits, False, False, 0
        status = self._search()
        self._world.back_to(0)
        found = self._trace if status == "found" else []
        steps = tuple([(cell[0].name, *cell[1]) for cell, way, _, _ in found if way is None])
        return Result(status, steps, None if found else self._why, self._expanded, found)

    def _search(self) -> Status:  # noqa: PLR0912, PLR0915 - the one loop that all planning waits for
        """Take task after task from the agenda until none is left, nothing is left to try, or the budget is spent."""
        trace, world, seen, points = self._trace, self._world, self._seen, self._points
        cell, others, quiet, chosen, listed = self._start, NO_THREADS, 0, False, None
        number, longest = self._expanded, self._limits.length
        last, look = min(self._budget, number + self._limits.looked_at), number + _LOOKS
        while number < last:
            number += 1
            if number >= look:
                look = number + _LOOKS
                if self._expired():
                    self.is_over = True
                    break
            task, arguments, rest, _ = cell
            kind = type(task)
            moves = _DEAD_END
            if others and not chosen and kind is not AgendaMark:
                moves = self._lines(cell, others)
            elif kind is PrimitiveTask:
                if task.perform(arguments):
                    trace.append((cell, None, (), None))
                    cell, quiet, chosen = rest, 0, False
                    self._done += 1
                    continue
                self._note(partial(missing_step, task, arguments, world))
            elif kind is CompoundTask:
                key = cell[3] ^ world.signature
                if len(trace) > longest:
                    self.was_long = True
                elif not (quiet and self._leads_nowhere(cell, quiet)) and (others or key not in seen):
                    seen.add(key)
                    options = None if others else listed or task.options(cell)
                    if options is not None and len(options) == 1:  # nothing to come back to
                        trace += options
                        before = len(trace)
                        cell, quiet, listed = self._straight_on(options[0][3], quiet + 1, min(_STRAIGHT, last - number))
                        number += len(trace) - before
                        continue
                    moves = self._refinements(cell, others) if options is None else self._moves(cell, options)
            elif task is not END:
                cell, others = self._pass_marker(cell, others)
                continue
            elif self._is_reached():
                self._expanded = number
                return "found"
            if moves is not _DEAD_END:
                points.append((world.mark(), len(trace), len(self._joins), quiet, self._done, moves))
            taken = self._next_move()
            if taken is None:
                self._expanded = number
                return "none"
            listed, quiet, (cell, others, chosen, entry) = None, *taken
            if entry is not None:
                trace.append(entry)
                quiet += 1
        self._expanded = number
        self.is_over = self.is_over or number >= self._budget
        return "out of budget"

    def _straight_on(self, cell: Cell, quiet: int, most: int) -> tuple[Cell, int, list[Entry] | None]:
        """Do at most so many tasks that leave no choice; return the next one, and its ways if known.

        Depth and length are not checked here: the caller does that.
        """
        trace, seen, world = self._trace, self._seen, self._world
        is_open = bool(self._points)  # else nothing but a circle comes back here, and what it began with is known
        options, steps = None, 0
        for _ in range(most):
            task = cell[0]
            kind = type(task)
            if kind is PrimitiveTask:
                if not task.perform(cell[1]):
                    break
                trace.append((cell, None, (), None))
                cell, quiet = cell[2], 0
                steps += 1
            elif kind is CompoundTask:
                key = cell[3] ^ world.signature
                if key in seen:
                    break
                options = task.options(cell)
                if options is None or len(options) != 1:
                    break
                if is_open:
                    seen.add(key)
                trace += options
                cell, options = options[0][3], None
                quiet += 1
            else:
                break
        self._done += steps
        return cell, quiet, options

    def _next_move(self) -> tuple[int, Move] | None:
        """Return the next move of the latest point that has one left, with all that came after it taken back."""
        points = self._points
        while points:
            mark, length, joined, quiet, self._done, moves = points[-1]
            self._world.back_to(mark)
            del self._trace[length:]
            while len(self._joins) > joined:
                join, done = self._joins.pop()
                join.done = done
            move = next(moves, None)
            if move is not None:
                return quiet, move
            points.pop()
        return None

    def _pass_marker(self, cell: Cell, others: Threads) -> tuple[Cell, Threads]:
        """Return the next cell after the start or the end of a line of work."""
        ready: Threads = ()
        if cell[0] is FORK:
            ready = cell[1].start()
        else:
            join, place = cell[1]
            self._joins.append((join, join.done))
            join.done |= 1 << place
            ready = join.after(place)
        ready += others
        return ready[0], ready[1:]

    def _lines(self, cell: Cell, others: Threads) -> Iterator[Move]:
        """Yield each line of work that may go on; only the first where it makes no difference when that goes on."""
        if isinstance(cell[0], CompoundTask) and cell[0].is_timeless:
            yield cell, others, True, None
            return
        lines = (cell, *others)
        if self._is_new(hash(tuple(sorted(line[3] for line in lines)))):
            for place, line in enumerate(lines):
                yield line, lines[:place] + lines[place + 1 :], True, None

    def _refinements(self, cell: Cell, others: Threads) -> Iterator[Move]:
        """Yield the move of each way in each of its environments, found on demand."""
        task, arguments, rest, _ = cell
        for way in task.ways_among_others if others else task.ways:
            for environment in way.matcher.environments(arguments):
                after = way.enter(environment, rest)
                yield after, others, False, (cell, way, environment, after)
        self._note(partial(missing_way, task, arguments, self._world, alone=not others))

    def _moves(self, cell: Cell, options: Sequence[Entry]) -> Iterator[Move]:
        """Yield the listed options, when no other line of work is open."""
        for entry in options:
            yield entry[3], NO_THREADS, False, entry
        self._note(partial(missing_way, cell[0], cell[1], self._world, alone=True))

    def _leads_nowhere(self, cell: Cell, quiet: int) -> bool:
        """Return whether a task is refined too deep, or within itself."""
        if quiet <= self._limits.depth and not self._is_part_of_itself(cell, quiet):
            return False
        self.was_cut = True
        self._why = self._why or going_in_circles(cell[0], cell[1])
        return True

    def _is_new(self, signature: int) -> bool:
        """Return whether an agenda was not yet gone through in the present state."""
        key = signature ^ self._world.signature
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _is_part_of_itself(self, cell: Cell, quiet: int) -> bool:
        """Return whether the same task is being refined above this one, with no step done since."""
        if self._limits.circles or not cell[0].is_recursive:
            return False
        task, arguments, _, _ = cell
        for above, _, _, _ in self._trace[-quiet:]:
            if above[1] == arguments and above[0] is task and is_within(cell, above):
                return True
        return False

    def _note(self, failure: Callable[[int], Failure | None]) -> None:
        """Keep why nothing went on here, if nothing has come as far; `failure` is given how many steps came before."""
        if len(self._trace) > self._furthest and not self._limits.circles:
            self._furthest = len(self._trace)
            self._why = failure(self._done) or self._why

    def _is_reached(self) -> bool:
        if truth(self._goal, {}, self._world):
            return True
        self._note(partial(missing_goal, self._goal, self._world))
        return False
