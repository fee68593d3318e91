"""Game theory: what players who know each other to be rational do (Nash 1951; Selten 1975; Aumann 1974)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from knowledge.reasoning.budget import Budget, at_most
from knowledge.reasoning.kernels import equilibria
from knowledge.reasoning.kernels.linear import Solution, maximise
from knowledge.reasoning.result import Claim, Result, Step
from knowledge.reasoning.social.coalitions import Shares, shared
from knowledge.reasoning.social.games import MOST_PROFILES, Coalitions, ExtensiveForm, GameNode, NormalForm, exact

MOST_CORRELATED = 36
"""Profiles of a game whose best correlated equilibrium is looked for."""


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """What each player plays, as shares of strategies that are played at all, and what each gets."""

    strategies: dict[str, dict[str, Fraction]]
    payoffs: dict[str, Fraction]


@dataclass(frozen=True, slots=True)
class Solved:
    """The equilibria (of two players all extreme ones, of more the pure ones), the strategies left after strict
    dominance, the pure profiles nobody could better without harm, and the highest sum of a correlated equilibrium."""

    equilibria: tuple[Equilibrium, ...]
    undominated: dict[str, tuple[str, ...]]
    pareto: tuple[tuple[str, ...], ...]
    correlated_sum: Fraction | None


@dataclass(frozen=True, slots=True)
class Induced:
    """What is played at each node by backward induction, by path, and what each player gets."""

    play: dict[str, str]
    path: tuple[str, ...]
    payoffs: dict[str, Fraction]


def estimate(problem: NormalForm | ExtensiveForm | Coalitions) -> float:
    """Return the milliseconds this takes about."""
    match problem:
        case NormalForm():
            sizes = [len(one) for one in problem.strategies.values()]
            profiles = prod(sizes)
            bases = 4.0 ** min(sizes) * 0.3 if len(sizes) == 2 else 0.0
            return 0.01 * profiles + bases
        case ExtensiveForm():
            return 0.02 * sum(1 for _ in problem.tree.below())
    return 0.05 * 2.0 ** len(problem.players)


def solve(
    problem: NormalForm | ExtensiveForm | Coalitions, budget: Budget
) -> Result[Solved] | Result[Induced] | Result[Shares]:
    """Return the equilibria of a game, the play that backward induction leaves, or fair shares of coalitions."""
    match problem:
        case NormalForm():
            return _normal(problem, budget)
        case ExtensiveForm():
            if any(node.information for node in problem.tree.below()):
                return _normal(_strategic(problem), budget)
            return _induced(problem, budget)
    return shared(problem, budget)


def _normal(problem: NormalForm, budget: Budget) -> Result[Solved]:
    names = list(problem.strategies)
    table = problem.table()
    sizes = [len(one) for one in problem.strategies.values()]
    left = equilibria.surviving(table, sizes)
    if len(names) == 2:
        matrices = [[[table[i, j][player] for j in range(sizes[1])] for i in range(sizes[0])] for player in (0, 1)]
        mixed: Sequence[tuple[equilibria.Mixed, ...]] = equilibria.extreme(matrices[0], matrices[1], budget)
    else:
        mixed = [
            tuple(
                tuple(Fraction(int(place == one)) for place in range(size)) for one, size in zip(at, sizes, strict=True)
            )
            for at in equilibria.pure(table, sizes)
        ]
    found = tuple(_equilibrium(problem, table, one) for one in mixed)
    small = prod(sizes) <= MOST_CORRELATED
    answer = Solved(
        found,
        {name: tuple(problem.strategies[name][one] for one in held) for name, held in zip(names, left, strict=True)},
        _pareto(problem, table),
        _correlated(table, sizes, budget) if small else None,
    )
    assumptions = ["mixtures of extreme equilibria may be equilibria too"] if len(names) == 2 and len(found) > 1 else []
    assumptions += ["of more than two players only pure equilibria were looked for"] if len(names) > 2 else []
    unknown = not found
    return Result(
        "game-theory",
        "unknown" if unknown else "computed",
        answer,
        "no pure equilibrium; there is a mixed one that was not looked for" if unknown else _told(found),
        claims=tuple(Claim("game", "equilibrium", _pure_name(one)) for one in found if _is_pure(one)),
        trace=tuple(Step(_line(one), "equilibrium") for one in found[:50]),
        witness=[one.strategies for one in found],
        assumptions=tuple(assumptions),
    )


def _equilibrium(problem: NormalForm, table: equilibria.Payoffs, mixed: tuple[equilibria.Mixed, ...]) -> Equilibrium:
    """Return an equilibrium with names, and what it pays."""
    names = list(problem.strategies)
    totals = [Fraction(0)] * len(names)
    for profile, pays in table.items():
        share = prod((mixed[player][place] for player, place in enumerate(profile)), start=Fraction(1))
        if share:
            totals = [total + share * one for total, one in zip(totals, pays, strict=True)]
    strategies = {
        name: {problem.strategies[name][place]: share for place, share in enumerate(one) if share}
        for name, one in zip(names, mixed, strict=True)
    }
    return Equilibrium(strategies, dict(zip(names, totals, strict=True)))


def _pareto(problem: NormalForm, table: equilibria.Payoffs) -> tuple[tuple[str, ...], ...]:
    """Return the profiles for which none is at least as good for all and better for one."""
    values = set(table.values())

    def bettered(one: tuple[Fraction, ...]) -> bool:
        return any(other != one and all(a >= b for a, b in zip(other, one, strict=True)) for other in values)

    best = {one for one in values if not bettered(one)}
    return tuple(
        tuple(problem.strategies[name][place] for name, place in zip(problem.strategies, profile, strict=True))
        for profile, pays in table.items()
        if pays in best
    )


def _correlated(table: equilibria.Payoffs, sizes: Sequence[int], budget: Budget) -> Fraction | None:
    """Return the highest sum of payoffs of a correlated equilibrium: a linear program over profiles."""
    profiles = list(table)
    rows = []
    for player, size in enumerate(sizes):
        for told, other in product(range(size), repeat=2):
            if told != other:
                rows.append(([_gain(table, at, player, told, other) for at in profiles], Fraction(0)))
    whole = [([Fraction(1)] * len(profiles), Fraction(1))]
    best = maximise([sum(table[at], Fraction(0)) for at in profiles], rows, whole, budget)
    return best.value if isinstance(best, Solution) else None


def _gain(table: equilibria.Payoffs, at: equilibria.Profile, player: int, told: int, other: int) -> Fraction:
    """Return what a player gains at a profile by doing another thing than told; nothing where told something else."""
    if at[player] != told:
        return Fraction(0)
    return table[(*at[:player], other, *at[player + 1 :])][player] - table[at][player]


def _is_pure(one: Equilibrium) -> bool:
    return all(len(held) == 1 for held in one.strategies.values())


def _pure_name(one: Equilibrium) -> str:
    return ", ".join(next(iter(held)) for held in one.strategies.values())


def _line(one: Equilibrium) -> str:
    def mixed(held: Mapping[str, Fraction]) -> str:
        return " or ".join(strategy if share == 1 else f"{strategy} ({share})" for strategy, share in held.items())

    return "; ".join(f"{name}: {mixed(held)}" for name, held in one.strategies.items())


def _told(found: Sequence[Equilibrium]) -> str:
    first = _line(found[0])
    return f"{len(found)} equilibria, first: {first}" if len(found) > 1 else f"one equilibrium: {first}"


def _induced(problem: ExtensiveForm, budget: Budget) -> Result[Induced]:
    """Fold the tree back: everyone does what is best for them at every node, reached or not."""
    play: dict[str, str] = {}
    ties: list[str] = []

    def value(node: GameNode, path: str) -> tuple[Fraction, ...]:
        budget.check()
        if node.payoffs:
            return tuple(exact(one) for one in node.payoffs)
        if node.chance:
            parts = [(exact(one.p), value(one.then, f"{path}/{number}")) for number, one in enumerate(node.chance)]
            return tuple(sum((p * v[k] for p, v in parts), Fraction(0)) for k in range(len(problem.players)))
        values = {move: value(one, f"{path}/{move}") for move, one in node.moves.items()}
        me = problem.players.index(node.player)
        best = max(values, key=lambda move: values[move][me])
        if sum(one[me] == values[best][me] for one in values.values()) > 1:
            ties.append(path or "/")
        play[path or "/"] = best
        return values[best]

    payoffs = dict(zip(problem.players, value(problem.tree, ""), strict=True))
    node, path, moves = problem.tree, "", list[str]()
    while node.moves:
        move = play[path or "/"]
        moves.append(move)
        node, path = node.moves[move], f"{path}/{move}"
    return Result(
        "game-theory",
        "computed",
        Induced(play, tuple(moves), payoffs),
        f"{', then '.join(moves) or 'chance moves first'}; " + ", ".join(f"{k} gets {v}" for k, v in payoffs.items()),
        claims=(Claim("game", "equilibrium", ", ".join(moves)),),
        trace=tuple(Step(f"{where}: {move}", "backward induction", label=where) for where, move in play.items()),
        assumptions=tuple(f"at {where} another move is as good" for where in ties),
    )


def _strategic(problem: ExtensiveForm) -> NormalForm:
    """Return the normal form: a strategy says what to do at every information set."""
    sets: dict[str, dict[str, tuple[str, ...]]] = {name: {} for name in problem.players}
    paths: dict[int, str] = {}
    for number, node in enumerate(problem.tree.below()):
        if node.moves:
            paths[id(node)] = node.information or f"node {number}"
            sets[node.player][paths[id(node)]] = tuple(node.moves)
    plans = {
        name: [dict(zip(held, one, strict=True)) for one in product(*held.values())] for name, held in sets.items()
    }
    at_most(prod(map(len, plans.values())), MOST_PROFILES, "profiles of strategies", argument="tree")

    def pays(node: GameNode, chosen: Mapping[str, Mapping[str, str]]) -> list[Fraction]:
        if node.payoffs:
            return [exact(one) for one in node.payoffs]
        if node.chance:
            parts = [(exact(one.p), pays(one.then, chosen)) for one in node.chance]
            return [sum((p * v[k] for p, v in parts), Fraction(0)) for k in range(len(problem.players))]
        return pays(node.moves[chosen[node.player][paths[id(node)]]], chosen)

    def nested(names: Sequence[str], chosen: dict[str, Mapping[str, str]]) -> list[object]:
        if not names:
            return [str(one) for one in pays(problem.tree, chosen)]
        return [nested(names[1:], {**chosen, names[0]: plan}) for plan in plans[names[0]]]

    strategies = {name: [" / ".join(plan.values()) or "-" for plan in held] for name, held in plans.items()}
    return NormalForm.of({"strategies": strategies, "payoffs": nested(problem.players, {}), "kind": "normal_form"})
