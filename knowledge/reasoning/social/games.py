"""Problems of strategy: games in normal and in extensive form, and games of coalitions."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm, prod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.knowledge.reasoning.problem import SCALE, Finite, Name, Part, Problem, Weight

_WRITTEN = r"^-?\d{1,30}(/\d{1,30}|\.\d{1,30})?$"
Exact = Finite | Annotated[str, Field(pattern=_WRITTEN)]
"""A number, or a fraction such as "1/3"."""
MOST_PROFILES = 100_000
MOST_NODES = 20_000
MOST_PLAYERS = 16
"""Of a game of coalitions."""
Strategies = Annotated[tuple[Name, ...], Field(min_length=1)]
Payoffs = dict[tuple[int, ...], tuple[Fraction, ...]]
"""What each player gets, by the places of the strategies that are played."""


def exact(value: float | str) -> Fraction:
    """Return a number as the fraction it is written as. Raises `ValueError` for a denominator of zero."""
    try:
        return Fraction(str(value))
    except ZeroDivisionError:
        msg = f"{value!r} divides by zero"
        raise ValueError(msg) from None


class NormalForm(Problem):
    """Players, their strategies, and the payoffs of every profile.

    `payoffs` is nested by player: the strategy of the first, then of the second, and so on; innermost stands what each
    player gets.
    """

    kind: Literal["normal_form"] = "normal_form"
    strategies: Annotated[Mapping[Name, Strategies], Field(min_length=1, max_length=8)]
    payoffs: list[Any]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "normal_form",
        "strategies": {"row": ["cooperate", "defect"], "column": ["cooperate", "defect"]},
        "payoffs": [[[3, 3], [0, 5]], [[5, 0], [1, 1]]],
    }

    @field_validator("strategies")
    @classmethod
    def _once_each(cls, strategies: Mapping[str, tuple[str, ...]]) -> Mapping[str, tuple[str, ...]]:
        for name, held in strategies.items():
            if len(set(held)) != len(held):
                msg = f"a strategy of {name!r} is named twice"
                raise ValueError(msg)
        return strategies

    @model_validator(mode="after")
    def _payoffs_fit(self) -> Self:
        profiles = prod(len(one) for one in self.strategies.values())
        if profiles > MOST_PROFILES:
            msg = f"{profiles:,} profiles are more than {MOST_PROFILES:,}"
            raise ValueError(msg)
        self.table  # noqa: B018  # read here, so that a payoff that is none is refused
        return self

    def _cell(self, profile: Sequence[int]) -> tuple[Fraction, ...]:
        held: Any = self.payoffs
        for player, (name, place) in enumerate(zip(self.strategies, profile, strict=True)):
            if not isinstance(held, list) or len(held) != len(self.strategies[name]):
                msg = f"payoffs at {list(profile[:player])} are a list with one entry for each strategy of {name!r}"
                raise ValueError(msg)
            held = held[place]
        if not isinstance(held, list) or len(held) != len(self.strategies):
            msg = f"payoffs at {list(profile)} are {len(self.strategies)} numbers, one for each player"
            raise ValueError(msg)
        return tuple(_number(one) for one in held)

    @cached_property
    def table(self) -> Payoffs:
        """Return the payoffs by profile."""
        return {
            profile: self._cell(profile) for profile in product(*(range(len(one)) for one in self.strategies.values()))
        }


def _number(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        msg = f"{value!r} is no payoff"
        raise ValueError(msg)  # pydantic wants a ValueError
    try:
        if isinstance(value, str) and not re.match(_WRITTEN, value):
            raise ValueError(value)
        return exact(value)
    except (ValueError, OverflowError):
        msg = f"{str(value)[:60]!r} is no payoff"
        raise ValueError(msg) from None


class Chance(Part):
    """One outcome of chance and what follows."""

    p: Exact
    then: "GameNode"


class GameNode(Part):
    """A node of a game tree: the `payoffs` of its end, or `chance`, or a `player` who `moves`.

    Nodes of a player with the same `information` cannot be told apart by that player.
    """

    payoffs: tuple[Exact, ...] = ()
    chance: tuple[Chance, ...] = ()
    player: str = ""
    information: str = ""
    moves: Mapping[Name, "GameNode"] = {}

    @model_validator(mode="after")
    def _is_one_of_three(self) -> Self:
        if bool(self.payoffs) + bool(self.chance) + bool(self.moves) != 1 or bool(self.player) != bool(self.moves):
            raise ValueError("a node is an end with payoffs, or chance, or a player with moves")
        chances = [exact(one.p) for one in self.chance]
        if chances and (min(chances) < 0 or abs(sum(chances, Fraction(0)) - 1) > SCALE):
            raise ValueError("the outcomes of chance are not shares that sum to 1")
        return self

    def below(self) -> Iterator["GameNode"]:
        """Yield this node and all below it."""
        yield self
        for one in (*self.moves.values(), *(chance.then for chance in self.chance)):
            yield from one.below()


class ExtensiveForm(Problem):
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
                msg = f"the tree has more than {MOST_NODES:,} nodes"
                raise ValueError(msg)
            if node.payoffs and len(node.payoffs) != len(self.players):
                msg = f"an end has {len(node.payoffs)} payoffs for {len(self.players)} players"
                raise ValueError(msg)
            if node.player and node.player not in self.players:
                msg = f"{node.player!r} moves and is no player"
                raise ValueError(msg)
            if node.information:
                known = moves.setdefault((node.player, node.information), tuple(node.moves))
                if known != tuple(node.moves):
                    msg = f"nodes of {node.information!r} have different moves, so they could be told apart"
                    raise ValueError(msg)
        return self


class Worth(Part):
    """What a coalition can get by itself."""

    members: Annotated[frozenset[Name], Field(min_length=1)]
    value: Exact


class Coalitions(Problem):
    """What coalitions are worth: each by itself (0 if left out), or by votes: `weights` that reach a `quota` win."""

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
            raise ValueError("with a quota of 0 nobody at all wins; give the votes that a decision takes")
        if len({one.members for one in self.values}) != len(self.values):
            raise ValueError("the value of a coalition is given twice")
        return self

    def worths(self) -> list[Fraction]:
        """Return what each coalition is worth; player k is in the coalition at place n if bit k of n is set."""
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
