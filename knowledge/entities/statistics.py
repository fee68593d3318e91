"""The figures of a memory: how much there is, how it hangs together, how it grows and how sure it is (S2, metrics)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from knowledge.entities.model import ENTITY_TYPES, RELATION_TYPES, Entity, Observation, Relation
from knowledge.entities.ranking import days_between

Neighbours = Mapping[str, set[str]]


@dataclass(frozen=True, slots=True)
class Figures:
    """What the figures are of."""

    entities: Sequence[Entity]
    relations: Sequence[Relation]
    observations: Sequence[Observation]


@dataclass(frozen=True, slots=True)
class Growth:
    """What came in an average week since the first."""

    entities_per_week: float
    observations_per_week: float


@dataclass(frozen=True, slots=True)
class Quality:
    """How sure the memory is: shares from 0 to 1."""

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
    knowledge_growth_rate: Growth
    quality_indicators: Quality

    def as_json(self) -> dict[str, Any]:
        """Return S2's fields, rounded."""
        return {name: _rounded(value) for name, value in asdict(self).items()}


def figures(of: Figures, now: datetime) -> Stats:
    """Return the figures; relations to sessions and tasks are counted, and no part of the shape."""
    entities, count = {one.id: one for one in of.entities}, len(of.entities)
    among = [one for one in of.relations if one.from_id in entities and one.to_id in entities]
    neighbours = _neighbours(entities, among)
    arcs = {(one.from_id, one.to_id) for one in among}
    return Stats(
        _counted(ENTITY_TYPES, (one.type for one in of.entities)),
        _counted(RELATION_TYPES, (one.type for one in of.relations)),
        len(of.observations),
        len(of.observations) / count if count else 0.0,
        len(arcs) / (count * (count - 1)) if count > 1 else 0.0,
        largest_component(neighbours),
        clustering(neighbours),
        _growth(of, now),
        _quality(of.entities, among),
    )


def largest_component(neighbours: Neighbours) -> int:
    """Return how many hang together at most, whatever the direction."""
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
    """Return how often two neighbours of one are neighbours themselves, as the mean over all (Watts and Strogatz 1998).

    >>> clustering({"a": {"b", "c"}, "b": {"a", "c"}, "c": {"a", "b"}, "d": set()})
    0.75
    """
    return sum(_closed(one, neighbours) for one in neighbours) / len(neighbours) if neighbours else 0.0


def _closed(one: str, neighbours: Neighbours) -> float:
    mine = neighbours[one]
    if len(mine) < 2:
        return 0.0
    links = sum(len(neighbours[other] & mine) for other in mine)
    return links / (len(mine) * (len(mine) - 1))


def _neighbours(entities: Iterable[str], relations: Iterable[Relation]) -> Neighbours:
    found: dict[str, set[str]] = {one: set() for one in entities}
    for relation in relations:
        if relation.from_id != relation.to_id:
            found[relation.from_id].add(relation.to_id)
            found[relation.to_id].add(relation.from_id)
    return found


def _counted(names: Sequence[str], there: Iterable[str]) -> dict[str, int]:
    counts = Counter(there)
    return {name: counts[name] for name in names}


def _growth(of: Figures, now: datetime) -> Growth:
    first = min((one.created_at for one in of.entities if one.created_at), default="")
    weeks = max(1.0, days_between(first, now) / 7)
    return Growth(len(of.entities) / weeks, len(of.observations) / weeks)


def _quality(entities: Sequence[Entity], among: Sequence[Relation]) -> Quality:
    sure = [one.confidence for one in entities if one.confidence is not None]
    insights = [one for one in entities if one.type == "Insight"]
    validated = sum(len(one.sessions) > 1 for one in insights)
    contested = {end for one in among if one.type == "CONTRADICTS" for end in (one.from_id, one.to_id)}
    return Quality(
        sum(sure) / len(sure) if sure else 0.0,
        validated / len(insights) if insights else 0.0,
        len(contested) / len(entities) if entities else 0.0,
    )


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _rounded(one) for key, one in value.items()}
    return round(value, 4) if isinstance(value, float) else value
