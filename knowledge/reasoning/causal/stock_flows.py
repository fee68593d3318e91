"""Stocks and flows over time: their behaviour, rest points, dominant loops and strongest levers.

Forrester 1961; Sterman 2000 (modes of behaviour, chapter 4; loop dominance, chapter 8).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.kernels.dynamics import Rates, feedback, jacobian, rests, steps
from mabos.knowledge.reasoning.kernels.graphs import cycles, graph
from mabos.knowledge.reasoning.problem import Finite, Name, Names, ProblemPart, ReasoningProblem, identifier
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep
from mabos.workspace.expressions import Expression

if TYPE_CHECKING:
    from mabos.knowledge.reasoning.kernels.dynamics import Array


MOST_STEPS = 200_000


class Stock(ProblemPart):
    """A stock: its initial amount, and the flows that fill and drain it."""

    start: Finite
    inflows: Names = ()
    outflows: Names = ()


class StockFlow(ReasoningProblem):
    """A simulation of stocks, flows and their inputs over time.

    Flows and auxiliaries are arithmetic on the names of stocks, constants and each other (blanks and hyphens as
    underscores), and on `time`. `watch` is the stock of interest (default: the first).
    """

    kind: Literal["stock_flow"] = "stock_flow"
    stocks: Annotated[Mapping[Name, Stock], Field(min_length=1, max_length=100)]
    flows: Annotated[Mapping[Name, str], Field(max_length=500)] = {}
    auxiliaries: Annotated[Mapping[Name, str], Field(max_length=500)] = {}
    constants: Annotated[Mapping[Name, Finite], Field(max_length=500)] = {}
    start: Finite = 0.0
    stop: Finite
    step: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    scheme: Literal["euler", "rk4"] = "rk4"
    watch: Name | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "stock_flow",
        "stocks": {"temperature": {"start": 180, "outflows": ["heat loss"]}},
        "flows": {"heat loss": "(temperature - room) / characteristic_time"},
        "constants": {"room": 70, "characteristic time": 10},
        "stop": 30,
        "step": 0.125,
    }

    @field_validator("flows", "auxiliaries", mode="before")
    @classmethod
    def _numbers_are_arithmetic(cls, told: Any) -> Any:
        if not isinstance(told, dict):
            return told
        return {name: str(one) if isinstance(one, int | float) else one for name, one in told.items()}

    @model_validator(mode="after")
    def _is_a_model(self) -> Self:
        spelled = [identifier(name) for name in (*self.stocks, *self.flows, *self.auxiliaries, *self.constants)]
        if len({*spelled, "time"}) <= len(spelled):
            raise ValueError("two names are the same in an expression, or one is 'time'; use different names")
        for name, stock in self.stocks.items():
            if strange := [one for one in (*stock.inflows, *stock.outflows) if one not in self.flows]:
                raise ValueError(f"{strange[0]!r}, which fills or drains {name!r}, is not a flow")
        if self.stop <= self.start or self.step > self.stop - self.start:
            raise ValueError("stop must be after start, and a step may not be longer than the time between")
        if (self.stop - self.start) / self.step > MOST_STEPS:
            raise ValueError(f"at most {MOST_STEPS:,} steps are possible; make the step longer")
        if self.watch is not None and self.watch not in self.stocks:
            raise ValueError(f"{self.watch!r} is not a stock; there are {', '.join(sorted(self.stocks)[:9])}")
        try:
            self.parsed()
        except InvalidArgument as error:
            raise ValueError(error.message) from error
        return self

    @property
    def watched(self) -> str:
        """The stock of interest."""
        return self.watch or next(iter(self.stocks))

    def parsed(self) -> dict[str, Expression]:
        """Return flows and auxiliaries by their identifiers, each after those it reads. Raises `ValueError` for a
        cycle, `InvalidArgument` for invalid arithmetic.
        """
        known = frozenset(
            identifier(name) for name in (*self.stocks, *self.flows, *self.auxiliaries, *self.constants)
        ) | {"time"}
        told = {
            identifier(name): Expression.of(text, known=known)
            for name, text in {**self.auxiliaries, **self.flows}.items()
        }
        arrows = [(read, name) for name, one in told.items() for read in sorted(one.names) if read in told]
        return {name: told[name] for name in graph(told, arrows).nodes}


MOST_SHOWN = 501
"""Points of a trajectory that are told."""
MOST_LOOPS = 50
NUDGE = 0.01
"""By what share a constant is changed to see what that moves."""
FLAT = 1e-9


@dataclass(frozen=True, slots=True)
class StockLoop:
    """A loop through stocks, and its strength at the start and the end: positive reinforces, negative balances."""

    stocks: tuple[str, ...]
    at_start: float
    at_end: float


@dataclass(frozen=True, slots=True)
class Course:
    """The course of a system: the values of its variables at the reported times, how the watched stock behaves, where
    the system would rest, which loops drive it, and by how many percent the end moves for a percent of each
    constant."""

    times: tuple[float, ...]
    values: dict[str, tuple[float, ...]]
    final: dict[str, float]
    behaviour: str
    rests: tuple[tuple[dict[str, float], str], ...] = ()
    loops: tuple[StockLoop, ...] = ()
    leverage: tuple[tuple[str, float], ...] = ()


class _System:
    """A model ready to run."""

    def __init__(self, problem: StockFlow, constants: Mapping[str, float] | None = None) -> None:
        self.stocks = [identifier(name) for name in problem.stocks]
        self.expressions = problem.parsed()
        self.constants = {identifier(name): value for name, value in (constants or problem.constants).items()}
        self.start = [one.start for one in problem.stocks.values()]
        self.flows = [
            ([identifier(name) for name in one.inflows], [identifier(name) for name in one.outflows])
            for one in problem.stocks.values()
        ]

    def values(self, time: float, stocks: Sequence[float]) -> dict[str, float]:
        """Return all values at a time."""
        values = {**self.constants, "time": time, **dict(zip(self.stocks, stocks, strict=True))}
        for name, one in self.expressions.items():
            values[name] = one.value(values)
        return values

    def rates(self, time: float, stocks: Sequence[float]) -> list[float]:
        """Return how fast each stock changes."""
        values = self.values(time, stocks)
        rates = []
        for ins, outs in self.flows:
            rate = 0.0
            for name in ins:
                rate += values[name]
            for name in outs:
                rate -= values[name]
            rates.append(rate)
        return rates


def estimate(problem: StockFlow) -> float:
    """Return about how many milliseconds this takes."""
    runs = 1 + 2 * len(problem.constants)
    stages = 1 if problem.scheme == "euler" else 4
    terms = len(problem.flows) + len(problem.auxiliaries) + len(problem.stocks)
    return 1.0 + (problem.stop - problem.start) / problem.step * runs * stages * (0.005 + 0.004 * terms)


def solve(problem: StockFlow, budget: Budget) -> MethodResult[Course]:
    """Return the behaviour of a system over time; `timeout` with the part computed so far."""
    system = _System(problem)
    count = round((problem.stop - problem.start) / problem.step)
    times = [problem.start + number * problem.step for number in range(count + 1)]
    course: list[list[float]] = []
    try:
        course.extend(steps(system.rates, system.start, times, problem.scheme, budget))
    except OutOfTime:
        return _report_course(problem, _course(problem, system, times, course), late=True)
    answer = _course(problem, system, times, course)
    try:
        answer = _analyze_course(problem, system, answer, course, budget)
    except OutOfTime:
        return _report_course(problem, answer, late=True)
    return _report_course(problem, answer, late=False)


def _course(problem: StockFlow, system: _System, times: Sequence[float], course: Sequence[Sequence[float]]) -> Course:
    """Return the computed trajectory, at a limited number of times."""
    every = max(1, -(-(len(course) - 1) // (MOST_SHOWN - 1)))
    places = list(range(0, len(course), every)) or [0]
    if course and places[-1] != len(course) - 1:
        places.append(len(course) - 1)
    rows = [system.values(times[at], course[at] if course else system.start) for at in places]
    names = [*problem.stocks, *problem.flows, *problem.auxiliaries]
    watched = list(problem.stocks).index(problem.watched)
    return Course(
        tuple(times[at] for at in places),
        {name: tuple(row[identifier(name)] for row in rows) for name in names},
        {name: rows[-1][identifier(name)] for name in names},
        behaviour([one[watched] for one in course]),
    )


def _analyze_course(
    problem: StockFlow, system: _System, answer: Course, course: Sequence[Sequence[float]], budget: Budget
) -> Course:
    """Return the course with its rest points, loops and leverage."""
    still = all("time" not in one.names for one in system.expressions.values())
    mean = [sum(column) / len(course) for column in zip(*course, strict=True)]
    starts = [course[0], course[-1], mean, [0.0] * len(mean)]
    found = rests(system.rates, starts, budget) if still else []
    return replace(
        answer,
        rests=tuple(
            (dict(zip(problem.stocks, one.stocks, strict=True)), one.stability + (", circled" if one.turning else ""))
            for one in found
        ),
        loops=tuple(_loops(problem, system.rates, course[0], course[-1], budget)),
        leverage=tuple(_leverage(problem, answer.final[problem.watched], budget)),
    )


def behaviour(values: Sequence[float]) -> str:
    """Return the mode of behaviour of a series, in the terms of Sterman 2000."""
    span = max(values, default=0.0) - min(values, default=0.0)
    if len(values) < 3 or span <= FLAT * max(1.0, abs(values[0])):
        return "at rest"
    moves = [b - a for a, b in pairwise(values)]
    ways = [move > 0 for move in moves if abs(move) > 1e-6 * span / len(moves)]
    turns = sum(a != b for a, b in pairwise(ways))
    if turns > 1:
        return _swings(values)
    if turns == 1:
        return "overshoot and decline" if ways[0] else "decline and recovery"
    rising, falling = _bend([abs(move) for move in moves])
    return rising if values[-1] > values[0] else falling


def _bend(sizes: Sequence[float]) -> tuple[str, str]:
    """Return the names of a rise and of a fall without turns, by where they are fastest."""
    fastest = sizes.index(max(sizes))
    if max(sizes) - min(sizes) <= 1e-6 * max(sizes):
        return "steady growth", "steady decline"
    if fastest >= len(sizes) - 2:
        return "exponential growth", "accelerating decline"
    if fastest <= 1:
        return "goal seeking", "decay towards a goal"
    return "S-shaped growth", "S-shaped decline"


def _swings(values: Sequence[float]) -> str:
    """Return whether swings grow, die out or go on."""
    turns = [b for a, b, c in zip(values, values[1:], values[2:], strict=False) if (b - a) * (c - b) < 0]
    sizes = [abs(b - a) for a, b in pairwise(turns)]
    if len(sizes) < 2 or abs(sizes[-1] - sizes[0]) <= 0.02 * max(sizes):
        return "oscillation"
    return "growing oscillation" if sizes[-1] > sizes[0] else "damped oscillation"


def _loops(
    problem: StockFlow, rates: Rates, first: Sequence[float], last: Sequence[float], budget: Budget
) -> list[StockLoop]:
    """Return the loops through stocks, the strongest at the end first."""
    names = list(problem.stocks)
    try:
        start, end = jacobian(rates, first), jacobian(rates, last)
    except InvalidArgument:  # at the edge of where the expressions have a value
        return []
    found = []
    for loop in cycles(feedback(abs(start) + abs(end), names), budget):
        found.append(StockLoop(loop, *(_gain(one, [names.index(name) for name in loop]) for one in (start, end))))
        if len(found) == MOST_LOOPS:
            break
    return sorted(found, key=lambda one: (-abs(one.at_end), one.stocks))


def _gain(slopes: "Array", places: Sequence[int]) -> float:
    """Return the strength of a loop: the mean of its links, with the sign of their product."""
    product = prod(float(slopes[effect, cause]) for cause, effect in zip(places, [*places[1:], places[0]], strict=True))
    size = float(abs(product) ** (1 / len(places)))
    return size if product > 0 else -size


def _leverage(problem: StockFlow, end: float, budget: Budget) -> list[tuple[str, float]]:
    """Return by how many percent the watched stock's end moves for a percent of each constant, largest first."""
    if abs(end) <= FLAT:
        return []
    count = round((problem.stop - problem.start) / problem.step)
    times = [problem.start + number * problem.step for number in range(count + 1)]
    watched = list(problem.stocks).index(problem.watched)
    found = []
    for name, value in problem.constants.items():
        ends = []
        for factor in (1 + NUDGE, 1 - NUDGE):
            system = _System(problem, {**problem.constants, name: value * factor})
            try:
                *_, last = steps(system.rates, system.start, times, problem.scheme, budget)
            except InvalidArgument:
                break
            ends.append(last[watched])
        if len(ends) == 2:
            found.append((name, round((ends[0] - ends[1]) / (2 * NUDGE * end), 9)))
    return sorted(found, key=lambda one: (-abs(one[1]), one[0]))


def _report_course(problem: StockFlow, answer: Course, *, late: bool) -> MethodResult[Course]:
    name = problem.watched
    at = answer.times[-1]
    steps_told = [
        TraceStep(
            f"{name} goes from {problem.stocks[name].start:g} to {answer.final[name]:.6g} at {at:g}", problem.scheme
        )
    ]
    steps_told += [
        TraceStep(
            f"at rest ({how}) where " + ", ".join(f"{one} is {value:.6g}" for one, value in where.items()), "Newton"
        )
        for where, how in answer.rests
    ]
    for loop in answer.loops[:5]:
        words = [
            "reinforces" if one > 0 else "balances" if one < 0 else "rests" for one in (loop.at_start, loop.at_end)
        ]
        told = words[0] if words[0] == words[1] else f"{words[0]} at first, {words[1]} at the end"
        steps_told.append(
            TraceStep(f"{' -> '.join((*loop.stocks, loop.stocks[0]))} {told}", "slopes of the rates", loop.stocks)
        )
    steps_told += [
        TraceStep(f"1 % more {one}: {share:+.3g} % of {name}", "run again", (one,))
        for one, share in answer.leverage[:5]
    ]
    lever = f"; {answer.leverage[0][0]} moves it most" if answer.leverage and answer.leverage[0][1] else ""
    return MethodResult(
        "timeout" if late else "computed",
        answer,
        f"{name}: {answer.behaviour}, {answer.final[name]:.6g} at {at:g}{lever}",
        claims=(
            AnswerClaim(name, "behaviour", answer.behaviour),
            AnswerClaim(name, f"at {at:g}", round(answer.final[name], 9)),
        ),
        trace=tuple(steps_told),
        assumptions=(f"steps of {problem.step:g} by {problem.scheme} are fine enough",),
    )
