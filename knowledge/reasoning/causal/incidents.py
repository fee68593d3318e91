"""The component at fault in an incident, found from its metrics or from failures and successes.

By metrics: a cause is abnormal, moves with the symptom, is large enough to explain it, and is not itself explained by
its dependencies (after CIRCA, Li et al. 2022). By failures: a network in which each component may fail by itself or
because of a failed dependency (noisy or, Pearl 1988).
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, median
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.kernels.factors import CliqueTree, Factor, apply_evidence, most_probable
from mabos.knowledge.reasoning.kernels.graphs import CausalDiagram, graph
from mabos.knowledge.reasoning.problem import Finite, Name, Names, Probability, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep


class Readings(ProblemPart):
    """A metric in normal times and now, oldest first, and its bad direction. A missing reading is null."""

    baseline: Annotated[tuple[Finite | None, ...], Field(max_length=10_000)] = ()
    present: Annotated[tuple[Finite | None, ...], Field(max_length=10_000)] = ()
    bad: Literal["high", "low", "either"] = "either"


class Component(ProblemPart):
    """A service, a plan step, a precondition or a belief, with its dependencies and known state.

    `failed` is whether it did, if known; `prior` the probability that it fails by itself; for a belief give its
    `certainty` instead, which may be `{"ref": "B-7", "as": "confidence"}`. `id` is for citations.
    """

    depends_on: Names = ()
    metrics: Mapping[Name, Readings] = {}
    failed: bool | None = None
    prior: Probability = 0.05
    certainty: Probability | None = None
    id: str = ""

    @property
    def fails(self) -> float:
        """Return the probability that it fails by itself."""
        return self.prior if self.certainty is None else 1 - self.certainty


class Incident(ReasoningProblem):
    """A failure among things that depend on each other, with metrics or known failures and successes.

    With `metric` the cause of that metric's change at the symptom is sought among the metrics of the same name below
    it. Otherwise the known failures and successes are weighed: a failure spreads to dependents with probability
    `passes`.
    """

    kind: Literal["incident"] = "incident"
    symptom: Name
    metric: Name | None = None
    components: Annotated[Mapping[Name, Component], Field(min_length=1)]
    passes: Probability = 0.95

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "incident",
        "symptom": "send invoice",
        "components": {
            "send invoice": {"failed": True, "depends_on": ["write invoice", "address is right", "mail works"]},
            "write invoice": {"failed": False, "id": "STEP-1"},
            "address is right": {"certainty": 0.6, "id": "B-7"},
            "mail works": {"certainty": 0.9, "id": "B-9"},
            "send reminder": {"failed": False, "depends_on": ["mail works"], "id": "STEP-3"},
        },
    }

    @model_validator(mode="after")
    def _is_an_incident(self) -> Self:
        if self.symptom not in self.components:
            raise ValueError(f"the symptom {self.symptom!r} is not a component")
        for name, one in self.components.items():
            if strange := [other for other in one.depends_on if other not in self.components]:
                raise ValueError(f"{name!r} depends on {strange[0]!r}, which is not a component")
        if self.metric is None:
            if self.components[self.symptom].failed is False:
                raise ValueError(f"the symptom {self.symptom!r} is reported as working; there is nothing to explain")
        elif self.metric not in self.components[self.symptom].metrics:
            raise ValueError(f"the symptom {self.symptom!r} has no metric {self.metric!r}")
        self.graph()
        return self

    def graph(self) -> CausalDiagram:
        """Return how failures spread between components. Raises `ValueError` for a cycle."""
        arrows = [(other, name) for name, one in self.components.items() for other in one.depends_on]
        return graph(self.components, arrows)


LARGEST = 2_000
"""Components below the symptom."""
ODD = 3.5
"""Robust deviations from the quiet time above which a metric is out of the ordinary (Iglewicz and Hoaglin 1993)."""
FEWEST = 5
"""Readings of the quiet time below which nothing can be said of a metric."""
CALLS = 4.0
"""The factor of passed-on requests: a component accounts for a change of up to so many times its own."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A component that may be at fault, how strongly it is suspected (the probability that it failed by itself, or a
    score, 0 to 1), why, and the chain of dependencies from it to the symptom."""

    name: str
    share: float
    why: str
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The suspects, strongest first; the faults that together explain the evidence best; and the next check."""

    suspects: tuple[Suspect, ...]
    explanation: tuple[str, ...]
    check_next: str | None


@dataclass(frozen=True, slots=True)
class _Change:
    """How a metric differs now from the quiet time, reading by reading (bad is positive), in its unit and in robust
    deviations; None where there is no reading."""

    excess: tuple[float | None, ...]
    deviation: float

    def worse(self, at: int) -> float:
        value = self.excess[at] if at < len(self.excess) else None
        return max(0.0, value or 0.0)


def estimate(problem: Incident) -> float:
    """Return about how many milliseconds this takes."""
    readings = sum(len(held.baseline) for one in problem.components.values() for held in one.metrics.values())
    each = 0.7 if problem.metric is None else 0.05
    return 0.3 + each * len(problem.components) + 0.0005 * readings


def solve(problem: Incident, budget: Budget) -> MethodResult[Diagnosis]:
    """Return the components at fault, from a named metric, else from failures and successes."""
    at_most(len(problem.components), LARGEST, "components", argument="components")
    return _by_states(problem, budget) if problem.metric is None else _by_metric(problem, problem.metric, budget)


def _by_metric(problem: Incident, metric: str, budget: Budget) -> MethodResult[Diagnosis]:
    below = problem.graph().ancestors([problem.symptom])
    changes = {
        name: change
        for name in sorted(below)
        if metric in problem.components[name].metrics
        and (change := _change(problem.components[name].metrics[metric])) is not None
    }
    symptom = changes.get(problem.symptom)
    if symptom is None or not any(symptom.worse(at) for at in range(len(symptom.excess))):
        told = f"{metric} of {problem.symptom} is no worse than in the quiet time" if symptom else "too few readings"
        return MethodResult("unknown", Diagnosis((), (), None), told, soundness=3)
    suspects, paths = [], _paths(problem)
    for name, change in changes.items():
        budget.check()
        below_it = [changes[one] for one in problem.components[name].depends_on if one in changes]
        score, why = _score(change, symptom, below_it)
        if score > 0:
            suspects.append(Suspect(name, score, why, paths[name]))
    suspects.sort(key=lambda one: (-one.share, len(one.path), one.name))
    unread = [one for one in sorted(below) if one not in changes and metric not in problem.components[one].metrics]
    check = suspects[1].name if len(suspects) > 1 else unread[0] if unread else None
    answer = Diagnosis(tuple(suspects), tuple(one.name for one in suspects[:1]), check)
    told = f"{suspects[0].name}: {suspects[0].why}" if suspects else "nothing below it accounts for the change"
    return _result(problem, answer, told, status="estimated" if suspects else "unknown", by="own change")


def _change(readings: Readings) -> _Change | None:
    quiet = [one for one in readings.baseline if one is not None]
    if len(quiet) < FEWEST or not any(one is not None for one in readings.present):
        return None
    middle = median(quiet)
    spread = median(abs(one - middle) for one in quiet) / 0.6745
    spread = spread or 1.253314 * fmean(abs(one - middle) for one in quiet) or 1e-3 * abs(middle) or 1e-9
    sign = {"high": 1.0, "low": -1.0, "either": 0.0}[readings.bad]
    excess = tuple(
        None if one is None else sign * (one - middle) if sign else abs(one - middle) for one in readings.present
    )
    return _Change(excess, spread)


def _score(change: _Change, symptom: _Change, below: Sequence[_Change]) -> tuple[float, str]:
    """Return how strongly a component's change accounts for the symptom's, 0 to 1, and why."""
    weights = [symptom.worse(at) for at in range(len(symptom.excess))]
    mine = _weighted_mean(weights, [change.worse(at) for at in range(len(weights))])
    left = [change.worse(at) - max((one.worse(at) for one in below), default=0.0) for at in range(len(weights))]
    own = _weighted_mean(weights, [max(0.0, one) for one in left])
    if mine / change.deviation <= ODD:
        return 0.0, "as in the quiet time"
    enough = min(1.0, CALLS * mine / _weighted_mean(weights, weights))
    together = _correlation(change.excess, symptom.excess)
    why = (
        f"{mine / change.deviation:.3g} deviations off, {own / mine:.0%} of it its own, "
        f"moving with the symptom at {together:.2f}, {enough:.0%} of what is needed"
    )
    return max(0.0, together) * (own / mine) * enough, why


def _weighted_mean(weights: Sequence[float], values: Sequence[float]) -> float:
    return sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)


def _correlation(a: Sequence[float | None], b: Sequence[float | None]) -> float:
    """Return how two series move together; 1 where there are too few readings in common to say."""
    pairs = [(x, y) for x, y in zip(a, b, strict=False) if x is not None and y is not None]
    if len(pairs) < 3:
        return 1.0
    left, right = fmean(x for x, _ in pairs), fmean(y for _, y in pairs)
    spread = sqrt(sum((x - left) ** 2 for x, _ in pairs) * sum((y - right) ** 2 for _, y in pairs))
    return sum((x - left) * (y - right) for x, y in pairs) / spread if spread else 0.0


def _by_states(problem: Incident, budget: Budget) -> MethodResult[Diagnosis]:
    """Return each component's probability of its own failure, given which failed and which worked."""
    names = list(problem.graph().nodes)
    known = {name: state for name in names if (state := _state(problem, name)) is not None}
    own = {name: 2 * place for place, name in enumerate(names)}
    factors, sizes = _network(problem, names, own)
    observed = {own[name] + 1: int(state) for name, state in known.items()}
    factors = apply_evidence(factors, observed)
    left = {place: size for place, size in sizes.items() if place not in observed}
    tree = CliqueTree(factors, left, budget)
    if not tree.propagate():
        told = "the reported failures and successes contradict each other"
        return MethodResult("inconsistent", Diagnosis((), (), None), told)
    shares = {name: float(tree.marginal(own[name])[1]) for name in names}
    failing = {name: float(tree.marginal(own[name] + 1)[1]) for name in names if name not in known}
    best, _ = most_probable(factors, left, budget)
    resting: dict[str, list[str]] = {name: [] for name in names}
    for name in names:
        for other in problem.components[name].depends_on:
            resting[other].append(name)
    suspects = sorted(
        (
            Suspect(name, shares[name], _reason(problem, name, resting[name], known), path)
            for name, path in _paths(problem).items()
        ),
        key=lambda one: (-one.share, len(one.path), one.name),
    )
    open_to = {name: share for name, share in failing.items() if 1e-6 < share < 1 - 1e-6}
    check = min(open_to, key=lambda name: (abs(open_to[name] - 0.5), name), default=None)
    explanation = tuple(name for name in names if best.get(own[name]) == 1)
    answer = Diagnosis(tuple(one for one in suspects if one.share > 0), explanation, check)
    first = answer.suspects[0]
    told = f"{first.name} is at fault with probability {first.share:.4g}" + (f"; look at {check} next" if check else "")
    return _result(problem, answer, told, status="computed", by="noisy or", cited=tuple(known))


def _network(problem: Incident, names: Sequence[str], own: Mapping[str, int]) -> tuple[list[Factor], dict[int, int]]:
    """Return the network: of each component whether it fails by itself (`own`) and whether it fails (the next place).

    What several dependencies pass on is gathered one by one, so that no table grows with their number.
    """
    import numpy as np

    factors: list[Factor] = []
    sizes = dict.fromkeys(range(2 * len(names)), 2)
    passing = np.zeros((2, 2, 2))
    passing[1, :, 1] = 1.0
    passing[0, 0, 0] = 1.0
    passing[0, 1] = (1 - problem.passes, problem.passes)
    for name in names:
        one = problem.components[name]
        factors.append(Factor((own[name],), np.array([1 - one.fails, one.fails])))
        gathered = own[name]
        for number, below in enumerate(one.depends_on, 1):
            whole = own[name] + 1 if number == len(one.depends_on) else len(sizes)
            sizes[whole] = 2
            factors.append(Factor((gathered, own[below] + 1, whole), passing))
            gathered = whole
        if not one.depends_on:
            factors.append(Factor((own[name], own[name] + 1), np.eye(2)))
    return factors, sizes


def _state(problem: Incident, name: str) -> bool | None:
    """Return whether a component failed, if stated or shown by its metrics; the symptom did."""
    one = problem.components[name]
    if one.failed is not None or name == problem.symptom:
        return one.failed is not False
    changes = [change for readings in one.metrics.values() if (change := _change(readings)) is not None]
    if not changes:
        return None
    return any(max(change.worse(at) for at in range(len(change.excess))) > ODD * change.deviation for change in changes)


def _reason(problem: Incident, name: str, above: Sequence[str], known: Mapping[str, bool]) -> str:
    """Return the evidence for and against a component: its own, and that of its dependents (`above`)."""
    told = [f"it fails by itself with probability {problem.components[name].fails:g}"]
    if name in known:
        told.append("it failed" if known[name] else "it worked")
    for state, word in ((True, "failed"), (False, "worked")):
        if such := [other for other in above if known.get(other) is state]:
            told.append(f"{', '.join(such)} {word}")
    return "; ".join(told)


def _paths(problem: Incident) -> dict[str, tuple[str, ...]]:
    """Return for each component below the symptom a shortest chain from it to the symptom."""
    chains: dict[str, tuple[str, ...]] = {problem.symptom: (problem.symptom,)}
    pending = deque([problem.symptom])
    while pending:
        one = pending.popleft()
        for other in problem.components[one].depends_on:
            if other not in chains:
                chains[other] = (other, *chains[one])
                pending.append(other)
    return chains


def _result(
    problem: Incident, answer: Diagnosis, told: str, *, status: Status, by: str, cited: tuple[str, ...] = ()
) -> MethodResult[Diagnosis]:
    named = [*(one.name for one in answer.suspects[:3]), *answer.explanation, *cited]
    return MethodResult(
        status,
        answer,
        told,
        claims=tuple(AnswerClaim(problem.symptom, "root cause", one.name) for one in answer.suspects[:1]),
        confidence=answer.suspects[0].share if answer.suspects else None,
        confidence_kind=None if not answer.suspects else "posterior" if problem.metric is None else "score",
        evidence=tuple(dict.fromkeys(one.id for name in named if (one := problem.components[name]).id)),
        trace=tuple(
            TraceStep(
                f"{one.name} ({one.share:.3g}): {one.why}",
                by,
                tuple(problem.components[name].id or name for name in one.path),
                one.name,
            )
            for one in answer.suspects[:10]
        ),
        assumptions=(
            "nothing outside these components failed",
            "faults are independent" if problem.metric is None else "the quiet time is ordinary",
        ),
        soundness=2 if problem.metric is None else 3,
    )
