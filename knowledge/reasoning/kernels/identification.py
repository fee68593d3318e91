"""Identification of effects: a formula over observed shares for an intervention's result, or why there is none.

Shpitser and Pearl 2006 (the complete algorithm, and conditional effects); the back-door and front-door formulas of
Pearl 2009 where they apply, because people know them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.kernels.graphs import CausalDiagram, NodeSet

if TYPE_CHECKING:
    import numpy as np

    Array: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True)
class ShareFormula:
    """The observed share of each combination of `over` among the cases with the states of `given`."""

    over: tuple[str, ...]
    given: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"P({', '.join(self.over)}{' | ' if self.given else ''}{', '.join(self.given)})"


@dataclass(frozen=True, slots=True)
class SumFormula:
    """The sum of a formula over all states of some variables."""

    over: tuple[str, ...]
    of: "Formula"

    def __str__(self) -> str:
        return f"sum[{', '.join(self.over)}] {self.of}"


@dataclass(frozen=True, slots=True)
class ProductFormula:
    """The product of formulas."""

    of: tuple["Formula", ...]

    def __str__(self) -> str:
        return " ".join(f"({one})" if isinstance(one, SumFormula) else str(one) for one in self.of)


@dataclass(frozen=True, slots=True)
class RatioFormula:
    """One formula divided by another."""

    top: "Formula"
    bottom: "Formula"

    def __str__(self) -> str:
        return f"[{self.top}] / [{self.bottom}]"


Formula: TypeAlias = ShareFormula | SumFormula | ProductFormula | RatioFormula


@dataclass(frozen=True, slots=True)
class Hedge:
    """Why an effect is not identifiable: two observationally equal models differ in it, within these districts."""

    whole: tuple[str, ...]
    inner: tuple[str, ...]


class _Hedged(Exception):  # the name of what was found
    def __init__(self, hedge: Hedge) -> None:
        super().__init__()
        self.hedge = hedge


def back_door(cause: Sequence[str], effect: Sequence[str], given: Sequence[str]) -> Formula:
    """Return the adjustment formula."""
    if not given:
        return ShareFormula(tuple(effect), tuple(cause))
    return SumFormula(
        tuple(given), ProductFormula((ShareFormula(tuple(effect), (*cause, *given)), ShareFormula(tuple(given))))
    )


def front_door(cause: str, effect: str, through: Sequence[str]) -> Formula:
    """Return the front-door formula."""
    inner = SumFormula((cause,), ProductFormula((ShareFormula((effect,), (cause, *through)), ShareFormula((cause,)))))
    return SumFormula(tuple(through), ProductFormula((ShareFormula(tuple(through), (cause,)), inner)))


def identify_effect(
    graph: CausalDiagram, causes: NodeSet, effects: NodeSet, budget: Budget, given: NodeSet = frozenset()
) -> Formula | Hedge:
    """Return the shares of `effects` under an intervention on `causes`, within `given`, as a formula, or the hedge."""
    for one in budget.each(sorted(given)):
        changed = graph.without_arrows_into(causes).without_arrows_from([one])
        if changed.is_separated(effects, [one], causes | given - {one}):
            return identify_effect(graph, causes | {one}, effects, budget, given - {one})
    try:
        joint = _effect(effects | given, causes, graph, None, budget)
    except _Hedged as found:
        return found.hedge
    return RatioFormula(joint, _sum(effects, joint)) if given else joint


def _effect(effects: NodeSet, causes: NodeSet, graph: CausalDiagram, shares: Formula | None, budget: Budget) -> Formula:
    """Return the formula of the seven lines of the algorithm; `shares` None are the observed ones."""
    budget.check()
    nodes = frozenset(graph.nodes)
    if not causes:
        return _sum(nodes - effects, shares) if shares else ShareFormula(_order_names(effects, graph))
    upstream = graph.ancestors(effects)
    if nodes != upstream:
        less = None if shares is None else _sum(nodes - upstream, shares)
        return _effect(effects, causes & upstream, graph.within(upstream), less, budget)
    idle = nodes - causes - graph.without_arrows_into(causes).ancestors(effects)
    if idle:
        return _effect(effects, causes | idle, graph, shares, budget)
    parts = graph.within(nodes - causes).districts()
    if len(parts) > 1:
        factors = tuple(_effect(part, nodes - part, graph, shares, budget) for part in parts)
        return _sum(nodes - effects - causes, ProductFormula(factors))
    (part,) = parts
    whole = graph.districts()
    if len(whole) == 1:
        raise _Hedged(Hedge(_order_names(nodes, graph), _order_names(part, graph)))
    around = next(one for one in whole if part <= one)
    chain = ProductFormula(tuple(_link(node, graph, shares) for node in budget.each(graph.nodes) if node in around))
    if part == around:
        return _sum(part - effects, chain)
    return _effect(effects, causes & around, graph.within(around), chain, budget)


def _link(node: str, graph: CausalDiagram, shares: Formula | None) -> Formula:
    """Return the share of a node's states given those before it: of them only those that matter to it."""
    before = graph.nodes[: graph.nodes.index(node)]
    if shares is None:
        district = next(one for one in graph.within((*before, node)).districts() if node in one)
        near = district | {parent for one in district for parent in graph.parents[one]}
        return ShareFormula((node,), tuple(one for one in before if one in near))
    later = frozenset(graph.nodes) - {*before, node}
    return RatioFormula(_sum(later, shares), _sum(later | {node}, shares))


def _sum(over: NodeSet, of: Formula) -> Formula:
    return SumFormula(tuple(sorted(over)), of) if over else of


def _order_names(names: NodeSet, graph: CausalDiagram) -> tuple[str, ...]:
    return tuple(one for one in graph.nodes if one in names)


def worth(formula: Formula, joint: "Array", axis: Mapping[str, int], budget: Budget) -> "Array":
    """Return the value of a formula, with an axis for every variable (of length one where it does not vary).

    `joint` has the shares of all states; axes not in `axis` are carried along. If a relevant state has no observations,
    the value is NaN.
    """
    import numpy as np

    budget.check()
    match formula:
        case ShareFormula(over, given):
            others = tuple(place for name, place in axis.items() if name not in (*over, *given))
            both = joint.sum(axis=others, keepdims=True)
            return _divide_shares(both, both.sum(axis=tuple(axis[name] for name in over), keepdims=True))
        case SumFormula(over, of):
            inner = worth(of, joint, axis, budget)
            total: Array = inner.sum(axis=tuple(axis[name] for name in over), keepdims=True)
            return total
        case ProductFormula(of):
            return reduce(_times, (worth(one, joint, axis, budget) for one in of), np.ones((1,) * joint.ndim))
        case RatioFormula(top, bottom):
            return _divide_shares(worth(top, joint, axis, budget), worth(bottom, joint, axis, budget))


def _times(a: "Array", b: "Array") -> "Array":
    """Return the product; zero times an unknown value is zero."""
    import numpy as np

    product: Array = np.where((a == 0) | (b == 0), 0.0, a * b)
    return product


def _divide_shares(top: "Array", bottom: "Array") -> "Array":
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(bottom == 0, np.nan, top / bottom)
