"""The thirteen relations of intervals: their composition, path consistency, and search for a consistent scenario.

Allen 1983. The composition table is derived from the end points, not typed in. Path consistency does not guarantee
consistency, so a scenario is searched for (Ladkin and Reinefeld 1992).
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product

from mabos.knowledge.reasoning.budget import Budget

RELATIONS = (
    "before", "after", "meets", "met-by", "overlaps", "overlapped-by", "starts", "started-by", "during", "contains",
    "finishes", "finished-by", "equals",
)  # fmt: skip
ALL = (1 << len(RELATIONS)) - 1
"""Every relation; a set of relations is the bits of a number."""

Network = list[list[int]]
"""For each pair of intervals the relations that may hold."""


def bit(relation: str) -> int:
    """Return a single relation as a set."""
    return 1 << RELATIONS.index(relation)


def names(relations: int) -> tuple[str, ...]:
    """Return the relations of a set, in Allen's order."""
    return tuple(name for place, name in enumerate(RELATIONS) if relations >> place & 1)


def between(a: tuple[float, float], b: tuple[float, float]) -> str:
    """Return the relation between two intervals given by their ends.

    >>> between((1, 3), (2, 5))
    'overlaps'
    """
    (start, end), (other_start, other_end) = a, b
    if end <= other_start:
        return "meets" if end == other_start else "before"
    if start >= other_end:
        return "met-by" if start == other_end else "after"
    sign = ((start > other_start) - (start < other_start), (end > other_end) - (end < other_end))
    return {
        (0, 0): "equals", (0, -1): "starts", (0, 1): "started-by", (1, 0): "finishes", (-1, 0): "finished-by",
        (1, -1): "during", (-1, 1): "contains", (-1, -1): "overlaps", (1, 1): "overlapped-by",
    }[sign]  # fmt: skip


@cache
def composition() -> Mapping[tuple[int, int], int]:
    """Return the possible relations of the first to the third of three intervals, for each pair of single relations.

    Six end points suffice: all their orders are those of intervals within 0 to 5.
    """
    intervals = [(low, high) for low in range(6) for high in range(low + 1, 6)]
    held = {(a, b): bit(between(a, b)) for a, b in product(intervals, repeat=2)}
    table: dict[tuple[int, int], int] = {}
    for a, b, c in product(intervals, repeat=3):
        key = held[a, b], held[b, c]
        table[key] = table.get(key, 0) | held[a, c]
    return table


@cache
def compose_relations(first: int, second: int) -> int:
    """Return the composition of two sets of relations."""
    table, result = composition(), 0
    for a in _single(first):
        for b in _single(second):
            result |= table[a, b]
    return result


@cache
def inverse(relations: int) -> int:
    """Return the inverse relations."""
    return sum(bit(_INVERSE[name]) for name in names(relations))


_INVERSE = {
    **dict(zip(RELATIONS[:12:2], RELATIONS[1:12:2], strict=True)),
    **dict(zip(RELATIONS[1:12:2], RELATIONS[:12:2], strict=True)),
    "equals": "equals",
}


def _single(relations: int) -> list[int]:
    return [1 << place for place in range(len(RELATIONS)) if relations >> place & 1]


def path_consistent(network: Network, budget: Budget, changed: Sequence[tuple[int, int]] | None = None) -> bool:
    """Narrow the network until no triangle narrows it further; return False if a pair has no relation left."""
    count = len(network)
    queue = list(changed) if changed is not None else [(i, j) for i in range(count) for j in range(i + 1, count)]
    if any(network[i][j] == 0 for i, j in queue):
        return False
    while queue:
        budget.check()
        i, j = queue.pop()
        for k in range(count):
            if k in (i, j):
                continue
            for a, b, through in ((i, k, j), (k, j, i)):
                narrowed = network[a][b] & compose_relations(network[a][through], network[through][b])
                if narrowed != network[a][b]:
                    if not narrowed:
                        return False
                    network[a][b], network[b][a] = narrowed, inverse(narrowed)
                    queue.append((a, b))
    return True


def scenario(network: Network, budget: Budget) -> Network | None:
    """Return a consistent narrowing of the network to single relations, or None."""
    narrowed = [list(row) for row in network]
    if not path_consistent(narrowed, budget):
        return None
    return _search(narrowed, budget)


def _search(network: Network, budget: Budget) -> Network | None:
    count = len(network)
    open_pairs = [
        (network[i][j].bit_count(), i, j)
        for i in range(count)
        for j in range(i + 1, count)
        if network[i][j].bit_count() > 1
    ]
    if not open_pairs:
        return network
    _, i, j = min(open_pairs)
    for one in _single(network[i][j]):
        budget.check()
        tried = [list(row) for row in network]
        tried[i][j], tried[j][i] = one, inverse(one)
        if path_consistent(tried, budget, [(i, j)]):
            found = _search(tried, budget)
            if found is not None:
                return found
    return None
