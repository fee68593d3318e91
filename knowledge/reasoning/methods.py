"""The 35 methods: the kinds of problem each solves, its soundness and cost, and its ideal circumstances.

S0 section 25 and S3 section 12.5 name 32 methods and 3 of fusion. Nothing here imports a method; `solver` does so on
demand.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import Any, Literal

from mabos.configs.errors import unknown
from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.problem import FORMS, ReasoningProblem
from mabos.knowledge.reasoning.result import MethodResult, Soundness

Category = Literal["formal", "probabilistic", "causal", "experience", "social", "meta"]
Level = Literal["low", "medium", "high"]
Domain = Literal["formal", "empirical", "social"]
Effort = Literal[1, 2, 3]
"""1 at most a millisecond or so, 2 tens of milliseconds, 3 grows fast with the problem or samples."""

ANY: frozenset[Level] = frozenset({"low", "medium", "high"})
EVERY: frozenset[Domain] = frozenset({"formal", "empirical", "social"})


@dataclass(frozen=True, slots=True)
class ReasoningMethod:
    """A reasoning method. The ideals are the classification values that suit it best; levels are low to high, meaning
    simple to complex for complexity and sparse to rich for data. `kernel` groups methods whose agreement is not
    independent confirmation.
    """

    name: str
    category: Category
    kinds: tuple[str, ...]
    soundness: Soundness
    effort: Effort
    kernel: str
    uncertainty: frozenset[Level] = ANY
    complexity: frozenset[Level] = ANY
    domain: frozenset[Domain] = EVERY
    data: frozenset[Level] = ANY

    def module(self, kind: str) -> ModuleType:
        """Return the module with this method's solver for a kind of problem, importing it."""
        name = MODULES.get((self.name, kind), self.name.replace("-", "_"))
        return import_module(f"mabos.knowledge.reasoning.{self.category}.{name}")


def _read_method(row: Mapping[str, Any]) -> ReasoningMethod:
    own: dict[str, Any] = {key: frozenset(value) if isinstance(value, list) else value for key, value in row.items()}
    return ReasoningMethod(**{**own, "kinds": tuple(row["kinds"])})


_TABLE = packaged_yaml("reasoning_methods.yaml")
METHODS: tuple[ReasoningMethod, ...] = tuple(map(_read_method, _TABLE["methods"]))
"""In the order of the documents."""
MODULES: Mapping[tuple[str, str], str] = {
    (name, kind): module for name, own in _TABLE["modules"].items() for kind, module in own.items()
}
"""The module that answers a kind of problem, where it is not called like the method."""

_BY_NAME = {method.name: method for method in METHODS}


def method(name: str) -> ReasoningMethod:
    """Return the method called `name`. Raises `UnknownId`."""
    found = _BY_NAME.get(name)
    if found is None:
        raise unknown("method", name, _BY_NAME, argument="method")
    return found


def taking(kind: str) -> tuple[ReasoningMethod, ...]:
    """Return the methods for this kind of problem. Raises `UnknownId` if there is none."""
    found = tuple(one for one in METHODS if kind in one.kinds)
    if not found:
        raise unknown("kind of problem", kind, kinds(), argument="problem.kind")
    return found


def kinds(methods: Iterable[ReasoningMethod] = METHODS) -> tuple[str, ...]:
    """Return the kinds of problem that these methods solve, without duplicates."""
    return tuple(dict.fromkeys(kind for one in methods for kind in one.kinds))


def schema(kind: str) -> type[ReasoningProblem]:
    """Return the schema of a kind of problem, from the module of its first method."""
    taking(kind)[0].module(kind)
    return FORMS[kind]


@dataclass(frozen=True, slots=True)
class Solver:
    """A method with its modules by kind of problem, each with `solve`, `estimate` and perhaps `misfit`."""

    method: ReasoningMethod
    modules: Mapping[str, ModuleType]

    def solve(self, problem: ReasoningProblem, budget: Budget) -> MethodResult[Any]:
        """Return this method's answer to a problem, with the method's soundness unless it states another."""
        result: MethodResult[Any] = self.modules[problem.kind].solve(problem, budget)
        return replace(result, method=self.method.name, soundness=result.soundness or self.method.soundness)

    def estimate(self, problem: ReasoningProblem) -> float:
        """Return the estimated milliseconds for a problem."""
        return float(self.modules[problem.kind].estimate(problem))

    def misfit(self, problem: ReasoningProblem) -> str:
        """Return the input that a problem of the right kind lacks for this method, or ""."""
        check = getattr(self.modules[problem.kind], "misfit", None)
        return "" if check is None else str(check(problem))


def solver(one: ReasoningMethod) -> Solver:
    """Return the solver of a method, importing it."""
    return Solver(one, {kind: one.module(kind) for kind in one.kinds})
