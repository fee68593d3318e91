"""The records of the entity memory: entities of five types, their observations, and nine relations (S2, data model).

Times are ISO 8601 in UTC; an empty `valid_to` is open. Validity includes its beginning and not its end.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args
from uuid import UUID, uuid5

from mabos.configs.errors import InvalidArgument, unknown
from mabos.workspace.text import one_line

EntityType = Literal["Insight", "Concept", "Pattern", "Decision", "Agent"]
RelationType = Literal[
    "RELATES_TO",
    "BUILDS_ON",
    "CONTRADICTS",
    "EXTRACTED_FROM",
    "APPLIED_IN",
    "LEARNED_BY",
    "DEPENDS_ON",
    "SUPERSEDES",
    "MERGED_FROM",
]
Visibility = Literal["public", "agent-private", "user-private", "team-private"]
Kind = Literal["entity", "observation", "relation"]

ENTITY_TYPES: tuple[EntityType, ...] = get_args(EntityType)
RELATION_TYPES: tuple[RelationType, ...] = get_args(RelationType)
VISIBILITIES: tuple[Visibility, ...] = get_args(Visibility)

REFERENCES: Mapping[str, str] = {"session": "Session", "task": "Task"}
"""Possible ends of a relation besides entities, as `session:{id}` and `task:{id}`, with their node types."""

_SPACE = UUID("5f3c1f0e-7d1b-5a52-9a57-0f6a4b1f2c11")


@dataclass(frozen=True, slots=True)
class Entity:
    """A known thing; an empty `audience` is everyone.

    `sessions` are those that stated it. `confidence` is the stated confidence after evidence, None for types without
    one. `merged_into` is the entity that now represents it.
    """

    id: str
    type: EntityType
    name: str
    label: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    created_at: str = ""
    updated_at: str = ""
    created_by: str = ""
    visibility: Visibility = "public"
    audience: tuple[str, ...] = ()
    valid_from: str = ""
    valid_to: str = ""
    superseded_by: str = ""
    sessions: tuple[str, ...] = ()
    confidence: float | None = None
    merged_into: str = ""

    @property
    def address(self) -> str:
        """Return the name that people use: `insight:sql-injection-risk`."""
        return f"{self.type.lower()}:{self.name}"


@dataclass(frozen=True, slots=True)
class Observation:
    """An atomic fact about an entity."""

    id: str
    entity_id: str
    content: str
    source_session: str = ""
    added_by: str = ""
    added_at: str = ""
    valid_from: str = ""
    valid_to: str = ""
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """A directed connection of two entities, or of an entity and a session or task."""

    id: str
    type: RelationType
    from_id: str
    to_id: str
    properties: Mapping[str, Any] = field(default_factory=dict)
    created_at: str = ""
    created_by: str = ""
    valid_from: str = ""
    valid_to: str = ""
    superseded_by: str = ""


def entity_id(business: str, type_: str, name: str, audience: tuple[str, ...] = ()) -> str:
    """Return the id of an entity, the same wherever it is made; private ones have an id for each circle."""
    return str(uuid5(_SPACE, "\x1f".join([business, type_, name, *audience])))


def derived_id(*parts: str) -> str:
    """Return the id derived from `parts`, for an observation, a relation, or a merge."""
    return str(uuid5(_SPACE, "\x1f".join(parts)))


def entity_type(text: str, *, argument: str = "type") -> EntityType:
    """Return the entity type that `text` names, in any case; raises `UnknownId`."""
    for known in ENTITY_TYPES:
        if known.lower() == text.strip().lower():
            return known
    raise unknown("entity type", text, ENTITY_TYPES, argument=argument)


def relation_type(text: str, *, argument: str = "type") -> RelationType:
    """Return the relation type that `text` names, in any case; raises `UnknownId`."""
    for known in RELATION_TYPES:
        if known == text.strip().upper():
            return known
    raise unknown("relation type", text, RELATION_TYPES, argument=argument)


def visibility(text: str, *, argument: str = "visibility") -> Visibility:
    """Return the level of visibility that `text` names; raises `UnknownId`."""
    for known in VISIBILITIES:
        if known == text.strip().lower():
            return known
    raise unknown("visibility", text, VISIBILITIES, argument=argument)


def entity_name(text: str, *, argument: str = "name") -> str:
    """Return `text` as a name, with single spaces; raises `InvalidArgument` if it cannot be one."""
    found = one_line(text)
    if not found or len(found) > 200 or found.startswith(tuple(f"{kind}:" for kind in REFERENCES)):
        message = f"{text[:80]!r} cannot be a name; use 1 to 200 characters, as 'sql-injection-risk'"
        raise InvalidArgument(message, argument=argument)
    return found
