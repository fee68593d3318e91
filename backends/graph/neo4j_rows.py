"""Nodes and edges in Neo4j's form: properties with native types, and the whole record as text.

Texts that are times, days or numbers get native types for readers of the copy; `_record` keeps the originals.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date, datetime
from math import isfinite
from typing import Any

from mabos.backends.graph.content import encode_properties, fingerprint, properties_of
from mabos.backends.graph.model import Edge, Node

_LARGEST = 2**63
_ASKED = frozenset({"uid", "type", "name"})
_OWN = _ASKED | {"text", "valid_from", "valid_to", "weight", "business_id", "embedding"}
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d.*(Z|[+-]\d\d:\d\d)")
_NUMBER = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d{1,15})?(e[+-]?\d{1,2})?")


def node_row(node: Node, business: str) -> dict[str, Any]:
    """Return a node as a statement parameter."""
    said = {"type": node.type, "name": node.name, "text": node.text, "_audience": list(node.audience)}
    return {"uid": node.uid, "values": _values(node, business) | said}


def edge_row(edge: Edge, business: str) -> dict[str, Any]:
    """Return an edge as a statement parameter."""
    ends = {"uid": edge.uid, "start": edge.start, "end": edge.end}
    return {**ends, "values": _values(edge, business) | {"weight": float(edge.weight), "_type": edge.type}}


def node_of(found: Mapping[str, Any]) -> Node:
    """Return the node in a map from `NODE`."""
    return Node(**_read(found) | {"audience": tuple(found["_audience"])})


def edge_of(found: Mapping[str, Any]) -> Edge:
    """Return the edge in a map from `expand`."""
    return Edge(**_read(found))


def flat(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties that Neo4j can hold natively; names of the node's own fields are excluded.

    The contents of a property named `properties` are included if their names are free.
    """
    inner = properties.get("properties")
    every = {**inner, **properties} if isinstance(inner, Mapping) else properties
    return {name: native(value) for name, value in every.items() if _is_free(name) and _is_native(value)}


def native(value: Any) -> Any:
    """Return a text as a time, day or number if it is one; equal values stay equal."""
    if isinstance(value, list | tuple):
        return [native(one) for one in value] if len({type(native(one)) for one in value}) <= 1 else list(value)
    if not isinstance(value, str) or len(value) > 40:
        return value
    with suppress(ValueError):
        if _DAY.fullmatch(value):
            return date.fromisoformat(value)
        if _TIME.fullmatch(value):
            return datetime.fromisoformat(value)
        if _NUMBER.fullmatch(value):
            return float(value) if {".", "e"} & set(value) else int(value)
    return value


def property_of(node: str, name: str, parameter: str) -> str:
    """Return how a statement finds the property named in `parameter`; "" if the server may not have it."""
    if name in _ASKED:
        return f"{node}.{name}"
    return f"{node}[{parameter}]" if _is_free(name) else ""


def is_scalar(value: Any) -> bool:
    """Return whether Neo4j can hold a value natively."""
    if isinstance(value, int):
        return -_LARGEST <= value < _LARGEST
    return isinstance(value, str) or (isinstance(value, float) and isfinite(value))


def _is_free(name: str) -> bool:
    return name.isprintable() and 0 < len(name) <= 200 and name not in _OWN and name[0] != "_"


def _is_native(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return len({type(one) for one in value}) <= 1 and all(map(is_scalar, value))
    return is_scalar(value)


def _values(part: Node | Edge, business: str) -> dict[str, Any]:
    high, low = fingerprint(part)
    own = {
        "business_id": business,
        "uid": part.uid,
        "_record": encode_properties(part.properties),
        "_revision": part.revision,
    }
    own |= {"_from": part.valid_from, "_to": part.valid_to, "_high": high, "_low": low}
    times = {"valid_from": part.valid_from, "valid_to": part.valid_to}
    return {**flat(part.properties), **{name: native(at) for name, at in times.items() if at}, **own}


def _read(found: Mapping[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in found.items() if name[0] != "_"}
    times = {"valid_from": found["_from"], "valid_to": found["_to"], "revision": found["_revision"]}
    return rest | times | {"properties": properties_of(found["_record"])}
