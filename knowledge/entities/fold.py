"""Fold operations into a state: the same for any order of the lines, and for repeated lines.

A state takes operations in the order of their `op`. Each one reports the places that changed: `entity/{id}`,
`observation/{id}`, `relation/{id}` and `reference/{session:id}`; `parts` gives the graph of a place.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from mabos.knowledge.entities import lines as log_lines
from mabos.knowledge.entities.model import REFERENCES, Entity, Kind, Observation, Relation

Touched = set[str]
_REFERRING = tuple(f"{kind}:" for kind in REFERENCES)


@dataclass(frozen=True, slots=True)
class EntityMerge:
    """A merge: `keep` represents `merged` since `at`."""

    id: str
    keep: str
    merged: tuple[str, ...]
    at: str


class MemoryState:
    """Entities, observations and relations as stated, the merges and the archive, and the next operation."""

    def __init__(self) -> None:
        self.last = ""
        self.entities: dict[str, Entity] = {}
        self.observations: dict[str, Observation] = {}
        self.relations: dict[str, Relation] = {}
        self.merges: dict[str, EntityMerge] = {}
        self.archived: set[str] = set()
        self.observed: dict[str, dict[str, None]] = {}
        self.related: dict[str, dict[str, None]] = {}
        self.stated: dict[str, dict[str, None]] = {}  # session -> entities that it stated
        self._merged: dict[str, str] = {}
        self._kept: dict[str, dict[str, None]] = {}  # entity -> merges by which it stands for others
        self._dated: set[str] = set()  # entities of which was said since when they hold
        self._touched: Touched = set()  # places that changed since somebody asked

    def is_there(self, entity_id: str) -> bool:
        """Return whether such an entity exists outside the archive, merged or not."""
        return entity_id in self.entities and entity_id not in self.archived

    def merge_of(self, entity_id: str) -> EntityMerge | None:
        """Return the merge that replaced this entity by another."""
        return self.merges.get(self._merged.get(entity_id, ""))

    def stands_for(self, entity_id: str) -> list[str]:
        """Return the entities merged into this one, directly and through others."""
        found: list[str] = []
        waiting = self._merged_into(entity_id)
        while waiting:
            found.append(one := waiting.pop())
            waiting += self._merged_into(one)
        return found

    def _merged_into(self, entity_id: str) -> list[str]:
        """Return the entities merged directly into this one, the last first."""
        found = [one for merge_id in self._kept.get(entity_id, ()) for one in self.merges[merge_id].merged]
        return found[::-1]

    def is_merged(self, entity_id: str) -> bool:
        """Return whether an entity was merged, or others were merged into it."""
        return bool(self._kept.get(entity_id)) or self.merge_of(entity_id) is not None

    def root(self, entity_id: str) -> str:
        """Return the entity that finally represents this one; itself if it was not merged."""
        return self._shown_by(entity_id)[-1]

    def _shown_by(self, entity_id: str) -> list[str]:
        """Return this entity and those that it was merged into, the final one last: each shows what it says."""
        chain = [entity_id]
        while (merge := self.merge_of(chain[-1])) is not None:
            chain.append(merge.keep)
        return chain

    def places(self) -> Touched:
        """Return every place that contributes to the graph."""
        found = {f"entity/{id_}" for id_ in self.entities} | {f"observation/{id_}" for id_ in self.observations}
        found |= {f"relation/{id_}" for id_ in self.relations} | {f"reference/session:{id_}" for id_ in self.stated}
        ends = (end for relation in self.relations.values() for end in (relation.from_id, relation.to_id))
        return found | {f"reference/{end}" for end in ends if is_reference(end)}

    def records(self, kind: Kind) -> dict[str, Any]:
        """Return the records of a kind, by id."""
        if kind == "entity":
            return self.entities
        return self.observations if kind == "observation" else self.relations

    @classmethod
    def of(cls, lines: Iterable[log_lines.Line]) -> "MemoryState":
        """Return the state after the lines."""
        state = cls()
        state.take(sorted(lines, key=lambda line: line.op))
        return state

    def follows(self, lines: Iterable[log_lines.Line]) -> bool:
        """Return whether these come after everything applied so far, in order."""
        last = self.last
        for line in lines:
            if line.op < last:
                return False
            last = line.op
        return True

    def take(self, lines: Iterable[log_lines.Line]) -> Touched:
        """Apply the next operations and return the places that they change."""
        self._touched = touched = set[str]()
        for line in lines:
            if line.op != self.last:  # the same line again says nothing
                self.last = line.op
                _TAKEN[type(line)](self, line)
        return touched

    # One method for each kind of line.

    def take_entity(self, line: log_lines.EntityLine) -> None:
        """Apply an entity line: create the entity or update it."""
        held = self.entities.get(line.id)
        sessions = (line.source_session, *line.properties.get("evidence_sessions", ()))
        if held is None:
            entity = Entity(
                line.id,
                line.entity_type,
                line.name,
                line.label or line.name,
                MappingProxyType(dict(line.properties)),
                created_at=line.at,
                updated_at=line.at,
                created_by=line.by,
                visibility=line.visibility,
                audience=tuple(line.audience),
                valid_from=line.valid_from or line.at,
                valid_to=line.valid_to,
                superseded_by=line.superseded_by,
                sessions=_distinct(sessions),
            )
        else:
            entity = replace(
                held,
                label=line.label or held.label,
                properties=MappingProxyType({**held.properties, **line.properties}),
                updated_at=line.at,
                sessions=_distinct((*held.sessions, *sessions)),
            )
        self.entities[line.id] = entity
        if line.valid_from:
            self._dated.add(line.id)
        for session in entity.sessions:
            self.stated.setdefault(session, {})[line.id] = None
        if held is None:
            self._touch_around(line.id)
        else:
            self._touch_entity(line.id)

    def take_observation(self, line: log_lines.ObservationLine) -> None:
        """Apply an observation; an identical one changes nothing."""
        if line.id not in self.observations:
            self.observations[line.id] = Observation(
                line.id,
                line.entity_id,
                line.content,
                line.source_session,
                line.by,
                line.at,
                line.valid_from or line.at,
                line.valid_to,
            )
            self.observed.setdefault(line.entity_id, {})[line.id] = None
        self._touched.add(f"observation/{line.id}")
        self._held_since(line.entity_id, line.valid_from)

    def take_relation(self, line: log_lines.RelationLine) -> None:
        """Apply a relation; a repeated one replaces its properties."""
        held = self.relations.get(line.id)
        if held is not None:
            properties = MappingProxyType({**held.properties, **line.properties})
            self.relations[line.id] = replace(held, properties=properties)
            self._touched.add(f"relation/{line.id}")
            return
        self.relations[line.id] = Relation(
            line.id,
            line.relation_type,
            line.from_id,
            line.to_id,
            MappingProxyType(dict(line.properties)),
            line.at,
            line.by,
            line.valid_from or line.at,
            line.valid_to,
            line.superseded_by,
        )
        for end in (line.from_id, line.to_id):
            self.related.setdefault(end, {})[line.id] = None
            self._held_since(end, line.valid_from)
        self._touch_relation(line.id)

    def take_invalidate(self, line: log_lines.InvalidateLine) -> None:
        """Apply the end of an entity, observation or relation; the earliest end wins."""
        held: dict[str, Any] = self.records(line.kind)
        record = held.get(line.target)
        if record is None:
            return
        end, by = line.valid_to or line.at, line.superseded_by
        if record.valid_to and record.valid_to <= end:
            end, by = record.valid_to, record.superseded_by or by
        held[line.target] = replace(record, valid_to=end, superseded_by=by)
        if line.kind == "relation":
            self._touch_relation(line.target)
        else:
            self._touched.add(f"{line.kind}/{line.target}")

    def take_merge(self, line: log_lines.MergeLine) -> None:
        """Apply a merge; an entity is merged only once at a time, and never into itself."""
        standing = self.root(line.keep)
        merged = tuple(
            one for one in dict.fromkeys(line.merged) if self.merge_of(one) is None and one not in (line.keep, standing)
        )
        if line.id in self.merges or not merged:
            return
        merge = EntityMerge(line.id, line.keep, merged, line.at)
        self.merges[line.id] = merge
        self._merged |= dict.fromkeys(merged, line.id)
        self._kept.setdefault(line.keep, {})[line.id] = None
        self._touch_around(self.root(merge.keep))

    def take_unmerge(self, line: log_lines.UnmergeLine) -> None:
        """Undo a merge."""
        merge = self.merges.get(line.merge)
        if merge is None:
            return
        self._touch_around(self.root(merge.keep))
        del self.merges[merge.id]
        del self._kept[merge.keep][merge.id]
        for one in merge.merged:
            del self._merged[one]

    def take_visibility(self, line: log_lines.VisibilityLine) -> None:
        """Apply a new audience of an entity."""
        held = self.entities.get(line.entity_id)
        if held is None:
            return
        changed = replace(held, visibility=line.visibility, audience=tuple(line.audience), updated_at=line.at)
        self.entities[line.entity_id] = changed
        self._touch_around(line.entity_id)

    def take_tombstone(self, line: log_lines.TombstoneLine) -> None:
        """Delete an entity with all its records, an observation or a relation."""
        if line.kind == "observation":
            self._touched.add(f"observation/{line.target}")
            self._drop_observation(line.target)
        elif line.kind == "relation":
            self._touch_relation(line.target)
            self._drop_relation(line.target)
        else:
            self._touch_around(line.target)
            self._drop_entity(line.target)

    def take_archive(self, line: log_lines.ArchiveLine) -> None:
        """Archive an entity."""
        self.archived.add(line.entity_id)
        self._touch_around(line.entity_id)

    def take_restore(self, line: log_lines.RestoreLine) -> None:
        """Restore an entity from the archive."""
        self.archived.discard(line.entity_id)
        self._touch_around(line.entity_id)

    def _held_since(self, entity_id: str, start: str) -> None:
        # Of an entity without dates, what is said to have held before shows that it was there by then.
        held = self.entities.get(entity_id) if start and entity_id not in self._dated else None
        if held is not None and start < held.valid_from:
            self.entities[entity_id] = replace(held, valid_from=start)
            self._touch_around(entity_id)

    def _drop_entity(self, id_: str) -> None:
        for one in list(self.observed.get(id_, ())):
            self._drop_observation(one)
        for one in list(self.related.get(id_, ())):
            self._drop_relation(one)
        entity = self.entities.pop(id_, None)
        for session in entity.sessions if entity else ():
            self.stated[session].pop(id_, None)
        self.archived.discard(id_)

    def _drop_observation(self, id_: str) -> None:
        held = self.observations.pop(id_, None)
        if held is not None:
            self.observed[held.entity_id].pop(id_, None)

    def _drop_relation(self, id_: str) -> None:
        held = self.relations.pop(id_, None)
        for end in (held.from_id, held.to_id) if held else ():
            self.related[end].pop(id_, None)

    def _touch_entity(self, entity_id: str) -> None:
        held = self.entities.get(entity_id)
        self._touched.update(f"entity/{one}" for one in self._shown_by(entity_id))
        self._touched.update(f"reference/session:{session}" for session in (held.sessions if held else ()))

    def _touch_relation(self, relation_id: str) -> None:
        self._touched.add(f"relation/{relation_id}")
        if (held := self.relations.get(relation_id)) is None:
            return
        ends = (held.from_id, held.to_id)
        self._touched.update(f"reference/{end}" for end in ends if is_reference(end))
        if held.type == "CONTRADICTS":  # the confidence of both ends follows from it
            self._touched.update(f"entity/{one}" for end in ends for one in self._shown_by(end))

    def _touch_around(self, entity_id: str) -> None:
        """Touch the records of an entity, and of those merged into it."""
        for one in (entity_id, *self.stands_for(entity_id)):
            self._touch_entity(one)
            self._touched.update(f"observation/{id_}" for id_ in self.observed.get(one, ()))
            for id_ in self.related.get(one, ()):
                self._touch_relation(id_)


def is_reference(end: str) -> bool:
    """Return whether a relation's end is a session or a task."""
    return end.startswith(_REFERRING)


def _distinct(sessions: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for one in sessions if one))


_TAKEN: Mapping[type, Callable[[MemoryState, Any], None]] = {
    log_lines.EntityLine: MemoryState.take_entity,
    log_lines.ObservationLine: MemoryState.take_observation,
    log_lines.RelationLine: MemoryState.take_relation,
    log_lines.InvalidateLine: MemoryState.take_invalidate,
    log_lines.MergeLine: MemoryState.take_merge,
    log_lines.UnmergeLine: MemoryState.take_unmerge,
    log_lines.VisibilityLine: MemoryState.take_visibility,
    log_lines.TombstoneLine: MemoryState.take_tombstone,
    log_lines.ArchiveLine: MemoryState.take_archive,
    log_lines.RestoreLine: MemoryState.take_restore,
}
