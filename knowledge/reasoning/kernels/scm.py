"""Causal models over discrete values: arrows that carry different values, and worlds run one by one.

A table model answers about an intervention, and about a treatment that took one value but acts as another. It does so
by fixing the value on each arrow out of the treatment (Robins and Richardson 2010; Avin, Shpitser and Pearl 2005).
Structural equations answer any counterfactual, by running every state of the noise (Pearl 2009, chapter 7).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, prod
from typing import TYPE_CHECKING, Any, TypeAlias

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.kernels.factors import CliqueTree, Factor, apply_evidence
from mabos.workspace.expressions import Expression

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

MOST_WORLDS = 200_000
"""States of everything outside together."""
SAME = 1e-9
"""Values nearer to each other than this are equal."""


@dataclass(frozen=True, slots=True)
class Tables:
    """Variables with their numbers of states, and for each the shares of its states given its parents (last axis)."""

    sizes: Mapping[str, int]
    tables: Mapping[str, tuple[tuple[str, ...], "Array"]]

    def shares(
        self,
        target: str,
        budget: Budget,
        *,
        carried: Mapping[tuple[str, str], int] | None = None,
        given: Mapping[str, int] | None = None,
    ) -> "Array":
        """Return the probability of each state of `target` jointly with the states `given`.

        `carried` fixes the state that an arrow (from a variable to its effect) carries, whatever the variable's own.
        """
        import numpy as np

        place = {name: number for number, name in enumerate(self.sizes)}
        factors = [self._factor(name, place, carried or {}) for name in self.tables]
        seen = {place[name]: state for name, state in (given or {}).items() if name != target}
        rest = {place[name]: size for name, size in self.sizes.items() if place[name] not in seen}
        tree = CliqueTree(apply_evidence(factors, seen), rest, budget)
        if not tree.propagate():
            return np.zeros(self.sizes[target])
        found = tree.marginal(place[target]) * exp(tree.log_weight)
        if given and target in given:
            return np.where(np.arange(self.sizes[target]) == given[target], found, 0.0)
        return found

    def _factor(self, name: str, place: Mapping[str, int], carried: Mapping[tuple[str, str], int]) -> Factor:
        parents, table = self.tables[name]
        at = tuple(carried.get((parent, name), slice(None)) for parent in parents)
        scope = tuple(place[parent] for parent in parents if (parent, name) not in carried)
        return Factor((*scope, place[name]), table[at])


@dataclass(frozen=True, slots=True)
class Worlds:
    """Every exogenous state, with its probability, and the equations that turn it into a world."""

    noise: Mapping[str, "Array"]
    weights: "Array"
    equations: Mapping[str, Expression]
    spelled: Mapping[str, str] = field(default_factory=dict)
    """How the equations write each name."""

    def run(self, budget: Budget, do: Mapping[str, float] | None = None) -> "dict[str, Array]":
        """Return the values of all names in every world, with `do` set from outside.

        The equations are ordered so that every name is defined before it is read.
        """
        import numpy as np

        count = len(self.weights)
        fixed = do or {}
        values = {
            self.spelled[name]: np.full(count, fixed[name]) if name in fixed else held
            for name, held in self.noise.items()
        }
        for name, equation in self.equations.items():
            budget.check()
            values[self.spelled[name]] = np.full(count, fixed[name]) if name in fixed else equation.array(values, count)
        return {name: values[self.spelled[name]] for name in (*self.noise, *self.equations)}


def worlds(
    noise: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    equations: Mapping[str, Expression],
    spelled: Mapping[str, str],
) -> Worlds:
    """Return the worlds of noises given as values with shares. Raises `InvalidArgument` if there are too many."""
    import numpy as np

    at_most(prod(len(values) for values, _ in noise.values()), MOST_WORLDS, "states of the noise", argument="noise")
    grids = np.meshgrid(*(np.asarray(values, dtype=float) for values, _ in noise.values()), indexing="ij")
    weights = np.meshgrid(*(np.asarray(shares, dtype=float) for _, shares in noise.values()), indexing="ij")
    weight = np.prod([one.ravel() for one in weights], axis=0)
    return Worlds(
        {name: grid.ravel() for name, grid in zip(noise, grids, strict=True)}, weight / weight.sum(), equations, spelled
    )


def agreeing(values: "Mapping[str, Array]", with_: Mapping[str, float]) -> "np.ndarray[Any, np.dtype[np.bool_]]":
    """Return the worlds with these values."""
    import numpy as np

    count = len(next(iter(values.values())))
    kept = np.ones(count, dtype=bool)
    for name, value in with_.items():
        kept &= np.abs(values[name] - value) < SAME
    return kept


def distribution(values: "Array", weights: "Array") -> dict[float, float]:
    """Return the distribution of values over worlds with these weights, largest value first."""
    import numpy as np

    rounded = np.round(values, 9) + 0.0
    distinct, places = np.unique(rounded, return_inverse=True)
    totals = np.bincount(places, weights=weights, minlength=len(distinct))
    total = totals.sum()
    told = zip(distinct.tolist(), (totals / total).tolist(), strict=True)
    return {value: share for value, share in sorted(told, reverse=True) if share > 0}
