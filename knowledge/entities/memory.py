"""What is written to the entity memory: entities, observations, relations, their ends, merges and circles (S2).

Every write is decided on the present state under one lock, and is one append; what it answers with is read back from
the graph. An agent writes on what it may see; what somebody else made, only that one or a person hides or removes.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from backends.graph.model import View
from configs.errors import InvalidArgument
from knowledge.entities.addressing import named
from knowledge.entities.agreement import settled
from knowledge.entities.answers import Created, Invalidated, Linked, Merged, Observed
from knowledge.entities.conclusions import Disagreement
from knowledge.entities.contradiction import Conflict
from knowledge.entities.drafting import (
    Circle,
    Period,
    Statement,
    content_of,
    maker_of,
    mergeable,
    record,
)
from knowledge.entities.drafting import named as entity_named
from knowledge.entities.fold import State
from knowledge.entities.lines import (
    InvalidateLine,
    Line,
    MergeLine,
    ObservationLine,
    TombstoneLine,
    UnmergeLine,
    VisibilityLine,
)
from knowledge.entities.model import Entity, Kind, Relation, derived_id, entity_type, relation_type
from knowledge.entities.properties import checked
from knowledge.entities.review import Reviewing
from knowledge.entities.screening import Screening
from workspace.clock import iso, parse_time


class EntityMemory(Reviewing):
    """The entity memory as one agent has it, or with no `agent_id` a person. Cheap to make; the store stays open."""

    def create_entity(
        self,
        type: str,  # noqa: A002  # S2's name for it
        name: str = "",
        label: str = "",
        *,
        properties: Mapping[str, Any] | None = None,
        observations: Sequence[str] = (),
        source_session: str = "",
        visibility: str = "",
        teams: Sequence[str] = (),
        agents: Sequence[str] = (),
        users: Sequence[str] = (),
        valid_from: str = "",
        valid_to: str = "",
    ) -> Created:
        """Return a new entity with its observations; one that is there under this type and name is stated anew.

        Stated anew, properties replace those before, and another `source_session` makes an insight surer. Without a
        name, the label makes one. `teams`, `agents` and `users` are who may see what is `team-private`. Raises
        `InvalidArgument` and `UnknownId`, and nothing is written.
        """
        circle, period = self._circle(visibility, teams, agents, users), Period.of(valid_from, valid_to)
        of_type, screen = entity_type(type), Screening(self._rules.sensitive)
        given = screen.value(checked(of_type, properties or {}), "properties")
        title = screen.text(" ".join(label.split()), "label")
        called = screen.text(entity_named(name, title), "name")
        said = Statement(of_type, called, title, given, source_session.strip(), period, circle)
        contents = [screen.text(content_of(one), "observations") for one in dict.fromkeys(observations)]
        made: list[tuple[str, bool, list[ObservationLine], tuple[Disagreement, ...]]] = []

        def decide(state: State) -> list[Line]:
            line, is_new = self._entity_line(state, said)
            seen = [self._observation_line(state, line.id, one, said.session, Period()) for one in contents]
            fresh = [one for one, is_fresh in seen if is_fresh]
            beside, conflicts = self._beside(line) if is_new else ([], ())
            made[:] = [(line.id, is_new, fresh, conflicts)]
            return [line, *fresh, *beside]

        self._store.commit(decide)
        id_, is_new, fresh, conflicts = made[0]
        entity = self._read(id_)
        if entity.merged_into:
            entity = self._read(entity.merged_into)
            screen.notices.append(f"it says what {entity.address} says, and is merged into that; undo_merge({id_!r})")
        observed = tuple(self._read_observation(one.id) for one in fresh)
        return Created(entity, is_new, observed, conflicts, tuple(screen.notices))

    def add_observation(
        self, entity: str, content: str, *, source_session: str = "", valid_from: str = "", valid_to: str = ""
    ) -> Observed:
        """Return an observation of an entity; the very same one is not doubled. Raises as `create_entity` does."""
        screen, period = Screening(self._rules.sensitive), Period.of(valid_from, valid_to)
        said = screen.text(content_of(content), "content")
        made: list[tuple[ObservationLine, bool]] = []

        def decide(state: State) -> list[Line]:
            made[:] = [self._observation_line(state, self._current(entity).uid, said, source_session, period)]
            line, is_new = made[0]
            return [line] if is_new else []

        self._store.commit(decide)
        line, is_new = made[0]
        return Observed(self._read_observation(line.id), is_new, tuple(screen.notices))

    def create_relation(
        self,
        from_entity: str,
        to_entity: str,
        type: str,  # noqa: A002  # S2's name for it
        *,
        properties: Mapping[str, Any] | None = None,
        valid_from: str = "",
        valid_to: str = "",
    ) -> Linked:
        """Return a relation of two entities; one that holds is not doubled, one of another time stands beside it.

        `EXTRACTED_FROM` may lead to `session:{id}`, `APPLIED_IN` to `task:{id}`; `SUPERSEDES` ends what it leads to.
        Raises `InvalidArgument` and `UnknownId`, and nothing is written.
        """
        kind, period = relation_type(type), Period.of(valid_from, valid_to)
        if kind == "MERGED_FROM":
            raise InvalidArgument("MERGED_FROM comes of merging; use merge_entities", argument="type")
        if kind == "SUPERSEDES":
            return self._superseding(from_entity, to_entity, period)
        screen = Screening(self._rules.sensitive)
        about = screen.value(dict(properties or {}), "properties")
        made: list[tuple[str, bool, tuple[Conflict, ...]]] = []

        def decide(state: State) -> list[Line]:
            start, end = self._current(from_entity, argument="from").uid, self._end(to_entity, kind)
            if start == end:
                raise InvalidArgument(f"{from_entity!r} cannot be related to itself", argument="to")
            line, is_new = self._relation_line(state, (start, kind, end), about, period)
            if not is_new:
                made[:] = [(line.id, False, ())]
                return [line] if about else []
            lines, conflicts, said = settled(line, self._rivals(state, line), self._rules, self._now())
            made[:] = [(said, said == line.id, conflicts)]
            return [self._signed(one) for one in lines]

        self._store.commit(decide)
        id_, is_new, conflicts = made[0]
        return Linked(self._store.read().relations[id_], is_new, conflicts, tuple(screen.notices))

    def invalidate_fact(
        self, target: str, *, at: str = "", superseded_by: str = "", reason: str = "", kind: Kind | None = None
    ) -> Invalidated:
        """Say that an entity, observation or relation no longer holds, and what replaces it; it stays on record.

        `target` is an id, or addresses an entity. An entity that is superseded gets a `SUPERSEDES` relation. Raises
        `UnknownId`, and `InvalidArgument` where it had ended before.
        """
        made: list[Invalidated] = []

        def decide(state: State) -> list[Line]:
            found, id_ = self._target(state, target, kind)
            end = iso(parse_time(at, argument="at")) if at else self._now()
            held = record(state, found, id_)
            if held.valid_to and held.valid_to <= end:
                message = f"{target!r} has not held since {held.valid_to}; nothing is left to invalidate"
                raise InvalidArgument(message, argument="target")
            if end < held.valid_from:
                raise InvalidArgument(f"{target!r} holds from {held.valid_from} only; end it later", argument="at")
            by = self._replacement(state, found, id_, superseded_by)
            made[:] = [Invalidated(found, id_, end, by)]
            line = InvalidateLine(target=id_, kind=found, valid_to=end, superseded_by=by, reason=reason)
            return [self._signed(line)]

        self._store.commit(decide)
        return made[0]

    def merge_entities(self, keep: str, duplicates: Sequence[str], *, reason: str = "") -> Merged:
        """Let one entity stand for others of its type: their observations and relations are its own from now on.

        `undo_merge` takes it back whole. Raises `UnknownId`, and `InvalidArgument` where types or circles differ.
        """
        made: list[MergeLine] = []

        def decide(_: State) -> list[Line]:
            kept = self._current(keep, argument="keep")
            others = [self._current(one, argument="duplicates") for one in dict.fromkeys(duplicates)]
            for other in others:
                mergeable(kept, other)
            merged = tuple(dict.fromkeys(other.uid for other in others))
            if not merged:
                raise InvalidArgument("name at least one duplicate", argument="duplicates")
            id_ = derived_id("merge", kept.uid, *merged, self._now())
            made[:] = [self._signed(MergeLine(id=id_, keep=kept.uid, merged=merged, reason=reason))]
            return [*made]

        self._store.commit(decide)
        return Merged(made[0].id, self._read(made[0].keep), tuple(made[0].merged))

    def merge_duplicates(self, type: str = "") -> list[Merged]:  # noqa: A002  # as in `create_entity`
        """Merge the entities that are one beyond doubt, each into the older, and return those merges."""
        done = []
        for one in self.duplicates(type):
            if one.verdict == "merge":
                keep, other = sorted((one.one, one.other), key=lambda entity: (entity.created_at, entity.id))
                with suppress(InvalidArgument):  # an earlier merge has made them one already
                    done.append(self.merge_entities(keep.id, [other.id], reason="; ".join(one.reasons)))
        return done

    def undo_merge(self, merge: str, *, reason: str = "") -> list[Entity]:
        """Return the entities that stand for themselves again; `merge` is its id, or that of a merged entity.

        Raises `InvalidArgument` where nothing was merged, or what was merged may not be seen.
        """
        made: list[tuple[str, ...]] = []

        def decide(state: State) -> list[Line]:
            found = state.merges.get(merge) or state.merge_of(merge)
            if found is None or not self._graph.fetch([found.keep], View(self._principals)):
                message = f"{merge!r} is no merge; name the id that merge_entities gave, or the id of what was merged"
                raise InvalidArgument(message, argument="merge")
            made[:] = [found.merged]
            return [self._signed(UnmergeLine(merge=found.id, reason=reason))]

        self._store.commit(decide)
        return [self._read(one) for one in made[0]]

    def set_visibility(
        self,
        entity: str,
        visibility: str,
        *,
        teams: Sequence[str] = (),
        agents: Sequence[str] = (),
        users: Sequence[str] = (),
    ) -> Entity:
        """Return an entity that others may see from now on; only who made it, or a person, may say so.

        Raises `Refused`, `UnknownId`, and `InvalidArgument` where one of its type and name is there already.
        """
        circle = self._circle(visibility, teams, agents, users) or Circle("public", ())
        made: list[str] = []

        def decide(state: State) -> list[Line]:
            node = self._node(entity)
            self._allowed(node.properties["created_by"], entity)
            if any(node.uid in (merge.keep, *merge.merged) for merge in state.merges.values()):
                raise InvalidArgument(f"{entity!r} is merged with others; undo the merge first", argument="entity")
            there = named(self._graph, f"{node.type}:{node.name}", View())
            if any(one.uid != node.uid and one.audience == circle.audience for one in there):
                message = f"a {circle.level} {node.type.lower()}:{node.name} is there already; merge it into that one"
                raise InvalidArgument(message, argument="visibility")
            made[:] = [node.uid]
            line = VisibilityLine(entity_id=node.uid, visibility=circle.level, audience=circle.audience)
            return [self._signed(line)]

        self._store.commit(decide)
        return self._read(made[0])

    def forget(self, target: str, *, reason: str = "", kind: Kind | None = None) -> Kind:
        """Remove an entity with all that hangs on it, an observation or a relation, for good; return which it was.

        Only who made it, or a person, may. Raises `Refused` and `UnknownId`.
        """
        made: list[Kind] = []

        def decide(state: State) -> list[Line]:
            found, id_ = self._target(state, target, kind)
            self._allowed(maker_of(record(state, found, id_)), target)
            made[:] = [found]
            return [self._signed(TombstoneLine(target=id_, kind=found, reason=reason))]

        self._store.commit(decide)
        return made[0]

    def _superseding(self, new: str, old: str, period: Period) -> Linked:
        done = self.invalidate_fact(old, at=period.valid_from, superseded_by=new, kind="entity")
        found = self._graph.expand([done.target], "in", ["SUPERSEDES"])
        edge = next(step.edge for step in found if step.node.uid == done.superseded_by)
        relation = Relation(edge.uid, "SUPERSEDES", edge.start, edge.end, {}, self._now(), self._agent, done.valid_to)
        return Linked(relation, is_new=True)
