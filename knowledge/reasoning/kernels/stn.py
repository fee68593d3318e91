"""Simple temporal networks: bounds on differences, their tightest form, and what they contradict.

Dechter, Meiri and Pearl 1991: a network is consistent if and only if its distance graph has no negative cycle.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf

from mabos.knowledge.reasoning.budget import Budget


@dataclass(frozen=True, slots=True)
class Edge:
    """`to` comes at most `weight` after `source`; `label` names the bound it came from."""

    source: int
    to: int
    weight: float
    label: int


def negative_cycle(count: int, edges: list[Edge], budget: Budget) -> list[Edge] | None:
    """Return the edges of a cycle of negative weight, or None: Bellman and Ford, from everywhere at once."""
    distance = [0.0] * count
    by: list[Edge | None] = [None] * count
    last: Edge | None = None
    for _ in range(count):
        last = None
        for one in budget.each(edges, every=256):
            if distance[one.source] + one.weight < distance[one.to] - 1e-9:
                distance[one.to] = distance[one.source] + one.weight
                by[one.to] = last = one
        if last is None:
            return None
    at = last.to if last else 0
    for _ in range(count):
        before = by[at]
        at = before.source if before else at
    cycle: list[Edge] = []
    here = at
    while not cycle or here != at:
        before = by[here]
        if before is None:
            return None
        cycle.append(before)
        here = before.source
    return cycle[::-1]


def shortest(count: int, edges: Iterable[Edge], budget: Budget) -> list[list[float]]:
    """Return the largest difference between each two points of a consistent network: Floyd and Warshall."""
    table = [[0.0 if i == j else inf for j in range(count)] for i in range(count)]
    for one in edges:
        table[one.source][one.to] = min(table[one.source][one.to], one.weight)
    for middle in range(count):
        through = table[middle]
        for row in budget.each(table):
            first = row[middle]
            if first < inf:
                for to, second in enumerate(through):
                    row[to] = min(row[to], first + second)
    return table
