"""The results of the entity memory, and their JSON: S2's fields."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from mabos.knowledge.entities.conclusions import ConclusionConflict
from mabos.knowledge.entities.contradiction import RelationConflict
from mabos.knowledge.entities.finding import Means
from mabos.knowledge.entities.model import Entity, Kind, Observation, Relation
from mabos.knowledge.entities.outside import SessionReading
from mabos.knowledge.entities.thoughts import SkippedThought

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class CreatedEntity:
    """An entity that was created or restated; `observations` are the new ones.

    `conflicts` are other insights or decisions with the same conclusion, or a different one.
    """

    entity: Entity
    is_new: bool
    observations: tuple[Observation, ...] = ()
    conflicts: tuple[ConclusionConflict, ...] = ()
    notices: tuple[str, ...] = ()

    def as_json(self) -> Json:
        """Return it with S2's `entityId`."""
        return {
            "entityId": self.entity.id,
            "created": self.is_new,
            "entity": entity_json(self.entity),
            "observations": [record_json(one) for one in self.observations],
            "conflicts": [asdict(one) for one in self.conflicts],
            "notices": list(self.notices),
        }


@dataclass(frozen=True, slots=True)
class AddedObservation:
    """An observation that was added, or already existed."""

    observation: Observation
    is_new: bool
    notices: tuple[str, ...] = ()

    def as_json(self) -> Json:
        """Return it with its id."""
        return {
            "observationId": self.observation.id,
            "created": self.is_new,
            "observation": record_json(self.observation),
            "notices": list(self.notices),
        }


@dataclass(frozen=True, slots=True)
class AddedRelation:
    """A new or existing relation, and those it superseded, repeated or contradicts."""

    relation: Relation
    is_new: bool
    conflicts: tuple[RelationConflict, ...] = ()
    notices: tuple[str, ...] = ()

    def as_json(self) -> Json:
        """Return it with its id."""
        return {
            "relationId": self.relation.id,
            "created": self.is_new,
            "relation": record_json(self.relation),
            "conflicts": [_conflict_json(one) for one in self.conflicts],
            "notices": list(self.notices),
        }


@dataclass(frozen=True, slots=True)
class Invalidation:
    """A record that no longer holds, its end, and its replacement."""

    kind: Kind
    target: str
    valid_to: str
    superseded_by: str = ""

    def as_json(self) -> Json:
        """Return its fields."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class MergeResult:
    """An entity that now represents others; `merge_id` undoes the merge."""

    merge_id: str
    entity: Entity
    merged: tuple[str, ...]

    def as_json(self) -> Json:
        """Return its fields."""
        return {"mergeId": self.merge_id, "entity": entity_json(self.entity), "merged": list(self.merged)}


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entity, session or task at the other end of a relation."""

    relation: Relation
    id: str
    type: str
    name: str
    label: str

    def as_json(self) -> Json:
        """Return its fields, with the type of the relation and whether it leads there."""
        return {
            "id": self.id,
            "type": self.type,
            "name": self.name,
            "label": self.label,
            "relation": self.relation.type,
            "direction": "out" if self.relation.to_id == self.id else "in",
            "relation_id": self.relation.id,
        }


@dataclass(frozen=True, slots=True)
class EntityProfile:
    """An entity with its observations, its relations, and its access count."""

    entity: Entity
    observations: tuple[Observation, ...]
    related: tuple[Neighbour, ...]
    source_sessions: tuple[str, ...]
    access_count: int
    last_accessed_at: str
    importance: float

    def as_json(self) -> Json:
        """Return S2's fields of an entity, with its observations and neighbours."""
        counted = {"access_count": self.access_count, "last_accessed_at": self.last_accessed_at}
        return {
            "entity": entity_json(self.entity) | counted | {"importance_score": round(self.importance, 4)},
            "observations": [record_json(one) for one in self.observations],
            "related": [one.as_json() for one in self.related],
            "source_sessions": list(self.source_sessions),
        }


@dataclass(frozen=True, slots=True)
class EntityMatch:
    """An entity that fits a question, with its `similarity` and its `score` in the ranking (S2, query ranking)."""

    profile: EntityProfile
    similarity: float
    score: float

    def as_json(self) -> Json:
        """Return S2's fields of a result."""
        ranked = {"similarity": round(self.similarity, 4), "score": round(self.score, 4)}
        return self.profile.as_json() | ranked


@dataclass(frozen=True, slots=True)
class EntityMatches:
    """The matches for a question, best first, the means by which they were found, and a notice."""

    results: tuple[EntityMatch, ...]
    used: Means
    notice: str = ""

    def as_json(self) -> Json:
        """Return its fields."""
        return {"results": [one.as_json() for one in self.results], "used": self.used, "notice": self.notice}


@dataclass(frozen=True, slots=True)
class WalkHit:
    """A node that a walk reached: an entity, or (with `entity` None) a session or task, and the path of relations to
    it.
    """

    id: str
    entity: Entity | None
    depth: int
    path: tuple[Relation, ...]

    def as_json(self) -> Json:
        """Return its fields."""
        kind, _, name = self.id.partition(":")
        shown = entity_json(self.entity) if self.entity else {"id": self.id, "type": kind.capitalize(), "name": name}
        return {"entity": shown, "depth": self.depth, "path": [record_json(one) for one in self.path]}


@dataclass(frozen=True, slots=True)
class EntityWalk:
    """The nodes reached from an entity, and all relations among them; `is_cut` says that there is more."""

    start: Entity
    hits: tuple[WalkHit, ...]
    relations: tuple[Relation, ...]
    is_cut: bool = False

    def as_json(self) -> Json:
        """Return its fields."""
        return {
            "start": entity_json(self.start),
            "results": [one.as_json() for one in self.hits],
            "relations": [record_json(one) for one in self.relations],
            "cut": self.is_cut,
        }


@dataclass(frozen=True, slots=True)
class EntitySnapshot:
    """An entity as it was at some time, with the observations and relations valid then."""

    entity: Entity
    observations: tuple[Observation, ...] = ()
    related: tuple[Neighbour, ...] = ()

    def as_json(self) -> Json:
        """Return its fields."""
        return {
            "entity": entity_json(self.entity),
            "observations": [record_json(one) for one in self.observations],
            "related": [one.as_json() for one in self.related],
        }


@dataclass(frozen=True, slots=True)
class Cleanup:
    """The entities moved into the archive, and how many entities were considered."""

    archived: Sequence[Entity] = field(default_factory=tuple)
    considered: int = 0

    def as_json(self) -> Json:
        """Return its fields."""
        return {"archived": [entity_json(one) for one in self.archived], "considered": self.considered}


@dataclass(frozen=True, slots=True)
class SessionKnowledge:
    """The result of an extraction: new and confirmed entities, new relations, skipped thoughts and notices."""

    created: tuple[Entity, ...]
    confirmed: tuple[Entity, ...]
    linked: tuple[Relation, ...]
    skipped: tuple[SkippedThought, ...]
    notices: tuple[str, ...] = ()
    reading: SessionReading | None = None

    def as_json(self) -> Json:
        """Return S2's three counts and the counted items; for an outside session also its statements."""
        return ({"read": self.reading.as_json()} if self.reading else {}) | {
            "created": len(self.created),
            "linked": len(self.linked),
            "skipped": len(self.skipped),
            "entities": [entity_json(one) for one in self.created],
            "confirmed": [entity_json(one) for one in self.confirmed],
            "relations": [record_json(one) for one in self.linked],
            "reasons": [f"S{one.thought}: {one.reason}" for one in self.skipped],
            "notices": list(self.notices),
        }


def entity_json(entity: Entity) -> Json:
    """Return S2's fields of an entity; `valid_to` is null while it holds."""
    told = record_json(entity)
    sessions = list(told.pop("sessions"))
    about = {"audience": list(entity.audience), "merged_into": entity.merged_into or None, "source_sessions": sessions}
    return {"id": entity.id, "address": entity.address} | told | about


def record_json(record: Entity | Observation | Relation) -> Json:
    """Return S2's fields that entities, observations and relations have alike."""
    told = {one.name: getattr(record, one.name) for one in fields(record)}
    told |= {name: told[name] or None for name in ("valid_to", "superseded_by")}
    return told | ({"properties": dict(told["properties"])} if "properties" in told else {})


def _conflict_json(one: RelationConflict) -> Json:
    return {"existing": one.existing.id, "incoming": one.incoming.id, "action": one.action, "reason": one.reason}
