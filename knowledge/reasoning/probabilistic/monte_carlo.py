"""Monte Carlo: a simulated figure with its error (Metropolis and Ulam 1949; Saltelli 2010; Fung and Chang 1990)."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, inf, sqrt
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.kernels.shares import NORMAL_95, wilson
from mabos.knowledge.reasoning.probabilistic.networks import BayesianNetwork, first_marginals, marginal_claims
from mabos.knowledge.reasoning.problem import Finite, Name, ProblemPart, ReasoningProblem, Weight
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep
from mabos.workspace.expressions import Expression

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


MOST_DRAWS = 5_000_000


class Draw(ProblemPart):
    """A random quantity and its distribution.

    normal (mean, sd), lognormal (mean and sd of its logarithm), uniform (low, high), triangular and pert (low, mode,
    high), exponential (mean), beta (a, b), discrete (values with weights), constant (mean).
    """

    distribution: Literal[
        "normal", "lognormal", "uniform", "triangular", "pert", "exponential", "beta", "discrete", "constant"
    ]
    mean: Finite | None = None
    sd: Weight | None = None
    low: Finite | None = None
    mode: Finite | None = None
    high: Finite | None = None
    a: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    b: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    values: tuple[tuple[Finite, Weight], ...] = ()

    @model_validator(mode="after")
    def _has_its_parameters(self) -> Self:
        lacking = [
            name for name in PARAMETERS[self.distribution] if not getattr(self, name) and getattr(self, name) != 0
        ]
        if lacking:
            msg = f"{self.distribution} needs {', '.join(PARAMETERS[self.distribution])}; {lacking[0]} is missing"
            raise ValueError(msg)
        if self.low is not None and self.high is not None:
            between = [self.low, *([self.mode] if self.mode is not None else []), self.high]
            if between != sorted(between) or self.low == self.high:
                raise ValueError(f"{self.distribution} needs low < high, and mode between them; got {between}")
        if self.distribution == "exponential" and (self.mean or 0) <= 0:
            raise ValueError("exponential needs a mean above 0")
        if self.distribution == "discrete" and sum(weight for _, weight in self.values) <= 0:
            raise ValueError("discrete needs values, at least one with a weight above 0")
        return self


PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "normal": ("mean", "sd"),
    "lognormal": ("mean", "sd"),
    "uniform": ("low", "high"),
    "triangular": ("low", "mode", "high"),
    "pert": ("low", "mode", "high"),
    "exponential": ("mean",),
    "beta": ("a", "b"),
    "discrete": ("values",),
    "constant": ("mean",),
}


class Simulation(ReasoningProblem):
    """Random quantities, an expression over them, and an event whose probability is wanted.

    Sampling continues until the mean has this `standard_error`, at most `samples`. `sensitivity` gives the shares of
    variance of each quantity alone (first) and with all others (total), after Sobol.
    """

    kind: Literal["simulation"] = "simulation"
    quantities: Annotated[Mapping[Name, Draw], Field(min_length=1, max_length=200)]
    target: str
    event: str = ""
    samples: Annotated[int, Field(ge=100, le=MOST_DRAWS)] = 100_000
    standard_error: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    sensitivity: bool = False

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "simulation",
        "quantities": {
            "units": {"distribution": "triangular", "low": 800, "mode": 1000, "high": 1500},
            "margin": {"distribution": "normal", "mean": 12, "sd": 2},
        },
        "target": "units * margin - 9000",
        "event": "units * margin < 9000",
    }

    @model_validator(mode="after")
    def _expressions_read(self) -> Self:
        try:
            for text in filter(None, (self.target, self.event)):
                Expression.of(text, known=frozenset(self.quantities))
        except InvalidArgument as error:
            raise ValueError(error.message) from error
        return self


BATCH = 20_000
"""Draws between two looks at the clock; fewer where much varies."""
LARGEST_BATCH = 1_000_000
"""Figures drawn between two looks at the clock."""
WEIGHED = 200_000
"""Weighted draws of a network."""
NODES = 256
"""Nodes of a network between two looks at the clock."""
_ENOUGH = 1_000  # draws before a standard error is believed


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean with its standard error and 95 % interval, quantiles in per cent, the probability of the event with its
    interval, and for each quantity the shares of the variance it has alone and with others."""

    mean: float
    standard_error: float
    interval: tuple[float, float]
    sd: float
    quantiles: dict[str, float]
    samples: int
    probability: float | None = None
    probability_interval: tuple[float, float] | None = None
    sensitivity: dict[str, tuple[float, float]] | None = None


@dataclass(frozen=True, slots=True)
class Weighed:
    """The distribution of each variable by weighted draws, and their effective sample size."""

    marginals: dict[str, dict[str, float]]
    standard_error: float
    effective_samples: float


def estimate(problem: Simulation | BayesianNetwork) -> float:
    """Return about how many milliseconds this takes."""
    if isinstance(problem, BayesianNetwork):
        return 20.0 + 15.0 * len(problem.nodes)
    per_draw = 4e-5 * (len(problem.quantities) + 2)
    runs = 2 + len(problem.quantities) if problem.sensitivity else 1
    return 2.0 + per_draw * problem.samples * runs


def solve(problem: Simulation | BayesianNetwork, budget: Budget) -> MethodResult[Estimate] | MethodResult[Weighed]:
    """Return the wanted figure with its error; on timeout, from the draws made so far."""
    if isinstance(problem, BayesianNetwork):
        return _estimate_marginals(problem, budget)
    import numpy as np

    target = Expression.of(problem.target)
    event = Expression.of(problem.event) if problem.event else None
    drawn, happened, enough = _run(problem, target, event, budget)
    sensitivity = None
    try:
        sensitivity = _sobol(problem, target, budget) if problem.sensitivity and enough else None
    except OutOfTime:
        enough = False
    mean, sd, count = float(drawn.mean()), float(drawn.std(ddof=1)), len(drawn)
    error = sd / sqrt(count)
    shares = [5, 25, 50, 75, 95]
    quantiles = {f"{share}": float(value) for share, value in zip(shares, np.percentile(drawn, shares), strict=True)}
    chance = None if event is None else happened / count
    answer = Estimate(
        mean,
        error,
        (mean - NORMAL_95 * error, mean + NORMAL_95 * error),
        sd,
        quantiles,
        count,
        chance,
        None if chance is None else wilson(happened, count),
        sensitivity,
    )
    told = "" if chance is None else f"; P({problem.event}) = {chance:.4g}"
    return MethodResult(
        "estimated" if enough else "timeout",
        answer,
        f"{mean:.6g} ± {NORMAL_95 * error:.2g} from {count:,} draws{told}",
        claims=(
            AnswerClaim(problem.target, "mean", mean),
            *([AnswerClaim(problem.event, "probability", chance)] if chance is not None else []),
        ),
        confidence=0.95,
        confidence_kind="frequency",
        trace=(TraceStep(f"{count:,} draws of {', '.join(problem.quantities)}", "Philox", label="draws"),),
        assumptions=("the quantities vary independently",) if len(problem.quantities) > 1 else (),
        seed=budget.seed,
    )


def _run(
    problem: Simulation, target: Expression, event: Expression | None, budget: Budget
) -> tuple["Array", int, bool]:
    """Return the values drawn, how often the event was among them, and whether the time allowed as many as asked."""
    import numpy as np

    random = generator(budget, "draws")
    parts: list[Array] = []
    count, happened, mean, spread = 0, 0, 0.0, 0.0
    batch = _batch(len(problem.quantities))
    while count < problem.samples:
        size = min(batch, problem.samples - count)
        values = {name: _draw_values(one, random, size) for name, one in problem.quantities.items()}
        part = target.array(values, size)
        parts.append(part)
        if event is not None:
            happened += int((event.array(values, size) != 0).sum())
        count, mean, spread = _merge_moments(count, mean, spread, part)
        wanted = problem.standard_error
        if wanted is not None and count >= _ENOUGH and sqrt(spread / (count - 1) / count) <= wanted:
            break
        if budget.is_spent and count < problem.samples:
            return np.concatenate(parts), happened, False
    return np.concatenate(parts), happened, True


def _batch(figures: int) -> int:
    """Return how many draws are made at once where each has so many figures."""
    return max(1, min(BATCH, LARGEST_BATCH // figures))


def _merge_moments(count: int, mean: float, spread: float, part: "Array") -> tuple[int, float, float]:
    """Return count, mean and sum of squared deviations with `part` added (Chan et al. 1979)."""
    total = count + len(part)
    delta = float(part.mean()) - mean
    spread += float(((part - part.mean()) ** 2).sum()) + delta**2 * count * len(part) / total
    return total, mean + delta * len(part) / total, spread


def generator(budget: Budget, stream: str) -> "np.random.Generator":
    """Return a counter-based generator that depends only on the seed and the name of its use."""
    import numpy as np

    return np.random.Generator(np.random.Philox(budget.random(stream).getrandbits(128)))


def _draw_values(one: Draw, random: "np.random.Generator", size: int) -> "Array":
    """Return `size` values of a quantity. Its parameters are there: the problem was checked."""
    import numpy as np

    mean, sd = one.mean or 0.0, one.sd or 0.0
    low, high = one.low or 0.0, one.high or 0.0
    mode = one.mode or 0.0
    match one.distribution:
        case "normal":
            drawn = random.normal(mean, sd, size)
        case "lognormal":
            drawn = random.lognormal(mean, sd, size)
        case "uniform":
            drawn = random.uniform(low, high, size)
        case "exponential":
            drawn = random.exponential(mean, size)
        case "triangular":
            drawn = random.triangular(low, mode, high, size)
        case "beta":
            drawn = random.beta(one.a or 1.0, one.b or 1.0, size)
        case "pert":
            rise, fall = 4 * (mode - low) / (high - low), 4 * (high - mode) / (high - low)
            drawn = low + (high - low) * random.beta(1 + rise, 1 + fall, size)
        case "discrete":
            weights = np.array([weight for _, weight in one.values])
            drawn = random.choice([value for value, _ in one.values], size, p=weights / weights.sum())
        case _:
            drawn = np.full(size, mean)
    return drawn


def _sobol(problem: Simulation, target: Expression, budget: Budget) -> dict[str, tuple[float, float]]:
    """Return the first-order and total shares of the variance by quantity (Saltelli et al. 2010, Jansen 1999)."""
    varying = {name: one for name, one in problem.quantities.items() if name in target.names}
    size = max(2, min(problem.samples, 2**16, 4 * LARGEST_BATCH // max(1, len(varying))))
    columns = {
        side: {
            name: _draw_values(one, generator(budget, f"{side}:{name}"), size)
            for name, one in budget.each(varying.items())
        }
        for side in "AB"
    }
    first, second = (target.array(columns[side], size) for side in "AB")
    middle = float(first.mean() + second.mean()) / 2
    first, second = first - middle, second - middle  # a large mean would drown the variance in noise
    variance = float(((first - first.mean()) ** 2).mean() + ((second - second.mean()) ** 2).mean()) / 2
    shares = dict.fromkeys(problem.quantities, (0.0, 0.0))
    for name in budget.each(varying):
        mixed = target.array({**columns["A"], name: columns["B"][name]}, size) - middle
        alone = float((second * (mixed - first)).mean()) if variance else 0.0
        total = float(((first - mixed) ** 2).mean()) / 2 if variance else 0.0
        shares[name] = (alone / variance, total / variance) if variance else (0.0, 0.0)
    return shares


def _estimate_marginals(problem: BayesianNetwork, budget: Budget) -> MethodResult[Weighed]:
    """Return marginals by likelihood weighting (Fung and Chang 1990)."""
    import numpy as np

    random = generator(budget, "network")
    tables = {name: np.array(problem.nodes[name].table) for name in budget.each(problem.order(), every=NODES)}
    batch = _batch(sum(len(one.states) for one in problem.nodes.values()))
    totals = {name: np.zeros(len(problem.nodes[name].states)) for name in problem.asked}
    weight, squares, drawn, top = 0.0, 0.0, 0, -inf
    while drawn < WEIGHED and not (drawn and budget.is_spent):
        try:
            states, logs = _network_draws(problem, tables, random, batch, budget)
        except OutOfTime:
            if drawn:
                break
            raise
        drawn += batch
        if (highest := float(logs.max())) == -inf:
            continue
        fall = exp(min(0.0, top - highest))  # weights are told as shares of the highest so far, which cannot underflow
        top = max(top, highest)
        weights = np.exp(logs - top)
        totals = {name: held * fall + np.bincount(states[name], weights, len(held)) for name, held in totals.items()}
        weight = weight * fall + float(weights.sum())
        squares = squares * fall**2 + float((weights**2).sum())
    if top == -inf:
        none = f"none of {drawn:,} draws agrees with the evidence"
        return MethodResult("unknown", Weighed({}, 1.0, 0.0), none, seed=budget.seed)
    marginals = {
        name: dict(zip(problem.nodes[name].states, (total / total.sum()).tolist(), strict=True))
        for name, total in totals.items()
    }
    effective = weight**2 / squares
    error = sqrt(0.25 / effective)
    claims = marginal_claims(marginals)
    return MethodResult(
        "estimated" if drawn >= WEIGHED else "timeout",
        Weighed(marginals, error, effective),
        first_marginals(claims, ".3g") + f" (± {NORMAL_95 * error:.2g})",
        claims=claims,
        confidence=max(share for _, share in claims[0].distribution) if len(claims) == 1 else None,
        confidence_kind="frequency",
        trace=(TraceStep(f"{drawn:,} draws weighed by the evidence, worth {effective:,.0f}", "likelihood weighting"),),
        seed=budget.seed,
    )


def _network_draws(
    problem: BayesianNetwork, tables: "Mapping[str, Array]", random: "np.random.Generator", batch: int, budget: Budget
) -> tuple[dict[str, "np.ndarray[Any, np.dtype[np.int64]]"], "Array"]:
    """Return a batch of states of every node, and the logarithm of each draw's weight; `tables` has parents first."""
    import numpy as np

    states: dict[str, np.ndarray[Any, np.dtype[np.int64]]] = {}
    logs = np.zeros(batch)
    for name, table in budget.each(tables.items(), every=NODES):
        node = problem.nodes[name]
        row = np.zeros(batch, dtype=np.int64)
        for parent in node.parents:
            row = row * len(problem.nodes[parent].states) + states[parent]
        shares = table[row]
        if name in problem.evidence:
            seen = node.states.index(problem.evidence[name])
            states[name] = np.full(batch, seen, dtype=np.int64)
            with np.errstate(divide="ignore"):
                logs = logs + np.log(shares[:, seen])
        else:
            above = random.random(batch)[:, None] >= shares.cumsum(axis=1)[:, :-1]
            states[name] = above.sum(axis=1).astype(np.int64)
    return states, logs
