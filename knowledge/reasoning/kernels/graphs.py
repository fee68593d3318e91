"""Causal graphs: separation, districts, and the sets that identify an effect from observation.

Arrows between named nodes, and pairs that share an unobserved cause. Pearl, Causality, 2nd ed. 2009 (separation,
back-door and front-door criteria, conditional instruments); Shachter 1998 (reachability); Tian and Pearl 2002
(districts); van der Zander, Liskiewicz and Textor 2014 (minimal adjustment sets); Johnson 1975 (simple cycles).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import chain, combinations, product
from typing import Any

from mabos.knowledge.reasoning.budget import Budget

MOST_SETS = 32
"""Sets of one sort that are listed."""
MOST_TRIED = 512
"""Sets that are tried in a search."""
NodeSet = frozenset[str]


@dataclass(frozen=True, slots=True)
class CausalDiagram:
    """Every node with its parents, parents first, and the pairs with an unobserved common cause."""

    parents: Mapping[str, tuple[str, ...]]
    confounded: frozenset[tuple[str, str]] = frozenset()

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes, parents first."""
        return tuple(self.parents)

    def children(self) -> dict[str, list[str]]:
        """Return the children of each node."""
        below: dict[str, list[str]] = {node: [] for node in self.parents}
        for node, above in self.parents.items():
            for parent in above:
                below[parent].append(node)
        return below

    def spouses(self) -> dict[str, list[str]]:
        """Return for each node the nodes that share an unobserved cause with it."""
        beside: dict[str, list[str]] = {node: [] for node in self.parents}
        for a, b in sorted(self.confounded):
            beside[a].append(b)
            beside[b].append(a)
        return beside

    def ancestors(self, of: Iterable[str]) -> NodeSet:
        """Return the ancestors of `of`, and these themselves."""
        return _collect_reachable(of, lambda node: self.parents[node])

    def descendants(self, of: Iterable[str]) -> NodeSet:
        """Return the descendants of `of`, and these themselves."""
        children = self.children()
        return _collect_reachable(of, lambda node: children[node])

    def within(self, kept: Iterable[str]) -> "CausalDiagram":
        """Return the subgraph on the nodes `kept`."""
        names = frozenset(kept)
        parents = {node: tuple(p for p in above if p in names) for node, above in self.parents.items() if node in names}
        return CausalDiagram(parents, frozenset(pair for pair in self.confounded if names.issuperset(pair)))

    def without_arrows_into(self, nodes: Iterable[str]) -> "CausalDiagram":
        """Return the graph in which `nodes` are set from outside, without incoming arrows."""
        names = frozenset(nodes)
        parents = {node: () if node in names else above for node, above in self.parents.items()}
        return CausalDiagram(parents, frozenset(pair for pair in self.confounded if names.isdisjoint(pair)))

    def without_arrows_from(self, nodes: Iterable[str]) -> "CausalDiagram":
        """Return the graph in which `nodes` have no effects."""
        names = frozenset(nodes)
        parents = {node: tuple(p for p in above if p not in names) for node, above in self.parents.items()}
        return CausalDiagram(parents, self.confounded)

    def districts(self) -> tuple[NodeSet, ...]:
        """Return the maximal sets connected by unobserved common causes, ordered by their first nodes."""
        found: list[NodeSet] = []
        beside, placed = self.spouses(), set[str]()
        for node in self.parents:
            if node not in placed:
                found.append(_collect_reachable([node], lambda one: beside[one]))
                placed |= found[-1]
        return tuple(found)

    def observing(self, latent: Iterable[str], budget: Budget) -> "CausalDiagram":
        """Return the graph without the nodes `latent`, but with their influence: the latent projection (Verma 1993)."""
        parents = dict(self.parents)
        below = {node: dict.fromkeys(found) for node, found in self.children().items()}
        beside = {node: dict.fromkeys(found) for node, found in self.spouses().items()}
        for node in budget.each(latent):
            above, children, tied = parents.pop(node), below.pop(node), beside.pop(node)
            for child in budget.each(children):
                held = parents[child]
                parents[child] = tuple(dict.fromkeys(q for p in held for q in (above if p == node else (p,))))
            for parent in above:
                del below[parent][node]
                below[parent].update(children)
            for one in tied:
                del beside[one][node]
            for a, b in budget.each(chain(combinations(children, 2), product(children, tied))):
                if a != b:
                    beside[a][b] = beside[b][a] = None
        return CausalDiagram(parents, frozenset(_pair(a, b) for a, found in beside.items() for b in found))

    def is_separated(self, one: Iterable[str], other: Iterable[str], given: Iterable[str] = ()) -> bool:
        """Return whether every path between two sets of nodes is blocked by the nodes `given` (d-separation)."""
        held, goals = frozenset(given), frozenset(other)
        opened, children, spouses = self.ancestors(held), self.children(), self.spouses()
        seen: set[tuple[str, bool]] = set()
        pending = [(node, True) for node in one if node not in held]
        while pending:
            node, from_below = pending.pop()
            if (node, from_below) in seen:
                continue
            seen.add((node, from_below))
            if node in goals and node not in held:
                return False
            if node not in held:
                pending += [(child, False) for child in children[node]]
            if (from_below and node not in held) or (not from_below and node in opened):
                pending += [(parent, True) for parent in self.parents[node]]
                pending += [(spouse, False) for spouse in spouses[node]]
        return True


def graph(
    nodes: Iterable[str], arrows: Iterable[tuple[str, str]], confounded: Iterable[tuple[str, str]] = ()
) -> CausalDiagram:
    """Return the graph of these arrows, in a canonical order; raises `ValueError` for a cycle."""
    above: dict[str, set[str]] = {node: set() for node in nodes}
    for cause, effect in arrows:
        above.setdefault(cause, set())
        above.setdefault(effect, set()).add(cause)
    ordered = {node: tuple(sorted(above[node])) for node in parents_first(above)}
    return CausalDiagram(ordered, frozenset(_pair(a, b) for a, b in confounded if a != b))


def parents_first(parents: Mapping[str, Iterable[str]], place: Callable[[str], Any] | None = None) -> list[str]:
    """Return the nodes with parents first, one generation after another, each in the order of `place`.

    Raises `ValueError` with a node on a cycle.
    """
    sorter = TopologicalSorter(parents)
    try:
        sorter.prepare()
    except CycleError as error:
        raise ValueError(f"{min(error.args[1])!r} is on a cycle; causes must come before effects") from None
    ordered: list[str] = []
    while generation := sorted(sorter.get_ready(), key=place):
        ordered += generation
        sorter.done(*generation)
    return ordered


def is_adjustment(graph: CausalDiagram, cause: str, effect: str, given: NodeSet) -> bool:
    """Return whether `given` satisfies the back-door criterion for the effect of one node on another."""
    if given & (graph.descendants([cause]) | {effect}):
        return False
    return (
        graph.is_separated([cause], [effect], given)
        if cause == effect
        else _blocks_backdoor(graph, cause, effect, given)
    )


def _blocks_backdoor(graph: CausalDiagram, cause: str, effect: str, given: NodeSet) -> bool:
    return graph.without_arrows_from([cause]).is_separated([cause], [effect], given)


def adjustment_sets(graph: CausalDiagram, cause: str, effect: str, budget: Budget) -> tuple[list[NodeSet], bool]:
    """Return the minimal sets satisfying the back-door criterion, smallest first, and whether these are all."""
    possible = graph.ancestors([cause, effect]) - graph.descendants([cause]) - {effect}
    if not is_adjustment(graph, cause, effect, possible):
        return [], True
    found, whole = _minimal(
        possible, lambda given: _blocks_backdoor(graph, cause, effect, given), len(possible), budget
    )
    return found or [_shrunk(possible, lambda given: _blocks_backdoor(graph, cause, effect, given), budget)], whole


def front_doors(graph: CausalDiagram, cause: str, effect: str, budget: Budget) -> tuple[list[NodeSet], bool]:
    """Return the minimal mediator sets satisfying the front-door criterion, and whether these are all."""
    between = (graph.descendants([cause]) & graph.ancestors([effect])) - {cause, effect}
    no_back_door = graph.without_arrows_from([cause])

    def meets(through: NodeSet) -> bool:
        cut = graph.without_arrows_into(through)
        return (
            bool(through)
            and effect not in cut.within(set(graph.nodes) - through).descendants([cause])
            and no_back_door.is_separated([cause], through)
            and graph.without_arrows_from(through).is_separated(through, [effect], [cause])
        )

    if effect not in graph.descendants([cause]):
        return [], True
    return _minimal(between, meets, 3, budget)


def instruments(graph: CausalDiagram, cause: str, effect: str, budget: Budget) -> list[tuple[str, NodeSet]]:
    """Return the nodes that affect the outcome only through the cause, each with the nodes to condition on."""
    blunted = graph.without_arrows_from([cause])
    after = graph.descendants([cause, effect])
    found: list[tuple[str, NodeSet]] = []
    for node in graph.nodes:
        if node in after:
            continue
        for given in _subsets(graph.ancestors([node, effect]) - after - {node}, 2):
            budget.check()
            if blunted.is_separated([node], [effect], given) and not graph.is_separated([node], [cause], given):
                found.append((node, given))
                break
        if len(found) == MOST_SETS:
            break
    return found


def _minimal(
    possible: NodeSet, meets: Callable[[NodeSet], bool], largest: int, budget: Budget
) -> tuple[list[NodeSet], bool]:
    """Return the sets that meet a condition none of whose subsets does, and whether the search was complete."""
    found: list[NodeSet] = []
    for tried, one in enumerate(_subsets(possible, largest)):
        budget.check()
        if tried == MOST_TRIED or len(found) == MOST_SETS:
            return found, False
        if not any(smaller <= one for smaller in found) and meets(one):
            found.append(one)
            if not one:
                break
    return found, largest >= len(possible) or found == [frozenset()]


def _shrunk(whole: NodeSet, meets: Callable[[NodeSet], bool], budget: Budget) -> NodeSet:
    """Return a subset that meets the condition and from which nothing can be taken."""
    for one in budget.each(sorted(whole)):
        if meets(whole - {one}):
            whole -= {one}
    return whole


def _subsets(of: NodeSet, largest: int) -> Iterator[NodeSet]:
    for size in range(min(largest, len(of)) + 1):
        yield from map(frozenset, combinations(sorted(of), size))


def _collect_reachable(start: Iterable[str], following: Callable[[str], Iterable[str]]) -> NodeSet:
    seen: set[str] = set()
    pending = list(start)
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending += following(node)
    return frozenset(seen)


def _pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


def cycles(following: Mapping[str, Sequence[str]], budget: Budget) -> Iterator[tuple[str, ...]]:
    """Yield every simple cycle, starting with its first node in the order of `following`."""
    order = {node: place for place, node in enumerate(following)}
    back: dict[str, list[str]] = {node: [] for node in following}
    for node, after in budget.each(following.items()):
        for one in after:
            back[one].append(node)
    for start in following:
        first = order[start]
        within = _within_reach(start, following, order, first, budget)
        within &= _within_reach(start, back, order, first, budget) if len(within) > 1 else within
        if start in following[start] or len(within) > 1:
            yield from _through(start, {node: [n for n in following[node] if n in within] for node in within}, budget)


def _within_reach(
    start: str, following: Mapping[str, Sequence[str]], order: Mapping[str, int], first: int, budget: Budget
) -> set[str]:
    """Return the nodes that a node reaches by way of nodes whose place in the order is `first` or later."""
    seen, pending = {start}, [start]
    while pending:
        budget.check()
        for one in following[pending.pop()]:
            if one not in seen and order[one] >= first:
                seen.add(one)
                pending.append(one)
    return seen


def _through(start: str, following: Mapping[str, Sequence[str]], budget: Budget) -> Iterator[tuple[str, ...]]:
    """Yield the cycles through a node; a dead end is not tried again before a node after it is free."""
    path, blocked = [start], {start}
    waiting: dict[str, set[str]] = {node: set() for node in following}
    closed: set[str] = set()
    stack = [iter(following[start])]
    while stack:
        budget.check()
        node = next(stack[-1], None)
        if node == start:
            closed.update(path)
            yield tuple(path)
        elif node is not None and node not in blocked:
            path.append(node)
            blocked.add(node)
            closed.discard(node)
            stack.append(iter(following[node]))
        elif node is None:
            stack.pop()
            done = path.pop()
            if done in closed:
                _unblock(done, blocked, waiting)
            else:
                for after in following[done]:
                    waiting[after].add(done)


def _unblock(node: str, blocked: set[str], waiting: Mapping[str, set[str]]) -> None:
    pending = [node]
    while pending:
        one = pending.pop()
        if one in blocked:
            blocked.discard(one)
            pending += waiting[one]
            waiting[one].clear()
