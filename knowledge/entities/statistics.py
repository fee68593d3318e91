"""The figures of a memory: size, structure, growth and certainty (S2, metrics)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from mabos.knowledge.entities.model import ENTITY_TYPES, RELATION_TYPES, Entity, Observation, Relation
from mabos.knowledge.entities.ranking import days_between

Neighbours = Mapping[str, set[str]]
Link = tuple[str, str, str]
"""Start, type and end of a relation."""


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """The visible records of a memory."""

    entities: Sequence[Entity]
    relations: Sequence[Relation]
    observations: Sequence[Observation]


@dataclass(frozen=True, slots=True)
class GrowthRate:
    """The additions in an average week since the first one."""

    entities_per_week: float
    observations_per_week: float


@dataclass(frozen=True, slots=True)
class Quality:
    """The certainty of the memory: shares from 0 to 1."""

    avg_confidence: float
    validation_rate: float
    conflict_rate: float


@dataclass(frozen=True, slots=True)
class Stats:
    """The figures of a memory (S2, metrics)."""

    entity_counts: Mapping[str, int]
    relation_counts: Mapping[str, int]
    total_observations: int
    avg_observations_per_entity: float
    graph_density: float
    largest_component_size: int
    avg_clustering_coefficient: float
    knowledge_growth_rate: GrowthRate
    quality_indicators: Quality

    def as_json(self) -> dict[str, Any]:
        """Return S2's fields, rounded."""
        return {name: _round_values(value) for name, value in asdict(self).items()}


def figures(of: Sequence[Entity], links: Sequence[Link], observations: int, now: datetime) -> Stats:
    """Return the figures; relations to sessions and tasks are counted, but do not affect the structure."""
    entities, count = {one.id for one in of}, len(of)
    among = [link for link in links if link[0] in entities and link[2] in entities]
    neighbours = _neighbours(entities, among)
    arcs = {(start, end) for start, _, end in among}
    return Stats(
        _count_names(ENTITY_TYPES, (one.type for one in of)),
        _count_names(RELATION_TYPES, (type_ for _, type_, _ in links)),
        observations,
        observations / count if count else 0.0,
        len(arcs) / (count * (count - 1)) if count > 1 else 0.0,
        largest_component(neighbours),
        clustering(neighbours),
        _growth(of, observations, now),
        _quality(of, among),
    )


def largest_component(neighbours: Neighbours) -> int:
    """Return the size of the largest connected component, ignoring direction."""
    largest, left = 0, set(neighbours)
    while left:
        frontier, size = [left.pop()], 0
        while frontier:
            size += 1
            fresh = neighbours[frontier.pop()] & left
            left -= fresh
            frontier += fresh
        largest = max(largest, size)
    return largest


def clustering(neighbours: Neighbours) -> float:
    """Return the mean clustering coefficient of all nodes (Watts and Strogatz 1998).

    >>> clustering({"a": {"b", "c"}, "b": {"a", "c"}, "c": {"a", "b"}, "d": set()})
    0.75
    """
    return sum(_clustering_coefficient(one, neighbours) for one in neighbours) / len(neighbours) if neighbours else 0.0


def _clustering_coefficient(one: str, neighbours: Neighbours) -> float:
    mine = neighbours[one]
    if len(mine) < 2:
        return 0.0
    links = sum(len(neighbours[other] & mine) for other in mine)
    return links / (len(mine) * (len(mine) - 1))


def _neighbours(entities: Iterable[str], links: Iterable[Link]) -> Neighbours:
    found: dict[str, set[str]] = {one: set() for one in entities}
    for start, _, end in links:
        if start != end:
            found[start].add(end)
            found[end].add(start)
    return found


def _count_names(names: Sequence[str], there: Iterable[str]) -> dict[str, int]:
    counts = Counter(there)
    return {name: counts[name] for name in names}


def _growth(of: Sequence[Entity], observations: int, now: datetime) -> GrowthRate:
    first = min((one.created_at for one in of if one.created_at), default="")
    weeks = max(1.0, days_between(first, now) / 7)
    return GrowthRate(len(of) / weeks, observations / weeks)


def _quality(entities: Sequence[Entity], among: Sequence[Link]) -> Quality:
    sure = [one.confidence for one in entities if one.confidence is not None]
    insights = [one for one in entities if one.type == "Insight"]
    validated = sum(len(one.sessions) > 1 for one in insights)
    contested = {uid for start, type_, end in among if type_ == "CONTRADICTS" for uid in (start, end)}
    return Quality(
        sum(sure) / len(sure) if sure else 0.0,
        validated / len(insights) if insights else 0.0,
        len(contested) / len(entities) if entities else 0.0,
    )


def _round_values(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _round_values(one) for key, one in value.items()}
    return round(value, 4) if isinstance(value, float) else value
