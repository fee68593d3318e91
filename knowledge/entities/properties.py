"""The properties of each type of entity, and their default values (S2, data model)."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.entities.model import EntityType

Share = Annotated[float, Field(ge=0, le=1)]
Number = Annotated[int, Field(ge=0)]


class _Properties(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class InsightProperties(_Properties):
    """A key learning from a session; `confidence` is the stated value, before evidence."""

    key_learning: str = ""
    confidence: Share | None = None
    evidence_sessions: list[str] = []
    validated_by: list[str] = []


class ConceptProperties(_Properties):
    """A term of a domain."""

    definition: str = ""
    domain: str = ""
    related_concepts: list[str] = []


class PatternProperties(_Properties):
    """A way of working that succeeded or failed."""

    situation: str = ""
    actions: list[str] = []
    outcome: Literal["success", "failure"] | None = None
    success_rate: Share | None = None
    applied_count: Number = 0


class DecisionProperties(_Properties):
    """A choice with its reasons."""

    question: str = ""
    options: list[str] = []
    chosen: str = ""
    rationale: str = ""
    decided_by: str = ""
    reversible: bool | None = None


class AgentProperties(_Properties):
    """A profile of an agent."""

    role: str = ""
    specialization: str = ""
    tasks_completed: Number = 0
    avg_quality: Share | None = None
    learned_patterns: list[str] = []


MODELS: Mapping[EntityType, type[_Properties]] = {
    "Insight": InsightProperties,
    "Concept": ConceptProperties,
    "Pattern": PatternProperties,
    "Decision": DecisionProperties,
    "Agent": AgentProperties,
}


def check_properties(type_: EntityType, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties that were given, if an entity of this type may have them; raises `InvalidArgument`."""
    model = MODELS[type_]
    try:
        return model.model_validate(dict(given)).model_dump(exclude_unset=True)
    except ValidationError as error:
        raise InvalidArgument(_describe_error(type_, error), argument="properties") from None


def fill_defaults(type_: EntityType, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all properties of the type: the given ones, and the defaults of the others."""
    return {**_defaults(type_), **given}


@cache
def _defaults(type_: EntityType) -> Mapping[str, Any]:
    return MODELS[type_]().model_dump(exclude_none=True)


def words(properties: Mapping[str, Any]) -> str:
    """Return the texts among properties, for search: the content, not its authors."""
    silent = {"evidence_sessions", "validated_by", "related_concepts", "learned_patterns", "decided_by"}
    texts: list[str] = []
    for name, value in properties.items():
        if name not in silent:
            texts += (
                [value]
                if isinstance(value, str)
                else [one for one in (value if isinstance(value, list) else []) if isinstance(one, str)]
            )
    return "\n".join(text for text in texts if text)


def _describe_error(type_: EntityType, error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    known = ", ".join(MODELS[type_].model_fields)
    if first["type"] == "extra_forbidden":
        return f"{type_} has no property {place!r}; it has {known}"
    return f"property {place!r} of {type_}: {first['msg'].lower()}, found {first['input']!r}"
