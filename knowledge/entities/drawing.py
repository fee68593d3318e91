"""A memory as nodes and links of plain values, in a fixed order, for programs that draw or store graphs (S2, export).

Sessions and tasks at the end of relations are nodes too. Every relation or observation has both its ends, and empty
values are left out, so that no link leads nowhere.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from mabos.knowledge.entities.fold import is_reference
from mabos.knowledge.entities.model import (
    ENTITY_TYPES,
    REFERENCES,
    Entity,
    Observation,
    Relation,
    entity_type,
    relation_type,
)
from mabos.knowledge.entities.statistics import MemoryFigures

Plain = str | bool | int | float | list[str]

_ENTITY = ("label", "properties", "confidence", "sessions", "created_at", "updated_at", "created_by", "visibility")
_RELATION = ("properties", "created_at", "created_by")
_TIMES = ("valid_from", "valid_to", "superseded_by")
_OBSERVATION = ("source_session", "added_by", "added_at", *_TIMES)
_PLAIN_NAME = re.compile(r"[A-Za-z]\w{0,99}", re.ASCII)
_ILLEGIBLE = re.compile("[^\t\n\r\x20-\x7e\x80-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 cannot hold


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes with `id`, `type` and `name`, and links with `id`, `type`, `source` and `target`, which are nodes' ids."""

    nodes: tuple[dict[str, Any], ...]
    links: tuple[dict[str, Any], ...]


def build_drawing(figures: MemoryFigures) -> Drawing:
    """Return the drawing: nodes by type and name, links by type and ends; raises `UnknownId` for another type."""
    observed: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in sorted(figures.observations, key=lambda one: (one.added_at, one.id)):
        observed[one.entity_id].append({"id": one.id, "content": one.content, **_select_fields(one, _OBSERVATION)})
    order = {type_: number for number, type_ in enumerate(ENTITY_TYPES)}
    entities = sorted(figures.entities, key=lambda one: (order[entity_type(one.type)], one.name, one.id))
    nodes = [_entity(one, observed.get(one.id, [])) for one in entities]
    known = {one.id for one in entities}
    relations = [one for one in figures.relations if all(end in known or is_reference(end) for end in _ends(one))]
    referred = sorted({end for one in relations for end in _ends(one)} - known)
    links = sorted(map(_link, relations), key=lambda one: (one["type"], one["source"], one["target"], one["id"]))
    return Drawing((*nodes, *map(_reference, referred)), tuple(links))


def flat(one: Mapping[str, Any]) -> dict[str, Plain]:
    """Return a node or link whose values are texts, numbers or lists of texts; anything else becomes JSON.

    Each property is a field of its own: `key_learning` as `property_key_learning`. Those whose name is no plain word
    are left together in `properties`. Observations are left out.
    """
    properties = one.get("properties", {})
    found = {name: value for name, value in one.items() if name not in ("properties", "observations")}
    found |= {f"property_{name}": properties[name] for name in sorted(properties) if _PLAIN_NAME.fullmatch(name)}
    strange = {name: value for name, value in properties.items() if not _PLAIN_NAME.fullmatch(name)}
    return {name: _plain(value) for name, value in (found | ({"properties": strange} if strange else {})).items()}


def json(value: Any, option: int = 0) -> str:
    """Return a value as JSON."""
    return orjson.dumps(value, option=option).decode()


def legible(text: str) -> str:
    """Return a text with each character that XML or drawings cannot hold replaced by U+FFFD."""
    return _ILLEGIBLE.sub("\ufffd", text)


def period(one: Mapping[str, Any]) -> str:
    """Return the validity of a node or link by days; "" if it is open on both sides."""
    begin, end = one.get("valid_from", "")[:10], one.get("valid_to", "")[:10]
    if begin and end:
        return f"{begin} to {end}"
    return f"since {begin}" if begin else f"until {end}" if end else ""


def _entity(one: Entity, observations: list[dict[str, Any]]) -> dict[str, Any]:
    node = {"id": one.id, "type": entity_type(one.type), "name": one.name, **_select_fields(one, (*_ENTITY, *_TIMES))}
    return node | ({"observations": observations} if observations else {})


def _reference(end: str) -> dict[str, Any]:
    kind, _, name = end.partition(":")
    return {"id": end, "type": REFERENCES[kind], "name": name}


def _link(one: Relation) -> dict[str, Any]:
    ends = {"source": one.from_id, "target": one.to_id}
    return {"id": one.id, "type": relation_type(one.type), **ends, **_select_fields(one, (*_RELATION, *_TIMES))}


def _ends(one: Relation) -> tuple[str, str]:
    return one.from_id, one.to_id


def _select_fields(one: Entity | Observation | Relation, names: Iterable[str]) -> dict[str, Any]:
    found = {name: getattr(one, name) for name in names}
    return {
        name: dict(value) if isinstance(value, Mapping) else value
        for name, value in found.items()
        if value or value == 0
    }


def _plain(value: Any) -> Plain:
    if isinstance(value, bool | str | float) or (isinstance(value, int) and abs(value) < 2**63):
        return value
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return list(value)
    return json(value)
