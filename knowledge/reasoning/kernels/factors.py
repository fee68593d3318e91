"""Factors over discrete variables, and exact marginals of their product by a clique tree.

Lauritzen and Spiegelhalter 1988; elimination by least fill (Kjaerulff 1990). Messages are scaled, so that hundreds of
small factors do not underflow.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log, prod
from typing import TYPE_CHECKING, Any, TypeAlias

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget

if TYPE_CHECKING:
    import numpy as np

    Table: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

LARGEST_CLIQUE = 2**24
"""Cells of one table: 128 MB."""
FAR = 1e100
"""Cells are scaled where the largest is above this, or below one over it."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A table whose axes are the variables of `scope`, in that order."""

    scope: tuple[int, ...]
    table: "Table"


@dataclass(frozen=True, slots=True)
class Clique:
    """A variable in elimination order with its neighbours at that point; `parent` is the clique that takes over."""

    variable: int
    scope: tuple[int, ...]
    parent: int | None


def apply_evidence(factors: Iterable[Factor], evidence: Mapping[int, int]) -> list[Factor]:
    """Return the factors with the observed variables fixed and removed."""
    kept = []
    for one in factors:
        at = tuple(evidence.get(variable, slice(None)) for variable in one.scope)
        kept.append(Factor(tuple(v for v in one.scope if v not in evidence), one.table[at]))
    return kept


class CliqueTree:
    """The product of factors, as messages between cliques.

    `sizes` are the numbers of states by variable. Raises `InvalidArgument` for too large a clique, before any table is
    created.
    """

    def __init__(self, factors: Sequence[Factor], sizes: Mapping[int, int], budget: Budget) -> None:
        self.sizes = sizes
        self._budget = budget
        self.cliques = cliques(factors, sizes, budget)
        self._of = {one.variable: index for index, one in enumerate(self.cliques)}
        self._children: list[list[int]] = [[] for _ in self.cliques]
        for index, one in enumerate(self.cliques):
            if one.parent is not None:
                self._children[one.parent].append(index)
        self._own: list[list[Factor]] = [[] for _ in self.cliques]
        self._constants = [one for one in factors if not one.scope]
        for factor in budget.each(factors):
            if factor.scope:
                self._own[min(self._of[variable] for variable in factor.scope)].append(factor)
        self._up: list[Factor] = []
        self._down: list[Factor | None] = []
        self.log_weight = 0.0
        """The logarithm of the sum over all states: of the probability of the evidence, in a Bayesian network."""

    def propagate(self) -> bool:
        """Pass all messages; return False if the product is zero everywhere."""
        self.log_weight = sum(log(weight) if (weight := float(one.table)) > 0 else -inf for one in self._constants)
        for index, clique in enumerate(self.cliques):
            self._budget.check()
            product, scale = self._product(index)
            message = _sum_out(product, (clique.variable,))
            weight = float(message.table.sum())
            if weight <= 0 or self.log_weight == -inf:
                return False
            self.log_weight += log(weight) + scale
            self._up.append(Factor(message.scope, message.table / weight))
        self._down = [None] * len(self.cliques)
        for index in reversed(range(len(self.cliques))):
            self._budget.check()
            for child in self._budget.each(self._children[index]):
                gone = tuple(v for v in self.cliques[index].scope if v not in self._up[child].scope)
                message = _sum_out(self._product(index, without=child)[0], gone)
                total = float(message.table.sum())
                self._down[child] = Factor(message.scope, message.table / total) if total > 0 else message
        return True

    def marginal(self, variable: int) -> "Table":
        """Return the distribution of a variable's states, after `propagate`."""
        index = self._of[variable]
        belief = _sum_out(self._product(index)[0], tuple(v for v in self.cliques[index].scope if v != variable))
        shares: Table = belief.table / belief.table.sum()
        return shares

    def _product(self, index: int, without: int | None = None) -> tuple[Factor, float]:
        """Return the scaled product of a clique's own factors and its messages, the one from `without` left out."""
        messages = [self._up[child] for child in self._children[index] if child != without]
        down = self._down[index] if self._down else None
        factors = [*self._own[index], *messages, *([down] if down is not None else [])]
        return _product(factors, self.cliques[index].scope, self.sizes)


def most_probable(factors: Sequence[Factor], sizes: Mapping[int, int], budget: Budget) -> tuple[dict[int, int], float]:
    """Return the states in which the product is largest, and the logarithm of that value (-inf: zero everywhere)."""
    import numpy as np

    order = cliques(factors, sizes, budget)
    place = {clique.variable: index for index, clique in enumerate(order)}
    waiting: list[list[Factor]] = [[] for _ in order]
    rest = [one for one in factors if not one.scope]

    def put(one: Factor) -> None:
        """Let a factor wait for the first of its variables."""
        (waiting[min(place[variable] for variable in one.scope)] if one.scope else rest).append(one)

    for one in budget.each(one for one in factors if one.scope):
        put(one)
    choices: list[tuple[Clique, Factor]] = []
    total = 0.0
    for clique, mine in zip(order, waiting, strict=True):
        budget.check()
        joint, power = _product(mine, clique.scope, sizes)
        choices.append((clique, joint))
        axis = clique.scope.index(clique.variable)
        best = joint.table.max(axis=axis)
        scale = float(best.max())
        if scale <= 0:
            return {}, -inf
        total += log(scale) + power
        put(Factor(tuple(v for v in clique.scope if v != clique.variable), best / scale))
    states: dict[int, int] = {}
    for clique, joint in reversed(choices):
        at = tuple(states.get(variable, slice(None)) for variable in joint.scope)
        states[clique.variable] = int(np.argmax(joint.table[at]))
    left = prod((float(one.table) for one in rest), start=1.0)
    return states, total + log(left) if left > 0 else -inf


def cliques(factors: Sequence[Factor], sizes: Mapping[int, int], budget: Budget) -> list[Clique]:
    """Return the cliques of an elimination order of least fill. Raises `InvalidArgument` if one is too large."""
    neighbours: dict[int, set[int]] = {variable: set() for variable in sizes}
    for one in budget.each(factors):
        for variable in one.scope:
            neighbours[variable].update(v for v in one.scope if v != variable)
    scopes: list[tuple[int, tuple[int, ...]]] = []
    fill = {variable: _fill(variable, neighbours, budget) for variable in neighbours}
    while neighbours:
        budget.check()
        variable = min(neighbours, key=lambda v: (fill[v], len(neighbours[v]), v))
        around = neighbours.pop(variable)
        scope = (variable, *sorted(around))
        cells = prod(sizes[v] for v in scope)
        if cells > LARGEST_CLIQUE:
            msg = (
                f"an exact answer needs a table of {cells:,} cells, more than {LARGEST_CLIQUE:,}; draw samples instead"
            )
            raise InvalidArgument(msg, argument="network")
        scopes.append((variable, scope))
        for v in budget.each(around):
            neighbours[v] |= around - {v}
            neighbours[v].discard(variable)
        for v in around.union(*(neighbours[v] for v in around)) if around else ():
            fill[v] = _fill(v, neighbours, budget)
    place = {variable: index for index, (variable, _) in enumerate(scopes)}
    return [
        Clique(variable, scope, min((place[v] for v in scope if v != variable), default=None))
        for variable, scope in scopes
    ]


def _fill(variable: int, neighbours: Mapping[int, set[int]], budget: Budget) -> int:
    """Return how many edges eliminating `variable` would add."""
    around = neighbours[variable]
    return sum(len(around - neighbours[v]) - 1 for v in budget.each(around)) // 2


def _product(factors: Sequence[Factor], scope: tuple[int, ...], sizes: Mapping[int, int]) -> tuple[Factor, float]:
    """Return the product of factors as a table over all of `scope`, scaled, and the logarithm of the scale.

    It is scaled where its largest cell would leave the range of numbers: a class of hundreds of observed parts.
    """
    import numpy as np

    table, scale = np.ones(tuple(sizes[v] for v in scope)), 0.0
    for one in factors:
        table = table * _align_axes(one, scope)
        peak = float(table.max())
        if peak > 0 and not 1 / FAR < peak < FAR:
            table, scale = table / peak, scale + log(peak)
    return Factor(scope, table), scale


def _align_axes(one: Factor, scope: tuple[int, ...]) -> "Table":
    """Return the table of a factor with an axis for each variable of `scope`, those it lacks of length one."""
    order = sorted(range(len(one.scope)), key=lambda axis: scope.index(one.scope[axis]))
    moved = one.table.transpose(order)
    lengths = iter(moved.shape)
    return moved.reshape(tuple(next(lengths) if v in one.scope else 1 for v in scope))


def _sum_out(one: Factor, gone: tuple[int, ...]) -> Factor:
    axes = tuple(one.scope.index(v) for v in gone)
    return Factor(tuple(v for v in one.scope if v not in gone), one.table.sum(axis=axes))
