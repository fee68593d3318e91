"""Coalitions: division of a joint value among players (Shapley 1953; Banzhaf 1965; Gillies 1959)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, lcm
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.kernels.linear import Solution, maximise
from mabos.knowledge.reasoning.problem import Name, ProblemPart, ReasoningProblem, Weight
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep
from mabos.knowledge.reasoning.social.games import Exact, exact

MOST_PLAYERS = 16
"""Of a game of coalitions."""


class Worth(ProblemPart):
    """The value that a coalition can achieve alone."""

    members: Annotated[frozenset[Name], Field(min_length=1)]
    value: Exact


class Coalitions(ReasoningProblem):
    """The values of coalitions: stated (default 0), or by votes: `weights` that reach a `quota` win."""

    kind: Literal["coalition"] = "coalition"
    players: Annotated[tuple[Name, ...], Field(min_length=1, max_length=MOST_PLAYERS)]
    values: tuple[Worth, ...] = ()
    weights: Mapping[Name, Weight] = {}
    quota: Weight | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "coalition",
        "players": ["left", "right a", "right b"],
        "values": [
            {"members": ["left", "right a"], "value": 1},
            {"members": ["left", "right b"], "value": 1},
            {"members": ["left", "right a", "right b"], "value": 1},
        ],
    }

    @field_validator("players")
    @classmethod
    def _once_each(cls, players: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(players)) != len(players):
            raise ValueError("a player is named twice")
        return players

    @model_validator(mode="after")
    def _is_of_these_players(self) -> Self:
        if bool(self.values) == bool(self.weights) or (self.quota is None) == bool(self.weights):
            raise ValueError("give the values of coalitions, or weights with a quota")
        named = {name for one in self.values for name in one.members} | set(self.weights)
        strange = sorted(named - set(self.players))
        if strange or (self.weights and named != set(self.players)):
            msg = f"{(strange or sorted(set(self.players) - named))[0]!r} is not both a player and in the game"
            raise ValueError(msg)
        if self.quota == 0:
            raise ValueError("a quota of 0 makes no sense; give the votes that a decision needs")
        if len({one.members for one in self.values}) != len(self.values):
            raise ValueError("the value of a coalition is given twice")
        return self

    def worths(self) -> list[Fraction]:
        """Return the value of each coalition; bit k of its index means that player k is a member."""
        places = {name: 1 << number for number, name in enumerate(self.players)}
        if self.weights:
            shares, needed = [exact(self.weights[name]) for name in self.players], exact(self.quota or 0)
            scale = lcm(needed.denominator, *(one.denominator for one in shares))
            votes = [0]
            for share in shares:
                mine = int(share * scale)
                votes += [mine + held for held in votes]
            lost, won = Fraction(0), Fraction(1)
            return [won if held >= needed * scale else lost for held in votes]
        worth = [Fraction(0)] * (1 << len(self.players))
        for one in self.values:
            worth[sum(places[name] for name in one.members)] = exact(one.value)
        return worth


@dataclass(frozen=True, slots=True)
class Shares:
    """Shapley's value and Banzhaf's normalised index of each player, and an allocation in the core, or None where the
    core is empty. `blocking` is a coalition that gets more by itself than its members' Shapley values, if one does."""

    shapley: dict[str, Fraction]
    banzhaf: dict[str, Fraction]
    core: dict[str, Fraction] | None
    shapley_in_core: bool
    blocking: tuple[str, ...] = ()


def estimate(problem: Coalitions) -> float:
    """Return about how many milliseconds this takes."""
    return 0.002 * len(problem.players) * 2.0 ** len(problem.players)


def solve(problem: Coalitions, budget: Budget) -> MethodResult[Shares]:
    """Return the power indices and an allocation in the core; on timeout, without the core."""
    players, worth = problem.players, whole(problem.worths())
    shapley, banzhaf = indices(worth, len(players), budget)
    short, gap = _worst(shapley, worth, budget)
    status: Status = "computed"
    core: Sequence[Fraction] | None = shapley
    if gap > 0:
        try:
            core = _core(worth, len(players), budget)
        except OutOfTime:
            status, core = "timeout", None
    blocking = tuple(name for k, name in enumerate(players) if gap > 0 and short >> k & 1)
    most = ", ".join(name for name, share in zip(players, shapley, strict=True) if share == max(shapley))
    said = "not looked for, the time was up" if status == "timeout" else "empty" if core is None else "not empty"
    return MethodResult(
        status,
        Shares(
            dict(zip(players, shapley, strict=True)),
            dict(zip(players, banzhaf, strict=True)),
            None if core is None else dict(zip(players, core, strict=True)),
            gap <= 0,
            blocking,
        ),
        f"most has {most}, {max(shapley)} of {sum(shapley)}; the core is {said}",
        claims=(AnswerClaim("coalition", "most power", most),),
        trace=tuple(
            TraceStep(f"{name}: {one}", "Shapley", label=name) for name, one in zip(players, shapley, strict=True)
        ),
    )


@dataclass(frozen=True, slots=True)
class Worths:
    """The value of each coalition, in integers over a common denominator, which add faster than fractions."""

    values: Sequence[int]
    scale: int


def whole(worth: Sequence[Fraction]) -> Worths:
    """Return fractions as integers over one denominator."""
    scale = lcm(*{one.denominator for one in worth})
    return Worths([one.numerator * (scale // one.denominator) for one in worth], scale)


def indices(worth: Worths, size: int, budget: Budget) -> tuple[list[Fraction], list[Fraction]]:
    """Return Shapley's values and Banzhaf's index: players' marginal contributions over all orders and coalitions."""
    ways = factorial(size) * worth.scale
    orders = [Fraction(factorial(held) * factorial(size - held - 1), ways) for held in range(size)]
    shapley, swings = [], []
    for player in range(size):
        budget.check()
        added = [0] * size
        bit = 1 << player
        for held, value in enumerate(worth.values):
            if not held & bit and (gain := worth.values[held | bit] - value):
                added[held.bit_count()] += gain
        shapley.append(sum((a * b for a, b in zip(added, orders, strict=True)), Fraction(0)))
        swings.append(Fraction(sum(added), worth.scale))
    total = sum(swings)
    return shapley, [one / total if total else Fraction(0) for one in swings]


def _worst(shares: Sequence[Fraction], worth: Worths, budget: Budget) -> tuple[int, Fraction]:
    """Return the coalition that gets most more by itself than by `shares`, and how much more."""
    budget.check()
    common = lcm(worth.scale, *(share.denominator for share in shares))
    sums = [0]
    for share in shares:
        mine = int(share * common)
        sums += [mine + held for held in sums]
    times = common // worth.scale
    gaps = [value * times - held for value, held in zip(worth.values, sums, strict=True)]
    most = max(range(1, len(gaps)), key=gaps.__getitem__)
    return most, Fraction(gaps[most], common)


def _core(worth: Worths, size: int, budget: Budget) -> list[Fraction] | None:
    """Return an allocation that no coalition can better, or None.

    No player gets less than alone, so the program is over the surplus of each. Only the coalitions that an allocation
    was seen to leave short are rows of it.
    """
    alone = [Fraction(worth.values[1 << player], worth.scale) for player in range(size)]
    over = Fraction(worth.values[-1], worth.scale) - sum(alone)
    rows: list[tuple[list[Fraction], Fraction]] = []
    while True:
        found = maximise([Fraction(0)] * size, rows, [([Fraction(1)] * size, over)], budget)
        if not isinstance(found, Solution):
            return None
        shares = [a + b for a, b in zip(alone, found.at, strict=True)]
        short, gap = _worst(shares, worth, budget)
        if gap <= 0:
            return shares
        inside = [Fraction(short >> player & 1) for player in range(size)]
        needed = Fraction(worth.values[short], worth.scale) - sum(a * i for a, i in zip(alone, inside, strict=True))
        rows.append(([-one for one in inside], -needed))
