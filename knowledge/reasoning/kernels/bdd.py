"""Binary decision diagrams: probabilities of conditions over independent events, and their minimal causes.

Bryant 1986; Rauzy 1993 (minimal solutions of coherent functions, importance in one pass).
"""

from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count
from math import log, prod

from mabos.knowledge.reasoning.budget import Budget, at_most

LARGEST = 300_000
"""Nodes of a diagram."""
NO, YES = 0, 1

Node = int


class Diagram:
    """Shared nodes over ordered events: an event, the node if it does not happen, and the node if it does.

    The first two nodes are `NO` and `YES`. Recursion is as deep as the number of events.
    """

    def __init__(self, events: Sequence[str], budget: Budget) -> None:
        self.events = tuple(events)
        self._budget = budget
        end = len(self.events)
        self._nodes: list[tuple[int, Node, Node]] = [(end, NO, NO), (end, YES, YES)]
        self._known: dict[tuple[int, Node, Node], Node] = {}
        self._joined: dict[tuple[bool, Node, Node], Node] = {}
        self._minimal: dict[Node, Node] = {}
        self._without: dict[tuple[Node, Node], Node] = {}
        self._steps = 0

    def event(self, name: str) -> Node:
        """Return the node of an event that happens."""
        return self._node(self.events.index(name), NO, YES)

    def all_of(self, nodes: Sequence[Node]) -> Node:
        """Return the node of all happening."""
        result = YES
        for node in nodes:
            result = self._join(True, result, node)
        return result

    def any_of(self, nodes: Sequence[Node]) -> Node:
        """Return the node of at least one happening."""
        result = NO
        for node in nodes:
            result = self._join(False, result, node)
        return result

    def least_of(self, least: int, nodes: Sequence[Node]) -> Node:
        """Return the node of at least one happening."""
        reached = [YES] + [NO] * least
        for node in nodes:
            for number in range(least, 0, -1):
                more = self._join(True, reached[number - 1], node)
                reached[number] = self._join(False, reached[number], more)
        return reached[least]

    def minimal(self, node: Node) -> Node:
        """Return the diagram whose paths to `YES` are the minimal sets of events that make `node` happen.

        For conditions in which no event ever prevents anything.
        """
        if node <= YES:
            return node
        if node not in self._minimal:
            place, low, high = self._nodes[node]
            least = self.minimal(low)
            self._minimal[node] = self._node(place, least, self._less(self.minimal(high), low))
        return self._minimal[node]

    def counted(self, node: Node) -> int:
        """Return the number of sets in a diagram of sets."""
        counts = {NO: 0, YES: 1}
        for one in self._budget.each(self._upwards(node), every=256):
            _, low, high = self._nodes[one]
            counts[one] = counts[low] + counts[high]
        return counts[node]

    def likeliest(self, node: Node, shares: Mapping[str, float]) -> Iterator[tuple[tuple[str, ...], float]]:
        """Yield the sets of a diagram of sets, most probable first, with their probabilities."""
        weights = [-log(shares[name]) if shares[name] > 0 else 1e9 for name in self.events]
        nearest = {NO: float("inf"), YES: 0.0}
        for one in self._budget.each(self._upwards(node), every=256):
            place, low, high = self._nodes[one]
            nearest[one] = min(nearest[low], weights[place] + nearest[high])
        order = count(0, -1)  # of equals the latest, so that one set is finished before the next is begun
        heap: list[tuple[float, int, float, Node, tuple[str, ...]]] = []
        if nearest[node] < float("inf"):
            heappush(heap, (round(nearest[node], 9), next(order), 0.0, node, ()))
        while heap:
            self._budget.check()
            _, _, paid, one, chosen = heappop(heap)
            if one == YES:
                # Sorted, equal factors give equal products: what is as probable compares as that.
                yield chosen, prod(sorted(shares[name] for name in chosen))
                continue
            place, low, high = self._nodes[one]
            for after, cost, names in (
                (low, paid, chosen),
                (high, paid + weights[place], (*chosen, self.events[place])),
            ):
                if nearest[after] < float("inf"):
                    heappush(heap, (round(cost + nearest[after], 9), next(order), cost, after, names))

    def probability(self, node: Node, shares: Mapping[str, float]) -> float:
        """Return the probability of `node`."""
        return self._worth(node, shares)[node]

    def differences(self, node: Node, shares: Mapping[str, float]) -> dict[str, float]:
        """Return by how much each event raises the probability of `node` (Birnbaum 1969)."""
        worth, reached = self._worth(node, shares), {node: 1.0}
        raised = dict.fromkeys(self.events, 0.0)
        downwards = sorted(self._upwards(node), key=lambda one: self._nodes[one][0])
        for one in self._budget.each(downwards, every=256):
            place, low, high = self._nodes[one]
            name, here = self.events[place], reached.get(one, 0.0)
            raised[name] += here * (worth[high] - worth[low])
            reached[high] = reached.get(high, 0.0) + here * shares[name]
            reached[low] = reached.get(low, 0.0) + here * (1 - shares[name])
        return raised

    def _worth(self, node: Node, shares: Mapping[str, float]) -> dict[Node, float]:
        worth = {NO: 0.0, YES: 1.0}
        for one in self._budget.each(self._upwards(node), every=256):
            place, low, high = self._nodes[one]
            share = shares[self.events[place]]
            worth[one] = share * worth[high] + (1 - share) * worth[low]
        return worth

    def _upwards(self, node: Node) -> list[Node]:
        """Return the nodes below and including one, the lower first."""
        seen: set[Node] = set()
        pending = [node]
        while pending:
            one = pending.pop()
            if one > YES and one not in seen:
                self._step()
                seen.add(one)
                pending += self._nodes[one][1:]
        return sorted(seen, key=lambda one: -self._nodes[one][0])

    def _step(self) -> None:
        """Look at the clock now and then."""
        self._steps += 1
        if not self._steps % 256:
            self._budget.check()

    def _node(self, place: int, low: Node, high: Node) -> Node:
        if low == high:
            return low
        key = (place, low, high)
        if key not in self._known:
            at_most(len(self._nodes), LARGEST, "nodes of a decision diagram")
            self._known[key] = len(self._nodes)
            self._nodes.append(key)
        return self._known[key]

    def _join(self, both: bool, a: Node, b: Node) -> Node:
        """Return the node of both or of either."""
        end, neutral = (NO, YES) if both else (YES, NO)
        if end in (a, b):
            return end
        if a in (b, neutral):
            return b
        if b == neutral:
            return a
        key = (both, a, b) if a < b else (both, b, a)
        if key not in self._joined:
            self._step()
            place = min(self._nodes[a][0], self._nodes[b][0])
            low = self._join(both, self._part(a, place, 1), self._part(b, place, 1))
            high = self._join(both, self._part(a, place, 2), self._part(b, place, 2))
            self._joined[key] = self._node(place, low, high)
        return self._joined[key]

    def _part(self, node: Node, place: int, which: int) -> Node:
        return self._nodes[node][which] if self._nodes[node][0] == place else node

    def _less(self, sets: Node, condition: Node) -> Node:
        """Return the sets that do not by themselves make a condition happen."""
        if sets == NO or condition == YES:
            return NO
        if condition == NO:
            return sets
        if sets == YES:
            return YES
        key = (sets, condition)
        if key not in self._without:
            self._step()
            first, other = self._nodes[sets][0], self._nodes[condition][0]
            if other < first:
                self._without[key] = self._less(sets, self._nodes[condition][1])
            else:
                low = self._less(self._nodes[sets][1], self._part(condition, first, 1))
                high = self._less(self._nodes[sets][2], self._part(condition, first, 2))
                self._without[key] = self._node(first, low, high)
        return self._without[key]
