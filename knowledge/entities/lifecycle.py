"""Keep the memory small: archive unimportant, old, rarely accessed entities once a month (S2).

Their lines move from `graph.jsonl` to `graph-archive.jsonl`; `restore` moves them back.
"""

from dataclasses import dataclass

from mabos.configs.errors import Refused, unknown
from mabos.knowledge.entities.answers import Cleanup
from mabos.knowledge.entities.fold import MemoryState
from mabos.knowledge.entities.lines import ArchiveLine, Line, RestoreLine
from mabos.knowledge.entities.model import Entity
from mabos.knowledge.entities.parts import whole
from mabos.knowledge.entities.ranking import days_between, importance
from mabos.knowledge.entities.viewer import Viewer


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """The limits below which entities are archived (S2, entity lifecycle), and the days between checks."""

    importance: float = 0.3
    age_days: float = 90
    accesses: int = 3
    every_days: float = 30


class EntityArchive:
    """The part of the memory that archives and restores entities."""

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._store = viewer.store

    def archive(self, entity: str, *, reason: str = "") -> Entity:
        """Archive an entity and return it; only its creator or a person may.

        Raises `Refused`, `UnknownId`, and `InvalidArgument` for entities merged with others.
        """
        made: list[Entity] = []

        def decide(state: MemoryState) -> list[Line]:
            node = self._viewer.own_node(entity, state)
            made[:] = [whole(state, node.uid)]
            return [self._viewer.sign(ArchiveLine(entity_id=node.uid, reason=reason))]

        self._store.into_archive(decide)
        return made[0]

    def archived(self) -> list[Entity]:
        """Return the archived entities visible to the caller, by address."""
        hidden = self._store.in_archive()
        mine = self._viewer.principals
        seen = (one for one in hidden if mine is None or not one.audience or not mine.isdisjoint(one.audience))
        return sorted(seen, key=lambda one: (one.address, one.id))

    def restore(self, reference: str) -> Entity:
        """Restore an entity with all its records from the archive; raises `UnknownId`."""
        there = self.archived()
        found = [one for one in there if reference in (one.id, one.address, one.name)]
        if not found:
            raise unknown("archived entity", reference, [one.address for one in there], argument="entity")
        self._store.out_of_archive(found[0].id, self._viewer.sign(RestoreLine(entity_id=found[0].id)))
        return self._viewer.read(found[0].id)

    def clean(self, limits: ArchiveLimits | None = None) -> Cleanup:
        """Archive everyone's unimportant, old and rarely accessed entities, and return them with a count.

        Only a person, or maintenance, may. Raises `Refused`.
        """
        if self._viewer.agent_id:
            raise Refused("only a person or the maintenance may clean a memory; an agent may archive its own entries")
        bounds, made, considered = limits or ArchiveLimits(), list[Entity](), 0

        def decide(state: MemoryState) -> list[Line]:
            nonlocal considered
            made[:] = [whole(state, one) for one in state.entities if self._is_little(state, one, bounds)]
            considered = len(state.entities)
            reason = f"importance below {bounds.importance:g} after {bounds.age_days:g} days"
            return [self._viewer.sign(ArchiveLine(entity_id=one.id, reason=reason)) for one in made]

        self._store.into_archive(decide)
        return Cleanup(tuple(made), considered)

    def clean_monthly(self, limits: ArchiveLimits | None = None) -> Cleanup | None:
        """Clean as `clean` does if the last time was a month ago; otherwise return None."""
        bounds = limits or ArchiveLimits()
        if not self._store.is_due("cleaned", bounds.every_days):
            return None
        return self.clean(bounds)

    def _is_little(self, state: MemoryState, id_: str, bounds: ArchiveLimits) -> bool:
        entity, now = state.entities[id_], self._viewer.clock()
        accesses, _ = self._store.accesses.of(id_)
        days = days_between(entity.created_at, now)
        is_kept = accesses >= bounds.accesses or days <= bounds.age_days
        if is_kept or state.is_merged(id_) or not state.is_there(id_):
            return False
        degree = len(state.related.get(id_, ()))
        return importance(accesses, days, degree, self._store.highest_degree) < bounds.importance
