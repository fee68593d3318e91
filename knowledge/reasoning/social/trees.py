"""Games in extensive form: solved backwards with perfect information, else as plans chosen beforehand."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.problem import SCALE, Name, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep
from mabos.knowledge.reasoning.social.games import MOST_PROFILES, Exact, Payoffs, exact

MOST_NODES = 20_000


class Chance(ProblemPart):
    """One outcome of chance and what follows."""

    p: Exact
    then: "GameNode"


class GameNode(ProblemPart):
    """A node of a game tree: the `payoffs` of its end, or `chance`, or a `player` who `moves`.

    A player cannot distinguish nodes with the same `information`.
    """

    payoffs: tuple[Exact, ...] = ()
    chance: tuple[Chance, ...] = ()
    player: str = ""
    information: str = ""
    moves: Mapping[Name, "GameNode"] = {}

    @model_validator(mode="after")
    def _is_one_of_three(self) -> Self:
        if bool(self.payoffs) + bool(self.chance) + bool(self.moves) != 1 or bool(self.player) != bool(self.moves):
            raise ValueError("a node must be an end with payoffs, a chance node, or a player with moves")
        chances = [exact(one.p) for one in self.chance]
        if chances and (min(chances) < 0 or abs(sum(chances, Fraction(0)) - 1) > SCALE):
            raise ValueError("the outcomes of chance must be shares that sum to 1")
        return self

    def below(self) -> Iterator["GameNode"]:
        """Yield this node and all nodes below it."""
        yield self
        for one in (*self.moves.values(), *(chance.then for chance in self.chance)):
            yield from one.below()


class ExtensiveForm(ReasoningProblem):
    """A game in the order of its moves."""

    kind: Literal["extensive_form"] = "extensive_form"
    players: Annotated[tuple[Name, ...], Field(min_length=1, max_length=8)]
    tree: GameNode

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "extensive_form",
        "players": ["entrant", "incumbent"],
        "tree": {
            "player": "entrant",
            "moves": {
                "stay out": {"payoffs": [0, 2]},
                "enter": {
                    "player": "incumbent",
                    "moves": {"fight": {"payoffs": [-1, -1]}, "share": {"payoffs": [1, 1]}},
                },
            },
        },
    }

    @model_validator(mode="after")
    def _tree_is_of_these_players(self) -> Self:
        moves: dict[tuple[str, str], tuple[str, ...]] = {}
        if len(set(self.players)) != len(self.players):
            raise ValueError("a player is named twice")
        for number, node in enumerate(self.tree.below()):
            if number >= MOST_NODES:
                raise ValueError(f"the tree has more than {MOST_NODES:,} nodes")
            if node.payoffs and len(node.payoffs) != len(self.players):
                raise ValueError(f"an end has {len(node.payoffs)} payoffs for {len(self.players)} players")
            if node.player and node.player not in self.players:
                raise ValueError(f"{node.player!r} moves but is not a player")
            if node.information:
                known = moves.setdefault((node.player, node.information), tuple(node.moves))
                if known != tuple(node.moves):
                    raise ValueError(f"nodes of {node.information!r} have different moves, so they could be told apart")
        return self


InformationSet = tuple[str, str | int]
"""A player, and the name of what that player knows, or the number of a node that is seen for itself."""


@dataclass(frozen=True, slots=True)
class Induced:
    """The moves by backward induction at each node, by path, and each player's payoff."""

    play: dict[str, str]
    path: tuple[str, ...]
    payoffs: dict[str, Fraction]


def is_seen(problem: ExtensiveForm) -> bool:
    """Return whether every player always knows the current node."""
    named = [(node.player, node.information) for node in problem.tree.below() if node.information]
    return len(set(named)) == len(named)


def solve_backward(problem: ExtensiveForm, budget: Budget) -> MethodResult[Induced]:
    """Solve the tree backwards: every player makes the best move at every node, reached or not."""
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
    moves = tuple(_trace_play(problem.tree, play))
    told = ", then ".join(moves) or "chance moves first"
    return MethodResult(
        "computed",
        Induced(play, moves, payoffs),
        f"{told}; " + ", ".join(f"{name} gets {got}" for name, got in payoffs.items()),
        claims=(AnswerClaim("game", "equilibrium", ", ".join(moves)),) if moves else (),
        trace=tuple(TraceStep(f"{where}: {move}", "backward induction", label=where) for where, move in play.items()),
        assumptions=tuple(f"at {where} another move is as good" for where in sorted(ties)),
    )


def word(move: str) -> str:
    """Return a move escaped for use in a path."""
    return move.replace("\\", "\\\\").replace("/", "\\/")


def _mean(parts: list[tuple[Fraction, list[Fraction]]]) -> list[Fraction]:
    return [
        sum((p * one for (p, _), one in zip(parts, held, strict=True)), Fraction(0))
        for held in zip(*(values for _, values in parts), strict=True)
    ]


def _trace_play(node: GameNode, play: Mapping[str, str]) -> Iterator[str]:
    """Yield the moves that are made, until the end or until chance decides."""
    path = ""
    while node.moves:
        move = play[path or "/"]
        yield move
        node, path = node.moves[move], f"{path}/{word(move)}"


def build_normal_form(problem: ExtensiveForm, budget: Budget) -> tuple[dict[str, tuple[str, ...]], Payoffs]:
    """Return the plans of each player, one move per information set, and the payoffs of profiles.

    Raises `InvalidArgument` if there are too many.
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
    """Return the players who forget an earlier move or observation, sorted."""
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
