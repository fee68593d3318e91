"""What a memory holds after its operations, and which places of it hang together."""

from dataclasses import dataclass
from typing import Any

from mabos.knowledge.entities.model import REFERENCES, Entity, Kind, Observation, Relation

Touched = set[str]
_REFERRING = tuple(f"{kind}:" for kind in REFERENCES)


@dataclass(frozen=True, slots=True)
class Merge:
    """`keep` stands for `merged` since `at`."""

    id: str
    keep: str
    merged: tuple[str, ...]
    at: str


class Held:
    """Entities, observations and relations as they were said, and the merges and archive that lie over them."""

    def __init__(self) -> None:
        self.last = ""
        self.entities: dict[str, Entity] = {}
        self.observations: dict[str, Observation] = {}
        self.relations: dict[str, Relation] = {}
        self.merges: dict[str, Merge] = {}
        self.archived: set[str] = set()
        self.observed: dict[str, dict[str, None]] = {}
        self.related: dict[str, dict[str, None]] = {}
        self.stated: dict[str, dict[str, None]] = {}  # session -> entities that it stated
        self._merged: dict[str, str] = {}
        self._kept: dict[str, dict[str, None]] = {}  # entity -> merges by which it stands for others
        self._dated: set[str] = set()  # entities of which was said since when they hold
        self._touched: Touched = set()  # places that changed since somebody asked

    def is_there(self, entity_id: str) -> bool:
        """Return whether there is such an entity outside the archive, merged or not."""
        return entity_id in self.entities and entity_id not in self.archived

    def merge_of(self, entity_id: str) -> Merge | None:
        """Return the merge by which another one stands for this entity."""
        return self.merges.get(self._merged.get(entity_id, ""))

    def stands_for(self, entity_id: str) -> list[str]:
        """Return the entities for which this one stands, directly and through others."""
        found: list[str] = []
        waiting = self._merged_into(entity_id)
        while waiting:
            found.append(one := waiting.pop())
            waiting += self._merged_into(one)
        return found

    def _merged_into(self, entity_id: str) -> list[str]:
        """Return the entities for which this one stands directly, the last first."""
        found = [one for merge_id in self._kept.get(entity_id, ()) for one in self.merges[merge_id].merged]
        return found[::-1]

    def is_merged(self, entity_id: str) -> bool:
        """Return whether an entity stands for others, or another one for it."""
        return bool(self._kept.get(entity_id)) or self.merge_of(entity_id) is not None

    def root(self, entity_id: str) -> str:
        """Return the entity that stands for this one in the end; itself if it was not merged."""
        while (merge := self.merge_of(entity_id)) is not None:
            entity_id = merge.keep
        return entity_id

    def places(self) -> Touched:
        """Return every place that gives something to the graph."""
        found = {f"entity/{id_}" for id_ in self.entities} | {f"observation/{id_}" for id_ in self.observations}
        found |= {f"relation/{id_}" for id_ in self.relations} | {f"reference/session:{id_}" for id_ in self.stated}
        ends = (end for relation in self.relations.values() for end in (relation.from_id, relation.to_id))
        return found | {f"reference/{end}" for end in ends if is_reference(end)}

    def records(self, kind: Kind) -> dict[str, Any]:
        """Return what was said of this kind, by id."""
        if kind == "entity":
            return self.entities
        return self.observations if kind == "observation" else self.relations

    def _touch_entity(self, entity_id: str) -> None:
        held = self.entities.get(entity_id)
        self._touched |= {f"entity/{entity_id}", f"entity/{self.root(entity_id)}"}
        self._touched.update(f"reference/session:{session}" for session in (held.sessions if held else ()))

    def _touch_relation(self, relation_id: str) -> None:
        self._touched.add(f"relation/{relation_id}")
        held = self.relations.get(relation_id)
        if held is None:
            return
        ends = (held.from_id, held.to_id)
        self._touched.update(f"reference/{end}" for end in ends if is_reference(end))
        if held.type == "CONTRADICTS":  # the confidence of both ends follows from it
            self._touched.update(f"entity/{self.root(end)}" for end in ends)

    def _touch_around(self, entity_id: str) -> None:
        """Touch what hangs on an entity, and on those for which it stands."""
        for one in (entity_id, *self.stands_for(entity_id)):
            self._touch_entity(one)
            self._touched.update(f"observation/{id_}" for id_ in self.observed.get(one, ()))
            for id_ in self.related.get(one, ()):
                self._touch_relation(id_)

    def _touch_merged(self, merge: Merge) -> None:
        for one in (merge.keep, self.root(merge.keep), *merge.merged):
            self._touch_around(one)


def is_reference(end: str) -> bool:
    """Return whether a relation's end is a session or a task."""
    return end.startswith(_REFERRING)
