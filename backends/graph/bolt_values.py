"""What Neo4j answers with, as JSON can hold it."""

from collections.abc import Mapping
from typing import Any

_INTERNAL = frozenset({"business_id", "hash_high", "hash_low", "props_json"})


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: nodes and edges as maps, a path as the list of both, times as text."""
    from neo4j.graph import Node, Path, Relationship

    if isinstance(value, Node):
        return _shown(value)
    if isinstance(value, Relationship):
        return {"type": value.type, **_shown(value)}
    if isinstance(value, Path):
        parts: list[Any] = [value.nodes[0]]
        for edge, node in zip(value.relationships, value.nodes[1:], strict=True):
            parts += [edge, node]
        return [plain(one) for one in parts]
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _shown(part: Any) -> dict[str, Any]:
    return {name: plain(value) for name, value in part.items() if name not in _INTERNAL}
