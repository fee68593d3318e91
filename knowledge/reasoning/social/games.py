"""Exact payoffs, and the problem of a game in normal form."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import prod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.knowledge.reasoning.problem import Finite, Name, ReasoningProblem

_WRITTEN = r"^-?\d{1,30}(/\d{1,30}|\.\d{1,30})?$"
Exact = Finite | Annotated[str, Field(pattern=_WRITTEN)]
"""A number, or a fraction such as "1/3"."""
MOST_PROFILES = 100_000
Strategies = Annotated[tuple[Name, ...], Field(min_length=1)]
Payoffs = dict[tuple[int, ...], tuple[Fraction, ...]]
"""The payoff of each player, by the positions of the strategies played."""


def exact(value: float | str) -> Fraction:
    """Return a number as the exact fraction written. Raises `ValueError` for a denominator of zero."""
    try:
        return Fraction(str(value))
    except ZeroDivisionError:
        raise ValueError(f"{value!r} divides by zero") from None


class NormalForm(ReasoningProblem):
    """Players, their strategies, and the payoffs of every profile.

    `payoffs` is nested by player: the strategy of the first, then of the second, and so on; innermost are the players'
    payoffs.
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
                raise ValueError(f"a strategy of {name!r} is named twice")
        return strategies

    @model_validator(mode="after")
    def _payoffs_fit(self) -> Self:
        profiles = prod(len(one) for one in self.strategies.values())
        if profiles > MOST_PROFILES:
            raise ValueError(f"{profiles:,} profiles are more than {MOST_PROFILES:,}")
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
            raise ValueError(f"payoffs at {list(profile)} are {len(self.strategies)} numbers, one for each player")
        return tuple(_number(one) for one in held)

    @cached_property
    def table(self) -> Payoffs:
        """Return the payoffs by profile."""
        return {
            profile: self._cell(profile) for profile in product(*(range(len(one)) for one in self.strategies.values()))
        }


def _number(value: object) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{value!r} is not a payoff")  # pydantic wants a ValueError
    try:
        if isinstance(value, str) and not re.match(_WRITTEN, value):
            raise ValueError(value)
        return exact(value)
    except (ValueError, OverflowError):
        raise ValueError(f"{str(value)[:60]!r} is not a payoff") from None
