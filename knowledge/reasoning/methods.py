"""The 35 methods: which kinds of problem each takes, how sound and how costly it is, and when it is at its best.

S0 section 25 and S3 section 12.5 name 32 methods and 3 of fusion. Nothing here imports a method; `solver` does when
one is to run.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, cast

from mabos.configs.errors import unknown
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.problem import Problem
from mabos.knowledge.reasoning.result import Result, Soundness

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


@dataclass(frozen=True, slots=True)
class Method:
    """One method. The ideals are the values of a classification at which it is at its best; levels are low to high,
    which for complexity reads simple to complex and for data sparse to rich. `kernel` groups methods whose agreement
    is no independent confirmation."""

    name: str
    category: Category
    kinds: tuple[str, ...]
    soundness: Soundness
    effort: Effort
    kernel: str
    uncertainty: frozenset[Level]
    complexity: frozenset[Level]
    domain: frozenset[Domain]
    data: frozenset[Level]

    @property
    def module(self) -> str:
        """The module that has its `solve`."""
        return f"knowledge.reasoning.{self.category}.{self.name.replace('-', '_')}"


FORMAL: frozenset[Domain] = frozenset({"formal"})
EMPIRICAL: frozenset[Domain] = frozenset({"empirical"})
SOCIAL: frozenset[Domain] = frozenset({"social"})
FACTUAL: frozenset[Domain] = frozenset({"formal", "empirical"})
HUMAN: frozenset[Domain] = frozenset({"empirical", "social"})
EVERY: frozenset[Domain] = frozenset({"formal", "empirical", "social"})

METHODS: tuple[Method, ...] = (
    Method("deductive", "formal", ("horn", "fol", "assignment"), 1, 2, "logic", LOW, ANY, FORMAL, ANY),
    Method("inductive", "formal", ("table", "relational"), 3, 3, "learning", MIDDLE, ANY, EMPIRICAL, HIGH),
    Method("abductive", "formal", ("explanation",), 2, 2, "logic", MIDDLE, ANY, FACTUAL, MODEST),
    Method("analogical", "formal", ("analogy", "sequence"), 4, 2, "mapping", MIDDLE, ANY, FACTUAL, LOW),
    Method("modal", "formal", ("modal",), 1, 2, "logic", LOW, MIDDLE, FORMAL, ANY),
    Method("deontic", "formal", ("norms",), 1, 2, "logic", LOW, ANY, frozenset({"formal", "social"}), ANY),
    Method("temporal", "formal", ("intervals", "timeline"), 1, 2, "constraints", LOW, ANY, FORMAL, ANY),
    Method(
        "bayesian", "probabilistic", ("hypotheses", "network", "factors"), 2, 2, "factors", HIGH, ANY, EMPIRICAL, ANY
    ),
    Method("decision-theory", "probabilistic", ("decision", "decision_tree"), 1, 1, "utility", HIGH, ANY, EVERY, ANY),
    Method(
        "expected-utility", "probabilistic", ("lotteries", "decision", "choice"), 1, 1, "utility", HIGH, ANY, EVERY, ANY
    ),
    Method("info-theory", "probabilistic", ("questions", "joint"), 2, 1, "factors", HIGH, ANY, EMPIRICAL, MODEST),
    Method("monte-carlo", "probabilistic", ("simulation", "network"), 3, 3, "sampling", HIGH, MIDDLE, EMPIRICAL, ANY),
    Method("causal", "causal", ("causal_graph", "causal_model"), 2, 2, "causal", MIDDLE, MIDDLE, EMPIRICAL, ANY),
    Method(
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
    Method(
        "counterfactual", "causal", ("causal_model", "structural_model"), 2, 3, "causal", MIDDLE, MIDDLE, EMPIRICAL, ANY
    ),
    Method("root-cause", "causal", ("fault_tree", "incident"), 2, 2, "diagnosis", MIDDLE, MIDDLE, EMPIRICAL, HIGH),
    Method("systems-thinking", "causal", ("loops", "stock_flow"), 2, 2, "dynamics", MIDDLE, HIGH, EVERY, ANY),
    Method("heuristic", "experience", ("choice",), 4, 1, "cues", MODEST, MODEST, HUMAN, LOW),
    Method("case-based", "experience", ("cases",), 4, 1, "similarity", MIDDLE, ANY, HUMAN, MIDDLE),
    Method(
        "pattern-recognition",
        "experience",
        ("series", "table", "transactions"),
        3,
        2,
        "statistics",
        MIDDLE,
        ANY,
        EMPIRICAL,
        HIGH,
    ),
    Method("satisficing", "experience", ("choice", "decision", "stream"), 4, 1, "cues", MODEST, MODEST, EVERY, ANY),
    Method("naturalistic", "experience", ("situation",), 4, 1, "similarity", MIDDLE, ANY, HUMAN, ANY),
    Method(
        "game-theory",
        "social",
        ("normal_form", "extensive_form", "coalition"),
        1,
        3,
        "games",
        MODEST,
        MIDDLE,
        SOCIAL,
        ANY,
    ),
    Method("negotiation", "social", ("bargaining",), 1, 2, "games", MODEST, ANY, SOCIAL, ANY),
    Method("social-choice", "social", ("ballots", "committee"), 1, 2, "voting", LOW, ANY, SOCIAL, HIGH),
    Method(
        "argumentation",
        "social",
        ("arguments",),
        1,
        2,
        "arguments",
        MIDDLE,
        ANY,
        frozenset({"formal", "social"}),
        MODEST,
    ),
    Method("stakeholder", "social", ("stakeholders",), 4, 1, "utility", MIDDLE, MIDDLE, SOCIAL, ANY),
    Method("meta-cognitive", "meta", ("computation",), 4, 1, "meta", HIGH, MIDDLE, EVERY, ANY),
    Method("strategy-selection", "meta", ("selection",), 4, 1, "meta", ANY, MIDDLE, EVERY, ANY),
    Method("learning-to-reason", "meta", ("outcomes",), 3, 1, "meta", MIDDLE, ANY, EMPIRICAL, HIGH),
    Method("reflection", "meta", ("trace",), 2, 2, "logic", ANY, ANY, FORMAL, ANY),
    Method("calibration", "meta", ("forecasts",), 3, 1, "meta", HIGH, ANY, EMPIRICAL, HIGH),
    Method("weighted-ensemble", "meta", ("opinions",), 3, 1, "fusion", HIGH, ANY, EVERY, ANY),
    Method("dempster-shafer", "meta", ("masses",), 2, 1, "fusion", HIGH, ANY, EVERY, LOW),
    Method("debate", "meta", ("positions",), 2, 1, "fusion", MIDDLE, MIDDLE, EVERY, ANY),
)
"""In the order of the documents."""

_BY_NAME = {method.name: method for method in METHODS}


def method(name: str) -> Method:
    """Return the method called `name`. Raises `UnknownId`."""
    found = _BY_NAME.get(name)
    if found is None:
        raise unknown("method", name, _BY_NAME, argument="method")
    return found


def taking(kind: str) -> tuple[Method, ...]:
    """Return the methods that take problems of this kind. Raises `UnknownId` for a kind that none takes."""
    found = tuple(one for one in METHODS if kind in one.kinds)
    if not found:
        raise unknown("kind of problem", kind, kinds(), argument="problem.kind")
    return found


def kinds(methods: Iterable[Method] = METHODS) -> tuple[str, ...]:
    """Return the kinds of problem that these methods take, each once."""
    return tuple(dict.fromkeys(kind for one in methods for kind in one.kinds))


def schema(kind: str) -> type[Problem]:
    """Return the schema of a kind of problem, from the `problems` of the first category that takes it."""
    problems = import_module(f"mabos.knowledge.reasoning.{taking(kind)[0].category}.problems")
    return cast("type[Problem]", problems.PROBLEMS[kind])


@dataclass(frozen=True, slots=True)
class Solver:
    """What a method's module offers.

    `solve` answers a problem; `estimate` says beforehand how many milliseconds that will take about; `misfit` says
    what a problem of the right kind lacks for this method, or nothing.
    """

    solve: Callable[[Any, Budget], Result[Any]]
    estimate: Callable[[Any], float]
    misfit: Callable[[Any], str]


def solver(one: Method) -> Solver:
    """Return the solver of a method, importing it."""
    module = import_module(one.module)
    return Solver(module.solve, module.estimate, getattr(module, "misfit", _fits))


def _fits(_problem: Problem) -> str:
    return ""
