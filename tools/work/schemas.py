"""JSON Schemas for a model: references resolved, and irrelevant parts removed."""

from collections.abc import Mapping
from typing import Any

_HIDDEN = frozenset({"agent_id", "business_id", "key"})
"""Arguments that the agent's own call fills in."""
_LARGE = 1e9
"""A bound that only keeps sums finite."""


def compact_schema(schema: Mapping[str, Any], hidden: frozenset[str] = _HIDDEN) -> dict[str, Any]:
    """Return a schema of arguments without hidden ones, with references resolved."""
    shapes = schema.get("$defs", {})
    properties = {name: _plain(one, shapes) for name, one in schema.get("properties", {}).items() if name not in hidden}
    required = [name for name in schema.get("required", ()) if name not in hidden]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _plain(value: Any, shapes: Mapping[str, Any]) -> Any:
    if isinstance(value, Mapping):
        if "$ref" in value:
            shape = shapes[str(value["$ref"]).rpartition("/")[2]]
            rest = {key: one for key, one in value.items() if key != "$ref"}
            return _plain({**shape, **rest}, shapes)
        return {key: _plain(one, shapes) for key, one in value.items() if not _says_nothing(key, one)}
    return [_plain(one, shapes) for one in value] if isinstance(value, list) else value


def _says_nothing(key: str, value: Any) -> bool:
    """Return whether a keyword of a schema tells a model nothing; a property may have the name of a keyword."""
    if isinstance(value, Mapping):
        return key == "$defs"
    if key in ("title", "pattern", "minLength"):
        return True
    is_empty = key == "default" and value in ("", None, [], {})
    return is_empty or (key == "maximum" and value >= _LARGE)
