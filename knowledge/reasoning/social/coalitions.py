"""What players may claim of what they get together (Shapley 1953; Banzhaf 1965; Gillies 1959)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import factorial

from knowledge.reasoning.budget import Budget
from knowledge.reasoning.kernels.linear import Solution, maximise
from knowledge.reasoning.result import Claim, Result, Step
from knowledge.reasoning.social.games import Coalitions


@dataclass(frozen=True, slots=True)
class Shares:
    """Shapley's and Banzhaf's index of each player, and an allocation in the core, or None where the core is empty."""

    shapley: dict[str, Fraction]
    banzhaf: dict[str, Fraction]
    core: dict[str, Fraction] | None
    shapley_in_core: bool


def shared(problem: Coalitions, budget: Budget) -> Result[Shares]:
    """Return the indices of power and an allocation in the core."""
    players, size = problem.players, len(problem.players)
    worth = {
        frozenset(held): problem.worth(frozenset(held))
        for many in range(size + 1)
        for held in combinations(players, many)
    }
    shapley = dict.fromkeys(players, Fraction(0))
    swings = dict.fromkeys(players, Fraction(0))
    for held, value in worth.items():
        budget.check()
        for name in players:
            if name not in held:
                gain = worth[held | {name}] - value
                orders = factorial(len(held)) * factorial(size - len(held) - 1)
                shapley[name] += gain * Fraction(orders, factorial(size))
                swings[name] += gain
    total = sum(swings.values())
    banzhaf = {name: one / total if total else Fraction(0) for name, one in swings.items()}
    inside = all(sum(shapley[name] for name in held) >= value for held, value in worth.items())
    core = shapley if inside else _core(players, worth, budget)
    first = max(shapley, key=lambda name: shapley[name])
    return Result(
        "game-theory",
        "computed",
        Shares(shapley, banzhaf, core, inside),
        f"{first} has most, {shapley[first]}; the core is {'empty' if core is None else 'not empty'}",
        claims=(Claim("coalition", "most power", first),),
        trace=tuple(Step(f"{name}: {share}", "Shapley", label=name) for name, share in shapley.items()),
    )


def _core(
    players: Sequence[str], worth: Mapping[frozenset[str], Fraction], budget: Budget
) -> dict[str, Fraction] | None:
    """Return an allocation that no coalition can better, or None; of allocations that are not negative."""
    everyone = frozenset(players)
    rows = [
        ([Fraction(-int(name in held)) for name in players], -value)
        for held, value in worth.items()
        if held and held != everyone
    ]
    whole = [([Fraction(1)] * len(players), worth[everyone])]
    found = maximise([Fraction(0)] * len(players), rows, whole, budget)
    return dict(zip(players, found.at, strict=True)) if isinstance(found, Solution) else None
