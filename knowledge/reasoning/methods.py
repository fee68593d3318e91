"""The 35 methods: which kinds of problem each takes, how sound and how costly it is, and when it is at its best.

S0 section 25 and S3 section 12.5 name 32 methods and 3 of fusion. Nothing here imports a method; `solver` does when
one is to run.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import Any, Literal

from mabos.configs.errors import unknown
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.problem import FORMS, ReasoningProblem
from mabos.knowledge.reasoning.result import MethodResult, Soundness

Category = Literal["formal", "probabilistic", "causal", "experience", "social", "meta"]
Level = Literal["low", "medium", "high"]
Domain = Literal["formal", "empirical", "social"]
Effort = Literal[1, 2, 3]
"""1 at most a millisecond or so, 2 tens of milliseconds, 3 grows fast with the problem or samples."""

LOW: frozenset[Level] = frozenset({"low"})
HIGH: frozenset[Level] = frozenset({"high"})
MIDDLE: frozenset[Level] = frozenset({"medium", "high"})
MODEST: frozenset[Level] = frozenset({"low", "medium"})
ANY: frozenset[Level] = frozenset({"low", "medium", "high"})
FORMAL: frozenset[Domain] = frozenset({"formal"})
EMPIRICAL: frozenset[Domain] = frozenset({"empirical"})
SOCIAL: frozenset[Domain] = frozenset({"social"})
FACTUAL: frozenset[Domain] = frozenset({"formal", "empirical"})
HUMAN: frozenset[Domain] = frozenset({"empirical", "social"})
EVERY: frozenset[Domain] = frozenset({"formal", "empirical", "social"})


@dataclass(frozen=True, slots=True)
class ReasoningMethod:
    """One method. The ideals are the values of a classification at which it is at its best; levels are low to high,
    which for complexity reads simple to complex and for data sparse to rich. `kernel` groups methods whose agreement
    is no independent confirmation."""

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
        """Return the module that answers problems of a kind by this method, importing it."""
        name = MODULES.get((self.name, kind), self.name.replace("-", "_"))
        return import_module(f"mabos.knowledge.reasoning.{self.category}.{name}")


METHODS: tuple[ReasoningMethod, ...] = (
    ReasoningMethod("deductive", "formal", ("horn", "fol", "assignment"), 1, 2, "logic", LOW, domain=FORMAL),
    ReasoningMethod(
        "inductive", "formal", ("table", "relational"), 3, 3, "learning", MIDDLE, domain=EMPIRICAL, data=HIGH
    ),
    ReasoningMethod("abductive", "formal", ("explanation",), 2, 2, "logic", MIDDLE, domain=FACTUAL, data=MODEST),
    ReasoningMethod("analogical", "formal", ("analogy", "sequence"), 4, 2, "mapping", MIDDLE, domain=FACTUAL, data=LOW),
    ReasoningMethod("modal", "formal", ("modal",), 1, 2, "logic", LOW, MIDDLE, FORMAL),
    ReasoningMethod("deontic", "formal", ("norms",), 1, 2, "logic", LOW, domain=FORMAL | SOCIAL),
    ReasoningMethod("temporal", "formal", ("intervals", "timeline"), 1, 2, "constraints", LOW, domain=FORMAL),
    ReasoningMethod(
        "bayesian", "probabilistic", ("hypotheses", "network", "factors"), 2, 2, "factors", HIGH, domain=EMPIRICAL
    ),
    ReasoningMethod("decision-theory", "probabilistic", ("decision", "decision_tree"), 1, 1, "utility", HIGH),
    ReasoningMethod("expected-utility", "probabilistic", ("lotteries", "decision", "choice"), 1, 1, "utility", HIGH),
    ReasoningMethod(
        "info-theory", "probabilistic", ("questions", "joint"), 2, 1, "factors", HIGH, domain=EMPIRICAL, data=MODEST
    ),
    ReasoningMethod(
        "monte-carlo", "probabilistic", ("simulation", "network"), 3, 3, "sampling", HIGH, MIDDLE, EMPIRICAL
    ),
    ReasoningMethod("causal", "causal", ("causal_graph", "causal_model"), 2, 2, "causal", MIDDLE, MIDDLE, EMPIRICAL),
    ReasoningMethod(
        "interventional",
        "causal",
        ("causal_model", "structural_model"),
        2,
        2,
        "causal",
        MIDDLE,
        MIDDLE,
        EMPIRICAL,
        HIGH,
    ),
    ReasoningMethod(
        "counterfactual", "causal", ("causal_model", "structural_model"), 2, 3, "causal", MIDDLE, MIDDLE, EMPIRICAL
    ),
    ReasoningMethod(
        "root-cause", "causal", ("fault_tree", "incident"), 2, 2, "diagnosis", MIDDLE, MIDDLE, EMPIRICAL, HIGH
    ),
    ReasoningMethod("systems-thinking", "causal", ("loops", "stock_flow"), 2, 2, "dynamics", MIDDLE, HIGH),
    ReasoningMethod("heuristic", "experience", ("choice",), 4, 1, "cues", MODEST, MODEST, HUMAN, LOW),
    ReasoningMethod("case-based", "experience", ("cases",), 4, 1, "similarity", MIDDLE, domain=HUMAN, data=MIDDLE),
    ReasoningMethod(
        "pattern-recognition",
        "experience",
        ("series", "table", "transactions"),
        3,
        2,
        "statistics",
        MIDDLE,
        domain=EMPIRICAL,
        data=HIGH,
    ),
    ReasoningMethod("satisficing", "experience", ("choice", "decision", "stream"), 4, 1, "cues", MODEST, MODEST),
    ReasoningMethod("naturalistic", "experience", ("situation",), 4, 1, "similarity", MIDDLE, domain=HUMAN),
    ReasoningMethod(
        "game-theory", "social", ("normal_form", "extensive_form", "coalition"), 1, 3, "games", MODEST, MIDDLE, SOCIAL
    ),
    ReasoningMethod("negotiation", "social", ("bargaining",), 1, 2, "games", MODEST, domain=SOCIAL),
    ReasoningMethod("social-choice", "social", ("ballots", "committee"), 1, 2, "voting", LOW, domain=SOCIAL, data=HIGH),
    ReasoningMethod(
        "argumentation", "social", ("arguments",), 1, 2, "arguments", MIDDLE, domain=FORMAL | SOCIAL, data=MODEST
    ),
    ReasoningMethod("stakeholder", "social", ("stakeholders",), 4, 1, "utility", MIDDLE, MIDDLE, SOCIAL),
    ReasoningMethod("meta-cognitive", "meta", ("computation",), 4, 1, "meta", HIGH, MIDDLE),
    ReasoningMethod("strategy-selection", "meta", ("selection",), 4, 1, "meta", complexity=MIDDLE),
    ReasoningMethod("learning-to-reason", "meta", ("outcomes",), 3, 1, "meta", MIDDLE, domain=EMPIRICAL, data=HIGH),
    ReasoningMethod("reflection", "meta", ("trace",), 2, 2, "logic", domain=FORMAL),
    ReasoningMethod("calibration", "meta", ("forecasts",), 3, 1, "meta", HIGH, domain=EMPIRICAL, data=HIGH),
    ReasoningMethod("weighted-ensemble", "meta", ("opinions",), 3, 1, "fusion", HIGH),
    ReasoningMethod("dempster-shafer", "meta", ("masses",), 2, 1, "fusion", HIGH, data=LOW),
    ReasoningMethod("debate", "meta", ("positions",), 2, 1, "fusion", MIDDLE, MIDDLE),
)
"""In the order of the documents."""

MODULES: Mapping[tuple[str, str], str] = {
    ("deductive", "horn"): "horn",
    ("deductive", "fol"): "first_order",
    ("deductive", "assignment"): "assignment",
    ("inductive", "table"): "table_rules",
    ("inductive", "relational"): "relational_rules",
    ("analogical", "sequence"): "sequences",
    ("temporal", "intervals"): "intervals",
    ("temporal", "timeline"): "timeline",
    ("causal", "causal_graph"): "causal_graphs",
    ("root-cause", "fault_tree"): "fault_trees",
    ("root-cause", "incident"): "incidents",
    ("systems-thinking", "loops"): "loops",
    ("systems-thinking", "stock_flow"): "stock_flows",
    ("game-theory", "coalition"): "coalitions",
    ("social-choice", "committee"): "elections",
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
    """Return the methods that take problems of this kind. Raises `UnknownId` for a kind that none takes."""
    found = tuple(one for one in METHODS if kind in one.kinds)
    if not found:
        raise unknown("kind of problem", kind, kinds(), argument="problem.kind")
    return found


def kinds(methods: Iterable[ReasoningMethod] = METHODS) -> tuple[str, ...]:
    """Return the kinds of problem that these methods take, each once."""
    return tuple(dict.fromkeys(kind for one in methods for kind in one.kinds))


def schema(kind: str) -> type[ReasoningProblem]:
    """Return the schema of a kind of problem, which the module of the first method that takes it has."""
    taking(kind)[0].module(kind)
    return FORMS[kind]


@dataclass(frozen=True, slots=True)
class Solver:
    """A method with the modules that answer its kinds of problem, each with `solve`, `estimate` and maybe `misfit`."""

    method: ReasoningMethod
    modules: Mapping[str, ModuleType]

    def solve(self, problem: ReasoningProblem, budget: Budget) -> MethodResult[Any]:
        """Return the answer to a problem, as this method's, and as sound as the method unless it says otherwise."""
        result: MethodResult[Any] = self.modules[problem.kind].solve(problem, budget)
        return replace(result, method=self.method.name, soundness=result.soundness or self.method.soundness)

    def estimate(self, problem: ReasoningProblem) -> float:
        """Return how many milliseconds a problem will take about."""
        return float(self.modules[problem.kind].estimate(problem))

    def misfit(self, problem: ReasoningProblem) -> str:
        """Return the input that a problem of the right kind lacks for this method, or ""."""
        check = getattr(self.modules[problem.kind], "misfit", None)
        return "" if check is None else str(check(problem))


def solver(one: ReasoningMethod) -> Solver:
    """Return the solver of a method, importing it."""
    return Solver(one, {kind: one.module(kind) for kind in one.kinds})
