"""What players may claim of what they get together (Shapley 1953; Banzhaf 1965; Gillies 1959)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, lcm

from knowledge.reasoning.budget import Budget, OutOfTime
from knowledge.reasoning.kernels.linear import Solution, maximise
from knowledge.reasoning.result import Claim, Result, Status, Step
from knowledge.reasoning.social.games import Coalitions


@dataclass(frozen=True, slots=True)
class Shares:
    """Shapley's value and Banzhaf's normalised index of each player, and an allocation in the core, or None where the
    core is empty. `blocking` is a coalition that gets more by itself than its members' Shapley values, if one does."""

    shapley: dict[str, Fraction]
    banzhaf: dict[str, Fraction]
    core: dict[str, Fraction] | None
    shapley_in_core: bool
    blocking: tuple[str, ...] = ()


def shared(problem: Coalitions, budget: Budget) -> Result[Shares]:
    """Return the indices of power and an allocation in the core; without the core where the time is up."""
    players, worth = problem.players, problem.worths()
    shapley, banzhaf = _indices(worth, len(players), budget)
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
    return Result(
        "game-theory",
        status,
        Shares(
            dict(zip(players, shapley, strict=True)),
            dict(zip(players, banzhaf, strict=True)),
            None if core is None else dict(zip(players, core, strict=True)),
            gap <= 0,
            blocking,
        ),
        f"most has {most}, {max(shapley)} of {worth[-1]}; the core is {said}",
        claims=(Claim("coalition", "most power", most),),
        trace=tuple(Step(f"{name}: {one}", "Shapley", label=name) for name, one in zip(players, shapley, strict=True)),
    )


def _indices(worth: Sequence[Fraction], size: int, budget: Budget) -> tuple[list[Fraction], list[Fraction]]:
    """Return Shapley's values, and Banzhaf's index: what players add, over all orders and over all coalitions."""
    scale = lcm(*(one.denominator for one in worth))
    whole = [int(one * scale) for one in worth]  # the sums are in integers, which are faster than fractions
    orders = [Fraction(factorial(held) * factorial(size - held - 1), factorial(size) * scale) for held in range(size)]
    shapley, swings = [], []
    for player in range(size):
        budget.check()
        added = [0] * size
        bit = 1 << player
        for held, value in enumerate(whole):
            if not held & bit:
                added[held.bit_count()] += whole[held | bit] - value
        shapley.append(sum((a * b for a, b in zip(added, orders, strict=True)), Fraction(0)))
        swings.append(Fraction(sum(added), scale))
    total = sum(swings)
    return shapley, [one / total if total else Fraction(0) for one in swings]


def _worst(shares: Sequence[Fraction], worth: Sequence[Fraction], budget: Budget) -> tuple[int, Fraction]:
    """Return the coalition that gets most more by itself than by `shares`, and how much more."""
    budget.check()
    sums = [Fraction(0)]
    for share in shares:
        sums += [share + held for held in sums]
    gaps = [value - held for value, held in zip(worth, sums, strict=True)]
    most = max(range(1, len(gaps)), key=gaps.__getitem__)
    return most, gaps[most]


def _core(worth: Sequence[Fraction], size: int, budget: Budget) -> list[Fraction] | None:
    """Return an allocation that no coalition can better, or None.

    Nobody gets less than alone, so the program is over what each gets above that. Only the coalitions that an
    allocation was seen to leave short are rows of it.
    """
    alone = [worth[1 << player] for player in range(size)]
    over = worth[-1] - sum(alone)
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
        needed = worth[short] - sum((a * i for a, i in zip(alone, inside, strict=True)), Fraction(0))
        rows.append(([-one for one in inside], -needed))
