"""Conflicts between desires, and their resolution (S3 6.3).

Three strategies, chosen by context: a divisible resource is shared by priority; time-sensitive desires with different
deadlines take turns; otherwise the higher priority goes ahead and the other waits.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from mabos.knowledge.values import number
from mabos.knowledge.wording import are_opposed, name_key, words
from mabos.mind.conditions import ConditionClause, Lookup, direction, parse
from mabos.mind.desires import is_fulfilled
from mabos.mind.model import Desire
from mabos.mind.times import due

ResolutionStrategy = Literal["priority-based", "resource-sharing", "temporal-scheduling"]
DIVISIBLE = words("budget marketing_budget money cash time attention engineering_time staff hours capacity")
_WAITS = "waits for "


@dataclass(frozen=True, slots=True)
class Resolution:
    """The resolution of one conflict, and `why`; `order` is the sequence, `shares` the resource by id."""

    strategy: ResolutionStrategy
    over: str
    winner: str
    suspended: tuple[str, ...] = ()
    shares: dict[str, float] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    why: str = ""


def resolve_conflicts(
    desires: Sequence[Desire],
    lookup: Lookup | None = None,
    *,
    divisible: Iterable[str] = DIVISIBLE,
    strategy: ResolutionStrategy | None = None,
) -> tuple[Resolution, ...]:
    """Return one resolution for each conflict among the desires; `strategy` overrides the choice for all.

    A desire whose target holds needs nothing, and one that serves another does not compete with it.
    """
    divisible = frozenset(map(name_key, divisible))
    found = []
    suspended: set[str] = set()
    for over, rivals, excluding in _conflicts(desires, lookup):
        standing = [desire for desire in rivals if desire.id not in suspended]
        if len(standing) > 1:
            chosen, why = (strategy, "as asked for") if strategy else _strategy(over, standing, excluding, divisible)
            resolution = replace(_resolve_rivalry(over, standing, chosen), why=why)
            suspended.update(resolution.suspended)
            found.append(resolution)
    return tuple(found)


def apply_resolutions(desires: Sequence[Desire], resolutions: Sequence[Resolution]) -> tuple[Desire, ...]:
    """Return the changed desires: those that wait now or for another one, and those that no longer wait."""
    names = {desire.id: desire for desire in desires}
    wait = {waiting: resolution for resolution in resolutions for waiting in resolution.suspended}
    changed = []
    for desire in desires:
        if desire.id in wait:
            how = wait[desire.id]
            winner = f"{how.winner} ({names[how.winner].name})"
            reason = f"{_WAITS}{winner}: {how.strategy} over {how.over}, since {how.why}"
            if (desire.status, desire.reason) != ("suspended", reason):
                changed.append(replace(desire, status="suspended", reason=reason))
        elif _waits(desire):
            changed.append(replace(desire, status="active", reason=""))
    return tuple(changed)


def _asks(desire: Desire, lookup: Lookup | None) -> bool:
    """Return whether a desire contends: one that waits does so too, since its priority may have risen meanwhile."""
    stands = desire.status == "active" or _waits(desire)
    return stands and not (lookup is not None and is_fulfilled(desire, lookup))


def _waits(desire: Desire) -> bool:
    return desire.status == "suspended" and desire.reason.startswith(_WAITS)


def _conflicts(desires: Sequence[Desire], lookup: Lookup | None) -> Iterator[tuple[str, list[Desire], bool]]:
    """Yield the object of each conflict, its rivals, and whether they exclude each other regardless of shares."""
    active = [desire for desire in desires if _asks(desire, lookup)]
    resources: dict[str, list[Desire]] = defaultdict(list)
    metrics: dict[str, list[Desire]] = defaultdict(list)
    for desire in active:
        if desire.resource:
            resources[name_key(desire.resource)].append(desire)
        for metric in _metrics(desire):
            metrics[metric].append(desire)
    for metric, rivals in metrics.items():
        for place, one in enumerate(rivals):
            for other in rivals[place + 1 :]:
                if _exclude(one, other, metric):
                    yield metric, [one, other], True
    for resource, rivals in resources.items():
        apart = [one for one in rivals if not any(one.serves in {other.id, other.name} - {""} for other in rivals)]
        if len(apart) > 1:
            yield resource, apart, False


def _metrics(desire: Desire) -> set[str]:
    wanted = direction(desire.target)
    if wanted:
        return {name_key(wanted[0])}
    return {name_key(clause.subject) for clauses in parse(desire.target) for clause in clauses}


def _exclude(one: Desire, other: Desire, metric: str) -> bool:
    a, b = direction(one.target), direction(other.target)
    if a and b:
        return a[1] != b[1]
    bounds = [_find_bounds(desire, metric) for desire in (one, other)]
    if None in bounds:
        return are_opposed(one.name, other.name)
    (low_a, high_a), (low_b, high_b) = (bound for bound in bounds if bound is not None)
    return max(low_a, low_b) > min(high_a, high_b)


def _find_bounds(desire: Desire, metric: str) -> tuple[float, float] | None:
    low, high = float("-inf"), float("inf")
    for clause in (
        clause for clauses in parse(desire.target) for clause in clauses if name_key(clause.subject) == metric
    ):
        limit = number(clause.value)
        if limit is None:
            return None
        low, high = _narrow_bounds(clause, limit, low, high)
    return low, high


def _narrow_bounds(clause: ConditionClause, limit: float, low: float, high: float) -> tuple[float, float]:
    if clause.op in (">", ">=", "="):
        low = max(low, limit)
    if clause.op in ("<", "<=", "="):
        high = min(high, limit)
    return low, high


def _strategy(
    over: str, rivals: Sequence[Desire], excluding: bool, divisible: frozenset[str]
) -> tuple[ResolutionStrategy, str]:
    """Return the strategy for a conflict, and the reason."""
    if excluding:
        return "priority-based", "what the one wants rules the other out"
    if over in divisible:
        return "resource-sharing", f"{over} can be divided"
    deadlines = [due(desire.deadline) for desire in rivals]
    if all(deadlines) and len(set(deadlines)) == len(deadlines):
        return "temporal-scheduling", "each has a deadline of its own"
    return "priority-based", f"{over} cannot be divided"


def _resolve_rivalry(over: str, rivals: Sequence[Desire], strategy: ResolutionStrategy) -> Resolution:
    if strategy == "temporal-scheduling":
        ranked = sorted(rivals, key=lambda desire: (-desire.urgency, -desire.priority, desire.id))
    else:
        ranked = sorted(rivals, key=lambda desire: (-desire.priority, desire.id))
    ids = tuple(desire.id for desire in ranked)
    if strategy == "resource-sharing":
        total = sum(desire.priority for desire in ranked)
        shares = {desire.id: round(desire.priority / total if total else 1 / len(ranked), 4) for desire in ranked}
        return Resolution(strategy, over, ids[0], shares=shares, order=ids)
    return Resolution(strategy, over, ids[0], suspended=ids[1:], order=ids)
