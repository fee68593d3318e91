"""The entity memory as one agent sees it: queries, writes, changes and archive (S2).

Every write is decided on the present state under one lock, and is one append; its result is read back from the graph.
An agent writes on records it can see; only their creator or a person hides or removes them.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.knowledge.entities import review
from mabos.knowledge.entities.agreement import RULES, MemoryRules, settle_relation
from mabos.knowledge.entities.answers import (
    AddedObservation,
    AddedRelation,
    CreatedEntity,
    MergeResult,
    SessionKnowledge,
)
from mabos.knowledge.entities.changing import EntityChanges
from mabos.knowledge.entities.conclusions import ConclusionConflict
from mabos.knowledge.entities.contradiction import RelationConflict
from mabos.knowledge.entities.drafting import EntityStatement, LineDrafts, ValidPeriod, content_of, name_of
from mabos.knowledge.entities.extraction import Propose, extract
from mabos.knowledge.entities.fold import MemoryState
from mabos.knowledge.entities.lifecycle import EntityArchive
from mabos.knowledge.entities.lines import Line, ObservationLine
from mabos.knowledge.entities.linking import EntityLink, KnownEntity
from mabos.knowledge.entities.model import ENTITY_TYPES, Entity, Relation, entity_type, relation_type
from mabos.knowledge.entities.outside import SessionReading, draft_names, namesake_notices
from mabos.knowledge.entities.properties import check_properties, words
from mabos.knowledge.entities.queries import EntityQueries
from mabos.knowledge.entities.ranking import SessionQuality, Weights
from mabos.knowledge.entities.sensitive import Screening
from mabos.knowledge.entities.store import EntityStore
from mabos.knowledge.entities.thoughts import SessionThought
from mabos.knowledge.entities.viewer import Viewer
from mabos.knowledge.entities.visibility import NOBODY, Directory
from mabos.workspace.clock import Clock
from mabos.workspace.text import one_line


class EntityMemory:
    """The entity memory of one agent, or without `agent_id` of a person. Cheap to make; the store stays open.

    `call` names the call, with an effect key and a frozen `clock`, in which it writes.
    """

    def __init__(
        self,
        store: EntityStore,
        agent_id: str = "",
        *,
        directory: Directory = NOBODY,
        session_quality: SessionQuality = lambda _: None,
        weights: Weights | None = None,
        rules: MemoryRules = RULES,
        clock: Clock | None = None,
        call: str = "",
    ) -> None:
        self._store = store
        self._rules = rules
        self._viewer = viewer = Viewer(store, agent_id, directory=directory, clock=clock, call=call)
        self._drafts = LineDrafts(viewer, rules)
        queries = EntityQueries(viewer, weights or Weights(), session_quality)
        changes, archive = EntityChanges(viewer, self._drafts), EntityArchive(viewer)
        # What the parts can do is offered here as it is, so that a caller needs one object.
        self.query_semantic, self.query_graph, self.traverse = (
            queries.query_semantic,
            queries.query_graph,
            queries.traverse,
        )
        self.query_temporal, self.entity, self.recent = queries.query_temporal, queries.entity, queries.recent
        self.stats, self.figures = queries.stats, queries.figures
        self.invalidate_fact, self.merge_entities = changes.invalidate_fact, changes.merge_entities
        self.undo_merge, self.set_visibility, self.forget = changes.undo_merge, changes.set_visibility, changes.forget
        self.archive, self.archived, self.restore = archive.archive, archive.archived, archive.restore
        self.clean, self.clean_monthly = archive.clean, archive.clean_monthly

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
    ) -> CreatedEntity:
        """Create an entity with its observations and return it; an existing one of this type and name is updated.

        On an update, new properties replace old ones, and another `source_session` increases the confidence of an
        insight. Without a name, the label makes one. `teams`, `agents` and `users` are the audience of a `team-private`
        entity. Raises `InvalidArgument` and `UnknownId`, and nothing is written.
        """
        circle, period = self._drafts.circle(visibility, teams, agents, users), ValidPeriod.of(valid_from, valid_to)
        of_type, screen = entity_type(type), Screening(self._rules.sensitive)
        given = screen.value(check_properties(of_type, properties or {}), "properties")
        title = screen.text(one_line(label), "label")
        called = screen.text(name_of(name, title), "name")
        session = screen.text(source_session.strip(), "source_session")
        said = EntityStatement(of_type, called, title, given, session, period, circle)
        contents = [screen.text(content_of(one), "observations") for one in dict.fromkeys(observations)]
        made: list[tuple[str, bool, list[ObservationLine], tuple[ConclusionConflict, ...]]] = []

        def decide(state: MemoryState) -> list[Line]:
            line, is_new = self._drafts.entity_line(state, said)
            seen = [self._drafts.observation_line(state, line.id, one, said.session, ValidPeriod()) for one in contents]
            fresh = [one for one, is_fresh in seen if is_fresh]
            beside, conflicts = self._drafts.lines_beside(line) if is_new else ([], ())
            made[:] = [(line.id, is_new, fresh, conflicts)]
            return [line, *fresh, *beside]

        self._store.commit(decide)
        id_, is_new, fresh, conflicts = made[0]
        entity = self._viewer.read(id_)
        if entity.merged_into:
            entity = self._viewer.read(entity.merged_into)
            screen.notices.append(f"it says what {entity.address} says, and is merged into that; undo_merge({id_!r})")
        observed = tuple(self._viewer.read_observation(one.id) for one in fresh)
        return CreatedEntity(entity, is_new, observed, conflicts, tuple(screen.notices))

    def add_observation(
        self, entity: str, content: str, *, source_session: str = "", valid_from: str = "", valid_to: str = ""
    ) -> AddedObservation:
        """Add an observation and return it; an identical one is not added again. Raises as `create_entity` does."""
        screen, period = Screening(self._rules.sensitive), ValidPeriod.of(valid_from, valid_to)
        said, session = screen.text(content_of(content), "content"), screen.text(source_session, "source_session")
        made: list[tuple[ObservationLine, bool]] = []

        def decide(state: MemoryState) -> list[Line]:
            made[:] = [self._drafts.observation_line(state, self._viewer.current(entity).uid, said, session, period)]
            line, is_new = made[0]
            return [line] if is_new else []

        self._store.commit(decide)
        line, is_new = made[0]
        return AddedObservation(self._viewer.read_observation(line.id), is_new, tuple(screen.notices))

    def create_relation(
        self,
        from_entity: str,
        to_entity: str,
        type: str,  # noqa: A002  # S2's name for it
        *,
        properties: Mapping[str, Any] | None = None,
        valid_from: str = "",
        valid_to: str = "",
    ) -> AddedRelation:
        """Create a relation of two entities and return it; a valid one is not doubled, other times make a second one.

        `EXTRACTED_FROM` may lead to `session:{id}`, `APPLIED_IN` to `task:{id}`; `SUPERSEDES` ends its target. Raises
        `InvalidArgument` and `UnknownId`, and nothing is written.
        """
        kind, period = relation_type(type), ValidPeriod.of(valid_from, valid_to)
        if kind == "MERGED_FROM":
            raise InvalidArgument("MERGED_FROM results from a merge; use merge_entities", argument="type")
        if kind == "SUPERSEDES":
            return self._superseding(from_entity, to_entity, period)
        screen = Screening(self._rules.sensitive)
        about = screen.value(dict(properties or {}), "properties")
        made: list[tuple[str, bool, tuple[RelationConflict, ...]]] = []

        def decide(state: MemoryState) -> list[Line]:
            start, end = self._viewer.current(from_entity, argument="from").uid, self._drafts.end(to_entity, kind)
            if start == end:
                raise InvalidArgument(f"{from_entity!r} cannot be related to itself", argument="to")
            line, is_new = self._drafts.relation_line(state, (start, kind, end), about, period)
            if not is_new:
                made[:] = [(line.id, False, ())]
                return [line] if about else []
            lines, conflicts, said = settle_relation(
                line, self._drafts.rivals(state, line), self._rules, self._viewer.now()
            )
            made[:] = [(said, said == line.id, conflicts)]
            return [self._viewer.sign(one) for one in lines]

        self._store.commit(decide)
        id_, is_new, conflicts = made[0]
        return AddedRelation(self._store.read().relations[id_], is_new, conflicts, tuple(screen.notices))

    def extract_from_session(
        self,
        session_id: str,
        thoughts: Iterable[SessionThought],
        *,
        entity_types: Sequence[str] = (),
        auto_link: bool = True,
        propose: Propose | None = None,
        visibility: str = "",
        reading: SessionReading | None = None,
    ) -> SessionKnowledge:
        """Write the knowledge from a session's thoughts, each item once, with the relations between them.

        `reading` is what a session from outside says beside them.

        Return the entities and relations created, and the skipped thoughts; a repeat for a session adds nothing.
        `propose` is a model, whose proposals are checked against the thoughts. Raises `UnknownId` for a type.
        """
        types = [entity_type(one, argument="entity_types") for one in entity_types] or ENTITY_TYPES
        figures = self.figures()
        known = [KnownEntity(one.address, one.label, words(one.properties)) for one in figures.entities]
        drafts, stated = draft_names(reading) if reading else ([], [])
        found = extract(
            thoughts, session_id, entity_types=types, auto_link=auto_link, known=known, propose=propose,
            drafts_beside=drafts, stated=stated,
        )  # fmt: skip
        created, confirmed, notices, at = dict[str, Entity](), dict[str, Entity](), list[str](), dict[str, str]()
        for draft in (*found.created, *found.confirmed):
            is_known = draft in found.confirmed
            notices += namesake_notices(draft, session_id, figures) if reading and is_known else ()
            made = self.create_entity(
                draft.type,
                draft.name,
                # What is known keeps what was said of it: a session that says it again is evidence, not a correction.
                "" if is_known else draft.label,
                properties={} if is_known else draft.properties,
                observations=draft.observations,
                source_session=session_id,
                visibility="" if is_known else visibility,
            )
            is_alone = made.is_new and made.entity.name == draft.name
            (created if is_alone else confirmed)[made.entity.id] = made.entity
            notices += made.notices
            at[draft.address] = made.entity.id
        linked = [one for link in found.linked if (one := self._create_link(link, at)) is not None]
        return SessionKnowledge(
            tuple(created.values()), tuple(confirmed.values()), tuple(linked), found.skipped, tuple(notices), reading
        )

    def conflicts(self) -> list[review.Dispute]:
        """Return the contradictions that hold now and are undecided."""
        return review.disputes(self.figures(), self._rules, self._viewer.now())

    def duplicates(self, type: str = "") -> list[review.Duplicate]:  # noqa: A002  # as in `create_entity`
        """Return pairs of entities of one type and circle that may be the same, most similar first."""
        return review.duplicates(self.figures(types=[type] if type else ()))

    def merge_duplicates(self, type: str = "") -> list[MergeResult]:  # noqa: A002  # as in `create_entity`
        """Merge the certain duplicates, each into the older entity, and return those merges."""
        done = []
        for one in self.duplicates(type):
            if one.verdict == "merge":
                keep, other = sorted((one.one, one.other), key=lambda entity: (entity.created_at, entity.id))
                with suppress(InvalidArgument):  # an earlier merge has made them one already
                    done.append(self.merge_entities(keep.id, [other.id], reason="; ".join(one.reasons)))
        return done

    def _superseding(self, new: str, old: str, period: ValidPeriod) -> AddedRelation:
        done = self.invalidate_fact(old, at=period.valid_from, superseded_by=new, kind="entity")
        found = self._viewer.graph.expand([done.target], "in", ["SUPERSEDES"])
        edge = next(step.edge for step in found if step.node.uid == done.superseded_by)
        relation = Relation(
            edge.uid, "SUPERSEDES", edge.start, edge.end, {}, self._viewer.now(), self._viewer.agent_id, done.valid_to
        )
        return AddedRelation(relation, is_new=True)

    def _create_link(self, link: EntityLink, at: Mapping[str, str]) -> Relation | None:
        """Return the relation of a link if it is new."""
        # That a thought speaks of replacing something is no reason to end that: a person or an agent decides it.
        type_ = "RELATES_TO" if link.type == "SUPERSEDES" else link.type
        reason = f"{link.reason}; speaks of replacing it" if link.type == "SUPERSEDES" else link.reason
        about = {"reason": reason} | ({"predicate": link.predicate} if link.predicate else {})
        with suppress(InvalidArgument, UnknownId):  # both became one, or one of them ended or was hidden meanwhile
            made = self.create_relation(
                at.get(link.start, link.start), at.get(link.end, link.end), type_, properties=about
            )
            return made.relation if made.is_new else None
        return None
