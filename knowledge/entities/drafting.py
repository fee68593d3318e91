"""Prepare a write: resolve its arguments, check permission, and draft the lines to append.

All checks run while the lock is held, on the current state and graph.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.backends.graph.model import Node
from mabos.configs.errors import InvalidArgument, UnknownId, unknown
from mabos.knowledge.entities import model
from mabos.knowledge.entities.agreement import MemoryRules, conclusion, disagreements, predicate
from mabos.knowledge.entities.conclusions import ConclusionConflict
from mabos.knowledge.entities.fold import MemoryState
from mabos.knowledge.entities.lines import EntityLine, Line, MergeLine, ObservationLine, RelationLine
from mabos.knowledge.entities.parts import OBSERVATION, is_entity
from mabos.knowledge.entities.viewer import Viewer, entity_slug
from mabos.workspace.clock import iso, parse_time

_COMPARED = 20
"""Insights or decisions with words in common with which a new one is compared."""
_TO_REFERENCE: Mapping[str, str] = {"EXTRACTED_FROM": "session", "APPLIED_IN": "task"}


@dataclass(frozen=True, slots=True)
class ValidPeriod:
    """The period in which a statement holds; "" means not given."""

    valid_from: str = ""
    valid_to: str = ""

    @classmethod
    def of(cls, valid_from: str, valid_to: str) -> "ValidPeriod":
        """Return the period between two times; raises `InvalidArgument` if one is invalid, or the end comes first."""
        start = iso(parse_time(valid_from, argument="valid_from")) if valid_from.strip() else ""
        end = iso(parse_time(valid_to, argument="valid_to")) if valid_to.strip() else ""
        if start and end and end <= start:
            message = f"valid_to {valid_to} does not come after valid_from {valid_from}; the end is not included"
            raise InvalidArgument(message, argument="valid_to")
        return cls(start, end)


@dataclass(frozen=True, slots=True)
class Circle:
    """The audience of a record; an empty audience is everyone."""

    level: model.Visibility
    audience: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EntityStatement:
    """A statement about an entity."""

    type: model.EntityType
    name: str
    label: str
    properties: Mapping[str, Any]
    session: str
    period: ValidPeriod
    circle: Circle | None


def name_of(name: str, label: str) -> str:
    """Return the name of an entity; without one, its label gives it. Raises `InvalidArgument`."""
    if not name.strip() and not entity_slug(label):
        raise InvalidArgument("give the entity a name, or a label to derive it from", argument="name")
    return model.entity_name(name or entity_slug(label))


class LineDrafts:
    """The drafted lines of writes by one viewer."""

    def __init__(self, viewer: Viewer, rules: MemoryRules) -> None:
        self._viewer = viewer
        self._graph = viewer.graph
        self._rules = rules

    def entity_line(self, state: MemoryState, said: EntityStatement) -> tuple[EntityLine, bool]:
        """Return the line that states an entity, and whether it is new."""
        held = self._same(said)
        if held is None:
            audience, level = (
                said.circle.audience if said.circle else (),
                said.circle.level if said.circle else "public",
            )
            id_ = model.entity_id(self._viewer.store.business, said.type, said.name, audience)
            if id_ in state.archived:
                message = f"{said.type.lower()}:{said.name} is in the archive; restore it"
                raise InvalidArgument(message, argument="name")
            if id_ in state.entities:  # whoever made it took it out of this circle
                id_ = model.entity_id(
                    self._viewer.store.business, said.type, said.name, (*audience, self._viewer.now())
                )
            line = EntityLine(id=id_, name=said.name, entity_type=said.type, visibility=level, audience=audience)
            line.label = said.label or said.name
        else:
            if said.circle is not None and said.circle.audience != held.audience:
                message = (
                    f"{said.type.lower()}:{said.name} is there and {held.properties['visibility']}; set_visibility"
                )
                raise InvalidArgument(f"{message} changes that", argument="visibility")
            line = EntityLine(id=held.uid, name=held.name, entity_type=said.type, label=said.label)
        line.properties, line.source_session = said.properties, said.session
        line.valid_from, line.valid_to = said.period.valid_from, said.period.valid_to
        return self._viewer.sign(line), held is None

    def _same(self, said: EntityStatement) -> Node | None:
        """Return the entity that is there under this type and name, as far as it may be seen."""
        address = f"{said.type.lower()}:{said.name}"
        found = [node for node in self._viewer.named(address) if node.name == said.name]
        return self._viewer.current(address, argument="name") if found else None

    def observation_line(
        self, state: MemoryState, entity: str, content: str, session: str, period: ValidPeriod
    ) -> tuple[ObservationLine, bool]:
        """Return the line of an observation, and whether it is new."""
        id_ = model.derived_id("observation", entity, content, period.valid_from)
        held = state.observations.get(id_)
        if held is not None and held.valid_to and not period.valid_from and held.valid_to <= self._viewer.now():
            id_ = model.derived_id("observation", entity, content, self._viewer.now())  # it held once, and does again
            held = state.observations.get(id_)
        line = ObservationLine(id=id_, entity_id=entity, content=content, source_session=session.strip())
        line.valid_from, line.valid_to = period.valid_from, period.valid_to
        return self._viewer.sign(line), held is None

    def relation_line(
        self,
        state: MemoryState,
        ends: tuple[str, model.RelationType, str],
        properties: Mapping[str, Any],
        period: ValidPeriod,
    ) -> tuple[RelationLine, bool]:
        """Return the line of a relation, and whether it is new."""
        start, type_, end = ends
        id_ = model.derived_id("relation", start, type_, end, period.valid_from)
        held = state.relations.get(id_)
        if not period.valid_from:
            current = self._holding(state, ends)
            if current is None and held is not None:  # it held once, and does again
                id_ = model.derived_id("relation", start, type_, end, self._viewer.now())
            id_, held = (current.id, current) if current else (id_, state.relations.get(id_))
        line = RelationLine(id=id_, from_id=start, to_id=end, relation_type=type_, properties=dict(properties))
        line.valid_from, line.valid_to = period.valid_from, period.valid_to
        return self._viewer.sign(line), held is None

    def _holding(self, state: MemoryState, ends: tuple[str, model.RelationType, str]) -> model.Relation | None:
        start, type_, end = ends
        now = self._viewer.now()
        for one in (state.relations[id_] for id_ in state.related.get(start, ())):
            same = (one.from_id, one.type, one.to_id) == (start, type_, end)
            if same and one.valid_from <= now and (not one.valid_to or now < one.valid_to):
                return one
        return None

    def rivals(self, state: MemoryState, line: RelationLine) -> list[model.Relation]:
        """Return the visible relations of the same subject and predicate."""
        mine = [state.relations[id_] for id_ in state.related.get(line.from_id, ())]
        mine = [one for one in mine if one.from_id == line.from_id and predicate(one) == predicate(line)]
        seen = {node.uid for node in self._graph.fetch([one.to_id for one in mine], self._viewer.always)}
        return [one for one in mine if one.to_id in seen]

    def lines_beside(self, line: EntityLine) -> tuple[list[Line], tuple[ConclusionConflict, ...]]:
        """Return the lines and conflicts that follow if a new insight or decision agrees or disagrees with another."""
        said = conclusion(line.id, line.entity_type, line.label, line.properties)
        if said is None:
            return [], ()
        near = self._graph.search(
            f"{said.question} {said.text}", [line.entity_type], self._viewer.view(), limit=_COMPARED
        )
        others = {hit.node.uid: hit.node for hit in near if is_entity(hit.node)}
        found = disagreements(said, line.entity_type, others.values())
        lines: list[Line] = []
        for one in found:
            is_alike = others[one.existing].audience == tuple(line.audience) and self._rules.merge_alike
            if one.action == "merge" and is_alike and not any(isinstance(other, MergeLine) for other in lines):
                id_ = model.derived_id("merge", one.existing, line.id, self._viewer.now())
                lines.append(
                    self._viewer.sign(MergeLine(id=id_, keep=one.existing, merged=[line.id], reason=one.reason))
                )
        for one in found:
            if one.action == "flag" and not lines:
                id_ = model.derived_id("relation", line.id, "CONTRADICTS", one.existing, "")
                against = RelationLine(id=id_, from_id=line.id, to_id=one.existing, relation_type="CONTRADICTS")
                against.properties = {"reason": one.reason}
                lines.append(self._viewer.sign(against))
        return lines, tuple(found)

    def end(self, reference: str, type_: model.RelationType) -> str:
        """Return the id of the target of a relation."""
        kind, colon, name = reference.partition(":")
        if colon and kind in model.REFERENCES:
            if _TO_REFERENCE.get(type_) != kind or not name.strip():
                message = (
                    f"{type_} cannot lead to {reference!r}; EXTRACTED_FROM leads to session:ID, APPLIED_IN to task:ID"
                )
                raise InvalidArgument(message, argument="to")
            return f"{kind}:{name.strip()}"
        return self._viewer.current(reference, argument="to").uid

    def target(
        self, state: MemoryState, reference: str, kind: model.Kind | None, argument: str = "target"
    ) -> tuple[model.Kind, str]:
        """Return the kind and id of the target of a reference; raises `UnknownId` if it is not visible."""
        view = self._viewer.always
        if kind != "relation":
            found = self._graph.fetch([reference], view)
            if found and found[0].type == OBSERVATION and kind != "entity":
                return "observation", reference
        relation = state.relations.get(reference) if kind in (None, "relation") else None
        if relation is not None and len(self._graph.fetch([relation.from_id, relation.to_id], view)) == 2:
            return "relation", reference
        if kind in (None, "entity"):
            return "entity", self._viewer.node(reference, argument=argument).uid
        raise UnknownId(f"no {kind} {reference!r}; give its id, as get_entity shows it", argument=argument)

    def replacement(self, state: MemoryState, kind: model.Kind, id_: str, reference: str) -> str:
        """Return the id of the superseding record; "" for none."""
        if not reference:
            return ""
        found, by = self.target(state, reference, kind, "superseded_by")
        seen = by
        while seen:
            if seen == id_:
                message = f"{reference!r} is superseded by the entity it would supersede; name another"
                raise InvalidArgument(message, argument="superseded_by")
            seen = getattr(record(state, found, seen), "superseded_by", "")
        return by

    def circle(self, level: str, teams: Sequence[str], agents: Sequence[str], users: Sequence[str]) -> Circle | None:
        """Return the audience that the arguments name, None if they name none."""
        if not level:
            return None
        known = model.visibility(level)
        if (
            known != "public"
            and not self._viewer.agent_id
            and not (known == "team-private" and (teams or agents or users))
        ):
            message = f"a person has no {known.partition('-')[0]} of its own; use team-private and name who may see it"
            raise InvalidArgument(message, argument="visibility")
        return Circle(
            known,
            self._viewer.directory.audience(known, self._viewer.agent_id, teams=teams, agents=agents, users=users),
        )


def content_of(text: str) -> str:
    """Return the stripped text of an observation; raises `InvalidArgument` if it is empty."""
    if not text.strip():
        raise InvalidArgument("an observation is empty; state one fact", argument="observations")
    return text.strip()


def record(state: MemoryState, kind: model.Kind, id_: str) -> model.Entity | model.Observation | model.Relation:
    """Return the record with an id; raises `UnknownId`."""
    held: model.Entity | model.Observation | model.Relation | None = state.records(kind).get(id_)
    if held is None:
        raise unknown(kind, id_, (), argument="target")
    return held


def maker_of(one: model.Entity | model.Observation | model.Relation) -> str:
    """Return the agent that created a record; "" for a person."""
    return one.added_by if isinstance(one, model.Observation) else one.created_by


def mergeable(kept: Node, other: Node) -> None:
    """Raise `InvalidArgument` if one entity cannot be merged into the other."""
    if kept.uid == other.uid:
        raise InvalidArgument(f"{other.name!r} is the entity to keep; name others", argument="duplicates")
    if kept.type != other.type:
        message = f"{other.name!r} is of type {other.type}, {kept.name!r} of type {kept.type}; one type merges"
        raise InvalidArgument(message, argument="duplicates")
    if kept.audience != other.audience:
        message = f"{other.name!r} and {kept.name!r} may be seen by different circles; set_visibility of one first"
        raise InvalidArgument(message, argument="duplicates")
