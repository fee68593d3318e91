"""Sharp bounds of undetermined effects by exact linear programs.

A unit's type is its response to every state of its causes. Observations fix sums of the shares of types; a probability
of interest is another sum of them (Balke and Pearl 1997; Tian and Pearl 2000).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.kernels.linear import maximise

LARGEST_PROGRAM = 1_024
"""Types of units times observed shares in one program."""

Bounds = tuple[Fraction, Fraction]
Row = tuple[Sequence[Fraction], Fraction]
ONE, ZERO = Fraction(1), Fraction(0)


@dataclass(frozen=True, slots=True)
class Attribution:
    """Bounds of three probabilities: of necessity, sufficiency, and both; None if undetermined."""

    necessary: Bounds | None
    sufficient: Bounds | None
    both: Bounds


def between(objective: Sequence[Fraction], rows: Sequence[Row], budget: Budget) -> Bounds | None:
    """Return the minimum and maximum of an objective over shares that satisfy the rows; None if infeasible."""
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
    """Return the bounds of necessity and sufficiency, None if the input is contradictory.

    `seen` has the probability of treatment (1 with, 0 without, 2 neither) and event (1 or 0) together, `caused` that of
    the event under treatment and without. `monotonic`: treatment never prevents the event.
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
class ObservedShares:
    """Discrete variables, parents first, and the joint probability of their states.

    All but the `roots` may share unobserved causes; the roots have no parents and share nothing.
    """

    sizes: Mapping[str, int]
    parents: Mapping[str, tuple[str, ...]]
    roots: Sequence[str]
    shares: Callable[[Mapping[str, int]], Fraction]

    @property
    def size(self) -> int:
        """Return the number of unit types times the number of observed shares."""
        types: int = prod(
            int(self.sizes[name] ** prod(self.sizes[parent] for parent in self.parents[name]))
            for name in self.parents
            if name not in self.roots
        )
        return types * prod(self.sizes[name] for name in self.parents)

    @property
    def inner(self) -> list[str]:
        """The variables but the roots."""
        return [name for name in self.parents if name not in self.roots]

    def rows(self, budget: Budget) -> list[Row]:
        """Return the observations as sums of type shares. Raises `InvalidArgument` for too many types."""
        at_most(self.size, LARGEST_PROGRAM, "types of units by observed shares")
        types, rows = self._types(), list[Row]()
        for at, cells, weight in self._starts():
            budget.check()
            came = [self._outcome(one, at, {}) for one in types]
            for cell in cells:
                fits = [Fraction(all(state[name] == value for name, value in cell.items())) for state in came]
                rows.append((fits, self.shares({**at, **cell}) / weight))
        return rows

    def bounds(
        self,
        rows: Sequence[Row],
        target: tuple[str, int],
        settings: Sequence[tuple[int, Mapping[str, int]]],
        budget: Budget,
    ) -> Bounds | None:
        """Return bounds of a sum over interventions, each with a factor, of the probability that a variable then has a
        state; None where no types give the rows."""
        types = self._types()
        objective = [ZERO] * len(types)
        for at, _, weight in self._starts():
            budget.check()
            for factor, do in settings:
                then = [self._outcome(one, at, do)[target[0]] == target[1] for one in types]
                objective = [total + factor * weight * hit for total, hit in zip(objective, then, strict=True)]
        return between(objective, rows, budget)

    def _types(self) -> list[dict[str, dict[tuple[int, ...], int]]]:
        """Return every way a unit may answer: for each variable its state by those of its parents."""
        ways = []
        for name in self.inner:
            settings = list(product(*(range(self.sizes[parent]) for parent in self.parents[name])))
            ways.append(
                [
                    dict(zip(settings, answer, strict=True))
                    for answer in product(range(self.sizes[name]), repeat=len(settings))
                ]
            )
        return [dict(zip(self.inner, one, strict=True)) for one in product(*ways)]

    def _starts(self) -> Iterator[tuple[dict[str, int], list[dict[str, int]], Fraction]]:
        """Yield each state of the roots that was observed, the states of the others, and how probable it is."""
        cells = [
            dict(zip(self.inner, cell, strict=True))
            for cell in product(*(range(self.sizes[name]) for name in self.inner))
        ]
        for start in product(*(range(self.sizes[name]) for name in self.roots)):
            at = dict(zip(self.roots, start, strict=True))
            weight = sum((self.shares({**at, **cell}) for cell in cells), ZERO)
            if weight:
                yield at, cells, weight

    def _outcome(
        self, one: Mapping[str, Mapping[tuple[int, ...], int]], start: Mapping[str, int], fixed: Mapping[str, int]
    ) -> dict[str, int]:
        """Return the states of a unit of a type where it starts so and some variables are set."""
        state = dict(start)
        for name, answers in one.items():
            asked = tuple(state[parent] for parent in self.parents[name])
            state[name] = fixed.get(name, answers[asked])
        return state


def fit_rows(rows: Sequence[Row], budget: Budget) -> tuple[list[Row], Fraction]:
    """Return the rows with the nearest feasible right-hand sides, and their total deviation."""
    count, width = len(rows), len(rows[0][0])
    loose = []
    for place, (row, bound) in enumerate(rows):
        over = [Fraction(at == place) for at in range(count)]
        loose.append(([*row, *over, *(-one for one in over)], bound))
    found = maximise([ZERO] * width + [-ONE] * (2 * count), (), loose, budget)
    if isinstance(found, str):  # cannot be: enough slack meets every row
        return list(rows), ONE
    point = found.at[:width]
    nearest = [(row, sum((a * x for a, x in zip(row, point, strict=True) if x), ZERO)) for row, _ in rows]
    return nearest, -found.value
