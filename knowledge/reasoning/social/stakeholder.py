"""Stakeholders: their importance, position and losses (Mitchell, Agle and Wood 1997; Mendelow 1981)."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import fsum
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.kernels import criteria
from mabos.knowledge.reasoning.kernels.criteria import CONSISTENT, Priorities
from mabos.knowledge.reasoning.problem import Name, Probability, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import CLAIM, AnswerClaim, MethodResult, Status, TraceStep
from mabos.knowledge.reasoning.social.coalitions import MOST_PLAYERS, Coalitions, indices, whole

PositiveShare = Annotated[float, Field(gt=0, le=1)]
Amount = Annotated[float, Field(ge=-1e100, le=1e100, allow_inf_nan=False)]
Position = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]


class Stakeholder(ProblemPart):
    """A stakeholder with degrees from 0 to 1: power, legitimacy and urgency of the claim, and interest.

    `positions` are from -1 (wholly against) to 1 (wholly for) an option, by default 0. `votes` is the weight in a
    decision, by default the power.
    """

    power: Probability
    legitimacy: Probability
    urgency: Probability
    interest: Probability = 0.5
    positions: Mapping[Name, Position] = {}
    votes: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = None


class Aspect(ProblemPart):
    """A criterion for judging options: its weight, and whether more is better."""

    weight: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] = 1.0
    more_is_better: bool = True


class CriteriaComparison(ProblemPart):
    """A comparison: `first` is `times` as important as `second` (a third: three times less)."""

    first: Name
    second: Name
    times: Annotated[float, Field(ge=1 / 9 - 1e-9, le=9 + 1e-9)]


class Stakeholders(ReasoningProblem):
    """Stakeholders, and options to decide between, judged by criteria if given.

    `comparisons` of all pairs of criteria replace their weights. An attribute counts from `threshold` on. `quota` is
    the share of votes that carries an option, by default more than half.
    """

    kind: Literal["stakeholders"] = "stakeholders"
    stakeholders: Annotated[Mapping[Name, Stakeholder], Field(min_length=1, max_length=500)]
    options: Annotated[Mapping[Name, Mapping[Name, Amount]], Field(max_length=500)] = {}
    criteria: Annotated[Mapping[Name, Aspect], Field(max_length=15)] = {}
    comparisons: tuple[CriteriaComparison, ...] = ()
    threshold: PositiveShare = 0.5
    quota: PositiveShare | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "stakeholders",
        "stakeholders": {
            "board": {
                "power": 0.9, "legitimacy": 0.9, "urgency": 0.7, "interest": 0.8,
                "positions": {"close the plant": 0.6, "rebuild it": -0.2},
            },
            "workers": {
                "power": 0.3, "legitimacy": 0.8, "urgency": 0.9, "interest": 1,
                "positions": {"close the plant": -1, "rebuild it": 0.8},
            },
            "press": {"power": 0.6, "legitimacy": 0.2, "urgency": 0.3, "interest": 0.4},
        },
        "options": {
            "close the plant": {"cost": 2, "jobs": 0},
            "rebuild it": {"cost": 9, "jobs": 300},
        },
        "criteria": {"cost": {"weight": 0.6, "more_is_better": False}, "jobs": {"weight": 0.4}},
    }  # fmt: skip

    @model_validator(mode="after")
    def _speaks_of_known_things(self) -> Self:
        for name, one in self.stakeholders.items():
            _check_known(f"{name!r} takes a position on", one.positions, self.options, "option")
        for option, values in self.options.items():
            _check_known(f"{option!r} has a value for", values, self.criteria, "criterion")
            if lacking := sorted(set(self.criteria) - set(values)):
                raise ValueError(f"{option!r} has no value for {lacking[0]!r}")
        if self.comparisons:
            self._check_comparisons()
        return self

    def _check_comparisons(self) -> None:
        """Raise `ValueError` unless every two criteria are compared once."""
        pairs = [frozenset((one.first, one.second)) for one in self.comparisons]
        for one in self.comparisons:
            _check_known("a comparison is of", {one.first: 1, one.second: 1}, self.criteria, "criterion")
        for first, second in combinations(self.criteria, 2):
            times = pairs.count(frozenset((first, second)))
            if times != 1:
                raise ValueError(f"{first!r} and {second!r} are compared {times} times, not once")
        if any(len(pair) == 1 for pair in pairs):
            raise ValueError("a criterion is compared with itself")


def _check_known(what: str, names: Mapping[str, object], known: Mapping[str, object], sort: str) -> None:
    if strange := sorted(set(names) - set(known)):
        raise ValueError(f"{what} {strange[0]!r}, not a known {sort}")


CLASSES: Mapping[tuple[bool, bool, bool], str] = {
    (False, False, False): "nonstakeholder",
    (True, False, False): "dormant",
    (False, True, False): "discretionary",
    (False, False, True): "demanding",
    (True, True, False): "dominant",
    (True, False, True): "dangerous",
    (False, True, True): "dependent",
    (True, True, True): "definitive",
}
"""By power, legitimacy and urgency (Mitchell, Agle and Wood 1997)."""
GRID: Mapping[tuple[bool, bool], str] = {
    (True, True): "manage closely",
    (True, False): "keep satisfied",
    (False, True): "keep informed",
    (False, False): "monitor",
}
"""By power and interest (Mendelow 1981)."""


@dataclass(frozen=True, slots=True)
class StakeholderStanding:
    """The class of a stakeholder by its attributes, how many are held, what to do by power and interest, the salience
    (the mean of the three attributes), and the share of the decisions that turn on this one's votes (None: not
    counted)."""

    salience_class: str
    attributes: int
    attitude: str
    salience: float
    pivotal: Fraction | None


@dataclass(frozen=True, slots=True)
class Support:
    """The supporters and opponents of an option, their weight by salience, the mean position so weighed, whether the
    votes for it carry it, and who loses by it, the worst hit first."""

    backers: tuple[str, ...]
    opponents: tuple[str, ...]
    weight_for: float
    weight_against: float
    net: float
    carried: bool
    losers: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Stakes:
    """Everyone's status, most salient first; the support of each option, and the ranked options.

    `scores` combine closeness to the ideal by criteria and the stakeholders' mean position equally, or use the one
    available. `reversals` are the options whose removal would change the first by criteria.
    """

    choice: str
    standing: dict[str, StakeholderStanding]
    support: dict[str, Support]
    scores: dict[str, float]
    closeness: dict[str, float]
    weights: dict[str, float]
    consistency: float | None
    reversals: tuple[tuple[str, str], ...]


def estimate(problem: Stakeholders) -> float:
    """Return about how many milliseconds this takes."""
    people, options, aspects = len(problem.stakeholders), len(problem.options), len(problem.criteria)
    pivots = 0.0015 * people * 2.0**people if people <= MOST_PLAYERS else 0.0
    return 0.5 + pivots + 0.003 * people * options + 0.004 * options * options * aspects


def solve(problem: Stakeholders, budget: Budget) -> MethodResult[Stakes]:
    """Return the important stakeholders, the advice, and the limits of the method."""
    weighed = _weigh_criteria(problem)
    weights = weighed.weights if weighed else tuple(one.weight for one in problem.criteria.values())
    rows = {name: [row[aspect] for aspect in problem.criteria] for name, row in problem.options.items()}
    more = [one.more_is_better for one in problem.criteria.values()]
    judged = bool(rows) and bool(more)
    closeness = criteria.closeness(rows, weights, more) if judged else {}
    support = {option: _support(option, problem) for option in problem.options}
    scores = {option: _score(option, closeness, support[option], problem) for option in problem.options}
    ranked = sorted(scores, key=lambda option: (-round(scores[option], 12), option))
    total = sum(weights) or 1.0
    pivotal, reversals = dict[str, Fraction](), tuple[tuple[str, str], ...]()
    status: Status = "computed"
    try:
        reversals = criteria.reversals(rows, weights, more, budget) if judged else ()
        pivotal = _pivotal(problem, budget)
    except OutOfTime:
        status = "timeout"
    answer = Stakes(
        ranked[0] if ranked else "",
        _standing(problem, pivotal),
        support,
        {option: scores[option] for option in ranked},
        closeness,
        {name: weight / total for name, weight in zip(problem.criteria, weights, strict=True)},
        weighed.ratio if weighed else None,
        reversals,
    )
    return MethodResult(
        status,
        answer,
        _summary(answer),
        claims=(AnswerClaim(*CLAIM, answer.choice),) if answer.choice else (),
        trace=tuple(_steps(answer)),
        witness={"closeness": closeness, "net support": {option: one.net for option, one in support.items()}},
        assumptions=tuple(_assumptions(problem, answer, weighed)),
    )


def _weigh_criteria(problem: Stakeholders) -> Priorities | None:
    """Return the weights of the criteria by comparisons of every two, if there are any."""
    if not problem.comparisons:
        return None
    places = {name: number for number, name in enumerate(problem.criteria)}
    times = [[1.0] * len(places) for _ in places]
    for one in problem.comparisons:
        times[places[one.first]][places[one.second]] = one.times
        times[places[one.second]][places[one.first]] = 1 / one.times
    return criteria.priorities(times)


def _salience(one: Stakeholder) -> float:
    return (one.power + one.legitimacy + one.urgency) / 3


def _votes(one: Stakeholder) -> float:
    return one.power if one.votes is None else one.votes


def _standing(problem: Stakeholders, pivotal: Mapping[str, Fraction]) -> dict[str, StakeholderStanding]:
    found = {}
    for name, one in problem.stakeholders.items():
        held = tuple(value >= problem.threshold for value in (one.power, one.legitimacy, one.urgency))
        attitude = GRID[one.power >= problem.threshold, one.interest >= problem.threshold]
        found[name] = StakeholderStanding(CLASSES[held], sum(held), attitude, _salience(one), pivotal.get(name))  # type: ignore[index]
    order = sorted(found, key=lambda name: (-found[name].attributes, -found[name].salience, name))
    return {name: found[name] for name in order}


def _pivotal(problem: Stakeholders, budget: Budget) -> dict[str, Fraction]:
    """Return Shapley and Shubik's index of each one's votes."""
    votes = {name: _votes(one) for name, one in problem.stakeholders.items()}
    total = sum(votes.values())
    if len(votes) > MOST_PLAYERS or not total:
        return {}
    body = Coalitions.of({"players": list(votes), "weights": votes, "quota": _required_votes(problem)})
    return dict(zip(votes, indices(whole(body.worths()), len(votes), budget)[0], strict=True))


def _required_votes(problem: Stakeholders) -> float:
    """Return the votes that carry an option; sums of shares may miss it by a rounding."""
    total = fsum(map(_votes, problem.stakeholders.values()))
    return total / 2 * (1 + 1e-9) if problem.quota is None else total * problem.quota * (1 - 1e-9)


def _support(option: str, problem: Stakeholders) -> Support:
    held = {name: (one, one.positions.get(option, 0.0)) for name, one in problem.stakeholders.items()}
    backers = {name: one for name, (one, position) in held.items() if position > 0}
    opponents = {name: one for name, (one, position) in held.items() if position < 0}
    total = fsum(_salience(one) for one, _ in held.values())
    net = fsum(_salience(one) * position for one, position in held.values()) / total if total else 0.0
    hurt = {name: -position * _salience(one) for name, (one, position) in held.items() if position < 0}
    return Support(
        tuple(backers),
        tuple(opponents),
        fsum(map(_salience, backers.values())),
        fsum(map(_salience, opponents.values())),
        net,
        fsum(map(_votes, backers.values())) >= _required_votes(problem),
        tuple(sorted(hurt.items(), key=lambda one: (-one[1], one[0]))),
    )


def _score(option: str, closeness: Mapping[str, float], support: Support, problem: Stakeholders) -> float:
    favour = (support.net + 1) / 2
    spoken = any(one.positions for one in problem.stakeholders.values())
    if option not in closeness:
        return favour
    return (closeness[option] + favour) / 2 if spoken else closeness[option]


def _steps(answer: Stakes) -> list[TraceStep]:
    steps = [
        TraceStep(f"{name} is {one.salience_class}, {one.attitude}", "salience", label=name)
        for name, one in answer.standing.items()
    ]
    for option, score in answer.scores.items():
        one = answer.support[option]
        told = f"{option}: {score:.4g}; for it {', '.join(one.backers) or 'nobody'} ({one.weight_for:.4g}), "
        told += f"against it {', '.join(one.opponents) or 'nobody'} ({one.weight_against:.4g})"
        steps.append(TraceStep(told, "ranking", label=option))
    return steps


def _assumptions(problem: Stakeholders, answer: Stakes, weighed: Priorities | None) -> list[str]:
    said = [f"an attribute is held from {problem.threshold:g} on"]
    if weighed and weighed.ratio >= CONSISTENT and weighed.worst:
        first, second, times, fitting = weighed.worst
        names = list(problem.criteria)
        said.append(
            f"the comparisons contradict each other (ratio {weighed.ratio:.3g}, from {CONSISTENT:g} on too much): "
            f"{names[first]} to {names[second]} is {times:.3g}, and {fitting:.3g} would fit the rest"
        )
    said += [f"without {option} {ahead} would be first by the criteria" for option, ahead in answer.reversals]
    equal = [option for option, score in answer.scores.items() if round(score - answer.scores[answer.choice], 12) == 0]
    if len(equal) > 1:
        said.append(f"{', '.join(equal)} are equal; the first by name is taken")
    if answer.choice and answer.support[answer.choice].losers and not answer.support[answer.choice].carried:
        said.append(f"those for {answer.choice} do not have the votes to carry it")
    if len(problem.stakeholders) > MOST_PLAYERS:
        said.append(f"on whom decisions turn is only counted up to {MOST_PLAYERS} who have votes")
    return said


def _summary(answer: Stakes) -> str:
    first = next(iter(answer.standing))
    told = f"most salient is {first} ({answer.standing[first].salience_class})"
    if not answer.choice:
        return told
    losers = ", ".join(name for name, _ in answer.support[answer.choice].losers) or "nobody"
    return f"{answer.choice} ({answer.scores[answer.choice]:.3g}); {losers} would lose by it; {told}"
