"""Games in the order of their moves: folded back where everyone sees everything, else as plans chosen beforehand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.result import Claim, Result, Step
from mabos.knowledge.reasoning.social.games import MOST_PROFILES, ExtensiveForm, GameNode, Payoffs, exact

InformationSet = tuple[str, str | int]
"""A player, and the name of what that player knows, or the number of a node that is seen for itself."""


@dataclass(frozen=True, slots=True)
class Induced:
    """What is played at each node by backward induction, by path, and what each player gets."""

    play: dict[str, str]
    path: tuple[str, ...]
    payoffs: dict[str, Fraction]


def is_seen(problem: ExtensiveForm) -> bool:
    """Return whether every player always knows at which node the game is."""
    named = [(node.player, node.information) for node in problem.tree.below() if node.information]
    return len(set(named)) == len(named)


def induced(problem: ExtensiveForm, budget: Budget) -> Result[Induced]:
    """Fold the tree back: everyone does what is best for them at every node, reached or not."""
    play: dict[str, str] = {}
    ties: list[str] = []

    def value(node: GameNode, path: str) -> list[Fraction]:
        budget.check()
        if node.payoffs:
            return [exact(one) for one in node.payoffs]
        if node.chance:
            return _mean([(exact(one.p), value(one.then, f"{path}/{n}")) for n, one in enumerate(node.chance, 1)])
        values = {move: value(one, f"{path}/{word(move)}") for move, one in node.moves.items()}
        me = problem.players.index(node.player)
        best = max(values, key=lambda move: values[move][me])
        if sum(one[me] == values[best][me] for one in values.values()) > 1:
            ties.append(path or "/")
        play[path or "/"] = best
        return values[best]

    payoffs = dict(zip(problem.players, value(problem.tree, ""), strict=True))
    moves = tuple(_followed(problem.tree, play))
    told = ", then ".join(moves) or "chance moves first"
    return Result(
        "game-theory",
        "computed",
        Induced(play, moves, payoffs),
        f"{told}; " + ", ".join(f"{name} gets {got}" for name, got in payoffs.items()),
        claims=(Claim("game", "equilibrium", ", ".join(moves)),) if moves else (),
        trace=tuple(Step(f"{where}: {move}", "backward induction", label=where) for where, move in play.items()),
        assumptions=tuple(f"at {where} another move is as good" for where in sorted(ties)),
    )


def word(move: str) -> str:
    """Return a move as it stands in a path, where a slash separates."""
    return move.replace("\\", "\\\\").replace("/", "\\/")


def _mean(parts: list[tuple[Fraction, list[Fraction]]]) -> list[Fraction]:
    return [
        sum((p * one for (p, _), one in zip(parts, held, strict=True)), Fraction(0))
        for held in zip(*(values for _, values in parts), strict=True)
    ]


def _followed(node: GameNode, play: Mapping[str, str]) -> Iterator[str]:
    """Yield the moves that are made, until the end or until chance decides."""
    path = ""
    while node.moves:
        move = play[path or "/"]
        yield move
        node, path = node.moves[move], f"{path}/{word(move)}"


def planned(problem: ExtensiveForm, budget: Budget) -> tuple[dict[str, tuple[str, ...]], Payoffs]:
    """Return the plans of each player, which say what to do at all that the player may know, and what profiles pay.

    Raises `InvalidArgument` where there are too many.
    """
    sets: dict[str, dict[InformationSet, tuple[str, ...]]] = {name: {} for name in problem.players}
    held: dict[int, InformationSet] = {}
    for number, node in enumerate(problem.tree.below()):
        if node.moves:
            held[id(node)] = (node.player, node.information or number)
            sets[node.player][held[id(node)]] = tuple(node.moves)
    profiles = prod(len(moves) for known in sets.values() for moves in known.values())
    at_most(profiles, MOST_PROFILES, "profiles of plans", argument="tree")
    plans = [[dict(zip(known, one, strict=True)) for one in product(*known.values())] for known in sets.values()]

    def pays(node: GameNode, chosen: Mapping[InformationSet, str]) -> list[Fraction]:
        if node.payoffs:
            return [exact(one) for one in node.payoffs]
        if node.chance:
            return _mean([(exact(one.p), pays(one.then, chosen)) for one in node.chance])
        return pays(node.moves[chosen[held[id(node)]]], chosen)

    table: Payoffs = {}
    for profile in product(*(range(len(one)) for one in plans)):
        budget.check()
        chosen = {key: move for plan, place in zip(plans, profile, strict=True) for key, move in plan[place].items()}
        table[profile] = tuple(pays(problem.tree, chosen))
    names = [tuple(" / ".join(map(word, plan.values())) or "-" for plan in one) for one in plans]
    return dict(zip(problem.players, names, strict=True)), table


def forgetful(problem: ExtensiveForm) -> tuple[str, ...]:
    """Return the players who at some point do not know what they did or knew before, sorted."""
    known: dict[InformationSet, tuple[tuple[InformationSet, str], ...]] = {}
    found = set()

    def walk(node: GameNode, did: Mapping[str, tuple[tuple[InformationSet, str], ...]]) -> None:
        for one in node.chance:
            walk(one.then, did)
        key: InformationSet = (node.player, node.information or id(node))
        mine = did.get(node.player, ())
        if node.moves and known.setdefault(key, mine) != mine:
            found.add(node.player)
        for move, inner in node.moves.items():
            walk(inner, {**did, node.player: (*mine, (key, move))})

    walk(problem.tree, {})
    return tuple(sorted(found))
