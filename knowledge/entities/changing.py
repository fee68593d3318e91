"""Change existing entities: invalidate, merge, set visibility, or forget (S2)."""

from collections.abc import Sequence

from mabos.backends.graph.model import GraphView
from mabos.configs.errors import InvalidArgument
from mabos.knowledge.entities.answers import Invalidation, MergeResult
from mabos.knowledge.entities.drafting import Circle, LineDrafts, maker_of, mergeable, record
from mabos.knowledge.entities.fold import MemoryState
from mabos.knowledge.entities.lines import InvalidateLine, Line, MergeLine, TombstoneLine, UnmergeLine, VisibilityLine
from mabos.knowledge.entities.model import Entity, Kind, derived_id
from mabos.knowledge.entities.viewer import Viewer
from mabos.workspace.clock import iso, parse_time


class EntityChanges:
    """The changes that one agent, or a person, may make to existing records."""

    def __init__(self, viewer: Viewer, drafts: LineDrafts) -> None:
        self._viewer = viewer
        self._store = viewer.store
        self._drafts = drafts

    def invalidate_fact(
        self, target: str, *, at: str = "", superseded_by: str = "", reason: str = "", kind: Kind | None = None
    ) -> Invalidation:
        """Mark an entity, observation or relation as ended, and name its replacement; it stays on record.

        `target` is an id, or addresses an entity. An entity that is superseded gets a `SUPERSEDES` relation. Raises
        `UnknownId`, and `InvalidArgument` if it had already ended.
        """
        made: list[Invalidation] = []

        def decide(state: MemoryState) -> list[Line]:
            found, id_ = self._drafts.target(state, target, kind)
            end = iso(parse_time(at, argument="at")) if at else self._viewer.now()
            held = record(state, found, id_)
            if held.valid_to and held.valid_to <= end:
                message = f"{target!r} has not held since {held.valid_to}; nothing is left to invalidate"
                raise InvalidArgument(message, argument="target")
            if end < held.valid_from:
                raise InvalidArgument(f"{target!r} holds from {held.valid_from} only; end it later", argument="at")
            by = self._drafts.replacement(state, found, id_, superseded_by)
            made[:] = [Invalidation(found, id_, end, by)]
            line = InvalidateLine(target=id_, kind=found, valid_to=end, superseded_by=by, reason=reason)
            return [self._viewer.sign(line)]

        self._store.commit(decide)
        return made[0]

    def merge_entities(self, keep: str, duplicates: Sequence[str], *, reason: str = "") -> MergeResult:
        """Merge entities of one type into one, which takes over their observations and relations.

        `undo_merge` reverses it completely. Raises `UnknownId`, and `InvalidArgument` if types or circles differ.
        """
        made: list[MergeLine] = []

        def decide(_: MemoryState) -> list[Line]:
            kept = self._viewer.current(keep, argument="entity")
            others = [self._viewer.current(one, argument="duplicates") for one in dict.fromkeys(duplicates)]
            for other in others:
                mergeable(kept, other)
            merged = tuple(dict.fromkeys(other.uid for other in others))
            if not merged:
                raise InvalidArgument("name at least one duplicate", argument="duplicates")
            id_ = derived_id("merge", kept.uid, *merged, self._viewer.now())
            made[:] = [self._viewer.sign(MergeLine(id=id_, keep=kept.uid, merged=merged, reason=reason))]
            return [*made]

        self._store.commit(decide)
        return MergeResult(made[0].id, self._viewer.read(made[0].keep), tuple(made[0].merged))

    def undo_merge(self, merge: str, *, reason: str = "") -> list[Entity]:
        """Undo a merge and return the restored entities; `merge` is its id, or names what was merged.

        An entity that stands for others names its one merge.

        Raises `InvalidArgument` if nothing was merged, or the merged entity is not visible.
        """
        made: list[tuple[str, ...]] = []

        def decide(state: MemoryState) -> list[Line]:
            ids = [merge, *(one.uid for one in self._viewer.named(merge))]
            found = next((one for id_ in ids if (one := state.merges.get(id_) or state.merge_of(id_))), None)
            kept = [one for one in state.merges.values() if one.keep in ids]
            found = found or (kept[0] if len(kept) == 1 else None)
            if found is None or not self._viewer.graph.fetch([found.keep], self._viewer.always):
                message = f"{merge!r} is not a merge; give the id from merge_entities, or the merged entity"
                raise InvalidArgument(message, argument="target")
            made[:] = [found.merged]
            return [self._viewer.sign(UnmergeLine(merge=found.id, reason=reason))]

        self._store.commit(decide)
        return [self._viewer.read(one) for one in made[0]]

    def set_visibility(
        self,
        entity: str,
        visibility: str,
        *,
        teams: Sequence[str] = (),
        agents: Sequence[str] = (),
        users: Sequence[str] = (),
    ) -> Entity:
        """Change the visibility of an entity and return it; only its creator or a person may.

        Raises `Refused`, `UnknownId`, and `InvalidArgument` if one of its type and name exists.
        """
        circle = self._drafts.circle(visibility, teams, agents, users) or Circle("public", ())
        made: list[str] = []

        def decide(state: MemoryState) -> list[Line]:
            node = self._viewer.own_node(entity, state)
            there = self._viewer.named(f"{node.type}:{node.name}", GraphView())
            if any(one.uid != node.uid and one.audience == circle.audience for one in there):
                message = f"a {circle.level} {node.type.lower()}:{node.name} is there already; merge it into that one"
                raise InvalidArgument(message, argument="visibility")
            made[:] = [node.uid]
            line = VisibilityLine(entity_id=node.uid, visibility=circle.level, audience=circle.audience)
            return [self._viewer.sign(line)]

        self._store.commit(decide)
        return self._viewer.read(made[0])

    def forget(self, target: str, *, reason: str = "", kind: Kind | None = None) -> Kind:
        """Delete an entity with all its records, an observation or a relation for good; return its kind.

        Only its creator or a person may. Raises `Refused`, `UnknownId`, and `InvalidArgument` for merged entities.
        """
        made: list[Kind] = []

        def decide(state: MemoryState) -> list[Line]:
            found, id_ = self._drafts.target(state, target, kind)
            self._viewer.check_maker(maker_of(record(state, found, id_)), target)
            if found == "entity" and state.is_merged(id_):
                raise InvalidArgument(f"{target!r} is merged with others; undo the merge first", argument="target")
            made[:] = [found]
            return [self._viewer.sign(TombstoneLine(target=id_, kind=found, reason=reason))]

        self._store.commit(decide)
        return made[0]
