"""What is written to the entity memory: entities, observations, relations, their ends, merges and circles (S2).

Every write is decided on the present state under one lock, and is one append; what it answers with is read back from
the graph. An agent writes on what it may see; what somebody else made, only that one or a person hides or removes
(`changing`).
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.entities.agreement import settled
from mabos.knowledge.entities.answers import Created, Linked, Merged, Observed
from mabos.knowledge.entities.changing import Changing
from mabos.knowledge.entities.conclusions import Disagreement
from mabos.knowledge.entities.contradiction import Conflict
from mabos.knowledge.entities.drafting import (
    Period,
    Statement,
    content_of,
    name_of,
)
from mabos.knowledge.entities.extraction import Propose
from mabos.knowledge.entities.fold import State
from mabos.knowledge.entities.lines import (
    Line,
    ObservationLine,
)
from mabos.knowledge.entities.model import Relation, entity_type, relation_type
from mabos.knowledge.entities.properties import checked
from mabos.knowledge.entities.screening import Screening
from mabos.knowledge.entities.sessions import Extracted, extracted
from mabos.knowledge.entities.thoughts import Thought


class EntityMemory(Changing):
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
        called = screen.text(name_of(name, title), "name")
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

    def extract_from_session(
        self,
        session_id: str,
        thoughts: Iterable[Thought],
        *,
        entity_types: Sequence[str] = (),
        auto_link: bool = True,
        propose: Propose | None = None,
        visibility: str = "",
    ) -> Extracted:
        """Return what the thoughts of a session left behind: entities and relations created, and what was skipped.

        `propose` is a model, whose proposals are checked against the thoughts. Raises `UnknownId` for a type.
        """
        types = [entity_type(one, argument="entity_types") for one in entity_types]
        return extracted(
            self,
            session_id,
            thoughts,
            entity_types=types,
            auto_link=auto_link,
            propose=propose,
            visibility=visibility,
        )

    def merge_duplicates(self, type: str = "") -> list[Merged]:  # noqa: A002  # as in `create_entity`
        """Merge the entities that are one beyond doubt, each into the older, and return those merges."""
        done = []
        for one in self.duplicates(type):
            if one.verdict == "merge":
                keep, other = sorted((one.one, one.other), key=lambda entity: (entity.created_at, entity.id))
                with suppress(InvalidArgument):  # an earlier merge has made them one already
                    done.append(self.merge_entities(keep.id, [other.id], reason="; ".join(one.reasons)))
        return done

    def _superseding(self, new: str, old: str, period: Period) -> Linked:
        done = self.invalidate_fact(old, at=period.valid_from, superseded_by=new, kind="entity")
        found = self._graph.expand([done.target], "in", ["SUPERSEDES"])
        edge = next(step.edge for step in found if step.node.uid == done.superseded_by)
        relation = Relation(edge.uid, "SUPERSEDES", edge.start, edge.end, {}, self._now(), self._agent, done.valid_to)
        return Linked(relation, is_new=True)
