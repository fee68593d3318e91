"""The simple cycles of a graph, each once (Johnson 1975)."""

from collections.abc import Iterator, Mapping, Sequence

from mabos.knowledge.reasoning.budget import Budget


def cycles(following: Mapping[str, Sequence[str]], budget: Budget) -> Iterator[tuple[str, ...]]:
    """Yield every simple cycle, each beginning with its first node in the order of `following`."""
    order = {node: place for place, node in enumerate(following)}
    back: dict[str, list[str]] = {node: [] for node in following}
    for node, after in budget.each(following.items()):
        for one in after:
            back[one].append(node)
    for start in following:
        first = order[start]
        within = _reached(start, following, order, first, budget)
        within &= _reached(start, back, order, first, budget) if len(within) > 1 else within
        if start in following[start] or len(within) > 1:
            yield from _through(start, {node: [n for n in following[node] if n in within] for node in within}, budget)


def _reached(
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
    """Yield the cycles through a node; one that led nowhere is not tried again before what it led to is free."""
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
