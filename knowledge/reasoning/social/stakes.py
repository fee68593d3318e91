"""A problem of several who have a stake in what is done: who they are, what they want, and the options."""

from collections.abc import Mapping
from itertools import combinations
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.problem import Name, Part, Probability, Problem

Share = Annotated[float, Field(gt=0, le=1)]
Amount = Annotated[float, Field(ge=-1e100, le=1e100, allow_inf_nan=False)]
Position = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]


class Stakeholder(Part):
    """One who has a stake, by degrees from 0 to 1: power, legitimacy and urgency of the claim, interest in the matter.

    `positions` are from -1 (wholly against) to 1 (wholly for) an option, 0 where none is given. `votes` is what this
    one counts where it comes to a decision; left out, it is the power.
    """

    power: Probability
    legitimacy: Probability
    urgency: Probability
    interest: Probability = 0.5
    positions: Mapping[Name, Position] = {}
    votes: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] | None = None


class Aspect(Part):
    """What options are judged by: how much it counts, and whether more of it is better."""

    weight: Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)] = 1.0
    more_is_better: bool = True


class Comparison(Part):
    """`first` is so many `times` as important as `second` (a third: three times less)."""

    first: Name
    second: Name
    times: Annotated[float, Field(ge=1 / 9 - 1e-9, le=9 + 1e-9)]


class Stakeholders(Problem):
    """Those who have a stake, and options to decide between, judged by criteria where these are given.

    `comparisons` of every two criteria replace their weights. An attribute is held from `threshold` on. `quota` is the
    share of all votes that carries an option, else more than half does.
    """

    kind: Literal["stakeholders"] = "stakeholders"
    stakeholders: Annotated[Mapping[Name, Stakeholder], Field(min_length=1, max_length=500)]
    options: Annotated[Mapping[Name, Mapping[Name, Amount]], Field(max_length=500)] = {}
    criteria: Annotated[Mapping[Name, Aspect], Field(max_length=15)] = {}
    comparisons: tuple[Comparison, ...] = ()
    threshold: Share = 0.5
    quota: Share | None = None

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
            _known(f"{name!r} takes a position on", one.positions, self.options, "option")
        for option, values in self.options.items():
            _known(f"{option!r} has a value for", values, self.criteria, "criterion")
            lacking = sorted(set(self.criteria) - set(values))
            if lacking:
                msg = f"{option!r} has no value for {lacking[0]!r}"
                raise ValueError(msg)
        if self.comparisons:
            self._check_comparisons()
        return self

    def _check_comparisons(self) -> None:
        """Raise `ValueError` unless every two criteria are compared once."""
        pairs = [frozenset((one.first, one.second)) for one in self.comparisons]
        for one in self.comparisons:
            _known("a comparison is of", {one.first: 1, one.second: 1}, self.criteria, "criterion")
        for first, second in combinations(self.criteria, 2):
            times = pairs.count(frozenset((first, second)))
            if times != 1:
                msg = f"{first!r} and {second!r} are compared {times} times, not once"
                raise ValueError(msg)
        if any(len(pair) == 1 for pair in pairs):
            raise ValueError("a criterion is compared with itself")


def _known(what: str, names: Mapping[str, object], known: Mapping[str, object], sort: str) -> None:
    strange = sorted(set(names) - set(known))
    if strange:
        msg = f"{what} {strange[0]!r}, which is no {sort}"
        raise ValueError(msg)
