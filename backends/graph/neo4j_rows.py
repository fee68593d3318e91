"""Nodes and edges as Neo4j holds them: properties by their own names where it can, and the whole of them as text."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from mabos.backends.graph.content import fingerprint, properties_of, written
from mabos.backends.graph.model import Edge, Node

_LARGEST = 2**63
_ASKED = frozenset({"uid", "type", "name"})
_OWN = _ASKED | {"text", "props_json", "audience", "valid_from", "valid_to", "weight"}
_OWN |= {"business_id", "revision", "hash_high", "hash_low"}


def node_row(node: Node, business: str) -> dict[str, Any]:
    """Return a node as a statement takes it."""
    said = {"type": node.type, "name": node.name, "text": node.text, "audience": list(node.audience)}
    return {"uid": node.uid, "values": _values(node, business) | said}


def edge_row(edge: Edge, business: str) -> dict[str, Any]:
    """Return an edge as a statement takes it."""
    ends = {"uid": edge.uid, "start": edge.start, "end": edge.end}
    return {**ends, "values": _values(edge, business) | {"weight": float(edge.weight)}}


def node_of(found: Mapping[str, Any]) -> Node:
    """Return the node of a map that `NODE` gave."""
    return Node(**_read(found) | {"audience": tuple(found["audience"])})


def edge_of(found: Mapping[str, Any]) -> Edge:
    """Return the edge of a map that `expand` gave."""
    return Edge(**_read(found))


def flat(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Return those properties that Neo4j can hold as such; a name that the node's own fields have is theirs."""
    return {name: value for name, value in properties.items() if _is_free(name) and _is_native(value)}


def property_of(node: str, name: str, parameter: str) -> str:
    """Return where a statement finds a property, if its name is in `parameter`; "" where the server may not have it."""
    if name in _ASKED:
        return f"{node}.{name}"
    return f"{node}[{parameter}]" if _is_free(name) else ""


def is_scalar(value: Any) -> bool:
    """Return whether Neo4j can hold a value as it is."""
    if isinstance(value, int):
        return -_LARGEST <= value < _LARGEST
    return isinstance(value, str) or (isinstance(value, float) and isfinite(value))


def _is_free(name: str) -> bool:
    return name.isprintable() and 0 < len(name) <= 200 and name not in _OWN


def _is_native(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return len({type(one) for one in value}) <= 1 and all(map(is_scalar, value))
    return is_scalar(value)


def _values(part: Node | Edge, business: str) -> dict[str, Any]:
    high, low = fingerprint(part)
    own = {"business_id": business, "uid": part.uid, "props_json": written(part.properties)}
    times = {"valid_from": part.valid_from, "valid_to": part.valid_to}
    return {**flat(part.properties), **own, **times, "revision": part.revision, "hash_high": high, "hash_low": low}


def _read(found: Mapping[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in found.items() if name != "props_json"}
    return rest | {"properties": properties_of(found["props_json"])}
