"""Game theory: prediction of players who know each other to be rational (Nash 1951; Selten 1975; Aumann 1974)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from math import comb, prod

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.kernels import equilibria
from mabos.knowledge.reasoning.kernels.linear import Solution, maximise
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep
from mabos.knowledge.reasoning.social.games import NormalForm, Payoffs
from mabos.knowledge.reasoning.social.trees import (
    ExtensiveForm,
    Induced,
    build_normal_form,
    forgetful,
    is_seen,
    solve_backward,
)

MOST_CORRELATED = 40
"""Profiles of a game whose best correlated equilibrium is looked for."""
MOST_TOLD = 50
"""Equilibria that the trace tells."""


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """The mixed strategies of the players, and the payoff of each."""

    strategies: dict[str, dict[str, Fraction]]
    payoffs: dict[str, Fraction]


@dataclass(frozen=True, slots=True)
class Correlated:
    """The correlated equilibrium with the highest sum of payoffs: the frequency of each advised profile."""

    total: Fraction
    advice: tuple[tuple[tuple[str, ...], Fraction], ...]


@dataclass(frozen=True, slots=True)
class Solved:
    """The equilibria (of two players all extreme ones, of more the pure ones), the strategies left after strict
    dominance, the pure profiles nobody could better without harm, and the best correlated equilibrium of a small game.
    """

    equilibria: tuple[Equilibrium, ...]
    undominated: dict[str, tuple[str, ...]]
    pareto: tuple[tuple[str, ...], ...]
    correlated: Correlated | None


def estimate(problem: NormalForm | ExtensiveForm) -> float:
    """Return about how many milliseconds this takes."""
    if isinstance(problem, NormalForm):
        return _estimate([len(one) for one in problem.strategies.values()])
    nodes = sum(1 for _ in problem.tree.below())
    if is_seen(problem):
        return 0.02 * nodes
    known = {(node.player, node.information or id(node)): node for node in problem.tree.below() if node.moves}
    sizes = [prod(len(node.moves) for (mover, _), node in known.items() if mover == name) for name in problem.players]
    return 0.003 * nodes * min(prod(sizes), 1_000_000) + _estimate(sizes)


def _estimate(sizes: Sequence[int]) -> float:
    profiles = min(prod(sizes), 1_000_000)
    small = 0.00015 * profiles**4 if profiles <= MOST_CORRELATED else 0.0
    bases = comb(sum(sizes), sizes[0]) if len(sizes) == 2 and sum(sizes) < 1_000 else 0
    return 0.03 * profiles + small + (0.0002 * sum(sizes) ** 3 * bases if bases <= equilibria.MOST_BASES else 0.0)


def solve(problem: NormalForm | ExtensiveForm, budget: Budget) -> MethodResult[Solved] | MethodResult[Induced]:
    """Return the equilibria of a game, or the play found by backward induction."""
    if isinstance(problem, NormalForm):
        return _solve_game(problem.strategies, problem.table, budget)
    if is_seen(problem):
        return solve_backward(problem, budget)
    assumed = ["the players choose plans before the game; what they would do off the path may be incredible"]
    assumed += [f"{name} forgets, so a mixture of plans need not be one of moves" for name in forgetful(problem)]
    return _solve_game(*build_normal_form(problem, budget), budget, tuple(assumed))


@dataclass(slots=True)
class _EquilibriumSearch:
    """The equilibria of a game found so far; `is_whole` once none can be missing."""

    mixed: list[tuple[equilibria.Mixed, ...]]
    left: list[list[int]] = field(default_factory=list)
    pareto: list[equilibria.Profile] = field(default_factory=list)
    correlated: Solution | None = None
    is_whole: bool = False

    def go(self, table: Payoffs, sizes: Sequence[int], budget: Budget) -> None:
        """Search all kinds of equilibria, the cheapest first. Raises `OutOfTime`."""
        self.left = equilibria.surviving(table, sizes, budget)
        kept = [len(one) for one in self.left]
        if len(sizes) == 1 or prod(kept) == 1:
            self.is_whole = True
        elif len(sizes) == 2 and comb(sum(kept), kept[0]) <= equilibria.MOST_BASES:
            rows = [[table[i, j] for j in self.left[1]] for i in self.left[0]]
            first, second = ([[cell[player] for cell in row] for row in rows] for player in (0, 1))
            found = equilibria.extreme(first, second, budget)
            self.mixed = [(_spread(x, self.left[0], sizes[0]), _spread(y, self.left[1], sizes[1])) for x, y in found]
            self.is_whole = True
        self.pareto = list(_filter_pareto(table, budget))
        if len(table) <= MOST_CORRELATED:
            self.correlated = _solve_correlated(table, sizes, budget)


def _spread(shares: equilibria.Mixed, places: Sequence[int], size: int) -> equilibria.Mixed:
    """Return shares of the strategies at `places` as shares of all."""
    held = dict(zip(places, shares, strict=True))
    return tuple(held.get(place, Fraction(0)) for place in range(size))


def _solve_game(
    strategies: Mapping[str, tuple[str, ...]], table: Payoffs, budget: Budget, assumed: tuple[str, ...] = ()
) -> MethodResult[Solved]:
    sizes = [len(one) for one in strategies.values()]
    pure = equilibria.pure(table, sizes, budget)
    certain = (Fraction(1),)
    search = _EquilibriumSearch(
        [tuple(_spread(certain, [place], size) for place, size in zip(at, sizes, strict=True)) for at in pure]
    )
    try:
        search.go(table, sizes, budget)
        late = False
    except OutOfTime:
        late = True
    found = tuple(_equilibrium(strategies, table, one) for one in search.mixed)
    left = zip(strategies.items(), search.left, strict=False)
    answer = Solved(
        found,
        {name: tuple(held[one] for one in kept) for (name, held), kept in left},
        tuple(_name_profile(strategies, profile) for profile in search.pareto),
        _build_advice(strategies, table, search.correlated),
    )
    status: Status = "timeout" if late else "computed" if found else "unknown"
    plays = found[0].strategies.values() if len(found) == 1 and search.is_whole else ()
    pure_play = ", ".join(next(iter(held)) for held in plays) if all(len(held) == 1 for held in plays) else ""
    return MethodResult(
        status,
        answer,
        _summarize_equilibria(found, search),
        claims=(AnswerClaim("game", "equilibrium", pure_play),) if pure_play else (),
        trace=tuple(TraceStep(_line(one), "equilibrium") for one in found[:MOST_TOLD]),
        witness=[one.strategies for one in found],
        assumptions=(*assumed, *_assumptions(search)),
    )


def _assumptions(search: _EquilibriumSearch) -> Iterator[str]:
    """Yield the reasons why the list of equilibria may be incomplete."""
    if not search.is_whole:
        yield "only pure equilibria were looked for"
    by_player = list(zip(*search.mixed, strict=True))
    if search.is_whole and any(len(by_player) == 1 < len(one) or len(set(one)) < len(one) for one in by_player):
        yield "where two of the equilibria differ for one player alone, all mixtures of them are equilibria too"


def _equilibrium(
    strategies: Mapping[str, tuple[str, ...]], table: Payoffs, mixed: tuple[equilibria.Mixed, ...]
) -> Equilibrium:
    """Return an equilibrium with names, and its payoffs."""
    totals = [Fraction(0)] * len(mixed)
    played = [[place for place, share in enumerate(one) if share] for one in mixed]
    for profile in product(*played):
        share = prod((one[place] for one, place in zip(mixed, profile, strict=True)), start=Fraction(1))
        totals = [total + share * one for total, one in zip(totals, table[profile], strict=True)]
    shares = {
        name: {held[place]: one[place] for place in places}
        for (name, held), one, places in zip(strategies.items(), mixed, played, strict=True)
    }
    return Equilibrium(shares, dict(zip(strategies, totals, strict=True)))


def _name_profile(strategies: Mapping[str, tuple[str, ...]], profile: equilibria.Profile) -> tuple[str, ...]:
    return tuple(held[place] for held, place in zip(strategies.values(), profile, strict=True))


def _filter_pareto(table: Payoffs, budget: Budget) -> Iterator[equilibria.Profile]:
    """Yield the profiles for which none is at least as good for all and better for one."""
    best: list[tuple[Fraction, ...]] = []
    for values in sorted(set(table.values()), key=lambda one: (sum(one), one), reverse=True):
        budget.check()
        if not any(all(a >= b for a, b in zip(other, values, strict=True)) for other in best):
            best.append(values)
    kept = set(best)
    yield from (profile for profile, values in table.items() if values in kept)


def _solve_correlated(table: Payoffs, sizes: Sequence[int], budget: Budget) -> Solution | None:
    """Return the correlated equilibrium of the highest sum of payoffs: a linear program over profiles."""
    profiles = list(table)
    rows = [
        ([_gain(table, at, player, told, other) for at in profiles], Fraction(0))
        for player, size in enumerate(sizes)
        for told, other in product(range(size), repeat=2)
        if told != other
    ]
    whole = [([Fraction(1)] * len(profiles), Fraction(1))]
    best = maximise([sum(table[at], Fraction(0)) for at in profiles], rows, whole, budget)
    return best if isinstance(best, Solution) else None


def _gain(table: Payoffs, at: equilibria.Profile, player: int, told: int, other: int) -> Fraction:
    """Return a player's gain at a profile by deviating from the advice; 0 if the profile has other advice."""
    if at[player] != told:
        return Fraction(0)
    return table[(*at[:player], other, *at[player + 1 :])][player] - table[at][player]


def _build_advice(
    strategies: Mapping[str, tuple[str, ...]], table: Payoffs, found: Solution | None
) -> Correlated | None:
    if found is None:
        return None
    shares = zip(table, found.at, strict=True)
    return Correlated(found.value, tuple((_name_profile(strategies, at), share) for at, share in shares if share))


def _line(one: Equilibrium) -> str:
    def format_mixture(held: Mapping[str, Fraction]) -> str:
        return " or ".join(strategy if share == 1 else f"{strategy} ({share})" for strategy, share in held.items())

    return "; ".join(f"{name}: {format_mixture(held)}" for name, held in one.strategies.items())


def _summarize_equilibria(found: Sequence[Equilibrium], search: _EquilibriumSearch) -> str:
    if not found:
        return "no pure equilibrium; a mixed one there is, and it was not looked for"
    kind = "" if search.is_whole else "pure "
    many = f"{len(found)} {kind}equilibria, first" if len(found) > 1 else f"one {kind}equilibrium"
    return f"{many}: {_line(found[0])}"
