"""How the tests ask: a problem in, a result out, through the engine."""

from collections.abc import Iterator
from typing import Any

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises
from mabos.knowledge.reasoning.methods import method, schema, solver
from mabos.knowledge.reasoning.result import MethodResult


def ask(name: str, problem: dict[str, Any], *, seconds: float | None = None, seed: int = 0) -> MethodResult[Any]:
    """Return what a method answers to a problem."""
    request = ReasoningRequest(problem, method=name, seconds=seconds, seed=seed)
    return Engine(no_premises).reason(request).result


def late(name: str, problem: dict[str, Any], *, looks: int) -> MethodResult[Any]:
    """Return what a method answers where the time is up after so many looks at the clock."""
    clock = _clock(looks)
    budget = Budget(1.0, monotonic=lambda: next(clock))
    result: MethodResult[Any] = solver(method(name)).solve(schema(problem["kind"]).of(problem), budget)
    return result


def _clock(looks: int) -> Iterator[float]:
    yield 0.0
    for _ in range(looks):
        yield 0.5
    while True:
        yield 2.0
