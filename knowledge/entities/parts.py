"""Map the entity memory to the graph: the nodes and edges of each place, with validity and audience.

An entity is a node of its type, an observation a node that `OBSERVES` it. So search finds an observation by its words
and as of a date. After a merge, the records of a merged entity appear on both: on the old one until the merge, on the
kept one since.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from mabos.backends.graph.model import Edge, GraphPart, Node
from mabos.knowledge.entities.fold import MemoryState, is_reference
from mabos.knowledge.entities.model import REFERENCES, Entity, Observation, Relation
from mabos.knowledge.entities.properties import fill_defaults, words
from mabos.knowledge.entities.ranking import update_confidence

OBSERVATION = "Observation"
OBSERVES = "OBSERVES"
_OF_ENTITY = (
    *("label", "properties", "created_at", "updated_at", "created_by"),
    *("visibility", "superseded_by", "sessions", "confidence", "merged_into"),
)
_OF_OBSERVATION = ("source_session", "added_by", "added_at", "superseded_by")
_OF_RELATION = ("properties", "created_at", "created_by", "superseded_by")
"""The fields of each record that are properties of its node or edge, under the same names."""


def part(state: MemoryState, place: str) -> GraphPart | None:
    """Return the graph part of a place now, None for nothing."""
    kind, _, id_ = place.partition("/")
    if kind == "entity":
        return _entity(state, id_)
    if kind == "observation":
        return _observation(state, id_)
    return _relation(state, id_) if kind == "relation" else _reference(state, id_)


def entity_of(node: Node) -> Entity:
    """Return the entity of a node."""
    kept: dict[str, Any] = {name: node.properties[name] for name in _OF_ENTITY}
    kept |= {"sessions": tuple(kept["sessions"]), "valid_from": node.valid_from, "valid_to": node.valid_to}
    # Only the five types have `created_by`, see `is_entity`.
    return Entity(node.uid, node.type, node.name, audience=node.audience, **kept)  # type: ignore[arg-type]


def is_entity(node: Node) -> bool:
    """Return whether a node of the graph is an entity of this memory; other sources also add nodes."""
    return node.properties.get("kind") == "entity"


def observation_of(node: Node, entity_id: str) -> Observation:
    """Return the observation of a node."""
    kept = {name: node.properties[name] for name in _OF_OBSERVATION}
    return Observation(node.uid, entity_id, node.text, valid_from=node.valid_from, valid_to=node.valid_to, **kept)


def relation_of(edge: Edge) -> Relation:
    """Return the relation of an edge."""
    more: Mapping[str, Any] = {"id": edge.uid, **edge.properties}
    kept = {name: more[name] for name in _OF_RELATION if name in more}
    about = {"valid_from": edge.valid_from, "valid_to": edge.valid_to, **kept}
    return Relation(more["id"], edge.type, edge.start, edge.end, **about)  # type: ignore[arg-type]  # asked for by type


def whole(state: MemoryState, entity_id: str) -> Entity:
    """Return an entity with the data of those merged into it, and its confidence after evidence."""
    held = state.entities[entity_id]
    others = [state.entities[one] for one in state.stands_for(entity_id) if one in state.entities]
    properties, sessions = dict(held.properties), list(held.sessions)
    for other in others:
        sessions += other.sessions
        for name, value in other.properties.items():
            mine = properties.get(name)
            if mine in (None, "", []):
                properties[name] = value
            elif isinstance(mine, list) and isinstance(value, list):
                properties[name] = [*mine, *(one for one in value if one not in mine)]
    sessions = list(dict.fromkeys(sessions))
    confidence = _confidence(state, held, properties, sessions)
    if held.type == "Insight":
        properties |= {"evidence_sessions": sessions, "confidence": confidence}
        properties.setdefault("key_learning", held.label)
    return _with(held, fill_defaults(held.type, properties), tuple(sessions), confidence, state)


def _with(
    held: Entity, properties: dict[str, Any], sessions: tuple[str, ...], confidence: float | None, state: MemoryState
) -> Entity:
    merge = state.merge_of(held.id)
    valid_to = held.valid_to
    if merge is not None and (not valid_to or merge.at < valid_to):
        valid_to = merge.at
    return replace(
        held,
        properties=properties,
        valid_to=valid_to,
        sessions=sessions,
        confidence=confidence,
        merged_into=merge.keep if merge else "",
    )


def _confidence(state: MemoryState, held: Entity, properties: dict[str, Any], sessions: list[str]) -> float | None:
    if held.type == "Pattern":
        return properties.get("success_rate")
    if held.type != "Insight":
        return None
    contradicting = set()
    for id_ in [held.id, *state.stands_for(held.id)]:
        for relation in (state.relations[one] for one in state.related.get(id_, ())):
            if relation.type == "CONTRADICTS" and not relation.valid_to:
                contradicting.add(relation.to_id if relation.from_id == id_ else relation.from_id)
    return update_confidence(properties.get("confidence"), max(1, len(sessions)), len(contradicting))


def _entity(state: MemoryState, id_: str) -> GraphPart | None:
    if not state.is_there(id_):
        return None
    entity = whole(state, id_)
    properties = {"kind": "entity"} | dict(zip(_OF_ENTITY, attrgetter(*_OF_ENTITY)(entity), strict=True))
    text = "\n".join(dict.fromkeys(filter(None, [entity.label, words(entity.properties)])))
    validity = (entity.valid_from, entity.valid_to)
    node = Node(id_, entity.type, entity.name, text, properties, entity.audience, *validity)
    return GraphPart([node], list(_own_edges(state, entity)))


def _own_edges(state: MemoryState, entity: Entity) -> Iterator[Edge]:
    for session in entity.sessions:
        end = f"session:{session}"
        yield Edge(f"{entity.id}>{end}", "EXTRACTED_FROM", entity.id, end, valid_from=entity.valid_from)
    if entity.superseded_by:
        uid = f"{entity.id}<{entity.superseded_by}"
        yield Edge(uid, "SUPERSEDES", entity.superseded_by, entity.id, valid_from=entity.valid_to)
    merge = state.merge_of(entity.id)
    if merge is not None:
        about = {"id": merge.id}
        yield Edge(f"{entity.id}<{merge.id}", "MERGED_FROM", merge.keep, entity.id, about, valid_from=merge.at)


def _observation(state: MemoryState, id_: str) -> GraphPart | None:
    held = state.observations.get(id_)
    if held is None or not state.is_there(held.entity_id):
        return None
    properties = {"kind": "observation"} | dict(zip(_OF_OBSERVATION, attrgetter(*_OF_OBSERVATION)(held), strict=True))
    audience = state.entities[held.entity_id].audience
    node = Node(id_, OBSERVATION, "", held.content, properties, audience, held.valid_from, held.valid_to)
    edges = [
        Edge(f"{id_}>{entity_id}", OBSERVES, id_, entity_id, valid_from=start, valid_to=end)
        for entity_id, start, end in _stages(state, held.entity_id)
        if state.is_there(entity_id)
    ]
    return GraphPart([node], edges)


def _relation(state: MemoryState, id_: str) -> GraphPart | None:
    held = state.relations.get(id_)
    if held is None or not (_can_be_shown(state, held.from_id) and _can_be_shown(state, held.to_id)):
        return None
    about = {"id": id_, **dict(zip(_OF_RELATION, attrgetter(*_OF_RELATION)(held), strict=True))}
    about["properties"] = dict(held.properties)
    edges = []
    for start, end, begins, ends in _stretches(state, held):
        if start != end and not (ends and ends <= begins):
            uid = id_ if (start, end) == (held.from_id, held.to_id) else f"{id_}>{start}>{end}"
            edges.append(Edge(uid, held.type, start, end, about, 1.0, begins, ends))
    return GraphPart((), edges)


def _can_be_shown(state: MemoryState, end: str) -> bool:
    return state.is_there(end) or is_reference(end)


def _stretches(state: MemoryState, held: Relation) -> list[tuple[str, str, str, str]]:
    """Return between which entities a relation is shown, and from when to when."""
    starts, ends = _stages(state, held.from_id), _stages(state, held.to_id)
    if len(starts) == len(ends) == 1:
        return [(held.from_id, held.to_id, held.valid_from, held.valid_to)]
    return [
        (start, end, max(held.valid_from, since, end_since), min(filter(None, [held.valid_to, to, end_to]), default=""))
        for start, since, to in starts
        for end, end_since, end_to in ends
    ]


def _reference(state: MemoryState, end: str) -> GraphPart | None:
    kind, _, name = end.partition(":")
    referring = set(state.stated.get(name, ())) if kind == "session" else set()
    for relation in (state.relations[one] for one in state.related.get(end, ())):
        referring |= {relation.from_id, relation.to_id}
    circles = [state.entities[one].audience for one in referring if state.is_there(one)]
    if not circles:
        return None
    audience = () if () in circles else tuple(sorted({one for circle in circles for one in circle}))
    return GraphPart([Node(end, REFERENCES[kind], name, "", {"kind": "reference"}, audience)])


def _stages(state: MemoryState, entity_id: str) -> list[tuple[str, str, str]]:
    """Return the entities that represented this one, each with its period."""
    stages, start = [], ""
    while (merge := state.merge_of(entity_id)) is not None:
        stages.append((entity_id, start, merge.at))
        entity_id, start = merge.keep, merge.at
    return [*stages, (entity_id, start, "")]
