"""What can still be said of effects that are not determined: the sharpest bounds, by exact linear programs.

A unit is of a type: for every state of its causes the state it would take. What is observed fixes sums of the shares
of types; a probability of interest is another such sum (Balke and Pearl 1997; Tian and Pearl 2000).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from knowledge.reasoning.budget import Budget, at_most
from knowledge.reasoning.kernels.linear import maximise

LARGEST_PROGRAM = 1_024
"""Types of units times observed shares in one program."""

Bounds = tuple[Fraction, Fraction]
Row = tuple[Sequence[Fraction], Fraction]
ONE, ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True, slots=True)
class Attribution:
    """Bounds of three probabilities: that it was necessary, sufficient, and both; None where nothing tells."""

    necessary: Bounds | None
    sufficient: Bounds | None
    both: Bounds


def between(objective: Sequence[Fraction], rows: Sequence[Row], budget: Budget) -> Bounds | None:
    """Return the least and the largest value of an objective over shares that meet the rows; None if none do."""
    low = maximise([-one for one in objective], (), rows, budget)
    high = maximise(objective, (), rows, budget)
    if isinstance(low, str) or isinstance(high, str):
        return None
    return -low.value, high.value


def attribution(
    seen: Mapping[tuple[int, int], Fraction] | None,
    caused: tuple[Fraction | None, Fraction | None],
    budget: Budget,
    *,
    monotonic: bool = False,
) -> Attribution | None:
    """Return the bounds of necessity and sufficiency, None where what is known contradicts itself.

    `seen` has the probability of treatment (1 with, 0 without, 2 neither) and event (1 or 0) together, `caused` that of
    the event under treatment and without. `monotonic`: treatment prevents the event in nobody.
    """
    groups = (1, 0, 2) if seen else (2,)
    types = [
        (group, with_, without)
        for group, with_, without in product(groups, (1, 0), (1, 0))
        if not (monotonic and without > with_)
    ]
    rows: list[Row] = [([ONE] * len(types), ONE)]
    for place, known in enumerate(caused):
        if known is not None:
            rows.append(([Fraction(one[1 + place]) for one in types], known))
    if seen:
        for group, event in seen:
            shown = {1: 1, 0: 2}.get(group)
            if shown is not None:
                rows.append(([Fraction(one[0] == group and one[shown] == event) for one in types], seen[group, event]))
    helped = [Fraction(one[1] > one[2]) for one in types]
    both = between(helped, rows, budget)
    if both is None:
        return None

    def share(group: int, event: int) -> Bounds | None:
        whole = seen.get((group, event), ZERO) if seen else ZERO
        if not whole:
            return None
        only = [cell if one[0] == group else ZERO for cell, one in zip(helped, types, strict=True)]
        found = between(only, rows, budget)
        return None if found is None else (found[0] / whole, found[1] / whole)

    return Attribution(share(1, 1), share(0, 0), both)


@dataclass(frozen=True, slots=True)
class Observed:
    """Discrete variables, each after its parents, and how probable each state of all of them is.

    All but the `roots` may share unobserved causes; the roots have no parents and share nothing.
    """

    sizes: Mapping[str, int]
    parents: Mapping[str, tuple[str, ...]]
    roots: Sequence[str]
    shares: Callable[[Mapping[str, int]], Fraction]

    @property
    def size(self) -> int:
        """How many types of units there are, times how many shares are observed."""
        types: int = prod(
            int(self.sizes[name] ** prod(self.sizes[parent] for parent in self.parents[name]))
            for name in self.parents
            if name not in self.roots
        )
        return types * prod(self.sizes[name] for name in self.parents)

    def bounds(
        self, target: tuple[str, int], settings: Sequence[tuple[int, Mapping[str, int]]], budget: Budget
    ) -> Bounds | None:
        """Return bounds of a sum over interventions, each with a factor, of the probability that a variable then has a
        state; None where data and graph contradict each other. Raises `InvalidArgument` for too many types."""
        inner = [name for name in self.parents if name not in self.roots]
        asked = {name: list(product(*(range(self.sizes[parent]) for parent in self.parents[name]))) for name in inner}
        at_most(self.size, LARGEST_PROGRAM, "types of units by observed shares")
        answers = {name: list(product(range(self.sizes[name]), repeat=len(asked[name]))) for name in inner}
        types = list(product(*(answers[name] for name in inner)))

        def outcome(
            one: tuple[tuple[int, ...], ...], start: Mapping[str, int], fixed: Mapping[str, int]
        ) -> dict[str, int]:
            state = dict(start)
            for name, answer in zip(inner, one, strict=True):
                setting = tuple(state[parent] for parent in self.parents[name])
                state[name] = fixed.get(name, answer[asked[name].index(setting)])
            return state

        rows: list[Row] = []
        objective = [ZERO] * len(types)
        for start in product(*(range(self.sizes[name]) for name in self.roots)):
            budget.check()
            at = dict(zip(self.roots, start, strict=True))
            cells = [
                dict(zip(inner, cell, strict=True)) for cell in product(*(range(self.sizes[name]) for name in inner))
            ]
            weight = sum((self.shares({**at, **cell}) for cell in cells), ZERO)
            if not weight:
                continue
            came = [outcome(one, at, {}) for one in types]
            for cell in cells:
                fits = [Fraction(all(state[name] == cell[name] for name in inner)) for state in came]
                rows.append((fits, self.shares({**at, **cell}) / weight))
            for factor, do in settings:
                then = [outcome(one, at, do)[target[0]] == target[1] for one in types]
                objective = [total + factor * weight * hit for total, hit in zip(objective, then, strict=True)]
        return between(objective, rows, budget)
